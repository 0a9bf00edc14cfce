// Losses that are not convex are for ADMM sharing, and a scenario says so by its line.

package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"overhear/algorithms"
)

const ofLoss = `name: t
problem:
  data: {set: %s, rows: 90}
%s  loss: %s
network: {topology: {kind: star, nodes: 3}}
algorithm: {kind: %s}
`

func TestParse_LossesThatAreNotConvexAreForSharing(t *testing.T) {
	takes := 0
	for _, e := range algorithms.Entries() {
		for _, columns := range []bool{false, true} {
			for loss, set := range map[string]string{"sigmoid": "twonorm", "savage": "twonorm", "welsch": "linear",
				"{kind: geman-mcclure, width: 2}": "linear"} {
				split, line := "", 4
				if columns {
					split, line = "  columns: [5, 5]\n", 5
				}
				_, err := Parse("t.yaml", []byte(fmt.Sprintf(ofLoss, set, split, loss, e.Name)))
				if strings.HasSuffix(e.Name, "admm-sharing") {
					if takes++; err != nil {
						t.Errorf("%s with %s: %v", e.Name, loss, err)
					}
					continue
				}
				kind := strings.TrimPrefix(strings.Split(loss, ",")[0], "{kind: ")
				want := fmt.Sprintf("t.yaml:%d:9: problem.loss: %s is not convex, and algorithm %s is for convex "+
					"losses: take logistic, huber-hinge, squared, huber or quantile, or ADMM sharing over split "+
					"columns (problem.columns, and algorithm.kind: admm-sharing or private-admm-sharing)", line,
					kind, e.Name)
				if err == nil || err.Error() != want {
					t.Errorf("%s with %s: %v, want %s", e.Name, loss, err, want)
				}
			}
		}
	}
	if takes != 16 {
		t.Errorf("%d pairs are taken", takes)
	}
	// Set on the command line, the place is that; without a ridge there is none.
	text := fmt.Sprintf(ofLoss, "twonorm", "", "logistic", "admm")
	if _, err := Parse("t.yaml", []byte(text), "problem.loss=savage"); err == nil ||
		!strings.HasPrefix(err.Error(), "--set problem.loss=savage: problem.loss: savage is not convex") {
		t.Errorf("%v", err)
	}
	text = fmt.Sprintf(ofLoss, "twonorm", "  columns: [5, 5]\n  rho: 0\n", "sigmoid", "admm-sharing")
	if _, err := Parse("t.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(),
		"t.yaml:5:8: problem.rho must be above 0 with loss: sigmoid") {
		t.Errorf("%v", err)
	}
	text = fmt.Sprintf(ofLoss, "twonorm", "  columns: [5, 5]\n", "{kind: welsch, width: -1}", "admm-sharing")
	if _, err := Parse("t.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "width must be positive") {
		t.Errorf("%v", err)
	}
}
