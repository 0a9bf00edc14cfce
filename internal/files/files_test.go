// A file or directory is whole or as it was; a lock has one owner and ends with it.

package files

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestWrite_LeavesTheOldContentsIfItFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	bad := errors.New("bad")
	err := Write(path, func(w io.Writer) error {
		io.WriteString(w, strings.Repeat("new", 1<<17))
		return bad
	})
	if !errors.Is(err, bad) {
		t.Errorf("the error is %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "old" {
		t.Errorf("the file has %.20q", text)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("%d entries are left", len(entries))
	}
}

// A link under the partial file's name would have the program write where it leads.
func TestWrite_FollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "f"), filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, Partial(path)); err != nil {
		t.Skip(err)
	}
	if err := WriteBytes(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(other); string(text) != "mine" {
		t.Errorf("the file behind the link has %q", text)
	}
}

func TestPlace(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.MkdirAll(filepath.Join(from, "plots"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, "plots", "a"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Place(from, to); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(to, "plots", "a")); string(text) != "a" {
		t.Errorf("the file has %q", text)
	}
	if err := Move(filepath.Join(to, "plots", "a"), filepath.Join(to, "plots")); err == nil {
		t.Error("what has the name already was overwritten")
	}
}

func TestLock_HasOneOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	unlock, err := Lock(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir, 0); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second owner: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, unlock)
	again, err := Lock(dir, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	again()
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Error("the lock's file is left behind")
	}
}

// Owners that come and go, and remove the file when they go, are never two at a time.
func TestLock_HasOneOwnerWhileItsFileComesAndGoes(t *testing.T) {
	dir := t.TempDir()
	var owners, taken atomic.Int32
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				unlock, err := Lock(dir, 0)
				if err != nil {
					continue
				}
				taken.Add(1)
				if n := owners.Add(1); n != 1 {
					t.Errorf("%d owners", n)
				}
				owners.Add(-1)
				unlock()
			}
		})
	}
	wait.Wait()
	if taken.Load() == 0 {
		t.Error("nobody ever had the lock")
	}
}

// The lock of a process that is killed ends with it, and its file blocks nobody.
func TestLock_EndsWithItsProcess(t *testing.T) {
	if dir := os.Getenv("LOCK_THIS"); dir != "" {
		if _, err := Lock(dir, 0); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("locked\n")
		select {}
	}
	dir := t.TempDir()
	c := exec.Command(os.Args[0], "-test.run=^TestLock_EndsWithItsProcess$")
	c.Env = append(os.Environ(), "LOCK_THIS="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir, 0); !errors.Is(err, ErrLocked) {
		t.Errorf("a second owner: %v", err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if _, err := os.Stat(filepath.Join(dir, LockFile)); err != nil {
		t.Errorf("the killed process left no file: %v", err)
	}
	unlock, err := Lock(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// A link in the place of the lock is not written through.
func TestLock_IsNotALink(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(other, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, LockFile)); err != nil {
		t.Skip(err)
	}
	if unlock, err := Lock(dir, 0); err == nil {
		unlock()
		t.Error("the link is taken for a lock")
	}
	if text, _ := os.ReadFile(other); string(text) != "mine" {
		t.Errorf("the file behind the link has %q", text)
	}
}
