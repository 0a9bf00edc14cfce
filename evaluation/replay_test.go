// Which values are said to have entered an update, held to the update itself.

package evaluation

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/record"
)

// Gradient descent whose step is next to nothing publishes the mean of its own value and its neighbours', a third each
// on a ring, so that what entered follows from what was published. Nodes lose their memory on the way.
func TestInputsOf_AreWhatTheUpdateIsTheMeanOf(t *testing.T) {
	const text = `name: mixing
problem: {data: {set: twonorm, rows: 100, dimension: 4}, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 5}
  latency: {kind: lognormal, median: 20ms, sigma: 1}
  loss: 0.1
  duplication: 0.1
  faults: [%s]
compute: {row: 100us, speed-spread: 0.5}
rounds: %s
algorithm: {kind: dgd, step: 1e-13, init: {normal: 1}}
`
	const (
		kept   = "{at: 150ms, crash: 2, until: 500ms}"
		early  = "{at: 5ms, crash: 2, until: 10ms, memory: lost}"
		once   = "{at: 150ms, crash: 2, until: 500ms, memory: lost}"
		often  = "{crashes: {every: 400ms, for: 100ms, memory: lost}, until: 1s}"
		waits  = "{count: 12, deadline: 90ms, missing: last, retry: 50ms}"
		quorum = "{mode: asynchronous, count: 12, quorum: 0.5}"
	)
	for _, c := range []struct {
		name, faults, rounds string
		known                int // updates of which it must be said, at least
		sets                 []string
	}{
		{"kept", kept, waits, 60, nil},
		{"lost once", once, waits, 48, nil}, // of four nodes in all rounds
		{"lost often", often, waits, 10, nil},
		{"in lockstep", once, "{count: 12, retry: 60ms}", 60, nil},
		{"asynchronous, kept", kept, quorum, 60, nil},
		{"asynchronous, lost once", once, quorum, 60, nil},
		{"asynchronous, lost often", often, quorum, 60, nil},
		// Both neighbours' values come at one instant: the first begins the step, without the other.
		{"asynchronous, at once", early, quorum, 0, []string{"network.latency=20ms", "network.loss=0",
			"network.duplication=0", "compute={}"}},
	} {
		r := recorded(t, fmt.Sprintf(text, c.faults, c.rounds), c.sets...)
		published := map[[2]int][]float64{}
		err := r.Iterates(func(i record.Iterate) error {
			published[[2]int{int(i.Node), int(i.Round)}] = i.Values
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		inputs, err := InputsOf(r)
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		for at, f := range published {
			node, round := at[0], at[1]
			if round == 0 {
				continue
			}
			used, err := inputs(node, round)
			if err != nil {
				continue
			}
			known++
			// Its own value is its start if it has just lost its memory, and so is what stands for a neighbour.
			fits := false
			for _, own := range [][]float64{published[[2]int{node, round - 1}], published[[2]int{node, 0}]} {
				sum := append([]float64(nil), own...)
				nothing := 0.0
				for k, j := range []int{min((node+4)%5, (node+1)%5), max((node+4)%5, (node+1)%5)} {
					if used[k] == model.Start {
						nothing++
						continue
					}
					for d, v := range published[[2]int{j, used[k]}] {
						sum[d] += v
					}
				}
				away, zero := 0.0, 0.0
				for d, v := range f {
					away = math.Max(away, math.Abs((sum[d]+nothing*own[d])/3-v))
					zero = math.Max(zero, math.Abs(sum[d]/3-v))
				}
				fits = fits || away < 1e-9 || zero < 1e-9
			}
			if !fits {
				t.Errorf("%s: the update of node %d, round %d is not the mean of its own and rounds %v", c.name, node,
					round, used)
			}
		}
		if known < c.known {
			t.Errorf("%s: of %d updates it is known what entered", c.name, known)
		}
	}
}

// Attacks on a run in which a node went on from its start in place of what it had published last say so, and those on
// no other: what it had published was only its start, or it had concluded its last round.
func TestAttack_TellsOfNodesThatBeganAnew(t *testing.T) {
	const text = `name: anew
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 5}, latency: 20ms, faults: [%s]}
rounds: %s
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: 2, all-but: 3}, attacks: [kkt-inversion]}
`
	const early = "{at: 95ms, crash: 1, until: 150ms, memory: lost}"
	for name, c := range map[string]struct {
		fault, rounds string
		told          bool
	}{
		"lost":                {early, "{count: 12, retry: 30ms}", true},
		"lost, asynchronous":  {early, "{mode: asynchronous, count: 20}", true},
		"kept":                {"{at: 95ms, crash: 1, until: 150ms}", "{count: 12, retry: 30ms}", false},
		"lost before a start": {"{at: 5ms, crash: 1, until: 10ms, memory: lost}", "{count: 12, retry: 30ms}", false},
		"lost as it had concluded, and asked for": {"{at: 300ms, crash: 1, until: 310ms, memory: lost}, " +
			"{at: 250ms, crash: 2, until: 400ms}", "{count: 12, retry: 30ms}", false},
		"lost after the end": {"{at: 100s, crash: 1, until: 110s, memory: lost}", "{count: 12, retry: 30ms}", false},
		"of none":            {"", "{count: 12, retry: 30ms}", false},
	} {
		a, err := Attack(context.Background(), recorded(t, fmt.Sprintf(text, c.fault, c.rounds)), AttackOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		said := strings.Join(a.Sight.Unseen, "\n")
		if told := strings.Contains(said, "that nodes [1], which had lost their memory, went on from"); told != c.told {
			t.Errorf("%s: %q", name, said)
		}
	}
}
