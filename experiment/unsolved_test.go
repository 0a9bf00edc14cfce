// That a run says where rounding hides that its solves have not met their tolerance.

package experiment

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"overhear/scenarios"
)

func TestRun_SaysWhereRoundingHidesTheResidual(t *testing.T) {
	warned := 0
	for scale := 1.0; scale < 3; scale += 0.25 {
		r := rand.New(rand.NewPCG(9, 10))
		var b strings.Builder
		b.WriteString("a,b,c,t\n")
		for range 400 {
			x := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			fmt.Fprintf(&b, "%.6f,%.6f,%.6f,%.4f\n", x[0], x[1], x[2], scale*(3e5*(x[0]-x[1])+1e5*r.NormFloat64()))
		}
		s, err := scenarios.Parse("far.yaml", []byte(`name: far
problem:
  data: {csv: `+file(t, "far.csv", b.String())+`, target: t}
  loss: squared
  train: 0.8
  rho: 0.01
  scale: {target: none, columns: none, rows: none}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 30}
algorithm: {kind: admm, eta: 0.3}
`))
		if err != nil {
			t.Fatal(err)
		}
		info, _, err := New(s, "").Measure(t.Context(), 1, 1)
		if err != nil {
			continue // it is seen that a solve does not meet it
		}
		says := strings.Contains(strings.Join(info.Warnings, "\n"), "rounding hides it")
		if above := float64(info.Residual.Max) > info.Residual.Tolerance; says != above {
			t.Errorf("targets of %.3g: residual %v of %v, and the run warns: %v", 3e5*scale, info.Residual.Max,
				info.Residual.Tolerance, says)
		}
		if says {
			warned++
		}
	}
	if warned == 0 {
		t.Error("rounding hid nothing: the test is of no such run")
	}
}
