// The audit that knows no method: it finds errors that it was told nothing of, and raises no false alarm.

package evaluation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/memory"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
)

// blind are the sizes of black-box audits of the small experiment.
var blind = []string{"rounds.count=4", "adversary.audit.runs=400"}

// blindAudit is the black-box audit of the small experiment, of a method with a flaw that no model knows.
func blindAudit(t *testing.T, algorithm string, f flaw, sets ...string) *record.Audit {
	t.Helper()
	e := small(t, algorithm, inRows(f), append(blind[:len(blind):len(blind)], sets...)...)
	a, err := BlackBox(context.Background(), e, AuditOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// gradientOf is that of a node's rows.
func gradientOf(p *problem.Problem, i int, f []float64) []float64 {
	o := &problem.Objective{U: p.Shards[i].U, Weight: p.C / float64(p.Shards[i].U.Len()), Ridge: p.R[i], Loss: p.Loss}
	out := make([]float64, len(f))
	problem.NewSolver(o, 0).Gradient(problem.NewScratch(len(f), p.Shards[i].U.Len()), f, out)
	return out
}

// fresh takes a new gradient in even rounds, which should recycle the last.
type fresh struct {
	privateRow
	algorithms.Setting
	eta, gamma float64
}

func (m fresh) Update(n *algorithms.Node, t int) error {
	if t%2 == 1 {
		return m.privateRow.Update(n, t)
	}
	before := slices.Clone(n.F)
	dual := slices.Clone(n.Dual)
	degree := float64(n.Degree())
	g := gradientOf(m.Problem, n.ID, before)
	num.Axpy(2, dual, g)
	num.Axpy(m.eta*degree, before, g)
	for _, h := range n.Heard {
		num.Axpy(-m.eta, h, g)
	}
	num.Axpy(-1/(2*m.eta*degree+m.gamma), g, n.F)
	return nil
}

// clean sends the minimiser without its noise.
type clean struct {
	privateRow
	algorithms.Setting
	eta float64
}

func (m clean) Update(n *algorithms.Node, _ int) error {
	n.Pull(m.eta)
	return n.Minimise(2 * m.eta * float64(n.Degree()))
}

// once sends one minimiser without its noise, late: by then the dual variable remembers more rounds than a look is at.
type once struct{ clean }

func (m once) Update(n *algorithms.Node, t int) error {
	if t == 8 {
		return m.clean.Update(n, t)
	}
	return m.privateRow.Update(n, t)
}

// sightingOf is what a run would have of those numbers.
func sightingOf(numbers map[cell]float64) (s sighting) {
	s.cells = slices.SortedFunc(maps.Keys(numbers), compareCells)
	for _, c := range s.cells {
		s.values = append(s.values, numbers[c])
	}
	return s
}

// violated are the families that refute the claim.
func violated(a *record.Audit) (all []string) {
	for _, v := range a.Verdicts {
		if v.Verdict == record.Violated {
			all = append(all, v.Method)
		}
	}
	return all
}

func TestBlackBox_FindsWhatItWasNotToldOf(t *testing.T) {
	for name, c := range map[string]struct {
		algorithm string
		flaw      flaw
		sets      []string
	}{
		"even rounds take a fresh gradient": {"{kind: private-r-admm, eta: 0.5, gamma: 0.3, alpha: 1}",
			func(m privateRow, s algorithms.Setting) algorithms.Method { return fresh{m, s, 0.5, 0.3} }, nil},
		"the clean iterate is sent": {"{kind: pvp, eta: 0.05, alpha: 1}",
			func(m privateRow, s algorithms.Setting) algorithms.Method { return clean{m, s, 0.05} }, nil},
		"one clean iterate is sent, late": {"{kind: pvp, eta: 0.2, alpha: 0.1}",
			func(m privateRow, s algorithms.Setting) algorithms.Method { return once{clean{m, s, 0.2}} },
			[]string{"rounds.count=8"}},
	} {
		a := blindAudit(t, c.algorithm, c.flaw, c.sets...)
		if a.Stands() || len(violated(a)) == 0 {
			t.Errorf("%s: nothing found: %+v", name, a.Verdicts)
		}
		if right := blindAudit(t, c.algorithm, nil, c.sets...); !right.Stands() {
			t.Errorf("%s: the right method is refuted: %+v", name, right.Verdicts)
		}
	}
}

// Where nothing is claimed, what is lost is measured: of methods without noise the packets tell the worlds apart, and
// worlds that are alike show no loss.
func TestBlackBox_MeasuresWhatClaimsNothing(t *testing.T) {
	sharing, err := scenarios.Parse("split.yaml", fmt.Appendf(nil, splitAudit, "{kind: admm-sharing, eta: 10}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		e    *experiment.Experiment
		unit privacy.Unit
		says string
	}{
		{small(t, "{kind: admm, eta: 0.05}", nil, "rounds.count=4", "adversary.audit.runs=60"), privacy.Sample,
			"algorithm admm claims no privacy"},
		{small(t, "{kind: admm, eta: 0.05}", nil, "rounds.count=4", "adversary.audit.runs=60",
			"adversary.audit.unit=label"), privacy.Label, "algorithm admm claims no privacy"},
		{small(t, "{kind: pvp, eta: 0.05, alpha: 1, noise: off}", nil, "rounds.count=4", "adversary.audit.runs=60"),
			privacy.Sample, "the noise is off"},
		{experiment.New(sharing, ""), privacy.Column, "algorithm admm-sharing claims no privacy"},
	} {
		a, err := BlackBox(context.Background(), c.e, AuditOptions{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		v := a.Verdicts[0]
		if !(float64(v.Measured) >= 1) || !math.IsNaN(float64(v.Epsilon)) || v.Verdict != record.NotEstablished ||
			!a.Stands() || a.Pair.Unit != c.unit || !strings.HasPrefix(v.Reason, c.says) ||
			strings.Contains(v.Reason, "beyond the claim") {
			t.Errorf("%s of a %s: %+v", a.Algorithm, c.unit, v)
		}
	}
	e := small(t, "{kind: admm, eta: 0.05}", nil)
	spec, out := auditSpec(e.Scenario), &record.Audit{Rounds: e.Rounds.Count}
	g := rand.New(rand.NewPCG(14, 4))
	var alike [2][]sighting
	for w := range alike {
		for range 60 {
			alike[w] = append(alike[w], sightingOf(map[cell]float64{{round: 1}: g.NormFloat64(), {round: 2}: 1}))
		}
	}
	nothing(e, &spec, privacy.Sample).judgeBlindly(out, alike)
	if v := out.Verdicts[0]; v.Measured != 0 {
		t.Errorf("worlds that are alike show a loss of %v", v.Measured)
	}
}

// Of worlds that are alike, and claims of nothing, at most 5 % are refuted by any family: 400 audits, each of four
// families at once, with numbers of every kind.
func TestBlackBox_FalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector")
	}
	const audits = 400
	g := rand.New(rand.NewPCG(14, 3))
	alarms := 0
	for range audits {
		var sample [2][]sighting
		for w := range sample {
			for range 60 {
				s := map[cell]float64{}
				x := g.NormFloat64()
				for k := range int32(3) {
					s[cell{round: 0, number: k}] = x + g.NormFloat64()
				}
				s[cell{round: 1, number: 0}] = float64(g.IntN(3)) // values repeat
				sample[w] = append(sample[w], sightingOf(s))
			}
		}
		c := &claim{unit: "sample", round: make([]float64, 2), total: make([]float64, 2)}
		out := &record.Audit{Rounds: 1}
		c.judgeBlindly(out, sample)
		if len(violated(out)) > 0 {
			alarms++
		}
	}
	if alarms > 20 {
		t.Errorf("%d of %d audits of worlds that are alike raise an alarm", alarms, audits)
	}
}

// looks are so many runs of either world of the first pair that is proposed.
func looks(t *testing.T, e *experiment.Experiment, runs int) (*blackBox, *experiment.Assembly, [2][]sighting) {
	t.Helper()
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	spec := auditSpec(e.Scenario)
	pairs, _, err := blindPairs(e, a, &spec)
	if err != nil {
		t.Fatal(err)
	}
	b, err := box(e, a, &pairs[0])
	if err != nil {
		t.Fatal(err)
	}
	sample, err := b.sample(context.Background(), "run", 1, runs, 2, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return b, a, sample
}

// A node that starts where its own rows' loss is least says so in round 0, for which nothing is claimed: the packets of
// round 0 are rewritten to what such a node sends.
func TestBlackBox_FindsAStartThatDependsOnData(t *testing.T) {
	e := small(t, "{kind: pvp, eta: 0.05, alpha: 1}", nil, blind...)
	b, a, sample := looks(t, e, 120)
	judge := func() *record.Audit {
		out := &record.Audit{Rounds: e.Rounds.Count, Pair: record.Pair{Node: 1}}
		claims(a.Account, 1, 0, 1, "sample", e.Rounds.Count).judgeBlindly(out, sample)
		return out
	}
	if right := judge(); len(violated(right)) > 0 {
		t.Errorf("the right start is refuted: %+v", right.Verdicts)
	}
	for w := range sample {
		world := b.worlds[w].Problem
		f := make([]float64, world.D)
		for range 2000 {
			num.Axpy(-0.5, gradientOf(world, 1, f), f)
		}
		rewritten := 0
		for _, s := range sample[w] {
			for k, c := range s.cells {
				if c.round == 0 && c.from == 1 && c.number >= 0 {
					s.values[k] = f[c.number]
					rewritten++
				}
			}
		}
		if rewritten == 0 {
			t.Fatal("no packet of round 0")
		}
	}
	found := judge()
	if len(violated(found)) == 0 {
		t.Errorf("nothing found: %+v", found.Verdicts)
	}
	for _, v := range found.Verdicts {
		if v.Verdict == record.Violated && (v.Round != 0 || v.Epsilon != 0) {
			t.Errorf("%+v", v)
		}
	}
}

// A threshold of power: worlds whose means are as far apart as stated are told apart in nearly all audits.
func TestBlackBox_Power(t *testing.T) {
	g := rand.New(rand.NewPCG(14, 5))
	found := 0
	const audits, runs, shift = 50, 200, 1.0 // standard deviations, at a claim of 0
	for range audits {
		var sample [2][]sighting
		for w := range sample {
			for range runs {
				sample[w] = append(sample[w], sightingOf(map[cell]float64{
					{round: 1}: g.NormFloat64() + shift*float64(w), {round: 1, number: 1}: g.NormFloat64()}))
			}
		}
		out := &record.Audit{Rounds: 1}
		(&claim{unit: "sample", round: make([]float64, 2), total: make([]float64, 2)}).judgeBlindly(out, sample)
		if len(violated(out)) > 0 {
			found++
		}
	}
	if found < audits*9/10 {
		t.Errorf("a shift of %v is found in %d of %d audits", shift, found, audits)
	}
}

// A leak that only the judged half is large enough to show is found whatever round 0 shows, which says nothing and of
// which nothing is claimed.
func TestBlackBox_RoundZeroHidesNoOther(t *testing.T) {
	g := rand.New(rand.NewPCG(14, 7))
	const audits, runs = 20, 200
	found := 0
	for range audits {
		var sample [2][]sighting
		for w := range sample {
			for range runs {
				sample[w] = append(sample[w], sightingOf(map[cell]float64{
					{round: 0}: g.NormFloat64(), {round: 4}: g.NormFloat64() + 20*float64(w)}))
			}
		}
		out := &record.Audit{Rounds: 4}
		c := &claim{unit: "sample", round: make([]float64, 5), total: []float64{0, 2.7, 2.7, 2.7, 2.7}}
		if c.judgeBlindly(out, sample); len(violated(out)) > 0 {
			found++
		}
	}
	if found < audits*9/10 {
		t.Errorf("found in %d of %d audits", found, audits)
	}
}

// Of a method that protects labels and rows the audit is of what the scenario asks for: a label by what users report,
// which refutes a smaller claim than their own, and a row by what servers send, as a report says all of a row.
func TestBlackBox_IsOfTheUnitThatIsAsked(t *testing.T) {
	const method = "{kind: pdml, eta: 0.05, epsilon: {list: [1, 30]}, deviation: 3}"
	for _, c := range []struct {
		unit, row string
		of        privacy.Unit
		claimed   float64
	}{{"auto", "0", privacy.Label, 1}, {"label", "1", privacy.Label, 30}, {"sample", "0", privacy.Sample, 0}} {
		a := blindAudit(t, method, nil, "adversary.audit.unit="+c.unit, "adversary.audit.row="+c.row,
			"adversary.audit.runs=200")
		if a.Pair.Unit != c.of || !a.Stands() {
			t.Errorf("%s: %s, %+v", c.unit, a.Pair.Unit, a.Verdicts)
		}
		for _, v := range a.Verdicts {
			if c.of == privacy.Label && float64(v.Epsilon) != c.claimed {
				t.Errorf("%s of row %s: %+v", c.unit, c.row, v)
			}
		}
	}
	e := small(t, "{kind: pvp, eta: 0.05, alpha: 1}", nil, append(blind[:2:2], "adversary.audit.unit=label")...)
	a, err := BlackBox(context.Background(), e, AuditOptions{Workers: 2})
	if err != nil || a.Pair.Unit != privacy.Label || a.Verdicts[0].Verdict != record.Consistent ||
		a.Verdicts[0].Epsilon != 4 || strings.Contains(a.Threat.Sees, "report") {
		t.Errorf("labels that nobody reports: %v, %+v", err, a)
	}
	// A label that is sent as it is, against the claim that it is flipped.
	e = small(t, method, inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
		return &registering{flawed: flawed{privateRow: m}, report: func(seed uint64, i, k int) []float64 {
			report := m.(algorithms.Registering).Report(seed, i, k)
			report[len(report)-2] = s.Problem.Shards[i].Y[k] // before the user's ε
			return report
		}}
	}), append(blind[:2:2], "adversary.audit.runs=200")...)
	if a, err := BlackBox(context.Background(), e, AuditOptions{Workers: 2}); err != nil || len(violated(a)) == 0 {
		t.Errorf("labels as they are: %v, %+v", err, a)
	}
}

// A number that a packet carries takes 8 bytes of a run, as the runs' cells are the same, and rounds that are not
// looked at take none; more than memory holds is refused.
func TestBlackBox_KeepsOneNumberForEachThatIsSeen(t *testing.T) {
	e := small(t, "{kind: pvp, eta: 0.05, alpha: 1}", nil, "rounds.count=90", "adversary.audit.runs=50")
	_, a, sample := looks(t, e, 4)
	rounds, sums := map[int32]bool{}, map[int32]bool{}
	for _, c := range sample[0][0].cells {
		if rounds[c.round] = true; c.summed {
			sums[c.round] = true
		}
	}
	if len(sums) < 10 || len(sums) == len(rounds) || sums[0] || sums[90] || !sums[88] {
		t.Errorf("sums are kept of the rounds %v", sums)
	}
	if len(rounds) > 50 || !rounds[0] || !rounds[90] {
		t.Errorf("%d rounds are kept of 91", len(rounds))
	}
	alike := 0
	for w := range sample {
		for k := range sample[w] {
			s := &sample[w][k]
			want := len(rounds)*4*(3+3) + len(sums)*4*3
			if len(s.values) != want || !slices.IsSortedFunc(s.cells, compareCells) {
				t.Errorf("%d numbers, want %d", len(s.values), want)
			}
			if &s.cells[0] == &sample[0][0].cells[0] {
				alike++
			}
		}
	}
	if alike < 8 {
		t.Errorf("the cells of %d of 8 runs are in memory once", alike)
	}
	kept := 8 * 2 * 50 * int64(len(sample[0][0].values))
	defer memory.SetLimit(memory.SetLimit(kept))
	if err := blindFits(e, a, &record.Pair{Node: 1, Unit: privacy.Sample}, 50); err != nil {
		t.Errorf("what memory holds: %v", err)
	}
	memory.SetLimit(kept - 1)
	if err := blindFits(e, a, &record.Pair{Node: 1, Unit: privacy.Sample}, 50); err == nil ||
		!strings.Contains(err.Error(), "a black-box audit of 50 runs of 90 rounds") {
		t.Errorf("beyond the memory: %v", err)
	}
}

// Where nothing varies, or nothing of what does is learnt, the verdict says which; a claim that is not established
// stays so.
func TestBlackBox_WhereNothingIsLearnt(t *testing.T) {
	for name, c := range map[string]struct {
		numbers func(k int) map[cell]float64
		total   float64
		says    string
	}{
		"nothing varies": {func(int) map[cell]float64 { return map[cell]float64{{}: 1} }, 0, "no packet varies"},
		"nothing exceeds a claim without end": {
			func(k int) map[cell]float64 { return map[cell]float64{{}: float64(k)} }, math.Inf(1),
			"nothing that tells the worlds apart was learnt"},
	} {
		var sample [2][]sighting
		for w := range sample {
			for k := range 40 {
				sample[w] = append(sample[w], sightingOf(c.numbers(k)))
			}
		}
		for _, established := range []error{nil, errors.New("α is too small")} {
			out := new(record.Audit)
			(&claim{unit: "sample", established: established, total: []float64{c.total}}).judgeBlindly(out, sample)
			for _, v := range out.Verdicts {
				if v.Verdict != record.NotEstablished || !strings.HasSuffix(v.Reason, c.says) || established != nil &&
					!strings.HasPrefix(v.Reason, established.Error()) {
					t.Errorf("%s: %+v", name, v)
				}
			}
		}
	}
}

// Columns are audited without a model, too: of groups of samples and of parties' messages it finds what no
// claim allows.
func TestBlackBox_ColumnsAndGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute under the race detector")
	}
	run := func(algorithm string, plant planting, sets ...string) *record.Audit {
		t.Helper()
		e := small(t, algorithm, plant, append(blind[:len(blind):len(blind)], sets...)...)
		a, err := BlackBox(context.Background(), e, AuditOptions{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	// One party, whose rows have norm 1 as the paper assumes.
	const loud = "{kind: private-admm-sharing, eta: 10, epsilon: 0.7, delta: 0.001, slack: 0.002, bound: 10, " +
		"noise: ambient, sigma: 200}"
	party := []string{"network.topology={kind: star, nodes: 2}", "problem.columns=[3]", "adversary.audit.node=0"}
	right := run(loud, nil, party...)
	if !right.Stands() || right.Pair.Unit != "column" || right.Pair.Node != 1 {
		t.Errorf("%+v: %+v", right.Pair, right.Verdicts)
	}
	silent := func(m algorithms.Method, _ algorithms.Setting) algorithms.Method {
		return &columns{columnMethod: m.(columnMethod), answer: func(inner columnMethod, p *algorithms.Party, t int,
			hub []float64) ([]float64, error) {
			v, err := inner.Answer(p, t, hub)
			if err != nil {
				return nil, err
			}
			noise := make([]float64, len(v))
			privacy.Gaussian(p.Stream("noise", t), 200, noise)
			num.Axpy(-1, noise, v)
			p.Memory = append(p.Memory[:0], v...)
			return v, nil
		}}
	}
	if a := run(loud, silent, party...); a.Stands() || len(violated(a)) == 0 {
		t.Errorf("a party without noise is not found: %+v", a.Verdicts)
	}
	group := run("{kind: pvp, eta: 0.05, alpha: 0.3}", nil, "adversary.audit.group=3")
	if !group.Stands() || group.Pair.Group != 3 {
		t.Errorf("%+v: %+v", group.Pair, group.Verdicts)
	}
	bare := inRows(func(m privateRow, s algorithms.Setting) algorithms.Method { return clean{m, s, 0.05} })
	if a := run("{kind: pvp, eta: 0.05, alpha: 0.3}", bare, "adversary.audit.group=3"); len(violated(a)) == 0 {
		t.Errorf("a group without noise is not found: %+v", a.Verdicts)
	}
}

// Of a short run every round is looked at, and of a round what the node sends comes first, whatever its number and
// however many its neighbours' numbers are.
func TestBlackBox_LooksAtEveryRound(t *testing.T) {
	for _, rounds := range []int{1, 2, 3, 13, 30, 47, 60} {
		if seen, _ := seenRounds(rounds); slices.Contains(seen, false) {
			t.Errorf("of %d rounds some are not looked at: %v", rounds, seen)
		}
	}
	if seen, _ := seenRounds(1000); !slices.Contains(seen, false) {
		t.Error("all of 1,000 rounds are looked at")
	}
	g := rand.New(rand.NewPCG(14, 9))
	var sample [2][]sighting
	for w := range sample {
		for range 10 {
			numbers := map[cell]float64{}
			for from := range int32(10) {
				for k := range int32(30) {
					numbers[cell{round: 3, from: from, number: k}] = g.NormFloat64()
				}
			}
			sample[w] = append(sample[w], sightingOf(numbers))
		}
	}
	if got := inWindow(sample, 10, 3, 9); len(got) != mostCells || got[0].from != 9 || got[29].from != 9 {
		t.Errorf("the node's own are not the first of %d", len(got))
	}
}
