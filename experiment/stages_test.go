// What a run tells while it is set up and concluded, and that it stops there.

package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"overhear/internal/stage"
	"overhear/scenarios"
)

// ownData is a scenario on a file of 60 rows of numbers.
func ownData(t *testing.T) *scenarios.Scenario {
	t.Helper()
	var text strings.Builder
	text.WriteString("a,b,y\n")
	for i := range 60 {
		fmt.Fprintf(&text, "%d,%d.5,%d\n", i%9, i*7%11, i%2)
	}
	path := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Parse("own.yaml", fmt.Appendf(nil, "name: own\nproblem: {data: {csv: %q}, rho: 0.1}\n"+
		"network: {topology: {kind: ring, nodes: 3}}\nrounds: {count: 3}\nalgorithm: {kind: penalty-perturbation}\n",
		path))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every stage is told, and a run that is interrupted in it stops, keeps nothing and spoils nothing.
func TestRun_StopsInEveryStage(t *testing.T) {
	s := ownData(t)
	var told []string
	note := func(doing string, _, _ int64) {
		if len(told) == 0 || told[len(told)-1] != doing {
			told = append(told, doing)
		}
	}
	e := New(s, "")
	if err := e.Look(stage.With(t.Context(), note)); err != nil {
		t.Fatal(err)
	}
	first, err := e.Run(stage.With(t.Context(), note), 1, Options{Out: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"hashing the scenario's files", "reading " + s.Problem.Data.CSV, "scaling the rows",
		"giving the nodes their data", "making the method", "computing the optimum",
		"computing the optimum of a smaller ridge", "", "computing the certificate of privacy",
		"computing what theorems prove of the run (record.rates)"}
	if !reflect.DeepEqual(told, want) {
		t.Fatalf("told is %q, want %q", told, want)
	}
	for _, at := range want[1:] {
		e, out := New(s, ""), t.TempDir()
		ctx, stop := context.WithCancel(t.Context())
		r, err := e.Run(stage.With(ctx, func(doing string, _, _ int64) {
			if doing == at {
				stop()
			}
		}), 1, Options{Out: out, Workers: 1})
		if !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("stopped when %q: %v, %v", at, r, err)
		}
		if left, _ := filepath.Glob(filepath.Join(out, "own", "*")); left != nil {
			t.Errorf("stopped when %q: %v are left", at, left)
		}
		again, err := e.Run(t.Context(), 1, Options{Out: out, Workers: 1})
		if err != nil || again.Info.Digest != first.Info.Digest {
			t.Errorf("after it was stopped when %q: %v", at, err)
		}
	}
}

// A long stage that tells nothing more is left, too.
func TestAssemble_IsLeft(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	why, free := errors.New("enough"), make(chan struct{})
	defer close(free)
	_, err := New(ownData(t), "").Assemble(stage.With(ctx, func(doing string, _, _ int64) {
		if doing == "scaling the rows" {
			stop(why)
			<-free
		}
	}), 1)
	if !errors.Is(err, why) {
		t.Error(err)
	}
}

// wall_seconds is what a watch says: with reading, and what theorems prove, and what was read for several runs at once
// is in the first of them.
func TestRun_TakesTimeAsAWatchDoes(t *testing.T) {
	e := New(ownData(t), "")
	const long = 200 * time.Millisecond
	ctx := stage.With(t.Context(), func(doing string, _, _ int64) {
		if strings.HasPrefix(doing, "reading") || strings.HasPrefix(doing, "computing what theorems") {
			time.Sleep(long)
		}
	})
	out := t.TempDir()
	begun := time.Now()
	if n := e.AtOnce(ctx, 1, 2); n != 2 {
		t.Fatalf("%d at once", n)
	}
	for _, slow := range []bool{true, false} {
		if !slow {
			begun, ctx = time.Now(), t.Context()
		}
		r, err := e.Run(ctx, 1, Options{Out: out, Workers: 1, Replace: true})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(begun).Seconds()
		if w := r.Info.Wall; w > took || slow && w < 2*long.Seconds() {
			t.Errorf("a run of %v s says %v s", took, w)
		}
	}
}

// What was made of the first seed to see how much memory it takes is not made again for its run, and for no other.
func TestAtOnce_MakesNothingTwice(t *testing.T) {
	e := New(ownData(t), "")
	made := 0
	ctx := stage.With(t.Context(), func(doing string, _, _ int64) {
		if doing == "giving the nodes their data" {
			made++
		}
	})
	if n := e.AtOnce(ctx, 3, 2); n != 2 {
		t.Fatalf("%d at once", n)
	}
	for _, c := range []struct {
		seed uint64
		made int
	}{{4, 2}, {3, 2}, {3, 3}} {
		out, _, err := e.Measure(ctx, c.seed, 1)
		if err != nil || out.Seed != c.seed || made != c.made {
			t.Errorf("seed %d: %v; %d were made, want %d", c.seed, err, made, c.made)
		}
		fresh, _, err := New(ownData(t), "").Measure(t.Context(), c.seed, 1)
		if err != nil || fresh.Digest != out.Digest {
			t.Errorf("seed %d: digest %s, want %s, %v", c.seed, out.Digest, fresh.Digest, err)
		}
	}
}

// A full disk, which every file finds by itself, is told once, with whether the same command goes on.
func TestDiskFull_IsToldOnce(t *testing.T) {
	e := New(ownData(t), "")
	full := &fs.PathError{Op: "write", Path: "metrics.csv", Err: syscall.ENOSPC}
	err := errors.Join(fmt.Errorf("writing: %w", full), full, full)
	kept := filepath.Join(t.TempDir(), "checkpoint")
	begin := "own, seed 3: the disk is full: write metrics.csv: no space left on device; make room"
	nothing := filepath.Join(t.TempDir(), "nothing") // there was no room for it
	if err := os.WriteFile(nothing, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{kept, nothing} {
		got := e.diskFull(3, err, path)
		if got.Error() != begin+" and run it again" || !errors.Is(got, syscall.ENOSPC) {
			t.Error(got)
		}
	}
	if err := os.WriteFile(kept, make([]byte, 5000), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := e.diskFull(3, err, kept); got.Error() != begin+", and the same command goes on where it stopped; if no "+
		"more can be made, --checkpoint 0 begins anew without its checkpoint, which takes 5 kB there" {
		t.Error(got)
	}
}
