// What an observer takes to have entered an update, beside what did.

package evaluation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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

// tellingHub is telling around a hub.
type tellingHub struct{ telling }

func (m tellingHub) Merge(n *algorithms.Node, t int) { _ = m.Update(n, t) } // which has no error

// tellingRun is a run of telling nodes, what is public of it, and what may be overheard.
func tellingRun(t *testing.T, seed uint64, sets ...string) (*record.Run, *model.Public, *adversary.Recording) {
	t.Helper()
	s, err := scenarios.Parse("telling.yaml", []byte(hospitals), sets...)
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	entry := *e.Entry
	entry.New = func(any, algorithms.Setting) (algorithms.Method, error) {
		if entry.Star {
			return tellingHub{}, nil
		}
		return telling{}, nil
	}
	e.Entry = &entry
	r, err := e.Run(context.Background(), seed, experiment.Options{Out: t.TempDir(), Workers: 2})
	if r == nil {
		t.Fatal(sets, err)
	}
	public, err := publicOf(s, seed, 31, 0, 0, s.Algorithm.Params)
	if err != nil {
		t.Fatal(err)
	}
	if err := clocked(s, r.Info, public); err != nil {
		t.Fatal(err)
	}
	recording, err := readRecording(r)
	if err == nil {
		recording.Restarts, err = restartsOf(s, seed, recording.Messages)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, public, recording
}

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
			_, public, recording := tellingRun(t, 1, sets...)
			for i, w := range []adversary.Vantage{{}, {Miss: 0.05}, {Miss: 0.3}, {Nodes: []int{1}},
				{Links: [][2]int{{1, 2}}}, {From: 9}} {
				told, of := inputsTold(t, adversary.Observe(recording, w, public, nil).Inputs, recording.Iterates)
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

// Whoever has some of the packets, and knows that others may have escaped, names no other inputs of updates than there
// were, whatever the network and its faults did, and of many none but starts where all of them start at zero.
func TestView_InputsToldBySomePackets(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	told, faulty := 0, 0
	for seed := range uint64(90) {
		draw := rand.New(rand.NewPCG(seed, 11))
		pick := func(all ...string) string { return all[draw.IntN(len(all))] }
		faults := pick("", "", "{at: 30ms, crash: 1, until: 70ms}", "{at: 25ms, crash: 0, until: 60ms, memory: lost}",
			"{slow: 0, factor: 0.02}", "{slow: 1, factor: 9}", "{link: [0, 1], factor: 0.05}", "{at: 35ms, join: 0}",
			"{link: [1, 2], factor: 8}", "{at: 3ms, crash: 1, until: 4ms, memory: lost}")
		sets := []string{"network.topology={kind: " + pick("ring", "complete", "path") + ", nodes: 3}",
			"network.loss=" + pick("0", "0", "0.2"), "network.duplication=" + pick("0", "0.3"),
			"network.latency=" + pick("20ms", "1ms", "{kind: uniform, low: 5ms, high: 60ms}",
				"{kind: lognormal, median: 20ms, sigma: 1}", "{kind: pareto, scale: 2ms, shape: 1}"),
			"network.links=" + pick("[]", "[{between: [0, 1], latency: 100us}]", "[{between: [1, 2], latency: 200ms}]"),
			"compute=" + pick("{row: 1us}", "{row: 60us, speed-spread: 1}", "{row: 300us, jitter: 0.9}",
				"{law: {kind: exponential, mean: 30ms}}", "{row: 200us, speeds: [9, 1, 0.1]}"),
			"network.faults=[" + faults + "]",
			fmt.Sprintf("rounds={mode: asynchronous, count: 8, quorum: %s, staleness: %s, timeout: %s, retry: 20ms}",
				pick("0", "0.25", "0.5", "1"), pick("0", "0", "1"), pick("20ms", "200ms", "200ms"))}
		_, public, recording := tellingRun(t, seed+1, sets...)
		for _, share := range []float64{0.15, 0.5, 0.9, 0.99} {
			part, escapes := *recording, map[uint64]bool{}
			for _, m := range recording.Messages {
				if _, drawn := escapes[m.ID]; !drawn {
					escapes[m.ID] = draw.Float64() >= share
				}
			}
			part.Messages = slices.DeleteFunc(slices.Clone(part.Messages), func(m record.Message) bool {
				return escapes[m.ID]
			})
			n, _ := inputsTold(t, adversary.Observe(&part, adversary.Vantage{Partial: true}, public, nil).Inputs,
				recording.Iterates)
			told += n
			if public.Timing.Faulty {
				faulty += n
			}
		}
		for _, w := range []adversary.Vantage{{}, {Nodes: []int{0, 2}}, {Links: [][2]int{{0, 1}, {2, 1}}},
			{Links: [][2]int{{0, 1}}}, {Miss: 0.4}} {
			inputsTold(t, adversary.Observe(recording, w, public, nil).Inputs, recording.Iterates)
		}
		if t.Failed() {
			t.Fatalf("%q", sets)
		}
	}
	if told < 300 || faulty < 30 {
		t.Errorf("%d updates are told by some packets, and %d amid faults", told, faulty)
	}
}

// Where much happens at one instant, and it is drawn what of it comes first, or packets take no time, nobody tells
// other inputs of updates than there were, nor does the page, and some are told.
func TestView_InputsWhereEventsTie(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	told, of := map[string]int{}, map[string]int{}
	seeds := []uint64{275, 3328} // a value was missed; some came at the instant at which a node joined
	for seed := range uint64(160) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		draw := rand.New(rand.NewPCG(seed, 13))
		pick := func(all ...string) string { return all[draw.IntN(len(all))] }
		kind := pick("shuffled", "no time", "some take no time", "shuffled, and no time")
		ties, latency, links := "shuffled", "20ms", "[]"
		switch kind {
		case "no time":
			ties, latency = "ordered", "0s"
		case "some take no time":
			ties, links = pick("ordered", "shuffled"), "[{between: [0, 1], latency: 0s}]"
		case "shuffled, and no time":
			latency = "0s"
		}
		rounds := fmt.Sprintf("{mode: asynchronous, count: 8, quorum: %s, staleness: %s, timeout: %s, retry: 20ms}",
			pick("0", "0.25", "0.5", "1"), pick("0", "1", "4"), pick("20ms", "40ms", "200ms"))
		if seed%4 == 3 {
			rounds = fmt.Sprintf("{count: 8, missing: last, deadline: %s, retry: 20ms}", pick("20ms", "40ms", "45ms"))
		}
		sets := []string{"ties=" + ties, "network.latency=" + latency, "network.links=" + links, "rounds=" + rounds,
			"network.topology=" + pick("{kind: ring, nodes: 4}", "{kind: complete, nodes: 4}",
				"{kind: path, nodes: 3}"),
			"network.loss=" + pick("0", "0", "0.2"), "network.duplication=" + pick("0", "0.3"),
			"network.faults=[" + pick("", "", "{at: 20ms, crash: 1, until: 40ms}", "{at: 20ms, join: 0}") + "]",
			"problem.train=" + pick("80", "0.8"), // of 80 rows among 4 nodes an update takes as long as a packet
			"compute=" + pick("{row: 0s}", "{row: 1us}", "{row: 1ms}", "{row: 300us, speed-spread: 1}")}
		if seed%8 == 7 { // values that could stand in come as patience ends
			sets = append(sets, "network.latency=10ms", "network.loss=0.4", "network.topology={kind: ring, nodes: 3}",
				"network.links=[{between: [0, 1], latency: 0s}, {between: [0, 2], latency: 40ms}]",
				"rounds={count: 10, missing: last, deadline: 45ms, retry: 10ms}", "compute={row: 0s}")
		}
		r, public, recording := tellingRun(t, seed+1, sets...)
		page, err := InputsOf(r)
		if err != nil {
			t.Fatal(err)
		}
		a, b := inputsTold(t, page, recording.Iterates)
		told["page"], of["page"] = told["page"]+a, of["page"]+b
		nothingTold(t, r, page, public)
		part := *recording
		part.Messages = slices.DeleteFunc(slices.Clone(part.Messages), func(m record.Message) bool {
			return m.ID%5 == seed%5
		})
		for _, v := range []*adversary.View{
			adversary.Observe(recording, adversary.Vantage{}, public, nil),
			adversary.Observe(recording, adversary.Vantage{Nodes: []int{0, 2}}, public, nil),
			adversary.Observe(recording, adversary.Vantage{Links: [][2]int{{0, 1}, {2, 1}}}, public, nil),
			adversary.Observe(&part, adversary.Vantage{Partial: true}, public, nil),
		} {
			a, b := inputsTold(t, v.Inputs, recording.Iterates)
			told[kind], of[kind] = told[kind]+a, of[kind]+b
		}
		if t.Failed() {
			t.Fatalf("seed %d: %q", seed, sets)
		}
	}
	for kind := range of {
		if share := float64(told[kind]) / float64(of[kind]); !(share >= 0.02) {
			t.Errorf("%s: of %.3f of all updates the inputs are told", kind, share)
		}
	}
}

// Where all times are multiples of one, what comes at the instant at which a step ends was there before its value is
// published, but not before a start, nor before a value that is late as its node was down.
func TestView_InputsWhereTimesMeet(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	told, of, joined := 0, 0, 0
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 17))
		pick := func(all ...string) string { return all[draw.IntN(len(all))] }
		faults := pick("", "{at: 200ms, join: 0}", "{at: 100ms, join: 0}, {at: 150ms, crash: 1, until: 200ms}",
			"{at: 40ms, crash: 0, until: 100ms}", "{at: 200ms, join: 0}, {at: 0s, crash: 1, until: 30ms, memory: lost}",
			"{at: 30ms, crash: 2, until: 120ms}, {at: 50ms, crash: 0, until: 90ms}",
			// It finds others rounds ahead, and is late itself once more.
			"{at: 100ms, join: 0}, {at: "+pick("110", "115", "125", "135")+"ms, crash: 0, until: "+
				pick("140", "150", "160")+"ms}, {at: 190ms, crash: 0, until: 210ms}")
		if strings.Contains(faults, "join") {
			joined++
		}
		sets := []string{"network.topology={kind: " + pick("path", "star", "ring", "complete") + ", nodes: 4}",
			"ties=" + pick("ordered", "ordered", "shuffled"),
			"network.latency=" + pick("10ms", "20ms"), "network.links=" + pick("[]",
				"[{between: [0, 1], latency: 30ms}]"), "network.loss=" + pick("0", "0.1", "0.4"),
			"network.duplication=" + pick("0", "0.9"), "network.faults=[" + faults + "]",
			"compute=" + pick("{row: 0s}", "{law: 10ms}", "{law: 20ms}", "{law: 40ms}"),
			"rounds={count: 9, retry: 10ms, deadline: " + pick("20ms", "40ms", "50ms") + ", missing: last}"}
		r, public, recording := tellingRun(t, seed+1, sets...)
		page, err := InputsOf(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, tell := range []Inputs{page, adversary.Observe(recording, adversary.Vantage{}, public, nil).Inputs,
			adversary.Observe(recording, adversary.Vantage{Nodes: []int{0, 2}}, public, nil).Inputs} {
			a, b := inputsTold(t, tell, recording.Iterates)
			told, of = told+a, of+b
		}
		if nothingTold(t, r, page, public); t.Failed() {
			t.Fatalf("seed %d: %q", seed, sets)
		}
	}
	if share := float64(told) / float64(of); !(share > 0.2) || joined < 60 {
		t.Errorf("of %.3f of the updates the inputs are told, nodes join in %d runs", share, joined)
	}
}

// nothingTold checks that nothing is told to have come of a neighbour only where nothing had.
func nothingTold(t *testing.T, r *record.Run, tell Inputs, public *model.Public) {
	t.Helper()
	first := map[[2]int32]int64{} // when a value came, by receiver and sender
	err := r.Messages(func(m record.Message) error {
		link := [2]int32{m.Dst, m.Src}
		if at, ok := first[link]; m.Kind == record.MessageValue && m.ReceivedNS >= 0 && (!ok || m.ReceivedNS < at) {
			first[link] = m.ReceivedNS
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Steps(func(s record.Step) error {
		inputs, unknown := tell(int(s.Node), int(s.Round))
		for k, j := range public.Graph.Neighbours(int(s.Node)) {
			at, came := first[[2]int32{s.Node, j}]
			if s.Round > 0 && unknown == nil && inputs[k] == model.Start && came && at < s.BeganNS {
				t.Errorf("node %d, round %d: nothing of node %d entered, of which a value had come", s.Node, s.Round, j)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inputsTold counts the updates whose inputs are told, of how many, and fails where that is wrong.
func inputsTold(t *testing.T, tell Inputs, all []record.Iterate) (told, of int) {
	t.Helper()
	for _, f := range all {
		if f.Round == 0 {
			continue
		}
		of++
		got, err := tell(int(f.Node), int(f.Round))
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

// Around a hub clients do not send their starts, and still it is known when they began, unless they may have joined
// later: whoever sees all tells the inputs of all updates, as they were, and nobody tells others. So does the page.
func TestView_InputsAroundAHub(t *testing.T) {
	const asynchronous = "rounds={mode: asynchronous, count: 20, quorum: %v, staleness: %d, timeout: %dms, retry: 30ms}"
	for _, c := range []struct {
		sets  []string
		least float64 // the share of updates of which the inputs must be told by whoever sees all
	}{
		{nil, 1},
		{[]string{"compute={row: 300us, speed-spread: 1.5, jitter: 0.5}"}, 0.5},
		{[]string{"network.loss=0.2"}, 0.5},
		{[]string{"network.latency={kind: exponential, mean: 60ms}", "network.duplication=0.2"}, 0.9},
		{[]string{"network.faults=[{at: 70ms, join: 2}, {at: 120ms, join: 4}]", "compute={row: 900us, jitter: 0.9}",
			"rounds.staleness=0"}, 0},
		{[]string{"network.faults=[{at: 90ms, crash: 3, until: 300ms}]", "network.loss=0.1"}, 0},
		{[]string{"network.faults=[{slow: 1, factor: 20}, {slow: 2, factor: 3}]", "compute={row: 100us, jitter: 0.9}",
			"network.loss=0.3"}, 0},
	} {
		for seed := range uint64(3) {
			sets := append([]string{"problem.data={set: wdbc}", "network.topology={kind: star, nodes: 6}",
				"network.latency={kind: lognormal, median: 20ms, sigma: 0.6}",
				"algorithm={kind: dp-admm, noise: off, eta: 0.1, step: 0.1}",
				fmt.Sprintf(asynchronous, 0.25*float64(seed+1), 2*seed, 60+40*seed)}, c.sets...)
			r, public, recording := tellingRun(t, seed+1, sets...)
			for i, w := range []adversary.Vantage{{}, {Miss: 0.1}, {Nodes: []int{1}}, {Links: [][2]int{{0, 2}}},
				{From: 5}} {
				told, of := inputsTold(t, adversary.Observe(recording, w, public, nil).Inputs, recording.Iterates)
				if share := float64(told) / float64(of); i == 0 && !(share >= c.least) {
					t.Errorf("%q: the inputs of only %d of %d updates are told", sets, told, of)
				}
				if t.Failed() {
					t.Fatalf("%q, seen from %v", sets, w)
				}
			}
			inputs, err := InputsOf(r)
			if err != nil {
				t.Fatal(err)
			}
			if told, of := inputsTold(t, inputs, recording.Iterates); told < of-2 || t.Failed() {
				t.Fatalf("%q: the page tells the inputs of %d of %d updates", sets, told, of)
			}
		}
	}
}

// Without lockstep whoever sees all tells the inputs of most updates, and none of them wrongly, whatever the network
// does: also after packets were lost, where nodes answer who is ahead of them, and where they take others to have left.
func TestView_InputsWithoutLockstep(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	told, of := map[bool]int{}, map[bool]int{} // of networks without loss, and with
	for seed := range uint64(80) {
		draw := rand.New(rand.NewPCG(seed, 7))
		pick := func(all ...string) string { return all[draw.IntN(len(all))] }
		network := "{kind: star, nodes: 5}"
		sets := []string{"algorithm={kind: dp-admm, noise: off, eta: 0.1, step: 0.1}"}
		if seed%2 == 1 {
			network = pick("{kind: ring, nodes: 5}", "{kind: complete, nodes: 4}", "{kind: path, nodes: 3}")
			sets = nil
		}
		loss := pick("0", "0", "0.05", "0.2", "0.4")
		sets = append(sets, "network.topology="+network, "network.loss="+loss,
			"network.duplication="+pick("0", "0.2"),
			"network.latency="+pick("20ms", "{kind: lognormal, median: 20ms, sigma: 0.6}",
				"{kind: lognormal, median: 20ms, sigma: 1.6}", "{kind: exponential, mean: 40ms}",
				"{kind: uniform, low: 5ms, high: 30ms}"),
			"compute="+pick("{row: 1us}", "{row: 40us, speed-spread: 0.4}",
				"{row: 300us, speed-spread: 1.5, jitter: 0.5}", "{row: 100us, jitter: 0.9}"),
			fmt.Sprintf("rounds={mode: asynchronous, count: 25, quorum: %s, staleness: %s, timeout: %s, retry: %s, "+
				"deadline: %s}", pick("0.25", "0.5", "1"), pick("0", "2", "4"), pick("50ms", "100ms", "300ms"),
				pick("20ms", "50ms"), pick("10m", "10s", "800ms")))
		_, public, recording := tellingRun(t, seed+1, sets...)
		a, b := inputsTold(t, adversary.Observe(recording, adversary.Vantage{}, public, nil).Inputs, recording.Iterates)
		if t.Failed() {
			t.Fatalf("%q", sets)
		}
		told[loss == "0"], of[loss == "0"] = told[loss == "0"]+a, of[loss == "0"]+b
	}
	for calm, least := range map[bool]float64{true: 0.9, false: 0.6} {
		if share := float64(told[calm]) / float64(of[calm]); !(share >= least) {
			t.Errorf("without loss %v: of %.3f of all updates the inputs are told", calm, share)
		}
	}
}
