// No claim's assessment is a constant: with other results every one of them can hold, and can fail.

package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/metrics"
	"overhear/record"
	"overhear/reproduce"
	"overhear/scenarios"
	"overhear/sim"
)

// variants is how many altered results a claim is tried with.
const variants = 3000

// altered are results of a figure that no run gave: in every variant, every column of every curve follows one of a few
// laws over the curves and the rounds.
func altered(f *reproduce.Figure, rounds []int, variant uint64) *reproduce.Results {
	s := sim.NewStream(variant, "altered results of "+f.Name)
	r := &reproduce.Results{Figure: f, Seeds: 2}
	n := len(f.Curves)
	laws := map[string]func(curve, t, rounds int) float64{}
	order, efforts := s.Perm(n), s.Perm(n)
	for _, column := range metrics.Columns {
		scale := math.Pow(10, s.Between(-3, 2))
		if s.IntN(3) == 0 {
			scale = s.Between(0.05, 0.5)
		}
		spread := []float64{0, 1e-3, 0.02, 0.3, 2}[s.IntN(5)] // of the curves
		slope := []float64{-6, -2, -0.3, 0, 0.3}[s.IntN(5)]   // over the rounds
		swing := []float64{0, 0, 0.01, 0.3}[s.IntN(4)]        // of even rounds
		direction := []int{-1, 0, 1, 2}[s.IntN(4)]
		at := s.Perm(n)
		if s.IntN(2) == 0 {
			at = order
		}
		slopes := make([]float64, n)
		for k := range slopes {
			slopes[k] = slope
			if s.IntN(4) == 0 {
				slopes[k] = s.Between(-6, 0.3)
			}
		}
		same := s.IntN(2) == 0
		laws[column] = func(curve, t, rounds int) float64 {
			rank := at[curve]
			if direction < 2 {
				rank = direction * curve
			}
			own := slope
			if !same {
				own = slopes[curve]
			}
			v := scale * math.Exp(spread*float64(rank)+own*float64(t)/float64(rounds))
			if t%2 == 0 {
				v *= 1 + swing*float64(1+rank%3)
			}
			return v
		}
	}
	width := []float64{0, 0.01, 0.5}[s.IntN(3)]
	for k, c := range f.Curves {
		runs := reproduce.Runs{Curve: c}
		factor := width * s.Float64()
		for seed := range r.Seeds {
			t := &record.Table{Columns: metrics.Columns}
			for round := range rounds[k] + 1 {
				var row []float64
				for _, column := range metrics.Columns {
					v := laws[column](k, round, rounds[k]) * (1 + factor*float64(seed))
					if column == "round" {
						v = float64(round)
					}
					row = append(row, v)
				}
				t.Rows = append(t.Rows, row)
			}
			optimum := laws["objective"](0, rounds[k], rounds[k]) * []float64{0.5, 0.999, 1, 1.2}[s.IntN(4)]
			runs.Tables = append(runs.Tables, t)
			effort := math.Pow(10, s.Between(-1, 1))
			if s.IntN(2) == 0 {
				effort = 1 / float64(1+efforts[k]) // one order for all
			}
			runs.Infos = append(runs.Infos, &record.Info{
				Activity: &record.Activity{BusySeconds: effort, Effort: record.Effort{
					Solves: int64(1e6 * effort), Passes: int64(1e7 * effort), Factorisations: int64(1e5 * effort),
				}},
				BaseError: record.Number(laws["test_error"](s.IntN(n), rounds[k], rounds[k])),
				Reference: record.Reference{Objective: record.Number(optimum),
					TestError: record.Number(laws["test_error"](s.IntN(n), rounds[k], rounds[k]))},
			})
		}
		r.Runs = append(r.Runs, runs)
	}
	return r
}

// constants are the claims of a figure that hold in no variant, or fail in none.
func constants(t *testing.T, f *reproduce.Figure) (found []string) {
	t.Helper()
	var rounds []int
	for _, c := range f.Curves {
		s, err := scenarios.LoadShipped(f.Scenario, c.Set...)
		if err != nil {
			t.Fatal(err)
		}
		rounds = append(rounds, s.Rounds.Count)
	}
	seen := map[string][]reproduce.Assessment{}
	var texts []string
	for v := range uint64(variants) {
		open := texts == nil
		for _, s := range f.Statements(altered(f, rounds, v)) {
			if s.Assessment == reproduce.ForComparison {
				continue
			}
			if !slices.Contains(texts, s.Text) {
				if v > 0 {
					t.Errorf("%s: %q is not claimed of all results", f.Name, s.Text)
				}
				texts = append(texts, s.Text)
			}
			if !slices.Contains(seen[s.Text], s.Assessment) {
				seen[s.Text] = append(seen[s.Text], s.Assessment)
			}
		}
		for _, text := range texts {
			open = open || !bothWays(seen[text])
		}
		if !open {
			return nil
		}
	}
	for _, text := range texts {
		if !bothWays(seen[text]) {
			found = append(found, fmt.Sprintf("%s: %v", text, seen[text]))
		}
	}
	return found
}

func bothWays(seen []reproduce.Assessment) bool {
	return slices.Contains(seen, reproduce.Holds) && slices.Contains(seen, reproduce.Fails)
}

func TestStatements_HaveNoConstantVerdicts(t *testing.T) {
	for _, f := range reproduce.Figures() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			if found := constants(t, f); len(found) > 0 {
				t.Errorf("%d claims of %s are constant or capped:\n%s", len(found), f.Name,
					strings.Join(found, "\n"))
			}
		})
	}
}

// The check sees a constant, a cap and a floor, and lets a claim pass that follows the results.
func TestStatements_ConstantVerdictsAreSeen(t *testing.T) {
	f := *ra19Fig2()
	computed := func(r *reproduce.Results) bool {
		return r.Of(f.Curves[0]).Last("test_error") < r.Of(f.Curves[1]).Last("test_error")
	}
	for name, c := range map[string]struct {
		assess func(r *reproduce.Results) reproduce.Assessment
		seen   bool
	}{
		"holds":      {func(*reproduce.Results) reproduce.Assessment { return reproduce.Holds }, true},
		"not tested": {func(*reproduce.Results) reproduce.Assessment { return reproduce.NotTested }, true},
		"a cap": {func(r *reproduce.Results) reproduce.Assessment {
			return reproduce.AssessParts(false, computed(r))
		}, true},
		"a floor": {func(r *reproduce.Results) reproduce.Assessment {
			return reproduce.AssessParts(computed(r), true)
		}, true},
		"computed": {func(r *reproduce.Results) reproduce.Assessment { return reproduce.Assess(computed(r)) }, false},
	} {
		f.Statements = func(r *reproduce.Results) []reproduce.Statement {
			return []reproduce.Statement{reproduce.State("planted", c.assess(r), "")}
		}
		if found := constants(t, &f); (found != nil) != c.seen {
			t.Errorf("%s: found %q", name, found)
		}
	}
}

// mixed are results whose claimed loss of privacy is that of other ones.
func mixed(of, accounts *reproduce.Results) *reproduce.Results {
	r := *of
	r.Runs = nil
	for k, runs := range of.Runs {
		own := runs
		own.Tables = nil
		column := slices.Index(metrics.Columns, "privacy_loss")
		for seed, table := range runs.Tables {
			t := &record.Table{Columns: table.Columns}
			for round, row := range table.Rows {
				row = slices.Clone(row)
				row[column] = accounts.Runs[k].Tables[seed].Rows[round][column]
				t.Rows = append(t.Rows, row)
			}
			own.Tables = append(own.Tables, t)
		}
		r.Runs = append(r.Runs, own)
	}
	return &r
}

// onAccounts are the claims that say they rest on accounts, and those whose assessment follows accounts and nothing
// else: that changes with the accounts of another variant, and stays the same with all else of others, at most so many.
func onAccounts(t *testing.T, f *reproduce.Figure, most uint64) (said, found []string) {
	t.Helper()
	const least = 8 // variants, where no claim is suspect
	var rounds []int
	for _, c := range f.Curves {
		s, err := scenarios.LoadShipped(f.Scenario, c.Set...)
		if err != nil {
			t.Fatal(err)
		}
		rounds = append(rounds, s.Rounds.Count)
	}
	changes, follows := map[string]bool{}, map[string]bool{} // by what is measured, by accounts
	for _, s := range f.Statements(altered(f, rounds, 0)) {
		if s.Rests == reproduce.OnAccount {
			said = append(said, s.Text)
		}
	}
	suspect := func() bool {
		for text := range follows {
			if !changes[text] && !slices.Contains(said, text) {
				return true
			}
		}
		return false
	}
	first := map[uint64]map[string]reproduce.Assessment{} // by variant, with the first accounts
	for a := uint64(0); a < 10; a++ {
		accounts := altered(f, rounds, a)
		before := map[string]reproduce.Assessment{} // with these accounts
		for v := uint64(0); v < least || v < most && suspect(); v++ {
			now := map[string]reproduce.Assessment{}
			for _, s := range f.Statements(mixed(altered(f, rounds, v), accounts)) {
				now[s.Text] = s.Assessment
				if v > 0 && before[s.Text] != s.Assessment {
					changes[s.Text] = true
				}
				if other, ok := first[v]; ok && other[s.Text] != s.Assessment {
					follows[s.Text] = true
				}
			}
			if before = now; first[v] == nil {
				first[v] = now
			}
		}
	}
	for _, s := range f.Statements(altered(f, rounds, 0)) {
		if (follows[s.Text] || s.Rests == reproduce.OnAccount) && !changes[s.Text] {
			found = append(found, s.Text)
		}
	}
	return said, found
}

// A claim of whose numbers none is measured says so, and one that is measured does not hide behind an account.
func TestStatements_SayWhereTheirEvidenceIsAnAccount(t *testing.T) {
	for _, f := range reproduce.Figures() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			if said, found := onAccounts(t, f, variants); !slices.Equal(said, found) {
				t.Errorf("rest on accounts: %q; say so: %q", found, said)
			}
		})
	}
	f := *zz16Fig2()
	whole := f.Statements
	f.Statements = func(r *reproduce.Results) (all []reproduce.Statement) {
		for _, s := range whole(r) {
			all = append(all, s.On(reproduce.OnMeasurement))
		}
		return all
	}
	if said, found := onAccounts(t, &f, 100); len(said) != 0 || len(found) != 1 {
		t.Errorf("an account that passes as a measurement is not found: %q", found)
	}
}
