// Golden findings: attacks.json and audit.json of small scenarios, which every machine
// must write alike to the last digit. A digest of the file is kept, and a text for people
// beside it. To accept a deliberate change: go test ./evaluation -run Golden -update.

package evaluation

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"overhear/adversary"
	"overhear/experiment"
	"overhear/internal/golden"
	"overhear/record"
	"overhear/scenarios"
)

var update = flag.Bool("update", false, "rewrite the golden digests and texts")

// goldenBase is what the golden findings have in common.
const goldenBase = `name: golden
problem:
  data: {set: twonorm, rows: 60, dimension: 4}
  train: 40
  scale: {columns: max, rows: clip, intercept: false}
  rho: 0.3
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 8}
algorithm: {kind: admm, eta: 0.3}
adversary: {knows: {victim: 1, all-but: 2, candidates: 9}}
`

// goldenAttacks reach every attack, each with a result; the changes are to goldenBase.
var goldenAttacks = map[string][]string{
	"admm":      {"adversary.attacks=[kkt-inversion, kkt-rounds, late-joiner, membership]"},
	"hidden":    {"adversary.knows.penalties=private", "adversary.attacks=[kkt-projection]"},
	"one-hop":   {"adversary={view: {kind: nodes, nodes: [0]}, knows: {victim: 2, data: [1]}, attacks: [one-hop]}"},
	"recycling": {"algorithm={kind: r-admm, eta: 0.3, gamma: 0.2}", "adversary.attacks=[recycling, kkt-rounds]"},
	"laplace":   {"algorithm={kind: dvp, eta: 0.3, alpha: 2000}", "adversary.attacks=[kkt-rounds, membership]"},
	"column-space": {"problem.columns=[2, 2]", "network.topology={kind: star, nodes: 3}",
		"algorithm={kind: admm-sharing, eta: 0.01}", "adversary.knows={victim: 1, candidates: 5}",
		"adversary.attacks=[column-space]"},
	"row-space": {"problem.data.rows=12", "problem.train=8", "problem.data.dimension=10",
		"adversary.knows={victim: 1, candidates: 9}", "adversary.attacks=[row-space]"},
	"all-rows": {"problem.data.rows=12", "problem.train=8", "problem.data.dimension=10", "rounds.count=20",
		"adversary.knows={victim: 1}", "adversary.attacks=[all-rows, linkage]"},
	"beyond": {"network.topology={kind: path, nodes: 4}", "algorithm={kind: dgd, step: 0.01, decay: none}",
		"adversary={view: {kind: nodes, nodes: [0]}, knows: {victim: 2, all-but: 1}, attacks: [beyond-neighbours]}"},
	"known-but": {"algorithm={kind: private-dgd, alpha: 50, step: 0.5}", "problem.scale.intercept=true",
		"adversary.knows={victim: 1, all-but: 2, attribute: label, data: [0, 2, 3]}",
		"adversary.attacks=[attribute, property, linkage]"},
	"label-reports": {"algorithm={kind: pdml, epsilon: 2, eta: 0.3}",
		"adversary.attacks=[gradient-differencing, label-inference]"},
}

// goldenAudits have claims of every kind: of a norm's law, of a Gaussian law, of reported
// labels, of split columns.
var goldenAudits = map[string][]string{
	"dvp":     {"algorithm={kind: dvp, eta: 0.3, alpha: 0.5}"},
	"dp-admm": {"algorithm={kind: dp-admm}", "network.topology={kind: star, nodes: 4}"},
	"pdml":    {"algorithm={kind: pdml, epsilon: 1, eta: 0.5}"},
	"sharing": {"problem.columns=[2, 2]", "network.topology={kind: star, nodes: 3}",
		"algorithm={kind: private-admm-sharing, eta: 0.1}"},
}

func goldenExperiment(t *testing.T, sets []string) *experiment.Experiment {
	t.Helper()
	s, err := scenarios.Parse("golden.yaml", []byte(goldenBase), sets...)
	if err != nil {
		t.Fatal(err)
	}
	return experiment.New(s, "")
}

// compare holds findings against the files of a name.
func compare(t *testing.T, name string, findings any, text string) {
	t.Helper()
	b, err := json.Marshal(findings)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("..", "results", "golden", "findings"), map[string]string{
		name + ".sha256": fmt.Sprintf("%x\n", sha256.Sum256(b)), name + ".txt": text,
	}, *update)
}

// lines writes values as JSON, one a line, every digit.
func lines[T any](w *strings.Builder, values ...T) {
	for _, v := range values {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(w, string(b))
	}
}

func goldenAttack(t *testing.T, sets []string) *record.Attacks {
	t.Helper()
	r, err := goldenExperiment(t, sets).Run(context.Background(), 1, experiment.Options{Out: t.TempDir(), Workers: 2,
		Extra: WriteKnowledge})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Attack(context.Background(), r, AttackOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestGoldenAttacks(t *testing.T) {
	carried := map[string]bool{}
	for name, sets := range goldenAttacks {
		t.Run(name, func(t *testing.T) {
			a := goldenAttack(t, sets)
			a.Scenario = "" // the language may gain keys, and the program is another; what is found stays
			a.Inputs = record.Inputs{}
			var text strings.Builder
			for _, f := range a.Findings {
				fmt.Fprintf(&text, "%s: %s, %s\n", f.Attack, f.Succeeded, f.Conclusion)
				if f.Succeeded != record.Blocked {
					carried[f.Attack] = true
				}
				if n := len(f.Estimates); n > 0 {
					lines(&text, f.Estimates[n-1])
				}
				if n := len(f.Facts); n > 0 {
					lines(&text, f.Facts[n-1])
				}
				lines(&text, f.Baselines...)
				lines(&text, f.Members...)
				lines(&text, f.Labels...)
				lines(&text, f.Rows...)
				lines(&text, f.Links...)
				lines(&text, f.Odds...)
				lines(&text, f.Checks...)
			}
			compare(t, "attack-"+name, a, text.String())
		})
	}
	for _, a := range adversary.Attacks() {
		if !carried[a.Name] {
			t.Errorf("no golden finding is of attack %s", a.Name)
		}
	}
}

func TestGoldenAudits(t *testing.T) {
	for name, sets := range goldenAudits {
		t.Run(name, func(t *testing.T) {
			sets = append([]string{"adversary={audit: {runs: 40, pilots: 3, node: 1}}"}, sets...)
			a, err := Audit(context.Background(), goldenExperiment(t, sets), AuditOptions{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			a.Wall, a.Scenario, a.Inputs = 0, "", record.Inputs{}
			var text strings.Builder
			lines(&text, a.Verdicts...)
			lines(&text, a.Checks...)
			lines(&text, a.Ratios[:]...)
			lines(&text, a.Power)
			compare(t, "audit-"+name, a, text.String())
		})
	}
}
