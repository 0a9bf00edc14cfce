// A stored verdict is bound to the rules that it was judged by.

package reproduce

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"overhear/theory"
)

const planted = `package planted

import "overhear/reproduce"

// limit is what counts as near.
const limit = 0.05

func near(r *reproduce.Results) bool { return r.Runs[0].Last("distance") < limit }

// last are the entries after the first ones.
func last(r *reproduce.Results) []float64 { return r.Runs[0].Tables[0].Column("loss")[31:] }

func long(r *reproduce.Results) bool { return len(last(r)) > some && r.Name != "a name" }

const (
	none = iota
	some
)

func unused() float64 { return 7 }

func figure() *reproduce.Figure {
	f := &reproduce.Figure{Name: "small", Title: "a title", Chosen: "what is taken"}
	f.Statements = func(r *reproduce.Results) []reproduce.Statement {
		return []reproduce.Statement{
			reproduce.State("it is near", reproduce.Assess(near(r) && long(r)), "at most %.3g " + "m", 0.1),
		}
	}
	return f
}
`

// rulesOf are the rules of the figure small by some source text.
func rulesOf(t *testing.T, text string) string {
	t.Helper()
	before := sources
	defer func() { sources = before }()
	RegisterSources(fstest.MapFS{"planted.go": {Data: []byte(text)}})
	rules, err := small().Rules()
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestRules_FollowWhatGradesAndNothingElse(t *testing.T) {
	if rules, err := small().Rules(); rules != "" || err != nil {
		t.Errorf("a figure without sources has the rules %q, %v", rules, err)
	}
	want := rulesOf(t, planted)
	for _, c := range []struct {
		name, old, new string
		same           bool
	}{
		{"a threshold", "0.05", "0.5", false},
		{"a comparison of a helper", "< limit", "<= limit", false},
		{"the ends of a slice", "[31:]", "[:31]", false},
		{"a third index of a slice", "[31:]", "[31:40:50]", false},
		{"an order of constants", "none = iota\n	some", "some = iota\n	none", false},
		{"words that are compared", "a name", "the name", false},
		{"a type", "[]float64 {", "[]float32 {", false},
		{"a column", `Last("distance")`, `Last("loss")`, false},
		{"an assessment", "near(r) &&", "!near(r) &&", false},
		{"a constant verdict", "reproduce.Assess(near(r) && long(r))", "reproduce.Holds", false},
		{"what a claim rests on", `"m", 0.1)`, `"m", 0.1).On(reproduce.OnAccount)`, true},
		{"a comment", "what counts as near", "what is called near", true},
		{"words", "at most %.3g ", "no more than %.3g ", true},
		{"a claim's text, which is compared by itself", "it is near", "it comes near", true},
		{"words that are broken elsewhere", `"at most %.3g " + "m"`, `"at most %.3g m"`, true},
		{"what is shown", "what is taken", "what was taken", true},
		{"a title", "a title", "title", true},
		{"lines", "	return f\n", "\n\n	return f\n", true},
		{"another function", "return 7", "return 8", true},
	} {
		text := strings.Replace(planted, c.old, c.new, 1)
		if text == planted {
			t.Fatalf("%s: nothing is changed", c.name)
		}
		if same := rulesOf(t, text) == want; same != c.same {
			t.Errorf("%s: the rules are the same: %v, want %v", c.name, same, c.same)
		}
	}
}

// The rules are those of all that decides a verdict, in every package that does.
func TestRules_CoverJudgesAndTheory(t *testing.T) {
	before := sources
	defer func() { sources = before }()
	text := strings.Replace(planted, "near(r) &&", "near(r) && designed() &&", 1) + `
func designed() bool { _, err := theory.FitAccuracy(nil, nil); return err == nil }
`
	want := rulesOf(t, text)
	for _, c := range []struct {
		file, old, new string
		of             fs.FS
		same           bool
	}{
		{"judge.go", "const standIns = 8", "const standIns = 1", ownSources, false},
		{"judge.go", "all[i].Measured = Void,", "all[i].Measured = Fails,", ownSources, false},
		{"judge.go", "slices.Repeat([]float64{math.NaN()}", "slices.Repeat([]float64{0}", ownSources, false},
		{"judge.go", "os.MkdirAll(dir, 0o755)", "os.MkdirAll(dir, 0o700)", ownSources, true},
		{"settings.go", "gridSeeds  = 2", "gridSeeds  = 3", ownSources, false},
		{"statement.go", "if holds {", "if !holds {", ownSources, false},
		{"design.go", "600, 0.01, 40", "600, 0.01, 50", theory.Sources, false},
		{"design.go", "case r.level < 0:", "case r.level <= 0:", theory.Sources, false},
		{"design.go", "const points = 2000", "const points = 3000", theory.Sources, true}, // of Choose
	} {
		old, err := fs.ReadFile(c.of, c.file)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(old), c.old, c.new, 1)
		if changed == string(old) {
			t.Fatalf("%s has no %q", c.file, c.old)
		}
		sources = nil
		for _, files := range before {
			if files != c.of {
				sources = append(sources, files)
				continue
			}
			all := fstest.MapFS{}
			names, _ := fs.Glob(files, "*.go")
			for _, name := range names {
				data, _ := fs.ReadFile(files, name)
				all[name] = &fstest.MapFile{Data: data}
			}
			all[c.file] = &fstest.MapFile{Data: []byte(changed)}
			sources = append(sources, all)
		}
		if same := rulesOf(t, text) == want; same != c.same {
			t.Errorf("%s with %q: the rules are the same: %v, want %v", c.file, c.new, same, c.same)
		}
	}
}

// What was judged by other rules is left out of the page, which says so, and is judged anew by the runs that are kept.
func TestJudged_DoesNotOutliveItsRules(t *testing.T) {
	before := sources
	defer func() { sources = before }()
	rule := func(text string) { sources = append(before[:1:1], fstest.MapFS{"planted.go": {Data: []byte(text)}}) }
	rule(planted)
	f := gridded()
	out := t.TempDir()
	runs := filepath.Join(out, "runs")
	if _, err := f.Rejudge(runs); err == nil || !strings.Contains(err.Error(),
		"`simulate reproduce --settings small` makes the runs") {
		t.Errorf("judged without runs: %v", err)
	}
	j, err := f.Judge(context.Background(), runs, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Write(filepath.Join(out, "small")); err != nil {
		t.Fatal(err)
	}
	r, err := f.Run(context.Background(), 1, "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	page := func() string {
		dir, err := r.Write(out)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const left = "was judged by other rules than the claims of this page and is left out; `simulate reproduce " +
		"--rejudge small` judges the runs anew where they are kept"
	if p := page(); strings.Contains(p, left) || !strings.Contains(p, "over the open settings it holds at") {
		t.Errorf("by the same rules:\n%s", p)
	}

	rule(strings.Replace(planted, "0.05", "1e-9", 1))
	statements := f.Statements
	f.Statements = func(r *Results) []Statement {
		all := statements(r)
		all[2].Assessment = Fails // nothing is near any more
		return all
	}
	r.Figure = f
	if p := page(); !strings.Contains(p, left) || strings.Contains(p, "over the open settings it") {
		t.Errorf("by other rules:\n%s", p)
	}
	again, err := f.Rejudge(runs)
	if err != nil || again.By == j.By {
		t.Fatalf("judged anew: %v, %+v", err, again)
	}
	for k, p := range again.Points {
		if p.Assessments[1] != Fails || p.Assessments[0] != j.Points[k].Assessments[0] ||
			!slices.Equal(p.Measured, j.Points[k].Measured) {
			t.Errorf("point %d: %+v, was %+v", k, p, j.Points[k])
		}
	}
	if err := again.Write(filepath.Join(out, "small")); err != nil {
		t.Fatal(err)
	}
	if p := page(); strings.Contains(p, left) || !strings.Contains(p, "is found at 0 of 12 points") {
		t.Errorf("judged anew:\n%s", p)
	}

	// Runs of other settings are not those of the figure.
	f.Curves[2].Set = []string{"rounds.count=30", "algorithm={kind: dgd, step: 0.4}"}
	if _, err := f.Rejudge(runs); err == nil || !strings.Contains(err.Error(), "gradient descent") {
		t.Errorf("judged by runs of another curve: %v", err)
	}
	f = gridded()
	if same, err := f.Rejudge(runs); err != nil || !reflect.DeepEqual(same.Points, j.Points) {
		t.Errorf("judged anew without a change: %v, %+v", err, same)
	}
}
