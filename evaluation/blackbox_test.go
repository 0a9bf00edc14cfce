// The audit that knows no method: it finds errors that it was told nothing of, and raises no false alarm.

package evaluation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
)

// blindScenario is small, with the algorithm given in flow style.
func blindScenario(algorithm string) string {
	return fmt.Sprintf(`name: blind
problem:
  data: {set: twonorm, rows: 60, dimension: 3}
  train: 30
  scale: {columns: max, rows: clip, intercept: false}
  rho: 0.3
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 4}
algorithm: %s
adversary: {audit: {runs: 400, pilots: 10, node: 1}}
`, algorithm)
}

// blindAudit is the black-box audit of the scenario of auditOf, of a method with a flaw that no model knows.
func blindAudit(t *testing.T, algorithm string, f flaw, sets ...string) *record.Audit {
	t.Helper()
	s, err := scenarios.Parse("blind.yaml", []byte(blindScenario(algorithm)), sets...)
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	if f != nil {
		entry, right := *e.Entry, e.Entry
		entry.New = func(params any, s algorithms.Setting) (algorithms.Method, error) {
			m, err := right.New(params, s)
			if err != nil {
				return nil, err
			}
			return f(m.(privateRow), s), nil
		}
		e.Entry = &entry
	}
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
	}{
		"even rounds take a fresh gradient": {"{kind: private-r-admm, eta: 0.5, gamma: 0.3, alpha: 1}",
			func(m privateRow, s algorithms.Setting) algorithms.Method { return fresh{m, s, 0.5, 0.3} }},
		"the clean iterate is sent": {"{kind: pvp, eta: 0.05, alpha: 1}",
			func(m privateRow, s algorithms.Setting) algorithms.Method { return clean{m, s, 0.05} }},
	} {
		a := blindAudit(t, c.algorithm, c.flaw)
		if a.Stands() || len(violated(a)) == 0 {
			t.Errorf("%s: nothing found: %+v", name, a.Verdicts)
		}
		if right := blindAudit(t, c.algorithm, nil); !right.Stands() {
			t.Errorf("%s: the right method is refuted: %+v", name, right.Verdicts)
		}
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
				s := sighting{}
				x := g.NormFloat64()
				for k := range int32(3) {
					s[cell{round: 0, number: k}] = x + g.NormFloat64()
				}
				s[cell{round: 1, number: 0}] = float64(g.IntN(3)) // values repeat
				sample[w] = append(sample[w], s)
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

// A node that starts where its own rows' loss is least says so in round 0, for which nothing is claimed: the packets of
// round 0 are rewritten to what such a node sends.
func TestBlackBox_FindsAStartThatDependsOnData(t *testing.T) {
	s, err := scenarios.Parse("blind.yaml", []byte(blindScenario("{kind: pvp, eta: 0.05, alpha: 1}")))
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	a, err := e.Assemble(1)
	if err != nil {
		t.Fatal(err)
	}
	spec := auditSpec(s)
	p := proposals(a.Problem, 1, &spec, make([]float64, a.Problem.D))[0]
	b, err := box(e, a, 1, 0, p)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := b.sample(context.Background(), "start", 1, 120, 2, func() {})
	if err != nil {
		t.Fatal(err)
	}
	judge := func() *record.Audit {
		out := &record.Audit{Rounds: s.Rounds.Count, Pair: record.Pair{Node: 1}}
		claims(a.Account, 1, "sample", s.Rounds.Count).judgeBlindly(out, sample)
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
			for c := range s {
				if c.round == 0 && c.from == 1 && c.number >= 0 {
					s[c] = f[c.number]
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
				sample[w] = append(sample[w], sighting{
					{round: 1}: g.NormFloat64() + shift*float64(w), {round: 1, number: 1}: g.NormFloat64()})
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
