// What an observer takes to have entered an update, beside what did.

package evaluation

import (
	"context"
	"fmt"
	"testing"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

// telling is a method whose nodes publish which rounds' values they heard: by position of the
// neighbour 2 + its round, and last 2 + their own, so that 0 is nobody's.
type telling struct{}

func (telling) Update(n *algorithms.Node, t int) error {
	last := len(n.F) - 1
	for k, f := range n.Heard {
		n.F[k] = 1 // what stands for a neighbour that was never heard is zero, and so is its start
		if f[last] != 0 {
			n.F[k] = f[last]
		}
	}
	n.F[last] = float64(2 + t)
	return nil
}

func (telling) Dual(*algorithms.Node, int) {}

// Whoever sees every packet names the inputs of updates as they were, or says that they cannot be told; so does
// whoever misses some.
func TestView_InputsAreThoseThatEntered(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	stale := "rounds={count: 40, missing: last, deadline: %dms, retry: 30ms}"
	for _, c := range []struct {
		sets  []string
		least float64 // the share of updates of which the inputs must be told by whoever sees all
	}{
		{[]string{fmt.Sprintf(stale, 60), "network.loss=0.3"}, 0.3},
		{[]string{fmt.Sprintf(stale, 45), "network.loss=0.5"}, 0.1},
		{[]string{fmt.Sprintf(stale, 100), "network.loss=0.1", "network.duplication=0.3"}, 0.5},
		{[]string{fmt.Sprintf(stale, 40), "network.latency={kind: lognormal, median: 20ms, sigma: 1.6}"}, 0.5},
		{[]string{fmt.Sprintf(stale, 40), "network.latency={kind: exponential, mean: 60ms}", "network.loss=0.2"}, 0.2},
		{[]string{fmt.Sprintf(stale, 25), "network.latency=20ms", "network.loss=0.2"}, 0.2},
		// Nodes that are slow find others rounds ahead.
		{[]string{fmt.Sprintf(stale, 40), "compute={row: 500us, speed-spread: 1.5}", "network.loss=0.2"}, 0.1},
		{[]string{fmt.Sprintf(stale, 30), "compute={row: 200us, speed-spread: 2}",
			"network.latency={kind: exponential, mean: 30ms}"}, 0.1},
		{[]string{"rounds={mode: asynchronous, count: 40, quorum: 0.5, staleness: 4, timeout: 100ms}",
			"network.loss=0.2"}, 0.2},
	} {
		for k := range 6 {
			sets := append([]string{fmt.Sprintf("compute={row: %dus, speed-spread: 0.4}", 1+7*k)}, c.sets...)
			s, err := scenarios.Parse("telling.yaml", []byte(hospitals), sets...)
			if err != nil {
				t.Fatal(err)
			}
			e := experiment.New(s, "")
			entry := *e.Entry
			entry.New = func(any, algorithms.Setting) (algorithms.Method, error) { return telling{}, nil }
			e.Entry = &entry
			r, err := e.Run(context.Background(), 1, experiment.Options{Out: t.TempDir(), Workers: 2})
			if err != nil {
				t.Fatal(sets, err)
			}
			public, err := publicOf(s, 1, 31, 0, 0, s.Algorithm.Params)
			if err != nil {
				t.Fatal(err)
			}
			if public.Timing.Slowest, err = slowest(s, r.Info, public.Graph.Order()); err != nil {
				t.Fatal(err)
			}
			recording, err := readRecording(r)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range []adversary.Vantage{{}, {Miss: 0.05}, {Miss: 0.3}, {Nodes: []int{1}},
				{Links: [][2]int{{1, 2}}}, {From: 9}} {
				told, of := inputsTold(t, adversary.Observe(recording, w, public, nil), recording.Iterates)
				if share := float64(told) / float64(of); i == 0 && !(share >= c.least) {
					t.Errorf("%q: the inputs of only %d of %d updates are told", sets, told, of)
				}
				if t.Failed() {
					t.Fatalf("%q, seen from %v", sets, w)
				}
			}
		}
	}
}

// inputsTold counts the updates whose inputs the view tells, of how many, and fails where it is wrong.
func inputsTold(t *testing.T, v *adversary.View, all []record.Iterate) (told, of int) {
	t.Helper()
	for _, f := range all {
		if f.Round == 0 {
			continue
		}
		of++
		got, err := v.Inputs(int(f.Node), int(f.Round))
		if err != nil {
			continue
		}
		told++
		for k, round := range got {
			want := int(f.Values[k]) - 2
			// The start is zero, as is what stands for a neighbour that was never heard.
			if round != want && !(want == -1 && (round == 0 || round == model.Start)) {
				t.Errorf("node %d, round %d: the value of neighbour %d was of round %d, not %d", f.Node, f.Round, k,
					want, round)
				return told, of
			}
		}
	}
	return told, of
}
