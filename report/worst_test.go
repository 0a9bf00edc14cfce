// The interval of measured ÷ certificate.

package report

import (
	"math"
	"strings"
	"testing"

	"overhear/record"
)

func TestTightness_IsFromWhatIsShownToWhatIsLeft(t *testing.T) {
	curve := []record.MeasuredDelta{{Epsilon: 1, High: 0.2}, {Epsilon: 2, High: 0.02}, {Epsilon: 3, High: 0.01},
		{Epsilon: 3.5, High: 0.004}}
	certified := &record.Verdict{Epsilon: 4, Delta: 0.01, Share: 0.5}
	for _, c := range []struct {
		name        string
		a           record.Audit
		least, most float64
	}{
		{"the upper end of δ(ε) meets δ at 3", record.Audit{Certified: certified, Curve: curve}, 0.5, 0.75},
		{"it never does", record.Audit{Certified: certified, Curve: curve[:2]}, 0.5, 1},
		{"it does beyond the certificate", record.Audit{Curve: curve,
			Certified: &record.Verdict{Epsilon: 2, Delta: 0.005, Share: 0.9}}, 0.9, 1},
		{"no certificate", record.Audit{}, math.NaN(), math.NaN()},
	} {
		least, most := Tightness(&c.a)
		if math.IsNaN(c.least) != math.IsNaN(least) || least != c.least && !math.IsNaN(least) ||
			most != c.most && !math.IsNaN(most) {
			t.Errorf("%s: %v to %v", c.name, least, most)
		}
	}
	var out strings.Builder
	w := &record.WorstData{Name: "far", Algorithm: "dvp", Unit: "sample", Over: []string{"pair", "rows"}, Budget: 9,
		Evaluations: 9, Runs: 36, Steps: make([]record.SearchStep, 3)}
	if err := WorstTable(&out, w, &record.Audit{Runs: 50, Certified: certified, Curve: curve}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"9 candidates, of which 9 were tried", "2 were better", "is 50 % to 75 %",
		"100 runs"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
