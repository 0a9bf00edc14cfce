// How large a set is that is not there.

package problem

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"

	"overhear/internal/memory"
)

// Extent is how large a set is, as it is read.
type Extent struct {
	Rows, Columns int
	Entries       int  // values that are in memory, at most
	Full          bool // no row leaves a zero out
	Classes       int  // where each value of the label is a class of its own; else 0

	Reading float64 // about how many bytes are held while it is read
}

// outline is a matrix of which no more is known than how large it is.
func outline(rows, d, entries int, full bool) *Rows {
	r := &Rows{D: d, n: rows, outlined: max(1, entries)}
	if full {
		r.stride = d
	}
	return r
}

// Prepared is the extent with the intercept, if there is one.
func (x Extent) Prepared(s Scale) Extent {
	if s.Intercept {
		x.Columns, x.Entries = x.Columns+1, x.Entries+x.Rows
	}
	return x
}

// Share is the extent of so many of its rows.
func (x Extent) Share(rows float64) Extent {
	part := x
	part.Rows = int(math.Ceil(rows))
	if part.Entries = int(math.Ceil(float64(x.Entries) * (rows / float64(max(1, x.Rows))))); x.Full {
		part.Entries = part.Rows * part.Columns
	}
	return part
}

// Zeros is how many values are not in memory, at least.
func (x Extent) Zeros() float64 { return float64(x.Rows*x.Columns - x.Entries) }

// Models is as [Problem.Models].
func (x Extent) Models() int { return max(1, x.Classes) }

// Bytes is about how much memory the rows take, each with so many numbers besides.
func (x Extent) Bytes(besides int) float64 {
	return x.outline().Bytes() + float64(8*float64(besides)*float64(x.Rows))
}

func (x Extent) outline() *Rows { return outline(x.Rows, x.Columns, x.Entries, x.Full) }

// Footprint is as [Problem.Footprint] of one node that has these rows, and PooledFootprint of several that have them.
func (x Extent) Footprint() float64 { return x.objective().footprint() }

// PooledFootprint is as [Problem.PooledFootprint].
func (x Extent) PooledFootprint() float64 {
	o := x.objective()
	return o.U.Bytes() + o.pooledFootprint()
}

func (x Extent) objective() *Objective { return &Objective{U: x.outline(), K: x.Classes} }

// mostEntries is what sizes are cut to, so that their bytes are integers.
const mostEntries = 1 << 56

// Extent finds out how large the set is, without holding more of it than a row at a time.
func (s Source) Extent(ctx context.Context, dir string) (x Extent, err error) {
	e, ok := FindSet(s.Set)
	switch {
	case ok && e.generate != nil:
		x.Rows, x.Columns = s.generates(e)
		x.Entries = int(math.Min(mostEntries, float64(x.Rows)*float64(e.entries(x.Columns))))
		x.Full = e.Entries == 0
		x.Reading = e.generating(x.Rows, x.Columns)
	case ok:
		x.Rows, x.Columns, x.Entries = e.Rows, e.Columns, e.Rows*e.entries(e.Columns)
		paths, err := e.Find(dir)
		if err != nil {
			return x, err
		}
		for _, path := range paths { // they are published ones, and small
			text, err := unpackedSize(path)
			if err != nil {
				return x, err
			}
			x.Reading += float64(memory.Rows * float64(text))
		}
	default:
		x, err = s.measured(ctx)
	}
	if ok && s.ManyClasses() {
		x.Classes = max(2, e.kinds)
	}
	return x, err
}

// measured goes through a user's file.
func (s Source) measured(ctx context.Context) (Extent, error) {
	path := s.CSV + s.LIBSVM + s.Raetsch + s.Parquet + s.Arrow
	f, err := os.Open(path)
	if err != nil {
		return Extent{}, fmt.Errorf("reading data: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return Extent{}, fmt.Errorf("%s cannot be read twice", path)
	}
	if s.Parquet != "" || s.Arrow != "" {
		return s.measuredColumnar(ctx, path, f)
	}
	r, _, err := unpacked(f)
	if err != nil {
		return Extent{}, err
	}
	text := &counting{Reader: r}
	if s.CSV != "" {
		return s.measuredCSV(ctx, path, text)
	}
	b := s.newBuilder(s.Dimension)
	b.counts = true
	if s.LIBSVM != "" {
		err = s.eachLIBSVM(ctx, path, text, b)
	} else {
		err = s.eachRaetsch(ctx, path, text, b)
	}
	x := Extent{Rows: b.n, Columns: b.set.X.D, Entries: b.entries, Full: !b.partial,
		Reading: memory.Rows * float64(text.bytes)}
	if s.ManyClasses() {
		x.Classes = len(b.classes)
	}
	return x, err
}

// counting counts what is read.
type counting struct {
	io.Reader
	bytes, lines int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes, c.lines = c.bytes+int64(n), c.lines+int64(bytes.Count(p[:n], []byte("\n")))
	return n, err
}

// measuredCSV surveys a table that is not in memory.
func (s Source) measuredCSV(ctx context.Context, name string, text *counting) (Extent, error) {
	const enough = 1 << 20 // to find out how it is written
	head, err := io.ReadAll(io.LimitReader(text, enough))
	if err != nil {
		return Extent{}, err
	}
	end := len(head)
	if end == enough { // whole lines
		end = bytes.LastIndexByte(head, '\n') + 1
	}
	t, err := s.openCSV(name, head[:end])
	if err != nil {
		return Extent{}, err
	}
	begin := t.begin
	t.each = func(row func(r record) error) error {
		return t.from(io.MultiReader(bytes.NewReader(begin), bytes.NewReader(head[end:]), text), row)
	}
	v, err := s.prospect(ctx, t)
	if err != nil {
		return Extent{}, err
	}
	x := v.extent()
	rows := mostRows(text.lines, text.bytes, len(t.columns))
	x.Reading = memory.Resident(float64(text.bytes) + float64(float64(rows)*v.perRow))
	return x, nil
}

// extent is that of the set that the table will be.
func (v *survey) extent() Extent {
	x := Extent{Rows: v.complete, Entries: v.entries, Full: v.draft != nil && !v.draft.partial}
	for _, c := range v.columns {
		switch {
		case c.role != feature:
		case c.numeric():
			x.Columns++
		default:
			x.Columns += len(c.categories())
		}
	}
	if v.source.ManyClasses() {
		x.Classes = len(v.columns[v.label].values)
	}
	return x
}

// unpackedSize is how many bytes of text a file has.
func unpackedSize(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, _, err := unpacked(f)
	if err != nil {
		return 0, err
	}
	return io.Copy(io.Discard, r)
}
