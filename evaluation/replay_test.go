// Which values are said to have entered an update, held to the update itself.

package evaluation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary"
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

// A node that lost its memory goes on from the round that it had published last, unless it had concluded its last one;
// nodes around a hub keep what they had sent.
func TestRestartsOf(t *testing.T) {
	const text = `name: anew
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: %s, nodes: 5}, latency: 20ms, faults: [%s]}
rounds: %s
algorithm: {kind: %s, eta: 0.05}
`
	const lockstep, early = "{count: 12, retry: 30ms}", "{at: 95ms, crash: 1, until: 150ms, memory: lost}"
	const again = ", {at: 155ms, crash: 1, until: 157ms, memory: lost}"
	for name, c := range map[string]struct {
		graph, method, fault, rounds string
		want                         []adversary.Restart
	}{
		"lost": {"ring", "admm", early, lockstep, []adversary.Restart{{Node: 1, Round: 4, At: 150e6, Resends: true}}},
		"lost twice": {"ring", "admm", early + again, lockstep, []adversary.Restart{
			{Node: 1, Round: 4, At: 150e6, Resends: true}, {Node: 1, Round: 4, At: 157e6, Resends: true}}},
		"lost, asynchronous": {"ring", "admm", early, "{mode: asynchronous, count: 20}",
			[]adversary.Restart{{Node: 1, Round: 13, At: 150e6, Resends: true}}},
		"lost, around a hub": {"star", "dp-admm", early, lockstep, []adversary.Restart{{Node: 1, Round: 2, At: 150e6}}},
		"kept":               {"ring", "admm", "{at: 95ms, crash: 1, until: 150ms}", lockstep, nil},
		"lost at its start": {"ring", "admm", "{at: 5ms, crash: 1, until: 10ms, memory: lost}", lockstep,
			[]adversary.Restart{{Node: 1, Round: 0, At: 10e6, Resends: true}}},
		"lost as it had concluded, and asked for": {"ring", "admm",
			"{at: 300ms, crash: 1, until: 310ms, memory: lost}, {at: 250ms, crash: 2, until: 400ms}", lockstep, nil},
		"lost in its last round": {"ring", "admm", "{at: 245ms, crash: 1, until: 250ms, memory: lost}", lockstep,
			[]adversary.Restart{{Node: 1, Round: 12, At: 250e6, Resends: true}}},
		"lost after the end": {"ring", "admm", "{at: 100s, crash: 1, until: 110s, memory: lost}", lockstep, nil},
		"of none":            {"ring", "admm", "", lockstep, nil},
	} {
		got, err := RestartsOf(recorded(t, fmt.Sprintf(text, c.graph, c.fault, c.rounds, c.method)))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// What attacks take for known of a run in which nodes lost their memory is so, from where they went on, too; and they
// take for known what they can follow.
func TestAttack_FollowsNodesThatBeganAnew(t *testing.T) {
	const text = `name: anew
problem: {data: wdbc, train: 0.8, rho: 0.22}
compute: {row: 80us}
network: {topology: {kind: %s}, latency: 20ms, loss: 0.2, faults: [%s]}
rounds: %s
algorithm: {%s}
adversary: {%sknows: {victim: %d, all-but: 3, data: [3]}}
`
	const (
		lost = "{at: 125ms, crash: 1, until: 170ms, memory: lost}, " +
			"{at: 300ms, crash: 2, until: 330ms, memory: lost}"
		lockstep, asynchronous = "{count: 14, retry: 30ms}", "{mode: asynchronous, count: 20}"
		ring, admm             = "ring, nodes: 5", "kind: admm, eta: 0.05"
	)
	for _, c := range []struct {
		name, graph, rounds, method, view string
		victim                            int
		differences, others               int // how many are known
	}{
		{"one that lost its memory", ring, lockstep, admm, "", 1, 13, 0},
		{"its neighbour", ring, lockstep, admm, "", 0, 13, 0},
		{"one by random starts", ring, lockstep, admm + ", init: {normal: 1}", "", 1, 13, 0},
		{"heard by a neighbour", ring, lockstep, admm, "view: {nodes: [0, 2]}, ", 1, 13, 0},
		{"heard late", ring, lockstep, admm, "view: {from-round: 6}, ", 2, 7, 0},
		{"with an anchor", ring, lockstep, "kind: proximal-admm, eta: 0.05, noise: off", "", 1, 13, 0},
		{"by gradients", ring, lockstep, "kind: dgd", "", 1, 13, 1},
		{"recycling", ring, lockstep, "kind: r-admm, eta: 0.05", "", 1, 6, 0},
		{"recycling with own penalties", ring, lockstep, "kind: mr-admm, eta: 0.05, gamma: 0.1", "", 1, 0, 33},
		{"asynchronous", ring, asynchronous, admm, "", 1, 1, 0},
		{"asynchronous, its neighbour", ring, asynchronous, admm, "", 0, 19, 0},
		{"around a hub", "star, nodes: 5", lockstep, "kind: dp-admm, eta: 0.05, noise: off", "", 1, 11, 0},
		{"by colluders", ring, lockstep, "kind: dgd", "view: {nodes: [3, 4]}, ", 1, 0, 0},
		{"one hop further", ring, lockstep, admm, "view: {links: [[3, 4]]}, ", 2, 0, 0},
		{"states of links", ring, lockstep, "kind: edge-admm, eta: 0.05", "", 1, 0, 0},
	} {
		r := recorded(t, fmt.Sprintf(text, c.graph, lost, c.rounds, c.method, c.view, c.victim))
		a, err := Attack(context.Background(), r, AttackOptions{})
		if err != nil {
			t.Fatal(c.name, err)
		}
		differences, others := 0, 0
		for _, f := range a.Findings {
			for _, x := range f.Facts {
				switch x.Kind {
				case record.GradientDifference:
					differences++
				case record.DataRank, record.RowCount:
					t.Errorf("%s: %s: %s", c.name, f.Attack, f.Conclusion)
				case record.PositiveShare:
					continue // an estimate
				default:
					others++
				}
				if !(x.Relative < 1e-5) {
					t.Errorf("%s: %s, %s of round %d is off by %v", c.name, f.Attack, x.Kind, x.Round, x.Relative)
				}
			}
			for _, x := range f.Checks {
				if x.Kind == record.EvenRoundsFollow && !x.Holds {
					t.Errorf("%s: %s", c.name, f.Conclusion)
				}
			}
			if strings.HasPrefix(f.Attack, "kkt-") && f.Succeeded != record.Exact && f.Succeeded != record.Blocked ||
				strings.Contains(f.Conclusion, "depend on") {
				t.Errorf("%s: %s %s: %s", c.name, f.Attack, f.Succeeded, f.Conclusion)
			}
		}
		lines, err := advanceOf(t, r, AdvanceOptions{})
		if err != nil {
			t.Fatal(c.name, err)
		}
		for k, l := range lines.Lines {
			if f := a.Findings[k]; l.Attack != f.Attack || l.Steps[len(l.Steps)-1].Conclusion != f.Conclusion {
				t.Errorf("%s: %s, %q; by packets %s, %q", c.name, f.Attack, f.Conclusion, l.Attack,
					l.Steps[len(l.Steps)-1].Conclusion)
			}
		}
		if differences != c.differences || others != c.others {
			t.Errorf("%s: %d differences and %d other facts", c.name, differences, others)
		}
	}
}
