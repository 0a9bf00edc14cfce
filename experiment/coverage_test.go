// Which runs a theorem's rate is stated for.

package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// A rate is stated for the runs that the theorem's proof is about, and for no others: not where
// values are of other rounds, noise is added, memory is lost or nodes leave. Loss of messages
// that are sent again is none of these.
func TestRates_AreOfRunsThatTheTheoremCovers(t *testing.T) {
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
					(!math.IsNaN(float64(r.Proved)) || strings.Contains(r.Applies, "without a rate"))
				if applies != (c.why == nil) || missing || !applies && r.Proved == r.Proved {
					t.Errorf("%s: %q, %v", r.Theorem, r.Applies, r.Proved)
				}
			}
		})
	}
}
