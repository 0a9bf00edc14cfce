// What becomes of a claim, or of a certificate, by the tests of it that were run.

package evaluation

import (
	"fmt"
	"math"
	"strings"

	"overhear/record"
)

// standing is what is known of a claim before any run.
type standing struct {
	established error  // nil: the condition under which it is proved holds
	unproved    error  // it is its authors' word alone, though the condition holds
	what        string // in a word
	flawed      string // the run is not that of the method of which something is claimed; empty: it is
}

// decide gives a claim the one verdict that its tests, and the search for the worst trace, come to. The strongest test
// is the one whose measured loss exceeds its claim by most. One that refutes is enough, whatever others find; that none
// does is no proof.
func decide(v *record.Verdict, s standing) {
	strongest, refuted := -1, false
	excess := func(k int) float64 {
		t := &v.Tests[k]
		if math.IsNaN(float64(t.Epsilon)) {
			return float64(t.Measured)
		}
		return float64(t.Measured) - float64(t.Epsilon)
	}
	if s.established != nil {
		v.Epsilon = record.Number(math.NaN())
		for k := range v.Tests {
			v.Tests[k].Epsilon, v.Tests[k].Refutes = v.Epsilon, false
		}
	}
	for k := range v.Tests {
		t := &v.Tests[k]
		switch {
		case math.IsNaN(float64(t.Measured)), refuted && !t.Refutes:
		case strongest < 0, t.Refutes && !refuted, excess(k) > excess(strongest):
			strongest, refuted = k, refuted || t.Refutes
		}
	}
	v.Measured, v.Method = record.Number(math.NaN()), "nothing"
	detail := ""
	if strongest < 0 && len(v.Tests) > 0 {
		detail = v.Tests[0].Detail
	}
	if strongest >= 0 {
		t := &v.Tests[strongest]
		v.Measured, v.Method, v.Epsilon, detail = t.Measured, t.Method, t.Epsilon, t.Detail
		if v.Scope == record.UpTo {
			v.Round = t.Round
		}
	}
	claimed, measured := float64(v.Epsilon), float64(v.Measured)
	v.Share = record.Number(math.NaN())
	if claimed > 0 {
		v.Share = record.Number(measured / claimed)
	}
	found, bound := float64(v.Searched), float64(v.Bound)
	searched := bound > 0 && s.flawed == "" // else it is the worst case of another method than the one that ran
	exceeds := searched && found > claimed*(1+record.SearchError)
	// Of a claim with a δ the search is for what comes before, too, which neighbours send seldom: it refutes no claim
	// on all that they send.
	normal := v.Delta > 0

	var why []string
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	switch {
	case s.established != nil:
		v.Verdict = record.NotEstablished
		say("%s", s.established)
	case refuted, exceeds && !normal:
		v.Verdict = record.Violated
	case s.flawed != "", strongest < 0: // nothing was measured
		v.Verdict = record.NotEstablished
	case s.unproved != nil:
		v.Verdict = record.NotEstablished
		say("%s%s", record.ClaimedNotProved, s.unproved)
	case exceeds: // and does not refute
		v.Verdict = record.NotEstablished
	default:
		v.Verdict = record.Consistent
	}
	switch {
	case s.established != nil && !math.IsInf(measured, 1):
	case math.IsInf(measured, 1):
		say("the measured loss is unbounded: one look tells the worlds apart")
	case refuted:
		say("the measured loss exceeds the %s by %.3g", s.what, measured-claimed)
	case exceeds && !normal:
		say("no run did, but a trace of positive density and a pair that were searched for lose %.4g, which exceeds "+
			"the claim by %.3g", found, found-claimed)
	case claimed > 0 && !math.IsNaN(measured):
		say("the measured loss is %.3g %% of the %s", 100*measured/claimed, s.what)
	case claimed == 0 && measured == 0:
		say("nothing is claimed to be lost, and no loss was measured")
	}
	switch {
	case !searched || s.established != nil || exceeds && !normal && !refuted:
	case normal && exceeds:
		say("after messages that neighbours may send, a pair that was searched for loses %.4g at this δ, which "+
			"exceeds the claim by %.3g", found, found-claimed)
	case normal && bound <= claimed*(1+record.SearchError):
		say("whatever is sent before, no pair loses more than %.4g at this δ, %.3g %% of it", bound, 100*bound/claimed)
	case normal:
		say("whatever is sent before, no pair loses more than %.4g at this δ, one was found that loses %.4g, and "+
			"between the two nothing is known", bound, found)
	case exceeds:
		say("a trace and a pair that were searched for lose %.4g", found)
	case bound <= claimed*(1+record.SearchError):
		say("no trace and no pair loses more than %.4g, %.3g %% of it", bound, 100*bound/claimed)
	default:
		say("a trace and a pair were found that lose %.4g, none loses more than %.4g, and between the two nothing is "+
			"known", found, bound)
	}
	if detail != "" {
		say("%s", detail)
	}
	if s.flawed != "" {
		say("%s", s.flawed)
	}
	v.Reason = strings.Join(why, "; ")
}
