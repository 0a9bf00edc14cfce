// Which node is of which group: on which of a network's sites, in which of a trace's classes.

package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Placement gives each node one of some names. A bare kind is one without parameters.
type Placement struct {
	Kind   string             `yaml:"kind" default:"turns" enum:"turns,list,shares,random" doc:"turns: node after node, the names in turn; list: the name of each node; shares: so many nodes of each name, one block after the other; random: drawn for each node by the seed"`
	Names  []string           `yaml:"names" of:"turns,list" doc:"turns: the names that take turns, default all; list: one for each node"`
	Shares map[string]float64 `yaml:"shares" of:"shares,random" doc:"parts of the nodes by name, in proportion; random: default all alike"`
}

// UnmarshalText reads a kind.
func (p *Placement) UnmarshalText(text []byte) error {
	p.Kind = string(text)
	switch p.Kind {
	case "turns", "random":
		return nil
	}
	return fmt.Errorf("must be turns, random or a mapping such as {kind: shares, shares: {a: 2, b: 1}}, is %q", text)
}

// Check reports parameters that are missing or impossible.
func (p Placement) Check(report func(field, problem string)) {
	if p.Kind == "list" && len(p.Names) == 0 {
		report("names", "must be given for kind list: a name for each node")
	}
	if p.Kind == "turns" && p.Names != nil && len(p.Names) == 0 {
		report("names", "must not be empty; leave it out for all")
	}
	if p.Shares == nil && p.Kind == "shares" || p.Shares != nil && len(p.Shares) == 0 {
		report("shares", "must be given, such as {a: 2, b: 1}: how much of the nodes each name has")
	}
	if name, ok := p.wrongShare(); ok {
		report("shares", fmt.Sprintf("must be positive, that of %s is %v", name, p.Shares[name]))
	}
}

// wrongShare is the first name whose share is none.
func (p *Placement) wrongShare() (string, bool) {
	var names []string
	for name, share := range p.Shares {
		if !(share > 0 && share <= math.MaxFloat64/maxSites) {
			names = append(names, name)
		}
	}
	if names == nil {
		return "", false
	}
	return slices.Min(names), true
}

// Unknown is a name that the placement uses and that is not among those known; "" if there is none. What says what a
// name is, for the error's words.
func (p *Placement) Unknown(what string, known []string) error {
	if p == nil {
		return nil
	}
	used := slices.Clone(p.Names)
	for name := range p.Shares {
		used = append(used, name)
	}
	slices.Sort(used)
	for _, name := range used {
		if !slices.Contains(known, name) {
			const most = 40
			list := strings.Join(known[:min(len(known), most)], ", ")
			if more := len(known) - most; more > 0 {
				list += fmt.Sprintf(" and %d more", more)
			}
			return fmt.Errorf("names %q, which is no %s; there are: %s", name, what, list)
		}
	}
	return nil
}

// checkOrder says whether a list is for so many nodes; what says what a name is.
func (p *Placement) checkOrder(what string, nodes int) error {
	if p != nil && p.Kind == "list" && len(p.Names) != nodes {
		return fmt.Errorf("placement names a %s for %d nodes; there are %d", what, len(p.Names), nodes)
	}
	return nil
}

// place gives each of n nodes the number of a name; nil is turns of all. What is random is drawn from the stream.
func (p *Placement) place(what string, names []string, n int, s *Stream) ([]uint16, error) {
	if err := p.Unknown(what, names); err != nil {
		return nil, err
	}
	if p == nil {
		p = new(Placement)
	}
	number := make(map[string]uint16, len(names))
	for k, name := range names {
		number[name] = uint16(k)
	}
	at := make([]uint16, n)
	switch p.Kind {
	case "list":
		if len(p.Names) != n {
			return nil, fmt.Errorf("names a %s for %d nodes; there are %d", what, len(p.Names), n)
		}
		for i, name := range p.Names {
			at[i] = number[name]
		}
	case "shares":
		i := 0
		for k, count := range apportion(p.weights(names), n) {
			for range count {
				at[i] = uint16(k)
				i++
			}
		}
	case "random":
		weights := p.weights(names)
		for k := 1; k < len(weights); k++ {
			weights[k] += weights[k-1]
		}
		total := weights[len(weights)-1]
		for i := range at {
			x := float64(s.Float64() * total)
			k, found := slices.BinarySearch(weights, x)
			if found { // the next that has a part
				for k++; weights[k] == x; {
					k++
				}
			}
			at[i] = uint16(k)
		}
	default:
		turns := p.Names
		if turns == nil {
			turns = names
		}
		for i := range at {
			at[i] = number[turns[i%len(turns)]]
		}
	}
	return at, nil
}

// weights are the shares in the order of names; all alike where none are given.
func (p *Placement) weights(names []string) []float64 {
	all := make([]float64, len(names))
	for k, name := range names {
		if p.Shares == nil {
			all[k] = 1
		} else {
			all[k] = p.Shares[name]
		}
	}
	return all
}

// apportion divides n in proportion to weights, by the largest remainders; the first of equal ones have it.
func apportion(weights []float64, n int) []int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	counts, rest := make([]int, len(weights)), n
	remainders := make([]float64, len(weights))
	order := make([]int, len(weights))
	for k, w := range weights {
		exact := float64(w / total * float64(n))
		counts[k] = int(exact)
		remainders[k], order[k] = exact-float64(counts[k]), k
		rest -= counts[k]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case remainders[a] > remainders[b]:
			return -1
		case remainders[a] < remainders[b]:
			return 1
		}
		return 0
	})
	for k := 0; k < rest; k++ {
		counts[order[k%len(order)]]++
	}
	return counts
}
