// Verdicts that hold of most results can fail: for each, results are planted that break it.

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
)

// resultsOf are results of a figure in which a column of a curve is what of says, by the curve's number and round.
func resultsOf(f *reproduce.Figure, rounds int, of func(column string, curve, t int) float64) *reproduce.Results {
	r := &reproduce.Results{Figure: f, Seeds: 2}
	for k, c := range f.Curves {
		runs := reproduce.Runs{Curve: c}
		for range r.Seeds {
			t := &record.Table{Columns: metrics.Columns}
			for round := range rounds + 1 {
				row := make([]float64, len(t.Columns))
				for i, column := range t.Columns {
					row[i] = of(column, k, round)
				}
				t.Rows = append(t.Rows, row)
			}
			runs.Tables = append(runs.Tables, t)
			runs.Infos = append(runs.Infos, &record.Info{Activity: &record.Activity{}})
		}
		r.Runs = append(r.Runs, runs)
	}
	return r
}

// claimOf is the statement whose text has some words.
func claimOf(t *testing.T, r *reproduce.Results, words string) reproduce.Statement {
	t.Helper()
	all := r.Statements(r)
	k := slices.IndexFunc(all, func(s reproduce.Statement) bool { return strings.Contains(s.Text, words) })
	if k < 0 {
		t.Fatalf("%s claims nothing of %q", r.Name, words)
	}
	return all[k]
}

// labelled is the number of the curve of that label.
func labelled(t *testing.T, f *reproduce.Figure, label string) int {
	t.Helper()
	k := slices.IndexFunc(f.Curves, func(c *reproduce.Curve) bool { return c.Label == label })
	if k < 0 {
		t.Fatalf("%s has no curve %q", f.Name, label)
	}
	return k
}

func TestStatements_CanBeBroken(t *testing.T) {
	fig1, fig3, fig4 := ra19Fig1(), pdmlFig3(), pdmlFig4()
	plain3 := labelled(t, fig3, pdmlPlain.Label)
	plain4 := labelled(t, fig4, pdmlPlain.Label)
	// wave is an objective that falls by 1 % in two rounds and rises in the even ones by so much first.
	wave := func(rise, back float64) func(string, int, int) float64 {
		return func(column string, curve, round int) float64 {
			v := 100 - float64(round/2) + back*float64(round/2)
			if round%2 == 0 {
				v += rise
			}
			return v
		}
	}
	// jumps are losses that rise by less with every γ, by nothing where flat is set.
	jumps := func(flat bool) func(string, int, int) float64 {
		return func(column string, curve, round int) float64 {
			if round%2 == 0 && !flat {
				return 1 + 0.1/float64(1+curve)
			}
			return 1
		}
	}
	risks3 := func(others, moving float64) func(string, int, int) float64 {
		return func(column string, curve, round int) float64 {
			if curve == plain3 {
				return 6 + moving*float64(400-round)/400
			}
			return 6 + others
		}
	}
	// risks4 fall from first at ε = 0.1 to small at 0.6 and on to large at 4, above a reference of 6.
	risks4 := func(first, small, large float64) func(string, int, int) float64 {
		return func(column string, curve, round int) float64 {
			if curve == plain4 {
				return 6
			}
			at := fig4.Curves[curve].X
			switch {
			case at == 0.1:
				return 6 + first
			case at <= 0.6:
				return 6 + small + (0.6-at)*1e-3
			}
			return 6 + small + (large-small)*(at-0.6)/3.4
		}
	}
	for _, c := range []struct {
		name   string
		figure *reproduce.Figure
		words  string
		of     func(column string, curve, t int) float64
		want   reproduce.Assessment
	}{
		{"rises that are compensated", fig1, "will always compensate", wave(5, 0), reproduce.Holds},
		{"rises of which a part stays", fig1, "will always compensate", wave(5, 2), reproduce.HoldsInPart},
		{"no rise to compensate", fig1, "will always compensate", wave(-0.5, 0), reproduce.NotTested},
		{"less with every γ", fig1, "smaller oscillation", jumps(false), reproduce.Holds},
		{"no oscillation at all", fig1, "smaller oscillation", jumps(true), reproduce.NotTested},
		{"equal rates", fig1, "lowers the rate", jumps(true), reproduce.Fails},
		{"equal slowness", fig1, "increasing penalty slows down", jumps(true), reproduce.Fails},
		{"risks above the reference", fig3, "cannot achieve the same", risks3(0.01, 0.001), reproduce.Holds},
		{"above one that still falls as much", fig3, "cannot achieve the same", risks3(0.01, 0.1), reproduce.Fails},
		{"close, and little changes", fig4, "change little", risks4(1, 0.05, 0.04), reproduce.Holds},
		{"close, and falling on", fig4, "change little", risks4(0.1, 0.05, 0.03), reproduce.Fails},
		{"far below the reference", fig4, "change little", risks4(1, -0.5, -0.51), reproduce.Fails},
		{"risks that fall", fig4, "decrease with larger", risks4(1, 0.05, 0.04), reproduce.Holds},
		{"risks that are all the same", fig4, "decrease with larger", risks4(0, 0, 0), reproduce.Fails},
	} {
		r := resultsOf(c.figure, 400, c.of)
		if strings.Contains(c.name, "all the same") {
			r = resultsOf(c.figure, 400, func(string, int, int) float64 { return 6 })
		}
		if s := claimOf(t, r, c.words); s.Assessment != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, s.Assessment, c.want, s.Measured)
		}
	}
}

// What nothing measured could change says so: the least ρ that is tried has the least loss of the data.
func TestStatements_SayWhatIsByConstruction(t *testing.T) {
	f := zz16Fig2()
	r := resultsOf(f, 100, func(column string, curve, round int) float64 { return 1 + float64(curve)/100 })
	s := claimOf(t, r, "without privacy ρ")
	got := fmt.Sprint(reproduce.Claim{Statement: s}.Verdict())
	if s.Assessment != reproduce.Holds || got != "holds by construction" {
		t.Errorf("%s, counted as %s", s.Assessment, got)
	}
}

// ZZ16's constants are judged in every round that its words are of, and in part if they are those of the last round.
func TestZZ16Fig3_JudgesEveryRound(t *testing.T) {
	f := zz16Fig3()
	for _, c := range []struct {
		words string
		pair  [2]float64
		from  int // the first round with the paper's constants
		want  reproduce.Assessment
	}{
		{"at all iterations", printed[0], 1, reproduce.Holds},
		{"at all iterations", printed[0], 2, reproduce.HoldsInPart},
		{"at all iterations", printed[0], 31, reproduce.Fails},
		{"for iteration t > 1", printed[1], 2, reproduce.Holds},
		{"for iteration t > 1", printed[1], 3, reproduce.HoldsInPart},
		{"for iteration t > 1", printed[1], 31, reproduce.Fails},
	} {
		r := resultsOf(f, 30, func(column string, curve, round int) float64 {
			high := c.pair[0]
			if round < c.from {
				high *= 3
			}
			return 0.4 + high*math.Exp(-c.pair[1]*f.Curves[curve].X)
		})
		if s := claimOf(t, r, c.words); s.Assessment != c.want {
			t.Errorf("%q from round %d: %s, want %s: %s", c.words, c.from, s.Assessment, c.want, s.Measured)
		}
	}
}

// How fast a curve converges is when it comes near, and not how low it is.
func TestZZ16Fig2_GradesSpeed(t *testing.T) {
	f := zz16Fig2()
	const alphas, words = 5, "converges faster"
	plain := labelled(t, f, "no privacy, ρ = 1e-10")
	for _, c := range []struct {
		name string
		of   func(k, round int) float64 // of the k-th α; that without privacy is 1
		want reproduce.Assessment
	}{
		{"sooner with every α", func(k, round int) float64 { return 1 + 2*math.Exp(-float64(k+1)*float64(round)/20) },
			reproduce.Holds},
		{"lower, and no sooner", func(k, round int) float64 {
			if round < 20 {
				return 3 - float64(k)/100
			}
			return 1.04 - float64(k)/100
		}, reproduce.Fails},
		{"two that come near", func(k, round int) float64 {
			if k < 3 {
				return 9 - float64(k)
			}
			return 1 + 2*math.Exp(-float64(k+1)*float64(round)/20)
		}, reproduce.Holds},
		{"near only twice as high", func(k, round int) float64 {
			return 1.5 + 2*math.Exp(-float64(k+1)*float64(round)/20)
		}, reproduce.Holds},
		{"none comes near", func(k, round int) float64 { return 9 - float64(k) }, reproduce.NotTested},
		{"the start is near, and none nearer", func(k, round int) float64 {
			return 1.7 - float64(k)/100*float64(min(round, 1))
		}, reproduce.NotTested},
	} {
		r := resultsOf(f, 100, func(column string, curve, round int) float64 {
			if curve == plain || curve >= alphas {
				return 1
			}
			return c.of(curve, round)
		})
		if s := claimOf(t, r, words); s.Assessment != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, s.Assessment, c.want, s.Measured)
		}
	}
}

// A fit that is closest at an edge of what was tried says so.
func TestZZ16Fig3_SaysWhereTheClosestEtaIsAtAnEdge(t *testing.T) {
	f := zz16Fig3()
	for _, c := range []struct{ closest, says string }{
		{"η = 5", "closest to (0.2, 25) in the last round is η = 5 or less, as it is the least tried:"},
		{"η = 50", "closest to (0.2, 25) in the last round is η = 50:"},
		{"η = 200", "closest to (0.2, 25) in the last round is η = 200 or more, as it is the greatest tried:"},
	} {
		r := resultsOf(f, 100, func(column string, curve, round int) float64 {
			alpha, high := f.Curves[curve].X, 5.0
			if f.Curves[curve].Group == c.closest {
				high = 0.2
			}
			return 0.4 + high*math.Exp(-25*alpha)
		})
		if s := claimOf(t, r, "(c₄, c₅) = (0.2, 25)"); !strings.Contains(s.Measured, c.says) {
			t.Errorf("%s: %s", c.closest, s.Measured)
		}
	}
}
