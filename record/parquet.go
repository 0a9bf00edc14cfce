// The tables of a record as Parquet files.

//go:build !page

package record

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"
)

func newRowWriter[T any](to io.Writer) rowWriter[T] {
	return parquet.NewGenericWriter[T](to, parquet.CreatedBy("overhear", "1", "0"),
		parquet.MaxRowsPerRowGroup(groupRows))
}

// begin has a table that has no rows yet begin with so many of a file's. Whole row groups are copied as they are.
func (l *log[T]) begin(f *os.File, n int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	opened, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return err
	}
	groups := opened.RowGroups()
	l.to.like = f
	defer func() { l.to.like = nil }()
	for ; n >= groupRows && len(groups) > 0 && groups[0].NumRows() == groupRows; groups = groups[1:] {
		if _, err := l.rows.(*parquet.GenericWriter[T]).WriteRowGroup(groups[0]); err != nil {
			return err
		}
		l.added += groupRows
		n -= groupRows
	}
	if n == 0 {
		return nil
	}
	if len(groups) == 0 || groups[0].NumRows() < n {
		return errors.New("it has fewer rows, or other row groups")
	}
	rows := parquet.NewGenericRowGroupReader[T](groups[0])
	defer rows.Close()
	for n > 0 {
		batch := make([]T, min(n, batchRows)) // what is read is the batch's own
		read, err := rows.Read(batch)
		for _, row := range batch[:read] {
			l.add(row)
		}
		if n -= int64(read); n > 0 && (err != nil || read == 0) {
			return errors.Join(fmt.Errorf("%d rows are missing", n), err)
		}
	}
	return nil
}

func newRowReader[T any](from io.ReaderAt, size int64) (rowReader[T], error) {
	opened, err := parquet.OpenFile(from, size)
	if err != nil {
		return nil, err
	}
	return parquet.NewGenericReader[T](opened), nil
}

// most is how many differences of a Parquet file are told: what follows an absent row
// differs, too.
const most = 100

func compareParquet(name, stated, recomputed string) (all []Difference, err error) {
	b, closeB, err := openParquet(recomputed)
	if err != nil {
		return nil, err
	}
	defer closeB()
	damaged := func(why any) []Difference {
		return append(all, Difference{File: name, Stated: fmt.Sprintf("what cannot be read (%v)", why),
			Recomputed: "a table"})
	}
	defer func() { // the library panics on some damaged files
		if p := recover(); p != nil {
			all, err = damaged(p), nil
		}
	}()
	a, closeA, err := openParquet(stated)
	if err != nil {
		return damaged(err), nil
	}
	defer closeA()
	names := b.Schema().Columns()
	var rows [2][1]parquet.Row
	for row := 0; len(all) < most; row++ {
		var n [2]int
		for k, r := range []parquet.Rows{a, b} {
			if n[k], err = r.ReadRows(rows[k][:]); err != nil && !errors.Is(err, io.EOF) {
				return damaged(err), nil
			}
		}
		switch {
		case n[0] == 0 && n[1] == 0:
			return all, nil
		case n[0] == 0 || n[1] == 0:
			there := map[int]string{0: absent, 1: "a row"}
			return append(all, Difference{File: name, Place: fmt.Sprintf("row %d", row), Stated: there[n[0]],
				Recomputed: there[n[1]]}), nil
		}
		x, y := columns(rows[0][0]), columns(rows[1][0])
		for c, path := range names {
			for k := range max(len(x[c]), len(y[c])) {
				v, w := written(x[c], k), written(y[c], k)
				if v == w {
					continue
				}
				place := fmt.Sprintf("row %d, column %s", row, path[0])
				if len(path) > 1 {
					place += fmt.Sprintf("[%d]", k)
				}
				all = append(all, Difference{File: name, Place: place, Stated: v, Recomputed: w})
			}
		}
	}
	return all, nil
}

func openParquet(path string) (parquet.Rows, func(), error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		var opened *parquet.File
		if opened, err = parquet.OpenFile(f, info.Size()); err == nil {
			r := parquet.MultiRowGroup(opened.RowGroups()...).Rows()
			return r, func() { r.Close(); f.Close() }, nil
		}
	}
	f.Close()
	return nil, nil, err
}

// columns are a row's values by column.
func columns(row parquet.Row) map[int][]parquet.Value {
	all := map[int][]parquet.Value{}
	for _, v := range row {
		all[v.Column()] = append(all[v.Column()], v)
	}
	return all
}

// written is the k-th value in as many digits as tell it from every other.
func written(values []parquet.Value, k int) string {
	switch {
	case k >= len(values):
		return absent
	case values[k].Kind() == parquet.Double && !values[k].IsNull():
		v := values[k].Double()
		if math.IsNaN(v) || v == 0 {
			return fmt.Sprintf("%v (bits %#x)", v, math.Float64bits(v))
		}
		return fmt.Sprint(v)
	}
	return values[k].String()
}
