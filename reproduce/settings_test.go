// Claims over open settings: the points, the runs at them, what is made of them, and that a killed grid goes on.

package reproduce

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

// gridded is a figure whose claim depends on one of its two open settings, and one that exists.
func gridded() *Figure {
	f := small()
	fast, slow := f.Curves[0], f.Curves[1]
	plain := &Curve{Label: "gradient descent", Set: []string{"rounds.count=30", "algorithm={kind: dgd, step: 0.5}"}}
	f.Curves = append(f.Curves, plain)
	f.Grid = &Grid{
		Settings: []Setting{
			{Name: "ρ", Paths: []string{"problem.rho"}, Low: 0.01, High: 0.1, Log: true, Taken: "0.02"},
			{Name: "graph", Paths: []string{"network.topology"}, Values: []string{"{kind: ring, nodes: 5}",
				"{kind: complete, nodes: 5}"}, Words: []string{"ring", "complete"}, Curves: []*Curve{fast, slow},
				Taken: "ring"},
		},
		Set: []string{"problem.train=200"}, Why: "nothing is said of rows",
	}
	f.Statements = func(r *Results) []Statement {
		last := r.Of(slow).Last("distance")
		return []Statement{
			State("for comparison", ForComparison, "%.3g", last),
			State("slow is slower", Assess(r.Of(fast).Last("distance") < last), "%.6g", last),
			StateExists("sometimes it is near", Assess(last < 0.05), "%.6g", last),
		}
	}
	return f
}

func TestDraw_IsALatinHypercube(t *testing.T) {
	g := &Grid{Settings: []Setting{
		{Name: "a", Low: 2, High: 14}, {Name: "b", Low: 1, High: 4096, Log: true},
		{Name: "c", Values: []string{"x", "y", "z"}},
	}}
	points := g.Draw("name")
	if len(points) != 12 || !reflect.DeepEqual(points, g.Draw("name")) {
		t.Fatalf("%d points, or other ones when drawn again", len(points))
	}
	if reflect.DeepEqual(points, g.Draw("another")) {
		t.Error("two figures have the same points")
	}
	counts := map[string]int{}
	parts := [2]map[int]bool{{}, {}}
	var a, b []float64
	for _, p := range points {
		counts[p[2]]++
		x, _ := strconv.ParseFloat(p[0], 64)
		y, _ := strconv.ParseFloat(p[1], 64)
		a, b = append(a, x), append(b, math.Log2(y))
		parts[0][int(x-2)], parts[1][int(math.Log2(y))] = true, true
	}
	if len(parts[0]) != 12 || len(parts[1]) != 12 || counts["x"] != 4 || counts["y"] != 4 || counts["z"] != 4 {
		t.Errorf("%v: parts with a value %v, values %v", points, parts, counts)
	}
	if c := correlation(a, b); !(math.Abs(c) <= 0.3) {
		t.Errorf("the two settings have a correlation of %.2f", c)
	}
}

// The numbers at a point are those of plain runs with its settings, and a page has the shares.
func TestJudge_IsOfPlainRuns(t *testing.T) {
	f := gridded()
	if n := f.GridTasks(); n != 2*(12+12+12) {
		t.Errorf("%d runs", n)
	}
	out := t.TempDir()
	last := 0
	j, err := f.Judge(context.Background(), filepath.Join(out, "runs"), "", func(n int) { last = n })
	if err != nil {
		t.Fatal(err)
	}
	if last != f.GridTasks() || len(j.Points) != 12 || !slices.Equal(j.Claims, []string{"slow is slower",
		"sometimes it is near"}) {
		t.Errorf("%d runs told, %d points, claims %q", last, len(j.Points), j.Claims)
	}
	for _, k := range []int{0, 7} {
		p := j.Points[k]
		s, err := scenarios.LoadShipped(f.Scenario, slices.Concat(f.Grid.Set, f.Curves[1].Set,
			[]string{"problem.rho=" + p.Values[0], "network.topology=" + p.Values[1]})...)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for seed := uint64(1); seed <= 2; seed++ {
			_, table, err := experiment.New(s, "").Measure(context.Background(), seed, 1)
			if err != nil {
				t.Fatal(err)
			}
			sum += table.Column("distance")[30]
		}
		if want := strconv.FormatFloat(sum/2, 'g', 6, 64); p.Measured[0] != want {
			t.Errorf("point %d: measured %s, plain runs %s", k, p.Measured[0], want)
		}
	}

	r, err := f.Run(context.Background(), 0, "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	before, err := r.Write(filepath.Join(out, "before"))
	if err != nil {
		t.Fatal(err)
	}
	if page, _ := os.ReadFile(filepath.Join(before, "README.md")); !strings.Contains(string(page),
		"have not been judged over the settings") {
		t.Errorf("a page without settings:\n%s", page)
	}
	if err := j.Write(filepath.Join(out, "small")); err != nil {
		t.Fatal(err)
	}
	dir, err := r.Write(out)
	if err != nil {
		t.Fatal(err)
	}
	page, _ := os.ReadFile(filepath.Join(dir, "README.md"))
	for _, want := range []string{"over the open settings it holds at ", "over the open settings it is found at ",
		"| ρ | `problem.rho` | 0.01 to 0.1, by factors | 0.02 |", "`problem.train=200`", "| complete |"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if r.Claims[0].Share != nil || r.Claims[1].Share == nil || r.Claims[1].Share.Judged() != 12 {
		t.Errorf("claims %+v", r.Claims)
	}

	// What was judged of other settings or claims is no part of a page.
	f.Grid.Settings[0].High = 0.2
	if _, err := r.Write(out); err != nil {
		t.Fatal(err)
	}
	page, _ = os.ReadFile(filepath.Join(dir, "README.md"))
	if !strings.Contains(string(page), "is of other claims, curves or settings than this page") ||
		strings.Contains(string(page), "over the open settings it") || r.Claims[1].Share != nil {
		t.Errorf("a page with what was judged of other settings:\n%s", page)
	}
}

// Curves that have the same scenario, however it is written, have the same runs, which are done once.
func TestRunAndJudge_DoEqualRunsOnce(t *testing.T) {
	f := gridded()
	slow := f.Curves[1]
	twin := &Curve{Label: "twin", Set: slices.Concat(slow.Set[1:], slow.Set[:1])}
	f.Curves = []*Curve{slow, twin}
	f.Grid.Settings[1].Curves = f.Curves
	f.Statements = func(r *Results) []Statement {
		a, b := r.Of(slow), r.Of(twin)
		return []Statement{State("they are equal", Assess(a.Curve != b.Curve &&
			reflect.DeepEqual(a.Tables, b.Tables)), "distance %.6g", b.Last("distance"))}
	}
	if n, m := f.Tasks(3), f.GridTasks(); n != 3 || m != 24 {
		t.Errorf("%d runs for the page and %d for the settings, want 3 and 24", n, m)
	}
	told := 0
	r, err := f.Run(context.Background(), 3, "", "", func(n int) { told = n })
	if err != nil || told != 3 || f.Statements(r)[0].Assessment != Holds {
		t.Errorf("%d runs, %v: %+v", told, err, f.Statements(r))
	}
	j, err := f.Judge(context.Background(), t.TempDir(), "", func(n int) { told = n })
	if err != nil || told != 24 {
		t.Fatalf("%d runs, %v", told, err)
	}
	for _, p := range j.Points {
		if p.Assessments[0] != Holds {
			t.Errorf("%+v", p)
		}
	}
}

// A claim whose text follows the numbers could not be followed from point to point.
func TestJudge_RefusesTextsThatDependOnNumbers(t *testing.T) {
	f := gridded()
	f.Curves = f.Curves[:2]
	f.Statements = func(r *Results) []Statement {
		return []Statement{State(strconv.FormatFloat(r.Of(f.Curves[0]).Last("distance"), 'g', -1, 64), Holds, "")}
	}
	_, err := f.Judge(context.Background(), t.TempDir(), "", nil)
	if err == nil || !strings.Contains(err.Error(), "depends on what was measured") {
		t.Errorf("error %v", err)
	}
}

// A claim is not judged at a point at which a run of its curves ends early, and the page counts it; claims on other
// curves are judged there.
func TestJudge_VoidsOnlyClaimsWhoseRunsFail(t *testing.T) {
	f := gridded()
	f.Curves = f.Curves[:2]
	failing, sound := f.Curves[0], f.Curves[1]
	f.Grid.Settings = []Setting{{Name: "step", Paths: []string{"algorithm"}, Taken: "1", Curves: f.Curves[:1],
		Values: []string{"{kind: dgd, step: 0.1}", "{kind: dgd, step: 1e+60}"}, Words: []string{"small", "huge"}}}
	f.Statements = func(r *Results) []Statement {
		near := func(c *Curve) float64 { return r.Of(c).Last("distance") }
		return []Statement{
			State("for comparison", ForComparison, "%.3g", near(sound)),
			State("one is nearer", Assess(near(failing) < near(sound)), "%.6g, %.6g", near(failing), near(sound)),
			State("the other is near", Assess(near(sound) < 0.5), "%.6g", near(sound)),
			State("its cost is known", Assess(r.Of(sound).Activity(func(a *record.Activity) float64 {
				return float64(a.Solves)
			}) > 0), "%.6g", near(sound)),
			// Of the failing curve it says nothing but a verdict.
			State("one falls", Assess(near(failing) < r.Of(failing).At("distance", 0)), "it does or not"),
		}
	}
	j, err := f.Judge(context.Background(), t.TempDir(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for claim, failed := range []int{6, 0, 0, 6} {
		s := j.share(f.Grid, claim, 2)
		if s.Failed != failed || s.Judged() != 12-failed {
			t.Errorf("%q: %+v of %+v", j.Claims[claim], s, j.Points)
		}
		if words := s.Words(false); (failed > 0) != strings.Contains(words, "at 6 more a run of its curves failed, so "+
			"that it is not shown to hold there") {
			t.Errorf("%q: %s", j.Claims[claim], words)
		}
	}
	for _, p := range j.Points {
		if huge := p.Values[0] == "{kind: dgd, step: 1e+60}"; huge != strings.Contains(p.Failed, failing.Label) ||
			huge != (p.Measured[0] == "") || p.Measured[1] == "" {
			t.Errorf("%+v", p)
		}
	}
}

// A file that was edited, cut off or put together is refused, with the key and what to do.
func TestReadJudged_RefusesWhatNoBuildWrote(t *testing.T) {
	f := gridded()
	dir := t.TempDir()
	j, err := f.Judge(context.Background(), filepath.Join(dir, "runs"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var claimed []Statement
	for _, text := range j.Claims {
		claimed = append(claimed, Statement{Text: text})
	}
	path := filepath.Join(dir, judgedFile)
	read := func(change func(text string) string) (*Judged, error) {
		t.Helper()
		if err := j.Write(dir); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := change(string(text))
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		got, _, err := f.readJudged(dir, claimed)
		return got, err
	}
	if got, err := read(func(text string) string { return text }); err != nil ||
		!reflect.DeepEqual(got.Points, j.Points) {
		t.Fatalf("what was just written: %v", err)
	}
	edit := func(change func(j *Judged)) func(string) string {
		return func(text string) string {
			other := new(Judged)
			if err := json.Unmarshal([]byte(text), other); err != nil {
				t.Fatal(err)
			}
			change(other)
			changed, _ := json.Marshal(other)
			if string(changed) == text {
				t.Fatal("nothing is changed")
			}
			return string(changed)
		}
	}
	resummed := func(change func(j *Judged)) func(string) string { // by who knows of the sum
		return edit(func(j *Judged) {
			change(j)
			j.Sum = j.sum()
		})
	}
	for _, c := range []struct {
		name   string
		change func(string) string
		want   string
	}{
		{"a cut", func(text string) string { return text[:len(text)/2] }, "unexpected EOF"},
		{"an end", func(text string) string { return text + "{}" }, "goes on after the end"},
		{"an unknown key", func(text string) string { return strings.Replace(text, `"seeds"`, `"seed"`, 1) }, "seed"},
		{"a verdict", edit(func(j *Judged) { j.Points[0].Assessments[0] = Holds; j.Points[1].Assessments[0] = Fails }),
			"sum is not that of the other keys"},
		{"a number", edit(func(j *Judged) { j.Points[3].Measured[1] = "0" }), "sum is not"},
		{"a claim", edit(func(j *Judged) { j.Claims[1] = "another" }), "sum is not"},
		{"a setting's name", edit(func(j *Judged) { j.Settings[0].Name = "another" }), "sum is not"},
		{"no sum", edit(func(j *Judged) { j.Sum = "" }), "sum is not"},
		{"fewer points", resummed(func(j *Judged) { j.Points = j.Points[:11] }), "points has 11 entries, must have 12"},
		{"no claims", resummed(func(j *Judged) { j.Claims = nil }), "claims is empty"},
		{"a value", resummed(func(j *Judged) { j.Points[2].Values[0] = "7" }), `points[2].values is ["7" `},
		{"fewer values", resummed(func(j *Judged) { j.Points[2].Values = nil }),
			"points[2].values has 0 entries, and settings has 2"},
		{"fewer assessments", resummed(func(j *Judged) { j.Points[4].Assessments = nil }),
			"points[4] has 0 assessments and 2 measured, and claims has 2"},
		{"an unknown assessment", resummed(func(j *Judged) { j.Points[5].Assessments[1] = "maybe" }),
			`points[5].assessments[1] is "maybe"`},
		{"a reference", resummed(func(j *Judged) { j.Points[5].Assessments[1] = ForComparison }),
			`points[5].assessments[1] is "reference"`},
		{"a void claim of sound runs", resummed(func(j *Judged) { j.Points[6].Assessments[0] = Void }),
			`points[6].assessments[0] is "a run failed", and failed is ""`},
		{"a failure of nobody", resummed(func(j *Judged) { j.Points[6].Failed = "nobody" }),
			"points[6].failed names no curve of small"},
	} {
		_, err := read(c.change)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), "; delete it: `simulate reproduce --rejudge small` judges") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestJudge_GoesOnWhereItWasStopped(t *testing.T) {
	f := gridded()
	dir := t.TempDir()
	want, err := f.Judge(context.Background(), filepath.Join(dir, "whole"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	_, err = f.Judge(ctx, filepath.Join(dir, "stopped"), "", func(n int) {
		if n > 30 {
			stop()
		}
	})
	if !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "of 72 runs of small are finished and kept") {
		t.Fatalf("stopped with %v", err)
	}
	first := -1
	got, err := f.Judge(context.Background(), filepath.Join(dir, "stopped"), "", func(n int) {
		if first < 0 && n > 24 { // beyond the first curve
			first = n
		}
	})
	if err != nil || !reflect.DeepEqual(got, want) || first <= 25 {
		t.Errorf("went on from %d runs, %v: %+v", first, err, got)
	}
}

// What was judged of other curves is no part of a page, and only what has changed is computed anew.
func TestJudge_NoticesChangedCurves(t *testing.T) {
	f := gridded()
	out := t.TempDir()
	judge := func() (told []int) {
		j, err := f.Judge(context.Background(), filepath.Join(out, "runs"), "", func(n int) { told = append(told, n) })
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Write(filepath.Join(out, f.Name)); err != nil {
			t.Fatal(err)
		}
		return told
	}
	read := func() *Judged {
		r, err := f.Run(context.Background(), 1, "", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		j, why, err := f.readJudged(filepath.Join(out, f.Name), claims(f.Statements(r)))
		if err != nil || (j == nil) != strings.Contains(why, "is of other claims, curves or settings than this page") {
			t.Fatalf("%v: %q", err, why)
		}
		return j
	}
	judge()
	before := read()
	if before == nil {
		t.Fatal("what was just judged is left out")
	}
	last := len(f.Curves) - 1
	f.Curves[last].Set = []string{"rounds.count=30", "algorithm={kind: dgd, step: 0.4}"}
	if read() != nil {
		t.Error("what was judged of another curve is on the page")
	}
	for _, n := range judge() { // the runs of the two curves before it are still there
		if n%24 != 0 && n < 48 {
			t.Errorf("run %d, which is kept, is done anew", n)
		}
	}
	if after := read(); after == nil || after.Of == before.Of {
		t.Errorf("judged anew: %+v", after)
	}
	f.Grid.Set = []string{"problem.train=220"}
	if read() != nil {
		t.Error("what was judged with fewer rows is on the page")
	}
	f.Grid.Set, f.Scenario = []string{"problem.train=200"}, "quickstart.yaml"
	if read() != nil {
		t.Error("what was judged of another scenario is on the page")
	}
}

// killedIn is the environment variable by which this test's own program is told to judge until it is killed.
const killedIn = "OVERHEAR_TEST_JUDGE"

func TestJudge_GoesOnWhenKilled(t *testing.T) {
	f := gridded()
	for _, c := range f.Curves { // long enough to be killed in the middle
		c.Set = append(c.Set, "rounds.count=600")
	}
	if dir := os.Getenv(killedIn); dir != "" {
		_, err := f.Judge(context.Background(), dir, "", nil)
		t.Fatalf("nobody killed it: %v", err)
	}
	if testing.Short() {
		t.Skip("kills a process")
	}
	dir := t.TempDir()
	c := exec.Command(os.Args[0], "-test.run", "^TestJudge_GoesOnWhenKilled$")
	c.Env = append(os.Environ(), killedIn+"="+dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(dir, f.gridKeys(f.Grid.Draw(f.Name))[1][:16], "journal")
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if i, err := os.Stat(journal); err == nil && i.Size() > 1<<17 {
			break
		}
		if time.Now().After(deadline) {
			break // the runs are counted below
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	kept := 0
	got, err := f.Judge(context.Background(), dir, "", func(n int) {
		if kept == 0 && n > 24 { // beyond the first curve
			kept = n
		}
	})
	if err != nil || len(got.Points) != 12 || kept <= 24 || kept >= f.GridTasks() {
		t.Fatalf("went on from %d of %d runs: %v", kept, f.GridTasks(), err)
	}
	want, err := f.Judge(context.Background(), t.TempDir(), "", nil)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("killed and gone on %+v, left alone %+v (%v)", got, want, err)
	}
}

// decisions has a setting that rises, one that changes from point to point, and one of two kinds.
func decisions(hold func(k int) Assessment) (*Judged, *Grid) {
	g := &Grid{Settings: []Setting{
		{Name: "rising", Low: 0, High: 11}, {Name: "mixed", Low: 0, High: 11},
		{Name: "kind", Values: []string{"p", "q"}, Words: []string{"first kind", "second kind"}},
	}}
	j := new(Judged)
	for k := range 12 {
		j.Points = append(j.Points, JudgedPoint{
			Values:      []string{strconv.Itoa(k), strconv.Itoa(5 * k % 12), []string{"p", "q"}[k%2]},
			Assessments: []Assessment{hold(k)},
		})
	}
	return j, g
}

func TestShare_NamesTheSettingThatDecides(t *testing.T) {
	for _, c := range []struct {
		name         string
		hold         func(k int) Assessment
		holds        int
		setting      string
		want, absent string
	}{
		{"a threshold", func(k int) Assessment { return Assess(k >= 7) }, 5, "rising",
			"holds at 5 of 12 points (42 %); rising decides: at most 6: at 0 of 7 points, at least 7: at 5 of 5", ""},
		{"a kind", func(k int) Assessment { return AssessParts(k%2 == 1, k > 5) }, 6, "kind",
			"kind decides: first kind: at 0 of 6 points, otherwise: at 6 of 6", ""},
		{"one point of a setting's middle", func(k int) Assessment { return Assess(k == 5) }, 1, "",
			"no setting is shown to decide", " decides"},
		{"in part only", func(k int) Assessment { return AssessParts(false, k >= 7) }, 0, "rising",
			"holds at 0 of 12 points (0 %), in part at 5; of where it holds in part; rising decides: at most 6: at 0 " +
				"of 7 points, at least 7: at 5 of 5", ""},
		{"in part, and once wholly", func(k int) Assessment { return AssessParts(k == 5, k >= 7) }, 1, "",
			"in part at 5; no setting is shown to decide", "of where it holds in part"},
		{"nothing to judge", func(k int) Assessment { return AssessWhere(k%2 == 0, Assess(k >= 7)) }, 2, "rising",
			"holds at 2 of 6 points (33 %); at 6 more there is nothing to judge, which counts neither way; no " +
				"setting is shown to decide: the clearest is rising, at most 6: at 0 of 4 points, at least 8: at 2 " +
				"of 2", ""},
		{"nothing to judge anywhere", func(int) Assessment { return NotTested }, 0, "",
			"cannot be judged: at 12 points there is nothing to judge", "decide"},
		{"always", func(int) Assessment { return Holds }, 12, "", "holds at 12 of 12 points (100 %)", "decide"},
		{"never", func(int) Assessment { return Fails }, 0, "", "holds at 0 of 12 points (0 %)", "decide"},
	} {
		j, g := decisions(c.hold)
		s := j.share(g, 0, 2)
		words := s.Words(false)
		if s.Holds != c.holds || !strings.Contains(words, c.want) ||
			c.absent != "" && strings.Contains(words, c.absent) {
			t.Errorf("%s: %s", c.name, words)
		}
		if c.setting != "" && s.Splits[0].Name != c.setting {
			t.Errorf("%s: %+v", c.name, s.Splits)
		}
	}
}

// With one setting of twelve values, two of the C(12, 6) ways to hold at six points are parted by a threshold.
func TestChance_IsThatOfAllLabellings(t *testing.T) {
	s := Setting{Name: "a", Low: 0, High: 11}
	var points [][]string
	for k := range 12 {
		points = append(points, []string{strconv.Itoa(k)})
	}
	splits := s.splits(0, points)
	if len(splits) != 11 {
		t.Fatalf("%d splits", len(splits))
	}
	if got, want := chance(splits, 6, 12, 0), 2.0/924; !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("chance %v, want %v", got, want)
	}
	if got := chance(splits, 6, 12, 0.5); got != 1 {
		t.Errorf("a split that parts nothing has a chance of %v", got)
	}
	for k := 12; k < 40; k++ { // too many labellings to try all: none of those drawn is as clear
		points = append(points, []string{strconv.Itoa(k)})
	}
	if got := chance(s.splits(0, points), 20, 40, 0); !(got > 0 && got <= 1e-4) {
		t.Errorf("drawn labellings give a chance of %v", got)
	}
}

func TestShare_SaysWhereSeedsAreFew(t *testing.T) {
	j, g := decisions(func(k int) Assessment { return Assess(k > 2) })
	j.Seeds = 2
	const want = "a point has 2 seeds and the page 10, so that points show it in part only"
	if w := j.share(g, 0, 10).Words(true); !strings.Contains(w, want) {
		t.Error(w)
	}
	for _, w := range []string{j.share(g, 0, 2).Words(true), j.share(g, 0, 10).Words(false)} {
		if strings.Contains(w, want) {
			t.Error(w)
		}
	}
}

// Labels that no setting made are called decided about as often as the test allows, and no oftener.
func TestShare_SaysThatNothingDecidesWhereLabelsAreChance(t *testing.T) {
	named, all := 0, 0
	for k := range uint64(400) {
		label := func(i int) Assessment { return Assess(k*2654435761>>(uint(i)+3)&1 == 1) }
		j, g := decisions(label)
		if s := j.share(g, 0, 2); s.Splits != nil {
			all++
			if strings.Contains(s.Words(false), " decides") {
				named++
			}
		}
	}
	if all < 300 || named > all/10 {
		t.Errorf("%d of %d labellings by chance are decided", named, all)
	}
}

func TestVerdict_IsOneOfPageAndSettings(t *testing.T) {
	for _, c := range []struct {
		page               Assessment
		holds, part, fails int
		exists             bool
		want               Assessment
		failed             int // points
		pageSeeds          int // where they are more than the two of a point
		untested           int // points
	}{
		{Holds, 12, 0, 0, false, Holds, 0, 0, 0},
		{Fails, 12, 0, 0, false, HoldsInPart, 0, 0, 0},
		{Holds, 11, 0, 1, false, HoldsInPart, 0, 0, 0},
		{Holds, 0, 0, 12, false, HoldsInPart, 0, 0, 0},
		{Fails, 0, 1, 11, false, HoldsInPart, 0, 0, 0},
		{Fails, 0, 0, 12, false, Fails, 0, 0, 0},
		{Fails, 1, 0, 11, true, Holds, 0, 0, 0},
		{Holds, 0, 0, 12, true, Holds, 0, 0, 0},
		{Fails, 0, 2, 10, true, HoldsInPart, 0, 0, 0},
		{Fails, 0, 0, 12, true, Fails, 0, 0, 0},
		{Holds, 0, 0, 0, false, Holds, 0, 0, 0},        // no point could be judged
		{Holds, 10, 0, 0, false, HoldsInPart, 2, 0, 0}, // nobody has seen it hold where runs failed
		{Holds, 0, 0, 0, false, HoldsInPart, 12, 0, 0},
		{Fails, 0, 0, 10, false, Fails, 2, 0, 0},
		{Holds, 0, 0, 10, true, Holds, 2, 0, 0},
		{Fails, 5, 0, 7, true, Holds, 0, 2, 0},
		{Fails, 5, 0, 7, true, HoldsInPart, 0, 10, 0}, // with two seeds it is found too easily
		{HoldsInPart, 12, 0, 0, true, HoldsInPart, 0, 10, 0},
		{Holds, 0, 0, 12, true, Holds, 0, 10, 0},
		{Fails, 0, 0, 12, true, Fails, 0, 10, 0},
		{Holds, 12, 0, 0, false, Holds, 0, 10, 0},
		{Holds, 10, 0, 0, false, Holds, 0, 0, 2}, // where there is nothing to judge nothing is refuted
		{Fails, 0, 0, 10, false, Fails, 0, 0, 2},
		{NotTested, 12, 0, 0, false, Holds, 0, 0, 0},
		{NotTested, 0, 0, 12, false, Fails, 0, 0, 0},
		{NotTested, 3, 0, 2, false, HoldsInPart, 0, 0, 7},
		{NotTested, 0, 0, 0, false, NotTested, 0, 0, 12},
		{Holds, 0, 0, 0, false, Holds, 0, 0, 12},
	} {
		claim := Claim{Statement{Assessment: c.page, Exists: c.exists},
			&Share{Holds: c.holds, InPart: c.part, Fails: c.fails, Failed: c.failed, Seeds: 2, Untested: c.untested,
				PageSeeds: max(2, c.pageSeeds)}}
		if got := claim.Verdict(); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
		// The sentence says the verdict that is counted.
		if why := claim.Why(); claim.Share.Judged()+claim.Share.Failed > 0 &&
			!strings.Contains(why, "As a whole it "+string(c.want)+", as ") {
			t.Errorf("%+v: %s", c, why)
		}
		if row := claim.row(); !strings.HasSuffix(row, c.want.cell()) || !strings.Contains(row, claim.Why()) {
			t.Errorf("%+v: %s", c, row)
		}
		// What rests on an account, or is so by construction, says so in whatever verdict, for it and against it.
		for rests, verdicts := range map[Rests]map[Assessment]Assessment{
			OnAccount: {Holds: "holds by account only", HoldsInPart: "holds in part, by account only",
				Fails: "does not hold, by account only", NotTested: NotTested},
			OnConstruction: {Holds: "holds by construction", HoldsInPart: "holds in part, by construction",
				Fails: "does not hold, by construction", NotTested: NotTested},
		} {
			other := claim
			other.Statement = claim.On(rests)
			if got := other.Verdict(); got != verdicts[c.want] || !strings.Contains(other.Why(), string(rests)) {
				t.Errorf("%+v, on %s: %s, as %s", c, rests, got, other.Why())
			}
		}
	}
}
