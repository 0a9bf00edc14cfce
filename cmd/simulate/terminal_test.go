// A terminal that breaks lines when it becomes narrower, and what is left on it of a progress bar.

package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/schollz/progressbar/v3"
)

// screen is such a terminal: rows, of which the last is the cursor's. Only what redrawn writes is understood.
type screen struct {
	rows  []string
	width int
}

var sequence = regexp.MustCompile(`^\x1b\[(\d*)([AJ])`)

func (s *screen) Write(p []byte) (int, error) {
	text := string(p)
	for text != "" {
		last := len(s.rows) - 1
		if m := sequence.FindStringSubmatch(text); m != nil {
			up := 0
			if m[2] == "A" {
				_, _ = fmt.Sscan(m[1], &up)
				s.rows = s.rows[:last-up+1] // what was below is erased next
			} else {
				s.rows[last] = ""
			}
			text = text[len(m[0]):]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch {
		case r == '\r':
		case r == '\n':
			s.rows = append(s.rows, "")
		case len([]rune(s.rows[last])) == s.width:
			s.rows = append(s.rows, string(r))
		default:
			s.rows[last] += string(r)
		}
	}
	return len(p), nil
}

// narrow breaks the cursor's line.
func (s *screen) narrow(width int) {
	s.width = width
	last := len(s.rows) - 1
	line := []rune(s.rows[last])
	s.rows = s.rows[:last]
	for len(line) > width {
		s.rows, line = append(s.rows, string(line[:width])), line[width:]
	}
	s.rows = append(s.rows, string(line))
}

func TestProgressBar_LeavesNothingAfterAResize(t *testing.T) {
	s := &screen{rows: []string{""}, width: 100}
	line := &redrawn{to: s, width: func() int { return s.width }, broke: true}
	fmt.Fprint(s, "before\n")
	bar := progressbar.NewOptions(1000, progressbar.OptionSetWriter(line), progressbar.OptionUseANSICodes(true),
		progressbar.OptionSetDescription("quickstart"), progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(time.Nanosecond))
	draw := func(n int) {
		t.Helper()
		time.Sleep(time.Microsecond)
		if err := bar.Set(n); err != nil {
			t.Fatal(err)
		}
		if len(s.rows) != 2 || s.rows[0] != "before" || !strings.Contains(s.rows[1], "quickstart") {
			t.Fatalf("at width %d the screen has %q", s.width, s.rows)
		}
	}
	draw(1)
	if len(s.rows[1]) < 60 {
		t.Fatalf("the bar is too short to be broken: %q", s.rows[1])
	}
	for _, width := range []int{50, 20, 80, 33} {
		s.narrow(width)
		draw(1000 - width*9)
	}
	s.narrow(12)
	if err := bar.Clear(); err != nil || len(s.rows) != 2 || s.rows[1] != "" {
		t.Errorf("after the bar is cleared (%v) the screen has %q", err, s.rows)
	}
	draw(999)
	for name, want := range map[string]bool{"xterm-256color": true, "screen": false, "linux": false} {
		if got := breaks(func(key string) string { return map[string]string{"TERM": name}[key] }); got != want {
			t.Errorf("%s breaks lines: %v", name, got)
		}
	}
}

// Where there is no terminal, work that takes long says what it is, once, and work that does not is silent.
func TestProgress_TellsInWordsWhereThereIsNoTerminal(t *testing.T) {
	defer func(before time.Duration) { tellAfter = before }(tellAfter)
	told := make(written, 2)
	tellAfter = time.Hour
	short := (&progress{off: true}).orTell(told, "short")
	short.at(1)
	short.clear()
	tellAfter = time.Millisecond
	(&progress{}).orTell(told, "drawn")
	long := (&progress{off: true}).orTell(told, "long")
	if got := <-told; got != "long\n" {
		t.Errorf("%q", got)
	}
	long.at(1)
	long.clear()
	if len(told) > 0 {
		t.Errorf("%q", <-told)
	}
}

// Stages that go on at the same time are a line each where there is no terminal, when they begin.
func TestStages_AreALineEachWhereThereIsNoTerminal(t *testing.T) {
	var told strings.Builder
	s := &stages{to: &told, bar: &progress{off: true}}
	s.told(0, []string{"reading"})
	s.told(0.1, []string{"compiling", "computing"})
	s.told(0.2, []string{"packing", "computing"})
	s.told(0.9, []string{"packing"})
	s.told(1, nil)
	if got := told.String(); got != "reading\ncompiling\ncomputing\npacking\n" {
		t.Errorf("%q", got)
	}
}

// written is what is written, at once each.
type written chan string

func (l written) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
