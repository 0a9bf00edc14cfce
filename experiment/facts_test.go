// The shipped scenarios do what their `about` says.

package experiment

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"overhear/metrics"
	"overhear/scenarios"
)

func rows(t *testing.T, file, data string, set ...string) []metrics.Row {
	t.Helper()
	s, err := scenarios.Load(filepath.Join("..", "scenarios", file), set...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := New(s, data).complete(context.Background(), 1, Execution{Workers: 2}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.rows
}

func checkSolved(t *testing.T, all []metrics.Row) {
	t.Helper()
	for _, r := range all[1:] {
		if !(r.DualSum < 1e-9) {
			t.Errorf("round %d: ‖Σλ‖ is %v", r.Round, r.DualSum)
		}
		if !(r.Residual <= 1e-10) {
			t.Errorf("round %d: a solve ended at a residual of %v", r.Round, r.Residual)
		}
	}
}

func TestWDBCRing_ReachesTheOptimum(t *testing.T) {
	all := rows(t, "wdbc-ring.yaml", "")
	checkSolved(t, all)
	if last := all[len(all)-1]; last.Round > 200 || !(last.Distance < 1e-6) {
		t.Errorf("distance %v after %d rounds", last.Distance, last.Round)
	}
}

// The proximal term and the damping change the way, not the end: docs/mathematics.md §3.13.
func TestWDBCRing_ProximalADMMReachesTheOptimum(t *testing.T) {
	for _, algorithm := range []string{
		"{tau: 0}", "{tau: 0.001}", "{tau: 0.01}", "{tau: 0.005, gamma: 0.7}", "{tau: 0.07, gamma: 1.5}",
	} {
		all := rows(t, "wdbc-ring.yaml", "", "algorithm="+strings.Replace(algorithm, "{",
			"{kind: proximal-admm, eta: 0.01, noise: \"off\", ", 1), "rounds.count=600")
		checkSolved(t, all)
		if last := all[len(all)-1]; !(last.Distance < 1e-6) {
			t.Errorf("%s: distance %v after %d rounds", algorithm, last.Distance, last.Round)
		}
	}
}

func TestAdult_DistanceKeepsFalling(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector; not with -short")
	}
	data := filepath.Join("..", "..", "shared", "data")
	if m, _ := filepath.Glob(filepath.Join(data, "*", "adult.data*")); m == nil {
		t.Skip("the data set Adult is not at hand")
	}
	all := rows(t, "adult.yaml", data)
	checkSolved(t, all)
	for k := 1; k < len(all); k++ {
		if !(all[k].Distance < all[k-1].Distance) {
			t.Errorf("round %d: distance %v after %v", k, all[k].Distance, all[k-1].Distance)
		}
	}
}
