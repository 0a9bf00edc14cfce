// A program that goes on from another takes that one's results until it parts from it, and no later ones, and leaves
// its file as it is.

package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// left is the journal of a program of so many computations of each of three tracks.
func left(t *testing.T, count int) *Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "source")
	j := open(t, path, options())
	compute(t, j, 3, count)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return &Source{Path: path, Key: [keyBytes]byte{1}}
}

// another is the journal of a program that goes on from that.
func another(t *testing.T, path string, from *Source) *Journal {
	t.Helper()
	o := options()
	o.Key, o.From = func() ([keyBytes]byte, error) { return [keyBytes]byte{2}, nil }, from
	return open(t, path, o)
}

// differently does count computations of each track, from a number on, that no other program did.
func differently(t *testing.T, j *Journal, from, count int) (taken int) {
	t.Helper()
	for k := from; k < from+count; k++ {
		for id := range 3 {
			track, in := j.Track(uint32(id)), SumOf([]float64{-1, float64(k)})
			if v, ok := track.Next(in); !ok {
				track.Keep(in, []float64{float64(-k)})
			} else if taken++; len(v) != 1 || v[0] != float64(-k) {
				t.Fatalf("computation %d of track %d is %v", k, id, v)
			}
		}
	}
	return taken
}

func TestSource_IsTakenFromUntilTheProgramPartsFromIt(t *testing.T) {
	from := left(t, 20)
	before, err := os.ReadFile(from.Path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "journal")
	j := another(t, path, from)
	if taken := compute(t, j, 3, 12); fmt.Sprint(taken) != "[12 12 12]" || j.Taken() != 36 || j.Unused() != nil {
		t.Errorf("taken %v, %d in all, unused: %v", taken, j.Taken(), j.Unused())
	}
	j.Part()
	if taken := differently(t, j, 12, 30); taken != 0 || j.Misfit() != nil {
		t.Errorf("%d results taken of what no program did: %v", taken, j.Misfit())
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(from.Path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the source is not as it was: %v", err)
	}
	// What it left is of all that it did, so that another goes on from it in turn.
	j = another(t, filepath.Join(t.TempDir(), "again"), &Source{Path: path, Key: [keyBytes]byte{2}})
	defer j.Close()
	if taken := compute(t, j, 3, 12); fmt.Sprint(taken) != "[12 12 12]" {
		t.Errorf("taken %v of what was taken", taken)
	}
	if taken := differently(t, j, 12, 30); taken != 90 {
		t.Errorf("%d results taken of what was computed", taken)
	}
}

// A program that does not part misfits, and is not given what another computed of something else.
func TestSource_DoesNotFitWithoutParting(t *testing.T) {
	j := another(t, filepath.Join(t.TempDir(), "journal"), left(t, 20))
	defer j.Close()
	compute(t, j, 3, 12)
	if taken := differently(t, j, 12, 1); taken != 0 || !errors.Is(j.Misfit(), ErrMisfit) {
		t.Errorf("%d results taken, misfit: %v", taken, j.Misfit())
	}
}

// A program that was stopped has a part of the source's results in its own file already.
func TestSource_GoesOnAfterItsOwn(t *testing.T) {
	from, path := left(t, 20), filepath.Join(t.TempDir(), "journal")
	j := another(t, path, from)
	compute(t, j, 2, 5)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = another(t, path, from)
	defer j.Close()
	if taken := compute(t, j, 3, 20); fmt.Sprint(taken) != "[20 20 20]" || j.Old() != 10 || j.Taken() != 50 {
		t.Errorf("taken %v, of them %d its own and %d the source's", taken, j.Old(), j.Taken())
	}
}

func TestSource_Damaged(t *testing.T) {
	from := left(t, 20)
	text, err := os.ReadFile(from.Path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(from.Path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	j := another(t, filepath.Join(t.TempDir(), "journal"), from)
	defer j.Close()
	taken := compute(t, j, 3, 30)
	if n := taken[0] + taken[1] + taken[2]; n < 20 || n > 40 || n != j.Taken() || j.Misfit() != nil {
		t.Errorf("taken %v, %d in all: %v", taken, j.Taken(), j.Misfit())
	}
	if now, err := os.ReadFile(from.Path); err != nil || !bytes.Equal(now, text) {
		t.Errorf("the source is not as it was: %v", err)
	}
}

func TestSource_OfNoUse(t *testing.T) {
	from := left(t, 5)
	from.Key[7] = 9
	j := another(t, filepath.Join(t.TempDir(), "journal"), from)
	defer j.Close()
	if taken := compute(t, j, 3, 5); fmt.Sprint(taken) != "[0 0 0]" || j.Unused() == nil {
		t.Errorf("taken %v of another program, unused: %v", taken, j.Unused())
	}
	if _, err := os.Stat(from.Path); err != nil {
		t.Errorf("another program's file: %v", err)
	}
	k := another(t, filepath.Join(t.TempDir(), "journal"), &Source{Path: from.Path + "-not"})
	defer k.Close()
	if !errors.Is(k.Unused(), os.ErrNotExist) {
		t.Errorf("a source that is not there: %v", k.Unused())
	}
}

// A program may take results and keep none.
func TestSource_NothingKept(t *testing.T) {
	o, path := options(), filepath.Join(t.TempDir(), "journal")
	o.From, o.Every = left(t, 5), 0
	j := open(t, path, o)
	if taken := compute(t, j, 3, 9); fmt.Sprint(taken) != "[5 5 5]" {
		t.Errorf("taken %v", taken)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file of what was not to be kept: %v", err)
	}
}
