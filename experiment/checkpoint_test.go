// A run that is stopped anywhere, in any way, and run again has the same files, byte
// for byte, as one that was not.

package experiment

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overhear/record"
	"overhear/scenarios"
)

// filesOf are those of a run's directory, without the one time in them that is real.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range entries {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if f.Name() == "run.json" {
			var info map[string]any
			if err := json.Unmarshal(text, &info); err != nil {
				t.Fatal(err)
			}
			delete(info, "wall_seconds")
			text, _ = json.Marshal(info)
		}
		all[f.Name()] = string(text)
	}
	return all
}

// same compares the files of a run with those of one that was not stopped.
func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is another than that of a run that was not stopped", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

// again runs seed 7 with checkpoints into a directory and returns its files and what
// was said.
func again(t *testing.T, s *scenarios.Scenario, out string, workers int) (map[string]string, []string) {
	t.Helper()
	var said []string
	r, err := New(s, "").Run(context.Background(), 7, Options{Out: out, Workers: workers, Replace: true,
		Checkpoint: time.Hour, Say: func(text string) { said = append(said, text) }})
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "*", ".*")); left != nil {
		t.Errorf("%v are left", left)
	}
	return filesOf(t, r.Dir), said
}

// whole is the checkpoint that a run has at its end.
func whole(t *testing.T, s *scenarios.Scenario, out string) (path string, text []byte) {
	t.Helper()
	path = checkpointPath(out, s.Name, 7)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	k := &keeping{path: path, every: time.Hour, say: func(string) {}}
	if _, err := New(s, "").complete(context.Background(), 7, Execution{Workers: 2, keep: k}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := k.journal.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, text
}

// What a stopped run leaves is a part of the checkpoint of the whole run, from its
// beginning to any byte, and perhaps damage after it. From each such part every golden
// scenario goes on to the same files.
func TestCheckpoint_GoesOnFromAnyPart(t *testing.T) {
	for nth, name := range slices.Sorted(maps.Keys(goldens)) {
		if testing.Short() && nth%5 != 0 {
			continue // some are enough for the race detector
		}
		t.Run(name, func(t *testing.T) {
			s, out := goldenScenario(t, name), t.TempDir()
			r, err := New(s, "").Run(context.Background(), 7, Options{Out: t.TempDir(), Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := filesOf(t, r.Dir)
			path, text := whole(t, s, out)
			for k, part := range []float64{0.02, 0.4, 0.77, 1} {
				if testing.Short() && k != 1 {
					continue // one part is enough for the race detector
				}
				left := slices.Clone(text[:int(part*float64(len(text)))])
				if k == 1 {
					left[len(left)*7/8] ^= 4
				}
				if err := os.WriteFile(path, left, 0o644); err != nil {
					t.Fatal(err)
				}
				got, said := again(t, s, out, 1+k%2)
				same(t, got, want)
				if part > 0.02 && !strings.Contains(strings.Join(said, "; "), "goes on from its checkpoint") {
					t.Errorf("%v of the checkpoint: said %q", part, said)
				}
			}
		})
	}
}

// A run that has its whole checkpoint computes nothing that is in it.
func TestCheckpoint_ComputesNothingTwice(t *testing.T) {
	s, out := goldenScenario(t, "quickstart"), t.TempDir()
	path, text := whole(t, s, out)
	k := &keeping{path: path, every: time.Hour, say: func(string) {}}
	if _, err := New(s, "").complete(context.Background(), 7, Execution{Workers: 1, keep: k}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := k.journal.Close(); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || len(now) != len(text) {
		t.Errorf("the checkpoint had %d bytes and has %d (%v)", len(text), len(now), err)
	}
}

// A stop keeps the checkpoint, and says so nowhere but in the directory; the same run
// goes on from it.
func TestCheckpoint_Stop(t *testing.T) {
	s, out := goldenScenario(t, "wdbc-ring"), t.TempDir()
	s.Rounds.Count = 400
	path := checkpointPath(out, s.Name, 7)
	for pass, round := range []int{150, 300} {
		ctx, stop := context.WithCancel(context.Background())
		_, err := New(s, "").Run(ctx, 7, Options{Out: out, Workers: 2, Checkpoint: time.Hour,
			Progress: func(_ uint64, now int) {
				if now == round {
					stop()
				}
			}})
		stop()
		info, none := os.Stat(path)
		if !errors.Is(err, context.Canceled) || none != nil || info.Size() < int64(pass+1)*100000 {
			t.Fatalf("stopped: %v; its checkpoint: %v, %+v", err, none, info)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	var told []string
	_, err := New(s, "").Run(ctx, 7, Options{Out: out, Workers: 2, Checkpoint: time.Hour,
		Progress: func(uint64, int) { stop() }, Say: func(text string) { told = append(told, text) }})
	if !errors.Is(err, context.Canceled) || len(told) != 2 || !strings.Contains(told[1], "give it more") {
		t.Errorf("stopped at once it ends with %v and says %q", err, told)
	}
	got, said := again(t, s, out, 1)
	r, err := New(s, "").Run(context.Background(), 7, Options{Out: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, filesOf(t, r.Dir))
	if len(said) != 1 || !strings.Contains(said[0], "goes on from its checkpoint") {
		t.Errorf("said %q", said)
	}
}

// Nothing is taken from a checkpoint of another seed, scenario or data: it is removed,
// with a word.
func TestCheckpoint_OfSomethingElse(t *testing.T) {
	dir := t.TempDir()
	rows := "a,b,class\n"
	for k := range 40 {
		rows += fmt.Sprintf("%d,%d,%d\n", k%7, k*k%11, k%2)
	}
	file := filepath.Join(dir, "mine.csv")
	if err := os.WriteFile(file, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	scenario := func(eta float64) *scenarios.Scenario {
		s, err := scenarios.Parse("mine.yaml", []byte(fmt.Sprintf(`name: mine
problem: {data: {csv: %s, label: class, positive: "1"}, train: 30, rho: 0.3}
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 5}
algorithm: {kind: admm, eta: %v}
`, file, eta)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, change := range map[string]func() *scenarios.Scenario{
		"scenario": func() *scenarios.Scenario { return scenario(0.2) },
		"data": func() *scenarios.Scenario {
			if err := os.WriteFile(file, []byte(strings.Replace(rows, "3,9,1", "3,8,1", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			return scenario(0.1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			whole(t, scenario(0.1), out)
			changed := change()
			got, said := again(t, changed, out, 1)
			if len(said) != 1 || !strings.Contains(said[0], "not used and was removed") {
				t.Errorf("said %q", said)
			}
			r, err := New(changed, "").Run(context.Background(), 7, Options{Out: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, filesOf(t, r.Dir))
		})
	}
}

// A checkpoint whose key is right and whose results are of another input, which only a
// program that does not repeat itself leaves, is thrown away and the run made anew.
func TestCheckpoint_Misfit(t *testing.T) {
	s, out := goldenScenario(t, "quickstart"), t.TempDir()
	path, text := whole(t, s, out)
	for _, at := range []int{1, 5, 300} { // the k-th record gets another input
		b := slices.Clone(text)
		place := 44
		for range at {
			place += 16 + 8*int(binary.LittleEndian.Uint32(b[place:]))
		}
		n := 12 + 8*int(binary.LittleEndian.Uint32(b[place:]))
		b[place+9] ^= 1
		binary.LittleEndian.PutUint32(b[place+n:], crc32.Checksum(b[place:place+n], crc32.MakeTable(crc32.Castagnoli)))
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		got, said := again(t, s, out, 2)
		if len(said) != 2 || !strings.Contains(said[1], "computed anew") {
			t.Errorf("record %d: said %q", at, said)
		}
		r, err := New(s, "").Run(context.Background(), 7, Options{Out: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, filesOf(t, r.Dir))
	}
}

// A run that fails by itself would fail again and leaves no checkpoint; one whose
// results cannot be written leaves it.
func TestCheckpoint_OfAFailure(t *testing.T) {
	for name, c := range map[string]struct {
		sets []string
		o    Options
		left bool
	}{
		"of the run": {[]string{"network.loss=0.999", "rounds.deadline=1s"}, Options{}, false},
		"of writing": {nil, Options{Extra: func(*Experiment, *Assembly, *record.Writer) error {
			return errors.New("the disk is full")
		}}, true},
	} {
		s, err := scenarios.Load(filepath.Join("..", "scenarios", "quickstart.yaml"), c.sets...)
		if err != nil {
			t.Fatal(err)
		}
		c.o.Out, c.o.Checkpoint = t.TempDir(), time.Nanosecond
		if _, err := New(s, "").Run(context.Background(), 7, c.o); err == nil {
			t.Errorf("%s: no failure", name)
		}
		if left, _ := filepath.Glob(filepath.Join(c.o.Out, "*", ".*")); (left != nil) != c.left {
			t.Errorf("%s: %v are left", name, left)
		}
	}
}

func checkpointPath(out, name string, seed uint64) string {
	return (&record.Directory{Path: filepath.Join(out, name)}).CheckpointPath(seed)
}

// Nodes of a few numbers are computed again rather than kept, with the same files.
func TestCheckpoint_LeavesOutWhatIsSoonComputed(t *testing.T) {
	s, err := scenarios.Parse("tiny.yaml", []byte(`
name: tiny
problem: {data: {set: twonorm, rows: 16}, train: 12, rho: 0.2}
network: {topology: {kind: ring, nodes: 6}}
rounds: {count: 20}
algorithm: {kind: edge-admm, eta: 0.3}
`))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	r, err := New(s, "").Run(context.Background(), 7, Options{Out: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	path, text := whole(t, s, out)
	if updates := 6 * 20 * 8 * 20; len(text) > updates/2 {
		t.Errorf("the checkpoint has %d bytes, and the updates %d", len(text), updates)
	}
	if err := os.WriteFile(path, text[:len(text)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	got, _ := again(t, s, out, 2)
	same(t, got, filesOf(t, r.Dir))
}
