// Plans: grids as text, their points, and the hash.

package sweep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overhear/scenarios"
)

func TestAxes(t *testing.T) {
	for _, c := range []struct {
		text   string
		values [][]string // of each point
		paths  []string
	}{
		{"algorithm.eta=0.1,0.3", [][]string{{"0.1"}, {"0.3"}}, []string{"algorithm.eta"}},
		{"algorithm.eta= 0.1 , 0.3 ", [][]string{{"0.1"}, {"0.3"}}, []string{"algorithm.eta"}},
		{"algorithm={kind: dvp, eta: 0.1},{kind: admm, eta: 1}", [][]string{{"{kind: dvp, eta: 0.1}"},
			{"{kind: admm, eta: 1}"}}, []string{"algorithm"}},
		{"x=[1, 2],[3, [4, 5]]", [][]string{{"[1, 2]"}, {"[3, [4, 5]]"}}, []string{"x"}},
		{`x='a, b',"c, d",{e: 'f, }'}`, [][]string{{"'a, b'"}, {`"c, d"`}, {"{e: 'f, }'}"}}, []string{"x"}},
		{"x=don't,won't", [][]string{{"don't"}, {"won't"}}, []string{"x"}},
		{"x='it''s, so',2", [][]string{{"'it''s, so'"}, {"2"}}, []string{"x"}},
		{"a.b+c=0.1|0.2,0.3|[1, 2]", [][]string{{"0.1", "0.2"}, {"0.3", "[1, 2]"}}, []string{"a.b", "c"}},
		{`x="a\\",2`, [][]string{{`"a\\"`}, {"2"}}, []string{"x"}},
		{"x=a|b,c", [][]string{{"a|b"}, {"c"}}, []string{"x"}},
		{"x=a=b", [][]string{{"a=b"}}, []string{"x"}},
	} {
		a, err := scenarios.ParseAxis(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var values [][]string
		for k := range a.Values {
			values = append(values, a.At(k))
		}
		if !reflect.DeepEqual(values, c.values) || !slices.Equal(a.Paths(), c.paths) {
			t.Errorf("%s: paths %q, values %q", c.text, a.Paths(), values)
		}
	}
}

func TestWrongAxes(t *testing.T) {
	for text, want := range map[string]string{
		"algorithm.eta":         "must be path=value",
		"=1":                    "must be a key",
		"a..b=1":                "must be a key",
		"algorithm.eta=":        "empty value",
		"algorithm.eta=1,,2":    "empty value",
		"algorithm.eta=1,1":     "1 is given twice",
		"algorithm.eta={a: 1":   "is not a YAML value",
		"a+b=1":                 "must have 2 values",
		"a+b=1|2,3":             "must have 2 values",
		"seeds.count=1,2":       "--seeds",
		"name=a,b":              "does not change a run",
		"sweep.seeds=1,2":       "does not change a run",
		"algorithm.eta=[1,2]],": "is not a YAML value",
	} {
		if _, err := scenarios.ParseAxis(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func TestAxisTextReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"1", "0.5", "a b", "[1, 2]", "{a: 'x, y'}",
			"'q, r'", "don't", "true"}), 1, 4, rapid.ID[string]).Draw(t, "values")
		a, err := scenarios.ParseAxis("p.q=" + strings.Join(values, ","))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := a.MarshalText()
		b, err := scenarios.ParseAxis(string(text))
		if err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v became %+v: %v", a, b, err)
		}
	})
}

func TestSectionAndFlags(t *testing.T) {
	section := smallScenario + `
sweep:
  seeds: 2
  keep: rounds
  grid:
    - algorithm.eta=0.1,0.3
    - {path: problem.rho, values: [0.02, 0.2, 2]}
    - 'algorithm.init=zeros,{normal: 0.1}'
`
	p := plan(t, section, Options{})
	if p.Len() != 2*2*3*2 || p.Keep != KeepRounds || !slices.Equal(p.Paths(), []string{"algorithm.eta", "problem.rho",
		"algorithm.init"}) {
		t.Fatalf("%d runs, keep %s, paths %q", p.Len(), p.Keep, p.Paths())
	}
	if got := p.Values(p.Task(p.Len() - 1).Point); !slices.Equal(got, []string{"0.3", "2", "{normal: 0.1}"}) {
		t.Errorf("the last point is %q", got)
	}
	p = plan(t, section, Options{Grid: []string{"algorithm.alpha=1,2,3"}, Seeds: 5, Keep: KeepLast,
		Sets: []string{"seeds.first=7"}})
	if p.Len() != 15 || p.Keep != KeepLast || p.Task(14) != (Task{14, 2, 11}) {
		t.Errorf("with flags: %d runs, keep %s, last %+v", p.Len(), p.Keep, p.Task(14))
	}
	// The section is part of the language: it reads back, with its axes.
	s, err := scenarios.Parse("x", []byte(section))
	if err != nil {
		t.Fatal(err)
	}
	again, err := scenarios.Parse("x", []byte(s.Resolved()))
	if err != nil || !reflect.DeepEqual(s.Sweep, again.Sweep) {
		t.Errorf("resolved: %+v, %v", again.Sweep, err)
	}
}

func TestWrongPlans(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{"", Options{Grid: []string{"algorithm.eat=1"}}, `unknown key "eat" in algorithm; did you mean "eta"?`},
		{"", Options{Grid: []string{"problem.rho=1,-1", "rounds.count=0,1"}},
			"grid value problem.rho=-1: problem.rho must be from"},
		{"", Options{Grid: []string{"problem.rho=1,-1", "rounds.count=0,1"}}, "grid value rounds.count=0"},
		{"", Options{Sets: []string{"problem.rho=-1"}}, "--set problem.rho=-1"},
		{"", Options{Grid: []string{"algorithm.eta=1", "algorithm.eta=2"}}, "has algorithm.eta twice"},
		{"sweep: {grid: [algorithm.eta=1, algorithm.eta=2]}", Options{}, "sweep.grid has algorithm.eta twice"},
		{"sweep: {grid: [algorithm.eta]}", Options{}, "sweep.grid[0] must be path=value"},
		{"sweep: {keep: some}", Options{}, "must be one of last, rounds"},
		{"", Options{Sets: []string{"problem.data={csv: none.csv}"}}, "none.csv"},
	} {
		_, err := NewPlan(write(t, smallScenario+c.text), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %+v: error %v, want one with %q", c.text, c.o, err, c.want)
		}
	}
}

// The hash covers what determines results and nothing else.
func TestHash(t *testing.T) {
	grid := Options{Grid: []string{"algorithm.eta=0.1,0.3", "problem.rho=0.02,0.2"}, Seeds: 3}
	base := plan(t, smallScenario, grid)
	for what, same := range map[string]*Plan{
		"a comment":             plan(t, "# said differently\n"+smallScenario, grid),
		"a default written out": plan(t, smallScenario+"ties: ordered\n", grid),
		"another spelling":      plan(t, strings.Replace(smallScenario, "rho: 0.2", "rho: 0.20", 1), grid),
		"the same grid in the file": plan(t, smallScenario+"sweep: {seeds: 3, grid: [\"algorithm.eta=0.1,0.3\", "+
			"\"problem.rho=0.02,0.2\"]}", Options{}),
		"what the grid overrides": plan(t, strings.Replace(smallScenario, "eta: 0.1", "eta: 0.7", 1), grid),
		"a value of a grid's own key": plan(t, smallScenario, Options{Sets: []string{"problem.rho=5"}, Grid: grid.Grid,
			Seeds: 3}),
	} {
		if same.Hash != base.Hash {
			t.Errorf("%s changes the hash", what)
		}
	}
	for what, other := range map[string]*Plan{
		"a value": plan(t, smallScenario, Options{Grid: []string{"algorithm.eta=0.1,0.4", grid.Grid[1]},
			Seeds: 3}),
		"the order of axes": plan(t, smallScenario, Options{Grid: []string{grid.Grid[1], grid.Grid[0]}, Seeds: 3}),
		"the seeds":         plan(t, smallScenario, Options{Grid: grid.Grid, Seeds: 4}),
		"the first seed": plan(t, smallScenario, Options{Grid: grid.Grid, Seeds: 3,
			Sets: []string{"seeds.first=2"}}),
		"the rows":      plan(t, smallScenario, Options{Grid: grid.Grid, Seeds: 3, Keep: KeepRounds}),
		"a key outside": plan(t, strings.Replace(smallScenario, "count: 5", "count: 6", 1), grid),
		"a key in a --set": plan(t, smallScenario, Options{Grid: grid.Grid, Seeds: 3,
			Sets: []string{"rounds.count=6"}}),
		"a key of a mapping": plan(t, strings.Replace(smallScenario, "alpha: 1", "alpha: 2", 1), grid),
	} {
		if other.Hash == base.Hash {
			t.Errorf("%s does not change the hash", what)
		}
		if base.Differences(other) == "" {
			t.Errorf("%s is no difference", what)
		}
	}
}

func TestHashCoversTheUsersFiles(t *testing.T) {
	dir := t.TempDir()
	data, file := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "s.yaml")
	put := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(file, strings.Replace(smallScenario, "wdbc", "{csv: rows.csv}", 1))
	put(data, strings.Repeat("1,2,a\n2,1,b\n", 60))
	p, err := NewPlan(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Files) != 1 || p.Files["rows.csv"] == "" {
		t.Fatalf("files are %v", p.Files)
	}
	if _, err := ReadPlan(p.JSON()); err != nil {
		t.Fatal(err)
	}
	put(data, strings.Repeat("1,2,a\n2,2,b\n", 60))
	if q, err := NewPlan(file, Options{}); err != nil || q.Hash == p.Hash {
		t.Errorf("another file gives the same hash (%v)", err)
	}
	if _, err := ReadPlan(p.JSON()); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("a worker with another file reads the plan: %v", err)
	}
	q, err := NewPlan(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Differences(q); !strings.HasPrefix(d, "rows.csv has changed (SHA-256 ") || strings.Contains(d, "map[") {
		t.Errorf("the difference is said to be %s", d)
	}
}

// Results of one build of the program are never taken for another's.
func TestHashCoversTheProgram(t *testing.T) {
	p := plan(t, smallScenario, Options{})
	other := *p
	other.Program = "revision abc, go1.26.0"
	if hash, err := other.sum(); err != nil || hash == p.Hash {
		t.Errorf("another program gives the same hash (%v)", err)
	} else {
		other.Hash = hash
	}
	if d := other.Differences(p); !strings.HasPrefix(d, "the program was revision abc, go1.26.0, is executable") {
		t.Errorf("the difference is said to be %s", d)
	}
	if _, err := ReadPlan(other.JSON()); err == nil || !strings.Contains(err.Error(), "another build of the program") {
		t.Errorf("a worker of another build reads the plan: %v", err)
	}
}

func TestPlanReadsBack(t *testing.T) {
	p := plan(t, smallScenario, Options{Grid: []string{"algorithm.eta+algorithm.alpha=0.1|1,0.3|{initial: 2, ratio: " +
		"1.1}", "network.topology={kind: star, nodes: 5},{kind: ring, nodes: 3}"}, Seeds: 3})
	q, err := ReadPlan(p.JSON())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p, q) {
		t.Errorf("%+v became %+v", p, q)
	}
	var edited map[string]any
	if err := json.Unmarshal(p.JSON(), &edited); err != nil {
		t.Fatal(err)
	}
	edited["scenario"] = strings.Replace(smallScenario, "count: 5", "count: 7", 1)
	text, _ := json.Marshal(edited)
	if _, err := ReadPlan(text); err == nil || !strings.Contains(err.Error(), "edited") {
		t.Errorf("an edited plan is read: %v", err)
	}
}

// Numbers, points and seeds correspond, and every point's scenario has the
// values of the point.
func TestTasks(t *testing.T) {
	p := plan(t, smallScenario, Options{Grid: []string{"algorithm.eta=0.1,0.3", "rounds.count=2,3,4"}, Seeds: 2})
	seen := map[string]bool{}
	for k := range p.Len() {
		task := p.Task(k)
		s, hash, err := p.Scenario(task.Point)
		if err != nil || hash == "" {
			t.Fatal(err)
		}
		v := p.Values(task.Point)
		if got := map[string]int{"2": 2, "3": 3, "4": 4}[v[1]]; got != s.Rounds.Count {
			t.Errorf("run %d: %v, but %d rounds", k, v, s.Rounds.Count)
		}
		seen[strings.Join(v, " ")+" "+string(rune('0'+task.Seed))] = true
	}
	if len(seen) != 12 {
		t.Errorf("%d runs differ, want 12", len(seen))
	}
}

func TestReplay(t *testing.T) {
	p := plan(t, smallScenario, Options{Sets: []string{"problem.C=2"},
		Grid: []string{"algorithm.init=zeros,{normal: 0.1}", "algorithm.eta=0.1,0.3"}, Seeds: 2})
	p.File = "it's mine.yaml"
	want := `simulate run 'it'\''s mine.yaml' --seed 2 --set problem.C=2 --set 'algorithm.init={normal: 0.1}'` +
		` --set algorithm.eta=0.3 --data d`
	if got := p.Replay(p.Len()-1, "--data", "d"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestShards(t *testing.T) {
	for text, want := range map[string]string{"3/3": "count from 0", "-1/3": "not", "1": "not", "a/b": "not",
		"0/0": "not", "1/3x": "not"} {
		if _, err := ParseShard(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for index := range 20 {
		in := 0
		for i := range 3 {
			if (Shard{i, 3}).Has(index) {
				in++
			}
		}
		if in != 1 || !(Shard{}).Has(index) {
			t.Errorf("run %d is in %d of 3 shards", index, in)
		}
	}
}
