// Parquet and Arrow files give the set that the same table gives as CSV.

package problem

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"

	"overhear/internal/memory"
)

const columnarAsCSV = "age,ward,marker,smokes,ill\n63,north,1.5,true,1\n41,south,-2,false,0\n,north,3,true,0\n" +
	"50,north,0,true,0\n58,south,,true,1\n"

type patientRow struct {
	Age    *int32    `parquet:"age,optional"`
	Ward   string    `parquet:"ward,dict"`
	Marker float64   `parquet:"marker"`
	Smokes bool      `parquet:"smokes"`
	Seen   time.Time `parquet:"seen"`
	Tags   []string  `parquet:"tags,list"`
	Ill    uint8     `parquet:"ill"`
}

func parquetFile(t testing.TB) []byte {
	age := func(n int32) *int32 { return &n }
	var b bytes.Buffer
	w := parquet.NewGenericWriter[patientRow](&b, parquet.Compression(&parquet.Zstd))
	_, err := w.Write([]patientRow{
		{age(63), "north", 1.5, true, time.Time{}, nil, 1}, {age(41), "south", -2, false, time.Time{}, nil, 0},
		{nil, "north", 3, true, time.Time{}, []string{"a", "b"}, 0}, {age(50), "north", 0, true, time.Time{}, nil, 0},
		{age(58), "south", math.NaN(), true, time.Time{}, nil, 1},
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func arrowFile(t testing.TB, stream bool) []byte {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "age", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "ward", Type: words},
		{Name: "marker", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
		{Name: "smokes", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "seen", Type: arrow.FixedWidthTypes.Timestamp_s},
		{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String)},
		{Name: "ill", Type: arrow.PrimitiveTypes.Uint8}}, nil)
	build := array.NewRecordBuilder(arrowmemory.NewGoAllocator(), schema)
	build.Field(0).(*array.Int64Builder).AppendValues([]int64{63, 41, 0, 50, 58}, []bool{true, true, false, true, true})
	for _, ward := range []string{"north", "south", "north", "north", "south"} {
		if err := build.Field(1).(*array.BinaryDictionaryBuilder).AppendString(ward); err != nil {
			t.Fatal(err)
		}
	}
	build.Field(2).(*array.Float32Builder).AppendValues([]float32{1.5, -2, 3, 0, 0},
		[]bool{true, true, true, true, false})
	build.Field(3).(*array.BooleanBuilder).AppendValues([]bool{true, false, true, true, true}, nil)
	for range 5 {
		build.Field(4).(*array.TimestampBuilder).Append(7)
		build.Field(5).(*array.ListBuilder).AppendNull()
	}
	build.Field(6).(*array.Uint8Builder).AppendValues([]uint8{1, 0, 0, 0, 1}, nil)
	batch := build.NewRecordBatch()
	var b bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	var err error
	if stream {
		w = ipc.NewWriter(&b, ipc.WithSchema(schema), ipc.WithZstd())
	} else if w, err = ipc.NewFileWriter(&b, ipc.WithSchema(schema), ipc.WithLZ4()); err != nil {
		t.Fatal(err)
	}
	if err = w.Write(batch); err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestColumnar_AsCSV(t *testing.T) {
	want, _, err := Source{}.readCSV(t.Context(), "f", []byte(columnarAsCSV))
	if err != nil {
		t.Fatal(err)
	}
	s := Source{Drop: []string{"seen", "tags"}}
	for name, read := range map[string]func(Source) (*Set, *Reading, error){
		"parquet": func(s Source) (*Set, *Reading, error) {
			return s.readParquet(t.Context(), "f", parquetFile(t))
		},
		"arrow": func(s Source) (*Set, *Reading, error) {
			return s.readArrow(t.Context(), "f", arrowFile(t, false))
		},
		"arrow stream": func(s Source) (*Set, *Reading, error) {
			return s.readArrow(t.Context(), "f", arrowFile(t, true))
		},
	} {
		set, reading, err := read(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(set.Columns, want.Columns) || !slices.Equal(set.Y, want.Y) ||
			!slices.EqualFunc(dense(set.X), dense(want.X), slices.Equal) {
			t.Errorf("%s: columns %q, labels %v, rows %v; CSV gives %q, %v, %v", name, set.Columns, set.Y, dense(set.X),
				want.Columns, want.Y, dense(want.X))
		}
		if reading.RowsRead != 5 || reading.RowsDropped != 2 || reading.Missing["age"] != 1 {
			t.Errorf("%s: %+v", name, reading)
		}
		if _, _, err := read(Source{}); err == nil ||
			!strings.Contains(err.Error(), "f: column seen holds values that are neither numbers nor words") ||
			!strings.Contains(err.Error(), "f: column tags holds values that are neither") {
			t.Errorf("%s with times and lists: %v", name, err)
		}
	}
}

// Text that is numbers throughout is asked about: the file's type and its values do not agree.
func TestColumnar_TextOfNumbers(t *testing.T) {
	type row struct {
		X string
		Y bool
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []row{{"1.5", true}, {"2", false}, {"2", false}}); err != nil {
		t.Fatal(err)
	}
	_, _, err := Source{}.readParquet(t.Context(), "f", b.Bytes())
	if err == nil || !strings.Contains(err.Error(), "column X is text in the file, though all of its 3 values are "+
		"numbers") {
		t.Errorf("unanswered: %v", err)
	}
	set, _, err := Source{Numeric: []string{"X"}}.readParquet(t.Context(), "f", b.Bytes())
	if err != nil || !slices.Equal(set.Columns, []string{"X"}) || set.X.Val[0] != 1.5 {
		t.Errorf("as numbers: %v, %v", set, err)
	}
	set, _, err = Source{Categorical: []string{"X"}}.readParquet(t.Context(), "f", b.Bytes())
	if err != nil || !slices.Equal(set.Columns, []string{"X=1.5", "X=2"}) {
		t.Errorf("as words: %v, %v", set, err)
	}
}

// A damaged file is an error that names it, wherever it is damaged; it never ends the program.
func TestColumnar_Damaged(t *testing.T) {
	defer memory.SetLimit(memory.SetLimit(8e6))
	s := Source{Drop: []string{"seen", "tags"}}
	for name, c := range map[string]struct {
		text []byte
		read func(context.Context, string, []byte) (*Set, *Reading, error)
	}{"parquet": {parquetFile(t), s.readParquet}, "arrow": {arrowFile(t, false), s.readArrow},
		"stream": {arrowFile(t, true), s.readArrow}} {
		refused := 0
		for k := 0; k < len(c.text); k += 3 {
			_, _, err := c.read(t.Context(), "f", c.text[:k])
			if err == nil && name != "stream" {
				t.Errorf("%s cut at byte %d is read", name, k)
			}
			damaged := slices.Clone(c.text)
			damaged[k] ^= 0x55
			if readDamaged(t, damaged, name == "parquet", c.read) != nil {
				refused++
			}
			for _, size := range []uint32{0x7ffffff0, 0x10000000, 0xfffffff0} {
				if huge := slices.Clone(c.text); k+4 <= len(huge) {
					binary.LittleEndian.PutUint32(huge[k:], size)
					_ = readDamaged(t, huge, name == "parquet", c.read) // an error, or bytes that nobody reads
				}
			}
		}
		if refused < 20 {
			t.Errorf("%s: %d damaged files are refused", name, refused)
		}
	}
}

// readDamaged fails if what is read is wrong, or if the memory taken for it is: a length in a damaged file says nothing
// of how much there is to read. But the library for Parquet believes one length inside a page, of 31 bits, and
// zstd takes the window that a frame asks for, up to 512 MB.
func readDamaged(t *testing.T, text []byte, isParquet bool,
	read func(context.Context, string, []byte) (*Set, *Reading, error)) error {
	most := uint64(1<<29 + 64e6)
	if isParquet {
		most += 1 << 31
	}
	allocated := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before := allocated()
	set, _, err := read(t.Context(), "f", text)
	if took := allocated() - before; took > most {
		t.Errorf("a file of %d bytes took %d bytes of memory; it gives: %v", len(text), took, err)
	}
	checkRead(t, set, err)
	return err
}

func FuzzColumnar(f *testing.F) {
	f.Add(parquetFile(f), true)
	f.Add(arrowFile(f, false), false)
	f.Add(arrowFile(f, true), false)
	memory.SetLimit(8e6)
	f.Fuzz(func(t *testing.T, text []byte, isParquet bool) {
		s := Source{Drop: []string{"seen", "tags"}}
		read := s.readArrow
		if isParquet {
			read = s.readParquet
		}
		_ = readDamaged(t, text, isParquet, read)
	})
}
