// A terminal that breaks lines when it becomes narrower, and what is left on it of a progress bar.

package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/schollz/progressbar/v3"

	"overhear/internal/stage"
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

// How long work may take that is done again and again is told once, when it has gone on for a while, and only if it is
// long.
func TestForetold_IsToldOfLongWork(t *testing.T) {
	now := time.Now()
	clock = func() time.Time { return now }
	t.Cleanup(func() { clock = time.Now })
	for _, c := range []struct {
		first, once time.Duration
		most        int
		want        string
		after       time.Duration
	}{
		{70 * time.Millisecond, 70 * time.Millisecond, 5000, "x once takes 70ms; 5000 times, the most, about 5m50s\n",
			while},
		{7 * time.Second, 7 * time.Second, 64, "x once takes 7s; 64 times, the most, about 7m28s\n", 14 * time.Second},
		{2 * time.Second, 5 * time.Millisecond, 5000, "", 0}, // the first time is with all packets
		{10 * time.Millisecond, 10 * time.Millisecond, 5000, "", 0}, {3 * time.Second, 3 * time.Second, 64, "", 0},
	} {
		var b strings.Builder
		var f foretold
		begun, told := now, time.Duration(0)
		for done := range c.most {
			if f.after(&b, done, c.most, "x", "the most"); told == 0 && b.Len() > 0 {
				told = now.Sub(begun)
			}
			if now = now.Add(c.once); done == 0 {
				now = begun.Add(c.first)
			}
		}
		if b.String() != c.want || told < c.after || told > c.after+c.once {
			t.Errorf("%v, %d times: %q after %v", c.once, c.most, b.String(), told)
		}
	}
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

// Stages that go on at the same time are a line each where there is no terminal, when they begin, and so is each tenth.
func TestStages_AreALineEachWhereThereIsNoTerminal(t *testing.T) {
	var told strings.Builder
	s := &stages{to: &told, bar: &progress{off: true}}
	s.told(0, []string{"reading"})
	s.told(0.1, []string{"compiling", "computing"})
	s.told(0.2, []string{"packing", "computing"})
	s.told(0.25, []string{"packing"})
	s.told(0.95, []string{"packing"})
	s.told(1, nil)
	if got := told.String(); got != "reading\ncompiling\ncomputing\n10 %: compiling, computing\npacking\n"+
		"20 %: packing, computing\n90 %: packing\n" {
		t.Errorf("%q", got)
	}
}

// written is what is written, at once each.
type written chan string

func (l written) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// A stage that takes long is told where there is no terminal, once, and one that does not is silent.
func TestProgress_TellsLongStages(t *testing.T) {
	defer func(before time.Duration) { tellAfter = before }(tellAfter)
	told := make(written, 3)
	defer func(before io.Writer) { words = before }(words)
	words = told
	tellAfter = 50 * time.Millisecond
	p := &progress{name: "run", off: true}
	ctx := p.watch(t.Context())
	for doing, long := range map[string]bool{"short": false, "": true} {
		if err := stage.At(ctx, doing, 0, 0); err != nil {
			t.Fatal(err)
		}
		if long {
			time.Sleep(2 * tellAfter)
		}
	}
	for k := range 3 {
		if err := stage.At(ctx, "reading", int64(k), 3); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-told; got != "run: reading\n" {
		t.Errorf("%q", got)
	}
	p.clear()
	if len(told) > 0 {
		t.Errorf("%q", <-told)
	}
}

// A stage is drawn beside the name, though it tells nothing more, and what comes next is drawn without it.
func TestProgress_DrawsStages(t *testing.T) {
	p := &progress{name: "run", total: 9, start: time.Now().Add(-drawAfter)}
	ctx := p.watch(t.Context())
	for _, c := range []struct {
		doing    string
		done, of int64
		want     string
	}{{"reading", 1, 4, "run: reading, 25 %"}, {"scaling", 0, 0, "run: scaling"}, {"", 0, 0, "run"}} {
		if err := stage.At(ctx, c.doing, c.done, c.of); err != nil || p.shown != c.want {
			t.Errorf("%q is shown, want %q; %v", p.shown, c.want, err)
		}
	}
	p.outOf(3, 20)
	if p.bar.GetMax() != 20 {
		t.Errorf("the bar is of %d", p.bar.GetMax())
	}
	p.clear()
	late := &progress{name: "run", total: 9, start: time.Now().Add(-drawAfter + 10*time.Millisecond)}
	late.stage("reading", 0, 0)
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		late.mu.Lock()
		shown := late.shown
		late.mu.Unlock()
		if shown == "run: reading" {
			break
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatal("a stage that tells nothing more is not drawn")
		}
	}
	late.clear()
}
