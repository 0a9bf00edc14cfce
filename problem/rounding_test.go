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

// exponential is e^x.
func exponential(x *big.Float) *big.Float {
	const halved = 40 // times
	y := exact(0).SetMantExp(x, -halved)
	sum, term := exact(1), exact(1)
	for k := range 16 {
		term = exact(0).Quo(exact(0).Mul(term, y), exact(float64(k+1)))
		sum.Add(sum, term)
	}
	for range halved { // e^x from e^(x/2^40)
		sum = exact(0).Mul(sum, sum)
	}
	return sum
}

// exactGradient is ‖∇‖ at f of an objective, in exact arithmetic.
func exactGradient(o *Objective, f, q []float64, kappa float64) float64 {
	sum := exact(0)
	for _, g := range exactly(o, f, q, kappa) {
		sum.Add(sum, exact(0).Mul(g, g))
	}
	norm, _ := sum.Sqrt(sum).Float64()
	return norm
}

// exactly is ∇.
func exactly(o *Objective, f, q []float64, kappa float64) []*big.Float {
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
		case logistic:
			if far := 1000.0; z.Cmp(exact(far)) > 0 || z.Cmp(exact(-far)) < 0 { // e^−1000 is nothing beside all else
				z.SetFloat64(min(0, float64(z.Sign())))
				break
			}
			z.Quo(exact(-1), exact(0).Add(exact(1), exponential(z)))
		case HuberHinge:
			z.Sub(exact(0).Add(exact(1), exact(loss.Width)), z)
			z.Quo(z, exact(2*loss.Width))
			if z.Sign() < 0 {
				z.SetFloat64(0)
			} else if z.Cmp(exact(1)) > 0 {
				z.SetFloat64(1)
			}
			z.Neg(z)
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
	return total
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

// At large margins losses are nearly straight lines, whose slopes hold nothing back: what is told is little more than
// what there is.
func TestSolve_TellsLittleMoreAtLargeMargins(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 6))
	for trial := range 20 {
		n, d := 20+r.IntN(60), 3+r.IntN(10)
		size := math.Pow(10, 5+3*r.Float64())
		o := quadratic(r, n, d, size, 1, false)
		o.Targets, o.Labels = nil, make([]float64, n)
		for i := range n {
			o.Labels[i] = float64(1 - i%2*2)
		}
		if o.Loss = Logistic; trial%2 == 1 {
			o.Loss = HuberHinge{Width: math.Pow(10, 1-2*r.Float64())}
		}
		f := make([]float64, d)
		for k := range f {
			f[k] = r.NormFloat64()
		}
		s, q := NewSolver(o, 0), make([]float64, d)
		for k, g := range exactly(o, f, q, 0) { // so that f is a solution, but for the last digits of q
			q[k], _ = g.Neg(g).Float64()
		}
		stats := Stats{Scale: 1, Tolerance: DefaultTolerance}
		s.uncover(f, q, o.Ridge, &stats)
		is := exactGradient(o, f, q, 0)
		if told := stats.Hidden; !(told >= is) || !(told <= 1.0001*is) {
			t.Errorf("trial %d, rows of %.0e, %T: the gradient is %.17g, told is %.17g", trial, size, o.Loss, is, told)
		}
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
