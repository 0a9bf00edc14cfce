// ADMM sharing's noise lies where it hides nothing.

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
		Name:  "attacks/column-space",
		Title: "ADMM sharing: the noise lies in the column space",
		About: "SH19 (10) perturbs a party's coefficients with ξ ~ N(0, σ²(D_mᵀD_m)⁻¹) and sends D_m(x_m + ξ). Noise " +
			"and message are combinations of the columns of D_m, however great σ is. " +
			"An observer who has candidates for D_m tests whether messages are in their column spaces; as many " +
			"messages as there are columns give the space itself away.\n\n" +
			"The attack: three parties with ten columns of wdbc each, 200 rows, 16 rounds; the observer holds twenty " +
			"matrices, one of them party 1's, the others with the values of one column in another order. " +
			"The audit: one column of a party changed by 1 in norm, which is what SH19 Theorem 1 says is hidden. All " +
			"its assumptions hold in the audited scenario: rows of norm 1, ε = 1, ‖x‖, ‖y‖ and ‖z‖ within b₁. " +
			"They are hard to meet. Rows of every party's block must have norm 1, which one party with whole rows " +
			"has. And since σ grows with b₁, the noise itself, of norm about σ√d_m, stays within b₁ only if d_m " +
			"> 18 ln(1.25/δ)(M + 1/ρ)²/ε², " +
			"whatever b₁ is: 131 columns for one party at δ = 0.001, ρ = 100, and more for several rounds, which add " +
			"up. Two parties at δ = 1e-5 need 845 columns each; a9a, on which SH19 shows its " +
			"private method, gives them 66 and 57.",
		Compute: columnSpaceStudy,
	})
}

func columnSpaceStudy(b *reproduce.Workbench) error {
	const file = "column-space.yaml"
	sigmas := []float64{0.1, 1, 10, 100, 1000}
	own, other := plot.Line{Label: "the party's own matrix"}, plot.Line{Label: "nearest of 19 others"}
	limit := plot.Line{Label: "distance below which a matrix fits"}
	exact := true
	b.Vary("standard deviation σ of the noise", sigmas)
	for _, sigma := range sigmas {
		a, err := b.Attack(true, file, fmt.Sprintf("algorithm.sigma=%g", sigma))
		if err != nil {
			return err
		}
		f := firstFinding(a, "column-space")
		exact = exact && f.Succeeded == record.Exact
		mine, nearest := memberScores(f)
		own.X, own.Y = append(own.X, sigma), append(own.Y, mine)
		other.X, other.Y = append(other.X, sigma), append(other.Y, nearest)
		limit.X, limit.Y = append(limit.X, sigma), append(limit.Y, 1e-7)
	}
	b.State("one party's matrix is found among twenty that differ in a column, at any σ", reproduce.Assess(exact),
		"σ = 0.1 to 1000: relative distance of the messages to its column space at most %.1g, to that of the nearest "+
			"other at least %.2g", greatest(own.Y), -greatest(negated(other.Y)))

	one, err := b.Attack(false, file, "adversary.view.from-round=16", "algorithm.sigma=1000")
	if err != nil {
		return err
	}
	f := firstFinding(one, "column-space")
	mine, nearest := memberScores(f)
	fit := 0
	for _, m := range f.Members {
		if m.Member {
			fit++
		}
	}
	b.State("one message is enough", reproduce.Assess(f.Succeeded == record.Exact),
		"σ = 1000, the last of 16 messages only: %d of %d matrices fit; distances %.1g and %.2g", fit, len(f.Members),
		mine, nearest)
	ambient, err := b.Attack(false, file, "algorithm.noise=ambient")
	if err != nil {
		return err
	}
	f = firstFinding(ambient, "column-space")
	b.State("noise in all directions, N(0, σ²I) added to the message, hides the column space",
		reproduce.Assess(f.Succeeded == record.Failed), "σ = 1: %s", f.Conclusion)

	in, err := b.Audit(true, "audit-sharing.yaml", 0)
	if err != nil {
		return err
	}
	round, run := in.Verdicts[0], in.Verdicts[1]
	b.State("“each iteration guarantees (ε, δ)-differential privacy” of one column (SH19 Theorem 1)",
		assessVerdict(round),
		"ε = %.3g, δ = %g claimed; measured: %s; over %d rounds %.4g claimed, measured %s; condition: %s. Pair: %s",
		float64(round.Epsilon), float64(round.Delta), measuredLoss(round), in.Rounds, float64(run.Epsilon),
		measuredLoss(run), in.Condition, in.Pair.What)
	out, err := b.Audit(true, "audit-sharing.yaml", 0, "algorithm.noise=ambient")
	if err != nil {
		return err
	}
	round, run = out.Verdicts[0], out.Verdicts[1]
	b.State("“the l₂-norm sensitivity … is upper bounded by ℂ” (SH19 Lemma 1), so that noise of that size in all "+
		"directions gives (ε, δ)", assessVerdict(round),
		"ε = %.3g, δ = %g claimed; measured: %s; over %d rounds %.4g claimed, measured %s; condition: %s. Pair: %s",
		float64(round.Epsilon), float64(round.Delta), measuredLoss(round), out.Rounds, float64(run.Epsilon),
		measuredLoss(run), out.Condition, out.Pair.What)
	few, err := b.Audit(false, "audit-sharing.yaml", 50, "problem.data={set: twonorm, rows: 200, dimension: 100}",
		"problem.columns=[100]")
	if err != nil {
		return err
	}
	b.State("Assumption 1.1, “their l₂ norms have an upper bound b₁”, can hold beside noise that grows with b₁",
		reproduce.AssessParts(record.Met(in.Condition) && record.Met(few.Condition), record.Met(in.Condition)),
		"500 columns: %s; 100 columns, all else the same: %s", in.Condition, few.Condition)
	b.Draw("distance", plot.Chart{Title: "messages against candidates' column spaces",
		X: plot.Log("standard deviation σ of the noise"), Y: plot.Log("largest relative distance of a message"),
		Lines: []plot.Line{own, other, limit}})
	var search []string
	for _, p := range out.Pair.Search {
		search = append(search, fmt.Sprintf("%s: %.3g", p.What, float64(p.Loss)))
	}
	b.Say("Lemma 1 takes ‖(DᵀD)⁻¹‖ to be 1/d_m, which rows of norm 1 do not imply, and bounds the coefficients' part "+
		"of the change only. A column moved out of the column space turns that space: the message, which is nearly a "+
		"projection of z onto it, "+
		"changes by a share of z along the column. Mean |log-likelihood ratio| of a few runs with noise in all "+
		"directions, by pair: %s. A neighbour's rows have norms near 1, not exactly 1: with all other columns "+
		"the same, only signs of single values could change.", strings.Join(search, "; "))
	return nil
}

// memberScores are the score of the true candidate and the least of the others'.
func memberScores(f *record.Finding) (own, nearest float64) {
	own, nearest = math.NaN(), math.Inf(1)
	for _, m := range f.Members {
		if m.Truth != nil && *m.Truth {
			own = float64(m.Score)
		} else {
			nearest = min(nearest, float64(m.Score))
		}
	}
	return own, nearest
}

// measuredLoss is what a verdict measured, in words.
func measuredLoss(v record.Verdict) string {
	if math.IsInf(float64(v.Measured), 1) {
		return v.Verdict + ", unbounded"
	}
	return fmt.Sprintf("%s, %.3g", v.Verdict, float64(v.Measured))
}

// assessVerdict assesses a statement that is a privacy claim, by an audit's verdict on it.
func assessVerdict(v record.Verdict) reproduce.Assessment {
	if v.Verdict == record.NotEstablished {
		return reproduce.NotTested
	}
	return reproduce.Assess(v.Verdict == record.Consistent)
}

// negated are the numbers with the other sign.
func negated(values []float64) []float64 {
	all := make([]float64, len(values))
	for k, v := range values {
		all[k] = -v
	}
	return all
}
