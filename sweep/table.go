// The tables of a sweep: results.csv and results.parquet, tidy, a column for
// every path of the grid; and failures.csv.

package sweep

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"overhear/internal/files"
	"overhear/metrics"
	"overhear/record"
)

// kind is the type of a column.
type kind uint8

const (
	number kind = iota
	whole
	text
)

// column is a column of a table.
type column struct {
	name string
	kind kind
}

// cell is a value of the kind of its column. A number that is NaN and a text
// that is empty are not defined.
type cell struct {
	number float64
	whole  uint64
	text   string
}

// table makes rows of results.
type table struct {
	plan    *Plan
	columns []column
	rows    [][]cell       // reused
	metric  map[string]int // where a metric's column is
	facts   int            // where the facts begin; len(columns): they are left out
}

// factColumns are the facts, in order of the cells of factCells.
var factColumns = []column{
	{"digest", text}, {"method", text}, {"nodes", whole}, {"edges", whole}, {"train_rows", whole}, {"test_rows", whole},
	{"events", whole},
	{"residual_max", number}, {"optimum_objective", number}, {"optimum_test_error", number}, {"base_error", number},
	{"optimum_test_rmse", number}, {"optimum_test_r2", number},
	{"progress", text}, {"progress_factor", number}, {"progress_more", number}, {"progress_advice", text},
	{"computed", text}, {"smaller_rho", number}, {"smaller_rho_test_error", number},
	{"claim_unit", text}, {"claim_node", number}, {"claim_epsilon", number}, {"claim_delta", number},
	{"claim_worst_round", number}, {"claim_bound", number}, {"claim_bound_delta", number}, {"claim_bound_by", text},
	{"claim_advanced", number}, {"claim_zcdp", number}, {"claim_rdp", number}, {"claim_at_delta", number},
	{"claim_established", text}, {"claim_condition", text}, {"not_certified", text},
	{"noise_scale", number}, {"warnings", text},
}

func factCells(f *Facts) []cell {
	t := func(s string) cell { return cell{text: s} }
	w := func(n int) cell { return cell{whole: uint64(n)} }
	d := func(x record.Number) cell { return cell{number: float64(x)} }
	cells := []cell{
		t(f.Digest), t(f.Method), w(f.Nodes), w(f.Edges), w(f.TrainRows), w(f.TestRows), {whole: f.Events},
		d(f.ResidualMax), d(f.OptimumObjective), d(f.OptimumTestError), d(f.BaseError),
	}
	if o := f.OptimumFit; o != nil {
		cells = append(cells, d(o.TestRMSE), d(o.TestR2))
	} else {
		cells = append(cells, absent(2)...)
	}
	if c := f.Convergence; c != nil {
		more := cell{number: math.NaN()}
		if c.More > 0 {
			more.number = float64(c.More)
		}
		cells = append(cells, t(c.State), d(c.Factor), more, t(c.Advice))
	} else {
		cells = append(cells, absent(4)...)
	}
	var computed []string
	for _, c := range f.Computed {
		computed = append(computed, fmt.Sprintf("%s: %v", c.Key, c.Value))
	}
	cells = append(cells, t(strings.Join(computed, "; ")))
	if r := f.Ridge; r != nil {
		cells = append(cells, cell{number: r.Smaller}, d(r.SmallerTestError))
	} else {
		cells = append(cells, absent(2)...)
	}
	if c := f.Claim; c != nil {
		cells = append(cells, t(string(c.Unit)), cell{number: float64(c.Node)}, d(c.Epsilon), d(c.Delta), d(c.PerRound),
			d(c.Bound.Epsilon), d(c.Bound.Delta), t(c.Bound.By), d(c.Advanced), d(c.ZCDP), d(c.RDP), d(c.AtDelta),
			t(strconv.FormatBool(c.Established)), t(f.Condition), t(f.NotCertified))
	} else {
		cells = append(cells, absent(15)...)
	}
	return append(cells, d(f.NoiseScale), t(strings.Join(f.Warnings, "; ")))
}

// absent are so many cells without a value, of numbers or texts.
func absent(n int) []cell {
	cells := make([]cell, n)
	for k := range cells {
		cells[k].number = math.NaN()
	}
	return cells
}

func newTable(p *Plan) (*table, error) {
	t := &table{plan: p, columns: append([]column{{"run", whole}}, gridColumns(p)...), metric: map[string]int{}}
	t.columns = append(t.columns, column{"seed", whole})
	for _, name := range metrics.Columns {
		t.metric[name] = len(t.columns)
		t.columns = append(t.columns, column{name, number})
	}
	t.facts = len(t.columns)
	if p.Keep == KeepLast {
		t.columns = append(t.columns, factColumns...)
	}
	seen := map[string]bool{}
	for _, c := range t.columns {
		if seen[c.name] {
			return nil, fmt.Errorf("the grid varies %s as a whole, which is also the name of a column of results; "+
				"vary a key inside it", c.name)
		}
		seen[c.name] = true
	}
	return t, nil
}

// gridColumns are columns of numbers where all values are, else of text.
func gridColumns(p *Plan) []column {
	var columns []column
	for _, a := range p.Axes {
		for k, path := range a.Paths() {
			c := column{path, number}
			for v := range a.Values {
				if _, ok := finiteNumber(a.At(v)[k]); !ok {
					c.kind = text
				}
			}
			columns = append(columns, c)
		}
	}
	return columns
}

func finiteNumber(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// plainText is a YAML value without the quotes of a scalar.
func plainText(value string) string {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(value), &n); err == nil && len(n.Content) == 1 &&
		n.Content[0].Kind == yaml.ScalarNode {
		return n.Content[0].Value
	}
	return value
}

// of returns the rows of a result, valid until the next call.
func (t *table) of(r *Result) [][]cell {
	for len(t.rows) < r.Count {
		t.rows = append(t.rows, make([]cell, len(t.columns)))
	}
	values := t.plan.Values(t.plan.Task(r.Index).Point)
	for k, from := range r.Rows {
		row := t.rows[k]
		row[0] = cell{whole: uint64(r.Index)}
		for c, v := range values {
			if t.columns[1+c].kind == number {
				x, _ := finiteNumber(v)
				row[1+c] = cell{number: x}
			} else {
				row[1+c] = cell{text: plainText(v)}
			}
		}
		row[1+len(values)] = cell{whole: r.Seed}
		for c := 2 + len(values); c < t.facts; c++ {
			row[c] = cell{number: math.NaN()}
		}
		for c, name := range r.Columns {
			if at, ok := t.metric[name]; ok {
				row[at].number = from[c]
			}
		}
		if t.facts < len(t.columns) {
			copy(row[t.facts:], factCells(r.Facts))
		}
	}
	return t.rows[:r.Count]
}

func (c cell) csv(k kind) string {
	switch k {
	case whole:
		return strconv.FormatUint(c.whole, 10)
	case number:
		return record.Format64(c.number)
	}
	return c.text
}

// WriteTables writes the tables of what is stored, in order of number, so that
// they are the same whoever stored it when. flags are added to the commands in
// failures.csv.
func WriteTables(dir string, p *Plan, s Store, flags ...string) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	return files.Write(at(csvFile), func(results io.Writer) error {
		return files.Write(at(parquetFile), func(columnar io.Writer) error {
			return files.Write(at(failuresFile), func(failures io.Writer) error {
				return tabulate(p, s, results, columnar, failures, flags)
			})
		})
	})
}

// tabulate writes the tables' text.
func tabulate(p *Plan, s Store, results, columnar, failures io.Writer, flags []string) error {
	t, err := newTable(p)
	if err != nil {
		return err
	}
	header := make([]string, len(t.columns))
	for k, c := range t.columns {
		header[k] = c.name
	}
	head := append(append([]string{"run"}, p.Paths()...), "seed", "error", "command")
	r, f, q := csv.NewWriter(results), csv.NewWriter(failures), newParquet(columnar, t.columns)
	fields := make([]string, len(t.columns))
	if err = errors.Join(r.Write(header), f.Write(head)); err == nil {
		err = s.All(func(index int, b []byte) error {
			result, err := Decode(b)
			if err != nil {
				return fmt.Errorf("run %d: %w", index, err)
			}
			if result.Index != index {
				return fmt.Errorf("run %d: its result says that it is run %d", index, result.Index)
			}
			if result.Error != "" {
				return f.Write(failureRow(p, result, flags))
			}
			for _, row := range t.of(result) {
				for k, c := range row {
					fields[k] = c.csv(t.columns[k].kind)
				}
				if err := errors.Join(r.Write(fields), q.write(row)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	r.Flush()
	f.Flush()
	return errors.Join(err, r.Error(), f.Error(), q.close())
}

func failureRow(p *Plan, r *Result, flags []string) []string {
	row := []string{strconv.Itoa(r.Index)}
	for _, v := range p.Values(p.Task(r.Index).Point) {
		row = append(row, plainText(v))
	}
	return append(row, strconv.FormatUint(r.Seed, 10), r.Error, p.Replay(r.Index, flags...))
}
