// Locks of directories. A lock is the system's, on a file, and ends with the process however that ends: what a killed
// process leaves behind blocks nobody.

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// LockFile is the name of the file, in a locked directory, on which the lock is. It has the owner's process number.
const LockFile = "lock"

// ErrLocked is wrapped by the error of Lock where another process, or another part of this one, has the lock.
var ErrLocked = errors.New("is in use by another process")

// gone bounds how long Lock makes a directory again that others remove.
const gone = time.Second

// Lock makes a directory, if it is not there, and locks it against everybody else until unlock is called. It waits so
// long at most for whoever has it; that may be 0. Directories that it made and into which nothing came, unlock removes.
func Lock(dir string, wait time.Duration) (unlock func(), err error) {
	made := missing(dir)
	leave := func() {
		for _, path := range made {
			if os.Remove(path) != nil { // never with anything in it
				return
			}
		}
	}
	release, err := lock(dir, wait)
	if err != nil {
		leave()
		return nil, err
	}
	return func() { release(); leave() }, nil
}

// missing are a directory and those above it, as far as they are not there.
func missing(dir string) []string {
	var all []string
	for on := filepath.Clean(dir); ; on = filepath.Dir(on) {
		if _, err := os.Lstat(on); !errors.Is(err, fs.ErrNotExist) || on == filepath.Dir(on) {
			return all
		}
		all = append(all, on)
	}
}

func lock(dir string, wait time.Duration) (unlock func(), err error) {
	if err := Directory(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, LockFile)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file but something that another put there; remove it, or choose another "+
			"--out", path)
	}
	began := time.Now()
	deadline := began.Add(wait)
	for {
		l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
		ctx, cancel := context.WithDeadline(context.Background(), deadline)
		var ok bool
		if wait > 0 {
			ok, err = l.TryLockContext(ctx, 20*time.Millisecond)
		} else {
			ok, err = l.TryLock()
		}
		cancel()
		if errors.Is(err, errors.ErrUnsupported) && runtime.GOOS == "js" {
			return func() { os.Remove(path) }, nil // WebAssembly has no locks; there the process is alone
		}
		if errors.Is(err, fs.ErrNotExist) && time.Since(began) < gone { // whoever had made the directory removed it
			if err := Directory(dir); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("locking %s: %w; where the file system has no locks, choose an --out on another",
				dir, err)
		}
		if !ok {
			owner, _ := os.ReadFile(path)
			return nil, fmt.Errorf("%s %w%s; wait for it, or choose another --out", dir, ErrLocked,
				strings.TrimRight(" "+string(owner), " \n"))
		}
		// The last owner removes the file. Who had opened it before that has a lock on a file without a name.
		mine, err1 := l.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			_ = os.WriteFile(path, fmt.Appendf(nil, "(%d)\n", os.Getpid()), 0o644) // for the message above only
			return func() {
				// The directory may have been moved away with the file. Windows does not remove what is open; there
				// the file stays and harms nobody.
				if there, err := os.Stat(path); err == nil && os.SameFile(mine, there) {
					os.Remove(path)
				}
				_ = l.Unlock()
			}, nil
		}
		_ = l.Unlock()
	}
}
