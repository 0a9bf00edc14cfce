// What a page says of a run, against the tables of its record and against facts that are known by hand. Every check
// compares what a reader sees with another source than the code that wrote it.

package view

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/metrics"
	"overhear/record"
	"overhear/scenarios"
)

// star is a run around a hub, with noise, so that it has a claim and a privacy loss.
var star = []string{"algorithm={kind: dp-admm}", "network.topology={kind: star, nodes: 4}", "adversary=null"}

// users is a run in which every training row is a user's, who reports it to one of five servers.
var users = []string{"algorithm={kind: pdml, eta: 0.05, epsilon: 1}", "rounds.count=3", "adversary=null"}

// measured reads metrics.csv as a table of texts.
func measured(t *testing.T, r *record.Run) (columns []string, rows [][]string) {
	t.Helper()
	f, err := os.Open(filepath.Join(r.Dir, "metrics.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil || len(all) < 2 {
		t.Fatalf("%d lines, %v", len(all), err)
	}
	return all[0], all[1:]
}

// Two events are the same only if nothing of them differs: each field is changed alone. A field that is added to
// events and not here is noticed by their number.
func TestEvent_DiffersInEveryField(t *testing.T) {
	is := func() event {
		return event{at: 5, send: true, node: 1, other: 2, round: 3, id: 4, arrives: 9, bytes: 312,
			kind: record.MessageValue, values: []float64{1, 0}}
	}
	changes := map[string]func(e *event){
		"at":                   func(e *event) { e.at++ },
		"send":                 func(e *event) { e.send = false },
		"lie":                  func(e *event) { e.lie = true },
		"node":                 func(e *event) { e.node++ },
		"other":                func(e *event) { e.other++ },
		"round":                func(e *event) { e.round++ },
		"id":                   func(e *event) { e.id++ },
		"arrives":              func(e *event) { e.arrives++ },
		"bytes":                func(e *event) { e.bytes++ },
		"kind":                 func(e *event) { e.kind = record.MessageRequest },
		"values":               func(e *event) { e.values[0] = math.Nextafter(1, 2) },
		"values, in sign":      func(e *event) { e.values[1] = math.Copysign(0, -1) },
		"values, in their sum": func(e *event) { e.values = e.values[:1] },
	}
	for k := range reflect.TypeFor[event]().NumField() {
		if name := reflect.TypeFor[event]().Field(k).Name; changes[name] == nil {
			t.Errorf("nothing changes %s", name)
		}
	}
	a, same := is(), is()
	if !a.equal(&same) || !same.equal(&a) {
		t.Error("an event is not the same as itself")
	}
	for name, change := range changes {
		b := is()
		if change(&b); a.equal(&b) || b.equal(&a) {
			t.Errorf("two events are the same that differ in %s", name)
		}
		for _, lie := range []bool{true, false} { // who reads of the two sees that they differ
			for _, at := range []int64{5, 12_345_678, 12_345_678_901_234} {
				a, b := is(), is()
				a.at, b.at = at, at
				a.arrives, b.arrives = 2*at, 2*at
				if strings.HasPrefix(name, "values") {
					a.send, b.send, a.lie, b.lie = false, false, lie, lie // packets have none
				}
				change(&b)
				sides := []string{a.String(), b.String()}
				if distinguish(sides, &a, &b); sides[0] == sides[1] {
					t.Errorf("at %d, lie %v, %s: both read %q", at, lie, name, sides[0])
				}
				if name == "bytes" && !strings.HasSuffix(sides[1], fmt.Sprintf(", of %d bytes", b.bytes)) {
					t.Errorf("of two sizes is said %q", sides)
				}
			}
		}
	}
	silent := event{lie: true, at: 1e9 + 1, node: 1, other: 2, round: 3}
	if got := silent.String(); got != "at 1.000000001 s node 1 leaves out what it should send node 2 of round 3" {
		t.Error(got)
	}
}

// Events have the sizes and kinds of packets as the record has them; users' reports and servers' values are two kinds.
func TestEvents_AreThoseOfTheRecord(t *testing.T) {
	r := recorded(t, hospitals, 1, users...)
	var want, got []string
	kinds := map[record.MessageKind]bool{}
	err := r.Messages(func(m record.Message) error {
		kinds[m.Kind] = true
		want = append(want, fmt.Sprint("packet ", m.ID, m.SentNS, m.ReceivedNS, m.Src, m.Dst, m.Round, m.Bytes, m.Kind))
		return nil
	})
	if err != nil || len(kinds) < 2 {
		t.Fatalf("kinds %v, %v", kinds, err)
	}
	err = r.Iterates(func(i record.Iterate) error {
		want = append(want, fmt.Sprint("value ", i.TimeNS, i.Node, i.Round, i.Values))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := events(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.send {
			got = append(got, fmt.Sprint("packet ", e.id, e.at, e.arrives, e.node, e.other, e.round, e.bytes, e.kind))
		} else {
			got = append(got, fmt.Sprint("value ", e.at, e.node, e.round, e.values))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%d events, and %d packets and values of the record, are not the same", len(got), len(want))
	}
}

// Where every packet is one byte longer and nothing else differs, the first packet does: the five starts before it are
// the same.
func TestFirstDifference_SeesSizes(t *testing.T) {
	d, err := FirstDifference(recorded(t, hospitals, 1), recorded(t, hospitals, 1, "network.header=65"))
	if err != nil || d.Same || d.Events != 5 || d.At != 0 || !slices.Equal(d.Nodes, []int{0, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
	if want := [][3]string{{"network.header", "64", "65"}}; !slices.Equal(d.Settings, want) {
		t.Errorf("settings %q", d.Settings)
	}
}

// A run that goes on where another ends is not the same run, whichever comes first: five nodes publish and send ten
// packets a round, in two rounds more.
func TestFirstDifference_SeesThatARunGoesOn(t *testing.T) {
	short, long := recorded(t, hospitals, 1), recorded(t, hospitals, 1, "rounds.count=8")
	x, err := events(short)
	if err != nil {
		t.Fatal(err)
	}
	y, err := events(long)
	if err != nil || len(y) != len(x)+2*15 {
		t.Fatalf("%d events, and %d, %v", len(x), len(y), err)
	}
	for k, pair := range [][]*record.Run{{short, long}, {long, short}} {
		d, err := FirstDifference(pair[0], pair[1])
		if err != nil || d.Same || d.Text != "" || d.Events != len(x) || d.At != y[len(x)].at || len(d.Sides) != 2 {
			t.Fatalf("%+v, %v", d, err)
		}
		if d.Sides[k] != "nothing more happens" || !strings.Contains(d.Sides[1-k], "publishes its value of round 7") {
			t.Errorf("sides %q", d.Sides)
		}
		if want := [3]string{"rounds.count", []string{"6", "8"}[k], []string{"8", "6"}[k]}; d.Settings[0] != want {
			t.Errorf("settings %q", d.Settings)
		}
	}
}

// Where nodes compute at other times, the first difference is at the earlier of the two, whichever run that is of.
func TestFirstDifference_IsAtTheEarlierEvent(t *testing.T) {
	fast, slow := recorded(t, hospitals, 1, "compute.row=100us"), recorded(t, hospitals, 1, "compute.row=200us")
	var at []int64
	for _, pair := range [][]*record.Run{{fast, slow}, {slow, fast}} {
		d, err := FirstDifference(pair[0], pair[1])
		if err != nil || d.Same {
			t.Fatalf("%+v, %v", d, err)
		}
		at = append(at, d.At)
	}
	all, err := events(fast)
	if err != nil {
		t.Fatal(err)
	}
	first := slices.IndexFunc(all, func(e event) bool { return e.round == 1 }) // all before is of the start
	if want := all[first].at; at[0] != want || at[1] != want {
		t.Errorf("the first difference is at %v, not at %d", at, want)
	}
}

// What was not recorded is not said to be the same: only two runs of one digest are, whatever was recorded of them.
func TestFirstDifference_SaysWhatItCompares(t *testing.T) {
	const liar = "adversary={acts: [{kind: mirror, about: zero, nodes: [1], from-round: 2}]}"
	for name, c := range map[string]struct {
		first, second []string
		same          bool
		note          string // a part of it; empty: there is none
	}{
		"lies of other rounds": {[]string{liar}, []string{liar, "record.iterates=last"}, true, ""},
		"lies of no round":     {[]string{liar, "record.iterates=none"}, []string{liar}, true, ""},
		"values of neither": {[]string{"record.iterates=none"}, []string{"record.iterates=none", "algorithm.eta=0.06"},
			true, "were not recorded (record.iterates: none). Their digests differ"},
		"values of neither, without digests": {[]string{"record={iterates: none, trace: off}"},
			[]string{"record={iterates: none, trace: off}", "algorithm.eta=0.06"}, true, "were not recorded"},
		"values of one": {[]string{"record.iterates=none"}, []string{"algorithm.eta=0.06"}, true,
			"of other rounds (record.iterates). Their digests differ"},
		"the last values": {[]string{"record.iterates=last"}, []string{"record.iterates=last", "algorithm.eta=0.06"},
			false, "those are compared that were recorded"},
		"all values":    {nil, []string{"algorithm.eta=0.06"}, false, ""},
		"one and a run": {nil, nil, true, ""},
	} {
		d, err := FirstDifference(recorded(t, hospitals, 1, c.first...), recorded(t, hospitals, 1, c.second...))
		if err != nil || d.Same != c.same || (d.Note == "") != (c.note == "") || !strings.Contains(d.Note, c.note) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

// Of two seeds of one scenario the seeds are all that differs in what was set, and of a repeat nothing does.
func TestFirstDifference_TellsSeeds(t *testing.T) {
	a := recorded(t, hospitals, 1)
	d, err := FirstDifference(a, recorded(t, hospitals, 12))
	if err != nil || d.Same || !slices.Equal(d.Settings, [][3]string{{"seed", "1", "12"}}) {
		t.Errorf("another seed: %+v, %v", d, err)
	}
	d, err = FirstDifference(a, recorded(t, hospitals, 12, "algorithm.eta=0.06"))
	if err != nil || !slices.Equal(d.Settings, [][3]string{{"seed", "1", "12"}, {"algorithm.eta", "0.05", "0.06"}}) {
		t.Errorf("another seed and η: %+v, %v", d, err)
	}
	if d, err = FirstDifference(a, recorded(t, hospitals, 1)); err != nil || len(d.Settings) > 0 {
		t.Errorf("a repeat: %+v, %v", d, err)
	}
}

// What a scenario changes while a run goes is told of two as of one, in words; of a fork and its run, of one side.
func TestFirstDifference_TellsChangesInWords(t *testing.T) {
	a := recorded(t, hospitals, 1)
	b := recorded(t, hospitals, 1, "changes=[{at: 40ms, set: {network.loss: 0.1, rounds.retry: 50ms}}, "+
		"{at: 90ms, set: {network.faults: [{slow: 1, factor: 2}]}}]")
	c := recorded(t, hospitals, 1, "changes=[{at: 50ms, set: {network.duplication: 0.5}}]")
	var words []string
	for _, change := range built(t, b).Runs[0].Changes {
		words = append(words, change.Text)
	}
	const other = "from 50ms on network.duplication=0.5"
	want := strings.Join(words, "; ")
	if want != "from 40ms on network.loss=0.1, rounds.retry=50ms; "+
		"from 90ms on network.faults=[{slow: 1, factor: 2}]" {
		t.Fatalf("a run's own page says %q", want)
	}
	for _, k := range []struct {
		runs [2]*record.Run
		want [3]string
	}{{[2]*record.Run{a, b}, [3]string{"changes", "", want}}, {[2]*record.Run{b, a}, [3]string{"changes", want, ""}},
		{[2]*record.Run{b, c}, [3]string{"changes", want, other}}} {
		d, err := FirstDifference(k.runs[0], k.runs[1])
		if err != nil || !slices.Equal(d.Settings, [][3]string{k.want}) {
			t.Errorf("%q, %v; not %q", d.Settings, err, k.want)
		}
	}
}

// What becomes of a node's memory is what the scenario's fault plan says, and a crash that says nothing keeps it.
func TestDocument_SaysWhatBecomesOfMemory(t *testing.T) {
	v := built(t, recorded(t, `name: memory
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: complete, nodes: 6}
  latency: 20ms
  faults:
    - {crash: 1, at: 30ms, until: 60ms, memory: lost}
    - {crash: 2, at: 40ms, until: 70ms, memory: kept}
    - {crash: 3, at: 50ms, until: 80ms}
    - {join: 4, at: 25ms}
    - {leave: 5, at: 90ms}
rounds: {count: 12, retry: 30ms, mode: asynchronous}
algorithm: {kind: admm, eta: 0.05}
`, 1)).Runs[0]
	want := []Outage{
		{1, 30e6, 60e6, "down, memory lost"},
		{2, 40e6, 70e6, "down, memory kept"},
		{3, 50e6, 80e6, "down, memory kept"},
		{4, 0, 25e6, "has not joined"},
	}
	if len(v.Outages) != 5 || !slices.Equal(v.Outages[:4], want) {
		t.Fatalf("outages %+v", v.Outages)
	}
	if o := v.Outages[4]; o.Node != 5 || o.From != 90e6 || o.To < v.End || o.Why != "has left" {
		t.Errorf("who leaves: %+v, and the end is %d", o, v.End)
	}
}

// Node 0 of a star method is a hub and has no data, so that no value of it has a loss on rows of its own. Node 0 of a
// method among equals has both.
func TestDocument_TellsHubs(t *testing.T) {
	for _, c := range []struct {
		sets []string
		hub  bool
	}{{star, true}, {nil, false}} {
		v := built(t, recorded(t, hospitals, 1, c.sets...)).Runs[0]
		rows := false // whether node 0 has any
		for k, node := range v.Values.Node {
			rows = rows || node == 0 && !math.IsNaN(float64(v.Values.Loss[k]))
		}
		if v.Hub != c.hub || rows == c.hub {
			t.Errorf("%s: hub %v, node 0 has rows: %v", v.Algorithm, v.Hub, rows)
		}
	}
}

// Of a run with users every training row is one, who sends one report. They are the nodes after the servers, and
// other runs have none.
func TestDocument_CountsUsers(t *testing.T) {
	r := recorded(t, hospitals, 1, users...)
	v := built(t, r).Runs[0]
	report := map[int32]bool{}
	if err := r.Reports(func(i record.Iterate) error { report[i.Node] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	const rows = 455 // four fifths of wdbc's 569
	if len(report) != rows || v.Users != rows || v.Nodes != 5+rows || v.Hub {
		t.Errorf("%d users and %d nodes, hub %v, and %d report", v.Users, v.Nodes, v.Hub, len(report))
	}
	for node := range report {
		if int(node) < v.Nodes-v.Users || int(node) >= v.Nodes {
			t.Errorf("node %d reports and is none of the last %d of %d", node, v.Users, v.Nodes)
		}
	}
	if !slices.Contains(v.Facts, [2]string{"users", "455, who register with a node"}) {
		t.Errorf("facts %q", v.Facts)
	}
	v = built(t, recorded(t, hospitals, 1)).Runs[0]
	if tells := func(f [2]string) bool { return f[0] == "users" }; v.Users != 0 || slices.ContainsFunc(v.Facts, tells) {
		t.Errorf("without users: %d, facts %q", v.Users, v.Facts)
	}
}

// Curves are columns of metrics.csv, number by number, and have their rounds and times.
func TestDocument_HasTheMetricsOfTheRun(t *testing.T) {
	for _, c := range []struct {
		sets   []string
		curves []string
	}{
		{nil, []string{"distance", "loss", "test_error", "consensus"}},
		{star, []string{"distance", "loss", "test_error", "consensus", "privacy_loss"}},
		{[]string{"rounds={mode: asynchronous, count: 6}", "adversary=null"},
			[]string{"distance", "loss", "test_error", "consensus"}},
	} {
		r := recorded(t, hospitals, 1, c.sets...)
		v := built(t, r).Runs[0].Rows
		columns, rows := measured(t, r)
		same := func(name string, values []number) {
			k := slices.Index(columns, name)
			if k < 0 || len(values) != len(rows) {
				t.Fatalf("%v: %s is column %d and has %d values, of %d", c.sets, name, k, len(values), len(rows))
			}
			for row, got := range values {
				text := rows[row][k]
				want, err := strconv.ParseFloat(text, 64)
				if text == "" {
					if !math.IsNaN(float64(got)) {
						t.Errorf("%v: %s in row %d is %v and not empty", c.sets, name, row, got)
					}
				} else if err != nil || float64(got) != want {
					t.Errorf("%v: %s in row %d is %v, not %s, %v", c.sets, name, row, got, text, err)
				}
			}
		}
		var names []string
		for _, m := range v.Curves {
			names = append(names, m.Name)
			same(m.Name, m.Values)
			if (m.Name == "consensus") != (m.Title == "disagreement") || m.Title != metrics.Named(m.Name).Title {
				t.Errorf("%s is called %q", m.Name, m.Title)
			}
		}
		if !slices.Equal(names, c.curves) {
			t.Errorf("%v: curves %q, want %q", c.sets, names, c.curves)
		}
		same("round", v.Round)
		at := slices.Index(columns, "time_s")
		for row, ns := range v.Time {
			if s, err := strconv.ParseFloat(rows[row][at], 64); err != nil || ns != int64(math.Round(1e9*s)) {
				t.Errorf("%v: row %d is of %d ns, not of %s s, %v", c.sets, row, ns, rows[row][at], err)
			}
		}
		if len(v.Time) != len(rows) {
			t.Errorf("%v: %d times of %d", c.sets, len(v.Time), len(rows))
		}
	}
}

// Steps begin and end when the record says so.
func TestDocument_HasTheStepsOfTheRecord(t *testing.T) {
	r := recorded(t, faulty, 1)
	v := built(t, r).Runs[0].Steps
	ended := sums(v.Ended)
	k, most := 0, int64(0)
	err := r.Steps(func(s record.Step) error {
		if k >= len(ended) || v.Node[k] != s.Node || v.Round[k] != s.Round || ended[k] != s.EndedNS ||
			ended[k]-v.Took[k] != s.BeganNS {
			t.Fatalf("step %d is %+v in the record", k, s)
		}
		most = max(most, s.EndedNS-s.BeganNS)
		k++
		return nil
	})
	if err != nil || k != len(v.Took) || k == 0 || most == 0 {
		t.Errorf("%d steps of %d, which take up to %d ns, %v", len(v.Took), k, most, err)
	}
}

// floats are numbers as a page has them.
func floats(t *testing.T, content string) (all []float32) {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(content)
	if err != nil || len(b)%4 != 0 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	for ; len(b) > 0; b = b[4:] {
		all = append(all, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return all
}

// What packets carry is what nodes published, or the lie that one told, to the digits that a page has, and their
// lengths are those of the record.
func TestDocument_HasTheValuesOfTheRecord(t *testing.T) {
	r := recorded(t, hospitals, 1, "adversary={acts: [{kind: mirror, about: zero, nodes: [1], from-round: 2}], "+
		"knows: {victim: 2, all-but: 3}, attacks: [kkt-inversion]}")
	doc := built(t, r).Runs[0]
	v, at := doc.Values, sums(doc.Values.Time)
	const d = 31 // wdbc's 30 columns and the intercept
	same := func(what string, content []float32, k int, values []float64) {
		t.Helper()
		if len(values) != d || len(content) < (k+1)*d {
			t.Fatalf("%s %d has %d numbers, and the page has %d of all", what, k, len(values), len(content))
		}
		for j, x := range values {
			if got := content[k*d+j]; got != float32(x) {
				t.Fatalf("%s %d: number %d is %v, and %v in the record", what, k, j, got, x)
			}
		}
	}
	content, published := floats(t, v.Content), map[[2]int32][]float64{}
	k := 0
	longest := 0.0
	err := r.Iterates(func(i record.Iterate) error {
		same("value", content, k, i.Values)
		published[[2]int32{i.Node, i.Round}] = i.Values
		square := 0.0
		for _, x := range i.Values {
			square += x * x
		}
		longest = max(longest, square)
		if v.Node[k] != i.Node || v.Round[k] != i.Round || at[k] != i.TimeNS ||
			!(math.Abs(float64(v.Norm[k])-math.Sqrt(square)) <= 1e-12) {
			t.Errorf("value %d is of node %d, round %d and length %v in the record", k, i.Node, i.Round,
				math.Sqrt(square))
		}
		k++
		return nil
	})
	if err != nil || v.D != d || k*d != len(content) || k != len(v.Node) || k != 5*7 || longest == 0 {
		t.Errorf("%d numbers of %d values, %d rows, %v", len(content), k, len(v.Node), err)
	}
	content = floats(t, doc.Lies.Content)
	k = 0
	err = r.Lies(func(l record.Lie) error {
		same("lie", content, k, l.Values)
		square := 0.0
		for j, x := range published[[2]int32{l.Node, l.Round}] {
			square += (l.Values[j] - x) * (l.Values[j] - x)
		}
		if away := math.Sqrt(square); away == 0 || !(math.Abs(float64(doc.Lies.Away[k])-away) <= 1e-12) {
			t.Errorf("lie %d is %v away, not %v", k, doc.Lies.Away[k], away)
		}
		k++
		return nil
	})
	if err != nil || k*d != len(content) || k != len(doc.Lies.Node) || k != 5*2 { // rounds 2 to 6, two neighbours
		t.Errorf("%d numbers of %d lies, %d rows, %v", len(content), k, len(doc.Lies.Node), err)
	}
}

// Of a run that ended before its last round the page says why, and how far it came.
func TestDocument_SaysWhyARunEndedEarly(t *testing.T) {
	s, err := scenarios.Parse("viewed.yaml", []byte(hospitals), "network.faults=[{crash: 1, at: 50ms}]",
		"rounds.deadline=2s")
	if err != nil {
		t.Fatal(err)
	}
	var early *experiment.EarlyEnd
	r, err := experiment.New(s, "").Run(context.Background(), 1, experiment.Options{Out: t.TempDir()})
	if r == nil || err != nil && !errors.As(err, &early) {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s; %d of 6 rounds", r.Info.Ended, r.Info.Rounds)
	if r.Info.Ended == "" || r.Info.Rounds == 6 || !slices.Contains(built(t, r).Runs[0].Facts,
		[2]string{"ended early", want}) {
		t.Errorf("%q: facts %q", want, built(t, r).Runs[0].Facts)
	}
}

// parted is a run that ended early, as nodes waited until the deadline for others behind a partition.
func parted(t *testing.T) *record.Run {
	t.Helper()
	s, err := scenarios.Parse("viewed.yaml", []byte(hospitals),
		"network.faults=[{partition: [[0, 1], [2, 3, 4]], at: 50ms}]")
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment.New(s, "").Run(context.Background(), 1, experiment.Options{Out: t.TempDir(),
		Extra: evaluation.WriteKnowledge})
	var early *experiment.EarlyEnd
	if !errors.As(err, &early) {
		t.Fatalf("the run went on: %v", err)
	}
	return r
}

// A run that waited for its deadline has a time line of what happened before: requests in vain are told and not shown.
func TestDocument_EndsWhereOnlyRequestsFollow(t *testing.T) {
	r := parted(t)
	v := built(t, r).Runs[0]
	last, arrived, asked := int64(0), int64(0), 0
	if err := r.Messages(func(m record.Message) error {
		if last = max(last, m.SentNS, m.ReceivedNS); m.Kind != record.MessageRequest {
			arrived = max(arrived, m.SentNS, m.ReceivedNS)
		}
		if m.SentNS > v.End {
			asked++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, at := range sums(v.Values.Time) {
		arrived = max(arrived, at)
	}
	seconds := func(ns int64) float64 { return float64(ns) / 1e9 }
	want := fmt.Sprintf("%d requests in vain, up to %.6g s, and nothing else happens until the run ends early: %s",
		asked, seconds(last), r.Info.Ended)
	note := fmt.Sprintf("The time line ends at %.6g s. After that: %s.", seconds(v.End), want)
	if !strings.Contains(v.After, "(the deadline): node ") { // what is waited for, and not the request that was last
		t.Errorf("after its end: %q", v.After)
	}
	if v.End != arrived || last < 1000*v.End || asked < 100 || v.After != want || !slices.Contains(v.Notes, note) {
		t.Errorf("ends at %d of %d, not %d: %q, notes %q", v.End, last, arrived, v.After, v.Notes)
	}
	if v.Attack == nil || len(v.Attack.Order) < asked/4 {
		t.Error("packets that are not shown are not the adversary's")
	}
	all, err := Happenings(r)
	if err != nil || len(all) != 1 || all[0].To != last {
		t.Errorf("the timeline, which has the requests, has %+v, %v", all, err)
	}
	if v := built(t, recorded(t, hospitals, 1)).Runs[0]; v.After != "" {
		t.Errorf("of a whole run: %q", v.After)
	}
}

// Links that differ from the others are told at the run, in what they do.
func TestDocument_TellsExceptions(t *testing.T) {
	const links = "network.links=[{between: [0, 1], loss: 0.3, duplication: 0.05}, " +
		"{between: [1, 2], latency: 70ms, bandwidth: 1Mbps}]"
	v := built(t, recorded(t, hospitals, 1, links, "rounds.retry=100ms")).Runs[0]
	want := [2]string{"exceptions", "0–1: 30 % of packets are lost, 5 % arrive twice; 1–2: a latency of its own, a " +
		"bandwidth of its own"}
	if !slices.Contains(v.Facts, want) {
		t.Errorf("%q", v.Facts)
	}
}

// Facts are what run.json says, to four digits.
func TestDocument_HasTheFactsOfTheRun(t *testing.T) {
	for _, c := range []struct {
		sets    []string
		network string
		claims  bool
	}{{nil, "5 nodes, 5 edges", false}, {star, "4 nodes, 3 edges", true}} {
		r := recorded(t, hospitals, 1, c.sets...)
		v := built(t, r).Runs[0]
		text, err := os.ReadFile(filepath.Join(r.Dir, "run.json"))
		if err != nil {
			t.Fatal(err)
		}
		var info struct {
			Algorithm, Digest string
			Events            uint64
			Final             struct {
				Loss, Distance float64
				TestError      float64 `json:"test_error"`
				Seconds        float64 `json:"virtual_seconds"`
			}
			Privacy *struct{ Guarantee string }
		}
		if err := json.Unmarshal(text, &info); err != nil {
			t.Fatal(err)
		}
		facts := map[string]string{}
		for _, f := range v.Facts {
			if facts[f[0]] != "" {
				t.Errorf("%s is told twice: %q", f[0], v.Facts)
			}
			facts[f[0]] = f[1]
		}
		final := info.Final
		if final.Loss == 0 || final.Distance == 0 || final.TestError == 0 || final.Loss == final.Distance ||
			len(info.Digest) != 64 {
			t.Fatalf("run.json has %+v", info) // and facts could not be told apart
		}
		for name, want := range map[string]float64{"training loss": final.Loss,
			"distance to the optimum": final.Distance, "test error": final.TestError} {
			if facts[name] != fmt.Sprintf("%.4g", want) {
				t.Errorf("%v: %s is told as %q and is %v", c.sets, name, facts[name], want)
			}
		}
		for name, want := range map[string]string{"network": c.network, "method": info.Algorithm + ", 6 rounds",
			"digest": info.Digest[:16]} {
			if facts[name] != want {
				t.Errorf("%v: %s is told as %q and is %q", c.sets, name, facts[name], want)
			}
		}
		over, _, _ := strings.Cut(facts["virtual time"], " s")
		if over != fmt.Sprintf("%.6g", final.Seconds) {
			t.Errorf("%v: virtual time is told as %q and is %v s", c.sets, facts["virtual time"], final.Seconds)
		}
		if (info.Privacy != nil) != c.claims || c.claims && facts["claim"] != info.Privacy.Guarantee ||
			!c.claims && facts["claim"] != "" {
			t.Errorf("%v: the claim is told as %q", c.sets, facts["claim"])
		}
		if v.Algorithm != info.Algorithm || v.Digest != info.Digest || v.Events != info.Events {
			t.Errorf("%v: %s, digest %s, %d events", c.sets, v.Algorithm, v.Digest, v.Events)
		}
	}
}

// A node that lost its memory sends its start as its value of the round that it had published last; a hub that did, and
// its clients, send what they had sent.
func TestBuild_StartsThatAreSentAgain(t *testing.T) {
	const text = `name: again
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: %s, nodes: 5}, latency: 20ms, faults: [{at: 95ms, crash: 0, until: 150ms, memory: lost}]}
rounds: {count: 12, retry: 30ms}
algorithm: {kind: %s, eta: 0.05}
`
	for _, c := range []struct {
		graph, method string
		want          []Restart
	}{
		{"ring", "admm", []Restart{{Node: 0, Round: 4, At: 150e6}}},
		{"star", "dp-admm", nil},
	} {
		d := built(t, recorded(t, fmt.Sprintf(text, c.graph, c.method), 1))
		if got := d.Runs[0].Restarts; !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v", c.graph, got)
		}
	}
}
