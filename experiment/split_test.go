// Scenarios over split columns: what diverges is stopped and said, what cannot be
// run is refused.

package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overhear/record"
	"overhear/scenarios"
)

const apart = `name: t
network: {topology: {kind: star, nodes: 4}, latency: 5ms}
rounds: {count: 60}
record: {iterates: none, messages: none}
`

// alike writes a CSV file of three parties with the same two columns but for a
// little noise, and returns settings that read it.
func alike(t *testing.T) []string {
	t.Helper()
	g := rand.New(rand.NewPCG(3, 3))
	var text strings.Builder
	for range 60 {
		a, b := g.NormFloat64(), g.NormFloat64()
		for range 3 {
			fmt.Fprintf(&text, "%.6f,%.6f,", a+0.01*g.NormFloat64(), b+0.01*g.NormFloat64())
		}
		label := 0
		if a+0.5*b+0.3*g.NormFloat64() > 0 {
			label = 1
		}
		fmt.Fprintln(&text, label)
	}
	path := filepath.Join(t.TempDir(), "alike.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{fmt.Sprintf("problem={data: {csv: %q}, columns: [2, 2, 2], rho: 0.001, scale: {columns: none, "+
		"rows: none, intercept: false}}", path)}
}

func apartRun(t *testing.T, sets ...string) (*Experiment, *outcome, error) {
	t.Helper()
	s, err := scenarios.Parse("t.yaml", []byte(apart), sets...)
	if err != nil {
		t.Fatal(err)
	}
	e := New(s, "")
	out, err := e.complete(context.Background(), 3, Execution{Workers: 2}, nil, nil)
	return e, out, err
}

func TestSplit_CorrelatedPartiesDivergeUnlessAveraged(t *testing.T) {
	data := alike(t)
	_, stopped, err := apartRun(t, append(data, "problem.rho=0.1",
		"algorithm={kind: admm-sharing, form: jacobi, eta: 0.01, loss: sum}")...)
	said := regexp.MustCompile(`the run diverges: in round [1-9]\d* the objective is .* of party [1-3] are the largest`)
	if err != nil || stopped.stopped() == nil || !said.MatchString(stopped.stopped().Error()) || len(stopped.rows) < 5 {
		t.Errorf("%v, %+v, want %q", err, stopped, said)
	}
	_, out, err := apartRun(t, append(data, "problem.rho=0.1", "rounds.count=1000",
		"algorithm={kind: admm-sharing, form: averaged, eta: 0.01, loss: sum}")...)
	if err != nil {
		t.Fatal(err)
	}
	last := out.rows[len(out.rows)-1]
	if best := float64(out.optimum.Objective); !(last.Objective < best*(1+1e-10)) || !(last.Distance < 1e-6) {
		t.Errorf("ends at %v, %v from the optimum of %v", last.Objective, last.Distance, best)
	}
}

func TestSplit_RowsAreThoseOfTheRun(t *testing.T) {
	data := alike(t)
	e, out, err := apartRun(t, append(data, "rounds.count=20", "problem.train=40",
		"algorithm={kind: admm-sharing, form: averaged, eta: 0.1}")...)
	if err != nil {
		t.Fatal(err)
	}
	if out.Problem != nil || out.Split.N != 40 || len(out.Split.TestY) != 20 || len(out.rows) != 21 {
		t.Fatalf("%d training and %d test rows, %d rounds", out.Split.N, len(out.Split.TestY), len(out.rows))
	}
	last := out.rows[20]
	// The hub sends 80 numbers in rounds 0 to 20 to each of three, which send 40 in
	// rounds 1 to 20; a packet has 64 bytes besides.
	if want := int64(3*21*(64+8*80) + 3*20*(64+8*40)); last.Messages != 123 || last.Bytes != want || out.Bytes != want {
		t.Errorf("%d messages, %d and %d bytes, want %d", last.Messages, last.Bytes, out.Bytes, want)
	}
	info := e.infoOf(out)
	if info.Columns != 6 || info.TrainRows != 40 || info.TestRows != 20 || info.Nodes != 4 || info.Privacy != nil {
		t.Errorf("%+v", info)
	}
	if math.IsNaN(last.TestError) || math.IsNaN(last.TestLoss) || !math.IsNaN(last.PrivacyLoss) {
		t.Errorf("%+v", last)
	}
}

func TestSplit_PrivacyLossIsThePapersCompositionWhereEstablished(t *testing.T) {
	data := append(alike(t), "problem.scale={columns: none, rows: none, intercept: false}", "rounds.count=5")
	_, out, err := apartRun(t, append(data,
		"algorithm={kind: private-admm-sharing, form: averaged, epsilon: 0.5, bound: 1e6}")...)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(out.rows[5].PrivacyLoss) || !slices.ContainsFunc(out.Warnings, func(w string) bool {
		return strings.Contains(w, "not established") && strings.Contains(w, "norm 1")
	}) {
		t.Errorf("rows not of norm 1: loss %v, %q", out.rows[5].PrivacyLoss, out.Warnings)
	}
	// One party whose rows are of norm 1, noise that moves nothing beyond b₁: many
	// columns, a great penalty, a generous δ.
	path := filepath.Join(t.TempDir(), "wide.csv")
	var text strings.Builder
	g := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		for range 100 {
			fmt.Fprintf(&text, "%.4f,", g.NormFloat64())
		}
		fmt.Fprintln(&text, g.IntN(2))
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	e, out, err := apartRun(t, "rounds.count=5", "network.topology={kind: star, nodes: 2}",
		fmt.Sprintf("problem={data: {csv: %q}, columns: [100], rho: 10, scale: {columns: none, rows: unit, "+
			"intercept: false}}", path),
		"algorithm={kind: private-admm-sharing, form: averaged, eta: 10, epsilon: 0.9, delta: 0.19, slack: 1e-3, "+
			"bound: 1000}")
	if err != nil {
		t.Fatal(err)
	}
	if out.Account.Established != nil {
		t.Fatal(out.Account.Established)
	}
	for k, r := range out.rows {
		n := float64(k)
		want := math.Sqrt(2*n*math.Log(1e3))*0.9 + n*0.9*(math.Exp(0.9)-1)
		if !(math.Abs(r.PrivacyLoss-want) <= 1e-12*max(1, want)) {
			t.Errorf("round %d: privacy loss %v, want %v", k, r.PrivacyLoss, want)
		}
	}
	claims := e.infoOf(out).Privacy.Claims
	if len(claims) != 1 {
		t.Fatalf("claims %+v", claims)
	}
	for k, c := range claims {
		if c.Node != k+1 || c.Unit != "column" || c.Established ||
			!(math.Abs(float64(c.Delta)-(5*0.19+1e-3)) <= 1e-12) ||
			float64(c.Epsilon) != out.rows[5].PrivacyLoss {
			t.Errorf("claim %+v", c)
		}
	}
}

func TestSplit_Refusals(t *testing.T) {
	data := alike(t)
	for want, sets := range map[string][]string{
		"widths add up to 5, but": {"problem.columns=[2, 2, 1]", "algorithm={kind: admm-sharing}"},
		"that of party 1 is 0":    {"problem.columns=[3, 0, 3]", "algorithm={kind: admm-sharing}"},
		"needs 4 nodes": {"network.topology={kind: star, nodes: 5}",
			"algorithm={kind: admm-sharing}"},
		"star with the hub as node 0": {"network.topology={kind: ring, nodes: 4}",
			"algorithm={kind: fdml-sgd}"},
		"algorithm admm is for split rows":          {"algorithm={kind: admm}"},
		"over split columns give algorithm.epsilon": {"algorithm={kind: private-admm-sharing}", "privacy={epsilon: 1}"},
	} {
		s, err := scenarios.Parse("t.yaml", []byte(apart), append(slices.Clone(data), sets...)...)
		if err != nil {
			t.Errorf("%q: %v", sets, err)
			continue
		}
		if _, err := New(s, "").Assemble(t.Context(), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", sets, err, want)
		}
	}
	for _, kind := range []string{"admm-sharing", "private-admm-sharing", "fdml-sgd"} {
		s, err := scenarios.Parse("t.yaml", []byte(apart), "problem={data: wdbc}", "algorithm={kind: "+kind+"}")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(s, "").Assemble(t.Context(), 1); err == nil ||
			!strings.Contains(err.Error(), kind+" is for split columns: problem.columns says") {
			t.Errorf("%s without problem.columns: %v", kind, err)
		}
	}
	for want, set := range map[string]string{
		"eta must be positive":       "algorithm={kind: admm-sharing, eta: 0}",
		"form must be one of":        "algorithm={kind: admm-sharing, form: gauss}",
		"batch must be at least 1":   "algorithm={kind: fdml-sgd, batch: 0}",
		"epsilon is out of range: 0": "algorithm={kind: private-admm-sharing, epsilon: 0}",
		"noise must be one of":       "algorithm={kind: private-admm-sharing, noise: maybe}",
		"C is of split rows":         "problem.C=2",
		"share is of split rows":     "problem.share=per-node",
	} {
		if _, err := scenarios.Parse("t.yaml", []byte(apart), append(slices.Clone(data), set)...); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

// Hub and parties send vectors of different lengths; an exported table is a
// rectangle all the same.
func TestSplit_ExportIsRectangular(t *testing.T) {
	for _, algorithm := range []string{"{kind: admm-sharing}", "{kind: fdml-sgd, batch: 7}"} {
		s, err := scenarios.Parse("t.yaml", []byte(private), "rounds.count=3",
			"network.topology={kind: star, nodes: 3}", "problem.columns=[16, 15]", "algorithm="+algorithm)
		if err != nil {
			t.Fatal(err)
		}
		run, err := New(s, "").Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := record.Export(run, "iterates", "csv", &text); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		for _, line := range lines {
			if strings.Count(line, ",") != strings.Count(lines[0], ",") {
				t.Fatalf("%s: a line has %d commas, the header %d", algorithm, strings.Count(line, ","),
					strings.Count(lines[0], ","))
			}
		}
		text.Reset()
		if err := record.Export(run, "iterates", "json", &text); err != nil || !json.Valid([]byte(text.String())) {
			t.Errorf("%s: JSON: %v", algorithm, err)
		}
	}
	s, err := scenarios.Parse("t.yaml", []byte(private), "network.topology={kind: star, nodes: 3}",
		"problem.columns=[16, 15]", "algorithm={kind: local, init: {normal: 1}}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(s, "").Assemble(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "start at zero") {
		t.Errorf("a random start: %v", err)
	}
}

// bounded is a private run in which SH19 Theorem 1's conditions can hold: rows of norm 1 in every party's block, X_m a
// ball of radius b₁, and so many columns to a row that noise for ε = 1 stays within b₁.
const bounded = `name: bounded
problem:
  data: {set: twonorm, rows: 60, dimension: 3200}
  train: 10
  columns: [1600, 1600]
  scale: {rows: unit-per-party, intercept: false}
  rho: 1
  set: {kind: ball, radius: 10}
network: {topology: {kind: star, nodes: 3}}
rounds: {count: 2}
record: {messages: none, iterates: none}
algorithm: {kind: private-admm-sharing, eta: 10, loss: sum, bound: 10, epsilon: 1, delta: 1e-3}
`

// SH19 Theorem 1's conditions hold with two parties and with three; each condition taken away, the claim is not
// established, says so, and ε′ of Corollary 1 is there all the same.
func TestSharing_ConditionsOfTheorem1(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	// ε′ = √(2T ln(1/δ′)) ε + Tε(e^ε − 1), T = 2, δ′ = 1e-5.
	claimed := math.Sqrt(4*math.Log(1e5)) + 2*(math.E-1)
	for name, c := range map[string]struct {
		sets   []string
		fails  string
		stated float64
	}{
		"two parties": {nil, "", claimed},
		"three parties": {[]string{"problem.data.dimension=4800", "problem.columns=[1600, 1600, 1600]",
			"network.topology.nodes=4"}, "", claimed},
		"rows of norm 1 together": {[]string{"problem.scale.rows=unit"}, "norm 1", claimed},
		"few columns to a row":    {[]string{"problem.data.dimension=64", "problem.columns=[32, 32]"}, "b₁", claimed},
		"a step on the sphere":    {[]string{"problem.set.radius=1e-3"}, "a step ended on the boundary", claimed},
		"a step at an edge": {[]string{"problem.set={kind: box, lower: -1e-4, upper: 1}"},
			"a step ended on the boundary", claimed},
		"ε above 1": {[]string{"algorithm.epsilon=1.2"}, "ε ≤ 1",
			1.2*math.Sqrt(4*math.Log(1e5)) + 2.4*(math.Exp(1.2)-1)},
	} {
		s, err := scenarios.Parse("t.yaml", []byte(bounded), c.sets...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		info, _, err := New(s, "").Measure(context.Background(), 1, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p := info.Privacy
		if holds := strings.HasPrefix(p.Condition, record.ClaimedNotProved); holds != (c.fails == "") ||
			!strings.Contains(p.Condition, c.fails) {
			t.Errorf("%s: condition %q, want one with %q", name, p.Condition, c.fails)
		}
		if p.Stated == nil || !(math.Abs(float64(p.Stated.Epsilon)-c.stated) <= 1e-9*c.stated) {
			t.Errorf("%s: Corollary 1 claims %+v, by hand %v", name, p.Stated, c.stated)
		}
		for _, claim := range p.Claims {
			if claim.Established { // Lemma 1 is not proved
				t.Errorf("%s: %+v", name, claim)
			}
		}
	}
}

// Gradient steps start at random coefficients and come to the same optimum; the first row of metrics is of the start.
func TestSplit_RandomStart(t *testing.T) {
	run := func(init string) []float64 {
		s, err := scenarios.Parse("t.yaml", []byte(private), "network.topology={kind: star, nodes: 3}",
			"problem.columns=[16, 15]", "algorithm={kind: fdml-sgd, batch: 1000000, step: 1, decay: none, init: "+
				init+"}", "rounds.count=800", "record.iterates=none", "record.messages=none")
		if err != nil {
			t.Fatal(err)
		}
		_, table, err := New(s, "").Measure(context.Background(), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		return table.Column("objective")
	}
	zeros, random := run("zeros"), run("{normal: 1}")
	last := len(zeros) - 1
	if !(random[0] > 1.05*zeros[0]) {
		t.Errorf("the start's objective is %v at random, %v at zero", random[0], zeros[0])
	}
	if !(math.Abs(random[last]-zeros[last]) <= 1e-4*zeros[last]) {
		t.Errorf("the ends differ: %v and %v", random[last], zeros[last])
	}
}

// SH19 Lemma 1 is not proved, so that no claim that rests on it is, whichever cover the noise has; its number stays as
// claimed, composed as it says.
func TestSharing_ClaimsAreNotProved(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes long under the race detector, and by one goroutine")
	}
	for noise, by := range map[string]string{"range": record.ByPaper, "ambient": record.ByZCDP} {
		s, err := scenarios.Parse("t.yaml", []byte(bounded), "algorithm.noise="+noise)
		if err != nil {
			t.Fatal(err)
		}
		info, _, err := New(s, "").Measure(context.Background(), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		p := info.Privacy
		if !strings.HasPrefix(p.Condition, record.ClaimedNotProved+"the sensitivity of Lemma 1") {
			t.Errorf("%s: condition %q", noise, p.Condition)
		}
		if p.Stated == nil || p.Stated.By != by || !(p.Stated.Epsilon > 0) {
			t.Errorf("%s: stated %+v, want by %s", noise, p.Stated, by)
		}
		for _, c := range p.Claims {
			if c.Established || c.Bound.By != by || c.Epsilon != p.Stated.Epsilon {
				t.Errorf("%s: claim %+v", noise, c)
			}
		}
	}
}
