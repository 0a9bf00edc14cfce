// What a run's figures are worth: whether it came to the optimum, and what the optimum
// gives up for the ridge.

package experiment

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"overhear/algorithms"
	"overhear/internal/checkpoint"
	"overhear/internal/num"
	"overhear/internal/stage"
	"overhear/metrics"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
)

// convergence says how the distance to the optimum went, and what to change; warned says whether the run has warnings.
func (o *outcome) convergence(warned bool) *record.Convergence {
	noisy := o.noisy()
	c := metrics.Converge(o.rows, noisy)
	if err := o.stopped(); err != nil {
		c.State, c.Stopped = record.Diverging, err.Error()
	}
	var advice []string
	switch c.State {
	case record.Converged:
		return c
	case record.Unknown:
		if c.Flat {
			c.Advice = "another width of the loss (problem.loss)"
		}
		if c.Flat || math.IsNaN(float64(c.Factor)) {
			return c
		}
		advice = append(advice, "more rounds (rounds.count)")
	case record.Moving:
		// A number of rounds is that of the present trend to the optimum, which slows down as
		// the slowest part is left. Where the limit is elsewhere, or another round or a longer
		// run would have other steps, there is none.
		switch {
		case o.Elsewhere:
			c.More = 0
		case noisy && o.Setting.Target.Epsilon > 0 && !o.Setting.Target.EachRound:
			// What the distance falls by may be chance, and with more rounds each has less of the target.
			c.More = 0
			advice = append(advice,
				"less noise (privacy.epsilon), or another number of rounds: with more of them each has more noise")
		case c.More == 0 || c.More >= 1e7 || !o.steady():
			c.More = 0
			advice = append(advice, "more rounds (rounds.count)")
		case c.More == 1:
			advice = append(advice, "at least 1 round more (rounds.count)")
		default:
			advice = append(advice, fmt.Sprintf("at least %d rounds more (rounds.count)", c.More))
		}
	default:
		switch {
		case o.Liars != nil: // which no step mends
			advice = append(advice, "honest nodes (adversary.acts), to see what lies do to it")
		case noisy:
			advice = append(advice, "less noise")
		}
	}
	d, ok := o.Method.(algorithms.Displaced)
	// No computed step mends a limit that is not the optimum, and what is at rest is there.
	displaced := ok && d.Displaced() || o.Elsewhere && c.State == record.AtRest
	// What is computed amid noise is a rule that another value may well beat.
	if !noisy && !displaced && o.Liars == nil {
		advice = append(advice, o.otherSteps()...)
	}
	if advice == nil && warned {
		advice = []string{"what the warnings say"}
	}
	c.Advice = strings.Join(advice, ", or ")
	return c
}

// steady says whether the method does the same in all rounds, however many there are.
func (o *outcome) steady() bool {
	if o.altered() != nil || !algorithms.Steady(o.Params, o.Setting) {
		return false
	}
	if o.Computed == nil {
		return true
	}
	longer := o.Setting
	longer.Rounds *= 2
	now := map[string]float64{}
	for _, c := range o.Computed {
		now[c.Key] = c.Value
	}
	for _, c := range algorithms.Suggest(o.Params, longer) {
		if v, ok := now[c.Key]; ok && v != c.Value {
			return false
		}
	}
	return true
}

// outweighs names what of the objective is not the data's, "" if all of it is.
func outweighs(p *scenarios.Problem) string {
	var all []string
	if p.Rho > 0 {
		all = append(all, fmt.Sprintf("the ridge (problem.rho: %v)", p.Rho))
	}
	if p.L1 > 0 {
		all = append(all, fmt.Sprintf("the ℓ1 norm (problem.l1: %v)", p.L1))
	}
	if p.Group > 0 {
		all = append(all, fmt.Sprintf("the group lasso (problem.group: %v)", p.Group))
	}
	if p.Set.Region().Kind != "" {
		all = append(all, "the "+p.Set.Kind+" (problem.set)")
	}
	return strings.Join(all, " or ")
}

// uninformative warns of an optimum that has learned nothing.
func (o *outcome) uninformative(p *scenarios.Problem) []string {
	what := outweighs(p)
	if o.targets() {
		if o.optimum.Fit == nil || !o.ofMeans() {
			return nil // the optimum is not known, or is not to be near the mean
		}
		if r := float64(o.optimum.Fit.TestR2); r <= 0 {
			return []string{fmt.Sprintf("the optimum itself predicts the test rows no better than the mean of their "+
				"targets (R² is %.3g): what the methods come to has learned nothing; %sthe columns say too little of "+
				"the target", r, or(what))}
		}
		return nil
	}
	e, base := float64(o.optimum.TestError), o.baseError()
	if base == 0 {
		labels := o.testLabels()
		of, others := fmt.Sprint(labels[0]), "the other class"
		if class := o.testClasses(); class != nil {
			of, others = o.Set.Classes[class[0]], "the other classes"
		}
		return []string{fmt.Sprintf("all %d test rows are of class %s: test error says nothing of %s, "+
			"and cannot tell what has learned from what has not", len(labels), of, others)}
	}
	if !(e >= base) {
		return nil
	}
	text := fmt.Sprintf("the optimum itself errs in %.2f %% of the test rows, saying the larger class always in %.2f "+
		"%%: what the methods come to has learned nothing", 100*e, 100*base)
	switch r := o.ridge; {
	case what == "":
		text += "; the columns say too little of the label, or the test rows are too few"
	case r == nil:
		text += fmt.Sprintf("; %s may outweigh the data", what)
	case float64(r.SmallerTestError) < e:
		text += fmt.Sprintf("; the ridge outweighs the data (problem.rho: %v), try a smaller one: with %.3g the "+
			"optimum errs in %.2f %%", p.Rho, r.Smaller, 100*float64(r.SmallerTestError))
	case p.NonSmooth(1) != nil:
		text += fmt.Sprintf("; nor has it with a ridge of %.3g: %s may outweigh the data, or the columns say too "+
			"little of the label, or the test rows are too few", r.Smaller, what)
	default:
		text += fmt.Sprintf("; nor has it with a ridge of %.3g (problem.rho: %v): try a much smaller one, and if that "+
			"does not help, the columns say too little of the label, or the test rows are too few", r.Smaller, p.Rho)
	}
	return []string{text}
}

func (o *outcome) loss() problem.Loss {
	if o.Split != nil {
		return o.Split.Loss
	}
	return o.Problem.Loss
}

// ofMeans says whether predictions are to be near the mean of the targets, or their median, so that R² says what
// they are worth; those of another quantile are right when they are far from it.
func (o *outcome) ofMeans() bool {
	q, ok := o.loss().(problem.Quantile)
	return !ok || q.Level == 0.5
}

// unit is what targets were divided by.
func (o *outcome) unit() float64 {
	if o.Split != nil {
		return o.Split.Unit
	}
	return o.Problem.Unit
}

// mostAside is how far the share of training rows below a quantile may be from its level without a word.
const mostAside = 0.03

// uncovered warns of an optimum that does not predict the quantile it is to predict: of the training rows, whose share
// below it is its level but for the smoothed corner, what outweighs the data and one row a column.
func (o *outcome) uncovered(p *scenarios.Problem) []string {
	q, ok := o.loss().(problem.Quantile)
	if !ok || o.optimum.Fit == nil {
		return nil
	}
	fit := o.optimum.Fit
	share, rows := float64(fit.Covered), float64(o.TrainRows())
	if math.Abs(share-q.Level) <= mostAside+float64(o.Columns())/rows {
		return nil
	}
	spread := float64(fit.RMSE) / math.Sqrt(1-float64(fit.R2)) / o.unit()
	text := fmt.Sprintf("the optimum is not the %v quantile: of the training rows %.3g %% have a target of at most "+
		"what it predicts", q.Level, 100*share)
	if q.Width > spread/4 {
		return []string{fmt.Sprintf("%s; its width, %v of the scaled target, is not small against the targets' "+
			"standard deviation, %.3g: try problem.loss: {kind: quantile, level: %v, width: %.1g}", text, q.Width,
			spread, q.Level, spread/10)}
	}
	return []string{text + "; " + or(outweighs(p)) + "there is no column by which it could shift " +
		"(problem.scale.intercept)"}
}

// or begins the rest of what may be wrong, after what outweighs the data if anything can.
func or(what string) string {
	if what == "" {
		return ""
	}
	return what + " may outweigh the data, or "
}

// worse warns of a run whose models are worse than none: the zero vector has less
// training loss, or saying the larger class always, or the mean target, has less test error.
func (o *outcome) worse() []string {
	last := &o.last
	var how []string
	if zero := o.zeroLoss(); last.Loss > zero*(1+1e-9) {
		how = append(how, fmt.Sprintf("its training loss is %.3g, and that of the zero vector %.3g", last.Loss, zero))
	}
	if o.targets() && o.ofMeans() && last.Test.R2 < 0 {
		how = append(how, fmt.Sprintf("its root mean square error in the test rows is %.4g, and that of saying the "+
			"mean of their targets always %.4g", last.Test.RMSE, last.Test.RMSE/math.Sqrt(1-last.Test.R2)))
	}
	if base := o.baseError(); base > 0 && last.TestError > base {
		how = append(how, fmt.Sprintf("it errs in %.2f %% of the test rows, saying the larger class always in %.2f %%",
			100*last.TestError, 100*base))
	}
	if how == nil || last.Round <= 0 {
		return nil
	}
	text := "the run ends worse than no model: " + strings.Join(how, "; ")
	if o.Liars != nil {
		text += "; some of its nodes lie (adversary.acts)"
	} else if o.noisy() {
		text += "; its noise is too much for its data (privacy.epsilon, the noise parameters, the penalty or step, " +
			"rows a node, rounds)"
	}
	return []string{text}
}

// belowOptimum warns of models whose objective is below the optimum's by more than the solver leaves: there are none.
// Nodes that disagree can have a lower sum, each with a model of its own; the average of their models cannot, nor can
// all parties' coefficients.
func (o *outcome) belowOptimum(e *Experiment) []string {
	best := float64(o.optimum.Objective)
	if math.IsNaN(best) || o.noisy() && e.Problem.NonSmooth(1) != nil {
		return nil // no optimum is known, or noise takes models out of the set
	}
	at, whose, zero := o.last.Objective, "all parties' coefficients", 0.0
	if s := o.Split; s != nil {
		zero = s.ObjectiveAt(make([]float64, s.N), 0)
	} else {
		mean, count := make([]float64, o.Problem.D), 0.0
		for _, f := range o.held.Last {
			if f != nil {
				num.Axpy(1, f, mean)
				count++
			}
		}
		if count == 0 {
			return nil
		}
		num.Scale(1/count, mean)
		at, whose = o.Problem.Value(mean), "the average of the nodes' models"
		zero = o.Problem.Value(make([]float64, o.Problem.D))
	}
	// What is next to nothing of the zero vector's objective is rounding: an exact fit has an objective of 1e-29.
	slack := float64(max(1e-9, e.Solver.Tolerance)*math.Abs(best)) + float64(1e-12*math.Abs(zero))
	if !(at < best-slack) {
		return nil
	}
	return []string{fmt.Sprintf("the objective of %s is %.10g, below the centralised optimum's %.10g: that is not the "+
		"optimum, and distances, rates and what stands beside it are wrong; solver.tolerance below %.0e brings it "+
		"closer, and if this warning stays, it is a defect of the program, to be reported with this scenario", whose,
		at, best, e.Solver.Tolerance)}
}

// zeroLoss is the training loss of the zero vector.
func (o *outcome) zeroLoss() float64 {
	if s := o.Split; s != nil {
		return s.ObjectiveAt(make([]float64, s.N), 0) / (s.Weight * float64(s.N))
	}
	return float64(meanLoss(o.Problem, make([]float64, o.Problem.D)))
}

// ridgeless says whether nothing but the rows makes the objective curve.
func (o *outcome) ridgeless() bool {
	if o.Split != nil {
		return o.Split.Ridge == 0
	}
	return slices.Max(o.Problem.R) == 0
}

// otherSteps are the penalties and steps that the program would compute, where the
// scenario's are far from them. Without a ridge the computed ones rest on a curvature that is hardly known, and
// another value is often faster: none is recommended then, unless the run diverges.
func (o *outcome) otherSteps() (all []string) {
	given := map[string]float64{}
	params := reflect.ValueOf(o.Params)
	if o.Params != nil {
		stated(params.Elem(), given)
	}
	for _, c := range algorithms.Suggest(o.Params, o.Setting) {
		if o.ridgeless() && o.stopped() == nil {
			return []string{fmt.Sprintf("another %s, ten times as great and a tenth: without a ridge (problem.rho) no "+
				"rule knows the best (auto is %v here; a sweep tries many: simulate sweep --grid algorithm.%s=…)",
				c.Key, c.Value, c.Key)}
		}
		if v, ok := given[c.Key]; ok && math.Abs(num.Log(v/c.Value)) > math.Ln2 {
			all = append(all, fmt.Sprintf("%s: auto, which is %v here (it is %v)", c.Key, c.Value, v))
		}
	}
	return all
}

// stated collects the numbers of an option struct by key; of a schedule, its first.
func stated(v reflect.Value, to map[string]float64) {
	for k := range v.NumField() {
		f, key := v.Field(k), v.Type().Field(k).Tag.Get("yaml")
		switch s, ok := f.Interface().(interface{ First() float64 }); {
		case ok:
			to[key] = s.First()
		case f.Kind() == reflect.Float64:
			to[key] = f.Float()
		case v.Type().Field(k).Anonymous:
			stated(f, to)
		}
	}
}

// baseError is the test error of saying the class that has most test rows; NaN if they have targets.
func (o *outcome) baseError() float64 {
	labels := o.testLabels()
	if len(labels) == 0 || o.targets() {
		return math.NaN()
	}
	count := make([]int, max(2, len(o.Set.Classes)))
	class := o.testClasses()
	for n, y := range labels {
		switch {
		case class != nil:
			count[class[n]]++
		case y > 0:
			count[1]++
		default:
			count[0]++
		}
	}
	return float64(len(labels)-slices.Max(count)) / float64(len(labels))
}

// The smaller weight that an optimum is compared with, as a share of ρ, and the most
// numbers that the data may have for that second optimum to be computed: it takes as
// long as the first.
const (
	smallerRidge = 0.01
	mostEntries  = 5_000_000
)

// smallerOptimum is what is being done for it.
const smallerOptimum = "computing the optimum of a smaller ridge"

// ridgeOfRows compares the optimum f with that of a smaller ridge; nil: there is none, the data are too
// large, or that optimum cannot be computed. It may be in the journal.
func ridgeOfRows(ctx context.Context, j *checkpoint.Journal, p *problem.Problem, f []float64,
	rho float64) *record.Ridge {
	if rho == 0 {
		return nil
	}
	entries := 0
	for i := range p.Shards {
		entries += p.Shards[i].U.Entries()
	}
	if entries > mostEntries {
		return nil
	}
	smaller := *p
	smaller.R = append([]float64(nil), p.R...)
	num.Scale(smallerRidge, smaller.R)
	_, g, err := optimum(ctx, j, smallerOptimum, func() (float64, []float64, error) {
		o, err := smaller.Centralised()
		if err != nil {
			return 0, nil, err
		}
		return o.Value, o.F, nil
	})
	if err != nil {
		return nil
	}
	return &record.Ridge{
		Weight: rho, Smaller: smallerRidge * rho, Loss: meanLoss(p, f), SmallerLoss: meanLoss(p, g),
		SmallerTestError: record.Number(metrics.TestError(&p.Test, g)),
	}
}

// meanLoss is L of mathematics.md §7 with the same classifier at every node.
func meanLoss(p *problem.Problem, f []float64) record.Number {
	sum := 0.0
	for i := range p.Shards {
		o := p.Objective(i)
		n := o.U.Len()
		margins, slopes := make([]float64, n*p.Models()), make([]float64, n*p.Models())
		p.Shards[i].Arguments(f, margins)
		o.Loss.Slopes(slopes, margins)
		sum += o.Loss.Total(margins, slopes) / float64(n)
	}
	return record.Number(sum / float64(len(p.Shards)))
}

// ridgeOfColumns is ridgeOfRows where columns are split.
func ridgeOfColumns(ctx context.Context, v *problem.Vertical, a *problem.VerticalOptimum, rho float64) *record.Ridge {
	if rho == 0 {
		return nil
	}
	entries := 0
	for _, b := range v.Blocks {
		entries += b.Entries()
	}
	if entries > mostEntries {
		return nil
	}
	smaller := *v
	smaller.Ridge *= smallerRidge
	if stage.At(ctx, smallerOptimum, 0, 0) != nil {
		return nil
	}
	b, err := stage.Do(ctx, smaller.Centralised)
	if err != nil {
		return nil
	}
	loss := func(o *problem.VerticalOptimum, ridge float64) record.Number {
		squares := 0.0
		for _, x := range o.X {
			squares += num.Dot(x, x)
		}
		return record.Number((o.Value - v.Kinks(o.X) - float64(0.5*ridge*squares)) / (v.Weight * float64(v.N)))
	}
	_, wrong := v.TestLoss(b.X)
	return &record.Ridge{
		Weight: rho, Smaller: smallerRidge * rho, Loss: loss(a, v.Ridge), SmallerLoss: loss(b, smaller.Ridge),
		SmallerTestError: record.Number(wrong),
	}
}
