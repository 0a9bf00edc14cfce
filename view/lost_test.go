// A packet is said to be lost by what can have lost it, and by nothing else.

package view

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// reasonsOf are why packets of a run were lost, by row of messages.parquet.
func reasonsOf(t *testing.T, r *record.Run) (messages []record.Message, why map[int]string) {
	t.Helper()
	if err := r.Messages(func(m record.Message) error { messages = append(messages, m); return nil }); err != nil {
		t.Fatal(err)
	}
	p := built(t, r).Runs[0].Packets
	why = map[int]string{}
	for row := range messages {
		if messages[row].ReceivedNS < 0 {
			why[row] = p.Reasons[p.Lost[len(why)]]
		}
	}
	if len(why) != len(p.Lost) {
		t.Fatalf("%d packets were lost, of %d it is told why", len(why), len(p.Lost))
	}
	return messages, why
}

func TestLost_IsByWhatCanHaveLostIt(t *testing.T) {
	const text = `name: lost
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 20, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}, latency: 20ms}
rounds: {count: 12, retry: 50ms}
algorithm: {kind: admm, eta: 0.3}
`
	const link, down = "by its link, which loses 20 % of packets", "because the receiver was down from 100ms to 300ms"
	const crash, which = "{at: 100ms, crash: 2, until: 300ms, memory: kept}", "; the record does not say which"
	const goOn = "rounds={count: 12, deadline: 90ms, missing: last}"
	const bad = "by its link, which loses 50 % of packets"
	for name, c := range map[string]struct {
		sets []string
		want []string
	}{
		"loss":    {[]string{"network.loss=0.2"}, []string{link}},
		"a link":  {[]string{"network.links=[{between: [0, 1], loss: 0.2}]"}, []string{link}},
		"a fault": {[]string{"network.faults=[{at: 40ms, link: [0, 1], loss: 0.5, until: 1s}]"}, []string{bad}},
		"a fault on a bad link": {[]string{"network.links=[{between: [0, 1], loss: 0.2}]",
			"network.faults=[{at: 0s, link: [0, 1], loss: 0.5, until: 1h}]"}, []string{bad}},
		"a crash": {[]string{"network.faults=[" + crash + "]"}, []string{down}},
		"loss and crash": {[]string{"network.loss=0.2", "network.faults=[" + crash + "]"},
			[]string{link, link + ", or " + down + which}},
		"a partition": {[]string{"network.faults=[{at: 100ms, partition: [[0, 1], [2, 3]], until: 300ms}]"},
			[]string{"a partition cuts the two off from each other"}},
		"loss and partition": {[]string{"network.loss=0.2",
			"network.faults=[{at: 100ms, partition: [[0, 1], [2, 3]], until: 300ms}]"},
			[]string{"a partition cuts the two off from each other", link}},
		"a crash that is taken back": {[]string{"network.faults=[{at: 95ms, crash: 2, until: 300ms}]",
			"changes=[{at: 90ms, set: {network.faults: [{at: 305ms, crash: 2, until: 335ms}]}}]"},
			[]string{"as the receiver was to be away from 95ms to 300ms, which another plan took back while the " +
				"packet was under way", "because the receiver was down from 305ms to 335ms"}},
		"a slow link and a crash": {[]string{"network.links=[{between: [1, 2], loss: 0.2}]", goOn,
			"network.faults=[{at: 0s, link: [1, 2], factor: 20, until: 150ms}, {at: 200ms, crash: 2, until: 300ms}]"},
			[]string{"because the receiver was down from 200ms to 300ms", link,
				link + ", or because the receiver was down from 200ms to 300ms" + which}},
		"leaving": {[]string{"network.faults=[{at: 100ms, leave: 2}]", goOn},
			[]string{"because the receiver left at 100ms"}},
		"joining": {[]string{"network.faults=[{at: 100ms, join: 2}]", goOn},
			[]string{"because the receiver had not joined before 100ms"}},
	} {
		messages, why := reasonsOf(t, recorded(t, text, 1, c.sets...))
		got := slices.Sorted(maps.Values(why))
		if got = slices.Compact(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for row, is := range why {
			m := &messages[row]
			if strings.Contains(is, "the receiver") && m.Dst != 2 ||
				m.SentNS >= 335e6 && strings.Contains(is, "down from") {
				t.Errorf("%s: a packet to node %d, sent at %d: %s", name, m.Dst, m.SentNS, is)
			}
			if at := m.SentNS; strings.Contains(is, "partition") != (strings.Contains(name, "partition") &&
				m.Src/2 != m.Dst/2 && 100e6 <= at && at < 300e6) {
				t.Errorf("%s: a packet of %d to %d, sent at %d: %s", name, m.Src, m.Dst, at, is)
			}
			if at := m.SentNS; name == "loss and crash" && strings.Contains(is, "down from") !=
				(m.Dst == 2 && at >= 80e6 && at < 300e6) { // 20 ms, which packets take, before it went down
				t.Errorf("%s: a packet to node %d, sent at %d: %s", name, m.Dst, at, is)
			}
			if of := min(m.Src, m.Dst) != 0 || max(m.Src, m.Dst) != 1; of && (name == "a link" || name == "a fault") {
				t.Errorf("%s: a packet of %d to %d: %s", name, m.Src, m.Dst, is)
			}
		}
	}
}

// Of an outage that was not over when the run was, the end is not told as one.
func TestLost_OutagesThatOutlastTheRun(t *testing.T) {
	_, why := reasonsOf(t, recorded(t, `name: lost
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 5}
  latency: {kind: exponential, mean: 20ms}
  faults: [{at: 100ms, crash: 1, until: 260ms, memory: lost}]
rounds: {mode: asynchronous, count: 20, quorum: 0.5, timeout: 50ms, retry: 40ms}
algorithm: {kind: admm, eta: 0.05, init: {normal: 0.1}}
`, 1))
	for _, is := range why {
		if is != "because the receiver was down from 100ms until the run was over" {
			t.Error(is)
		}
	}
	if len(why) == 0 {
		t.Error("nothing was lost")
	}
}

// A partition and what ails a link hold from their first instant on and no longer at their last, and a slow link keeps
// a packet under way longer than any on record, so that an outage that came later can have lost it.
func TestLost_ToTheNanosecond(t *testing.T) {
	s, err := scenarios.Parse("viewed.yaml", []byte(`name: lost
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 20, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 2}
algorithm: {kind: admm, eta: 0.3}
`))
	if err != nil {
		t.Fatal(err)
	}
	const cut, link = "a partition cuts the two off from each other", "by its link, which loses 50 % of packets"
	const down, which = "because the receiver was down from 260ns to 300ns", "; the record does not say which"
	factor := 3.0
	b := &builder{scenario: s, graph: new(sim.Graph), last: 1000, Run: &Run{
		Cuts:    []Cut{{From: 100, To: 200, Groups: [][]int{{0}, {1, 2}}}},
		Outages: []Outage{{Node: 3, From: 260, To: 300, Why: "down, memory kept"}},
		Faults: []Fault{{From: 190, To: 230, of: sim.Fault{Kind: sim.BadLink{Link: [2]int{2, 3}, Factor: &factor,
			Loss: 0.5}}}},
	}}
	for _, c := range []struct {
		src, dst    int
		at, longest int64
		want        string
	}{
		{0, 1, 99, 5, "not known: neither its link loses packets, nor was the receiver down"},
		{0, 1, 100, 5, cut}, {1, 0, 100, 5, cut}, {0, 1, 199, 5, cut},
		{0, 1, 200, 5, "not known: neither its link loses packets, nor was the receiver down"},
		{1, 2, 150, 5, "not known: neither its link loses packets, nor was the receiver down"},
		{2, 3, 189, 5, down}, {2, 3, 190, 5, link}, {2, 3, 229, 5, link}, {2, 3, 230, 5, down},
		{2, 3, 200, 19, link}, {2, 3, 200, 20, link + ", or " + down + which}, // 3 times 20 ns
		{3, 2, 200, 20, link},
	} {
		if got := b.whyLost(c.src, c.dst, c.at, c.longest); got != c.want {
			t.Errorf("%d to %d at %d ns: %q, want %q", c.src, c.dst, c.at, got, c.want)
		}
	}
}
