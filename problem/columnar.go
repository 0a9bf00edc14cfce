// Tables in columns: Parquet and Arrow files.

//go:build !page

package problem

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"overhear/internal/memory"
)

// readParquet reads a Parquet file.
func (s Source) readParquet(ctx context.Context, name string, text []byte) (*Set, *Reading, error) {
	return s.readColumnar(ctx, name, "Parquet", func() (*table, error) {
		return s.openParquet(name, bytes.NewReader(text), int64(len(text)), mostUnpacked())
	})
}

// readArrow reads an Arrow file: IPC, as a file (Feather) or as a stream.
func (s Source) readArrow(ctx context.Context, name string, text []byte) (*Set, *Reading, error) {
	return s.readColumnar(ctx, name, "Arrow", func() (*table, error) { return s.openArrow(name, text) })
}

// readColumnar reads a table of a library that panics on some damaged files.
func (s Source) readColumnar(ctx context.Context, name, form string, open func() (*table, error)) (set *Set,
	reading *Reading, err error) {
	defer func() {
		if p := recover(); p != nil {
			if full, ok := p.(tooFull); ok {
				err = memory.Check(name+", unpacked,", float64(full))
				return
			}
			err = fmt.Errorf("%s: the %s file is damaged: %v", name, form, p)
		}
	}()
	t, err := open()
	if err != nil {
		return nil, nil, err
	}
	if len(t.columns) < 2 {
		return nil, nil, fmt.Errorf("%s: fewer than two columns; a table needs a label and at least one more", name)
	}
	if t.columns, t.nameless, err = names(name, 0, t.columns); err != nil {
		return nil, nil, err
	}
	t.form = form
	return s.fromTable(ctx, t)
}

// tooFull is the panic of an allocator whose limit is reached: about how much memory would do.
type tooFull float64

// ofLimit is what part of the limit a table may have in memory before it is made a set.
const ofLimit = 4

// mostUnpacked is how many bytes that are.
func mostUnpacked() int64 { return memory.Limit() / ofLimit }

// rowPlace is the place of a field of the row, for messages.
func rowPlace(row *int, columns []string) func(k int) string {
	return func(k int) string { return fmt.Sprintf(": row %d, column %s", *row, columns[k]) }
}

// measuredColumnar surveys a Parquet file that is not in memory. Arrow's library has all of a file there.
func (s Source) measuredColumnar(ctx context.Context, name string, f *os.File) (x Extent, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: the Parquet file is damaged: %v", name, p)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return x, err
	}
	if s.Arrow != "" {
		return x, fmt.Errorf("%s: Arrow files are read as a whole", name)
	}
	t, err := s.openParquet(name, f, info.Size(), math.MaxInt64)
	if err != nil {
		return x, err
	}
	if t.columns, t.nameless, err = names(name, 0, t.columns); err != nil {
		return x, err
	}
	v, err := s.prospect(ctx, t)
	if err != nil {
		return x, err
	}
	x = v.extent()
	x.Reading = max(memory.Rows*float64(info.Size()), ofLimit*8*float64(t.rows)*float64(len(t.columns)))
	return x, nil
}

// openParquet opens a file of so many bytes, whose table may have so many in memory.
func (s Source) openParquet(name string, text io.ReaderAt, size, most int64) (*table, error) {
	damaged := func(err error) error { return fmt.Errorf("%s: reading the Parquet file: %w", name, err) }
	end := make([]byte, 8) // how long the footer is, and a mark
	if k := size - 8; k >= 0 {
		if _, err := text.ReadAt(end, k); err != nil {
			return nil, damaged(err)
		}
		if said := binary.LittleEndian.Uint32(end); int64(said) > k {
			// The library would make room for it first: up to 4 GB.
			return nil, damaged(fmt.Errorf("its footer is said to have %d bytes, and the file has %d", said, size))
		}
	}
	f, err := parquet.OpenFile(text, size)
	if err != nil {
		return nil, damaged(err)
	}
	t := &table{name: name}
	var columns []*parquet.Column
	at := map[int]int{} // a leaf's column in the table
	for k, c := range f.Root().Columns() {
		t.columns = append(t.columns, c.Name())
		t.types = append(t.types, parquetType(c))
		if c.Leaf() {
			at[c.Index()] = k
		}
		columns = append(columns, c)
	}
	width := int64(8 * max(1, len(columns)))
	if n := f.NumRows(); n < 0 || n > most/width {
		panic(tooFull(ofLimit * float64(uint64(n)) * float64(width)))
	}
	t.rows, t.size = int(f.NumRows()), f.NumRows()
	t.each = func(row func(r record) error) error {
		n := 0
		r := record{make([]string, len(columns)), rowPlace(&n, t.columns), 0}
		batch := make([]parquet.Row, 100)
		for _, group := range f.RowGroups() {
			rows := group.Rows()
			for {
				got, err := rows.ReadRows(batch)
				for _, values := range batch[:got] {
					n++
					r.at = int64(n)
					clear(r.fields)
					for _, v := range values {
						if k, ok := at[v.Column()]; ok && t.types[k] != unusable && !v.IsNull() {
							r.fields[k] = strings.TrimSpace(parquetText(v, columns[k]))
						}
					}
					if err := row(r); err != nil {
						return errors.Join(err, rows.Close())
					}
				}
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					return errors.Join(damaged(err), rows.Close())
				}
			}
			if err := rows.Close(); err != nil {
				return damaged(err)
			}
		}
		return nil
	}
	return t, nil
}

func parquetType(c *parquet.Column) columnType {
	if !c.Leaf() || c.Repeated() {
		return unusable
	}
	logical, old := logicalType(c), c.Type().ConvertedType()
	switch c.Type().Kind() {
	case parquet.Boolean:
		return words
	case parquet.Int32, parquet.Int64:
		switch logical.(type) {
		case nil:
			if old == nil || *old >= deprecated.Uint8 && *old <= deprecated.Int64 {
				return numbers
			}
		case *format.IntType, *format.DecimalType:
			return numbers
		}
	case parquet.Float, parquet.Double:
		return numbers
	case parquet.ByteArray:
		switch logical.(type) {
		case nil, *format.StringType, *format.EnumType:
			return words
		}
	}
	return unusable
}

// logicalType is what the physical type stands for, nil if for itself.
func logicalType(c *parquet.Column) format.LogicalTypeValue {
	if l := c.Type().LogicalType(); l != nil {
		return l.Value
	}
	return nil
}

func parquetText(v parquet.Value, c *parquet.Column) string {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean())
	case parquet.Int32, parquet.Int64:
		n, unsigned := v.Int64(), v.Uint64()
		if v.Kind() == parquet.Int32 {
			n, unsigned = int64(v.Int32()), uint64(v.Uint32())
		}
		switch l := logicalType(c).(type) {
		case *format.DecimalType:
			return fmt.Sprintf("%de-%d", n, l.Scale)
		case *format.IntType:
			if !l.IsSigned {
				return strconv.FormatUint(unsigned, 10)
			}
		}
		return strconv.FormatInt(n, 10)
	case parquet.Float:
		return strconv.FormatFloat(float64(v.Float()), 'g', -1, 64)
	case parquet.Double:
		return strconv.FormatFloat(v.Double(), 'g', -1, 64)
	}
	return string(v.ByteArray())
}

// rationed is an allocator with a limit.
type rationed struct {
	arrowmemory.Allocator
	left int64
}

func (b *rationed) take(size int) {
	if b.left -= int64(size); b.left < 0 {
		panic(tooFull(2 * float64(memory.Limit()))) // what is to come is not known
	}
}

func (b *rationed) Allocate(size int) []byte {
	b.take(size)
	return b.Allocator.Allocate(size)
}

func (b *rationed) Reallocate(size int, old []byte) []byte {
	b.take(size - len(old))
	return b.Allocator.Reallocate(size, old)
}

func (b *rationed) Free(old []byte) {
	b.left += int64(len(old))
	b.Allocator.Free(old)
}

func (s Source) openArrow(name string, text []byte) (*table, error) {
	damaged := func(err error) error { return fmt.Errorf("%s: reading the Arrow file: %w", name, err) }
	// A file is a stream between its marks, and an index, which is not needed to read all of it.
	if rest, ok := bytes.CutPrefix(text, []byte("ARROW1\x00\x00")); ok {
		if text, ok = bytes.CutSuffix(rest, []byte("ARROW1")); !ok {
			return nil, fmt.Errorf("%s: the Arrow file is truncated: its end is missing", name)
		}
	} else if !bytes.HasSuffix(text, []byte("\xff\xff\xff\xff\x00\x00\x00\x00")) {
		return nil, fmt.Errorf("%s: this is no Arrow file, or it is truncated: its end is missing", name)
	}
	checkSchema(text)
	whole := int64(len(text)) // the library makes room for what a length says before it reads
	options := []ipc.Option{ipc.WithAllocator(&rationed{arrowmemory.NewGoAllocator(), mostUnpacked()}),
		ipc.WithMetadataSizeLimit(whole), ipc.WithBodySizeLimit(whole)}
	r, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(bytes.NewReader(text), options...), options...)
	if err != nil {
		return nil, damaged(err)
	}
	schema := r.Schema()
	var batches []arrow.RecordBatch // all are in memory, as the file's text is
	for r.Next() {
		b := r.RecordBatch()
		b.Retain()
		batches = append(batches, b)
	}
	if err := r.Err(); err != nil {
		return nil, damaged(err)
	}
	t := &table{name: name}
	for _, b := range batches {
		t.rows += int(b.NumRows())
	}
	t.size = int64(t.rows)
	for _, field := range schema.Fields() {
		t.columns = append(t.columns, field.Name)
		t.types = append(t.types, arrowType(field.Type))
	}
	t.each = func(row func(r record) error) error {
		n := 0
		r := record{make([]string, len(t.columns)), rowPlace(&n, t.columns), 0}
		for _, b := range batches {
			for i := range int(b.NumRows()) {
				n++
				r.at = int64(n)
				clear(r.fields)
				for k := range r.fields {
					if t.types[k] != unusable {
						r.fields[k] = strings.TrimSpace(arrowText(b.Column(k), i))
					}
				}
				if err := row(r); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return t, nil
}

// checkSchema panics if the schema at the beginning of an Arrow stream claims more fields than it has bytes: the
// library allocates what the schema claims.
func checkSchema(stream []byte) {
	size := int(binary.LittleEndian.Uint32(stream[4:]))
	text := stream[8 : 8+size]
	fields := 0
	vector := func(t *flatbuffers.Table, slot flatbuffers.VOffsetT) (n int, at func(k int) *flatbuffers.Table) {
		o := flatbuffers.UOffsetT(t.Offset(slot))
		if o == 0 {
			return 0, nil
		}
		n = t.VectorLen(o)
		if fields += n; n < 0 || fields > len(text)/4 {
			panic("its schema has more entries than bytes")
		}
		begin := t.Vector(o)
		return n, func(k int) *flatbuffers.Table {
			return &flatbuffers.Table{Bytes: text, Pos: t.Indirect(begin + flatbuffers.UOffsetT(4*k))}
		}
	}
	var check func(t *flatbuffers.Table, children, notes flatbuffers.VOffsetT)
	check = func(t *flatbuffers.Table, children, notes flatbuffers.VOffsetT) {
		vector(t, notes)
		n, child := vector(t, children)
		for k := range n {
			check(child(k), 14, 16) // Field.children, Field.custom_metadata
		}
	}
	message := &flatbuffers.Table{Bytes: text, Pos: flatbuffers.GetUOffsetT(text)}
	header := message.Pos + flatbuffers.UOffsetT(message.Offset(8)) // Message.header
	schema := &flatbuffers.Table{Bytes: text, Pos: message.Indirect(header)}
	check(schema, 6, 8) // Schema.fields, Schema.custom_metadata
}

func arrowType(t arrow.DataType) columnType {
	switch id := t.ID(); id {
	case arrow.NULL, arrow.BOOL, arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return words
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return numbers
	case arrow.DICTIONARY:
		return arrowType(t.(*arrow.DictionaryType).ValueType)
	default:
		if arrow.IsInteger(id) || arrow.IsDecimal(id) {
			return numbers
		}
	}
	return unusable
}

// arrowText is a value as text, "" if there is none.
func arrowText(column arrow.Array, i int) string {
	if column.IsNull(i) {
		return ""
	}
	switch c := column.(type) {
	case *array.Dictionary:
		return arrowText(c.Dictionary(), c.GetValueIndex(i))
	case *array.Float64:
		return strconv.FormatFloat(c.Value(i), 'g', -1, 64)
	case *array.Float32:
		return strconv.FormatFloat(float64(c.Value(i)), 'g', -1, 64)
	}
	return column.ValueStr(i)
}
