// Room on the disk.

package experiment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/record"
	"overhear/scenarios"
)

// What is foretold of a run's records is what they take, whatever is kept; much is said beforehand, once, with the key
// of what takes most.
func TestRecorded_IsWhatFilesTake(t *testing.T) {
	defer func(before float64) { muchRecorded = before }(muchRecorded)
	muchRecorded = 0
	ring := []string{"rounds.count=300", "network.topology={kind: ring, nodes: 12}"}
	for name, c := range map[string]struct {
		file string
		sets []string
		most string
	}{
		"everything": {"quickstart", ring, "record.iterates=last"},
		"some iterates": {"quickstart", append(ring, "record.iterates={every: 40}"),
			"record.messages=none"},
		"messages alone": {"quickstart", append(ring, "record={iterates: none, trace: off}"),
			"record.messages=none"},
		"the trace alone": {"quickstart", append(ring, "record={iterates: last, messages: none}"),
			"record.trace=digest"},
		"rounds alone": {"quickstart", append(ring, "record={iterates: none, messages: none, trace: off}"),
			"of every round (rounds.count)"},
		"columns": {"sharing-sigmoid", []string{"rounds.count=100"}, "record.iterates=last"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := scenarios.LoadShipped(c.file+".yaml", c.sets...)
			if err != nil {
				t.Fatal(err)
			}
			e := New(s, "")
			a := assembled(t, e)
			foretold, _ := e.recorded(a)
			var said []string
			o := Options{Out: t.TempDir(), Workers: 1, Say: func(text string) { said = append(said, text) }}
			r, err := e.Run(t.Context(), 1, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Run(t.Context(), 2, o); err != nil {
				t.Fatal(err)
			}
			if len(said) != 1 || !strings.Contains(said[0], " on the disk; ") ||
				!strings.Contains(said[0], c.most) {
				t.Errorf("said %q", said)
			}
			files, err := filepath.Glob(filepath.Join(r.Dir, "*"))
			if err != nil {
				t.Fatal(err)
			}
			taken := 0.0
			for _, file := range files {
				if info, err := os.Stat(file); err == nil && filepath.Base(file) != "run.json" {
					taken += float64(info.Size())
				}
			}
			t.Logf("%.0f bytes, foretold %.0f", taken, foretold)
			if !(foretold >= 0.75*taken) || !(foretold <= 1.35*taken) {
				t.Errorf("files take %.0f bytes, not %.0f as foretold", taken, foretold)
			}
		})
	}
}

// What a disk has no room for is said before it is computed, however little it is.
func TestSayRecorded_WhereTheDiskHasLessRoom(t *testing.T) {
	s, err := scenarios.LoadShipped("quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e := New(s, "")
	a := assembled(t, e)
	takes, _ := e.recorded(a)
	var said []string
	say := func(text string) { said = append(said, text) }
	e.sayRecorded(a, takes, say)
	if said != nil {
		t.Errorf("said %q", said)
	}
	e.sayRecorded(a, 1000, say)
	if len(said) != 1 || !strings.Contains(said[0], " on the disk, which has room for 1 kB; most are ") {
		t.Errorf("said %q", said)
	}
}

// Without checkpoints one that was left takes no room while the run goes on.
func TestRun_RemovesACheckpointThatItDoesNotUse(t *testing.T) {
	s, err := scenarios.LoadShipped("quickstart.yaml", "rounds.count=3")
	if err != nil {
		t.Fatal(err)
	}
	e := New(s, "")
	d, err := e.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	left := d.CheckpointPath(1)
	if err := os.WriteFile(left, []byte("left"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = e.Run(t.Context(), 1, Options{Directory: d, Workers: 1,
		Extra: func(*Experiment, *Assembly, *record.Writer) error {
			if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it is there: %v", err)
			}
			return nil
		}})
	if err != nil {
		t.Error(err)
	}
}
