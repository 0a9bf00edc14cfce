// Audits of rounds in which nodes do not wait for everybody: asynchronous ones, and those where the last value that
// came stands in for one that is late.

package evaluation

import (
	"context"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/record"
)

// otherRounds change the small experiment.
var otherRounds = map[string][]string{
	"asynchronous": {"rounds.mode=asynchronous", "network.latency={kind: exponential, mean: 3ms}",
		"compute={speed-spread: 0.7, jitter: 0.9}"},
	"asynchronous at random starts": {"rounds.mode=asynchronous", "network.latency={kind: exponential, mean: 3ms}",
		"algorithm.init={normal: 2}"},
	"asynchronous, many at once": {"rounds.mode=asynchronous", "network.latency={kind: constant, value: 1us}",
		"network.topology={kind: complete, nodes: 3}"},
	"asynchronous, bounded staleness": {"rounds.mode=asynchronous", "rounds.staleness=1", "rounds.quorum=0",
		"rounds.timeout=1ms", "network.latency={kind: exponential, mean: 3ms}"},
	"asynchronous, packets are lost": {"rounds.mode=asynchronous", "rounds.timeout=5ms", "network.loss=0.2",
		"network.latency={kind: exponential, mean: 3ms}", "network.duplication=0.2"},
	"asynchronous, nodes crash": {"rounds.mode=asynchronous", "rounds.timeout=5ms", "rounds.quorum=0.9",
		"network.latency={kind: exponential, mean: 3ms}", "compute={row: 100us, jitter: 0.9}",
		"network.faults=[{at: 7ms, crash: 1, until: 30ms}, {crashes: {every: 9ms, for: 4ms}}]"},
	"asynchronous, nodes are slow, late and cut off": {"rounds.mode=asynchronous", "rounds.timeout=5ms",
		"rounds.staleness=4", "network.latency={kind: constant, value: 2ms}", "compute={row: 200us}",
		"network.faults=[{at: 8ms, slow: 1, factor: 5, until: 20ms}, {at: 11ms, join: 2}, " +
			"{at: 30ms, partition: [[0], [1, 2]], until: 44ms}, {at: 4ms, crash: 0, until: 8ms}]"},
	"the last values, links are cut": {"rounds.missing=last", "rounds.deadline=6ms", "rounds.retry=3ms",
		"network.latency={kind: exponential, mean: 3ms}", "compute={speed-spread: 0.7, jitter: 0.9}",
		"network.faults=[{at: 10ms, partition: [[0], [1, 2]], until: 40ms}]"},
	"the last values": {"rounds.missing=last", "rounds.deadline=6ms", "network.loss=0.2", "rounds.retry=3ms",
		"network.latency={kind: exponential, mean: 3ms}", "compute={speed-spread: 0.7, jitter: 0.9}"},
}

// A right method holds in each of them, and every packet is explained.
func TestAudit_OtherRounds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute under the race detector")
	}
	for name, sets := range otherRounds {
		for _, algorithm := range []string{auditedPVP, auditedDVP, plantedRADMM, plantedPDML,
			"{kind: private-dgd, step: 0.5, alpha: 1}",
			"{kind: private-mr-admm, eta: {initial: 0.5, ratio: 1.1}, gamma: 0.3, alpha: 1}"} {
			if algorithm == plantedPDML && strings.HasPrefix(name, "the last values") {
				continue // its users' reports have the deadline, too
			}
			a := plantedAudit(t, &planted{name: name, algorithm: algorithm}, append(sets, "rounds.count=12")...)
			if !a.Stands() {
				t.Errorf("%s, %s: %s", name, algorithm, failures(a))
			}
			explained := slices.ContainsFunc(a.Checks, func(c record.Check) bool {
				return c.Kind == record.NoiseFromStream && (strings.HasPrefix(c.Detail, "4320 ") ||
					strings.HasPrefix(c.Detail, "2160 ")) // of odd rounds only
			})
			if !explained {
				t.Errorf("%s, %s: not all rounds are explained: %+v", name, algorithm, a.Checks)
			}
		}
	}
}

// What is wrong is found there, too.
func TestAudit_FlawsOfOtherRounds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	for name, sets := range otherRounds {
		for _, f := range []planted{
			{"place", "a neighbour's value counts twice in one round", auditedPVP, record.NoiseFromStream, inRows(
				func(m privateRow, _ algorithms.Setting) algorithms.Method {
					return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
						k int) error {
						if k == 5 && n.ID == 2 {
							num.Axpy(1, n.Heard[0], n.Sum)
						}
						return inner.Update(n, k)
					}}
				})},
			{"noise", "none in one round of another node", auditedPVP, record.NoiseFromStream,
				inRows(noisy(func(_ algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
					if n.ID == 2 && t == 4 {
						clear(noise)
					}
				}))},
			{"timing", "a round takes no time if a number of a row is positive", auditedPVP, record.PacketsInTime,
				inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
					return &hasty{flawed{privateRow: m}, s}
				})},
			{"wire", "the clean iterate is sent and the noisy one recorded", auditedPVP, record.RecordAsSent, inRows(
				func(m privateRow, s algorithms.Setting) algorithms.Method {
					return newSending(m, func(n *algorithms.Node, t, _ int, v []float64) {
						if t > 0 {
							num.Axpy(-1, outputNoise(s, n, t, t), v)
						}
					})
				})},
		} {
			own := append([]string{"adversary.audit.runs=60", "adversary.audit.pair={a: [1, 0, 0], b: [-1, 0, 0]}"},
				sets...)
			a, err := Audit(context.Background(), small(t, f.algorithm, f.make, own...), AuditOptions{Workers: 2})
			if err != nil {
				t.Errorf("%s, %s: %v", name, f.name, err)
				continue
			}
			found := slices.ContainsFunc(a.Checks, func(c record.Check) bool { return !c.Holds && c.Kind == f.check })
			if !found || a.Stands() {
				t.Errorf("%s, %s: not found: %s", name, f.name, failures(a))
			}
		}
	}
}

// What cannot be told is refused, in words that say what would be right.
func TestAudit_OtherRoundsThatAreRefused(t *testing.T) {
	for want, sets := range map[string][]string{
		"network.latency above 0": {"rounds.mode=asynchronous"},
		"ties: ordered":           {"rounds.mode=asynchronous", "ties=shuffled"},
		"asynchronous rounds may have all of it": {"rounds.missing=last",
			"network.faults=[{at: 1us, slow: 1, factor: 5, until: 3us}]"},
		"around a hub": {"rounds.mode=asynchronous", "algorithm=" + auditedHub,
			"network.topology={kind: star, nodes: 4}"},
	} {
		_, err := Audit(context.Background(), small(t, auditedPVP, nil, append(fewRuns[:2:2], sets...)...),
			AuditOptions{Workers: 2})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", sets, err)
		}
	}
}
