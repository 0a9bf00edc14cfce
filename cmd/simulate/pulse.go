// How far long work is, in words, where there is no terminal to draw a bar on.

package main

import (
	"fmt"
	"io"
	"time"
)

// clock is what tells how long work takes.
var clock = time.Now

// pulse says now and then how far work is. Nothing is said of work that is over within a minute.
type pulse struct {
	begun time.Time // when it was first told of how much is done
	last  time.Time // when it said something last, or begun
	from  int       // how much was done then
}

// at may say how much is done, of how much of what; of -1: that is not known. What is left is expected at the pace
// since the line before, as what was computed earlier is done sooner.
func (p *pulse) at(w io.Writer, name string, done, of int, what string) {
	now := clock()
	if p.begun.IsZero() {
		p.begun, p.last, p.from = now, now, done
		return
	}
	taken := now.Sub(p.begun)
	if done >= of && of >= 0 || taken < after(p.last.Sub(p.begun)) {
		return
	}
	text := fmt.Sprintf("%s: %d", name, done)
	if of >= 0 {
		text += fmt.Sprintf(" of %d", of)
	}
	if what != "" {
		text += " " + what
	}
	text += " after " + coarse(taken)
	if of >= 0 && done > p.from {
		each := float64(now.Sub(p.last)) / float64(done-p.from)
		text += ", about " + coarse(time.Duration(each*float64(of-done))) + " to go"
	}
	fmt.Fprintln(w, text)
	p.last, p.from = now, done
}

// after is when work is told of next that was told of at a time since it began.
func after(told time.Duration) time.Duration {
	for _, t := range []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute} {
		if told < t {
			return t
		}
	}
	const often = 10 * time.Minute
	return told.Truncate(often) + often
}

// coarse is a time in words, as exact as it is of use.
func coarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}
