// What an observer sees by its place, when nodes without lockstep go on, and what
// findings say of it.

package adversary

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/parameter"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// A colluding node has what it sent and what it receives; a tap has a link both ways;
// nobody has what was lost, or what came before they did.
func TestVantage_Sees(t *testing.T) {
	packet := func(src, dst, round int) record.Message {
		return record.Message{Src: int32(src), Dst: int32(dst), Round: int32(round), ReceivedNS: 5, Kind: "value"}
	}
	lost := packet(0, 1, 2)
	lost.ReceivedNS = -1
	for _, c := range []struct {
		name string
		w    Vantage
		m    record.Message
		want bool
	}{
		{"everything", Vantage{}, packet(0, 1, 0), true},
		{"a lost packet", Vantage{}, lost, false},
		{"one that arrives at once", Vantage{}, record.Message{Src: 0, Dst: 1}, true},
		{"before it came", Vantage{From: 3}, packet(0, 1, 2), false},
		{"when it came", Vantage{From: 3}, packet(0, 1, 3), true},
		{"what a colluder sent", Vantage{Nodes: []int{0}}, packet(0, 1, 2), true},
		{"what a colluder receives", Vantage{Nodes: []int{1}}, packet(0, 1, 2), true},
		{"between others", Vantage{Nodes: []int{2}}, packet(0, 1, 2), false},
		{"over a tapped link", Vantage{Links: [][2]int{{0, 1}}}, packet(0, 1, 2), true},
		{"over a tapped link, back", Vantage{Links: [][2]int{{0, 1}}}, packet(1, 0, 2), true},
		{"over another link", Vantage{Links: [][2]int{{0, 2}}}, packet(0, 1, 2), false},
	} {
		if got := c.w.Sees(&c.m, 1); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	seen := 0
	const packets, miss = 4000, 0.3
	for id := range packets {
		m := packet(0, 1, 2)
		m.ID = uint64(id)
		if (&Vantage{Miss: miss}).Sees(&m, 1) {
			seen++
		}
	}
	if off := math.Abs(float64(seen) - packets*(1-miss)); !(off <= 5*math.Sqrt(packets*miss*(1-miss))) {
		t.Errorf("%d of %d packets are seen, %v %% of which escape", seen, packets, 100*miss)
	}
}

// A colluder knows its own values of the rounds that it is there for, sent or not.
func TestObserve_ColludersHaveTheirOwnValues(t *testing.T) {
	f := small(t, 4, 3, ring(5))
	rec, pub := run(t, f, "admm", 6, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	total := len(rec.Messages)
	rec.Messages = slices.DeleteFunc(rec.Messages, func(m record.Message) bool { return m.Src == 1 })
	v := Observe(rec, Vantage{Nodes: []int{1}, From: 3}, pub, nil)
	for round := 1; round <= 6; round++ {
		if _, ok := v.Value(1, round); ok != (round >= 3) {
			t.Errorf("its own value of round %d: %v", round, ok)
		}
	}
	if _, ok := v.Value(3, 4); ok {
		t.Error("the value of a node that is not linked to it is seen")
	}
	seen, of := v.Seen()
	if of != len(rec.Messages) || of >= total || seen != 2*(6-3+1) && seen != 3*(6-3+1) {
		t.Errorf("%d of %d packets are seen", seen, of)
	}
}

// A trace that is impossible in both worlds tells them as little apart as one that is as
// likely in both.
func TestEvidence_Ratio(t *testing.T) {
	none := math.Inf(-1)
	for _, c := range []struct{ a, b, want float64 }{
		{-1, -3, 2}, {-3, -1, -2}, {none, none, 0}, {-1, none, math.Inf(1)}, {none, -1, none},
	} {
		if got := (&Evidence{Density: []float64{c.a, c.b}}).Ratio(); got != c.want {
			t.Errorf("densities %v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// rules is a view of a node with four neighbours, each update's moment and every arrival
// given, in ms.
func rules(t *testing.T, trigger parameter.Trigger, slowest sim.Duration, published []int64,
	arrivals [][3]int64) map[[2]int][]int {
	t.Helper()
	graph, err := sim.NewGraph(5, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}})
	if err != nil {
		t.Fatal(err)
	}
	const ms = 1e6
	run := model.Run{Graph: graph, D: 1, Rounds: 9, R: make([]float64, 5),
		Timing: model.Timing{Trigger: trigger, Slowest: slowest}}
	rec := new(Recording)
	for round, at := range published {
		rec.Messages = append(rec.Messages, record.Message{Src: 0, Dst: 1, Round: int32(round), SentNS: at * ms,
			ReceivedNS: at*ms + 1, Kind: "value"})
	}
	for _, a := range arrivals { // neighbour, round, when
		rec.Messages = append(rec.Messages, record.Message{Src: int32(a[0]), Dst: 0, Round: int32(a[1]),
			SentNS: a[2]*ms - 1, ReceivedNS: a[2] * ms, Kind: "value"})
	}
	return Observe(rec, Vantage{}, known(t, "admm", algorithms.ADMM{Eta: 1}, run), nil).replayed
}

// An update starts when a share of the neighbours have been heard since the last one, not
// before, and uses the latest of each; a timeout starts it with what there is.
func TestRule_WhenANodeGoesOn(t *testing.T) {
	const s = model.Start
	half := parameter.Trigger{Quorum: 0.5}
	timed := parameter.Trigger{Quorum: 1, Timeout: 10e6}
	stale := parameter.Trigger{Quorum: 0.25, Staleness: 1}
	for name, c := range map[string]struct {
		trigger   parameter.Trigger
		published []int64
		arrivals  [][3]int64
		want      [][]int // by round, from 1
	}{
		"two of four are half": {half, []int64{0, 6, 9},
			[][3]int64{{1, 0, 2}, {3, 0, 5}, {2, 0, 7}, {1, 1, 8}, {4, 0, 10}, {3, 1, 12}},
			[][]int{{0, s, 0, s}, {1, 0, 0, s}}},
		"what came before the last update is taken, not counted twice": {half, []int64{0, 3, 9},
			[][3]int64{{1, 0, 1}, {2, 0, 2}, {1, 1, 6}, {4, 0, 8}}, [][]int{{0, 0, s, s}, {1, 0, s, 0}}},
		"all that has come by the last update is used": {half, []int64{0, 1},
			[][3]int64{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, [][]int{{0, 0, 0, s}}},
		"an older value that comes later changes nothing": {half, []int64{0, 5},
			[][3]int64{{1, 2, 1}, {1, 1, 2}, {2, 0, 4}}, [][]int{{2, 0, s, s}}},
		"a timeout": {timed, []int64{0, 10, 20}, [][3]int64{{1, 0, 4}, {2, 0, 15}},
			[][]int{{0, s, s, s}, {0, 0, s, s}}},
		"a value at the moment of the timeout is in time": {timed, []int64{0, 10}, [][3]int64{{1, 0, 10}},
			[][]int{{0, s, s, s}}},
		"all of them, before the timeout": {timed, []int64{0, 7},
			[][3]int64{{1, 0, 4}, {2, 0, 5}, {3, 0, 6}, {4, 0, 7}}, [][]int{{0, 0, 0, 0}}},
		"none may be more than a round behind": {stale, []int64{0, 8},
			[][3]int64{{1, 0, 2}, {2, 0, 3}, {3, 0, 4}, {4, 0, 8}}, nil},
		"neighbours that have ended count": {parameter.Trigger{Quorum: 0.75}, []int64{0, 4, 6},
			[][3]int64{{1, 9, 1}, {2, 9, 2}, {3, 0, 4}, {4, 0, 6}}, [][]int{{9, 9, 0, s}, {9, 9, 0, 0}}},
		"an update before anything was heard was not by the rule": {half, []int64{0, 1},
			[][3]int64{{1, 0, 2}, {2, 0, 3}}, nil},
		"one that takes longer than the slowest was not": {half, []int64{0, 9}, [][3]int64{{1, 0, 2}, {2, 0, 3}}, nil},
	} {
		got := rules(t, c.trigger, 1e6, c.published, c.arrivals)
		if strings.HasPrefix(name, "none may be") {
			// Round 1 follows round 0: a neighbour of whom nothing came is one behind, not two.
			if used := got[[2]int{0, 1}]; used != nil {
				t.Errorf("%s: at 8 ms round 1, ready at 2 ms, is too slow: %v", name, used)
			}
			got = rules(t, c.trigger, 1e6, []int64{0, 2, 8}, append(c.arrivals, [3]int64{1, 1, 5}))
			if used := got[[2]int{0, 2}]; !slices.Equal(used, []int{1, 0, 0, 0}) {
				t.Errorf("%s: round 2 uses %v", name, used)
			}
			continue
		}
		for round, want := range c.want {
			if used := got[[2]int{0, round + 1}]; !slices.Equal(used, want) {
				t.Errorf("%s: round %d uses %v, want %v", name, round+1, used, want)
			}
		}
		if used := got[[2]int{0, len(c.want) + 1}]; used != nil {
			t.Errorf("%s: round %d uses %v", name, len(c.want)+1, used)
		}
	}
}

// The row of a node that has but one is found whole by its intercept: the residual is the
// sine of the angle between a gradient and that row, and the label minus the gradient's
// sign along it.
func TestSingle_RowAndLabel(t *testing.T) {
	along := []float64{-0.48, -0.64, -0.6} // the intercept is the last
	gradient := func(scale, off float64) model.Gradient {
		return model.Gradient{Value: []float64{-0.48*scale - 0.8*off, -0.64*scale + 0.6*off, -0.6 * scale}}
	}
	for name, c := range map[string]struct {
		schema   *Schema
		all      []model.Gradient
		y        float64
		residual float64
		none     bool
	}{
		"a label of −1": {&Schema{Intercept: 2}, []model.Gradient{gradient(-0.5, 0)}, -1, 0, false},
		"a label of +1": {&Schema{Intercept: 2}, []model.Gradient{gradient(0.5, 0)}, 1, 0, false},
		"an angle":      {&Schema{Intercept: 2}, []model.Gradient{gradient(0.4, 0.3)}, 1, 0.6, false},
		"the worst":     {&Schema{Intercept: 2}, []model.Gradient{gradient(0.4, 0.3), gradient(0.5, 0)}, 1, 0.6, false},
		"a gradient of zero says nothing": {&Schema{Intercept: 2}, []model.Gradient{gradient(0, 0), gradient(0.4, 0.3)},
			1, 0.6, false},
		"an unknown past leaves the label open": {&Schema{Intercept: 2}, []model.Gradient{{Value: []float64{1, 0, 0},
			Offset: 1}}, 0, 0, false},
		"no schema":              {nil, []model.Gradient{gradient(0.5, 0)}, 0, 0, true},
		"no intercept":           {&Schema{Intercept: -1}, []model.Gradient{gradient(0.5, 0)}, 0, 0, true},
		"no such column":         {&Schema{Intercept: 3}, []model.Gradient{gradient(0.5, 0)}, 0, 0, true},
		"the first column is it": {&Schema{Intercept: 0}, []model.Gradient{gradient(0.5, 0)}, 1, 0, false},
	} {
		f := new(record.Finding)
		(&View{Knows: &Knowledge{Schema: c.schema}}).single(c.all, along, f)
		if len(f.Estimates) != map[bool]int{true: 0, false: 1}[c.none] {
			t.Errorf("%s: %+v", name, f.Estimates)
			continue
		}
		if c.none {
			continue
		}
		e := f.Estimates[0]
		if e.Y != c.y || !(math.Abs(float64(e.Residual)-c.residual) <= 1e-12) || !(math.Abs(e.X[2]-0.6) <= 1e-12) ||
			!strings.Contains(f.Conclusion, "the intercept gives whole") ||
			strings.Contains(f.Conclusion, "but for its label") != (c.y == 0) {
			t.Errorf("%s: %+v, %q", name, e, f.Conclusion)
		}
	}
}

// Candidates are in a span to an angle; which is farthest is said where there is one.
func TestJudge_Candidates(t *testing.T) {
	basis := problem.NewRows(2) // the first two directions of three, as columns
	basis.Append([]int32{0}, []float64{1})
	basis.Append([]int32{1}, []float64{1})
	basis.Append(nil, nil)
	rows := newColumnSpace(basis)
	near := []float64{1, 0, 1e-3}
	for name, c := range map[string]struct {
		x       [][]float64
		members int
		says    []string
		not     string
	}{
		"one in, one out": {[][]float64{near, {0, 0, 1}}, 1, []string{"1 of 2 candidates", "the farthest at 0.001",
			"the nearest of the others is at 1"}, ""},
		"none":             {[][]float64{{0, 1, 1}}, 0, []string{"0 of 1 candidates", "at 0.71"}, "farthest"},
		"all":              {[][]float64{{1, 1, 0}}, 1, []string{"1 of 1 candidates", "farthest"}, "others"},
		"a row of zeros":   {[][]float64{{0, 0, 0}}, 0, []string{"0 of 1 candidates"}, "others"},
		"as far as may be": {[][]float64{{0, 0.3, 0.1}}, 0, []string{"0 of 1 candidates", "at 0.32"}, "farthest"},
	} {
		s := new(Samples)
		for _, x := range c.x {
			s.Add(Sample{X: x, Y: 1})
		}
		f := new(record.Finding)
		judge(s, rows, 0.01, false, f)
		part := new(record.Finding) // of a span that may lack rows the same, but none is ruled out
		judge(s, rows, 0.01, true, part)
		for k, m := range f.Members {
			if p := part.Members[k]; p.Member != m.Member || p.Open == m.Member || m.Open || p.Score != m.Score {
				t.Errorf("%s: %+v, where the span may be a part %+v", name, m, p)
			}
		}
		open := strings.TrimPrefix(part.Conclusion, f.Conclusion)
		if others := strings.Contains(f.Conclusion, "others"); others != strings.Contains(open, "only if there are") {
			t.Errorf("%s: %q", name, part.Conclusion)
		}
		members := 0
		for _, m := range f.Members {
			members += bit(m.Member)
		}
		if members != c.members || len(f.Members) != len(c.x) || c.not != "" && strings.Contains(f.Conclusion, c.not) {
			t.Errorf("%s: %d members; %q", name, members, f.Conclusion)
		}
		for _, want := range c.says {
			if !strings.Contains(f.Conclusion, want) {
				t.Errorf("%s: %q lacks %q", name, f.Conclusion, want)
			}
		}
	}
}

// With noise, scores are −ln of posteriors that add up to 1, and one candidate at most is
// more likely than all others together; without, the right one alone fits.
func TestMembership_Posteriors(t *testing.T) {
	f := small(t, 6, 3, ring(5))
	k, want := f.allBut(1, 0)
	k.Candidates = new(Samples)
	for n := range 4 {
		k.Candidates.Add(f.samples(3).At(n))
	}
	k.Candidates.Add(want)
	rec, pub := run(t, f, "pvp", 8, sim.Link{}, func(p *algorithms.PVP) { p.Eta, p.Alpha = 0.3, *constant(4) })
	got := carry(t, "membership", Observe(rec, Vantage{}, pub, k))
	sum, members := 0.0, 0
	for _, m := range got.Members {
		p := math.Exp(-float64(m.Score))
		sum += p
		members += bit(m.Member)
		if m.Member != (p > 0.5) {
			t.Errorf("%+v has the probability %v", m, p)
		}
	}
	if !(math.Abs(sum-1) <= 1e-9) || members > 1 || len(got.Members) != 5 {
		t.Errorf("probabilities add up to %v; %d of %d are members", sum, members, len(got.Members))
	}
	rec, pub = run(t, f, "admm", 8, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	got = carry(t, "membership", Observe(rec, Vantage{}, pub, k))
	for _, m := range got.Members {
		if m.Member != (m.Candidate == 4) || m.Member && !(m.Score < 1e-6) || !m.Member && !(m.Score > 1e-3) {
			t.Errorf("without noise: %+v", m)
		}
	}
	if want := "8 rounds single out candidate 4 of 5"; got.Conclusion != want {
		t.Errorf("%q, want %q", got.Conclusion, want)
	}
	twice := *k
	twice.Candidates = new(Samples)
	twice.Candidates.Add(want)
	twice.Candidates.Add(want)
	twice.Candidates.Add(k.Candidates.At(0))
	got = carry(t, "membership", Observe(rec, Vantage{}, pub, &twice))
	if got.Conclusion != "2 of 3 candidates fit 8 rounds" {
		t.Errorf("%q", got.Conclusion)
	}
}

// An estimate without a label is scored up to its sign, its direction too.
func TestScore_CosineUpToTheSign(t *testing.T) {
	for label, want := range map[float64]float64{0: 0.8, 1: -0.8} {
		f := &record.Finding{Succeeded: record.Unscored,
			Estimates: []record.Estimate{{X: []float64{-0.8, 0.6}, Y: label}}}
		Score(f, &Truth{Samples: []Sample{{X: []float64{0.5, 0}, Y: 1}}})
		if s := f.Estimates[0].Score; !(math.Abs(float64(s.Cosine)-want) <= 1e-12) {
			t.Errorf("label %v: %+v, want a cosine of %v", label, s, want)
		}
	}
}

// Deviations of even rounds are relative to the iterates that entered them.
func TestEven_SizeIsOfWhatEntered(t *testing.T) {
	graph, err := sim.NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	var all []record.Iterate
	for round, values := range [][]float64{{1, 2, 4}, {8, 16, 32}, {64, 128, 256}} {
		for node, v := range values {
			all = append(all, record.Iterate{Node: int32(node), Round: int32(round), Values: []float64{-v}})
		}
	}
	run := model.Run{Graph: graph, D: 1, Rounds: 2, R: make([]float64, 3), Timing: model.Timing{Lockstep: true}}
	e, err := Overheard(known(t, "admm", algorithms.ADMM{Eta: 1}, run), nil, all).even(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	// node 1's values, and half of its two neighbours' sums of rounds 0 and 1
	if want := 2.0 + 16 + 128 + (1+4+8+32)/2.0; e.size != want {
		t.Errorf("%v, want %v", e.size, want)
	}
	if off := e.deviation(0); !(math.Abs(off-112/e.size) <= 1e-15) { // f(1) − f(2)
		t.Errorf("a deviation of %v", off)
	}
}

// Members are scored against what they are, each by itself.
func TestScore_MembersAreMarked(t *testing.T) {
	f := &record.Finding{Succeeded: record.Unscored,
		Members: []record.Membership{{Candidate: 0, Member: true}, {Candidate: 1}}}
	Score(f, &Truth{Member: func(c int) bool { return c == 0 }})
	for k, m := range f.Members {
		if m.Truth == nil || *m.Truth != (k == 0) {
			t.Errorf("%+v", m)
		}
	}
}

// Penalties that even rounds give away are known up to the last of them.
func TestRevealed_UpToTheLastEvenRound(t *testing.T) {
	f := small(t, 6, 5, ring(5))
	for _, rounds := range []int{9, 10} {
		rec, pub := run(t, f, "private-mr-admm", rounds, sim.Link{}, func(p *algorithms.PrivateMRADMM) {
			p.Eta, p.Gamma, p.Alpha = *growing(5), 0.3, *constant(2)
		})
		v := Observe(rec, Vantage{}, pub.Without(model.Penalty), nil)
		known, last, ok := v.revealed(2)
		if !ok || last != rounds/2*2 || known.Public.Rounds != last {
			t.Fatalf("%d rounds: %v, up to round %d", rounds, ok, last)
		}
		for round := 1; round <= last; round++ {
			want := growing(5).At(2, (round+1)/2)
			s := known.Public.Method.(model.NodeDual).Step(known.Public, 2, round, 0)
			if !(math.Abs(s.Eta/want-1) <= 1e-8) {
				t.Errorf("round %d: η = %v, want %v", round, s.Eta, want)
			}
		}
		got := carry(t, "recycling", Observe(rec, Vantage{}, pub, nil))
		if want := "say nothing that odd rounds had not said"; !strings.Contains(got.Conclusion, want) ||
			!strings.Contains(got.Checks[0].Detail, fmt.Sprintf("%d of %d", rounds/2, rounds/2)) {
			t.Errorf("public penalties: %q, %+v", got.Conclusion, got.Checks[0])
		}
		got = carry(t, "recycling", v)
		want := fmt.Sprintf("%d of them give the sender's private penalty", 5*(rounds/2))
		if !strings.Contains(got.Conclusion, want) {
			t.Errorf("hidden penalties: %q", got.Conclusion)
		}
	}
}
