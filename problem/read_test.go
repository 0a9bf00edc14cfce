// Readers: what they accept, and where they say a file is wrong.

package problem

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overhear/internal/memory"
	"overhear/sim"
)

func TestReadCSV(t *testing.T) {
	set, _, err := Source{}.readCSV(t.Context(), "t.csv",
		[]byte("size,colour,class\n3,red,no\n?,red,no\n-1,blue,yes\n0,red,yes\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.Columns, []string{"size", "colour=blue", "colour=red"}) ||
		!slices.Equal(set.Y, []float64{-1, 1, 1}) || set.Dropped != 1 {
		t.Errorf("columns %v, labels %v, %d dropped", set.Columns, set.Y, set.Dropped)
	}
	if got := dense(set.X); !slices.EqualFunc(got, [][]float64{{3, 0, 1}, {-1, 1, 0}, {0, 0, 1}}, slices.Equal) {
		t.Errorf("rows %v", got)
	}
	if len(set.X.Val) != 5 {
		t.Errorf("%d values stored; zeros should be left out", len(set.X.Val))
	}
	set, _, err = Source{Label: "0", Positive: "a"}.readCSV(t.Context(), "t.csv", []byte("a,1\nb,2\n"))
	if err != nil || !slices.Equal(set.Y, []float64{1, -1}) {
		t.Errorf("label by number: %v %v", set, err)
	}
}

func dense(r *Rows) [][]float64 {
	var out [][]float64
	for i := range r.Len() {
		row := make([]float64, r.D)
		cols, vals := r.Row(i)
		for k, c := range cols {
			row[c] = vals[k]
		}
		out = append(out, row)
	}
	return out
}

func TestReaders_Errors(t *testing.T) {
	csv, libsvm, raetsch := Source{}.readCSV, Source{Dimension: 3}.readLIBSVM, Source{}.readRaetsch
	for _, c := range []struct {
		read       func(context.Context, string, []byte) (*Set, *Reading, error)
		text, want string
	}{
		{Source{Missing: []string{"?"}}.readCSV, "a,b,y\n1,2,0\n3,NaN,1\n",
			`f:3:3: "NaN" is not a finite number (column b)`},
		{csv, "a,b,y\n1,2,0\n3,inf,1\n", `f:3:3: "inf" is not a finite number`},
		{csv, "a,b,y\n1,2,0\n3,1\n", "f:3: 2 fields, but the first line has 3"},
		{csv, "a,y\n1,0\n2,1\n3,2\n", "must take two values"},
		{csv, "a,y\n", "there are no rows"},
		{csv, "", "there are no rows"},
		{Source{Label: "z"}.readCSV, "a,y\n1,0\n", `there is no column "z"; there are a, y`},
		{libsvm, "+1 1:1 2:x\n", `f:1:8: "x" is not a finite number`},
		{libsvm, "+1 2:1 3:1\t 2:1\n", `f:1:13: "2:1" must be index:value with indices from 1, ascending`},
		{libsvm, "+1 2:1 1:1\n", `f:1:8: "1:1" must be index:value with indices from 1, ascending`},
		{libsvm, "+1 4:1\n", "index 4 is beyond the dimension 3"},
		{libsvm, "+1 1:1\n", "here it takes one"},
		{raetsch, "1 2 3\n-1 2\n", "f:2: a label and 1 values, but the first line has 2"},
		{raetsch, "1 2 nan\n", `is not a finite number`},
		{libsvm, "+1 1:1 2:1e-400\n", `f:1:8: "1e-400" is too small for a floating-point number; write 0`},
		{raetsch, "1 2 -1e-400\n", `f:1:5: "-1e-400" is too small`},
	} {
		if _, _, err := c.read(t.Context(), "f", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q gave %v, want %s", c.text, err, c.want)
		}
	}
}

func TestReadFile_Gzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for i := range 2000 {
		fmt.Fprintf(z, "%d,%d\n", i*i*i%1013, i%2)
	}
	z.Close()
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	no := false
	set, err := Source{CSV: write("whole", b.Bytes()), Header: &no}.Load(t.Context(), "", nil)
	if err != nil || set.X.Len() != 2000 {
		t.Errorf("a gzip file without the ending: %v", err)
	}
	_, err = Source{CSV: write("half.gz", b.Bytes()[:b.Len()/2]), Header: &no}.Load(t.Context(), "", nil)
	if err == nil || !strings.Contains(err.Error(), "half.gz: the gzip file is truncated or damaged") {
		t.Errorf("half of it: %v", err)
	}
}

// Every training row goes to exactly one node, and every node has one.
func TestPartition_Covers(t *testing.T) {
	set, err := Source{Set: "twonorm", Rows: 300}.Load(t.Context(), "", sim.NewStream(1, "data"))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := sim.NewStream(rapid.Uint64().Draw(t, "seed"), "split")
		train, test, err := TrainTest(set, rapid.SampledFrom([]float64{0, 0.5, 200}).Draw(t, "train"),
			rapid.SampledFrom([]string{"shuffled", "file"}).Draw(t, "order"), s)
		if err != nil {
			t.Fatal(err)
		}
		if len(train)+len(test) != 300 {
			t.Fatalf("%d and %d rows", len(train), len(test))
		}
		p := Partition{Kind: rapid.SampledFrom([]string{"even", "dirichlet", "label-skew"}).Draw(t, "kind"),
			Alpha: rapid.SampledFrom([]float64{0.05, 1, 50}).Draw(t, "alpha"),
			Skew:  rapid.Float64Range(0, 1).Draw(t, "skew")}
		nodes := rapid.IntRange(1, len(train)).Draw(t, "nodes")
		shards, err := p.Split(set, train, nodes, s)
		if err != nil {
			t.Fatal(err)
		}
		var all []int
		for i, sh := range shards {
			if len(sh.Index) == 0 || sh.U.Len() != len(sh.Index) {
				t.Fatalf("node %d has %d rows", i, len(sh.Index))
			}
			all = append(all, sh.Index...)
			for k, row := range sh.Index {
				_, u := sh.U.Row(k)
				_, x := set.X.Row(row)
				if u[0] != set.Y[row]*x[0] {
					t.Fatal("a row of a shard is not y times the row of the set")
				}
			}
		}
		slices.Sort(all)
		slices.Sort(train)
		if !slices.Equal(all, train) {
			t.Fatal("rows are lost or shared")
		}
	})
}

func TestPartition_EvenInOrder(t *testing.T) {
	set, _ := Source{Set: "twonorm", Rows: 10}.Load(t.Context(), "", sim.NewStream(1, "data"))
	train, _, _ := TrainTest(set, 0, "file", nil)
	shards, err := Partition{}.Split(set, train, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int{{0, 1, 2, 3}, {4, 5, 6}, {7, 8, 9}} {
		if !slices.Equal(shards[i].Index, want) {
			t.Errorf("node %d has rows %v, want %v", i, shards[i].Index, want)
		}
	}
	if _, err := (Partition{}).Split(set, train, 11, nil); err == nil ||
		!strings.Contains(err.Error(), "11 nodes are more than the 10 training rows") {
		t.Errorf("too many nodes: %v", err)
	}
	if _, err := (Partition{Kind: "sizes", Sizes: []int{9, 2}}).Split(set, train, 2, nil); err == nil ||
		!strings.Contains(err.Error(), "add up to 11") {
		t.Errorf("sizes too large: %v", err)
	}
}

// docs/mathematics.md §8 by hand: columns by their largest absolute value, a column of
// ones, rows to norm at most 1.
func TestScale(t *testing.T) {
	x := NewRows(2)
	x.Append([]int32{0, 1}, []float64{2, -10})
	x.Append([]int32{0}, []float64{-4})
	set := Scale{Columns: "max", Rows: "clip", Intercept: true}.Apply(&Set{X: x, Y: []float64{1, -1},
		Columns: []string{"a", "b"}}, nil)
	got := dense(set.X)
	n0, n1 := math.Sqrt(0.25+1+1), math.Sqrt(2)
	for i, want := range [][]float64{{0.5 / n0, -1 / n0, 1 / n0}, {-1 / n1, 0, 1 / n1}} {
		for k := range want {
			if !(math.Abs(got[i][k]-want[k]) <= 1e-15) {
				t.Errorf("row %d, column %d: %v, want %v", i, k, got[i][k], want[k])
			}
		}
	}
}

func FuzzReaders(f *testing.F) {
	f.Add("a,b,y\n1,x,0\n3,?,1\n2,z,1\n", 0)
	f.Add("+1 1:1 2:3\n-1 2:0.5\n", 1)
	f.Add("1 2 3\n-1 4 5\n", 2)
	f.Fuzz(func(t *testing.T, text string, which int) {
		if strings.Contains(text, "00000") { // huge indices only cost memory
			return
		}
		readers := []func(context.Context, string, []byte) (*Set, *Reading, error){
			Source{}.readCSV, Source{Dimension: 1000}.readLIBSVM, Source{}.readRaetsch}
		set, _, err := readers[((which%3)+3)%3](t.Context(), "f", []byte(text))
		checkRead(t, set, err)
	})
}

// A packed file that is small and unpacks to much, a file that is large, and rows to be drawn,
// are refused before memory is full.
func TestLoad_TooLargeIsRefused(t *testing.T) {
	defer memory.SetLimit(memory.SetLimit(8e6))
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := z.Write(bytes.Repeat([]byte("1,2\n"), 5e5)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	large := bytes.Repeat([]byte("1,2\n"), 6e5)
	for name, text := range map[string][]byte{"bomb.csv": bomb.Bytes(), "large.csv": large} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := (Source{CSV: path}).Load(t.Context(), "", nil); err == nil ||
			!strings.Contains(err.Error(), "--max-memory") {
			t.Errorf("%s: %v", name, err)
		}
	}
	wide := filepath.Join(dir, "wide.libsvm")
	if err := os.WriteFile(wide, []byte("1 2147483647:1\n-1 1:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := (Source{LIBSVM: wide}).Load(t.Context(), "", nil); err == nil ||
		!strings.Contains(err.Error(), "with 2147483647 columns would take about 430 GB") {
		t.Error(err)
	}
	want := "generating 2000000000 rows of 20 columns would take about 384 GB of memory; the limit is 8 MB"
	_, err := Source{Set: "twonorm", Rows: 2e9}.Load(t.Context(), "", sim.NewStream(1, "data"))
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// checkRead holds a reader to what is promised of every file.
func checkRead(t *testing.T, set *Set, err error) {
	t.Helper()
	if err != nil {
		if !strings.HasPrefix(err.Error(), "f:") && !strings.Contains(err.Error(), "reading f") {
			t.Errorf("the error does not name the file: %v", err)
		}
		return
	}
	if set.X.Len() != len(set.Y) || len(set.Columns) != set.X.D {
		t.Errorf("%d rows, %d labels, %d columns, %d names", set.X.Len(), len(set.Y), set.X.D, len(set.Columns))
	}
	for _, v := range set.X.Val {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatal("a value is not finite")
		}
	}
	if r := set.Reading; r != nil && (r.RowsRead != set.X.Len()+r.RowsDropped || r.Columns != set.X.D ||
		r.Classes[0].Rows+r.Classes[1].Rows != set.X.Len()) {
		t.Errorf("%d rows and %d columns, but what is told of them is %+v", set.X.Len(), set.X.D, r)
	}
}

// A text whose rows do not fit is refused after a hundred of them, with what they would take, or when later ones have
// more.
func TestLoad_SaysWhatRowsTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	zeros, numbers := strings.Repeat("0,", 97), strings.Repeat("1.5,", 99)
	for name, c := range map[string]struct {
		few, row string
		limit    int64
		want     string
	}{
		"numbers": {"", numbers + "1\n" + strings.Repeat("2.5,", 99) + "0\n", 81e6,
			"rows.csv, 3.98 MB of text with about 10001 rows of 99 values that are not 0, would take about 94.1 MB"},
		"zeros": {"", zeros + "1.5,2,1\n" + zeros + "2.5,3,0\n", 81e6,
			"rows.csv, 2.02 MB of text with about 10001 rows of 2 values that are not 0, would take about 82.7 MB"},
		"zeros first": {strings.Repeat(zeros+"1.5,2,1\n", 200), numbers + "1\n" + numbers + "0\n", 88e6,
			"rows.csv, 4.02 MB of text with about 10201 rows of 50 values that are not 0, would take about 92 MB of"},
	} {
		if err := os.WriteFile(path, []byte(c.few+strings.Repeat(c.row, 5000)), 0o644); err != nil {
			t.Fatal(err)
		}
		before := memory.SetLimit(c.limit)
		_, err := Source{CSV: path, Missing: []string{"-"}}.Load(t.Context(), "", nil)
		memory.SetLimit(before)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want: %s", name, err, c.want)
		}
	}
}
