// Golden digests: every machine must produce these, bit for bit. To accept a
// deliberate change: go test ./experiment -run Golden -update.

package experiment

import (
	"context"
	"encoding/hex"
	"flag"
	"os"
	"overhear/scenarios"
	"path/filepath"
	"runtime"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden digests")

// goldens are small runs that exercise everything on the digest path.
var goldens = map[string][]string{
	"quickstart": nil,
	"wdbc-ring":  {"rounds.count=60"},
	"lossy":      {"rounds.count=40"},
	"huber-shuffled": {"problem.loss=huber-hinge", "ties=shuffled", "algorithm.init.normal=0.1",
		"problem.partition=dirichlet", "rounds.count=30"},
	"twonorm": {"problem.data={set: twonorm, rows: 600}", "problem.loss=squared",
		"network.topology={kind: random-regular, nodes: 20, degree: 4}", "network.bandwidth=1Mbps", "rounds.count=30"},
	"dvp": {"algorithm={kind: dvp, eta: 0.03, alpha: {initial: 0.5, ratio: 1.02}}",
		"rounds.count=20"},
	"dvp-listing": {"algorithm={kind: dvp, eta: 0.0003, alpha: 0.05, calibration: listing}",
		"problem.partition=dirichlet", "rounds.count=10"},
	"pvp": {"algorithm={kind: pvp, eta: 0.03}", "rounds.count=20"},
	"m-admm": {"algorithm={kind: m-admm, eta: {initial: 0.03, ratio: 1.02, max: 0.2}, " +
		"theta: 0.03}", "rounds.count=20"},
	"penalty-perturbation": {"algorithm={kind: penalty-perturbation, eta: {initial: 0.1, ratio: 1.02}, " +
		"theta: 0.1, alpha: {values: [20, 30]}}", "rounds.count=20"},
	"r-admm":  {"algorithm={kind: r-admm, eta: 0.03, gamma: 0.1}", "rounds.count=20"},
	"mr-admm": {"algorithm={kind: mr-admm, eta: {initial: 0.03, ratio: 1.02}}", "rounds.count=20"},
	"private-r-admm": {"algorithm={kind: private-r-admm, eta: 0.3}", "rounds.count=20",
		"network.loss=0.1"},
	"private-mr-admm": {"algorithm={kind: private-mr-admm, eta: 0.3}", "privacy={epsilon: 2}",
		"rounds.count=20"},
	"pdml": {"algorithm={kind: pdml, eta: 0.1, radius: 5}", "rounds.count=15",
		"network.loss=0.1"},
	"dp-admm": {"algorithm={kind: dp-admm}", "network.topology={kind: star, nodes: 11}",
		"network.loss=0.1", "rounds.count=20"},
	"edge-admm":   {"algorithm={kind: edge-admm, eta: 0.05}", "rounds.count=20", "network.loss=0.1"},
	"dgd":         {"algorithm={kind: dgd}", "rounds.count=20"},
	"private-dgd": {"algorithm={kind: private-dgd, alpha: 2}", "rounds.count=20"},
	"centralised": {"algorithm={kind: centralised}", "rounds.count=2"},
	"local":       {"algorithm={kind: local}", "rounds.count=2"},
	"admm-sharing": {"problem.columns=[11, 10, 10]", "algorithm={kind: admm-sharing, eta: 0.003}",
		"network.topology={kind: star, nodes: 4}", "network.loss=0.1", "rounds.count=15"},
	"admm-sharing-averaged": {"problem.columns=[11, 10, 10]",
		"algorithm={kind: admm-sharing, eta: 0.3, form: averaged, loss: sum}",
		"network.topology={kind: star, nodes: 4}", "rounds.count=15"},
	"private-admm-sharing": {"problem.columns=[16, 15]", "algorithm={kind: private-admm-sharing, eta: 0.003}",
		"network.topology={kind: star, nodes: 3}", "rounds.count=15"},
	"private-admm-sharing-ambient": {"problem.columns=[16, 15]",
		"algorithm={kind: private-admm-sharing, eta: 0.003, noise: ambient, sigma: 0.3}",
		"network.topology={kind: star, nodes: 3}", "rounds.count=15"},
	"fdml-sgd": {"problem.columns=[16, 15]", "algorithm={kind: fdml-sgd, batch: 50, sigma: 0.1}",
		"network.topology={kind: star, nodes: 3}", "rounds.count=30"},
	"edge-under-loss": {"rounds.count=40"},
	"hospital-faults": {"rounds.count=60"},
	"hospital-faults-synchronous": {"algorithm={kind: dvp, eta: 0.03}",
		"rounds={count: 15, missing: last, deadline: 2s}",
		"network.faults=[{at: 100ms, crash: 3, until: 900ms, memory: lost}, {slow: 2, factor: 30}, {crashes: {every: " +
			"1s, for: 50ms}}]"},
	"pdml-asynchronous": {"algorithm={kind: pdml, eta: 0.1}",
		"rounds={mode: asynchronous, count: 15, quorum: 0.4, staleness: 3}", "network.loss=0.2",
		"network.duplication=0.1", "compute.speed-spread=0.7"},
	"dp-admm-asynchronous": {"algorithm={kind: dp-admm}", "network.topology={kind: star, nodes: 11}",
		"rounds={mode: asynchronous, count: 15}", "network.loss=0.2"},
	"census": {"problem.data={set: census, rows: 900}",
		"network.topology={kind: barabasi-albert, nodes: 12, attach: 2}",
		"network.latency={kind: exponential, mean: 5ms}", "rounds.count=20"},
}

func goldenScenario(t *testing.T, name string) *scenarios.Scenario {
	t.Helper()
	file := name
	if _, err := os.Stat(filepath.Join("..", "scenarios", name+".yaml")); err != nil {
		file = "quickstart"
	}
	s, err := scenarios.Load(filepath.Join("..", "scenarios", file+".yaml"), goldens[name]...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func digest(t *testing.T, s *scenarios.Scenario, workers int) string {
	t.Helper()
	out, err := New(s, "").complete(context.Background(), 7, workers, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(out.Trace.Digest[:])
}

func TestGoldenDigests(t *testing.T) {
	for name := range goldens {
		t.Run(name, func(t *testing.T) {
			s := goldenScenario(t, name)
			path := filepath.Join("..", "results", "golden", name+".sha256")
			got := digest(t, s, 2)
			if *update {
				if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got+"\n" != string(want) {
				t.Errorf("digest %s, golden %s", got, want)
			}
		})
	}
}

// The digest may not depend on workers, processors or the run that came before.
func TestDigestDoesNotDependOnTheMachine(t *testing.T) {
	s := goldenScenario(t, "lossy")
	want := digest(t, s, 1)
	for _, workers := range []int{1, 2, 8} {
		for _, procs := range []int{1, 2} {
			old := runtime.GOMAXPROCS(procs)
			got := digest(t, s, workers)
			runtime.GOMAXPROCS(old)
			if got != want {
				t.Errorf("%d workers on %d processors: digest %s, want %s", workers, procs, got, want)
			}
		}
	}
}
