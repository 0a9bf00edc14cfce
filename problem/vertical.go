// A problem whose columns are split over parties: ADMM sharing (docs/mathematics.md §4).

package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/sim"
)

// Vertical is a problem of N rows whose D columns are divided over parties,
// while a hub holds the labels, classes or targets. Its objective, for a d_m-vector
// x_m of each party m, is
//
//	c Σ_n L(Y_n z_n − t_n) + ½ λ Σ_m ‖x_m‖² + Σ_m h(x_m),    z = Σ_m D_m x_m
//
// where t_n = 0 of classes and Y_n = 1 of targets.
type Vertical struct {
	N, D        int
	Blocks      []*Rows   // D_m, N×d_m, not multiplied by the classes
	Y           []float64 // N classes, ±1; 1 of targets
	Targets     []float64 // t_n; nil of classes
	TestBlocks  []*Rows   // the same columns of the test rows, of which there may be none
	TestY       []float64
	TestTargets []float64
	Unit        float64 // what targets were divided by; 0: nothing, or rows have classes
	Ridge       float64 // λ
	Weight      float64 // c, 1/N for a mean of losses, 1 for a sum
	Loss        Loss    // of the margin Y_n z_n or the residual z_n − t_n

	NonSmooth *NonSmooth // h; nil: none

	Copied float64 // bytes of blocks that are not parts of the set's own rows
}

// Kinks is Σ_m h(x_m), of a d_m-vector for each party; a set that one is not in is left out.
func (v *Vertical) Kinks(x [][]float64) float64 {
	sum := 0.0
	for _, part := range x {
		sum += v.NonSmooth.Value(part)
	}
	return sum
}

// SplitColumns gives each party as many consecutive columns of a set as widths
// says; they are positive and add up to the set's columns. Rows are in the order
// of train and test, which index the set and of which test may be empty. The
// weight is "mean", c = 1/N, or "sum", c = 1.
func SplitColumns(set *Set, widths []int, train, test []int, loss Loss, weight string, ridge float64) (*Vertical,
	error) {
	total := 0
	for m, w := range widths {
		if w < 1 {
			return nil, fmt.Errorf("widths must all be at least 1, that of party %d is %d", m, w)
		}
		total += w
	}
	if total != set.X.D {
		has := Counted(set.X.D, "column")
		if last := len(set.Columns) - 1; last >= 0 && set.Columns[last] == interceptName {
			has = fmt.Sprintf("%s and the intercept, %d in all (problem.scale.intercept)", Counted(last, "column"),
				set.X.D)
		}
		return nil, fmt.Errorf("widths add up to %d, but %s has %s", total, set.Name, has)
	}
	if len(train) == 0 {
		return nil, errors.New("there are no training rows")
	}
	if !(ridge >= 0) {
		return nil, fmt.Errorf("ridge must not be negative, is %v", ridge)
	}
	for _, rows := range [][]int{train, test} {
		for _, i := range rows {
			if i < 0 || i >= set.X.Len() {
				return nil, fmt.Errorf("row %d is not among the %d rows of %s", i, set.X.Len(), set.Name)
			}
		}
	}
	v := &Vertical{N: len(train), D: total, Ridge: ridge, Loss: loss, Unit: set.Unit}
	switch weight {
	case "mean":
		v.Weight = 1 / float64(v.N)
	case "sum":
		v.Weight = 1
	default:
		return nil, fmt.Errorf("weight must be mean or sum, is %q", weight)
	}
	var copied, testCopied float64
	v.Blocks, v.Y, copied = columnBlocks(set, widths, train)
	v.TestBlocks, v.TestY, testCopied = columnBlocks(set, widths, test)
	v.Copied = copied + testCopied
	v.Targets, v.TestTargets = picked(set.Targets, train), picked(set.Targets, test)
	return v, nil
}

// columnBlocks cuts rows of a set into blocks of columns. Consecutive rows of a set without an index stay where they
// are, others are copied, which takes so many bytes.
func columnBlocks(set *Set, widths, rows []int) (blocks []*Rows, y []float64, copied float64) {
	blocks, y = make([]*Rows, len(widths)), make([]float64, len(rows))
	consecutive := len(rows) > 0
	for n, i := range rows {
		y[n] = set.Y[i]
		consecutive = consecutive && i == rows[0]+n
	}
	if set.X.full() && consecutive {
		first := 0
		for m, w := range widths {
			blocks[m] = set.X.part(rows[0], rows[0]+len(rows), first, w)
			first += w
		}
		return blocks, y, 0
	}
	// each calls f with the entries of a row in each block.
	each := func(i int, f func(m int, cols []int32, vals []float64, first int32)) {
		cols, vals := set.X.Row(i)
		first := int32(0)
		for m, w := range widths {
			end, _ := slices.BinarySearch(cols, first+int32(w))
			f(m, cols[:end], vals[:end], first)
			cols, vals = cols[end:], vals[end:]
			first += int32(w)
		}
	}
	entries := make([]int, len(widths))
	for _, i := range rows {
		each(i, func(m int, cols []int32, _ []float64, _ int32) { entries[m] += len(cols) })
	}
	for m, w := range widths {
		blocks[m] = newRows(w, len(rows), entries[m])
	}
	var shifted []int32
	for _, i := range rows {
		each(i, func(m int, cols []int32, vals []float64, first int32) {
			shifted = shifted[:0]
			for _, c := range cols {
				shifted = append(shifted, c-first)
			}
			blocks[m].Append(shifted, vals)
		})
	}
	for _, b := range blocks {
		copied += b.Bytes()
	}
	return blocks, y, copied
}

// join puts blocks of columns side by side; it shares the memory of blocks that are neighbours in one matrix.
func join(blocks []*Rows) *Rows {
	n, d, entries, neighbours := blocks[0].Len(), 0, 0, blocks[0].full()
	for m, b := range blocks {
		d += b.D
		entries += b.Entries()
		if m > 0 && neighbours {
			before := blocks[m-1]
			neighbours = b.full() && b.stride == before.stride && len(before.Val) > before.D &&
				&before.Val[before.D] == &b.Val[0]
		}
	}
	if neighbours && d <= blocks[0].stride {
		first := blocks[0]
		return &Rows{D: d, n: n, stride: first.stride, Col: first.Col[:d], Val: first.Val[:(n-1)*first.stride+d]}
	}
	u := newRows(d, n, entries)
	var cols []int32
	var vals []float64
	for i := range n {
		cols, vals = cols[:0], vals[:0]
		first := int32(0)
		for _, b := range blocks {
			c, v := b.Row(i)
			for k, col := range c {
				cols, vals = append(cols, first+col), append(vals, v[k])
			}
			first += int32(b.D)
		}
		u.Append(cols, vals)
	}
	return u
}

// Margins writes Σ_m D_m x_m, of a d_m-vector for each party, into out, an N-vector.
func (v *Vertical) Margins(x [][]float64, out []float64) { margins(v.Blocks, x, out) }

// TestMargins is Margins of the test rows.
func (v *Vertical) TestMargins(x [][]float64) []float64 {
	z := make([]float64, len(v.TestY))
	margins(v.TestBlocks, x, z)
	return z
}

func margins(blocks []*Rows, x [][]float64, out []float64) {
	clear(out)
	part := make([]float64, len(out))
	for m, b := range blocks {
		b.columnTimes(x[m], part)
		for k, p := range part {
			out[k] += p
		}
	}
}

// Objective is c Σ_n L(Y_n Σ_m (D_m x_m)_n − t_n) + ½ λ Σ_m ‖x_m‖² + Σ_m h(x_m), of a d_m-vector
// for each party.
func (v *Vertical) Objective(x [][]float64) float64 {
	squares := 0.0
	for _, f := range x {
		squares += num.Dot(f, f)
	}
	z := make([]float64, v.N)
	v.Margins(x, z)
	return v.ObjectiveAt(z, squares) + v.Kinks(x)
}

// ObjectiveAt is c Σ_n L(Y_n z_n − t_n) + ½ λ·squares, of an N-vector z and the sum of
// the ‖x_m‖².
func (v *Vertical) ObjectiveAt(z []float64, squares float64) float64 {
	t, slopes := signed(v.Y, z), make([]float64, len(z))
	less(t, v.Targets)
	v.Loss.Slopes(slopes, t)
	return float64(v.Weight*v.Loss.Total(t, slopes)) + float64(0.5*float64(v.Ridge*squares))
}

// signed returns Y_n z_n.
func signed(y, z []float64) []float64 {
	t := make([]float64, len(z))
	for n, v := range z {
		t[n] = y[n] * v
	}
	return t
}

// TestLoss is the mean of log(1 + e^−Y_n z_n) over the test rows, whatever the
// loss of training, and the share of them on the wrong side; a row on the
// boundary counts as +1. Both are NaN if there are no test rows, or they have
// targets.
func (v *Vertical) TestLoss(x [][]float64) (logLoss, errorRate float64) {
	n := len(v.TestY)
	if n == 0 || v.TestTargets != nil {
		return math.NaN(), math.NaN()
	}
	z := v.TestMargins(x)
	wrong := 0
	for k, s := range z {
		if (s >= 0) != (v.TestY[k] > 0) {
			wrong++
		}
	}
	t, slopes := signed(v.TestY, z), make([]float64, n)
	Logistic.Slopes(slopes, t)
	return Logistic.Total(t, slopes) / float64(n), float64(wrong) / float64(n)
}

// VerticalOptimum is a minimiser of a Vertical's objective.
type VerticalOptimum struct {
	X     [][]float64 // a d_m-vector for each party
	Value float64     // the objective there
	Stats Stats       // of the solve, in which the objective is divided by cN
}

// Centralised computes the minimiser on all columns, with the solver of (★).
func (v *Vertical) Centralised() (*VerticalOptimum, error) {
	return v.optimum(len(v.Blocks), "the centralised optimum")
}

// LocalOnly computes the minimiser on the first party's columns; the others' x_m
// are zero.
func (v *Vertical) LocalOnly() (*VerticalOptimum, error) {
	return v.optimum(1, "the first party's own optimum")
}

// optimum minimises over the x_m of the first parties. The objective is solved
// divided by cN, so that its gradient has the scale of one row.
func (v *Vertical) optimum(parties int, name string) (*VerticalOptimum, error) {
	u := join(v.Blocks[:parties])
	d := u.D
	rows := float64(v.N)
	objective := &Objective{U: u, Labels: v.Y, Targets: v.Targets, Weight: 1 / rows, Loss: v.Loss,
		Ridge: v.Ridge / (v.Weight * rows)}
	if h := v.NonSmooth; h != nil {
		objective.NonSmooth = NewNonSmooth(h.L1/(v.Weight*rows), h.Group/(v.Weight*rows), h.Set)
		for _, b := range v.Blocks[:parties] {
			objective.Blocks = append(objective.Blocks, b.D)
		}
	}
	s := NewSolver(objective, 1e-13)
	s.unheard = true
	f := make([]float64, d)
	stats, err := s.Solve(NewScratch(d, v.N), f, make([]float64, d), 0)
	if err != nil {
		// As far as rounding allows; DefaultTolerance will do.
		if !(stats.Residual <= DefaultTolerance) {
			return nil, ofReference(name, err)
		}
		copy(f, s.x)
	}
	o := &VerticalOptimum{X: make([][]float64, len(v.Blocks)), Stats: stats}
	for m, b := range v.Blocks {
		if m < parties {
			o.X[m], f = f[:b.D:b.D], f[b.D:]
		} else {
			o.X[m] = make([]float64, b.D)
		}
	}
	o.Value = v.Objective(o.X)
	return o, nil
}

// PartySolver is one party's side of ADMM sharing: its block D, N×d, and the
// factorisations that serve every round. One goroutine at a time may use it.
type PartySolver struct {
	Block      *Rows   // D
	Ridge, Rho float64 // λ and ρ; not to be changed

	gram     []float64     // DᵀD packed, until basis is made from it
	cholesky *num.Cholesky // of λI + ρDᵀD, or
	system   *num.Pivoted  // of the same, if that has no Cholesky factor
	basis    *num.Pivoted  // of DᵀD
	draws    []float64     // standard normals
	rest     [2][]float64  // N and d, for Residual

	kinks *partyKinks // nil: none
}

// partyKinks is what a party whose objective has kinks solves with.
type partyKinks struct {
	h      *NonSmooth
	gram   []float64 // DᵀD packed
	solver *composite
	free   []bool    // for Residual
	linear []float64 // Dᵀv of the step
	of     *PartySolver

	evaluations int // of the last step, which tests look at
}

// Bend adds h to what the party minimises, and returns the party.
func (p *PartySolver) Bend(h *NonSmooth) *PartySolver {
	if h == nil {
		return p
	}
	d := p.Block.D
	k := &partyKinks{h: h, gram: p.gram, solver: newComposite(h, d), free: make([]bool, d), linear: make([]float64, d),
		of: p}
	if k.gram == nil {
		k.gram = gram(p.Block)
	}
	p.kinks = k
	return p
}

// curve is the Hessian (λI + ρDᵀD) times d.
func (k *partyKinks) curve(d, out []float64) {
	clear(out)
	for i, v := range d {
		row := k.gram[num.Packed(i) : num.Packed(i)+i+1]
		out[i] += num.Dot(row, d[:i+1])
		num.Axpy(v, row[:i], out[:i])
	}
	num.Scale(k.of.Rho, out)
	num.Axpy(k.of.Ridge, d, out)
}

// gradientAt is (λI + ρDᵀD)x + Dᵀv.
func (k *partyKinks) gradientAt(x, g []float64) {
	k.curve(x, g)
	num.Axpy(1, k.linear, g)
}

// step is Step where the objective has kinks.
func (k *partyKinks) step(v, x []float64) {
	k.of.Transposed(v, k.linear)
	stats := Stats{Scale: math.Max(1, num.Norm(k.linear)), Tolerance: partyTolerance}
	k.solver.minimise(k, x, &stats) // Residual says how well
	k.evaluations = stats.Evaluations
}

// partyTolerance is that of a party's solves with kinks: near what rounding allows.
const partyTolerance = 1e-12

// NewPartySolver forms DᵀD and factors λI + ρDᵀD. If λ is zero, or so small that
// rounding hides it, the factorisation is the pivoted one, and a deficient D
// gives the solution that is zero on the columns found dependent.
//
// It panics if ρ is not positive, λ is negative, or the matrix is not finite:
// scenarios are checked before.
func NewPartySolver(block *Rows, ridge, rho float64) *PartySolver {
	if !(rho > 0) || !(ridge >= 0) {
		panic(fmt.Sprintf("problem: a party with ρ = %v and λ = %v", rho, ridge))
	}
	p := &PartySolver{Block: block, Ridge: ridge, Rho: rho, gram: gram(block)}
	d := block.D
	if ridge > 0 {
		packed := make([]float64, len(p.gram))
		p.fill(packed)
		c := &num.Cholesky{}
		if c.Factor(packed, d) == nil {
			p.cholesky = c
			return p
		}
		p.fill(packed)
		p.system = pivoted(packed, d, block.Len())
		return p
	}
	p.basis = pivoted(p.gram, d, block.Len())
	p.gram = nil
	return p
}

// fill writes the packed λI + ρDᵀD.
func (p *PartySolver) fill(packed []float64) {
	for k, g := range p.gram {
		packed[k] = p.Rho * g
	}
	for k := range p.Block.D {
		packed[num.Packed(k)+k] += p.Ridge
	}
}

// pivoted factors a packed matrix of order d that sums products over so many
// rows: the rounding of those sums, and not of the factorisation alone, is what
// a dependent column leaves on the diagonal.
func pivoted(packed []float64, d, rows int) *num.Pivoted {
	full := make([]float64, d*d)
	for i := range d {
		copy(full[i*d:], packed[num.Packed(i):num.Packed(i)+i+1])
	}
	f := &num.Pivoted{}
	if err := f.Factor(full, d, num.PivotedTolerance(max(d, rows))); err != nil {
		panic(fmt.Sprintf("problem: factoring a party's matrix: %v", err))
	}
	return f
}

// denseShare is the share of entries above which the Gram matrix is formed from rows in full.
const denseShare = 0.3

// gram returns DᵀD, packed.
func gram(r *Rows) []float64 {
	d, n := r.D, r.Len()
	if float64(r.Entries()) > denseShare*float64(n)*float64(d) {
		g := num.NewGram(d)
		for i := range n {
			g.Add(r.Row(i))
		}
		return g.Packed()
	}
	g := make([]float64, num.Packed(d))
	for i := range n {
		cols, vals := r.Row(i)
		for a, ca := range cols {
			row := g[num.Packed(int(ca)):]
			v := vals[a]
			for b, cb := range cols[:a+1] {
				row[cb] += float64(v * vals[b])
			}
		}
	}
	return g
}

// factored is the factorisation of DᵀD, made when first needed.
func (p *PartySolver) factored() *num.Pivoted {
	if p.basis == nil {
		p.basis = pivoted(p.gram, p.Block.D, p.Block.Len())
		p.gram = nil
	}
	return p.basis
}

// Deficient is how many columns of D depend on others, within rounding of DᵀD:
// d less the rank.
func (p *PartySolver) Deficient() int { return p.Block.D - p.factored().Rank }

// Times writes D x, an N-vector, into out.
func (p *PartySolver) Times(x, out []float64) { p.Block.columnTimes(x, out) }

// columnTimes is times for a block of columns, in another order of additions for rows that have all of them.
func (r *Rows) columnTimes(x, out []float64) {
	if r.full() {
		r.fullTimes(x, out)
		return
	}
	for i := range out {
		cols, vals := r.Row(i)
		if len(cols) == len(x) {
			out[i] = num.Dot(vals, x)
		} else {
			out[i] = sparseDot(cols, vals, x)
		}
	}
}

// Transposed writes Dᵀ v, a d-vector, into out.
func (p *PartySolver) Transposed(v, out []float64) { p.Block.transposedTimes(v, out) }

// transposedTimes is columnTimes of the transpose.
func (r *Rows) transposedTimes(v, out []float64) {
	if r.full() {
		r.fullTransposedTimes(v, out)
		return
	}
	clear(out)
	for i, a := range v {
		cols, vals := r.Row(i)
		if len(cols) == len(out) {
			num.Axpy(a, vals, out)
			continue
		}
		for k, c := range cols {
			out[c] += float64(a * vals[k])
		}
	}
}

// Step writes the solution of (λI + ρDᵀD) x = −Dᵀ v into x, a d-vector, for an
// N-vector v: the party's step of docs/mathematics.md §4 if v = y + ρ(u − p_m). With h
// it writes the minimiser of ½xᵀ(λI + ρDᵀD)x + vᵀDx + h(x), for which x is a warm start.
func (p *PartySolver) Step(v []float64, x []float64) {
	if p.kinks != nil {
		p.kinks.step(v, x)
		return
	}
	p.Transposed(v, x)
	switch {
	case p.cholesky != nil:
		num.Scale(-1, x)
		p.cholesky.Solve(x)
	case p.system != nil:
		num.Scale(-1, x)
		p.system.Solve(x)
	default:
		num.Scale(-1/p.Rho, x)
		p.basis.Solve(x)
	}
}

// Residual is ‖(λI + ρDᵀD) x + Dᵀ v‖ / max(1, ‖Dᵀ v‖), computed from D; with h, the norm of
// the least element of the subdifferential in place of the gradient's, or the distance to the
// set if that is more.
func (p *PartySolver) Residual(v, x []float64) float64 {
	if p.rest[0] == nil {
		p.rest = [2][]float64{make([]float64, p.Block.Len()), make([]float64, p.Block.D)}
	}
	rows, cols := p.rest[0], p.rest[1]
	p.Transposed(v, cols)
	scale := math.Max(1, num.Norm(cols))
	p.Times(x, rows)
	for n, r := range rows {
		rows[n] = v[n] + float64(p.Rho*r)
	}
	p.Transposed(rows, cols)
	num.Axpy(p.Ridge, x, cols)
	if p.kinks != nil {
		p.kinks.h.least(x, cols, p.kinks.free)
		return math.Max(num.Norm(cols)/scale, p.kinks.h.outside(x))
	}
	return num.Norm(cols) / scale
}

// Range draws ξ, a d-vector, such that D ξ is normal with covariance σ² times the
// orthogonal projector onto the range of D: the noise of SH19 (10), with the
// pseudo-inverse in place of (DᵀD)⁻¹ as far as D ξ can tell. It takes as many
// normals from the stream as D has rank.
func (p *PartySolver) Range(s *sim.Stream, sigma float64, xi []float64) {
	f := p.factored()
	if p.draws == nil {
		p.draws = make([]float64, f.Rank)
	}
	for k := range p.draws {
		p.draws[k] = sigma * s.Normal()
	}
	f.SolveT(xi, p.draws)
}

// HubScratch is working memory for HubStep; one goroutine at a time may use it.
type HubScratch struct {
	index                                                 []int
	w, low, high, last, linear, target, gap, slope, curve []float64
}

// NewHubScratch makes working memory for up to n rows.
func NewHubScratch(n int) *HubScratch {
	s := &HubScratch{index: make([]int, n)}
	for _, v := range []*[]float64{&s.w, &s.low, &s.high, &s.last, &s.linear, &s.target, &s.gap, &s.slope, &s.curve} {
		*v = make([]float64, n)
	}
	return s
}

const (
	hubTolerance  = 1e-14 // below what is promised, above rounding
	hubIterations = 200   // Newton needs a few, bisection at most about a hundred
)

// HubStep is the hub's step of ADMM sharing: for each of the N rows it replaces
// z_n, a warm start, by
//
//	argmin_z c L(Y_n z − t_n) − y_n z + ½ ρ (p_n − z)²
//
// for labels Y_n = ±1, targets t_n, nil if all are 0, c ≥ 0 and ρ > c max(−L″, 0), with
// which it is strongly convex and has one minimiser, whatever the loss. With
// w = Y_n z − t_n it is the zero of the increasing function
// h(w) = c L′(w) + ρ w − (Y_n(y_n + ρ p_n) − ρ t_n), found by Newton's
// method kept inside a bracket and replaced by bisection where its steps do not
// halve. Since h′ ≥ g = ρ − c max(−L″, 0), the zero is between any w and w − h(w)/g.
//
// It returns the largest |c Y_n L′(Y_n z_n − t_n) − y_n − ρ(p_n − z_n)| / max(1, |y_n|
// + ρ|p_n|): at most 1e-12, unless c is above 100 or rounding z_n to the next
// number changes c L′ by more than that; NaN if something is not finite.
func HubStep(z, y, p, labels, targets []float64, rho, c float64, loss Loss, s *HubScratch) (residual float64) {
	m, steep := len(z), rho-float64(c*Concavity(loss))
	for n, v := range z {
		a := y[n] + float64(rho*p[n])
		s.index[n] = n
		s.w[n] = labels[n] * v
		s.linear[n] = labels[n] * a
		s.target[n] = hubTolerance * math.Max(c, hubScale(y[n], p[n], rho))
		s.low[n], s.high[n], s.last[n] = math.Inf(-1), math.Inf(1), math.Inf(1)
	}
	less(s.w[:m], targets)
	for n, t := range targets {
		s.linear[n] -= float64(rho * t)
	}
	for iteration := 0; m > 0; iteration++ {
		loss.Slopes(s.slope[:m], s.w[:m])
		kept := 0
		for k := range m {
			n, w := s.index[k], s.w[k]
			h := float64(c*s.slope[k]) + (float64(rho*w) - s.linear[k])
			low, high := s.low[k], s.high[k]
			// An end computed from far away may miss the zero by its rounding;
			// then the one computed from here replaces it.
			if h > 0 {
				high = w
				if end := w - h/steep; end > low || low >= w {
					low = end
				}
			} else {
				low = w
				if end := w - h/steep; end < high || high <= w {
					high = end
				}
			}
			middle := low + float64(0.5*(high-low))
			if !(math.Abs(h) > s.target[k]) || iteration == hubIterations || !(middle > low && middle < high) {
				if targets != nil {
					w += targets[n]
				}
				z[n] = labels[n] * w
				residual = math.Max(residual, math.Abs(h)/hubScale(y[n], p[n], rho))
				continue
			}
			s.index[kept], s.w[kept], s.low[kept], s.high[kept] = n, w, low, high
			s.last[kept], s.linear[kept], s.target[kept] = s.last[k], s.linear[k], s.target[k]
			s.gap[kept] = h
			kept++
		}
		m = kept
		loss.Curvatures(s.curve[:m], s.w[:m])
		for k := range m {
			w, low, high := s.w[k], s.low[k], s.high[k]
			next := w - s.gap[k]/(float64(c*s.curve[k])+rho)
			if !(next >= low && next <= high) || !(math.Abs(next-w) <= 0.5*s.last[k]) {
				next = low + float64(0.5*(high-low))
			}
			s.last[k] = math.Abs(next - w)
			s.w[k] = next
		}
	}
	return residual
}

// hubScale is what a row's residual is relative to.
func hubScale(y, p, rho float64) float64 {
	return math.Max(1, math.Abs(y)+float64(rho*math.Abs(p)))
}
