// What a method says of itself is measured: its condition, its solves and its certificate.

package evaluation

import (
	"context"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/record"
)

// trusting says that its condition holds, whatever it is, and that no solver leaves an error in its steps.
type trusting struct{ flawed }

func (m *trusting) Established() error { return nil }
func (m *trusting) Explicit()          {}

// understated certifies a part of what its noise is worth.
type understated struct {
	flawed
	part float64
}

func (m *understated) Certifiable() error { return m.privateRow.(algorithms.Certified).Certifiable() }

func (m *understated) Certify(l *loss.Ledger) {
	own := new(loss.Ledger)
	m.privateRow.(algorithms.Certified).Certify(own)
	own.Each(func(node, round int, unit privacy.Unit, spent loss.Mechanism) {
		switch s := spent.(type) {
		case loss.Shift:
			s.Size *= m.part
			spent = s
		case loss.Objective:
			s.Size *= m.part
			spent = s
		}
		l.Spend(node, round, unit, spent)
	})
}

func TestAudit_MeasuresTheConditionItself(t *testing.T) {
	liar := func(m privateRow, _ algorithms.Setting) algorithms.Method { return &trusting{flawed{privateRow: m}} }
	for _, c := range []struct {
		set, want string
	}{
		{"problem.scale={columns: none, rows: none}", "norm at most 1"},
		{"problem.loss=squared", "|L′| ≤ 1"},
		{"solver.tolerance=0.1", "solver.tolerance = 0.1 leaves"},
	} {
		a := auditOf(t, auditedPVP, liar, "adversary.audit={runs: 30, pilots: 2}", c.set)
		for _, v := range a.Verdicts {
			if v.Verdict == record.Consistent {
				t.Errorf("%s: %+v", c.set, v)
			}
		}
		if v := a.Verdicts[0]; v.Verdict != record.NotEstablished || !strings.Contains(v.Reason, c.want) {
			t.Errorf("%s: %s: %s, want %q", c.set, v.Verdict, v.Reason, c.want)
		}
	}
}

// A certificate of less noise than there is is found though no run shows it.
func TestAudit_FindsACertificateThatIsTooSmall(t *testing.T) {
	for _, algorithm := range []string{auditedPVP, auditedDVP, auditedProximal, auditedPP, plantedRADMM,
		plantedMRADMM} {
		for part, holds := range map[float64]bool{1: true, 0.5: false, 0.9: false} {
			for _, unit := range []string{"sample", "label"} {
				a := auditOf(t, algorithm, func(m privateRow, _ algorithms.Setting) algorithms.Method {
					return &understated{flawed{privateRow: m}, part}
				}, "adversary.audit={runs: 20, pilots: 1}", "adversary.audit.unit="+unit)
				found := false
				for i := range a.Checks {
					if k := &a.Checks[i]; k.Kind == record.CertificateOfNoise {
						if found = true; k.Holds != holds {
							t.Errorf("%s, %s, × %v: %+v", algorithm, unit, part, k)
						}
					}
				}
				if !found {
					t.Errorf("%s: no check of its certificate", algorithm)
				}
			}
		}
	}
}

// Noise without one direction of forty is found by 60 runs.
func TestAudit_FindsADirectionWithoutNoise(t *testing.T) {
	axis := make([]float64, 40)
	for k := range axis {
		axis[k] = float64(k%7) - 2.5
	}
	num.Scale(1/num.Norm(axis), axis)
	without := inRows(noisy(func(_ algorithms.Setting, _ *algorithms.Node, _ int, noise []float64) {
		num.Axpy(-num.Dot(noise, axis), axis, noise)
	}))
	for name, plant := range map[string]planting{"without": without, "": nil} {
		e := small(t, auditedPVP, plant, "problem.data.dimension=40", "adversary.audit={runs: 30, pilots: 2}")
		a, err := Audit(context.Background(), e, AuditOptions{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for i := range a.Checks {
			found = found || a.Checks[i].Kind == record.NoiseRank && !a.Checks[i].Holds
		}
		if found != (name != "") {
			t.Errorf("%q: found %v", name, found)
		}
	}
}
