// The true labels of PDML's users, from the randomised ones that they report and
// from the model that servers publish.

package adversary

import (
	"fmt"
	"math"
	"slices"

	"overhear/adversary/model"
	"overhear/adversary/stats"

	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/problem"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:     "label-inference",
		Title:    "users' true labels",
		Equation: "p(y | x, y′) ∝ σ(y w̃·x) · [e^ε if y = y′, else 1]",
		About: `A user of PDML reports (x, y′), y′ flipped with probability 1/(1 + e^ε). By itself the best guess is
y′, and with both labels equally likely no guess is right more often than e^ε/(1 + e^ε): that is what the local
privacy of labels bounds. The servers' iterates are a model of how labels follow from features: w̃ is the mean
of what each server last published, and σ(y w̃·x) stands for the odds before the report. Together they may do
better than the bound. That is no leak of the user's report: it would work as well for somebody who took no
part.
Of a user whose report was not seen, a candidate's x gives a guess from the model alone; that is a Member with a
Label and the guess's probability of being wrong as Score.`,
		Needs: "reports of the victim's users, or candidates; ε; for the second guess one iterate of any server",
		Run:   labelInference,
	})
}

// reporting are the users of a server whose reports were seen, ascending.
func (v *View) reporting(server int) (users []int) {
	for _, m := range v.packets {
		if m.Kind == record.MessageReport && (int(m.Dst) == server || int(m.Src) == server) {
			users = append(users, int(m.Src))
		}
	}
	slices.Sort(users)
	users = slices.Compact(users)
	return slices.DeleteFunc(users, func(u int) bool { _, ok := v.Report(u); return !ok })
}

// model is the mean of what each node was last seen to publish after round 0, and
// how many that are.
func (v *View) model() (w []float64, nodes int) {
	w = make([]float64, v.Public.D)
	for i := range v.Public.Graph.Order() {
		for t := v.Public.Rounds; t > 0; t-- {
			if f, ok := v.Value(i, t); ok {
				num.Axpy(1, f, w)
				nodes++
				break
			}
		}
	}
	if nodes > 0 {
		num.Scale(1/float64(nodes), w)
	}
	return w, nodes
}

func labelInference(v *View, f *record.Finding) error {
	p := v.Public
	method, ok := p.Method.(model.Registering)
	if !ok {
		return blocked("no user reports a label in method %s", p.Name)
	}
	if p.Loss != problem.Logistic {
		return blocked("the model's odds of a label are those of the logistic loss")
	}
	kept := 0.0 // e^ε/(1 + e^ε), its mean over the reports
	w, nodes := v.model()
	users := v.reporting(f.Victim)
	expected, overruled := 0.0, 0
	var reported [][]float64
	for n, user := range users {
		r, _ := v.Report(user)
		x, y := r[:p.D], r[p.D]
		epsilon := method.LabelEpsilon(r)
		kept += (stats.Logistic(epsilon) - kept) / float64(n+1)
		reported = append(reported, x)
		right := stats.Logistic(epsilon + float64(y*num.Dot(w, x))) // that y is the true label; without a model w is 0
		guess := y
		if right < 0.5 {
			guess, right = -y, 1-right
			overruled++
		}
		expected += right
		f.Labels = append(f.Labels, record.LabelGuess{User: user, Guess: guess, Confidence: record.Number(right)})
	}
	if len(users) > 0 {
		expected /= float64(len(users))
	}
	guessed := 0
	if c := v.Knows.Candidates; c != nil && nodes > 0 {
		for n := range c.Y {
			x := c.At(n).X
			if slices.ContainsFunc(reported, func(r []float64) bool { return slices.Equal(r, x) }) {
				continue // the report says more
			}
			z := num.Dot(w, x)
			f.Members = append(f.Members, record.Membership{Candidate: n,
				Score: record.Number(stats.Logistic(-math.Abs(z))), Label: math.Copysign(1, z)})
			guessed++
		}
	}
	v.reportsUnseen(users, f)
	if len(users) == 0 && guessed == 0 {
		return blocked("no report of a user of server %d was seen, and there is no candidate to guess from a model",
			f.Victim)
	}
	if len(users) > 0 {
		bound := record.Number(kept)
		f.Checks = append(f.Checks, record.Check{
			Kind: record.ReportAccuracy, Measured: record.Number(kept), Bound: bound, Holds: true,
			Detail: "both labels equally likely before",
		})
		f.Conclusion = fmt.Sprintf("%s: the reported label is right with probability %.3g, the bound of "+
			"randomised response", plural.Of(len(users), "report"), kept)
		if nodes > 0 {
			f.Checks = append(f.Checks, record.Check{
				Kind: record.ModelAccuracy, Measured: record.Number(expected), Bound: bound, Holds: expected <= kept,
				Detail: fmt.Sprintf("%d of %d reported labels overruled", overruled, len(users)),
			})
			f.Conclusion += fmt.Sprintf("; with the model of %s, which overrules %d of them, a guess is "+
				"expected to be right with probability %.3g", plural.Of(nodes, "server"), overruled, expected)
			if expected > kept {
				f.Conclusion += ": more than the bound allows a report to tell, because it is learned from the " +
					"population, which is inference and no leak of the report"
			}
		} else {
			f.Unseen = append(f.Unseen, "every server's iterates: there is no model")
		}
	}
	if guessed > 0 {
		if f.Conclusion != "" {
			f.Conclusion += "; "
		}
		f.Conclusion += plural.With(guessed, "candidate", "without a report has", "without a report have") +
			" a label guessed from the model alone"
	}
	return nil
}

// reportsUnseen says which of the victim's users were not heard. Users are
// numbered without gaps in order of server, so that numbers between two of a
// server's users, or of two servers', tell.
func (v *View) reportsUnseen(users []int, f *record.Finding) {
	size := v.Knows.Size
	first := -1
	switch {
	case f.Victim == 0:
		first = v.Public.Graph.Order()
	case len(users) > 0 && users[len(users)-1]-users[0]+1 == size:
		first = users[0]
	}
	var gone []int
	switch {
	case size > 0 && first >= 0:
		for u := first; u < first+size; u++ {
			if !slices.Contains(users, u) {
				gone = append(gone, u)
			}
		}
	case len(users) > 0:
		for u := users[0]; u < users[len(users)-1]; u++ {
			if !slices.Contains(users, u) {
				gone = append(gone, u)
			}
		}
	}
	if len(gone) > 0 {
		f.Unseen = append(f.Unseen, "the reports of users "+plural.List(gone))
	}
	if rest := size - len(users) - len(gone); rest > 0 {
		f.Unseen = append(f.Unseen, fmt.Sprintf("the reports of %s of server %d", plural.Of(rest, "user"), f.Victim))
	}
}
