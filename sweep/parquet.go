// results.parquet: a writer of rows whose columns are known at run time only.

//go:build !page

package sweep

import (
	"fmt"
	"io"
	"math"
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// groupRows bounds the memory of a table that is being written: a group of rows
// is kept until it is complete.
const groupRows = 1 << 14

// parquetWriter writes rows in batches.
type parquetWriter struct {
	w       *parquet.GenericWriter[any]
	columns []column
	batch   []parquet.Row
	used    int
}

// newParquet begins a file. Its columns are in the order given, which a schema
// has only if it is made of a struct.
func newParquet(to io.Writer, columns []column) *parquetWriter {
	fields := make([]reflect.StructField, len(columns))
	for k, c := range columns {
		f := reflect.StructField{Name: fmt.Sprintf("C%d", k)}
		switch c.kind {
		case whole:
			f.Type, f.Tag = reflect.TypeFor[uint64](), reflect.StructTag(fmt.Sprintf(`parquet:"%s"`, c.name))
		case number:
			f.Type, f.Tag = reflect.TypeFor[float64](), reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional"`, c.name))
		default:
			f.Type, f.Tag = reflect.TypeFor[string](), reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional,delta"`,
				c.name))
		}
		fields[k] = f
	}
	schema := parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
	q := &parquetWriter{columns: columns, batch: make([]parquet.Row, 1024)}
	q.w = parquet.NewGenericWriter[any](to, schema, parquet.CreatedBy("overhear", "1", "0"),
		parquet.MaxRowsPerRowGroup(groupRows), parquet.Compression(&parquet.Snappy))
	for k := range q.batch {
		q.batch[k] = make(parquet.Row, len(columns))
	}
	return q
}

func (q *parquetWriter) write(row []cell) error {
	to := q.batch[q.used]
	for k, c := range row {
		switch q.columns[k].kind {
		case whole:
			to[k] = parquet.Int64Value(int64(c.whole)).Level(0, 0, k)
		case number:
			if to[k] = parquet.NullValue().Level(0, 0, k); !math.IsNaN(c.number) {
				to[k] = parquet.DoubleValue(c.number).Level(0, 1, k)
			}
		default:
			if to[k] = parquet.NullValue().Level(0, 0, k); c.text != "" {
				to[k] = parquet.ByteArrayValue([]byte(c.text)).Level(0, 1, k)
			}
		}
	}
	if q.used++; q.used < len(q.batch) {
		return nil
	}
	return q.flush()
}

func (q *parquetWriter) flush() error {
	_, err := q.w.WriteRows(q.batch[:q.used])
	q.used = 0
	return err
}

func (q *parquetWriter) close() error {
	if err := q.flush(); err != nil {
		return err
	}
	return q.w.Close()
}
