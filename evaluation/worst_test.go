// The search for the worst pair and data: where the worst is known it is found, and a search that breaks its rules is
// not judged.

package evaluation

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/internal/num"
	"overhear/record"
	"overhear/scenarios"
)

// oneStep is one step of gradient descent from zero with the squared loss: the worlds' steps are C/B·(u − u′) apart,
// so that the worst pair is any u and −u of norm 1.
const oneStep = `name: one-step
problem: {data: {set: twonorm, rows: 30, dimension: 3}, loss: squared, rho: 0.3, scale: {intercept: false}}
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 1}
algorithm: {kind: private-dgd, step: 0.5, decay: none, alpha: 0.5, law: gaussian}
adversary: {audit: {runs: 200, pair: {a: [0.1, 0.2, 0], b: [0.1, 0, 0.1]}}}
`

func experimentOf(t *testing.T, text string, sets ...string) *experiment.Experiment {
	t.Helper()
	s, err := scenarios.Parse("f.yaml", []byte(text), sets...)
	if err != nil {
		t.Fatal(err)
	}
	return experiment.New(s, "")
}

func searched(t *testing.T, o SearchOptions, text string, sets ...string) (*Found, *experiment.Experiment) {
	t.Helper()
	f, err := SearchWorst(context.Background(), experimentOf(t, text, sets...), o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return f, e
}

func TestSearchWorst_FindsTheKnownPair(t *testing.T) {
	f, e := searched(t, SearchOptions{Evaluations: 400, Over: []string{"pair"}, Workers: 2}, oneStep)
	p := e.Adversary.Audit.Pair
	apart := slices.Clone(p.A)
	num.Axpy(-1, p.B, apart)
	if d := num.Norm(apart); !(d >= 1.99 && d <= 2) {
		t.Errorf("the pair is %v apart, and the worst 2; steps %+v", d, f.Worst.Steps)
	}
	// The step's noise has the deviation 2C/(αB) in the gradient's unit, so that the worst shift is α deviations.
	const known = 0.5
	if s := float64(f.Worst.Found); !(s >= 0.99*known && s <= known*(1+1e-9)) {
		t.Errorf("the search says that the worst pair is worth %v deviations; %v is known", s, known)
	}
	a, err := f.Judge(context.Background(), e, AuditOptions{Runs: 1000, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if mean := float64(a.Ratios[0].Mean); !(math.Abs(mean-0.125) <= 0.06) { // μ²/2, and four standard errors
		t.Errorf("fresh runs lose %v on average, and 0.125 is known", mean)
	}
	if !a.Stands() || f.Worst.Evaluations != 400 || f.Worst.Runs != 400*2*probes {
		t.Errorf("%d candidates in %d runs; %+v", f.Worst.Evaluations, f.Worst.Runs, a.Verdicts)
	}
}

// With the squared loss a flipped label moves the first step by 2C/B‖u‖, so that the worst row has norm 1.
func TestSearchWorst_FindsTheWorstRowOfALabel(t *testing.T) {
	_, e := searched(t, SearchOptions{Evaluations: 300, Over: []string{"rows"}}, oneStep,
		"adversary.audit={unit: label}")
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := num.Norm(dense(a.Problem, 0, 0)); !(n >= 0.99 && n <= 1) {
		t.Errorf("the row has norm %v", n)
	}
}

// far is dual variable perturbation with the logistic loss, whose certificate rows come near on a far wrong side.
const far = `name: far
problem: {data: {set: twonorm, rows: 300, dimension: 2}, rho: 0.003, scale: {intercept: false}}
network: {topology: {kind: complete, nodes: 3}}
rounds: {count: 3}
algorithm: {kind: dvp, eta: 0.005, alpha: 1}
adversary: {audit: {runs: 50, pilots: 2}}
`

// What is found does not depend on the number of workers, and is what its scenario says.
func TestSearchWorst_IsRepeatable(t *testing.T) {
	one, e := searched(t, SearchOptions{Evaluations: 60}, far)
	two, _ := searched(t, SearchOptions{Evaluations: 60, Workers: 3}, far)
	if one.Scenario != two.Scenario || string(one.Rows) != string(two.Rows) || one.Worst.Found != two.Worst.Found {
		t.Error("two workers find something else than one")
	}
	if one.Worst.Evaluations != 60 || !(one.Worst.Found > one.Worst.Start) {
		t.Errorf("%+v", one.Worst)
	}
	if got := strings.Join(one.Worst.Over, " "); got != "pair labels rows graph" {
		t.Errorf("searched over %s", got)
	}
	// The scenario's own data have the score that the search kept.
	again, err := SearchWorst(context.Background(), e, SearchOptions{Evaluations: 1})
	if err != nil {
		t.Fatal(err)
	}
	if x, y := float64(again.Worst.Start), float64(one.Worst.Found); !(math.Abs(x-y) <= 1e-6*y) {
		t.Errorf("the found scenario has the score %v, and the search says %v", x, y)
	}
}

// Whoever audits what was written gets the numbers that the find was judged by.
func TestJudge_IsTheAuditOfWhatWasWritten(t *testing.T) {
	ctx := context.Background()
	f, e := searched(t, SearchOptions{Evaluations: 20}, far, "algorithm={kind: pvp, eta: 0.05}")
	judged, err := f.Judge(ctx, e, AuditOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Parse("again", []byte(e.Resolved()))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Audit(ctx, experiment.New(s, ""), AuditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if judged.Digest != again.Digest || judged.Digest == "" {
		t.Errorf("digest %s, again %s", judged.Digest, again.Digest)
	}
}

// Where neighbours lie, the numbers of their strategy are searched, and the audit of what was found explains the lies.
func TestSearchWorst_SearchesLies(t *testing.T) {
	const acts = "adversary.acts=[{kind: steer, nodes: [1], victim: 0, row: 0, size: 0.5, margin: 0.5}]"
	f, e := searched(t, SearchOptions{Evaluations: 40, Over: []string{"messages"}, Workers: 2}, far, acts)
	if w := f.Worst; w.Failed > 0 || !(w.Found > w.Start*1.01) {
		t.Errorf("%+v", w)
	}
	if a := e.Acts(); len(a) != 1 || a[0].String() != "steer: node 1, from round 1 on" {
		t.Errorf("acts %v", a)
	}
	if before := experimentOf(t, far, acts).Acts(); reflect.DeepEqual(before, e.Acts()) {
		t.Error("the strategy is as it was")
	}
	a, err := f.Judge(context.Background(), e, AuditOptions{Workers: 2})
	if err != nil || !a.Stands() {
		t.Errorf("%v, %+v", err, a)
	}
}

// Each rule that a search may break is broken once, and seen.
func TestJudge_RefusesASearchThatBrokeItsRules(t *testing.T) {
	ctx := context.Background()
	judged := func(s *search) error {
		kept, err := s.climb(ctx)
		if err != nil {
			t.Fatal(err)
		}
		f := &Found{used: s.used, Worst: &record.WorstData{Budget: s.o.Evaluations, Evaluations: s.tried, Runs: s.runs,
			Row: s.spec.Row}}
		if f.Scenario, f.Rows, err = s.found(kept[len(kept)-1]); err != nil {
			return err
		}
		e, err := f.Write(t.TempDir())
		if err != nil {
			return err
		}
		return f.fair(e, 0)
	}
	for _, c := range []struct {
		name, says string
		over       []string
		plant      func(s *search)
	}{
		{"nothing", "", nil, func(*search) {}},
		{"its budget", "was to try", nil, func(s *search) { s.tried = -30 }},
		{"the runs that judge", "by which it is to be judged", nil, func(s *search) {
			s.probe = func(k int) uint64 { return seedOf(s.a.Seed, auditRun, 1, 20+k) }
		}},
		{"one row", "differ in row 1 of node 0, too", nil, func(s *search) { s.e.Adversary.Audit.Group = 2 }},
		{"the unit ball, by rows", "has norm", []string{"rows"}, func(s *search) {
			s.into = func(u []float64) []float64 { num.Scale(1.01, u); return u }
		}},
		{"the unit ball, by the pair", "norm at most 1", []string{"pair"}, func(s *search) {
			s.into = func(u []float64) []float64 { num.Scale(1.01, u); return u }
		}},
	} {
		e := experimentOf(t, far)
		s, err := newSearch(t.Context(), e, SearchOptions{Evaluations: 40, Over: c.over})
		if err != nil {
			t.Fatal(err)
		}
		c.plant(s)
		if err = judged(s); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestOneApart_SeesASecondRow(t *testing.T) {
	e := experimentOf(t, far)
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	u := [2][]float64{{1, 0}, {0, 1}}
	w, err := rowWorlds(e, a, 1, 4, 1, u, labelled)
	if err != nil {
		t.Fatal(err)
	}
	if err := oneApart(w, 4); err != nil {
		t.Error(err)
	}
	if w, err = rowWorlds(e, a, 1, 4, 2, u, labelled); err != nil {
		t.Fatal(err)
	}
	if err := oneApart(w, 4); err == nil {
		t.Error("a pair that differs in two rows")
	}
}

func TestSearchWorst_SaysWhatItCannotSearch(t *testing.T) {
	for _, c := range []struct {
		says string
		o    SearchOptions
		sets []string
	}{
		{"at least 1", SearchOptions{}, nil},
		{"nobody lies", SearchOptions{Evaluations: 9, Over: []string{"messages"}}, nil},
		{"cannot be searched", SearchOptions{Evaluations: 9, Over: []string{"row"}}, nil},
		{"two labels", SearchOptions{Evaluations: 9, Over: []string{"pair"}}, []string{"adversary.audit.unit=label"}},
		{"claims no privacy", SearchOptions{Evaluations: 9}, []string{"algorithm={kind: admm, eta: 0.1}"}},
		{"adversary.view", SearchOptions{Evaluations: 9}, []string{"adversary.view={nodes: [1]}"}},
		{"users report", SearchOptions{Evaluations: 9}, []string{"algorithm={kind: pdml, eta: 0.1}"}},
		{"one graph", SearchOptions{Evaluations: 9, Over: []string{"graph"}},
			[]string{"network.topology={kind: complete, nodes: 2}"}},
	} {
		_, err := SearchWorst(context.Background(), experimentOf(t, far, c.sets...), c.o)
		var setup experiment.SetupError
		if !errors.As(err, &setup) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.sets, err)
		}
	}
}
