// How far a search is, where no bar can be drawn.

package main

import (
	"strings"
	"testing"
	"time"
)

func TestTeller_SpeaksEveryFewSeconds(t *testing.T) {
	var b strings.Builder
	say := newTeller(&b, true, 100)
	if say.at(1); b.Len() > 0 {
		t.Errorf("it says %q at once", b.String())
	}
	say.start, say.spoke = say.start.Add(-20*time.Second), say.spoke.Add(-20*time.Second)
	say.at(50)
	say.at(51)
	if got, want := b.String(), "fuzz: 50 of 100 runs after 20s, about 20s to go\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	silent := newTeller(&b, false, 100)
	silent.spoke = silent.spoke.Add(-time.Hour)
	if silent.at(50); strings.Count(b.String(), "\n") != 1 {
		t.Error("it speaks beside a bar")
	}
}
