// The lock of a sweep's directory, where the system has flock: it ends with the
// process, however that ends.

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lock returns a function that unlocks.
func lock(dir string) (func(), error) {
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		owner, _ := os.ReadFile(path)
		f.Close()
		if err == syscall.EWOULDBLOCK {
			return nil, fmt.Errorf("%s is in use by another process%s; wait for it, or give each its own --out", dir,
				strings.TrimRight(" "+string(owner), " \n"))
		}
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	// Whose it is, for the message above.
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(f, "(%d)\n", os.Getpid())
	}
	return func() { f.Close() }, nil
}
