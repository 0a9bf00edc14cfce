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
	"asynchronous, nodes are down or slow": {"rounds.mode=asynchronous", "rounds.timeout=5ms", interruptions,
		"network.latency={kind: exponential, mean: 3ms}", "compute={row: 20us, jitter: 0.9}"},
	"asynchronous, nodes are down, and much comes at once": {"rounds.mode=asynchronous", "rounds.timeout=5ms",
		"rounds.quorum=0.5", interruptions, "network.latency=1ms", "network.topology={kind: complete, nodes: 3}"},
	"the last values, nodes are down or slow": {"rounds.missing=last", "rounds.deadline=6ms", "rounds.retry=3ms",
		interruptions, "network.latency={kind: exponential, mean: 3ms}", "compute={row: 20us, jitter: 0.9}"},
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

// interruptions are faults of every kind that does not take a node's memory or the node itself.
const interruptions = "network.faults=[{at: 8ms, crash: 0, until: 15ms}, " +
	"{at: 1ms, slow: 1, factor: 30, until: 20ms}, " +
	"{crashes: {every: 20ms, for: 4ms}}, {at: 5ms, partition: [[2], [0, 1]], until: 12ms}]"

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
		"nodes that stay": {"rounds.missing=last", "network.latency=1ms", "rounds.deadline=6ms", "rounds.retry=3ms",
			"network.faults=[{at: 1ms, leave: 2}]"},
		"keep their memory": {"rounds.mode=asynchronous", "network.latency=1ms", "rounds.timeout=5ms",
			"network.faults=[{at: 1ms, crash: 2, until: 3ms, memory: lost}]"},
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

// Of a node that was down or slow what entered an update is told by when the node says that it began. One that says
// something else, or takes a stale value for a fresh one, or what was lost for received, is found by computing its
// steps again; where no fault is, the rule decides, whatever the node says.
func TestExplain_WhatEnteredUpdatesOfNodesThatWereDown(t *testing.T) {
	sets := append([]string{"rounds.count=12"}, otherRounds["the last values, nodes are down or slow"]...)
	interrupted := 0
	for seed := range uint64(6) {
		for name, plant := range map[string]func(x *explainer, c *wire){
			"nothing": func(*explainer, *wire) {},
			"updates that began earlier": func(_ *explainer, c *wire) {
				for at, began := range c.began {
					if at[1] > 1 && began > c.began[[2]int{at[0], at[1] - 1}] {
						c.began[at] = began/2 + c.began[[2]int{at[0], at[1] - 1}]/2
					}
				}
			},
			"lost values that are taken for received": func(_ *explainer, c *wire) {
				for i := range c.packets {
					if p := &c.packets[i]; p.received < 0 && p.kind == algorithms.KindValue {
						p.received, p.copies = p.sent+1, 1
					}
				}
			},
			"values that came later than they did": func(_ *explainer, c *wire) {
				for i := range c.packets {
					if p := &c.packets[i]; p.received >= 0 && p.kind == algorithms.KindValue && p.round%3 == 1 {
						p.received += 10_000_000
					}
				}
			},
		} {
			x, w := overheard(t, small(t, auditedDVP, nil, sets...), seed)
			plant(x, w)
			account, err := x.explain(context.Background(), w, run{seed: seed, number: twins})
			if err != nil {
				if name == "nothing" { // else it ends the audit
					t.Errorf("seed %d: %v", seed, err)
				}
				continue
			}
			repeats, inTime := account[record.StepsRepeat], account[record.PacketsInTime]
			found := repeats != nil && repeats.wrong > 0 || inTime != nil && inTime.wrong > 0
			if found != (name != "nothing") {
				t.Errorf("%s, seed %d: found: %v: %+v", name, seed, found, account[record.StepsRepeat])
			}
			if name == "nothing" {
				faults, err := x.interrupted()
				if err != nil {
					t.Fatal(err)
				}
				for node := range 3 {
					for round := 1; round <= 12; round++ {
						from, until := x.first[[2]int{node, round - 1}], x.first[[2]int{node, round}]
						if from != nil && until != nil && faults.In(node, int64(from.sent), int64(until.sent)) {
							interrupted++
						}
					}
				}
			}
		}
	}
	if interrupted < 30 {
		t.Errorf("%d updates fall into faults", interrupted)
	}
}
