// A plan of another build differs in nothing else.

package sweep

import (
	"strings"
	"testing"
)

func TestPlan_DifferencesButBuild(t *testing.T) {
	plan := func(count, program string) *Plan {
		t.Helper()
		p, err := PlanOf("x.yaml", "name: x\nproblem: {data: wdbc}\nnetwork: {topology: {kind: ring, nodes: 3}}\n"+
			"algorithm: {kind: admm, eta: 0.1}\n", Options{Sets: []string{"rounds.count=" + count}})
		if err != nil {
			t.Fatal(err)
		}
		if program != "" {
			p.Program = program
			if p.Hash, err = p.sum(); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	own, elsewhere := plan("5", ""), plan("5", "another build")
	if own.Differences(elsewhere) == "" {
		t.Error("another build is no difference")
	}
	if different, err := own.DifferencesButBuild(elsewhere); different != "" || err != nil {
		t.Errorf("another build differs but for its build: %q, %v", different, err)
	}
	if different, err := own.DifferencesButBuild(plan("6", "another build")); !strings.Contains(different, "rounds") {
		t.Errorf("another number of rounds: %q, %v", different, err)
	}
}
