// Who used data how: the uses of every node, and the certificate of the one that loses most.

package loss

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"overhear/privacy"
)

// Ledger records uses of data, by what is protected, node and round. The zero value is empty. It is not safe for
// concurrent use.
type Ledger struct {
	uses   map[privacy.Unit]map[int][]use
	failed error
}

type use struct {
	round int
	m     Mechanism
}

// Spend records a node's use in a round.
func (l *Ledger) Spend(node, round int, unit privacy.Unit, m Mechanism) {
	if err := m.check(); err != nil && l.failed == nil {
		l.failed = fmt.Errorf("in round %d at node %d %w", round, node, err)
	}
	if l.uses == nil {
		l.uses = map[privacy.Unit]map[int][]use{}
	}
	if l.uses[unit] == nil {
		l.uses[unit] = map[int][]use{}
	}
	l.uses[unit][node] = append(l.uses[unit][node], use{round, m})
}

// Err says which use no certificate can be made of; nil: there is none.
func (l *Ledger) Err() error { return l.failed }

// Units are what is protected, sorted.
func (l *Ledger) Units() []privacy.Unit { return slices.Sorted(maps.Keys(l.uses)) }

// Each calls do for every use, by unit and node and then as they came.
func (l *Ledger) Each(do func(node, round int, unit privacy.Unit, m Mechanism)) {
	for _, unit := range l.Units() {
		for _, node := range slices.Sorted(maps.Keys(l.uses[unit])) {
			for _, u := range l.uses[unit][node] {
				do(node, u.round, unit, u.m)
			}
		}
	}
}

// Of has the uses of one node.
func (l *Ledger) Of(node int) *Ledger {
	own := &Ledger{failed: l.failed, uses: map[privacy.Unit]map[int][]use{}}
	for unit, nodes := range l.uses {
		if uses, ok := nodes[node]; ok {
			own.uses[unit] = map[int][]use{node: uses}
		}
	}
	return own
}

// Certificate is what a run loses of a unit at most, at whatever node.
type Certificate struct {
	Node    int     // that loses most at the δ that was asked for
	Epsilon float64 // at the δ that was asked for
	*Total
}

// exactly is how many nodes with uses of their own are composed each by itself. Of more, those that lose about as much
// are taken together: a use of the group is the largest of its nodes'.
const exactly = 8

// Worst is the certificate of all rounds up to and including that one, at δ.
func (l *Ledger) Worst(unit privacy.Unit, round int, delta float64) Certificate {
	var groups []group
	known := map[string]bool{}
	for _, node := range slices.Sorted(maps.Keys(l.uses[unit])) {
		g := group{node: node}
		for _, u := range l.uses[unit][node] {
			if u.round <= round {
				g.uses = append(g.uses, u.m)
			}
		}
		g.finish()
		if !known[g.key] {
			known[g.key] = true
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.variance, a.variance) })
	groups = gathered(undominated(groups))
	if len(groups) == 0 {
		return Certificate{Total: Compose(nil)}
	}
	each := totals(groups)
	all := *each[0]
	all.others = each[1:]
	worst := Certificate{groups[0].node, each[0].Epsilon(delta), &all}
	for k, t := range all.others {
		if e := t.Epsilon(delta); e > worst.Epsilon {
			worst.Node, worst.Epsilon = groups[k+1].node, e
		}
	}
	return worst
}

// Cover are uses in all rounds such that every node's are within them; false: those of nodes are of different kinds.
func (l *Ledger) Cover(unit privacy.Unit) ([]Mechanism, bool) {
	var all group
	for _, node := range slices.Sorted(maps.Keys(l.uses[unit])) {
		var g group
		for _, u := range l.uses[unit][node] {
			g.uses = append(g.uses, u.m)
		}
		g.descend()
		if !all.cover(g.uses) {
			return nil, false
		}
	}
	return all.uses, true
}

// group are uses that bound those of some nodes.
type group struct {
	node     int // that loses most
	uses     []Mechanism
	key      string // equal for equal uses, in whatever order
	variance float64
}

func (g *group) finish() {
	kinds, counts := tally(g.uses)
	words := make([]string, len(kinds))
	g.variance = 0
	for k, m := range kinds {
		words[k] = fmt.Sprintf("%T%+v×%d", m, m, counts[k])
		g.variance += float64(float64(counts[k]) * m.spread() * m.spread())
	}
	order := make([]int, len(kinds))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(words[a], words[b]) })
	sorted := make([]Mechanism, 0, len(g.uses))
	for _, k := range order {
		sorted = append(sorted, slices.Repeat(kinds[k:k+1], counts[k])...)
	}
	g.uses = sorted
	slices.Sort(words)
	g.key = strings.Join(words, " ")
}

// undominated are the groups that lose no less than any that is left out, whose every use is within one of theirs: of
// nodes that differ in their neighbours or rows alone, the one with the fewest.
func undominated(groups []group) (kept []group) {
	for k := range groups {
		g := groups[k]
		g.descend()
		if !slices.ContainsFunc(kept[:min(len(kept), exactly)], func(o group) bool { return g.within(&o) }) {
			kept = append(kept, g)
		}
	}
	for k := range kept {
		kept[k].finish()
	}
	return kept
}

// within says whether every use loses no more than one of the other's, both in descending order.
func (g *group) within(o *group) bool {
	if len(g.uses) > len(o.uses) {
		return false
	}
	for k, m := range g.uses {
		if most, ok := o.uses[k].larger(m); !ok || most != o.uses[k] {
			return false
		}
	}
	return true
}

// gathered are at most that many groups which bound all of them, if their uses are of one kind.
func gathered(groups []group) []group {
	if len(groups) <= exactly {
		return groups
	}
	var out []group
	for k := range exactly {
		part := groups[k*len(groups)/exactly : (k+1)*len(groups)/exactly]
		whole := part[0]
		whole.descend()
		for _, g := range part[1:] {
			g.descend()
			if !whole.cover(g.uses) {
				out = append(out, g)
			}
		}
		whole.finish()
		out = append(out, whole)
	}
	return out
}

// descend orders uses by how much they lose.
func (g *group) descend() {
	g.uses = slices.Clone(g.uses)
	slices.SortStableFunc(g.uses, func(a, b Mechanism) int { return cmp.Compare(b.spread(), a.spread()) })
}

// cover makes each use at least as large as another; false: they are of other kinds.
func (g *group) cover(others []Mechanism) bool {
	all := make([]Mechanism, max(len(g.uses), len(others)))
	for k := range all {
		switch {
		case k >= len(others):
			all[k] = g.uses[k]
		case k >= len(g.uses):
			all[k] = others[k]
		default:
			m, ok := g.uses[k].larger(others[k])
			if !ok {
				return false
			}
			all[k] = m
		}
	}
	g.uses = all
	return true
}

// composed keeps what was composed in this process: the runs of a sweep have the same noise.
var composed = store{most: 64 << 20}

// store are totals by the key of their uses; it is emptied when they would take more memory than that.
type store struct {
	sync.Mutex
	most, bytes int
	totals      map[string]*Total
}

func (s *store) find(key string) *Total {
	s.Lock()
	defer s.Unlock()
	return s.totals[key]
}

func (s *store) keep(key string, t *Total) {
	s.Lock()
	defer s.Unlock()
	bytes := 8*(len(t.power)+len(t.alarm)) + len(key)
	if s.totals == nil || s.bytes+bytes > s.most {
		s.totals, s.bytes = map[string]*Total{}, 0
	}
	if s.totals[key] == nil {
		s.totals[key] = t
		s.bytes += bytes
	}
}

func (g *group) total() *Total {
	if t := composed.find(g.key); t != nil {
		return t
	}
	t := Compose(g.uses)
	composed.keep(g.key, t)
	return t
}

// totals are those of all groups, composed side by side.
func totals(groups []group) []*Total {
	all := make([]*Total, len(groups))
	var wait sync.WaitGroup
	for k := range groups {
		wait.Go(func() { all[k] = groups[k].total() })
	}
	wait.Wait()
	return all
}

// check says that numbers are no law of noise.
func (n Noise) check() error {
	if !(n.Size >= 0) || math.IsInf(n.Size, 1) || n.Kind != Gaussian && (n.Kind != Laplace || n.Dimension < 1) {
		return fmt.Errorf("the noise has no law that a certificate could be made of: what it hides has %v times its "+
			"size", n.Size)
	}
	return nil
}

func (m Objective) check() error {
	if !(m.Hessian >= 0) || math.IsInf(m.Hessian, 1) {
		return fmt.Errorf("the objective is not strongly convex: a row changes the Jacobian by a factor of %v",
			1+m.Hessian)
	}
	return m.Noise.check()
}

func (m Response) check() error {
	if !(m.Epsilon >= 0) || math.IsInf(m.Epsilon, 1) {
		return fmt.Errorf("a response has an ε of %v", m.Epsilon)
	}
	return nil
}

func (n Noise) larger(o Noise) (Noise, bool) {
	ok := n.Kind == o.Kind && n.Dimension == o.Dimension
	n.Size = max(n.Size, o.Size)
	return n, ok
}

func (m Shift) larger(other Mechanism) (Mechanism, bool) {
	o, ok := other.(Shift)
	n, same := m.Noise.larger(o.Noise)
	return Shift{n}, ok && same
}

func (m Objective) larger(other Mechanism) (Mechanism, bool) {
	o, ok := other.(Objective)
	n, same := m.Noise.larger(o.Noise)
	ok = ok && same && m.Down == o.Down && m.Up == o.Up && m.Logistic == o.Logistic
	m.Noise, m.Hessian = n, max(m.Hessian, o.Hessian)
	return m, ok
}

func (m Response) larger(other Mechanism) (Mechanism, bool) {
	o, ok := other.(Response)
	return Response{max(m.Epsilon, o.Epsilon)}, ok
}
