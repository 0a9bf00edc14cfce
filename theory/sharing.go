// When ADMM sharing comes to a stationary point.

package theory

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overhear/problem"
)

// Sharing is what the descent of ADMM sharing depends on, in the terms of docs/mathematics.md §4.
type Sharing struct {
	Slope     float64 // L = c max|L″|, the Lipschitz constant of the gradient of the rows' losses
	Concavity float64 // μ = c max(−L″, 0)
	Penalty   float64 // ρ
	Share     float64 // K
	Ridge     float64 // λ
	Blocks    []*problem.Rows
}

// NewSharing is of a problem, with so great a penalty and share.
func NewSharing(v *problem.Vertical, penalty, share float64) Sharing {
	return Sharing{v.Weight * problem.SlopeBound(v.Loss), v.Weight * problem.Concavity(v.Loss), penalty, share, v.Ridge,
		v.Blocks}
}

// Least is what ρ/K must be above for the hub's step and the dual's to lower the augmented Lagrangian together, the
// root of h(h − μ) = 2L².
func (s Sharing) Least() float64 {
	return (s.Concavity + math.Sqrt(float64(s.Concavity*s.Concavity)+float64(8*s.Slope*s.Slope))) / 2
}

// Descent says whether the augmented Lagrangian falls in every round, so that gaps and gradients tend to zero, and by
// how much at least: by ½γ‖Δx‖² + ½ζ‖Δz‖². The reason is a sentence that begins with `applies` or `does not apply`.
type Descent struct {
	Applies      bool
	Reason       string
	Parties, Hub float64 // γ and ζ; NaN: not computed
}

// Descent checks the conditions.
func (s Sharing) Descent() Descent {
	hub := s.Penalty / s.Share
	d := Descent{Parties: math.NaN(), Hub: hub - s.Concavity - 2*s.Slope*s.Slope/hub}
	root := fmt.Sprintf("the root of h(h − μ) = 2L² with L = %.4g and μ = %.4g of a row's loss", s.Slope, s.Concavity)
	if s.Share != 1 {
		root = fmt.Sprintf("%v times %s", s.Share, root)
	}
	if least := s.Least(); !(hub > least) {
		d.Reason = fmt.Sprintf("does not apply: algorithm.eta must be above %.4g, %s, and is %.4g", s.Share*least, root,
			s.Penalty)
		return d
	}
	parties := float64(len(s.Blocks))
	switch rest := float64(2*s.Penalty) - float64(parties*hub); { // of ρ‖D_mΔ_m‖², at least
	case s.Ridge > 0 && rest >= 0:
		d.Parties = s.Ridge
	case rest > 0:
		d.Parties = 0 // and the parties' margins come to rest
	case s.Ridge == 0:
		d.Reason = "does not apply: without a ridge (problem.rho) parties that step at once may go on moving"
		return d
	default:
		columns := 0
		for _, b := range s.Blocks {
			columns += b.D
		}
		if columns > largestGram {
			d.Reason = fmt.Sprintf("does not apply: whether steps of %d parties at once lower the augmented "+
				"Lagrangian is not computed for more than %d columns", len(s.Blocks), largestGram)
			return d
		}
		least, most := s.parties(columns)
		if d.Parties = least; !(least > 1e-12*most) { // rounding of eigenvalues is less
			d.Reason = fmt.Sprintf("does not apply: %d parties that step at once may raise the augmented "+
				"Lagrangian, as λI + 2ρ diag(D_mᵀD_m) − ρDᵀD/K has the eigenvalue %.3g; take form: averaged",
				len(s.Blocks), d.Parties)
			return d
		}
	}
	d.Applies = true
	d.Reason = fmt.Sprintf("applies: algorithm.eta, %.4g, is above %.4g, %s", s.Penalty, s.Share*s.Least(), root)
	return d
}

// parties is the least eigenvalue of λI + 2ρ diag(D_mᵀD_m) − ρDᵀD/K, and the greatest absolute value of any.
func (s Sharing) parties(columns int) (least, most float64) {
	hub := s.Penalty / s.Share
	values := ofBlocks(s.Blocks, columns, float64(2*s.Penalty)-hub, -hub, s.Ridge)
	return values[0], math.Max(values[len(values)-1], -values[0])
}

// Flattest is the least eigenvalue of DᵀD that is above rounding, D = (D_1, …, D_M); NaN: there is none, or there are
// too many columns for it to be computed.
func Flattest(blocks []*problem.Rows) float64 {
	columns := 0
	for _, b := range blocks {
		columns += b.D
	}
	if columns == 0 || columns > largestGram {
		return math.NaN()
	}
	values := ofBlocks(blocks, columns, 1, 1, 0)
	for _, v := range values {
		if v > 1e-12*values[columns-1] {
			return v
		}
	}
	return math.NaN()
}

// ofBlocks are the eigenvalues, ascending, of λI + DᵀD with the blocks D_mᵀD_m of DᵀD times one factor and D_kᵀD_m
// times another.
func ofBlocks(blocks []*problem.Rows, columns int, within, across, ridge float64) []float64 {
	m := mat.NewSymDense(columns, nil)
	row, block := make([]float64, columns), make([]int, columns)
	first := 0
	for k, b := range blocks {
		for c := range b.D {
			block[first+c] = k
		}
		first += b.D
	}
	for n := range blocks[0].Len() {
		clear(row)
		first := 0
		for _, b := range blocks {
			cols, vals := b.Row(n)
			for k, c := range cols {
				row[first+int(c)] = vals[k]
			}
			first += b.D
		}
		for i, x := range row {
			if x == 0 {
				continue
			}
			for j, y := range row[:i+1] {
				weight := across
				if block[i] == block[j] {
					weight = within
				}
				m.SetSym(i, j, m.At(i, j)+float64(weight*x*y))
			}
		}
	}
	for i := range columns {
		m.SetSym(i, i, m.At(i, i)+ridge)
	}
	return eigenvalues(m)
}
