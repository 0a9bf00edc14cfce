// The audit on right methods, on a claim known to be false, and on the five flaws
// of docs/mathematics.md §5.9, each of which it must find.

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
	"overhear/internal/stage"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/record"
	"overhear/scenarios"
)

// auditOf audits the small experiment, with a flaw if f is not nil.
func auditOf(t *testing.T, algorithm string, f flaw, sets ...string) *record.Audit {
	t.Helper()
	a, err := Audit(context.Background(), small(t, algorithm, inRows(f), sets...), AuditOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func failures(a *record.Audit) string {
	var all []string
	for _, v := range a.Verdicts {
		if v.Verdict != record.Consistent {
			all = append(all, fmt.Sprintf("%s %s: %s", v.Verdict, v.Where(), v.Reason))
		}
	}
	for _, c := range a.Checks {
		if !c.Holds {
			all = append(all, fmt.Sprintf("check: %s: %.3g > %.3g: %s", c.Text(), float64(c.Measured), float64(c.Bound),
				c.Detail))
		}
	}
	return strings.Join(all, "\n\t")
}

const (
	auditedDVP      = "{kind: dvp, eta: 0.05, alpha: 2}"
	auditedPVP      = "{kind: pvp, eta: 0.05, alpha: 1}"
	auditedProximal = "{kind: proximal-admm, eta: 0.05, tau: 0.3, gamma: 0.8, alpha: 1}"
	auditedPP       = "{kind: penalty-perturbation, eta: {initial: 0.6, ratio: 1.05}, theta: 0.5, alpha: 3}"
	auditedNormalPP = "{kind: penalty-perturbation, eta: {initial: 0.6, ratio: 1.05}, theta: 0.5, alpha: 3, law: " +
		"gaussian}"
	auditedHub = "{kind: dp-admm, eta: 0.5, step: 1, epsilon: 1}"
)

func TestAudit_RightMethodsStand(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector")
	}
	for _, algorithm := range []string{
		auditedDVP, auditedPVP, auditedPP, auditedNormalPP, auditedHub, auditedProximal,
		"{kind: private-r-admm, eta: 0.5, gamma: 0.3, alpha: 1}",
		"{kind: private-mr-admm, eta: {initial: 0.5, ratio: 1.1}, gamma: 0.3, alpha: 1}",
		"{kind: private-mr-admm, eta: {initial: 0.5, ratio: 1.1}, gamma: 0.3, alpha: 1, perturbation: output}",
		"{kind: private-r-admm, eta: 0.5, gamma: 0.3, alpha: 1, perturbation: gaussian}",
		"{kind: pvp, eta: 0.05, alpha: 1, law: gaussian}",
		"{kind: private-dgd, step: 0.5, alpha: 1}",
		"{kind: pdml, epsilon: 1, eta: 0.5}",
	} {
		a := auditOf(t, algorithm, nil)
		if !a.Stands() {
			t.Errorf("%s:\n\t%s", algorithm, failures(a))
		}
		holds, sharp := 0, false
		for _, v := range a.Verdicts {
			if v.Verdict == record.Consistent {
				holds++
			}
			sharp = sharp || float64(v.Measured) > 0.05*float64(v.Epsilon)
		}
		if holds != len(a.Verdicts) || holds < 2 {
			t.Errorf("%s: %d of %d claims are consistent: %s", algorithm, holds, len(a.Verdicts), failures(a))
		}
		if !sharp {
			t.Errorf("%s: nothing measured is even a twentieth of the claim: %+v", algorithm, a.Verdicts)
		}
	}
}

// The printed calibration of ZZ16 loses more than it claims.
func TestAudit_ListingIsViolated(t *testing.T) {
	sets := []string{"problem.data.dimension=2", "problem.rho=0.03", "algorithm.eta=0.005", "algorithm.alpha=4",
		"adversary.audit.node=0", "adversary.audit.runs=1000"}
	a := auditOf(t, auditedDVP, nil, append(sets, "algorithm.calibration=listing")...)
	if v := a.Verdicts[0]; v.Verdict != record.Violated || !(float64(v.Measured) > 4.3) {
		t.Errorf("listing: %+v", v)
	}
	for _, c := range a.Checks {
		if !c.Holds {
			t.Errorf("listing does what it says, and yet: %s: %s", c.Text(), c.Detail)
		}
	}
	if a := auditOf(t, auditedDVP, nil, sets...); !a.Stands() {
		t.Errorf("proof: %s", failures(a))
	}
}

// A claim whose condition fails is not judged by what was measured.
func TestAudit_NotEstablished(t *testing.T) {
	a := auditOf(t, "{kind: penalty-perturbation, eta: 0.01, theta: 0.01, alpha: 3}", nil, "problem.rho=0.01")
	for _, v := range a.Verdicts {
		if v.Verdict != record.NotEstablished || !math.IsNaN(float64(v.Epsilon)) || !strings.Contains(v.Reason, "2c₁") {
			t.Errorf("%+v", v)
		}
	}
}

// same says whether two audits measured the same.
func same(a, b *record.Audit) bool { return a.Digest == b.Digest && a.Pair.What == b.Pair.What }

func TestAudit_DoesNotDependOnWorkers(t *testing.T) {
	audit := func(workers int) *record.Audit {
		s, err := scenarios.Parse("audit.yaml", []byte(`name: audit
problem: {data: {set: twonorm, rows: 40, dimension: 2}}
network: {topology: {kind: ring, nodes: 3}, latency: {kind: exponential, mean: 3ms}}
rounds: {count: 4}
algorithm: {kind: pvp, eta: 0.1}
adversary: {audit: {runs: 40, pilots: 5}}
`))
		if err != nil {
			t.Fatal(err)
		}
		a, err := Audit(context.Background(), experiment.New(s, ""), AuditOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if one, three := audit(1), audit(3); !same(one, three) {
		t.Errorf("digests %s and %s", one.Digest, three.Digest)
	}
}

// flawed is a method with one step of it wrong. Its notes of a node and round are
// in the node's memory, which the methods below leave alone.
type flawed struct {
	privateRow
	update func(inner algorithms.RowMethod, n *algorithms.Node, t int) error
	dual   func(inner algorithms.RowMethod, n *algorithms.Node, t int)
}

func (f *flawed) Update(n *algorithms.Node, t int) error {
	if f.update == nil {
		return f.privateRow.Update(n, t)
	}
	return f.update(f.privateRow, n, t)
}

func (f *flawed) Dual(n *algorithms.Node, t int) {
	if f.dual == nil {
		f.privateRow.Dual(n, t)
		return
	}
	f.dual(f.privateRow, n, t)
}

// central is flawed, around a hub.
type central struct{ flawed }

func (c *central) Merge(h *algorithms.Node, t int) { c.privateRow.(algorithms.Central).Merge(h, t) }

// proximalNoise is what proximal ADMM adds in a round.
func proximalNoise(s algorithms.Setting, n *algorithms.Node, t int) []float64 {
	p := s.Problem
	strength := p.R[n.ID] + 2*0.05*float64(n.Degree()) + 0.3
	noise := make([]float64, len(n.F))
	privacy.Laplace(n.Stream("noise", t), float64(p.Shards[n.ID].U.Len())/(2*p.C)*strength, noise)
	return noise
}

// outputNoise is what PVP adds in a round.
func outputNoise(s algorithms.Setting, n *algorithms.Node, t, stream int) []float64 {
	p := s.Problem
	rate := 1 * float64(p.Shards[n.ID].U.Len()) / (2 * p.C) * (p.R[n.ID] + 2*0.05*float64(n.Degree()))
	noise := make([]float64, len(n.F))
	privacy.Laplace(n.Stream("noise", stream), rate, noise)
	return noise
}

// The flaws, each in a method whose parameters and claim are right.
func TestAudit_FindsSeededFlaws(t *testing.T) {
	flaws := []struct {
		name, algorithm string
		make            flaw
	}{
		{"ζ twice too large, as ZZ16 Algorithm 2 prints it", auditedDVP, func(right privateRow, s algorithms.Setting,
		) algorithms.Method {
			entry, _ := algorithms.Lookup("dvp")
			p := algorithms.DVP{ADMM: algorithms.ADMM{Eta: 0.05}, Alpha: parameter.Constant(2), Calibration: "listing"}
			m, err := entry.New(&p, s)
			if err != nil {
				t.Fatal(err)
			}
			update := func(_ algorithms.RowMethod, n *algorithms.Node, k int) error {
				return m.(algorithms.RowMethod).Update(n, k)
			}
			return &flawed{privateRow: right, update: update}
		}},
		{"a variance used as a standard deviation", auditedHub, varianceAsDeviation},
		{"a variance used as a standard deviation of noise in the objective", auditedNormalPP, func(right privateRow,
			s algorithms.Setting) algorithms.Method {
			entry, _ := algorithms.Lookup("penalty-perturbation")
			eta := parameter.Schedule{Sequence: parameter.Sequence{Initial: 0.6, Ratio: 1.05}}
			m, err := entry.New(&algorithms.PenaltyPerturbation{
				MADMM: algorithms.MADMM{Eta: eta, Theta: parameter.Constant(0.5)},
				Alpha: parameter.Constant(9), Law: "gaussian",
			}, s)
			if err != nil {
				t.Fatal(err)
			}
			return &flawed{privateRow: right, update: func(_ algorithms.RowMethod, n *algorithms.Node, k int) error {
				return m.(algorithms.RowMethod).Update(n, k)
			}}
		}},
		{"noise reused between rounds", auditedPVP, func(m privateRow, s algorithms.Setting) algorithms.Method {
			return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, k int) error {
				if err := inner.Update(n, k); err != nil {
					return err
				}
				num.Axpy(-1, outputNoise(s, n, k, k), n.F)
				num.Axpy(1, outputNoise(s, n, k, 1), n.F)
				return nil
			}}
		}},
		{"duals updated with unperturbed primals", auditedPVP, func(m privateRow, s algorithms.Setting,
		) algorithms.Method {
			return &flawed{privateRow: m, dual: func(inner algorithms.RowMethod, n *algorithms.Node, k int) {
				sent := n.F
				n.F = append([]float64(nil), sent...)
				num.Axpy(-1, outputNoise(s, n, k, k), n.F)
				inner.Dual(n, k)
				n.F = sent
			}}
		}},
		{"noise half as large", auditedProximal, func(m privateRow, s algorithms.Setting) algorithms.Method {
			return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, k int) error {
				if err := inner.Update(n, k); err != nil {
					return err
				}
				num.Axpy(-0.5, proximalNoise(s, n, k), n.F)
				return nil
			}}
		}},
		{"a damped dual step with the unperturbed iterate", auditedProximal, func(m privateRow, s algorithms.Setting,
		) algorithms.Method {
			return &flawed{privateRow: m, dual: func(inner algorithms.RowMethod, n *algorithms.Node, k int) {
				sent := n.F
				n.F = append([]float64(nil), sent...)
				num.Axpy(-1, proximalNoise(s, n, k), n.F)
				inner.Dual(n, k)
				n.F = sent
			}}
		}},
		{"a proximal term at the iterate before its noise", auditedProximal, func(m privateRow, s algorithms.Setting,
		) algorithms.Method {
			return &flawed{privateRow: m, update: func(_ algorithms.RowMethod, n *algorithms.Node, k int) error {
				n.Pull(0.05)
				num.Axpy(-0.3, n.F, n.Q)
				if k > 1 {
					num.Axpy(0.3, proximalNoise(s, n, k-1), n.Q)
				}
				if err := n.Minimise(2*0.05*float64(n.Degree()) + 0.3); err != nil {
					return err
				}
				num.Axpy(1, proximalNoise(s, n, k), n.F)
				return nil
			}}
		}},
		{"a solver stopped early", auditedPVP, func(m privateRow, s algorithms.Setting) algorithms.Method {
			return &flawed{privateRow: m, update: func(_ algorithms.RowMethod, n *algorithms.Node, k int) error {
				n.Pull(0.05)
				kappa := 2 * 0.05 * float64(n.Degree())
				g := make([]float64, len(n.F))
				for range 20 { // gradient descent that has not arrived
					n.Gradient(n.F, g)
					num.Axpy(1, n.Q, g)
					num.Axpy(kappa, n.F, g)
					num.Axpy(-1, g, n.F)
				}
				num.Axpy(1, outputNoise(s, n, k, k), n.F)
				return nil
			}}
		}},
	}
	for _, f := range flaws {
		t.Run(f.name, func(t *testing.T) {
			a := auditOf(t, f.algorithm, f.make)
			if a.Stands() {
				t.Error("it was not found")
			}
			for _, v := range a.Verdicts {
				if v.Verdict == record.Consistent {
					t.Errorf("a verdict holds: %+v", v)
				}
			}
			t.Log(failures(a))
		})
	}
}

// What the noise of a flawless wrapper is taken to be is what PVP adds: the flaws
// above are no more than they say.
func TestAudit_FlawlessWrapperStands(t *testing.T) {
	a := auditOf(t, auditedPVP, func(m privateRow, s algorithms.Setting) algorithms.Method {
		return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, k int) error {
			if err := inner.Update(n, k); err != nil {
				return err
			}
			noise := outputNoise(s, n, k, k)
			num.Axpy(-1, noise, n.F)
			num.Axpy(1, noise, n.F)
			return nil
		}}
	})
	if !a.Stands() {
		t.Error(failures(a))
	}
}

// Where noise is chosen for a target, the audit and attacks know what was chosen.
func TestAudit_ChosenNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	for _, algorithm := range []string{auditedDVP, auditedPVP, "{kind: private-dgd, step: 0.5, alpha: 1}",
		"{kind: dp-admm, eta: 0.5, step: 1, epsilon: 1}"} {
		if a := auditOf(t, algorithm, nil, "privacy.epsilon=3"); !a.Stands() {
			t.Errorf("%s: %s", algorithm, failures(a))
		}
	}
}

// checked audits a scenario, of which all checks are to hold.
func checked(t *testing.T, s *scenarios.Scenario) *record.Audit {
	t.Helper()
	a, err := Audit(context.Background(), experiment.New(s, ""), AuditOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Checks {
		if !c.Holds {
			t.Errorf("check: %s: %s", c.Text(), c.Detail)
		}
	}
	return a
}

// SH19's noise inside the column space is refuted by one look, at a σ that its
// theorem allows; noise in all directions is what its law says.
func TestAudit_Sharing(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it factors matrices of 500 columns")
	}
	for noise, unbounded := range map[string]bool{"range": true, "ambient": false} {
		s, err := scenarios.LoadShipped("audit-sharing.yaml", "algorithm.noise="+noise, "adversary.audit.runs=30",
			"adversary.audit.pilots=3")
		if err != nil {
			t.Fatal(err)
		}
		a := checked(t, s)
		v := a.Verdicts[0]
		if !strings.HasPrefix(a.Condition, record.ClaimedNotProved) ||
			math.IsInf(float64(v.Measured), 1) != unbounded || unbounded && v.Verdict != record.Violated {
			t.Errorf("%s: condition %q, %+v", noise, a.Condition, v)
		}
	}
}

// The audit of sharing is of what a party sends, given what the hub sent, so that it goes on with a loss that is not
// convex; the claim's condition is the same.
func TestAudit_SharingOfALossThatIsNotConvex(t *testing.T) {
	var conditions []string
	for _, loss := range []string{"logistic", "sigmoid", "savage"} {
		s, err := scenarios.LoadShipped("audit-sharing.yaml", "problem.data={set: twonorm, rows: 60, dimension: 20}",
			"problem.columns=[20]", "problem.loss="+loss, "algorithm.noise=ambient", "adversary.audit.runs=20",
			"adversary.audit.pilots=2")
		if err != nil {
			t.Fatal(err)
		}
		a := checked(t, s)
		conditions = append(conditions, a.Condition)
		if v := a.Verdicts[0]; a.Condition != conditions[0] || math.IsNaN(float64(v.Measured)) ||
			math.IsInf(float64(v.Measured), 0) {
			t.Errorf("%s: condition %q, %+v", loss, a.Condition, v)
		}
	}
}

// An audit tells what it does before and after the runs by which it judges, and its runs tell nothing of themselves.
func TestAudit_TellsItsStages(t *testing.T) {
	var told []string
	ctx := stage.With(context.Background(), func(doing string, _, _ int64) {
		if i := strings.Index(doing, " (adversary"); i > 0 {
			doing = doing[:i]
		}
		if len(told) == 0 || told[len(told)-1] != doing {
			told = append(told, doing)
		}
	})
	s, err := scenarios.LoadShipped("audit-dvp-listing.yaml", "rounds.count=1", "adversary.audit.runs=10",
		"adversary.audit.pilots=2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Audit(ctx, experiment.New(s, ""), AuditOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	i := slices.Index(told, "making one run, to see whether the method learns")
	if i < 0 {
		t.Fatalf("told is %q", told)
	}
	pilots := 0
	for _, doing := range told[i:] {
		if strings.HasPrefix(doing, "pilot runs of pair ") {
			pilots++
		}
	}
	want := []string{"runs of the two worlds", "judging what was measured"}
	if told[i+1] != "looking for pairs of samples to tell apart" || pilots < 2 ||
		!slices.Equal(told[i+2+pilots:], want) {
		t.Errorf("told is %q", told)
	}
}
