// What is said of two curves: over all rounds and seeds.

package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Comparison is how a column of one curve lies to that of another, in all rounds after the start and all seeds.
type Comparison struct {
	Rounds, Lower     int   // how many rounds there are, and in how many the mean over the seeds is lower
	Crossings         []int // rounds in which it is lower and was not before, or the other way round
	Seeds, LowerSeeds int   // how many seeds there are, and with how many the mean over the rounds is lower
}

// Against compares a column with another curve's. Rounds says which rounds are compared, nil all that both have; the
// start is none of them. A value that is no number is lower than none.
func (r *Runs) Against(other *Runs, column string, rounds func(t int) bool) Comparison {
	c := Comparison{Seeds: min(len(r.Tables), len(other.Tables))}
	sums := make([][2]float64, c.Seeds)
	var own, others [][]float64 // by seed
	for k := range sums {
		own, others = append(own, r.Tables[k].Column(column)), append(others, other.Tables[k].Column(column))
	}
	lower := false
	for t := 1; t < min(r.Rounds(), other.Rounds()); t++ {
		if rounds != nil && !rounds(t) {
			continue
		}
		now := r.At(column, t) < other.At(column, t)
		if c.Rounds > 0 && now != lower {
			c.Crossings = append(c.Crossings, t)
		}
		if lower = now; lower {
			c.Lower++
		}
		c.Rounds++
		for k := range sums {
			sums[k][0] += own[k][t]
			sums[k][1] += others[k][t]
		}
	}
	for _, s := range sums {
		if s[0] < s[1] {
			c.LowerSeeds++
		}
	}
	return c
}

// Most says whether the curve is the lower one in more than half of the rounds and, over all rounds, with every seed.
func (c Comparison) Most() bool { return 2*c.Lower > c.Rounds && c.LowerSeeds == c.Seeds }

// String says in how many rounds and with how many seeds the curve is the lower one, and where the two cross.
func (c Comparison) String() string {
	text := fmt.Sprintf("lower in %d of %d rounds and over them with %d of %d seeds", c.Lower, c.Rounds, c.LowerSeeds,
		c.Seeds)
	const named = 4
	switch n := len(c.Crossings); {
	case n == 0:
		return text + ", no crossing"
	case n <= named:
		var at []string
		for _, t := range c.Crossings {
			at = append(at, fmt.Sprint(t))
		}
		return fmt.Sprintf("%s, crossing in round %s", text, strings.Join(at, ", "))
	default:
		return fmt.Sprintf("%s, %d crossings, the last in round %d", text, n, slices.Max(c.Crossings))
	}
}

// End is the mean of a column over the seeds and the last fifth of the rounds: of noisy iterates a single round says
// little.
func (r *Runs) End(column string) float64 {
	from, to := r.end()
	return r.Mean(column, from, to)
}

// EndWidth is the mean over the last fifth of the rounds of greatest minus least over the seeds.
func (r *Runs) EndWidth(column string) float64 {
	from, to := r.end()
	return r.Width(column, from, to)
}

// EndOf is End of one seed, by its place.
func (r *Runs) EndOf(column string, seed int) float64 {
	one := Runs{Curve: r.Curve, Tables: r.Tables[seed : seed+1]}
	return one.End(column)
}

// end is the last fifth of the rounds.
func (r *Runs) end() (from, to int) {
	to = r.Rounds() - 1
	return to - max(1, int(math.Round(float64(to)/5))) + 1, to
}

// LowerAtEnd is with how many seeds End of the curve is less than the other's.
func (r *Runs) LowerAtEnd(other *Runs, column string) (seeds int) {
	for k := range min(len(r.Tables), len(other.Tables)) {
		if r.EndOf(column, k) < other.EndOf(column, k) {
			seeds++
		}
	}
	return seeds
}
