// What a mistake says, in parts: for programs that show it beside what is wrong.

package scenarios

import (
	"regexp"
	"strings"
)

// File is the scenario's file and the line and column in it, from 1; of what --set says, no file and zeros.
func (m Mistake) File() (file string, line, column int) {
	if m.line < 0 {
		return "", 0, 0
	}
	place := m.Place
	for range 2 { // the line and the column
		if end := strings.LastIndexByte(place, ':'); end >= 0 {
			place = place[:end]
		}
	}
	return place, m.line, m.column
}

var (
	unknownKey = regexp.MustCompile(`^unknown key "([^"]*)"(?: in ([^ ;]+))?`)
	leadingKey = regexp.MustCompile(`^[a-z][a-zA-Z0-9-]*(?:\.[a-zA-Z0-9-]+|\[\d+\])*`)
)

// Key is the path of the key that is wrong; empty: it is of the whole file.
func (m Mistake) Key() string {
	if found := unknownKey.FindStringSubmatch(m.Text); found != nil {
		return join(strings.TrimSuffix(found[2], ":"), found[1])
	}
	key := leadingKey.FindString(m.Text)
	top, _, _ := strings.Cut(strings.ReplaceAll(key, "[", "."), ".")
	if !isPart(top) {
		return ""
	}
	return key
}

// Remedy is what would be right, where the mistake says more than what is wrong.
func (m Mistake) Remedy() string {
	_, remedy, _ := strings.Cut(m.Text, "; ")
	return remedy
}
