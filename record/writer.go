// Writing a run directory while the run goes.

package record

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overhear/internal/files"
	"overhear/sim"
)

// Policy says which rounds' iterates are kept; messages are kept or not.
type Policy struct {
	Every    int // iterates of rounds divisible by this; 0 keeps none
	Last     int // and of this round, which is the last; −1 keeps none
	Messages bool
}

// keeps says whether contents of a round are kept.
func (p *Policy) keeps(round int) bool { return p.Every > 0 && round%p.Every == 0 || round == p.Last }

// Iterate is a row of iterates.parquet: what a node published.
type Iterate struct {
	Node   int32     `parquet:"node"`
	Round  int32     `parquet:"round"` // 0 is the start
	TimeNS int64     `parquet:"time_ns"`
	Values []float64 `parquet:"values,list"` // d-vector
}

// Message is a row of messages.parquet. Both copies of a duplicate have the
// same id. Most columns change little from row to row: only differences are kept.
type Message struct {
	ID         uint64      `parquet:"id,delta"`
	Src        int32       `parquet:"src,delta"`
	Dst        int32       `parquet:"dst,delta"`
	Round      int32       `parquet:"round,delta"`
	SentNS     int64       `parquet:"sent_ns,delta"`
	ReceivedNS int64       `parquet:"received_ns,delta"` // −1: lost
	Bytes      int64       `parquet:"bytes,delta"`
	Kind       MessageKind `parquet:"kind,delta"`
}

// Writer writes one run. The first error of a row is kept for Finish.
type Writer struct {
	place    string // where the directory will be
	dir      string // where it is now
	policy   Policy
	replace  bool
	iterates *log[Iterate]
	messages *log[Message]
	steps    *log[Step]    // nil until the first
	reports  *log[Iterate] // nil until the first
	lies     *log[Lie]     // nil until the first
	err      error         // of opening it
	alike    map[string]alike
}

// alike is what a file has in common with another.
type alike struct {
	sum  *files.Sum // of the other
	same int64      // of so many first bytes
}

// The tables of a run but for those of few runs.
const (
	iteratesFile = "iterates.parquet"
	messagesFile = "messages.parquet"
	reportsFile  = "reports.parquet"
)

// CheckpointPath is the file beside the run of a seed in which it keeps, while it goes on,
// what it has computed.
func (d *Directory) CheckpointPath(seed uint64) string {
	return filepath.Join(d.Path, fmt.Sprintf(".%d.partial.checkpoint", seed))
}

// KeptPath is the file beside the run of a seed that has what it computed, if it was kept, from which others go on.
func (d *Directory) KeptPath(seed uint64) string { return besides(d.Seed(seed), "checkpoint") }

// PartialStatesPath is the file beside the run of a seed in which it keeps, while it goes on, what it holds at some
// moments.
func (d *Directory) PartialStatesPath(seed uint64) string {
	return filepath.Join(d.Path, fmt.Sprintf(".%d.partial.states", seed))
}

// StatesPath is the file beside the run of a seed that has what it held at some moments, if that was kept with what it
// computed.
func (d *Directory) StatesPath(seed uint64) string { return besides(d.Seed(seed), "states") }

// StatesPath is [Directory.StatesPath] of the run's directory.
func (r *Run) StatesPath() string { return besides(r.Dir, "states") }

// KeptPath is [Directory.KeptPath] of the run's directory.
func (r *Run) KeptPath() string { return besides(r.Dir, "checkpoint") }

// besides is the file of what a run has kept.
func besides(dir, what string) string {
	parent, base := filepath.Split(filepath.Clean(dir))
	return filepath.Join(parent, "."+base+"."+what)
}

// Create prepares to write the run of a seed. It fails at once where it could
// not finish: the place is not writable, or holds a run that may not be
// replaced. What a killed run of the seed left behind is removed.
func Create(d *Directory, seed uint64, policy Policy, replace bool) (*Writer, error) {
	w := &Writer{place: d.Seed(seed), policy: policy, replace: replace}
	if _, err := os.Stat(w.place); err == nil && !replace {
		return nil, fmt.Errorf("%s exists already", w.place)
	}
	parent, base := filepath.Split(w.place)
	partial := "." + base + ".partial-"
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil, fmt.Errorf("preparing to write results: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partial) {
			os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
	if w.dir, err = os.MkdirTemp(parent, partial); err != nil {
		return nil, fmt.Errorf("preparing to write results: %w", err)
	}
	if err := os.Chmod(w.dir, 0o755); err != nil {
		return nil, fmt.Errorf("preparing to write results: %w", err)
	}
	if policy.Every > 0 || policy.Last >= 0 {
		if w.iterates, err = newLog[Iterate](filepath.Join(w.dir, iteratesFile)); err != nil {
			return nil, err
		}
	}
	if policy.Messages {
		if w.messages, err = newLog[Message](filepath.Join(w.dir, messagesFile)); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Iterate records what a node published; the values must not change afterwards.
func (w *Writer) Iterate(node, round int, at sim.Time, values []float64) {
	if w.policy.keeps(round) {
		w.iterates.add(Iterate{int32(node), int32(round), int64(at), values})
	}
}

// Report records what a user reported: the columns, then the label.
func (w *Writer) Report(user int, at sim.Time, values []float64) {
	if w.policy.Every == 0 && w.policy.Last < 0 {
		return // no contents are kept
	}
	if w.reports == nil {
		var err error
		if w.reports, err = newLog[Iterate](filepath.Join(w.dir, reportsFile)); err != nil {
			w.err = errors.Join(w.err, err)
			return
		}
	}
	w.reports.add(Iterate{int32(user), 0, int64(at), values})
}

// HasIterates says whether values of some rounds are recorded.
func (w *Writer) HasIterates() bool { return w.iterates != nil }

// HasMessages says whether packets are recorded.
func (w *Writer) HasMessages() bool { return w.messages != nil }

// Message records a packet, if packets are recorded.
func (w *Writer) Message(m Message) {
	if w.HasMessages() {
		w.messages.add(m)
	}
}

// log writes rows of a Parquet file in batches.
type log[T any] struct {
	to    tableFile
	rows  rowWriter[T]
	batch []T
	added int64 // rows
	err   error
}

const batchRows = 2048

func newLog[T any](path string) (*log[T], error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // Place synchronises it
	if err != nil {
		return nil, fmt.Errorf("preparing to write results: %w", err)
	}
	l := &log[T]{to: tableFile{buffer: bufio.NewWriterSize(f, 1<<20), file: f}}
	l.rows = newRowWriter[T](&l.to)
	return l, nil
}

// tableFile is a file behind a buffer.
type tableFile struct {
	buffer *bufio.Writer
	file   *os.File
	like   *os.File // has begun with the same bytes so far; nil: none has
	same   int64    // so many bytes are the same
}

func (t *tableFile) Write(b []byte) (int, error) {
	if t.like != nil {
		there := make([]byte, len(b))
		n, _ := t.like.ReadAt(there, t.same)
		k := 0
		for k < n && there[k] == b[k] {
			k++
		}
		if t.same += int64(k); k < len(b) {
			t.like = nil
		}
	}
	return t.buffer.Write(b)
}

// ReadFrom copies to the end of the file. What is a part of another file is left to the system, which copies it, on
// Linux, in a tenth of the time that reading and writing take.
func (t *tableFile) ReadFrom(r io.Reader) (int64, error) {
	part, ok := r.(*io.SectionReader)
	if !ok {
		return io.Copy(struct{ io.Writer }{t}, r)
	}
	outer, start, n := part.Outer()
	from, ok := outer.(*os.File)
	if !ok {
		return io.Copy(struct{ io.Writer }{t}, r)
	}
	read, err := part.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = from.Seek(start+read, io.SeekStart)
	}
	if err = errors.Join(err, t.buffer.Flush()); err != nil {
		return 0, err
	}
	if from != t.like || start+read != t.same {
		t.like = nil
	}
	copied, err := t.file.ReadFrom(io.LimitReader(from, n-read))
	if t.like != nil {
		t.same += copied
	}
	return copied, err
}

func (l *log[T]) add(row T) {
	l.added++
	if l.batch = append(l.batch, row); len(l.batch) == batchRows {
		l.flush()
	}
}

func (l *log[T]) flush() {
	if _, err := l.rows.Write(l.batch); l.err == nil {
		l.err = err
	}
	clear(l.batch)
	l.batch = l.batch[:0]
}

func (l *log[T]) close() error {
	if l == nil {
		return nil
	}
	l.flush()
	return errors.Join(l.err, l.rows.Close(), l.to.buffer.Flush(), l.to.file.Close())
}

// Metrics writes metrics.csv: named columns, a row a round. NaN is empty, whole
// numbers have no fraction, others are as short as reads back exactly.
func (w *Writer) Metrics(columns []string, rows [][]float64) error {
	return files.Draft(filepath.Join(w.dir, "metrics.csv"), asCSV(columns, slices.Values(rows)))
}

// Nodes writes nodes.csv, a row a node.
func (w *Writer) Nodes(columns []string, rows [][]float64) error {
	return files.Draft(filepath.Join(w.dir, "nodes.csv"), asCSV(columns, slices.Values(rows)))
}

// asCSV writes a table.
func asCSV(columns []string, rows iter.Seq[[]float64]) func(io.Writer) error {
	return func(to io.Writer) error {
		c := csv.NewWriter(to)
		err := c.Write(columns)
		c.Flush()
		err = errors.Join(err, c.Error())
		b := bufio.NewWriterSize(to, 1<<16)
		var line []byte
		for row := range rows {
			line = line[:0]
			last := 0 // where the last field begins
			for k, v := range row {
				end := len(line)
				if k > 0 {
					line = append(line, ',')
				}
				begin := len(line)
				if k > 0 && math.Float64bits(v) == math.Float64bits(row[k-1]) { // mean, least and greatest of one seed
					line = append(line, line[last:end]...)
				} else {
					line = append64(line, v)
				}
				last = begin
			}
			b.Write(append(line, '\n')) // Flush returns the first error
		}
		return errors.Join(err, b.Flush())
	}
}

// Format64 writes a number for a CSV file.
func Format64(v float64) string { return string(append64(nil, v)) }

// append64 appends what Format64 writes.
func append64(to []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return to
	case v == math.Trunc(v) && math.Abs(v) < 1<<53 && !(v == 0 && math.Signbit(v)):
		return strconv.AppendInt(to, int64(v), 10)
	}
	return strconv.AppendFloat(to, v, 'g', -1, 64)
}

// Path is where a further file of the run belongs, before it is finished.
func (w *Writer) Path(name string) string { return filepath.Join(w.dir, name) }

// Trace writes trace.bin.
func (w *Writer) Trace(t *sim.Trace) error {
	return files.Draft(filepath.Join(w.dir, "trace.bin"), traceTo(t))
}

// Finish completes the directory with run.json and puts it in its place.
func (w *Writer) Finish(info *Info) (string, error) {
	err := errors.Join(w.err, w.iterates.close(), w.messages.close(), w.steps.close(), w.reports.close(),
		w.lies.close())
	if err == nil {
		info.Format = Format
		info.Files, err = hashFiles(w.dir, w.alike)
	}
	if err == nil {
		err = files.Draft(filepath.Join(w.dir, infoFile), asJSON(info))
	}
	if err == nil {
		err = w.put(info)
	}
	if err != nil {
		os.RemoveAll(w.dir)
		return "", fmt.Errorf("writing %s: %w", w.place, err)
	}
	return w.place, nil
}

// Abort removes what was written. It may be called after Finish.
func (w *Writer) Abort() {
	w.iterates.close()
	w.messages.close()
	w.steps.close()
	w.reports.close()
	w.lies.close()
	os.RemoveAll(w.dir)
}

// put puts the complete directory in its place. A run that is there already gives
// way: it is moved aside first, so that at every instant one of the two has the
// place or OpenDirectory puts it back, and what the program did not write is moved
// to the new directory.
func (w *Writer) put(info *Info) error {
	if _, err := os.Stat(w.place); errors.Is(err, fs.ErrNotExist) || !w.replace {
		return files.Place(w.dir, w.place)
	}
	unlock, err := files.Lock(w.place, findingsWait)
	if err != nil {
		return err
	}
	defer unlock()
	old := replaced(w.place)
	if err := files.Move(w.place, old); err != nil {
		return err
	}
	if err := files.Place(w.dir, w.place); err != nil {
		return errors.Join(err, files.Move(old, w.place))
	}
	return giveWay(old, w.place, info.Digest)
}

// hashed are the files of a run whose SHA-256 is in run.json: all but run.json,
// the figures, which follow from the others, and what attacks find later.
var hashed = []string{"metrics.csv", iteratesFile, messagesFile, stepsFile, reportsFile, liesFile,
	"knowledge.json", "nodes.csv", "trace.bin"}

// hashFiles is the SHA-256 of every file of a run that is hashed. What files have in common with others is not hashed
// again.
func hashFiles(dir string, common map[string]alike) (map[string]string, error) {
	sums := map[string]string{}
	for _, name := range hashed {
		sum, err := common[name].sum.Resume(filepath.Join(dir, name), common[name].same)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		sums[name] = sum
	}
	return sums, nil
}
