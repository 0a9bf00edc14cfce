// What a search for the worst data has found, as a scenario that anybody can audit again.

package evaluation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"overhear/experiment"
	"overhear/internal/files"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// found is the scenario of a candidate, and the file with its rows.
func (s *search) found(c *candidate) (scenario string, rows []byte, err error) {
	columns, sizes := make([]string, s.a.Problem.D), make([]int, len(c.u))
	for k := range columns {
		columns[k] = fmt.Sprintf("x%d", k)
	}
	var table bytes.Buffer
	table.WriteString(strings.Join(columns, ",") + ",label\n")
	both := map[float64]bool{}
	for i := range c.y {
		for _, y := range c.y[i] {
			both[y] = true
		}
	}
	for i := range c.u {
		sizes[i] = len(c.u[i])
		for n, u := range c.u[i] {
			y := c.y[i][n]
			if len(both) == 1 && i == len(c.u)-1 && n == len(c.u[i])-1 {
				y = -y // a file needs both labels; −y with −x is the same sample y·x
			}
			for _, v := range u {
				table.WriteString(strconv.FormatFloat(y*v, 'g', -1, 64) + ",")
			}
			fmt.Fprintf(&table, "%g\n", y)
		}
	}
	header := true
	sets := []string{
		scenarios.Assign("name", s.e.Name+"-worst"),
		scenarios.Assign("about", "the worst pair and data that a search found, from "+s.e.Name),
		scenarios.Assign("problem.data", problem.Source{CSV: record.FoundRowsFile, Label: "label", Positive: "1",
			Numeric: columns, Header: &header}),
		"problem.train=0", "problem.order=file", "problem.repeated=keep",
		scenarios.Assign("problem.partition", problem.Partition{Kind: "sizes", Sizes: sizes}),
		"problem.scale={columns: none, rows: none, intercept: false}",
	}
	if c.edges != nil || s.e.Network.Topology.File != "" {
		edges := c.edges
		if edges == nil {
			edges = s.a.Graph.Pairs()
		}
		sets = append(sets, scenarios.Assign("network.topology", sim.Topology{Nodes: s.a.Graph.Order(), Edges: edges}))
	}
	if c.pair[0] != nil {
		sets = append(sets, scenarios.Assign("adversary.audit.pair", scenarios.GivenPair{A: c.pair[0], B: c.pair[1]}))
	}
	if len(c.acts) > 0 {
		sets = append(sets, scenarios.Assign("adversary.acts", c.acts))
	}
	found, err := scenarios.Parse(s.e.Name, []byte(s.e.Resolved()), sets...)
	if err != nil {
		return "", nil, err
	}
	return found.Resolved(), table.Bytes(), nil
}

// Write writes the scenario and its rows into a directory, and reads them.
func (f *Found) Write(dir string) (*experiment.Experiment, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("writing what a search found: %w", err)
	}
	if err := files.WriteBytes(filepath.Join(dir, record.FoundRowsFile), f.Rows); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, record.FoundFile)
	if err := files.WriteBytes(path, []byte(f.Scenario)); err != nil {
		return nil, err
	}
	s, err := scenarios.Load(path)
	if err != nil {
		return nil, err
	}
	return experiment.New(s, dir), nil
}

// learns is an error if an audit would not take what was found, as the method comes to nothing on it.
func (s *search) learns(ctx context.Context, f *Found) (err error) {
	dir, err := os.MkdirTemp("", "overhear-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	e, err := f.Write(dir)
	if err != nil {
		return err
	}
	info, _, err := e.Measure(ctx, s.a.Seed, s.o.Workers)
	if err == nil && info.Convergence.State == record.Diverging {
		err = problem.ErrDiverges
	}
	return err
}

// Judge audits what was found, as it was written into a directory, by runs of its own: the search is told from the
// audit by its seeds, and whatever it took for granted of the worlds is looked at once more.
func (f *Found) Judge(ctx context.Context, e *experiment.Experiment, o AuditOptions) (*record.Audit, error) {
	if err := f.fair(e, o.Runs); err != nil {
		return nil, fmt.Errorf("the search broke its rules: %w", err)
	}
	return Audit(ctx, e, o)
}

// fair is an error if a search took more than it was given, left the rows that certificates are of, found worlds that
// differ in more than the audited sample, or chose by runs by which its find is to be judged.
func (f *Found) fair(e *experiment.Experiment, runs int) error {
	w := f.Worst
	if w.Evaluations > w.Budget || w.Runs > 2*probes*w.Budget {
		return fmt.Errorf("it tried %d candidates in %d runs, and was to try %d in %d at most", w.Evaluations, w.Runs,
			w.Budget, 2*probes*w.Budget)
	}
	spec := auditSpec(e.Scenario)
	if runs == 0 {
		runs = spec.Runs
	}
	a, err := e.Assemble(context.Background(), e.Seeds.First)
	if err != nil {
		return err
	}
	const most = 1 + 1e-9
	check := func(what string, u []float64) error {
		if n := num.Norm(u); !(n <= most) {
			return fmt.Errorf("%s has norm %.6g, and claims and certificates are of rows of norm at most 1", what, n)
		}
		return nil
	}
	for i := range a.Problem.Shards {
		for n := range a.Problem.Shards[i].Y {
			if err := check(fmt.Sprintf("row %d of node %d", n, i+a.First()), dense(a.Problem, i, n)); err != nil {
				return err
			}
		}
	}
	m, err := measure(e, a, &spec)
	if err != nil {
		return err
	}
	for k := range m.pairs {
		for _, u := range [][]float64{m.pairs[k].pair.A, m.pairs[k].pair.B} {
			if err := check("a sample of the pair", u); err != nil {
				return err
			}
		}
		s, err := m.pairs[k].subject()
		if err != nil {
			return err
		}
		if v, ok := s.(*weigher); ok {
			if err := oneApart(v.twoWorlds, w.Row); err != nil {
				return err
			}
		}
	}
	for world := range 2 {
		for i := range runs {
			if f.used[seedOf(a.Seed, auditRun, world, i)] {
				return fmt.Errorf("it chose by run %d of world %d, by which it is to be judged", i, world)
			}
		}
	}
	return nil
}

// oneApart is an error if two worlds differ in more than a row of the audited part.
func oneApart(w *twoWorlds, row int) error {
	a, b := w.assembly[0].Problem, w.assembly[1].Problem
	for i := range a.Shards {
		if len(a.Shards[i].Y) != len(b.Shards[i].Y) {
			return fmt.Errorf("node %d has other numbers of rows in the two worlds", i+w.assembly[0].First())
		}
		for n := range a.Shards[i].Y {
			if (i != w.part || n != row) && !sameBits(dense(a, i, n), dense(b, i, n)) {
				return fmt.Errorf("the worlds differ in row %d of node %d, too", n, i+w.assembly[0].First())
			}
		}
	}
	return nil
}
