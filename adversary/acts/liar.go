// A node that lies, in one run.

package acts

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
)

// Company is who lies in the runs of one problem, whatever their seeds.
type Company struct {
	acts  []Act
	graph *sim.Graph
	of    map[int]int // the act of a node
	aims  [][]float64 // by act: the direction in which the sample that it is after loses most; nil: none
}

// New is who lies in runs of a problem whose i-th node has its i-th part; nil if nobody does. The error says which
// entry of the list is of what does not exist.
func New(list []Act, g *sim.Graph, p *problem.Problem) (*Company, error) {
	if len(list) == 0 {
		return nil, nil
	}
	c := &Company{acts: list, graph: g, of: map[int]int{}, aims: make([][]float64, len(list))}
	fail := func(k int, field, format string, args ...any) error {
		return fmt.Errorf("adversary.acts[%d].%s: %s", k, field, fmt.Sprintf(format, args...))
	}
	for k := range list {
		for _, n := range list[k].Nodes {
			if n >= g.Order() {
				return nil, fail(k, "nodes", "there is no node %d; nodes go from 0 to %d", n, g.Order()-1)
			}
			c.of[n] = k
		}
	}
	if len(c.of) == g.Order() {
		return nil, errors.New("adversary.acts: every node lies; one must be honest")
	}
	for k := range list {
		aiming, ok := list[k].Strategy.(Aiming)
		if !ok {
			continue
		}
		victim, row := aiming.Aim()
		switch {
		case victim >= g.Order():
			return nil, fail(k, "victim", "there is no node %d; nodes go from 0 to %d", victim, g.Order()-1)
		case c.Lies(victim):
			return nil, fail(k, "victim", "node %d lies itself", victim)
		case p.K > 0:
			return nil, fail(k, "kind", "%s is of rows with one of two classes, or a target, and these have one of %d",
				list[k].Kind, p.K)
		case row >= p.Shards[victim].U.Len():
			return nil, fail(k, "row", "node %d has samples 0 to %d, not %d", victim, p.Shards[victim].U.Len()-1, row)
		}
		for _, n := range list[k].Nodes {
			if g.Link(n, victim) < 0 {
				return nil, fail(k, "victim", "node %d, which lies, has no link to node %d", n, victim)
			}
		}
		c.aims[k] = outward(p, victim, row)
	}
	return c, nil
}

// outward is the unit vector along which the loss of a row grows: −y·x of one with a class y. Of one with a target it
// is the side on which the target's sign puts a model that is zero.
func outward(p *problem.Problem, victim, row int) []float64 {
	s := &p.Shards[victim]
	sign := -1.0
	if s.Targets != nil && s.Targets[row] < 0 {
		sign = 1
	}
	u := make([]float64, p.D)
	cols, vals := s.U.Row(row)
	for k, col := range cols {
		u[col] = sign * vals[k]
	}
	return unit(u)
}

// unit scales a vector to norm 1, in place, unless it is zero.
func unit(u []float64) []float64 {
	if n := num.Norm(u); n > 0 {
		num.Scale(1/n, u)
	}
	return u
}

// Aimed is a company whose strategies that are after that sample go by two values that it may have, y·x: who tells them
// apart does not know which it is. Where these are opposed they go on as before.
func (c *Company) Aimed(victim, row int, values [2][]float64) *Company {
	if c == nil {
		return nil
	}
	own := *c
	own.aims = slices.Clone(c.aims)
	for k := range own.acts {
		aiming, ok := own.acts[k].Strategy.(Aiming)
		if !ok {
			continue
		}
		at, of := aiming.Aim()
		middle := make([]float64, len(own.aims[k]))
		if at != victim || of != row || len(values[0]) != len(middle) || len(values[1]) != len(middle) {
			continue
		}
		for i := range middle {
			middle[i] = -(values[0][i] + values[1][i])
		}
		const opposed = 1e-9
		if num.Norm(middle) > opposed {
			own.aims[k] = unit(middle)
		} else {
			own.aims[k] = unit(slices.Clone(values[0]))
		}
	}
	return &own
}

// Lies says whether a node does.
func (c *Company) Lies(node int) bool {
	if c == nil {
		return false
	}
	_, ok := c.of[node]
	return ok
}

// Silent says whether somebody leaves messages out.
func (c *Company) Silent() bool { return c != nil && Silent(c.acts) }

// Aims names a strategy that is after a sample; "" if there is none.
func (c *Company) Aims() string {
	for k := range c.acts {
		if c.aims[k] != nil {
			return c.acts[k].Kind
		}
	}
	return ""
}

// Liar is a node of a run with that seed, or nil if it is honest.
func (c *Company) Liar(seed uint64, node int) *Liar {
	if !c.Lies(node) {
		return nil
	}
	k := c.of[node]
	l := &Liar{act: &c.acts[k], aim: c.aims[k], seed: seed, node: node, neighbours: c.graph.Neighbours(node)}
	if m, ok := l.act.Strategy.(Remembering); ok {
		l.depth = m.Remember()
	}
	l.Forget()
	return l
}

// Liar is a node that lies.
type Liar struct {
	act        *Act
	aim        []float64
	seed       uint64
	node       int
	neighbours []int32
	depth      int // how many rounds it remembers
	rounds     []int
	heard      [][]float64          // the latest value of every neighbour, by position; nil: none has come
	past       map[[2]int][]float64 // by position and round, what it should have sent
	echoes     map[[2]int][]float64 // by position and round, what it has heard
}

// NotHeard is the round of a neighbour of whom nothing has come.
const NotHeard = -1

// Rounds are those of the last values that it has heard, by position of the neighbour.
func (l *Liar) Rounds() []int { return slices.Clone(l.rounds) }

// Forget drops all that it has heard and sent.
func (l *Liar) Forget() {
	l.heard, l.rounds = make([][]float64, len(l.neighbours)), make([]int, len(l.neighbours))
	for k := range l.rounds {
		l.rounds[k] = NotHeard
	}
	l.past, l.echoes = map[[2]int][]float64{}, map[[2]int][]float64{}
}

// Hear takes a value of a round from the neighbour in a position.
func (l *Liar) Hear(position, round int, value []float64) {
	if round <= l.rounds[position] {
		return // overtaken, or a second copy
	}
	own := slices.Clone(value)
	l.heard[position], l.rounds[position] = own, round
	if l.depth > 0 {
		l.echoes[[2]int{position, round}] = own
		delete(l.echoes, [2]int{position, round - 2*l.depth - 2}) // what is older counts as not heard
	}
}

// Say is what it sends in place of an honest message, which stays as it is; nil: nothing. It also says whether that is
// a lie.
func (l *Liar) Say(to Recipient, honest []float64) (message []float64, lie bool) {
	if l.depth > 0 {
		l.past[[2]int{to.Position, to.Round}] = slices.Clone(honest)
		delete(l.past, [2]int{to.Position, to.Round - l.depth - 1})
	}
	if !l.act.in(to.Round) {
		return honest, false
	}
	message = slices.Clone(honest)
	if !l.act.Strategy.Say(l, to, message) {
		return nil, true
	}
	for k, v := range message {
		lie = lie || math.Float64bits(v) != math.Float64bits(honest[k])
	}
	return message, lie
}

// Mute says whether it leaves out, at a time, a message of a round that it is asked for.
func (l *Liar) Mute(to Recipient) bool {
	s, ok := l.act.Strategy.(Silencing)
	return ok && l.act.in(to.Round) && s.Silent(to.At)
}

// Mean writes the mean of the last values that it has heard into out, zero if there are none.
func (l *Liar) Mean(out []float64) {
	clear(out)
	n := 0.0
	for _, v := range l.heard {
		if len(v) == len(out) {
			num.Axpy(1, v, out)
			n++
		}
	}
	if n > 0 {
		num.Scale(1/n, out)
	}
}

// Heard is the last value of the neighbour in a position; nil: none has come.
func (l *Liar) Heard(position int) []float64 { return l.heard[position] }

// Before is what it should have sent the neighbour in a position in an earlier round, or if echo is set what it had
// heard of that neighbour; nil: nothing that it remembers.
func (l *Liar) Before(position, round int, echo bool) []float64 {
	if echo {
		return l.echoes[[2]int{position, round}]
	}
	return l.past[[2]int{position, round}]
}

// Aim is the unit vector along which the sample that it is after loses most.
func (l *Liar) Aim() []float64 { return l.aim }

// Direction draws a unit vector, the same in all rounds of a run.
func (l *Liar) Direction(d int, ids ...uint64) []float64 {
	s := sim.NewStream(l.seed, "act", append([]uint64{uint64(l.node)}, ids...)...)
	u := make([]float64, d)
	for k := range u {
		u[k] = s.Normal()
	}
	return unit(u)
}

// positive reports a number that must be above 0.
func positive(report func(field, problem string), field string, v float64) {
	const most = 1e100 // squares are still numbers
	if !(v > 0 && v <= most) || math.IsNaN(v) {
		report(field, fmt.Sprintf("must be above 0, up to %.0e, is %v", most, v))
	}
}
