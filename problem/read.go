// Readers of files: CSV, LIBSVM and the Rätsch text form, plain or gzip.

package problem

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"overhear/internal/memory"
)

// readFile opens a file, unpacks it if it is gzip, and hands it to a reader.
func readFile(path string, read func(name string, r io.Reader) (*Set, error)) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading data: %w", err)
	}
	defer f.Close()
	if err := memory.CheckFile(f); err != nil {
		return nil, err
	}
	r, err := unpacked(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, err := memory.ReadAll(path, r) // first, so that a damaged file is not taken for a bad row
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) {
		return nil, fmt.Errorf("%s: the gzip file is truncated or damaged: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return read(path, bytes.NewReader(text))
}

// unpacked looks at the first bytes, not at the name.
func unpacked(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("the gzip file is truncated or damaged: %w", err)
	}
	return z, nil
}

// lines calls f with every line that is not blank, its number from 1.
func lines(name string, r io.Reader, f func(number int, line string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<16), 1<<26)
	for n := 1; s.Scan(); n++ {
		if line := s.Text(); strings.TrimSpace(line) != "" {
			if err := f(n, line); err != nil {
				return err
			}
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}

// number reads a finite number; the error names the place.
func number(name string, line, column int, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s:%d:%d: %.40q is not a finite number", name, line, column, text)
	}
	return v, nil
}

func compareLabels(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// splitRow splits at a byte and trims blanks; offsets are columns from 1.
func splitRow(line string, separator byte, fields []string, offsets []int) ([]string, []int) {
	fields, offsets = fields[:0], offsets[:0]
	for from := 0; ; {
		to := strings.IndexByte(line[from:], separator)
		end := len(line)
		if to >= 0 {
			end = from + to
		}
		fields = append(fields, strings.Trim(line[from:end], " \t\r\""))
		offsets = append(offsets, from+1)
		if to < 0 {
			return fields, offsets
		}
		from = end + 1
	}
}

// table is a CSV file before its columns are made numbers.
type table struct {
	name    string
	columns []string
	rows    [][]string
	lines   []int // of the rows
	offsets [][]int
	dropped int
	known   [][]string // values of categorical columns that have indicators even if no row has them
}

// readCSV reads a table and expands its categorical columns in place.
func (s Source) readCSV(name string, r io.Reader) (*Set, error) {
	missing := s.Missing
	if missing == nil {
		missing = []string{"?", "NA"}
	}
	t := &table{name: name}
	width := 0
	err := lines(name, r, func(n int, line string) error {
		fields, offsets := splitRow(line, ',', nil, nil)
		if width == 0 {
			width = len(fields)
			if width < 2 {
				return fmt.Errorf("%s:%d: one column; a table needs a label and at least one more", name, n)
			}
			if s.hasHeader(fields) {
				t.columns = fields
				return nil
			}
		}
		if len(fields) != width {
			return fmt.Errorf("%s:%d: %d fields, but the first line has %d", name, n, len(fields), width)
		}
		t.add(n, fields, offsets, missing)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.columns == nil {
		for k := range width {
			t.columns = append(t.columns, fmt.Sprintf("column%d", k))
		}
	}
	label := width - 1
	if s.Label != "" {
		if label = slices.Index(t.columns, s.Label); label < 0 {
			k, err := strconv.Atoi(s.Label)
			if err != nil || k < 0 || k >= width {
				return nil, fmt.Errorf("%s: there is no column %q; there are %s", name, s.Label,
					strings.Join(t.columns, ", "))
			}
			label = k
		}
	}
	return t.set(label, s.Positive, nil)
}

// hasHeader guesses, unless told: a header has no numbers.
func (s Source) hasHeader(fields []string) bool {
	if s.Header != nil {
		return *s.Header
	}
	for _, f := range fields {
		if _, err := strconv.ParseFloat(f, 64); err == nil {
			return false
		}
	}
	return true
}

// add keeps a row unless a value is missing.
func (t *table) add(line int, fields []string, offsets []int, missing []string) {
	for _, f := range fields {
		if f == "" || slices.Contains(missing, f) {
			t.dropped++
			return
		}
	}
	t.rows = append(t.rows, fields)
	t.lines = append(t.lines, line)
	t.offsets = append(t.offsets, offsets)
}

// set makes numbers of the columns: a categorical one becomes an indicator for
// each value that occurs, in order of name. categorical says which are; nil
// finds out: a column is numeric if its first value is a number.
func (t *table) set(label int, positive string, categorical []bool) (*Set, error) {
	if len(t.rows) == 0 {
		return nil, fmt.Errorf("%s: there are no rows without missing values", t.name)
	}
	if categorical == nil {
		categorical = make([]bool, len(t.columns))
		for k := range categorical {
			_, err := strconv.ParseFloat(t.rows[0][k], 64)
			categorical[k] = err != nil
		}
	}
	first := make([]int, len(t.columns)) // first column of the expansion
	values := make([]map[string]int, len(t.columns))
	b := newBuilder(0)
	for k, name := range t.columns {
		first[k] = len(b.set.Columns)
		if k == label {
			continue
		}
		if !categorical[k] {
			b.set.Columns = append(b.set.Columns, name)
			continue
		}
		values[k] = map[string]int{}
		if t.known != nil {
			for _, v := range t.known[k] {
				values[k][v] = 0
			}
		}
		for _, row := range t.rows {
			values[k][row[k]] = 0
		}
		var names []string
		for v := range values[k] {
			names = append(names, v)
		}
		slices.Sort(names)
		for i, v := range names {
			values[k][v] = i
			b.set.Columns = append(b.set.Columns, name+"="+v)
		}
	}
	b.set.X.D = len(b.set.Columns)
	for i, row := range t.rows {
		for k, text := range row {
			switch {
			case k == label:
			case categorical[k]:
				b.put(first[k]+values[k][text], 1)
			default:
				v, err := number(t.name, t.lines[i], t.offsets[i][k], text)
				if err != nil {
					return nil, fmt.Errorf("%w (column %s)", err, t.columns[k])
				}
				b.put(first[k], v)
			}
		}
		b.end(row[label])
	}
	b.set.Dropped = t.dropped
	return b.finish(t.name, positive)
}

// readLIBSVM reads lines `label index:value …` with ascending indices from 1.
func (s Source) readLIBSVM(name string, r io.Reader) (*Set, error) {
	b := newBuilder(s.Dimension)
	var fields []string
	err := lines(name, r, func(n int, line string) error {
		fields = append(fields[:0], strings.Fields(line)...)
		last := 0
		for _, f := range fields[1:] {
			column := strings.Index(line, f) + 1
			index, value, ok := strings.Cut(f, ":")
			i, err := strconv.Atoi(index)
			if !ok || err != nil || i <= last {
				return fmt.Errorf("%s:%d:%d: %.40q must be index:value with indices from 1, ascending", name, n, column,
					f)
			}
			if s.Dimension > 0 && i > s.Dimension {
				return fmt.Errorf("%s:%d:%d: index %d is beyond the dimension %d", name, n, column, i, s.Dimension)
			}
			if i > math.MaxInt32 {
				return fmt.Errorf("%s:%d:%d: index %d is too large", name, n, column, i)
			}
			v, err := number(name, n, column, value)
			if err != nil {
				return err
			}
			b.put(i-1, v)
			last = i
		}
		b.set.X.D = max(b.set.X.D, last)
		if _, err := number(name, n, 1, fields[0]); err != nil {
			return fmt.Errorf("%w (the label)", err)
		}
		b.end(strings.TrimPrefix(fields[0], "+"))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return named(b, name, s.Positive)
}

// readRaetsch reads lines `label value value …`, separated by blanks.
func (s Source) readRaetsch(name string, r io.Reader) (*Set, error) {
	b := newBuilder(0)
	err := lines(name, r, func(n int, line string) error {
		fields := strings.Fields(line)
		d := len(fields) - 1
		if b.set.X.Len() == 0 {
			b.set.X.D = d
		}
		if d != b.set.X.D || d == 0 {
			return fmt.Errorf("%s:%d: a label and %d values, but the first line has %d", name, n, d, b.set.X.D)
		}
		for k, f := range fields {
			v, err := number(name, n, strings.Index(line, f)+1, f)
			if err != nil {
				return err
			}
			if k > 0 {
				b.put(k-1, v)
			}
		}
		b.end(strings.TrimPrefix(fields[0], "+"))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return named(b, name, s.Positive)
}

// named finishes a set whose columns have no names.
func named(b *builder, name, positive string) (*Set, error) {
	if len(b.labels) > 0 && b.set.X.D == 0 {
		return nil, fmt.Errorf("%s: the rows have no columns", name)
	}
	const perColumn = 200 // its name, and vectors of as many numbers
	what := fmt.Sprintf("%s with %d columns", name, b.set.X.D)
	if err := memory.Check(what, perColumn*float64(b.set.X.D)); err != nil {
		return nil, err
	}
	for k := range b.set.X.D {
		b.set.Columns = append(b.set.Columns, fmt.Sprintf("x%d", k+1))
	}
	return b.finish(name, positive)
}
