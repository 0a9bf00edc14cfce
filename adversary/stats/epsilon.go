// A lower bound on ε from a test with a fixed threshold (docs/mathematics.md §5.9).

package stats

import (
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/record"
)

// EpsilonHat bounds ε from below by how well a threshold on a statistic tells
// two worlds apart; large values speak for world A. The first halves of the
// samples fix the threshold c and are then done with. On the second halves a run
// is held to be of A if its value is at least c, and
//
//	ε̂ = max{ln((TPR_lo − δ)/FPR_hi), ln((TNR_lo − δ)/FNR_hi)},
//
// at least 0 (Jagielski, Ullman & Oprea 2020; Nasr et al. 2021), with
// Clopper–Pearson bounds. The samples are in order of running, not sorted, and
// their values independent within a world; a and b need not be independent of
// each other.
//
// That ε ≥ ε̂ then has confidence 95 % for the whole statement. A method that is
// (ε, δ)-private has P_A(S) ≤ e^ε P_B(S) + δ for every set S of traces, hence
// TPR ≤ e^ε FPR + δ, and with the worlds swapped and S's complement TNR ≤ e^ε FNR
// + δ. Of the four bounds only two are random: TNR_lo = 1 − FPR_hi and FNR_hi =
// 1 − TPR_lo. TPR_lo and FPR_hi, ends of intervals at 95 %, each fail with
// probability 2.5 %, both together hold with 95 %, and then both quotients are
// right, so that taking the larger costs nothing. As c is independent of the
// second halves, nor does its choice.
//
// The threshold is the value that makes ε̂ of the first halves largest. It may be
// +Inf.
//
// Of the power are filled in Epsilon, Delta, Threshold, Counts and Confidence.
// NaN, fewer than two values in a world, or δ outside [0, 1) is an error.
func EpsilonHat(a, b []float64, delta float64) (record.Power, error) {
	if !(delta >= 0 && delta < 1) {
		return record.Power{}, fmt.Errorf("measuring ε at δ = %v: it is not in [0, 1)", delta)
	}
	if len(a) < 2 || len(b) < 2 {
		return record.Power{}, fmt.Errorf("measuring ε from %d and %d runs: halving them takes two of each", len(a),
			len(b))
	}
	c, err := Threshold(a[:len(a)/2], b[:len(b)/2], delta)
	if err != nil {
		return record.Power{}, err
	}
	a, b = a[len(a)/2:], b[len(b)/2:]
	tallies, err := tally(a, b)
	if err != nil {
		return record.Power{}, err
	}
	tp, fp := 0, 0
	for _, t := range tallies {
		if t.value >= c {
			tp, fp = tp+t.a, fp+t.b
		}
	}
	return record.Power{
		Epsilon:   record.Number(max(0, LossBound(tp, len(a), fp, len(b), delta, Confidence))),
		Delta:     record.Number(delta),
		Threshold: record.Number(c), Counts: [4]int{tp, fp, len(b) - fp, len(a) - tp}, Confidence: Confidence,
	}, nil
}

// Distinguish is all of Curve and EpsilonHat.
func Distinguish(a, b []float64, delta float64) ([]record.ROC, record.Power, error) {
	curve, p, err := Curve(a, b)
	if err != nil {
		return nil, record.Power{}, err
	}
	e, err := EpsilonHat(a, b, delta)
	if err != nil {
		return nil, record.Power{}, err
	}
	e.AUC, e.Advantage, e.TPR1, e.TPR01, e.TPR0 = p.AUC, p.Advantage, p.TPR1, p.TPR01, p.TPR0
	return curve, e, nil
}

// LossBound is ln of the larger quotient of EpsilonHat, of tp positives among na runs of world A and fp among nb of
// world B; −Inf if neither is positive.
func LossBound(tp, na, fp, nb int, delta, confidence float64) float64 {
	tpr, _ := ClopperPearson(tp, na, confidence)
	_, fpr := ClopperPearson(fp, nb, confidence)
	bound := math.Inf(-1)
	if tpr > delta {
		bound = num.Log((tpr - delta) / fpr)
	}
	if tnr := 1 - fpr; tnr > delta {
		bound = max(bound, num.Log((tnr-delta)/(1-tpr)))
	}
	return bound
}

// Threshold is the value, of those in the samples, for which LossBound is
// largest. Only a value of world A below which the next is one of world B can be
// it: one step down from any other, or up, leaves one share as it is and betters
// the other. Where all bounds are equal it is the one with the largest advantage.
func Threshold(a, b []float64, delta float64) (float64, error) {
	tallies, err := tally(a, b)
	if err != nil {
		return 0, err
	}
	c, most, advantage := math.NaN(), 0.0, 0.0
	tp, fp := 0, 0
	for k, t := range tallies {
		tp, fp = tp+t.a, fp+t.b
		if t.a == 0 || k+1 < len(tallies) && tallies[k+1].b == 0 {
			continue
		}
		bound := LossBound(tp, len(a), fp, len(b), delta, Confidence)
		d := float64(tp)/float64(len(a)) - float64(fp)/float64(len(b))
		if math.IsNaN(c) || bound > most || bound == most && d > advantage {
			c, most, advantage = t.value, bound, d
		}
	}
	return c, nil
}
