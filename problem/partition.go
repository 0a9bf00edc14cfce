// How rows are divided: training and test, and over nodes.

package problem

import (
	"fmt"
	"math"
	"slices"

	"overhear/sim"
)

// TrainTest divides the rows of a set: the first `train` of them (a count, or a
// fraction below 1; 0 means all) in the order of the file, or of a random
// permutation if order is "shuffled", and the rest.
func TrainTest(set *Set, train float64, order string, s *sim.Stream) (training, test []int, err error) {
	n := set.X.Len()
	k := ForTraining(train, n)
	if k < 1 || k > n {
		return nil, nil, fmt.Errorf("train: %v is not between 1 and the %d rows of %s", train, n, set.Name)
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	if order == "shuffled" {
		rows = s.Perm(n)
	}
	return rows[:k], rows[k:], nil
}

// ForTraining is how many of n rows are for training: a number, a share below 1, or, of 0, all.
func ForTraining(train float64, n int) int {
	switch {
	case train == 0:
		return n
	case train < 1:
		return int(math.Round(train * float64(n)))
	}
	return int(train)
}

// Partition says which node gets which training rows. A bare kind is one
// without parameters.
type Partition struct {
	Kind  string  `yaml:"kind" default:"even" enum:"even,sizes,dirichlet,label-skew" doc:"even: contiguous blocks of equal size; sizes: contiguous blocks of given sizes; dirichlet: each class spread by a Dirichlet draw; label-skew: each node has a share of rows of one class only"`
	Sizes []int   `yaml:"sizes" of:"sizes" doc:"rows of each node (sizes); they add up to at most the training rows"`
	Alpha float64 `yaml:"alpha" of:"dirichlet" default:"0.5" doc:"concentration of the Dirichlet draw; small is uneven (dirichlet)"`
	Skew  float64 `yaml:"skew" of:"label-skew" default:"1" doc:"share of a node's rows that are of its own class, the rest are drawn from all (label-skew)"`
}

// UnmarshalText reads a kind.
func (p *Partition) UnmarshalText(text []byte) error {
	p.Kind = string(text)
	switch p.Kind {
	case "even", "dirichlet", "label-skew":
		return nil
	}
	return fmt.Errorf("must be even, dirichlet, label-skew or a mapping such as {kind: sizes, sizes: [100, 50]}, is %q",
		text)
}

// Check reports parameters that are missing or impossible.
func (p Partition) Check(report func(field, problem string)) {
	if (p.Kind == "sizes") != (p.Sizes != nil) {
		report("sizes", "belongs to kind sizes, which needs it")
	}
	for _, n := range p.Sizes {
		if n < 1 {
			report("sizes", fmt.Sprintf("must all be at least 1, one is %d", n))
			break
		}
	}
	if !(p.Alpha > 0) {
		report("alpha", fmt.Sprintf("must be positive, is %v", p.Alpha))
	}
	if !(p.Skew >= 0 && p.Skew <= 1) {
		report("skew", fmt.Sprintf("must be between 0 and 1, is %v", p.Skew))
	}
}

// Split gives every node its rows; every node gets at least one.
func (p Partition) Split(set *Set, train []int, nodes int, s *sim.Stream) ([]Shard, error) {
	if nodes > len(train) {
		return nil, fmt.Errorf("%d nodes are more than the %d training rows; every node needs a row", nodes, len(train))
	}
	var parts [][]int
	switch p.Kind {
	case "sizes":
		if len(p.Sizes) != nodes {
			return nil, fmt.Errorf("sizes gives %d numbers for %d nodes", len(p.Sizes), nodes)
		}
		total := 0
		for _, n := range p.Sizes {
			total += n
		}
		if total > len(train) {
			return nil, fmt.Errorf("sizes add up to %d, more than the %d training rows", total, len(train))
		}
		parts = blocks(train, p.Sizes)
	case "dirichlet":
		parts = dirichlet(set, train, nodes, p.Alpha, s)
	case "label-skew":
		parts = labelSkew(set, train, nodes, p.Skew, s)
	default:
		sizes := make([]int, nodes)
		for i := range sizes {
			sizes[i] = len(train) / nodes
			if i < len(train)%nodes {
				sizes[i]++
			}
		}
		parts = blocks(train, sizes)
	}
	feed(parts)
	return newShards(set, parts), nil
}

func blocks(rows, sizes []int) [][]int {
	parts := make([][]int, len(sizes))
	for i, n := range sizes {
		parts[i], rows = rows[:n:n], rows[n:]
	}
	return parts
}

// byClass separates rows by label, −1 first, or by one of K classes.
func byClass(set *Set, rows []int) [][]int {
	classes := make([][]int, max(2, len(set.Classes)))
	for _, i := range rows {
		k := 0
		switch {
		case set.Class != nil:
			k = int(set.Class[i])
		case set.Y[i] > 0:
			k = 1
		}
		classes[k] = append(classes[k], i)
	}
	return classes
}

// dirichlet cuts each class at the cumulative sums of a Dirichlet(α, …, α)
// draw: normalised gamma variables.
func dirichlet(set *Set, train []int, nodes int, alpha float64, s *sim.Stream) [][]int {
	parts := make([][]int, nodes)
	for _, class := range byClass(set, train) {
		weights := make([]float64, nodes)
		total := 0.0
		for i := range weights {
			weights[i] = s.Gamma(alpha)
			total += weights[i]
		}
		from, sum := 0, 0.0
		for i, w := range weights {
			sum += w
			to := len(class)
			if i < nodes-1 && total > 0 {
				to = min(len(class), int(math.Round(sum/total*float64(len(class)))))
			}
			parts[i] = append(parts[i], class[from:to]...)
			from = to
		}
	}
	return parts
}

// labelSkew deals blocks of the rows in order of class, so that a node has one
// class or two, after a share of rows drawn at random has been dealt evenly.
func labelSkew(set *Set, train []int, nodes int, skew float64, s *sim.Stream) [][]int {
	rows := slices.Clone(train)
	s.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	mixed := int(math.Round((1 - skew) * float64(len(rows))))
	parts := make([][]int, nodes)
	for k, i := range rows[:mixed] {
		parts[k%nodes] = append(parts[k%nodes], i)
	}
	sorted := slices.Concat(byClass(set, rows[mixed:])...)
	for i := range parts {
		parts[i] = append(parts[i], sorted[i*len(sorted)/nodes:(i+1)*len(sorted)/nodes]...)
	}
	return parts
}

// feed gives each empty node the last row of the largest one.
func feed(parts [][]int) {
	for i := range parts {
		if len(parts[i]) > 0 {
			continue
		}
		richest := 0
		for j := range parts {
			if len(parts[j]) > len(parts[richest]) {
				richest = j
			}
		}
		last := len(parts[richest]) - 1
		parts[i] = append(parts[i], parts[richest][last])
		parts[richest] = parts[richest][:last]
	}
}
