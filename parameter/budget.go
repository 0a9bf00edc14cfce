// Privacy budgets that users have of their own.

package parameter

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"overhear/internal/plural"
	"overhear/sim"
)

// Budgets is ε of every user of every server. In a scenario it is what [Budget] is, or {servers: […]} with one of these
// for the users of each server.
type Budgets struct {
	Budget
	Servers []Budget `yaml:"servers" doc:"one of these for the users of each server, instead"`
}

// Budget is ε of every user of a server. In a scenario it is a number; {list: […]}, dealt out; or {uniform: [a, b]} or
// {values: […], shares: […]}, of which each user draws its own.
type Budget struct {
	Value   float64   `yaml:"value" doc:"that of all users"`
	List    []float64 `yaml:"list" doc:"the users' own, in order of the server's rows; after the last from the first again"`
	Uniform []float64 `yaml:"uniform" doc:"[least, greatest], between which each user draws its own"`
	Values  []float64 `yaml:"values" doc:"of which each user draws its own"`
	Shares  []float64 `yaml:"shares" doc:"probability of each of values; default: all alike"`
}

// leastBudget is the ε below which a randomised label says nothing.
const leastBudget = 1e-12

// One is the budget that all users have.
func One(epsilon float64) Budgets { return Budgets{Budget: Budget{Value: epsilon}} }

// UnmarshalText reads the ε of all users.
func (b *Budget) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("must be a number, {list: [...]}, {uniform: [a, b]}, {values: [...], shares: [...]} or "+
			"{servers: [...]}, is %q", text)
	}
	*b = Budget{Value: v}
	return nil
}

// Check reports budgets that are none.
func (b Budgets) Check(report func(field, problem string)) {
	if b.Servers == nil {
		b.Budget.Check(report)
		return
	}
	if b.ways() != nil {
		report("servers", "must stand alone: what is given for each server leaves nothing for the others")
	}
	if len(b.Servers) == 0 {
		report("servers", "must have a budget for each server")
	}
	for i, s := range b.Servers {
		s.Check(func(field, problem string) {
			report("servers", fmt.Sprintf("of server %d: %s %s", i, field, problem))
		})
	}
}

// ways are the keys by which budgets are given.
func (b *Budget) ways() (keys []string) {
	for _, way := range []struct {
		key   string
		given bool
	}{{"value", b.Value != 0}, {"list", b.List != nil}, {"uniform", b.Uniform != nil}, {"values", b.Values != nil}} {
		if way.given {
			keys = append(keys, way.key)
		}
	}
	return keys
}

// Check reports a budget that is none.
func (b Budget) Check(report func(field, problem string)) {
	each := func(key string, values ...float64) {
		for _, v := range values {
			if !(v >= leastBudget && v <= math.MaxFloat64) {
				report(key, fmt.Sprintf("must be positive, and at least %v, below which labels say nothing, is %v",
					leastBudget, v))
				return
			}
		}
	}
	switch {
	case len(b.ways()) > 1:
		ways := b.ways()
		report(ways[0], "must stand alone, without "+strings.Join(ways[1:], " and "))
	case b.Shares != nil && b.Values == nil:
		report("shares", "are those of values, which are missing")
	case b.List != nil:
		if each("list", b.List...); len(b.List) == 0 {
			report("list", "must have one value or more")
		}
	case b.Uniform != nil:
		if each("uniform", b.Uniform...); len(b.Uniform) != 2 || !(b.Uniform[0] < b.Uniform[1]) {
			report("uniform", fmt.Sprintf("must be [least, greatest], is [%s]", plural.List(b.Uniform)))
		}
	case b.Values != nil:
		if each("values", b.Values...); len(b.Values) == 0 {
			report("values", "must have one value or more")
		}
		b.checkShares(report)
	default:
		each("value", b.Value)
	}
}

func (b *Budget) checkShares(report func(field, problem string)) {
	if b.Shares == nil {
		return
	}
	sum, positive := 0.0, true
	for _, s := range b.Shares {
		sum += s
		positive = positive && s > 0
	}
	if !positive || len(b.Shares) != len(b.Values) || !(math.Abs(sum-1) <= 1e-9) {
		report("shares", fmt.Sprintf("must be %d positive numbers that add up to 1, are [%s]", len(b.Values),
			plural.List(b.Shares)))
	}
}

// Alike is the ε that all users have, and whether there is one.
func (b *Budgets) Alike() (epsilon float64, alike bool) {
	return b.Value, b.Servers == nil && b.List == nil && b.Uniform == nil && b.Values == nil
}

// of is the budget of a server's users.
func (b *Budgets) of(server int) *Budget {
	if b.Servers != nil {
		return &b.Servers[server]
	}
	return &b.Budget
}

// At is ε of the user of a row of a server in the run of a seed.
func (b *Budgets) At(seed uint64, server, row int) float64 {
	of := b.of(server)
	if of.List != nil {
		return of.List[row%len(of.List)]
	}
	if of.Uniform == nil && of.Values == nil {
		return of.Value
	}
	u := sim.NewStream(seed, "budget", uint64(server), uint64(row)).Float64()
	if of.Uniform != nil {
		return of.Uniform[0] + float64(u*(of.Uniform[1]-of.Uniform[0]))
	}
	for k, v := range of.Values {
		share := 1 / float64(len(of.Values))
		if of.Shares != nil {
			share = of.Shares[k]
		}
		if u -= share; u < 0 {
			return v
		}
	}
	return of.Values[len(of.Values)-1]
}

// Fits says whether there is a budget for each of n servers.
func (b *Budgets) Fits(name string, n int) error {
	if b.Servers != nil && len(b.Servers) != n {
		return fmt.Errorf("%s is given for %d servers; there are %d", name, len(b.Servers), n)
	}
	return nil
}
