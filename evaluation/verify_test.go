// Whatever is changed in the directory of a run, of attacks, of an audit or of several
// seeds is noticed, and named. The changes are made to every key and to every column
// that there is, so that a new one is among them.

package evaluation_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

// verified are scenarios whose directories have between them every file and every key.
var verified = map[string]string{
	"rows": `name: rows
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}, latency: 5ms}
rounds: {count: 6}
algorithm: {kind: dvp, eta: 0.1}
privacy: {epsilon: 2}
adversary: {knows: {victim: 0, all-but: 0, candidates: 3, columns: described, data: [2]}}
`,
	"asynchronous": `name: asynchronous
problem: {data: {set: twonorm, rows: 60, dimension: 2}, train: 40, rho: 0.3}
network:
  topology: {kind: ring, nodes: 4}
  latency: 5ms
  loss: 0.1
  duplication: 0.3
rounds: {mode: asynchronous, count: 8, timeout: 50ms}
algorithm: {kind: edge-admm, eta: 0.1}
`,
	"reports": `name: reports
problem: {data: {set: twonorm, rows: 40, dimension: 2}, train: 30, rho: 0.3}
network: {topology: {kind: ring, nodes: 3}, latency: 5ms}
rounds: {count: 4}
algorithm: {kind: pdml, eta: 0.1}
adversary: {knows: {victim: 0}}
`,
	"columns": `name: columns
problem: {data: {set: twonorm, rows: 40, dimension: 4}, train: 30, columns: [3, 2], rho: 0.1}
network: {topology: {kind: star, nodes: 3}, latency: 5ms}
rounds: {count: 4}
algorithm: {kind: private-admm-sharing, eta: 0.3}
`,
}

// directory runs a seed with everything that simulate run and simulate attack write.
func directory(t *testing.T, text, out string, seed uint64) *record.Run {
	t.Helper()
	s, err := scenarios.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment.New(s, "").Run(context.Background(), seed, experiment.Options{Out: out, Workers: 1,
		Extra: evaluation.WriteKnowledge})
	if err != nil {
		t.Fatal(err)
	}
	if s.Adversary != nil {
		a, err := evaluation.Attack(context.Background(), r, evaluation.AttackOptions{Workers: 1,
			Command: "simulate attack test.yaml", Sets: []string{"adversary.knows.victim=1"}})
		if err == nil {
			err = record.WriteAttacks(r.Dir, a, nil, false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func check(t *testing.T, dir string) ([]evaluation.Verified, error) {
	t.Helper()
	return evaluation.Verify(context.Background(), dir, evaluation.VerifyOptions{Workers: 1})
}

// falsified calls f with every change of a single value of JSON, and where it is.
func falsified(t *testing.T, text []byte, f func(place string, changed []byte)) {
	t.Helper()
	var root any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	whole := func() []byte {
		b, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var walk func(place string, v any, set func(any))
	walk = func(place string, v any, set func(any)) {
		var other any
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				old, below := v[key], strings.TrimPrefix(place+"."+key, ".")
				walk(below, old, func(n any) { v[key] = n })
				v[key] = old
				delete(v, key)
				f(below, whole())
				v[key] = old
			}
			return
		case []any:
			for k, old := range v {
				if k > 0 && k < len(v)-1 {
					continue // as the first and the last
				}
				walk(fmt.Sprintf("%s[%d]", place, k), old, func(n any) { v[k] = n })
				v[k] = old
			}
			set(append(slices.Clone(v), 1))
			f(place, whole())
			set(v)
			return
		case string:
			other = v + " "
		case bool:
			other = !v
		case json.Number: // the last digit
			b := []byte(v.String())
			at := bytes.LastIndexAny(b[:max(1, bytes.IndexByte(append(b, 'e'), 'e'))], "0123456789")
			b[at] = '0' + (b[at]-'0'+1)%10
			if b[at] == '0' && at == 0 && len(b) > 1 {
				b[at] = '1'
			}
			other = json.Number(b)
		default:
			other = 1
		}
		set(other)
		f(place, whole())
	}
	walk("", root, func(any) {})
}

// Every key of every JSON file, and the key's absence.
func TestVerify_NoticesEveryKey(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute under the race detector")
	}
	for name, text := range verified {
		t.Run(name, func(t *testing.T) {
			r, again := directory(t, text, t.TempDir(), 1), directory(t, text, t.TempDir(), 1)
			if found, err := record.Compare(r.Dir, again.Dir); err != nil || found != nil {
				t.Fatalf("nothing was changed: %v, %v", found, err)
			}
			files, _ := filepath.Glob(filepath.Join(r.Dir, "*.json"))
			count := 0
			for _, path := range files {
				file := filepath.Base(path)
				old, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				falsified(t, old, func(place string, changed []byte) {
					if place[strings.LastIndex(place, ".")+1:] == "wall_seconds" {
						return // of real time, and the only such key
					}
					count++
					if err := os.WriteFile(path, changed, 0o644); err != nil {
						t.Fatal(err)
					}
					found, err := record.Compare(r.Dir, again.Dir)
					if err != nil || !slices.ContainsFunc(found, func(d record.Difference) bool {
						return d.File == file && strings.HasPrefix(d.Place, place) && d.Stated != d.Recomputed
					}) {
						t.Errorf("%s, %s: %v, %v", file, place, found, err)
					}
				})
				if err := os.WriteFile(path, old, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if count < 100 {
				t.Errorf("%d changes in %v", count, files)
			}
		})
	}
}

// A cell of every column of every table, a row less and a row more, and any byte of
// what is no table.
func TestVerify_NoticesEveryColumn(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs take long under the race detector, and others go the same ways")
	}
	seen := map[string]bool{}
	for name, text := range verified {
		t.Run(name, func(t *testing.T) {
			r, again := directory(t, text, t.TempDir(), 1), directory(t, text, t.TempDir(), 1)
			entries, err := os.ReadDir(r.Dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				file, path := e.Name(), filepath.Join(r.Dir, e.Name())
				seen[file] = true
				old, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				noticed := func(place string, changed []byte) {
					t.Helper()
					if err := os.WriteFile(path, changed, 0o644); err != nil {
						t.Fatal(err)
					}
					found, err := record.Compare(r.Dir, again.Dir)
					if err != nil || len(found) == 0 || found[0].File != file ||
						!strings.HasPrefix(found[0].Place, place) {
						t.Errorf("%s, %s: %v, %v", file, place, found, err)
					}
				}
				switch filepath.Ext(file) {
				case ".csv":
					falsifyCSV(t, old, noticed)
				case ".parquet":
					falsifyParquet(t, old, noticed)
				case ".bin":
					for at := 0; at < len(old); at += 1 + len(old)/50 {
						changed := slices.Clone(old)
						changed[at] ^= 8
						noticed(fmt.Sprintf("byte %d", at), changed)
					}
				}
				if filepath.Ext(file) != ".json" {
					noticed("", old[:len(old)/2])
				}
				if err := os.WriteFile(path, old, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	for _, file := range []string{"metrics.csv", "nodes.csv", "iterates.parquet", "messages.parquet", "steps.parquet",
		"reports.parquet", "trace.bin", "knowledge.json", "attacks.json", "run.json"} {
		if !seen[file] {
			t.Errorf("no directory has %s", file)
		}
	}
}

func falsifyCSV(t *testing.T, text []byte, noticed func(place string, changed []byte)) {
	t.Helper()
	table, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	whole := func(table [][]string) []byte {
		var b bytes.Buffer
		if err := csv.NewWriter(&b).WriteAll(table); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for k, column := range table[0] {
		line := len(table) / 2
		old := table[line][k]
		table[line][k] = "1" + old
		noticed(fmt.Sprintf("line %d, column %s", line+1, column), whole(table))
		table[line][k] = old
	}
	last := len(table) - 1
	noticed(fmt.Sprintf("line %d", last+1), whole(table[:last]))
	noticed(fmt.Sprintf("line %d", last+2), whole(append(slices.Clone(table), table[last])))
}

func falsifyParquet(t *testing.T, text []byte, noticed func(place string, changed []byte)) {
	t.Helper()
	read := func() (rows []parquet.Row, schema *parquet.Schema) {
		f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		r := parquet.NewReader(f)
		defer r.Close()
		for {
			var one [1]parquet.Row
			if n, _ := r.ReadRows(one[:]); n == 0 {
				return rows, f.Schema()
			}
			rows = append(rows, one[0].Clone())
		}
	}
	whole := func(rows []parquet.Row, schema *parquet.Schema) []byte {
		var b bytes.Buffer
		w := parquet.NewWriter(&b, schema)
		_, err := w.WriteRows(rows)
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	rows, schema := read()
	at := len(rows) / 2
	for k, v := range rows[at] {
		changed, _ := read()
		var other parquet.Value
		switch v.Kind() {
		case parquet.Double:
			other = parquet.DoubleValue(v.Double() + 1e-9)
		case parquet.Int32:
			other = parquet.Int32Value(v.Int32() + 1)
		case parquet.Int64:
			other = parquet.Int64Value(v.Int64() + 1)
		default:
			other = parquet.ByteArrayValue(append(slices.Clone(v.ByteArray()), 'x'))
		}
		changed[at][k] = other.Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
		noticed(fmt.Sprintf("row %d, column %s", at, schema.Columns()[v.Column()][0]), whole(changed, schema))
	}
	noticed(fmt.Sprintf("row %d", len(rows)-1), whole(rows[:len(rows)-1], schema))
	noticed(fmt.Sprintf("row %d", len(rows)), whole(append(slices.Clone(rows), rows[0]), schema))
}

// One change of each file, through the whole of Verify; what is as it was is said to be
// the same.
func TestVerify_Run(t *testing.T) {
	r := directory(t, verified["rows"], t.TempDir(), 1)
	same, err := check(t, r.Dir)
	if err != nil || len(same) != 2 || same[0].Origins != nil || same[1].Origins != nil {
		t.Fatalf("%v, %v", same, err)
	}
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(r.Dir, e.Name())
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := slices.Clone(old)
		digit := bytes.LastIndexAny(changed[:len(changed)*2/3], "123456789")
		changed[digit] ^= 1
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := check(t, r.Dir); !errors.Is(err, experiment.ErrMismatch) ||
			!strings.Contains(err.Error(), e.Name()+":") {
			t.Errorf("%s, byte %d: %v", e.Name(), digit, err)
		}
		if err := os.WriteFile(path, old, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.Dir, "notes.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if same, err := check(t, r.Dir); err != nil || len(same) != 2 {
		t.Errorf("with notes of the user's: %v, %v", same, err)
	}
}

// Every key of attacks.json, as far as it is not what was typed.
func TestVerify_Attacks(t *testing.T) {
	for _, name := range []string{"rows", "reports"} {
		r := directory(t, verified[name], t.TempDir(), 1)
		a, err := record.ReadAttacks(r.Dir)
		if err != nil {
			t.Fatal(err)
		}
		again, err := evaluation.Attack(context.Background(), r, evaluation.AttackOptions{Workers: 2,
			Command: a.Command, Sets: a.Changes})
		if err != nil {
			t.Fatal(err)
		}
		again.Format = record.Format
		falsifyFindings(t, filepath.Join(r.Dir, record.AttacksFile), again)
	}
	r := directory(t, verified["rows"], t.TempDir(), 1)
	path := filepath.Join(r.Dir, record.AttacksFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"[]", `["adversary.knows.victim=2"]`, `["no.such=1"]`} {
		other := bytes.Replace(text, []byte("[\n    \"adversary.knows.victim=1\"\n  ]"), []byte(c), 1)
		if bytes.Equal(other, text) {
			t.Fatal("the change is not there")
		}
		if err := os.WriteFile(path, other, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := check(t, r.Dir); !errors.Is(err, experiment.ErrMismatch) {
			t.Errorf("changes %s: %v", c, err)
		}
	}
}

func falsifyFindings(t *testing.T, path string, again any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := record.CompareJSON(path, again); err != nil || found != nil {
		t.Fatalf("nothing was changed: %v, %v", found, err)
	}
	count := 0
	falsified(t, text, func(place string, changed []byte) {
		if place[strings.LastIndex(place, ".")+1:] == "wall_seconds" {
			return
		}
		count++
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		if found, err := record.CompareJSON(path, again); err != nil || len(found) == 0 ||
			!strings.HasPrefix(found[0].Place, place) {
			t.Errorf("%s: %v, %v", place, found, err)
		}
	})
	if count < 40 {
		t.Errorf("%d changes", count)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestVerify_Audit(t *testing.T) {
	s, err := scenarios.Parse("audit.yaml", []byte(verified["rows"]), "adversary={audit: {runs: 20}}")
	if err != nil {
		t.Fatal(err)
	}
	o := evaluation.AuditOptions{Runs: 30, Workers: 2, Command: "simulate audit audit.yaml --runs 30"}
	a, err := evaluation.Audit(context.Background(), experiment.New(s, ""), o)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "audit")
	if err := record.WriteAudit(dir, a); err != nil {
		t.Fatal(err)
	}
	if same, err := check(t, dir); err != nil || len(same) != 1 {
		t.Fatalf("%v, %v", same, err)
	}
	falsifyFindings(t, filepath.Join(dir, record.AuditFile), a)
	a.Verdicts[0].Measured /= 2
	if err := record.WriteAudit(dir, a); err != nil {
		t.Fatal(err)
	}
	if _, err := check(t, dir); !errors.Is(err, experiment.ErrMismatch) ||
		!strings.Contains(err.Error(), "audit.json: verdicts[0].measured: stated") {
		t.Errorf("%v", err)
	}
}

// The runs of several seeds and their summary.
func TestVerify_Seeds(t *testing.T) {
	out := t.TempDir()
	dir := filepath.Join(out, "asynchronous")
	var runs []*record.Run
	for seed := range uint64(3) {
		runs = append(runs, directory(t, verified["asynchronous"], out, seed+9)) // 10 before 9 by name
	}
	summary := filepath.Join(dir, record.SummaryFile)
	var tables []*record.Table
	for k := range runs {
		table, err := runs[k].Metrics()
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	if err := record.WriteSummary(summary, tables[:2]); err != nil {
		t.Fatal(err)
	}
	if _, err := check(t, dir); !errors.Is(err, experiment.ErrMismatch) {
		t.Errorf("a summary of two of three seeds: %v", err)
	}
	if err := record.WriteSummary(summary, tables); err != nil {
		t.Fatal(err)
	}
	if same, err := check(t, dir); err != nil || len(same) != 4 {
		t.Errorf("a summary of all: %v, %v", same, err)
	}
	old, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	falsifyCSV(t, old, func(place string, changed []byte) {
		if err := os.WriteFile(summary, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		found, err := record.CompareSummary(dir, runs)
		if err != nil || len(found) == 0 || !strings.HasPrefix(found[0].Place, place) {
			t.Errorf("%s: %v, %v", place, found, err)
		}
	})
	if err := os.Truncate(filepath.Join(runs[1].Dir, "nodes.csv"), 10); err != nil {
		t.Fatal(err)
	}
	same, err := check(t, dir)
	if len(same) != 2 || !errors.Is(err, experiment.ErrMismatch) || !strings.Contains(err.Error(), "nodes.csv") ||
		!strings.Contains(err.Error(), "summary.csv") {
		t.Errorf("%v, %v", same, err)
	}
	if _, err := check(t, t.TempDir()); err == nil || errors.Is(err, experiment.ErrMismatch) {
		t.Errorf("an empty directory: %v", err)
	}
}
