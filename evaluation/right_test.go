// Right methods in many settings, none of which an audit may find a fault with. results/audit/right.md is the table; go
// test ./evaluation -run Table -update writes it anew.

package evaluation

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/internal/golden"
	"overhear/record"
)

// rightMethods are in the scenario of plantedAudit.
var rightMethods = []struct {
	algorithm string
	traits    string // what it has: a regulariser may have kinks; split columns; labels; a hub
}{
	{auditedDVP, "rows classes"},
	{auditedPVP, "rows classes kinks"},
	{"{kind: pvp, eta: 0.05, alpha: 1, law: gaussian}", "rows classes kinks"},
	{auditedProximal, "rows classes kinks"},
	{auditedPP, "rows classes"},
	{auditedNormalPP, "rows classes"},
	{"{kind: penalty-perturbation, eta: {nodes: [0.6, 0.7, 0.8]}, theta: 0.5, alpha: 3}", "rows classes three"},
	{auditedHub, "rows classes hub"},
	{"{kind: private-r-admm, eta: 0.5, gamma: 0.3, alpha: 1}", "rows classes"},
	{"{kind: private-r-admm, eta: 0.5, alpha: 1, perturbation: gaussian}", "rows classes"},
	{"{kind: private-mr-admm, eta: {initial: 0.5, ratio: 1.1}, gamma: 0.3, alpha: 1}", "rows classes"},
	{"{kind: private-mr-admm, eta: {initial: 0.5, ratio: 1.1}, alpha: 1, perturbation: output}", "rows classes"},
	{"{kind: private-dgd, step: 0.5, alpha: 1}", "rows classes"},
	{"{kind: private-dgd, step: 0.5, alpha: 1, averaging: 2}", "rows classes"},
	{plantedPDML, "labels kinks"},
	{"{kind: pdml, epsilon: {list: [0.5, 1.5]}, eta: 0.5, radius: 2, norm: max}", "labels"},
	{"{kind: pdml, epsilon: {values: [0.4, 4], shares: [0.5, 0.5]}, eta: 0.5}", "labels"},
	{"{kind: pdml, epsilon: 2, eta: 0.5, noise: off}", "labels"},
	{plantedSharing, "columns kinks"},
	{"{kind: dvp, eta: 0.05, alpha: 1e5}", "extreme"},
	{"{kind: dvp, eta: 1e-4, alpha: 1e-4}", "extreme"},
	{"{kind: pvp, eta: 0.05, alpha: 1e6}", "extreme"},
	{"{kind: pvp, eta: 1e-4, alpha: 1e-5}", "extreme"},
	{"{kind: private-r-admm, eta: 1e-3, gamma: 0.3, alpha: 1e5}", "extreme"},
	{"{kind: private-r-admm, eta: 0.5, alpha: 1e-5}", "extreme"},
	{"{kind: private-dgd, step: 1e-3, alpha: 1e5}", "extreme"},
	{"{kind: private-dgd, step: 0.5, alpha: 1e-5}", "extreme"},
	{"{kind: dp-admm, eta: 0.5, step: 1, epsilon: 1e4}", "extreme hub"},
	{"{kind: pdml, epsilon: 20, eta: 0.5, deviation: 1e-5, bound: 1e-3}", "extreme"},
	{"{kind: pdml, epsilon: 1e-3, eta: 0.5, deviation: 1e4, bound: 1e4}", "extreme"},
	{"{kind: private-admm-sharing, eta: 10, form: averaged, noise: range, loss: sum}", "columns kinks"},
}

// settings change that scenario; each suits the methods that have one of its traits.
var settings = []struct {
	name, traits string
	sets         []string
}{
	{"as it is", "rows labels columns extreme", nil},
	{"one column", "rows labels extreme", []string{"problem.data.dimension=1"}},
	{"ten columns and an intercept", "rows labels", []string{"problem.data.dimension=10",
		"problem.scale.intercept=true"}},
	{"latencies and bandwidth", "rows labels columns", []string{"network.latency={kind: exponential, mean: 3ms}",
		"network.bandwidth=1Mbps"}},
	{"packets are lost", "rows labels columns", []string{"network.loss=0.2", "network.latency={kind: exponential, " +
		"mean: 3ms}"}},
	{"packets come twice", "rows labels columns", []string{"network.duplication=0.3",
		"network.latency={kind: exponential, mean: 3ms}"}},
	{"a node is slow, a link is cut for a time", "rows labels columns", []string{"network.faults=[{at: 1us, slow: 1, " +
		"factor: 5, until: 3us}, {at: 1us, partition: [[0], [1, 2]], until: 5ms}]"}},
	{"speeds differ", "rows labels columns", []string{"compute={speed-spread: 0.7, jitter: 0.9}"}},
	{"ties are shuffled", "rows labels columns", []string{"ties=shuffled"}},
	{"random starts", "rows labels", []string{"algorithm.init={normal: 2}"}},
	{"a complete graph of five", "rows labels two", []string{"network.topology={kind: complete, nodes: 5}"}},
	{"a path", "rows labels", []string{"network.topology={kind: path, nodes: 3}"}},
	{"another weight of the loss", "rows", []string{"problem.C=7", "problem.rho=0.01"}},
	{"huber hinge", "rows", []string{"problem.loss=huber-hinge"}},
	{"targets", "rows", []string{"problem.data={set: linear, rows: 60, dimension: 3}",
		"problem.loss={kind: huber, width: 1}"}},
	{"several classes", "classes", []string{"problem.data={set: waveform, rows: 60, classes: all}",
		"problem.loss=softmax"}},
	{"kinks", "kinks", []string{"problem.l1=0.05"}},
	{"a loose tolerance", "rows labels", []string{"solver.tolerance=1e-6"}},
	{"a tight tolerance", "rows labels", []string{"solver.tolerance=1e-13"}},
	{"another node and row", "rows labels", []string{"adversary.audit.node=2", "adversary.audit.row=3"}},
	{"a node is down for a time and keeps its memory", "rows columns",
		[]string{"network.faults=[{at: 1us, crash: 1, until: 5ms}]"}},
	{"30 rounds", "rows labels columns extreme", []string{"rounds.count=30", "adversary.audit.runs=20"}},
}

// suits says whether a setting is for a method.
func suits(method, setting string) bool {
	return slices.ContainsFunc(strings.Fields(setting), func(trait string) bool {
		return slices.Contains(strings.Fields(method), trait)
	})
}

func TestRightSettings_Table(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector")
	}
	var table strings.Builder
	table.WriteString("# Right methods of which the audit must find no fault\n\n" + tableHead +
		"| method | setting | verdict over the run | checks that hold |\n|---|---|---|---|\n")
	n := 0
	for _, m := range rightMethods {
		for _, s := range settings {
			of := strings.Contains(strings.Join(s.sets, " "), "topology")
			if !suits(m.traits, s.traits) || of && strings.Contains(m.traits, "hub") ||
				of && strings.Contains(m.traits, "three") {
				continue
			}
			n++
			t.Run(m.algorithm+" "+s.name, func(t *testing.T) {
				sets := append([]string{"adversary.audit.runs=20", "adversary.audit.pilots=1"}, s.sets...)
				a := plantedAudit(t, &planted{algorithm: m.algorithm}, sets...)
				held := 0
				for _, c := range a.Checks {
					if c.Holds {
						held++
					}
				}
				refuted := slices.ContainsFunc(a.Judged(), func(v record.Verdict) bool {
					return v.Verdict == record.Violated && !strings.Contains(m.algorithm, "noise: range")
				})
				if held < len(a.Checks) || refuted {
					t.Error(failures(a))
				}
				fmt.Fprintf(&table, "| `%s` | %s | %s | %d of %d |\n", m.algorithm, s.name,
					a.Verdicts[len(a.Verdicts)-1].Verdict, held, len(a.Checks))
			})
		}
	}
	if n < 200 {
		t.Errorf("%d settings", n)
	}
	golden.Compare(t, filepath.Join("..", "results", "audit"), map[string]string{"right.md": table.String()}, *update)
}

// A node of one column adds noise that is now and then next to nothing, and a maximum over many runs finds it: what is
// left of a step's condition does not depend on either.
func TestAudit_OneColumnManyRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	a := plantedAudit(t, &planted{algorithm: auditedPVP}, "problem.data.dimension=1", "adversary.audit.runs=1000")
	if !a.Stands() {
		t.Error(failures(a))
	}
}

// What a run says of its claim's condition is what an audit says: of a tolerance that leaves too much, and of a claim
// that no proof supports.
func TestCondition_OfRunAndAudit(t *testing.T) {
	for _, c := range []struct {
		algorithm, set, condition string
		verdict, check            string
	}{
		{auditedPVP, "solver.tolerance=1e-3", "the proof takes steps to be exact minimisers", record.NotEstablished,
			string(record.SolvesExact)},
		{auditedDVP, "solver.tolerance=1e-10", "holds", record.Consistent, ""},
		{auditedDVP, "algorithm.calibration=listing", "claimed, not proved: ζ = α̂", record.Violated, ""},
		{"{kind: private-dgd, step: 0.5, alpha: 1}", "solver.tolerance=1e-3", "holds", record.Consistent, ""},
	} {
		r, err := small(t, c.algorithm, nil, c.set).Run(context.Background(), 1, experiment.Options{Out: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		a := plantedAudit(t, &planted{algorithm: c.algorithm}, c.set)
		if got := r.Info.Privacy.Condition; got != a.Condition || !strings.HasPrefix(got, c.condition) {
			t.Errorf("%s, %s: the run says %q, the audit %q", c.algorithm, c.set, got, a.Condition)
		}
		if v := a.Verdicts[len(a.Verdicts)-1]; v.Verdict != c.verdict {
			t.Errorf("%s, %s: %+v", c.algorithm, c.set, v)
		}
		failed := slices.ContainsFunc(a.Checks, func(k record.Check) bool {
			return !k.Holds && string(k.Kind) == c.check
		})
		if failed != (c.check != "") || failed && a.Stands() {
			t.Errorf("%s, %s: %s", c.algorithm, c.set, failures(a))
		}
	}
}
