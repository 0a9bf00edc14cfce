// What tuning loses, against compositions by hand; and private selection.

package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/record"
)

func accounted(t *testing.T, p *Plan) *record.Tuning {
	t.Helper()
	got, err := Account(context.Background(), p, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= 1e-9) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// The runs of a sweep together lose what their rounds do, composed as if they were one run.
func TestAccount_IsTheCompositionOfAllRuns(t *testing.T) {
	p := plan(t, smallScenario, Options{Grid: []string{"algorithm.eta=0.1,0.2"}, Seeds: 20, Apart: true,
		Sets: []string{"algorithm.alpha=0.3", "rounds.count=1"}})
	var uses, claims []loss.Mechanism
	one := 0.0
	for index := range p.Len() {
		s, _, err := p.Scenario(p.Task(index).Point)
		if err != nil {
			t.Fatal(err)
		}
		a, err := experiment.New(s, "").Assemble(t.Context(), p.Task(index).Seed)
		if err != nil {
			t.Fatal(err)
		}
		l, err := algorithms.Certify(a.Method.(algorithms.Private))
		if err != nil {
			t.Fatal(err)
		}
		one = max(one, l.Worst(privacy.Sample, 1, 1e-5).Epsilon)
		l.Each(func(node, _ int, unit privacy.Unit, m loss.Mechanism) { // 25 rows at each node: all lose as much
			if node == 0 && unit == privacy.Sample {
				uses = append(uses, m)
			}
		})
		claims = append(claims, loss.Response{Epsilon: 0.3})
	}
	got := accounted(t, p)
	if got.Runs != 40 || got.Units[0].Unit != privacy.Sample || got.Selection != nil {
		t.Errorf("%+v", got)
	}
	lost := got.Units[0]
	near(t, "one claim", float64(lost.One.Claim.Epsilon), 0.3)
	near(t, "one certificate", float64(lost.One.Certificate.Epsilon), one)
	near(t, "all certificates", float64(lost.All.Certificate.Epsilon), loss.Compose(uses).Epsilon(1e-5))
	near(t, "all claims", float64(lost.All.Claim.Epsilon), loss.Compose(claims).Epsilon(1e-5))
	if !(lost.All.Certificate.Epsilon > 1.5*lost.One.Certificate.Epsilon) || lost.All.Certificate.Delta != 1e-5 ||
		!(lost.All.Claim.Epsilon < 0.99*12) {
		t.Errorf("one run %v, all %v", lost.One.Certificate, lost.All.Certificate)
	}
}

// Rows that are drawn anew for each seed are in the runs of one seed only, and so in one run where runs are apart.
func TestAccount_DrawnDataAreOfOneSeed(t *testing.T) {
	text := strings.Replace(smallScenario, "data: wdbc, train: 100", "data: {set: twonorm, rows: 100}", 1)
	o := Options{Grid: []string{"algorithm.eta=0.1,0.2"}, Seeds: 3, Apart: true}
	many := accounted(t, plan(t, text, o))
	if m := many.Units[0]; many.Runs != 1 ||
		m.All != m.One || m.All.Claim.Reason != "" || m.All.Certificate.Reason != "" {
		t.Errorf("%+v of six seeds", many)
	}
	o.Apart = false
	if shared := accounted(t, plan(t, text, o)); shared.Runs != 2 {
		t.Errorf("%+v of three seeds", shared)
	}
}

// A run without a guarantee leaves none of all, and is named.
func TestAccount_SaysWhyThereIsNone(t *testing.T) {
	for _, c := range []struct{ axis, claim, certificate string }{
		{"algorithm={kind: dvp, eta: 0.1},{kind: admm, eta: 0.1}", "run 1", "run 1"},
		{"problem.scale.rows=clip,none", "not established", "norm at most 1"},
		{"algorithm={kind: dvp, eta: 0.1},{kind: dvp, eta: 0.1, calibration: listing}", "is not proved", ""},
	} {
		got := accounted(t, plan(t, smallScenario, Options{Grid: []string{c.axis}, Apart: true}))
		for _, f := range []struct {
			figure record.Figure
			want   string
		}{{got.Units[0].All.Claim, c.claim}, {got.Units[0].All.Certificate, c.certificate}} {
			none := math.IsNaN(float64(f.figure.Epsilon))
			if none != (f.want != "") || !strings.Contains(f.figure.Reason, f.want) {
				t.Errorf("%s: %+v, want %q", c.axis, f.figure, f.want)
			}
		}
	}
	p := plan(t, strings.Replace(smallScenario, "dvp, eta: 0.1, alpha: 1", "admm, eta: 0.1", 1), Options{Seeds: 2})
	if _, err := Account(context.Background(), p, nil, nil, ""); err == nil {
		t.Error("a sweep without privacy is accounted for")
	}
}

// Claims with a δ are summed, and a selection has no claim of them.
func TestAccount_ClaimsWithTheirDelta(t *testing.T) {
	text := strings.Replace(strings.Replace(smallScenario, "kind: ring, nodes: 4", "kind: star, nodes: 5", 1),
		"dvp, eta: 0.1, alpha: 1", "dp-admm, eta: 0.1", 1)
	p := plan(t, text, Options{Seeds: 3})
	got := accounted(t, p)
	near(t, "ε", float64(got.Units[0].All.Claim.Epsilon), 3*float64(got.Units[0].One.Claim.Epsilon))
	near(t, "δ", float64(got.Units[0].All.Claim.Delta), 3e-5)
	s, err := Account(context.Background(), p, []int{0}, &Choice{Metric: "test_error", Mean: 2}, "")
	if err != nil {
		t.Fatal(err)
	}
	if l := s.Units[0].Best; l.Claim.Reason == "" || l.Certificate.Reason != "" {
		t.Errorf("%+v", l)
	}
}

// selectable is a scenario whose runs have the same rows.
var selectable = strings.Replace(smallScenario, "train: 100", "train: 100, order: file", 1)

func selection(t *testing.T, seed string) (*Plan, []int, *Choice) {
	t.Helper()
	c := &Choice{Metric: "test_error", Mean: 4}
	p, only, err := Select(write(t, selectable), Options{Grid: []string{"algorithm.eta=0.1,0.2,0.4"},
		Sets: []string{"seeds.first=" + seed}}, c)
	if err != nil {
		t.Fatal(err)
	}
	return p, only, c
}

// The number of runs and their points are the seed's; each run has a seed of its own.
func TestSelect_DrawsRuns(t *testing.T) {
	lengths, sum := map[int]bool{}, 0
	points := map[int]int{}
	for seed := range 60 {
		p, only, _ := selection(t, string(rune('1'+seed%9))+string(rune('0'+seed/9)))
		lengths[len(only)] = true
		sum += len(only)
		seeds := map[uint64]bool{}
		for _, index := range only {
			seeds[p.Task(index).Seed] = true
			points[p.Task(index).Point]++
		}
		if len(seeds) != len(only) || p.Seeds.Count != len(only) || !slices.IsSorted(only) {
			t.Fatalf("seed %d: runs %v of %d seeds", seed, only, p.Seeds.Count)
		}
	}
	if len(lengths) < 5 || !(sum > 60*2 && sum < 60*7) || len(points) != 3 {
		t.Errorf("%d numbers of runs, %d in all, points %v", len(lengths), sum, points)
	}
	p, a, _ := selection(t, "5")
	if !p.Diverge {
		t.Error("runs are left out by their distance to the optimum, which no noise covers")
	}
	if _, b, _ := selection(t, "5"); !slices.Equal(a, b) {
		t.Errorf("%v, and again %v", a, b)
	}
}

// The best of the drawn runs is told with its cost, which is more than one run's.
func TestSelect_TellsTheBest(t *testing.T) {
	p, only, c := selection(t, "7")
	d := open(t, t.TempDir(), p)
	progress, err := Make(context.Background(), d, Settings{Dispatcher: Local{Workers: 1}, Only: only})
	if err != nil || progress.Total != len(only) || progress.Failed > 0 {
		t.Fatalf("%+v, %v", progress, err)
	}
	tuning, err := Account(context.Background(), p, only, c, "")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := d.WriteTuning(&b, tuning); err != nil {
		t.Fatal(err)
	}
	best, at := math.Inf(1), -1
	err = d.Journal.All(func(index int, encoded []byte) error {
		r, err := Decode(encoded)
		if v := r.Rows[0][slices.Index(r.Columns, "test_error")]; v < best {
			best, at = v, index
		}
		return err
	})
	s := tuning.Selection
	if err != nil || s.Run != at || float64(s.Value) != best || s.Runs != len(only) {
		t.Errorf("%+v, want run %d with %v, %v", s, at, best, err)
	}
	one, lost := tuning.Units[0].One, tuning.Units[0].Best
	if !(lost.Certificate.Epsilon > one.Certificate.Epsilon && lost.Claim.Epsilon > one.Claim.Epsilon) ||
		!(lost.Claim.Epsilon <= 3*one.Claim.Epsilon*1.2) {
		t.Errorf("one run %+v, the best %+v", one, lost)
	}
	for _, want := range []string{"geometric number of runs of mean 4", "Publish it alone", "at δ = 1e-05"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	text, err := os.ReadFile(filepath.Join(d.Path, record.TuningFile))
	var there record.Tuning
	if err != nil || json.Unmarshal(text, &there) != nil || there.Selection.Run != at {
		t.Errorf("%s, %v", text, err)
	}
}

// What is no private selection is refused, with what would be one.
func TestSelect_Refusals(t *testing.T) {
	for _, c := range []struct{ text, grid, metric, want string }{
		{smallScenario, "algorithm.eta=0.1,0.2", "test_error", "problem.order: file"},
		{selectable, "algorithm.eta=0.1,0.2", "loss", "test_error"},
		{selectable, "algorithm.eta=0.1,0.2", "distance", "test rows"},
		{selectable, "problem.train=90,100", "test_error", "the grid varies problem.train"},
		{strings.Replace(selectable, "train: 100, ", "", 1), "algorithm.eta=0.1,0.2", "test_error",
			"set problem.train"},
		{strings.Replace(selectable, "data: wdbc", "data: {set: twonorm, rows: 200}", 1), "algorithm.eta=0.1,0.2",
			"test_error", "drawn anew"},
	} {
		_, _, err := Select(write(t, c.text), Options{Grid: []string{c.grid}}, &Choice{Metric: c.metric})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s by %s: %v, want %q", c.grid, c.metric, err, c.want)
		}
	}
	if _, _, err := Select(write(t, selectable), Options{}, &Choice{Metric: "test_error", Mean: 0.5}); err == nil {
		t.Error("half a run")
	}
	for _, mean := range []float64{1e12, 1e300, math.Inf(1), math.NaN()} {
		_, _, err := Select(write(t, selectable), Options{}, &Choice{Metric: "test_error", Mean: mean})
		if err == nil || !strings.Contains(err.Error(), "at most 1000000") {
			t.Errorf("%v runs: %v", mean, err)
		}
	}
	refused := 0 // of a mean that may be, more runs than can be
	for seed := range 9 {
		_, _, err := Select(write(t, selectable), Options{Sets: []string{fmt.Sprintf("seeds.first=%d", seed+1)}},
			&Choice{Metric: "test_error", Mean: 1e6})
		if err != nil && strings.Contains(err.Error(), "take a smaller mean") {
			refused++
		}
	}
	if refused == 0 || refused == 9 {
		t.Errorf("%d of 9 refused", refused)
	}
}

// A sweep over a private method says that choosing costs privacy, and any other says nothing of it.
func TestSummarise_SaysThatTuningCostsPrivacy(t *testing.T) {
	for _, text := range []string{smallScenario, strings.Replace(smallScenario, "dvp, eta: 0.1, alpha: 1",
		"admm, eta: 0.1", 1)} {
		p := plan(t, text, Options{Seeds: 2})
		d := open(t, t.TempDir(), p)
		if _, err := Make(context.Background(), d, Settings{Dispatcher: Local{Workers: 1}}); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := Summarise(&b, p, d.Journal); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "sweep --account") != (text == smallScenario) {
			t.Errorf("said:\n%s", b.String())
		}
	}
	// Who did it is not told to.
	d := open(t, t.TempDir(), plan(t, smallScenario, Options{Grid: []string{"algorithm.eta=0.1,0.2"}, Apart: true}))
	if _, err := Make(context.Background(), d, Settings{Dispatcher: Local{Workers: 1}}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Summarise(&b, d.Plan, d.Journal); err != nil || strings.Contains(b.String(), "--account") ||
		!strings.Contains(b.String(), "sees more than one run's ε covers\n") {
		t.Errorf("%v, said:\n%s", err, b.String())
	}
}

// Two runs of one seed have the same noise: a difference of what they publish has none, and nothing is composed.
func TestAccount_RefusesRunsOfOneSeed(t *testing.T) {
	text := strings.Replace(smallScenario, "dvp, eta: 0.1, alpha: 1", "pvp, eta: 0.1, alpha: 0.01", 1)
	const want = "runs 0 and 2 have seed 1 and so the same noise"
	o := Options{Grid: []string{"algorithm.alpha=0.01,0.02"}, Seeds: 2}
	for _, c := range []struct {
		text  string
		o     Options
		apart bool
	}{
		{text, o, false},
		{strings.Replace(text, "data: wdbc, train: 100", "data: {set: twonorm, rows: 100}", 1), o, false},
		{text, Options{Grid: o.Grid, Seeds: 2, Apart: true}, true},
		{text, Options{Seeds: 2}, true},
	} {
		p := plan(t, c.text, c.o)
		got := accounted(t, p)
		for _, f := range []record.Figure{got.Units[0].All.Claim, got.Units[0].All.Certificate} {
			if c.apart != (f.Reason == "" && f.Epsilon > 0) || !c.apart && !strings.Contains(f.Reason, want) {
				t.Errorf("%+v: %+v", c.o, f)
			}
		}
		if got.Units[0].One.Claim.Reason != "" || got.Units[0].One.Certificate.Reason != "" {
			t.Errorf("%+v: one run %+v", c.o, got.Units[0].One)
		}
		seeds := map[uint64]bool{}
		for index := range p.Len() {
			seeds[p.Task(index).Seed] = true
		}
		if c.apart != (len(seeds) == p.Len()) {
			t.Errorf("%+v: %d seeds of %d runs", c.o, len(seeds), p.Len())
		}
	}
}

// A directory keeps how its seeds are numbered, whether --account is given again or not, and each says how it differs.
func TestPlan_KeepsSeedsApart(t *testing.T) {
	file, dir := write(t, smallScenario), t.TempDir()
	of := func(apart bool) *Plan {
		p, err := NewPlan(file, Options{Grid: []string{"algorithm.eta=0.1,0.2"}, Seeds: 2, Apart: apart})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	d := open(t, dir, of(true))
	if again, err := ReadPlan(d.Plan.JSON()); err != nil || !again.Apart || again.Task(3).Seed != 4 {
		t.Errorf("%+v, %v", again, err)
	}
	later := of(false)
	if what := d.Plan.Differences(later); !strings.Contains(what, "4 from 1, one for each run there") {
		t.Errorf("differences %q", what)
	}
	err := later.As(dir)
	if err != nil || later.Hash != d.Plan.Hash || !strings.Contains(later.Command(), "--account") {
		t.Errorf("%+v, %v", later, err)
	}
	if of(true).Hash == of(false).Hash {
		t.Error("seeds that are apart are not in the hash")
	}
}

// A second selection among the same runs, by another metric or of another mean, would publish a second run of them.
func TestSelect_IsOfOneMetric(t *testing.T) {
	file, dir := write(t, selectable), t.TempDir()
	of := func(c Choice) *Plan {
		p, only, err := Select(file, Options{Grid: []string{"algorithm.eta=0.1,0.2,0.4"}}, &c)
		if err != nil || !slices.Equal(only, p.selected()) {
			t.Fatal(err, only)
		}
		return p
	}
	first := of(Choice{Metric: "test_error"})
	if err := open(t, dir, first).Close(); err != nil {
		t.Fatal(err)
	}
	if there, err := ReadPlan(first.JSON()); err != nil || !slices.Equal(there.selected(), first.selected()) {
		t.Errorf("%+v, %v", there, err)
	}
	for _, c := range []Choice{{Metric: "test_loss"}, {Metric: "test_error", Mean: 3.01}} {
		_, err := OpenDir(dir, of(c))
		if err == nil || !strings.Contains(err.Error(), "selection: the best by test_error of 3 runs in the mean") ||
			!strings.Contains(err.Error(), "--select test_error --mean-runs 3`") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	again, err := OpenDir(dir, of(Choice{Metric: "test_error", Mean: 3}))
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// What the certificates take as given is named, and a method that protects rows and labels has figures of both.
func TestAccount_NamesWhatIsGivenAndEveryUnit(t *testing.T) {
	text := strings.Replace(smallScenario, "rho: 0.2", "rho: 0.2, scale: {rows: max}, partition: {kind: label-skew}", 1)
	text = strings.Replace(text, "dvp, eta: 0.1, alpha: 1", "pdml, eta: 0.3, epsilon: 1", 1)
	got := accounted(t, plan(t, text, Options{Seeds: 2}))
	if len(got.Units) != 2 || got.Units[0].Unit != privacy.Sample || got.Units[1].Unit != privacy.Label {
		t.Fatalf("%+v", got.Units)
	}
	rows, labels := got.Units[0], got.Units[1]
	near(t, "ε of a label in one run", float64(labels.One.Claim.Epsilon), 1)
	near(t, "ε of a label in both", float64(labels.All.Claim.Epsilon), 2)
	if !strings.Contains(rows.Covers, "what servers publish") || labels.Covers != "" {
		t.Errorf("covers %q and %q", rows.Covers, labels.Covers)
	}
	for _, u := range got.Units {
		var names []string
		for _, g := range u.Given {
			names = append(names, g.Key)
		}
		want := []string{"problem.scale.columns", "problem.scale.rows", "problem.partition"}
		if u.Unit == privacy.Label { // which changes no divisor
			want = want[2:]
		}
		if slices.Sort(names); !slices.Equal(names, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: given %v, want %v", u.Unit, names, want)
		}
	}
}

// Verify computes what tuning loses again, and finds an edit.
func TestVerify_FindsEditsOfTuning(t *testing.T) {
	p := plan(t, smallScenario, Options{Grid: []string{"algorithm.eta=0.1,0.2"}, Apart: true})
	d := open(t, t.TempDir(), p)
	if _, err := Make(context.Background(), d, Settings{Dispatcher: Local{Workers: 1}}); err != nil {
		t.Fatal(err)
	}
	verify := func() (*Verified, error) { return Verify(context.Background(), d.Path, "", 1, func(int) {}) }
	if v, err := verify(); err != nil || v.Tuning {
		t.Fatalf("%+v, %v", v, err)
	}
	var b strings.Builder
	if err := d.WriteTuning(&b, accounted(t, p)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"taken as given, problem.scale.columns", "counted is this sweep alone",
		"seeds.first=3"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if v, err := verify(); err != nil || !v.Tuning {
		t.Fatalf("%+v, %v", v, err)
	}
	path := filepath.Join(d.Path, record.TuningFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), `"epsilon": 5,`, `"epsilon": 4,`, 1)
	if edited == string(text) {
		t.Fatalf("nothing to edit in\n%s", text)
	}
	if err := os.WriteFile(path, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := verify(); !errors.Is(err, experiment.ErrMismatch) ||
		!strings.Contains(err.Error(), `stated "epsilon": 4`) {
		t.Errorf("of an edit: %v", err)
	}
}

// A selection finds a run to publish: where nothing bounds what that loses, or no run has its metric, it is refused.
func TestSelect_NothingToPublish(t *testing.T) {
	for _, c := range []struct{ grid, train, metric, want string }{
		{"algorithm={kind: dvp, eta: 0.1},{kind: admm, eta: 0.1}", "100", "test_error", "claims nothing of a row"},
		{"algorithm={kind: dvp, eta: 0.1},{kind: dvp, eta: 0.1, noise: off}", "100", "test_error", "the noise is off"},
		{"algorithm.eta=0.1,0.2", "569", "test_error", "take a smaller problem.train"},
		{"algorithm.eta=0.1,0.2", "100", "test_rmse", "no best one"},
	} {
		choice := &Choice{Metric: c.metric}
		p, only, err := Select(write(t, strings.Replace(selectable, "train: 100", "train: "+c.train, 1)),
			Options{Grid: []string{c.grid}}, choice)
		if err != nil {
			t.Fatal(err)
		}
		lost, err := Account(context.Background(), p, only, choice, "")
		if err == nil { // it shows in the runs only
			d := open(t, t.TempDir(), p)
			s := Settings{Dispatcher: Local{Workers: 1}, Only: only}
			if _, err := Make(context.Background(), d, s); err != nil {
				t.Fatal(err)
			}
			err = d.WriteTuning(io.Discard, lost)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s by %s: %v, want %q", c.grid, c.metric, err, c.want)
		}
	}
}

// Runs that cannot be made send nothing and are left out of the account; shards' accounts are the whole sweep's, and
// stay when they are joined.
func TestAccount_OfWhatCanBeMadeInShards(t *testing.T) {
	p := plan(t, smallScenario, Options{Grid: []string{"problem.train=100,5000,110"}, Apart: true})
	got := accounted(t, p)
	if got.Failed != 1 || got.Runs != 2 || got.Units[0].All.Certificate.Reason != "" {
		t.Errorf("%+v", got)
	}
	var dirs []string
	for k := range 2 {
		d := open(t, filepath.Join(t.TempDir(), fmt.Sprint("shard", k)), p)
		dirs = append(dirs, d.Path)
		s := Settings{Dispatcher: Local{Workers: 1}, Shard: Shard{Index: k, Count: 2}}
		if _, err := Make(context.Background(), d, s); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.WriteTuning(io.Discard, got), d.Close()); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "all")
	if _, err := Merge(out, dirs); err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(context.Background(), out, "", 1, func(int) {}); err != nil || !v.Tuning {
		t.Errorf("%+v, %v", v, err)
	}
}
