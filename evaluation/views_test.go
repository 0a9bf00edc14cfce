// Views whose loss is exact, against many runs.

package evaluation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/record"
	"overhear/scenarios"
)

// seenBy is a run of linear rounds with normal noise, watched.
const seenBy = `name: views
problem:
  data: {set: twonorm, rows: 300, dimension: 2}
  train: 60
  loss: squared
  rho: 0.05
  scale: {columns: max, rows: clip, intercept: false}
network: {topology: {nodes: 4, edges: [[0, 1], [1, 2], [2, 3]]}}
rounds: {count: 3}
algorithm: %s
adversary: {view: %s, audit: {runs: 40, pilots: 10, node: 1}}
`

// normalMethods have affine rounds.
var normalMethods = []string{
	"{kind: pvp, eta: 0.3, alpha: 0.4, law: gaussian}",
	"{kind: proximal-admm, eta: 0.3, tau: 0.2, gamma: 0.9, alpha: {initial: 0.5, ratio: 0.8}, law: gaussian}",
	"{kind: private-dgd, step: 0.5, alpha: 0.4, law: gaussian}",
	"{kind: private-r-admm, eta: 0.3, gamma: 0.2, alpha: 0.4, perturbation: gaussian}",
}

// What a view learns is Δᵀ Σ⁻¹ Δ of what packets carry: the difference between two worlds' runs with the same draws is
// the same whatever is drawn, and the covariance is that of many runs.
func TestAuditView_IsWhatManyRunsShow(t *testing.T) {
	runs, near := 6000, 0.06
	if testing.Short() { // under the race detector
		runs, near = 1000, 0.2
	}
	for _, method := range normalMethods {
		views := []string{"{nodes: [0]}", "{nodes: [3]}", "{links: [[1, 2]], from-round: 2}", "{from-round: 3}"}
		if strings.Contains(method, "r-admm") { // even rounds follow from others, so that a covariance has no inverse
			views = []string{"{from-round: 3}"}
		}
		for _, view := range views {
			name := method + " " + view
			s, err := scenarios.Parse("views.yaml", fmt.Appendf(nil, seenBy, method, view))
			if err != nil {
				t.Fatal(name, err)
			}
			e := experiment.New(s, "")
			out, err := Audit(context.Background(), e, AuditOptions{Workers: 2})
			if err != nil {
				t.Fatal(name, err)
			}
			if out.View == nil {
				t.Fatal(name, out.Statistic)
			}
			a, err := e.Assemble(t.Context(), e.Seeds.First)
			if err != nil {
				t.Fatal(err)
			}
			spec := auditSpec(e.Scenario)
			u, y, _ := mirrored(a, 1, 0)
			w, err := rowWorlds(e, a, 1, spec.Row, 1, u, y)
			if err != nil {
				t.Fatal(err)
			}
			watch, _ := narrow(e.Scenario)
			seen := func(world int, seed uint64) (all []float64) {
				c, err := w.play(context.Background(), world, seed)
				if err != nil {
					t.Fatal(err)
				}
				values := map[[2]int][]float64{} // packets come in another order in each run
				for i := range c.packets {
					p := &c.packets[i]
					m := record.Message{ID: p.id, Src: int32(p.from), Dst: int32(p.to), Round: int32(p.round)}
					if p.round > 0 && watch.Sees(&m, seed) {
						values[[2]int{p.from, p.round}] = c.payloads[p.payload]
					}
				}
				for node := range a.Graph.Order() {
					for t := range e.Rounds.Count + 1 {
						all = append(all, values[[2]int{node, t}]...)
					}
				}
				return all
			}
			shift := seen(0, 7)
			num.Axpy(-1, seen(1, 7), shift)
			want := sampled(shift, runs, func(k int) []float64 { return seen(0, uint64(1000+k)) })
			if got := float64(out.View.Mu); !(math.Abs(got-want) <= near*want) {
				t.Errorf("%s: μ = %v, by %d runs %v", name, got, runs, want)
			}
			if want := "one label of node 1"; out.Pair.Unit != privacy.Label || out.Verdicts[0].Claim != want {
				t.Errorf("%s: of a %s, %q", name, out.Pair.Unit, out.Verdicts[0].Claim)
			}
			if !(out.View.Mu < out.View.All) {
				t.Errorf("%s: μ = %v, and one who sees all has %v", name, out.View.Mu, out.View.All)
			}
		}
	}
}

// The curves are those of N(0, 1) against N(μ, 1): the area, the greatest gap and ε at a δ are known in closed form.
func TestNormalCurves_AreOfTheLaw(t *testing.T) {
	for _, mu := range []float64{1e-3, 0.4, 2, 9} {
		curve, roc := normalCurves(mu)
		area, gap := 0.0, 0.0
		for k := 1; k < len(roc); k++ {
			if !(roc[k].FPR > roc[k-1].FPR) || !(roc[k].TPR >= roc[k-1].TPR) {
				t.Fatalf("μ = %v: points %v, %v", mu, roc[k-1], roc[k])
			}
			area += (roc[k].FPR - roc[k-1].FPR) * (roc[k].TPR + roc[k-1].TPR) / 2
			gap = max(gap, roc[k].TPR-roc[k].FPR)
		}
		if want := num.NormalTail(-mu / math.Sqrt2); !(math.Abs(area-want) <= 2e-3) {
			t.Errorf("μ = %v: area %v, not %v", mu, area, want)
		}
		if want := 1 - 2*num.NormalTail(mu/2); !(math.Abs(float64(curve[0].Delta)-want) <= 1e-12) ||
			!(gap <= want+1e-12 && gap >= want-5e-3) {
			t.Errorf("μ = %v: δ(0) = %v, gap %v, not %v", mu, curve[0].Delta, gap, want)
		}
		for _, p := range curve[1 : len(curve)-1] {
			if got := loss.NormalEpsilon(mu, float64(p.Delta)); !(math.Abs(got-float64(p.Epsilon)) <= 1e-6*(1+got)) {
				t.Errorf("μ = %v: δ = %v at ε = %v, and not at %v", mu, p.Delta, p.Epsilon, got)
			}
		}
	}
	for _, mu := range []float64{0, math.Inf(1), math.NaN()} {
		if curve, roc := normalCurves(mu); curve != nil || roc != nil {
			t.Errorf("μ = %v: %v, %v", mu, curve, roc)
		}
	}
}

// sampled is √(Δᵀ Σ⁻¹ Δ) by the covariance of so many draws.
func sampled(shift []float64, runs int, draw func(k int) []float64) float64 {
	n := len(shift)
	mean, sum := make([]float64, n), make([]float64, num.Packed(n))
	for k := range runs {
		x := draw(k)
		num.Axpy(1/float64(runs), x, mean)
		for a := range x {
			for b := range a + 1 {
				sum[num.Packed(a)+b] += x[a] * x[b] / float64(runs)
			}
		}
	}
	for a := range n {
		for b := range a + 1 {
			sum[num.Packed(a)+b] -= mean[a] * mean[b]
		}
	}
	var f num.Cholesky
	if err := f.Factor(sum, n); err != nil {
		return math.NaN()
	}
	x := append([]float64(nil), shift...)
	f.Solve(x)
	return math.Sqrt(num.Dot(x, shift))
}

// A map has for each observer and victim what the audit of that view has.
func TestMap_IsWhatAuditsOfViewsSay(t *testing.T) {
	for k, method := range normalMethods {
		start := fmt.Sprintf("algorithm.init={normal: %v}", k%2) // which neighbours hear, and others do not
		load := func(sets ...string) *experiment.Experiment {
			s, err := scenarios.Parse("views.yaml", fmt.Appendf(nil, seenBy, method, "{}"), append(sets, start)...)
			if err != nil {
				t.Fatal(err)
			}
			return experiment.New(s, "")
		}
		m, pairs, err := Map(context.Background(), load(), AuditOptions{})
		if err != nil {
			t.Fatal(method, err)
		}
		for victim := range 4 {
			for observer := range 4 {
				if observer == victim {
					continue
				}
				a, err := Audit(context.Background(), load(fmt.Sprintf("adversary.view.nodes=[%d]", observer),
					fmt.Sprintf("adversary.audit.node=%d", victim)), AuditOptions{Workers: 2})
				if err != nil {
					t.Fatal(method, err)
				}
				got, want := pairs.Mu[observer][victim], float64(a.View.Mu)
				if !(math.Abs(got-want) <= 1e-7*want+1e-9) {
					t.Errorf("%s: node %d learns μ = %v of node %d, an audit says %v", method, observer, got, victim,
						want)
				}
				if all := float64(a.View.All); !(math.Abs(float64(m.All[victim])-all) <= 1e-7*all) {
					t.Errorf("%s: of node %d all have %v, an audit says %v", method, victim, m.All[victim], all)
				}
			}
		}
	}
}

// A map is refused where what is published is not normal, or it is not told what enters updates.
func TestCoalitions_AreWhatAuditsOfViewsSay(t *testing.T) {
	of := [][]int{{1}, {0, 1}, {3, 0}}
	for k, method := range normalMethods {
		start := fmt.Sprintf("algorithm.init={normal: %v}", k%2) // which neighbours hear, and others do not
		load := func(sets ...string) *experiment.Experiment {
			s, err := scenarios.Parse("views.yaml", fmt.Appendf(nil, seenBy, method, "{}"), append(sets, start)...)
			if err != nil {
				t.Fatal(err)
			}
			return experiment.New(s, "")
		}
		mu, all, err := Coalitions(context.Background(), load(), of)
		if err != nil {
			t.Fatal(method, err)
		}
		_, pairs, err := Map(context.Background(), load(), AuditOptions{})
		if err != nil {
			t.Fatal(method, err)
		}
		if mu[0][2] != pairs.Mu[1][2] || mu[0][3] != pairs.Mu[1][3] {
			t.Errorf("%s: one by itself learns %v, in a map %v", method, mu[0], pairs.Mu[1])
		}
		if !(mu[2][1] > pairs.Mu[3][1]) { // node 0 hears node 1, and node 3 does not
			t.Errorf("%s: two learn no more, %v, than one, %v", method, mu[2][1], pairs.Mu[3][1])
		}
		for k, nodes := range of {
			for victim := range 4 {
				if slices.Contains(nodes, victim) {
					continue
				}
				a, err := Audit(context.Background(), load(
					"adversary.view.nodes="+strings.ReplaceAll(fmt.Sprint(nodes), " ", ", "),
					fmt.Sprintf("adversary.audit.node=%d", victim)), AuditOptions{Workers: 2})
				if err != nil {
					t.Fatal(method, err)
				}
				got, want := mu[k][victim], float64(a.View.Mu)
				if !(math.Abs(got-want) <= 1e-7*want+1e-9) {
					t.Errorf("%s: nodes %v learn μ = %v of node %d, an audit says %v", method, nodes, got, victim, want)
				}
				if most := float64(a.View.All); !(math.Abs(all[victim]-most) <= 1e-7*most) {
					t.Errorf("%s: of node %d all have %v, an audit says %v", method, victim, all[victim], most)
				}
			}
		}
	}
}

func TestCoalitions_SayWhatTheyAreNotOf(t *testing.T) {
	for _, c := range []struct {
		set, want string
		of        []int
	}{
		{"algorithm.noise=off", "no noise", []int{0}},
		{"rounds.count=5", "no node 4", []int{0, 4}},
		{"problem.loss=logistic", "loss is not squared", []int{0}},
		{"rounds={mode: asynchronous, count: 5, timeout: 1s, quorum: 0.5}", "of synchronous rounds", []int{0}},
	} {
		sets := []string{c.set, "network.latency=5ms"}
		s, err := scenarios.Parse("views.yaml", fmt.Appendf(nil, seenBy, normalMethods[0], "{}"), sets...)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Coalitions(context.Background(), experiment.New(s, ""), [][]int{c.of}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
}

func TestMap_IsOfNormalRoundsInLockstep(t *testing.T) {
	for set, want := range map[string]string{
		"algorithm={kind: pvp, eta: 0.3}":                    "noise is not Gaussian",
		"problem.loss=logistic":                              "loss is not squared",
		"adversary.view={nodes: [2]}":                        "every node is an observer",
		"algorithm.noise=off":                                "no noise",
		"rounds={mode: asynchronous, count: 5, timeout: 1s}": "network.latency above 0",
		"algorithm={kind: dp-admm}":                          "",
	} {
		s, err := scenarios.Parse("views.yaml", fmt.Appendf(nil, seenBy, normalMethods[0], "{}"), set)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = Map(context.Background(), experiment.New(s, ""), AuditOptions{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// In asynchronous rounds, with lost packets, a view is audited along what entered what.
func TestAuditView_OfAsynchronousRounds(t *testing.T) {
	last := 0.0
	for _, view := range []string{"{nodes: [3]}", "{nodes: [2]}", "{from-round: 1}"} {
		s, err := scenarios.Parse("views.yaml", fmt.Appendf(nil, seenBy, normalMethods[2], view),
			"rounds={mode: asynchronous, count: 8, timeout: 40ms}", "network.loss=0.2", "network.latency=10ms")
		if err != nil {
			t.Fatal(err)
		}
		a, err := Audit(context.Background(), experiment.New(s, ""), AuditOptions{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if a.View == nil || !(float64(a.View.Mu) > last && a.View.Mu <= a.View.All*(1+1e-9)) {
			t.Errorf("%s: %+v after μ = %v; %+v", view, a.View, last, a.BlackBox)
			continue
		}
		last = float64(a.View.Mu)
	}
}

// What a message says by itself, summed over messages that carry the same noise, bounds nothing. On a path 0 – 1 – 2
// whose nodes add noise once and average once, node 0 hears node 1's noisy value and then a third of all three, so that
// it has node 2's noisy value: μ is that of one who sees all. By itself the second message has a third of μ².
func TestMap_OfNoiseThatIsDrawnOnce(t *testing.T) {
	s, err := scenarios.Parse("once.yaml", []byte(`name: once
problem: {data: {set: twonorm, rows: 30, dimension: 2}, rho: 0.3, loss: squared, scale: {columns: max, rows: clip}}
network: {topology: {kind: path, nodes: 3}}
rounds: {count: 2}
algorithm: {kind: private-dgd, step: 0.5, decay: none, alpha: 1, law: gaussian, averaging: 1}
`))
	if err != nil {
		t.Fatal(err)
	}
	m, pairs, err := Map(context.Background(), experiment.New(s, ""), AuditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all := float64(m.All[2])
	if got := pairs.Mu[0][2]; !(math.Abs(got-all) <= 1e-9*all) || !(all > 0) {
		t.Errorf("node 0 learns μ = %v of node 2, one who sees all %v", got, all)
	}
	if got, want := pairs.Messages[0][2], all/math.Sqrt(3); !(math.Abs(got-want) <= 1e-9*all) {
		t.Errorf("messages say %v each by itself, by hand %v", got, want)
	}
	if d := m.ByDistance[1]; d.Above != 2 {
		t.Errorf("%d of 2 pairs at distance 2 are above", d.Above)
	}
}

// With targets the squared loss is affine, too. A flipped target moves a step by α|t|‖u‖ of the noise's deviation,
// whatever came before, so that one who sees all rounds has μ² = T(αt‖u‖)².
func TestMap_OfTargets(t *testing.T) {
	s, err := scenarios.Parse("targets.yaml", []byte(`name: targets
problem: {data: {set: linear, rows: 30}, rho: 0.3, loss: squared}
network: {topology: {kind: path, nodes: 3}}
rounds: {count: 5}
algorithm: {kind: private-dgd, step: 0.5, decay: none, alpha: 0.7, law: gaussian}
`))
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	m, _, err := Map(context.Background(), e, AuditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		row := &a.Problem.Shards[i]
		want := math.Sqrt(5) * 0.7 * math.Abs(row.Targets[0]) * num.Norm(dense(a.Problem, i, 0))
		if got := float64(m.All[i]); !(math.Abs(got-want) <= 1e-8*want) {
			t.Errorf("of node %d all learn μ = %v, by hand %v", i, got, want)
		}
	}
}

// Where no claim stands a black-box audit judges the rounds that show most, and not those up to which least is claimed.
func TestBlackBox_ShowsMostWhereNoClaimStands(t *testing.T) {
	for _, set := range []string{"problem.loss=squared", "algorithm.alpha=50"} {
		e := small(t, "{kind: private-dgd, step: 0.5, decay: none, alpha: 3}", nil, set, "rounds.count=6",
			"adversary.audit={runs: 400, node: 1, pair: {a: [1, 0, 0], b: [-1, 0, 0]}}")
		a, err := BlackBox(context.Background(), e, AuditOptions{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		most := 0.0
		for _, x := range a.Verdicts[0].Tests {
			most = max(most, float64(x.Measured))
		}
		if !(most > float64(a.BlackBox.Able)/2) {
			t.Errorf("%s: measured %v at most, where so many runs show up to %v", set, most, a.BlackBox.Able)
		}
	}
}

// A method whose node publishes less noise than it says in one update, of every run or of some, has no map, and an
// audit of a view with as many runs as find it does not stand.
func TestMap_IsOfRunsThatAreExplained(t *testing.T) {
	leaky := func(seldom bool) planting {
		return inRows(func(m privateRow, _ algorithms.Setting) algorithms.Method {
			return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, t int) error {
				err := inner.Update(n, t)
				if n.ID == 1 && t == 2 && (!seldom || math.Mod(math.Abs(1e6*n.F[0]), 1) < 1./16) {
					num.Scale(1.001, n.F)
				}
				return err
			}}
		})
	}
	for _, c := range []struct {
		plant planting
		fine  bool
	}{{nil, true}, {leaky(false), false}} {
		m, _, err := Map(context.Background(), small(t, gaussianDGD, c.plant, "problem.loss=squared"), AuditOptions{})
		if (err == nil) != c.fine || !c.fine && !strings.Contains(fmt.Sprint(err), "the run does not do") {
			t.Errorf("a map with a flaw (%v): %v", !c.fine, err)
		}
		if err == nil && len(m.Checks) == 0 {
			t.Error("a map has no checks")
		}
	}
	for runs, stands := range map[int]bool{1: true, 60: false} { // with the flaw in one run of sixteen
		a, err := Audit(context.Background(), small(t, gaussianDGD, leaky(true), "problem.loss=squared",
			"adversary.view={nodes: [2]}"), AuditOptions{Workers: 2, Runs: runs})
		if err != nil {
			t.Fatal(err)
		}
		if a.Runs != runs || a.View == nil || (failing(a.Checks) == "") != stands {
			t.Errorf("a view of %d runs, one in sixteen with a flaw: %v, %+v", runs, err, a.Checks)
		}
	}
}
