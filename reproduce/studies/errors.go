// What studies of reconstructed samples share: errors over victims and seeds.

package studies

import (
	"fmt"
	"math"
	"slices"

	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
)

// eachSeed attacks a shipped scenario's first n seeds; the first is kept for the
// report if keep is set.
func eachSeed(b *reproduce.Workbench, keep bool, n int, file string, sets ...string) ([]*record.Attacks, error) {
	var all []*record.Attacks
	for seed := 1; seed <= n; seed++ {
		with := sets
		if seed > 1 {
			with = append(slices.Clone(sets), fmt.Sprintf("seeds.first=%d", seed))
		}
		a, err := b.Attack(keep && seed == 1, file, with...)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// findings are those of one attack, over runs and victims.
func findings(attack string, all ...*record.Attacks) (f []*record.Finding) {
	for _, a := range all {
		for k := range a.Findings {
			if a.Findings[k].Attack == attack {
				f = append(f, &a.Findings[k])
			}
		}
	}
	return f
}

// estimateFrom is the scored estimate from at most so many rounds; nil if there is none.
func estimateFrom(f *record.Finding, rounds int) *record.Estimate {
	var best *record.Estimate
	for k := range f.Estimates {
		if e := &f.Estimates[k]; e.Rounds <= rounds && e.Score != nil {
			best = e
		}
	}
	return best
}

// everyRound stands for all rounds that an attack used.
const everyRound = math.MaxInt

// tally counts what estimates got right.
type tally struct {
	errors          []float64 // relative, sorted; 1, that of guessing zero, where there is no estimate
	exact           int       // errors up to 1e-6
	labels          int
	right, groups   int // one-hot attributes
	first           int // estimates that are nearest to the true sample of all candidates
	median, largest float64

	guess  float64 // median error of the best guess with the same knowledge and without any message
	better int     // estimates whose error is below that of the guess
}

// beside says in words what the errors are worth beside those of a guess.
func (t *tally) beside() string {
	return fmt.Sprintf("a guess without messages from what the observer knows anyway has error %.3g, and the attack "+
		"is better for %s", t.guess, of(t.better, len(t.errors)))
}

// guessing is the error of guesses between two values of an axis.
func (t *tally) guessing(from, to float64) plot.Line {
	return plot.Line{Label: "guessing from what is known anyway", Look: plot.Reference, X: []float64{from, to},
		Y: []float64{t.guess, t.guess}}
}

// count tallies the estimates from at most so many rounds.
func count(f []*record.Finding, rounds int) (t tally) {
	var guesses []float64
	for _, one := range f {
		e := estimateFrom(one, rounds)
		if e == nil {
			t.errors = append(t.errors, 1)
			continue
		}
		relative := float64(e.Score.Relative)
		t.errors = append(t.errors, relative)
		guess := 1.0
		if len(one.Baselines) > 0 {
			guess = float64(one.Baselines[0].Guess)
		}
		guesses = append(guesses, guess)
		if relative < guess {
			t.better++
		}
		if relative <= 1e-6 {
			t.exact++
		}
		if e.Score.Label != nil && *e.Score.Label {
			t.labels++
		}
		t.right, t.groups = t.right+e.Score.OneHot, t.groups+e.Score.OneHotOf
		if e.Score.Rank == 1 {
			t.first++
		}
	}
	slices.Sort(t.errors)
	if n := len(t.errors); n > 0 {
		t.median, t.largest = (t.errors[(n-1)/2]+t.errors[n/2])/2, t.errors[n-1]
	}
	slices.Sort(guesses)
	if n := len(guesses); n > 0 {
		t.guess = (guesses[(n-1)/2] + guesses[n/2]) / 2
	}
	return t
}

// of is a share of a number.
func of(n, all int) string { return fmt.Sprintf("%d of %d", n, all) }

// point adds a median with its range to a line.
func point(l *plot.Line, x float64, t tally) {
	l.X, l.Y = append(l.X, x), append(l.Y, t.median)
	l.Low, l.High = append(l.Low, t.errors[0]), append(l.High, t.largest)
}

// claimedLossUpTo is the loss that a run claims up to a round; the last, if it has fewer.
func claimedLossUpTo(a *record.Attacks, round int) float64 {
	if len(a.Claimed) == 0 {
		return math.NaN()
	}
	return float64(a.Claimed[min(round, len(a.Claimed)-1)])
}

// firstFinding is a run's first finding of an attack, one of being blocked if there is none.
func firstFinding(a *record.Attacks, attack string) *record.Finding {
	if f := findings(attack, a); f != nil {
		return f[0]
	}
	return &record.Finding{Attack: attack, Succeeded: record.Blocked, Conclusion: "it was not carried out"}
}

// relativeError is that of a finding's estimate from most rounds; 1, that of guessing zero, if there is none.
func relativeError(f *record.Finding) float64 {
	if n := len(f.Estimates); n > 0 && f.Estimates[n-1].Score != nil {
		return float64(f.Estimates[n-1].Score.Relative)
	}
	return 1
}
