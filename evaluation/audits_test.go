// Parts of audits whose result is known beforehand: checks of labels and of redrawn
// noise, what cannot be audited, and small audits over split columns.

package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/adversary/stats"
	"overhear/experiment"
	"overhear/internal/memory"
	"overhear/internal/num"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// reports are so many runs with and without a flip of the user's label, in both worlds.
func reports(n, flips int) (all [2][]*evidence) {
	for w, label := range []float64{1, -1} {
		for k := range n / 2 {
			v := &evidence{label: label}
			if 2*k+w < flips {
				v.label = -label
			}
			all[w] = append(all[w], v)
		}
	}
	return all
}

// Labels are flipped with probability p = 1/(1 + e^ε): counts that happen more often than once in two million audits
// at their end pass, and others do not.
func TestReported_CountsFlips(t *testing.T) {
	for _, c := range []struct {
		n       int
		epsilon float64
	}{{2000, math.Log(3)}, {2000, 0.1}, {40, 6}, {2000, 8}, {40, 20}, {200, 800}} {
		p := 1 / (1 + math.Exp(c.epsilon))
		law := distuv.Binomial{N: float64(c.n), P: p}
		low, high := 0, c.n
		for above := 0.0; high > 0 && above+law.Prob(float64(high)) <= 0.5e-6; high-- {
			above += law.Prob(float64(high))
		}
		for below := 0.0; below+law.Prob(float64(low)) <= 0.5e-6; low++ {
			below += law.Prob(float64(low))
		}
		middle := float64(c.n) * p // the binomial law bounds others of that mean beyond the next count only
		low, high = min(low, int(middle)), max(high, int(math.Ceil(middle)))
		for flips, holds := range map[int]bool{low: true, high: true, low - 1: false, high + 1: false,
			int(middle): true} {
			if flips < 0 || flips > c.n {
				continue
			}
			k := reported(reports(c.n, flips), c.epsilon)[0]
			want := math.Abs(float64(flips) - middle)
			if k.Kind != record.LabelsFlipped || k.Holds != holds || !(math.Abs(float64(k.Measured)-want) <= 1e-9) {
				t.Errorf("%d flips of %d with ε = %v: %+v, want %v and %d to %d", flips, c.n, c.epsilon, k, want, low,
					high)
			}
		}
	}
}

// coins are the flips of 25 users in each run of both worlds, of ε by user; lie changes the chance of a flip, and link
// is how often a user has the coin of the user before.
func coins(seed uint64, runs int, epsilon func(user int) float64, lie, link float64) (all [2][]*evidence) {
	s := sim.NewStream(seed, "coins")
	for w, label := range []float64{1, -1} {
		for range runs {
			v := &evidence{label: label, flips: flips{last: math.NaN()}}
			coin := 0.0
			for user := range 25 {
				if p := s.Float64(); user == 0 || s.Float64() >= link {
					coin = p
				}
				chance := 1 / (1 + math.Exp(epsilon(user)))
				flipped := coin < chance+lie
				v.flips.add(flipped, chance)
				if user == 0 && flipped {
					v.label = -label
				}
			}
			all[w] = append(all[w], v)
		}
	}
	return all
}

// Coins of right users raise no alarm in 1,000 audits, however seldom they flip a label; deviations of the size that
// checks say they find are found in at least 95 of 100.
func TestReported_FalseAlarmsAndPower(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	const runs = 40
	for _, epsilon := range []float64{0.1, 1, 3, 6, 9} {
		for seed := range uint64(1000) {
			of := func(user int) float64 { return epsilon + float64(user%3) }
			for _, c := range reported(coins(seed, runs, of, 0, 0), epsilon) {
				if !c.Holds {
					t.Errorf("ε = %v, seed %d: %+v", epsilon, seed, c)
				}
			}
		}
	}
	epsilon := func(int) float64 { return 0.8 }
	right := reported(coins(1, runs, epsilon, 0, 0), 0.8)
	if len(right) != 5 {
		t.Fatalf("%+v", right)
	}
	for k, sizes := range [][2]float64{{1, 0}, {1, 0}, {0, 1}} { // the user's, all users', successive users'
		for _, sign := range []float64{1, -1} {
			finds := float64(right[k].Finds)
			found := 0
			for seed := range uint64(100) {
				all := reported(coins(seed, runs, epsilon, sign*finds*sizes[0], finds*sizes[1]), 0.8)
				if !all[k].Holds {
					found++
				}
			}
			if !(finds > 0 && finds < 1) || found < 95 {
				t.Errorf("%s says it finds %v with 99 %%: %d of 100 are found", right[k].Detail, sign*finds, found)
			}
		}
	}
}

// One report is worth ±ε, and the largest ratio of an audit is ε itself.
func TestAudit_LabelsAreWorthEpsilon(t *testing.T) {
	for node, row := range map[string]string{"0": "0", "2": "9"} {
		a := auditOf(t, "{kind: pdml, epsilon: 1.5, eta: 0.5}", nil, "adversary.audit.runs=200",
			"adversary.audit.node="+node, "adversary.audit.row="+row)
		v := a.Verdicts[0]
		if !a.Stands() || !(math.Abs(float64(v.Measured)-1.5) <= 1e-12) || len(a.ByRound) != 7 ||
			a.ByRound[0].Largest != v.Measured {
			t.Errorf("node %s, row %s: %+v, by round %+v", node, row, v, a.ByRound)
		}
		if fmt.Sprint(a.Pair.Node, a.Pair.Row) != node+" "+row {
			t.Errorf("node %s, row %s: pair %+v", node, row, a.Pair)
		}
		if !(a.Ratios[0].Mean > 0) || !(a.Ratios[1].Mean < 0) { // E_A[L] and −E_B[L] are divergences
			t.Errorf("node %s, row %s: mean ratios %v and %v", node, row, a.Ratios[0].Mean, a.Ratios[1].Mean)
		}
		for k, x := range a.Pair.A {
			if a.Pair.B[k] != -x {
				t.Errorf("the labels are not opposite: %v and %v", a.Pair.A, a.Pair.B)
			}
		}
	}
}

// Where users have ε of their own, each label is audited by its user's, though the node's account has the greatest;
// flips by another user's are caught.
func TestAudit_LabelsAreWorthTheirOwnEpsilon(t *testing.T) {
	for row, epsilon := range map[string]float64{"0": 0.5, "1": 1.5, "2": 0.5} {
		a := auditOf(t, "{kind: pdml, epsilon: {list: [0.5, 1.5]}, eta: 0.5}", nil, "adversary.audit.runs=200",
			"adversary.audit.node=1", "adversary.audit.row="+row)
		v := a.Verdicts[0]
		if !a.Stands() || !(math.Abs(float64(v.Measured)-epsilon) <= 1e-12) || !(float64(v.Epsilon) == epsilon) {
			t.Errorf("row %s: measured %v, claimed %v, its user's is %v", row, v.Measured, v.Epsilon, epsilon)
		}
		for _, c := range a.Checks {
			if !c.Holds {
				t.Errorf("row %s: %+v", row, c)
			}
		}
	}
	planted := reported(flippedAt(0.5, 2000), 1.5) // flips of ε = 0.5 are not those of 1.5
	if planted[0].Holds {
		t.Errorf("flips by another user's ε pass: %+v", planted[0])
	}
}

// flippedAt are reports in two worlds, flipped as often as ε says.
func flippedAt(epsilon float64, n int) (sample [2][]*evidence) {
	for w, label := range []float64{1, -1} {
		flips := int(float64(n) / (1 + math.Exp(epsilon)))
		for k := range n {
			v := &evidence{label: label}
			if k < flips {
				v.label = -label
			}
			sample[w] = append(sample[w], v)
		}
	}
	return sample
}

// The streams hold noise of the law that is asked for, another one for every node and
// round.
func TestDrawAgain_HasTheLaw(t *testing.T) {
	const d, level = 40000, 0.5
	gaussian := drawFrom(sim.NewStream(1, "noise", 2, 3), model.Noise{Kind: model.Gaussian, Level: level}, d)
	if rms := num.Norm(gaussian) / math.Sqrt(d); !(math.Abs(rms-level) <= 5*level/math.Sqrt(2*d)) {
		t.Errorf("Gauss: standard deviation %v", rms)
	}
	laplace := drawFrom(sim.NewStream(1, "noise", 2, 3), model.Noise{Kind: model.Laplace, Level: level}, d)
	if size := num.Norm(laplace); !(math.Abs(size*level-d) <= 5*math.Sqrt(d)) { // Gamma(d, ζ)
		t.Errorf("Laplace: length %v", size)
	}
	for _, s := range []*sim.Stream{sim.NewStream(2, "noise", 2, 3), sim.NewStream(1, "noise", 3, 3),
		sim.NewStream(1, "noise", 2, 4)} {
		other := drawFrom(s, model.Noise{Kind: model.Gaussian, Level: level}, d)
		if other[0] == gaussian[0] {
			t.Error("another seed, node or round has the same noise")
		}
	}
}

// The checks of an audit are of the noise and of the ratios of every run: noise of another
// size, and ratios of another scale, are found.
func TestFaithful_FindsNoiseAndRatiosThatAreOff(t *testing.T) {
	const runs, rounds, sigma, mu = 300, 2, 0.5, 1.5
	g := rand.New(rand.NewPCG(7, 10))
	failed := func(size, scale float64) string {
		var sample [2][]*evidence
		for w := range sample {
			for range runs {
				v := new(evidence)
				for t := 1; t <= rounds; t++ {
					noise := []float64{size * sigma * g.NormFloat64(), size * sigma * g.NormFloat64()}
					ratio := scale * (float64(1-2*w)*mu*mu/2 + mu*g.NormFloat64()) // of two normal laws
					v.rounds = append(v.rounds, adversary.Evidence{Round: t, Density: []float64{ratio, 0},
						Noise: [][]float64{noise}, Law: model.Noise{Kind: model.Gaussian, Level: sigma}})
				}
				sample[w] = append(sample[w], v)
			}
		}
		checks, err := faithful(sample, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, c := range checks {
			if !c.Holds {
				kinds = append(kinds, string(c.Kind))
			}
		}
		return strings.Join(kinds, " ")
	}
	if got := failed(1, 1); got != "" {
		t.Errorf("right noise and ratios fail %s", got)
	}
	if got := failed(2, 1); !strings.Contains(got, string(record.NoiseSize)) ||
		strings.Contains(got, string(record.RatiosCalibrated)) {
		t.Errorf("noise twice as large fails %q", got)
	}
	if got := failed(1, 3); got != string(record.RatiosCalibrated) {
		t.Errorf("ratios three times as large fail %q", got)
	}
}

// unaudited is why a scenario cannot be audited.
func unaudited(t *testing.T, text string, sets ...string) string {
	t.Helper()
	s, err := scenarios.Parse("audit.yaml", []byte(text), sets...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Audit(context.Background(), experiment.New(s, ""), AuditOptions{Runs: 4})
	if err == nil {
		return ""
	}
	return err.Error()
}

const splitAudit = `name: split-audit
problem:
  data: {set: twonorm, rows: 30, dimension: 4}
  columns: [3, 1]
  scale: {columns: none, rows: unit, intercept: false}
  rho: 1
network: {topology: {kind: star, nodes: 3}}
rounds: {count: 2}
algorithm: %s
adversary: {audit: {runs: 40, pilots: 2, node: 0, row: 1}}
`

const privateSharing = "{kind: private-admm-sharing, eta: 10, epsilon: 0.7, delta: 0.001, slack: 0.002, bound: 1000, " +
	"noise: %s}"

func TestAudit_Refuses(t *testing.T) {
	private := fmt.Sprintf(ring, "{kind: pvp, eta: 0.5, alpha: 1}")
	split := fmt.Sprintf(splitAudit, fmt.Sprintf(privateSharing, "range"))
	hub := strings.Replace(fmt.Sprintf(ring, "{kind: dp-admm}"), "ring, nodes: 5", "star, nodes: 5", 1)
	for _, c := range []struct{ text, set, want string }{
		{private, "rounds.mode=asynchronous", "needs a network.latency above 0"},
		{fmt.Sprintf(ring, "{kind: admm}"), "seeds.first=1", "claims no privacy"},
		{private, "network.faults=[{at: 1ms, crash: 1, until: 2ms, memory: lost}]", "nodes that keep their memory"},
		{private, "adversary.audit={node: 5}", "node 5 has no data; nodes 0 to 4 have"},
		{private, "adversary.audit={node: 4, row: 16}", "node 4 has samples 0 to 15, not 16"},
		{private, "adversary.audit={pair: {a: [1, 0], b: [0, 1]}}", "a and b have 2 and 2 numbers"},
		{private, "adversary.audit={pair: {a: [0, 0, 0, 0, 1], b: [0, 0, 0, 1, 0]}}", "a and b have 5 and 5 numbers"},
		{private, "algorithm.noise=off", "tells the worlds apart"},
		{hub, "adversary.audit={node: 5}", "node 5 has no data; nodes 1 to 4 have"},
		{hub, "adversary.audit={node: 1, row: 20}", "node 1 has samples 0 to 19, not 20"},
		{fmt.Sprintf(ring, "{kind: pdml}"), "adversary.audit={unit: sample, group: 30}", "which are not 30"},
		{fmt.Sprintf(ring, "{kind: pdml}"), "algorithm.labels=true", "no claim to audit"},
		{split, "adversary.audit={node: 2}", "there are parties 0 to 1, not 2"},
		{split, "adversary.audit={node: 1, row: 1}", "party 1 has columns 0 to 0, not 1"},
		{split, "adversary.audit={node: 0, pair: {a: [1], b: [0.5]}}", "where columns are split"},
		{fmt.Sprintf(splitAudit, "{kind: admm-sharing, eta: 10}"), "seeds.first=1", "claims no privacy"},
	} {
		if got := unaudited(t, c.text, c.set); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.set, got, c.want)
		}
	}
	// One run of each world cannot be halved.
	for _, text := range []string{private, fmt.Sprintf(ring, "{kind: pdml}"), split} {
		s, err := scenarios.Parse("audit.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Audit(context.Background(), experiment.New(s, ""), AuditOptions{Runs: 1}); err == nil ||
			!strings.Contains(err.Error(), "halving") {
			t.Errorf("one run: %v", err)
		}
	}
	for _, c := range [][2]string{{private, "adversary.audit={node: 4, row: 15, pilots: 1}"},
		{hub, "adversary.audit={node: 0, row: 19, pilots: 1}"}, {hub, "adversary.audit={node: 4, row: 0, pilots: 1}"},
		{split, "adversary.audit={node: 1, row: 0, pilots: 1}"}} {
		if why := unaudited(t, c[0], c[1]); why != "" {
			t.Errorf("%s: %s", c[1], why)
		}
	}
}

// What an audit says of itself: how many runs, of what, and the pairs that it chose from;
// the chosen one is that whose pilots lost most.
func TestAudit_ChoosesThePairThatLosesMost(t *testing.T) {
	s, err := scenarios.Parse("audit.yaml", []byte(fmt.Sprintf(ring, "{kind: pvp, eta: 0.5, alpha: 1}")),
		"adversary.audit={runs: 19, pilots: 3, node: 1, row: 2}")
	if err != nil {
		t.Fatal(err)
	}
	var last [2]int
	calls := 0
	progress := func(done, of int) {
		if calls++; done != calls {
			t.Errorf("progress %d at call %d", done, calls)
		}
		last = [2]int{done, of}
	}
	a, err := Audit(context.Background(), experiment.New(s, ""), AuditOptions{Runs: 6, Workers: 2, Progress: progress})
	if err != nil {
		t.Fatal(err)
	}
	pairs := len(a.Pair.Search)
	if want := 2*3*pairs + 2*6; last != [2]int{want, want} || calls != want || pairs < 3 {
		t.Errorf("progress ends at %v after %d calls; %d pairs", last, calls, pairs)
	}
	if a.Runs != 6 || a.Rounds != 8 || a.Pair.Node != 1 || a.Pair.Row != 2 || len(a.ByRound) != 8 {
		t.Errorf("%d runs of %d rounds, pair %+v", a.Runs, a.Rounds, a.Pair)
	}
	chosen, most := 0.0, 0.0
	for _, p := range a.Pair.Search {
		most = max(most, float64(p.Loss))
		if p.What == a.Pair.What {
			chosen = float64(p.Loss)
		}
	}
	if !(most > 0) || chosen != most {
		t.Errorf("the chosen pair loses %v, the worst %v", chosen, most)
	}
}

// A small audit over split columns, of one party whose rows have norm 1, as the theorem
// assumes. SH19's noise stays in the column space, so that one look tells two matrices
// apart. What is claimed is Theorem 1's ε a round, and Corollary 1's composition:
// ε′ = √(2T ln(1/δ′)) ε + Tε(e^ε − 1), δ = Tδ + δ′.
func TestAudit_SplitColumns(t *testing.T) {
	audit := func(noise string, sets ...string) *record.Audit {
		text := fmt.Sprintf(splitAudit, fmt.Sprintf(privateSharing, noise))
		s, err := scenarios.Parse("split.yaml", []byte(text), sets...)
		if err != nil {
			t.Fatal(err)
		}
		return checked(t, s)
	}
	total := math.Sqrt(2*2*math.Log(1/0.002)) + 2*math.Expm1(1) // T = 2, ε = 1
	for noise, unbounded := range map[string]bool{"range": true, "ambient": false} {
		a := audit(noise, "problem.data={set: twonorm, rows: 360, dimension: 120}", "problem.columns=[120]",
			"network.topology.nodes=2", "algorithm.eta=100", "algorithm.epsilon=1", "algorithm.delta=0.4")
		law := slices.ContainsFunc(a.Checks, func(c record.Check) bool { return c.Kind == record.NoiseLaw })
		if unbounded == law { // noise in part of the space has no law in all of it
			t.Errorf("%s: checks %+v", noise, a.Checks)
		}
		if a.Pair.Node != 1 || a.Pair.Row != 1 || !strings.HasPrefix(a.Condition, record.ClaimedNotProved) ||
			len(a.Pair.Search) != 5 ||
			len(a.ByRound) != 2 {
			t.Errorf("%s: pair %+v, condition %s", noise, a.Pair, a.Condition)
		}
		for _, v := range a.Verdicts {
			epsilon, delta := 1.0, 0.4
			if v.Scope == record.WholeRun {
				epsilon, delta = total, 2*0.4+0.002
			}
			if noise == "ambient" { // a Gaussian mechanism, with an accountant of its own
				epsilon, delta = float64(v.Epsilon), float64(v.Delta)
			}
			if v.Node != 1 || !(epsilon > 0) || !(math.Abs(float64(v.Epsilon)-epsilon) <= 1e-9) ||
				!(math.Abs(float64(v.Delta)-delta) <= 1e-12) {
				t.Errorf("%s: %+v, want ε = %v, δ = %v", noise, v, epsilon, delta)
			}
			if !strings.Contains(v.Method, "exact") {
				continue
			}
			if math.IsInf(float64(v.Measured), 1) != unbounded || (v.Verdict == record.Violated) != unbounded {
				t.Errorf("%s: %+v", noise, v)
			}
		}
		for _, l := range a.ByRound {
			if noise == "range" && l.Claimed != 1 || math.IsInf(float64(l.Largest), 1) != unbounded {
				t.Errorf("%s: %+v", noise, l)
			}
		}
	}
	// Where σ is given, a round claims what that gives.
	given := audit("ambient", "problem.data={set: twonorm, rows: 360, dimension: 120}", "problem.columns=[120]",
		"network.topology.nodes=2", "algorithm.eta=100", "algorithm.delta=0.1", "algorithm.sigma=16")
	if claimed := float64(given.ByRound[0].Claimed); !(claimed > 0) {
		t.Errorf("σ = 16 claims %v a round: %s", claimed, given.Condition)
	}
	// Iterates beyond the bound that the theorem assumes leave its claim open.
	loud := audit("ambient", "problem.data={set: twonorm, rows: 360, dimension: 120}", "problem.columns=[120]",
		"network.topology.nodes=2", "algorithm.eta=100", "algorithm.delta=0.1", "algorithm.sigma=300")
	if !strings.Contains(loud.Condition, "stay within b₁ = 1000") {
		t.Errorf("σ = 300: condition %s", loud.Condition)
	}
	// The blocks of two parties have no rows of norm 1. A given σ is as it is given.
	for party, want := range []record.Pair{{Node: 1, Row: 1}, {Node: 2, Row: 0}} {
		a := audit("ambient", fmt.Sprintf("adversary.audit={node: %d, row: %d, pilots: 2, runs: 40}", party, want.Row))
		if a.Pair.Node != want.Node || a.Pair.Row != want.Row || !strings.Contains(a.Condition, "Assumption 1") {
			t.Errorf("party %d: pair %+v, condition %q", party, a.Pair, a.Condition)
		}
		if v := a.Verdicts[0]; v.Verdict != record.NotEstablished || v.Node != want.Node {
			t.Errorf("party %d: %+v", party, v)
		}
	}
}

// An audit keeps the noise of every run, as many numbers as vectors have; more than memory holds is refused before it
// is drawn.
func TestAudit_NoiseIsCounted(t *testing.T) {
	e := small(t, auditedPVP, nil, "problem.data.dimension=2000", "adversary.audit={runs: 1000, pilots: 10}")
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	// 6 rounds of 2,000 numbers: of node 0 in 2,000 runs, of two others in twice 555.
	const kept = 8 * 6 * 2000 * (2000 + 2*2*555)
	defer memory.SetLimit(memory.SetLimit(kept))
	if err := noiseFits(a, 1000); err != nil {
		t.Errorf("what memory holds: %v", err)
	}
	memory.SetLimit(kept - 1)
	_, err = Audit(context.Background(), e, AuditOptions{})
	var setup experiment.SetupError
	if !errors.As(err, &setup) || !strings.Contains(err.Error(), "the noise of 1000 runs of 6 rounds") ||
		!strings.Contains(err.Error(), "fewer runs") {
		t.Errorf("beyond the memory: %v", err)
	}
}

// A right method fails an audit by chance at most 2.11 times in 100,000, however many nodes, users, rounds and runs it
// has: each of at most 21 checks looks at all of them at once and fails once in a million, the two of sizes and spreads
// once in 25 million. Checks of packets have no chance in them.
func TestAudit_FalseAlarmsOfAllChecks(t *testing.T) {
	certain := []record.CheckKind{record.SolvesExact, record.CertificateOfNoise,
		record.ClaimOfNoise}
	for _, k := range things {
		certain = append(certain, k.kind)
	}
	for algorithm, want := range map[string]float64{auditedPVP: 16, plantedPDML: 21} {
		for _, nodes := range []string{"3", "6"} {
			a := plantedAudit(t, &planted{algorithm: algorithm}, "network.topology={kind: ring, nodes: "+nodes+"}")
			sum := 0.0
			for _, c := range a.Checks {
				switch {
				case slices.Contains(certain, c.Kind):
				case c.Kind == record.NoiseSize || c.Kind == record.NoiseSpread:
					if c.Bound != 5.5 { // of which the tails are in a test of stats
						t.Errorf("%+v", c)
					}
					sum += 0.038 * stats.Chance
				default:
					sum += stats.Chance
				}
			}
			if most := (want + 0.076) * stats.Chance; !(math.Abs(sum/most-1) <= 1e-9) {
				t.Errorf("%s, %s nodes: a false alarm once in %.0f, not in %.0f", algorithm, nodes, 1/sum, 1/most)
			}
		}
	}
}
