// The settings that a paper leaves open, and the points at which a figure's claims are judged.

package reproduce

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"overhear/scenarios"
	"overhear/sim"
)

// Grid is what a figure's claims are judged over: settings that the paper leaves open, and a Latin hypercube of points
// in them.
type Grid struct {
	Settings []Setting
	Set      []string // a change to every run, `path=value`, that makes it affordable; the page says so
	Why      string   // why the claims can be judged with Set all the same; "" only if Set is nil
}

// Setting is one setting that a paper leaves open.
type Setting struct {
	Name   string   // the paper's letter, or a word
	Paths  []string // keys of the scenario that take its value, after the curve's own changes
	Curves []*Curve // that it changes; nil: all

	// What it may be: a range, or the values, YAML.
	Low, High float64
	Log       bool // the range is drawn from evenly in its logarithm
	Values    []string
	Words     []string // the values in words; nil: as they are

	Taken string // what the page has
}

const (
	gridPoints = 12 // of a hypercube; no more than the 64 bits of a Split
	gridSeeds  = 2  // of a curve at a point
)

// changes says whether a setting changes a curve.
func (s *Setting) changes(c *Curve) bool { return s.Curves == nil || slices.Contains(s.Curves, c) }

// at is the value at a fraction from 0 to 1 of what the setting may be.
func (s *Setting) at(fraction float64) string {
	switch {
	case s.Values != nil:
		return s.Values[min(int(fraction*float64(len(s.Values))), len(s.Values)-1)]
	case s.Log:
		return s.number(s.Low * math.Pow(s.High/s.Low, fraction))
	}
	return s.number(s.Low + float64(fraction*(s.High-s.Low)))
}

// number has three digits, which is what a setting is worth, and five where three would make values of a narrow range
// the same.
func (s *Setting) number(v float64) string {
	digits := 3
	if s.High-s.Low < s.High/10 {
		digits = 5
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// Range says what the setting may be.
func (s *Setting) Range() string {
	if s.Values == nil {
		text := fmt.Sprintf("%s to %s", s.number(s.Low), s.number(s.High))
		if s.Log {
			text += ", by factors"
		}
		return text
	}
	text := ""
	for k := range s.Values {
		if k > 0 {
			text += ", "
		}
		text += s.word(s.Values[k])
	}
	return text
}

// word is a value in words.
func (s *Setting) word(value string) string {
	if k := slices.Index(s.Values, value); k >= 0 && s.Words != nil {
		return s.Words[k]
	}
	return value
}

// numeric says whether values have an order, and gives the number of each.
func (s *Setting) numeric(values []string) (numbers []float64, ok bool) {
	if s.Words != nil {
		return nil, false
	}
	for _, v := range values {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, x)
	}
	return numbers, true
}

// tried is how many hypercubes are drawn, of which that one is taken whose settings are least correlated: with few
// points a hypercube may make two settings rise together, and then neither can be named.
const tried = 1000

// Draw draws the points, a value of every setting each. They are a function of the figure's name and of the grid: every
// setting has one value in each of as many equal parts of what it may be as there are points.
func (g *Grid) Draw(figure string) [][]string {
	const n = gridPoints
	m := len(g.Settings)
	var best [][]float64 // by setting and point
	least := math.Inf(1)
	for k := range uint64(tried) {
		var at [][]float64
		for j := range uint64(m) {
			stream := sim.NewStream(0, "settings of "+figure, k, j)
			fractions := make([]float64, n)
			for i, part := range stream.Perm(n) {
				fractions[i] = (float64(part) + stream.Float64()) / float64(n)
			}
			at = append(at, fractions)
		}
		worst := 0.0
		for j := range at {
			for l := range j {
				worst = math.Max(worst, math.Abs(correlation(at[j], at[l])))
			}
		}
		if worst < least {
			best, least = at, worst
		}
		if m < 2 {
			break
		}
	}
	points := make([][]string, n)
	for i := range points {
		for j := range g.Settings {
			points[i] = append(points[i], g.Settings[j].at(best[j][i]))
		}
	}
	return points
}

// correlation is that of two samples.
func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for k := range x {
		sx, sy = sx+x[k], sy+y[k]
		sxx, syy, sxy = sxx+float64(x[k]*x[k]), syy+float64(y[k]*y[k]), sxy+float64(x[k]*y[k])
	}
	covariance := sxy/n - float64(sx/n*(sy/n))
	return covariance / math.Sqrt((sxx/n-float64(sx/n*(sx/n)))*(syy/n-float64(sy/n*(sy/n))))
}

// changesOf are the paths that a curve's settings change and their values at a point, in the order of the settings.
func (g *Grid) changesOf(c *Curve, point []string) (paths, values []string) {
	for k := range g.Settings {
		if s := &g.Settings[k]; s.changes(c) {
			for _, path := range s.Paths {
				paths, values = append(paths, path), append(values, point[k])
			}
		}
	}
	return paths, values
}

// GridTasks is the number of runs of a figure's grid: runs that are the same for several points or curves are done
// once.
func (f *Figure) GridTasks() int {
	runs := 0
	points := f.Grid.Draw(f.Name)
	keys := f.gridKeys(points)
	for k, c := range f.Curves {
		if slices.Index(keys, keys[k]) == k {
			runs += len(distinct(f.Grid, c, points))
		}
	}
	return runs * gridSeeds
}

// key is a digest of what decides the runs of a curve, with more changes before its own, for each seed. A curve that
// makes no scenario has one of its own: its runs say why.
func (f *Figure) key(c *Curve, before []string) string {
	s, err := scenarios.LoadShipped(f.Scenario, slices.Concat(before, c.Set)...)
	if err != nil {
		return c.Label
	}
	return s.Hash()
}

// gridKeys are digests of what decides the runs of every curve at all points: its scenario, and the values that the
// settings give it.
func (f *Figure) gridKeys(points [][]string) (keys []string) {
	for _, c := range f.Curves {
		paths, _ := f.Grid.changesOf(c, points[0])
		keys = append(keys, digest(f.key(c, f.Grid.Set), paths, distinct(f.Grid, c, points), gridSeeds))
	}
	return keys
}

// digest is the SHA-256 of values as JSON.
func digest(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(fmt.Sprintf("reproduce: a digest of %v: %v", values, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// distinct are the values that a curve's settings take, each once, in the order of the points.
func distinct(g *Grid, c *Curve, points [][]string) (all [][]string) {
	for _, point := range points {
		_, values := g.changesOf(c, point)
		if !slices.ContainsFunc(all, func(other []string) bool { return slices.Equal(other, values) }) {
			all = append(all, values)
		}
	}
	return all
}
