// The directory of a scenario's runs.

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overhear/internal/files"
)

// Directory is the directory of the runs of one scenario, OUT/NAME, with one
// directory a seed. While it is open, no other process writes it.
type Directory struct {
	Path   string
	unlock func()
}

// OpenDirectory locks a directory of runs, which is made if it is not there, and
// ends what a process left half done that was killed while it replaced a run.
func OpenDirectory(path string) (*Directory, error) {
	unlock, err := files.Lock(path, 0)
	if err != nil {
		return nil, fmt.Errorf("preparing to write results: %w", err)
	}
	d := &Directory{path, unlock}
	if err := d.recover(); err != nil {
		unlock()
		return nil, fmt.Errorf("preparing to write results: %w", err)
	}
	return d, nil
}

// Close unlocks the directory.
func (d *Directory) Close() { d.unlock() }

// Seed is the directory of a seed's run.
func (d *Directory) Seed(seed uint64) string {
	return filepath.Join(d.Path, strconv.FormatUint(seed, 10))
}

// Runs are the finished runs in the directory, in order of seed. What cannot be
// read is not among them.
func (d *Directory) Runs() ([]*Run, error) {
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", d.Path, err)
	}
	var seeds []uint64
	for _, e := range entries {
		if seed, err := strconv.ParseUint(e.Name(), 10, 64); err == nil && filepath.Base(d.Seed(seed)) == e.Name() {
			seeds = append(seeds, seed)
		}
	}
	slices.Sort(seeds)
	var runs []*Run
	for _, seed := range seeds {
		if r, err := Open(d.Seed(seed)); err == nil && r.Info.Seed == seed {
			runs = append(runs, r)
		}
	}
	return runs, nil
}

const replacedEnding = ".replaced"

// oldEnding is of a file whose place a new run's has, or that is not of the new run.
const oldEnding = ".old"

// OldAttacksFile has what attacks found before: on a run whose place another run took, or in findings that were
// replaced by those of other settings or data.
const OldAttacksFile = AttacksFile + oldEnding

// replaced is where a run is moved that gives way to another.
func replaced(place string) string {
	return filepath.Join(filepath.Dir(place), "."+filepath.Base(place)+replacedEnding)
}

// recover ends replacements that were begun: before the new run had the place, the
// old one gets it back.
func (d *Directory) recover() error {
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		base, hidden := strings.CutPrefix(strings.TrimSuffix(e.Name(), replacedEnding), ".")
		if !hidden || !strings.HasSuffix(e.Name(), replacedEnding) {
			continue
		}
		old, place := filepath.Join(d.Path, e.Name()), filepath.Join(d.Path, base)
		info, err := readInfo(place, true)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = files.Move(old, place)
		case err == nil:
			err = giveWay(old, place, info.Digest)
		}
		if err != nil {
			return fmt.Errorf("ending the replacement of %s: %w", place, err)
		}
	}
	return nil
}

// giveWay removes what the program wrote of the run in old and moves everything
// else to the run that took its place. What attacks found stays where the new run
// is the same, event for event, and else is kept under another name.
func giveWay(old, place, digest string) error {
	attacks, _ := ReadAttacks(old) // damaged findings are of no use to anybody
	same := attacks != nil && digest != "" && attacks.Digest == digest
	var directories []string
	err := filepath.WalkDir(old, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(old, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case e.IsDir():
			directories = append(directories, path)
			return nil
		case name != AttacksFile && ours(name):
			return os.Remove(path)
		}
		to := filepath.Join(place, filepath.FromSlash(name))
		if name == AttacksFile && !same {
			to += oldEnding
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		for err = files.Move(path, to); errors.Is(err, fs.ErrExist); err = files.Move(path, to) {
			to += oldEnding // the new run has a file of that name
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Reverse(directories) // what is in a directory goes before it
	for _, path := range directories {
		if err := os.Remove(path); err != nil { // never with anything in it
			return err
		}
	}
	return nil
}

// ours says whether the program writes a file of this name, with slashes, into a
// run's directory.
func ours(name string) bool {
	figure, isFigure := strings.CutPrefix(name, "plots/")
	if isFigure && figure != StyleFile {
		curve, _, _ := strings.Cut(figure, ".")
		return slices.Contains(Figures, curve)
	}
	return isFigure || name == infoFile || name == AttacksFile || name == files.LockFile ||
		slices.Contains(hashed, name) ||
		strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".partial") // of a killed process
}

// StyleFile, beside figures, says how the user wanted them.
const StyleFile = "style.json"

// Figures are the names of a run's figures, without their endings.
var Figures = []string{"loss-round", "loss-time_s", "distance-round", "distance-time_s"}
