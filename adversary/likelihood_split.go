// The likelihood of a party's messages where columns are split.

package adversary

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/problem"
)

// SplitLikelihood compares worlds, in which a party of private ADMM sharing
// holds matrices that differ, by its messages p = D x̃. Given the hub's message
// and the party's last one, p is Gaussian around the exact D x of its world:
//
//	noise: ambient   N(D x, σ² I)
//	noise: range     N(D x, σ² D (DᵀD)⁺ Dᵀ), which lives in the column space of D
//
// A message outside a world's column space is impossible there: the ratio is
// then infinite.
type SplitLikelihood struct {
	public *model.Public
	method model.Sharing
	party  int
	sigma  float64
	worlds []*splitWorld
}

type splitWorld struct {
	party *problem.PartySolver
	space *columnSpace
	x     []float64
}

// NewSplitLikelihood compares matrices, N×d_m, of a party, from 0.
func NewSplitLikelihood(p *model.Public, party int, worlds ...*problem.Rows) (*SplitLikelihood, error) {
	method, ok := p.Method.(model.Sharing)
	switch {
	case !ok:
		return nil, fmt.Errorf("method %s adds no noise whose likelihood is known", p.Name)
	case method.Cover() == model.Nowhere:
		return nil, ErrNoNoise
	}
	l := &SplitLikelihood{public: p, method: method, party: party, sigma: method.Sigma(p, party)}
	for _, block := range worlds {
		if block.D != worlds[0].D || block.Len() != p.Rows {
			return nil, errors.New("the worlds' matrices must be of the same size")
		}
		l.worlds = append(l.worlds, &splitWorld{
			party: problem.NewPartySolver(block, p.Ridge, method.Penalty()).Bend(p.NonSmooth),
			space: newColumnSpace(block),
			x:     make([]float64, block.D),
		})
	}
	return l, nil
}

// outside is the relative distance from which a message is outside a column
// space: what rounding leaves of one inside is a few 1e-14.
const outside = 1e-8

// Weigh is the evidence of every round. The noise of a world that is impossible
// is all of the message.
func (l *SplitLikelihood) Weigh(v *View) ([]Evidence, error) {
	rounds, err := l.Deviations(v)
	if err != nil {
		return nil, err
	}
	for i := range rounds {
		e := &rounds[i]
		sent, _ := v.Value(l.party+1, e.Round)
		for k, w := range l.worlds {
			density := math.Inf(-1)
			if l.method.Cover() == model.Ambient || w.space.distance(sent) < outside*num.Norm(sent) {
				density = e.Law.LogDensity(e.Noise[k])
			}
			e.Density = append(e.Density, density)
		}
		if !slices.ContainsFunc(e.Density, func(d float64) bool { return !math.IsInf(d, -1) }) {
			return nil, fmt.Errorf("the message of round %d is possible in no world", e.Round)
		}
	}
	return rounds, nil
}

// Deviations are the rounds' evidence without its densities: by how much each message is off the exact step of every
// world.
func (l *SplitLikelihood) Deviations(v *View) ([]Evidence, error) {
	p := l.public
	own := make([]float64, p.Rows) // the party's last message; zero at the start
	var rounds []Evidence
	for t := 1; t <= p.Rounds; t++ {
		sent, ok := v.Value(l.party+1, t)
		hub, seen := v.Value(0, t-1)
		if !ok || !seen {
			return nil, fmt.Errorf("the likelihood needs all messages; round %d of party %d or of the hub is missing",
				t, l.party+1)
		}
		e := Evidence{Round: t, Law: model.Noise{Kind: model.Gaussian, Level: l.sigma}, Scale: 1}
		for _, w := range l.worlds {
			mean := w.mean(l.method, p, own, hub)
			noise := make([]float64, p.Rows)
			for n := range noise {
				noise[n] = sent[n] - mean[n]
			}
			e.Noise = append(e.Noise, noise)
		}
		rounds = append(rounds, e)
		own = sent
	}
	return rounds, nil
}

// mean is D x, x the party's exact step: (λI + ρDᵀD)x = −Dᵀ(y + ρ(u/M − p)), with
// M = 1 in the paper's form (SH19 (6)).
func (w *splitWorld) mean(method model.Sharing, p *model.Public, own, hub []float64) []float64 {
	rho, share := method.Penalty(), method.Share(p)
	u, y := hub[:p.Rows], hub[p.Rows:]
	v := make([]float64, p.Rows)
	for n := range v {
		v[n] = y[n] + float64(rho*(u[n]/share-own[n]))
	}
	w.party.Step(v, w.x)
	w.party.Times(w.x, v)
	return v
}

// columnSpace is an orthonormal basis of the columns of a matrix.
type columnSpace struct{ basis [][]float64 }

// dependent is the share of a column's norm below which what is left of it,
// outside the space of the others, is rounding.
const dependent = 1e-10

// denseColumns are a matrix's columns.
func denseColumns(r *problem.Rows) [][]float64 {
	columns := make([][]float64, r.D)
	for k := range columns {
		columns[k] = make([]float64, r.Len())
	}
	for n := range r.Len() {
		cols, vals := r.Row(n)
		for k, c := range cols {
			columns[c][n] = vals[k]
		}
	}
	return columns
}

func newColumnSpace(r *problem.Rows) *columnSpace {
	s := new(columnSpace)
	for _, c := range denseColumns(r) {
		norm := num.Norm(c)
		s.remove(c)
		if rest := num.Norm(c); norm > 0 && rest > dependent*norm {
			num.Scale(1/rest, c)
			s.basis = append(s.basis, c)
		}
	}
	return s
}

// remove takes the part of x inside the space away, twice against rounding.
func (s *columnSpace) remove(x []float64) {
	for range 2 {
		for _, b := range s.basis {
			num.Axpy(-num.Dot(b, x), b, x)
		}
	}
}

// distance is that of x to the space.
func (s *columnSpace) distance(x []float64) float64 {
	rest := slices.Clone(x)
	s.remove(rest)
	return num.Norm(rest)
}
