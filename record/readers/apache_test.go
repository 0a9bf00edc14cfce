// Apache's library reads a run's tables.

package readers

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	"overhear/record"
	"overhear/sim"
)

// Apache's reader, which shares no code with the writer, reads every column as it was written.
func TestMessages_AreReadByOthers(t *testing.T) {
	r := sim.NewStream(1, "packets")
	all := make([]record.Message, 5000)
	for k := range all {
		sent := 1000*int64(k) + int64(r.IntN(1000))
		all[k] = record.Message{ID: uint64(k), Src: int32(r.IntN(100)), Dst: int32(r.IntN(100)), Round: int32(k / 400),
			SentNS: sent, ReceivedNS: sent + int64(2e7*math.Exp(0.5*r.Normal())), Bytes: 292, Kind: record.MessageValue}
		if r.IntN(10) == 0 {
			all[k].ReceivedNS = -1 // lost
		}
	}
	d, err := record.OpenDirectory(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	w, err := record.Create(d, 1, record.Policy{Last: -1, Messages: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		w.Message(m)
	}
	dir, err := w.Finish(&record.Info{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := file.OpenParquetFile(filepath.Join(dir, "messages.parquet"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	column := func(k int) []int64 {
		values := make([]int64, len(all))
		c, err := f.RowGroup(0).Column(k)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(all); {
			var read int
			switch c := c.(type) {
			case *file.Int64ColumnChunkReader:
				_, read, err = c.ReadBatch(int64(len(all)-n), values[n:], nil, nil)
			case *file.Int32ColumnChunkReader:
				short := make([]int32, len(all)-n)
				_, read, err = c.ReadBatch(int64(len(short)), short, nil, nil)
				for i, v := range short {
					values[n+i] = int64(v)
				}
			}
			if n += read; err != nil || read == 0 {
				t.Fatalf("column %d ends after %d values: %v", k, n, err)
			}
		}
		return values
	}
	for k, of := range []func(m *record.Message) int64{
		func(m *record.Message) int64 { return int64(m.ID) }, func(m *record.Message) int64 { return int64(m.Src) },
		func(m *record.Message) int64 { return int64(m.Dst) }, func(m *record.Message) int64 { return int64(m.Round) },
		func(m *record.Message) int64 { return m.SentNS }, func(m *record.Message) int64 { return m.ReceivedNS },
		func(m *record.Message) int64 { return m.Bytes },
	} {
		for n, v := range column(k) {
			if want := of(&all[n]); v != want {
				t.Fatalf("row %d of %s is %d, want %d", n, f.MetaData().Schema.Column(k).Name(), v, want)
			}
		}
	}
}
