// Which of several candidates is the victim's unknown sample: the optimal test.

package adversary

import (
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:     "membership",
		Title:    "optimal membership test among candidates",
		Equation: "ln p(trace | candidate) = Σ_t [ln p(Value(t) − ∇(f(t))) + ln det(∇²(f(t)) + Ridge·I)]",
		About: `The observer knows all samples of the victim but one, and candidates for that. For each candidate it
computes the likelihood of all that was published; with equal odds before, the candidates' posterior
probabilities follow. Score is −ln of the posterior. Without noise the right candidate's gradient fits to
rounding and no other's does; Score is then the largest relative misfit.`,
		Needs: "all samples of the victim but one, candidates, every round's messages, all parameters",
		Run:   membership,
	})
}

// fits is the relative misfit up to which a gradient without noise is a
// candidate's own: solves are exact to 1e-10 of their scale.
const fits = 1e-6

func membership(v *View, f *record.Finding) error {
	k := v.Knows
	switch {
	case k.Others == nil || k.Size == 0:
		return blocked("the observer does not know the victim's other samples (adversary.knows.all-but)")
	case k.Candidates == nil || len(k.Candidates.Y) < 2:
		return blocked("the observer has no candidates (adversary.knows.candidates)")
	}
	var worlds []*Samples
	for n := range k.Candidates.Y {
		worlds = append(worlds, k.Others.and(k.Candidates.At(n)))
	}
	w, err := v.weigh(f, worlds)
	if err != nil {
		return err
	}
	best, sum := math.Inf(-1), 0.0
	for _, t := range w.total {
		best = max(best, t)
	}
	for _, t := range w.total {
		sum += num.Exp(t - best)
	}
	chosen, first := 0, 0
	for c := range worlds {
		m := record.Membership{Candidate: c, Label: k.Candidates.Y[c]}
		if w.noisy {
			posterior := -(w.total[c] - best - num.Log(sum))
			m.Score, m.Member = record.Number(posterior), posterior < math.Ln2
		} else {
			m.Score = record.Number(w.misfit[c] / w.scale)
			m.Member = w.misfit[c] < fits*w.scale
		}
		if m.Member {
			chosen, first = chosen+1, c
		}
		f.Members = append(f.Members, m)
	}
	singles := plural.With(w.used, "round", "singles", "single")
	switch {
	case chosen == 1:
		f.Conclusion = fmt.Sprintf("%s out candidate %d of %d", singles, first, len(worlds))
	case chosen == 0:
		f.Conclusion = fmt.Sprintf("%s out none of %s", singles, plural.Of(len(worlds), "candidate"))
	default:
		f.Conclusion = fmt.Sprintf("%d of %d candidates fit %s", chosen, len(worlds), plural.Of(w.used, "round"))
	}
	return nil
}

// and is a copy with one more sample.
func (s *Samples) and(a Sample) *Samples {
	all := new(Samples)
	for n := range s.Y {
		all.Add(s.At(n))
	}
	all.Add(a)
	return all
}
