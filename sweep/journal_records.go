// The records of a journal, and which of its bytes hold.
//
// A journal is a line that names the format, then records. A record is a header
// of 16 bytes, little-endian: length of the payload (4), kind (1), three zeros,
// number of the run (4), CRC-32C of these twelve bytes (4); then the payload
// and the CRC-32C of header and payload (4). The header's own sum is what tells
// a record that was cut off from a length that was damaged.

package sweep

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	magic       = "overhear sweep journal 1\n"
	headerBytes = 16
	sumBytes    = 4
	maxPayload  = 1 << 30
)

// Kinds of records.
const (
	planRecord   byte = 'P' // the plan's hash; the first record
	beginRecord  byte = 'B' // a run begins; no payload
	resultRecord byte = 'R' // an encoded result
	dropRecord   byte = 'D' // the result before it does not count; no payload
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendRecord appends a record to b.
func appendRecord(b []byte, kind byte, index int, payload []byte) []byte {
	begin := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = append(b, kind, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(index))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[begin:], castagnoli))
	b = append(b, payload...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[begin:], castagnoli))
}

// entry is a record that was read.
type entry struct {
	kind    byte
	index   int
	at      int64  // where its payload begins
	payload []byte // valid until the next record
}

// ErrDamaged is wrapped by errors about journals that something other than the
// end of a process or of power has changed.
var ErrDamaged = errors.New("the journal is damaged")

// scan calls f with every record of size bytes of a journal and returns the
// length of the part that holds. What follows it is a record that was cut off,
// or zeros and unfinished sectors that a loss of power left at the end. Damage
// elsewhere is an error that wraps ErrDamaged.
func scan(r io.Reader, size int64, f func(entry) error) (int64, error) {
	b := bufio.NewReaderSize(r, 1<<20)
	head := make([]byte, len(magic))
	if n, err := io.ReadFull(b, head); err != nil || string(head) != magic {
		if err != nil && string(head[:n]) == magic[:n] {
			return 0, nil
		}
		return 0, fmt.Errorf("%w: it does not begin with %q", ErrDamaged, magic)
	}
	at := int64(len(magic))
	damaged := func(what string) error {
		return fmt.Errorf("%w: %s at byte %d of %d", ErrDamaged, what, at, size)
	}
	var header [headerBytes]byte
	var buffer []byte
	for {
		if size-at < headerBytes {
			return at, nil // also if nothing follows
		}
		if _, err := io.ReadFull(b, header[:]); err != nil {
			return at, err
		}
		if crc32.Checksum(header[:12], castagnoli) != binary.LittleEndian.Uint32(header[12:]) {
			zeros, err := onlyZeros(b, header[:])
			if err == nil && !zeros {
				err = damaged("the header of a record is wrong")
			}
			return at, err
		}
		length := int64(binary.LittleEndian.Uint32(header[:]))
		if length > maxPayload {
			return at, damaged("a record is too long")
		}
		end := at + headerBytes + length + sumBytes
		if end > size {
			return at, nil
		}
		if need := int(length + sumBytes); cap(buffer) < need {
			buffer = make([]byte, need, need+need/2)
		}
		buffer = buffer[:length+sumBytes]
		if _, err := io.ReadFull(b, buffer); err != nil {
			return at, err
		}
		payload := buffer[:length]
		if sum := crc32.Update(crc32.Checksum(header[:], castagnoli), castagnoli,
			payload); sum != binary.LittleEndian.Uint32(buffer[length:]) {
			if end == size {
				return at, nil // its last sectors were not written
			}
			return at, damaged("the contents of a record are wrong")
		}
		e := entry{header[4], int(binary.LittleEndian.Uint32(header[8:])), at + headerBytes, payload}
		if err := f(e); err != nil {
			return at, err
		}
		at = end
	}
}

// onlyZeros says whether a header and all that follows are zeros.
func onlyZeros(r io.Reader, header []byte) (bool, error) {
	chunk := make([]byte, 1<<12)
	for {
		for _, c := range header {
			if c != 0 {
				return false, nil
			}
		}
		n, err := r.Read(chunk)
		header = chunk[:n]
		if errors.Is(err, io.EOF) && n == 0 {
			return true, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
	}
}
