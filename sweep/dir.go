// A sweep's directory: plan.json, the journal, the tables, and the lock.

package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"overhear/internal/files"
)

// Files of a sweep's directory.
const (
	planFile     = "plan.json"
	journalFile  = "journal"
	parquetFile  = "results.parquet"
	csvFile      = "results.csv"
	failuresFile = "failures.csv"
)

// Dir is an open directory of a sweep.
type Dir struct {
	Path    string
	Plan    *Plan
	Journal *Journal
	unlock  func()
}

// OpenDir opens the directory of a plan for writing, or makes it. It refuses
// one of another plan, and one that another process writes.
func OpenDir(path string, p *Plan) (*Dir, error) {
	unlock, err := files.Lock(path, 0)
	if err != nil {
		return nil, fmt.Errorf("preparing to write results: %w", err)
	}
	d := &Dir{Path: path, Plan: p, unlock: unlock}
	if err := d.open(); err != nil {
		unlock()
		return nil, files.Full(err, "make room and make the sweep again")
	}
	return d, nil
}

func (d *Dir) open() error {
	path := filepath.Join(d.Path, planFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = files.WriteBytes(path, d.Plan.JSON())
	case err == nil:
		var there *Plan
		if there, err = decodePlan(text); err == nil {
			if different := there.Differences(d.Plan); different != "" {
				return fmt.Errorf("%s holds another sweep (%s); %s; choose another --out, or delete the directory to "+
					"begin anew", d.Path, different, there.resumption(d.Plan))
			}
		}
	}
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	d.Journal, err = openJournal(filepath.Join(d.Path, journalFile), d.Plan)
	return err
}

// ReadDir opens a sweep's directory for reading; another process may be writing
// it.
func ReadDir(path string) (*Dir, error) {
	text, err := os.ReadFile(filepath.Join(path, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no directory of a sweep: it has no %s", path, planFile)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a sweep: %w", err)
	}
	p, err := decodePlan(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(path, planFile), err)
	}
	j, err := readJournal(filepath.Join(path, journalFile), p)
	if err != nil {
		return nil, err
	}
	return &Dir{Path: path, Plan: p, Journal: j}, nil
}

// Close closes the journal and unlocks the directory.
func (d *Dir) Close() error {
	err := d.Journal.Close()
	if d.unlock != nil {
		d.unlock()
	}
	return err
}
