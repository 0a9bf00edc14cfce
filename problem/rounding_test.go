// That what a solve tells of its gradient is no less than the gradient in exact arithmetic, where margins are so large
// that rounding leaves more of it than the tolerance.

package problem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const digits = 300 // bits

func exact(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

// exactGradient is ‖∇‖ at f of an objective whose loss is a quadratic, in exact arithmetic.
func exactGradient(o *Objective, f, q []float64, kappa float64) float64 {
	mul := func(a, b *big.Float) *big.Float { return exact(0).Mul(a, b) }
	total := make([]*big.Float, len(f))
	for c := range f {
		total[c] = exact(0).Add(mul(exact(o.Ridge+kappa), exact(f[c])), exact(q[c]))
	}
	for i := range o.U.Len() {
		cols, vals := o.U.Row(i)
		z := exact(0)
		for k, c := range cols {
			z.Add(z, mul(exact(vals[k]), exact(f[c])))
		}
		if o.Labels != nil {
			z.Mul(z, exact(o.Labels[i]))
		}
		if o.Targets != nil {
			z.Sub(z, exact(o.Targets[i]))
		}
		switch loss := o.Loss.(type) {
		case squared:
			z.Sub(z, exact(1))
		case Huber:
			if exact(0).Abs(z).Cmp(exact(loss.Width)) > 0 {
				z.SetFloat64(math.Copysign(loss.Width, float64(z.Sign())))
			}
		}
		if o.Labels != nil {
			z.Mul(z, exact(o.Labels[i]))
		}
		for k, c := range cols {
			total[c].Add(total[c], mul(mul(exact(o.weight(i)), z), exact(vals[k])))
		}
	}
	sum := exact(0)
	for _, g := range total {
		sum.Add(sum, mul(g, g))
	}
	norm, _ := sum.Sqrt(sum).Float64()
	return norm
}

// quadratic draws rows of numbers of a size, and targets.
func quadratic(r *rand.Rand, n, d int, size, target float64, sparse bool) *Objective {
	o := &Objective{U: NewRows(d), Weight: 1 / float64(n), Loss: LeastSquares, Ridge: 0.01}
	for range n {
		var cols []int32
		var vals []float64
		for k := range d {
			if !sparse || r.IntN(2) == 0 {
				cols, vals = append(cols, int32(k)), append(vals, size*r.NormFloat64())
			}
		}
		o.U.Append(cols, vals)
		o.Targets = append(o.Targets, target*r.NormFloat64())
	}
	return o
}

func TestSolve_TellsNoLessThanTheGradientIs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	hidden := 0
	for trial := range 400 {
		n, d := 20+r.IntN(60), 3+r.IntN(10)
		target := math.Pow(10, 4+4*r.Float64())
		o := quadratic(r, n, d, 1, target, trial%2 == 1)
		switch trial % 5 {
		case 0:
			o.Loss = Huber{Width: 2 * target}
		case 1:
			o.Loss = Squared
			o.Targets = nil
			for k := range o.U.Val {
				o.U.Val[k] *= target
			}
			o.Labels = make([]float64, n)
			for i := range n {
				o.Labels[i] = float64(1 - i%2*2)
			}
		}
		if trial%4 > 1 {
			o.Weight = 0
			for range n {
				o.Each = append(o.Each, r.Float64()/float64(n))
			}
		}
		q := make([]float64, d)
		for k := range q {
			q[k] = 1e-3 * r.NormFloat64()
		}
		f := make([]float64, d)
		s := NewSolver(o, 0)
		stats, err := s.Solve(NewScratch(d, n), f, q, 0.5)
		if err != nil {
			continue // rounding left more than the tolerance, and it was seen
		}
		is := exactGradient(o, f, q, 0.5)
		loose := o.Loss != LeastSquares || stats.Hidden < stats.Residual
		if told := stats.Bound(); !(told >= is) || !loose && !(told <= 1.0001*is) {
			t.Errorf("trial %d, targets about %.0e: the gradient is %.17g, told is %.17g", trial, target, is, told)
		}
		if stats.Residual < is-1e-12 && is > DefaultTolerance {
			hidden++
		}
	}
	if hidden < 10 {
		t.Errorf("rounding hid the gradient of %d solves: the test is of no such", hidden)
	}
}

// Where rounding has no part, what is told is what was found on the way, and costs no pass.
func TestSolve_TellsWhatItFoundWhereRoundingIsLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		o := quadratic(r, 50, 8, 0.3, 1, false)
		f := make([]float64, 8)
		stats, err := NewSolver(o, 0).Solve(NewScratch(8, 50), f, make([]float64, 8), 0)
		if err != nil || stats.Bound() != stats.Residual {
			t.Errorf("%v: found %v, told %v", err, stats.Residual, stats.Bound())
		}
	}
}
