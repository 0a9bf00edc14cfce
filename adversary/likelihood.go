// How much likelier a trace is in one world than in another, where the noise of
// the method makes that a closed form (docs/mathematics.md §5.8).

package adversary

import (
	"errors"
	"fmt"
	"math"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
)

// Likelihood compares worlds, in which a node has data sets that differ, by what
// the nodes published. It sees all that every node published, and the past
// of a round decides all of it but the noise, so that by Neyman and Pearson no
// test on the same trace is better.
//
// With ∇(f) the gradient of a world's data and Value, f = At and Ridge those of a
// [Gradient], the log-density of a round is, but for what both worlds share,
//
//	log p(Value − ∇(f)) + log det(∇²(f) + Ridge·I)   noise in the objective
//	log p(Value − ∇(f))                              noise on an explicit step
//	log p(v − f*)                                    noise on the exact minimiser f*
//
// p the law of the noise. A Likelihood serves one goroutine at a time.
type Likelihood struct {
	public *model.Public
	node   int
	size   int
	worlds []*world

	packed, value []float64
	factor        num.Cholesky
}

// world is one candidate data set.
type world struct {
	objective *problem.Objective
	solver    *problem.Solver // of the data's gradient
	exact     *problem.Solver // of minimisers of ridged
	ridged    problem.Objective
	scratch   *problem.Scratch
	gradient  []float64
}

// NewLikelihood compares data sets, of as many samples each, of a node.
func NewLikelihood(p *model.Public, node int, worlds ...*Samples) (*Likelihood, error) {
	l := &Likelihood{
		public: p, node: node, size: len(worlds[0].Y),
		packed: make([]float64, num.Packed(p.D)), value: make([]float64, p.D),
	}
	for _, s := range worlds {
		if len(s.Y) != l.size {
			return nil, fmt.Errorf("the worlds have %d and %d samples; neighbours have as many", l.size, len(s.Y))
		}
		o := s.objective(p, p.C/float64(len(s.Y)))
		ridged := *o
		ridged.Ridge, ridged.NonSmooth = p.R[node], p.NonSmooth
		l.worlds = append(l.worlds, &world{
			objective: o, solver: problem.NewSolver(o, 0), ridged: ridged,
			scratch: problem.NewScratch(p.D, len(s.Y)*max(1, p.Classes)), gradient: make([]float64, p.D),
		})
	}
	l.afresh()
	return l, nil
}

// afresh drops what solvers have kept: it decides last digits, and a trace is to weigh the same after any others.
func (l *Likelihood) afresh() {
	for _, w := range l.worlds {
		w.exact = problem.NewSolver(&w.ridged, exactTolerance)
	}
}

// exactTolerance is that of the minimisers an observer computes.
const exactTolerance = 1e-12

// Evidence is what one round says.
type Evidence struct {
	Round   int
	Density []float64   // ln p(round | past, world), by world, up to what all share
	Noise   [][]float64 // what the noise must have been, by world, with the sign that its node gave it
	Law     model.Noise // of that noise
	Scale   float64     // max(1, ‖q‖) of the step's subproblem: solves are exact to a tolerance times it
}

// Ratio is ln p(round | past, first world) − ln p(round | past, second).
func (e *Evidence) Ratio() float64 {
	if math.IsInf(e.Density[0], -1) && math.IsInf(e.Density[1], -1) {
		return 0
	}
	return e.Density[0] - e.Density[1]
}

// ErrNoNoise is why a trace has no density.
var ErrNoNoise = errors.New("the messages carry no noise, so that one look tells the worlds apart")

// ErrKink is why a trace has no density where noise is in the objective: a minimiser at a kink of it is that of many
// values of the noise.
var ErrKink = errors.New("the noise is in the objective, and a node published a minimiser at a kink of the " +
	"regulariser (problem.l1, problem.set), which many values of the noise have in common: there is no likelihood to " +
	"measure by; noise on the minimiser (pvp, proximal-admm) has one")

// Weigh is the evidence of every round that touches data. An error says what is
// missing for a likelihood that is exact.
func (l *Likelihood) Weigh(v *View) ([]Evidence, error) {
	all, unseen := model.Gradients(v.Public, v, l.node, l.size)
	for _, m := range unseen {
		if m.Kink {
			return nil, fmt.Errorf("%w: %w", ErrKink, m)
		}
	}
	if unseen != nil {
		return nil, fmt.Errorf("the likelihood needs all that was published: %w", unseen[0])
	}
	l.afresh()
	var rounds []Evidence
	for k := range all {
		g := &all[k]
		switch {
		case g.Offset > 0 || g.Nuisance != nil:
			return nil, errors.New("the likelihood needs every parameter, and the rounds from the first on")
		case g.Noise.Kind == model.Silent:
			return nil, ErrNoNoise
		}
		e, err := l.weigh(g)
		if err != nil {
			return nil, err
		}
		rounds = append(rounds, *e)
	}
	return rounds, nil
}

// weigh compares the worlds by one round.
func (l *Likelihood) weigh(g *model.Gradient) (*Evidence, error) {
	e := &Evidence{Round: g.Round, Law: g.Noise}
	for i, v := range g.Value {
		l.value[i] = v + float64(g.Ridge*g.At[i]) // −q
	}
	e.Scale = max(1, num.Norm(l.value))
	if g.Place == model.OnOutput {
		e.Law = g.Noise.Over(g.Ridge)
	}
	for _, w := range l.worlds {
		density, noise := 0.0, make([]float64, len(g.At))
		if g.Place == model.OnOutput {
			if err := w.minimiser(g, l.value); err != nil {
				return nil, err
			}
			for i := range noise {
				noise[i] = g.At[i] - l.value[i]
			}
		} else {
			w.solver.Gradient(w.scratch, g.At, w.gradient)
			sign := 1.0
			if g.Place == model.InStep { // added to the step, so taken from the gradient
				sign = -1
			}
			for i := range noise {
				noise[i] = sign * (g.Value[i] - w.gradient[i])
			}
			if g.Implicit() {
				logDet, err := l.logDeterminant(w, g.At, g.Ridge)
				if err != nil {
					return nil, err
				}
				density = logDet
			}
		}
		e.Density = append(e.Density, density+e.Law.LogDensity(noise))
		e.Noise = append(e.Noise, noise)
	}
	return e, nil
}

// minimiser writes f*, the exact minimiser of a round with noise on the output, into f.
func (w *world) minimiser(g *model.Gradient, f []float64) error {
	q := w.gradient
	for i := range q {
		q[i] = -g.Value[i] - float64(g.Ridge*g.At[i])
		f[i] = 0
	}
	_, err := w.exact.Solve(w.scratch, f, q, g.Ridge-w.ridged.Ridge)
	var missed *problem.ResidualError
	if errors.As(err, &missed) && missed.Residual <= 1e-9*missed.Scale {
		return nil // as far as rounding allows
	}
	return err
}

// logDeterminant is log det(∇²(f) + ridge·I), ∇² that of a world's data.
func (l *Likelihood) logDeterminant(w *world, f []float64, ridge float64) (float64, error) {
	d := l.public.D
	h := l.packed
	clear(h)
	for k := range d {
		h[num.Packed(k)+k] = ridge
	}
	w.objective.AddHessian(h, f)
	if err := l.factor.Factor(h, d); err != nil {
		return 0, fmt.Errorf("the determinant of the noise's Jacobian: %w", err)
	}
	sum := 0.0
	for k := range d {
		sum -= num.Log(h[num.Packed(k)+k]) // 1/L_kk
	}
	return 2 * sum, nil
}

// Overheard is the view of an observer whom nothing escapes.
func Overheard(p *model.Public, k *Knowledge, iterates []record.Iterate) *View {
	if k == nil {
		k = new(Knowledge)
	}
	v := &View{Public: p, Knows: k, values: make(map[[2]int][]float64, len(iterates))}
	for _, i := range iterates {
		v.values[[2]int{int(i.Node), int(i.Round)}] = i.Values
	}
	return v
}
