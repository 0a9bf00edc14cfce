// Verdicts on claims, where the measured loss is known: ratios written down, or drawn
// from worlds whose δ(ε) has a closed form.

package evaluation

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"overhear/adversary"
	"overhear/adversary/stats"
	"overhear/record"
)

// traces are runs with the log-likelihood ratios of rounds 0, 1, …, given by run.
func traces(runs ...[]float64) []*evidence {
	var all []*evidence
	for _, r := range runs {
		v := new(evidence)
		for t, x := range r {
			v.rounds = append(v.rounds, adversary.Evidence{Round: t, Density: []float64{x - 1, -1}})
		}
		all = append(all, v)
	}
	return all
}

// judged is what a claim on so many rounds is found to be.
func judged(t *testing.T, c claim, rounds int, a, b []*evidence, checks ...record.Check) *record.Audit {
	t.Helper()
	out := &record.Audit{Rounds: rounds, Checks: checks}
	if err := c.judge(out, 7, [2][]*evidence{a, b}); err != nil {
		t.Fatal(err)
	}
	return out
}

// found is the verdict of a scope that was tested by a method; nil if there is none.
func found(a *record.Audit, scope, method string) *record.Verdict {
	for k := range a.Verdicts {
		if v := &a.Verdicts[k]; strings.HasPrefix(v.Where(), scope) && testOf(v, method) != nil {
			return v
		}
	}
	return nil
}

// testOf is the test of a verdict by a method; nil if there is none.
func testOf(v *record.Verdict, method string) *record.Test {
	for k := range v.Tests {
		if strings.Contains(v.Tests[k].Method, method) {
			return &v.Tests[k]
		}
	}
	return nil
}

// A pure claim is refuted by one run whose ratio exceeds it, in a round or in total:
// each is held against its own number.
func TestJudge_PureClaims(t *testing.T) {
	quiet := traces([]float64{0, 0.1, -0.1}, []float64{0, -0.1, 0.1}, []float64{0, 0, 0})
	for name, c := range map[string]struct {
		round, total []float64
		worst        []float64 // ratios of the run that shows most
		roundVerdict string
		scope        string
		roundLoss    float64
		runVerdict   string
	}{
		"both hold, the total just": {[]float64{0, 1, 1}, []float64{0, 1, 2}, []float64{0, 1, 1}, record.Consistent,
			"round 1", 1, record.Consistent},
		"losses within every round, beyond the total": {[]float64{0, 1, 1}, []float64{0, 1, 1.9}, []float64{0, 1, 1},
			record.Consistent, "round 1", 1, record.Violated},
		"a loss beyond a round, within the total": {[]float64{0, 1, 1}, []float64{0, 1, 2}, []float64{0, 0.1, -1.2},
			record.Violated, "round 2", 1.2, record.Consistent},
		"both, and the worst is what exceeds its claim most": {[]float64{0, 2, 1}, []float64{0, 2, 2.5},
			[]float64{0, 2.1, 1.3}, record.Violated, "round 2", 1.3, record.Violated},
		"a round that claims to say nothing and says something": {[]float64{0, 1, 0}, []float64{0, 1, 1},
			[]float64{0, 0.5, 0.2}, record.Violated, "round 2", 0.2, record.Consistent},
		"what comes before round 1 has a claim of its own": {[]float64{0.5, 0, 0}, []float64{0.5, 0.5, 0.5},
			[]float64{-0.6, 0, 0}, record.Violated, "round", 0.6, record.Violated},
	} {
		t.Run(name, func(t *testing.T) {
			runs := quiet
			if c.round[0] > 0 { // only round 0 says anything
				runs = traces([]float64{0.1, 0, 0}, []float64{-0.1, 0, 0}, []float64{0, 0, 0})
			} else if c.round[2] == 0 {
				runs = traces([]float64{0, 0.1, 0}, []float64{0, -0.1, 0}, []float64{0, 0, 0})
			}
			for world := range 2 { // whichever world shows it, and whatever its sign
				for _, sign := range []float64{1, -1} {
					shown := make([]float64, 3)
					for k, x := range c.worst {
						shown[k] = sign * x
					}
					sample := [2][]*evidence{runs, runs}
					sample[world] = append(traces(shown), runs...)
					a := judged(t, claim{round: c.round, total: c.total}, 2, sample[0], sample[1])
					if len(a.Verdicts) != 2 { // one a claim, whatever tests there are
						t.Fatalf("%+v", a.Verdicts)
					}
					round, run := found(a, c.scope, "exact |"), found(a, "run", "exact |")
					if round == nil || round.Verdict != c.roundVerdict || !agrees(round.Measured, c.roundLoss) ||
						round.Node != 7 {
						t.Errorf("round: %+v", a.Verdicts[0])
					}
					total := math.Abs(c.worst[0] + c.worst[1] + c.worst[2])
					if run == nil || run.Verdict != c.runVerdict || !agrees(run.Measured, total) ||
						float64(run.Epsilon) != c.total[2] || run.Delta != 0 {
						t.Errorf("run: %+v, want %v", run, c.runVerdict)
					}
					if test := testOf(run, "threshold"); test == nil || test.Refutes ||
						!(test.Measured <= run.Measured) ||
						float64(test.Epsilon) != c.total[2] {
						t.Errorf("threshold test of a few runs, which does not stand beside the verdict: %+v", test)
					}
					if share := float64(run.Measured / run.Epsilon); float64(run.Share) != share ||
						run.Verdict == record.Consistent &&
							!strings.Contains(run.Reason, fmt.Sprintf("is %.3g %% of the claim", 100*share)) {
						t.Errorf("share: %+v", run)
					}
				}
			}
		})
	}
}

func agrees(got record.Number, want float64) bool { return math.Abs(float64(got)-want) < 1e-12 }

// The threshold test refutes what no ratio is needed for: with n runs of each world in
// the second halves, all told apart, ε̂ = ln((TPR_lo)/(FPR_hi)), TPR_lo = 0.025^{1/n}.
func TestJudge_ThresholdTest(t *testing.T) {
	const n = 100
	var a, b [][]float64
	for range 2 * n {
		a, b = append(a, []float64{0, 3}), append(b, []float64{0, -3})
	}
	low := math.Pow(0.025, 1.0/n)
	shown := math.Log(low / (1 - low))
	for epsilon, want := range map[float64]string{shown - 0.01: record.Violated, shown + 0.01: record.Consistent} {
		out := judged(t, claim{round: []float64{0, 9}, total: []float64{0, epsilon}}, 1, traces(a...), traces(b...))
		if v := found(out, "run", "threshold"); v == nil || v.Verdict != want ||
			!(math.Abs(float64(v.Measured)-shown) <= 1e-9) {
			t.Errorf("a claim of %v: %+v, want %s at %v", epsilon, v, want, shown)
		}
	}
}

// Gaussian worlds: L is N(±μ²/2, μ²), and δ(ε) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2). A
// The claim of the true ε at δ stands, and one of less is refuted, of a round and of the run.
func TestJudge_ClaimsWithDelta(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute under the race detector")
	}
	const runs, rounds, delta = 6000, 3, 0.02
	g := rand.New(rand.NewPCG(10, 3))
	sample := func(sign float64, mu [rounds + 1]float64) []*evidence {
		var all [][]float64
		for range runs {
			r := make([]float64, rounds+1)
			for t, m := range mu {
				r[t] = sign*m*m/2 + m*g.NormFloat64()
			}
			all = append(all, r)
		}
		return traces(all...)
	}
	at := func(epsilon, mu float64) float64 {
		phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		return phi(-epsilon/mu+mu/2) - math.Exp(epsilon)*phi(-epsilon/mu-mu/2)
	}
	exact := func(mu float64) float64 { // ε at δ
		low, high := 0.0, 20.0
		for range 80 {
			if mid := (low + high) / 2; at(mid, mu) > delta {
				low = mid
			} else {
				high = mid
			}
		}
		return high
	}
	mu := [rounds + 1]float64{0, 0.5, 1, 0.7}
	all := math.Sqrt(0.25 + 1 + 0.49) // μ² adds up
	a, b := sample(1, mu), sample(-1, mu)
	right := claim{delta: delta, roundDelta: delta, round: []float64{0, exact(0.5), exact(1), exact(0.7)},
		total: []float64{0, exact(0.5), exact(math.Sqrt(1.25)), exact(all)}}
	out := judged(t, right, rounds, a, b)
	if len(out.Verdicts) != 2 || !out.Stands() {
		t.Errorf("the true ε is refuted: %+v", out.Verdicts)
	}
	if v := found(out, "run", "δ(ε)"); v == nil || float64(v.Epsilon) != exact(all) || float64(v.Delta) != delta ||
		!(float64(v.Measured) > 0.6*exact(all)) || !(v.Measured <= v.Epsilon) {
		t.Errorf("run: %+v, ε = %v", v, exact(all))
	}

	// Too little is claimed of round 2, of all rounds together, or of nothing.
	tooLow := right
	tooLow.round = []float64{0, exact(0.5), 0.7 * exact(1), exact(0.7)}
	out = judged(t, tooLow, rounds, a, b)
	if v := found(out, "round 2", "δ(ε)"); v == nil || v.Verdict != record.Violated || float64(v.Delta) != delta ||
		float64(v.Epsilon) != 0.7*exact(1) {
		t.Errorf("round 2: %+v", out.Verdicts)
	}
	if v := found(out, "run", "δ(ε)"); v.Verdict != record.Consistent {
		t.Errorf("the run with too low a round: %+v", v)
	}
	tooLow = right
	tooLow.total = []float64{0, exact(0.5), exact(math.Sqrt(1.25)), 0.75 * exact(all)}
	out = judged(t, tooLow, rounds, a, b)
	if v := found(out, "run", "δ(ε)"); v.Verdict != record.Violated ||
		!strings.Contains(v.Reason, "exceeds the claim by") {
		t.Errorf("run: %+v", v)
	}
	if v := found(out, "round", "δ(ε)"); v.Verdict != record.Consistent {
		t.Errorf("a round with too low a total: %+v", v)
	}

	// A round's δ is its own, not the run's.
	split := right
	split.roundDelta = delta / 1000
	split.round = []float64{0, exact(0.5), exact(1), exact(0.7)}
	if v := found(judged(t, split, rounds, a, b), "round 2", "δ(ε)"); v == nil || v.Verdict != record.Violated ||
		float64(v.Delta) != delta/1000 {
		t.Errorf("at a thousandth of δ, round 2: %+v", v)
	}
}

// Of rounds that are all wrong or all right, that one is named which is nearest to, or
// furthest above, its claim. Rounds that claim nothing are not looked at.
func TestJudge_WorstRound(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	const runs, delta = 400, 0.01
	var a, b [][]float64
	for range runs { // told apart for certain, by as much as the runs allow
		a, b = append(a, []float64{0, math.Inf(1), math.Inf(1), 0}), append(b, []float64{0, 0, 0, 0})
	}
	c := claim{delta: delta, roundDelta: delta, round: []float64{0, 3, 2, 0}, total: []float64{0, 3, 5, 5}}
	out := judged(t, c, 3, traces(a...), traces(b...))
	if v := out.Verdicts[0]; v.Verdict != record.Violated || !math.IsInf(float64(v.Measured), 1) ||
		!strings.Contains(v.Reason, "unbounded") {
		t.Errorf("%+v", v)
	}
	finite := func(x, y float64) (a, b [][]float64) {
		for range runs {
			a, b = append(a, []float64{0, x, y}), append(b, []float64{0, -x, -y})
		}
		return a, b
	}
	for _, k := range []struct {
		x, y    float64 // ratios of all runs, in rounds 1 and 2
		claimed []float64
		scope   string
		verdict string
	}{
		{3, 3, []float64{0, 2, 1}, "round 2", record.Violated},
		{3, 3, []float64{0, 1, 2}, "round 1", record.Violated},
		{3, 1, []float64{0, 5, 2}, "round 2", record.Consistent},
		{3, 1, []float64{0, 4, 3}, "round 1", record.Consistent},
		{9, 1, []float64{0, 10, 0.5}, "round 2", record.Violated},
	} {
		a, b := finite(k.x, k.y)
		c := claim{delta: delta, roundDelta: delta, round: k.claimed, total: []float64{0, 20, 20}}
		out := judged(t, c, 2, traces(a...), traces(b...))
		if v := out.Verdicts[0]; !strings.HasPrefix(v.Where(), k.scope) || v.Verdict != k.verdict {
			t.Errorf("ratios %v and %v against %v: %+v", k.x, k.y, k.claimed, v)
		}
	}
	none := judged(t, claim{delta: delta, round: []float64{0, 0, 0, 0}, total: []float64{0, 3, 5, 5}}, 3, traces(a...),
		traces(b...))
	if len(none.Verdicts) != 1 || none.Verdicts[0].Scope != record.WholeRun {
		t.Errorf("no round claims anything: %+v", none.Verdicts)
	}
}

// A claim to lose nothing stands where nothing is lost; what the one round that spends
// anything is found to lose has the confidence of the run.
func TestJudge_NothingAndOneRound(t *testing.T) {
	still := traces([]float64{0, 0}, []float64{0, 0})
	for _, delta := range []float64{0, 0.01} {
		none := claim{delta: delta, roundDelta: delta, round: []float64{0, 0}, total: []float64{0, 0}}
		verdicts := judged(t, none, 1, still, still).Verdicts
		if len(verdicts) != 1 { // on the run: there is no round to speak of
			t.Errorf("δ = %v: %+v", delta, verdicts)
		}
		for _, v := range verdicts {
			if v.Verdict != record.Consistent || v.Measured != 0 {
				t.Errorf("δ = %v: %+v", delta, v)
			}
		}
	}
	var a, b [][]float64
	for k := range 300 {
		x := float64(k%7) / 2
		a, b = append(a, []float64{0, x - 0.5}), append(b, []float64{0, 0.5 - x})
	}
	one := claim{delta: 0.01, roundDelta: 0.01, round: []float64{0, 9}, total: []float64{0, 9}}
	out := judged(t, one, 1, traces(a...), traces(b...))
	if round, run := found(out, "round 1", "exact"), found(out, "run", "exact"); !(round.Measured > 0) ||
		round.Measured != run.Measured {
		t.Errorf("%+v and %+v", round, run)
	}
}

// Each of three rounds that claim something has a third of the 5 %; round 0 is one of
// them if it claims something, and can be the worst.
func TestJudge_RoundsShareTheConfidence(t *testing.T) {
	const delta = 0.01
	g := rand.New(rand.NewPCG(4, 10))
	var a, b [][]float64
	var first, other []float64
	for range 400 {
		x, y := 1+g.NormFloat64(), -1+g.NormFloat64()
		first, other = append(first, x), append(other, y)
		a, b = append(a, []float64{x, 0, 0, 0}), append(b, []float64{y, 0, 0, 0})
	}
	want, err := stats.LowerEpsilon(first, other, delta, 1-0.05/3)
	if err != nil {
		t.Fatal(err)
	}
	c := claim{delta: delta, roundDelta: delta, round: []float64{9, 10, 10, 0}, total: []float64{9, 19, 29, 29}}
	out := judged(t, c, 3, traces(a...), traces(b...))
	if v := out.Verdicts[0]; v.Where() != "round 0, the worst" || !(math.Abs(float64(v.Measured)-want) <= 1e-9) {
		t.Errorf("%+v, want %v", v, want)
	}
}

// A claim whose condition fails, or a run that does not do what its method says, cannot
// be found to hold.
func TestJudge_WhatStandsInTheWay(t *testing.T) {
	loud, quiet := traces([]float64{0, 3}, []float64{0, 3}), traces([]float64{0, 0.1}, []float64{0, -0.1})
	c := claim{guarantee: "pure", round: []float64{0, 1}, total: []float64{0, 1}}
	flawed := record.Check{Kind: record.NoiseSize, Detail: "half of it"}
	fine := record.Check{Kind: record.NoiseLaw, Holds: true}
	for _, v := range judged(t, c, 1, quiet, quiet, fine, flawed).Verdicts {
		if v.Verdict != record.NotEstablished || !strings.Contains(v.Reason, "half of it") {
			t.Errorf("a flawed run within its claim: %+v", v)
		}
	}
	out := judged(t, c, 1, loud, quiet, fine, flawed)
	if v := found(out, "run", "exact"); v.Verdict != record.NotEstablished || v.Method != byThreshold ||
		!strings.Contains(v.Reason, "half of it") || !math.IsNaN(float64(testOf(v, "exact").Measured)) ||
		!math.IsNaN(float64(out.ByRound[0].Largest)) {
		t.Errorf("a flawed run beyond its claim is measured by a law that is not its own: %+v", v)
	}
	if out.Claim != "pure" || out.Condition != "holds" {
		t.Errorf("claim %q, condition %q", out.Claim, out.Condition)
	}
	for _, v := range judged(t, c, 1, quiet, quiet, fine).Verdicts {
		if v.Verdict != record.Consistent {
			t.Errorf("a right run within its claim: %+v", v)
		}
	}
	c.unproved = errors.New("the proof needs more noise")
	for _, v := range judged(t, c, 1, quiet, quiet, fine).Verdicts {
		if v.Verdict != record.NotEstablished || !(v.Epsilon == 1) || !strings.Contains(v.Reason,
			"claimed, not proved: the proof needs more noise") {
			t.Errorf("a claim without a proof: %+v", v)
		}
	}
	if v := found(judged(t, c, 1, loud, quiet, fine), "run", "exact"); v.Verdict != record.Violated {
		t.Errorf("a claim without a proof, refuted: %+v", v)
	}
	c.established = errors.New("α is too small")
	out = judged(t, c, 1, loud, quiet)
	for _, v := range out.Verdicts {
		if v.Verdict != record.NotEstablished || v.Reason != "α is too small" || !math.IsNaN(float64(v.Epsilon)) {
			t.Errorf("a claim whose condition fails: %+v", v)
		}
	}
	if out.Condition != "α is too small" || !math.IsNaN(float64(out.ByRound[0].Claimed)) {
		t.Errorf("condition %q, %+v", out.Condition, out.ByRound)
	}
}

// By round: means and largest values of |L| of all runs of both worlds, of the round and
// up to it, beside what is claimed; round 0 is left out where there is nothing in it.
func TestJudge_LossByRound(t *testing.T) {
	a := traces([]float64{0, 1, -3}, []float64{0, 0.5, 0.5})
	b := traces([]float64{0, -2, 1}, []float64{0, 0.1, 0.3})
	c := claim{round: []float64{0, 4, 5}, total: []float64{0, 4, 9}}
	got := judged(t, c, 2, a, b).ByRound
	want := []record.PrivacyLoss{
		{Round: 1, Claimed: 4, ClaimedTotal: 4, Largest: 2, Mean: 3.6 / 4, LargestTotal: 2, MeanTotal: 3.6 / 4},
		{
			Round:        2,
			Claimed:      5,
			ClaimedTotal: 9,
			Largest:      3,
			Mean:         4.8 / 4,
			LargestTotal: 2,
			MeanTotal:    (2 + 1 + 1 + 0.4) / 4,
		},
	}
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for k, w := range want {
		g := got[k]
		same := g.Round == w.Round && g.Claimed == w.Claimed && g.ClaimedTotal == w.ClaimedTotal
		for _, n := range [][2]record.Number{{g.Largest, w.Largest}, {g.Mean, w.Mean}, {g.LargestTotal, w.LargestTotal},
			{g.MeanTotal, w.MeanTotal}} {
			same = same && agrees(n[0], float64(n[1]))
		}
		if !same {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	still := traces([]float64{0, 0}, []float64{0, 0})
	first := claim{round: []float64{1, 0}, total: []float64{1, 1}}
	if got := judged(t, first, 1, still, still).ByRound; len(got) != 2 || got[0].Round != 0 {
		t.Errorf("a claim of round 0: %+v", got)
	}
	early := traces([]float64{0.1, 0}, []float64{0, 0})
	later := claim{round: []float64{0, 1}, total: []float64{0, 1}}
	if got := judged(t, later, 1, early, still).ByRound; len(got) != 2 || got[0].Round != 0 {
		t.Errorf("a ratio of round 0: %+v", got)
	}
}

// The digest of an audit is of every ratio of every run.
func TestJudge_DigestIsOfEveryRatio(t *testing.T) {
	c := claim{round: []float64{0, 4}, total: []float64{0, 4}}
	base := judged(t, c, 1, traces([]float64{0, 1}, []float64{0, 2}), traces([]float64{0, 1}, []float64{0, 2})).Digest
	for name, b := range map[string][]*evidence{
		"another last ratio": traces([]float64{0, 1}, []float64{0, math.Nextafter(2, 3)}),
		"another order":      traces([]float64{0, 2}, []float64{0, 1}),
	} {
		if d := judged(t, c, 1, traces([]float64{0, 1}, []float64{0, 2}), b).Digest; d == base || len(d) != 64 {
			t.Errorf("%s: digest %s", name, d)
		}
	}
}

// What methods claim over T rounds, as their papers add it up, is what the run's verdicts
// are held against; a round is held against its own part.
func TestAudit_ClaimsAreThoseOfThePapers(t *testing.T) {
	const rounds, c1, rho, nodes = 6, 0.25, 0.3, 3
	const samples = 10 // of each node
	pp := 0.0          // ZKL18 (26): Σ_t C(1.4c₁ + α)/(η(t) V B), V = 2
	mr := 0.0          // RA19: Σ_k (2C/B)(1.4c₁/(ρ/N + 2ηV) + α)
	for t := range rounds {
		pp += (1.4*c1 + 3) / (0.6 * math.Pow(1.05, float64(t)) * 2 * samples)
	}
	for k := range rounds / 2 {
		mr += 2.0 / samples * (1.4*c1/(rho/nodes+2*0.5*math.Pow(1.1, float64(k))*2) + 1)
	}
	for algorithm, want := range map[string][2]float64{ // the worst round, the run
		auditedDVP: {2, 2 * rounds},
		auditedPVP: {1, rounds},
		auditedPP:  {math.NaN(), pp},
		"{kind: private-mr-admm, eta: {initial: 0.5, ratio: 1.1}, gamma: 0.3, alpha: 1}": {math.NaN(), mr},
		"{kind: private-dgd, step: 0.5, alpha: 1}":                                       {1, rounds},
		"{kind: pdml, epsilon: 1.5, eta: 0.5}":                                           {1.5, 1.5},
	} {
		a := auditOf(t, algorithm, nil, "adversary.audit.runs=10", "adversary.audit.pilots=1", "problem.loss=logistic",
			"problem.C=1")
		runs := 0
		for _, v := range a.Verdicts {
			epsilon := float64(v.Epsilon)
			if v.Scope == record.WholeRun {
				runs++
				if !(math.Abs(epsilon-want[1]) <= 1e-9*want[1]) {
					t.Errorf("%s: the run claims %v, want %v", algorithm, epsilon, want[1])
				}
			} else if !math.IsNaN(want[0]) && !(math.Abs(epsilon-want[0]) <= 1e-9) {
				t.Errorf("%s: %s claims %v, want %v", algorithm, v.Scope, epsilon, want[0])
			}
		}
		if last := a.ByRound[len(a.ByRound)-1]; runs != 1 ||
			!(math.Abs(float64(last.ClaimedTotal)-want[1]) <= 1e-9*want[1]) {
			t.Errorf("%s: %d verdicts on the run; by the last round %+v, want %v", algorithm, runs, last, want[1])
		}
	}
}
