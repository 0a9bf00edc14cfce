// How many samples a node needs, against what theorems say.

package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/report/plot"
	"overhear/reproduce"
	"overhear/theory"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "networks/samples",
		Title: "Samples a node against error, beside the theorems",
		About: "ZZ16 Theorems 2 and 3 (with Corollary 3.1) and RA19 Theorems 3 and 4 say how many samples a " +
			"node needs for the expected loss to be within τ of a reference classifier's, “for some constant " +
			"w”. Here five nodes of a complete graph have 10 to 3,000 rows of twonorm in five columns each; the " +
			"expected loss is the mean over the 20,000 and more rows that no node has, the reference is the " +
			"classifier that is best for these, and the error is the loss above its, of any node, in the last " +
			"of 61 rounds, Δ included; noise is new in every round, where the proofs keep that of one round. Of " +
			"12 seeds and 5 nodes it is the quantile that the theorem names: 1−δ without noise, 1−2δ with, δ = " +
			"0.1. The ridge is τ/‖f_ref‖², as in the proofs, for the τ that the theorem has for B samples.\n\n" +
			"The theorems leave their constant w (β in ZZ16) open. For one it is proved; its bounds, and so its " +
			"ridge, are so great that next to nothing is learnt, and only with it a run is one that the theorem " +
			"covers. With the ridge of w = 1 more is learnt; of these points it is told which w they need: an " +
			"error e with B samples cannot be where B is enough for e. Their curves with that w are drawn " +
			"without marks.\n\n" +
			"Two misprints: ZZ16 Theorem 2 has C for C², and the first term of Theorem 3 has no C; with another " +
			"unit of the loss the number of samples would be another.",
		Compute: samplesStudy,
	})
}

const (
	samplesNodes, samplesSeeds = 5, 12
	samplesColumns             = 6 // with the intercept
	samplesFailure             = 0.1
)

// samplesCurve is a method, its theorem and what was measured.
type samplesCurve struct {
	label, set string
	sure       float64                           // probability that the theorem names
	need       func(theory.Aim, float64) float64 // samples, of an aim and a constant
	proved     float64                           // constant
	size       []float64
	err        []float64 // with the ridge of the constant 1
	strict     []float64 // with that of the proved one
	least      float64   // constant that err needs
	proven     []bounded // strict in what is proved
	enough     float64   // samples from which the proved bound says something
}

func samplesStudy(b *reproduce.Workbench) error {
	reference, trivial, err := bestOfTestRows(b)
	if err != nil {
		return err
	}
	without := func(a theory.Aim, w float64) float64 { return a.RA19Theorem3(w) }
	curves := []*samplesCurve{
		{label: "ADMM", set: "algorithm={kind: admm}", sure: 1 - samplesFailure, need: without},
		{label: "R-ADMM", set: "algorithm={kind: r-admm}", sure: 1 - samplesFailure, need: without},
	}
	for _, alpha := range []float64{0.3, 1, 3} {
		curves = append(curves, &samplesCurve{label: fmt.Sprintf("DVP, α = %g", alpha),
			set: fmt.Sprintf("algorithm={kind: dvp, alpha: %g}", alpha), sure: 1 - 2*samplesFailure,
			need: func(a theory.Aim, w float64) float64 { return a.ZZ16Theorem3(w, 1, 0.25, alpha, samplesColumns) }})
	}
	for _, alpha := range []float64{300, 1000, 3000} {
		curves = append(curves, &samplesCurve{label: fmt.Sprintf("private R-ADMM, α = %g", alpha),
			set:  fmt.Sprintf("algorithm={kind: private-r-admm, alpha: %g}", alpha),
			sure: 1 - 2*samplesFailure,
			need: func(a theory.Aim, w float64) float64 { return a.RA19Theorem4(w, 1, 1, alpha, samplesColumns) }})
	}
	aim := theory.Aim{Reference: num.Norm(reference), Failure: samplesFailure}
	once, dual := theory.ProvedConstant(samplesFailure), theory.ProvedDualConstant(samplesFailure)
	// measure is the error with so many samples and the ridge of the proof for a constant.
	measure := func(c *samplesCurve, size, constant float64) (float64, error) {
		a := aim
		a.Excess = aim.Reached(size, func(a theory.Aim) float64 { return c.need(a, constant) })
		errs, err := samplesErrors(b, reference, c.set, fmt.Sprintf("problem.train=%g", samplesNodes*size),
			fmt.Sprintf("problem.rho=%g", a.Ridge()))
		if err != nil {
			return 0, err
		}
		slices.Sort(errs)
		return errs[int(math.Ceil(c.sure*float64(len(errs))))-1], nil
	}
	for k, c := range curves {
		if c.proved = once; k >= 2 && k < 5 {
			c.proved = dual
		}
		for _, size := range []float64{10, 30, 100, 300, 1000, 3000} {
			strict, err := measure(c, size, c.proved)
			if err != nil {
				return err
			}
			a := aim
			if a.Excess, err = measure(c, size, 1); err != nil {
				return err
			}
			c.size, c.err, c.strict = append(c.size, size), append(c.err, a.Excess), append(c.strict, strict)
			c.least = max(c.least, size/c.need(a, 1)) // 0 where no number would be enough
			most := aim.Reached(size, func(a theory.Aim) float64 { return c.need(a, c.proved) })
			c.proven = append(c.proven, bounded{most, strict})
		}
		a := aim
		a.Excess = trivial
		c.enough = c.need(a, c.proved)
	}
	for _, group := range []struct {
		name, title, theorem, claim string
		of                          []*samplesCurve
		one                         bool // theorem for all
	}{
		{"without", "Error against samples, without noise", "ZZ16 Theorem 2, RA19 Theorem 3",
			"w‖f_ref‖² ln(1/δ)/τ² samples a node are enough without noise", curves[:2], true},
		{"dvp", "Error against samples, DVP", "ZZ16 Theorem 3, Corollary 3.1",
			"the largest of three numbers, in d ln(d/δ)/(τα), c₁/(τα) and ln(1/δ)/τ², is enough with DVP", curves[2:5],
			false},
		{"recycled", "Error against samples, private R-ADMM", "RA19 Theorem 4",
			"beside noise that does not depend on B, w ln(1/δ)/(τ²/2‖f_ref‖² − 2d² ln²(d/δ)/α²) samples are enough",
			curves[5:], false},
	} {
		chart := plot.Chart{Title: group.title, X: plot.Log("samples a node"), Y: plot.Log("error")}
		least, share, enough := 0.0, 0.0, math.Inf(1)
		var proven []bounded
		for _, c := range group.of {
			least, enough, proven = max(least, c.least), min(enough, c.enough), append(proven, c.proven...)
			for _, p := range c.proven {
				share = max(share, p.measured/p.bound)
			}
		}
		for _, c := range group.of {
			chart.Lines = append(chart.Lines, plot.Line{Label: c.label, X: c.size, Y: c.err})
			if least > 0 && !group.one { // like the line of what was measured, without marks
				chart.Lines = append(chart.Lines, bound(aim, c, "", least))
			}
		}
		if least > 0 && group.one {
			chart.Lines = append(chart.Lines, bound(aim, group.of[0], fmt.Sprintf("theorem, w = %.3g", least), least))
		}
		middle := group.of[len(group.of)/2]
		chart.Lines = append(chart.Lines,
			plot.Line{Label: middle.label + ", ridge of the proof", X: middle.size, Y: middle.strict},
			bound(aim, middle, fmt.Sprintf("proved for it, w = %.3g", middle.proved), middle.proved))
		needed := fmt.Sprintf("the points need w = %.3g", least)
		if least == 0 {
			needed = "the term of the noise is enough for all points, whatever w"
		}
		b.State(group.claim+" ("+group.theorem+")", boundVerdict(true, trivial, proven...),
			"with w = %.3g, which is proved, and its ridge the error is at most %.2g of the bound%s%s. With the ridge "+
				"of w = 1 %s: %s", middle.proved, share, vacuous(trivial, proven...), saysFrom(enough, trivial), needed,
			samplesTold(group.of))
		b.Draw(group.name, chart)
	}
	return nil
}

// saysFrom is from how many samples on a theorem would say something.
func saysFrom(enough, trivial float64) string {
	if math.IsInf(enough, 1) {
		return fmt.Sprintf("; at no number of samples the bound is below %.3g: the noise alone takes more", trivial)
	}
	return fmt.Sprintf("; below %.3g it would be from %.3g samples a node on", trivial, enough)
}

// bound is a theorem's curve.
func bound(aim theory.Aim, c *samplesCurve, label string, constant float64) plot.Line {
	l := plot.Line{Label: label, Look: plot.Plain}
	const points = 24
	for k := range points + 1 {
		size := c.size[0] * math.Pow(c.size[len(c.size)-1]/c.size[0], float64(k)/points)
		l.X = append(l.X, size)
		l.Y = append(l.Y, aim.Reached(size, func(a theory.Aim) float64 { return c.need(a, constant) }))
	}
	return l
}

// samplesTold are errors with the fewest and the most samples, and how they fall in the last decade.
func samplesTold(curves []*samplesCurve) string {
	var all []string
	for _, c := range curves {
		n := len(c.err) - 1
		power := math.Log(c.err[n]/c.err[n-2]) / math.Log(c.size[n]/c.size[n-2])
		all = append(all, fmt.Sprintf("%s: error %.3g with %g samples, %.3g with %g, at last as B^%.2f", c.label,
			c.err[0], c.size[0], c.err[n], c.size[n], power))
	}
	return strings.Join(all, "; ")
}

// bestOfTestRows is the classifier that is best for the test rows, and by how much the loss of the zero classifier is
// above its.
func bestOfTestRows(b *reproduce.Workbench) (best []float64, trivial float64, err error) {
	learnt, err := b.Learn(1, "samples.yaml", "rounds.count=1")
	if err != nil {
		return nil, 0, err
	}
	p := onTestRows(learnt[0].Problem)
	expected := *p
	p.R = []float64{1e-6}
	o, err := p.Centralised()
	if err != nil {
		return nil, 0, err
	}
	return o.F, expected.Value(make([]float64, len(o.F))) - expected.Value(o.F), nil
}

// onTestRows is the expected loss, as a problem of one node without a ridge.
func onTestRows(p *problem.Problem) *problem.Problem {
	test := *p
	test.Shards, test.R, test.C = []problem.Shard{p.Test}, []float64{0}, 1
	return &test
}

// samplesErrors are how far the expected loss of every node is above the reference's, over the seeds.
func samplesErrors(b *reproduce.Workbench, reference []float64, sets ...string) (errs []float64, err error) {
	learnt, err := b.Learn(samplesSeeds, "samples.yaml", sets...)
	if err != nil {
		return nil, err
	}
	for _, l := range learnt {
		test := onTestRows(l.Problem)
		of := test.Value(reference)
		for i := range l.Path {
			f := l.Last(i)
			errs = append(errs, test.Value(f)-of)
		}
	}
	return errs, nil
}
