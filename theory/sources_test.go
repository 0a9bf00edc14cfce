// What the digest of rules is of.

package theory

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

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
		if _, err := fs.Stat(Sources, name); err != nil {
			t.Errorf("%s is not embedded", name)
		}
	}
}
