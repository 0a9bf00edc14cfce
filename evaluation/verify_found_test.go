// Whatever is changed in the directory of a map or of a search is noticed, and named.

package evaluation_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

const gaussianRing = `name: gaussian-ring
problem: {data: {set: twonorm, rows: 15, dimension: 2}, loss: squared, rho: 0.3, scale: {intercept: false}}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 2}
algorithm: {kind: private-dgd, step: 0.5, decay: none, alpha: 0.5, law: gaussian}
adversary: {audit: {runs: 20}}
`

func mappedRing(t *testing.T, dir string) {
	t.Helper()
	s, err := scenarios.Parse("ring.yaml", []byte(gaussianRing))
	if err != nil {
		t.Fatal(err)
	}
	m, pairs, err := evaluation.Map(context.Background(), experiment.New(s, ""), evaluation.AuditOptions{
		Command: "simulate audit ring.yaml --map"})
	if err == nil {
		err = record.WriteMap(dir, m, pairs)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func searchedRing(t *testing.T, dir string) {
	t.Helper()
	ctx := context.Background()
	s, err := scenarios.Parse("ring.yaml", []byte(gaussianRing))
	if err != nil {
		t.Fatal(err)
	}
	f, err := evaluation.SearchWorst(ctx, experiment.New(s, ""), evaluation.SearchOptions{Evaluations: 12,
		Command: "simulate audit ring.yaml --search 12"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := f.Judge(ctx, e, evaluation.AuditOptions{Workers: 1})
	if err = errors.Join(err, record.WriteWorst(dir, f.Worst)); err == nil {
		err = record.WriteAudit(dir, a)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestVerify_MapsAndSearches(t *testing.T) {
	for name, make := range map[string]func(*testing.T, string){"map": mappedRing, "worst": searchedRing} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			make(t, dir)
			elsewhere := filepath.Join(t.TempDir(), name) // what was found goes with its directory
			if err := os.Rename(dir, elsewhere); err != nil {
				t.Fatal(err)
			}
			dir = elsewhere
			if v, err := check(t, dir); err != nil || len(v) < 2 {
				t.Fatalf("nothing was changed: %v, %v", v, err)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "*.*"))
			for _, path := range files {
				file := filepath.Base(path)
				old, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				noticed := func(place string, changed []byte) {
					t.Helper()
					if err := os.WriteFile(path, changed, 0o644); err != nil {
						t.Fatal(err)
					}
					if _, err := check(t, dir); err == nil || !strings.Contains(err.Error(), file) {
						t.Errorf("%s, %s: %v", file, place, err)
					}
				}
				switch filepath.Ext(file) {
				case ".csv":
					falsifyCSV(t, old, noticed)
				case ".json":
					for _, key := range []string{"about", "mu_most", "above", "found", "score", "budget", "seed"} {
						at := bytes.Index(old, []byte(`"`+key+`": `))
						if at < 0 {
							continue
						}
						at += bytes.IndexByte(old[at:], '\n') - 2
						changed := slices.Clone(old)
						changed[at] ^= 1
						noticed(key, changed)
					}
				default:
					noticed("its end", append(slices.Clone(old), '\n'))
				}
				if err := os.WriteFile(path, old, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// The pairs of a map are read as they were written, and damage is named by its line.
func TestReadPairs_IsWhatWasWritten(t *testing.T) {
	dir := t.TempDir()
	mappedRing(t, dir)
	m, err := record.ReadMap(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, record.PairsFile)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := record.ReadPairs(dir, m.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := p.Write(&again); err != nil || again.String() != string(old) {
		t.Errorf("%v; read as\n%s", err, again.String())
	}
	lines := strings.SplitAfter(string(old), "\n")
	for text, want := range map[string]string{
		strings.Join(slices.Delete(slices.Clone(lines), 3, 4), ""): "line 4:",
		string(old) + lines[1]: "a pair too many",
		strings.Replace(string(old), lines[2], "0,2,2,NaN,1\n", 1): "line 3: no distance, μ and messages",
		"": "line 1: no header",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := record.ReadPairs(dir, m.Nodes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}
