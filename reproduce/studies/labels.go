// PDML: what users' reports and servers' messages say about labels and rows.

package studies

import (
	"fmt"
	"math"
	"strings"

	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/labels",
		Title: "PDML: randomised labels, and noise that decays",
		About: "Users of PDML flip their labels with probability 1/(1 + e^ε) before they report (x, y′); x itself is " +
			"reported as it is. Servers then run ADMM with one vector of noise in the objective, drawn once, and " +
			"noise on iterates that decays.\n\n" +
			"Three questions. Is a label's loss ε, neither more nor less? How often are labels guessed right, from " +
			"the report, from the servers' iterates, from both, where the bound of " +
			"randomised response is e^ε/(1 + e^ε)? " +
			"And what protects a user whose report the observer did not see? Differences of the gradients of " +
			"successive rounds cancel the vector drawn once; what is left is the iterates' noise, whose variance " +
			"falls by the factor `decay` every round.\n\n" +
			"twonorm in five columns, 100 users at each of three servers, 300 test rows; the observer sees all " +
			"packets. In the last question it knows all reports of server 0's users but one.",
		Compute: pdmlLabels,
	})
}

func pdmlLabels(b *reproduce.Workbench) error {
	const file = "pdml-labels.yaml"
	budgets := []float64{0.25, 0.5, 1, 2, 4}
	identity := plot.Line{Label: "claimed", X: budgets, Y: budgets}
	largest := plot.Line{Label: "exact log-likelihood ratio"}
	estimated := plot.Line{Label: "lower bound of a threshold test, 95 %"}
	bound, reported := plot.Line{Label: "bound e^ε/(1 + e^ε)"}, plot.Line{Label: "report"}
	iterates := plot.Line{Label: "iterates, of people who reported nothing"}
	both := plot.Line{Label: "report and iterates"}
	exact, sound, below, learned := true, true, true, true
	var words, guesses []string
	for _, epsilon := range budgets {
		set := fmt.Sprintf("algorithm.epsilon=%g", epsilon)
		// The report is all that matters, and comes before round 1.
		a, err := b.Audit(epsilon == 1, file, 0, set, "rounds.count=1")
		if err != nil {
			return err
		}
		l, e := float64(a.Verdicts[1].Measured), float64(a.Power.Epsilon)
		exact = exact && a.Stands() && math.Abs(l-epsilon) <= 1e-9
		sound = sound && e <= epsilon
		largest.X, largest.Y = append(largest.X, epsilon), append(largest.Y, l)
		estimated.X, estimated.Y = append(estimated.X, epsilon), append(estimated.Y, e)
		words = append(words, fmt.Sprintf("ε = %g: %.6g, at least %.3g by a threshold", epsilon, l, e))

		f, err := b.Attack(false, file, set, "adversary.attacks=[label-inference]", "adversary.knows={victim: all}")
		if err != nil {
			return err
		}
		right, of := 0, 0
		for _, f := range f.Findings {
			for _, g := range f.Labels {
				if of++; g.Guess == g.Truth {
					right++
				}
			}
		}
		_, t, err := b.Measure(file, set)
		if err != nil {
			return err
		}
		wrong := t.Column("test_error")
		limit, alone := 1/(1+math.Exp(-epsilon)), 1-wrong[len(wrong)-1]
		// A report is right as often as a two-valued test's area under the curve.
		from, together := float64(a.Power.AUC), float64(right)/float64(of)
		slack := 4 * math.Sqrt(limit*(1-limit)/float64(2*a.Runs))
		below = below && from <= limit+slack
		learned = learned && together > limit
		for _, p := range []struct {
			l *plot.Line
			y float64
		}{{&bound, limit}, {&reported, from}, {&iterates, alone}, {&both, together}} {
			p.l.X, p.l.Y = append(p.l.X, epsilon), append(p.l.Y, p.y)
		}
		guesses = append(guesses, fmt.Sprintf("ε = %g: bound %.1f, report %.1f, iterates %.1f, both %.1f", epsilon,
			100*limit, 100*from, 100*alone, 100*together))
	}
	b.State("a label's loss is ε: randomised response “preserves ε-LDP” (PDML Proposition 1), no more and no less",
		reproduce.Assess(exact && sound), "%s", strings.Join(words, "; "))
	b.State("a report is right no more often than e^ε/(1 + e^ε)", reproduce.Assess(below), "per cent right: %s",
		strings.Join(guesses, "; "))
	b.State("with the servers' iterates labels are guessed right more often than that bound", reproduce.Assess(learned),
		"see above, of 300 users. It is no leak of a report: iterates tell as much about people who reported "+
			"nothing, from their columns, which PDML does not hide")

	decays := []float64{0.5, 0.8, 0.95, 1}
	b.Vary("factor by which the noise's variance falls every round", decays)
	var errors []plot.Line
	var ends []string
	errorsAtEnd := make([]float64, len(decays))
	for k, decay := range decays {
		a, err := b.Attack(true, file, fmt.Sprintf("algorithm.decay=%g", decay))
		if err != nil {
			return err
		}
		f := firstFinding(a, "gradient-differencing")
		line := plot.Line{Label: fmt.Sprintf("decay = %g", decay)}
		for _, e := range f.Estimates {
			if e.Score != nil {
				line.X, line.Y = append(line.X, float64(e.Rounds)), append(line.Y, float64(e.Score.Relative))
			}
		}
		errors = append(errors, line)
		errorsAtEnd[k] = relativeError(f)
		word := "hidden"
		if f.Succeeded == record.Partial || f.Succeeded == record.Exact {
			word = "found"
		}
		t := count([]*record.Finding{f}, everyRound)
		ends = append(ends, fmt.Sprintf("decay = %g: relative error %.2g, of a guess without messages %.2g, %s", decay,
			errorsAtEnd[k], t.guess, word))
	}
	b.State("a vector drawn once in the objective hides a user's row while the iterates' noise decays",
		reproduce.AssessParts(errorsAtEnd[0] > 0.5 && errorsAtEnd[1] > 0.5, errorsAtEnd[1] > 0.5),
		"after 100 rounds, deviation 0.01 in the first: %s. Guessing zero has error 1", strings.Join(ends, "; "))
	b.Draw("accuracy", plot.Chart{Title: "labels guessed right", X: plot.Log("ε of the label flips"),
		Y: plot.Linear("share right"), Lines: []plot.Line{bound, reported, iterates, both}})
	b.Draw("loss", plot.Chart{Title: "loss of one label", X: plot.Log("claimed ε"), Y: plot.Log("measured"),
		Lines: []plot.Line{identity, largest, estimated}})
	b.Draw("decay", plot.Chart{Title: "a user's row from differences of gradients", X: plot.Log("rounds used"),
		Y: plot.Log("relative error"), Lines: errors})
	return nil
}
