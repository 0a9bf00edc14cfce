// The edges of conditions, claims and warnings: what holds just inside, and what fails at
// the edge itself.

package algorithms

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/sim"
	"overhear/theory"
)

// ZKL18 Theorem 4.1 needs 2c₁ < (B/C)(r + 2θV) at every node, with c₁ = 1/4: of four rows
// and C = 2, at a node with V = 2 neighbours, 0.5 < 2(r + 4θ).
func TestZKL18_Theorem41_ConditionCountsWeightAndNeighbours(t *testing.T) {
	condition := func(f *fixture, theta float64) error {
		m := makeMethod(t, f, "penalty-perturbation", 3, func(p *PenaltyPerturbation) {
			p.Eta, p.Theta = parameter.Constant(theta), parameter.Constant(theta)
		})
		return m.Method.(Private).Established()
	}
	path := newFixture(3, 4, 2, [][2]int{{0, 1}, {1, 2}})
	path.r, path.c = 0.02, 2
	// The ends bind: 0.5 < 2(0.02 + 2θ) for θ > 0.115.
	if err := condition(path, 0.116); err != nil {
		t.Errorf("θ = 0.116: %v", err)
	}
	if err := condition(path, 0.114); err == nil || !strings.Contains(err.Error(), "at node 0") {
		t.Errorf("θ = 0.114: %v", err)
	}
	// At equality it fails: one row, C = 1, 0.5 < 0.1 + 2·0.2.
	pair := newFixture(2, 1, 2, [][2]int{{0, 1}})
	pair.r = 0.1
	if err := condition(pair, 0.2); err == nil {
		t.Error("the condition is strict, and holds at equality")
	}
}

// RA19 Theorem 2's condition counts neighbours alike: 0.5 < 2(r + 2η(1)V).
func TestRA19_Theorem2_ConditionCountsNeighbours(t *testing.T) {
	path := newFixture(3, 4, 2, [][2]int{{0, 1}, {1, 2}})
	path.r, path.c = 0.02, 2
	for eta, holds := range map[float64]bool{0.116: true, 0.114: false} {
		m := makeMethod(t, path, "private-r-admm", 4, func(p *PrivateRADMM) { p.Eta = eta })
		if err := m.Method.(Private).Established(); (err == nil) != holds {
			t.Errorf("η = %v: %v", eta, err)
		}
	}
}

// Rows of norm exactly 1 are what every proof allows at most.
func TestEstablished_RowsOfNormOne(t *testing.T) {
	f := newFixture(2, 5, 2, [][2]int{{0, 1}})
	for norm, holds := range map[float64]bool{1: true, 1 + 2e-9: false} {
		f.rows[1][0] = []float64{norm, 0}
		m := makeMethod(t, f, "pvp", 3, func(p *PVP) { p.Eta = 1 })
		if err := m.Method.(Private).Established(); (err == nil) != holds {
			t.Errorf("a row of norm %v: %v", norm, err)
		}
	}
}

// The theorems are asked about the rounds that are named, or the last two uses of a penalty.
func TestTheorems_AreOfTheLastRounds(t *testing.T) {
	f := newFixture(4, 9, 3, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}})
	f.r = 1
	eta := parameter.List([]float64{0.1, 0.2, 0.3, 0.4, 0.8, 3})
	etas := func(k int) []float64 { return slices.Repeat([]float64{eta.At(0, k)}, 4) }
	m := makeMethod(t, f, "m-admm", 5, func(p *MADMM) { p.Eta, p.Theta = eta, parameter.Constant(0.1) })
	strong, smooth := theory.Constants(f.problem())
	want := theory.MADMM(m.setting.Graph, strong, smooth, 0.1, etas(4), etas(5))
	got := m.Method.(Analysed).Theorems(4, 5)[1]
	if one := fmt.Sprintf("the factor of round 5 alone is %.6f", want.Factor()); !want.Applies || !got.Holds ||
		!math.IsNaN(got.Factor) || !strings.HasPrefix(got.Reason, "applies to each round, without a rate") ||
		!strings.Contains(got.Reason, one) {
		t.Errorf("M-ADMM: %+v, want %s", got, one)
	}
	// Where the penalties are the same in all rounds that are named, they have a factor; what was before is not asked.
	late := makeMethod(t, f, "m-admm", 12, func(p *MADMM) { p.Eta, p.Theta = eta, parameter.Constant(0.1) })
	still := theory.MADMM(m.setting.Graph, strong, smooth, 0.1, etas(6), etas(6))
	for _, c := range []struct {
		from, to int
		factor   float64
	}{{6, 12, still.Factor()}, {5, 12, math.NaN()}} {
		if got := late.Method.(Analysed).Theorems(c.from, c.to)[1]; !got.Holds ||
			got.Factor != c.factor && !(math.IsNaN(got.Factor) && math.IsNaN(c.factor)) {
			t.Errorf("rounds %d to %d: %+v, want %v", c.from, c.to, got, c.factor)
		}
	}
	if first := m.Method.(Analysed).Theorems(4, 5)[0]; first.Name != "ZKL18 Theorem 3.1" || !first.Holds ||
		!math.IsNaN(first.Factor) || !strings.HasPrefix(first.Reason, "applies: convergence is proved") {
		t.Errorf("penalties that rise from θ: %+v", first)
	}
	low := makeMethod(t, f, "m-admm", 5, func(p *MADMM) { p.Eta, p.Theta = eta, parameter.Constant(0.15) })
	if first := low.Method.(Analysed).Theorems(4, 5)[0]; first.Holds ||
		!strings.HasPrefix(first.Reason, "does not apply: convergence is not proved: the penalty of node 0") {
		t.Errorf("a penalty below θ: %+v", first)
	}
	if other := theory.MADMM(m.setting.Graph, strong, smooth, 0.1, etas(6), etas(5)); other.Applies &&
		other.Factor() == want.Factor() {
		t.Error("the rounds make no difference, so that the test shows nothing")
	}
	r := makeMethod(t, f, "mr-admm", 10, func(p *MRADMM) { p.Eta, p.Gamma = eta, 0.5 })
	reason := theory.RADMM(r.setting.Graph, smooth, 0.5, etas(4), etas(5)).Reason
	if got := r.Method.(Analysed).Theorems(4, 5)[0]; got.Reason != reason {
		t.Errorf("MR-ADMM: %q, want %q", got.Reason, reason)
	}
	// What happened before them counts: a penalty that fell, and one that differed between nodes.
	for want, eta := range map[string]parameter.Schedule{
		"the penalty of node 0 falls, from 0.3 to 0.1 in use 2": parameter.List([]float64{0.3, 0.1, 0.2, 0.2, 0.2}),
		"in use 1 node 0 has the penalty 0.1 and node 1 has 0.2": {Nodes: []parameter.Sequence{
			{Values: []float64{0.1, 0.2}}, {Values: []float64{0.2}}, {Values: []float64{0.2}},
			{Values: []float64{0.2}}}},
	} {
		r := makeMethod(t, f, "mr-admm", 10, func(p *MRADMM) { p.Eta, p.Gamma = eta, 50 })
		if got := r.Method.(Analysed).Theorems(4, 5)[0]; got.Holds ||
			!strings.HasPrefix(got.Reason, "does not apply: "+want) {
			t.Errorf("MR-ADMM: %+v, want %q", got, want)
		}
	}
	if theory.RADMM(r.setting.Graph, smooth, 0.5, etas(6), etas(5)).Reason == reason {
		t.Error("the uses make no difference, so that the test shows nothing")
	}
}

// No finite number of rounds shows a bound on penalties that grow for ever; the law does.
func TestTheorems_NeedPenaltiesBelowABound(t *testing.T) {
	f := newFixture(4, 9, 3, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}})
	f.r = 1
	grows := parameter.Sequence{Initial: 0.1, Ratio: 1.01}
	bounded := parameter.Sequence{Initial: 0.1, Ratio: 1.01, Max: 3}
	listed := parameter.Sequence{Values: []float64{0.1, 0.2}, Ratio: 2}
	nodes := func(last parameter.Sequence) parameter.Schedule {
		return parameter.Schedule{Nodes: []parameter.Sequence{bounded, listed, bounded, last}}
	}
	for k, c := range []struct {
		eta   parameter.Schedule
		grows bool
	}{
		{parameter.Schedule{Sequence: grows}, true}, {parameter.Schedule{Sequence: bounded}, false},
		{parameter.Schedule{Sequence: listed}, false}, {nodes(grows), true}, {nodes(listed), false},
		{parameter.Constant(0.1), false},
	} {
		const why = "does not apply: convergence is not proved: the penalties grow without a bound"
		m := makeMethod(t, f, "m-admm", 5, func(p *MADMM) { p.Eta, p.Theta = c.eta, parameter.Constant(0.1) }).Method
		got := m.(Analysed).Theorems(4, 5)[0]
		if got.Holds == c.grows || strings.HasPrefix(got.Reason, why) != c.grows {
			t.Errorf("M-ADMM %d: %+v", k, got)
		}
		if warned := m.(Cautious).Warnings() != nil; warned != c.grows {
			t.Errorf("M-ADMM %d: warned %v", k, warned)
		}
		r := makeMethod(t, f, "mr-admm", 5, func(p *MRADMM) { p.Eta, p.Gamma = c.eta, 50 }).Method
		if got := r.(Analysed).Theorems(4, 5)[0]; strings.Contains(got.Reason, "without a bound") != c.grows ||
			c.grows && got.Holds {
			t.Errorf("MR-ADMM %d: %+v", k, got)
		}
	}
}

// Penalties that differ between nodes are warned of, be it in the last use only.
func TestRecycled_WarnsOfTheLastUse(t *testing.T) {
	f := newFixture(2, 5, 2, [][2]int{{0, 1}})
	for rounds, warned := range map[int]bool{4: false, 5: true, 6: true} {
		m := makeMethod(t, f, "mr-admm", rounds, func(p *MRADMM) {
			p.Eta = parameter.Schedule{Nodes: []parameter.Sequence{{Values: []float64{1, 1, 1}},
				{Values: []float64{1, 1, 2}}}}
		})
		if all := m.Method.(Cautious).Warnings(); (len(all) == 1) != warned {
			t.Errorf("%d rounds: %q", rounds, all)
		}
	}
}

// A start at zero is +0 in every component, whatever the stream would draw.
func TestInit_Start(t *testing.T) {
	for _, x := range (Init{}).Start(3, 5, 40) {
		if x != 0 || math.Signbit(x) {
			t.Fatalf("a start at zero has %v", x)
		}
	}
	i := Init{Normal: 2}
	if err := i.UnmarshalText([]byte("zeros")); err != nil || i.Normal != 0 {
		t.Errorf("zeros gives %+v, %v", i, err)
	}
	if err := i.UnmarshalText([]byte("ones")); err == nil || !strings.Contains(err.Error(), "must be zeros") {
		t.Errorf("ones: %v", err)
	}
}

func TestEntries_AreSortedByName(t *testing.T) {
	all := Entries()
	if !slices.IsSortedFunc(all, func(a, b *Entry) int { return strings.Compare(a.Name, b.Name) }) || len(all) < 19 {
		t.Error("the methods are not in order")
	}
}

// Which rounds of a method touch no data.
func TestIdle_RoundsThatTouchNoData(t *testing.T) {
	f := newFixture(2, 5, 2, [][2]int{{0, 1}})
	for _, name := range []string{"local", "centralised"} {
		m := makeMethod[struct{}](t, f, name, 3, nil).Method.(Idler)
		if m.Idle(1) || !m.Idle(2) || !m.Idle(3) {
			t.Errorf("%s idles in the wrong rounds", name)
		}
	}
	m := makeMethod[RADMM](t, f, "r-admm", 3, nil).Method.(Idler)
	if m.Idle(1) || !m.Idle(2) || m.Idle(3) {
		t.Error("r-admm idles in the wrong rounds")
	}
}

// sharingOf is private ADMM sharing over two parties, of which the second's blocks may be
// dependent.
func sharingOf(t *testing.T, b *blocks, rounds int, cover string, change func(*PrivateSharing)) *privateSharing {
	t.Helper()
	e, _ := Lookup("private-admm-sharing")
	m, err := e.New(b.private(cover, change), b.setting(t, rounds))
	if err != nil {
		t.Fatal(err)
	}
	return m.(*privateSharing)
}

// SH19's claims are those of the cover, and its known faults are warned of.
func TestPrivateSharing_WarningsAndGuaranteesAreOfTheCover(t *testing.T) {
	b := newBlocks(8, []int{2, 3}, "mean")
	for _, c := range []struct {
		cover                string
		inRange, sensitivity bool
		guarantee            string
	}{
		{"range", true, true, "Corollary 1"}, {"ambient", false, true, "Lemma 1"}, {"off", false, false, "Corollary 1"},
	} {
		m := sharingOf(t, b, 3, c.cover, nil)
		all := strings.Join(m.Warnings(), "\n")
		if strings.Contains(all, "noise: range lies inside") != c.inRange ||
			strings.Contains(all, "the sensitivity of Lemma 1") != c.sensitivity ||
			strings.Contains(all, "columns depend") {
			t.Errorf("%s: warnings %q", c.cover, all)
		}
		if !strings.Contains(m.Guarantee(), c.guarantee) {
			t.Errorf("%s: %q", c.cover, m.Guarantee())
		}
	}
	for _, row := range b.d[1] { // its third column is the sum of two others
		row[2] = row[0] + row[1]
	}
	all := strings.Join(sharingOf(t, b, 3, "range", nil).Warnings(), "\n")
	if !strings.Contains(all, "party 2: 1 of its 3 columns depend on the others") || strings.Contains(all, "party 1:") {
		t.Errorf("a dependent column: %q", all)
	}
}

// The composed claim of noise that covers the space, by hand: ρ + 2√(ρ ln(1/δ′)) with
// ρ = T𝒞²/2σ², of the party whose noise protects least; and what is stated of a round.
func TestPrivateSharing_AmbientCompositionByHand(t *testing.T) {
	b := newBlocks(8, []int{2, 3}, "mean")
	const sigma, slack = 7.0, 0.02
	m := sharingOf(t, b, 9, "ambient", func(p *PrivateSharing) { p.Sigma, p.Slack = sigma, slack })
	worst := 0.0
	for party := range b.d {
		c := m.sensitivity(party)
		rho := 9 * c * c / (2 * sigma * sigma)
		worst = max(worst, rho+2*math.Sqrt(rho*math.Log(1/slack)))
	}
	if epsilon, delta := m.Composed(9); !(math.Abs(epsilon-worst) <= 1e-12*worst) || delta != slack {
		t.Errorf("(%v, %v), by hand (%v, %v)", epsilon, delta, worst, slack)
	}
	if epsilon, delta := m.Stated(); epsilon != 0 || delta != m.Delta {
		t.Errorf("of noise that is given, (%v, %v) is stated", epsilon, delta)
	}
	m = sharingOf(t, b, 9, "ambient", func(p *PrivateSharing) { p.Epsilon = 0.7 })
	if epsilon, delta := m.Stated(); epsilon != 0.7 || delta != m.Delta {
		t.Errorf("of noise for ε = 0.7, (%v, %v) is stated", epsilon, delta)
	}
}

// Every party spends in every round, the last included.
func TestPrivateSharing_EveryRoundIsAccounted(t *testing.T) {
	b := newBlocks(8, []int{2, 3}, "mean")
	m := sharingOf(t, b, 4, "range", nil)
	l := new(privacy.Ledger)
	m.Account(l)
	for party := range b.d {
		for round := 1; round <= 4; round++ {
			want := privacy.GaussianDP{Sensitivity: m.sensitivity(party), Sigma: m.sigma(party)}
			one := new(privacy.Ledger)
			one.Spend(party, round, privacy.Column, want)
			got := l.Part(party, round, round).RDP(party, privacy.Column, 1e-5)
			if w := one.RDP(party, privacy.Column, 1e-5); got != w {
				t.Errorf("party %d spends %v in round %d, want %v", party, got, round, w)
			}
		}
	}
}

// A composed δ of exactly 1 says nothing.
func TestPrivateSharing_DeltaOfOneSaysNothing(t *testing.T) {
	b := newBlocks(8, []int{2, 3}, "mean")
	b.unit()
	for slack, holds := range map[float64]bool{0.5: false, 0.49: true} {
		m := sharingOf(t, b, 2, "range", func(p *PrivateSharing) { p.Delta, p.Slack, p.Epsilon = 0.25, slack, 0.5 })
		if err := m.Established(); (err == nil) != holds {
			t.Errorf("2·0.25 + %v: %v", slack, err)
		}
	}
}

// Servers that crash without their memory do again what they made of the reports, or wait
// for those that are missing from when they are up again.
func TestRegistration_RestartWithoutMemory(t *testing.T) {
	f := newFixture(2, 4, 2, [][2]int{{0, 1}})
	a := makeMethod(t, f, "pdml", 12, func(p *PDML) { p.Eta = 0.3 })
	for _, trigger := range []*parameter.Trigger{nil, {Quorum: 1, Timeout: 20e6}} {
		c := Config{Setting: a.setting, Method: a.Method, Cost: Cost{Row: 1e6}, Retry: 10e6, Deadline: 250e6,
			Trigger: trigger}
		p, err := NewProtocol(c)
		if err != nil {
			t.Fatal(err)
		}
		e := engineOf(t, p, func(c *sim.Config) {
			c.Faults = []sim.Fault{{At: 20e6, Until: 40e6, Kind: sim.Crash{Node: 1, Memory: "lost"}}}
		})
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := p.Unfinished(); err != nil {
			t.Error(err)
		}
		// One report never comes. Servers ask after 10 ms, and then every 80 ms.
		all := 1.0
		if p, err = NewProtocol(c); err != nil {
			t.Fatal(err)
		}
		e = engineOf(t, p, func(c *sim.Config) {
			c.Overrides = []sim.Override{{Between: [2]int{1, 6}, Loss: &all}, {Between: [2]int{0, 1}, Loss: &all}}
			c.Faults = []sim.Fault{{At: 20e6, Until: 60e6, Kind: sim.Crash{Node: 1, Memory: "lost"}},
				{At: 5e6, Kind: sim.Leave{Node: 0}}}
		})
		err = e.Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), "node 1 waits for the reports of 1 user") {
			t.Fatalf("%v", err)
		}
		if e.Now() != 60e6+250e6 {
			t.Errorf("up again at 60 ms, server 1 gives up at %v", e.Now())
		}
	}
}

// Without a deadline nobody gives up while messages are lost.
func TestProtocols_NoDeadlineIsForEver(t *testing.T) {
	everyConfig(t, 4, func(t *testing.T, e *Entry, c Config) {
		c.Retry = 3e6
		if c.Trigger != nil {
			c.Trigger = &parameter.Trigger{Quorum: 1, Timeout: 3e6, Staleness: 1}
		}
		p, err := NewProtocol(c)
		if err != nil {
			t.Fatal(err)
		}
		lossy := func(c *sim.Config) { c.Link.Loss = 0.5 }
		if err := engineOf(t, p, lossy).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := p.Unfinished(); err != nil {
			t.Error(err)
		}
	})
}

// A hub says what it waits for, where nothing more happens and where its deadline passes:
// at that very instant if it looks then.
func TestStar_SaysWhatTheHubWaitsFor(t *testing.T) {
	m := makeMethod[DPADMM](t, newFixture(2, 5, 2, [][2]int{{0, 1}}), "dp-admm", 5, nil)
	all := 1.0
	dead := func(c *sim.Config) { c.Overrides = []sim.Override{{Between: [2]int{0, 2}, Loss: &all}} }
	c := Config{Setting: m.setting, Method: m.Method}
	p, err := NewProtocol(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := engineOf(t, p, dead).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := "the run stopped in round 1 of 5: the hub waits for round 1 of node 2"
	if err := p.Unfinished(); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
	// It asks after 10, 20, 40, 80 and again 80 ms: at 10, 30, 70, 150, 230, 310 ms.
	c.Retry, c.Deadline = 10e6, 230e6
	if p, err = NewProtocol(c); err != nil {
		t.Fatal(err)
	}
	asked := []sim.Time{}
	e := engineOf(t, p, func(c *sim.Config) {
		dead(c)
		c.Sent = func(p *sim.Packet) {
			if p.From == 0 && p.To == 2 {
				asked = append(asked, p.Sent)
			}
		}
	})
	err = e.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "no progress for 230ms of virtual time (the deadline): the hub "+
		"waits") {
		t.Fatal(err)
	}
	if e.Now() != 230e6 || !slices.Equal(asked, []sim.Time{0, 10e6, 30e6, 70e6, 150e6}) {
		t.Errorf("it asks at %v and gives up at %v", asked, e.Now())
	}
}

// Neighbours are asked again as a hub's clients are.
func TestSynchronous_AsksAtGrowingIntervals(t *testing.T) {
	f := newFixture(3, 5, 2, [][2]int{{0, 1}, {1, 2}})
	m := makeMethod(t, f, "admm", 5, func(p *ADMM) { p.Eta = 0.3 })
	all := 1.0
	p, err := NewProtocol(Config{Setting: m.setting, Method: m.Method, Retry: 10e6, Deadline: 230e6})
	if err != nil {
		t.Fatal(err)
	}
	asked := []sim.Time{}
	e := engineOf(t, p, func(c *sim.Config) {
		c.Overrides = []sim.Override{{Between: [2]int{1, 2}, Loss: &all}}
		c.Sent = func(p *sim.Packet) {
			if p.Kind == KindRequest && p.From == 2 {
				asked = append(asked, p.Sent)
			}
		}
	})
	err = e.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "no progress for 230ms") {
		t.Fatal(err)
	}
	if e.Now() != 230e6 || !slices.Equal(asked, []sim.Time{10e6, 30e6, 70e6, 150e6}) {
		t.Errorf("it asks at %v and gives up at %v", asked, e.Now())
	}
}

// Where the whole budget would go to the curvature, the ridge grows instead (ZZ16
// Algorithm 2): at equality too, or nothing would be left for the noise.
func TestDVP_NothingLeftForTheNoise(t *testing.T) {
	f := newFixture(2, 4, 2, [][2]int{{0, 1}})
	const eta = 0.3
	plain := makeMethod(t, f, "dvp", 3, func(p *DVP) { p.Eta = eta })
	p := plain.setting.Problem
	size, ridge := samples(p, 0)/p.C, p.R[0]+float64(2*eta*float64(plain.setting.Graph.Degree(0)))
	alpha := float64(2 * num.Log(1+p.Loss.Bound()/float64(size*ridge)))
	m := makeMethod(t, f, "dvp", 3, func(p *DVP) { p.Eta, p.Alpha = eta, parameter.Constant(alpha) })
	if phi, zeta := m.Method.(dvp).calibrate(0, 1); !(phi > 0) || !(zeta > 0) {
		t.Errorf("ϕ = %v, ζ = %v", phi, zeta)
	}
}
