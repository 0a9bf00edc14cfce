// What every node learns about every other, in rounds that are in lockstep.

package marginal

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"overhear/internal/guard"
	"overhear/internal/num"
)

// Node is what a node's round makes of what it holds and hears. Blocks are d × d, by rows; nil: zero. A state has the
// value that a node publishes first, and what it keeps to itself after it.
type Node struct {
	Own   [3][3][]float64
	Heard [3][][]float64 // by position of the neighbour
	Noise [3][]float64   // times N(0, I)
	Shift [3][]float64   // what the node's values have more in world A than in world B; nil: nothing
}

// Rounds are those of a run in which every node uses its neighbours' values of the round before.
type Rounds struct {
	D          int
	Parts      int // of a state: 1 to 3
	Neighbours [][]int32
	Observers  [][]int // the nodes of each, which pool what they hear and draw; nil: every node by itself
	Count      int
	Start      float64                     // σ of what nodes start with, N(0, σ²), and neighbours hear
	Round      func(t int) ([]Node, error) // t from 1 on
}

// Pairs is what observers learn about victims, by observer and victim: of its own nodes nothing.
type Pairs struct {
	Mu       [][]float64 // of all that the observer hears
	Messages [][]float64 // √Σ of what each message says by itself (Cyffers et al. 2022, Theorem 1, of such a message)
	All      []float64   // of one who sees all, by victim
}

// state is what all nodes hold: what is uncertain of it to one who has seen nothing, and the differences of the means
// by victim.
type state struct {
	r     *Rounds
	n, p  int         // numbers of all nodes and of one
	cov   [][]float64 // n × n
	apart [][]float64 // n × victims
}

// times is A·x for rows of x, block by block; out may hold anything.
func (s *state) times(nodes []Node, x, out [][]float64) {
	d := s.r.D
	for i := range nodes {
		for o := range s.r.Parts {
			for c := range d {
				to := out[i*s.p+o*d+c]
				clear(to)
				add := func(block []float64, from int) {
					if block == nil {
						return
					}
					for k, b := range block[c*d : (c+1)*d] {
						if b != 0 {
							num.Axpy(b, x[from+k], to)
						}
					}
				}
				for in := range s.r.Parts {
					add(nodes[i].Own[o][in], i*s.p+in*d)
				}
				for k, j := range s.r.Neighbours[i] {
					add(nodes[i].Heard[o][k], int(j)*s.p)
				}
			}
		}
	}
}

// step is a round of all nodes.
func (s *state) step(nodes []Node) {
	next := matrix(s.n, s.n)
	s.times(nodes, s.cov, next) // A Σ
	transpose(next)
	s.times(nodes, next, s.cov) // A (A Σ)ᵀ
	d := s.r.D
	for i := range nodes {
		for o := range s.r.Parts {
			for l := range s.r.Parts {
				if nodes[i].Noise[o] == nil || nodes[i].Noise[l] == nil {
					continue
				}
				for a := range d {
					for b := range d {
						s.cov[i*s.p+o*d+a][i*s.p+l*d+b] += num.Dot(nodes[i].Noise[o][a*d:(a+1)*d],
							nodes[i].Noise[l][b*d:(b+1)*d])
					}
				}
			}
		}
	}
	moved := matrix(s.n, len(nodes))
	s.times(nodes, s.apart, moved)
	s.apart = moved
	for i := range nodes {
		for o, shift := range nodes[i].Shift[:s.r.Parts] {
			for c, v := range shift {
				s.apart[i*s.p+o*d+c][i] += v
			}
		}
	}
}

func matrix(rows, columns int) [][]float64 {
	all := make([]float64, rows*columns)
	m := make([][]float64, rows)
	for k := range m {
		m[k] = all[k*columns : (k+1)*columns : (k+1)*columns]
	}
	return m
}

func transpose(m [][]float64) {
	for i := range m {
		for j := range i {
			m[i][j], m[j][i] = m[j][i], m[i][j]
		}
	}
}

// observer is what a node has learnt: Σ given what it has heard is Σ − G Gᵀ, and the differences of the means are those
// of the state less G Z.
type observer struct {
	k int         // innovations so far
	g [][]float64 // by number of the state and innovation
	z [][]float64 // by innovation and victim; nil: zero

	rounded bool // a difference of covariances has left too few digits of what a value tells
}

// begin makes the observer know where its nodes and their neighbours start.
func (o *observer) begin(s *state, own []int) {
	for r := range o.g {
		o.g[r] = o.g[r][:0]
	}
	if s.r.Start == 0 {
		return
	}
	know := func(i int) {
		for c := range s.r.D {
			o.add(func(r int) float64 {
				if r == i*s.p+c {
					return s.r.Start
				}
				return 0
			})
			o.z = append(o.z, nil)
		}
	}
	for _, i := range own {
		know(i)
	}
	for _, m := range s.r.heard(own) {
		know(int(m))
	}
}

// advance carries what was learnt through a round, and adds that its nodes know what they drew. Room is for G.
func (o *observer) advance(s *state, nodes []Node, own []int, room *[][]float64) {
	if o.g == nil {
		o.g = matrix(s.n, s.r.innovations(own))
		o.begin(s, own)
	}
	if cap((*room)[0]) < cap(o.g[0]) {
		*room = matrix(s.n, cap(o.g[0]))
	}
	for r := range o.g {
		o.g[r], (*room)[r] = o.g[r][:o.k], (*room)[r][:o.k]
	}
	if o.k > 0 {
		s.times(nodes, o.g, *room)
		o.g, *room = *room, o.g
	}
	d := s.r.D
	for _, i := range own {
		for k := range d {
			if o.add(func(r int) float64 {
				if part := (r - i*s.p) / d; r >= i*s.p && part < s.r.Parts && nodes[i].Noise[part] != nil {
					return nodes[i].Noise[part][(r-i*s.p)%d*d+k]
				}
				return 0
			}) {
				o.z = append(o.z, nil)
			}
		}
	}
}

// add adds an innovation by its covariance with every number of the state; false: it is zero.
func (o *observer) add(covariance func(r int) float64) bool {
	some := false
	for r := range o.g {
		v := covariance(r)
		o.g[r] = append(o.g[r], v)
		some = some || v != 0
	}
	if o.k++; !some {
		o.k--
		for r := range o.g {
			o.g[r] = o.g[r][:o.k]
		}
	}
	return some
}

// digits is the part of a variance of which a difference of covariances has digits enough.
const digits = 1e-7

// hear tells a number of the state; squares gain by victim.
func (o *observer) hear(s *state, at int, squares []float64) {
	known := o.g[at]
	variance := s.cov[at][at] - num.Dot(known, known)
	if !(variance > digits*s.cov[at][at]) {
		o.rounded = o.rounded || s.cov[at][at] != 0 || slices.ContainsFunc(s.apart[at], func(m float64) bool {
			return m != 0
		})
		return
	}
	z := append([]float64(nil), s.apart[at]...)
	for q, b := range known {
		if b != 0 && o.z[q] != nil {
			num.Axpy(-b, o.z[q], z)
		}
	}
	scale := 1 / math.Sqrt(variance)
	num.Scale(scale, z)
	for i, v := range z {
		squares[i] += float64(v * v)
	}
	o.add(func(r int) float64 { return scale * (s.cov[at][r] - num.Dot(o.g[r][:len(known)], known)) })
	o.z = append(o.z, z)
}

// filter is what nodes learn by a [Filter] of their own, which takes longer: μ² by victim.
func (r *Rounds) filter(ctx context.Context, rounds [][]Node, own []int) ([]float64, error) {
	n := len(r.Neighbours)
	f := NewFilter(r.D, n)
	held := make([][]int, n) // slots, by part
	start := make([]float64, r.D*r.D)
	for k := range r.D {
		start[k*r.D+k] = r.Start
	}
	for i := range held {
		if held[i] = slices.Repeat([]int{Known}, r.Parts); r.Start > 0 && !slices.Contains(own, i) {
			held[i][0] = f.Make(Value{Noise: start})[0]
		}
	}
	for _, m := range r.heard(own) {
		f.Observe(held[m][0])
	}
	for _, nodes := range rounds {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		next := make([][]int, n)
		for i, v := range nodes {
			values := make([]Value, r.Parts)
			for o := range values {
				to := &values[o]
				for in := range r.Parts {
					to.Terms = append(to.Terms, Term{held[i][in], v.Own[o][in]})
				}
				for k, j := range r.Neighbours[i] {
					to.Terms = append(to.Terms, Term{held[j][0], v.Heard[o][k]})
				}
				if !slices.Contains(own, i) {
					to.Noise, to.Shift, to.Pair = v.Noise[o], v.Shift[o], i
				}
			}
			next[i] = f.Make(values...)
		}
		for i := range held {
			for _, slot := range held[i] {
				f.Free(slot)
			}
		}
		held = next
		for _, m := range r.heard(own) {
			f.Observe(held[m][0])
		}
	}
	return f.Squares()
}

// longest is how many operations filters may take in place of covariances, on one processor about ten minutes.
const longest = 1e12

// operations is about how many a filter takes.
func (r *Rounds) operations(own []int) float64 {
	size := float64(len(r.Neighbours) * r.Parts * r.D)
	return float64(r.Count) * size * size * (float64(8*len(r.heard(own))*r.D) + float64(4*size))
}

// innovations is how many an observer of these nodes has at most.
func (r *Rounds) innovations(own []int) int {
	return (r.Count + 1) * r.D * (len(r.heard(own)) + len(own))
}

// heard are the nodes that an observer hears and that are not its own.
func (r *Rounds) heard(own []int) (all []int32) {
	for _, i := range own {
		for _, m := range r.Neighbours[i] {
			if !slices.Contains(own, int(m)) && !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// observers are the nodes of each.
func (r *Rounds) observers() [][]int {
	if r.Observers != nil {
		return r.Observers
	}
	all := make([][]int, len(r.Neighbours))
	for i := range all {
		all[i] = []int{i}
	}
	return all
}

// chunk is of how many observers what they have learnt is in memory at once.
const chunk = 128

// Map is what all observers learn about all nodes. Each hears its nodes' neighbours, knows what its nodes draw and all
// data but one label of the victim's. Covariances are computed for all observers at once; those for whom they have too
// few digits get filters. The error may be ErrRounding, also where those would take too long.
func Map(ctx context.Context, r *Rounds, progress func(done, of int)) (*Pairs, error) {
	n, owns := len(r.Neighbours), r.observers()
	count := len(owns)
	out := &Pairs{Mu: matrix(count, n), Messages: matrix(count, n), All: make([]float64, n)}
	rounds := make([][]Node, r.Count)
	for t := range rounds {
		var err error
		if rounds[t], err = r.Round(t + 1); err != nil {
			return nil, err
		}
	}
	var done atomic.Int64
	total := r.Count * ((count + chunk - 1) / chunk)
	var doubtful []int
	takes := 0.0
	for from := 0; from < count; from += chunk {
		to := min(count, from+chunk)
		p := r.Parts * r.D
		s := &state{r: r, n: n * p, p: p, cov: matrix(n*p, n*p), apart: matrix(n*p, n)}
		for i := 0; i < n*p && r.Start > 0; i++ {
			if i%p < r.D {
				s.cov[i][i] = float64(r.Start * r.Start)
			}
		}
		observers := make([]observer, to-from)
		rooms := make([][][]float64, runtime.GOMAXPROCS(0))
		for w := range rooms {
			rooms[w] = matrix(n*p, 0)
		}
		for _, nodes := range rounds {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			s.step(nodes)
			if from == 0 {
				if err := out.alone(s, nodes); err != nil {
					return nil, err
				}
			}
			var g errgroup.Group
			workers := runtime.GOMAXPROCS(0)
			for w := range workers {
				g.Go(guard.Func(func() error {
					for j := from + w; j < to; j += workers {
						o := &observers[j-from]
						if o.rounded {
							continue
						}
						o.advance(s, nodes, owns[j], &rooms[w])
						for _, m := range r.heard(owns[j]) {
							for c := 0; c < r.D && !o.rounded; c++ {
								o.hear(s, int(m)*p+c, out.Mu[j])
							}
						}
						if o.rounded {
							o.g, o.z = nil, nil
						}
					}
					return nil
				}))
			}
			if err := g.Wait(); err != nil {
				return nil, err
			}
			if progress != nil {
				progress(int(done.Add(1)), total)
			}
		}
		for k := range observers {
			if observers[k].rounded {
				doubtful = append(doubtful, from+k)
				takes += r.operations(owns[from+k])
			}
		}
	}
	if takes > longest {
		return nil, fmt.Errorf("%w; nodes and rounds are too many to find out", ErrRounding)
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, j := range doubtful {
		g.Go(guard.Func(func() (err error) {
			out.Mu[j], err = r.filter(ctx, rounds, owns[j])
			if progress != nil {
				progress(int(done.Add(1)), total+len(doubtful))
			}
			return err
		}))
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for j, own := range owns {
		for _, i := range own {
			out.Mu[j][i], out.Messages[j][i] = 0, 0
		}
		for i := range n {
			out.Mu[j][i], out.Messages[j][i] = math.Sqrt(out.Mu[j][i]), math.Sqrt(out.Messages[j][i])
		}
	}
	for i := range n {
		out.All[i] = math.Sqrt(out.All[i])
	}
	return out, nil
}

// alone adds what each message of a round says by itself, and what one who sees all learns of it.
func (out *Pairs) alone(s *state, nodes []Node) error {
	d := s.r.D
	block := make([]float64, num.Packed(d))
	var factor num.Cholesky
	solve := func(at func(a, b int) float64, v []float64) (float64, error) {
		for a := range d {
			for b := range a + 1 {
				block[num.Packed(a)+b] = at(a, b)
			}
		}
		if err := factor.Factor(block, d); err != nil {
			return 0, err
		}
		x := append([]float64(nil), v...)
		factor.Solve(x)
		return num.Dot(x, v), nil
	}
	shift := make([]float64, d)
	hears := make([][]int, len(nodes)) // of each node, the observers that hear it
	for j, own := range s.r.observers() {
		for _, m := range s.r.heard(own) {
			hears[m] = append(hears[m], j)
		}
	}
	for m := range nodes {
		base := m * s.p
		for i := range nodes {
			some := false
			for c := range d {
				shift[c] = s.apart[base+c][i]
				some = some || shift[c] != 0
			}
			if !some {
				continue
			}
			square, err := solve(func(a, b int) float64 { return s.cov[base+a][base+b] }, shift)
			if err != nil {
				return err
			}
			for _, j := range hears[m] {
				out.Messages[j][i] += square
			}
		}
		if own := nodes[m].Shift[0]; own != nil && nodes[m].Noise[0] != nil {
			noise := nodes[m].Noise[0]
			square, err := solve(func(a, b int) float64 {
				return num.Dot(noise[a*d:(a+1)*d], noise[b*d:(b+1)*d])
			}, own)
			if err != nil {
				return err
			}
			out.All[m] += square
		}
	}
	return nil
}

// Bytes is about how much memory a map takes.
func (r *Rounds) Bytes() float64 {
	n, owns, most := float64(len(r.Neighbours)), r.observers(), 0
	for _, own := range owns {
		most = max(most, r.innovations(own))
	}
	count := float64(len(owns))
	state := float64(n * float64(r.Parts*r.D))
	return 8 * (float64(3*state*state) + float64(2*state*n) + float64(min(count, chunk)*float64(most)*(state+n)) +
		float64(2*n*count))
}
