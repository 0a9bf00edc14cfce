// Artificial data, drawn from a stream.

package problem

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"overhear/sim"
)

// generated collects n rows of d numbers drawn by draw, which returns a label.
func generated(n, d int, draw func(x []float64) float64) (*Set, error) {
	set := &Set{X: newRows(d, n, n*d), Y: make([]float64, 0, n), Source: "generated"}
	cols := make([]int32, d)
	for k := range cols {
		cols[k] = int32(k)
		set.Columns = append(set.Columns, fmt.Sprintf("x%d", k+1))
	}
	x := make([]float64, d)
	for range n {
		set.Y = append(set.Y, draw(x))
		set.X.Append(cols, x)
	}
	return set, nil
}

// linearNoise is the standard deviation of what linear adds to its targets.
const linearNoise = 0.5

// linear is t = w·x + noise, the noise N(0, ½²): x is uniform in the cube of half-width 1/√d, so that its norm is at
// most 1, and w is N(0, 3I), drawn first, so that the variance of w·x is 1 on average.
func linear(n, d int, s *sim.Stream) (*Set, error) {
	half := 1 / math.Sqrt(float64(d))
	w := make([]float64, d)
	for k := range w {
		w[k] = math.Sqrt(3) * s.Normal()
	}
	var targets []float64
	set, err := generated(n, d, func(x []float64) float64 {
		t := float64(linearNoise * s.Normal())
		for k := range x {
			x[k] = float64(half * s.Between(-1, 1))
			t += float64(w[k] * x[k])
		}
		targets = append(targets, t)
		return 1
	})
	if err == nil {
		set.Targets = targets
	}
	return set, err
}

func sign(s *sim.Stream) float64 {
	if s.Uint64()&1 == 0 {
		return 1
	}
	return -1
}

// twonorm is Breiman 1996: N(±(a, …, a), I) in d dimensions, a = 2/√d; his d is 20.
func twonorm(n, d int, s *sim.Stream) (*Set, error) {
	a := 2 / math.Sqrt(float64(d))
	return generated(n, d, func(x []float64) float64 {
		y := sign(s)
		for k := range x {
			x[k] = float64(y*a) + s.Normal()
		}
		return y
	})
}

// ringnorm is Breiman 1996: +1 is N(0, 4I), −1 is N((a, …, a), I) in d dimensions,
// a = 2/√d; his d is 20.
func ringnorm(n, d int, s *sim.Stream) (*Set, error) {
	a := 2 / math.Sqrt(float64(d))
	return generated(n, d, func(x []float64) float64 {
		y := sign(s)
		for k := range x {
			if y > 0 {
				x[k] = 2 * s.Normal()
			} else {
				x[k] = a + s.Normal()
			}
		}
		return y
	})
}

// wide has gisette's 5,000 dense columns: each mixes 3 of 40 hidden factors, which
// correlates columns of different parties, and unit noise. The label is the sign
// of a mixture of the factors plus noise that turns about one row in thirty.
func wide(n, _ int, s *sim.Stream) (*Set, error) {
	const d, factors, mixed = 5000, 40, 3
	var which [d][mixed]int
	var loading [d][mixed]float64
	for k := range which {
		for m := range mixed {
			which[k][m], loading[k][m] = s.IntN(factors), s.Normal()
		}
	}
	weight, h := make([]float64, factors), make([]float64, factors)
	for m := range weight {
		weight[m] = s.Normal()
	}
	return generated(n, d, func(x []float64) float64 {
		score := float64(0.6 * s.Normal())
		for m := range h {
			h[m] = s.Normal()
			score += float64(weight[m] * h[m])
		}
		for k := range x {
			v := float64(s.Normal())
			for m, f := range which[k] {
				v += float64(loading[k][m] * h[f])
			}
			x[k] = v
		}
		if score > 0 {
			return 1
		}
		return -1
	})
}

// waveform is Breiman et al. 1984: u h_a + (1−u) h_b plus unit normal noise at
// 21 points, h triangles of height 6 about points 11, 7 and 15 of 1…21. The
// classes 0, 1, 2 mix (1,2), (1,3), (2,3); class 1 is +1.
func waveform(n, _ int, s *sim.Stream) (*Set, error) {
	triangle := func(centre, m int) float64 { return math.Max(0, float64(6-max(m-centre, centre-m))) }
	mixes := [3][2]int{{11, 15}, {11, 7}, {15, 7}}
	var classes []int32
	set, err := generated(n, 21, func(x []float64) float64 {
		class := s.IntN(3)
		classes = append(classes, int32(class))
		u := s.Float64()
		for k := range x {
			a, b := triangle(mixes[class][0], k+1), triangle(mixes[class][1], k+1)
			x[k] = float64(u*a) + float64((1-u)*b) + s.Normal()
		}
		if class == 1 {
			return 1
		}
		return -1
	})
	if err == nil {
		set.Class, set.Classes = classes, []string{"0", "1", "2"}
	}
	return set, err
}

//go:embed data/census.csv
var censusMarginals string

// censusColumn is a column of Adult by class (0: at most 50K, 1: above).
type censusColumn struct {
	name      string
	values    []string
	counts    [2][]int
	quantiles [2][]float64 // at 0, 1/20, …, 1
}

// Rows of the two classes in the data the marginals were taken from.
const (
	censusRows = 45222
	censusHigh = 11208
)

var censusColumns = sync.OnceValue(func() []*censusColumn {
	var all []*censusColumn
	for line := range strings.Lines(censusMarginals) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if f[0] != "count" && f[0] != "quantiles" {
			continue
		}
		if len(all) == 0 || all[len(all)-1].name != f[1] {
			all = append(all, &censusColumn{name: f[1]})
		}
		c := all[len(all)-1]
		if f[0] == "count" {
			c.values = append(c.values, f[2])
			for k := range 2 {
				v, _ := strconv.Atoi(f[3+k])
				c.counts[k] = append(c.counts[k], v)
			}
			continue
		}
		class := 0
		if f[2] == ">50K" {
			class = 1
		}
		for _, q := range f[3:] {
			v, _ := strconv.ParseFloat(q, 64)
			c.quantiles[class] = append(c.quantiles[class], v)
		}
	}
	return all
})

// census draws rows with Adult's columns. Given the class, columns are
// independent and have Adult's marginals: counts of categories, and numbers
// between twentieths of the distribution.
func census(n, _ int, s *sim.Stream) (*Set, error) {
	columns := censusColumns()
	source := Source{Label: "income", Positive: ">50K"}
	t := &table{name: "census", columns: []string{source.Label}, known: [][]string{nil}}
	for _, c := range columns {
		t.columns = append(t.columns, c.name)
		t.known = append(t.known, c.values)
		if c.values == nil {
			source.Numeric = append(source.Numeric, c.name)
		} else {
			source.Categorical = append(source.Categorical, c.name)
		}
	}
	var rows [][]string
	for range n {
		class, label := 0, "<=50K"
		if s.IntN(censusRows) < censusHigh {
			class, label = 1, ">50K"
		}
		row := []string{label}
		for _, c := range columns {
			row = append(row, c.draw(class, s))
		}
		rows = append(rows, row)
	}
	t.each = func(row func(r record) error) error {
		for i, fields := range rows {
			if err := row(record{fields, func(int) string { return fmt.Sprintf(":%d", i+1) }, 0}); err != nil {
				return err
			}
		}
		return nil
	}
	set, _, err := source.fromTable(context.Background(), t)
	if err != nil {
		return nil, fmt.Errorf("%w: draw more rows", err) // a class is absent from a tiny sample
	}
	set.Source = "generated"
	return set, nil
}

func (c *censusColumn) draw(class int, s *sim.Stream) string {
	if c.values == nil {
		q := c.quantiles[class]
		u := float64(s.Float64() * float64(len(q)-1))
		k := int(u)
		v := q[k] + float64((u-float64(k))*(q[k+1]-q[k]))
		return strconv.Itoa(int(v))
	}
	total := 0
	for _, n := range c.counts[class] {
		total += n
	}
	at := s.IntN(total)
	k := 0
	for at >= c.counts[class][k] {
		at -= c.counts[class][k]
		k++
	}
	return c.values[k]
}
