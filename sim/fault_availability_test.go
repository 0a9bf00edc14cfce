// Traces: what is in a file, or in the scenario, is when nodes are up, and what is wrong with it is told.

package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// downBy are the outages of a plan's nodes, none of which loses its memory, up to a time.
func downBy(t *testing.T, n int, until Time, plan ...Fault) (all [][][2]Time) {
	t.Helper()
	outages, err := FaultPlan(plan).Course().Outages(1, complete(t, n), nil, until)
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range outages {
		var spans [][2]Time
		for _, o := range node {
			spans = append(spans, [2]Time{o.From, o.To})
		}
		all = append(all, spans)
	}
	return all
}

// traced is a fault by a trace of this text.
func traced(t *testing.T, text string, how AvailabilityTrace) Fault {
	t.Helper()
	how.File = filepath.Join(t.TempDir(), "trace.csv")
	if err := os.WriteFile(how.File, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Fault{Kind: TracedAvailability{&how}}
}

// Two classes in turn: nodes 0 and 2 are cars, 1 and 3 are phones. By hand.
func TestTracedAvailability_IsTheTrace(t *testing.T) {
	const text = "class,from,to\nphone,0,2\ncar,1,3\nphone,5,6\n"
	const s = Time(1e9)
	for name, c := range map[string]struct {
		text      string
		how       AvailabilityTrace
		at, until Duration
		car       [][2]Time
		phone     [][2]Time
	}{
		"as it is, and up": {text, AvailabilityTrace{End: "up"}, 0, 0,
			[][2]Time{{0, s}, {3 * s, 6 * s}}, [][2]Time{{2 * s, 5 * s}}},
		"and gone": {text, AvailabilityTrace{End: "down"}, 0, 0,
			[][2]Time{{0, s}, {3 * s, 20 * s}}, [][2]Time{{2 * s, 5 * s}, {6 * s, 20 * s}}},
		"again and again": {text, AvailabilityTrace{End: "repeat", Period: 8e9}, 0, 0,
			[][2]Time{{0, s}, {3 * s, 9 * s}, {11 * s, 17 * s}, {19 * s, 20 * s}},
			[][2]Time{{2 * s, 5 * s}, {6 * s, 8 * s}, {10 * s, 13 * s}, {14 * s, 16 * s}, {18 * s, 20 * s}}},
		"other units, without names, later, and over": {"phone;0;2000\ncar;1000;3000\nphone;5000;6000\n",
			AvailabilityTrace{End: "repeat", Unit: 1e6}, 10e9, 14e9,
			[][2]Time{{10 * s, 11 * s}, {13 * s, 14 * s}}, [][2]Time{{12 * s, 14 * s}}},
		"when it is not there": {text, AvailabilityTrace{End: "up", Says: "down"}, 0, 0,
			[][2]Time{{s, 3 * s}}, [][2]Time{{0, 2 * s}, {5 * s, 6 * s}}},
		"from the middle on, twice as fast": {text, AvailabilityTrace{End: "up", Start: new(2.0), Stretch: 0.5}, 0, 0,
			[][2]Time{{s / 2, 2 * s}}, [][2]Time{{0, 3 * s / 2}}},
		"dates": {"a,time_s,until_s\nphone,1700000000,1700000002\n" +
			"car,1700000001,1700000003\nphone,1700000005,1700000006\n",
			AvailabilityTrace{End: "up", Start: new(1.7e9)}, 0, 0,
			[][2]Time{{0, s}, {3 * s, 6 * s}}, [][2]Time{{2 * s, 5 * s}}},
		"columns in another order": {"to,class,from_s\n2,phone,0\n3,car,1\n6,phone,5\n", AvailabilityTrace{End: "up"},
			0, 0, [][2]Time{{0, s}, {3 * s, 6 * s}}, [][2]Time{{2 * s, 5 * s}}},
		"classes that are numbers, last": {"from,to,class\n0,2,20\n1,3,3\n5,6,20\n", AvailabilityTrace{End: "up"}, 0, 0,
			[][2]Time{{0, s}, {3 * s, 6 * s}}, [][2]Time{{2 * s, 5 * s}}},
		"spans that touch": {text + "phone,2,4\n", AvailabilityTrace{End: "up"}, 0, 0,
			[][2]Time{{0, s}, {3 * s, 6 * s}}, [][2]Time{{4 * s, 5 * s}}},
	} {
		f := traced(t, c.text, c.how)
		f.At, f.Until = c.at, c.until
		got := downBy(t, 4, 20*s, f)
		if want := [][][2]Time{c.car, c.phone, c.car, c.phone}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: nodes are down in\n%v, want\n%v", name, got, want)
		}
	}
	in := AvailabilityTrace{End: "up", Spans: map[string][][2]Duration{"car": {{1e9, 3e9}},
		"phone": {{5e9, 6e9}, {0, 2e9}}}, Nodes: []int{1}}
	got := downBy(t, 2, 20*s, Fault{Kind: TracedAvailability{&in}})
	if want := [][][2]Time{nil, {{2 * s, 5 * s}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("in the scenario, of node 1 only: %v, want %v", got, want)
	}
}

// A class that is never there is gone, and one that is always there is no trouble.
func TestTracedAvailability_OfAClassThatIsNeverThere(t *testing.T) {
	f := traced(t, "a,0,1\nb,0,9\n", AvailabilityTrace{End: "repeat", Start: new(4.0)})
	f.Kind.(TracedAvailability).Trace.Placement = &Placement{Kind: "list", Names: []string{"a", "b"}}
	c, err := NewCalendar(1, complete(t, 2), nil, FaultPlan{f}.Course())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, happens := c.Due(0, 7e9); happens || !c.Gone(0) {
		t.Error("a node whose class is never there is not gone")
	}
	if _, held, _ := c.Due(1, 7e9); held || c.Gone(1) {
		t.Error("a node whose class is always there is down")
	}
}

// Which node is of which class depends on the names, and not on the order of the file's lines; at random on the seed.
func TestTracedAvailability_Classes(t *testing.T) {
	shares := &Placement{Kind: "shares", Shares: map[string]float64{"2": 3, "10": 1}}
	const s = Time(1e9)
	one, two := [][2]Time{{1 * s, 2 * s}}, [][2]Time{{2 * s, 3 * s}}
	for _, text := range []string{"2,1,2\n10,2,3\n", "10,2,3\n2,1,2\n"} {
		got := downBy(t, 4, 9*s, traced(t, text, AvailabilityTrace{End: "up", Says: "down", Placement: shares}))
		if want := [][][2]Time{one, one, one, two}; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		got = downBy(t, 3, 9*s, traced(t, text, AvailabilityTrace{End: "up", Says: "down"}))
		if want := [][][2]Time{one, two, one}; !reflect.DeepEqual(got, want) {
			t.Errorf("%q, in turn: %v, want %v", text, got, want)
		}
	}
	random := traced(t, "2,1,2\n10,2,3\n", AvailabilityTrace{End: "up", Says: "down", Placement: &Placement{
		Kind: "random", Shares: map[string]float64{"2": 3, "10": 1}}})
	at := func(seed uint64) (classes string) {
		outages, err := FaultPlan{random}.Course().Outages(seed, complete(t, 200), nil, 9*s)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outages {
			classes += fmt.Sprint(o[0].From / s)
		}
		return classes
	}
	a := at(1)
	if n := strings.Count(a, "1"); n < 126 || n > 171 { // 150 ± 3.5 standard deviations
		t.Errorf("three quarters of 200 nodes are %d", n)
	}
	if a != at(1) || a == at(2) {
		t.Error("classes at random are not by the seed")
	}
}

// Every mistake has its place and a remedy, and all are told at once.
func TestTracedAvailability_SaysWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "trace.csv: the file is empty; it must have lines class,from,to",
		"class,from,to\n":                      "trace.csv:1:1: there are no lines below the names of the columns",
		"a,0,1\nb,2\n":                         "trace.csv:2:1: has 2 fields; a line is class,from,to",
		"a;b;c\na;0;1,5\n":                     `trace.csv:2:5: the time up to which must be a number, is "1,5": write`,
		"a,0,x\nb,,1\n":                        `trace.csv:1:5: the time up to which must be a number, is "x"`,
		"a,0,1\nb,,1\n":                        "trace.csv:2:3: the time from which on is missing",
		"a,0,1\nb,NaN,1\n":                     `trace.csv:2:3: the time from which on must be a number, is "NaN"`,
		"a,0,1\nb,1,Inf\n":                     "trace.csv:2:5: the time up to which must be finite, is Inf",
		"a,2026-01-01,2026-01-02\n":            `is "2026-01-01": dates and times of day are to be made numbers`,
		"a,0,1\n,1,2\n":                        "trace.csv:2:1: a class has no name",
		"a,1,1\n":                              "trace.csv:1:5: a ends before it begins: from 1 to 1",
		"a,0,5\nb,0,1\na,3,6\n":                "trace.csv:3:3: a is given twice: from 0 to 5 on line 1, and from 3 on",
		"a,-5,5\n":                             "trace.csv:1:3: a begins at -5, before the trace does: say start: -5",
		"a,1700000000,1700000001\n":            "more than a year: where these are dates, say start: 1.7e+09",
		"class,from_ms,to_ms\na,0,1\n":         `trace.csv:1:7: the column "from_ms" says milliseconds, and unit`,
		"a,0,99999999999\n":                    "after the trace's beginning, more than a century",
		",class,from,to\n0,a,0,1\n1,b,0,1\n":   "the first column is an index: write the file without it",
		"class,from,to\na,0,1,\nb,0,1\nc,0,1,": "trace.csv:2:1: has 4 fields",
		"from,until,class\n0,1,7\n":            "trace.csv:1:1: the columns are named from,until,class, some as",
	} {
		f := traced(t, text, AvailabilityTrace{End: "up"})
		_, err := New(Config{Graph: complete(t, 2), Faults: FaultPlan{f}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "faults[0].avail") {
			t.Errorf("%q\n gave  %v\n want  %s", text, err, want)
		}
	}
	many := traced(t, strings.Repeat("a,x,1\n", 14), AvailabilityTrace{End: "up"})
	if _, err := New(Config{Graph: complete(t, 2), Faults: FaultPlan{many}}); err == nil ||
		!strings.HasSuffix(err.Error(), "and 4 more") {
		t.Errorf("14 mistakes: %v", err)
	}
	for want, how := range map[string]AvailabilityTrace{
		`placement names "car", which is no class; there are: a`: {End: "up", Placement: &Placement{Kind: "list",
			Names: []string{"a", "car"}}},
		"placement names a class for 3 nodes; there are 2": {End: "up", Placement: &Placement{Kind: "list",
			Names: []string{"a", "a", "a"}}},
		"the trace goes on up to 3s, which is after its period, 2s": {End: "repeat", Period: 2e9},
		"the trace is empty from its start, 4, on":                  {End: "up", Start: new(4.0)},
	} {
		_, err := New(Config{Graph: complete(t, 2), Faults: FaultPlan{traced(t, "a,0,3\n", how)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("gave %v, want %s", err, want)
		}
	}
	for want, how := range map[string]AvailabilityTrace{
		"availability.file must stand, or else spans": {End: "up"},
		"availability.end must say what comes after":  {File: "a"},
		"availability.end must be repeat, up or down": {File: "a", End: "stop"},
		"availability.says must be up or down":        {File: "a", End: "up", Says: "Up"},
		"availability.unit must be a positive":        {File: "a", End: "up", Unit: -1},
		"availability.period must be a positive":      {File: "a", End: "up", Period: -1},
		"availability.stretch must be positive":       {File: "a", End: "up", Stretch: -1},
		"availability.memory must be kept or lost":    {File: "a", End: "up", Memory: "none"},
		"availability.nodes must not be empty":        {File: "a", End: "up", Nodes: []int{}},
		"availability.unit is of a file": {End: "up", Unit: 1,
			Spans: map[string][][2]Duration{"a": {{0, 1}}}},
		"availability.start is of a file": {End: "up", Start: new(0.0),
			Spans: map[string][][2]Duration{"a": {{0, 1}}}},
		"availability.spans a ends before it begins: from 2ns to 1ns": {End: "up",
			Spans: map[string][][2]Duration{"a": {{2, 1}}}},
	} {
		var got []string
		f := Fault{Kind: TracedAvailability{&how}}
		f.Check(func(field, problem string) { got = append(got, field+" "+problem) })
		if len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
