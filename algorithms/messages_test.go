// What methods say of a divergence and of the theorems that cover them.

package algorithms

import (
	"strings"
	"testing"

	"overhear/problem"
)

// The cause of a divergence goes by the form and the noise of the run, and nothing is advised that it has already.
func TestSharing_CauseOfDivergence(t *testing.T) {
	for name, c := range map[string]struct {
		form, cover string
		sigma       float64
		says, not   string
	}{
		"averaged, noise by epsilon": {"averaged", "ambient", 0, "a greater epsilon", "form: averaged, or"},
		"averaged, noise by sigma":   {"averaged", "range", 3, "The noise does it", "form: averaged, or"},
		"jacobi, noise": {"jacobi", "range", 3, "or the noise does it: take less of it, a smaller sigma",
			"epsilon"},
		"jacobi, no noise": {"jacobi", "off", 0, "form: averaged, or a greater eta", "noise"},
	} {
		m := &privateSharing{PrivateSharing: PrivateSharing{Cover: c.cover, Sigma: c.sigma}, sharing: &sharing{
			Sharing: Sharing{Form: c.form}, Setting: Setting{Split: &problem.Vertical{Loss: problem.Logistic}}}}
		if got := m.Diverges(); !strings.Contains(got, c.says) || strings.Contains(got, c.not) {
			t.Errorf("%s: %q, want %q and not %q", name, got, c.says, c.not)
		}
	}
}
