// The solver of objectives with kinks against minimisers that scipy computed, and against what makes
// a point a minimiser.

package problem

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overhear/internal/num"
)

// patterned is an objective of 40 rows in 6 columns, whose entries are simple fractions.
func patterned(loss Loss) *Objective {
	const n, d = 40, 6
	u := NewRows(d)
	for i := range n {
		y := -1.0
		if (5*i+i*i)%7 < 3 {
			y = 1
		}
		cols, vals := make([]int32, d), make([]float64, d)
		for j := range d {
			cols[j], vals[j] = int32(j), y*(float64((7*i+13*j+i*j*j)%23)/23-0.4)
		}
		u.Append(cols, vals)
	}
	return &Objective{U: u, Weight: 2.0 / n, Loss: loss, Ridge: 0.05}
}

var kinks = map[string]*NonSmooth{
	"l1":       {L1: 0.03},
	"box":      {Set: Region{Kind: "box", Lower: -0.25, Upper: 0.2}},
	"ball":     {Set: Region{Kind: "ball", Radius: 0.3}},
	"l1box":    {L1: 0.03, Set: Region{Kind: "box", Lower: -0.25, Upper: 0.2}},
	"l1ball":   {L1: 0.03, Set: Region{Kind: "ball", Radius: 0.3}},
	"positive": {Set: Region{Kind: "box", Upper: math.Inf(1)}},
}

// The minimisers were computed with scipy 1.10.1: L-BFGS-B on the positive and the negative parts of
// the components, then Newton's method on the free ones, with the KKT conditions checked to 1e-12;
// a ball's multiplier by Brent's method.
func TestComposite_HasTheMinimisersOfScipy(t *testing.T) {
	losses := map[string]Loss{"logistic": Logistic, "squared": Squared, "huber": HuberHinge{0.5}}
	for _, c := range []struct {
		of   string
		want []float64
	}{
		{"logistic l1", []float64{-0.655897610224, 0.109722517024, 0, 0.0157826716711, -0.0824872851736,
			0.73486642098}},
		{"logistic box", []float64{-0.25, 0.2, -0.0725761300891, 0.2, -0.25, 0.2}},
		{"logistic ball", []float64{-0.190401381612, 0.0694246148147, -0.0151654938218, 0.0414316990124,
			-0.0746175709649, 0.203502277519}},
		{"logistic l1box", []float64{-0.25, 0.0548945824241, 0, 0, -0.0994095923445, 0.2}},
		{"logistic l1ball", []float64{-0.200528970814, 0.0174750352006, 0, 0, -0.0194716512704, 0.221593343324}},
		{"logistic positive", []float64{0, 0.474414461513, 0, 0.32017902718, 0, 1.17577386236}},
		{"squared l1", []float64{-0.343211262208, 0, 0, 0.0859049180677, -0.321574071982, 0.187580599156}},
		{"squared box", []float64{-0.25, 0.0636407082885, 0.0431755195638, 0.2, -0.25, 0.2}},
		{"squared ball", []float64{-0.197997081439, 0.023532872179, 0.0206968126704, 0.0866928442986,
			-0.137922017549, 0.152567589732}},
		{"squared l1box", []float64{-0.25, 0, 0, 0.0767815902342, -0.25, 0.2}},
		{"squared l1ball", []float64{-0.21850396318, 0, 0, 0.0490897306779, -0.135773267951, 0.146327837839}},
		{"squared positive", []float64{0, 0.115789414652, 0.0383255864317, 0.232421941129, 0, 0.431193800989}},
		{"huber l1", []float64{-1.03754435266, 0, 0, 0.00323196366516, -0.473915028541, 0.74131594853}},
		{"huber box", []float64{-0.25, 0.147826086957, 0.2, 0.2, -0.25, 0.2}},
		{"huber ball", []float64{-0.205181842914, 0.0143542853067, 0.033774788957, 0.0667052081901,
			-0.110190248972, 0.173095793405}},
		{"huber l1box", []float64{-0.25, 0, 0, 0.0869565217391, -0.25, 0.2}},
		{"huber l1ball", []float64{-0.227485535431, 0, 0, 0.0130738813466, -0.0804043702815, 0.177804786314}},
		{"huber positive", []float64{0, 0.0774438788478, 0.27287444981, 0.54062756945, 0, 1.4315750292}},
	} {
		loss, kind, _ := strings.Cut(c.of, " ")
		o := patterned(losses[loss])
		o.NonSmooth = kinks[kind]
		q := []float64{0.09, -0.06, 0.03, 0, 0.015, -0.12}
		f := []float64{1, -1, 1, -1, 1, -1}
		stats, err := NewSolver(o, 0).Solve(NewScratch(6, 40), f, q, 0)
		if err != nil {
			t.Errorf("%s: %v", c.of, err)
			continue
		}
		for k, v := range f {
			// the references have twelve digits, and the solves 1e-10 over the ridge
			if !(math.Abs(v-c.want[k]) <= 2.1e-9) || (c.want[k] == 0) != (v == 0) {
				t.Errorf("%s: component %d is %v and scipy's %v", c.of, k, v, c.want[k])
			}
		}
		if !(stats.Residual <= 1e-10) || stats.Evaluations > 60 {
			t.Errorf("%s: %+v", c.of, stats)
		}
	}
}

// moved is the greatest change of a component by a step of proximal gradients of length s, which
// is zero at a minimiser and nowhere else.
func moved(o *Objective, f, q []float64, kappa, s float64) float64 {
	g := gradient(o, f, q, kappa)
	x := slices.Clone(f)
	for k := range x {
		x[k] -= s * g[k]
	}
	from := 0
	for _, w := range o.blocks() {
		o.NonSmooth.Prox(s, x[from:from+w])
		from += w
	}
	most := 0.0
	for k := range x {
		most = max(most, math.Abs(x[k]-f[k]))
	}
	return most
}

// Every solve ends at a fixed point of the proximal step, computed in another way, within what
// strong convexity allows of the minimiser from another start, and in the set.
func TestComposite_EndsAtAFixedPoint(t *testing.T) {
	losses := []Loss{Logistic, Squared, HuberHinge{0.5}, HuberHinge{0.05}}
	rapid.Check(t, func(t *rapid.T) {
		g := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		rows, d := rapid.IntRange(1, 60).Draw(t, "rows"), rapid.IntRange(1, 40).Draw(t, "d")
		o := randomObjective(g, rows, d, losses[rapid.IntRange(0, 3).Draw(t, "loss")],
			rapid.SampledFrom([]float64{2e-3, 0.1, 5}).Draw(t, "ridge"), rapid.Bool().Draw(t, "one class"))
		h := &NonSmooth{L1: rapid.SampledFrom([]float64{0, 1e-3, 0.05, 3}).Draw(t, "l1")}
		switch rapid.IntRange(0, 3).Draw(t, "set") {
		case 1:
			h.Set = Region{Kind: "box", Lower: rapid.SampledFrom([]float64{-1, -0.01, 0, 0.2, math.Inf(-1)}).Draw(t,
				"lower"), Upper: rapid.SampledFrom([]float64{0.3, 2}).Draw(t, "upper")}
		case 2:
			h.Set = Region{Kind: "ball", Radius: rapid.SampledFrom([]float64{1e-3, 0.3, 2, 1e3}).Draw(t, "radius")}
			fallthrough
		case 3:
			h.Group = rapid.SampledFrom([]float64{0, 0.02, 1}).Draw(t, "group")
			if d > 2 && rapid.Bool().Draw(t, "blocks") {
				o.Blocks = []int{d / 3, d - d/3}
			}
		}
		o.NonSmooth = h
		s, w, f := NewSolver(o, 0), NewScratch(d, rows), make([]float64, d)
		for range 3 { // warm starts with changing q and κ
			q := make([]float64, d)
			for k := range q {
				q[k] = rapid.SampledFrom([]float64{0, 0.01, 1, 30}).Draw(t, "scale") * (2*g.Float64() - 1)
			}
			kappa := rapid.SampledFrom([]float64{0, 0.2, 4, 1e4}).Draw(t, "kappa")
			stats, err := s.Solve(w, f, q, kappa)
			if err != nil {
				t.Fatal(err)
			}
			scale := math.Max(1, num.Norm(q))
			for _, length := range []float64{1e-3, 1} {
				// The least subgradient bounds what a step of that length moves; the sphere is
				// rounded.
				if m := moved(o, f, q, kappa, length); !(m <= 1.01e-10*length*scale+1e-12) {
					t.Fatalf("a step of length %v moves by %v from the returned point, residual %v", length, m,
						stats.Residual)
				}
			}
			cold := make([]float64, d)
			if _, err := NewSolver(o, 0).Solve(NewScratch(d, rows), cold, q, kappa); err != nil {
				t.Fatal(err)
			}
			for k := range cold {
				if !(math.Abs(cold[k]-f[k]) <= 2.1e-10*scale/(o.Ridge+kappa)+1e-12) {
					t.Fatalf("component %d is %v from a warm start and %v from a cold one", k, f[k], cold[k])
				}
			}
		}
	})
}

// A certificate is worth what it refuses: of the minimiser, moved by little, and of the minimiser
// of another h, the least subgradient says by how much they are wrong.
func TestComposite_TheCertificateSeesPlantedErrors(t *testing.T) {
	for name, h := range kinks {
		o := patterned(Logistic)
		o.NonSmooth = h
		f, q := make([]float64, 6), []float64{0.09, -0.06, 0.03, 0, 0.015, -0.12}
		if _, err := NewSolver(o, 0).Solve(NewScratch(6, 40), f, q, 0); err != nil {
			t.Fatal(err)
		}
		least := func(h *NonSmooth, f []float64) float64 {
			v := gradient(o, f, q, 0)
			h.least(f, v, make([]bool, 6))
			return num.Norm(v)
		}
		if r := least(h, f); !(r <= 1e-10) {
			t.Errorf("%s: %v at the minimiser", name, r)
		}
		for k := range f {
			g := slices.Clone(f)
			if g[k] *= 1 - 1e-6; g[k] == f[k] {
				continue
			}
			// A kink that is left costs its whole step, a smooth component the curvature.
			if r := least(h, g); !(r >= 0.05*1e-6*math.Abs(f[k])) {
				t.Errorf("%s: %v where component %d is off by %v", name, r, k, f[k]-g[k])
			}
		}
		other := &NonSmooth{L1: h.L1 + 1e-3, Set: h.Set}
		if r := least(other, f); !(r >= 0.5e-3) {
			t.Errorf("%s: %v for a weight that is greater by 1e-3", name, r)
		}
	}
}

// What cannot be reached is an error, with the best point that was found.
func TestComposite_MissesAreErrors(t *testing.T) {
	o := patterned(Logistic)
	o.NonSmooth = kinks["l1ball"]
	f := make([]float64, 6)
	stats, err := NewSolver(o, 1e-19).Solve(NewScratch(6, 40), f, []float64{0.09, -0.06, 0.03, 0, 0.015, -0.12}, 0)
	var missed *ResidualError
	if !errors.As(err, &missed) || !(stats.Residual <= 1e-13) || num.Norm(f) == 0 {
		t.Errorf("%v, %+v at %v", err, stats, f)
	}
}
