// Losses that are not convex: derivatives, bounds, the hub's step, and how far points are from stationary ones.

package problem

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"overhear/internal/num"
)

// notConvex are the losses with formulas of their own for L and L′, by Go's mathematical library.
var notConvex = []struct {
	loss         Loss
	value, slope func(z float64) float64
}{
	{Sigmoid, func(z float64) float64 { return 1 / (1 + math.Exp(z)) },
		func(z float64) float64 { return -0.25 / math.Pow(math.Cosh(z/2), 2) }},
	{Savage, func(z float64) float64 { return math.Pow(1+math.Exp(2*z), -2) },
		func(z float64) float64 { return -4 * math.Exp(2*z) * math.Pow(1+math.Exp(2*z), -3) }},
	{Welsch{0.7}, func(z float64) float64 { return -0.245 * math.Expm1(-z*z/0.49) },
		func(z float64) float64 { return z * math.Exp(-z*z/0.49) }},
	{Welsch{3}, func(z float64) float64 { return -4.5 * math.Expm1(-z*z/9) },
		func(z float64) float64 { return z * math.Exp(-z*z/9) }},
	{GemanMcClure{0.7}, func(z float64) float64 { return 0.5 * z * z * 0.49 / (0.49 + z*z) },
		func(z float64) float64 { return z * 0.49 * 0.49 / math.Pow(0.49+z*z, 2) }},
	{GemanMcClure{3}, func(z float64) float64 { return 4.5 * z * z / (9 + z*z) },
		func(z float64) float64 { return 81 * z / math.Pow(9+z*z, 2) }},
}

// derivative is f′ by central differences, extrapolated twice: of functions that are bounded as these are, to 1e-10.
func derivative(f func(float64) float64, z float64) float64 {
	const h = 0.01
	d := func(h float64) float64 { return (f(z+h) - f(z-h)) / (2 * h) }
	once := func(h float64) float64 { return (4*d(h/2) - d(h)) / 3 }
	return (16*once(h/2) - once(h)) / 15
}

func TestNonConvex_DerivativesAndBounds(t *testing.T) {
	for _, c := range notConvex {
		one := func(f func(dst, z []float64)) func(float64) float64 {
			return func(z float64) float64 {
				out := make([]float64, 1)
				f(out, []float64{z})
				return out[0]
			}
		}
		total := func(z float64) float64 { return c.loss.Total([]float64{z}, nil) }
		slope, bend := one(c.loss.Slopes), one(c.loss.Curvatures)
		steepest, most, least := 0.0, 0.0, 0.0
		for k := -4000; k <= 4000; k++ {
			z := float64(k) * 0.0025
			if w := c.value(z); !(math.Abs(total(z)-w) <= 1e-14*(1+w)) {
				t.Fatalf("%v at %v: the loss is %v, want %v", c.loss, z, total(z), w)
			}
			if w := c.slope(z); !(math.Abs(slope(z)-w) <= 1e-14) {
				t.Fatalf("%v at %v: the slope is %v, want %v", c.loss, z, slope(z), w)
			}
			if d := derivative(total, z); !(math.Abs(d-slope(z)) <= 1e-9) {
				t.Fatalf("%v at %v: the slope is %v, the difference %v", c.loss, z, slope(z), d)
			}
			if d := derivative(slope, z); !(math.Abs(d-bend(z)) <= 1e-9) {
				t.Fatalf("%v at %v: the curvature is %v, the difference %v", c.loss, z, bend(z), d)
			}
			steepest = math.Max(steepest, math.Abs(slope(z)))
			most, least = math.Max(most, bend(z)), math.Min(least, bend(z))
		}
		for what, pair := range map[string][2]float64{"|L′|": {steepest, c.loss.Steepest()},
			"L″": {most, c.loss.Bound()}, "−L″": {-least, Concavity(c.loss)},
			"|L″|": {math.Max(most, -least), SlopeBound(c.loss)}} {
			if !(pair[0] <= pair[1]*(1+1e-14) && pair[0] >= pair[1]*(1-1e-5)) {
				t.Errorf("%v: %s comes to %v, and its bound is %v", c.loss, what, pair[0], pair[1])
			}
		}
		if Convex(c.loss) || !Bounded(c.loss) {
			t.Errorf("%v: convex, or without a bound", c.loss)
		}
		for _, z := range []float64{1e3, -1e3, 1e160, -1e160, 1e308} { // far off, nothing is not a number
			for what, v := range map[string]float64{"loss": total(z), "slope": slope(z), "curvature": bend(z)} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%v at %v: the %s is %v", c.loss, z, what, v)
				}
			}
		}
		if z := 1e-6; !(math.Abs(total(z)-c.value(z)) <= 1e-13*c.value(z)) {
			t.Errorf("%v near zero: %v, want %v", c.loss, total(z), c.value(z))
		}
	}
	for _, l := range []Loss{Logistic, Squared, HuberHinge{0.5}, Huber{0.5}, Quantile{0.8, 0.3}, Softmax{}} {
		if !Convex(l) || SlopeBound(l) != l.Bound() {
			t.Errorf("%T: not convex", l)
		}
	}
}

// With a penalty above c max(−L″) the hub's z is the only zero of its derivative, and the least of a fine grid.
func TestHubStep_OfLossesThatAreNotConvex(t *testing.T) {
	g := rand.New(rand.NewPCG(6, 2))
	const n, c = 100, 0.7
	for _, l := range notConvex {
		for _, share := range []float64{1.01, 2, 30} {
			rho := share * c * Concavity(l.loss)
			z, y, p, labels := normals(g, n), normals(g, n), normals(g, n), make([]float64, n)
			var targets []float64
			for k := range n {
				labels[k] = 1
				p[k] *= 5
				y[k] *= []float64{0, c, 3}[k%3]
				z[k] *= []float64{0, 1, 1e3}[k%3] // the warm start may be bad
			}
			switch l.loss {
			case Sigmoid, Savage:
				for k := range labels {
					labels[k] = float64(2*g.IntN(2) - 1)
				}
			default:
				targets = normals(g, n)
			}
			residual := HubStep(z, y, p, labels, targets, rho, c, l.loss, NewHubScratch(n))
			if !(residual <= 1e-12) {
				t.Errorf("%v, ρ = %v: residual %v", l.loss, rho, residual)
			}
			for k := range z {
				at := func(v float64) float64 {
					if targets != nil {
						return v - targets[k]
					}
					return labels[k] * v
				}
				objective := func(v float64) float64 {
					return c*l.value(at(v)) - y[k]*v + rho/2*(p[k]-v)*(p[k]-v)
				}
				want := bisect(func(v float64) float64 {
					return c*labels[k]*l.slope(at(v)) - y[k] - rho*(p[k]-v)
				})
				if !(math.Abs(z[k]-want) <= 1e-9*(1+math.Abs(want))) {
					t.Fatalf("%v, ρ = %v: z is %v, want %v", l.loss, rho, z[k], want)
				}
				for step := -50; step <= 50; step++ {
					if v := z[k] + float64(step)*0.2; !(objective(v) >= objective(z[k])-1e-9) {
						t.Fatalf("%v, ρ = %v: %v has less than z = %v", l.loss, rho, v, z[k])
					}
				}
			}
		}
	}
}

// Without the concavity in the bracket of the hub's step the zero may be beyond it; with a penalty at which h is not
// increasing there may be three zeros.
func TestHubStep_BracketIsThatOfTheLeastSlope(t *testing.T) {
	const c = 1.0
	rho := 1.001 * Concavity(Welsch{1}) // h is nearly flat where L″ is least
	z := []float64{3}
	if r := HubStep(z, []float64{0}, []float64{1.2}, []float64{1}, []float64{0}, rho, c, Welsch{1},
		NewHubScratch(1)); !(r <= 1e-12) {
		t.Errorf("residual %v", r)
	}
	slope := func(v float64) float64 { return v*math.Exp(-v*v) + rho*(v-1.2) }
	from := 1.2247 // a bracket from h/ρ misses the zero there
	if end := from - slope(from)/rho; !((end-z[0])*(from-z[0]) > 0) {
		t.Errorf("the zero %v is between %v and %v, so that the test shows nothing", z[0], from, end)
	}
}

// classed are the rows of predicted with classes.
func classed() *Set {
	set := predicted()
	for i, v := range set.Targets {
		if set.Y[i] = 1; v <= 0.1 {
			set.Y[i] = -1
		}
	}
	set.Targets = nil
	return set
}

// stationary are points where gradients of (1/75) Σ L + ½λ‖f‖² on these rows are zero, and the objective there. They
// are of scipy 1.10: BFGS from zero, then hybr on the gradient, whose norm is below 1e-17 there.
var stationary = []struct {
	loss  Loss
	set   func() *Set
	ridge float64
	f     []float64
	value float64
}{
	{Sigmoid, classed, 0.01, []float64{3.3457694880591773, -0.7260483433252595, 0.8629744755663789,
		0.30510250651112514}, 0.40678407672225525},
	{Savage, classed, 0.01, []float64{1.9939558229577006, -0.5231428307104987, 0.6170770824417514,
		0.09441097713789998}, 0.15532657834585747},
	{Welsch{0.7}, predicted, 0.02, []float64{1.5169708454124988, -0.7315926586812225, 0.3592264078725364,
		0.010136709769594045}, 0.10158626328623452},
	{GemanMcClure{0.7}, predicted, 0.02, []float64{1.312959907489842, -0.6011040208830399, 0.3008679417507736,
		0.022012538982805262}, 0.09309086873198094},
}

// shared runs averaged ADMM sharing by PartySolver and HubStep.
func shared(t *testing.T, v *Vertical, rho float64, rounds int) [][]float64 {
	t.Helper()
	m := float64(len(v.Blocks))
	parties, x, sent := make([]*PartySolver, len(v.Blocks)), make([][]float64, len(v.Blocks)),
		make([][]float64, len(v.Blocks))
	for k, b := range v.Blocks {
		parties[k], x[k], sent[k] = NewPartySolver(b, v.Ridge, rho).Bend(v.NonSmooth), make([]float64, b.D),
			make([]float64, v.N)
	}
	z, y, u, sum, step := make([]float64, v.N), make([]float64, v.N), make([]float64, v.N), make([]float64, v.N),
		make([]float64, v.N)
	scratch := NewHubScratch(v.N)
	for range rounds {
		clear(sum)
		for k, p := range parties {
			for n := range step {
				step[n] = y[n] + rho*(u[n]/m-sent[k][n])
			}
			p.Step(step, x[k])
			p.Times(x[k], sent[k])
			num.Axpy(1, sent[k], sum)
		}
		if r := HubStep(z, y, sum, v.Y, v.Targets, rho/m, v.Weight, v.Loss, scratch); !(r <= 1e-12) {
			t.Fatalf("%v: residual %v", v.Loss, r)
		}
		for n := range u {
			u[n] = sum[n] - z[n]
			y[n] += rho / m * u[n]
		}
	}
	return x
}

func TestNonConvex_SharingEndsWhereScipyDoes(t *testing.T) {
	for _, want := range stationary {
		v, err := SplitColumns(want.set(), []int{1, 3}, rowsFrom(0, 75), nil, want.loss, "mean", want.ridge)
		if err != nil {
			t.Fatal(err)
		}
		x := shared(t, v, 6*v.Weight*SlopeBound(want.loss), 6000)
		for k, f := range append(x[0], x[1]...) {
			if !(math.Abs(f-want.f[k]) <= 1e-8) {
				t.Errorf("%v: coefficient %d is %v, scipy's %v", want.loss, k, f, want.f[k])
			}
		}
		if o := v.Objective(x); !(math.Abs(o-want.value) <= 1e-12) {
			t.Errorf("%v: the objective is %v, scipy's %v", want.loss, o, want.value)
		}
		if s := v.Stationarity(x); !(s <= 1e-9) {
			t.Errorf("%v: the gradient's norm is %v", want.loss, s)
		}
	}
}

// The gradient mapping is the gradient's norm where nothing has kinks, by differences of the objective; with kinks it
// is zero at the end of a descent and not beside it.
func TestStationarity_IsOfTheWholeObjective(t *testing.T) {
	for _, c := range stationary {
		v, err := SplitColumns(c.set(), []int{1, 3}, rowsFrom(0, 75), nil, c.loss, "sum", c.ridge)
		if err != nil {
			t.Fatal(err)
		}
		x := [][]float64{{0.4}, {-1.1, 0.2, 2}}
		squares := 0.0
		for m := range x {
			for k, at := range x[m] {
				d := derivative(func(f float64) float64 {
					x[m][k] = f
					defer func() { x[m][k] = at }()
					return v.Objective(x)
				}, at)
				squares += d * d
			}
		}
		if got := v.Stationarity(x); !(math.Abs(got-math.Sqrt(squares)) <= 1e-7) {
			t.Errorf("%v: %v, by differences %v", c.loss, got, math.Sqrt(squares))
		}
		for _, h := range []*NonSmooth{{L1: 1}, {Group: 1}, {Set: Region{Kind: "ball", Radius: 0.5}},
			{L1: 0.3, Set: Region{Kind: "box", Lower: -0.2, Upper: 0.4}}} {
			bent := *v
			bent.NonSmooth, bent.Weight, bent.Ridge = h, 1, 0.5
			x := shared(t, &bent, 6*SlopeBound(c.loss), 3000)
			if s := bent.Stationarity(x); !(s <= 1e-7) {
				t.Errorf("%v with %+v: %v at the end", c.loss, h, s)
			}
			x[1][1] += 0.01
			if s := bent.Stationarity(x); !(s >= 1e-3) {
				t.Errorf("%v with %+v: %v beside the end", c.loss, h, s)
			}
		}
	}
}

// Kinds have their loss, suit margins or residuals, and say whether they are convex.
func TestLossSpec_NonConvex(t *testing.T) {
	for kind, want := range map[string]Loss{"sigmoid": Sigmoid, "savage": Savage, "welsch": Welsch{0.3},
		"geman-mcclure": GemanMcClure{0.3}} {
		var spec LossSpec
		if err := spec.UnmarshalText([]byte(kind)); err != nil {
			t.Fatal(err)
		}
		spec.Width = 0.3
		residual := strings.Contains("welsch geman-mcclure", kind)
		if got := spec.Loss(residual, 0); got != want || spec.Convex() {
			t.Errorf("%s is %v", kind, got)
		}
		for _, targets := range []bool{false, true} {
			source := Source{Target: map[bool]string{true: "t"}[targets]}
			if err := spec.Suits(source); (err == nil) != (residual == targets) {
				t.Errorf("%s with targets %v: %v", kind, targets, err)
			}
		}
	}
	for _, kind := range lossKinds {
		spec := LossSpec{Kind: kind, Width: 0.5, Level: 0.5}
		if spec.Convex() != Convex(spec.Loss(false, 3)) {
			t.Errorf("%s is convex: %v", kind, spec.Convex())
		}
	}
	var spec LossSpec
	if err := spec.UnmarshalText([]byte("hinge")); err == nil || !strings.Contains(err.Error(), "mcclure or python") {
		t.Errorf("an unknown kind: %v", err)
	}
}
