// A journal gives back what was kept, in the order of each track, whatever became of
// the end of its file, and nothing else.

package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func options() Options {
	return Options{Key: func() ([keyBytes]byte, error) { return [keyBytes]byte{1}, nil }, Every: time.Hour,
		Limit: 1 << 30}
}

func open(t *testing.T, path string, o Options) *Journal {
	t.Helper()
	j, discarded, err := Open(path, o)
	if err != nil || discarded != nil {
		t.Fatal(err, discarded)
	}
	return j
}

// result is what the k-th computation of a track gives, of a length that varies.
func result(track, k int) []float64 {
	v := make([]float64, (track*7+k*3)%11)
	for i := range v {
		v[i] = math.Sqrt(float64(track*10000 + k*100 + i))
	}
	return v
}

// compute does so many computations of each track and says how many it took from the
// journal, by track.
func compute(t *testing.T, j *Journal, tracks, count int) []int {
	t.Helper()
	taken := make([]int, tracks)
	for k := range count {
		for id := range tracks {
			track, in := j.Track(uint32(id)), SumOf(result(id, k), []float64{float64(k)})
			got, ok := track.Next(in)
			if !ok {
				track.Keep(in, result(id, k)[:len(result(id, k))/2], result(id, k)[len(result(id, k))/2:])
				continue
			}
			if taken[id]++; fmt.Sprint(got) != fmt.Sprint(result(id, k)) || taken[id] != k+1 {
				t.Fatalf("computation %d of track %d: %v, %d taken", k, id, got, taken[id])
			}
		}
	}
	return taken
}

func TestJournal_GivesBackWhatWasKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path, options())
	if taken := compute(t, j, 3, 20); fmt.Sprint(taken) != "[0 0 0]" {
		t.Errorf("taken from nothing: %v", taken)
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Fatal(err)
	}
	j = open(t, path, options())
	if taken := compute(t, j, 3, 50); fmt.Sprint(taken) != "[20 20 20]" || j.Old() != 60 || j.Left() != 0 {
		t.Errorf("taken %v of %d, and %d are left", taken, j.Old(), j.Left())
	}
	j.Close()
	j = open(t, path, options()) // what was added is there too
	if taken := compute(t, j, 3, 60); fmt.Sprint(taken) != "[50 50 50]" {
		t.Errorf("taken %v", taken)
	}
	if err := errors.Join(j.Remove(), j.Remove()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
}

// However a file was cut off or damaged, every track keeps a prefix, and what is
// added afterwards is found again.
func TestJournal_DamagedTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path, options())
	compute(t, j, 2, 6)
	j.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := 12
	for at := len(text) - 1; at >= 0; at-- {
		for _, flip := range []bool{false, true} {
			damaged := append([]byte{}, text[:at]...)
			if flip {
				damaged = append(append(damaged, text[at]^0x10), text[at+1:]...)
			}
			if err := os.WriteFile(path, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			j, discarded, err := Open(path, options())
			if err != nil || (discarded != nil) != (at < fileHeader) {
				t.Fatalf("byte %d of %d: %v, discarded %v", at, len(text), err, discarded)
			}
			old := j.Old()
			if old > last || old >= 12 || discarded != nil && old > 0 {
				t.Fatalf("damaged at byte %d of %d: %d results", at, len(text), old)
			}
			sum := 0
			for _, n := range compute(t, j, 2, 6) {
				sum += n
			}
			if sum != old {
				t.Fatalf("byte %d: took %d of %d", at, sum, old)
			}
			j.Close()
			if now, _ := os.ReadFile(path); string(now) != string(text) {
				t.Fatalf("byte %d: the journal is another when all is computed again", at)
			}
			last = old
		}
	}
}

func TestJournal_OfAnotherRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path, options())
	compute(t, j, 2, 5)
	j.Close()
	other := options()
	other.Key = func() ([keyBytes]byte, error) { return [keyBytes]byte{2}, nil }
	j, discarded, err := Open(path, other)
	if err != nil || discarded == nil || j.Old() != 0 {
		t.Fatalf("%v, %v, %d results", err, discarded, j.Old())
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	j.Close()
}

// A result that was made of something else ends the use of the journal.
func TestJournal_Misfit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path, options())
	compute(t, j, 2, 5)
	j.Close()
	var told error
	o := options()
	o.Misfit = func(err error) { told = err }
	j = open(t, path, o)
	if _, ok := j.Track(0).Next(SumOf([]float64{1})); ok || !errors.Is(told, ErrMisfit) ||
		!errors.Is(j.Misfit(), ErrMisfit) {
		t.Errorf("told %v, %v", told, j.Misfit())
	}
	if _, ok := j.Track(1).Next(SumOf(result(1, 0), []float64{0})); ok {
		t.Error("it gives results still")
	}
	j.Track(1).Keep(0, []float64{1})
	size := j.size
	j.Close()
	if info, err := os.Stat(path); err != nil || info.Size() != size {
		t.Errorf("the file has %v, %v", info, err)
	}
}

// Beyond its limit nothing more is kept, and the rest is a prefix still.
func TestJournal_Limit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	o := options()
	o.Limit = 1000
	j := open(t, path, o)
	compute(t, j, 3, 100)
	j.Track(0).Keep(0) // would fit
	j.Close()
	info, err := os.Stat(path)
	if err != nil || info.Size() > 1000 || info.Size() < 800 {
		t.Fatalf("%v, %v", info.Size(), err)
	}
	j = open(t, path, o)
	if taken := compute(t, j, 3, 100); taken[0] == 0 || taken[0]-taken[2] > 1 {
		t.Errorf("taken %v", taken)
	}
	j.Close()
}

// What cannot be written is no error of the program's until the end.
func TestJournal_CannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "journal")
	j := open(t, path, options())
	compute(t, j, 1, 3)
	j.flush(false)
	j.Track(0).Keep(0, []float64{1})
	if err := j.Close(); err == nil {
		t.Error("it was written, into no directory")
	}
}

// A checkpoint comes every so often, and as soon as there is much to write.
func TestJournal_Every(t *testing.T) {
	for name, c := range map[string]struct {
		every  time.Duration
		values int
	}{"often": {time.Millisecond, 1}, "much": {time.Hour, enough / 8}} {
		path := filepath.Join(t.TempDir(), "journal")
		o := options()
		o.Every = c.every
		j := open(t, path, o)
		j.Track(0).Keep(0, make([]float64, c.values))
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		for ctx.Err() == nil {
			if info, err := os.Stat(path); err == nil && info.Size() > int64(8*c.values) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if ctx.Err() != nil {
			t.Errorf("%s: nothing was written", name)
		}
		cancel()
		j.Remove()
	}
}

// What is computed seldom and little of is in the file soon, long before it is synchronised.
func TestJournal_Soon(t *testing.T) {
	defer func(before time.Duration) { soon = before }(soon)
	soon = time.Millisecond
	o := options()
	o.Every = time.Hour
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path, o)
	defer j.Close()
	compute(t, j, 1, 1)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > int64(fileHeader) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("nothing was written")
		}
	}
}

// Tracks may be used from several goroutines.
func TestJournal_Concurrently(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	for pass := range 3 {
		j := open(t, path, options())
		var all sync.WaitGroup
		for id := range 8 {
			all.Add(1)
			go func() {
				defer all.Done()
				track := j.Track(uint32(id))
				for k := range 200 * (pass + 1) {
					in := SumOf(result(id, k))
					if got, ok := track.Next(in); !ok {
						track.Keep(in, result(id, k))
					} else if fmt.Sprint(got) != fmt.Sprint(result(id, k)) {
						t.Errorf("track %d, computation %d: %v", id, k, got)
					}
				}
			}()
		}
		all.Wait()
		if j.Old() != 8*200*pass || j.Misfit() != nil {
			t.Errorf("pass %d: %d results, %v", pass, j.Old(), j.Misfit())
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A program that keeps nothing has no journal.
func TestJournal_None(t *testing.T) {
	var j *Journal
	track := j.Track(0)
	track.Keep(0, []float64{1})
	if _, ok := track.Next(0); ok || j.Old() != 0 || j.Misfit() != nil || j.Close() != nil || j.Remove() != nil {
		t.Error("a journal that is none has something")
	}
}

// A file that is full keeps the first results of every track, and none after one that had no room, however small.
func TestJournal_KeepsNothingAfterWhatHadNoRoom(t *testing.T) {
	o := Options{Key: func() ([keyBytes]byte, error) { return [keyBytes]byte{1}, nil }, Every: time.Hour, Limit: 300}
	path := filepath.Join(t.TempDir(), "journal")
	j, _, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	track := j.Track(0)
	track.Keep(1, []float64{1})
	track.Keep(2, make([]float64, 100))
	track.Keep(3, []float64{3})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, _, err = Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	if j.Old() != 1 {
		t.Errorf("%d results of three are kept", j.Old())
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
