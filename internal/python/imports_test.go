// Imports are found by their statements, and those of what is imported.

package python

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestImports(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"own.py": "import numpy as np, helper as h\nfrom deep.part import x\n# import other\n" +
			"def f():\n    from . import later\n    import late\n",
		"helper.py": "import own\nimport further", "further.py": "import helper", "late.py": "", "other.py": "",
		"deep/part.py": "", "deep/__init__.py": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := Imports(filepath.Join(dir, "own.py"))
	want := []string{"deep.part", "further", "helper", "late", "own"}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if at := got["deep.part"]; at != filepath.Join(dir, "deep", "part.py") {
		t.Error(at)
	}
}
