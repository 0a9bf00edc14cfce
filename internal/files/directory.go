// Directories for output, in places where others may write, too.

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Directory makes a directory and those above it, if they are not there. It does not go through a link that another
// user put on the way, who would choose where results are written; links of one's own, and of the system, are followed.
func Directory(path string) error {
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for on := whole; ; on = filepath.Dir(on) {
		info, err := os.Lstat(on)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && info.Mode()&fs.ModeSymlink != 0 && !trusted(info) {
			return fmt.Errorf("%s is a link that another user put there; remove it, or choose another directory", on)
		}
		if on == filepath.Dir(on) {
			break
		}
	}
	return os.MkdirAll(path, 0o755)
}
