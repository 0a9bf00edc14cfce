// What certificates take as given.

package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/privacy"
	"overhear/problem"
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
		if all[0].Unit != privacy.Sample || all[0].Reason != "" {
			t.Fatalf("%v: %s %s", c.sets, all[0].Unit, all[0].Reason)
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
			a, err := New(s, "").Assemble(t.Context(), 1)
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

// A flipped label is of a row that stays at its node with its columns: what is taken from columns is none of what its
// certificate takes as given, and no row is in place of another.
func TestGiven_Labels(t *testing.T) {
	s, err := scenarios.Parse("given.yaml", []byte(`name: given
problem:
  data: {csv: a.csv}
  scale: {columns: max, rows: max}
  repeated: drop
  partition: label-skew
  rho: 0.3
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 2}
algorithm: {kind: dvp}
`))
	if err != nil {
		t.Fatal(err)
	}
	e := New(s, "")
	reading := &problem.Reading{RowsDropped: 2, Expanded: map[string]int{"x": 2}}
	given := append(e.given(), ofFile(&e.Problem.Data, reading)...)
	a := &Account{given: given, Bound: []float64{0, 1}, Ledger: new(privacy.Ledger)}
	keys := func(all []record.Taken) (s []string) {
		for _, g := range all {
			s = append(s, strings.TrimPrefix(g.Key, "problem."))
		}
		return s
	}
	of := a.Flipped(0, 0, 0.5).Given
	if got := keys(of); !slices.Equal(got, []string{"repeated", "partition", "data"}) {
		t.Errorf("labels: %q", got)
	}
	rows := a.Given(privacy.Sample)
	if got := keys(rows); !slices.Equal(got,
		[]string{"repeated", "scale.columns", "scale.rows", "partition", "data", "data", "data"}) {
		t.Errorf("rows: %q", got)
	}
	if strings.Contains(of[1].Covers, "in place of") || !strings.Contains(rows[3].Covers, "in place of") {
		t.Errorf("labels: %+v, rows: %+v", of[1], rows[3])
	}
}

// The label of a row whose columns another has may be flipped into a repetition, which is left out.
func TestGiven_AFlippedLabelMayRepeat(t *testing.T) {
	rows := func(label string) int {
		file := filepath.Join(t.TempDir(), "rows.csv")
		text := "x,class\n1,a\n1," + label + "\n2,a\n3,b\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		set, _, err := problem.Source{CSV: file}.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return set.Distinct().X.Len()
	}
	if a, b := rows("a"), rows("b"); a != 3 || b != 4 {
		t.Errorf("%d and %d rows", a, b)
	}
}

// What is taken from a file of one's own is named by what is found in it, and by what is said of it.
func TestGiven_OwnFiles(t *testing.T) {
	const gaps, categories, columns, classes = "without a value", "categories", "largest index", "labels that occur"
	const both = "labels of both classes"
	for _, c := range []struct {
		name, source, row string // the row comes after 29 others
		want              []string
	}{
		{"a.csv", "csv: %s", "0.5,0.1,1", []string{classes}},
		{"b.csv", "csv: %s, positive: 1", "0.5,0.1,1", []string{both}},
		{"c.csv", "csv: %s, positive: 1", "0.5,,1", []string{gaps, both}},
		{"d.csv", "csv: %s", "0.5,word,1", []string{categories, classes}},
		{"e.csv", "csv: %s, target: y", "0.5,0.1,1", nil},
		{"f", "libsvm: %s", "1 1:0.5 3:0.1", []string{columns, classes}},
		{"g", "libsvm: %s, dimension: 7, positive: 1", "1 1:0.5 3:0.1", []string{both}},
	} {
		table := strings.HasSuffix(c.name, ".csv")
		text := ""
		if table {
			text = "u,v,y\n"
		}
		for k := range 29 {
			u, v, y := float64(k%11)/20, float64(k%7)/20, 1+k%2
			switch {
			case !table:
				text += fmt.Sprintf("%d 1:%v 2:%v\n", y, u, v)
			case strings.Contains(c.row, "word"):
				text += fmt.Sprintf("%v,%s,%d\n", u, []string{"word", "other"}[k%2], y)
			default:
				text += fmt.Sprintf("%v,%v,%d\n", u, v, y)
			}
		}
		file := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(file, []byte(text+c.row+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		loss := ""
		if strings.Contains(c.source, "target") {
			loss = "  loss: {kind: huber, width: 1}\n"
		}
		s, err := scenarios.Parse("given.yaml", fmt.Appendf(nil, `name: given
problem:
  data: {%s}
  scale: {columns: none, target: none}
  rho: 0.3
%snetwork: {topology: {kind: ring, nodes: 3}}
rounds: {count: 2}
algorithm: {kind: dvp}
`, fmt.Sprintf(c.source, file), loss))
		if err != nil {
			t.Fatal(c.name, err)
		}
		a, err := New(s, "").Assemble(t.Context(), 1)
		if err != nil {
			t.Fatal(c.name, err)
		}
		given := a.Account.certificates(0)[0].Given
		ok := len(given) == len(c.want)
		for k := range given {
			ok = ok && given[k].Key == "problem.data" && strings.Contains(given[k].What, c.want[k])
		}
		if !ok {
			t.Errorf("%s: %+v, want %q", c.name, given, c.want)
		}
	}
}

// A certificate does not follow what the method's own account claims: who accounts for less has the same.
func TestCertificate_IsNotOfTheAccount(t *testing.T) {
	s, err := scenarios.Parse("account.yaml", []byte(`name: account
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3}
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 4}
algorithm: {kind: dvp, eta: 0.3}
`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(s, "").Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	want := a.Account.Certificate(0, 0, privacy.Sample).Epsilon
	small := new(privacy.Ledger)
	for node := range 3 {
		for round := 1; round <= 4; round++ {
			small.Spend(node, round, privacy.Sample, privacy.PureDP{Epsilon: 0.01})
		}
	}
	a.Account.Ledger = small
	if got := a.Account.Certificate(0, 0, privacy.Sample).Epsilon; got != want || !(want > 1) {
		t.Errorf("ε = %v, and with a claim of 0.04 it is %v", want, got)
	}
}
