// The numbers of a figure are those of plain runs, and pages and indexes say what was measured.

package reproduce

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/record"
	"overhear/report/plot"
	"overhear/scenarios"
)

// small is a figure on little data.
func small() *Figure {
	slow := &Curve{
		Label: "η = 0.3", Set: []string{"rounds.count=30", "algorithm.eta=0.3", "algorithm.init={normal: 1}"},
		Group: "ADMM,", X: 0.3,
	}
	fast := &Curve{
		Label: "η = 0.03", Set: []string{"rounds.count=30", "algorithm.init={normal: 1}"}, Group: "ADMM,", X: 0.03,
	}
	return &Figure{
		Name: "small", Paper: "a test", Title: "ADMM by penalty", Scenario: "wdbc-ring.yaml", Seeds: 3,
		Stated: "nothing", Chosen: "everything",
		Curves: []*Curve{fast, slow},
		Charts: []Chart{
			{Name: "distance", Title: "d", X: "round", Y: "distance", XLabel: "round", YLabel: "distance", LogY: true},
			{Name: "by-eta", Title: "d", Y: "distance", XLabel: "η", YLabel: "distance", Points: []int{10, 30}},
		},
		Statements: func(r *Results) []Statement {
			return []Statement{State("smaller η is faster",
				Assess(r.Of(fast).Last("distance") < r.Of(slow).Last("distance")), "yes")}
		},
	}
}

func TestRun_NumbersAreThoseOfPlainRuns(t *testing.T) {
	f := small()
	r, err := f.Run(context.Background(), 0, "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.LoadShipped(f.Scenario, f.Curves[1].Set...)
	if err != nil {
		t.Fatal(err)
	}
	sum, low, high := 0.0, math.Inf(1), 0.0
	for seed := uint64(1); seed <= 3; seed++ {
		_, table, err := experiment.New(s, "").Measure(context.Background(), seed, 2)
		if err != nil {
			t.Fatal(err)
		}
		v := table.Column("distance")[20]
		sum += v
		low, high = math.Min(low, v), math.Max(high, v)
	}
	mean, least, greatest := r.Of(f.Curves[1]).Range("distance", 20)
	if mean != sum/3 || least != low || greatest != high || low == high {
		t.Errorf("mean %v of %v to %v, want %v of %v to %v", mean, least, greatest, sum/3, low, high)
	}

	r.Style = plot.Style{Labels: map[string]string{"η": "penalty", "none": "x", "η = 0.3": "$\\eta = 0.3$"}}
	_, unknown := r.Style.Named(r.Words())
	want := `no figure has the words "none"; they have "round", "distance", "η = 0.03", "η = 0.3", "η"`
	if unknown == nil || !strings.Contains(unknown.Error(), want) || strings.Contains(unknown.Error(), `words "η`) {
		t.Errorf("labels that no figure has: %v", unknown)
	}
	dir := t.TempDir()
	out, err := r.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	page, _ := os.ReadFile(filepath.Join(out, "README.md"))
	for _, want := range []string{"**holds**", "distance.svg", "by-eta.svg", "algorithm.eta=0.3", "seeds 1 to 3",
		"simulate reproduce small"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	file, err := os.Open(filepath.Join(out, "data.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+2*31 {
		t.Errorf("%d rows", len(rows))
	}
	if v, _ := strconv.ParseFloat(rows[1+31+20][2], 64); !(math.Abs(v-mean) <= 1e-7*mean) {
		t.Errorf("data.csv has %v for %v", v, mean)
	}
	for _, name := range []string{"distance.svg", "distance.png", "by-eta.svg", "by-eta.png"} {
		if i, err := os.Stat(filepath.Join(out, name)); err != nil || i.Size() < 2000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A warning that several curves have is said once, of all of them.
func TestPage_SaysWhichCurvesAreWarnedOf(t *testing.T) {
	f := small()
	f.Curves = append(f.Curves, &Curve{Label: "third"})
	r := &Results{Figure: f}
	for k, c := range f.Curves {
		warnings := [][]string{{"everywhere", "twice"}, {"everywhere"}, {"everywhere", "twice", "once"}}[k]
		r.Runs = append(r.Runs, Runs{Curve: c, Infos: []*record.Info{{Warnings: warnings}}})
	}
	got := r.warnings()
	if want := []string{"all 3 curves: everywhere", f.Curves[0].Label + "; third: twice", "third: once"}; !slices.Equal(
		got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A page's rows are read as they were written, and those that state nothing are not counted.
func TestWritePapersIndex_GathersStatements(t *testing.T) {
	defer func(before []*Figure) { figures = before }(figures)
	Register(small())
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "small"), 0o755); err != nil {
		t.Fatal(err)
	}
	page := "# x\n\n| the paper states | measured | |\n|---|---|---|\n"
	for _, s := range []Statement{
		State("a", Fails, "b"), State("c", Holds, "d"), State("e", ForComparison, "f"), State("g", HoldsInPart, "h"),
		State("k", Holds, "l").On(OnAccount), State("m", Holds, "n").On(OnConstruction),
		State("o", Fails, "p").On(OnAccount),
	} {
		page += s.row() + "\n"
	}
	page += "| i | j | **in bold** |\n"
	if err := os.WriteFile(filepath.Join(dir, "small", "README.md"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WritePapersIndex(dir); err != nil {
		t.Fatal(err)
	}
	index, _ := os.ReadFile(filepath.Join(dir, "papers.md"))
	for _, want := range []string{
		"Of 6 claims: 1 **holds**, 1 **holds by account only**, 1 **holds by construction**, 1 **holds in part**, " +
			"1 **does not hold**, 1 **does not hold, by account only**.\n", "| a | b | **does not hold** |\n",
		"| g | h | **holds in part** |\n", "## [a test: ADMM by penalty](small/README.md)",
	} {
		if !strings.Contains(string(index), want) {
			t.Errorf("the index lacks %q:\n%s", want, index)
		}
	}
	for _, not := range []string{"| e |", "| i |"} {
		if strings.Contains(string(index), not) {
			t.Errorf("the index has %q:\n%s", not, index)
		}
	}
}

func TestAssess(t *testing.T) {
	for _, c := range []struct {
		all, some bool
		want      Assessment
	}{{true, true, Holds}, {true, false, Holds}, {false, true, HoldsInPart}, {false, false, Fails}} {
		if got := AssessParts(c.all, c.some); got != c.want {
			t.Errorf("AssessParts(%v, %v) = %s, want %s", c.all, c.some, got, c.want)
		}
	}
	if Assess(true) != Holds || Assess(false) != Fails {
		t.Error("Assess is wrong")
	}
}

func TestOf_RefusesAnotherFiguresCurve(t *testing.T) {
	f, other := small(), small()
	r := &Results{Figure: f, Runs: []Runs{{Curve: f.Curves[0]}, {Curve: f.Curves[1]}}}
	if r.Of(f.Curves[1]) != &r.Runs[1] {
		t.Error("the runs are not the curve's")
	}
	defer func() {
		if recover() == nil {
			t.Error("a curve of another figure was found")
		}
	}()
	r.Of(other.Curves[1])
}

func TestRun_DoesNotDependOnProcessors(t *testing.T) {
	page := func(procs int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		r, err := small().Run(context.Background(), 2, "", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(out, "data.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if page(1) != page(2) {
		t.Error("the numbers depend on the number of processors")
	}
}

// Charts show their curves only, in their rounds, by epochs; those against a parameter have a line a group and round.
// A page that is stopped goes on from the runs that are kept, and comes to the same; where data are absent nothing is
// kept.
func TestRun_GoesOnWhereItWasStopped(t *testing.T) {
	f := small()
	dir := filepath.Join(t.TempDir(), "runs")
	want, err := f.Run(context.Background(), 6, "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	_, err = f.Run(ctx, 6, dir, "", func(n int) {
		if n > 4 {
			stop()
		}
	})
	if !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "of 12 runs of small are finished and kept") {
		t.Fatalf("stopped with %v", err)
	}
	var told []int
	got, err := f.Run(context.Background(), 6, dir, "", func(n int) { told = append(told, n) })
	if err != nil || len(told) >= 12 || told[len(told)-1] != 12 {
		t.Fatalf("%v; told %v", err, told)
	}
	for k := range want.Runs {
		a, errA := json.Marshal(got.Runs[k].Infos)
		b, errB := json.Marshal(want.Runs[k].Infos)
		if errors.Join(errA, errB) != nil || string(a) != string(b) {
			t.Errorf("%s: facts %s, want %s (%v, %v)", f.Curves[k].Label, a, b, errA, errB)
		}
		for seed, table := range want.Runs[k].Tables {
			if !slices.EqualFunc(table.Column("distance"), got.Runs[k].Tables[seed].Column("distance"),
				func(a, b float64) bool { return a == b }) {
				t.Errorf("%s, seed %d: other distances", f.Curves[k].Label, seed)
			}
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("OVERHEAR_DATA", t.TempDir())
	f.Scenario = "zz16-fig2.yaml"
	dir = filepath.Join(t.TempDir(), "runs")
	var setup experiment.SetupError
	if _, err := f.Run(context.Background(), 1, dir, t.TempDir(), nil); !errors.As(err, &setup) ||
		!strings.Contains(err.Error(), "data set adult") {
		t.Errorf("without data: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without data something is kept: %v", err)
	}
}

// A study that fails, or is stopped, says so and leaves no room behind.
func TestStudy_ReturnsItsError(t *testing.T) {
	wrong := errors.New("wrong")
	temp := ""
	s := &Study{Name: "attacks/wrong", Compute: func(b *Workbench) error {
		temp = b.temp
		return wrong
	}}
	if b, err := s.Run(context.Background(), "", nil); b != nil || !errors.Is(err, wrong) {
		t.Errorf("%v, %v", b, err)
	}
	if _, err := os.Stat(temp); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", temp, err)
	}
}

func TestChart_ShowsWhatItSays(t *testing.T) {
	curves := []*Curve{
		{Label: "a", Group: "g", X: 1}, {Label: "b", Group: "g", X: 2, Epoch: 2}, {Label: "c", Group: "h", X: 3},
	}
	r := &Results{Figure: &Figure{Name: "synthetic", Curves: curves}, Seeds: 2}
	for k, c := range curves {
		runs := Runs{Curve: c}
		for seed := range 2 { // loss is 100·curve + 10·seed + round
			table := &record.Table{Columns: []string{"round", "loss"}}
			for i := range 5 {
				table.Rows = append(table.Rows, []float64{float64(i), float64(100*k + 10*seed + i)})
			}
			runs.Tables = append(runs.Tables, table)
		}
		r.Runs = append(r.Runs, runs)
	}
	rounds := r.chart(Chart{X: "round", Y: "loss", Curves: curves[:2], Rounds: func(t int) bool { return t > 1 }})
	want := []plot.Line{
		{Label: "a", X: []float64{2, 3, 4}, Y: []float64{7, 8, 9}, Low: []float64{2, 3, 4},
			High: []float64{12, 13, 14}},
		{Label: "b", X: []float64{1, 2}, Y: []float64{107, 109}, Low: []float64{102, 104}, High: []float64{112, 114}},
	}
	if !reflect.DeepEqual(rounds.Lines, want) {
		t.Errorf("against rounds: %+v, want %+v", rounds.Lines, want)
	}
	parameter := r.chart(Chart{Y: "loss", Points: []int{0, 4}})
	var lines []string
	for _, l := range parameter.Lines {
		lines = append(lines, fmt.Sprintf("%s: %v %v", l.Label, l.X, l.Y))
	}
	if got := strings.Join(lines, "; "); got != "g t = 0: [1 2] [5 105]; g t = 4: [1 2] [9 109]; h t = 0: [3] [205]; "+
		"h t = 4: [3] [209]" {
		t.Errorf("against a parameter: %s", got)
	}
	if last := r.chart(Chart{Y: "loss", Curves: curves[2:]}); len(last.Lines) != 1 || last.Lines[0].Y[0] != 209 {
		t.Errorf("in the last round: %+v", last.Lines)
	}
}
