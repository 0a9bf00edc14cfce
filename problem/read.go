// Readers of files: CSV, LIBSVM and the Rätsch text form, plain or gzip.

package problem

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode"

	"overhear/internal/memory"
)

// readFile reads a file whole, and unpacks it if it is gzip. More than memory allows is an error, so that neither an
// endless file nor a small one that unpacks into a huge one fills it; each is how many bytes of memory a byte of the
// text takes at most.
func readFile(path string, each float64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading data: %w", err)
	}
	defer f.Close()
	size, err := memory.CheckFile(f, each)
	if err != nil {
		return nil, err
	}
	r, packed, err := unpacked(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if packed {
		size = 0
	}
	text, err := memory.ReadAll(path, r, size) // first, so that a damaged file is not taken for a bad row
	if packed && errors.Is(err, memory.ErrBeyond) && readsAgain(f) {
		return readPacked(f, each)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) {
		return nil, fmt.Errorf("%s: the gzip file is truncated or damaged: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return text, nil
}

// readsAgain says whether a file can be read from its beginning again.
func readsAgain(f *os.File) bool {
	_, err := f.Seek(0, io.SeekStart)
	return err == nil
}

// readPacked is readFile of a text that may be too large: its size is found out first.
func readPacked(f *os.File, each float64) ([]byte, error) {
	r, _, err := unpacked(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	size, err := io.Copy(io.Discard, r)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name(), err)
	}
	what := fmt.Sprintf("%s, of %s unpacked,", f.Name(), memory.Text(float64(size)))
	if err := memory.Check(what, each*float64(size)); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name(), err)
	}
	if r, _, err = unpacked(f); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return memory.ReadAll(f.Name(), r, size)
}

// unpacked looks at the first bytes, not at the name.
func unpacked(r io.Reader) (_ io.Reader, packed bool, _ error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, false, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, false, fmt.Errorf("the gzip file is truncated or damaged: %w", err)
	}
	return z, true, nil
}

// lines calls f with every line that is not blank, its number from 1, until that is to stop.
func lines(ctx context.Context, name string, r io.Reader, f func(number int, line string) error) error {
	const often = 64
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<16), 1<<26)
	for n := 1; s.Scan(); n++ {
		if n%often == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
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

// number reads a finite number.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%.40q is not a finite number", text)
	}
	if isTiny(text, v) {
		return 0, fmt.Errorf("%.40q is too small for a floating-point number; write 0", text)
	}
	return v, nil
}

// placeOf is where a field of a line begins, from 1, as [strings.Fields] counts fields.
func placeOf(line string, field int) int {
	rest := line
	for range field {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		rest = rest[max(strings.IndexFunc(rest, unicode.IsSpace), 0):]
	}
	return len(line) - len(strings.TrimLeftFunc(rest, unicode.IsSpace)) + 1
}

func compareLabels(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// readLIBSVM reads lines `label index:value …` with ascending indices from 1.
func (s Source) readLIBSVM(ctx context.Context, name string, text []byte) (*Set, *Reading, error) {
	b := s.newBuilder(s.Dimension)
	if err := s.eachLIBSVM(ctx, name, bytes.NewReader(text), b); err != nil {
		return nil, nil, err
	}
	return named(b, name, "LIBSVM", s.Positive)
}

func (s Source) eachLIBSVM(ctx context.Context, name string, text io.Reader, b *builder) error {
	var fields []string
	return lines(ctx, name, text, func(n int, line string) error {
		fields = append(fields[:0], strings.Fields(line)...)
		last := 0
		for k, f := range fields[1:] {
			index, value, ok := strings.Cut(f, ":")
			i, err := strconv.Atoi(index)
			if !ok || err != nil || i <= last {
				return fmt.Errorf("%s:%d:%d: %.40q must be index:value with indices from 1, ascending", name, n,
					placeOf(line, k+1), f)
			}
			if s.Dimension > 0 && i > s.Dimension {
				return fmt.Errorf("%s:%d:%d: index %d is beyond the dimension %d", name, n, placeOf(line, k+1), i,
					s.Dimension)
			}
			if i > math.MaxInt32 {
				return fmt.Errorf("%s:%d:%d: index %d is too large", name, n, placeOf(line, k+1), i)
			}
			v, err := number(value)
			if err != nil {
				return fmt.Errorf("%s:%d:%d: %w", name, n, placeOf(line, k+1), err)
			}
			b.put(i-1, v)
			last = i
		}
		b.set.X.D = max(b.set.X.D, last)
		x, err := number(fields[0])
		switch {
		case err != nil && b.targets:
			return fmt.Errorf("%s:%d:%d: %w (the target)", name, n, placeOf(line, 0), err)
		case err != nil:
			return fmt.Errorf("%s:%d:%d: %w (the label)", name, n, placeOf(line, 0), err)
		case b.targets:
			return b.predict(x)
		}
		return b.end(strings.TrimPrefix(fields[0], "+"))
	})
}

// readRaetsch reads lines `label value value …`, separated by blanks.
func (s Source) readRaetsch(ctx context.Context, name string, text []byte) (*Set, *Reading, error) {
	b := s.newBuilder(0)
	if err := s.eachRaetsch(ctx, name, bytes.NewReader(text), b); err != nil {
		return nil, nil, err
	}
	return named(b, name, "rows of a label and values", s.Positive)
}

func (s Source) eachRaetsch(ctx context.Context, name string, text io.Reader, b *builder) error {
	first := true
	return lines(ctx, name, text, func(n int, line string) error {
		fields := strings.Fields(line)
		d := len(fields) - 1
		if first {
			b.set.X.D, first = d, false
		}
		if d != b.set.X.D || d == 0 {
			return fmt.Errorf("%s:%d: a label and %d values, but the first line has %d", name, n, d, b.set.X.D)
		}
		leading := 0.0
		for k, f := range fields {
			v, err := number(f)
			if err != nil {
				return fmt.Errorf("%s:%d:%d: %w", name, n, placeOf(line, k), err)
			}
			if k > 0 {
				b.put(k-1, v)
			} else {
				leading = v
			}
		}
		if b.targets {
			return b.predict(leading)
		}
		return b.end(strings.TrimPrefix(fields[0], "+"))
	})
}

// named finishes a set whose columns have no names.
func named(b *builder, name, form, positive string) (*Set, *Reading, error) {
	if b.set.X.Len() > 0 && b.set.X.D == 0 {
		return nil, nil, fmt.Errorf("%s: the rows have no columns", name)
	}
	const perColumn = 200 // its name, and vectors of as many numbers
	what := fmt.Sprintf("%s with %d columns", name, b.set.X.D)
	if err := memory.Check(what, perColumn*float64(b.set.X.D)); err != nil {
		return nil, nil, err
	}
	for k := range b.set.X.D {
		b.set.Columns = append(b.set.Columns, fmt.Sprintf("x%d", k+1))
	}
	set, err := b.finish(name, positive)
	reading := b.reading(name, form)
	if err != nil {
		return nil, reading, err
	}
	set.Reading = reading
	return set, reading, nil
}
