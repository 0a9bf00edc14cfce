// Faults that are said to keep a run from the optimum do: runs with every set of them are the judge.

package evaluation

import (
	"context"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

func astray(t *testing.T, r *record.Run) *record.Astray {
	t.Helper()
	a, err := WhyAstray(context.Background(), r, AstrayOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ADMM whose nodes go on with old values while the network is parted no longer has duals that sum to zero, and so
// agrees on a wrong point; a slow node and duplicates only cost time. So two partitions are guilty, or a partition and
// one who lies until the end.
const parted = `name: parted
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 6}
  latency: 20ms
  duplication: 0.1
  links: [{between: [0, 1], latency: 30ms}]
  faults:
    - {slow: 5, factor: 3}
    - {at: 300ms, partition: [[0, 1, 2], [3, 4, 5]], until: 700ms}
    - {link: [2, 3], factor: 2}
    - {at: 200ms, partition: [[0, 1], [2, 3, 4, 5]], until: 800ms}
rounds: {count: 150, deadline: 150ms, missing: last, retry: 50ms}
algorithm: {kind: admm, eta: 0.02}
`

// A run that goes astray for faults which are changes, as those of a fork are, is not one without faults.
func TestWhyAstray_OfFaultsThatAreChanges(t *testing.T) {
	r := recorded(t, `name: forked
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 6}, latency: 20ms}
rounds: {count: 60, deadline: 150ms, missing: last, retry: 50ms}
algorithm: {kind: admm, eta: 0.02}
changes:
  - at: 200ms
    set: {network.faults: [{at: 200ms, partition: [[0, 1], [2, 3, 4, 5]], until: 800ms}]}
`)
	a, err := WhyAstray(context.Background(), r, AstrayOptions{Workers: 2})
	if err == nil || !strings.Contains(err.Error(), "nothing changes") {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestWhyAstray_IsMinimalAmongAllSets(t *testing.T) {
	for _, c := range []struct {
		text   string
		guilty []string
	}{
		{parted, []string{"network.faults[1]", "network.faults[3]"}},
		{strings.Replace(parted, "at: 200ms, partition: [[0, 1], [2, 3, 4, 5]], until: 800ms", "slow: 1, factor: 2",
			1) + "adversary: {acts: [{kind: mirror, nodes: [1]}]}\n",
			[]string{"adversary.acts[0]", "network.faults[1]"}},
	} {
		r := recorded(t, c.text)
		a := astray(t, r)
		var keys []string
		for _, g := range a.Guilty {
			keys = append(keys, g.Key)
			if g.Text == "" || g.Back.Reached() {
				t.Errorf("%+v", g)
			}
		}
		slices.Sort(keys)
		if !slices.Equal(keys, c.guilty) || !a.Calm.Reached() || !a.Without.Reached() || a.End.Reached() {
			t.Fatalf("%q: %+v", keys, a)
		}
		s, err := scenarioOf(r)
		if err != nil {
			t.Fatal(err)
		}
		all := mishaps(s)
		if a.Faults != len(all) || len(all) != 6+len(s.Acts()) {
			t.Errorf("%d faults of %+v", a.Faults, all)
		}
		for set := range 1 << len(a.Guilty) {
			var gone []mishap
			for k, g := range a.Guilty {
				if set>>k&1 == 1 {
					gone = append(gone, mishap{key: g.Key})
				}
			}
			calm, err := scenarioOf(r, without(s, gone)...)
			if err != nil || len(mishaps(calm)) != len(all)-len(gone) {
				t.Fatalf("without %+v: %v, %+v", gone, err, calm)
			}
			info, _, err := experiment.New(calm, "").Measure(context.Background(), 1, 2)
			if err != nil {
				t.Fatal(err)
			}
			whole := bits.OnesCount(uint(set)) == len(a.Guilty)
			if end := record.EndingOf(info); end.Reached() != whole {
				t.Errorf("without %+v: %+v", gone, end)
			}
		}
	}
}

// Whatever is left out of a scenario is out of it, and all else is as it was.
func TestWithout_LeavesOutWhatItIsToldTo(t *testing.T) {
	r := recorded(t, `name: all
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 6}
  latency: 20ms
  loss: 0.05
  duplication: 0.1
  links: [{between: [0, 1], latency: 30ms}, {between: [2, 3], latency: 10ms}]
  faults: [{slow: 5, factor: 3}, {link: [2, 3], factor: 2}]
rounds: {count: 3, retry: 50ms}
algorithm: {kind: admm, eta: 0.02}
adversary: {acts: [{kind: mirror, nodes: [1]}, {kind: mirror, nodes: [2]}]}
`)
	s, err := scenarioOf(r)
	if err != nil {
		t.Fatal(err)
	}
	all := mishaps(s)
	if len(all) != 8 {
		t.Fatalf("%+v", all)
	}
	texts := func(some []mishap) (texts []string) {
		for _, m := range some {
			texts = append(texts, m.text) // keys of a list's later entries are others
		}
		return texts
	}
	for set := range 1 << len(all) {
		var gone, kept []mishap
		for k, m := range all {
			if set>>k&1 == 1 {
				gone = append(gone, m)
			} else {
				kept = append(kept, m)
			}
		}
		calm, err := scenarioOf(r, without(s, gone)...)
		if err != nil {
			t.Fatal(err)
		}
		if is := texts(mishaps(calm)); !slices.Equal(is, texts(kept)) {
			t.Errorf("without %q there are %q", texts(gone), is)
		}
	}
}

func TestWhyAstray_SaysWhereThereIsNothingToExplain(t *testing.T) {
	const calm = `name: calm
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 6}, latency: 20ms, loss: 0.1}
rounds: {count: 150}
algorithm: {kind: admm, eta: 0.02}
`
	if a := astray(t, recorded(t, calm)); !a.End.Reached() || a.Guilty != nil || a.Runs != 0 || a.Faults != 1 {
		t.Errorf("of a run that is there: %+v", a)
	}
	few := recorded(t, calm, "rounds.count=20")
	if a := astray(t, few); a.End.Reached() || a.Without.Reached() || a.Without.State == "" || a.Guilty != nil ||
		a.Runs != 1 {
		t.Errorf("of one that is too short: %+v", a)
	}
	if a := astray(t, recorded(t, calm, "rounds.count=20", "network.loss=0")); a.Faults != 0 || a.Runs != 0 {
		t.Errorf("of one without faults: %+v", a)
	}
}

// A run that ends before its last round, as a node is down for good, has not reached the optimum either.
func TestWhyAstray_OfARunThatEndsEarly(t *testing.T) {
	s, err := scenarios.Parse("early.yaml", []byte(`name: early
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 6}
  latency: 20ms
  faults: [{slow: 2, factor: 2}, {at: 1s, crash: 4}]
rounds: {count: 150, deadline: 5s}
algorithm: {kind: admm, eta: 0.02}
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment.New(s, "").Run(context.Background(), 1, experiment.Options{Out: t.TempDir(), Workers: 2})
	if r == nil || err == nil {
		t.Fatal(r, err)
	}
	a := astray(t, r)
	if a.End.Ended == "" || len(a.Guilty) != 1 || a.Guilty[0].Key != "network.faults[1]" ||
		a.Guilty[0].Back.Ended == "" || !a.Calm.Reached() {
		t.Errorf("%+v", a)
	}
}

// Two partitions are enough, and neither can stay; but without the slow node they would find the run at the optimum.
func TestWhyAstray_FindsTheSmallestSet(t *testing.T) {
	a := astray(t, recorded(t, `name: smallest
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 0.8, rho: 0.1}
network:
  topology: {kind: ring, nodes: 4}
  latency: 5ms
  faults:
    - {at: 345ms, partition: [[0, 1], [2, 3]], until: 100s}
    - {at: 345ms, partition: [[0, 3], [1, 2]], until: 100s}
    - {slow: 0, factor: 20}
    - {slow: 1, factor: 1.5}
compute: {row: 40us}
rounds: {count: 60, missing: last, deadline: 100ms}
algorithm: {kind: admm, eta: 0.1}
`))
	if len(a.Guilty) != 1 || a.Guilty[0].Key != "network.faults[2]" || !a.Smallest || !a.Calm.Reached() ||
		a.Guilty[0].Back.Reached() {
		t.Errorf("%+v", a)
	}
}
