// Studies are well formed, and the index follows the committed pages.

package studies

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/reproduce"
)

func TestStudies_AreWellFormed(t *testing.T) {
	want := []string{
		"attacks/colluders", "attacks/column-space", "attacks/dvp-calibration", "attacks/dvp-rounds",
		"attacks/equal-epsilon",
		"attacks/kkt-inversion", "attacks/labels", "attacks/network", "attacks/private-penalties", "attacks/recycling",
		"attacks/row-space", "attacks/solver-tolerance", "networks/edge-admm", "networks/samples",
		"networks/scale",
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
