// Verifying: whether a sweep's tables are those of its journal, and a sample of its runs repeats.

package sweep

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"overhear/experiment"
	"overhear/internal/files"
)

// Is says whether a directory is that of a sweep.
func Is(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, planFile))
	return err == nil && info.Mode().IsRegular()
}

// sample is how many runs Verify computes again.
const sample = 5

// Verified is what Verify found the same.
type Verified struct {
	Rows, Stored int    // of the table, and of the journal
	Repeated     int    // runs
	Tuning       bool   // what they lose was computed again, and is what tuning.json has
	Origin       string // in what this program is not the sweep's; empty: in nothing
}

// Verify compares the tables of a sweep with its journal, and tuning.json with what its runs lose, and repeats a sample
// of the journal's runs, evenly spread. Errors that say what differs wrap experiment.ErrMismatch. progress is told of
// every run that was repeated.
func Verify(ctx context.Context, dir, data string, workers int, progress func(done int)) (*Verified, error) {
	d, err := ReadDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	out := &Verified{}
	if out.Rows, err = d.checkTables(); err != nil {
		return nil, err
	}
	if now := experiment.Program(); d.Plan.Program != now {
		out.Origin = fmt.Sprintf("the program was %s, is %s", d.Plan.Program, now)
	}
	for _, path := range slices.Sorted(maps.Keys(d.Plan.Files)) {
		sum, err := files.Hash(path)
		if err != nil {
			return nil, fmt.Errorf("repeating runs of %s: %w", dir, err)
		}
		if was := d.Plan.Files[path]; sum != was {
			return nil, fmt.Errorf("%w: %s has changed since the sweep: its SHA-256 was %.12s…, is %.12s…",
				experiment.ErrMismatch, path, was, sum)
		}
	}
	if out.Tuning, err = d.checkTuning(ctx, data); err != nil {
		return nil, err
	}
	var stored []int
	for index := range d.Plan.Len() {
		if s := d.Journal.State(index); s != Open {
			stored = append(stored, index)
		}
	}
	out.Stored = len(stored)
	runner := NewRunner(d.Plan, data)
	n := min(sample, len(stored))
	for k := range n {
		index := stored[k*(len(stored)-1)/max(n-1, 1)]
		again, err := runner.Run(ctx, index, workers)
		if err != nil {
			return nil, err
		}
		was, err := d.Journal.read(index, nil)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(was, again) {
			return nil, fmt.Errorf("%w: run %d of %s comes to another result than the journal has; alone it is "+
				"repeated by: %s", experiment.ErrMismatch, index, dir, d.Plan.Replay(index))
		}
		out.Repeated++
		progress(out.Repeated)
	}
	return out, nil
}

// checkTables is an error that wraps experiment.ErrMismatch if a table is not that of the journal. rows are those of
// results.csv, without the header.
func (d *Dir) checkTables() (rows int, err error) {
	results, columnar := d.against(csvFile), d.against(parquetFile)
	defer results.close()
	defer columnar.close()
	if err := tabulate(d.Plan, d.Journal, results, columnar, io.Discard, nil); err != nil {
		return 0, err
	}
	return results.line - 1, errors.Join(results.verdict("line"), columnar.verdict(""))
}

// checkTable is checkTables of results.csv alone.
func (d *Dir) checkTable() error {
	results := d.against(csvFile)
	defer results.close()
	if err := tabulate(d.Plan, d.Journal, results, io.Discard, io.Discard, nil); err != nil {
		return err
	}
	return results.verdict("line")
}

// comparison is a writer that compares what is written with what a file has.
type comparison struct {
	path    string
	file    *os.File
	r       *bufio.Reader
	line    int // lines that were the same, and, where they are not, the one that is another
	differs bool
	err     error
	scratch []byte
}

func (d *Dir) against(name string) *comparison {
	c := &comparison{path: filepath.Join(d.Path, name)}
	c.file, c.err = os.Open(c.path)
	c.r = bufio.NewReader(c.file)
	return c
}

func (c *comparison) close() {
	if c.file != nil {
		c.file.Close()
	}
}

// Write compares, and never fails.
func (c *comparison) Write(want []byte) (int, error) {
	if c.err != nil || c.differs {
		return len(want), nil
	}
	c.scratch = slices.Grow(c.scratch[:0], len(want))[:len(want)]
	n, err := io.ReadFull(c.r, c.scratch)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		c.err = err
		return len(want), nil
	}
	same := 0
	for same < n && c.scratch[same] == want[same] {
		same++
	}
	c.line += bytes.Count(want[:same], []byte("\n"))
	if same < len(want) {
		c.differs = true
		c.line++
	}
	return len(want), nil
}

// verdict is after the last write; unit is what a place in the file is called, if it is told.
func (c *comparison) verdict(unit string) error {
	if c.err == nil && !c.differs {
		switch _, err := c.r.ReadByte(); {
		case err == nil:
			c.differs = true
			c.line++
		case !errors.Is(err, io.EOF):
			c.err = err
		}
	}
	const again = "the command of the sweep writes it anew"
	switch {
	case errors.Is(c.err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s is not there; %s", experiment.ErrMismatch, c.path, again)
	case c.err != nil:
		return fmt.Errorf("reading a sweep's table: %w", c.err)
	case c.differs && unit != "":
		return fmt.Errorf("%w: %s is not the table of the sweep's journal, from %s %d on; %s", experiment.ErrMismatch,
			c.path, unit, c.line, again)
	case c.differs:
		return fmt.Errorf("%w: %s is not the table of the sweep's journal; %s", experiment.ErrMismatch, c.path, again)
	}
	return nil
}
