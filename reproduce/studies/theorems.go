// What the papers' algorithms and theorems say, measured on small networks.

package studies

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/reproduce"
	"overhear/theory"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name: "networks/theorems", Title: "The papers' algorithms and theorems, measured",
		About: "Each algorithm without noise is run on ten hospitals of wdbc until it rests; each bound is set " +
			"beside what it bounds; each claim of privacy is audited in two worlds that differ in one sample. A row " +
			"begins with the paper's item. What other pages measure is not repeated; " +
			"[theorems.md](../../theorems.md) has every item of the five papers.",
		Compute: theorems,
	})
}

const (
	ring  = "wdbc-ring.yaml"
	audit = "audit-methods.yaml"
)

// reaches states that an algorithm without noise ends at the centralised optimum.
func reaches(b *reproduce.Workbench, item, states, file string, sets ...string) error {
	_, t, err := b.Measure(file, sets...)
	if err != nil {
		return err
	}
	const near = 1e-3
	distance := t.Column("distance")
	last := distance[len(distance)-1]
	b.State(fmt.Sprintf("%s: %s. `simulate run scenarios/%s%s`", item, states, file, settings(sets)),
		reproduce.Assess(last <= near), "relative distance to the centralised optimum after %d rounds: %.2g (graded: "+
			"at most %g)", len(distance)-1, last, near)
	return nil
}

// equals states that an algorithm without noise is another one: with the same parameters their iterates are the same.
func equals(b *reproduce.Workbench, item, states, file, common, private, plain string) error {
	sets := []string{common, private}
	first, err := b.Learn(1, file, sets...)
	if err != nil {
		return err
	}
	second, err := b.Learn(1, file, common, plain)
	if err != nil {
		return err
	}
	off, most, compared := apart(first[0].Path, second[0].Path)
	const same = 1e-9 // solvers stop at 1e-10
	b.State(fmt.Sprintf("%s: %s. `simulate run scenarios/%s%s`, and with `--set '%s'`, write the two runs' iterates; "+
		"`"+again+"` compares them", item, states, file, settings(sets), plain),
		reproduce.Assess(compared > 0 && off <= same*most), "largest distance between the iterates of a node "+
			"and a round, of %d: %.2g, the longest is of norm %.3g (graded: at most %g of it)", compared, off, most,
		same)
	return nil
}

// apart is the largest distance between iterates of the same node and round of two runs, and the norm of the longest.
// Nothing is compared if one has other rounds than the other.
func apart(a, b [][][]float64) (off, most float64, compared int) {
	for i := range a {
		if len(a) != len(b) || len(a[i]) != len(b[i]) {
			return math.Inf(1), 0, 0
		}
		for t, x := range a[i] {
			off = math.Max(off, distance(x, b[i][t]))
			most = math.Max(most, num.Norm(x))
			compared++
		}
	}
	return off, most, compared
}

func distance(x, y []float64) float64 {
	gap := slices.Clone(x)
	for k := range gap {
		gap[k] -= y[k]
	}
	return num.Norm(gap)
}

// settings are the flags of changes.
func settings(sets []string) string {
	text := ""
	for _, s := range sets {
		text += " --set '" + s + "'"
	}
	return text
}

// audited states what an audit comes to.
func audited(b *reproduce.Workbench, item, states, file string, runs int, sets ...string) error {
	a, err := b.Audit(false, file, runs, sets...)
	if err != nil {
		return err
	}
	var all []string
	established := true
	for _, v := range a.Verdicts {
		all = append(all, fmt.Sprintf("%s: ε = %.4g claimed, %.3g measured: %s", v.Scope, float64(v.Epsilon),
			float64(v.Measured), v.Verdict))
		established = established && (v.Verdict == record.Consistent || v.Verdict == record.Violated)
	}
	b.State(fmt.Sprintf("%s: %s. `simulate audit scenarios/%s --runs %d%s`", item, states, file, runs, settings(sets)),
		auditVerdict(a.Stands(), established), "%s; condition: %s", strings.Join(all, "; "), a.Condition)
	return nil
}

// auditVerdict is what an audit says of a claim: one that does not establish what is claimed tests nothing.
func auditVerdict(stands, established bool) reproduce.Assessment {
	switch {
	case !stands:
		return reproduce.Fails
	case !established:
		return reproduce.NotTested
	}
	return reproduce.Holds
}

// ratesOn makes a run say what theorems prove of it.
const ratesOn = "record.rates=on"

// rateOf is what a run says of a theorem on convergence.
func rateOf(info *record.Info, theorem string) (r record.Rate, err error) {
	k := slices.IndexFunc(info.Rates, func(r record.Rate) bool { return r.Theorem == theorem })
	if k < 0 {
		return r, fmt.Errorf("%s says nothing of this run, of which there are %d theorems", theorem, len(info.Rates))
	}
	return info.Rates[k], nil
}

// rated states what a theorem on convergence comes to in a run.
func rated(b *reproduce.Workbench, item, theorem, states, file string, sets ...string) error {
	sets = append([]string{ratesOn}, sets...)
	info, t, err := b.Measure(file, sets...)
	if err != nil {
		return err
	}
	r, err := rateOf(info, theorem)
	if err != nil {
		return err
	}
	distance := t.Column("distance")
	first, last := distance[0], distance[len(distance)-1]
	applies := r.Applies == "applies"
	holds := applies && last <= 1e-3*first
	factor := ""
	if proved := float64(r.Proved); !math.IsNaN(proved) {
		factor = fmt.Sprintf("; factor a round: %.6f proved, %.6f measured from round %d to %d", proved,
			float64(r.Measured), r.From, r.To)
		holds = applies && float64(r.Measured) <= proved
	}
	b.State(fmt.Sprintf("%s: %s. `simulate run scenarios/%s%s`", item, states, file, settings(sets)),
		reproduce.AssessParts(holds, last <= 1e-3*first), "the theorem %s; distance %.2g at first, %.2g at last%s",
		r.Applies, first, last, factor)
	return nil
}

func theorems(b *reproduce.Workbench) error {
	const long = "rounds.count=600"
	for _, a := range [][]string{
		{"ZZ16 Algorithm 1", "distributed ERM reaches the centralised optimum", "algorithm={kind: admm, eta: 0.03}"},
		{"ZKL18 (10)-(11)", "M-ADMM reaches the centralised optimum",
			"algorithm={kind: m-admm, eta: 0.03, theta: 0.03}"},
		{"ZKL18 Theorem 3.1", "M-ADMM converges for penalties that rise to a bound and are at least θ",
			"algorithm={kind: m-admm, eta: {initial: 0.03, ratio: 1.01, max: 0.06}, theta: 0.03}"},
		{"RA19 Algorithm 1", "R-ADMM reaches the centralised optimum",
			"algorithm={kind: r-admm, eta: 0.03, gamma: 0.1}"},
		{"RA19 Algorithm 2", "MR-ADMM with penalties that are equal over the nodes reaches the centralised optimum",
			"algorithm={kind: mr-admm, eta: {initial: 0.03, ratio: 1.01, max: 0.06}, gamma: 0.1}"},
		{"PDML (9)-(11)", "general ADMM on the labels as they are reaches the optimum of Problem 1",
			"algorithm={kind: pdml, eta: 0.03, labels: true, noise: off, bound: 0}"},
	} {
		if err := reaches(b, a[0], a[1], ring, long, a[2]); err != nil {
			return err
		}
	}
	// The paper's statement allows the nodes penalties of their own, and its proof misses what they do to the duals.
	if err := reaches(b, "RA19 Algorithm 2, RA19 Theorem 1", "MR-ADMM with penalties of the nodes' own reaches the "+
		"centralised optimum", "mr-admm-drift.yaml"); err != nil {
		return err
	}
	for _, a := range [][]string{
		{"ZZ16 Algorithm 2", "dual variable perturbation is Algorithm 1 where the noise is off",
			"algorithm={kind: dvp, eta: 0.03, noise: off}", "algorithm={kind: admm, eta: 0.03}"},
		{"ZKL18 Algorithm 1", "penalty perturbation is M-ADMM where the noise is off",
			"algorithm={kind: penalty-perturbation, eta: 0.03, theta: 0.03, noise: off}",
			"algorithm={kind: m-admm, eta: 0.03, theta: 0.03}"},
		{"RA19 Algorithm 3", "private MR-ADMM is MR-ADMM where the noise is off",
			"algorithm={kind: private-mr-admm, eta: 0.03, gamma: 0.1, noise: off}",
			"algorithm={kind: mr-admm, eta: 0.03, gamma: 0.1}"},
	} {
		if err := equals(b, a[0], a[1], ring, "rounds.count=100", a[2], a[3]); err != nil {
			return err
		}
	}
	if err := reaches(b, "SH19 Algorithm 1", "ADMM sharing reaches the centralised optimum over split columns", ring,
		"rounds.count=2000", "problem.columns=[10, 10, 10]", "problem.scale.intercept=false", "problem.rho=1",
		"network.topology={kind: star, nodes: 4}",
		"algorithm={kind: admm-sharing, form: averaged, eta: 0.3}"); err != nil {
		return err
	}
	if err := optimality(b); err != nil {
		return err
	}
	const complete = "network.topology={kind: complete, nodes: 5}"
	if err := rated(b, "ZKL18 Theorem 3.2", "ZKL18 Theorem 3.2", "M-ADMM converges linearly", ring, complete,
		"problem.rho=1", "rounds.count=100", "algorithm={kind: m-admm, eta: 0.3, theta: 0.3}"); err != nil {
		return err
	}
	if err := rated(b, "RA19 Theorem 1", "RA19 Theorem 1", "R-ADMM converges under (i) and (ii)", ring, complete,
		"problem.rho=1", "rounds.count=2000", "algorithm={kind: r-admm, eta: 2, gamma: 10}"); err != nil {
		return err
	}
	const runs = 200
	recycled := func(perturbation string) string {
		return "algorithm={kind: private-mr-admm, eta: {initial: 0.5, ratio: 1.1}, gamma: 0.3, alpha: 1, " +
			"perturbation: " + perturbation + "}"
	}
	for _, a := range [][]string{
		{"ZKL18 Theorem 4.1", "penalty perturbation has β-differential privacy, (26)",
			"algorithm={kind: penalty-perturbation, eta: {initial: 0.5, ratio: 1.1}, theta: 0.5, alpha: 1}"},
		{"RA19 Theorem 2", "private MR-ADMM has β-differential privacy, (32)", recycled("objective")},
		{"RA19 §VII-B, output perturbation", "MR-ADMM with noise on the minimiser is private by its sensitivity",
			recycled("output")},
		{"RA19 §VII-B, zCDP", "Gaussian noise on the minimiser has (ε, δ)-differential privacy", recycled("gaussian")},
	} {
		if err := audited(b, a[0], a[1], audit, runs, a[2]); err != nil {
			return err
		}
	}
	if err := audited(b, "SH19 Corollary 1", "T rounds are (ε′, Tδ + δ′)-differentially private", "audit-sharing.yaml",
		runs); err != nil {
		return err
	}
	if err := audited(b, "PDML Proposition 1", "randomised response preserves ε-LDP of a label", "pdml-labels.yaml",
		400); err != nil {
		return err
	}
	return excess(b)
}

// optimality states what Lemma 3.1 of ZKL18 and Lemma 1 of RA19 say of a fixed point.
func optimality(b *reproduce.Workbench) error {
	sets := []string{"rounds.count=600", "algorithm={kind: m-admm, eta: 0.03, theta: 0.03}"}
	_, t, err := b.Measure(ring, sets...)
	if err != nil {
		return err
	}
	last := func(column string) float64 { return t.Column(column)[len(t.Rows)-1] }
	b.State("ZKL18 Lemma 3.1, RA19 Lemma 1: where the nodes agree and the duals are in the range of the Laplacian, "+
		"stationarity is optimality. `simulate run scenarios/"+ring+settings(sets)+"`; ‖Σλ‖ is `dual_sum` of its "+
		"metrics.csv",
		reproduce.Assess(last("consensus") <= 1e-6 && last("dual_sum") <= 1e-6 && last("distance") <= 1e-6),
		"at rest: disagreement %.2g, ‖Σλ‖ %.2g, distance to the optimum %.2g (graded: at most 10⁻⁶ each)",
		last("consensus"), last("dual_sum"), last("distance"))
	return nil
}

// excess states PDML's bounds on the excess risk.
func excess(b *reproduce.Workbench) error {
	noisy := []string{ratesOn, "algorithm={kind: pdml, eta: 0.5, epsilon: 2, bound: 0.1, deviation: 0.01, decay: 0.8}"}
	quiet := []string{ratesOn, "algorithm={kind: pdml, eta: 0.5, epsilon: 2, bound: 0.1, noise: off}"}
	for _, c := range []struct {
		item, states string
		sets         []string
	}{
		{"PDML Theorem 1", "the averages' excess risk with both phases", noisy},
		{"PDML Corollary 1", "the excess risk of Problem 3's optimum", noisy},
		{"PDML Theorem 2", "the averages' excess risk without Phase 2", quiet},
		{"PDML Corollary 2", "the excess risk of Problem 2's optimum", quiet},
	} {
		info, _, err := b.Measure("pdml-labels.yaml", c.sets...)
		if err != nil {
			return err
		}
		k := slices.IndexFunc(info.Excess, func(x record.Excess) bool { return x.Theorem == c.item })
		if k < 0 {
			return fmt.Errorf("%s says nothing of a run of pdml-labels.yaml; there are %d others", c.item,
				len(info.Excess))
		}
		x := info.Excess[k]
		bound, measured := float64(x.Bound), float64(x.Measured)
		b.State(fmt.Sprintf("%s: %s is at most the bound. `simulate run scenarios/pdml-labels.yaml%s`", c.item,
			c.states, settings(c.sets)), boundVerdict(x.Applies == "applies", math.Ln2, bounded{bound, measured}),
			"the theorem %s; bound %.4g, measured %.4g%s", x.Applies, bound, measured,
			vacuous(math.Ln2, bounded{bound, measured}))
		if x.Given == nil || c.item != "PDML Theorem 1" {
			continue
		}
		if err := lemmas(b, quiet, float64(x.Given.Contraction), x.Given.Convexity); err != nil {
			return err
		}
	}
	return nil
}

// bounded is a bound on the excess risk beside what was measured of it.
type bounded struct{ bound, measured float64 }

// boundVerdict is what bounds on the excess risk come to. The classifier that is zero has the trivial excess, and a
// bound above it says nothing: where all are, nothing measured could contradict them, and they hold in part.
func boundVerdict(applies bool, trivial float64, all ...bounded) reproduce.Assessment {
	within := len(all) > 0
	for _, b := range all {
		within = within && b.measured <= b.bound
	}
	return reproduce.AssessParts(within && applies && vacuous(trivial, all...) == "", within)
}

// vacuous says that bounds say nothing; "" if one of them does.
func vacuous(trivial float64, all ...bounded) string {
	least := math.Inf(1)
	for _, b := range all {
		least = min(least, b.bound)
	}
	if least <= trivial {
		return ""
	}
	return fmt.Sprintf(". In part: nothing measured could contradict it, as the bound is at least %.3g and the zero "+
		"classifier's excess is no greater than %.3g", least, trivial)
}

// again is the command that computes this study.
const again = "simulate reproduce networks/theorems"

// lemmas state PDML Lemma 5 and Lemma 3 of a run without Phase 2, in which every round moves the classifiers towards
// the optimum: by how much they do, and how the objective curves at every classifier of the run.
func lemmas(b *reproduce.Workbench, quiet []string, contraction, convexity float64) error {
	const file = "pdml-labels.yaml"
	all, err := b.Learn(1, file, quiet...)
	if err != nil {
		return err
	}
	l := all[0]
	limit, err := l.Method.(algorithms.Generalising).Limit(l.Seed)
	if err != nil {
		return fmt.Errorf("the optimum of a run of %s: %w", file, err)
	}
	fall, err := decrease(l.Path, limit, problem.DefaultTolerance)
	if err != nil {
		return err
	}
	left, right := theory.PrintedLemma5(l.Graph, contraction)
	plain := []string{ratesOn, "algorithm={kind: pdml, eta: 0.5, labels: true, noise: off, bound: 0}"}
	info, _, err := b.Measure(file, plain...)
	if err != nil {
		return err
	}
	rate, err := rateOf(info, theory.PDMLLemma5.Name)
	if err != nil {
		return err
	}
	proved := contraction < 1 && fall.Factor <= contraction && rate.Applies == "applies" && rate.Measured <= rate.Proved
	b.State("PDML Lemma 5: the distance to the optimum falls linearly; as it can be proved, its square in a norm of "+
		"its own by a factor C a round, to which the noise of Phase 2 adds. `simulate run scenarios/"+file+
		settings(plain)+"`; with flips and objective noise `"+again+"`, by the iterates of `simulate run scenarios/"+
		file+settings(quiet)+"`", lemma5Verdict(proved, left, right),
		"√C = %.6f, the distance falls by a factor of %.6f from round %d to %d. With flips and objective noise, "+
			"without Phase 2, C = %.6f and Σ‖w_i − w*‖² falls by a factor of %.6f a round over %d rounds. The printed "+
			"lemma asks for (25), (1−b)(1+φ)σ²_min(L₊) > σ²_max(L₊) for a b > 0, which is %s here (%.3g against %.3g) "+
			"and by no graph of three servers or more", float64(rate.Proved), float64(rate.Measured), rate.From,
		rate.To, contraction, fall.Factor, fall.To-fall.From, met(left > right), left, right)
	best, err := l.Problem.Centralised()
	if err != nil {
		return err
	}
	least := curvature(l, best)
	b.State("PDML Lemma 3: the objective is strongly convex, with a constant of aκ; flips and noise do not change how "+
		"it curves. `"+again+"`, by the iterates of `simulate run scenarios/"+file+settings(quiet)+"`",
		reproduce.Assess(convexity > 0 && least >= convexity),
		"aκ = %.4g; the least of 2(J(w) − J(w*))/‖w − w*‖² over the classifiers of the run is %.4g", convexity, least)
	return nil
}

// lemma5Verdict is what PDML Lemma 5 comes to: what can be proved in its place is measured, and its printed condition
// is met where the first side is greater.
func lemma5Verdict(proved bool, left, right float64) reproduce.Assessment {
	return reproduce.AssessParts(proved && left > right, proved)
}

func met(so bool) string {
	if so {
		return "met"
	}
	return "not met"
}

// decrease is that of the squared distance of all nodes to a point.
func decrease(path [][][]float64, limit []float64, tolerance float64) (theory.Decrease, error) {
	squares := make([]float64, len(path[0]))
	for t := range squares {
		for i := range path {
			d := distance(path[i][t], limit)
			squares[t] += float64(d * d)
		}
	}
	floor := float64(len(path)) * math.Pow(theory.Floor(tolerance)*(1+num.Norm(limit)), 2)
	d, ok := theory.Measure(squares, floor, 0)
	if !ok {
		return d, errors.New("too few rounds are above the rounding floor to measure how the distance falls")
	}
	return d, nil
}

// curvature is the least of 2(J(w) − J(w*))/‖w − w*‖² over the iterates that are not at the optimum.
func curvature(l *reproduce.Learnt, best *problem.Optimum) float64 {
	least := math.Inf(1)
	for i := range l.Path {
		for _, w := range l.Path[i] {
			if d := distance(w, best.F); d > 1e-4*(1+num.Norm(best.F)) {
				least = math.Min(least, 2*(l.Problem.Value(w)-best.Value)/(d*d))
			}
		}
	}
	return least
}
