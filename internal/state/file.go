// Moments in a file.

package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// The file: the magic, the key, the CRC-32C of both; then moments. A moment is its head, of five numbers of 8 bytes
// (event, time, until, lengths), what has grown, the CRC-32C of both, the state and the CRC-32C of that.
const (
	magic     = "OVHMOM01"
	keyBytes  = 32
	fileBytes = len(magic) + keyBytes + 4
	headBytes = 5 * 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Writer writes moments to a file, one after the other.
type Writer struct {
	path string
	file *os.File
	size int64
}

// Create begins a file whose moments are of what a key stands for.
func Create(path string, key [keyBytes]byte) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("keeping states: %w", err)
	}
	w := &Writer{path: path, file: f}
	return w, w.write(sealed(append([]byte(magic), key[:]...)))
}

// sealed adds the sum of bytes to them.
func sealed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func (w *Writer) write(b []byte) error {
	w.size += int64(len(b))
	if _, err := w.file.Write(b); err != nil {
		return fmt.Errorf("keeping states in %s: %w", w.path, err)
	}
	return nil
}

// Size is how many bytes the file has.
func (w *Writer) Size() int64 { return w.size }

// Add writes a moment.
func (w *Writer) Add(m *Moment) error {
	head := make([]byte, 0, headBytes+len(m.growth)+len(m.state)+8)
	for _, n := range []uint64{m.Event, uint64(m.At), uint64(m.Until), uint64(len(m.growth)), uint64(len(m.state))} {
		head = binary.LittleEndian.AppendUint64(head, n)
	}
	b := append(sealed(append(head, m.growth...)), m.state...)
	return w.write(binary.LittleEndian.AppendUint32(b, crc32.Checksum(m.state, castagnoli)))
}

// Close ends the file.
func (w *Writer) Close() error {
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("keeping states in %s: %w", w.path, err)
	}
	return nil
}

// File is a file of moments that is read.
type File struct {
	file    *os.File
	moments []place
}

// place is where a moment is.
type place struct {
	Mark
	at            int64
	growth, state int64 // lengths
}

var errDamaged = errors.New("it is damaged")

// ErrOther is of a file that came from something else.
var ErrOther = errors.New("it is of other data, of another scenario or of another build of the program")

// Open opens a file of moments. One that breaks off has those that are whole.
func Open(path string, key [keyBytes]byte) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file}
	if err := f.index(key); err != nil {
		file.Close()
		return nil, err
	}
	return f, nil
}

func (f *File) index(key [keyBytes]byte) error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	b := make([]byte, fileBytes)
	if _, err := io.ReadFull(f.file, b); err != nil || !whole(b) || string(b[:len(magic)]) != magic {
		return errDamaged
	}
	if [keyBytes]byte(b[len(magic):]) != key {
		return ErrOther
	}
	at, head := int64(fileBytes), make([]byte, headBytes)
	for {
		if _, err := f.file.ReadAt(head, at); err != nil {
			return nil // the end
		}
		number := func(k int) int64 { return int64(binary.LittleEndian.Uint64(head[8*k:])) }
		p := place{Mark{uint64(number(0)), number(1), number(2)}, at, number(3), number(4)}
		left := info.Size() - at - headBytes - 8
		if p.growth < 0 || p.growth > left || p.state < 0 || p.state > left-p.growth {
			return nil
		}
		f.moments = append(f.moments, p)
		at += headBytes + p.growth + p.state + 8
	}
}

// whole says whether bytes end in the sum of what is before it.
func whole(b []byte) bool {
	n := len(b) - 4
	return crc32.Checksum(b[:n], castagnoli) == binary.LittleEndian.Uint32(b[n:])
}

// Marks say when the moments are.
func (f *File) Marks() []Mark {
	marks := make([]Mark, len(f.moments))
	for k := range f.moments {
		marks[k] = f.moments[k].Mark
	}
	return marks
}

// Moments reads those up to the k-th, for Load: of all but that what has grown.
func (f *File) Moments(k int) ([]*Moment, error) {
	var all []*Moment
	for i, p := range f.moments[:k+1] {
		m := &Moment{Mark: p.Mark}
		b, err := f.read(p.at, headBytes+p.growth)
		if err != nil {
			return nil, err
		}
		m.growth = b[headBytes:]
		if i == k {
			if m.state, err = f.read(p.at+headBytes+p.growth+4, p.state); err != nil {
				return nil, err
			}
		}
		all = append(all, m)
	}
	return all, nil
}

// read reads bytes and the sum that follows them.
func (f *File) read(at, n int64) ([]byte, error) {
	b := make([]byte, n+4)
	if _, err := f.file.ReadAt(b, at); err != nil {
		return nil, err
	}
	if !whole(b) {
		return nil, errDamaged
	}
	return b[:n], nil
}

// Close ends the reading.
func (f *File) Close() error { return f.file.Close() }
