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
