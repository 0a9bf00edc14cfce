// Parameters that vary by node and use: penalties, noise levels, step sizes.

package parameter

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"overhear/internal/num"
)

// Schedule is a positive parameter of every node and use. In a scenario it is a
// number, {initial, ratio, max}, {values: […]}, or {nodes: […]} with one of these
// for each node.
type Schedule struct {
	Sequence
	Nodes []Sequence `yaml:"nodes" doc:"one of these for each node, instead"`
}

// Sequence is a positive parameter of every use: initial·ratio^(k−1) for the k-th, up
// to max; or a list, whose last value goes on.
type Sequence struct {
	Initial float64   `yaml:"initial" auto:"allowed" doc:"value of the first use"`
	Ratio   float64   `yaml:"ratio" default:"1" doc:"each use's value over the one before"`
	Max     float64   `yaml:"max" doc:"greatest value; 0: none"`
	Values  []float64 `yaml:"values" doc:"the values themselves, the last of which goes on"`
}

// Auto stands for a penalty or step that the program is to compute from the problem;
// scenarios write "auto", and can write no infinity.
var Auto = math.Inf(1)

// UnmarshalText reads a constant, or auto.
func (l *Sequence) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*l = Sequence{Initial: Auto, Ratio: 1}
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("must be a number, {initial, ratio, max}, {values: [...]} or {nodes: [...]}, is %q", text)
	}
	*l = Sequence{Initial: v, Ratio: 1}
	return nil
}

// Constant is the schedule of one value.
func Constant(v float64) Schedule { return Schedule{Sequence: Sequence{Initial: v, Ratio: 1}} }

// Auto says whether some of its values are to be computed.
func (s *Schedule) Auto() bool {
	for _, l := range s.Nodes {
		if l.Initial == Auto {
			return true
		}
	}
	return s.Initial == Auto
}

// Starting is the schedule with that value for each first one that is to be computed.
func (s Schedule) Starting(v float64) Schedule {
	if s.Initial == Auto {
		s.Initial = v
	}
	nodes := slices.Clone(s.Nodes)
	for i := range nodes {
		if nodes[i].Initial == Auto {
			nodes[i].Initial = v
		}
	}
	s.Nodes = nodes
	return s
}

// Check reports a schedule that is not positive throughout.
func (s Schedule) Check(report func(field, problem string)) {
	if s.Nodes == nil {
		s.Sequence.Check(report)
		return
	}
	if s.Initial != 0 || s.Values != nil {
		report("nodes", "must stand alone: what is given for each node leaves nothing for initial or values")
	}
}

// Check reports a law that is not positive throughout.
func (l Sequence) Check(report func(field, problem string)) {
	if l.Values != nil {
		if l.Initial != 0 {
			report("values", "must stand without initial")
		}
		for _, v := range l.Values {
			if !(v > 0) {
				report("values", fmt.Sprintf("must be positive, one is %v", v))
				break
			}
		}
		if len(l.Values) == 0 {
			report("values", "must have one value or more")
		}
		return
	}
	if !(l.Initial > 0) {
		report("initial", fmt.Sprintf("must be positive, is %v", l.Initial))
	}
	if !(l.Ratio > 0) {
		report("ratio", fmt.Sprintf("must be positive, is %v", l.Ratio))
	}
	if l.Max < 0 {
		report("max", fmt.Sprintf("must not be negative, is %v", l.Max))
	}
}

// At is the value at a node's k-th use, k ≥ 1.
func (s *Schedule) At(node, k int) float64 {
	if s.Nodes != nil {
		return s.Nodes[node].at(k)
	}
	return s.at(k)
}

// First is the value of node 0's first use.
func (s Schedule) First() float64 { return s.At(0, 1) }

// Least is the smallest value of a node's first uses.
func (s *Schedule) Least(node, uses int) float64 {
	least := s.At(node, 1)
	for k := 2; k <= uses; k++ {
		least = min(least, s.At(node, k))
	}
	return least
}

// Unbounded says whether some node's values grow beyond every bound.
func (s *Schedule) Unbounded() bool {
	grows := func(l Sequence) bool { return l.Values == nil && l.Ratio > 1 && l.Max == 0 }
	if s.Nodes != nil {
		return slices.ContainsFunc(s.Nodes, grows)
	}
	return grows(s.Sequence)
}

func (l *Sequence) at(k int) float64 {
	if l.Values != nil {
		return l.Values[min(k, len(l.Values))-1]
	}
	v := l.Initial * num.Power(l.Ratio, k-1)
	if l.Max > 0 {
		v = math.Min(v, l.Max)
	}
	return v
}

// Fits says whether there is a law for each of n nodes.
func (s *Schedule) Fits(name string, n int) error {
	if s.Nodes != nil && len(s.Nodes) != n {
		return fmt.Errorf("%s is given for %d nodes; there are %d", name, len(s.Nodes), n)
	}
	return nil
}

// Times is the schedule with every value c times as great.
func (s Schedule) Times(c float64) Schedule {
	s.Sequence = s.times(c)
	if s.Nodes != nil {
		nodes := make([]Sequence, len(s.Nodes))
		for i, l := range s.Nodes {
			nodes[i] = l.times(c)
		}
		s.Nodes = nodes
	}
	return s
}

func (l Sequence) times(c float64) Sequence {
	l.Initial *= c
	l.Max *= c
	if l.Values != nil {
		values := make([]float64, len(l.Values))
		for k, v := range l.Values {
			values[k] = c * v
		}
		l.Values = values
	}
	return l
}

// List is the schedule of those values, the last of which goes on.
func List(values []float64) Schedule { return Schedule{Sequence: Sequence{Values: values}} }
