// What a progress bar is drawn on: a line of a terminal, whose size may change.

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// redrawn is a line of a terminal that is drawn again and again. A terminal that is made narrower breaks the line into
// rows, all of which are erased.
type redrawn struct {
	to    io.Writer
	width func() int // of the terminal; 0: not known
	broke bool       // whether it breaks lines that are there when it becomes narrower
	drawn int        // how long the line is
}

func newRedrawn() *redrawn {
	return &redrawn{to: os.Stderr, broke: breaks(os.Getenv), width: func() int {
		width, _, err := term.GetSize(int(os.Stderr.Fd()))
		if err != nil {
			return 0
		}
		return width
	}}
}

// breaks says whether a terminal breaks lines that are there when it becomes narrower: all do but these, which cut
// them.
func breaks(env func(string) string) bool {
	name := env("TERM")
	return env("XTERM_VERSION") == "" && name != "linux" && (!strings.HasPrefix(name, "screen") || env("TMUX") != "")
}

// Write draws a line of the progress bar, which begins with a carriage return and ends with an escape sequence, or,
// where there is nothing but these, erases it.
func (r *redrawn) Write(p []byte) (int, error) {
	width := r.width()
	line := plainLine.Replace(string(p))
	erase := "\r"
	if r.broke && width > 0 && r.drawn > width {
		erase += fmt.Sprintf("\x1b[%dA", (r.drawn-1)/width)
	}
	if width > 0 && utf8.RuneCountInString(line) >= width { // one column is the cursor's
		line = string([]rune(line)[:width-1])
	}
	if _, err := io.WriteString(r.to, erase+"\x1b[J"+line); err != nil {
		return 0, err
	}
	r.drawn = utf8.RuneCountInString(line)
	return len(p), nil
}

// plainLine leaves the words of what a progress bar writes.
var plainLine = strings.NewReplacer("\r", "", "\n", "", "\x1b[2K", "", "\x1b[0K", "")
