// How often users' labels were guessed, beside what randomised response allows.

package attack

import (
	"math"
	"slices"

	"overhear/adversary/stats"
	"overhear/record"
)

// labels compares guesses of labels with the truth.
func (e *Evaluation) labels() *section {
	s := &section{ID: "labels", Title: "Guessed labels"}
	summary := &table{Head: []string{"attack", "guesses", "right", "accuracy", "95 % from", "to", "mean confidence",
		"randomised response allows"}}
	all, _ := e.findings()
	var blocks []block
	for _, f := range all {
		if len(f.Labels) == 0 {
			continue
		}
		right, known, confidence, confident := 0, 0, 0.0, 0
		t := &table{Head: []string{"user", "guess", "confidence", "truth", ""}, Shown: 8}
		t.Head[4] = "result"
		for _, g := range f.Labels {
			row := []cell{whole(g.User), value(g.Guess), measured(g.Confidence), none(), word("–")}
			if g.Truth != 0 {
				known++
				row[3] = value(g.Truth)
				row[4] = yes(g.Guess == g.Truth, "right", "wrong")
				row[4].Class = ""
				if g.Guess == g.Truth {
					right++
				}
			}
			if c := float64(g.Confidence); finite(c) {
				confidence += c
				confident++
			}
			t.Rows = append(t.Rows, row)
		}
		accuracy, low, high := math.NaN(), math.NaN(), math.NaN()
		if known > 0 {
			accuracy = float64(right) / float64(known)
			low, high = stats.ClopperPearson(right, known, stats.Confidence)
		}
		summary.Rows = append(summary.Rows, []cell{
			sentence(e.findingName(f)), whole(len(f.Labels)), whole(right), value(accuracy), value(low), value(high),
			value(confidence / float64(confident)), value(responseBound(f.Finding, e.Attacks[f.run])),
		})
		blocks = append(blocks, block{Heading: e.findingName(f), Table: t})
	}
	if len(blocks) > 0 {
		s.add(block{Text: "Who sees an ε-randomised response alone, and finds both labels equally likely " +
			"beforehand, guesses right with probability at most exp(ε)/(1 + exp(ε)). A sample's other columns, or " +
			"the share of a label, may tell more. The last column is the bound that the attack itself checked, or " +
			"else the one of the claimed ε.", Table: summary})
		fold(blocks)
		s.Blocks = append(s.Blocks, blocks...)
	}
	return s
}

// responseBound is the accuracy that randomised response allows; NaN where it is not known.
func responseBound(f *record.Finding, a *record.Attacks) float64 {
	if at := slices.IndexFunc(f.Checks, isReportAccuracy); at >= 0 {
		return float64(f.Checks[at].Bound)
	}
	if len(a.Claimed) > 0 {
		if e := float64(a.Claimed[len(a.Claimed)-1]); finite(e) && e >= 0 {
			return 1 / (1 + math.Exp(-e))
		}
	}
	return math.NaN()
}

func isReportAccuracy(c record.Check) bool { return c.Kind == record.ReportAccuracy }
