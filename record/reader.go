// Reading run directories.

package record

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"overhear/internal/files"
	"overhear/sim"
)

// Run is a finished run. Whatever is read of its files is checked against the
// SHA-256 that run.json has of them.
type Run struct {
	Dir  string
	Info *Info

	mu      sync.Mutex
	checked map[string]*files.Sum // of files that are as the run wrote them
}

// Open opens a run directory.
func Open(dir string) (*Run, error) {
	return open(dir, false)
}

// OpenStated opens a run's directory whether or not run.json is as it was written: what it states is to be verified.
func OpenStated(dir string) (*Run, error) { return open(dir, true) }

func open(dir string, stated bool) (*Run, error) {
	info, err := readInfo(dir, stated)
	if err != nil {
		return nil, err
	}
	return &Run{Dir: dir, Info: info}, nil
}

// open opens a file of the run and checks that it is as the run wrote it. The
// error wraps fs.ErrNotExist if the directory has no such file.
func (r *Run) open(name string) (*os.File, error) {
	path := filepath.Join(r.Dir, name)
	want, written := r.Info.Files[name]
	f, err := os.Open(path)
	if err != nil {
		if written && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is missing, although run.json has its hash: %w", path, err)
		}
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.checked[name] != nil {
		return f, nil
	}
	sum, err := files.SumOf(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("reading %s: %w", path, err)
	case !written:
		err = fmt.Errorf("%s is not of this run: run.json has no hash of it", path)
	case sum.Hex != want:
		err = fmt.Errorf("%s is damaged or was changed: it is not as the run wrote it (SHA-256 %.12s…, run.json says "+
			"%.12s…)", path, sum.Hex, want)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if r.checked == nil {
		r.checked = map[string]*files.Sum{}
	}
	r.checked[name] = sum
	return f, nil
}

// sum is that of a file that was opened.
func (r *Run) sum(name string) *files.Sum {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.checked[name]
}

// ReadFile returns the contents of a file of the run, checked against its hash.
// The error wraps fs.ErrNotExist if the directory has no such file.
func (r *Run) ReadFile(name string) ([]byte, error) { return r.readFile(name, 0) }

// readFile is ReadFile, with room behind the contents for a share of their size, one in so many; 0: none.
func (r *Run) readFile(name string, share int64) ([]byte, error) {
	f, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size() + bytes.MinRead
	if share > 0 {
		size += size / share
	}
	b := bytes.NewBuffer(make([]byte, 0, size)) // at once: traces have megabytes
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// CheckFiles returns an error that names the files that are missing or not as
// they were written.
func (r *Run) CheckFiles() error {
	now, err := hashFiles(r.Dir, nil)
	if err != nil {
		return fmt.Errorf("checking %s: %w", r.Dir, err)
	}
	var names []string
	for name := range r.Info.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	var problems []error
	for _, name := range names {
		switch sum, ok := now[name]; {
		case !ok:
			problems = append(problems, fmt.Errorf("%s is missing", filepath.Join(r.Dir, name)))
		case sum != r.Info.Files[name]:
			problems = append(problems, fmt.Errorf("%s is not as the run wrote it", filepath.Join(r.Dir, name)))
		}
	}
	return errors.Join(problems...)
}

// Table is metrics.csv: values by row and column, NaN where empty.
type Table struct {
	Columns []string
	Rows    [][]float64
}

// Column returns the values of a column, nil if there is none of that name.
func (t *Table) Column(name string) []float64 {
	k := slices.Index(t.Columns, name)
	if k < 0 {
		return nil
	}
	values := make([]float64, len(t.Rows))
	for i, row := range t.Rows {
		values[i] = row[k]
	}
	return values
}

// Metrics reads metrics.csv.
func (r *Run) Metrics() (*Table, error) {
	path := filepath.Join(r.Dir, "metrics.csv")
	f, err := r.open("metrics.csv")
	if err != nil {
		return nil, fmt.Errorf("reading metrics: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f) // of a table whose fields are numbers without quotes: half of a CSV reader's time
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		return nil, fmt.Errorf("%s is damaged: %w", path, errors.Join(lines.Err(), io.ErrUnexpectedEOF))
	}
	columns, err := csv.NewReader(bytes.NewReader(lines.Bytes())).Read()
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, errors.Join(err, io.ErrUnexpectedEOF))
	}
	t := &Table{Columns: columns}
	width := len(t.Columns)
	const many = 256 // rows that are made at once
	var rows []float64
	for lines.Scan() {
		if len(rows) == 0 {
			rows = make([]float64, many*width)
		}
		row, rest := rows[:width:width], lines.Bytes()
		rows = rows[width:]
		if n := bytes.Count(rest, []byte(",")) + 1; n != width {
			return nil, fmt.Errorf("%s is damaged: line %d has %d fields in place of %d", path, len(t.Rows)+2, n, width)
		}
		for k := range row {
			var text []byte
			text, rest, _ = bytes.Cut(rest, []byte(","))
			if row[k] = math.NaN(); len(text) == 0 {
				continue
			}
			if row[k], err = strconv.ParseFloat(string(text), 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %q is not a number", path, len(t.Rows)+2, text)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return t, nil
}

// Iterates calls f with every recorded iterate, in the order of publication.
func (r *Run) Iterates(f func(Iterate) error) error { return rows(r, iteratesFile, f) }

// Reports calls f with what every user reported; there need be none. Node
// is the user's, values are the columns and the label.
func (r *Run) Reports(f func(Iterate) error) error {
	if _, ok := r.Info.Files[reportsFile]; !ok {
		return nil
	}
	return rows(r, reportsFile, f)
}

// Messages calls f with every recorded packet, in the order of sending.
func (r *Run) Messages(f func(Message) error) error { return rows(r, messagesFile, f) }

// ErrNotRecorded is returned for a table the scenario did not ask to record.
var ErrNotRecorded = errors.New("was not recorded by this run")

// keeps are the settings by which a table is recorded.
var keeps = map[string]string{iteratesFile: "record.iterates=all", messagesFile: "record.messages=all",
	stepsFile: "record.messages=all"}

func rows[T any](r *Run, name string, f func(T) error) (err error) {
	path := filepath.Join(r.Dir, name)
	file, err := r.open(name)
	if errors.Is(err, fs.ErrNotExist) && r.Info.Files[name] == "" {
		if set := keeps[name]; set != "" {
			return fmt.Errorf("%s %w; run with --set %s, under another --out, to have it", path, ErrNotRecorded, set)
		}
		return fmt.Errorf("%s %w", path, ErrNotRecorded)
	}
	if err != nil {
		return fmt.Errorf("reading a table: %w", err)
	}
	defer file.Close()
	defer func() { // the library panics on some damaged files
		if p := recover(); p != nil {
			err = fmt.Errorf("%s is damaged: %v", path, p)
		}
	}()
	size, err := file.Stat()
	if err != nil {
		return err
	}
	reader, err := newRowReader[T](file, size.Size())
	if err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	defer reader.Close()
	for {
		batch := make([]T, 1024) // fresh: f may keep what it is given
		n, err := reader.Read(batch)
		for _, row := range batch[:n] {
			if err := f(row); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s is damaged: %w", path, err)
		}
	}
}

// Trace reads trace.bin; nil if the run kept none.
func (r *Run) Trace() (*sim.Trace, error) {
	path := filepath.Join(r.Dir, "trace.bin")
	b, err := r.readFile("trace.bin", 8) // as a run that goes on from this one may have more events
	if errors.Is(err, fs.ErrNotExist) && r.Info.Files["trace.bin"] == "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}
	t, err := decodeTrace(b)
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return t, nil
}
