// Packets that are enough for an attack are those that its equation needs, and none of them can go.

package evaluation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"overhear/adversary"
	"overhear/record"
)

func why(t *testing.T, r *record.Run, victim int, o WhyOptions) []record.Sufficient {
	t.Helper()
	if o.Most == 0 {
		o.Most = 2000
	}
	all, err := WhyLearnt(context.Background(), r, victim, o)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// KKT inversion of round 1 needs that round of the victim, the round before of the victim and its neighbours, and
// theirs of round 1, by which the victim's dual goes on: ADMM's gradient is of what was published and of the dual.
// Where all start at zero, what they published at first is public.
func TestWhyLearnt_KKTInversionNeedsWhatItsEquationHas(t *testing.T) {
	const text = `name: why
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 5}, duplication: 0.3}
rounds: {count: 4}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: 2, all-but: 3}, attacks: [kkt-inversion, row-space]}
`
	for _, c := range []struct {
		set    string
		carry  []string // what the packets that are enough carry, by sender and round
		packet int
	}{
		{"algorithm.init=zeros", []string{"2 1"}, 1},
		{"algorithm.init={normal: 0.1}", []string{"1 0", "2 0", "2 1", "3 0"}, 4},
	} {
		r := recorded(t, text, c.set)
		all := why(t, r, 2, WhyOptions{})
		s := all[0]
		if s.Outcome != record.Exact || s.With != record.Exact || !s.Minimal || len(s.Enough) != c.packet {
			t.Fatalf("%s: %+v", c.set, s)
		}
		var carry []string
		for _, p := range s.Enough {
			carry = append(carry, string(rune('0'+p.Src))+" "+string(rune('0'+p.Round)))
			if p.Without != record.Blocked || p.Conclusion == "" || p.Kind != record.MessageValue {
				t.Errorf("%s: without %+v", c.set, p)
			}
		}
		slices.Sort(carry)
		if !slices.Equal(carry, c.carry) {
			t.Errorf("%s: %q, not %q", c.set, carry, c.carry)
		}
		if s := all[1]; s.Enough != nil || s.With != "" || s.Conclusion == "" {
			t.Errorf("%s: of an attack that fails: %+v", c.set, s)
		}
	}
}

// Of a network so small that every set of packets can be tried, no set that is enough lies within the one that was
// found, whatever the attack, and whether rounds are in lockstep or not.
func TestWhyLearnt_IsMinimalAmongAllSets(t *testing.T) {
	for _, c := range []struct{ topology, rounds, attacks string }{
		{"{kind: path, nodes: 2}", "{count: 2}", "kkt-inversion, kkt-rounds, late-joiner"},
		{"{kind: ring, nodes: 4}", "{count: 4, mode: asynchronous, quorum: 0.5}", "kkt-inversion, kkt-rounds"},
	} {
		rounds := c.rounds
		r := recorded(t, `name: why
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 20, rho: 0.3}
network: {topology: `+c.topology+`, latency: 20ms}
rounds: `+rounds+`
algorithm: {kind: admm, eta: 0.3}
adversary: {knows: {victim: 0, all-but: 0}, attacks: [`+c.attacks+`]}
`)
		a, err := newAssault(t.Context(), r, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &needing{assault: a, seen: a.arrivals()}
		_, w.truth = a.on(adversary.Observe(a.recording, a.watch, a.public, nil), 0)
		for _, s := range why(t, r, 0, WhyOptions{}) {
			if s.Outcome != record.Exact || !s.Minimal || len(s.Enough) == 0 || len(s.Enough) > 12 {
				t.Fatalf("%s: %+v", rounds, s)
			}
			one, _ := adversary.Lookup(s.Attack)
			for set := range 1 << len(s.Enough) {
				var places []int
				for place, row := range w.seen {
					k := slices.IndexFunc(s.Enough, func(p record.NeededPacket) bool {
						return p.ID == a.recording.Messages[row].ID
					})
					if k >= 0 && set>>k&1 == 1 {
						places = append(places, place)
					}
				}
				f, err := w.with(one, places)
				if err != nil {
					t.Fatal(err)
				}
				missing := len(s.Enough) - bits.OnesCount(uint(set))
				if exact := f.Succeeded == record.Exact; exact != (missing == 0) && missing < 2 {
					t.Errorf("%s, %s without %d of its packets: %s", rounds, s.Attack, missing, f.Succeeded)
				}
			}
		}
	}
}

// An observer of some packets does not take those that it has not for such as were not sent: of every update it knows
// what entered it, or that it does not. One who thinks that it has all is wrong about some.
func TestWhyLearnt_KnowsThatPacketsMayHaveEscaped(t *testing.T) {
	r := recorded(t, `name: why
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 4}, latency: {kind: lognormal, median: 20ms, sigma: 1}}
compute: {row: 400us, speed-spread: 0.6}
rounds: {mode: asynchronous, count: 8, quorum: 0.5}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: 1, all-but: 3}, attacks: [kkt-rounds]}
`)
	s := why(t, r, 1, WhyOptions{})[0]
	if s.Outcome != record.Exact || s.With != record.Exact || !s.Minimal || len(s.Enough) == 0 {
		t.Fatalf("%+v", s)
	}
	a, err := newAssault(t.Context(), r, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := adversary.Observe(a.recording, a.watch, a.public, nil)
	told, wrong := map[bool]int{}, map[bool]int{}
	for gone := range a.recording.Messages {
		part := *a.recording
		part.Messages = slices.Delete(slices.Clone(part.Messages), gone, gone+1)
		for _, partial := range []bool{true, false} {
			v := adversary.Observe(&part, adversary.Vantage{Partial: partial}, a.public, nil)
			for node := range 4 {
				for round := 1; round <= 8; round++ {
					is, err := whole.Inputs(node, round)
					if err != nil {
						t.Fatal(err)
					}
					if says, err := v.Inputs(node, round); err == nil {
						told[partial]++
						for k := range is { // a start of zero is as good as none
							is[k], says[k] = max(is[k], 0), max(says[k], 0)
						}
						if !slices.Equal(says, is) {
							wrong[partial]++
						}
					}
				}
			}
		}
	}
	if told[true] == 0 || wrong[true] > 0 || wrong[false] == 0 {
		t.Errorf("told %v, of these wrong %v", told, wrong)
	}

	// So does the search: one that takes its packets for all finds otherwise of some.
	w := &needing{assault: a, seen: a.arrivals()}
	_, w.truth = a.on(whole, 0)
	one, _ := adversary.Lookup("kkt-rounds")
	otherwise := 0
	for gone := range w.seen {
		places := allBut(len(w.seen), gone)
		got, err := w.with(one, places)
		if err != nil {
			t.Fatal(err)
		}
		part := *a.recording
		part.Messages = slices.Delete(slices.Clone(part.Messages), w.seen[gone], w.seen[gone]+1)
		for _, partial := range []bool{true, false} {
			v := adversary.Observe(&part, adversary.Vantage{Partial: partial}, a.public, nil)
			f, err := one.Carry(v.With(w.known.about(&w.known.Victims[0])))
			if err == nil {
				adversary.Score(f, w.truth)
			}
			same := err == nil && f.Succeeded == got.Succeeded && f.Conclusion == got.Conclusion
			if partial && !same {
				t.Errorf("without packet %d: %s: %s, not %+v, %v", gone, got.Succeeded, got.Conclusion, f, err)
			} else if !partial && !same {
				otherwise++
			}
		}
	}
	if otherwise == 0 {
		t.Error("one who takes its packets for all would find the same")
	}
}

// Without lockstep, and where nodes crash or packets overtake each other, no choice of packets may tell what entered an
// update to one who does not know that others have escaped: that is said, and what is told is all that arrived over
// some links up to an instant. Fewer links are not enough, nor is what had come before. The attack by hand is the
// judge.
func TestWhyLearnt_OfOneWhoNeedsAllPacketsTellsABeginning(t *testing.T) {
	const text = `name: why
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 4}, latency: %s, faults: [%s]}
rounds: {mode: asynchronous, count: 5, quorum: 0.5}
algorithm: {kind: admm, eta: 0.05, init: {normal: 0.1}}
adversary: {knows: {victim: 1, all-but: 3}, attacks: [kkt-inversion]}
`
	const crash, drawn = "{at: 50ms, crash: 3, until: 60ms}", "{kind: lognormal, median: 20ms, sigma: 0.8}"
	for _, c := range []struct {
		latency, fault string
		lacks          string // in the reason; empty: some packets are enough
	}{
		{"20ms", "", ""},
		{"20ms", crash, "round 1: how long node 1, which may have been down or slow, worked on round 1"},
		{drawn, "", "round 1: whether the value of node 0 that arrived while node 1 worked on round 1 entered it"},
		{drawn, crash, "round 1: how long node 1, which may have been down or slow, worked on round 1"},
	} {
		r := recorded(t, fmt.Sprintf(text, c.latency, c.fault))
		s := why(t, r, 1, WhyOptions{})[0]
		if s.Enough == nil || (s.Beginning != nil) != (c.lacks != "") || s.Minimal != (c.lacks == "") ||
			!strings.HasSuffix(s.Reason, c.lacks) || (s.Reason == "") != (c.lacks == "") {
			t.Fatalf("%+v: %+v", c, s)
		}
		if c.lacks == "" {
			continue
		}
		w, err := newNeeding(t.Context(), r, 1, WhyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		one, _ := adversary.Lookup(s.Attack)
		byHand := func(until int64, links [][2]int, never ...uint64) (*record.Finding, []uint64) {
			part, ids := *w.recording, []uint64{}
			part.Messages, part.Iterates = nil, nil
			for _, m := range w.recording.Messages {
				link := [2]int{int(min(m.Src, m.Dst)), int(max(m.Src, m.Dst))}
				if m.ReceivedNS >= 0 && m.ReceivedNS <= until && slices.Contains(links, link) &&
					!slices.Contains(never, m.ID) {
					part.Messages, ids = append(part.Messages, m), append(ids, m.ID)
				}
			}
			for _, i := range w.recording.Iterates {
				if i.TimeNS <= until {
					part.Iterates = append(part.Iterates, i)
				}
			}
			v := adversary.Observe(&part, adversary.Vantage{Links: links}, w.public, nil)
			f, err := one.Carry(v.With(w.known.about(&w.known.Victims[0])))
			if err != nil {
				t.Fatal(err)
			}
			adversary.Score(f, w.truth)
			return f, ids
		}
		b := s.Beginning
		var links [][2]int
		for _, l := range b.Links {
			links = append(links, l.Between)
		}
		with, ids := byHand(b.UntilNS, links)
		before, earlier := byHand(b.UntilNS-1, links)
		var told []uint64
		for _, p := range s.Enough {
			if told = append(told, p.ID); p.Without != "" {
				t.Errorf("%+v", p)
			}
		}
		slices.Sort(told)
		if slices.Sort(ids); !slices.Equal(told, ids) || with.Succeeded != record.Exact || s.With != record.Exact ||
			s.Estimate != with.Conclusion || before.Succeeded == record.Exact || b.Without != before.Succeeded ||
			b.Conclusion != before.Conclusion || b.Last != len(ids)-len(earlier) || len(told) >= s.Seen {
			t.Errorf("%+v: %d packets of %d: %+v, %+v; by hand %+v, and before %+v", c, len(ids), s.Seen, s, b, with,
				before)
		}
		if len(links) == 0 || len(links) == w.public.Graph.Size() {
			t.Errorf("%+v: of %d links all are needed: %v", c, w.public.Graph.Size(), links)
		}
		others := ids // that are as though they had never been sent
		for _, p := range b.Alone {
			others = slices.DeleteFunc(slices.Clone(others), func(id uint64) bool { return id == p.ID })
		}
		if f, alone := byHand(b.UntilNS, links, others...); !b.Minimal || len(alone) != len(b.Alone) ||
			len(alone) == 0 || len(alone) >= len(ids) || f.Succeeded != record.Exact {
			t.Errorf("%+v: of %d packets %+v are enough alone (%v); by hand %+v", c, len(ids), b.Alone, b.Minimal, f)
		}
		for _, p := range b.Alone {
			f, _ := byHand(b.UntilNS, links, append(slices.Clone(others), p.ID)...)
			if f.Succeeded == record.Exact || f.Succeeded != p.Without ||
				!strings.HasPrefix(p.Conclusion, f.Conclusion) {
				t.Errorf("%+v: without packet %d it is %s: %s, not %+v", c, p.ID, f.Succeeded, f.Conclusion, p)
			}
		}
		for set := range 1<<len(links) - 1 { // fewer of them
			var some [][2]int
			for k := range links {
				if set>>k&1 == 1 {
					some = append(some, links[k])
				}
			}
			f, _ := byHand(b.UntilNS, append([][2]int{}, some...))
			if f.Succeeded == record.Exact {
				t.Errorf("%+v: over %v it is exact, too", c, some)
			}
			if gone := len(links) - len(some); gone == 1 {
				k := slices.IndexFunc(b.Links, func(l record.NeededLink) bool {
					return !slices.Contains(some, l.Between)
				})
				if l := b.Links[k]; l.Without != f.Succeeded || l.Conclusion != f.Conclusion {
					t.Errorf("%+v: without a link it is %s: %s, not %+v", c, f.Succeeded, f.Conclusion, l)
				}
			}
		}
	}
}

// The packet with whose arrival an attack becomes exact on all that had come need not be among packets that are enough
// alone, which are chosen whatever the order of their arrival. Both are as they are told.
func TestWhyLearnt_NeedNotNameThePacketFromWhichTheAttackIsExact(t *testing.T) {
	r := recorded(t, `name: why
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: complete, nodes: 4}, latency: {kind: lognormal, median: 20ms, sigma: 0.5}}
rounds: {count: 8}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: 1, all-but: 3}, attacks: [kkt-inversion, late-joiner, linkage]}
`)
	advance, err := advanceOf(t, r, AdvanceOptions{Points: 1000})
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAssault(t.Context(), r, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	other := 0
	for k, s := range why(t, r, 1, WhyOptions{}) {
		l := &advance.Lines[k]
		from := l.Exact()
		if l.Attack != s.Attack || from < 1 || !s.Minimal || l.Steps[from-1].Outcome == record.Exact {
			t.Fatalf("%s from %d on; %+v", l.Attack, from, s)
		}
		first := &a.recording.Messages[advance.Order[advance.Points[from]-1]]
		last := int64(0)
		for _, p := range s.Enough {
			last = max(last, a.recording.Messages[slices.IndexFunc(a.recording.Messages,
				func(m record.Message) bool { return m.ID == p.ID })].ReceivedNS)
		}
		if last < first.ReceivedNS {
			t.Errorf("%s: with packets that came by %d it is exact, with all that did it is from %d on", s.Attack, last,
				first.ReceivedNS)
		}
		if !slices.ContainsFunc(s.Enough, func(p record.NeededPacket) bool { return p.ID == first.ID }) {
			other++
		}
	}
	if other == 0 {
		t.Error("both name the same packets")
	}
}

// No set of packets is tried twice: what is told of a packet's loss is what the search has seen of it.
func TestWhyLearnt_TriesNothingTwice(t *testing.T) {
	a, err := newAssault(t.Context(), recorded(t, hospitals), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &needing{assault: a, seen: a.arrivals()}
	_, w.truth = a.on(adversary.Observe(a.recording, a.watch, a.public, nil), 0)
	one, _ := adversary.Lookup("kkt-inversion")
	ts := &trials{needing: w, one: one, least: record.Exact, most: 1000, before: map[[sha256.Size]byte]trial{},
		onSet: func(places []int) (*record.Finding, error) { return w.with(one, places) }}
	kept, needed, err := ts.fewer(context.Background(), allBut(len(w.seen), -1))
	if err != nil || !needed || len(kept) != 1 || ts.tried != len(ts.before) {
		t.Fatalf("%v, %v, %v: %d trials of %d sets", kept, needed, err, ts.tried, len(ts.before))
	}
	s, searched := &record.Sufficient{Minimal: needed}, ts.tried
	if err := ts.single(context.Background(), s, kept); err != nil || ts.tried != searched ||
		s.Enough[0].Without != record.Blocked {
		t.Errorf("%v: %d trials, and %d to tell of %+v", err, searched, ts.tried-searched, s.Enough)
	}
}

// Most packets say nothing of the victim, so that most sets of them lead to equations that were searched before: the
// search for packets does not do so again.
func TestWhyLearnt_SearchesForNoSampleTwice(t *testing.T) {
	r := recorded(t, hospitals, "adversary.attacks=[kkt-rounds, late-joiner]", "rounds.count=6")
	w, err := newNeeding(t.Context(), r, 2, WhyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := w.learnt(context.Background(), WhyOptions{Most: 5000})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, s := range all {
		tried += s.Tried
	}
	if m := w.memo; m.Searched == 0 || m.Recalled < 3*m.Searched {
		t.Errorf("%d attempts search %d times, and %d times know the outcome", tried, m.Searched, m.Recalled)
	}
}

// An attack that concludes alike with a packet and without it is told apart by what its conclusion is worth.
func TestWhyLearnt_TellsScoresOfConclusionsThatReadAlike(t *testing.T) {
	r := recorded(t, hospitals, "adversary.attacks=[linkage]")
	s := why(t, r, 2, WhyOptions{})[0]
	alike := 0
	for _, p := range s.Enough {
		said, score, ok := strings.Cut(p.Conclusion, "; links: error ")
		if ok != (p.Without != record.Blocked) || ok && !strings.Contains(score, ", of guessing 0.") {
			t.Errorf("%+v", p)
		}
		if strings.HasPrefix(said, s.Estimate) { // and how likely guesses do as well
			alike++
		}
	}
	if alike == 0 {
		t.Errorf("no conclusion reads as that with all of %+v", s)
	}
}

// What is concluded of one is said of one.
func TestWhyLearnt_SaysOneOfOne(t *testing.T) {
	r := recorded(t, hospitals, "adversary.attacks=[kkt-rounds, linkage, late-joiner]")
	said := ""
	for _, s := range why(t, r, 2, WhyOptions{}) {
		said += s.Estimate + "\n"
		for _, p := range s.Enough {
			said += p.Conclusion + "\n"
		}
	}
	for _, want := range []string{"1 round gives u", "1 message of node 2 is linked",
		"1 difference of the gradient of the data is known"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
}

func TestWhyLearnt_EndsWhereItMay(t *testing.T) {
	r := recorded(t, hospitals, "adversary.attacks=[late-joiner]")
	s := why(t, r, 2, WhyOptions{Most: 4})[0]
	if s.Minimal || s.With != record.Exact || len(s.Enough) == 0 || s.Enough[0].Without != "" || s.Tried > 6 {
		t.Errorf("after few attempts: minimal %v, %s, %d packets, tried %d", s.Minimal, s.With, len(s.Enough), s.Tried)
	}
	whole := why(t, r, 2, WhyOptions{})[0]
	if !whole.Minimal || len(whole.Enough) >= len(s.Enough) {
		t.Errorf("%d packets, and %d after few attempts", len(whole.Enough), len(s.Enough))
	}
}

func TestWhyLearnt_Refuses(t *testing.T) {
	r := recorded(t, hospitals)
	for _, c := range []struct {
		victim int
		set    string
		text   string
	}{
		{9, "", "there is no node 9; there are 5, from 0"},
		{-1, "", "there is no node -1"},
		{3, "", "who wants the data of node 2; --set adversary.knows.victim=3 makes it one"},
		{2, "adversary.attacks=[]", "adversary.attacks names none"},
	} {
		var sets []string
		if c.set != "" {
			sets = []string{c.set}
		}
		_, err := WhyLearnt(context.Background(), r, c.victim, WhyOptions{Sets: sets, Most: 10})
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%d, %s: %v", c.victim, c.set, err)
		}
	}
	all := why(t, r, 3, WhyOptions{Sets: []string{"adversary.knows.victim=3"}})
	if len(all) == 0 || all[0].Victim != 3 {
		t.Errorf("%+v", all)
	}
}

// allBut are 0 … n−1 without one.
func allBut(n, gone int) (all []int) {
	for k := range n {
		if k != gone {
			all = append(all, k)
		}
	}
	return all
}
