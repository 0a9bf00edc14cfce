// Comments cite mathematics.md by section; the sections must be there.

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What comments say of mathematics.md is there: sections, and formulas by letter.
func TestMathematicsHasWhatCommentsName(t *testing.T) {
	text := read(t, "mathematics.md")
	section := regexp.MustCompile(`mathematics\.md\)?,? §(\d+(?:\.\d+)?)`)
	formula := regexp.MustCompile(`\((★|◆)\)`)
	cited := 0
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || (filepath.Ext(path) != ".go" && filepath.Ext(path) != ".md") {
			return err
		}
		body := read(t, path)
		if filepath.Ext(path) == ".go" && regexp.MustCompile(`\bMATH(\.md)? §`).MatchString(body) {
			t.Errorf("%s names MATH, which is not in the repository; mathematics.md is", path)
		}
		for _, m := range section.FindAllStringSubmatch(body, -1) {
			cited++
			if !regexp.MustCompile(`(?m)^##+ ` + regexp.QuoteMeta(m[1]) + `\.? `).MatchString(text) {
				t.Errorf("%s names mathematics.md §%s, which is not there", path, m[1])
			}
		}
		for _, m := range formula.FindAllStringSubmatch(body, -1) {
			if !strings.Contains(text, m[0]) {
				t.Errorf("%s names %s, which mathematics.md does not have", path, m[0])
			}
		}
		return nil
	})
	if err != nil || cited < 10 {
		t.Fatalf("found %d citations: %v", cited, err)
	}
}
