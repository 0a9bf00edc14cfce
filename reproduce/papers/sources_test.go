// Every figure's rules are found in the source text.

package papers

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/reproduce"
)

func TestSources_HaveTheRulesOfEveryFigure(t *testing.T) {
	seen := map[string]string{}
	for _, f := range reproduce.Figures() {
		rules, err := f.Rules()
		if err != nil || len(rules) != 64 {
			t.Errorf("%s: rules %q, %v", f.Name, rules, err)
		}
		if other := seen[rules]; other != "" {
			t.Errorf("%s and %s have the same rules", f.Name, other)
		}
		seen[rules] = f.Name
	}
}

// A file that is not embedded could change a verdict without the digest's knowing.
func TestSources_AreAllFiles(t *testing.T) {
	here, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range here {
		if strings.HasSuffix(name, "_test.go") || slices.Contains([]string{"doc.go", "sources.go"}, name) {
			continue
		}
		if _, err := fs.Stat(sources, name); err != nil {
			t.Errorf("%s is not embedded", name)
		}
	}
}

// A judge that is changed leaves the verdicts of its figure's grid behind, and its page to be computed anew.
func TestSources_AreThoseThatJudgedThePages(t *testing.T) {
	for _, f := range reproduce.Figures() {
		text, err := os.ReadFile(filepath.Join("..", "..", "results", f.Name, "settings.json"))
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		var j reproduce.Judged
		if err := json.Unmarshal(text, &j); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if rules, err := f.Rules(); err != nil || j.By != rules {
			t.Errorf("%s was judged by other rules than those of now; simulate reproduce --settings %s judges anew",
				f.Name, f.Name)
		}
	}
}
