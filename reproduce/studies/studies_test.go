// Studies are well formed, and the index follows the committed pages.

package studies

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/reproduce"
	_ "overhear/reproduce/networks" // registers its studies
)

func TestStudies_AreWellFormed(t *testing.T) {
	want := []string{
		"attacks/certificates", "attacks/colluders", "attacks/column-space", "attacks/dvp-calibration",
		"attacks/dvp-rounds", "attacks/equal-epsilon",
		"attacks/kkt-inversion", "attacks/labels", "attacks/liars", "attacks/map", "attacks/network",
		"attacks/private-penalties",
		"attacks/reconstruction", "attacks/recycling",
		"attacks/row-space", "attacks/solver-tolerance", "attacks/worst-pair", "networks/edge-admm",
		"networks/regions", "networks/samples", "networks/scale", "networks/theorems",
	}
	var names []string
	for _, s := range reproduce.Studies() {
		names = append(names, s.Name)
		if s.Title == "" || s.About == "" || s.Compute == nil {
			t.Errorf("%s says too little", s.Name)
		}
	}
	if got := strings.Join(names, " "); got != strings.Join(want, " ") {
		t.Errorf("studies %s", got)
	}
}

// Pages begin with what their study is about, and results/README.md is what the committed pages make.
func TestWriteStudiesIndex_IsTheCommittedOne(t *testing.T) {
	const results = "../../results"
	dir := t.TempDir()
	for _, s := range reproduce.Studies() {
		page, err := os.ReadFile(filepath.Join(results, s.Name, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(page), "# "+s.Title+"\n\n"+s.About+"\n") {
			t.Errorf("the page of %s does not begin with what the study is about", s.Name)
		}
		if err := os.MkdirAll(filepath.Join(dir, s.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.Name, "README.md"), page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := reproduce.WriteStudiesIndex(dir); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(filepath.Join(dir, "README.md"))
	want, err := os.ReadFile(filepath.Join(results, "README.md"))
	if err != nil || string(got) != string(want) {
		t.Errorf("results/README.md is not what results/*/*/README.md say (%v)", err)
	}
}

// declared are the numbered items of the five papers that the index must have; definitions are none.
var declared = map[string][]string{
	"ZZ16": {"Algorithm 1", "Algorithm 2", "Theorem 1", "Theorem 2", "Theorem 3", "Theorem 9", "Corollary 3.1",
		"Fig. 1", "Fig. 2", "Fig. 3"},
	"ZKL18": {"(10)-(11)", "Algorithm 1", "Lemma 3.1", "Theorem 3.1", "Theorem 3.2", "Theorem 4.1", "Fig. 1", "Fig. 2",
		"Fig. 3", "Fig. 4"},
	"RA19": {"Algorithm 1", "Algorithm 2", "Algorithm 3", "Lemma 1", "Lemma 2", "Theorem 1", "Theorem 2", "Theorem 3",
		"Theorem 4", "Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4", "Fig. 5"},
	"SH19": {"Algorithm 1", "Lemma 1", "Theorem 1", "Corollary 1", "Fig. 1", "Fig. 2", "Fig. 3"},
	"PDML": {"(9)-(11)", "Proposition 1", "Proposition 2", "Lemma 1", "Lemma 2", "Lemma 3", "Lemma 4", "Lemma 5",
		"Theorem 1", "Theorem 2", "Corollary 1", "Corollary 2", "Fig. 1", "Fig. 2", "Fig. 3", "Fig. 4", "Table I"},
}

// absentItems are declared items that are not registered, and those whose verdict a page of dir does not have.
func absentItems(items []reproduce.Item, page string) (absent []string) {
	for paper, names := range declared {
		for _, name := range names {
			if !slices.ContainsFunc(items, func(i reproduce.Item) bool { return i.Paper == paper && i.Name == name }) {
				absent = append(absent, paper+" "+name)
			}
		}
	}
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "| [") && (len(cells) != 4 || !strings.Contains(cells[3], "**")) {
			absent = append(absent, cells[0])
		}
	}
	return absent
}

// Every item has a page and a verdict, results/theorems.md is what the committed pages make, and a missing item, page
// or claim is seen.
func TestWriteItemsIndex_HasEveryItem(t *testing.T) {
	const results = "../../results"
	dir := t.TempDir()
	for _, i := range reproduce.Items() {
		if (i.Page == "") == (i.Why == "") {
			t.Errorf("%s %s has the page %q, and why it has none is %q", i.Paper, i.Name, i.Page, i.Why)
		}
		if i.Page == "" {
			continue
		}
		page, err := os.ReadFile(filepath.Join(results, i.Page, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, i.Page), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, i.Page, "README.md"), page, 0o644); err != nil {
			t.Fatal(err)
		}
		_, study := reproduce.FindStudy(i.Page)
		if !study && !strings.Contains(strings.ToLower(i.Page), strings.ToLower(i.Paper)) {
			t.Errorf("%s %s is shown by %s", i.Paper, i.Name, i.Page)
		}
	}
	written := func() string {
		if err := reproduce.WriteItemsIndex(dir); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(dir, "theorems.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(page)
	}
	page := written()
	if absent := absentItems(reproduce.Items(), page); absent != nil {
		t.Errorf("without a verdict: %s", strings.Join(absent, "; "))
	}
	if committed, err := os.ReadFile(filepath.Join(results, "theorems.md")); err != nil || string(committed) != page {
		t.Errorf("results/theorems.md is not what the pages say (%v)", err)
	}
	if absent := absentItems(reproduce.Items()[1:], page); len(absent) != 1 {
		t.Errorf("an item that is left out: %q", absent)
	}
	if err := os.Remove(filepath.Join(dir, "networks/samples/README.md")); err != nil {
		t.Fatal(err)
	}
	if absent := absentItems(reproduce.Items(), written()); len(absent) != 5 {
		t.Errorf("a page that is not there leaves %q without a verdict", absent)
	}
	claims := filepath.Join(dir, "attacks/recycling/README.md")
	text, _ := os.ReadFile(claims)
	other := strings.ReplaceAll(string(text), "RA19 Lemma 2", "a lemma")
	if err := os.WriteFile(claims, []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	if absent := absentItems(reproduce.Items(), written()); len(absent) != 6 {
		t.Errorf("a claim that is not on its page leaves %q without a verdict", absent)
	}
}

// Two methods that end at the same point by other ways are not the same, nor are runs of other lengths.
func TestApart_SeesOtherWaysToTheSamePoint(t *testing.T) {
	way := func(middle float64) [][][]float64 {
		return [][][]float64{{{0, 0}, {middle, 1}, {3, 4}}, {{0, 0}, {1, 1}, {3, 4}}}
	}
	if off, most, n := apart(way(1), way(1)); off != 0 || most != 5 || n != 6 {
		t.Errorf("the same: %v of %v, %d compared", off, most, n)
	}
	if off, _, _ := apart(way(1), way(1.5)); off != 0.5 {
		t.Errorf("another way: %v", off)
	}
	if off, _, n := apart(way(1), [][][]float64{way(1)[0][:2], way(1)[1]}); !math.IsInf(off, 1) || n != 0 {
		t.Errorf("another length: %v, %d compared", off, n)
	}
}

// A private method with its noise is not its method, which equals says although both reach the same point.
func TestEquals_FailsForAnotherMethod(t *testing.T) {
	s := &reproduce.Study{Name: "networks/equals", Compute: func(b *reproduce.Workbench) error {
		for _, eta := range []string{"0.03", "0.031"} {
			if err := equals(b, "item", "is it", ring, "rounds.count=40",
				"algorithm={kind: dvp, eta: 0.03, noise: off}", "algorithm={kind: admm, eta: "+eta+"}"); err != nil {
				return err
			}
		}
		return nil
	}}
	b, err := s.Run(context.Background(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if all := b.Statements(); all[0].Assessment != reproduce.Holds || all[1].Assessment != reproduce.Fails {
		t.Errorf("%+v", all)
	}
}

func TestVerdicts_OfAuditsAndBounds(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want reproduce.Assessment
	}{
		{"an audit that stands", auditVerdict(true, true), reproduce.Holds},
		{"one that establishes nothing", auditVerdict(true, false), reproduce.NotTested},
		{"a violated claim", auditVerdict(false, true), reproduce.Fails},
		{"a violated claim among others that are not established", auditVerdict(false, false), reproduce.Fails},
		{"a bound that says something", boundVerdict(true, math.Ln2, bounded{0.5, 0.1}), reproduce.Holds},
		{"one that cannot be exceeded", boundVerdict(true, math.Ln2, bounded{24, 0.1}), reproduce.HoldsInPart},
		{"one of a theorem that does not apply", boundVerdict(false, math.Ln2, bounded{0.5, 0.1}),
			reproduce.HoldsInPart},
		{"one that is exceeded", boundVerdict(true, math.Ln2, bounded{0.05, 0.1}), reproduce.Fails},
		{"none", boundVerdict(true, math.Ln2, bounded{math.NaN(), 0.1}), reproduce.Fails},
		{"no points", boundVerdict(true, math.Ln2), reproduce.Fails},
		{"bounds of which one says something", boundVerdict(true, 0.6, bounded{12, 0.5}, bounded{0.6, 0.1}),
			reproduce.Holds},
		{"bounds that all are beyond the zero classifier", boundVerdict(true, 0.6, bounded{12, 0.5}, bounded{0.7, 0.1}),
			reproduce.HoldsInPart},
		{"bounds of which a trivial one is exceeded", boundVerdict(true, 0.6, bounded{12, 13}, bounded{0.6, 0.1}),
			reproduce.Fails},
		{"Lemma 5 with a printed condition that no graph meets", lemma5Verdict(true, 1.1, 16), reproduce.HoldsInPart},
		{"Lemma 5 with its condition met", lemma5Verdict(true, 17, 16), reproduce.Holds},
		{"Lemma 5 slower than proved", lemma5Verdict(false, 17, 16), reproduce.Fails},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

// The distance that falls by a factor of ¼ a round, its square by 1/16, down to what the solvers leave.
func TestDecrease_IsThatOfTheSquare(t *testing.T) {
	path := [][][]float64{nil, nil}
	for k := range 40 {
		d := math.Max(math.Pow(0.25, float64(k)), 1e-12)
		path[0], path[1] = append(path[0], []float64{1 + d}), append(path[1], []float64{1 - d})
	}
	d, err := decrease(path, []float64{1}, 1e-10)
	if rounds := d.To - d.From; err != nil || !(math.Abs(d.Factor-1.0/16) <= 1e-6) || rounds < 5 || rounds > 12 {
		t.Errorf("%+v, %v", d, err)
	}
}
