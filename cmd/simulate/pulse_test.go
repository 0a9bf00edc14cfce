// Lines now and then of long work.

package main

import (
	"strings"
	"testing"
	"time"

	"overhear/sweep"
)

// timed has a clock that the test moves on, and returns what is written in words.
func timed(t *testing.T) (pass func(time.Duration), told *strings.Builder) {
	t.Helper()
	now, told := time.Unix(0, 0), new(strings.Builder)
	before, to := clock, words
	t.Cleanup(func() { clock, words = before, to })
	clock, words = func() time.Time { return now }, told
	return func(d time.Duration) { now = now.Add(d) }, told
}

// A run that takes hours says now and then how far it is and what is left, in the pace of late; one that is drawn or
// told in events does not, nor does one that is over within a minute.
func TestProgress_SaysHowFarItIsWhereThereIsNoTerminal(t *testing.T) {
	pass, told := timed(t)
	p, drawn := &progress{name: "run", total: 400, unit: "rounds", off: true}, &progress{total: 400}
	short := &progress{name: "short", total: 59, off: true}
	for done := range 60 {
		short.at(done)
		pass(time.Second)
	}
	if told.Len() > 0 {
		t.Errorf("of a short run: %q", told)
	}
	for done := range 401 {
		p.at(done)
		drawn.at(done)
		pace := 30 * time.Second
		if done < 100 { // these were computed before
			pace = time.Second
		}
		pass(pace)
	}
	got := strings.Split(strings.TrimSpace(told.String()), "\n")
	if len(got) != 18 {
		t.Fatalf("%d lines: %q", len(got), got)
	}
	for k, want := range map[int]string{0: "run: 60 of 400 rounds after 1 min, about 6 min to go",
		1:  "run: 101 of 400 rounds after 2 min, about 9 min to go",
		3:  "run: 117 of 400 rounds after 10 min, about 2.4 h to go",
		4:  "run: 137 of 400 rounds after 20 min, about 2.2 h to go",
		17: "run: 397 of 400 rounds after 2.5 h, about 2 min to go"} {
		if got[k] != want {
			t.Errorf("line %d is %q, want %q", k, got[k], want)
		}
	}
}

// Where it is not known how much there is, only what is done is said; and a sweep says it of its runs.
func TestPulse_OfOtherWork(t *testing.T) {
	pass, told := timed(t)
	p, s := &progress{name: "verify", total: -1, off: true}, &sweepBar{name: "grid", off: true}
	for done := range 3 {
		p.at(done)
		s.at(sweep.Progress{Total: 12, Before: 3, Done: done})
		pass(35 * time.Second)
	}
	const want = "verify: 2 after 1 min\ngrid: 5 of 12 runs after 1 min, about 4 min to go\n"
	if got := told.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
