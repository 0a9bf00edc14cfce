// Golden runs: every machine must produce their digests, bit for bit. Beside each
// digest is a text, with the first and last events and the final metrics, so that a
// change shows what changed. To accept a deliberate change:
// go test ./experiment -run Golden -update.

package experiment

import (
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/internal/golden"
	"overhear/metrics"
	"overhear/scenarios"
	"overhear/sim"
)

var update = flag.Bool("update", false, "rewrite the golden digests and texts")

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
	"proximal-admm": {"algorithm={kind: proximal-admm, eta: 0.03, tau: 0.1, gamma: 0.9, " +
		"alpha: {initial: 0.5, ratio: 1.02}}", "rounds.count=20"},
	"m-admm": {"algorithm={kind: m-admm, eta: {initial: 0.03, ratio: 1.02, max: 0.2}, " +
		"theta: 0.03}", "rounds.count=20"},
	"penalty-perturbation": {"algorithm={kind: penalty-perturbation, eta: {initial: 0.1, ratio: 1.02}, " +
		"theta: 0.1, alpha: {values: [20, 30]}}", "rounds.count=20"},
	"penalty-perturbation-gaussian": {"algorithm={kind: penalty-perturbation, eta: {initial: 0.1, ratio: 1.02}, " +
		"theta: 0.1, alpha: {values: [2, 3]}, law: gaussian}", "rounds.count=20"},
	"r-admm":  {"algorithm={kind: r-admm, eta: 0.03, gamma: 0.1}", "rounds.count=20"},
	"mr-admm": {"algorithm={kind: mr-admm, eta: {initial: 0.03, ratio: 1.02}}", "rounds.count=20"},
	"private-r-admm": {"algorithm={kind: private-r-admm, eta: 0.3}", "rounds.count=20",
		"network.loss=0.1"},
	"private-mr-admm": {"algorithm={kind: private-mr-admm, eta: 0.3}", "privacy={epsilon: 2}",
		"rounds.count=20"},
	"pdml": {"algorithm={kind: pdml, eta: 0.1, radius: 5}", "rounds.count=15",
		"network.loss=0.1"},
	"dp-admm": {"algorithm={kind: dp-admm, eta: 0.5, step: 1}", "network.topology={kind: star, nodes: 11}",
		"network.loss=0.1", "rounds.count=20"},
	"edge-admm":   {"algorithm={kind: edge-admm, eta: 0.05}", "rounds.count=20", "network.loss=0.1"},
	"dgd":         {"algorithm={kind: dgd, step: 1}", "rounds.count=20"},
	"private-dgd": {"algorithm={kind: private-dgd, step: 1, alpha: 2}", "rounds.count=20"},
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
	"fdml-sgd": {"problem.columns=[16, 15]", "algorithm={kind: fdml-sgd, step: 1, batch: 50, sigma: 0.1}",
		"network.topology={kind: star, nodes: 3}", "rounds.count=30"},
	"edge-under-loss": {"rounds.count=40"},
	"regression":      {"problem.data.rows=900", "rounds.count=20", "network.loss=0.1"},
	"softmax":         {"problem.data.rows=600", "rounds.count=20", "network.loss=0.1"},
	"one-vs-rest": {"problem.data={set: waveform, rows: 300, classes: all}", "problem.loss=one-vs-rest",
		"problem.partition=dirichlet", "algorithm={kind: private-dgd, step: 1, alpha: 2}", "rounds.count=20"},
	"regression-columns": {"problem={data: {set: linear, rows: 300}, columns: [5, 6], scale: {rows: max}, " +
		"loss: {kind: quantile, level: 0.8, width: 0.2}, train: 0.8, rho: 0.02}", "rounds.count=20",
		"algorithm={kind: admm-sharing, eta: 0.01}", "network.topology={kind: star, nodes: 3}"},
	"sharing-sigmoid": {"rounds.count=15", "network.loss=0.1"},
	"sharing-welsch": {"problem={data: {set: linear, rows: 300}, columns: [5, 6], scale: {rows: max}, " +
		"loss: {kind: welsch, width: 0.2}, train: 0.8, rho: 0.02, l1: 0.001}", "rounds.count=15",
		"algorithm={kind: private-admm-sharing, form: averaged, sigma: 0.01}",
		"network.topology={kind: star, nodes: 3}"},
	"hospital-faults": {"rounds.count=60"},
	"hospital-faults-synchronous": {"algorithm={kind: dvp, eta: 0.03}",
		"rounds={count: 15, missing: last, deadline: 2s}",
		"network.faults=[{at: 100ms, crash: 3, until: 900ms, memory: lost}, {slow: 2, factor: 30}, {crashes: {every: " +
			"1s, for: 50ms}}]"},
	"pdml-asynchronous": {"algorithm={kind: pdml, eta: 0.1}",
		"rounds={mode: asynchronous, count: 15, quorum: 0.4, staleness: 3}", "network.loss=0.2",
		"network.duplication=0.1", "compute.speed-spread=0.7"},
	"dp-admm-asynchronous": {"algorithm={kind: dp-admm, eta: 0.5, step: 1}", "network.topology={kind: star, nodes: 11}",
		"rounds={mode: asynchronous, count: 15}", "network.loss=0.2"},
	"computed":         {"algorithm={kind: admm}", "rounds.count=20"},
	"computed-private": {"algorithm={kind: private-r-admm}", "rounds.count=20"},
	"computed-step":    {"algorithm={kind: dp-admm}", "network.topology={kind: star, nodes: 11}", "rounds.count=20"},
	"elastic-net":      {"problem.l1=0.1", "algorithm={kind: admm}", "rounds.count=20", "network.loss=0.1"},
	"box": {"problem.set={kind: box, lower: -0.3, upper: 1}", "algorithm={kind: edge-admm}",
		"rounds.count=20"},
	"group-lasso": {"problem.columns=[11, 10, 10]", "problem.group=0.02", "problem.l1=0.001", "problem.rho=0.02",
		"algorithm={kind: admm-sharing, eta: 0.01, form: averaged}", "network.topology={kind: star, nodes: 4}",
		"network.loss=0.1", "rounds.count=15"},
	"ball": {"problem.set={kind: ball, radius: 2}", "problem.l1=0.02", "algorithm={kind: pvp, eta: 0.03}",
		"problem.loss=huber-hinge", "rounds.count=20"},
	"regions": {"network.latency.placement=random", "network.loss=0.1", "network.duplication=0.1", "rounds.count=20"},
	"phones":  {"rounds.count=30"},
	"churn": {"network.faults=[{availability: {spans: {phone: [[0s, 3s], [5s, 6s]], server: [[0s, 9s]]}, " +
		"stretch: 0.05, end: repeat, period: 10s}}, {sessions: {set: kad, stretch: 0.00001, memory: lost, nodes: [1, " +
		"4]}}]",
		"compute.measured={values: [3ms, 20ms, 7ms]}", "compute.classes={factors: {phone: 3, server: 0.7}}",
		"rounds={mode: asynchronous, count: 30, deadline: 1h}", "algorithm={kind: edge-admm, eta: 0.05}"},
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

// goldenRun runs a scenario and returns the digest of its trace and a text about the
// run, for people.
func goldenRun(t *testing.T, s *scenarios.Scenario, workers int) (digest, text string) {
	t.Helper()
	var b excerpt
	out, err := New(s, "").complete(context.Background(), 7, Execution{Workers: workers, Events: b.event}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(out.Trace.Digest[:]), b.text(out)
}

// excerpt keeps the first and the last events of a run, as lines.
type excerpt struct {
	first []string
	last  []string // a ring: the line of the k-th event is at k mod excerptEvents
	count int      // events but starts
}

const (
	excerptEvents  = 12 // at either end; starts are left out, as there is one a node and they say nothing
	excerptNumbers = 3  // of a payload
)

// exactly writes a number with as many digits as it takes to read back the same bits.
func exactly(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64) // a count, without an exponent
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// event takes an event of the run.
func (b *excerpt) event(e *sim.Event) {
	if e.Kind == "start" {
		return
	}
	line := fmt.Sprintf("%8d  %12d ns  %-8s  node %d", e.Number, int64(e.At), e.Kind, e.Node)
	if m := e.Message; m != nil {
		line += fmt.Sprintf(", from %d: %s of round %d", m.From, algorithms.Kinds[m.Kind], m.Round)
		for k, v := range m.Payload[:min(excerptNumbers, len(m.Payload))] {
			line += [...]string{": ", ", ", ", "}[k] + exactly(v)
		}
		if more := len(m.Payload) - excerptNumbers; more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
	}
	if len(b.first) < excerptEvents {
		b.first = append(b.first, line)
	}
	if len(b.last) < excerptEvents {
		b.last = append(b.last, line)
	}
	b.last[b.count%excerptEvents] = line
	b.count++
}

// text is the excerpt and the final metrics. All metrics are computed on the digest
// path, so that every digit is the same on every machine.
func (b *excerpt) text(out *outcome) string {
	var w strings.Builder
	fmt.Fprintf(&w, "%d events, the last at %d ns\n\nfirst events after the starts:\n", out.Events, int64(out.End))
	for _, line := range b.first {
		fmt.Fprintln(&w, line)
	}
	fmt.Fprintf(&w, "\nlast events:\n")
	for k := range b.last {
		fmt.Fprintln(&w, b.last[(b.count+k)%len(b.last)])
	}
	fmt.Fprintf(&w, "\nfinal metrics:\n")
	for k, v := range out.rows[len(out.rows)-1].Values() {
		if !math.IsNaN(v) {
			fmt.Fprintf(&w, "%-14s  %s\n", metrics.Columns[k], exactly(v))
		}
	}
	return w.String()
}

func TestGoldenRuns(t *testing.T) {
	for name := range goldens {
		t.Run(name, func(t *testing.T) {
			digest, text := goldenRun(t, goldenScenario(t, name), 2)
			golden.Compare(t, filepath.Join("..", "results", "golden"),
				map[string]string{name + ".sha256": digest + "\n", name + ".txt": text}, *update)
		})
	}
}

func TestEveryMethodHasAGolden(t *testing.T) {
	has := map[string]bool{}
	for name := range goldens {
		has[goldenScenario(t, name).Algorithm.Kind] = true
	}
	for _, e := range algorithms.Entries() {
		if !has[e.Name] {
			t.Errorf("no golden run is of method %s", e.Name)
		}
	}
}

// The digest may not depend on workers, processors or the run that came before.
func TestDigestDoesNotDependOnTheMachine(t *testing.T) {
	s := goldenScenario(t, "lossy")
	want, _ := goldenRun(t, s, 1)
	for _, workers := range []int{1, 2, 8} {
		for _, procs := range []int{1, 2} {
			old := runtime.GOMAXPROCS(procs)
			got, _ := goldenRun(t, s, workers)
			runtime.GOMAXPROCS(old)
			if got != want {
				t.Errorf("%d workers on %d processors: digest %s, want %s", workers, procs, got, want)
			}
		}
	}
}
