// Whether an objective without a ridge has one optimum.

package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
)

// Single is nil where Σ_i O_i has one minimiser. With a ridge it always has; without, it says what is in the way:
// columns that depend on others, whose names it may be given, rows that a model tells apart, or a loss that is flat.
func (p *Problem) Single(columns []string) error {
	for _, r := range p.R {
		if r > 0 {
			return nil
		}
	}
	o := p.pooled()
	for i := range o.Each {
		o.Each[i] /= p.C // so that the weights add up to 1
	}
	return o.single(columns)
}

// SingleAt is Single of the objective of node i alone.
func (p *Problem) SingleAt(i int) error {
	own := *p
	own.Shards, own.R = p.Shards[i:i+1], p.R[i:i+1]
	return own.Single(nil)
}

// Single is nil where the objective of all parties has one minimiser, as Problem.Single.
func (v *Vertical) Single(columns []string) error {
	if v.Ridge > 0 {
		return nil
	}
	o := &Objective{U: join(v.Blocks), Labels: v.Y, Targets: v.Targets, Weight: 1 / float64(v.N), Loss: v.Loss,
		NonSmooth: v.NonSmooth}
	return o.single(columns)
}

// steepestStep is the greatest change of a margin by a Newton step at what a solver took for an optimum. Where there is
// none, the loss falls along a direction as e^−z, whose Newton steps change margins by 1 however small the gradient has
// become; near an optimum they change them by next to nothing. A step below it is a certificate: the loss's third
// derivative is at most its second times the change of a margin (Bach, Self-concordant analysis for logistic
// regression, EJS 2010, Prop. 2).
const steepestStep = 1e-3

// single says whether an objective with a ridge of 0, whose weights add up to about 1, has one minimiser.
func (o *Objective) single(columns []string) error {
	const remedy = "give problem.rho a value above 0"
	if _, ok := o.Loss.(Softmax); ok {
		return errors.New("with softmax any vector may be added to the blocks of all classes, and the loss stays the " +
			"same: there is no single optimum without a ridge; " + remedy)
	}
	if d := o.U.D * o.models(); d > maxNewton {
		return fmt.Errorf("whether there is one optimum without a ridge is found out of up to %d numbers, and a model "+
			"has %d; %s", maxNewton, d, remedy)
	}
	f := pivoted(gram(o.U), o.U.D, o.U.Len())
	if f.Rank < o.U.D {
		depend := f.Pivot[f.Rank:]
		slices.Sort(depend)
		names := make([]string, len(depend))
		for k, c := range depend {
			if names[k] = fmt.Sprintf("number %d", c); c < len(columns) {
				names[k] = columns[c]
			}
		}
		return fmt.Errorf("the %d rows have rank %d in %d columns: %s depend on others, such as indicators that add "+
			"up to the intercept, so that many models are optimal without a ridge; drop these columns or %s", o.U.Len(),
			f.Rank, o.U.D, listed(names, 6), remedy)
	}
	if o.NonSmooth != nil {
		return o.singleWithKinks(remedy)
	}
	fault := errors.New("a model tells the classes of all rows apart, or of all but those on its boundary, so that " +
		"the loss falls without end as the model grows and has no minimum without a ridge; " + remedy)
	flat := !strictly(o.Loss) // somewhere
	if flat || o.Targets != nil || math.IsInf(o.Loss.Steepest(), 1) {
		fault = errors.New("the loss is flat, to rounding, along a direction in which all rows are beyond its bends, " +
			"so that many models are optimal without a ridge; take another width or loss, or " + remedy)
	}
	n, d := o.U.Len()*o.models(), o.U.D*o.models()
	w, s, x := NewScratch(d, n), NewSolver(o, 1e-9), make([]float64, d)
	if _, err := s.Solve(w, x, make([]float64, d), 0); err != nil {
		if flat { // nothing is known of the optima, which such a loss always has
			return fmt.Errorf("whether there is one optimum without a ridge is not known: %w; take a greater width, "+
				"or %s", err, remedy)
		}
		return fault
	}
	change, ok := o.newtonChange(s, w, x, 0)
	if ok && flat {
		// A row at a bend has curvature on one side of it only, where many models may be optimal.
		change, ok = o.newtonChange(s, w, x, 2*change+bendWidth)
	}
	if !ok || !(change <= steepestStep) {
		return fault
	}
	return nil
}

// bendWidth is how near to a bend, relative to its size from 1 on, a margin or residual may be at it but for rounding.
const bendWidth = 1e-10

// newtonChange is by how much the Newton step at x changes a margin at most, with the curvature of every row the least
// of those within so much of its margin; false: the Hessian is singular.
func (o *Objective) newtonChange(s *Solver, w *Scratch, x []float64, within float64) (float64, bool) {
	d, n := len(x), o.U.Len()*o.models()
	packed, step, change := make([]float64, num.Packed(d)), make([]float64, d), make([]float64, n)
	z := o.arguments(x)
	least := append([]float64(nil), z...)
	o.Loss.Curvatures(least, z)
	for _, side := range []float64{-within, within} {
		there, beside := make([]float64, n), make([]float64, n)
		for k, v := range z {
			beside[k] = v + float64(side*math.Max(1, math.Abs(v)))
		}
		o.Loss.Curvatures(there, beside)
		for k, c := range there {
			least[k] = math.Min(least[k], c)
		}
	}
	o.addHessian(packed, least)
	var factor num.Cholesky
	if factor.Factor(packed, d) != nil {
		return 0, false
	}
	s.Gradient(w, x, step)
	factor.Solve(step)
	(&Shard{U: o.U}).Arguments(step, change)
	most := 0.0
	for _, c := range change {
		most = math.Max(most, math.Abs(c))
	}
	return most, true
}

// singleWithKinks says whether an objective of full rank with kinks has one minimiser: where it grows in every
// direction it has one, and where the loss bends everywhere no two.
func (o *Objective) singleWithKinks(remedy string) error {
	h := o.NonSmooth
	if (h.L1 > 0 || h.Group > 0 || h.Set.Bounded()) && strictly(o.Loss) {
		return nil
	}
	return fmt.Errorf("with %s one optimum without a ridge is shown only where the model is bound, by an ℓ1 norm, a "+
		"group lasso, a ball or a box with both bounds, and the loss bends everywhere, as logistic and squared do; %s",
		h.Keys(), remedy)
}

// strictly says whether a loss's curvature is positive everywhere.
func strictly(l Loss) bool {
	if o, ok := l.(OneVsRest); ok {
		return strictly(o.Each)
	}
	return l == Logistic || l == Squared || l == LeastSquares
}
