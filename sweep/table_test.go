// The Parquet table has what the CSV table has, in the same order.

package sweep

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"overhear/record"
)

func TestParquetIsTheCSV(t *testing.T) {
	for name, o := range grids {
		t.Run(name, func(t *testing.T) {
			all := makeAll(t, plan(t, smallScenario, o), Settings{Dispatcher: Local{Workers: 2}})
			rows, err := csv.NewReader(strings.NewReader(all[csvFile])).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			file, err := parquet.OpenFile(bytes.NewReader([]byte(all[parquetFile])), int64(len(all[parquetFile])))
			if err != nil {
				t.Fatal(err)
			}
			for k, c := range file.Schema().Columns() {
				if len(c) != 1 || c[0] != rows[0][k] {
					t.Errorf("column %d is %q, in CSV %q", k, c, rows[0][k])
				}
			}
			n := 0
			for _, group := range file.RowGroups() {
				reader := group.Rows()
				for {
					batch := make([]parquet.Row, 100)
					got, err := reader.ReadRows(batch)
					for _, row := range batch[:got] {
						n++
						for k, v := range row {
							text := ""
							switch {
							case v.IsNull():
							case v.Kind() == parquet.Double:
								text = record.Format64(v.Double())
							default:
								text = v.String()
							}
							if text != rows[n][k] {
								t.Fatalf("row %d, %s is %q, in CSV %q", n, rows[0][k], text, rows[n][k])
							}
						}
					}
					if err != nil {
						break
					}
				}
				reader.Close()
			}
			if n != len(rows)-1 {
				t.Errorf("%d rows, in CSV %d", n, len(rows)-1)
			}
		})
	}
}

func TestColumnNamesMeet(t *testing.T) {
	// No key of a scenario is called like a column; a plan that was made by
	// hand is refused all the same.
	p := plan(t, smallScenario, Options{Grid: []string{"rounds.count=1,2"}})
	p.Axes[0].Path = "loss"
	if _, err := newTable(p); err == nil || !strings.Contains(err.Error(), "also the name of a column") {
		t.Errorf("two columns of one name: %v", err)
	}
}

func TestMemoryOfRunnerIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	p := plan(t, smallScenario, Options{Grid: []string{"algorithm.eta=" + numbers(40),
		"problem.scale.rows=clip,unit,none", "problem.scale.intercept=true,false"}})
	r := NewRunner(p, "")
	for index := range p.Len() {
		if _, err := r.Run(context.Background(), index, 1); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.points) != keptPoints || len(r.sets) != keptSets {
		t.Errorf("%d points and %d data sets are kept", len(r.points), len(r.sets))
	}
}

// Every column is explained.
func TestWords_AllColumns(t *testing.T) {
	for _, c := range append([]column{{"run", whole}}, factColumns...) {
		if Explain(c.name) == "" {
			t.Errorf("%s is explained nowhere", c.name)
		}
	}
	if len(words) != len(factColumns)+1 {
		t.Errorf("%d words of %d columns", len(words), len(factColumns)+1)
	}
	if Explain("nonsense") != "" {
		t.Error("nonsense is explained")
	}
}
