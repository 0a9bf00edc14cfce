// A run directory says of a run what happened in it, a run that fails leaves none,
// and a repeat is held to all that the directory says.

package experiment_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/privacy"
	"overhear/record"
	"overhear/report/plot"
	"overhear/scenarios"
	"overhear/sim"
)

// faulty has a node that crashes for a while, one that leaves, lost packets
// and duplicates.
const faulty = `name: faulty
problem: {data: {set: twonorm, rows: 60, dimension: 2}, train: 40, rho: 0.3}
network:
  topology: {kind: ring, nodes: 5}
  latency: 5ms
  loss: 0.1
  duplication: 0.3
  faults: [{at: 30ms, crash: 1, until: 90ms, memory: kept}, {at: 30ms, leave: 3}]
compute: {row: 500us}
rounds: {mode: asynchronous, count: 12, timeout: 50ms}
algorithm: {kind: edge-admm, eta: 0.1}
`

// plain is a run in rounds without any fault.
const plain = `name: plain
problem: {data: {set: twonorm, rows: 60, dimension: 2}, rho: 0.3}
network: {topology: {kind: complete, nodes: 4}, latency: 5ms}
rounds: {count: 6}
algorithm: {kind: admm, eta: 0.1}
`

func parse(t *testing.T, text string, sets ...string) *experiment.Experiment {
	t.Helper()
	s, err := scenarios.Parse("test.yaml", []byte(text), sets...)
	if err != nil {
		t.Fatal(err)
	}
	return experiment.New(s, "")
}

func run(t *testing.T, e *experiment.Experiment, o experiment.Options) *record.Run {
	t.Helper()
	if o.Out == "" {
		o.Out = t.TempDir()
	}
	r, err := e.Run(context.Background(), 1, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

func TestRun_DirectorySaysWhatHappened(t *testing.T) {
	e := parse(t, faulty)
	var progress []int
	var extra *experiment.Assembly
	r := run(t, e, experiment.Options{
		Progress: func(seed uint64, round int) {
			if seed != 1 {
				t.Errorf("progress of seed %d", seed)
			}
			progress = append(progress, round)
		},
		Extra: func(of *experiment.Experiment, a *experiment.Assembly, w *record.Writer) error {
			if of != e {
				t.Error("the extra files are of another experiment")
			}
			extra = a
			return os.WriteFile(w.Path("extra.txt"), []byte("extra"), 0o644)
		},
	})
	if extra == nil || extra.Seed != 1 {
		t.Errorf("the extra files are of %+v", extra)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "extra.txt")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "plots")); err == nil {
		t.Error("plots were drawn, though nobody asked")
	}

	// metrics.csv is what Measure says, and its last row is in run.json.
	info, rows, err := e.Measure(context.Background(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != len(rows.Rows) || len(progress) != len(rows.Rows) || r.Info.Digest != info.Digest {
		t.Errorf("%d rows, %d measured, progress %v; digests %s and %s", len(table.Rows), len(rows.Rows), progress,
			r.Info.Digest, info.Digest)
	}
	worst := 0.0
	for _, v := range table.Column("residual") {
		if v > worst {
			worst = v
		}
	}
	last := len(table.Rows) - 1
	for name, v := range map[string][2]float64{
		"largest residual": {float64(r.Info.Residual.Max), worst},
		"loss":             {float64(r.Info.Final.Loss), table.Column("loss")[last]},
		"round":            {float64(r.Info.Rounds), table.Column("round")[last]},
	} {
		if v[0] != v[1] || math.IsNaN(v[0]) || v[0] == 0 {
			t.Errorf("%s: run.json says %v, metrics.csv %v", name, v[0], v[1])
		}
	}

	// Both copies of a duplicate are recorded; it was sent once.
	records, sent := 0, map[uint64]int64{}
	if err := r.Messages(func(m record.Message) error {
		records++
		sent[m.ID] = m.Bytes
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	bytes := int64(0)
	for _, b := range sent {
		bytes += b
	}
	if records <= len(sent) || r.Info.Final.Messages != int64(len(sent)) || r.Info.Final.Bytes != bytes ||
		table.Column("messages")[last] != float64(len(sent)) || table.Column("bytes")[last] != float64(bytes) {
		t.Errorf("%d packets of %d bytes were sent, %d arrivals and losses recorded; run.json has %d of %d, "+
			"metrics.csv %v of %v", len(sent), bytes, records, r.Info.Final.Messages, r.Info.Final.Bytes,
			table.Column("messages")[last], table.Column("bytes")[last])
	}

	// The run is the one that its trace says.
	trace, err := r.Trace()
	if err != nil || trace == nil || trace.Events != r.Info.Events {
		t.Errorf("trace %+v (%v) of %d events", trace, err, r.Info.Events)
	}
}

// nodes reads nodes.csv.
func nodes(t *testing.T, r *record.Run) *record.Table {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.Dir, "nodes.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	table := &record.Table{Columns: strings.Split(lines[0], ",")}
	for _, line := range lines[1:] {
		var row []float64
		for _, field := range strings.Split(line, ",") {
			v := math.NaN()
			if field != "" {
				if v, err = strconv.ParseFloat(field, 64); err != nil {
					t.Fatal(err)
				}
			}
			row = append(row, v)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// Every node's time is busy, down and idle until it ends or the run does.
func TestRun_TimeOfNodes(t *testing.T) {
	e := parse(t, faulty)
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := e.Execute(context.Background(), a, experiment.Execution{})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, e, experiment.Options{})
	table := nodes(t, r)
	rounds, busy, down := table.Column("rounds"), table.Column("busy_s"), table.Column("down_s")
	idle, finished := table.Column("idle_s"), table.Column("finished_s")
	if len(rounds) != 5 {
		t.Fatalf("nodes.csv has %d nodes", len(rounds))
	}
	mean := func(values []float64) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	}
	for i := range rounds {
		until := finished[i]
		if i == 3 {
			if !math.IsNaN(until) {
				t.Errorf("node 3 left and finished at %v s", until)
			}
			until = f.Over.Seconds()
		} else if until != f.Activity.Nodes[i].Finished.Seconds() {
			t.Errorf("node %d finished at %v s", i, until)
		}
		if !(busy[i] > 0 && idle[i] > 0) || (down[i] > 0) != (i == 1 || i == 3) ||
			!near(busy[i]+down[i]+idle[i], until) {
			t.Errorf("node %d: %v s busy, %v down, %v idle, until %v", i, busy[i], down[i], idle[i], until)
		}
	}
	s := r.Info.Activity
	if s.LeastRounds != int(rounds[3]) || s.MostRounds != 12 || !near(s.BusySeconds, mean(busy)) ||
		!near(s.DownSeconds, mean(down)) || !near(s.IdleSeconds, mean(idle)) {
		t.Errorf("run.json sums up %+v, nodes.csv has\n%v", s, table)
	}
}

// What is kept is what record says.
func TestRun_KeepsWhatRecordSays(t *testing.T) {
	for _, c := range []struct {
		sets     []string
		rounds   []int32 // whose iterates are kept
		messages bool
		trace    bool
	}{
		{nil, []int32{0, 1, 2, 3, 4, 5, 6}, true, true},
		{[]string{"record.iterates={every: 3}", "record.trace=digest"}, []int32{0, 3, 6}, true, true},
		{[]string{"record.iterates=last", "record.messages=none"}, []int32{6}, false, true},
		{[]string{"record.iterates=none", "record.trace=off"}, nil, true, false},
	} {
		r := run(t, parse(t, plain, c.sets...), experiment.Options{})
		kept := map[int32]int{}
		err := r.Iterates(func(i record.Iterate) error {
			kept[i.Round]++
			return nil
		})
		if (err == nil) != (c.rounds != nil) || len(kept) != len(c.rounds) {
			t.Errorf("%v: iterates of rounds %v (%v), want %v", c.sets, kept, err, c.rounds)
		}
		for _, t0 := range c.rounds {
			if kept[t0] != 4 {
				t.Errorf("%v: round %d has %d iterates", c.sets, t0, kept[t0])
			}
		}
		_, messages := r.Info.Files["messages.parquet"]
		if trace, err := r.Trace(); err != nil || messages != c.messages || (trace != nil) != c.trace ||
			(r.Info.Digest != "") != c.trace {
			t.Errorf("%v: messages %v, trace %v (%v), digest %q", c.sets, messages, trace != nil, err, r.Info.Digest)
		}
	}
}

func TestRun_PlotsAndSummary(t *testing.T) {
	for _, plots := range []bool{false, true} {
		e, o := parse(t, plain), experiment.Options{Out: t.TempDir(), Plots: plots}
		r := run(t, e, o)
		second, err := e.Run(context.Background(), 2, o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := e.OpenDirectory(filepath.Join(o.Out, "plain"))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if n, others, err := e.Summarise(d, plots, plot.Style{}); n != 2 || others != 0 || err != nil {
			t.Fatal(n, others, err)
		}
		if _, err := os.Stat(filepath.Join(o.Out, "plain", "summary.csv")); err != nil {
			t.Error(err)
		}
		for _, dir := range []string{r.Dir, second.Dir, d.Path} {
			files, err := os.ReadDir(filepath.Join(dir, "plots"))
			if (err == nil && len(files) > 0) != plots {
				t.Errorf("plots: %v, but %s has %d (%v)", plots, dir, len(files), err)
			}
		}
		if err := os.Remove(filepath.Join(r.Dir, "metrics.csv")); err != nil {
			t.Fatal(err)
		}
		if n, others, err := e.Summarise(d, false, plot.Style{}); n != 1 || others != 1 || err != nil {
			t.Error("a run without metrics was summed up:", n, others, err)
		}
	}
}

// Theorems' rates are for networks that are small enough, beside the measured one.
func TestRun_Rates(t *testing.T) {
	for _, c := range []struct {
		nodes    string
		rates    string
		count    string
		given    bool
		measured bool
	}{
		{"4", "auto", "6", true, true},
		{"4", "auto", "7", true, true},
		{"4", "auto", "2", true, true},
		{"4", "auto", "1", true, false},
		{"4", "off", "6", false, false},
		{"50", "auto", "2", true, true},
		{"51", "auto", "2", false, false},
		{"51", "on", "2", true, true},
	} {
		e := parse(t, plain, "network.topology={kind: ring, nodes: "+c.nodes+"}", "record.rates="+c.rates,
			"rounds.count="+c.count)
		info, table, err := e.Measure(context.Background(), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if (len(info.Rates) > 0) != c.given {
			t.Errorf("%+v: rates %+v", c, info.Rates)
		}
		distance := table.Column("distance")
		last := len(distance) - 1
		half := last / 2
		want := math.Pow(distance[last]/distance[half], 1/float64(last-half))
		for _, r := range info.Rates {
			if got := float64(r.Measured); math.IsNaN(got) == c.measured || c.measured && !near(got, want) {
				t.Errorf("%+v: measured %v, want %v", c, got, want)
			}
		}
	}
}

// Claims are of the nodes that have data, by their numbers in the network.
func TestRun_ClaimsNameNodes(t *testing.T) {
	e := parse(t, plain, "network.topology={kind: star, nodes: 4}", "algorithm={kind: dp-admm}",
		"problem.scale={rows: clip}")
	info, _, err := e.Measure(context.Background(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	var nodes []int
	for _, c := range info.Privacy.Claims {
		nodes = append(nodes, c.Node)
	}
	slices.Sort(nodes)
	if !slices.Equal(slices.Compact(nodes), []int{1, 2, 3}) {
		t.Errorf("claims of nodes %v; the hub is node 0", nodes)
	}
}

// A run that cannot begin or is stopped leaves nothing behind.
func TestRun_FailsWhole(t *testing.T) {
	failure := errors.New("the disk is full")
	stopped, stop := context.WithCancel(context.Background())
	stop()
	var setup experiment.SetupError
	for name, c := range map[string]struct {
		ctx  context.Context
		e    *experiment.Experiment
		o    experiment.Options
		says func(error) bool
	}{
		"stopped": {stopped, parse(t, plain), experiment.Options{},
			func(err error) bool { return errors.Is(err, context.Canceled) }},
		"extra": {context.Background(), parse(t, plain), experiment.Options{
			Extra: func(*experiment.Experiment, *experiment.Assembly, *record.Writer) error { return failure },
		}, func(err error) bool { return errors.Is(err, failure) }},
		"plots": {context.Background(), parse(t, plain), experiment.Options{
			Plots: true,
			Extra: func(_ *experiment.Experiment, _ *experiment.Assembly, w *record.Writer) error {
				return os.WriteFile(w.Path("plots"), nil, 0o644)
			},
		}, func(err error) bool { return strings.Contains(err.Error(), "plots") }},
		"nodes": {context.Background(), parse(t, plain, "network.topology={kind: ring, nodes: 90}"),
			experiment.Options{}, func(err error) bool { return errors.As(err, &setup) }},
		"links": {context.Background(), parse(t, plain, "network.topology.kind=ring",
			"network.links=[{between: [0, 2], loss: 0.5}]"),
			experiment.Options{}, func(err error) bool {
				m := (scenarios.Mistakes)(nil)
				return errors.As(err, &setup) && errors.As(err, &m) && m[0].Key() == "network.links[0].between"
			}},
		"rounds": {context.Background(), parse(t, plain, "rounds.count=2000000000"), experiment.Options{},
			func(err error) bool {
				return errors.As(err, &setup) && strings.Contains(err.Error(), "measuring 2000000000 rounds "+
					"(rounds.count) would take about 3 TB of memory; the limit is ")
			}},
		"mode": {context.Background(), parse(t, tiedColumns, "rounds.mode=asynchronous"), experiment.Options{},
			func(err error) bool { return strings.Contains(err.Error(), "rounds.mode") }},
		"faults": {context.Background(), parse(t, plain, "network.faults=[{at: 1s, leave: 1}, {at: 2s, leave: 1}]"),
			experiment.Options{}, func(err error) bool {
				return errors.As(err, &setup) && strings.Contains(err.Error(), "faults[1].leave names node 1")
			}},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Out = t.TempDir()
			r, err := c.e.Run(c.ctx, 1, c.o)
			if err == nil {
				t.Fatalf("%s", r.Dir)
			}
			if !c.says(err) {
				t.Errorf("%v", err)
			}
			if left, _ := filepath.Glob(filepath.Join(c.o.Out, c.e.Name, "*")); left != nil {
				t.Errorf("%v are left", left)
			}
			if name != "extra" && name != "plots" {
				if _, _, err := c.e.Measure(c.ctx, 1, 1); err == nil || !c.says(err) {
					t.Errorf("measuring: %v", err)
				}
			}
		})
	}
}

// A file that cannot be written fails the run. While the run goes, its directory
// gets a directory of that name.
func TestRun_FilesThatCannotBeWritten(t *testing.T) {
	for _, name := range []string{"metrics.csv", "trace.bin", "nodes.csv"} {
		out := t.TempDir()
		o := experiment.Options{Out: out, Progress: func(uint64, int) {
			partial, err := filepath.Glob(filepath.Join(out, "plain", ".*"))
			if err != nil || len(partial) != 1 {
				t.Fatalf("%v (%v)", partial, err)
			}
			if err := os.MkdirAll(filepath.Join(partial[0], name), 0o755); err != nil {
				t.Fatal(err)
			}
		}}
		_, err := parse(t, plain).Run(context.Background(), 1, o)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := parse(t, plain).Run(context.Background(), 1, experiment.Options{Out: file}); err == nil {
		t.Error("a run was written below a file")
	}
}

func TestVerify(t *testing.T) {
	e := parse(t, plain)
	for name, c := range map[string]struct {
		change func(*record.Info)
		file   func(dir string) error
		sets   []string
		says   []string // nil: the run repeats
	}{
		"as it was": {},
		"another file": {file: func(dir string) error { return os.Truncate(filepath.Join(dir, "metrics.csv"), 0) },
			says: []string{"metrics.csv: line 1, column round: stated nothing"}},
		"no file": {file: func(dir string) error { return os.Remove(filepath.Join(dir, "nodes.csv")) },
			says: []string{"nodes.csv: stated nothing, recomputed a file"}},
		"another seed": {change: func(i *record.Info) { i.Seed++ },
			says: []string{"first part at event", "run.json: digest", "metrics.csv"}},
		"another version": {change: func(i *record.Info) { i.Seed++; i.Versions["overhear"] = "0.0" },
			says: []string{`run.json: versions.overhear: stated "0.0", recomputed "` + experiment.Version + `"`}},
		"more rounds": {change: func(i *record.Info) {
			i.Scenario = strings.Replace(i.Scenario, "count: 6", "count: 7", 1)
		}, sets: []string{"record.trace=digest"}, says: []string{"the run is not its reference", "scenario_hash"}},
		"another digest": {change: func(i *record.Info) { i.Digest = "00" }, says: []string{`digest: stated "00"`}},
		"no trace":       {sets: []string{"record.trace=off"}},
		"no trace, another result": {change: func(i *record.Info) { i.Final.Loss /= 2 },
			sets: []string{"record.trace=off"}, says: []string{"run.json: final.loss: stated 0."}},
		"trace cut short": {file: func(dir string) error { return os.Truncate(filepath.Join(dir, "trace.bin"), 40) },
			says: []string{"trace.bin: byte 40", "is damaged or was changed"}},
		"another event": {file: func(dir string) error {
			path := filepath.Join(dir, "trace.bin")
			b, err := os.ReadFile(path)
			b[len(b)-4*20] ^= 1
			return errors.Join(err, os.WriteFile(path, b, 0o644))
		}, says: []string{"is damaged or was changed", "trace.bin: byte"}},
	} {
		t.Run(name, func(t *testing.T) {
			of := e
			if c.sets != nil {
				of = parse(t, plain, c.sets...)
			}
			r := run(t, of, experiment.Options{})
			if c.change != nil {
				c.change(r.Info)
				text, err := json.Marshal(r.Info)
				if err == nil {
					err = os.WriteFile(filepath.Join(r.Dir, "run.json"), text, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if c.file != nil {
				if err := c.file(r.Dir); err != nil {
					t.Fatal(err)
				}
			}
			_, err := experiment.Verify(context.Background(), r, "", experiment.Options{Workers: 1})
			if c.says == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, experiment.ErrMismatch) {
				t.Fatal(err)
			}
			for _, says := range c.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%v, want %q", err, says)
				}
			}
		})
	}
}

// sealedAnew is run.json with the hash of its text, by the words of docs/formats.md.
func sealedAnew(text []byte) []byte {
	i := bytes.LastIndex(text, []byte(",\n  \"sha256\""))
	body := append(bytes.Clone(text[:i]), "\n}\n"...)
	sum := sha256.Sum256(regexp.MustCompile(`"wall_seconds": [^\n]*`).ReplaceAll(body, []byte(`"wall_seconds": `)))
	return fmt.Appendf(nil, "%s,\n  \"sha256\": \"%x\"\n}\n", text[:i], sum)
}

// A repeat by another program that comes to the same is the same, and says so.
func TestVerify_AnotherProgram(t *testing.T) {
	r := run(t, parse(t, plain), experiment.Options{})
	path := filepath.Join(r.Dir, "run.json")
	text, err := os.ReadFile(path)
	if err == nil {
		text = bytes.Replace(text, []byte(`"go": "`+runtime.Version()), []byte(`"go": "go0.1`), 1)
		err = os.WriteFile(path, sealedAnew(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	origins, err := experiment.Verify(context.Background(), r, "", experiment.Options{Workers: 1})
	if err != nil || len(origins) != 1 || origins[0].Place != "versions.go" || origins[0].Stated != `"go0.1"` {
		t.Errorf("%v, %v", origins, err)
	}
}

// What cannot be repeated is an error, and no verdict.
func TestVerify_Impossible(t *testing.T) {
	for says, change := range map[string]func(*record.Info){
		"90": func(i *record.Info) {
			i.Scenario = strings.Replace(i.Scenario, "nodes: 4", "nodes: 90", 1)
		},
	} {
		r := run(t, parse(t, plain), experiment.Options{})
		change(r.Info)
		_, err := experiment.Verify(context.Background(), r, "", experiment.Options{Workers: 1})
		if err == nil || errors.Is(err, experiment.ErrMismatch) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// Who is told of events is told of all of them.
func TestExecute_TellsOfEvents(t *testing.T) {
	e := parse(t, plain)
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var last sim.Event
	count := uint64(0)
	f, err := e.Execute(context.Background(), a, experiment.Execution{Events: func(h *sim.Event) {
		last = *h
		count++
	}})
	if err != nil || count != f.Events || last.At != f.End {
		t.Errorf("told of %d events of %d, the last at %v of %v (%v)", count, f.Events, last.At, f.End, err)
	}
}

// A run that ends early says who and why, keeps what was computed, and counts as not
// finished. Its repeat is the same.
func TestRun_EarlyEndIsKept(t *testing.T) {
	const leave = "network.faults=[{at: 28ms, leave: 3}]"
	for name, e := range map[string]*experiment.Experiment{
		"1s of virtual time (the deadline): node 2 waits for round 6 of node 3 (gone for good)": parse(t, plain, leave,
			"rounds={count: 20, deadline: 1s}"),
		"1s of virtual time (the deadline): the hub waits for round 4 of node 3 (gone for good)": parse(t, plain, leave,
			"rounds={count: 20, deadline: 1s}", "network.topology={kind: star, nodes: 4}", "algorithm={kind: dp-admm}"),
	} {
		out := t.TempDir()
		r, err := e.Run(context.Background(), 1, experiment.Options{Out: out})
		if err == nil || r == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), r.Dir) ||
			!strings.Contains(err.Error(), "ended early, after round") {
			t.Fatalf("%v", err)
		}
		if !strings.Contains(r.Info.Ended, name) {
			t.Errorf("run.json says %q", r.Info.Ended)
		}
		table, err := r.Metrics()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(table.Rows); n != r.Info.Rounds+1 || n < 3 || n > 7 {
			t.Errorf("%d rounds are measured, run.json says %d", n-1, r.Info.Rounds)
		}
		if err := r.CheckFiles(); err != nil {
			t.Error(err)
		}
		if why, err := e.Stale(r); err != nil || len(why) != 1 || why[0] != "it ended early" {
			t.Errorf("it counts as finished: %q, %v", why, err)
		}
		if _, err := experiment.Verify(context.Background(), r, "", experiment.Options{Workers: 2}); err != nil {
			t.Errorf("its repeat: %v", err)
		}
		path := filepath.Join(r.Dir, "run.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.Replace(text, []byte(name), []byte("disk-full"), 1)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := experiment.Verify(context.Background(), r, "", experiment.Options{Workers: 2}); !errors.Is(err,
			experiment.ErrMismatch) {
			t.Errorf("with another reason: %v", err)
		}
	}
}

// With rounds.missing: last the metrics go on to the last round without the node that has
// left, or is down for good, with its last iterate; a warning says so.
func TestRun_OutlivesANodeThatIsGone(t *testing.T) {
	for _, fault := range []string{"leave: 3", "crash: 3"} {
		e := parse(t, plain, "network.faults=[{at: 28ms, "+fault+"}]",
			"rounds={count: 20, deadline: 1s, missing: last}")
		r := run(t, e, experiment.Options{})
		table, err := r.Metrics()
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Rows) != 21 || r.Info.Ended != "" {
			t.Errorf("%s: %d rounds are measured; ended %q", fault, len(table.Rows)-1, r.Info.Ended)
		}
		const want = "node 3 is gone for good from 28ms on, after its round 5"
		if len(r.Info.Warnings) == 0 || !strings.Contains(strings.Join(r.Info.Warnings, "\n"), want) {
			t.Errorf("%s: it warns %q", fault, r.Info.Warnings)
		}
		distance := table.Rows[20][slices.Index(table.Columns, "distance")]
		if !(distance < 1) {
			t.Errorf("%s: %v", fault, table.Rows[20])
		}
		var others float64
		_, said, _ := strings.Cut(strings.Join(r.Info.Warnings, "\n"), "which is of all nodes' data, is ")
		if _, err := fmt.Sscanf(said, "%g at the end", &others); err != nil || !(others > 0 && others < distance) {
			t.Errorf("%s: the others are %v from the optimum (%v), all are %v", fault, others, err, distance)
		}
	}
}

// Down time is of the run: not of faults after it, nor of a node that has ended its rounds.
// Which faults had no part in the run is said.
func TestRun_SaysWhichFaultsHadNoPart(t *testing.T) {
	e := parse(t, plain, "network.faults=[{crash: 0, at: 1h, until: 2h}, {crashes: {every: 300h, for: 1s}}, "+
		"{join: 2, at: 20ms}, {slow: 1, factor: 2}, {partition: [[0], [1]], at: 1h, until: 2h}, {leave: 3, at: 1h}]",
		"rounds={count: 20}")
	r := run(t, e, experiment.Options{})
	said := strings.Join(r.Info.Warnings, "\n")
	for number, unfelt := range []bool{true, true, false, false, true, true} {
		words := fmt.Sprintf("network.faults[%d] had no part in the run", number)
		if got := strings.Contains(said, words); got != unfelt {
			t.Errorf("faults[%d] is said to have had no part: %v\n%s", number, got, said)
		}
	}
	for i, down := range nodes(t, r).Column("down_s") {
		if want := []float64{0, 0, 0.02, 0}[i]; down != want {
			t.Errorf("node %d was down for %v s, want %v", i, down, want)
		}
	}
}

// A list of faults that is added while the run goes holds from then on: it is said which of them began later than they
// say, and which had passed.
func TestRun_SaysWhichFaultsCameLate(t *testing.T) {
	const kept = "{partition: [[0, 1], [2, 3]], at: 10ms, until: 90ms}"
	e := parse(t, plain, "network.faults=["+kept+"]", "rounds={count: 20, missing: last, deadline: 1s, retry: 2ms}",
		"changes=[{at: 40ms, set: {network.faults: ["+kept+", {crash: 0, at: 20ms, until: 30ms}, "+
			"{crash: 1, at: 30ms, until: 60ms}, {slow: 2, factor: 2}, {leave: 3, at: 20ms}, "+
			"{crash: 2, at: 1h, until: 2h}]}}]")
	r := run(t, e, experiment.Options{})
	said := strings.Join(r.Info.Warnings, "\n")
	for number, words := range []string{"", "had no part in the run, as its time had passed when it was added",
		"began at 40ms, when it was added", "", "began at 40ms, when it was added",
		"had no part in the run, which was over at"} {
		name := fmt.Sprintf("network.faults[%d] from 40ms on", number)
		if words != "" && !strings.Contains(said, name+" "+words) || words == "" && strings.Contains(said, name) {
			t.Errorf("faults[%d] is not said to have %q:\n%s", number, words, said)
		}
	}
}

// A run that is over before every node has begun has no row, but a directory with its
// reason, what was recorded and what the labels that left claim; the seeds after it are run.
func TestRun_NothingMeasuredIsKept(t *testing.T) {
	servers := []string{"algorithm={kind: pdml}", "rounds={count: 20, missing: last, deadline: 1s}"}
	for name, c := range map[string]struct {
		sets  []string
		says  string
		some  bool // a node published
		claim bool
	}{
		"no report arrives": {append(servers, "network.loss=1"),
			"1s of virtual time (the deadline): node 0 waits for the reports of 15 users", false, true},
		"users are down for good": {append(servers, "network.faults=[{crashes: {every: 8ms, for: 9999h}}]"),
			"1s of virtual time (the deadline): node", false, true},
		"a server is down for good": {append(servers, "network.faults=[{at: 0s, crash: 2}]"),
			"no round can be measured, as node 2 was gone for good before it published anything", true, true},
		"a node is down for good": {[]string{"network.faults=[{at: 0s, crash: 2}, {at: 0s, crash: 3}]",
			"rounds={count: 20, missing: last, deadline: 1s}"},
			"no round can be measured, as node 2, 3 was gone for good before it published anything", true, false},
		"a node is never up and waited for": {[]string{"network.faults=[{crash: 1}]"}, "of node 1 (gone for good)",
			true, false},
		"a party is absent": {[]string{"network.faults=[{at: 9s, join: 1}]", "network.topology={kind: star, nodes: 3}",
			"algorithm={kind: admm-sharing, form: averaged}", "problem.columns=[1, 1]",
			"rounds={count: 20, deadline: 1s}", "problem.scale.intercept=false"},
			"1s of virtual time (the deadline): the hub waits for round 1 of node 1", true, false},
	} {
		e := parse(t, plain, append([]string{"record.iterates=all"}, c.sets...)...)
		out := t.TempDir()
		r, err := e.Run(context.Background(), 1, experiment.Options{Out: out, Plots: true})
		if err == nil || r == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), r.Dir) ||
			!strings.Contains(err.Error(), "ended early, before every node had begun") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if i := r.Info; !strings.Contains(i.Ended, c.says) || i.Rounds != -1 || i.Final.Messages == 0 ||
			!math.IsNaN(float64(i.Final.Loss)) || (i.Privacy != nil) != c.claim {
			t.Errorf("%s: run.json says %q, round %d, %+v", name, i.Ended, i.Rounds, i.Final)
		}
		if table, err := r.Metrics(); err != nil || len(table.Rows) != 0 {
			t.Errorf("%s: metrics %v, %v", name, table, err)
		}
		if p, some := r.Info.Privacy, c.some; p != nil {
			for _, c := range p.Claims {
				if e := float64(c.Epsilon); c.Unit == privacy.Label && !(e == 1) || c.Unit == privacy.Sample &&
					(!(e >= 0) || (e > 0) != some) {
					t.Errorf("%s: a claim %+v", name, c)
				}
			}
		}
		if err := r.CheckFiles(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if why, err := e.Stale(r); err != nil || len(why) != 1 || why[0] != "it ended early" {
			t.Errorf("%s: it counts as finished: %q, %v", name, why, err)
		}
		if _, err := experiment.Verify(context.Background(), r, "", experiment.Options{Workers: 2}); err != nil {
			t.Errorf("%s: its repeat: %v", name, err)
		}
	}
}

// What a run measures of its rate is from above the rounding floor: a theorem that applies is not measured to fail
// because solves stop at their tolerance.
func TestRun_RatesEndAtTheFloor(t *testing.T) {
	for _, c := range []struct{ count, tolerance string }{{"600", "1e-10"}, {"600", "1e-8"}} {
		e := parse(t, plain, "network.topology={kind: complete, nodes: 4}", "rounds.count="+c.count,
			"solver.tolerance="+c.tolerance)
		info, table, err := e.Measure(context.Background(), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		distance, last := table.Column("distance"), len(table.Rows)-1
		for _, r := range info.Rates {
			want := math.Pow(distance[r.To]/distance[r.From], 1/float64(r.To-r.From))
			if r.To >= last || r.From != r.To/2 || !(distance[r.To] > 1e3*e.Solver.Tolerance) ||
				!(distance[r.To+1] <= 1e3*e.Solver.Tolerance) || !near(float64(r.Measured), want) {
				t.Errorf("%+v: %+v, distance %v after", c, r, distance[r.To+1])
			}
			if r.Applies == "applies" && !(r.Measured <= r.Proved) {
				t.Errorf("%+v: measured %v, proved %v", c, r.Measured, r.Proved)
			}
		}
		if len(info.Rates) == 0 {
			t.Errorf("%+v: no rate", c)
		}
	}
}
