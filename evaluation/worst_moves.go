// How a search for the worst data changes a candidate.

package evaluation

import (
	"reflect"
	"slices"

	"overhear/adversary/acts"
	"overhear/internal/num"
	"overhear/sim"
)

// mutate is a candidate with one thing changed.
func (s *search) mutate(from *candidate, r *sim.Stream) *candidate {
	kind := s.o.Over[r.IntN(len(s.o.Over))]
	c := from.clone(kind)
	c.step = s.steps[kind] * r.Exponential()
	switch kind {
	case overPair:
		c.move = s.movePair(r)
	case overLabels:
		s.flip(c, r)
	case overRows:
		c.move = s.moveRows(c, r)
	case overGraph:
		s.rewire(c, r)
	case overMessages:
		c.move = s.lie(c, r)
	}
	if c.move != nil {
		c.move(c, c.step)
	}
	return c
}

// clone is a candidate to be changed: its rows and acts are replaced, and not written to.
func (c *candidate) clone(changed string) *candidate {
	return &candidate{u: c.u, y: c.y, pair: c.pair, edges: c.edges, acts: c.acts, changed: changed}
}

// again is the change that led to a candidate, once more and farther.
func (c *candidate) again() *candidate {
	const farther = 1.5
	next := c.clone(c.changed)
	next.move, next.step = c.move, farther*c.step
	next.move(next, next.step)
	return next
}

// direction draws a unit vector.
func direction(d int, r *sim.Stream) []float64 {
	g := make([]float64, d)
	for k := range g {
		g[k] = r.Normal()
	}
	if n := num.Norm(g); n > 0 {
		num.Scale(1/n, g)
	}
	return g
}

// pushed is a row that is moved, and brought back into the unit ball.
func (s *search) pushed(u []float64, step float64, g []float64) []float64 {
	u = slices.Clone(u)
	num.Axpy(step, g, u)
	return s.into(u)
}

// movePair moves one sample of the pair, or both alike, or apart.
func (s *search) movePair(r *sim.Stream) func(*candidate, float64) {
	g := direction(s.a.Problem.D, r)
	by := [][2]float64{{1, 0}, {0, 1}, {1, 1}, {1, -1}}[r.IntN(4)]
	return func(c *candidate, step float64) {
		for k := range c.pair {
			c.pair[k] = s.pushed(c.pair[k], by[k]*step, g)
		}
	}
}

// flip gives rows the other label.
func (s *search) flip(c *candidate, r *sim.Stream) {
	c.y = slices.Clone(c.y)
	for i := range c.y {
		c.y[i] = slices.Clone(c.y[i])
	}
	c.each(s.some(c, r), func(i, n int) {
		u := slices.Clone(c.u[i][n])
		num.Scale(-1, u)
		c.u[i][n], c.y[i][n] = u, -c.y[i][n]
	})
}

// moveRows moves rows in one direction: any, or along the middle of the pair, which decides on which side of it the
// iterates go.
func (s *search) moveRows(c *candidate, r *sim.Stream) func(*candidate, float64) {
	g := direction(s.a.Problem.D, r)
	if middle := make([]float64, len(g)); c.pair[0] != nil && r.IntN(2) == 0 {
		num.Axpy(1, c.pair[0], middle)
		num.Axpy(1, c.pair[1], middle)
		if n := num.Norm(middle); n > 0 {
			num.Scale(1/n, middle)
			g = middle
		}
	}
	if r.IntN(2) == 0 {
		num.Scale(-1, g)
	}
	which := s.some(c, r)
	return func(c *candidate, step float64) {
		c.each(which, func(i, n int) { c.u[i][n] = s.pushed(c.u[i][n], step, g) })
	}
}

// some chooses rows: one, those of a node or of all, or half of these.
func (s *search) some(c *candidate, r *sim.Stream) [][]bool {
	which := make([][]bool, len(c.u))
	for i := range which {
		which[i] = make([]bool, len(c.u[i]))
	}
	one, of, half := r.IntN(8) == 0, r.IntN(2*len(c.u)), r.IntN(2) == 0
	if one {
		of %= len(c.u)
		which[of][r.IntN(len(c.u[of]))] = true
		return which
	}
	for i := range which {
		for n := range which[i] {
			which[i][n] = (of >= len(c.u) || of == i) && (!half || r.IntN(2) == 0)
		}
	}
	return which
}

// each does something to rows of its own, which it may replace.
func (c *candidate) each(which [][]bool, do func(i, n int)) {
	c.u = slices.Clone(c.u)
	for i := range c.u {
		c.u[i] = slices.Clone(c.u[i])
		for n, yes := range which[i] {
			if yes {
				do(i, n)
			}
		}
	}
}

// rewire adds an edge or takes one away, so that the graph stays in one piece.
func (s *search) rewire(c *candidate, r *sim.Stream) {
	const tries = 20
	n := s.a.Graph.Order()
	edges := c.edges
	if edges == nil {
		edges = s.a.Graph.Pairs()
	}
	for range tries {
		i, j := r.IntN(n), r.IntN(n)
		if i >= j {
			continue
		}
		next := slices.DeleteFunc(slices.Clone(edges), func(e [2]int) bool {
			return e == [2]int{i, j} || e == [2]int{j, i}
		})
		if len(next) == len(edges) {
			next = append(next, [2]int{i, j})
		}
		if _, err := (sim.Topology{Nodes: n, Edges: next}).Build(nil); err == nil {
			c.edges = next
			return
		}
	}
}

// Between these are the numbers of strategies that are searched: beyond them solves and rounding leave more of a step
// than a row moves it by, so that nothing is established (docs/mathematics.md §5.14).
const smallestLie, largestLie = 1e-3, 1e3

// lie changes every number of one strategy by a factor.
func (s *search) lie(c *candidate, r *sim.Stream) func(*candidate, float64) {
	which, by := r.IntN(len(c.acts)), []float64{}
	for range reflect.TypeOf(c.acts[which].Strategy).Elem().NumField() {
		by = append(by, r.Normal())
	}
	return func(c *candidate, step float64) {
		c.acts = slices.Clone(c.acts)
		a := &c.acts[which]
		own := reflect.New(reflect.TypeOf(a.Strategy).Elem())
		own.Elem().Set(reflect.ValueOf(a.Strategy).Elem())
		for k := range own.Elem().NumField() {
			if f := own.Elem().Field(k); f.Kind() == reflect.Float64 {
				f.SetFloat(max(smallestLie, min(f.Float()*num.Exp(step*by[k]), largestLie)))
			}
		}
		a.Strategy = own.Interface().(acts.Strategy)
	}
}
