// Figures: what is averaged, what is drawn, and what is said of a wrong column.

package sweep

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const plotted = `run,algorithm.eta,method,seed,loss
0,0.1,admm,1,3
1,0.1,admm,2,5
2,1,admm,1,2
3,1,dvp,1,7
4,1,dvp,2,
5,10,dvp,1,9
`

func TestPlotGathers(t *testing.T) {
	c := func(p Plot) map[string]lines {
		t.Helper()
		facets, err := p.gather(strings.NewReader(plotted))
		if err != nil {
			t.Fatal(err)
		}
		return facets
	}
	one := func(y float64) *spread { return &spread{1, y, y, y} }
	for _, x := range []struct {
		plot Plot
		want map[string]lines
	}{
		{Plot{X: "algorithm.eta", Y: "loss", Colour: "method"}, map[string]lines{"": {
			"admm": {0.1: {2, 8, 3, 5}, 1: one(2)},
			"dvp":  {1: one(7), 10: one(9)},
		}}},
		{Plot{X: "algorithm.eta", Y: "loss", Facet: "method", Where: []string{"seed=1"}}, map[string]lines{
			"admm": {"loss": {0.1: one(3), 1: one(2)}},
			"dvp":  {"loss": {1: one(7), 10: one(9)}},
		}},
		{Plot{X: "algorithm.eta", Y: "loss", Where: []string{"method=admm", "algorithm.eta=0.10"}},
			map[string]lines{"": {"loss": {0.1: {2, 8, 3, 5}}}}},
		{Plot{X: "algorithm.eta", Y: "loss", Where: []string{"method=none"}}, map[string]lines{}},
	} {
		if got := c(x.plot); !reflect.DeepEqual(got, x.want) {
			t.Errorf("%+v: %v", x.plot, got)
		}
	}
	for _, x := range []struct {
		plot Plot
		want string
	}{
		{Plot{X: "eta", Y: "loss"}, `there is no column "eta"; there are run, algorithm.eta, method`},
		{Plot{X: "method", Y: "loss"}, `line 2: method is "admm": a logarithmic axis needs a column of numbers`},
		{Plot{X: "run", Y: "loss", Where: []string{"seed"}}, "column=value"},
	} {
		if _, err := x.plot.gather(strings.NewReader(plotted)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v", x.plot, err)
		}
	}
}

func TestPlotDraws(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, csvFile), []byte(plotted), 0o644); err != nil {
		t.Fatal(err)
	}
	p := Plot{X: "algorithm.eta", Y: "loss", Facet: "method", LogX: true}
	files, err := p.Draw(dir, filepath.Join(dir, "plots"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%q, %v", files, err)
	}
	again, err := p.Draw(dir, filepath.Join(dir, "again"))
	if err != nil {
		t.Fatal(err)
	}
	for k := range files {
		a, _ := os.ReadFile(files[k])
		b, _ := os.ReadFile(again[k])
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s is drawn differently again", files[k])
		}
		if strings.HasSuffix(files[k], ".png") {
			if _, err := png.Decode(bytes.NewReader(a)); err != nil {
				t.Errorf("%s: %v", files[k], err)
			}
		}
	}
}

// A column that is not of numbers is drawn as categories, in the order of the table; names of columns are words.
func TestPlotCategories(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, csvFile), []byte(plotted), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := Plot{X: "method", Y: "loss"}.Draw(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">admm<", ">dvp<", ">training loss<"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in the figure", want)
		}
	}
	if _, err := (Plot{X: "method", Y: "loss", LogX: true}).Draw(dir, dir); err == nil ||
		!strings.Contains(err.Error(), "a logarithmic axis needs a column of numbers") {
		t.Errorf("categories on a logarithmic axis: %v", err)
	}
	if _, err := (Plot{X: "seed", Y: "method"}).Draw(dir, dir); err == nil ||
		!strings.Contains(err.Error(), "the vertical axis needs a column of numbers") {
		t.Errorf("categories on the vertical axis: %v", err)
	}
}

// A title says of how many runs the points are, where some have fewer.
func TestPlotTitle_CountsRuns(t *testing.T) {
	for _, c := range []struct{ eta, want string }{
		{"0.1,1,10", "loss: mean and range of 1 to 2"},
		{"0.1", "loss: mean and range of 2"},
		{"10", "loss"},
	} {
		p := Plot{X: "algorithm.eta", Y: "loss"}
		facets, err := p.gather(strings.NewReader(plotted))
		if err != nil {
			t.Fatal(err)
		}
		all := lines{"loss": {}}
		for _, x := range strings.Split(c.eta, ",") {
			eta, _ := finiteNumber(x)
			all["loss"][eta] = facets[""]["loss"][eta]
		}
		chart, err := p.chart("loss", all)
		if err != nil || chart.Title != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.eta, chart.Title, c.want, err)
		}
	}
}
