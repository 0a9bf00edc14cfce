// Vectors that are known up to an error: the rank of their span, and how large
// the error of a gradient is.

package adversary

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/problem"
)

// spectrum is the singular value decomposition of vectors, as columns.
type spectrum struct {
	values []float64   // singular values, descending
	left   [][]float64 // the left singular vectors that belong to them
}

// decompose is the spectrum of vectors of one length, min(count, length) values.
func decompose(vectors [][]float64) (*spectrum, error) {
	svd, err := num.Decompose(vectors)
	if err != nil { // vectors along one another leave rounding that stays at no right angles; sorted by size it does
		basis := independent(vectors, min(len(vectors), len(vectors[0])))
		var graded [][]float64
		for _, x := range vectors {
			graded = append(graded, inFrame(basis, x))
		}
		if svd, err = num.Decompose(graded); err != nil {
			return nil, err
		}
		for k, x := range svd.Left {
			svd.Left[k] = make([]float64, len(vectors[0]))
			for c, q := range basis {
				num.Axpy(x[c], q, svd.Left[k])
			}
		}
	}
	return &spectrum{svd.Values, svd.Left}, nil
}

// rank is how many directions the vectors have, if the matrix of their errors
// has a Frobenius norm of at most floor, and the ratio of the last singular value
// that counts to the first that does not. By Weyl's inequality no value beyond the
// rank exceeds floor; of the places that leaves, rounding begins at the largest gap.
// If every value exceeds floor all directions count and the gap is 0: the rank is
// then a lower bound.
func (s *spectrum) rank(floor float64) (rank int, gap float64) {
	n := len(s.values)
	if n == 0 || s.values[0] <= floor {
		return 0, math.Inf(1)
	}
	rank = n
	least := s.values[0] * float64(len(s.left[0])) * 0x1p-52 // below that they are rounding of the decomposition
	for k := 1; k < n; k++ {
		if s.values[k] > floor {
			continue
		}
		if r := s.values[k-1] / math.Max(s.values[k], least); r > gap {
			rank, gap = k, r
		}
	}
	return rank, gap
}

// clearGap is the least gap in a spectrum that is taken for the edge of the
// rank. Singular values of rounding are within a small factor of one another; a
// hundred is far from that, and far below what exact data show.
const clearGap = 100

// sureGap is the least gap that is taken for it without a word of doubt: after few rounds rows' own singular values,
// with others too small to be seen, fall by several thousand from one to the next, most where steps are small.
const sureGap = 10000

// sameness is how near two points may be, relative to them, and count as one: solves leave differences far below it.
const sameness = 1e-8

// distinct are the gradients at points that none before had. A node that lost its memory may compute the same again,
// which is no sign that rows have no more directions.
func distinct(all []model.Gradient) (out []model.Gradient) {
	type point struct {
		norm float64
		at   []float64
	}
	var kept []point // by norm
	place := func(norm float64) int {
		k, _ := slices.BinarySearchFunc(kept, norm, func(p point, x float64) int { return cmp.Compare(p.norm, x) })
		return k
	}
	for _, g := range all {
		norm := num.Norm(g.At)
		room := float64(sameness * norm)
		known := false
		for k := place(norm - room); k < len(kept) && kept[k].norm <= norm+room && !known; k++ {
			off := slices.Clone(g.At)
			num.Axpy(-1, kept[k].at, off)
			known = num.Norm(off) <= room
		}
		if !known {
			kept = slices.Insert(kept, place(norm), point{norm, g.At})
			out = append(out, g)
		}
	}
	return out
}

// above is how many singular values exceed floor: by Weyl's inequality the vectors have so many directions at least.
func (s *spectrum) above(floor float64) (n int) {
	for n < len(s.values) && s.values[n] > floor {
		n++
	}
	return n
}

// doubt says, where so many vectors do not settle a rank that ends at a gap, why; size is how many rows are known to
// be, 0 if that is not. That one vector adds none may be chance: gradients of two rows of one length, from zero, are
// along one another at first.
func (s *spectrum) doubt(vectors, rank, size int, gap, floor float64) (why string) {
	if vectors == rank+1 && rank != size {
		why = "; that one vector adds none may be chance, and there may be more rows"
	}
	if gap < sureGap && rank != size {
		why += "; rows' own values may fall by as much, and there may be more rows"
	}
	if n := s.above(floor); n < rank {
		why += fmt.Sprintf("; but for %d the values are no larger than what solves leave", n)
	}
	return why
}

// space is the span of the first rank directions.
func (s *spectrum) space(rank int) *columnSpace { return &columnSpace{s.left[:rank]} }

// gradientError bounds the error of what a round tells: of an explicit step it is rounding, of the terms that it is
// computed from and of those of the node's gradient, a few dozen at most that do not cancel.
func gradientError(p *model.Public, g *model.Gradient) float64 {
	const roundings = 64 * 0x1p-53
	if g.Explicit {
		return float64(roundings * (g.Size + p.C)) // rounded here, wherever it is added to
	}
	return solverError(p, num.Norm(g.Value), g.Ridge, num.Norm(g.At))
}

// solverError bounds the error that a node's solver leaves in a gradient: it
// stops when the objective's gradient is below tolerance × max(1, ‖q‖), q the
// linear term of (★), and ‖q‖ ≤ ‖∇‖ + (r + κ)‖f‖ there.
func solverError(p *model.Public, gradient, ridge, f float64) float64 {
	return p.SolverTolerance() * math.Max(1, gradient+float64(ridge*f))
}

// debias is δ of the loss of reported labels, L(y′z) − δ y′z; 0 where labels are not
// reported, NaN where users have one of their own.
func debias(p *model.Public) float64 {
	if m, ok := p.Method.(model.Registering); ok {
		return m.Debias(nil)
	}
	return 0
}

// objective is the data part of a node's objective, of which these are some rows, each with a weight of share.
func (s *Samples) objective(p *model.Public, share float64) *problem.Objective {
	o := &problem.Objective{U: s.U, K: p.Classes, Targets: s.Targets, Weight: share, Loss: p.Loss}
	if joint, ok := p.Loss.(problem.Joint); ok {
		o.Loss = joint.Of(s.Class)
	}
	return o
}

// gradientOver is (C/B) Σ (L′(u·f) − δ) u over known samples of a node that has b:
// what they contribute to a Gradient. Where labels are reported they are reports.
func gradientOver(p *model.Public, s *Samples, b int, f []float64) []float64 {
	n := s.U.Len()
	if p.Classes > 0 {
		g := make([]float64, len(f))
		problem.NewSolver(s.objective(p, p.C/float64(b)), 0).Gradient(problem.NewScratch(p.D, n*p.Classes), f, g)
		return g
	}
	z, slopes := make([]float64, n), make([]float64, n)
	for i := range z {
		z[i] = s.U.Dot(i, f)
	}
	p.Loss.Slopes(slopes, z)
	g, delta := make([]float64, p.D), debias(p)
	for i, slope := range slopes {
		if s.Debias != nil {
			delta = s.Debias[i]
		}
		cols, vals := s.U.Row(i)
		for k, c := range cols {
			g[c] += float64(p.C / float64(b) * (slope - delta) * vals[k])
		}
	}
	return g
}
