// What an observer works out that came too late to know the duals.

package adversary

import (
	"math"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// lateFinding carries the late joiner's attack out and scores its facts, and its
// estimates if a sample is wanted.
func lateFinding(t *testing.T, f *fixture, v *View, want *Sample) *record.Finding {
	t.Helper()
	a, _ := Lookup("late-joiner")
	found, err := a.Carry(v)
	if err != nil {
		t.Fatal(err)
	}
	truth := &Truth{Knows: v.Knows, Fact: func(fact *record.Fact) ([]float64, bool) {
		return trueDifference(v, f.problem.Shards[v.Knows.Victim].U, fact.Round)
	}}
	if want != nil {
		truth.Samples = []Sample{*want}
	}
	Score(found, truth)
	return found
}

// Differences of the data's gradient are exact without the duals' history and
// without knowledge of the data.
func TestMATH5_DifferencesNeedNoHistory(t *testing.T) {
	f := small(t, 8, 9, ring(5))
	rec, pub := exactADMM(t, f, 12, 0.3)
	found := lateFinding(t, f, Observe(rec, Vantage{From: 5}, pub, &Knowledge{Victim: 1}), nil)
	if found.Succeeded != record.Exact || len(found.Facts) == 0 || len(found.Estimates) != 0 {
		t.Fatalf("%s, %d facts: %s", found.Succeeded, len(found.Facts), found.Conclusion)
	}
	for _, fact := range found.Facts {
		if fact.Kind != record.GradientDifference || !(fact.Relative < 1e-12) {
			t.Errorf("%s, round %d: relative error %.3g", fact.Kind, fact.Round, fact.Relative)
		}
		// The truth, row by row, from the nodes' own data and iterates.
		now, _ := Observe(rec, Vantage{}, pub, nil).Value(1, fact.Round)
		before, _ := Observe(rec, Vantage{}, pub, nil).Value(1, fact.Round-1)
		want := f.trueGradient(1, now)
		num.Axpy(-1, f.trueGradient(1, before), want)
		if e := relative(fact.Values, want); !(e < 1e-12) {
			t.Errorf("round %d: relative error %.3g", fact.Round, e)
		}
	}
	if s := strings.Join(found.Unseen, "\n"); !strings.Contains(s, "rounds before 5") &&
		!strings.Contains(s, "round 4") {
		t.Errorf("that early rounds were not seen is not said: %q", found.Unseen)
	}
}

// Of the logistic loss s(z) + s(−z) = 1, so that s(f·u)u changes by the same
// vectors for −u as for u: no late joiner learns the label. The smoothed hinge is
// not symmetric, and tells.
func TestLateJoiner_LabelDependsOnTheLoss(t *testing.T) {
	for _, c := range []struct {
		loss  problem.Loss
		blind bool
	}{{problem.Logistic, true}, {problem.Squared, true}, {problem.HuberHinge{Width: 0.9}, false}} {
		f := small(t, 8, 6, ring(5))
		f.problem.Loss, f.problem.C = c.loss, 4
		rec, pub := run(t, f, "admm", 25, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.1 })
		told := 0
		for row := range 8 {
			k, want := f.allBut(1, row)
			found := lateFinding(t, f, Observe(rec, Vantage{From: 2}, pub, k), &want)
			e := found.Estimates[len(found.Estimates)-1]
			if c.blind && (e.Y != 0 || !strings.Contains(found.Conclusion, "the label is not determined")) {
				t.Errorf("%T, row %d: label %v though −u fits as well; %s", c.loss, row, e.Y, found.Conclusion)
			}
			if e.Y != 0 && !(last(found) >= 1e-5) {
				told++
				if e.Y != want.Y {
					t.Errorf("%T, row %d: label %v, is %v", c.loss, row, e.Y, want.Y)
				}
			}
			if c.blind && !(last(found) < 1e-5) {
				t.Errorf("%T, row %d: relative error %.3g; %s", c.loss, row, last(found), found.Conclusion)
			}
		}
		if !c.blind && told == 0 {
			t.Errorf("%T tells no label", c.loss)
		}
	}
}

// Differences that are exact are not the sample of an informed adversary who cannot work it out from them.
func TestLateJoiner_IsNotExactWithoutTheSample(t *testing.T) {
	f := small(t, 8, 9, ring(5))
	rec, pub := exactADMM(t, f, 4, 0.3) // of two rounds that share an unknown vector nothing is left over
	k, want := f.allBut(1, 3)
	k.Size++ // and of two samples that are not known there are too many
	found := lateFinding(t, f, Observe(rec, Vantage{From: 2}, pub, k), &want)
	if found.Succeeded != record.Partial || len(found.Estimates) > 0 || len(found.Facts) == 0 ||
		!strings.Contains(found.Conclusion, "the sample is not") {
		t.Errorf("%s, %d estimates: %s", found.Succeeded, len(found.Estimates), found.Conclusion)
	}
}

// Noise is in the differences too, and then they do not tell the sample.
func TestLateJoiner_FailsInNoise(t *testing.T) {
	f := small(t, 40, 12, ring(5))
	rec, pub := noisy(t, f, 30, 20)
	k, want := f.allBut(1, 0)
	found := lateFinding(t, f, Observe(rec, Vantage{From: 3}, pub, k), &want)
	if found.Succeeded != record.Failed || !strings.Contains(found.Conclusion, "noise") {
		t.Errorf("%s, relative error %.3g: %s", found.Succeeded, last(found), found.Conclusion)
	}
	for _, fact := range found.Facts {
		if !(fact.Relative >= 0.5) {
			t.Errorf("round %d: relative error %.3g under noise", fact.Round, fact.Relative)
		}
	}
}

// A lost packet ends an offset: no difference is taken across it, and those on
// either side stay exact. Idle rounds are passed over.
func TestLateJoiner_WithLostPackets(t *testing.T) {
	f := small(t, 8, 9, ring(5))
	rec, pub := exactADMM(t, f, 30, 0.3)
	k, want := f.allBut(1, 3)
	all := lateFinding(t, f, Observe(rec, Vantage{From: 2}, pub, k), &want)
	missed := lateFinding(t, f, Observe(rec, Vantage{From: 2, Miss: 0.3}, pub, k), &want)
	if missed.Said() != "exact up to its sign" || !(last(missed) < exactly) || len(missed.Facts) == 0 ||
		len(missed.Facts) >= len(all.Facts) || len(missed.Unseen) <= len(all.Unseen) {
		t.Errorf("%s: %d facts of %d, unseen %q", missed.Succeeded, len(missed.Facts), len(all.Facts), missed.Unseen)
	}
	for _, fact := range missed.Facts {
		if !(fact.Relative < 1e-11) {
			t.Errorf("round %d: relative error %.3g", fact.Round, fact.Relative)
		}
	}

	rec, pub = run(t, f, "r-admm", 12, sim.Link{}, func(p *algorithms.RADMM) { p.Eta, p.Gamma = 0.3, 0.2 })
	found := lateFinding(t, f, Observe(rec, Vantage{From: 3}, pub, &Knowledge{Victim: 1}), nil)
	if found.Succeeded != record.Exact || len(found.Facts) != 3 { // 5 to 7, 7 to 9, 9 to 11
		t.Errorf("r-admm: %s, %d facts", found.Succeeded, len(found.Facts))
	}
	if _, ok := trueDifference(Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1}), f.problem.Shards[1].U, 4); ok {
		t.Error("an idle round has a gradient difference")
	}
	if math.IsNaN(float64(found.Facts[0].Relative)) {
		t.Error("a fact was not scored")
	}
}

// trueDifference is what the gradient difference of a round is, from the
// victim's data; false if there is none for that round.
func trueDifference(v *View, data *problem.Rows, round int) ([]float64, bool) {
	all, _, _ := v.differences(v.Knows.Victim, data.Len())
	share := v.Public.C / float64(data.Len())
	for _, d := range all {
		if d.to.Round == round {
			truth := dataGradient(data, share, v.Public.Loss, d.to.At)
			num.Axpy(-1, dataGradient(data, share, v.Public.Loss, d.from.At), truth)
			return truth, true
		}
	}
	return nil, false
}
