// Audits of rows that users report, by what servers publish.

package evaluation

import (
	"context"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/record"
)

const rowsOfPDML = "adversary.audit.unit=sample"

// The claim that servers hide a row holds of a right method, within its certificate, and something is measured.
func TestAudit_RowsOfUsers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute under the race detector")
	}
	for _, algorithm := range []string{
		"{kind: pdml, epsilon: 1, eta: 0.5}",
		"{kind: pdml, epsilon: 1, eta: 0.5, deviation: 0.3, decay: 1}",
		"{kind: pdml, epsilon: {list: [0.5, 1.5]}, eta: 0.5, deviation: 0.3, norm: max}",
		"{kind: pdml, labels: true, eta: 0.5, deviation: 0.2}",
	} {
		for _, set := range []string{"rounds.count=6", "problem.l1=0.05", "adversary.audit.group=2",
			"rounds={mode: asynchronous, count: 6}", "adversary.audit.row=3"} {
			a := plantedAudit(t, &planted{algorithm: algorithm}, rowsOfPDML, set, "adversary.audit.runs=100",
				"network.latency={kind: exponential, mean: 3ms}")
			kinks := strings.HasPrefix(set, "problem.l1") // certificates are of objectives without
			if !a.Stands() || a.Pair.Unit != privacy.Sample || !(a.Power.AUC > 0.5) {
				t.Errorf("%s, %s: AUC %v: %s", algorithm, set, a.Power.AUC, failures(a))
			}
			claim, proved := &a.Verdicts[len(a.Verdicts)-1], a.Certified
			if claim.Scope != record.WholeRun || !(claim.Measured <= claim.Epsilon) {
				t.Errorf("%s, %s: the claim: %+v", algorithm, set, claim)
			}
			switch {
			case strings.Contains(set, "group"):
				if proved != nil || !strings.Contains(a.Certificate.Reason, "a group of them differs") {
					t.Errorf("%s, %s: %+v beside the claim of a group", algorithm, set, a.Certificate)
				}
			case kinks && proved == nil:
			case proved == nil || !(proved.Measured <= proved.Epsilon) || !(proved.Epsilon <= claim.Epsilon):
				t.Errorf("%s, %s: %+v beside the claim %+v", algorithm, set, proved, claim)
			}
			if !slices.ContainsFunc(a.Checks, func(c record.Check) bool { return c.Kind == record.NoiseSize }) {
				t.Errorf("%s, %s: noise is not checked", algorithm, set)
			}
		}
	}
}

// Flaws of what servers publish are found.
func TestAudit_FlawsOfRowsOfUsers(t *testing.T) {
	servers := func(change func(n *algorithms.Node, t int)) planting {
		return inRows(func(m privateRow, _ algorithms.Setting) algorithms.Method {
			r := &registering{flawed: flawed{privateRow: m}}
			r.update = func(inner algorithms.RowMethod, n *algorithms.Node, k int) error {
				if err := inner.Update(n, k); err != nil {
					return err
				}
				change(n, k)
				return nil
			}
			return r
		})
	}
	inner := func(n *algorithms.Node) []float64 { return n.Memory[2*len(n.F):] }
	for _, f := range []planted{
		{"noise", "half as large", plantedPDML, record.NoiseSize, servers(func(n *algorithms.Node, _ int) {
			for k, w := range inner(n) {
				n.F[k] = (n.F[k] + w) / 2
			}
		})},
		{"reuse", "that of round 1 in every round", plantedPDML, record.RoundsDrawnAnew, servers(
			func(n *algorithms.Node, _ int) {
				noise := make([]float64, len(n.F))
				privacy.Gaussian(n.Stream("noise", 1), 1, noise)
				copy(n.F, inner(n))
				num.Axpy(1, noise, n.F)
			})},
		{"noise", "the objective's is drawn by the data", plantedPDML, record.NoiseFromStream, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m}, collect: func(n *algorithms.Node, _ [][]float64) {
					num.Axpy(1, rowOf(s, n.ID, 0), n.Memory[len(n.F):2*len(n.F)])
				}}
			})},
		{"reports", "labels are never flipped", plantedPDML, record.ReportsFollow, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m}, report: func(seed uint64, i, k int) []float64 {
					r := m.(algorithms.Registering).Report(seed, i, k)
					r[len(r)-1] = s.Problem.Shards[i].Y[k]
					return r
				}}
			})},
		{"accounting", "a hundredth of the loss is claimed", "{kind: pdml, epsilon: 1, eta: 0.5, deviation: 0.05, " +
			"decay: 1}", record.ClaimOfNoise, inRows(func(m privateRow, _ algorithms.Setting) algorithms.Method {
			return &vain{registering{flawed: flawed{privateRow: m}}}
		})},
	} {
		a := plantedAudit(t, &f, rowsOfPDML)
		var kinds []record.CheckKind
		for _, c := range a.Checks {
			if !c.Holds {
				kinds = append(kinds, c.Kind)
			}
		}
		if a.Stands() || !slices.Contains(kinds, f.check) {
			t.Errorf("%s, %s: the checks that fail are %v, not %s\n\t%s", f.cause, f.name, kinds, f.check, failures(a))
		}
		for _, v := range a.Judged() {
			if v.Verdict == record.Consistent {
				t.Errorf("%s, %s: %+v is let stand", f.cause, f.name, v)
			}
		}
	}
}

// vain claims a hundredth of what its noise hides.
type vain struct{ registering }

func (m *vain) Account(l *privacy.Ledger) {
	own := new(privacy.Ledger)
	m.privateRow.Account(own)
	own.Each(func(node, round int, unit privacy.Unit, spent privacy.Mechanism) {
		if g, ok := spent.(privacy.GaussianDP); ok {
			spent = privacy.GaussianDP{Sensitivity: g.Sensitivity / 100, Sigma: g.Sigma}
		}
		l.Spend(node, round, unit, spent)
	})
}

// Where there is no likelihood of rows, the audit says so.
func TestAudit_RowsOfUsersThatAreRefused(t *testing.T) {
	for want, algorithm := range map[string]string{
		"algorithm.radius: 0": "{kind: pdml, epsilon: 1, eta: 0.5, radius: 2}",
		"the noise is off":    "{kind: pdml, epsilon: 1, eta: 0.5, noise: off}",
	} {
		_, err := Audit(context.Background(), small(t, algorithm, nil, rowsOfPDML), AuditOptions{Workers: 2})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}
