// A problem split over nodes, and its centralised optimum.

package problem

import (
	"errors"

	"overhear/internal/num"
)

// ErrDiverges is wrapped by the errors of a run that is ended because what it computes
// grows without bound.
var ErrDiverges = errors.New("the run diverges")

// Problem is Σ_i O_i over N nodes.
type Problem struct {
	D      int // numbers of a model: columns, K times as many where rows have one of K classes
	Shards []Shard
	Test   Shard // may be empty
	Loss   Loss
	C      float64
	R      []float64 // r_i, by node
	K      int       // classes, each with a block of the model; 0: two, which share one, or targets
	Unit   float64   // what targets were divided by; 0: nothing, or rows have classes

	NonSmooth *NonSmooth // h of every O_i; nil: none
}

// Objective is O_i.
func (p *Problem) Objective(i int) *Objective {
	s := &p.Shards[i]
	return &Objective{U: s.U, K: p.K, Targets: s.Targets, Weight: p.C / float64(s.U.Len()), Loss: of(p.Loss, s.Class),
		Ridge: p.R[i], NonSmooth: p.NonSmooth}
}

// NewSolver makes the solver of node i; zero is the default tolerance.
func (p *Problem) NewSolver(i int, tolerance float64) *Solver {
	return NewSolver(p.Objective(i), tolerance)
}

// NewScratch makes working memory that serves every node.
func (p *Problem) NewScratch() *Scratch {
	rows := 0
	for i := range p.Shards {
		rows = max(rows, p.Shards[i].U.Len())
	}
	return NewScratch(p.D, rows*p.Models())
}

// Models is how many blocks a model has: K, or 1.
func (p *Problem) Models() int { return max(1, p.K) }

// HasTargets says whether rows have targets, and not classes.
func (p *Problem) HasTargets() bool { return len(p.Shards) > 0 && p.Shards[0].Targets != nil }

// Rows is the number of training rows of all nodes.
func (p *Problem) Rows() int {
	n := 0
	for i := range p.Shards {
		n += p.Shards[i].U.Len()
	}
	return n
}

// again is how many bytes an entry takes once more where it is kept as it is read faster.
const again = 16

// Footprint is about how many bytes the rows of all nodes, and for the test, and solvers take.
func (p *Problem) Footprint() float64 {
	need := p.Test.bytes()
	for i := range p.Shards {
		need += p.Objective(i).footprint()
	}
	return need
}

// footprint is about how many bytes a node's rows and solver take.
func (o *Objective) footprint() float64 {
	const perNode, perRow, perColumn = 480, 16, 16
	need := perNode + float64(perColumn*o.U.D*o.models()) + float64(perRow*o.U.Len()*o.models()) +
		float64(8*len(o.Targets)) + float64(8*o.U.Entries()) + float64(8*o.factored())
	if !o.inPlace() {
		const design = 250 // the columns
		need += design + float64(again*o.U.Entries())
	}
	return need
}

// PooledFootprint is about how many bytes the pooled rows and their solver take, of which the optimum is.
func (p *Problem) PooledFootprint() float64 {
	rows, entries, full := 0, 0, len(p.Shards) > 0
	for i := range p.Shards {
		u := p.Shards[i].U
		rows, entries, full = rows+u.Len(), entries+u.Entries(), full && u.full()
	}
	u := outline(rows, p.D/p.Models(), entries, full)
	return u.Bytes() + (&Objective{U: u, K: p.K, NonSmooth: p.NonSmooth}).pooledFootprint()
}

// pooledFootprint is what PooledFootprint is besides the rows.
func (o *Objective) pooledFootprint() float64 {
	const perRow = 40 // weights, work
	need := float64(perRow*o.U.Len()*o.models()) + float64(8*float64(o.factored()))
	if !o.inPlace() {
		need += float64(again * float64(o.U.Entries()))
	}
	return need
}

// pooled is (1/N) Σ_i O_i on all rows.
func (p *Problem) pooled() *Objective {
	n := float64(len(p.Shards))
	entries := 0
	for i := range p.Shards {
		entries += p.Shards[i].U.Entries()
	}
	rows := p.Rows()
	o := &Objective{U: newRows(p.D/p.Models(), rows, entries), K: p.K, Each: make([]float64, 0, rows),
		NonSmooth: p.NonSmooth}
	var class []int32
	for i := range p.Shards {
		u := p.Shards[i].U
		weight := p.C / float64(u.Len()) / n
		for k := range u.Len() {
			o.U.Append(u.Row(k))
			o.Each = append(o.Each, weight)
		}
		o.Targets = append(o.Targets, p.Shards[i].Targets...)
		class = append(class, p.Shards[i].Class...)
		o.Ridge += p.R[i] / n
	}
	o.Loss = of(p.Loss, class)
	return o
}

// Value is Σ_i O_i(f) of a d-vector f; a set that f is not in is left out.
func (p *Problem) Value(f []float64) float64 {
	w := p.NewScratch()
	sum := 0.0
	for i := range p.Shards {
		s := &p.Shards[i]
		numbers := s.U.Len() * p.Models()
		z, slope := w.margin[:numbers], w.slope[:numbers]
		s.Arguments(f, z)
		loss := of(p.Loss, s.Class)
		loss.Slopes(slope, z)
		sum += float64(p.C * loss.Total(z, slope) / float64(s.U.Len()))
		sum += float64(0.5 * p.R[i] * num.Dot(f, f))
	}
	return sum + float64(float64(len(p.Shards))*p.NonSmooth.Value(f))
}

// Optimum is the centralised optimum.
type Optimum struct {
	F     []float64 // f*, a d-vector
	Value float64   // Σ_i O_i(f*)
	Stats Stats     // of the solve of (1/N) Σ_i O_i
}

// Centralised computes the minimiser f* of Σ_i O_i on the pooled rows, with the
// nodes' own solver.
func (p *Problem) Centralised() (*Optimum, error) { return p.Tilted(make([]float64, p.D)) }

// Tilted computes the minimiser of (1/N) Σ_i O_i(f) + q·f in the same way.
func (p *Problem) Tilted(q []float64) (*Optimum, error) {
	o := p.pooled()
	w := NewScratch(p.D, o.U.Len()*p.Models())
	s := NewSolver(o, 1e-13) // as far as rounding allows; DefaultTolerance will do
	s.unheard = true
	f := make([]float64, p.D)
	stats, err := s.Solve(w, f, q, 0)
	if err != nil {
		if stats.Residual > DefaultTolerance {
			return nil, ofReference("the centralised optimum", err)
		}
		copy(f, s.x)
	}
	return &Optimum{F: f, Value: p.Value(f), Stats: stats}, nil
}
