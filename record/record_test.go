// Run directories: what is written is read back to the bit, nothing half-done
// gets a final name, and edits are noticed.

package record

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"overhear/sim"
)

var values = []float64{0.1, -0, math.Pi, 1e-310, -1e308, 3}

func write(t testing.TB, out string, seed uint64, policy Policy) *Run {
	t.Helper()
	w, err := Create(out, "exp", seed, policy, true)
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
	dir, err := w.Finish(&Info{Name: "exp", Seed: seed, ScenarioHash: "h", Final: Final{Loss: Number(math.NaN())},
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
	out := t.TempDir()
	if _, err := Create(out, "exp", 4, everything, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(Dir(out, "exp", 4)); err == nil {
		t.Fatal("an unfinished run has its final name")
	}
	write(t, out, 4, everything)
	entries, _ := os.ReadDir(filepath.Join(out, "exp"))
	if len(entries) != 1 {
		t.Errorf("%d entries are left, want the finished run only", len(entries))
	}
	if _, err := Create(out, "exp", 4, everything, false); err == nil ||
		!strings.Contains(err.Error(), "exists already") {
		t.Errorf("a finished run would be overwritten: %v", err)
	}
	if _, ok := Finished(out, "exp", 4, "h"); !ok {
		t.Error("the finished run is not found")
	}
	if _, ok := Finished(out, "exp", 4, "other"); ok {
		t.Error("a run of another scenario is taken for it")
	}
}

func TestUnwritablePlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(file, "exp", 1, everything, false); err == nil ||
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
	runs := []*Run{write(t, out, 1, everything), write(t, out, 4, everything)}
	path := filepath.Join(out, "summary.csv")
	if err := WriteSummary(path, runs); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// time_s is 0.5 + seed in round 1: mean 3, from 1.5 to 4.5.
	want := []string{"1", "2", "3", "1.5", "4.5"}
	if !reflect.DeepEqual(rows[2][:5], want) || rows[0][2] != "time_s_mean" || rows[1][8] != "" {
		t.Errorf("summary:\n%s", text)
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
	f.Add(encodeTrace(&sim.Trace{Events: 3, Checkpoints: [][32]byte{{1}}, Fingerprints: []uint32{1, 2, 3}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if tr, err := decodeTrace(b); err == nil && !bytes.Equal(encodeTrace(tr), b) {
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
	out := b.TempDir()
	for i := range b.N {
		w, err := Create(out, "b", uint64(i), everything, false)
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
