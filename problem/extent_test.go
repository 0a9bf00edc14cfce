// That an extent, found without holding the rows, is that of the set which is read, and takes as much memory.

package problem

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/sim"
)

// hold compares an extent with the set.
func hold(t *testing.T, name string, s Source, loose bool) {
	t.Helper()
	x, err := s.Extent(t.Context(), dataDir)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	set, err := s.Load(t.Context(), dataDir, sim.NewStream(1, "data"))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if x.Rows != set.X.Len() || x.Columns != set.X.D || x.Classes != len(set.Classes) {
		t.Errorf("%s: %+v, want %d rows of %d columns, %d classes", name, x, set.X.Len(), set.X.D, len(set.Classes))
	}
	entries, full := set.X.Entries(), set.X.full()
	if loose && (x.Entries < entries || x.Full && !full) || !loose && (x.Entries != entries || x.Full != full) {
		t.Errorf("%s: %+v, want %d entries, all of the rows: %v", name, x, entries, full)
	}
	reads := x.Reading > 0 || s.Set == "wdbc" // which is in the program
	if least := set.X.Bytes(); !(x.Bytes(0) >= least) || !loose && !(x.Bytes(0) <= least+4) || !reads {
		t.Errorf("%s: %+v takes %.0f bytes, the rows %.0f", name, x, x.Bytes(0), least)
	}
}

func TestExtent_IsOfTheSet(t *testing.T) {
	for _, b := range builtIns {
		if _, err := b.Find(dataDir); err != nil {
			t.Logf("%s is not at hand", b.Name)
			continue
		}
		rows := 0
		if b.Generated() {
			rows = 50
		}
		hold(t, b.Name, Source{Set: b.Name, Rows: rows}, true)
		if !b.targets {
			hold(t, b.Name+", all classes", Source{Set: b.Name, Rows: rows, Classes: "all"}, true)
		}
	}
	write := func(name string, text []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	numbers := "a,b,class\n" + strings.Repeat("1,2.5,x\n3,4,y\n", 200)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(numbers))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	long := "sep=;\na;b;class\n" + strings.Repeat("1;0;x\n3;4;y\n?;4;y\n", 200_000) // more than what is looked at first
	for name, s := range map[string]Source{
		"numbers":       {CSV: write("n.csv", []byte(numbers))},
		"packed":        {CSV: write("n.csv.gz", zipped.Bytes())},
		"long":          {CSV: write("l.csv", []byte(long))},
		"words":         {CSV: write("w.csv", []byte("a,b,class\nred,1,x\nblue,0,y\nred,2,y\n"))},
		"left out":      {CSV: write("o.csv", []byte("a,b,class\n1,1,x\n2,0,y\n3,2,y\n")), Drop: []string{"a"}},
		"classes":       {CSV: write("c.csv", []byte("a,b,class\n1,1,x\n2,3,y\n3,2,z\n")), Classes: "all"},
		"old Mac":       {CSV: write("m.csv", []byte("a,b,class\r1,1,x\r2,3,y\r"))},
		"sparse":        {LIBSVM: write("s.svm", []byte("+1 1:2 3:4\n-1 2:1\n+1 3:5\n"))},
		"sparse, given": {LIBSVM: write("g.svm", []byte("+1 1:2 3:4\n-1 2:1\n")), Dimension: 9},
		"label first":   {Raetsch: write("r.txt", []byte("1 2 3\n-1 4 5\n"))},
		"zeros":         {Raetsch: write("z.txt", []byte("1 2 0\n-1 4 5\n"))},
		"target first":  {Raetsch: write("t.txt", []byte("1.5 2 3\n-1 4 5\n")), Target: firstField},
		"Parquet":       {Parquet: write("p.parquet", parquetFile(t)), Drop: []string{"seen", "tags"}},
	} {
		hold(t, name, s, false)
	}
}

// What the pooled rows take is foretold of parts of a set as of what pooling makes of them, in whatever form they are.
func TestPooledFootprint_IsOfThePooledRows(t *testing.T) {
	for name, c := range map[string]struct {
		rows, d int
		lacks   []int // rows that leave out a zero
	}{
		"full":        {200, 6, nil},
		"sparse":      {200, 6, []int{0, 50, 120}},
		"one part is": {200, 6, []int{170}},
		"wide":        {10, 400, nil},
	} {
		set := &Set{X: NewRows(c.d)}
		for i := range c.rows {
			var cols []int32
			var vals []float64
			for k := range c.d {
				if !(k == 1 && slices.Contains(c.lacks, i)) {
					cols, vals = append(cols, int32(k)), append(vals, float64(1+i+k))
				}
			}
			set.X.Append(cols, vals)
			set.Y = append(set.Y, float64(1-2*(i%2)))
		}
		p := &Problem{D: c.d, Loss: Logistic, C: 1, R: []float64{0.1, 0.1, 0.1}}
		// Not all rows of the set, nor in its order.
		parts := [][]int{{}, {}, {}}
		for i := range c.rows {
			if at := (7*i + 3) % c.rows; at%5 != 4 {
				parts[3*i/c.rows] = append(parts[3*i/c.rows], at)
			}
		}
		p.Shards = newShards(set, parts)
		o := p.pooled()
		want := o.U.Bytes() + float64(40*o.U.Len()) + float64(8*o.factored())
		if !o.inPlace() {
			want += float64(16 * o.U.Entries())
		}
		if got := p.PooledFootprint(); !(got >= want) || !(got <= 1.02*want+64) {
			t.Errorf("%s: %.0f bytes, the pooled rows take %.0f", name, got, want)
		}
	}
}
