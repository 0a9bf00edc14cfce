// What an adversary is said to have worked out by when, and from which packets, against the record's tables and against
// samples, lists of outcomes and attacks that are made by hand.

package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"overhear/adversary"
	"overhear/record"
)

// jittery is a small run in lockstep whose packets overtake each other, and of which some come twice.
const jittery = `name: jittery
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 20, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}, latency: {kind: lognormal, median: 20ms, sigma: 1}, duplication: 0.2}
rounds: {count: 3}
algorithm: {kind: admm, eta: 0.3}
record: {rates: off, trace: off}
adversary: {knows: {victim: 1, all-but: 0}, attacks: [kkt-inversion]}
`

// advanceOf carries attacks out as often as is asked for; nil: the scenario has no adversary.
func advanceOf(t *testing.T, r *record.Run, o AdvanceOptions) (*Advance, error) {
	t.Helper()
	b, err := NewAdvancing(t.Context(), r, o)
	if err != nil || b == nil {
		return nil, err
	}
	return advanced(t, b)
}

// advanced carries attacks out to their end. Before, what there is of them is of the same victims and packets.
func advanced(t *testing.T, b *Advancing) (*Advance, error) {
	t.Helper()
	for before := b.Result(); ; {
		more, err := b.Next(t.Context())
		if err != nil {
			return nil, err
		}
		now := b.Result()
		if !slices.Equal(before.Victims, now.Victims) || !slices.Equal(before.Order, now.Order) ||
			more != (len(now.Points) > len(before.Points)) {
			t.Errorf("once more has been carried out: %v; before of %v after %v, now of %v after %v", more,
				before.Victims, before.Points, now.Victims, now.Points)
		}
		if !more {
			return now, nil
		}
		before = now
	}
}

// messagesOf are the rows of messages.parquet.
func messagesOf(t *testing.T, r *record.Run) (all []record.Message) {
	t.Helper()
	if err := r.Messages(func(m record.Message) error { all = append(all, m); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// asTheyArrive are rows of packets that arrive, the first first; of those that arrive at one instant, that with the
// least number.
func asTheyArrive(all []record.Message) (rows []int) {
	for k := range all {
		if all[k].ReceivedNS >= 0 {
			rows = append(rows, k)
		}
	}
	slices.SortStableFunc(rows, func(i, j int) int {
		if all[i].ReceivedNS != all[j].ReceivedNS {
			return cmp.Compare(all[i].ReceivedNS, all[j].ReceivedNS)
		}
		return cmp.Compare(all[i].ID, all[j].ID)
	})
	return rows
}

// probe is an attack that hands what it sees to a function, which says how it goes.
func probe(goes func(packets []record.Message) record.Outcome) *adversary.Attack {
	return &adversary.Attack{Name: "probe", Title: "a probe", Run: func(v *adversary.View, f *record.Finding) error {
		f.Succeeded, f.Conclusion = goes(v.Packets()), "it was tried"
		return nil
	}}
}

// It counts packets by arrival, not by sending: with latencies that differ the two are not the same.
func TestAdvanceOf_CountsPacketsByArrival(t *testing.T) {
	for _, c := range []struct {
		sets      []string
		overtakes bool
	}{
		{nil, true},
		{[]string{"network.loss=0.2", "rounds={count: 3, retry: 30ms}"}, true},
		{[]string{"network.latency=20ms", "network.duplication=0"}, false},
	} {
		r := recorded(t, jittery, c.sets...)
		want := asTheyArrive(messagesOf(t, r))
		if slices.IsSorted(want) == c.overtakes {
			t.Fatalf("%v: packets arrive as %v", c.sets, want)
		}
		a, err := advanceOf(t, r, AdvanceOptions{Points: 2})
		if err != nil || !slices.Equal(a.Order, want) || !slices.Equal(a.Points, []int{0, len(want)}) {
			t.Errorf("%v: %v after %v, want %v, %v", c.sets, a.Order, a.Points, want, err)
		}
	}
}

// After so many packets an attack has those that came first, in the order in which they were sent, and no others.
func TestAdvanceOf_AttacksHaveThePacketsThatCameFirst(t *testing.T) {
	r := recorded(t, jittery)
	all := messagesOf(t, r)
	order := asTheyArrive(all)
	a, err := newAssault(t.Context(), r, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []record.Message
	a.attacks = []*adversary.Attack{probe(func(packets []record.Message) record.Outcome {
		got = packets
		return record.Unscored
	})}
	b := &Advancing{assault: a, seen: a.arrivals(), steps: map[int][][]AdvanceStep{}}
	for count := range len(order) + 1 {
		if err := b.at(context.Background(), count); err != nil {
			t.Fatal(err)
		}
		var want []record.Message
		for _, row := range slices.Sorted(slices.Values(order[:count])) {
			want = append(want, all[row])
		}
		if !slices.Equal(got, want) {
			t.Fatalf("after %d packets the attack has %v, want %v", count, got, want)
		}
	}
}

// Exact is where exact outcomes begin that last to the end; what has failed, or is found in part, is none.
func TestAdvanceLine_Exact(t *testing.T) {
	const exact, partial, failed = record.Exact, record.Partial, record.Failed
	const unscored, blocked = record.Unscored, record.Blocked
	for _, c := range []struct {
		outcomes []record.Outcome
		want     int
	}{
		{nil, -1},
		{[]record.Outcome{exact}, 0},
		{[]record.Outcome{failed}, -1},
		{[]record.Outcome{partial}, -1},
		{[]record.Outcome{unscored}, -1},
		{[]record.Outcome{blocked}, -1},
		{[]record.Outcome{exact, exact, exact}, 0},
		{[]record.Outcome{blocked, exact, exact}, 1},
		{[]record.Outcome{blocked, failed, exact}, 2},
		{[]record.Outcome{blocked, partial, exact, exact}, 2},
		{[]record.Outcome{exact, failed, exact}, 2},
		{[]record.Outcome{exact, partial, exact}, 2},
		{[]record.Outcome{exact, unscored, exact}, 2},
		{[]record.Outcome{exact, blocked, exact}, 2},
		{[]record.Outcome{exact, exact, failed}, -1},
		{[]record.Outcome{exact, exact, partial}, -1},
		{[]record.Outcome{exact, exact, unscored}, -1},
		{[]record.Outcome{exact, exact, blocked}, -1},
	} {
		var l AdvanceLine
		for _, o := range c.outcomes {
			l.Steps = append(l.Steps, AdvanceStep{Outcome: o})
		}
		if got := l.Exact(); got != c.want {
			t.Errorf("%v: exact from %d on, want %d", c.outcomes, got, c.want)
		}
	}
}

// Attacks are carried out as often as is usual where no number is asked for, fewer times on many packets.
func TestUsualPoints(t *testing.T) {
	for packets, want := range map[int]int{0: 64, 20_000: 64, 40_000: 32, 97_524: 13, 1_000_000: 12} {
		if got := usualPoints(packets); got != want {
			t.Errorf("%d packets: %d points, want %d", packets, got, want)
		}
	}
	b, err := NewAdvancing(t.Context(), recorded(t, fmt.Sprintf(ringOfFour, "{count: 3}", "late-joiner")),
		AdvanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if done, most := b.Done(); done != 0 || most != 64 {
		t.Errorf("%d of %d are said to be done before any is", done, most)
	}
	a, err := advanced(t, b)
	if done, most := b.Done(); err != nil || done != len(a.Points) || most != 64 || done < 3 {
		t.Errorf("%v: %d of %d are said to be done; %v", err, done, most, a)
	}
}

// patients is how samples are told of whose columns the largest are age 80 and dose 4, and whose column between says
// the sex. Where there is an intercept, the last column is.
func patients(intercept int) *person {
	return &person{
		attributes: []attribute{{name: "age", columns: []int{0}},
			{name: "sex", columns: []int{1, 2}, values: []string{"Female", "Male"}},
			{name: "dose", columns: []int{3}}},
		divisors: []float64{80, 1, 1, 4, 1}, largest: []float64{1, 1, 1, 1, 1}, intercept: intercept, label: "ill",
		classes: map[float64]string{-1: "no", 1: "yes"},
	}
}

// told is what is said of an estimate of a sample.
func told(p *person, x []float64, y float64, truth adversary.Sample) AdvanceStep {
	b := &Advancing{person: p}
	f := &record.Finding{Succeeded: record.Partial, Estimates: []record.Estimate{{X: x, Y: y}}}
	return b.step(f, &adversary.Truth{Samples: []adversary.Sample{truth}})
}

// A number is found if it is right to 10⁻⁶ of the column's largest, which is 1 here: columns were divided by theirs.
func TestAdvanceStep_FoundIsAMillionthOfTheLargest(t *testing.T) {
	truth := []float64{0.5, 0, 1, 0.3125} // age 40, male, dose 1.25
	for _, c := range []struct {
		off   float64
		right bool
	}{{0, true}, {1e-9, true}, {9e-7, true}, {1.1e-6, false}, {1e-5, false}, {1e-4, false}, {1e-3, false},
		{9e-3, false}, {0.1, false}} {
		for _, sign := range []float64{1, -1} {
			for _, column := range []int{0, 3} {
				x := slices.Clone(truth)
				x[column] += sign * c.off
				want := []bool{column != 0 || c.right, true, column != 3 || c.right, true}
				s := told(patients(-1), x, 1, adversary.Sample{X: truth, Y: 1})
				if !slices.Equal(s.Right, want) {
					t.Errorf("column %d off by %v: right %v, want %v", column, sign*c.off, s.Right, want)
				}
				if is := []string{"40", "Male", "1.25", "yes"}; !slices.Equal(s.Truth, is) ||
					c.right && !slices.Equal(s.Sample, is) {
					t.Errorf("column %d off by %v: %q for %q", column, sign*c.off, s.Sample, s.Truth)
				}
				// With an intercept, rows that were multiplied by different numbers are told as they were before.
				scaled, is := append(slices.Clone(x), 1), append(slices.Clone(truth), 1)
				for k := range scaled {
					scaled[k] *= 0.25
					is[k] *= 0.5
				}
				if s := told(patients(4), scaled, 1, adversary.Sample{X: is, Y: 1}); !slices.Equal(s.Right, want) {
					t.Errorf("a scaled row, column %d off by %v: right %v, want %v", column, sign*c.off, s.Right, want)
				}
			}
		}
	}
	// Another category and another label are wrong by themselves.
	s := told(patients(-1), []float64{0.5, 1, 0, 0.3125}, -1, adversary.Sample{X: truth, Y: 1})
	if want := []bool{true, false, true, false}; !slices.Equal(s.Right, want) ||
		!slices.Equal(s.Sample, []string{"40", "Female", "1.25", "no"}) {
		t.Errorf("%q, right %v, want %v", s.Sample, s.Right, want)
	}
}

// Where the label is open, a sample and its opposite explain the messages alike, and the estimate is told as that of
// the two which is near the sample. Where the label is known, the opposite is wrong.
func TestAdvanceStep_TurnsWhatIsOpenUpToItsSign(t *testing.T) {
	truth := adversary.Sample{X: []float64{0.5, 0, 1, 0.3125}, Y: -1}
	is := []string{"40", "Male", "1.25", "no"}
	for _, sign := range []float64{1, -1} {
		x := make([]float64, len(truth.X))
		for k := range x {
			x[k] = sign * truth.X[k]
		}
		given := slices.Clone(x)
		s := told(patients(-1), x, 0, truth)
		if want := []string{"40", "Male", "1.25", "not determined"}; !slices.Equal(s.Sample, want) ||
			!slices.Equal(s.Truth, is) || !slices.Equal(s.Right, []bool{true, true, true, false}) {
			t.Errorf("%v times the sample, of unknown label: %q for %q, right %v", sign, s.Sample, s.Truth, s.Right)
		}
		if !slices.Equal(x, given) {
			t.Errorf("the finding itself was changed from %v to %v", given, x)
		}
	}
	opposite := []float64{-0.5, 0, -1, -0.3125}
	s := told(patients(-1), opposite, -1, truth)
	if s.Sample[0] != "-40" || s.Sample[2] != "-1.25" || !slices.Equal(s.Right, []bool{false, false, false, true}) {
		t.Errorf("the opposite of a known label: %q, right %v", s.Sample, s.Right)
	}
}

// A number is told as a whole one only if it is one but for rounding.
func TestPerson_TellsNumbersAsTheyAre(t *testing.T) {
	p := patients(-1)
	for _, c := range []struct {
		age, dose float64
		want      [2]string
	}{
		{40, 1.25, [2]string{"40", "1.25"}},
		{39.75, 2.75, [2]string{"39.75", "2.75"}},
		{40.3, 3.9, [2]string{"40.3", "3.9"}},
		{17.01, 0.1, [2]string{"17.01", "0.1"}},
		{59.999, 0.999, [2]string{"59.999", "0.999"}},
		{40 + 1e-9, 2 - 1e-9, [2]string{"40", "2"}},
		{-40 - 1e-9, -0.25, [2]string{"-40", "-0.25"}},
		{math.Copysign(0, -1), -1e-9, [2]string{"0", "0"}},
		{1e-6, 4.559e-7, [2]string{"1e-06", "4.559e-07"}},
	} {
		got := p.words([]float64{c.age / 80, 1, 0, c.dose / 4}, 1, 1e-9)
		if want := []string{c.want[0], "Female", c.want[1], "yes"}; !slices.Equal(got, want) {
			t.Errorf("age %v and dose %v: %q, want %q", c.age, c.dose, got, want)
		}
	}
	// Where columns are not divided by their largest, numbers are small beside that and not beside 1.
	small := patients(-1)
	small.divisors, small.largest = []float64{1, 1, 1, 1, 1}, []float64{80, 1, 1, 5e-7, 1}
	s := told(small, []float64{40.00001, 1, 0, 4.5e-7}, 1, adversary.Sample{X: []float64{40, 1, 0, 4.4e-7}, Y: 1})
	if !slices.Equal(s.Sample, []string{"40", "Female", "4.5e-07", "yes"}) ||
		!slices.Equal(s.Truth, []string{"40", "Female", "4.4e-07", "yes"}) || s.Right[2] || !s.Right[0] {
		t.Errorf("%q for %q, right %v", s.Sample, s.Truth, s.Right)
	}
	// What an attack got wrong is told as wrong as it is, though the truth is near and whole.
	s = told(p, []float64{40.25 / 80, 1, 0, 1.9 / 4}, 1, adversary.Sample{X: []float64{0.5, 1, 0, 0.5}, Y: 1})
	if !slices.Equal(s.Sample, []string{"40.25", "Female", "1.9", "yes"}) ||
		!slices.Equal(s.Truth, []string{"40", "Female", "2", "yes"}) {
		t.Errorf("%q for %q", s.Sample, s.Truth)
	}
}

// Of successes, one that is found in part stands for another such only.
func TestAsGood(t *testing.T) {
	all := []record.Outcome{record.Exact, record.Partial, record.Failed, record.Unscored, record.Blocked}
	good := map[[2]record.Outcome]bool{
		{record.Exact, record.Exact}: true, {record.Exact, record.Partial}: true,
		{record.Partial, record.Partial}: true,
	}
	for _, is := range all {
		for _, than := range all[:2] {
			if got := asGood(is, than); got != good[[2]record.Outcome{is, than}] {
				t.Errorf("%s is as good as %s: %v", is, than, got)
			}
		}
	}
}

// An attack that is made to be exact with certain packets and to succeed in part with one of them needs all of these to
// be as good as it was, and they are told in order of arrival, whatever their rounds and senders. One that only ever
// succeeds in part needs that one.
func TestWhyLearnt_FindsWhatAnAttackWasMadeToNeed(t *testing.T) {
	r := recorded(t, jittery)
	all := messagesOf(t, r)
	var ids []uint64 // by first arrival
	copies, of := map[uint64]int{}, map[uint64]record.Message{}
	for _, row := range asTheyArrive(all) {
		m := all[row]
		if copies[m.ID]++; copies[m.ID] == 1 {
			ids = append(ids, m.ID)
			of[m.ID] = m
		}
	}
	// Of each two packets of which the later round came first, or the later sending; and one that came twice.
	var needed []uint64
	rounds, sendings := false, false
	for k := 1; k < len(ids); k++ {
		was, is := of[ids[k-1]], of[ids[k]]
		if !rounds && was.Round > is.Round || !sendings && was.Round == is.Round && was.SentNS > is.SentNS {
			rounds, sendings = rounds || was.Round > is.Round, sendings || was.Round == is.Round
			needed = append(needed, was.ID, is.ID)
		}
	}
	if k := slices.IndexFunc(ids, func(id uint64) bool { return copies[id] == 2 }); k >= 0 {
		needed = append(needed, ids[k])
	}
	if !rounds || !sendings || len(needed) != 5 {
		t.Fatalf("%v of %v", needed, ids)
	}
	place := func(id uint64) int { return slices.Index(ids, id) }
	slices.SortFunc(needed, func(a, b uint64) int { return cmp.Compare(place(a), place(b)) })
	needed = slices.Compact(needed)
	one := needed[len(needed)/2]

	a, err := newAssault(t.Context(), r, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &needing{assault: a, seen: a.arrivals()}
	_, w.truth = a.on(adversary.Observe(a.recording, a.watch, a.public, nil), 0)
	for _, best := range []record.Outcome{record.Exact, record.Partial} {
		made := probe(func(packets []record.Message) record.Outcome {
			row := -1 // packets come as they were sent
			has := map[uint64]bool{}
			for _, p := range packets {
				at := slices.Index(all, p)
				if at <= row {
					t.Fatalf("packet %d comes after one that was sent later", p.ID)
				}
				row, has[p.ID] = at, true
			}
			switch {
			case !slices.ContainsFunc(needed, func(id uint64) bool { return !has[id] }):
				return best
			case has[one]:
				return record.Partial
			}
			return record.Blocked
		})
		seen := map[uint64]bool{}
		for _, row := range w.seen {
			seen[w.recording.Messages[row].ID] = true
		}
		s, err := w.search(context.Background(), made, WhyOptions{Most: 5000})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(needed)
		slices.SortFunc(want, func(p, q uint64) int { // in the order of sending, whatever came first
			return cmp.Or(cmp.Compare(of[p].SentNS, of[q].SentNS), cmp.Compare(p, q))
		})
		if best == record.Partial {
			want = []uint64{one}
		}
		var got []uint64
		for _, p := range s.Enough {
			got = append(got, p.ID)
			m := of[p.ID]
			if p.Kind != m.Kind || p.Round != m.Round || p.Src != m.Src || p.Dst != m.Dst || p.SentNS != m.SentNS {
				t.Errorf("%s: %+v is told as %+v", best, m, p)
			}
			without := record.Partial
			if p.ID == one {
				without = record.Blocked
			}
			if p.Without != without {
				t.Errorf("%s: without packet %d it is %s, want %s", best, p.ID, p.Without, without)
			}
		}
		if !slices.Equal(got, want) || s.Outcome != best || s.With != best || !s.Minimal || s.Seen != len(seen) {
			t.Errorf("%s: packets %v, want %v; %s with them, minimal %v", best, got, want, s.With, s.Minimal)
		}
	}
}

// Of all packets the page's attacks say what those on the record do, also of nodes that began anew.
func TestAdvance_EndsWithWhatAttacksFind(t *testing.T) {
	r := recorded(t, `name: anew
problem: {data: wdbc, train: 40, rho: 0.3}
network:
  topology: {kind: ring, nodes: 5}
  latency: 20ms
  faults: [{at: 130ms, crash: 2, until: 150ms, memory: lost}]
rounds: {count: 20, retry: 50ms}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: 2, all-but: 0}, attacks: [kkt-rounds, late-joiner]}
`)
	a, err := advanceOf(t, r, AdvanceOptions{Points: 8})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Attack(context.Background(), r, AttackOptions{})
	if err != nil || len(found.Findings) != len(a.Lines) {
		t.Fatal(len(found.Findings), len(a.Lines), err)
	}
	for k, l := range a.Lines {
		f, last := &found.Findings[k], l.Steps[len(l.Steps)-1]
		if l.Attack != f.Attack || last.Outcome != f.Succeeded || last.Conclusion != f.Conclusion ||
			last.Outcome != record.Exact {
			t.Errorf("%s: %s, %q; %s of the record: %s, %q", l.Attack, last.Outcome, last.Conclusion, f.Attack,
				f.Succeeded, f.Conclusion)
		}
	}
}

// A label has the name of its class: of wdbc's rows more are benign than malignant.
func TestPerson_CallsClassesByTheirNames(t *testing.T) {
	a, err := newAssault(t.Context(), recorded(t, hospitals), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{}
	for _, y := range a.assembly.Set.Y {
		of[classNames(a.assembly.Set, "−1", "+1")[y]]++
	}
	if of["benign"] != 357 || of["malignant"] != 212 {
		t.Errorf("%v", of)
	}
}
