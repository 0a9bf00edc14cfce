// Whoever runs a scenario runs all of it: `ties`, which two copies of the engine's
// configuration once dropped, reaches the engine from every caller of Execute.

package experiment_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"overhear/algorithms"
	"overhear/evaluation"
	"overhear/experiment"
	"overhear/fuzz"
	"overhear/internal/memory"
	"overhear/scenarios"
)

// order is the order in which nodes compute.
type order struct {
	mu    sync.Mutex
	nodes []int
}

func (o *order) add(node int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.nodes = append(o.nodes, node)
}

// loggedRows notes when a node computes.
type loggedRows struct {
	algorithms.RowMethod
	algorithms.Private
	*order
}

func (l loggedRows) Update(n *algorithms.Node, t int) error {
	l.add(n.ID)
	return l.RowMethod.Update(n, t)
}

// loggedColumns notes when a party computes.
type loggedColumns struct {
	algorithms.ColumnMethod
	algorithms.Composing
	*order
}

func (l loggedColumns) Answer(p *algorithms.Party, t int, hub []float64) ([]float64, error) {
	l.add(p.ID)
	return l.ColumnMethod.Answer(p, t, hub)
}

// All latencies and all updates take equally long, so the events of a round are ties.
const (
	tiedRows = `name: tied
problem: {data: {set: twonorm, rows: 60, dimension: 2}, rho: 0.3, scale: {rows: clip}}
network: {topology: {kind: complete, nodes: 6}, latency: 5ms}
compute: {row: 1us, jitter: 0}
rounds: {count: 5}
algorithm: {kind: pvp, eta: 0.1}
adversary: {audit: {runs: 10, pilots: 1}}
`
	tiedColumns = `name: tied
problem: {data: {set: wdbc}, train: 60, columns: [8, 8, 8, 7], scale: {columns: max, rows: unit}, rho: 0.1}
network: {topology: {kind: star, nodes: 5}, latency: 5ms}
compute: {row: 1us, jitter: 0}
rounds: {count: 5}
algorithm: {kind: private-admm-sharing, noise: ambient}
adversary: {audit: {runs: 10, pilots: 1}}
`
)

// computed is the order in which the nodes of the first run compute.
func computed(t *testing.T, text, ties string, call func(context.Context, *experiment.Experiment) error) []int {
	t.Helper()
	s, err := scenarios.Parse("tied.yaml", []byte(text), "ties="+ties)
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	o := new(order)
	entry, right := *e.Entry, e.Entry
	entry.New = func(params any, s algorithms.Setting) (algorithms.Method, error) {
		m, err := right.New(params, s)
		if err != nil {
			return nil, err
		}
		if m, ok := m.(algorithms.ColumnMethod); ok {
			return loggedColumns{m, m.(algorithms.Composing), o}, nil
		}
		return loggedRows{m.(algorithms.RowMethod), m.(algorithms.Private), o}, nil
	}
	e.Entry = &entry
	if err := call(context.Background(), e); err != nil {
		t.Fatal(err)
	}
	return o.nodes[:s.Rounds.Count*4] // later runs may have several workers
}

func TestExecute_TiesReachEveryCaller(t *testing.T) {
	measure := func(ctx context.Context, e *experiment.Experiment) error {
		_, _, err := e.Measure(ctx, 1, 1)
		return err
	}
	audit := func(ctx context.Context, e *experiment.Experiment) error {
		_, err := evaluation.Audit(ctx, e, evaluation.AuditOptions{Workers: 1})
		return err
	}
	search := func(ctx context.Context, e *experiment.Experiment) error {
		_, err := fuzz.Run(ctx, e, fuzz.Options{Runs: 1, First: 1, Workers: 1})
		return err
	}
	for _, c := range []struct {
		name, text string
		call       func(context.Context, *experiment.Experiment) error
	}{
		{"run, rows", tiedRows, measure}, {"run, columns", tiedColumns, measure},
		{"audit, rows", tiedRows, audit}, {"audit, columns", tiedColumns, audit},
		{"fuzz", tiedRows, search},
	} {
		ordered, shuffled := computed(t, c.text, "ordered", c.call), computed(t, c.text, "shuffled", c.call)
		if !slices.Equal(ordered, computed(t, c.text, "ordered", c.call)) {
			t.Errorf("%s: the order does not repeat", c.name)
		}
		if slices.Equal(ordered, shuffled) {
			t.Errorf("%s: `ties: shuffled` changes nothing in the order %v", c.name, ordered)
		}
	}
}

// Verify compares events in their order, so that a repeat that drops ties differs.
func TestVerify_RepeatsShuffledTies(t *testing.T) {
	s, err := scenarios.Parse("tied.yaml", []byte(tiedRows), "ties=shuffled")
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment.New(s, "").Run(context.Background(), 1, experiment.Options{Out: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Verify(context.Background(), r, "", experiment.Options{Workers: 1}); err != nil {
		t.Error(err)
	}
}

// Seeds run at once only as far as memory holds them.
func TestAtOnce_IsBoundedByMemory(t *testing.T) {
	s, err := scenarios.Load(filepath.Join("..", "scenarios", "quickstart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	if got := e.AtOnce(t.Context(), 1, 8); got != 8 {
		t.Errorf("%d at once, want 8", got)
	}
	if got := e.AtOnce(t.Context(), 1, 1); got != 1 {
		t.Errorf("%d at once, want 1", got)
	}
	before := memory.SetLimit(4 << 20)
	defer memory.SetLimit(before)
	if got := e.AtOnce(t.Context(), 1, 8); got < 1 || got > 4 {
		t.Errorf("%d at once in 4 MB", got)
	}
}
