// Beyond the neighbours: which nodes are determined, against what is published and against fractions; gradients found;
// and what stands in the way.

package adversary

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/record"
	"overhear/sim"
)

// published is the graph of Mrini, Cyffers & Bellet 2024, Figure 1: nodes 0 and 1 collude and hear 2, 5, 7 and 8; after
// three values of each all nodes are determined but 3 and 4.
var published = [][2]int{{0, 2}, {1, 2}, {2, 3}, {2, 4}, {1, 5}, {1, 7}, {1, 8}, {5, 9}, {9, 10}, {9, 11}, {6, 11},
	{7, 8}, {7, 9}, {7, 11}}

// averaging is gossip averaging of private vectors: the step is negligible after the first round.
func averaging(p *algorithms.DGD) {
	p.Step, p.Decay = *constant(0.5), "none"
	p.Step.Sequence.Ratio = 1e-14
}

func TestBeyondNeighbours_PublishedExample(t *testing.T) {
	f := small(t, 3, 4, published)
	rec, pub := run(t, f, "dgd", 3, sim.Link{}, averaging)
	for victim := 2; victim < 12; victim++ {
		v := Observe(rec, Vantage{Nodes: []int{0, 1}}, pub, &Knowledge{Victim: victim})
		got := carry(t, "beyond-neighbours", v)
		if victim == 3 || victim == 4 {
			if got.Succeeded != record.Failed || !strings.Contains(got.Conclusion, "determine 8 of them") {
				t.Errorf("node %d: %s: %s", victim, got.Succeeded, got.Conclusion)
			}
			continue
		}
		if len(got.Facts) != 1 {
			t.Fatalf("node %d: %s", victim, got.Conclusion)
		}
		truth := f.trueGradient(victim, make([]float64, 4))
		if e := relative(got.Facts[0].Values, truth); !(e < 1e-10) {
			t.Errorf("node %d: relative error %.3g: %s", victim, e, got.Conclusion)
		}
	}
	// After two values of each only the neighbours', and what 5 hears besides.
	rec.Iterates = slices.DeleteFunc(rec.Iterates, func(i record.Iterate) bool { return i.Round > 2 })
	rec.Messages = slices.DeleteFunc(rec.Messages, func(m record.Message) bool { return m.Round > 2 })
	pub.Rounds = 2
	got := carry(t, "beyond-neighbours", Observe(rec, Vantage{Nodes: []int{0, 1}}, pub, &Knowledge{Victim: 10}))
	if got.Succeeded != record.Failed || !strings.Contains(got.Conclusion, "determine 6 of them") {
		t.Errorf("two rounds: %s", got.Conclusion)
	}
}

// fractions is which nodes gossip averaging determines after so many values, in fractions: by the knowledge matrix of
// Mrini et al. 2024, whose rows are those of I, W, W², … of the neighbours, and of I of the colluders.
func fractions(g *sim.Graph, colluders []int, rounds int) (rank int, determined []bool) {
	n := g.Order()
	w := make([][]*big.Rat, n)
	for i := range w {
		own := big.NewRat(1, 1)
		w[i] = make([]*big.Rat, n)
		for j := range w[i] {
			w[i][j] = new(big.Rat)
		}
		for _, j := range g.Neighbours(i) {
			w[i][j].SetFrac64(1, int64(1+max(g.Degree(i), g.Degree(int(j)))))
			own.Sub(own, w[i][j])
		}
		w[i][i] = own
	}
	unit := func(i int) []*big.Rat {
		row := make([]*big.Rat, n)
		for j := range row {
			row[j] = new(big.Rat)
		}
		row[i].SetInt64(1)
		return row
	}
	power := make([][]*big.Rat, n)
	for i := range power {
		power[i] = unit(i)
	}
	var rows [][]*big.Rat
	for _, c := range colluders {
		rows = append(rows, unit(c))
	}
	for t := range rounds {
		for i := range n {
			if slices.ContainsFunc(colluders, func(c int) bool { return slices.Contains(g.Neighbours(i), int32(c)) }) {
				rows = append(rows, slices.Clone(power[i]))
			}
		}
		if t == rounds-1 {
			break
		}
		next := make([][]*big.Rat, n)
		for i := range n {
			next[i] = unit(i)
			next[i][i].SetInt64(0)
			for j := range n {
				for k := range n {
					if w[i][j].Sign() != 0 {
						next[i][k].Add(next[i][k], new(big.Rat).Mul(w[i][j], power[j][k]))
					}
				}
			}
		}
		power = next
	}
	for k := range rows {
		row := make([]*big.Rat, n)
		for c := range row {
			row[c] = new(big.Rat).Set(rows[k][c])
		}
		rows[k] = row
	}
	determined = make([]bool, n)
	for c := range n { // the reduced echelon form
		at := rank
		for at < len(rows) && rows[at][c].Sign() == 0 {
			at++
		}
		if at == len(rows) {
			continue
		}
		rows[rank], rows[at] = rows[at], rows[rank]
		by := new(big.Rat).Inv(rows[rank][c])
		for k := range rows[rank] {
			rows[rank][k].Mul(rows[rank][k], by)
		}
		for r := range rows {
			if r != rank && rows[r][c].Sign() != 0 {
				factor := new(big.Rat).Set(rows[r][c])
				for k := range rows[r] {
					rows[r][k].Sub(rows[r][k], new(big.Rat).Mul(factor, rows[rank][k]))
				}
			}
		}
		rank++
	}
	for _, row := range rows[:rank] {
		last, filled := -1, 0
		for c, x := range row {
			if x.Sign() != 0 {
				last, filled = c, filled+1
			}
		}
		if filled == 1 {
			determined[last] = true
		}
	}
	return rank, determined
}

// What is determined modulo a prime, with the colluders' own part taken out, is what is in fractions without that.
func TestBeyondNeighbours_SpansAreThoseOfFractions(t *testing.T) {
	partly := 0
	for seed := range uint64(12) {
		g, err := sim.Topology{Kind: "erdos-renyi", Nodes: 14, Probability: 0.2}.Build(sim.NewStream(seed, "graph"))
		if err != nil {
			t.Fatal(err)
		}
		colluders := []int{0, 1}[:1+seed%2]
		rounds := 2 + int(seed%4)
		f := &fixture{graph: g, problem: small(t, 2, 3, ring(14)).problem}
		rec, pub := run(t, f, "dgd", rounds, sim.Link{}, averaging)
		rank, determined := fractions(g, colluders, rounds)
		for victim := len(colluders); victim < 14; victim++ {
			v := Observe(rec, Vantage{Nodes: colluders}, pub, &Knowledge{Victim: victim})
			game, err := newGossip(v)
			if err != nil {
				t.Fatal(err)
			}
			got, err := game.reconstruct(victim)
			if err != nil {
				t.Fatal(err)
			}
			if (got.gradient != nil) != determined[victim] {
				t.Errorf("graph %d, node %d: determined %v, by fractions %v", seed, victim, got.gradient != nil,
					determined[victim])
			}
			if got.gradient == nil && got.rank != rank-len(colluders) {
				t.Errorf("graph %d: rank %d, by fractions %d less %d", seed, got.rank, rank, len(colluders))
			}
			partly += bit(determined[victim])
		}
	}
	if partly < 20 || partly > 130 {
		t.Errorf("%d nodes are determined, which tests little", partly)
	}
}

func TestBeyondNeighbours_ChangingGradientsAndNoise(t *testing.T) {
	f := small(t, 5, 4, ring(7))
	knows, truth := f.allBut(4, 2)
	see := func(rec *Recording, victim int) *record.Finding {
		_, pub := run(t, f, "dgd", 12, sim.Link{}, func(p *algorithms.DGD) {
			p.Step, p.Decay = *constant(1e-3), "none"
		})
		k := *knows
		k.Victim = victim
		return carry(t, "beyond-neighbours", Observe(rec, Vantage{Nodes: []int{0, 1}}, pub, &k))
	}
	rec, _ := run(t, f, "dgd", 12, sim.Link{}, func(p *algorithms.DGD) { p.Step, p.Decay = *constant(1e-3), "none" })
	got := see(rec, 4)
	if len(got.Facts) != 1 || len(got.Estimates) != 1 {
		t.Fatal(got.Conclusion)
	}
	Score(got, &Truth{Samples: []Sample{truth}, Knows: knows, Fact: func(*record.Fact) ([]float64, bool) {
		return f.trueGradient(4, make([]float64, 4)), true
	}})
	if got.Succeeded != record.Partial || !(got.Facts[0].Relative < 1e-2) || !(got.Estimates[0].Score.Relative < 0.1) {
		t.Errorf("steps of 10⁻³: %s, %+v %+v: %s", got.Succeeded, got.Facts[0], got.Estimates[0].Score, got.Conclusion)
	}
	// A value of another sender, or of another round, is seen.
	right := float64(got.Facts[0].Relative)
	for name, wrong := range map[string]func(i, j *record.Iterate) bool{
		"sender": func(i, j *record.Iterate) bool { return i.Node == 3 && j.Node == 6 && i.Round == j.Round },
		"round":  func(i, j *record.Iterate) bool { return i.Node == 3 && j.Node == 3 && i.Round+1 == j.Round },
	} {
		planted := *rec
		planted.Iterates = slices.Clone(rec.Iterates)
		for a := range planted.Iterates {
			for b := range rec.Iterates {
				if wrong(&planted.Iterates[a], &rec.Iterates[b]) {
					planted.Iterates[a].Values = rec.Iterates[b].Values
				}
			}
		}
		bad := see(&planted, 4)
		if len(bad.Facts) != 1 {
			t.Fatal(bad.Conclusion)
		}
		if e := relative(bad.Facts[0].Values, f.trueGradient(4, make([]float64, 4))); !(e > 10*right && e > 0.1) {
			t.Errorf("another %s: relative error %.3g, right %.3g", name, e, right)
		}
	}
	noisy, pub := run(t, f, "private-dgd", 12, sim.Link{}, func(p *algorithms.PrivateDGD) {
		p.Step, p.Decay, p.Alpha, p.Law = *constant(1e-3), "none", *constant(0.1), "gaussian"
	})
	hidden := carry(t, "beyond-neighbours", Observe(noisy, Vantage{Nodes: []int{0, 1}}, pub, knows))
	if hidden.Succeeded != record.Failed || len(hidden.Facts)+len(hidden.Estimates) > 0 ||
		!strings.Contains(hidden.Conclusion, "noise hides it") {
		t.Errorf("noise: %s: %s", hidden.Succeeded, hidden.Conclusion)
	}
}

func TestBeyondNeighbours_SaysWhatIsInTheWay(t *testing.T) {
	f := small(t, 5, 4, ring(7))
	rec, pub := run(t, f, "dgd", 5, sim.Link{}, averaging)
	admm, other := run(t, f, "admm", 5, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	random := *pub
	random.Zero = false
	secret := pub.Without("penalty")
	for says, v := range map[string]*View{
		"do not take averages":      Observe(admm, Vantage{Nodes: []int{0}}, other, &Knowledge{Victim: 3}),
		"nodes start anywhere":      Observe(rec, Vantage{Nodes: []int{0}}, &random, &Knowledge{Victim: 3}),
		"before round 2":            Observe(rec, Vantage{Nodes: []int{0}, From: 2}, pub, &Knowledge{Victim: 3}),
		"node 0 is an observer":     Observe(rec, Vantage{Nodes: []int{0}}, pub, &Knowledge{Victim: 0}),
		"step sizes are hidden":     Observe(rec, Vantage{Nodes: []int{0}}, secret, &Knowledge{Victim: 2}),
		"own value of round 1 is n": Observe(cut(rec), Vantage{Nodes: []int{0}}, pub, &Knowledge{Victim: 2}),
	} {
		if got := carry(t, "beyond-neighbours", v); got.Succeeded != record.Blocked ||
			!strings.Contains(got.Conclusion, says) {
			t.Errorf("%s: %s: %s", says, got.Succeeded, got.Conclusion)
		}
	}
}

// Rounds after the one by which a gradient is known may leave less error, but are not needed.
func TestBeyondNeighbours_DoesWithTheRoundsThatItHas(t *testing.T) {
	f := small(t, 5, 4, ring(7))
	rec, pub := run(t, f, "dgd", 5, sim.Link{}, averaging)
	got := carry(t, "beyond-neighbours", Observe(cut(rec), Vantage{Nodes: []int{0}}, pub, &Knowledge{Victim: 3}))
	if got.Succeeded != record.Unscored || len(got.Facts) != 1 {
		t.Errorf("%s: %s", got.Succeeded, got.Conclusion)
	}
}

// cut is a recording without node 0's values of round 1.
func cut(r *Recording) *Recording {
	all := *r
	all.Iterates = slices.DeleteFunc(slices.Clone(r.Iterates), func(i record.Iterate) bool {
		return i.Node == 0 && i.Round == 1
	})
	return &all
}

func TestField_IsOne(t *testing.T) {
	p := new(big.Int).SetUint64(prime)
	r := sim.NewStream(1, "field")
	for range 1000 {
		a, b := r.Uint64()%prime, r.Uint64()%prime
		want := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
		if got := times(a, b); got != want.Mod(want, p).Uint64() {
			t.Fatalf("%d · %d = %d", a, b, got)
		}
		if a != 0 && times(a, inverse(a)) != 1 {
			t.Fatalf("1/%d = %d", a, inverse(a))
		}
		x := math.Ldexp(2*r.Float64()-1, r.IntN(400)-300)
		y := new(big.Rat).SetFloat64(x)
		bottom := new(big.Int).ModInverse(y.Denom(), p)
		if want := bottom.Mul(bottom, y.Num()); residue(x) != want.Mod(want, p).Uint64() {
			t.Fatalf("%v is %d", x, residue(x))
		}
	}
}
