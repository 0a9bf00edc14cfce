// Directories are made where the user says, and not where somebody else does.

package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDirectory_FollowsNoLinkOfOthers(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	link := filepath.Join(root, "results")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Skip("no links here:", err)
	}
	below := filepath.Join(link, "quickstart", "1")
	if err := Directory(below); err != nil {
		t.Errorf("through a link of one's own: %v", err)
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "quickstart", "1")); err != nil {
		t.Error(err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can make a link of another user")
	}
	if err := os.Lchown(link, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, below, filepath.Join(link, "new", "directory")} {
		if err := Directory(path); err == nil ||
			!strings.Contains(err.Error(), link+" is a link that another user put") {
			t.Errorf("%s through a link of another user: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "new")); err == nil {
		t.Error("a directory was made where the link leads")
	}
	// A link that leads nowhere is refused, too, and nothing is made.
	nowhere := filepath.Join(root, "nowhere")
	if err := os.Symlink(filepath.Join(elsewhere, "later"), nowhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(nowhere, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if err := Directory(nowhere); err == nil {
		t.Error("a directory was made through a link that led nowhere")
	}
}

// What a lock made and nothing came into is not left behind; what was there, or has something in it, is.
func TestLock_LeavesNoEmptyDirectories(t *testing.T) {
	root := t.TempDir()
	out := filepath.Join(root, "there", "out")
	if err := os.Mkdir(filepath.Join(root, "there"), 0o755); err != nil {
		t.Fatal(err)
	}
	locked := func(dir, file string) {
		t.Helper()
		unlock, err := Lock(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		if file != "" {
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		unlock()
	}
	locked(filepath.Join(out, "name"), "")
	if _, err := os.Stat(out); err == nil {
		t.Error("an empty directory is left")
	}
	if _, err := os.Stat(filepath.Dir(out)); err != nil {
		t.Error("a directory that was there is gone")
	}
	locked(filepath.Join(out, "name"), "run.json")
	locked(filepath.Join(out, "other"), "")
	if all, _ := filepath.Glob(filepath.Join(out, "*")); len(all) != 1 {
		t.Errorf("%v are left", all)
	}
}
