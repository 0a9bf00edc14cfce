// A run directory says of a run what happened in it, a run that fails leaves none,
// and a repeat is held to all that the directory says.

package experiment_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/record"
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
	a, err := e.Assemble(1)
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
			until = f.End.Seconds()
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
		if n, others, err := e.Summarise(d, plots); n != 2 || others != 0 || err != nil {
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
		if n, others, err := e.Summarise(d, false); n != 1 || others != 1 || err != nil {
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

// A run that cannot begin, fails or is stopped leaves nothing behind.
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
		"speeds": {context.Background(), parse(t, plain, "compute.speeds=[1, 2]"), experiment.Options{},
			func(err error) bool { return strings.Contains(err.Error(), "compute.speeds") }},
		"columns": {context.Background(), parse(t, tiedColumns, "compute.speeds=[1, 2]"), experiment.Options{},
			func(err error) bool { return strings.Contains(err.Error(), "compute.speeds") }},
		"mode": {context.Background(), parse(t, tiedColumns, "rounds.mode=asynchronous"), experiment.Options{},
			func(err error) bool { return strings.Contains(err.Error(), "rounds.mode") }},
		"faults": {context.Background(), parse(t, plain, "network.faults=[{at: 1s, crash: 9}]"), experiment.Options{},
			func(err error) bool { return errors.As(err, &setup) && strings.Contains(err.Error(), "9") }},
		"deadline": {context.Background(), parse(t, plain, "network.loss=0.999", "rounds.deadline=1s"),
			experiment.Options{}, func(err error) bool { return strings.Contains(err.Error(), "no progress for") }},
		"unfinished": {context.Background(), parse(t, plain, "network.loss=0.9",
			"rounds={mode: asynchronous, count: 6, quorum: 1, timeout: 0s}"),
			experiment.Options{},
			func(err error) bool { return strings.Contains(err.Error(), "4 of 4 nodes unfinished") }},
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
		change   func(*record.Run)
		sets     []string
		says     string // "": the run repeats
		mismatch bool
	}{
		"as it was": {},
		"another file": {func(r *record.Run) { os.WriteFile(filepath.Join(r.Dir, "metrics.csv"), nil, 0o644) }, nil,
			"metrics.csv", true},
		"another seed": {func(r *record.Run) { r.Info.Seed++ }, nil, "first part at event", true},
		"another version": {func(r *record.Run) { r.Info.Seed++; r.Info.Versions["overhear"] = "0.0" }, nil,
			" (overhear was 0.0, is " + experiment.Version + ")", true},
		"fewer rounds": {func(r *record.Run) {
			r.Info.Scenario = strings.Replace(r.Info.Scenario, "count: 6", "count: 7", 1)
		}, []string{"record.trace=digest"}, "the run is not its reference", true},
		"another digest": {func(r *record.Run) { r.Info.Digest = "00" }, nil, "run.json says 00", true},
		"no scenario":    {func(r *record.Run) { r.Info.Scenario = "- 1" }, nil, "a scenario is a mapping", false},
		"no trace":       {nil, []string{"record.trace=off"}, "kept no trace", false},
		"no run": {func(r *record.Run) {
			r.Info.Scenario = strings.Replace(r.Info.Scenario, "nodes: 4", "nodes: 90", 1)
		}, nil, "90", false},
		"trace cut short": {func(r *record.Run) {
			path := filepath.Join(r.Dir, "trace.bin")
			os.Truncate(path, 40)
			delete(r.Info.Files, "trace.bin")
		}, nil, "trace", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, e, experiment.Options{})
			if c.sets != nil {
				r = run(t, parse(t, plain, c.sets...), experiment.Options{})
			}
			if c.change != nil {
				c.change(r)
			}
			err := experiment.Verify(context.Background(), r, "", 1, nil)
			if c.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.says) ||
				errors.Is(err, experiment.ErrMismatch) != c.mismatch {
				t.Errorf("%v, want %q", err, c.says)
			}
			if err != nil && strings.Contains(err.Error(), " was ") != (name == "another version") {
				t.Errorf("versions: %v", err)
			}
		})
	}
}

// Who is told of events is told of all of them.
func TestExecute_TellsOfEvents(t *testing.T) {
	e := parse(t, plain)
	a, err := e.Assemble(1)
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
