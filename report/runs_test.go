// Tables say what is in the runs.

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/privacy"
	"overhear/record"
)

func TestSeedTable_MeanLeastGreatest(t *testing.T) {
	var runs []*record.Run
	for _, loss := range []float64{0.25, 0.5, 0.75} {
		i := &record.Info{Name: "three"}
		i.Final.Loss = record.Number(loss)
		i.Final.TestError = record.Number(math.NaN())
		runs = append(runs, &record.Run{Info: i})
	}
	var b strings.Builder
	if err := SeedTable(&b, runs, "somewhere"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if got := strings.Fields(lines[1]); strings.Join(got, " ") != "training loss 0.5 0.25 0.75" {
		t.Errorf("%q", got)
	}
	if strings.Contains(b.String(), "test error") {
		t.Errorf("a line for what was not measured:\n%s", b.String())
	}
}

// A run without a digest is not said to have one that repeats are equal to.
func TestLines_TellWhatTheDigestIsOf(t *testing.T) {
	digest := strings.Repeat("5a", 32)
	for is, want := range map[string][3]string{
		digest: {"digest", digest[:16], "of every event; equal for every repeat of this run"},
		"":     {"digest", "off", "none is made of the events (record.trace: off)"},
	} {
		if all := Lines(&record.Info{Digest: is}); !slices.Contains(all, want) {
			t.Errorf("%q is not among %q", want, all)
		}
	}
}

// The table of several seeds has their certificates of rows, with the δ that all have.
func TestSeedTable_HasCertificates(t *testing.T) {
	table := func(deltas ...record.Number) string {
		var runs []*record.Run
		for k, delta := range deltas {
			i := &record.Info{Name: "certified", Seed: uint64(k), Privacy: new(record.Privacy)}
			i.Privacy.Certificates = []record.Certificate{{Unit: privacy.Label, Epsilon: 9},
				{Unit: privacy.Sample, Epsilon: record.Number(1 + k), Delta: delta}}
			if delta < 0 {
				i.Privacy.Certificates[1].Reason = "not proved"
			}
			runs = append(runs, &record.Run{Info: i})
		}
		var b strings.Builder
		if err := SeedTable(&b, runs, "somewhere"); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if strings.HasPrefix(line, certificateTitle) && !strings.Contains(line, ":") {
				return strings.Join(strings.Fields(line), " ")
			}
		}
		return ""
	}
	if got := table(1e-5, 1e-5, 1e-5); got != "certificate at δ = 1e-05 2 1 3" {
		t.Errorf("%q", got)
	}
	if got := table(0, 0); got != "certificate 1.5 1 2" {
		t.Errorf("without δ: %q", got)
	}
	for _, other := range []record.Number{0, -1} {
		if got := table(1e-5, other); got != "" {
			t.Errorf("a mean of certificates of other kinds: %q", got)
		}
	}
}

// What certificates do not cover, and that there is none, is said of several seeds as of one, and of how many.
func TestSeedTable_SaysWhatIsNotCertified(t *testing.T) {
	certificates := [][]record.Certificate{
		{{Unit: privacy.Sample, Epsilon: 1, Delta: 1e-5, Covers: "it covers the servers"},
			{Unit: privacy.Label, Epsilon: 0.5}},
		{{Unit: privacy.Sample, Reason: "the noise is off"}},
		{{Unit: privacy.Sample, Reason: "the noise is off"}},
	}
	var runs []*record.Run
	for k, c := range certificates {
		i := &record.Info{Name: "certified", Seed: uint64(k), Privacy: &record.Privacy{Certificates: c}}
		runs = append(runs, &record.Run{Info: i})
	}
	var b strings.Builder
	if err := SeedTable(&b, runs, "somewhere"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 of 3 seeds", "of a row: NOT CERTIFIED: the noise is off",
		"of a row: it covers the servers", "of a row's label: 0.5, without δ"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// What one run's table warns of is not lost where there are several: each state and each
// warning is said once, with how many seeds it is of.
func TestSeedTable_WarnsAsOneRunDoes(t *testing.T) {
	var runs []*record.Run
	for seed, state := range []string{record.Converged, record.Moving, record.Moving} {
		i := &record.Info{Name: "three", Seed: uint64(seed), BaseError: 0.4,
			Reference:   record.Reference{TestError: 0.1},
			Convergence: &record.Convergence{State: state, Factor: 0.9, Advice: "rounds"},
			Computed:    []record.Computed{{Key: "eta", Value: 0.25, Why: "from curvature"}},
			Ridge:       &record.Ridge{Smaller: 0.01}, Warnings: []string{"of all",
				fmt.Sprintf("it errs in %d %%", 40+seed)}}
		if seed == 2 {
			i.Warnings = append(i.Warnings, "of one")
		}
		runs = append(runs, &record.Run{Info: i})
	}
	var b strings.Builder
	if err := SeedTable(&b, runs, "somewhere"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"progress: 1 of 3 seeds converged; seed 0: the distance to the optimum is below 0.1 %\n",
		"progress: 2 of 3 seeds moving; seed 1: the distance to the optimum falls by 10 % a round; try rounds\n",
		"eta: 0.25 in seed 0, computed: from curvature\n", "always the larger class: 40.00 %\n", "rho of seed 0: ",
		"\nwarning: of all\n", "\nwarning: 3 of 3 seeds, the first being 0: it errs in 40 %\n",
		"\nwarning: 1 of 3 seeds: of one\n",
	} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("no line, or several, %q in\n%s", want, b.String())
		}
	}
}

// All compositions of a claim, under names that do not mix: the sum of pure mechanisms, none
// of those that are not, and a paper's own alone.
func TestBounds_HaveEachComposition(t *testing.T) {
	nan := record.Number(math.NaN())
	claiming := func(c record.Claim) *record.Info {
		c.Node, c.Unit, c.AtDelta, c.ZCDP, c.RDP = 3, privacy.Sample, 1e-5, 4, 3
		i := &record.Info{Privacy: &record.Privacy{Condition: record.ConditionHolds, Claims: []record.Claim{
			{Unit: privacy.Sample, Bound: record.Bound{Epsilon: 1, By: record.BySum}}, c}}}
		i.Final.PrivacyLoss = c.Epsilon
		i.Privacy.Chosen = &record.Chosen{Epsilon: float64(c.Epsilon), Over: "run", Scale: 1}
		return i
	}
	renyi := record.Bound{Epsilon: 3, Delta: 1e-5, By: record.ByRenyi}
	if got := met(&record.Chosen{Over: "run", By: "certificate", Delta: 1e-6}, nil); got !=
		" by the certificate at δ = 1e-06" {
		t.Errorf("noise chosen for the certificate is said to be%s", got)
	}
	for name, c := range map[string]struct {
		i      *record.Info
		loss   string
		met    string
		bounds []string
	}{
		"pure": {claiming(record.Claim{Epsilon: 9, Advanced: 5, Bound: renyi}), "summed over rounds, without δ, of",
			"9 over the run by the sum over rounds, without δ, where the least bound is 3 at δ = 1e-05: the scenario's",
			[]string{"the sum over rounds 9 0", "advanced composition 5 1e-05", "zero-concentrated privacy 4 1e-05",
				"Rényi divergences 3 1e-05 the least"}},
		"gaussian": {claiming(record.Claim{Epsilon: 3, Delta: 1e-5, Advanced: nan, Bound: renyi}),
			"by Rényi divergences, at δ = 1e-05, of",
			"3 over the run by Rényi divergences at δ = 1e-05: the scenario's",
			[]string{"Rényi divergences 3 1e-05 the least", "zero-concentrated privacy 4 1e-05"}},
		"paper": {claiming(record.Claim{Epsilon: 7, Delta: 1e-3, Advanced: nan,
			Bound: record.Bound{Epsilon: 7, Delta: 1e-3, By: record.ByPaper}}),
			"by the paper's own composition, at δ = 0.001, of",
			"7 over the run by the paper's own composition at δ = 0.001: the scenario's",
			[]string{"the paper's own composition 7 0.001 the least"}},
	} {
		var b strings.Builder
		if err := Bounds(&b, c.i); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[1:] {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
		if !slices.Equal(got, c.bounds) || !strings.HasPrefix(b.String(), "bounds of a sample at node 3, seed 0 ") {
			t.Errorf("%s: %q, want %q, in\n%s", name, got, c.bounds, b.String())
		}
		lines := map[string]string{}
		line := func(name, value, meaning string) { lines[name] = value + " " + meaning }
		claim(c.i, line)
		least := number(c.i.Privacy.Claims[1].Bound.Epsilon)
		if !strings.Contains(lines["privacy loss"], c.loss) || !strings.Contains(lines["privacy loss"], c.met) ||
			!strings.HasPrefix(lines["privacy bound"], least+" at δ = ") {
			t.Errorf("%s: %q", name, lines)
		}
	}
	// What a claim protects is said: over split columns it is no row.
	columns := claiming(record.Claim{Epsilon: 7, Delta: 1e-3, Bound: record.Bound{Epsilon: 7, By: record.ByPaper}})
	for k := range columns.Privacy.Claims {
		columns.Privacy.Claims[k].Unit = privacy.Column
	}
	claim(columns, func(name, _, meaning string) {
		if name == "privacy loss" && (!strings.Contains(meaning, "of a column of the worst party") ||
			strings.Contains(meaning, "of a row")) {
			t.Errorf("of columns: %s", meaning)
		}
	})
	var b strings.Builder
	if err := Bounds(&b, &record.Info{}); err != nil || !strings.HasPrefix(b.String(), "no bounds: ") {
		t.Errorf("%v, %q", err, b.String())
	}
}

// Where users have ε of their own, the table has each server's: how many labels have which, or from which to which.
func TestTable_LabelsOfOwnBudgets(t *testing.T) {
	share := func(e float64, n int) record.LabelShare { return record.LabelShare{Epsilon: e, Users: n} }
	privacyOf := &record.Privacy{Condition: "the noise is off", Claims: []record.Claim{
		{Node: 1, Unit: privacy.Label, Bound: record.Bound{Epsilon: 2, By: record.BySum}}},
		Labels: []record.LabelBudget{
			{Node: 0, Users: 30, Least: 0.4, Mean: 0.4, Greatest: 0.4, Values: []record.LabelShare{share(0.4, 30)}},
			{Node: 1, Users: 30, Least: 0.4, Mean: 1.2, Greatest: 2,
				Values: []record.LabelShare{share(0.4, 10), share(1, 1), share(2, 19)}},
			{Node: 2, Users: 50, Least: 0.5, Mean: 0.9, Greatest: 1.9},
		}}
	var got []string
	claim(&record.Info{Privacy: privacyOf}, func(name, value, meaning string) {
		got = append(got, name+": "+value+": "+meaning)
	})
	want := []string{
		"label privacy: 2: of a row's label, at the worst node; by the sum over rounds",
		"  of server 0: 0.4: of each of 30 labels",
		"  of server 1: 0.4 to 2: 0.4 of 10 labels, 1 of 1 label, 2 of 19 labels",
		"  of server 2: 0.5 to 1.9: of each of 50 labels, mean 0.9",
		"privacy loss: not established: the noise is off",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the lines are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	privacyOf.Stated = &record.Bound{Epsilon: 55.8, Delta: 2.1e-4, By: record.ByPaper}
	got = nil
	claim(&record.Info{Privacy: privacyOf}, func(name, value, meaning string) {
		got = append(got, name+": "+value+": "+meaning)
	})
	if last := got[len(got)-1]; last !=
		"privacy loss: not established: claimed ε = 55.8 at δ = 0.00021 over the run; the noise is off" {
		t.Errorf("what a paper claims is said as %q", last)
	}
}

// A long name of a directory, as a fork of a fork has, does not push away what numbers mean.
func TestTable_StaysNarrow(t *testing.T) {
	at := func(dir string) (meanings, files int) {
		var b strings.Builder
		if err := Table(&b, &record.Run{Dir: dir, Info: &record.Info{Nodes: 4, Edges: 4}}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if strings.HasPrefix(line, "rounds ") {
				meanings = strings.Index(line, "0 s of virtual time")
			}
			if strings.HasPrefix(line, "files ") && strings.HasSuffix(line, dir+"  0.00 s of real time") {
				files = strings.Index(line, dir)
			}
		}
		return meanings, files
	}
	short := strings.Repeat("a", 40)
	meanings, files := at(short)
	if files < 10 || meanings != files+40+2 {
		t.Errorf("of a directory of 40 letters meanings begin at %d, its name at %d", meanings, files)
	}
	const value = len("4 nodes, 4 edges")
	if meanings, in := at(short + "a"); meanings != files+value+2 || in != meanings {
		t.Errorf("of one of 41 meanings begin at %d, its name at %d", meanings, in)
	}
}

// What theorems prove is in the table of a run that asks for it, beside what was measured.
func TestTable_TheoremsWhereTheyAreAskedFor(t *testing.T) {
	i := &record.Info{
		Rates: []record.Rate{
			{Theorem: "A", Applies: "applies", Proved: 0.9, Measured: 0.8, From: 5, To: 10},
			{Theorem: "B", Applies: "applies", Proved: 0.9, Measured: record.Number(math.NaN())},
			{Theorem: "C", Applies: "does not apply: noise", Proved: record.Number(math.NaN())},
		},
		Excess: []record.Excess{{Theorem: "D", Applies: "applies", Of: record.OfOptimum, Bound: 24, Measured: 0.5}},
	}
	lines := func(rates string) string {
		i.Scenario = "name: x\nrecord: {rates: " + rates + "}\n"
		var b strings.Builder
		theorems(i, func(name, value, meaning string) { b.WriteString(name + ": " + value + ": " + meaning + "\n") })
		return b.String()
	}
	want := "A: 0.9: applies; factor of the distance a round: 0.9 proved, 0.8 measured from round 5 to 10\n" +
		"B: 0.9: applies; factor of the distance a round: 0.9 proved, and none measured: it tends to another point " +
		"than the problem's optimum, or too few rounds are above the rounding floor\n" +
		"C: -: does not apply: noise\n" +
		"D: 24: applies; excess risk of the optimum: 24 proved, 0.5 measured\n"
	if got := lines("on"); got != want {
		t.Errorf("the lines are\n%swant\n%s", got, want)
	}
	if got := lines("auto"); got != "" {
		t.Errorf("nobody asked for\n%s", got)
	}
}
