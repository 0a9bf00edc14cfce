// Full disks.

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Full says once that a disk is full, which every file finds by itself, and what is to be done next. Another error
// stays as it is.
func Full(err error, next string) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p
	}
	return fmt.Errorf("the disk is full: %w; %s", err, next)
}
