// The lock of a sweep's directory, where the system has no flock: a file that a
// killed process leaves behind.

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// lock returns a function that unlocks.
func lock(dir string) (func(), error) {
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is in use by another process, or one that was killed: if none runs, delete %s", dir,
			path)
	}
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	return func() {
		f.Close()
		os.Remove(path)
	}, nil
}
