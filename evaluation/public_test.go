// What an adversary is not told, as the scenario says.

package evaluation

import (
	"slices"
	"strings"
	"testing"
)

// What nodes keep to themselves no attack is given, and the report of the attack names it.
func TestAttack_HidesWhatNodesKeepToThemselves(t *testing.T) {
	const keys = "eta theta"
	for _, c := range []struct {
		algorithm string
		penalties string
		dualSteps string
		hidden    string
	}{
		{"{kind: m-admm, eta: 0.05, theta: 0.05}", "method", "public", "eta"},
		{"{kind: m-admm, eta: 0.05, theta: 0.05}", "public", "public", ""},
		{"{kind: m-admm, eta: 0.05, theta: 0.05}", "public", "private", "theta"},
		{"{kind: m-admm, eta: 0.05, theta: 0.05}", "private", "private", "eta theta"},
		{"{kind: admm, eta: 0.05}", "method", "private", ""},
		{"{kind: admm, eta: 0.05}", "private", "public", "eta"},
	} {
		_, a := attacked(t, hospitals, "rounds.count=4", "algorithm="+c.algorithm,
			"adversary.attacks=[kkt-inversion]", "adversary.knows.penalties="+c.penalties,
			"adversary.knows.dual-steps="+c.dualSteps)
		unseen := strings.Join(a.Sight.Unseen, "\n")
		for key := range strings.FieldsSeq(keys) {
			hidden := slices.Contains(strings.Fields(c.hidden), key)
			if strings.Contains(unseen, "the nodes' own "+key) != hidden {
				t.Errorf("%+v: unseen is %q", c, unseen)
			}
		}
	}
}
