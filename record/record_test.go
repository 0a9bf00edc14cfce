// Run directories: what is written is read back to the bit, nothing half-done
// gets a final name, and edits are noticed.

package record

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overhear/internal/files"
	"overhear/sim"
)

var values = []float64{0.1, -0, math.Pi, 1e-310, -1e308, 3}

// directory opens a directory until the test ends.
func directory(t testing.TB, path string) *Directory {
	t.Helper()
	d, err := OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// write writes a run of 4 rounds, whose directory is out/exp/seed.
func write(t testing.TB, out string, seed uint64, policy Policy) *Run {
	t.Helper()
	d, err := OpenDirectory(filepath.Join(out, "exp"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	return writeIn(t, d, seed, policy, "h")
}

func writeIn(t testing.TB, d *Directory, seed uint64, policy Policy, digest string) *Run {
	t.Helper()
	w, err := Create(d, seed, policy, true)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 4 {
		for node := range 3 {
			w.Iterate(node, round, sim.Time(10*round+node), values)
			w.Message(Message{ID: uint64(3*round + node), Src: int32(node), Dst: 1, Round: int32(round), SentNS: 5,
				ReceivedNS: -1, Bytes: 112, Kind: "value"})
		}
	}
	rows := [][]float64{{0, 0, 0.7, math.NaN()}, {1, 0.5 + float64(seed), 1.0 / 3, 1e-9}}
	err = errors.Join(w.Metrics([]string{"round", "time_s", "loss", "distance"}, rows),
		w.Trace(&sim.Trace{Events: 9, Digest: [32]byte{1, 2}, Checkpoints: [][32]byte{{3}},
			Fingerprints: []uint32{4, 5}}))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := w.Finish(&Info{Name: "exp", Seed: seed, Digest: digest, Final: Final{Loss: Number(math.NaN())},
		Wall: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var everything = Policy{Every: 1, Last: -1, Messages: true}

func TestRoundTrip(t *testing.T) {
	r := write(t, t.TempDir(), 1, everything)
	n := 0
	err := r.Iterates(func(i Iterate) error {
		want := Iterate{int32(n % 3), int32(n / 3), int64(10*(n/3) + n%3), values}
		if !reflect.DeepEqual(i, want) {
			t.Errorf("row %d is %+v, want %+v", n, i, want)
		}
		n++
		return nil
	})
	if err != nil || n != 12 {
		t.Errorf("%d iterates, %v", n, err)
	}
	n = 0
	if err := r.Messages(func(m Message) error { n++; return nil }); err != nil || n != 12 {
		t.Errorf("%d messages, %v", n, err)
	}
	m, err := r.Metrics()
	if err != nil || m.Column("loss")[1] != 1.0/3 || !math.IsNaN(m.Column("distance")[0]) || m.Column("none") != nil {
		t.Errorf("metrics %+v, %v", m, err)
	}
	tr, err := r.Trace()
	if err != nil || tr.Events != 9 || tr.Digest != [32]byte{1, 2} || tr.Fingerprints[1] != 5 ||
		tr.Checkpoints[0] != [32]byte{3} {
		t.Errorf("trace %+v, %v", tr, err)
	}
	if !math.IsNaN(float64(r.Info.Final.Loss)) {
		t.Error("an undefined metric is not null")
	}
}

func TestRepeatsAreByteIdentical(t *testing.T) {
	a, b := write(t, t.TempDir(), 1, everything), write(t, t.TempDir(), 1, everything)
	for _, name := range []string{"run.json", "metrics.csv", "iterates.parquet", "messages.parquet", "trace.bin"} {
		x, errX := os.ReadFile(filepath.Join(a.Dir, name))
		y, errY := os.ReadFile(filepath.Join(b.Dir, name))
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs between repeats (%v, %v)", name, errX, errY)
		}
	}
}

func TestPolicies(t *testing.T) {
	count := func(r *Run) (rounds []int32) {
		if err := r.Iterates(func(i Iterate) error {
			if i.Node == 0 {
				rounds = append(rounds, i.Round)
			}
			return nil
		}); err != nil && !errors.Is(err, ErrNotRecorded) {
			t.Fatal(err)
		}
		return
	}
	if got := count(write(t, t.TempDir(), 1, Policy{Every: 2, Last: -1})); !reflect.DeepEqual(got, []int32{0, 2}) {
		t.Errorf("every second: %v", got)
	}
	if got := count(write(t, t.TempDir(), 1, Policy{Last: 3})); !reflect.DeepEqual(got, []int32{3}) {
		t.Errorf("last: %v", got)
	}
	r := write(t, t.TempDir(), 1, Policy{Last: -1})
	if got := count(r); got != nil {
		t.Errorf("none: %v", got)
	}
	if err := r.Messages(nil); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("messages: %v", err)
	}
}

// A run that is killed leaves only a hidden directory, and the next one of its
// seed clears it away.
func TestKilledRunLeavesNothingFinal(t *testing.T) {
	d := directory(t, t.TempDir())
	if _, err := Create(d, 4, everything, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.Seed(4)); err == nil {
		t.Fatal("an unfinished run has its final name")
	}
	if runs, err := d.Runs(); len(runs) != 0 || err != nil {
		t.Errorf("an unfinished run is among %v (%v)", runs, err)
	}
	writeIn(t, d, 4, everything, "h")
	if left := names(t, d.Path); !slices.Equal(left, []string{"4", "lock"}) {
		t.Errorf("%v are left, want the finished run and the lock only", left)
	}
	if _, err := Create(d, 4, everything, false); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a finished run would be overwritten: %v", err)
	}
	if runs, err := d.Runs(); len(runs) != 1 || err != nil || runs[0].Info.Seed != 4 {
		t.Errorf("the finished run is not among %v (%v)", runs, err)
	}
}

// names are the names of all that is in a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestUnwritablePlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDirectory(filepath.Join(file, "exp")); err == nil ||
		!strings.Contains(err.Error(), "preparing to write results") {
		t.Errorf("a file as results directory: %v", err)
	}
}

func TestEditsAreNoticed(t *testing.T) {
	r := write(t, t.TempDir(), 1, everything)
	if err := r.CheckFiles(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.Dir, "metrics.csv")
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.CheckFiles(); err == nil || !strings.Contains(err.Error(), "metrics.csv is not as the run wrote it") {
		t.Errorf("an edited file: %v", err)
	}
	os.Remove(path)
	if err := r.CheckFiles(); err == nil || !strings.Contains(err.Error(), "metrics.csv is missing") {
		t.Errorf("a missing file: %v", err)
	}
	iterates := filepath.Join(r.Dir, "iterates.parquet")
	if err := os.Truncate(iterates, 100); err != nil {
		t.Fatal(err)
	}
	if err := r.Iterates(func(Iterate) error { return nil }); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a truncated table: %v", err)
	}
}

func TestSummary(t *testing.T) {
	out := t.TempDir()
	var tables []*Table
	for _, seed := range []uint64{1, 4} {
		table, err := write(t, out, seed, everything).Metrics()
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	// A run that ended later than the others has a round of its own.
	tables = append(tables, &Table{Columns: tables[0].Columns, Rows: [][]float64{{0, 0, 0.7, 1}, {1, 3, 1, 2},
		{2, 9, 8, 7}}})
	path := filepath.Join(out, "summary.csv")
	if err := WriteSummary(path, tables); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// time_s is 0.5 + seed in round 1: mean 3, from 1.5 to 4.5.
	want := []string{"1", "3", "3", "1.5", "4.5"}
	last := []string{"2", "1", "9", "9", "9", "8", "8", "8", "7", "7", "7"}
	if !reflect.DeepEqual(rows[2][:5], want) || rows[0][2] != "time_s_mean" || rows[1][8] != "1" ||
		!reflect.DeepEqual(rows[3], last) {
		t.Errorf("summary:\n%s", text)
	}
}

// The summary of one run has the same bytes, whether it is of its numbers or of their text.
func TestSummary_OfOne(t *testing.T) {
	s := sim.NewStream(1, "summary")
	special := []float64{math.NaN(), 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -3, 1 << 53, 1e300, 5e-324}
	for rows := range 40 {
		table := &Table{Columns: []string{"round", "time_s", "loss", "distance"}}
		for n := range rows {
			row := []float64{float64(n), s.Normal(), 0, 0}
			for k := 1; k < len(row); k++ {
				if row[k] = s.Normal() * math.Exp(20*s.Normal()); s.IntN(2) == 0 {
					row[k] = special[s.IntN(len(special))]
				}
			}
			table.Rows = append(table.Rows, row)
		}
		var text bytes.Buffer
		if err := asCSV(table.Columns, slices.Values(table.Rows))(&text); err != nil {
			t.Fatal(err)
		}
		numbers, texts := filepath.Join(t.TempDir(), "numbers"), filepath.Join(t.TempDir(), "texts")
		err := errors.Join(WriteSummary(numbers, []*Table{table}), WriteSummaryOfOne(texts, text.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(numbers)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(texts); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v\n%s\nin place of\n%s", err, got, want)
		}
	}
}

// What export prints reads back as the same bits.
func TestExport_KeepsEveryBit(t *testing.T) {
	r := write(t, t.TempDir(), 1, everything)
	var b bytes.Buffer
	if err := Export(r, "iterates", "csv", &b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || !reflect.DeepEqual(rows[0][:5], []string{"node", "round", "time_ns", "v0", "v1"}) ||
		len(rows) != 13 {
		t.Fatalf("%v %v", rows, err)
	}
	for k, v := range values {
		if got, err := strconv.ParseFloat(rows[1][3+k], 64); err != nil ||
			math.Float64bits(got) != math.Float64bits(v) {
			t.Errorf("%v is written %s", v, rows[1][3+k])
		}
	}
	b.Reset()
	if err := Export(r, "metrics", "json", &b); err != nil || !strings.Contains(b.String(), `"distance":null`) {
		t.Errorf("%s %v", b.String(), err)
	}
}

func FuzzDecodeTrace(f *testing.F) {
	encodeTrace := func(t *sim.Trace) []byte {
		var b bytes.Buffer
		if err := traceTo(t)(&b); err != nil {
			f.Fatal(err)
		}
		return b.Bytes()
	}
	f.Add(encodeTrace(&sim.Trace{Events: 3, Checkpoints: [][32]byte{{1}}, Fingerprints: []uint32{1, 2, 3}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if tr, err := decodeTrace(bytes.Clone(b)); err == nil && !bytes.Equal(encodeTrace(tr), b) {
			t.Error("a trace changes when it is read and written")
		}
	})
}

// BenchmarkWrite: 100 nodes × 100 rounds of 105 columns and 45,000 packets.
func BenchmarkWrite(b *testing.B) {
	v := make([]float64, 105)
	for k := range v {
		v[k] = math.Sin(float64(k))
	}
	d := directory(b, b.TempDir())
	for i := range b.N {
		w, err := Create(d, uint64(i), everything, false)
		if err != nil {
			b.Fatal(err)
		}
		for t := range 10000 {
			w.Iterate(t%100, t/100, sim.Time(t), v)
		}
		for t := range 45000 {
			w.Message(Message{ID: uint64(t), SentNS: int64(t), Kind: "value"})
		}
		if _, err := w.Finish(&Info{}); err != nil {
			b.Fatal(err)
		}
	}
}

// The cost of a summary is linear in rounds. A cost that is quadratic is 44 s here.
func TestSummary_CostIsLinear(t *testing.T) {
	table := &Table{Columns: strings.Split("round,a,b,c,d,e,f,g,h,i,j,k,l,m", ",")}
	for n := range 16_000 {
		table.Rows = append(table.Rows, make([]float64, len(table.Columns)))
		table.Rows[n][0] = float64(n)
	}
	start := time.Now()
	if err := WriteSummary(filepath.Join(t.TempDir(), "s"), []*Table{table, table, table}); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	if t.Logf("16,000 rounds take %v", took); took > 10*time.Second {
		t.Errorf("16,000 rounds take %v", took)
	}
}

// A byte that changes anywhere in a file of a run is an error that names the file, whatever is read of it.
func TestEveryChangedByteIsNoticed(t *testing.T) {
	written := write(t, t.TempDir(), 1, everything)
	for name, read := range map[string]func(r *Run) error{
		"iterates.parquet": func(r *Run) error { return r.Iterates(func(Iterate) error { return nil }) },
		"messages.parquet": func(r *Run) error { return Export(r, "messages", "csv", io.Discard) },
		"metrics.csv":      func(r *Run) error { return Export(r, "metrics", "json", io.Discard) },
		"trace.bin":        func(r *Run) error { _, err := r.Trace(); return err },
	} {
		path := filepath.Join(written.Dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(whole); at += 5 {
			changed := slices.Clone(whole)
			changed[at] ^= 1 << (at % 8)
			if err := os.WriteFile(path, changed, 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := Open(written.Dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := read(r); err == nil || !strings.Contains(err.Error(), path) {
				t.Fatalf("byte %d of %s was changed: %v", at, name, err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(written.Dir); err != nil || read(r) == nil || errors.Is(read(r), ErrNotRecorded) {
			t.Errorf("%s was removed, and that is not said", name)
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(written.Dir); err != nil || read(r) != nil {
			t.Errorf("%s is as it was, and reading it fails", name)
		}
	}
	// A table that the run did not write is none of its own.
	bare := write(t, t.TempDir(), 1, Policy{Last: -1})
	const table = "messages.parquet"
	if err := os.Link(filepath.Join(written.Dir, table), filepath.Join(bare.Dir, table)); err != nil {
		t.Skip(err)
	}
	if err := bare.Messages(func(Message) error { return nil }); err == nil {
		t.Error("a table that was put into the directory was read")
	}
}

// A run that takes another's place removes what the program wrote of that one, and nothing else.
func TestReplacedRunKeepsWhatIsTheUsers(t *testing.T) {
	d := directory(t, t.TempDir())
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(d.Seed(1), name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err := errors.Join(err, os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	has := func(name, want string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(d.Seed(1), name))
		if got := string(text); want == "" && err == nil || want != "" && got != want {
			t.Errorf("%s has %q (%v), want %q", name, got, err, want)
		}
	}
	r := writeIn(t, d, 1, everything, "h")
	put("notes.txt", "mine")
	put("deep/er/notes.txt", "mine, too")
	put("plots/mine.svg", "my figure")
	put("plots/loss-round.svg", "the run's")
	put("report.html", "asked for")
	if err := WriteAttacks(r.Dir, &Attacks{Name: "found", Seed: 1, Digest: "h"}, nil, false); err != nil {
		t.Fatal(err)
	}
	writeIn(t, d, 1, Policy{Last: -1}, "h")
	has("notes.txt", "mine")
	has("deep/er/notes.txt", "mine, too")
	has("plots/mine.svg", "my figure")
	has("plots/loss-round.svg", "")
	has("report.html", "asked for")
	has("iterates.parquet", "")
	if a, err := ReadAttacks(d.Seed(1)); err != nil || a == nil || a.Name != "found" {
		t.Errorf("what attacks found of the same run is %v (%v)", a, err)
	}
	writeIn(t, d, 1, everything, "other")
	if a, err := ReadAttacks(d.Seed(1)); err != nil || a != nil {
		t.Errorf("what attacks found of another run is kept as this one's: %v (%v)", a, err)
	}
	if text, err := os.ReadFile(filepath.Join(d.Seed(1), OldAttacksFile)); !strings.Contains(string(text), "found") {
		t.Errorf("what attacks found of the run before is lost: %s (%v)", text, err)
	}
	has("notes.txt", "mine")
	if left := names(t, d.Path); !slices.Equal(left, []string{"1", "lock"}) {
		t.Errorf("%v are left", left)
	}
	err := WriteAttacks(r.Dir, &Attacks{Seed: 1, Digest: "h"}, nil, false)
	if err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("what attacks found of a run that was replaced was written: %v", err)
	}
}

// A process that is killed while it replaces a run loses neither run nor the user's files.
func TestReplacementIsTakenUpAgain(t *testing.T) {
	for _, placed := range []bool{false, true} {
		path := t.TempDir()
		d, err := OpenDirectory(path)
		if err != nil {
			t.Fatal(err)
		}
		writeIn(t, d, 1, everything, "old")
		if err := os.WriteFile(filepath.Join(d.Seed(1), "notes.txt"), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(d.Seed(1), replaced(d.Seed(1))); err != nil {
			t.Fatal(err)
		}
		want := "old"
		if placed {
			writeIn(t, d, 1, everything, "new")
			want = "new"
		}
		d.Close()
		d = directory(t, path)
		r, err := Open(d.Seed(1))
		if err != nil || r.Info.Digest != want || r.CheckFiles() != nil {
			t.Errorf("placed %v: %+v (%v)", placed, r, err)
		}
		if text, _ := os.ReadFile(filepath.Join(d.Seed(1), "notes.txt")); string(text) != "mine" {
			t.Errorf("placed %v: the notes are %q", placed, text)
		}
		if left := names(t, d.Path); !slices.Equal(left, []string{"1", "lock"}) {
			t.Errorf("placed %v: %v are left", placed, left)
		}
	}
}

// Two processes never write one directory of runs.
func TestDirectoryHasOneWriter(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDirectory(path); !errors.Is(err, files.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("a second writer: %v", err)
	}
	d.Close()
	directory(t, path)
}

func TestInputs_Differences(t *testing.T) {
	sum := func(c string) string { return strings.Repeat(c, 64) }
	was := Inputs{"revision a", map[string]string{"problem.data.csv": sum("1"), "network.topology.file": sum("2")}}
	now := Inputs{"revision a", map[string]string{"problem.data.csv": sum("3"), "adult/adult.data": sum("4")}}
	if d := was.Differences(was, nil); d != nil {
		t.Errorf("no difference is %q", d)
	}
	want := []string{
		"adult/adult.data was not there",
		"network.topology.file is gone",
		"problem.data.csv (a.csv) has changed (SHA-256 111111111111… then, 333333333333… now)",
	}
	if d := was.Differences(now, map[string]string{"problem.data.csv": "a.csv"}); !slices.Equal(d, want) {
		t.Errorf("%q", d)
	}
	now = was
	now.Program = "revision b"
	if d := was.Differences(now, nil); !slices.Equal(d, []string{"the program was revision a, is revision b"}) {
		t.Errorf("%q", d)
	}
	if d := (Inputs{}).Differences(was, nil); len(d) != 1 { // of an earlier version
		t.Errorf("%q", d)
	}
}
