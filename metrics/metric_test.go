// The declarations of the metrics: every field of a row is in one of them, and what is made from them agrees.

package metrics

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overhear/record"
)

var update = flag.Bool("update", false, "rewrite the table of metrics.csv in docs/formats.md")

// numbered is a row in which every field has a value of its own, in the order of the struct.
func numbered() Row {
	var r Row
	next := 1.0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		for k := range v.NumField() {
			switch f := v.Field(k); f.Kind() {
			case reflect.Struct:
				fill(f)
				continue
			case reflect.Float64:
				f.SetFloat(next)
			default:
				f.SetInt(int64(next))
			}
			next++
		}
	}
	fill(reflect.ValueOf(&r).Elem())
	r.Time *= 1e9 // of whole seconds
	return r
}

func TestMetric_EveryFieldOfARowIsDeclaredOnce(t *testing.T) {
	r := numbered()
	values := r.Values()
	if len(values) != len(Columns) {
		t.Fatalf("%d values for %d columns", len(values), len(Columns))
	}
	slices.Sort(values)
	for k, v := range values {
		if v != float64(k+1) {
			t.Fatalf("sorted, the values of a row of 1, 2, 3, … are %v", values)
		}
	}
	names := slices.Clone(Columns)
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != len(Columns) {
		t.Errorf("%d names for %d columns", n, len(Columns))
	}
	for k, m := range All() {
		if m.Name != Columns[k] || m.Rows.Definition == "" || Named(m.Name) != m {
			t.Errorf("metric %d is %+v", k, m)
		}
		if (m.field == nil) == (m.count == nil) {
			t.Errorf("%s has to be read in one way", m.Name)
		}
		if m.Absent != "" && m.field == nil {
			t.Errorf("%s cannot be absent: its type has no NaN", m.Name)
		}
	}
}

// What can be absent is absent from a new row; the rest of it is the round, or zero.
func TestMetric_ANewRowIsAbsentWhereItCanBe(t *testing.T) {
	r := newRow(7)
	for _, m := range all {
		want := 0.0
		switch {
		case m.Absent != "":
			want = math.NaN()
		case slices.Contains([]string{"round", "least_round", "most_round"}, m.Name):
			want = 7
		}
		if got := m.Of(&r); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s of a new row is %v, want %v", m.Name, got, want)
		}
	}
}

// run.json keeps the last row's values under the columns' names.
func TestRow_FinalHasTheColumnsOfRunJSON(t *testing.T) {
	r := numbered()
	text, err := json.Marshal(r.Final())
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]float64
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		key := m.Name
		if key == "time_s" {
			key = "virtual_seconds"
		}
		v, kept := keys[key]
		if kept != (m.final != nil) {
			t.Errorf("%s is declared to be in run.json: %v; it is: %v", m.Name, m.final != nil, kept)
			continue
		}
		if kept && (v != m.Of(&r) || m.InFinal(r.Final()) != v) {
			t.Errorf("%s is %v in the row, %v in run.json and %v read from it",
				m.Name, m.Of(&r), v, m.InFinal(r.Final()))
		}
		delete(keys, key)
	}
	if len(keys) > 0 {
		t.Errorf("run.json has %v, which are no metrics", keys)
	}
}

func TestMetric_Text(t *testing.T) {
	for _, c := range []struct {
		name string
		v    float64
		want string
	}{
		{"loss", 0.28633312345, "0.286333"}, {"loss", math.NaN(), "-"}, {"distance", 4.83967e-05, "4.83967e-05"},
		{"test_error", 0.078947, "7.89 %"}, {"test_error", math.NaN(), "-"}, {"test_error", 0, "0.00 %"},
		{"privacy_loss", math.Inf(1), "+Inf"},
	} {
		if got := Named(c.name).Text(c.v); got != c.want {
			t.Errorf("%s of %v is printed as %q, want %q", c.name, c.v, got, c.want)
		}
	}
}

// Over split columns a metric has the meaning that it has there, or else the usual one.
func TestMetric_MeaningWhereColumnsAreSplit(t *testing.T) {
	consensus, bytes := Named("consensus"), Named("bytes")
	if got := consensus.MeaningOf(true).Definition; !strings.Contains(got, "p_m − z") {
		t.Errorf("over split columns, consensus is %q", got)
	}
	if got := consensus.MeaningOf(false).Definition; !strings.Contains(got, "f_i − f̄") {
		t.Errorf("over split rows, consensus is %q", got)
	}
	if bytes.MeaningOf(true) != bytes.MeaningOf(false) {
		t.Errorf("bytes are %q over split columns", bytes.MeaningOf(true))
	}
}

func TestMetric_Explain(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"bytes", "bytes: size of those packets, headers included\n(a column of metrics.csv)\n\n" +
			"unit: bytes\nempty: never\n"},
		{"consensus", "consensus: max_i ‖f_i − f̄‖, f̄ the average\n(a column of metrics.csv)\n\n" +
			"over split columns: ‖Σ_m p_m − z‖/√N, N rows\n" +
			"empty: for a method over split columns whose hub holds no z\n"},
	} {
		if got := Named(c.name).Explain(); got != c.want {
			t.Errorf("%s is explained as\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

func TestNamed_PanicsWhereThereIsNothing(t *testing.T) {
	if m, ok := Lookup("losses"); ok || m != nil {
		t.Errorf("there is no metric losses, but %+v", m)
	}
	for name, f := range map[string]func(){
		"no metric":       func() { Named("losses") },
		"not in run.json": func() { Named("spread").InFinal(record.Final{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// The page of the formats has the table that the declarations make.
func TestDocument_IsInThePageOfTheFormats(t *testing.T) {
	path := filepath.Join("..", "docs", "formats.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(page), "### `metrics.csv`\n")
	prose, table, begun := strings.Cut(rest, "\n| column |")
	_, tail, ended := strings.Cut(table, "\n\n")
	if !found || !begun || !ended {
		t.Fatalf("%s has no table of metrics.csv", path)
	}
	want := head + "### `metrics.csv`\n" + prose + "\n" + Document() + "\n" + tail
	if *update {
		err = os.WriteFile(path, []byte(want), 0o644)
	} else if string(page) != want {
		t.Errorf("%s is not what the declarations say; go test ./metrics -run Document -update writes it", path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestDocument_HasARowAMetric(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(Document()), "\n")
	if len(lines) != 2+len(Columns) {
		t.Fatalf("%d lines for %d metrics", len(lines), len(Columns))
	}
	for line, want := range map[int]string{
		3:  "| `time_s` | s | virtual time at which the last node published the round; over split columns: ",
		11: "| `bytes` | bytes | size of those packets, headers included |  |",
		17: "| `test_loss` |  | mean over the test rows of −log p, p the probability that the loss's model ",
	} {
		if !strings.HasPrefix(lines[line], want) {
			t.Errorf("line %d is %s, want %s", line, lines[line], want)
		}
	}
}
