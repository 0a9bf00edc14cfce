// What a curve's points say of a claim.

package attack

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/stats"
	"overhear/record"
)

// A claim of ε = 4 that holds is not called exceeded because nothing was seen at a false
// positive rate of 0, where 300 runs cannot tell 0 from 1 %; a curve that no such method
// has is.
func TestROC_PointsAboveAClaim(t *testing.T) {
	const runs = 300
	curve := func(truePositives, falsePositives int) *record.Audit {
		low, high := stats.ClopperPearson(truePositives, runs, stats.Confidence)
		return &record.Audit{Runs: runs, ROC: []record.ROC{
			{FPR: float64(falsePositives) / runs, TPR: float64(truePositives) / runs, Low: low, High: high},
		}}
	}
	for _, c := range []struct {
		truePositives, falsePositives int
		above                         int
	}{
		{30, 0, 0},  // 10 % at 0: e⁴ · 1.2 % allows 67 %
		{280, 0, 1}, // 93 % at 0
		{290, 3, 0}, // at 1 %, which may be 2.9 %, nothing is too much
		{295, 300, 0},
	} {
		if got := above(curve(c.truePositives, c.falsePositives), 4, 0); got != c.above {
			t.Errorf("%d of %d at %d false alarms: %d points above", c.truePositives, runs, c.falsePositives, got)
		}
	}
}

// What a claim allows is straight between its bends.
func TestBends_AreAllThereAre(t *testing.T) {
	at := func(x []float64, epsilon, delta float64) (worst float64) {
		y := make([]float64, len(x))
		for k := range x {
			y[k] = region(epsilon, delta, x[k])
		}
		for k := range 1001 {
			v := float64(k) / 1000
			if off := math.Abs(between(x, y, v) - region(epsilon, delta, v)); !(off <= worst) {
				worst = off
			}
		}
		return worst
	}
	for _, c := range [][2]float64{{0, 0}, {0.2, 0}, {1, 1e-5}, {1, 0.3}, {5, 0}, {5, 0.1}, {800, 0}, {0.5, 1}} {
		bends := bends(c[0], c[1])
		if worst := at(bends, c[0], c[1]); !(worst <= 1e-12) {
			t.Errorf("ε = %v, δ = %v: lines are off by %v", c[0], c[1], worst)
		}
	}
	moved := bends(1, 0.1)
	moved[1] /= 2
	if worst := at(moved, 1, 0.1); !(worst >= 0.01) {
		t.Errorf("a bend at half its place is off by %v only", worst)
	}
}

// Of many audits those with the worst verdicts are drawn, wherever they stand, and the page says so.
func TestDrawn_OfManyAuditsTheWorst(t *testing.T) {
	e := new(Evaluation)
	for k := range drawnAudits {
		e.Audits = append(e.Audits, certifiedAudit(fmt.Sprint("audit ", k)))
	}
	if audits, others := e.drawn(); len(audits) != drawnAudits || others != "" {
		t.Errorf("all are drawn: %v, %q", audits, others)
	}
	for k := range 4 {
		e.Audits = append(e.Audits, certifiedAudit(fmt.Sprint("late ", k)))
	}
	const bad = drawnAudits + 2
	e.Audits[bad].Verdicts[0].Verdict = record.Violated
	audits, others := e.drawn()
	if len(audits) != drawnAudits || !slices.Contains(audits, bad) || !slices.IsSorted(audits) || others == "" {
		t.Errorf("drawn are %v, %q", audits, others)
	}
	page := write(t, e.HTML)
	if !strings.Contains(page, others) || strings.Count(page, ">False against missed alarms</title>") != drawnAudits {
		t.Errorf("%d audits are drawn", strings.Count(page, ">False against missed alarms</title>"))
	}
}
