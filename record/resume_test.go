// A run whose tables begin with another's has the bytes of one that wrote all rows itself.

package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/internal/cputime"
	"overhear/internal/files"
	"overhear/sim"
)

// rowsOf are what a run writes: rows of every table but that of lies, which is like the others.
type rowsOf struct {
	iterates []Iterate
	messages []Message
	reports  []Iterate
}

func drawRows(n int) *rowsOf {
	s := sim.NewStream(1, "rows")
	r := &rowsOf{messages: packets(n, 10)}
	for k := range n / 2 {
		r.iterates = append(r.iterates, Iterate{int32(k % 100), int32(k / 100), int64(k),
			[]float64{s.Normal(), s.Normal(), s.Normal()}})
	}
	r.reports = r.iterates[:n/100]
	return r
}

// write adds the rows from some counts on up to others.
func (r *rowsOf) write(w *Writer, from, to Counts) {
	for _, m := range r.messages[from.Messages:to.Messages] {
		w.Message(m)
	}
	for _, k := range r.iterates[from.Iterates:to.Iterates] {
		w.Iterate(int(k.Node), int(k.Round), sim.Time(k.TimeNS), k.Values)
	}
	for _, k := range r.iterates[from.Steps:to.Steps] {
		w.Step(int(k.Node), int(k.Round), sim.Time(k.TimeNS), sim.Time(k.TimeNS+7))
	}
	for _, k := range r.reports[from.Reports:to.Reports] {
		w.Report(int(k.Node), sim.Time(k.TimeNS), k.Values)
	}
}

func (r *rowsOf) counts() Counts {
	return Counts{Iterates: int64(len(r.iterates)), Messages: int64(len(r.messages)), Steps: int64(len(r.iterates)),
		Reports: int64(len(r.reports))}
}

func newWriter(t testing.TB) *Writer {
	t.Helper()
	d, err := OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	w, err := Create(d, 1, Policy{Every: 1, Last: -1, Messages: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func finish(t testing.TB, w *Writer) *Run {
	t.Helper()
	dir, err := w.Finish(new(Info))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestResume_IsAsIfAllWereWritten(t *testing.T) {
	rows := drawRows(5*groupRows/2 + 1000)
	w := newWriter(t)
	rows.write(w, Counts{}, rows.counts())
	if w.Counts() != rows.counts() {
		t.Fatalf("counted %+v of %+v", w.Counts(), rows.counts())
	}
	parent := finish(t, w)
	r := rand.New(rand.NewPCG(1, 1))
	upTo := func(n int64) int64 {
		edges := []int64{0, 1, batchRows - 1, batchRows, groupRows - 1, groupRows, groupRows + 1, 2 * groupRows, n}
		if k := r.IntN(2 * len(edges)); k < len(edges) {
			return min(n, edges[k])
		}
		return r.Int64N(n + 1)
	}
	for range 12 {
		all := rows.counts()
		from := Counts{Iterates: upTo(all.Iterates), Messages: upTo(all.Messages), Steps: upTo(all.Steps),
			Reports: upTo(all.Reports)}
		w := newWriter(t)
		if err := w.Resume(parent, from); err != nil {
			t.Fatal(err)
		}
		if w.Counts() != from {
			t.Fatalf("counted %+v of %+v", w.Counts(), from)
		}
		rows.write(w, from, all)
		again := finish(t, w)
		if !maps.Equal(again.Info.Files, parent.Info.Files) {
			t.Errorf("from %+v on: other files", from)
		}
		if err := again.CheckFiles(); err != nil {
			t.Errorf("from %+v on: %v", from, err)
		}
	}
}

// Where two runs part, their files do, and so do the hashes, of which that of what they share is computed once.
func TestResume_HashesWhatIsItsOwn(t *testing.T) {
	rows := drawRows(5*groupRows/2 + 1000)
	w := newWriter(t)
	rows.write(w, Counts{}, rows.counts())
	parent := finish(t, w)
	for _, n := range []int64{groupRows - 1, groupRows, 2*groupRows + 5} {
		from := Counts{Messages: n}
		w := newWriter(t)
		if err := w.Resume(parent, from); err != nil {
			t.Fatal(err)
		}
		a := w.alike[messagesFile]
		if err := w.messages.to.buffer.Flush(); err != nil {
			t.Fatal(err)
		}
		info, err := w.messages.to.file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if (n >= groupRows) != (a.same > 0) || a.same != info.Size() {
			t.Errorf("%d rows: %d bytes of %d are the same", n, a.same, info.Size())
		}
		for _, m := range rows.messages[n:] {
			m.Round++
			w.Message(m)
		}
		r := finish(t, w)
		if err := r.CheckFiles(); err != nil {
			t.Errorf("%d rows: %v", n, err)
		}
		if r.Info.Files[messagesFile] == parent.Info.Files[messagesFile] {
			t.Error("the hash is that of the other run's file")
		}
	}
}

func TestResume_TrustsNoFile(t *testing.T) {
	rows := drawRows(2 * groupRows)
	w := newWriter(t)
	rows.write(w, Counts{}, rows.counts())
	parent := finish(t, w)
	more := rows.counts()
	more.Steps++
	if err := newWriter(t).Resume(parent, more); err == nil {
		t.Error("there is a row too many")
	}
	path := filepath.Join(parent.Dir, messagesFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; k < len(whole); k += len(whole)/40 + 1 {
		damaged := bytes.Clone(whole)
		damaged[k]++
		if k%2 == 0 {
			damaged = damaged[:k]
		}
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := Open(parent.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := newWriter(t).Resume(again, rows.counts()); err == nil {
			t.Errorf("nothing is said of byte %d", k)
		}
		// Nor does it end the program where it is not found by its hash.
		again.checked = map[string]*files.Sum{messagesFile: {}}
		_ = newWriter(t).Resume(again, rows.counts())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	again, err := Open(parent.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := newWriter(t).Resume(again, rows.counts()); err == nil {
		t.Error("nothing is said of a file that is not there")
	}
}

// BenchmarkResume compares, in processor time, rows that are gone on from with rows that are written.
func BenchmarkResume(b *testing.B) {
	rows := drawRows(1_000_000)
	w := newWriter(b)
	rows.write(w, Counts{}, rows.counts())
	parent := finish(b, w)
	var anew, resumed float64
	for b.Loop() {
		start := cputime.Now()
		rows.write(newWriter(b), Counts{}, rows.counts())
		anew += (cputime.Now() - start).Seconds()
		w, err := newWriter(b), error(nil)
		start = cputime.Now()
		if err = w.Resume(parent, rows.counts()); err != nil {
			b.Fatal(err)
		}
		resumed += (cputime.Now() - start).Seconds()
	}
	b.ReportMetric(resumed/anew, "x_written")
	b.ReportMetric(1e3*resumed/float64(b.N), "cpu-ms/op")
}

// Bytes are the same as another file's only where all before them are, too, and each is in the same place.
func TestTableFile_KnowsWhatIsTheSame(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "source")
	if err := os.WriteFile(source, bytes.Repeat([]byte("0123456789"), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	like, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer like.Close()
	other, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	type part struct {
		of      *os.File
		from, n int64
	}
	for k, c := range []struct {
		parts []any // strings are written
		same  int64
	}{
		{nil, 0},
		{[]any{"01234", "567890"}, 11},
		{[]any{"01234", "577890", "1"}, 6},
		{[]any{"0123", part{like, 4, 10}, part{like, 14, 100}}, 114},
		{[]any{"0123", part{like, 5, 10}}, 4},
		{[]any{"0123", part{like, 4, 10}, part{like, 15, 5}, part{like, 19, 5}}, 14},
		{[]any{"0123", part{like, 4, 10}, "456", part{like, 17, 5}}, 22},
		{[]any{"0123", part{like, 4, 10}, "457", part{like, 17, 5}}, 16},
		{[]any{"0123", part{other, 4, 10}, part{like, 14, 5}}, 4},
		{[]any{"0123", part{like, 4, 2000}, "0123"}, 1000}, // it ends before
	} {
		written, err := os.Create(filepath.Join(dir, fmt.Sprint(k)))
		if err != nil {
			t.Fatal(err)
		}
		to := tableFile{buffer: bufio.NewWriter(written), file: written, like: like}
		for _, p := range c.parts {
			switch p := p.(type) {
			case string:
				_, err = to.Write([]byte(p))
			case part:
				_, err = to.ReadFrom(io.NewSectionReader(p.of, p.from, p.n))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if to.same != c.same {
			t.Errorf("case %d: %d bytes, not %d", k, to.same, c.same)
		}
		if err := written.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A part of a file is copied whole, wherever it begins and whatever was read of it before, in order with what is not
// of a file.
func TestTableFile_CopiesPartsOfFiles(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "source")
	content := make([]byte, 3<<20) // more than a buffer
	for k := range content {
		content[k] = byte(k * 2654435761 >> 9)
	}
	if err := os.WriteFile(source, content, 0o600); err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	written, err := os.Create(filepath.Join(dir, "written"))
	if err != nil {
		t.Fatal(err)
	}
	to := tableFile{buffer: bufio.NewWriterSize(written, 1<<10), file: written}
	part := func(r io.ReaderAt, from, n, read int64) io.Reader {
		section := io.NewSectionReader(r, from, n)
		if _, err := io.CopyN(io.Discard, section, read); err != nil {
			t.Fatal(err)
		}
		return section
	}
	var want []byte
	for k, c := range []struct {
		r    io.Reader
		want []byte
	}{
		{part(from, 1000, 2<<20, 0), content[1000 : 1000+2<<20]},
		{strings.NewReader("between"), []byte("between")},
		{part(from, 5, 100, 40), content[45:105]},
		{part(bytes.NewReader(content), 77, 3000, 10), content[87:3077]},
		{part(from, 3<<20-50, 100, 0), content[3<<20-50:]}, // which ends with the file
		{part(from, 10, 0, 0), nil},
	} {
		if _, err := fmt.Fprintf(&to, "<%d>", k); err != nil {
			t.Fatal(err)
		}
		if n, err := to.ReadFrom(c.r); err != nil || n != int64(len(c.want)) {
			t.Fatalf("part %d: %d bytes, %v; want %d", k, n, err, len(c.want))
		}
		want = append(fmt.Appendf(want, "<%d>", k), c.want...)
	}
	if err := errors.Join(to.buffer.Flush(), written.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(written.Name()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes are written, %v; want %d, or others", len(got), err, len(want))
	}
}
