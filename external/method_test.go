// A class in Python has the bits of the engine's own method, whoever computes and however the steps go, and what it
// does wrong is said.

package external_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overhear/experiment"
	_ "overhear/external"
	"overhear/scenarios"
)

const admm = `class ADMM:
    def __init__(self, eta):
        self.eta = eta

    def update(self, node, t):
        node.minimise(node.pull(self.eta), 2 * self.eta * node.degree)

    def dual(self, node, t):
        node.ascend(self.eta)
`

// interpreter is a Python that has numpy.
func interpreter(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Skip("no python3 with numpy")
	return ""
}

func measured(t testing.TB, class, algorithm string, workers int, sets ...string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.py")
	if err := os.WriteFile(file, []byte(class), 0o644); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`name: own
problem: {data: {set: twonorm, rows: 90, dimension: 4}, train: 60, rho: 0.3}
network: {topology: {kind: ring, nodes: 5}, latency: {kind: exponential, mean: 5ms}}
rounds: {count: 12}
algorithm: %s
`, strings.ReplaceAll(algorithm, "FILE", file))
	s, err := scenarios.Parse("own.yaml", []byte(text), sets...)
	if err != nil {
		t.Fatal(err)
	}
	info, _, err := experiment.New(s, "").Measure(context.Background(), 1, workers)
	if err != nil {
		return "", err
	}
	return info.Digest, nil
}

func own(t testing.TB) string {
	return "{kind: python, file: FILE, parameters: eta=0.2, interpreter: " + interpreter(t) + "}"
}

func TestPython_HasTheBitsOfTheEnginesOwn(t *testing.T) {
	python := own(t)
	for _, sets := range [][]string{nil, {"rounds={mode: asynchronous, count: 12, quorum: 0.5}"},
		{"network.loss=0.2", "rounds.retry=20ms"}, {"problem.loss=huber-hinge"}} {
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

func TestPython_SaysWhatIsWrong(t *testing.T) {
	python := own(t)
	for body, want := range map[string]string{
		"raise KeyError('here')":                   "round 1: the method raised KeyError: 'here'",
		"node.f = node.f[1:]":                      "an array of shape (4,), and it must be (5,)",
		"node.f = node.f * float('inf')":           "component 0 is",
		"import sys; sys.exit(0)":                  "ended",
		"node.gaussian(float('nan'))":              "noise of level NaN",
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
		"{kind: python, file: FILE, class: Other}":                "has no attribute 'Other'",
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
		if err == nil || !strings.Contains(err.Error(), "the method raised ValueError: never") {
			t.Fatal(err)
		}
	}
}

func TestArguments_AreReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"eta=0.1,alpha = 2": "algorithm:\n", "eta": "must be name=number", "eta=x": "must be name=number",
		"eta=1, eta=2": "has eta twice", "=1": "must be name=number",
	} {
		s, err := scenarios.Parse("a.yaml", []byte("name: a\nproblem: {data: wdbc}\nnetwork: {topology: {kind: ring, "+
			"nodes: 3}}\nrounds: {count: 1}\nalgorithm: {kind: python, file: a.py, parameters: '"+text+"'}\n"))
		if strings.HasPrefix(want, "algorithm") {
			if err != nil || !strings.Contains(s.Resolved(), "alpha=2, eta=0.1") {
				t.Errorf("%s: %v", text, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// BenchmarkPython gives node-steps a second of ADMM with five columns and few rows: update, dual and a solve.
func BenchmarkPython(b *testing.B) {
	python := own(b)
	for b.Loop() {
		if _, err := measured(b, admm, python, 1, "rounds.count=2000"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(5*2000*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}
