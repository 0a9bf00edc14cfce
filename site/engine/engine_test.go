// Requests are answered: with what the command prints, or with what is wrong.

package engine

import (
	"context"
	"encoding/json"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/report"
	"overhear/report/plot"
	"overhear/reproduce"
	"overhear/scenarios"
)

// ask sends a request and returns the answer and the messages before it.
func ask(t *testing.T, request string, answer any) (messages []string) {
	t.Helper()
	text := Answer(context.Background(), []byte(request), func(m []byte) { messages = append(messages, string(m)) })
	if err := json.Unmarshal(text, answer); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return messages
}

// asking is a request as a page sends it.
func asking(t *testing.T, parts map[string]any) string {
	t.Helper()
	text, err := json.Marshal(parts)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnswer_Run(t *testing.T) {
	text, err := scenarios.ShippedText("quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var a struct {
		ID      int
		Done    bool
		Table   [][3]string
		Digest  string
		Metrics struct {
			Columns []string
			Rows    [][]*float64
		}
		Figures []struct{ Name, SVG string }
	}
	messages := ask(t, asking(t, map[string]any{"id": 7, "do": "run", "scenario": text, "seed": 2}), &a)
	s, err := scenarios.LoadShipped("quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	info, table, err := experiment.New(s, "").Measure(context.Background(), 2, runtime.GOMAXPROCS(0))
	if err != nil {
		t.Fatal(err)
	}
	if a.ID != 7 || !a.Done || a.Digest != info.Digest || a.Digest == "" {
		t.Errorf("answer %d, done %v, digest %q, want %q", a.ID, a.Done, a.Digest, info.Digest)
	}
	for k, want := range report.Lines(info) {
		if a.Table[k] != want {
			t.Errorf("line %q, want %q", a.Table[k], want)
		}
	}
	if len(a.Metrics.Rows) != len(table.Rows) || len(a.Metrics.Columns) != len(table.Columns) {
		t.Errorf("%d rows of %d columns", len(a.Metrics.Rows), len(a.Metrics.Columns))
	}
	if len(a.Figures) != 4 || !strings.HasPrefix(a.Figures[0].SVG, "<svg ") {
		t.Errorf("%d figures", len(a.Figures))
	}
	if len(messages) < 50 || len(messages) > 102 || !strings.Contains(messages[0], `"progress":`) {
		t.Errorf("%d messages on the way, the first %s", len(messages), messages[0])
	}
	if last := messages[len(messages)-1]; !strings.Contains(last, "drawing figure 4 of 4") {
		t.Errorf("at the end it says %s", last)
	}
}

func TestAnswer_Check(t *testing.T) {
	var a struct{ Mistakes []mistake }
	ask(t, asking(t, map[string]any{"do": "check", "scenario": "name: x\nrounds: {coutn: 3}\n"}), &a)
	if len(a.Mistakes) == 0 {
		t.Fatalf("mistakes %v", a.Mistakes)
	}
	found := false
	for _, m := range a.Mistakes {
		found = found || m.Line == 2 && m.Column == 10 && m.Key == "rounds.coutn" && strings.Contains(m.Remedy, "count")
	}
	if !found {
		t.Errorf("no mistake is the key's: %v", a.Mistakes)
	}
	a.Mistakes = nil
	ask(t, asking(t, map[string]any{"do": "check", "scenario": "name: x\nrounds: [1\nseeds: 2\n"}), &a)
	if len(a.Mistakes) != 1 || a.Mistakes[0].Line != 3 {
		t.Errorf("of a text that is not YAML %v", a.Mistakes)
	}
	text, err := scenarios.ShippedText("quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	a.Mistakes = nil
	ask(t, asking(t, map[string]any{"do": "check", "scenario": ""}), &a)
	if len(a.Mistakes) != 1 || a.Mistakes[0].Message != errBlank.Error() || a.Mistakes[0].Line != 1 {
		t.Errorf("of nothing %v", a.Mistakes)
	}
	a.Mistakes = nil
	ask(t, asking(t, map[string]any{"do": "check", "scenario": text}), &a)
	if a.Mistakes == nil || len(a.Mistakes) > 0 {
		t.Errorf("a scenario that is right has the mistakes %#v, want an empty list", a.Mistakes)
	}
}

// After the last round a run says what it still does, and no longer which round it is.
func TestAnswer_SaysWhatFollowsTheRounds(t *testing.T) {
	text, err := scenarios.ShippedText("quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var a struct{}
	messages := ask(t, asking(t, map[string]any{"do": "run", "scenario": text, "seed": 1}), &a)
	at := slices.IndexFunc(messages, func(m string) bool {
		return strings.Contains(m, "all of 150 rounds are done; measuring and drawing")
	})
	if at < 0 || at+1 == len(messages) || !strings.Contains(messages[at+1], "drawing figure 1 of 4") ||
		slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, "round 150 of 150") }) {
		t.Errorf("a run says %q", messages)
	}
}

// What only the graph of the seed shows is marked in its place, and by a run, too, of a graph that is too large to be
// checked.
func TestAnswer_ChecksTheGraphOfTheSeed(t *testing.T) {
	text, err := scenarios.ShippedText("quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text = strings.Replace(text, "rounds:", "  faults: [{link: [0, 5], factor: 2}]\nrounds:", 1)
	right, wrong := 0, 0
	for seed := range 20 {
		var a struct {
			Mistakes []mistake
			Error    failure
		}
		ask(t, asking(t, map[string]any{"do": "check", "scenario": text, "seed": seed}), &a)
		if len(a.Mistakes) == 0 {
			right++
			continue
		}
		wrong++
		m := a.Mistakes[0]
		if m.Line != 10 || m.Column != 19 || m.Key != "network.faults[0].link" ||
			!strings.HasPrefix(m.Message, m.Key+" is 0-5, which is no edge; node 0 is linked to ") {
			t.Errorf("seed %d: %+v", seed, a.Mistakes)
		}
		checked := a.Mistakes
		ask(t, asking(t, map[string]any{"do": "run", "scenario": text, "seed": seed}), &a)
		if !slices.Equal(a.Error.Mistakes, checked) {
			t.Errorf("seed %d: a run has %+v, not %+v", seed, a.Error.Mistakes, checked)
		}
	}
	if right == 0 || wrong == 0 {
		t.Errorf("0-5 is an edge of %d seeds of %d", right, right+wrong)
	}
	large := strings.Replace(text, "wdbc", "{set: twonorm, rows: 3000}", 1)
	large = strings.Replace(large, "watts-strogatz, nodes: 10", "watts-strogatz, nodes: 1001", 1)
	var a struct {
		Mistakes []mistake
		Error    failure
	}
	ask(t, asking(t, map[string]any{"do": "check", "scenario": large}), &a)
	if len(a.Mistakes) > 0 {
		t.Errorf("of a large network %+v", a.Mistakes)
	}
	ask(t, asking(t, map[string]any{"do": "run", "scenario": large}), &a)
	if len(a.Error.Mistakes) != 1 || a.Error.Mistakes[0].Line != 10 {
		t.Errorf("of a large network a run has %+v", a.Error)
	}
}

// Mistakes of all parts are told together, those that only the graph shows among each other; and what the command
// refuses a run has as a mistake, too.
func TestAnswer_TellsAllMistakesTogether(t *testing.T) {
	text, err := scenarios.ShippedText("quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		old, written []string
		checked, ran []string // keys of mistakes
	}{
		"a key and a node": {
			[]string{"count: 150", "rounds:", "name: quickstart\n"},
			[]string{"coutn: 150", "  faults: [{slow: 77, factor: 2}]\nrounds:", ""},
			[]string{"name", "network.faults[0].slow", "rounds.coutn"}, nil},
		"rows and links": {
			[]string{"nodes: 10", "rounds:"},
			[]string{"nodes: 500", "  faults: [{link: [0, 250], factor: 2}]\nrounds:"},
			[]string{"network.topology.nodes", "network.faults[0].link"}, nil},
		"what only a run finds": {
			[]string{"train: 0.8"}, []string{"train: 1000"}, nil, []string{""}},
		"what has no place": {
			[]string{"rho: 0.02"}, []string{"rho: 0.02\n  columns: [10, 20]"}, nil, []string{""}},
	} {
		written := text
		for k, old := range c.old {
			written = strings.Replace(written, old, c.written[k], 1)
		}
		keys := func(all []mistake) (keys []string) {
			for _, m := range all {
				keys = append(keys, m.Key)
			}
			return keys
		}
		if c.ran == nil {
			c.ran = c.checked
		}
		var a struct{ Error failure }
		ask(t, asking(t, map[string]any{"do": "run", "scenario": written, "seed": 1}), &a)
		checked := check(written, 1).Mistakes
		if got := keys(checked); !slices.Equal(got, c.checked) {
			t.Errorf("%s: a check has %q: %v", name, got, checked)
		}
		if got := keys(a.Error.Mistakes); !slices.Equal(got, c.ran) {
			t.Errorf("%s: a run has %q: %v", name, got, a.Error)
		}
	}
}

// What a page cannot do is said before a run fails for it, or leaves it out in silence.
func TestAnswer_CheckNotesWhatIsLeftToTheCommand(t *testing.T) {
	text, err := scenarios.ShippedText("quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const attacked = "\nadversary: {knows: {victim: 1, all-but: 0}}\n"
	data := regexp.MustCompile(`(?m)^( *data:).*$`)
	latency := regexp.MustCompile(`(?m)^( *latency:).*$`)
	for name, c := range map[string]struct{ text, need, note string }{
		"as shipped": {text, "", ""},
		"generated":  {data.ReplaceAllString(text, "$1 twonorm"), "", ""},
		"a set":      {data.ReplaceAllString(text, "$1 adult"), "adult is in adult/adult.data, adult/adult.test;", ""},
		"own data":   {data.ReplaceAllString(text, "$1 {csv: own.csv, label: y}"), "problem.data.csv: own.csv", ""},
		"own sites": {latency.ReplaceAllString(text, "$1 {kind: matrix, file: own.csv}"),
			"network.latency.file: own.csv", ""},
		"attacked": {text + attacked, "", "attacks are not carried out"},
		"a liar":   {text + "\nadversary: {acts: [{kind: constant, nodes: [1]}]}\n", "", ""},
	} {
		a := check(c.text, 1)
		if len(a.Mistakes) > 0 {
			t.Errorf("%s: mistakes %v", name, a.Mistakes)
		}
		for want, said := range map[*string]string{&c.need: strings.Join(a.Needs, "\n"),
			&c.note: strings.Join(a.Notes, "\n")} {
			if *want == "" && said != "" || !strings.Contains(said, *want) {
				t.Errorf("%s: said is %q, want %q", name, said, *want)
			}
		}
	}
}

// Whatever goes wrong is an answer with the request's number.
func TestAnswer_Errors(t *testing.T) {
	text, err := scenarios.ShippedText("quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	absent := strings.Replace(text, "data: wdbc", "data: {csv: nowhere.csv}", 1)
	figures = append(figures, living{figure: &reproduce.Figure{Name: "broken", Scenario: "quickstart.yaml",
		Curves:     []*reproduce.Curve{{Label: "one", Set: []string{"rounds.count=1"}}},
		Statements: func(r *reproduce.Results) []reproduce.Statement { panic("planted") }}, seeds: 1})
	defer func() { figures = figures[:len(figures)-1] }()
	for request, want := range map[string]string{
		`{"id":3`:               "this is no request",
		`{"id":3,"do":"dance"}`: "not for \"dance\"",
		`{"id":3,"do":"figure","name":"zz16-fig4"}`:                "did you mean",
		`{"id":3,"do":"figure","name":"broken"}`:                   "a mistake in the program",
		`{"id":3,"do":"figure","name":"quickstart","set":{"a":1}}`: "has no parameter \"a\"",
		`{"id":3,"do":"figure","name":"quickstart","set":{"a":1,"algorithm.eta":7,"network.loss":"x"}}`: "" +
			"algorithm.eta must be a number from 0.0001 to 1, is \"7\"\n" +
			"network.loss must be a number from 0 to 0.5, is \"x\"\n" +
			"quickstart has no parameter \"a\"; it has: algorithm.eta, ",
		`{"id":3,"do":"figure","name":"quickstart","set":{"a":[1]}}`:               "a number or a text",
		`{"id":3,"do":"figure","name":"quickstart","set":{"network.loss":0.9}}`:    "from 0 to 0.5",
		`{"id":3,"do":"figure","name":"quickstart","set":{"network.loss":"0.1a"}}`: "must be a number",
		asking(t, map[string]any{"id": 3, "do": "run", "scenario": absent}):        "nowhere.csv",
		asking(t, map[string]any{"id": 3, "do": "run", "scenario": "name: x"}):     "algorithm must have a kind",
		asking(t, map[string]any{"id": 3, "do": "run", "scenario": " \n"}):         "choose an example",
	} {
		var a struct {
			ID    int
			Done  bool
			Error struct{ Message string }
		}
		ask(t, request, &a)
		if !a.Done || !strings.Contains(a.Error.Message, want) || a.ID != 3 && want != "this is no request" {
			t.Errorf("%.80s: answer %+v, want %q", request, a, want)
		}
		if strings.Contains(a.Error.Message, "goroutine ") {
			t.Errorf("%.80s: a trace: %s", request, a.Error.Message)
		}
	}
}

// Figures say what they are computed on and what may be changed, and every parameter changes a run.
func TestFigures_ParametersMatter(t *testing.T) {
	if n := len(figures); n < 15 {
		t.Errorf("%d figures", n)
	}
	for k := range figures {
		l := &figures[k]
		usual := vary(t, l, nil)
		if len(usual.Claims) == 0 || len(usual.Runs) == 0 || len(l.data.text) < 40 || len(l.parameters) < 2 {
			t.Errorf("%s: %d claims, %d runs, data %q", l.name(), len(usual.Claims), len(usual.Runs), l.data)
		}
		brief := onTumours
		if strings.Contains(l.data.text, "on the generated set") {
			brief = onGenerated
		}
		if l.data != brief(l.data.text) {
			t.Errorf("%s: in brief %q is %q", l.name(), l.data.text, l.data.brief)
		}
		for _, r := range usual.Runs {
			if len(r.Digest) != 64 {
				t.Errorf("%s: %s has the digest %q", l.name(), r.Label, r.Digest)
			}
		}
		for _, p := range l.parameters {
			if sharing := strings.HasPrefix(l.name(), "sh19"); p.Key == "problem.rho" && sharing != (p.Label == "λ") {
				t.Errorf("%s calls the ridge %s; where ADMM's penalty is ρ it is λ", l.name(), p.Label)
			}
			chosen, err := l.choose(map[string]string{p.Key: p.usual()})
			if err != nil || chosen != nil {
				t.Errorf("%s: the usual %s is the change %q (%v)", l.name(), p.Key, chosen, err)
			}
		}
		if count(usual) == 0 {
			t.Errorf("%s has no charts", l.name())
		}
		if testing.Short() && k > 3 {
			continue
		}
		for _, p := range l.parameters {
			values := []string{number(p.Min), number(p.Max)}
			if p.Kind == choice {
				values = []string{p.Values[1].Value, p.Values[len(p.Values)-1].Value}
			}
			for _, value := range values {
				chosen, err := l.choose(map[string]string{p.Key: value})
				if err != nil {
					t.Fatal(err)
				}
				if chosen == nil { // the usual one is at an end
					continue
				}
				same := true
				for k, r := range vary(t, l, chosen).Runs {
					same = same && r.Digest == usual.Runs[k].Digest
				}
				if same && !t.Failed() {
					t.Errorf("%s: %s=%s changes no run", l.name(), p.Key, value)
				}
			}
		}
	}
}

func vary(t *testing.T, l *living, chosen []string) *reproduce.Varied {
	t.Helper()
	v, err := l.compute(context.Background(), chosen, func(float64, string) {})
	if err != nil {
		t.Errorf("%s, %q: %v", l.name(), chosen, err)
		return new(reproduce.Varied)
	}
	return v
}

// count is how many charts have something to show.
func count(v *reproduce.Varied) (n int) {
	v.Pictures(func(name string, c plot.Chart) {
		if draw(1, name, c).SVG != "" {
			n++
		}
	})
	return n
}
