// Which runs a theorem's rate is stated for.

package experiment

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/scenarios"
)

// A rate is stated for the runs that the theorem's proof is about, and for no others: not where
// values are of other rounds, noise is added, memory is lost or nodes leave. Loss of messages
// that are sent again is none of these.
func TestRates_AreOfRunsThatTheTheoremCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes long under the race detector, and by one goroutine")
	}
	admm := "algorithm={kind: m-admm, eta: 0.3, theta: 0.3}"
	const latency = "network.latency=10ms"
	noisy := "algorithm={kind: penalty-perturbation, eta: 0.3, theta: 0.3, alpha: 1}"
	for _, c := range []struct {
		name string
		set  []string
		why  []string // why it does not apply; none: it applies
	}{
		{"plain", []string{admm}, nil},
		{"loss", []string{admm, "network.loss=0.2"}, nil},
		{"memory kept", []string{admm, "network.faults=[{crash: 1, at: 50ms, until: 90ms}]"}, nil},
		{"asynchronous", []string{admm, "rounds.mode=asynchronous"}, []string{"lockstep"}},
		{"stale values", []string{admm, "network.loss=0.4", "rounds.retry=60ms", "rounds.deadline=70ms",
			"rounds.missing=last"}, []string{"stood in"}},
		{"none was needed", []string{admm, "rounds.deadline=70s", "rounds.missing=last"}, nil},
		{"memory lost", []string{admm, latency, "network.faults=[{crash: 1, at: 50ms, until: 90ms, memory: lost}]"},
			[]string{"loses them"}},
		{"a crash after the run", []string{admm, "network.faults=[{crash: 1, at: 50ms, until: 90ms, memory: lost}]"},
			nil},
		{"nothing to lose", []string{admm, latency, "network.faults=[{crash: 1, at: 1ms, until: 2ms, memory: lost}]"},
			nil},
		{"memory lost by rate", []string{admm, latency,
			"network.faults=[{crashes: {every: 50ms, for: 5ms, memory: lost}}]"}, []string{"loses them"}},
		{"memory lost asynchronously", []string{admm, latency, "rounds.mode=asynchronous",
			"network.faults=[{crash: 1, at: 50ms, until: 90ms, memory: lost}]"}, []string{"lockstep", "loses them"}},
		{"noise", []string{noisy}, []string{"noise"}},
		{"noise off", []string{noisy, "algorithm.noise=off"}, nil},
		{"noise and no lockstep", []string{noisy, "rounds.mode=asynchronous"}, []string{"noise", "lockstep"}},
		{"kinks", []string{admm, "problem.l1=0.01"}, []string{"differentiable"}},
		{"a set", []string{admm, "problem.set={kind: ball}"}, []string{"differentiable"}},
		{"penalties that rise to a bound", []string{"algorithm={kind: m-admm, eta: {initial: 0.3, ratio: 1.01, max: " +
			"0.9}, theta: 0.3}"}, nil},
		{"leave", []string{admm, "network.faults=[{leave: 1, at: 90ms}]", "rounds.missing=last", "rounds.deadline=1s"},
			[]string{"one leaves"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, out := measure(t, append(c.set, "record.rates=on")...)
			rates := e.rates(out)
			if len(rates) == 0 {
				t.Fatal("no theorem is named")
			}
			for _, r := range rates {
				missing := slices.ContainsFunc(c.why, func(w string) bool { return !strings.Contains(r.Applies, w) })
				applies := strings.HasPrefix(r.Applies, "applies") &&
					math.IsNaN(float64(r.Proved)) == strings.Contains(r.Applies, "without a rate")
				if applies != (c.why == nil) || missing || !applies && r.Proved == r.Proved {
					t.Errorf("%s: %q, %v", r.Theorem, r.Applies, r.Proved)
				}
			}
		})
	}
}

// A factor is of the rounds that are measured beside it: where penalties were other ones before, it is not theirs.
func TestRates_AreOfTheMeasuredRounds(t *testing.T) {
	const head = "algorithm={kind: m-admm, theta: 0.3, eta: {values: [0.3, 0.4, "
	for set, proved := range map[string]bool{head + "0.5]}}": true, head + "0.5, 0.5, 0.5, 0.6]}}": false} {
		e, out := measure(t, set, "record.rates=on", "rounds.count=8")
		r := e.rates(out)[1]
		if r.From != 4 || r.To != 8 || !strings.HasPrefix(r.Applies, "applies") || !(r.Measured < 1) ||
			(r.Proved < 1) != proved {
			t.Errorf("%s: %+v", set, r)
		}
	}
}

// PDML Lemma 5's factor is set beside the measured one where the distance is from the point that the nodes tend to, and
// the measured one is not above it; with flips the distance is from another point, and with Phase 2 nothing is proved.
func TestRates_OfPDMLLemma5(t *testing.T) {
	for _, c := range []struct {
		algorithm        string
		proved, measured bool
	}{
		{"{kind: pdml, eta: 0.3, labels: true, noise: off, bound: 0}", true, true},
		{"{kind: pdml, eta: 0.3, epsilon: 2, noise: off, bound: 0}", true, false},
		{"{kind: pdml, eta: 0.3, epsilon: 2, bound: 0.5, deviation: 0.3}", false, false},
	} {
		s, err := scenarios.Parse("users.yaml", []byte(ofUsers), "algorithm="+c.algorithm)
		if err != nil {
			t.Fatal(err)
		}
		info, _, err := New(s, "").Measure(context.Background(), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(info.Rates) != 1 || info.Rates[0].Theorem != "PDML Lemma 5" {
			t.Fatalf("%s: %+v", c.algorithm, info.Rates)
		}
		r := info.Rates[0]
		if proved := r.Applies == "applies" && r.Proved > 0 && r.Proved < 1; proved != c.proved {
			t.Errorf("%s: proved %v, %s", c.algorithm, r.Proved, r.Applies)
		}
		if measured := r.To > 0 && r.Measured > 0 && r.Measured <= r.Proved; measured != c.measured {
			t.Errorf("%s: measured %v to round %d, proved %v", c.algorithm, r.Measured, r.To, r.Proved)
		}
	}
}
