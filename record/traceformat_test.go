// The rules of the Trace Event Format, as it is published, for the phases that it has: by these, and nothing that is
// known of its writer, a run's timeline is checked, as a viewer's importer would. Every rule is tried on a file that
// breaks it.

package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// traceEvent is an event by its keys.
type traceEvent map[string]any

// span is a slice of a track, in nanoseconds.
type span struct{ begin, end int64 }

// formatCheck is one file's.
type formatCheck struct {
	problems []string
	at       int // number of the event
	spans    map[[2]int64][]span
	open     map[[2]int64][]traceEvent // begun by B and not ended, by track
	async    map[string][]string       // names that b has begun and e not ended, by category and id
	flows    map[string][]traceEvent   // by category, name and id
}

func (c *formatCheck) wrong(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf("event %d: ", c.at)+fmt.Sprintf(format, args...))
}

// checkFormat says which rules of the format a file breaks.
func checkFormat(text []byte) []string {
	c := &formatCheck{at: -1, spans: map[[2]int64][]span{}, open: map[[2]int64][]traceEvent{},
		async: map[string][]string{}, flows: map[string][]traceEvent{}}
	var file struct {
		TraceEvents     []traceEvent      `json:"traceEvents"`
		DisplayTimeUnit string            `json:"displayTimeUnit"`
		OtherData       map[string]string `json:"otherData"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return []string{err.Error()}
	}
	if _, err := d.Token(); err != io.EOF {
		c.wrong("the file goes on after its end")
	}
	if u := file.DisplayTimeUnit; u != "ms" && u != "ns" {
		c.wrong("displayTimeUnit is %q, neither ms nor ns", u)
	}
	for k, e := range file.TraceEvents {
		c.at = k
		c.event(e)
	}
	for track, all := range c.open {
		for range all {
			c.wrong("a B of track %v has no E", track)
		}
	}
	for key, names := range c.async {
		for range names {
			c.wrong("a b of %s has no e", key)
		}
	}
	for track, all := range c.spans {
		slices.SortStableFunc(all, func(a, b span) int {
			return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(b.end, a.end))
		})
		var open []span
		for _, s := range all {
			for len(open) > 0 && open[len(open)-1].end <= s.begin {
				open = open[:len(open)-1]
			}
			if len(open) > 0 && s.end > open[len(open)-1].end {
				c.wrong("slices of track %v overlap and do not nest: %v and %v", track, open[len(open)-1], s)
			}
			open = append(open, s)
		}
	}
	for key, all := range c.flows {
		c.flow(key, all)
	}
	return c.problems
}

// keysOf are the keys that events of a phase may have, besides those of all; one with an exclamation mark must be
// there. Phases that are not here are none, or deprecated.
var keysOf = map[string]string{
	"X": "name! ts! dur! tid!", "B": "name! ts! tid!", "E": "name ts! tid!", "i": "name! ts! s tid",
	"C": "name! ts! args! id tid", "b": "name! ts! id! cat! tid", "n": "name! ts! id! cat! tid",
	"e": "name! ts! id! cat! tid", "s": "name! ts! id! cat! tid!", "t": "name! ts! id! cat! tid!",
	"f": "name! ts! id! cat! tid! bp", "M": "name! args! tid",
}

func (c *formatCheck) event(e traceEvent) {
	ph, _ := e["ph"].(string)
	keys, ok := keysOf[ph]
	if !ok {
		c.wrong("there is no phase %v", e["ph"])
		return
	}
	may := map[string]bool{"ph": true, "pid": true, "cat": true, "args": true}
	for _, key := range strings.Fields("pid! " + keys) {
		key, must := strings.CutSuffix(key, "!")
		may[key] = true
		if _, ok := e[key]; must && !ok {
			c.wrong("phase %s needs %s", ph, key)
			return
		}
	}
	before := len(c.problems)
	for key, value := range e {
		text, isText := value.(string)
		number, isNumber := value.(float64)
		_, isObject := value.(map[string]any)
		switch {
		case !may[key]:
			c.wrong("phase %s has no %s", ph, key)
		case (key == "name" || key == "cat") && (!isText || text == ""):
			c.wrong("%s is %v, no text", key, value)
		case key == "args" && !isObject:
			c.wrong("args is %v, no object", value)
		case (key == "pid" || key == "tid") && !(isNumber && number == math.Trunc(number) && math.Abs(number) < 1<<31):
			c.wrong("%s is %v, no whole number of 32 bits", key, value)
		case key == "id" && !isText && !(isNumber && number == math.Trunc(number) && math.Abs(number) < 1<<53):
			c.wrong("id is %v, neither a text nor a whole number", value)
		case (key == "ts" || key == "dur") && !(isNumber && number >= 0 && number < 1<<53/1000):
			c.wrong("%s is %v, no time in microseconds that has its nanoseconds", key, value)
		case key == "s" && (!isText || !slices.Contains([]string{"g", "p", "t"}, text)):
			c.wrong("the scope of an instant is %v", value)
		case key == "bp" && text != "e":
			c.wrong("bp is %v", value)
		}
	}
	if len(c.problems) > before {
		return
	}
	if ph == "M" {
		c.metadata(e)
		return
	}
	ts, dur := nanos(e["ts"]), nanos(e["dur"])
	track := trackOf(e)
	of := fmt.Sprint(e["cat"], " ", e["id"])
	switch ph {
	case "X":
		c.spans[track] = append(c.spans[track], span{ts, ts + dur})
	case "B":
		c.open[track] = append(c.open[track], e)
	case "E":
		last := len(c.open[track]) - 1
		if last < 0 {
			c.wrong("an E of track %v has no B", track)
			return
		}
		begun := c.open[track][last]
		c.open[track] = c.open[track][:last]
		if e["name"] != nil && e["name"] != begun["name"] || ts < nanos(begun["ts"]) {
			c.wrong("%v ends %v", e, begun)
			return
		}
		c.spans[track] = append(c.spans[track], span{nanos(begun["ts"]), ts})
	case "C":
		for key, value := range e["args"].(map[string]any) {
			if _, ok := value.(float64); !ok {
				c.wrong("the counter's %s is %v", key, value)
			}
		}
	case "b":
		c.async[of] = append(c.async[of], e["name"].(string))
	case "n", "e":
		last := len(c.async[of]) - 1
		switch {
		case last < 0:
			c.wrong("a %s of %s has no b", ph, of)
		case ph == "e" && c.async[of][last] != e["name"]:
			c.wrong("an e of %v ends %s", e["name"], c.async[of][last])
		case ph == "e":
			c.async[of] = c.async[of][:last]
		}
	case "s", "t", "f":
		key := fmt.Sprint(of, " ", e["name"])
		c.flows[key] = append(c.flows[key], e)
	}
}

func (c *formatCheck) metadata(e traceEvent) {
	key, ok := map[any]string{"process_name": "name", "thread_name": "name", "process_labels": "labels",
		"process_sort_index": "sort_index", "thread_sort_index": "sort_index"}[e["name"]]
	args, _ := e["args"].(map[string]any)
	_, text := args[key].(string)
	_, number := args[key].(float64)
	switch {
	case !ok:
		c.wrong("there is no metadata %v", e["name"])
	case len(args) != 1 || text == (key == "sort_index") || number != (key == "sort_index"):
		c.wrong("the args of %v are %v", e["name"], args)
	case strings.HasPrefix(e["name"].(string), "thread") && e["tid"] == nil:
		c.wrong("%v is of no thread", e["name"])
	}
}

// flow checks one arrow: it begins once, ends once, not before, and each of its points is in a slice of its track, or,
// where it ends without bp, before one.
func (c *formatCheck) flow(key string, all []traceEvent) {
	for k, e := range all {
		ph := e["ph"].(string)
		want := "t"
		switch k {
		case 0:
			want = "s"
		case len(all) - 1:
			want = "f"
		}
		if ph != want || k == 0 && len(all) == 1 {
			c.wrong("flow %s: point %d of %d has phase %s", key, k+1, len(all), ph)
		}
		ts := nanos(e["ts"])
		if k > 0 && ts < nanos(all[k-1]["ts"]) {
			c.wrong("flow %s goes back in time", key)
		}
		if !slices.ContainsFunc(c.spans[trackOf(e)], func(s span) bool {
			if ph == "f" && e["bp"] == nil {
				return s.begin >= ts
			}
			return s.begin <= ts && ts <= s.end
		}) {
			c.wrong("flow %s: no slice is there for phase %s at %d ns", key, ph, ts)
		}
	}
}

func trackOf(e traceEvent) [2]int64 {
	pid, _ := e["pid"].(float64)
	tid, _ := e["tid"].(float64)
	return [2]int64{int64(pid), int64(tid)}
}

// nanos is a time as an importer has it, which cuts off what is less.
func nanos(v any) int64 {
	f, _ := v.(float64)
	return int64(float64(f * 1000))
}

func TestCheckFormat_SeesWhatIsWrong(t *testing.T) {
	const good = `{"ph":"M","name":"thread_name","pid":2,"tid":1,"args":{"name":"a"}},` +
		`{"ph":"X","name":"x","pid":2,"tid":1,"ts":1.5,"dur":4},{"ph":"X","name":"y","pid":2,"tid":0,"ts":7,"dur":1},` +
		`{"ph":"B","name":"b","pid":2,"tid":1,"ts":2},{"ph":"E","pid":2,"tid":1,"ts":3},` +
		`{"ph":"i","name":"i","s":"t","pid":2,"tid":1,"ts":3},{"ph":"C","name":"c","pid":2,"ts":3,"args":{"n":1}},` +
		`{"ph":"b","name":"o","cat":"o","id":4,"pid":2,"ts":1},{"ph":"n","name":"p","cat":"o","id":4,"pid":2,"ts":1},` +
		`{"ph":"e","name":"o","cat":"o","id":4,"pid":2,"ts":2},` +
		`{"ph":"s","name":"m","cat":"m","id":1,"pid":2,"tid":1,"ts":2},` +
		`{"ph":"f","bp":"e","name":"m","cat":"m","id":1,"pid":2,"tid":0,"ts":7}`
	file := func(events string) []byte {
		return []byte(`{"displayTimeUnit":"ms","otherData":{"run":"r"},"traceEvents":[` + events + `]}`)
	}
	if problems := checkFormat(file(good)); problems != nil {
		t.Fatalf("%q", problems)
	}
	for _, c := range []struct{ from, to, problem string }{
		{`"ph":"X"`, `"ph":"Z"`, "there is no phase Z"},
		{`"ph":"X"`, `"ph":7`, "there is no phase 7"},
		{`,"dur":4`, ``, "phase X needs dur"},
		{`"dur":4`, `"dur":-4`, "dur is -4"},
		{`"dur":4`, `"dur":"4"`, "dur is 4, no time"},
		{`"ts":1.5`, `"ts":1e15`, "ts is 1e+15"},
		{`"pid":2,"tid":1,"ts":1.5`, `"pid":2,"ts":1.5`, "phase X needs tid"},
		{`"pid":2,"tid":1,"ts":1.5`, `"pid":2.5,"tid":1,"ts":1.5`, "pid is 2.5"},
		{`"pid":2,"tid":1,"ts":1.5`, `"pid":2,"tid":1,"id":3,"ts":1.5`, "phase X has no id"},
		{`"name":"x",`, `"name":"",`, "name is , no text"},
		{`"s":"t"`, `"s":"thread"`, "the scope of an instant"},
		{`{"ph":"E","pid":2,"tid":1,"ts":3},`, ``, "has no E"},
		{`{"ph":"B","name":"b","pid":2,"tid":1,"ts":2},`, ``, "has no B"},
		{`{"ph":"E","pid"`, `{"ph":"E","name":"c","pid"`, "ends"},
		{`"ph":"E","pid":2,"tid":1,"ts":3`, `"ph":"E","pid":2,"tid":1,"ts":6`, "overlap and do not nest"},
		{`"args":{"n":1}`, `"args":{"n":"1"}`, "the counter's n is 1"},
		{`"args":{"n":1}`, `"args":[]`, "no object"},
		{`{"ph":"b","name":"o","cat":"o","id":4,"pid":2,"ts":1},`, ``, "of o 4 has no b"},
		{`{"ph":"e","name":"o","cat":"o","id":4,"pid":2,"ts":2},`, ``, "a b of o 4 has no e"},
		{`"ph":"e","name":"o"`, `"ph":"e","name":"q"`, "an e of q ends o"},
		{`"ph":"b","name":"o","cat":"o","id":4`, `"ph":"b","name":"o","cat":"o","id":4.5`, "id is 4.5"},
		{`{"ph":"s","name":"m","cat":"m","id":1,"pid":2,"tid":1,"ts":2},`, ``, "point 1 of 1 has phase f"},
		{`"bp":"e","name":"m","cat":"m","id":1`, `"bp":"e","name":"m","cat":"m","id":2`, "has phase"},
		{`"bp":"e","name":"m"`, `"bp":"e","name":"n"`, "has phase"},
		{`"bp":"e"`, `"bp":"s"`, "bp is s"},
		{`"bp":"e",`, ``, ""}, // then it is the next slice's
		{`"tid":0,"ts":7}`, `"tid":0,"ts":9}`, "no slice is there"},
		{`"id":1,"pid":2,"tid":1,"ts":2`, `"id":1,"pid":2,"tid":1,"ts":1`, "no slice is there"},
		{`"id":1,"pid":2,"tid":1,"ts":2`, `"id":1,"pid":2,"tid":0,"ts":8`, "goes back in time"},
		{`"thread_name"`, `"thread_nam"`, "there is no metadata"},
		{`"thread_name","pid":2,"tid":1`, `"thread_name","pid":2`, "is of no thread"},
		{`"args":{"name":"a"}`, `"args":{"name":1}`, "the args of thread_name"},
		{`"ts":3},`, `"ts":3,"colour":"red"},`, "has no colour"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if c.problem == "" {
			if problems := checkFormat(file(text)); problems != nil {
				t.Errorf("%s: %q", c.to, problems)
			}
			continue
		}
		if problems := strings.Join(checkFormat(file(text)), "\n"); !strings.Contains(problems, c.problem) {
			t.Errorf("%s in place of %s: %q, not %q", c.to, c.from, problems, c.problem)
		}
	}
	for text, problem := range map[string]string{
		`{"traceEvents":[`:                                     "unexpected EOF",
		`{"displayTimeUnit":"us","traceEvents":[]}`:            "neither ms nor ns",
		`{"displayTimeUnit":"ms","traceEvents":[]} x`:          "",
		`{"displayTimeUnit":"ms","traceEvents":[]}{}`:          "goes on after its end",
		`{"displayTimeUnit":"ms","traceEvents":[],"events":1}`: "unknown field",
	} {
		if problems := checkFormat([]byte(text)); problems == nil ||
			!strings.Contains(strings.Join(problems, "\n"), problem) {
			t.Errorf("%s: %q", text, problems)
		}
	}
}
