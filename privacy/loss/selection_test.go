// Private selection against published constants, another accountant and the law itself.

package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Of a pure mechanism the best of a geometric number of runs loses three times as much (Liu & Talwar 2019, Theorem 3.1;
// (2 + η)ε of Papernot & Steinke 2022 with η = 1), however many runs are expected; of one run, as much.
func TestStopping_PureIsThreefold(t *testing.T) {
	for _, epsilon := range []float64{0.1, 1, 5} {
		one := Compose([]Mechanism{Response{epsilon}})
		for _, mean := range []float64{2, 10, 1000, 1e9} {
			got := Stopping{mean}.Epsilon(one, 0)
			if !(got <= 3*epsilon*(1+1e-9)) || mean == 1e9 && !(got >= 3*epsilon*(1-1e-3)) {
				t.Errorf("ε %v, %v runs: %v", epsilon, mean, got)
			}
		}
		if got := (Stopping{1}).Epsilon(one, 0); !(math.Abs(got-epsilon) <= 1e-12) {
			t.Errorf("ε %v, one run: %v", epsilon, got)
		}
	}
}

// papernotSteinke is ε at δ of the best of a geometric number of runs of a ρ-zCDP mechanism: Papernot & Steinke 2022,
// Theorem 2, with η = 1, and the conversion of Canonne, Kamath & Steinke 2020, Proposition 12.
func papernotSteinke(rho, mean, delta float64) float64 {
	best := math.Inf(1)
	for l := 1.01; l < 1000; l *= 1.01 {
		least := math.Inf(1) // over the second order
		for h := 1.01; h < 1e5; h *= 1.02 {
			least = min(least, 2*(1-1/h)*rho*h+2*math.Log(mean)/h)
		}
		renyi := rho*l + least + math.Log(mean)/(l-1)
		best = min(best, renyi+math.Log1p(-1/l)-math.Log(delta*l)/(l-1))
	}
	return best
}

// Profiles lose less than Rényi divergences say of the same selection, and more than one run.
func TestStopping_IsBelowRenyi(t *testing.T) {
	const delta = 1e-6
	for _, rho := range []float64{0.01, 0.1, 0.5} {
		one := Compose([]Mechanism{Shift{gaussian(math.Sqrt(2 * rho))}})
		for _, mean := range []float64{2, 10, 100} {
			got, renyi := Stopping{mean}.Epsilon(one, delta), papernotSteinke(rho, mean, delta)
			if !(got < renyi && got > one.Epsilon(delta) && got > 0.5*renyi) {
				t.Errorf("ρ = %v, %v runs: %v, by Rényi divergences %v, one run %v", rho, mean, got, renyi,
					one.Epsilon(delta))
			}
		}
	}
}

// best is the law of the best of a geometric number of draws from a law over outcomes in ascending order.
func best(law []float64, mean float64) []float64 {
	gamma := 1 / mean
	generating := func(q float64) float64 { return gamma * q / (1 - (1-gamma)*q) }
	out, below := make([]float64, len(law)), 0.0
	for k, p := range law {
		out[k] = generating(min(1, below+p)) - generating(below)
		below += p
	}
	return out
}

// hockey is the divergence of two laws over a few outcomes.
func hockey(p, q []float64, epsilon float64) (sum float64) {
	for k := range p {
		sum += max(0, p[k]-math.Exp(epsilon)*q[k])
	}
	return sum
}

// table is the profile of two laws over a few outcomes.
type table struct{ p, q []float64 }

func (m table) Delta(epsilon float64) float64 {
	return max(hockey(m.p, m.q, epsilon), hockey(m.q, m.p, epsilon))
}

func (m table) Epsilon(delta float64) float64 { return invert(m.Delta, delta, math.Inf(1)) }

// The bound is above what is published of any mechanism with few outcomes, and near it of the worst.
func TestStopping_BoundsTheLawItself(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	nearest := math.Inf(1)
	unsafe := map[string]int{"2ε₁ → ε₁": 0, "δ/m → δ": 0}
	for range 3000 {
		n := 2 + r.IntN(4)
		var laws [2][]float64
		for w := range laws {
			sum := 0.0
			for range n {
				laws[w] = append(laws[w], math.Exp(4*r.NormFloat64()*r.Float64()))
				sum += laws[w][len(laws[w])-1]
			}
			for k := range laws[w] {
				laws[w][k] /= sum
			}
		}
		mean := 1 + 30*r.Float64()*r.Float64()
		delta := math.Pow(10, -4*r.Float64())
		one := table{laws[0], laws[1]}
		bound := Stopping{mean}.Epsilon(one, delta)
		all := table{best(laws[0], mean), best(laws[1], mean)}
		exact := all.Epsilon(delta)
		if !(exact <= bound*(1+1e-9)+1e-12) {
			t.Fatalf("%v, %v runs, δ = %v: ε = %v, bound %v", laws, mean, delta, exact, bound)
		}
		nearest = min(nearest, bound-exact)
		within := one.Epsilon(delta / mean)
		if exact > within+(bound-within)/2+1e-9 {
			unsafe["2ε₁ → ε₁"]++
		}
		if exact > one.Epsilon(delta)+(bound-within)+1e-9 {
			unsafe["δ/m → δ"]++
		}
	}
	if !(nearest < 0.1) {
		t.Errorf("no law comes nearer to the bound than %v", nearest)
	}
	for what, found := range unsafe {
		if found == 0 {
			t.Errorf("no law shows that %s is wrong", what)
		}
	}
}

// The number of runs has its law, and a mixture the mean of its parts' curves.
func TestStopping_RepeatsAndMixture(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const mean, draws = 4.0, 200_000
	counts := make([]float64, 60)
	sum := 0.0
	for range draws {
		k := Stopping{mean}.Repeats(r.Float64())
		sum += float64(k) / draws
		counts[min(k, len(counts)-1)] += 1.0 / draws
	}
	if !(math.Abs(sum-mean) <= 0.05) || counts[0] != 0 {
		t.Errorf("%v runs in the mean", sum)
	}
	for k := 1; k < 6; k++ {
		if want := math.Pow(1-1/mean, float64(k-1)) / mean; !(math.Abs(counts[k]-want) <= 0.005) {
			t.Errorf("%d runs with probability %v, want %v", k, counts[k], want)
		}
	}
	if k := (Stopping{1}).Repeats(0.99); k != 1 {
		t.Errorf("%d runs of 1", k)
	}
	a, b := Compose([]Mechanism{Shift{gaussian(0.3)}}), Compose([]Mechanism{Response{1}})
	m := Mixture{a, b}
	within(t, "mean", m.Delta(0.4), (a.Delta(0.4)+b.Delta(0.4))/2, 1e-15)
	within(t, "inverse", m.Delta(m.Epsilon(1e-4)), 1e-4, 1e-9)
}

// A cover is at least what every node loses.
func TestCover_IsAboveEveryNode(t *testing.T) {
	var l Ledger
	for node, sizes := range [][]float64{{0.1, 0.5, 0.2}, {0.4, 0.1}, {0.3, 0.3, 0.3}} {
		for k, size := range sizes {
			l.Spend(node, k+1, "sample", Shift{laplace(5, size)})
		}
	}
	uses, ok := l.Cover("sample")
	want := []Mechanism{Shift{laplace(5, 0.5)}, Shift{laplace(5, 0.3)}, Shift{laplace(5, 0.3)}}
	if !ok || !slices.Equal(uses, want) {
		t.Errorf("%v, %v", uses, ok)
	}
	l.Spend(1, 3, "sample", Response{1})
	if _, ok := l.Cover("sample"); ok {
		t.Error("uses of different kinds")
	}
}
