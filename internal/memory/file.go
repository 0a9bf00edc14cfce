// Files that are read as a whole.

package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Rows is how many bytes of memory a byte of a file takes at most once it is rows of numbers, with the text.
const Rows = 4

// CheckFile is an error for a file that is too large to be read as a whole, if a byte of it takes so many of memory,
// and for a device, which has no end. It returns the file's size.
func CheckFile(f *os.File, each float64) (size int64, _ error) {
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", f.Name(), err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return 0, fmt.Errorf("%s is a directory, not a file", f.Name())
	case mode&os.ModeDevice != 0:
		return 0, fmt.Errorf("%s is a device, not a file", f.Name())
	}
	size = info.Size()
	return size, Check(fmt.Sprintf("%s, of %s,", f.Name(), Text(float64(size))), each*float64(size))
}

// ErrBeyond is a text that goes on beyond what may be read.
var ErrBeyond = errors.New("too much to read")

// ReadAll reads a text of a size that was checked; of one that is packed or comes through a pipe it is 0, not known.
// name stands for it in the error.
func ReadAll(name string, r io.Reader, size int64) ([]byte, error) {
	most := Limit() / (2 * Rows) // a buffer that grows is there twice
	var b bytes.Buffer
	if size > 0 {
		most = size
		b.Grow(int(size) + bytes.MinRead)
	}
	n, err := io.Copy(&b, io.LimitReader(r, most))
	if err == nil && n == most {
		if more, _ := io.CopyN(io.Discard, r, 1); more > 0 {
			return nil, fmt.Errorf("%w: %s goes on after %s of text, and as rows more may take more memory than the "+
				"limit, %s, %s", ErrBeyond, name, Text(float64(most)), Text(float64(Limit())), source())
		}
	}
	return b.Bytes(), err
}
