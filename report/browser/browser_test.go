package browser

import (
	"os"
	"path/filepath"
	"testing"
)

// A browser that crashes is begun once more, and one that fails is not.
func TestOpen_BeginsACrashedBrowserOnceMore(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		begun  string
	}{
		"crashes once": {`[ "$(cat "$0.log")" = xx ] || kill -SEGV $$`, "xx"},
		"does not":     {"true", "x"},
	} {
		path := filepath.Join(t.TempDir(), "chromium")
		script := "#!/bin/sh\nprintf x >> \"$0.log\"\n" + c.script + "\necho page\n"
		if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if said := Browser(path).Open(t, "page.html"); said != "page\n" {
			t.Errorf("%s: it says %q", name, said)
		}
		if begun, err := os.ReadFile(path + ".log"); err != nil || string(begun) != c.begun {
			t.Errorf("%s: begun %q, %v; want %q", name, begun, err, c.begun)
		}
	}
}
