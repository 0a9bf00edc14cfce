// Attacks on runs in which nodes lie.

package evaluation

import (
	"math"
	"testing"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/record"
	"overhear/scenarios"
)

// An attack goes by what its victim was told: the sample is found beside a liar as among honest nodes, and it is not if
// what the liar published is taken for what it said.
func TestAttack_GoesByWhatTheVictimWasTold(t *testing.T) {
	for _, act := range []string{"{kind: mirror, nodes: [1]}", "{kind: replay, nodes: [1, 3], back: 2}",
		"{kind: steer, nodes: [3], victim: 2, row: 0}"} {
		r, a := attacked(t, hospitals, "adversary.acts=["+act+"]", "rounds.count=12")
		exact := false
		for _, f := range a.Findings {
			exact = exact || f.Attack == "kkt-rounds" && f.Succeeded == record.Exact
		}
		if !exact {
			t.Errorf("%s: the sample is not found", act)
		}
		rec, err := readRecording(r)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scenarios.Parse("attacked.yaml", []byte(hospitals), "rounds.count=12")
		if err != nil {
			t.Fatal(err)
		}
		p, err := publicOf(s, 1, len(rec.Iterates[0].Values), 0, 0, s.Algorithm.Params)
		if err != nil {
			t.Fatal(err)
		}
		gradients := func(rec *adversary.Recording) []model.Gradient {
			all, _ := model.Gradients(p, adversary.Observe(rec, adversary.Vantage{}, p, nil), 2, 0)
			return all
		}
		blind := *rec
		blind.Lies = nil
		told, untold := gradients(rec), gradients(&blind)
		worst := 0.0
		for k := range told {
			off := append([]float64(nil), told[k].Value...)
			num.Axpy(-1, untold[k].Value, off)
			worst = math.Max(worst, num.Norm(off))
		}
		if !(worst > 1e-3) {
			t.Errorf("%s: gradients are the same without what was told: %v", act, worst)
		}
	}
}
