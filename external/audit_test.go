// A black box judges classes whose law of noise nobody knows: it refutes claims that are wrong, and no right one.

package external_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/evaluation"
	"overhear/experiment"
	_ "overhear/external"
	"overhear/record"
	"overhear/scenarios"
)

// Each node publishes its mean gradient at 0 and Laplace noise, once. Of opposite rows in one dimension that gradient
// differs by C/B, so that what is lost is spend, wherever the output does not lie between the two: nothing less is
// right, and nothing has so many chances to be refuted by accident.
const tight = `class Tight:
    def __init__(self, spend):
        self.spend = spend

    def update(self, node, t):
        node.f = node.gradient(0 * node.f) + node.noise(self.spend * node.rows / node.C)
`

// A node that adds up what it says in all rounds, and a neighbour that is slow and says it again: of its packets of the
// first rounds others learn of many rounds of the node.
const adding = `class Adding:
    def __init__(self, spend):
        self.spend, self.all = spend, 0

    def update(self, node, t):
        e = node.noise(self.spend * node.rows / node.C)
        if node.id == 0:
            self.all = self.all + node.gradient(0 * node.f) + e
            node.f = self.all
        else:
            node.f = node.sum if node.id == 1 else 0 * node.f
`

const oneSlow = `name: judged
problem: {data: {set: twonorm, rows: 60, dimension: 1}, rho: 0.1, scale: {intercept: false}}
network: {topology: {kind: complete, nodes: 3}, faults: [{slow: 1, factor: 12}]}
rounds: {mode: asynchronous, count: 30, quorum: 0.5, staleness: 20, timeout: 1ms, deadline: 60s}
compute: {row: 100us}
adversary: {audit: {pair: {a: [-1], b: [1]}, node: 0}}
algorithm: {kind: python, file: FILE, claim: 0.5, parameters: PARAMETERS, interpreter: PYTHON}
`

const oneColumn = `name: judged
problem: {data: {set: twonorm, rows: 20, dimension: 1}, rho: 0.1, scale: {intercept: false}}
network: {topology: {kind: complete, nodes: 2}}
rounds: {count: 1}
adversary: {audit: {pair: {a: [-1], b: [1]}}}
algorithm: {kind: python, file: FILE, claim: 1, parameters: PARAMETERS, interpreter: PYTHON}
`

const twoColumns = `name: judged
problem: {data: {set: twonorm, rows: 2000, dimension: 2}, rho: 0.0005, scale: {intercept: false}}
network: {topology: {kind: complete, nodes: 2}}
rounds: {count: 1}
adversary: {audit: {pair: {a: [-0.96, 0.25], b: [0.25, -0.96]}}}
algorithm: {kind: python, file: FILE, claim: 3, parameters: PARAMETERS, interpreter: PYTHON}
`

// judged are audits of right and of wrong claims.
var judged = []struct {
	name, class, parameters, scenario string
	runs                              int
	right                             bool
}{
	{"attained", tight, "spend=1", oneColumn, 200, true},
	{"heard late", adding, "spend=0.5", oneSlow, 1000, true},
	{"exceeded", tight, "spend=2", oneColumn, 1000, false},
	{"DVP", dvp, "'eta=0.001, alpha=3'", twoColumns, 200, true},
	{"misprinted", dvp, "'eta=0.001, alpha=3, listing=1'", twoColumns, 4000, false},
}

// judge audits the k-th of judged, and says whether its claim is refuted.
func judge(t testing.TB, k int, seed uint64) (refuted bool) {
	t.Helper()
	c := judged[k]
	file := filepath.Join(t.TempDir(), "own.py")
	if err := os.WriteFile(file, []byte(c.class), 0o644); err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("FILE", file, "PARAMETERS", c.parameters, "PYTHON", interpreter(t)).Replace(c.scenario)
	s, err := scenarios.Parse("judged.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	e.Seeds.First = seed
	a, err := evaluation.BlackBox(context.Background(), e, evaluation.AuditOptions{Workers: 2, Runs: c.runs})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range a.Verdicts {
		if v.Verdict == record.Violated {
			refuted = true
		} else if v.Verdict != record.NotEstablished {
			t.Fatalf("%s: of a claim that nobody has proved the verdict is %s", c.name, v.Verdict)
		}
	}
	return refuted
}

func TestPython_IsJudgedByABlackBox(t *testing.T) {
	for k, c := range judged {
		if judge(t, k, 1) == c.right {
			t.Errorf("%s: refuted: %v", c.name, !c.right)
		}
	}
}

// BenchmarkAudits gives the share of audits that refute: of a right claim at most 0.05, of a wrong one nearly all. The
// figures of docs/python.md take -benchtime 1000x.
func BenchmarkAudits(b *testing.B) {
	for k, c := range judged {
		b.Run(c.name, func(b *testing.B) {
			refuted, seed := 0, uint64(0)
			for b.Loop() {
				if seed++; judge(b, k, seed) {
					refuted++
				}
			}
			b.ReportMetric(float64(refuted)/float64(b.N), "refuted/audit")
		})
	}
}
