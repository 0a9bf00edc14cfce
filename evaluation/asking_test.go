// Packets that nobody asked for, or that carry a number where the protocol has none to choose.

package evaluation

import (
	"context"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/record"
	"overhear/sim"
)

// A round that does not exist or is not the one expected, a value that is sent twice, and a request to who is no
// neighbour are found in every network; without them nothing is.
func TestProtocol_FindsWhatNobodyAskedFor(t *testing.T) {
	changes := map[string]func(all []packet) []packet{
		"the node is in round": func(all []packet) []packet { return also(all, algorithms.KindRequest, 0, 1, 1000400) },
		"and the node is in":   func(all []packet) []packet { return also(all, algorithms.KindRequest, 0, 1, 1) },
		"nobody leaves":        func(all []packet) []packet { return also(all, algorithms.KindLeave, 0, 1, -7) },
		"no such link":         func(all []packet) []packet { return also(all, algorithms.KindRequest, 1, 1, 6) },
		"nobody has asked for it again": func(all []packet) (twice []packet) {
			for _, p := range all {
				twice = append(twice, p)
				if p.kind == algorithms.KindValue {
					twice = append(twice, p)
				}
			}
			return twice
		},
		"": func(all []packet) []packet { return all },
	}
	loss := []string{"network.loss=0.2", "network.latency={kind: exponential, mean: 3ms}"}
	for name, sets := range map[string][]string{
		"lossy":        loss,
		"duplicating":  append(loss[:2:2], "network.duplication=0.3"),
		"asynchronous": {"rounds.mode=asynchronous", "network.latency={kind: exponential, mean: 3ms}"},
		"lossy and asynchronous": append(loss[:2:2], "rounds.mode=asynchronous", "rounds.timeout=5ms",
			"network.duplication=0.2"),
	} {
		e := small(t, auditedPVP, nil, sets...)
		x, c := overheard(t, e, 5)
		right := c.packets
		for want, change := range changes {
			c.packets = change(slices.Clone(right))
			if p := &c.packets[len(c.packets)-1]; p.payload < 0 {
				p.payload, p.bytes = c.keep(nil), e.Network.Header
			}
			got := expected(x, c)
			switch {
			case want == "" && got.wrong > 0:
				t.Errorf("%s: a right run: %s", name, got.first.what)
			case want != "" && (got.wrong == 0 || !strings.Contains(got.first.what, want)):
				t.Errorf("%s: not found: %q: %+v", name, want, got)
			}
		}
	}
}

// overheard is a run of the first world, and who explains it.
func overheard(t *testing.T, e *experiment.Experiment, seed uint64) (*explainer, *wire) {
	t.Helper()
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	spec := auditSpec(e.Scenario)
	m, err := measure(e, a, &spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.pairs[0].subject()
	if err != nil {
		t.Fatal(err)
	}
	var x *explainer
	switch s := s.(type) {
	case *weigher:
		x = s.explainer
	case *served:
		x = s.explainer
	}
	c, err := x.play(context.Background(), 0, seed)
	if err != nil {
		t.Fatal(err)
	}
	return x, c
}

// expected is what becomes of a run's packets by the protocol.
func expected(x *explainer, c *wire) *tally {
	if err := x.begin(c, run{seed: x.seed}); err != nil {
		panic(err)
	}
	x.protocol()
	return x.account[record.PacketsExpected]
}

// One value that is sent once more is found, wherever it is sent before any request for it has come, or a copy that
// asks; where packets come twice, each copy may be answered.
func TestProtocol_FindsOneValueSentOnceMore(t *testing.T) {
	loss := []string{"network.loss=0.3", "network.latency={kind: exponential, mean: 3ms}"}
	twice := append(loss[:2:2], "network.duplication=0.8")
	for name, c := range map[string]struct {
		algorithm string
		sets      []string
	}{
		"lossy":       {auditedPVP, loss},
		"duplicating": {auditedPVP, twice},
		"asynchronous": {auditedPVP, []string{"rounds.mode=asynchronous",
			"network.latency={kind: exponential, mean: 3ms}"}},
		"a lossy hub":       {auditedHub, loss},
		"a duplicating hub": {auditedHub, twice},
	} {
		for seed := range uint64(8) {
			x, w := overheard(t, small(t, c.algorithm, nil, c.sets...), seed)
			if got := expected(x, w); got.wrong > 0 {
				t.Errorf("%s, seed %d: a right run: %s", name, seed, got.first.what)
			}
			first := slices.IndexFunc(w.packets, func(p packet) bool {
				return p.kind == algorithms.KindValue && p.from == 1 && p.to == 0
			})
			w.packets = slices.Insert(w.packets, first+1, w.packets[first])
			if got := expected(x, w); got.wrong == 0 || !strings.Contains(got.first.what, "asked for it again") {
				t.Errorf("%s, seed %d: a value that was sent twice is not found: %+v", name, seed, got)
			}
		}
	}
}

// also adds a packet after those of round 6, the last.
func also(all []packet, kind uint8, from, to, round int) []packet {
	last := all[len(all)-1]
	return append(all, packet{id: last.id + 1, from: from, to: to, kind: kind, round: round, sent: last.sent,
		received: last.sent + 5, copies: 1, payload: -1})
}

// A black-box audit sees the rounds that the run does not have.
func TestBlackBox_SeesRoundsThatARunDoesNotHave(t *testing.T) {
	e := small(t, auditedPVP, nil, "rounds.count=4")
	b := &blackBox{e: e, node: 1}
	b.seen, b.begins = seenRounds(4)
	met, got := meetings{map[cell]int32{}, map[cell][]float64{}}, map[cell]float64{}
	for _, round := range []int32{1234567, 4, -3} {
		b.numbers(&sim.Packet{From: 1, Kind: algorithms.KindRequest, Round: round, Bytes: 64}, met,
			func(c cell, v float64) { got[c] = v })
	}
	at := func(k int32) cell {
		return cell{round: 4, from: 1, kind: algorithms.KindRequest, k: k, number: outside}
	}
	if len(got) != 11 || got[at(-1)] != 1234567 || got[at(-2)] != -3 {
		t.Errorf("%v", got)
	}
}

// A user reports at once: a report that comes later, as its row may have it, is found where no run of other data is
// compared, too.
func TestProtocol_FindsReportsThatAreLate(t *testing.T) {
	for name, sets := range map[string][]string{
		"no time passes":   nil,
		"packets are lost": {"network.loss=0.3", "network.latency={kind: exponential, mean: 3ms}"},
		"users crash": {"network.latency={kind: exponential, mean: 3ms}",
			"network.faults=[{crashes: {every: 8ms, for: 4ms}}]"},
	} {
		for seed := range uint64(4) {
			x, w := overheard(t, small(t, plantedPDML, nil, append(sets, rowsOfPDML)...), seed)
			if got := expected(x, w); got.wrong > 0 {
				t.Errorf("%s, seed %d: a right run: %s", name, seed, got.first.what)
			}
			report := slices.IndexFunc(w.packets, func(p packet) bool { return p.kind == algorithms.KindReport })
			w.packets[report].sent++
			if got := expected(x, w); got.wrong == 0 || !strings.Contains(got.first.what, "is there at 0s") {
				t.Errorf("%s, seed %d: a report that is late is not found: %+v", name, seed, got)
			}
		}
	}
}

// In asynchronous rounds a right run has the packets that it has with other data; a request or an answer more, or a
// later one, that depends on a row of any node, is found, though the protocol has such packets.
func TestTwin_FindsRequestsThatDependOnData(t *testing.T) {
	x, c := overheard(t, small(t, auditedPVP, nil, otherRounds["asynchronous, bounded staleness"]...), 3)
	right := slices.Clone(c.packets)
	asked := slices.IndexFunc(right, func(p packet) bool { return p.kind == algorithms.KindRequest })
	if asked < 0 {
		t.Fatal("nobody asks")
	}
	for name, packets := range map[string][]packet{
		"":        right,
		"again":   slices.Insert(slices.Clone(right), asked, right[asked]),
		"not":     slices.Delete(slices.Clone(right), asked, asked+1),
		"earlier": slices.Clone(right),
	} {
		if c.packets = packets; name == "earlier" {
			c.packets[asked].sent--
		}
		x.account = account{}
		if err := x.twin(context.Background(), run{seed: 3}, c, x.account); err != nil {
			t.Fatal(err)
		}
		if got := x.account.of(record.PacketsInTime); got.wrong > 0 != (name != "") {
			t.Errorf("a request %q: %+v", name, got)
		}
	}
}

// What depends on a row of another node than the audited one is the same in both worlds, and not with other rows.
func TestTwin_FindsWhatAnyNodesRowsDecide(t *testing.T) {
	sets := []string{"rounds.mode=asynchronous", "network.latency={kind: exponential, mean: 3ms}",
		"adversary.audit.node=2"}
	f := planted{name: "hasty", algorithm: auditedPVP, make: inRows(
		func(m privateRow, s algorithms.Setting) algorithms.Method { return &hasty{flawed{privateRow: m}, s} })}
	x, _ := overheard(t, small(t, f.algorithm, f.make, sets...), 3)
	x.account = account{}
	for seed := range uint64(8) {
		c, err := x.play(context.Background(), 0, seed)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.twin(context.Background(), run{seed: seed}, c, x.account); err != nil {
			t.Fatal(err)
		}
	}
	if wrong := x.account.of(record.PacketsInTime).wrong; wrong == 0 || wrong == 8 {
		t.Errorf("found in %d of 8 runs", wrong)
	}
}
