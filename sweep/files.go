// Files: hashes of those a plan depends on, and writing so that a reader sees
// the old contents or the new.

package sweep

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// writeFile replaces a file by what f writes. The name of the partial file is
// always the same: a killed process leaves at most one, which the next replaces.
func writeFile(path string, f func(io.Writer) error) error {
	partial := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
	file, err := os.Create(partial)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	b := bufio.NewWriterSize(file, 1<<18)
	err = f(b)
	err = errors.Join(err, b.Flush())
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(partial, path)
	}
	if err != nil {
		os.Remove(partial)
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
