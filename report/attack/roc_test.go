// What a curve's points say of a claim.

package attack

import (
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
