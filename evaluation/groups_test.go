// Audits of groups of samples: worlds differ in k of them, and the claim is of k.

package evaluation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/privacy"
	"overhear/record"
)

// A right method holds for groups, of which k claim k times the pure ε of one and lose more than it, and a Gaussian
// one's ε at the same δ is of k times the sensitivity.
func TestAudit_Groups(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	for _, algorithm := range []string{auditedPVP, auditedDVP, plantedRADMM, "{kind: pvp, eta: 0.05, alpha: 1, law: " +
		"gaussian}", auditedHub, auditedNormalPP} {
		one := plantedAudit(t, &planted{algorithm: algorithm})
		all := plantedAudit(t, &planted{algorithm: algorithm}, "adversary.audit.group=3")
		if !all.Stands() || all.Pair.Group != 3 {
			t.Errorf("%s: %s", algorithm, failures(all))
		}
		of := func(a *record.Audit) record.Verdict { return a.Verdicts[len(a.Verdicts)-1] }
		v, w := of(one), of(all)
		factor := float64(w.Epsilon / v.Epsilon)
		switch {
		case !strings.HasPrefix(w.Claim, "3 samples of node"):
			t.Errorf("%s: %q", algorithm, w.Claim)
		case v.Delta == 0 && math.Abs(factor-3) > 1e-9:
			t.Errorf("%s: of 3 samples %v, of one %v", algorithm, w.Epsilon, v.Epsilon)
		case v.Delta != w.Delta || v.Delta > 0 && !(factor > 2.5):
			t.Errorf("%s: of 3 samples %+v, of one %+v", algorithm, w, v)
		}
		if v.Delta == 0 && !(w.Measured > 2*v.Measured) {
			t.Errorf("%s: 3 samples lose %v, one %v", algorithm, w.Measured, v.Measured)
		}
	}
}

// A method that hides one sample and scales its noise down when several are alike breaks the claim of a group, not that
// of one.
func TestAudit_FlawOfGroups(t *testing.T) {
	make := inRows(func(m privateRow, s algorithms.Setting) algorithms.Method { return &joint{flawed{privateRow: m}} })
	refuted := func(a *record.Audit) bool {
		return slices.ContainsFunc(a.Verdicts, func(v record.Verdict) bool { return v.Verdict == record.Violated })
	}
	for _, k := range []string{"1", "3"} {
		a := plantedAudit(t, &planted{algorithm: auditedDVP, make: make}, "adversary.audit.group="+k,
			"adversary.audit.runs=200")
		if refuted(a) != (k == "3") {
			t.Errorf("group of %s: %s", k, failures(a))
		}
	}
}

// joint claims of a group what it claims of one sample.
type joint struct{ flawed }

func (m *joint) Account(l *privacy.Ledger) {
	own := new(privacy.Ledger)
	m.privateRow.Account(own)
	own.Each(func(node, round int, unit privacy.Unit, spent privacy.Mechanism) {
		l.Spend(node, round, unit, alone{spent})
	})
}

// alone is a mechanism that claims of a group what it claims of one.
type alone struct{ privacy.Mechanism }

func (m alone) Group(int) privacy.Mechanism { return m.Mechanism }

// Groups that there are not, or that are not of samples, are refused.
func TestAudit_GroupsThatAreRefused(t *testing.T) {
	for want, f := range map[string][2]string{
		"adversary.audit.group: node 1 has samples 0 to 9": {auditedPVP, "adversary.audit.group=11"},
		"columns are split":     {plantedSharing, "adversary.audit.group=2"},
		"of labels one differs": {plantedPDML, "adversary.audit.group=2"},
	} {
		_, err := Audit(context.Background(), small(t, f[0], nil, f[1]), AuditOptions{Workers: 2})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", f, err)
		}
	}
}
