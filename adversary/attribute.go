// One attribute of a sample of which the rest is known.

package adversary

import (
	"fmt"
	"math"

	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:     "attribute",
		Title:    "one attribute of a sample",
		Equation: "p(value | trace) ∝ p(value) Π_t p(Value(t) − ∇(f(t)) | value) · det(∇²(f(t)) + Ridge·I)",
		About: `The observer knows all other samples of the victim, and of the last one all but one attribute, a
categorical column or the label (adversary.knows.attribute). Its prior is how often values are among the rows that it
knows, each value counted once more than that. The likelihood of each value is that of all that was published, as
membership has it, and the posterior is their product. Without noise all values but the true one are ruled out as far as
solves are exact. If noise hides the sample, the posterior is the prior: what is known of attributes without any message
is no success. Odds has both, by value.`,
		Needs: "all samples of the victim but one, and all of that but an attribute; every round's messages, all " +
			"parameters",
		Run: attribute,
	})
}

func attribute(v *View, f *record.Finding) error {
	k := v.Knows
	switch {
	case k.Attribute == nil:
		return blocked("no attribute is said to be unknown (adversary.knows.attribute)")
	case k.Others == nil || k.Size == 0:
		return blocked("the observer does not know the victim's other samples (adversary.knows.all-but)")
	case debias(v.Public) != 0:
		return blocked("the labels that enter are the reported ones, so that true samples do not tell what the known " +
			"ones contribute")
	}
	a := k.Attribute
	var worlds []*Samples
	for n := range a.Values {
		worlds = append(worlds, k.Others.and(a.Samples.At(n)))
	}
	w, err := v.weigh(f, worlds)
	if err != nil {
		return err
	}
	prior := a.prior(k)
	posterior := make([]float64, len(prior))
	best := math.Inf(-1)
	for n := range posterior {
		posterior[n] = w.total[n] + num.Log(prior[n])
		if !w.noisy { // what does not fit is ruled out
			if posterior[n] = num.Log(prior[n]); !(w.misfit[n] < fits*w.scale) {
				posterior[n] = math.Inf(-1)
			}
		}
		best = max(best, posterior[n])
	}
	if math.IsInf(best, -1) {
		f.Succeeded = record.Failed
		f.Conclusion = fmt.Sprintf("no value of %s fits the %s seen", a.Name,
			plural.With(w.used, "round", "that was", "that were"))
		return nil
	}
	sum := 0.0
	for n := range posterior {
		posterior[n] = num.Exp(posterior[n] - best)
		sum += posterior[n]
	}
	before, after := 0, 0
	for n := range posterior {
		posterior[n] /= sum
		if prior[n] > prior[before] {
			before = n
		}
		if posterior[n] > posterior[after] {
			after = n
		}
		f.Odds = append(f.Odds, record.Odds{Value: a.Values[n], Prior: record.Number(prior[n]),
			Posterior: record.Number(posterior[n])})
	}
	f.Conclusion = fmt.Sprintf("%s is %q with probability %.4g by %s; before them it was held to be %q with "+
		"probability %.4g", a.Name, a.Values[after], posterior[after],
		plural.Of(w.used, "round"), a.Values[before], prior[before])
	return nil
}

// weighed is the likelihood of worlds by all rounds that are whole.
type weighed struct {
	total, misfit []float64 // by world: ln p, and the largest misfit of a gradient
	noisy         bool
	used          int
	scale         float64 // of gradients
}

// weigh is what all rounds that are seen whole say of worlds.
func (v *View) weigh(f *record.Finding, worlds []*Samples) (*weighed, error) {
	k := v.Knows
	l, err := NewLikelihood(v.Public, k.Victim, worlds...)
	if err != nil {
		return nil, err
	}
	all, unseen := v.Gradients(k.Victim, k.Size)
	f.Unseen = unseen
	w := &weighed{total: make([]float64, len(worlds)), misfit: make([]float64, len(worlds))}
	for i := range all {
		g := &all[i]
		if g.Offset > 0 || g.Nuisance != nil {
			continue
		}
		e, err := l.weigh(g)
		if err != nil {
			return nil, err
		}
		w.used++
		w.scale = max(w.scale, num.Norm(g.Value))
		w.noisy = w.noisy || g.Noise.Kind != model.Silent
		for c := range worlds {
			w.total[c] += e.Density[c]
			w.misfit[c] = max(w.misfit[c], num.Norm(e.Noise[c]))
		}
	}
	if w.used == 0 {
		return nil, untold(f.Unseen, "no round was seen whole, with every parameter known")
	}
	if skipped := len(all) - w.used; skipped > 0 {
		was := "were"
		if skipped == 1 {
			was = "was"
		}
		f.Unseen = append(f.Unseen, plural.With(skipped, "round", "leaves", "leave")+
			" hidden parameters or an unknown past, and "+was+" left out")
	}
	return w, nil
}
