// Package golden compares what tests compute with files that are kept in the repository.
package golden

import (
	"os"
	"path/filepath"
	"testing"

	"overhear/internal/files"

	"github.com/rogpeppe/go-internal/diff"
)

// Compare fails the test with a difference for each file of dir, by name, that has another text than the given one;
// with update it writes the files instead.
func Compare(t testing.TB, dir string, texts map[string]string, update bool) {
	t.Helper()
	for name, got := range texts {
		path := filepath.Join(dir, name)
		if update {
			if err := files.WriteBytes(path, []byte(got)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s", diff.Diff(path, want, "this run", []byte(got)))
		}
	}
}
