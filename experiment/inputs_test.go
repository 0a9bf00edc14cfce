// A seed is finished only for who would begin with the same, and runs of different
// scenarios do not share a directory.

package experiment_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/internal/files"
	"overhear/record"
	"overhear/scenarios"
)

const own = `
name: own
problem: {data: {csv: DIR/own.csv}, rho: 0.3}
network: {topology: {file: DIR/ring.csv}}
rounds: {count: 3}
algorithm: {kind: admm, eta: 0.1}
`

// ownFiles writes the files of the scenario above, and returns their directory.
func ownFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "own.csv"), "a,b,label\n1.5,2,0\n0.5,1,1\n2.5,0,0\n0.1,3,1\n1.1,2,0\n0.7,1,1\n")
	put(t, filepath.Join(dir, "ring.csv"), "0,1\n1,2\n2,0\n")
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, e *experiment.Experiment, path string) *record.Directory {
	t.Helper()
	d, err := e.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFinished(t *testing.T) {
	dir, out := ownFiles(t), t.TempDir()
	text := strings.ReplaceAll(own, "DIR", dir)
	run(t, parse(t, text), experiment.Options{Out: out})
	d := open(t, parse(t, text), filepath.Join(out, "own"))
	defer d.Close()
	for _, c := range []struct {
		name   string
		change func()
		why    string // a part of it
	}{
		{"data", func() { put(t, filepath.Join(dir, "own.csv"), "a,label\n1,0\n2,1\n3,1\n") }, "own.csv) has changed"},
		{"graph", func() { put(t, filepath.Join(dir, "ring.csv"), "0,1\n1,2\n2,0\n\n") }, "ring.csv) has changed"},
		{"table", func() { put(t, filepath.Join(d.Seed(1), "metrics.csv"), "round\n0\n") }, "not as the run wrote it"},
		{"table gone", func() { os.Remove(filepath.Join(d.Seed(1), "iterates.parquet")) }, "is missing"},
		{"run.json", func() { put(t, filepath.Join(d.Seed(1), "run.json"), "{") }, "run.json is damaged"},
	} {
		if r, why, err := parse(t, text).Finished(d, 1); r == nil || why != nil || err != nil {
			t.Fatalf("before %s: %v %q %v", c.name, r, why, err)
		}
		saved := ownFiles(t)
		c.change()
		r, why, err := parse(t, text).Finished(d, 1)
		if r != nil || !strings.Contains(strings.Join(why, "; "), c.why) || err != nil {
			t.Errorf("%s: %v %q %v", c.name, r, why, err)
		}
		for _, name := range []string{"own.csv", "ring.csv"} {
			back, err := os.ReadFile(filepath.Join(saved, name))
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, name), string(back))
		}
		if _, err := parse(t, text).Run(context.Background(), 1, experiment.Options{Directory: d,
			Replace: true}); err != nil {
			t.Fatal(err)
		}
	}
	if r, why, err := parse(t, text).Finished(d, 2); r != nil || why != nil || err != nil {
		t.Errorf("a seed that was never run: %v %q %v", r, why, err)
	}
	os.Remove(filepath.Join(dir, "own.csv"))
	var setup experiment.SetupError
	if _, _, err := parse(t, text).Finished(d, 1); !errors.As(err, &setup) {
		t.Errorf("without its data: %v", err)
	}
}

// A file that changes after its hash was taken down would be recorded with a hash
// that is not that of what was read.
func TestRun_RefusesFilesThatChangeMeanwhile(t *testing.T) {
	for _, name := range []string{"own.csv", "ring.csv"} {
		dir := ownFiles(t)
		e := parse(t, strings.ReplaceAll(own, "DIR", dir))
		if _, err := e.Inputs(); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString("\n")
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Run(context.Background(), 1, experiment.Options{Out: t.TempDir()}); err == nil ||
			!strings.Contains(err.Error(), name+" has changed since the command began") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpenDirectory_IgnoresWhatNoSeedSees(t *testing.T) {
	out := t.TempDir()
	run(t, parse(t, plain), experiment.Options{Out: out})
	open(t, parse(t, plain, "name=other", "about=x", "seeds.count=4"), filepath.Join(out, "plain")).Close()
}

// What is called the same and is not is refused, whoever asks, and says why.
func TestRun_RefusesADirectoryOfAnotherScenario(t *testing.T) {
	out := t.TempDir()
	first := run(t, parse(t, plain), experiment.Options{Out: out})
	o := experiment.Options{Out: out, Replace: true}
	_, err := parse(t, plain, "rounds.count=2").Run(context.Background(), 1, o)
	var other *experiment.OtherScenario
	if !errors.As(err, &other) || len(other.Changes) != 1 || other.Changes[0].Path != "rounds.count" ||
		!strings.Contains(err.Error(), "rounds.count was 6, is 2") {
		t.Errorf("%v", err)
	}
	if err := first.CheckFiles(); err != nil {
		t.Error(err)
	}
}

// Where only the path of a file differs, and not its bytes, the scenario is the same.
func TestOpenDirectory_FilesCountByTheirBytes(t *testing.T) {
	here, there, out := ownFiles(t), ownFiles(t), t.TempDir()
	run(t, parse(t, strings.ReplaceAll(own, "DIR", here)), experiment.Options{Out: out})
	e := parse(t, strings.ReplaceAll(own, "DIR", there))
	d := open(t, e, filepath.Join(out, "own"))
	if r, why, err := e.Finished(d, 1); r == nil {
		t.Errorf("%v %q %v", r, why, err)
	}
	d.Close()
	put(t, filepath.Join(there, "ring.csv"), "0,1\n1,2\n")
	e = parse(t, strings.ReplaceAll(own, "DIR", there))
	var other *experiment.OtherScenario
	if _, err := e.OpenDirectory(filepath.Join(out, "own")); !errors.As(err, &other) || len(other.Changes) != 1 {
		t.Errorf("another file elsewhere: %v", err)
	}
}

// Who looks at a run from a place from where its files are not seen is told from where they were looked for.
func TestInputs_FilesAreLookedForFromWhereTheProgramRuns(t *testing.T) {
	elsewhere := t.TempDir()
	t.Chdir(elsewhere)
	for dir, want := range map[string]bool{"data": true, filepath.Join(elsewhere, "data"): false} {
		_, err := parse(t, strings.ReplaceAll(own, "DIR", dir)).Inputs()
		if err == nil || strings.HasSuffix(err.Error(), ", looked for from "+elsewhere) != want {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// A run's directory has no file but those that the program knows to be its own when another run takes the place.
func TestRun_ReplacesAllOfItsFiles(t *testing.T) {
	s, err := scenarios.Parse("s", []byte(plain), "record.messages=all")
	if err != nil {
		t.Fatal(err)
	}
	o := experiment.Options{Out: t.TempDir(), Plots: true, Replace: true}
	r := run(t, experiment.New(s, ""), o)
	if _, err := os.Stat(filepath.Join(r.Dir, "plots", "loss-round.svg")); err != nil {
		t.Fatal(err)
	}
	o.Plots = false
	s.Record.Messages = "none"
	s.Record.Trace = "off"
	d, err := record.OpenDirectory(filepath.Dir(r.Dir)) // whatever scenario it is of
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	o.Directory = d
	run(t, experiment.New(s, ""), o)
	left, err := filepath.Glob(filepath.Join(r.Dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range left {
		names = append(names, filepath.Base(path))
	}
	if got := strings.Join(names, " "); got != "iterates.parquet metrics.csv nodes.csv run.json" {
		t.Errorf("%s are left", got)
	}
}

// Two runs into one directory at once: one writes, and the other says that it is in use.
func TestRun_LocksItsDirectory(t *testing.T) {
	o := experiment.Options{Out: t.TempDir()}
	o.Progress = func(_ uint64, round int) {
		if round == 1 {
			if _, err := parse(t, plain).Run(context.Background(), 2, experiment.Options{Out: o.Out}); !errors.Is(err,
				files.ErrLocked) {
				t.Errorf("a second run at the same time: %v", err)
			}
		}
	}
	run(t, parse(t, plain), o)
}
