// How large the tables of a run are, and that those of earlier versions are read.

package record

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"overhear/internal/cputime"
	"overhear/internal/files"
	"overhear/sim"
)

// plainMessage is a message as earlier versions wrote it: every number as it is.
type plainMessage struct {
	ID         uint64      `parquet:"id"`
	Src        int32       `parquet:"src"`
	Dst        int32       `parquet:"dst"`
	Round      int32       `parquet:"round"`
	SentNS     int64       `parquet:"sent_ns"`
	ReceivedNS int64       `parquet:"received_ns"`
	Bytes      int64       `parquet:"bytes"`
	Kind       MessageKind `parquet:"kind,dict"`
}

// packets are n messages like those of a run of 100 nodes with four neighbours each and log-normal latency. One in
// loss is lost; 0: none.
func packets(n, loss int) []Message {
	s := sim.NewStream(1, "packets")
	clock := make([]int64, 100)
	all := make([]Message, 0, n)
	for id := 0; len(all) < n; id++ {
		src := id / 4 % len(clock)
		if id%4 == 0 {
			clock[src] += int64(3e7 * math.Exp(0.2*s.Normal()))
		}
		m := Message{ID: uint64(id), Src: int32(src), Dst: int32((src + 1 + 17*(id%4)) % len(clock)),
			Round: int32(id / 400), SentNS: clock[src], Bytes: 292, Kind: MessageValue}
		m.ReceivedNS = m.SentNS + int64(2e7*math.Exp(0.5*s.Normal()))
		if loss > 0 && s.IntN(loss) == 0 {
			m.ReceivedNS = -1
		}
		all = append(all, m)
	}
	// In the order of sending.
	slices.SortStableFunc(all, func(a, b Message) int { return int(a.SentNS - b.SentNS) })
	for k := range all {
		all[k].ID = uint64(k)
	}
	return all
}

// table writes rows to a file of that name and returns its size.
func table[T any](tb testing.TB, path string, rows []T) int64 {
	tb.Helper()
	l, err := newLog[T](path)
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range rows {
		l.add(r)
	}
	if err := l.close(); err != nil {
		tb.Fatal(err)
	}
	i, err := os.Stat(path)
	if err != nil {
		tb.Fatal(err)
	}
	return i.Size()
}

// messagesOf is a run that has the messages of a file.
func messagesOf(tb testing.TB, path string) *Run {
	tb.Helper()
	sum, err := files.Hash(path)
	if err != nil {
		tb.Fatal(err)
	}
	return &Run{Dir: filepath.Dir(path), Info: &Info{Files: map[string]string{filepath.Base(path): sum}}}
}

// A message takes twelve bytes at most, lost ones or not.
func TestMessages_AreSmall(t *testing.T) {
	for _, loss := range []int{0, 10} {
		all := packets(50_000, loss)
		if size := table(t, filepath.Join(t.TempDir(), "messages.parquet"), all); size > int64(12*len(all)) {
			t.Errorf("one in %d is lost: %d messages take %d bytes", loss, len(all), size)
		}
	}
}

// Messages that an earlier version wrote are read as they were.
func TestMessages_OfEarlierVersionsAreRead(t *testing.T) {
	all := packets(5000, 10)
	var old []plainMessage
	for _, m := range all {
		old = append(old, plainMessage(m))
	}
	path := filepath.Join(t.TempDir(), "messages.parquet")
	table(t, path, old)
	var got []Message
	err := messagesOf(t, path).Messages(func(m Message) error { got = append(got, m); return nil })
	if err != nil || !slices.Equal(got, all) {
		t.Errorf("%d of %d messages are read, %v", len(got), len(all), err)
	}
}

// BenchmarkMessages: one operation writes 200,000 messages, reads them, and exports them; and the same as earlier
// versions wrote them. The columns are bytes a message, and CPU times against those of earlier versions.
func BenchmarkMessages(b *testing.B) {
	all := packets(200_000, 0)
	old := make([]plainMessage, len(all))
	for k, m := range all {
		old[k] = plainMessage(m)
	}
	var size [2]int64
	var wrote, read, exported [2]time.Duration
	for range b.N {
		for k := range size {
			path := filepath.Join(b.TempDir(), "messages.parquet")
			begin := cputime.Now()
			if k == 0 {
				size[k] = table(b, path, old)
			} else {
				size[k] = table(b, path, all)
			}
			wrote[k] += cputime.Now() - begin
			r := messagesOf(b, path)
			begin = cputime.Now()
			err := r.Messages(func(Message) error { return nil })
			middle := cputime.Now()
			err = errors.Join(err, Export(r, "messages", "csv", io.Discard))
			if err != nil {
				b.Fatal(err)
			}
			read[k] += middle - begin
			exported[k] += cputime.Now() - middle
		}
	}
	b.ReportMetric(float64(size[0])/float64(len(all)), "B/message_before")
	b.ReportMetric(float64(size[1])/float64(len(all)), "B/message")
	b.ReportMetric(wrote[0].Seconds()/wrote[1].Seconds(), "x_write")
	b.ReportMetric(read[0].Seconds()/read[1].Seconds(), "x_read")
	b.ReportMetric(exported[0].Seconds()/exported[1].Seconds(), "x_export")
}

// A table is written as the standard library writes it, equal neighbours and absent values included.
func TestCSV_IsThatOfTheLibrary(t *testing.T) {
	columns := []string{"a", "b,c", "d", "e", "f"}
	nan, minus := math.NaN(), math.Copysign(0, -1)
	rows := [][]float64{{1, 1, 1, 2, 2}, {nan, nan, 0.1, 0.1, nan}, {0, minus, minus, 1e300, 1e-300},
		{nan, 1, nan, nan, 1}, {-1.5, -1.5, math.Inf(1), math.Inf(1), 3}}
	var got, want bytes.Buffer
	c := csv.NewWriter(&want)
	err := c.Write(columns)
	for _, row := range rows {
		var fields []string
		for _, v := range row {
			fields = append(fields, Format64(v))
		}
		err = errors.Join(err, c.Write(fields))
	}
	c.Flush()
	if err = errors.Join(err, asCSV(columns, slices.Values(rows))(&got)); err != nil || got.String() != want.String() {
		t.Errorf("%v: got\n%swant\n%s", err, &got, &want)
	}
}
