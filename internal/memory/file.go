// Files that are read as a whole.

package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// expansion is how many bytes of memory a byte of text takes once it is rows of numbers.
const expansion = 4

// CheckFile is an error for a file that is too large to be read as a whole, and for a
// device, which has no end.
func CheckFile(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.Name(), err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return fmt.Errorf("%s is a directory, not a file", f.Name())
	case mode&os.ModeDevice != 0:
		return fmt.Errorf("%s is a device, not a file", f.Name())
	}
	return Check(fmt.Sprintf("%s, of %s,", f.Name(), Text(float64(info.Size()))), expansion*float64(info.Size()))
}

// errBeyond is a text that goes on beyond what may be read.
var errBeyond = errors.New("too much to read")

// ReadAll reads a text that may be packed or come through a pipe, so that its size is not known;
// name stands for it in the error.
func ReadAll(name string, r io.Reader) ([]byte, error) {
	most := Limit() / (2 * expansion) // a buffer that grows is there twice
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, most))
	if err == nil && n == most {
		if more, _ := io.CopyN(io.Discard, r, 1); more > 0 {
			return nil, fmt.Errorf("%w: %w", errBeyond, Check(fmt.Sprintf("%s, whose text goes on after %s,", name,
				Text(float64(most))), 2*float64(Limit())))
		}
	}
	return b.Bytes(), err
}
