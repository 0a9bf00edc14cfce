// What certificates take as given.

package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/privacy"
	"overhear/record"
	"overhear/scenarios"
)

// A certificate names what is taken from the rows without noise, and nothing where nothing is.
func TestRecord_CertificateNamesWhatIsGiven(t *testing.T) {
	const algorithm = "{kind: dvp, alpha: 0.5, eta: 0.5}"
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{"problem.scale.columns=none"}, ""},
		{[]string{"problem.scale.columns=none", "problem.scale.rows=unit"}, ""},
		{nil, "problem.scale.columns"},
		{[]string{"problem.scale.columns=none", "problem.scale.rows=max"}, "problem.scale.rows"},
		{[]string{"problem.scale.columns=none", "problem.repeated=drop"}, "problem.repeated"},
		{[]string{"problem.scale.columns=none", "problem.partition=label-skew"}, "problem.partition"},
		{[]string{"problem.scale.columns=none", "problem.partition=dirichlet"}, "problem.partition"},
		{[]string{"problem.scale.columns=none", "problem.partition={kind: sizes, sizes: [10, 10, 10]}"}, ""},
		{[]string{"problem.scale={columns: none, target: none, intercept: false}",
			"problem.data={set: linear, rows: 60}", "problem.loss={kind: huber, width: 1}",
			"problem.partition=dirichlet"}, ""},
		{[]string{"problem.scale={columns: none, intercept: false}", "problem.data={set: linear, rows: 60}",
			"problem.loss={kind: huber, width: 1}"}, "problem.scale.target"},
	} {
		all := certificatesOf(t, algorithm, c.sets...).Certificates
		if len(all) != 1 || all[0].Reason != "" {
			t.Fatalf("%v: %+v", c.sets, all)
		}
		var keys []string
		for _, g := range all[0].Given {
			if keys = append(keys, g.Key); g.What == "" || g.Covers == "" {
				t.Errorf("%v: %+v", c.sets, g)
			}
		}
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%v: given %q, want %q", c.sets, got, c.want)
		}
	}
}

// What a certificate covers is what the theorem is of: with one row of the file replaced by another that it covers, the
// nodes' rows differ in one place, and by one that it does not, in more.
func TestGiven_CoveredRowsChangeOnePlace(t *testing.T) {
	for _, c := range []struct {
		set             string
		covered, beyond string // row 7 of the file, x1,x2,class
	}{
		{"partition=label-skew", "0.2,-0.1,1", "0.2,-0.1,2"},
		{"partition={kind: dirichlet, alpha: 1}", "0.2,-0.1,1", "0.2,-0.1,2"},
		{"repeated=drop", "0.2,-0.1,1", "-0.4,0.5,2"},
		{"scale={columns: max, rows: none, fit: all, intercept: false}", "0.2,-0.1,1", "0.9,-0.1,1"},
		{"scale={columns: none, rows: max, fit: all, intercept: false}", "0.2,-0.1,1", "0.9,-0.1,1"},
		{"partition=even", "0.9,-0.1,1", ""},
	} {
		rowsOf := func(seventh string) (all []string) {
			dir := t.TempDir()
			text := "x1,x2,class\n"
			for k := range 30 {
				switch k {
				case 7:
					text += seventh + "\n"
				case 20:
					text += "-0.4,0.5,2\n"
				default:
					text += fmt.Sprintf("%v,%v,%d\n", float64(k%11)/20-0.25, float64(k)/60, 1+k*k%3%2)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "rows.csv"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			s, err := scenarios.Parse("given.yaml", fmt.Appendf(nil, `name: given
problem:
  data: {csv: %s}
  scale: {columns: none, rows: none, intercept: false}
  rho: 0.3
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 2}
algorithm: {kind: dvp}
`, filepath.Join(dir, "rows.csv")), "problem."+c.set)
			if err != nil {
				t.Fatal(err)
			}
			a, err := New(s, "").Assemble(1)
			if err != nil {
				t.Fatal(err)
			}
			for i := range a.Problem.Shards {
				shard := &a.Problem.Shards[i]
				for k := range shard.U.Len() {
					cols, vals := shard.U.Row(k)
					all = append(all, fmt.Sprint(i, cols, vals, shard.Y[k]))
				}
			}
			return all
		}
		differ := func(a, b []string) (n int) {
			for k := range max(len(a), len(b)) {
				if k >= len(a) || k >= len(b) || a[k] != b[k] {
					n++
				}
			}
			return n
		}
		one := rowsOf("-0.05,0.15,1")
		if n := differ(one, rowsOf(c.covered)); n != 1 {
			t.Errorf("%s: a covered row changes %d places", c.set, n)
		}
		if c.beyond == "" {
			continue
		}
		if n := differ(one, rowsOf(c.beyond)); n < 2 {
			t.Errorf("%s: a row that is not covered changes %d places", c.set, n)
		}
	}
}

// A flipped label is of a row that stays at its node: its certificate is of no row in place of another.
func TestRecord_LabelsCertificateTakesRowsAsTheyAre(t *testing.T) {
	given := []record.Taken{{Key: "problem.repeated", Covers: "rows that repeat no other"},
		{Key: "problem.partition", Covers: "a row in place of another of its class"}}
	a := &Account{given: given, Bound: []float64{0, 1}, Ledger: new(privacy.Ledger)}
	of := a.Flipped(0, 0, 0.5).Given
	if len(of) != 2 || of[0] != given[0] || of[1].Key != "problem.partition" ||
		strings.Contains(of[1].Covers, "in place of") || !strings.Contains(of[1].Covers, "stays where it is") {
		t.Errorf("%+v", of)
	}
	if !strings.Contains(given[1].Covers, "in place of") {
		t.Error("that of rows has changed too")
	}
}

// The values that occur in a file of one's own make its columns.
func TestGiven_CategoriesOfOwnFiles(t *testing.T) {
	for word, want := range map[string]bool{"w": true, "0.5": false} {
		text := "x1,x2,class\n"
		for k := range 30 {
			x := word
			if want && k%2 == 0 {
				x = "v"
			}
			text += fmt.Sprintf("%v,%s,%d\n", float64(k%11)/20, x, 1+k*k%3%2)
		}
		file := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := scenarios.Parse("given.yaml", fmt.Appendf(nil, `name: given
problem: {data: {csv: %s}, scale: {columns: none}, rho: 0.3}
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 2}
algorithm: {kind: dvp}
`, file))
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(s, "").Assemble(1)
		if err != nil {
			t.Fatal(err)
		}
		given := a.Account.certificates(nil, 0)[0].Given
		if got := len(given) == 1 && given[0].Key == "problem.data"; got != want {
			t.Errorf("%s: %+v", word, given)
		}
	}
}
