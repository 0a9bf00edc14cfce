// An observer that came too late to know the dual.

package adversary

import (
	"errors"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:     "late-joiner",
		Title:    "gradient differences without the duals' history",
		Equation: "∇(f(t+1)) − ∇(f(t)) = −η[2V(f(t+1) − f(t)) + V f(t−1) − 2s(t) + s(t−1)] − r(f(t+1) − f(t))",
		About: `Who has not seen the rounds before does not know a node's dual. But what it lacks is the same vector
in every later round, so that it cancels in differences. They are differences of the data's gradients, and for
the informed adversary they determine the sample, though with losses such as the logistic one not its label: −u
has the same differences.`,
		Needs: "two or more rounds running of the victim and its neighbours, public penalties; for the sample " +
			"itself, all of the victim's samples but one",
		Targets: true,
		Classes: true,
		Run:     runLate,
	})
}

// difference is a change of the data's gradient between rounds of one offset.
type difference struct {
	from, to *model.Gradient
	values   []float64
}

// differences are those between consecutive usable rounds of a node.
func (v *View) differences(node, b int) (all []difference, unseen []string, hidden bool) {
	gradients, unseen := v.Gradients(node, b)
	latest := map[int]*model.Gradient{}
	for k := range gradients {
		g := &gradients[k]
		if g.Nuisance != nil {
			hidden = true
			continue
		}
		if before := latest[g.Offset]; before != nil {
			values := append([]float64(nil), g.Value...)
			num.Axpy(-1, before.Value, values)
			all = append(all, difference{before, g, values})
		}
		latest[g.Offset] = g
	}
	return all, unseen, hidden
}

func runLate(v *View, f *record.Finding) error {
	k := v.Knows
	all, unseen, hidden := v.differences(k.Victim, k.Size)
	f.Unseen = unseen
	if len(all) == 0 {
		if hidden {
			return blocked("penalties are hidden, so that differences are not known")
		}
		return untold(unseen, "no two rounds of node %d were seen between which its dual is known", k.Victim)
	}
	noise := ""
	if v.Public.Method.Noisy() { // how much is not known of a node of unknown size, and those of d say none
		noise = ", with noise"
	}
	for _, d := range all {
		f.Facts = append(f.Facts, record.Fact{Kind: record.GradientDifference, Node: k.Victim, Round: d.to.Round,
			Since: d.from.Round, Values: d.values, Relative: notKnown, Terms: d.from.Size + d.to.Size})
	}
	const of = "of the gradient of the data "
	facts := plural.With(len(all), "difference", of+"is known", of+"are known") + noise
	if k.Others == nil {
		f.Conclusion = facts
		return nil
	}
	s, _, err := informed(v)
	if err == nil {
		err = s.only(func(e *condition) bool { return e.unknown() == 0 }).report(v, f)
	}
	if b := (*Blocked)(nil); errors.As(err, &b) {
		f.Doubt = "the sample is not: " + b.Why
		f.Conclusion = f.Doubt
	} else if err != nil {
		return err
	}
	f.Conclusion = facts + "; " + f.Conclusion
	return nil
}
