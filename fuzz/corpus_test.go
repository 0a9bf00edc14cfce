// The corpus of past failures is run again; what is found enters a corpus as it failed.

package fuzz

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/scenarios"
)

// check checks a file of a corpus, with the registered method or a flawed one.
func check(t *testing.T, path string, flaw func(algorithms.Method) algorithms.Method) *Trouble {
	t.Helper()
	s, err := scenarios.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	trouble, err := Check(context.Background(), flawed(experiment.New(s, ""), flaw), s.Seeds.First, DefaultDistance)
	if err != nil {
		t.Fatal(err)
	}
	return trouble
}

// Every file of testdata/corpus failed once; its comment says how. None may again.
func TestCorpus_PastFailuresPass(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there is no corpus: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			if trouble := check(t, path, nil); trouble != nil {
				t.Errorf("seed %d breaks: %s\n%s", trouble.Seed, trouble.Invariant, trouble.Account)
			}
		})
	}
}

// The files that planted flaws have left still fail with these flaws, so that they
// test something.
func TestCorpus_PlantedFlawsStillFail(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "corpus", "forgetful-*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("the corpus has none: %v", err)
	}
	for _, path := range paths {
		if trouble := check(t, path, forget); trouble == nil {
			t.Errorf("%s: %+v", path, trouble)
		}
	}
}

func TestCorpus_KeepsWhatIsFound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "corpus")
	found := forgotten(t)
	for _, f := range found {
		path, err := f.Write(dir)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := f.Write(dir); err != nil || again != path {
			t.Errorf("written again it is %s (%v), not %s", again, err, path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\nname: ")
		for _, line := range strings.Split(head, "\n") {
			if !strings.HasPrefix(line, "# ") {
				t.Errorf("%s: the line %q is no comment", path, line)
			}
		}
		command := "simulate fuzz " + filepath.Base(path) + " --as-is --distance 0.001"
		for _, part := range []string{f.Invariant, f.Account, command} {
			if !strings.Contains(head, part) {
				t.Errorf("%s does not say %q:\n%s", path, part, head)
			}
		}
		again := check(t, path, forget)
		if again == nil || again.Seed != f.Seed || again.Invariant != f.Invariant || again.Account != f.Account ||
			!slices.Equal(again.Sets, f.Sets) {
			t.Errorf("%s fails as %+v, was found as %+v", path, again, f)
		}
		if trouble := check(t, path, nil); trouble != nil {
			t.Errorf("%s: without the flaw: %+v", path, trouble)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != len(found) {
		t.Errorf("%d files for %d troubles (%v)", len(files), len(found), err)
	}
}

// Files that a scenario refers to are found from the corpus too.
func TestCorpus_FindsTheScenariosFiles(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "data", "table.csv")
	if err := os.MkdirAll(filepath.Dir(table), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(table, []byte("x,label\n1,1\n2,-1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Parse("fuzzed.yaml", []byte(fuzzed), "problem.data={csv: data/table.csv, label: label}")
	if err != nil {
		t.Fatal(err)
	}
	s.LocateFiles(filepath.Join(dir, "fuzzed.yaml"))
	trouble := &Trouble{Seed: 1, Scenario: s}
	path, err := trouble.Write(filepath.Join(dir, "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := scenarios.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if kept.Problem.Data.CSV != table {
		t.Errorf("the corpus takes %s, not %s", kept.Problem.Data.CSV, table)
	}
	if s.Problem.Data.CSV != table {
		t.Errorf("writing has changed the scenario: %s", s.Problem.Data.CSV)
	}
}
