// Writing: a partial file or directory beside its place, synchronised with the disk, renamed, and the rename
// synchronised, too.

package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Partial is the name under which Write writes a file. It is always the same, so that a killed process leaves at most
// one, which the next replaces.
func Partial(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
}

// Write replaces a file by what f writes.
func Write(path string, f func(io.Writer) error) error {
	partial := Partial(path)
	os.Remove(partial) // a link that somebody put there is removed and not followed
	err := create(partial, f)
	if err == nil {
		err = syncFile(partial)
	}
	if err == nil {
		err = rename(partial, path)
	}
	if err != nil {
		os.Remove(partial)
		var at *fs.PathError
		if errors.As(err, &at) && at.Path == partial { // whose name nobody has given
			err = at.Err
		}
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// Draft writes a new file into a directory that Place will put in its place, and synchronise, as a whole.
func Draft(path string, f func(io.Writer) error) error {
	if err := create(path, f); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// create writes a file that is not there yet.
func create(path string, f func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(file, 1<<16)
	if err = f(b); err == nil {
		err = b.Flush()
	}
	return errors.Join(err, file.Close())
}

// WriteBytes replaces a file by these bytes.
func WriteBytes(path string, b []byte) error { return Write(path, Bytes(b)) }

// Bytes writes these bytes.
func Bytes(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// Place renames a finished directory to its place, which must be free, when all that is in it is on the disk.
func Place(from, to string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return syncDirectory(path)
		case d.Type().IsRegular():
			return syncFile(path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return rename(from, to)
}

// Move renames a file or directory whose contents are on the disk already. What has the new name is not overwritten.
func Move(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}
	return rename(from, to)
}

func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(to))
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows synchronises only what is open for writing
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncDirectory makes the names in a directory survive a loss of power. Windows does so by itself and cannot be asked.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
