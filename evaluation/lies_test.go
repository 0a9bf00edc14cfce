// Audits of runs in which nodes lie.

package evaluation

import (
	"context"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/acts"
	"overhear/algorithms"
	"overhear/record"
)

// Honest nodes do what their method says with what they are told, and liars what their strategy says with what has
// reached them: all of it is explained, whatever the strategy, the method and the network.
func TestAudit_OfRunsWithLiarsHoldsWhereTheMethodIsRight(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	asynchronous := []string{"rounds.mode=asynchronous", "rounds.quorum=0.5", "network.latency=20ms"}
	lossy := []string{"rounds.missing=last", "rounds.deadline=200ms", "rounds.retry=50ms", "network.latency=20ms",
		"network.loss=0.1"}
	n := 0
	for _, act := range []string{"{kind: constant, nodes: [2]}", "{kind: mirror, nodes: [2], factor: 3}",
		"{kind: equivocate, nodes: [0, 2]}", "{kind: steer, nodes: [0], victim: 1, row: 0}",
		"{kind: replay, nodes: [2], back: 2}", "{kind: replay, nodes: [0], back: 1, of: heard}",
		"{kind: silent, nodes: [2], from-round: 2, until-round: 4}"} {
		for k, sets := range [][]string{nil, asynchronous, lossy} {
			if strings.Contains(act, "silent") && k == 0 {
				continue
			}
			for _, algorithm := range []string{auditedDVP, auditedPVP, plantedDGD, plantedRADMM} {
				if n++; n%3 != 0 && k > 0 {
					continue // a third of them
				}
				a := auditOf(t, algorithm, nil, append([]string{"adversary.audit={runs: 20, pilots: 1, node: 1}",
					"adversary.acts=[" + act + "]"}, sets...)...)
				if why := failures(a); why != "" {
					t.Errorf("%s, %s, %v:\n\t%s", algorithm, act, sets, why)
				}
			}
		}
	}
}

// swayed are a small run with a liar, and who explains it.
func swayed(t *testing.T, act string, sets ...string) (*explainer, *wire) {
	t.Helper()
	return overheard(t, small(t, auditedDVP, nil, append([]string{"adversary.acts=[" + act + "]"}, sets...)...), 3)
}

// Of what liars send nothing is taken on trust.
func TestExplain_FindsLiesThatNoStrategyTells(t *testing.T) {
	const act = "{kind: mirror, nodes: [2], from-round: 2}"
	from := func(c *wire, node, round int) *packet {
		for i := range c.packets {
			if p := &c.packets[i]; p.kind == algorithms.KindValue && p.from == node && p.round == round {
				return p
			}
		}
		t.Fatal("no such packet")
		return nil
	}
	stated := func(c *wire, round int) *algorithms.Statement {
		for _, s := range c.stated {
			if s.Round == round {
				return s
			}
		}
		t.Fatal("no such statement")
		return nil
	}
	for name, c := range map[string]struct {
		plant func(x *explainer, c *wire)
		kind  record.CheckKind
	}{
		"nothing": {func(*explainer, *wire) {}, ""},
		"another vector": {func(_ *explainer, c *wire) {
			p := from(c, 2, 3)
			p.payload = c.keep([]float64{1, 2, 3})
		}, record.LiesFollow},
		"another vector, which it owns to": {func(_ *explainer, c *wire) {
			p, s := from(c, 2, 3), stated(c, 3)
			s.Values = []float64{1, 2, 3}
			p.payload = c.keep(s.Values)
		}, record.LiesFollow},
		"a lie in a round of honesty": {func(_ *explainer, c *wire) {
			p, s := from(c, 2, 1), stated(c, 1)
			s.Values = []float64{1, 2, 3}
			p.payload = c.keep(s.Values)
		}, record.LiesFollow},
		"what had not come": {func(_ *explainer, c *wire) {
			stated(c, 3).Heard[0] = 4
		}, record.LiesFollow},
		"what it had not published": {func(_ *explainer, c *wire) {
			for i := range c.published {
				if p := &c.published[i]; p.Node == 2 && p.Round == 4 {
					p.Values = []float64{0, 0, 0}
				}
			}
		}, record.LiesFollow},
		"no word of a round": {func(_ *explainer, c *wire) {
			for i, s := range c.stated {
				if s.Round == 3 {
					c.stated = append(c.stated[:i], c.stated[i+1:]...)
					return
				}
			}
		}, record.LiesFollow},
		"an honest node that equivocates": {func(_ *explainer, c *wire) {
			p := from(c, 0, 3)
			p.payload = c.keep([]float64{1, 2, 3})
		}, record.OneValueForAll},
		"a packet kept back": {func(_ *explainer, c *wire) {
			p := from(c, 2, 3)
			for i := range c.packets {
				if &c.packets[i] == p {
					c.packets = append(c.packets[:i], c.packets[i+1:]...)
					return
				}
			}
		}, record.PacketsExpected},
		"another world's aim": {func(x *explainer, _ *wire) {
			one := *x.assembly[0]
			graph := one.Graph
			other, err := acts.New([]acts.Act{{Kind: "mirror", Nodes: []int{2}, From: 2, Every: 1,
				Strategy: &acts.Mirror{About: "mean", Factor: 1.001}}}, graph, one.Problem)
			if err != nil {
				t.Fatal(err)
			}
			one.Liars = other
			x.assembly[0] = &one
		}, record.LiesFollow},
	} {
		x, w := swayed(t, act)
		c.plant(x, w)
		account, err := x.explain(context.Background(), w, run{seed: 3, number: twins})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := account[c.kind]; c.kind != "" && (got == nil || got.wrong == 0) {
			t.Errorf("%s: %s does not find it", name, c.kind)
		}
		if c.kind == "" && !account.explained() {
			t.Errorf("%s: %+v", name, account)
		}
	}
}

// A node that computes with what a liar published, and not with what it was told, is found.
func TestExplain_FindsWhoKnowsTheTruth(t *testing.T) {
	x, w := swayed(t, "{kind: equivocate, nodes: [2]}")
	for _, s := range w.stated {
		if s.To == 1 { // its neighbour is told the truth, and says that it was not
			s.Values = nil
		}
	}
	for i := range w.packets {
		if p := &w.packets[i]; p.kind == algorithms.KindValue && p.from == 2 && p.to == 1 {
			for k := range w.published {
				if r := &w.published[k]; r.Node == 2 && int(r.Round) == p.round {
					p.payload = w.keep(r.Values)
				}
			}
		}
	}
	account, err := x.explain(context.Background(), w, run{seed: 3, number: twins})
	if err != nil {
		t.Fatal(err)
	}
	if got := account[record.StepsRepeat]; got == nil || got.wrong == 0 {
		t.Error("its steps are taken for right")
	}
}

// What is so large that solves and roundings leave more than a row moves a step by leaves nothing established.
func TestAudit_LiesThatBreakTheProofsConditions(t *testing.T) {
	for size, want := range map[string]string{"10": record.Consistent, "1e12": record.NotEstablished} {
		for _, algorithm := range []string{auditedDVP, plantedDGD} {
			a := auditOf(t, algorithm, nil, "adversary.audit={runs: 20, pilots: 1, node: 1}",
				"adversary.acts=[{kind: constant, nodes: [2], size: "+size+"}]")
			v := a.Verdicts[len(a.Verdicts)-1]
			if v.Verdict != want {
				t.Errorf("%s, %s: %s: %s", algorithm, size, v.Verdict, v.Reason)
			}
			if c := a.Certificate; want == record.NotEstablished && c != nil && c.Reason == "" {
				t.Errorf("%s, %s: certified all the same: %+v", algorithm, size, c)
			}
			e := small(t, algorithm, nil, "adversary.audit={runs: 40, pilots: 1, node: 1}",
				"adversary.acts=[{kind: constant, nodes: [2], size: "+size+"}]")
			box, err := BlackBox(context.Background(), e, AuditOptions{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if got := box.Verdicts[len(box.Verdicts)-1].Verdict; got != want {
				t.Errorf("%s, %s, as a black box: %s", algorithm, size, got)
			}
		}
	}
}

// Lies so large that rounding takes noise and row alike leave nothing measured by a likelihood: the check of the noise
// fails, which sees neither.
func TestAudit_LiesThatHideTheNoise(t *testing.T) {
	for size, hidden := range map[string]bool{"10": false, "1e18": true} {
		a := auditOf(t, plantedDGD, nil, "adversary.audit={runs: 20, pilots: 1, node: 1}",
			"adversary.acts=[{kind: constant, nodes: [2], size: "+size+"}]")
		k := slices.IndexFunc(a.Checks, func(c record.Check) bool { return c.Kind == record.NoiseFromStream })
		if c := a.Checks[k]; c.Holds == hidden || hidden && !strings.Contains(c.Detail, "hide it") {
			t.Errorf("size %s: %+v", size, c)
		}
		v := a.Verdicts[len(a.Verdicts)-1]
		likely := strings.Contains(v.Reason, "log-likelihood ratio of all")
		if hidden && (likely || !(v.Measured <= 0.1)) {
			t.Errorf("size %s: measured %v: %s", size, v.Measured, v.Reason)
		}
	}
}

func TestAudit_RefusesLiars(t *testing.T) {
	for want, sets := range map[string][]string{
		"node 1 lies": {"adversary.acts=[{kind: mirror, nodes: [1]}]"},
	} {
		_, err := Audit(context.Background(), small(t, auditedDVP, nil, sets...), AuditOptions{Workers: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", sets, err, want)
		}
	}
	s := small(t, "{kind: private-dgd, step: 0.5, alpha: 1, law: gaussian}", nil, "problem.loss=squared",
		"adversary.acts=[{kind: mirror, nodes: [2]}]")
	if _, _, err := Map(context.Background(), s, AuditOptions{Workers: 1}); err == nil ||
		!strings.Contains(err.Error(), "nodes lie") {
		t.Errorf("a map: %v", err)
	}
}
