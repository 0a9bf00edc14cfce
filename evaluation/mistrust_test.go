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
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
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

// Nothing is found of right ones where uses lose so much that curves are only bounds, or ε is a million; a tenth less
// is.
func TestAudit_CertificatesOfNextToNoNoise(t *testing.T) {
	for _, algorithm := range []string{
		"{kind: dvp, eta: 9.66, alpha: {values: [0.1, 2, 30, 0.5, 1, 1]}}",
		"{kind: pvp, eta: 9.59e-05, alpha: 822, law: gaussian}",
	} {
		for part, holds := range map[float64]bool{1: true, 0.9: false} {
			a := auditOf(t, algorithm, func(m privateRow, _ algorithms.Setting) algorithms.Method {
				return &understated{flawed{privateRow: m}, part}
			}, "adversary.audit={runs: 20, pilots: 1}")
			found := 0
			for i := range a.Checks {
				switch k := &a.Checks[i]; {
				case k.Kind == record.ClaimOfNoise && !k.Holds:
					t.Errorf("%s, its claim: %+v", algorithm, k)
				case k.Kind == record.CertificateOfNoise:
					if found++; k.Holds != holds {
						t.Errorf("%s, × %v: %+v", algorithm, part, k)
					}
				}
			}
			if found != 1 {
				t.Errorf("%s: %d checks of its certificate", algorithm, found)
			}
		}
	}
}

// modest claims a part of what its noise is worth.
type modest struct {
	flawed
	part float64
}

func (m *modest) Account(l *privacy.Ledger) { modestly(m.privateRow, m.part, l) }

// modestServer is modest, of a method whose users report.
type modestServer struct {
	registering
	part float64
}

func (m *modestServer) Account(l *privacy.Ledger) { modestly(m.privateRow, m.part, l) }

// modestIdler is modest, of a method some of whose rounds touch no data.
type modestIdler struct {
	idling
	part float64
}

func (m *modestIdler) Account(l *privacy.Ledger) { modestly(m.privateRow, m.part, l) }

// modestHub is modest, of a method around a hub.
type modestHub struct {
	central
	part float64
}

func (m *modestHub) Account(l *privacy.Ledger) { modestly(m.privateRow, m.part, l) }

// modestOf is a method that claims a part of what its noise is worth.
func modestOf(m privateRow, part float64) algorithms.Method {
	own := flawed{privateRow: m}
	switch m.(type) {
	case algorithms.Registering:
		return &modestServer{registering{flawed: own}, part}
	case algorithms.Idler:
		return &modestIdler{idling{own}, part}
	case algorithms.Central:
		return &modestHub{central{own}, part}
	}
	return &modest{own, part}
}

// modestly accounts for a part of what rows lose.
func modestly(m algorithms.Private, part float64, l *privacy.Ledger) {
	own := new(privacy.Ledger)
	m.Account(own)
	own.Each(func(node, round int, unit privacy.Unit, spent privacy.Mechanism) {
		switch s := spent.(type) {
		case privacy.PureDP:
			if unit == privacy.Sample {
				s.Epsilon *= part
			}
			spent = s
		case privacy.GaussianDP:
			s.Sensitivity *= part
			spent = s
		}
		l.Spend(node, round, unit, spent)
	})
}

// A claim that is too small is found by the noise, where no worst trace is searched, too.
func TestAudit_FindsAClaimThatIsTooSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	const few = "adversary.audit={runs: 20, pilots: 1}"
	for _, c := range []struct {
		algorithm string
		sets      []string
	}{
		{auditedPVP, nil},
		{auditedDVP, nil},
		{auditedPVP, []string{"adversary.audit.group=3"}},
		{auditedPVP, []string{"adversary.audit.unit=label", "problem.loss={kind: huber-hinge, width: 0.5}"}},
		{auditedPVP, []string{"rounds.mode=asynchronous", "network.latency=1ms"}},
		{auditedPVP, []string{"rounds.missing=last", "rounds.deadline=3ms", "network.latency=1ms"}},
		{plantedPDML, []string{"adversary.audit.unit=sample"}},
		{"{kind: pvp, eta: 0.05, alpha: 1, law: gaussian}", nil},
		{plantedDGD, []string{"adversary.audit.group=2"}},
		{plantedDGD, []string{"rounds.mode=asynchronous", "network.latency=1ms"}},
		{plantedMuffliato, nil},
		{"{kind: private-dgd, step: 0.5, alpha: 1, law: gaussian}", []string{"adversary.audit.group=2"}},
		{auditedHub, []string{"adversary.audit.group=2"}},
		{plantedRADMM, []string{"adversary.audit.group=2"}},
	} {
		for part, holds := range map[float64]bool{1: true, 0.5: false} { // Rényi accounts leave room
			a := auditOf(t, c.algorithm, func(m privateRow, _ algorithms.Setting) algorithms.Method {
				return modestOf(m, part)
			}, append([]string{few}, c.sets...)...)
			v := a.Verdicts[len(a.Verdicts)-1]
			stands := v.Verdict == record.Consistent
			told := v.Verdict == record.Violated || strings.Contains(v.Reason, "no proof gives")
			if stands != holds || !holds && !told || a.Stands() != holds {
				t.Errorf("%s %v × %v: %s: %s", c.algorithm, c.sets, part, v.Verdict, v.Reason)
			}
		}
	}
}

// Noise without one direction of forty is found by 60 runs.
func TestAudit_FindsADirectionWithoutNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
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
