// A fault: nodes that are there when a trace says so.

package sim

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

func init() { registerFault(8, TracedAvailability{}) }

// TracedAvailability has nodes up and down as classes of nodes were observed to be.
type TracedAvailability struct {
	Trace *AvailabilityTrace `yaml:"availability" doc:"nodes are there when a trace says so"`
}

// AvailabilityTrace is when nodes of several classes were there, and which node is of which class. Its time 0 is the
// fault's at.
type AvailabilityTrace struct {
	File      string                   `yaml:"file" doc:"CSV of lines class,from,to, with a line of names above them or without: when nodes of a class were there, times counted from the trace's beginning"`
	Spans     map[string][][2]Duration `yaml:"spans" doc:"instead of file: of each class, from and to, {phone: [[0s, 20s], [1m, 2m]]}"`
	Says      string                   `yaml:"says" enum:"up,down" doc:"when what the trace has is: up (if not given), a node is there; down, it is not"`
	End       string                   `yaml:"end" enum:"repeat,up,down" doc:"what comes after the trace: repeat, it begins again; up, nodes stay; down, they are gone for good. It must be said"`
	Unit      Duration                 `yaml:"unit" doc:"what 1 is in the file; 1s if not given"`
	Start     *float64                 `yaml:"start" doc:"the number in the file that is the trace's beginning; 0 if not given"`
	Period    Duration                 `yaml:"period" doc:"how long the trace is; if not given, up to its last time"`
	Stretch   float64                  `yaml:"stretch" doc:"multiplies all times of the trace, period too: 0.001 has a day go by in 86.4s; 1 if not given"`
	Placement *Placement               `yaml:"placement" doc:"of which class each node is; default: the classes take turns, in the order of their names"`
	Memory    string                   `yaml:"memory" enum:"kept,lost" doc:"what becomes of what a node was about to do when it goes: kept (if not given) or lost"`
	Nodes     []int                    `yaml:"nodes" doc:"nodes for which this holds; all if not given"`
}

const (
	traceUp     = "up"
	traceDown   = "down"
	traceRepeat = "repeat"
)

// Key is the kind's name in a scenario.
func (TracedAvailability) Key() string { return "availability" }

func (a TracedAvailability) names() []int { return a.Trace.Nodes }

// SourceFile is where the trace's path is, which is empty if the trace is in the scenario.
func (a TracedAvailability) SourceFile() *string { return &a.Trace.File }

// Forgets says whether a node that goes loses its memory.
func (a TracedAvailability) Forgets() bool { return a.Trace.Memory == memoryLost }

func (a TracedAvailability) check(f *Fault, report func(field, problem string)) {
	f.checkSpan(report)
	a.Trace.Check(func(field, problem string) { report("availability."+field, problem) })
}

// Check reports what is missing or contradicts itself; what is in a file is for [New].
func (a AvailabilityTrace) Check(report func(field, problem string)) {
	switch {
	case (a.File == "") == (a.Spans == nil):
		report("file", "must stand, or else spans: exactly one of them")
	case a.Spans != nil && a.Unit != 0:
		report("unit", "is of a file; times of spans have their own")
	case a.Spans != nil && a.Start != nil:
		report("start", "is of a file; times of spans begin with 0s")
	}
	switch a.End {
	case "":
		report("end", "must say what comes after the trace: repeat, up (nodes stay) or down (they are gone)")
	case traceRepeat, traceUp, traceDown:
	default:
		report("end", fmt.Sprintf("must be repeat, up or down, is %q", a.End))
	}
	if a.Says != "" && a.Says != traceUp && a.Says != traceDown {
		report("says", fmt.Sprintf("must be up or down, is %q", a.Says))
	}
	if a.Unit < 0 {
		report("unit", fmt.Sprintf("must be a positive duration, what 1 is in the file, is %v", a.Unit))
	}
	if a.Period < 0 {
		report("period", fmt.Sprintf("must be a positive duration, how long the trace is, is %v", a.Period))
	}
	checkStretch(report, a.Stretch)
	if a.Placement != nil {
		a.Placement.Check(func(field, problem string) { report("placement."+field, problem) })
	}
	checkMemory(report, a.Memory)
	checkThose(report, a.Nodes)
	if a.Spans != nil {
		if _, err := a.read(); err != nil {
			report("spans", err.Error())
		}
	}
}

// presence is, by class, when nodes are down within a trace's period: ascending, apart from each other.
type presence struct {
	names  []string
	down   [][][2]Time
	period Time
}

// span is a line of a trace.
type span struct {
	from, to   float64 // in units, from the trace's beginning
	begin, end cell    // their places
}

// read makes the trace's outages.
func (a *AvailabilityTrace) read() (*presence, error) {
	t := &table{file: a.File}
	spans := map[string][]span{}
	if a.Spans != nil {
		for name, all := range a.Spans {
			for _, s := range all {
				spans[name] = append(spans[name], span{float64(s[0]), float64(s[1]), cell{text: s[0].String()},
					cell{text: s[1].String()}})
			}
		}
		return a.arrange(t, spans, 1)
	}
	var result *presence
	err := t.open(func(in io.Reader) {
		for _, row := range a.lines(t, in) {
			name := row[0].text
			from, some := t.number(row[1], "the time from which on")
			to, all := t.number(row[2], "the time up to which")
			if some && all {
				spans[name] = append(spans[name], span{from, to, row[1], row[2]})
			}
		}
		if t.problems == nil {
			unit := cmp.Or(a.Unit, 1e9)
			result, _ = a.arrange(t, spans, float64(unit))
		}
	})
	return result, err
}

// lines are those of the file that have a class.
func (a *AvailabilityTrace) lines(t *table, in io.Reader) [][]cell {
	header, rows := t.rows(in, 1, 3, "class,from,to")
	for column := 1; column <= 2; column++ {
		t.unit(header, column, cmp.Or(a.Unit, 1e9))
	}
	for _, row := range rows {
		if row[0].text == "" {
			t.report(row[0], "a class has no name")
		}
	}
	return rows
}

// arrange makes outages of spans in units of so many nanoseconds.
func (a *AvailabilityTrace) arrange(t *table, spans map[string][]span, unit float64) (*presence, error) {
	const year = 365 * 24 * 3600e9
	stretch := stretched(a.Stretch)
	p := new(presence)
	for name := range spans {
		p.names = append(p.names, name)
	}
	p.names = inOrder(p.names)
	first, start := math.Inf(1), 0.0
	if a.Start != nil {
		start = *a.Start
	}
	for _, name := range p.names {
		slices.SortStableFunc(spans[name], func(a, b span) int { return cmp.Compare(a.from, b.from) })
		first = min(first, spans[name][0].from)
	}
	scaled := func(x float64) Time { return Time(nanoseconds(math.Round(float64(x*unit) * stretch))) }
	last := Time(0)
	up := make([][][2]Time, len(p.names))
	for k, name := range p.names {
		before := span{to: math.Inf(-1)}
		for _, s := range spans[name] {
			switch {
			case !(s.to > s.from):
				t.report(s.end, "%s ends before it begins: from %s to %s", name, s.begin.text, s.end.text)
				continue
			case s.from < before.to:
				t.report(s.begin, "%s is given twice: from %s to %s%s, and from %s on", name, before.begin.text,
					before.end.text, onLine(before.begin), s.begin.text)
				continue
			case s.from < start && s.to <= start && a.Start != nil:
				before = s
				continue // before the trace begins
			case s.from < start && a.Start == nil:
				t.report(s.begin, "%s begins at %s, before the trace does: say start: %v", name, s.begin.text, first)
			case a.Start == nil && float64(s.from*unit) > year && a.Spans == nil:
				t.report(s.begin, "%s begins %s units of %v after the trace does, more than a year: where these are "+
					"dates, say start: %v", name, s.begin.text, Duration(unit), first)
			case float64((s.to-start)*unit)*stretch > century:
				t.report(s.end, "%s ends %s units of %v after the trace's beginning, more than a century", name,
					s.end.text, Duration(unit))
			}
			before = s
			u := [2]Time{scaled(max(s.from-start, 0)), scaled(s.to - start)}
			last = max(last, u[1])
			if n := len(up[k]); n > 0 && up[k][n-1][1] >= u[0] {
				up[k][n-1][1] = max(up[k][n-1][1], u[1])
			} else if u[1] > u[0] {
				up[k] = append(up[k], u)
			}
		}
	}
	p.period = scaled(float64(a.Period) / unit)
	switch {
	case t.problems != nil:
	case last == 0:
		t.report(cell{}, "the trace is empty from its start, %v, on", start)
	case a.Period == 0:
		p.period = last
	case p.period < last:
		t.report(cell{}, "the trace goes on up to %v, which is after its period, %v", last, p.period)
	}
	if err := t.result(); err != nil {
		return nil, err
	}
	for k := range up {
		if p.down = append(p.down, up[k]); a.Says != traceDown {
			p.down[k] = gaps(up[k], p.period)
		}
		if n := len(p.down[k]); a.End == traceDown || n == 1 && p.down[k][0] == [2]Time{0, p.period} && a.repeats() {
			if n > 0 && p.down[k][n-1][1] == p.period {
				p.down[k][n-1][1] = forever
			} else {
				p.down[k] = append(p.down[k], [2]Time{p.period, forever})
			}
		}
	}
	return p, nil
}

func (a *AvailabilityTrace) repeats() bool { return a.End == traceRepeat }

// onLine says on which line of a file a cell is, if it is in one.
func onLine(c cell) string {
	if c.line == 0 {
		return ""
	}
	return fmt.Sprintf(" on line %d", c.line)
}

// gaps are what spans leave of [0, until).
func gaps(spans [][2]Time, until Time) (all [][2]Time) {
	at := Time(0)
	for _, s := range spans {
		if s[0] > at {
			all = append(all, [2]Time{at, s[0]})
		}
		at = s[1]
	}
	if at < until {
		all = append(all, [2]Time{at, until})
	}
	return all
}

func (a TracedAvailability) enter(f *Fault, p *planner) {
	wrong := func(err error) {
		if err != nil {
			p.report("availability", err.Error())
		}
	}
	trace, err := a.Trace.read()
	if err != nil {
		wrong(err)
		return
	}
	class, err := a.Trace.Placement.classifyJoined(trace.names, p.graph, p.seed)
	if err != nil {
		wrong(err)
		return
	}
	period := Time(0)
	if a.Trace.repeats() {
		period = trace.period
	}
	for _, i := range p.those("availability.nodes", a.Trace.Nodes) {
		if down := trace.down[class[i]]; down != nil {
			s := &timetable{down: down, period: period, at: Time(f.At), until: f.end(), k: -1,
				next: outage{lost: a.Forgets()}}
			s.pass()
			p.downBy(i, s)
			p.faults.nodes[i].endless = p.faults.nodes[i].endless || down[len(down)-1][1] == forever && f.Until == 0 &&
				p.to == forever
		}
	}
}

// timetable tells outages that are known, period after period if there is one.
type timetable struct {
	down   [][2]Time // within a period, ascending
	period Time      // 0: they come once
	at     Time      // when the period at hand begins
	until  Time      // when all is over
	k      int       // the outage at hand
	next   outage
}

func (t *timetable) upcoming() *outage { return &t.next }

func (t *timetable) pass() {
	t.k++
	if t.k == len(t.down) && t.period > 0 {
		t.k, t.at = 0, later(t.at, t.period)
	}
	t.next.from, t.next.to = forever, forever
	if t.k < len(t.down) {
		t.next.from, t.next.to = later(t.at, t.down[t.k][0]), min(later(t.at, t.down[t.k][1]), t.until)
	}
	if t.next.from >= t.until {
		t.next.from, t.next.to, t.down = forever, forever, nil
	}
}

// CheckOrder says whether the list of the nodes' classes, if there is one, is for so many.
func (a TracedAvailability) CheckOrder(nodes int) error {
	return a.Trace.Placement.checkOrder(aClass, nodes)
}

// Changes is how often a node goes down in a nanosecond, and which nodes do; nil: all.
func (a TracedAvailability) Changes() (float64, []int) {
	trace, err := a.Trace.read()
	if err != nil {
		return 0, nil // of which the run tells
	}
	most := 0
	for _, down := range trace.down {
		most = max(most, len(down))
	}
	return float64(most) / float64(trace.period), a.Trace.Nodes
}

func (a TracedAvailability) words(f *Fault) string {
	t := a.Trace
	what := "a trace in the scenario"
	if t.File != "" {
		what = t.File
	}
	does := map[string]string{traceRepeat: "which repeats", traceUp: "and stay after it",
		traceDown: "and are gone after it"}[t.End]
	return fmt.Sprintf("%s come and go by %s, %s, %s, %s", thoseNames(t.Nodes), what, does, memoryWords(t.Memory),
		f.when())
}
