// Every built-in set has the rows, columns and classes its description says.

package problem

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/sim"
)

// dataDir is where the shared data are, seen from this package.
var dataDir = filepath.Join("..", "..", "shared", "data")

func load(t testing.TB, name string) *Set {
	t.Helper()
	b, _ := FindSet(name)
	if _, err := b.Find(dataDir); err != nil {
		t.Skipf("data set %s is not at hand: %v", name, err)
	}
	set, err := Source{Set: name}.Load(t.Context(), dataDir, sim.NewStream(1, "data"))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestBuiltInSets(t *testing.T) {
	positive := map[string]int{ // from the published class counts
		"wdbc": 357, "adult": 11208, "a9a": 7841 + 3846, "german": 300, "splice": 1527, "image": 1320, "banana": 2376,
	}
	for _, b := range builtIns {
		t.Run(b.Name, func(t *testing.T) {
			set := load(t, b.Name)
			plus := 0
			for _, y := range set.Y {
				if y > 0 {
					plus++
				}
			}
			if set.X.Len() != b.Rows || len(set.Y) != b.Rows || set.X.D != b.Columns || len(set.Columns) != b.Columns {
				t.Errorf("%d rows, %d labels, %d columns, %d names; want %d rows and %d columns", set.X.Len(),
					len(set.Y), set.X.D, len(set.Columns), b.Rows, b.Columns)
			}
			if want, ok := positive[b.Name]; ok && plus != want {
				t.Errorf("%d rows of class +1, want %d", plus, want)
			}
			if names := set.Names.Columns; names != nil && !slices.Equal(set.Columns, names) ||
				(set.Names.Classes[0] == "") != (set.Names.Classes[1] == "") {
				t.Errorf("columns %q, names %+v", set.Columns, set.Names)
			}
			for _, v := range set.X.Val {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatal("a value is not finite")
				}
			}
		})
	}
}

// The first tumour, by hand, of the description that comes with the data.
func TestWDBC_HasNames(t *testing.T) {
	set := load(t, "wdbc")
	_, values := set.X.Row(0)
	for name, want := range map[string]float64{"mean radius": 17.99, "mean fractal dimension": 0.07871,
		"radius error": 1.095, "worst radius": 25.38, "worst fractal dimension": 0.1189} {
		if k := slices.Index(set.Columns, name); k < 0 || values[k] != want {
			t.Errorf("%s is column %d of %v", name, k, values)
		}
	}
	if is := set.Names.Classes[0]; set.Y[0] != -1 || is != "malignant" || set.Names.Label != "diagnosis" {
		t.Errorf("it is %v, which is %q of %q", set.Y[0], is, set.Names.Label)
	}
}

func TestAdultPrepared(t *testing.T) {
	set := Scale{Columns: "max", Rows: "clip", Intercept: true}.Apply(load(t, "adult"), nil)
	if set.X.D != 105 || set.Dropped != 48842-45222 {
		t.Errorf("%d columns and %d rows dropped; want the papers' 105, and 3,620", set.X.D, set.Dropped)
	}
	// The first row of adult.data, by hand: 39, State-gov, 77516, Bachelors, 13, …
	raw := load(t, "adult")
	cols, vals := raw.X.Row(0)
	got := map[string]float64{}
	for k, c := range cols {
		got[raw.Columns[c]] = vals[k]
	}
	for name, want := range map[string]float64{"age": 39, "workclass=State-gov": 1, "fnlwgt": 77516,
		"education=Bachelors": 1, "education-num": 13, "capital-gain": 2174, "hours-per-week": 40,
		"native-country=United-States": 1} {
		if got[name] != want {
			t.Errorf("row 0: %s = %v, want %v", name, got[name], want)
		}
	}
	for i := range set.X.Len() {
		_, vals := set.X.Row(i)
		sum := 0.0
		for _, v := range vals {
			sum += v * v
		}
		if !(sum <= 1+1e-12) {
			t.Fatalf("row %d has norm %v", i, math.Sqrt(sum))
		}
	}
}

// Class means of Breiman's generators, within five standard errors.
func TestGeneratorMeans(t *testing.T) {
	const n = 60000
	a := 2 / math.Sqrt(20)
	for name, want := range map[string]func(y float64, k int) float64{
		"twonorm": func(y float64, _ int) float64 { return y * a },
		"ringnorm": func(y float64, _ int) float64 {
			if y > 0 {
				return 0
			}
			return a
		},
		"waveform": func(y float64, k int) float64 {
			h := func(c int) float64 { return math.Max(0, 6-math.Abs(float64(k+1-c))) }
			if y > 0 {
				return (h(11) + h(7)) / 2
			}
			return (h(11) + 2*h(15) + h(7)) / 4
		},
	} {
		set, err := Source{Set: name, Rows: n}.Load(t.Context(), "", sim.NewStream(5, "data"))
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range []float64{-1, 1} {
			count := 0.0
			sum := make([]float64, set.X.D)
			for i := range set.X.Len() {
				if set.Y[i] == y {
					count++
					_, vals := set.X.Row(i)
					for k, v := range vals {
						sum[k] += v
					}
				}
			}
			for k := range sum {
				if e := math.Abs(sum[k]/count - want(y, k)); !(e <= 5*2.5/math.Sqrt(count)) {
					t.Errorf("%s, class %+.0f, column %d: mean is off by %v", name, y, k, e)
				}
			}
		}
	}
}

func BenchmarkLoadAdult(b *testing.B) {
	for range b.N {
		Scale{Columns: "max", Rows: "clip", Intercept: true}.Apply(load(b, "adult"), nil)
	}
}

// A file of a built-in set that is not the published one is refused, packed or not, and named.
func TestBuiltInSets_AreThePublishedOnes(t *testing.T) {
	load(t, "banana") // skips where it is not at hand
	b, _ := FindSet("banana")
	paths, err := b.Find(dataDir)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, _, err := unpacked(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, changed := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(b.Files[0].Path))
		if changed { // a digit, so that the file can be read as before
			at := bytes.LastIndexByte(text, '1')
			text[at] = '2'
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			t.Fatal(err)
		}
		_, err := Source{Set: "banana"}.Load(t.Context(), dir, sim.NewStream(1, "data"))
		if (err != nil) != changed || changed && !(strings.Contains(err.Error(), path+" has SHA-256 ") &&
			strings.Contains(err.Error(), b.Files[0].SHA256)) {
			t.Errorf("changed %v: %v", changed, err)
		}
	}
}
