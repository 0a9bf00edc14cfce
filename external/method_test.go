// A class in Python has the bits of the engine's own method, whoever computes and however the steps go, and what it
// does wrong is said.

package external_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	_ "overhear/external"
	"overhear/privacy"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

const admm = `class ADMM:
    def __init__(self, eta):
        self.eta = eta

    def update(self, node, t):
        node.minimise(node.pull(self.eta), 2 * self.eta * node.degree)

    def dual(self, node, t):
        node.ascend(self.eta)
`

// DVP as ZZ16 Algorithm 2 has it, with the calibration of its proof or that of its listing.
var dvp = example("dvp.py")

// example is the text of one in python/examples.
func example(name string) string {
	text, err := os.ReadFile(filepath.Join("..", "python", "examples", name))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// interpreter is a Python that has numpy.
func interpreter(t testing.TB) string {
	t.Helper()
	name := found()
	if name == "" {
		t.Skip("no python3 with numpy")
	}
	return name
}

var found = sync.OnceValue(func() string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	return ""
})

const scenario = `name: own
problem: {data: {set: twonorm, rows: 90, dimension: 4}, train: 60, rho: 0.3}
network: {topology: {kind: ring, nodes: 5}, latency: {kind: exponential, mean: 5ms}}
rounds: {count: 12}
algorithm: ALGORITHM
`

func measured(t testing.TB, class, algorithm string, workers int, sets ...string) (string, error) {
	t.Helper()
	info, err := told(t, class, algorithm, workers, sets...)
	if err != nil {
		return "", err
	}
	return info.Digest, nil
}

// told is what run.json would say.
func told(t testing.TB, class, algorithm string, workers int, sets ...string) (*record.Info, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.py")
	if err := os.WriteFile(file, []byte(class), 0o644); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(scenario, "ALGORITHM", strings.ReplaceAll(algorithm, "FILE", file))
	s, err := scenarios.Parse("own.yaml", []byte(text), sets...)
	if err != nil {
		t.Fatal(err)
	}
	info, _, err := experiment.New(s, "").Measure(context.Background(), 1, workers)
	return info, err
}

func own(t testing.TB) string {
	return "{kind: python, file: FILE, parameters: eta=0.2, interpreter: " + interpreter(t) + "}"
}

func TestPython_HasTheBitsOfTheEnginesOwn(t *testing.T) {
	python := own(t)
	for _, sets := range [][]string{nil, {"rounds={mode: asynchronous, count: 12, quorum: 0.5}"},
		{"network.loss=0.2", "rounds.retry=20ms"}, {"problem.loss=huber-hinge"},
		{"network.faults=[{at: 20ms, crash: 2, until: 30ms, memory: lost}]", "rounds.retry=20ms"}} {
		want, err := measured(t, admm, "{kind: admm, eta: 0.2}", 1, sets...)
		if err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers < 4; workers += 2 {
			if got, err := measured(t, admm, python, workers, sets...); err != nil || got != want {
				t.Errorf("%v, %d workers: digest %s, not %s: %v", sets, workers, got, want, err)
			}
		}
	}
}

// What a class keeps is its node's: one that shares it has the same bits however nodes take turns.
func TestPython_NodesShareNothing(t *testing.T) {
	python := own(t)
	const counting = `class Counting:
    def __init__(self, eta):
        self.calls = 0

    def update(self, node, t):
        self.calls += 1
        if self.calls != t:
            raise ValueError(f"call {self.calls} of node {node.id} in round {t}")
        node.f = node.f + self.calls
`
	first := ""
	for workers := 1; workers < 5; workers++ {
		got, err := measured(t, counting, python, workers)
		if first == "" {
			first = got
		}
		if err != nil || got != first {
			t.Fatalf("%s, not %s: %v", got, first, err)
		}
	}
}

func TestPython_DVPHasTheBitsOfTheEnginesOwn(t *testing.T) {
	if lines := strings.Count(dvp, "\n"); lines > 25 {
		t.Errorf("DVP takes %d lines", lines)
	}
	for _, listing := range []string{"proof", "listing"} {
		for _, alpha := range []string{"1", "0.001"} { // the second needs the curvature φ
			want, err := measured(t, "", "{kind: dvp, eta: 0.2, alpha: "+alpha+", calibration: "+listing+"}", 1)
			if err != nil {
				t.Fatal(err)
			}
			python := fmt.Sprintf("{kind: python, file: FILE, interpreter: %s, parameters: 'eta=0.2, alpha=%s, "+
				"listing=%d'}", interpreter(t), alpha, map[string]int{"proof": 0, "listing": 1}[listing])
			if got, err := measured(t, dvp, python, 2); err != nil || got != want {
				t.Errorf("%s, α = %s: digest %s, not %s: %v", listing, alpha, got, want, err)
			}
		}
	}
}

// Noise is that of the stream in order, whichever kind is asked for first, and however often, in a round and in the
// round before it.
func TestPython_NoiseIsTheStreams(t *testing.T) {
	draws := [][]float64{{2}, {-0.5, 3}, {1, 1}, nil, {-2, -1, 4}, {5}, {6, -1}, {-1}, {-3}, {7, 8}} // Gaussian below 0
	class := "DRAWS = " + strings.ReplaceAll(fmt.Sprint(draws), " ", ",") + `
class Draws:
    def update(self, node, t):
        node.f = 0 * node.f
        for level in DRAWS[t - 1]:
            node.f = node.f + (node.noise(level) if level > 0 else node.gaussian(-level))
`
	file := filepath.Join(t.TempDir(), "own.py")
	if err := os.WriteFile(file, []byte(class), 0o644); err != nil {
		t.Fatal(err)
	}
	algorithm := "{kind: python, file: " + file + ", interpreter: " + interpreter(t) + "}"
	s, err := scenarios.Parse("own.yaml", []byte(strings.ReplaceAll(scenario, "ALGORITHM", algorithm)),
		"rounds.count="+strconv.Itoa(len(draws)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment.New(s, "").Run(context.Background(), 1, experiment.Options{Out: t.TempDir(), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = r.Iterates(func(it record.Iterate) error {
		if it.Round == 0 {
			return nil
		}
		seen++
		stream := sim.NewStream(1, "noise", uint64(it.Node), uint64(it.Round))
		want, one := make([]float64, len(it.Values)), make([]float64, len(it.Values))
		for _, level := range draws[it.Round-1] {
			if level > 0 {
				privacy.Laplace(stream, level, one)
			} else {
				privacy.Gaussian(stream, -level, one)
			}
			for k := range want {
				want[k] += one[k]
			}
		}
		if !slices.Equal(it.Values, want) {
			t.Errorf("node %d, round %d: %v, and by the stream %v", it.Node, it.Round, it.Values, want)
		}
		return nil
	})
	if err != nil || seen != 5*len(draws) {
		t.Errorf("%d iterates: %v", seen, err)
	}
}

// Where all nodes step at once, they are one batch.
func TestPython_AnInstantIsABatch(t *testing.T) {
	const placed = `class Placed:
    calls = 0

    def __init__(self, eta): pass

    def update(self, node, t):
        if node._place != Placed.calls % 5:
            raise ValueError(f"call {Placed.calls} is the one at {node._place} of a batch")
        Placed.calls += 1
        node.f = node.f + 1
`
	for workers := 1; workers < 4; workers++ {
		if _, err := measured(t, placed, own(t), workers, "network.latency=5ms"); err != nil {
			t.Error(err)
		}
	}
	if _, err := measured(t, placed, own(t), 1); err == nil {
		t.Error("nodes that step one after the other are taken for a batch")
	}
}

// Even what nodes share has the same bits, since a class is called in the order of virtual time.
func TestPython_CallsComeInOrder(t *testing.T) {
	const sharing = `class Sharing:
    calls = 0

    def __init__(self, eta): pass

    def update(self, node, t):
        node.minimise(node.pull(0.2), 0.8)
        if t % 3 == 0:
            node.f = node.f + Sharing.calls
        Sharing.calls = (Sharing.calls * 31 + node.id) % 1009
`
	first := ""
	for k := range 6 { // each with a text of its own, which begins with no calls
		got, err := measured(t, sharing+strings.Repeat("#", k), own(t), 1+k%3)
		if first == "" {
			first = got
		}
		if err != nil || got != first {
			t.Fatalf("%s, not %s: %v", got, first, err)
		}
	}
}

// A crash that costs a node its memory costs it what its object has kept.
func TestPython_ACrashForgets(t *testing.T) {
	const recalling = `class Recalling:
    def __init__(self, eta):
        self.calls = 0

    def update(self, node, t):
        self.calls += 1
        node.f = 0 * node.f + (node.id == 2 and self.calls < t - 1)
`
	for memory, want := range map[string]bool{"lost": true, "kept": false} {
		file := filepath.Join(t.TempDir(), "own.py")
		if err := os.WriteFile(file, []byte(recalling), 0o644); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(scenario, "ALGORITHM", strings.ReplaceAll(own(t), "FILE", file))
		s, err := scenarios.Parse("own.yaml", []byte(text), "rounds.retry=20ms",
			"network.faults=[{at: 20ms, crash: 2, until: 30ms, memory: "+memory+"}]")
		if err != nil {
			t.Fatal(err)
		}
		e := experiment.New(s, "")
		a, err := e.Assemble(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		var last published
		if _, err := e.Execute(context.Background(), a, experiment.Execution{Observer: &last}); err != nil {
			t.Fatal(err)
		}
		if forgot := last.values[2][0] == 1; forgot != want {
			t.Errorf("memory %s: the object of node 2 forgot: %v", memory, forgot)
		}
	}
}

// published keeps what each node has published last.
type published struct{ values [5][]float64 }

func (p *published) Published(of *algorithms.Publication) { p.values[of.Node] = of.Values }

func (p *published) Concluded(int, int, []float64) {}

func TestPython_SaysWhatIsWrong(t *testing.T) {
	python := own(t)
	for body, want := range map[string]string{
		"raise KeyError('here')":                   "round 1: the class raised KeyError: 'here'",
		"node.f = node.f[1:]":                      "an array of shape (4,), and it must be (5,)",
		"node.f = node.f * float('inf')":           "component 0 is",
		"import sys; sys.exit(0)":                  "ended",
		"node.gaussian(float('nan'))":              "noise of level nan",
		"import os; os.write(3, b'x' * 99)":        "", // not a pipe of ours, or one: an error or none, and no hang
		"node.minimise(node.f, float('-inf'))":     "",
		"node.dual = node.dual.tolist() + [1]":     "must be (5,)",
		"log(2); node.f = node.f + expm1(1) - 1.5": "-",
	} {
		class := "class Wrong:\n    def __init__(self, eta): pass\n    def update(self, node, t):\n        " + body +
			"\n"
		_, err := measured(t, class, python, 1)
		switch {
		case want == "-" && err != nil,
			want != "" && want != "-" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v", body, err)
		}
	}
	for algorithm, want := range map[string]string{
		"{kind: python, file: FILE, interpreter: no-such-python}": "algorithm.interpreter",
		"{kind: python, file: FILE, parameters: theta=2}":         "unexpected keyword argument 'theta'",
		"{kind: python, file: FILE, class: Other}":                "has no class Other",
	} {
		if !strings.Contains(algorithm, "interpreter") {
			algorithm = strings.Replace(algorithm, "}", ", interpreter: "+interpreter(t)+"}", 1)
		}
		if _, err := measured(t, admm, algorithm, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}

// Every node is told why there are no objects of the class, and not only the one whose step came first.
func TestPython_SaysWhyNoObjectIsMade(t *testing.T) {
	python := own(t)
	const class = "class Wrong:\n    def __init__(self, eta):\n        raise ValueError('never')\n" +
		"    def update(self, node, t): pass\n"
	for range 20 {
		_, err := measured(t, class, python, 4, "problem.data={set: twonorm, rows: 3000, dimension: 20}",
			"problem.train=2500")
		if err == nil || !strings.Contains(err.Error(), "the class raised ValueError: never") {
			t.Fatal(err)
		}
	}
}

func TestArguments_AreReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"eta=0.1,alpha = 2": "alpha=2, eta=0.1", "": "file: a.py", "eta": "must be name=number",
		"eta=x": "must be name=number", "eta=1, eta=2": "has eta twice", "=1": "must be name=number",
	} {
		s, err := scenarios.Parse("a.yaml", []byte("name: a\nproblem: {data: wdbc}\nnetwork: {topology: {kind: ring, "+
			"nodes: 3}}\nrounds: {count: 1}\nalgorithm: {kind: python, file: a.py, parameters: '"+text+"'}\n"))
		if !strings.HasPrefix(want, "must") && !strings.HasPrefix(want, "has") {
			if err != nil || !strings.Contains(s.Resolved(), want) {
				t.Fatalf("%s: %v", text, err)
			}
			if again, err := scenarios.Parse("a.yaml", []byte(s.Resolved())); err != nil || again.Hash() != s.Hash() {
				t.Errorf("%q is not read as it is written: %v", text, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// BenchmarkSteps gives node-steps a second with five columns and twelve rows a node: update, dual and a solve. Of a
// constant latency a virtual instant has a batch.
func BenchmarkSteps(b *testing.B) {
	python := own(b)
	for _, c := range []struct{ name, class, parameters, latency string }{
		{"ADMM/instants", admm, "eta=0.2", "5ms"},
		{"ADMM/scattered", admm, "eta=0.2", "{kind: exponential, mean: 5ms}"},
		{"DVP/instants", dvp, "'eta=0.2, alpha=1'", "5ms"},
		{"DVP/scattered", dvp, "'eta=0.2, alpha=1'", "{kind: exponential, mean: 5ms}"},
	} {
		b.Run(c.name, func(b *testing.B) {
			const nodes, rounds = 50, 200
			for b.Loop() {
				if _, err := measured(b, c.class, strings.Replace(python, "eta=0.2", c.parameters, 1), 2,
					fmt.Sprintf("rounds.count=%d", rounds), "network.latency="+c.latency,
					fmt.Sprintf("network.topology={kind: ring, nodes: %d}", nodes), "problem.data.rows=1000",
					"problem.train=600"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(nodes*rounds*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
