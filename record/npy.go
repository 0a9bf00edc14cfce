// Tables as numpy reads them: an array of records in its file format, version 2.0
// (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// npyText is how many bytes a text takes in a record.
const npyText = 16

// npyRows are the records of a table; its file says first how many there are.
type npyRows struct {
	types []string // of the columns, by the first row
	bytes bytes.Buffer
	rows  int
}

func (n *npyRows) add(values []any) error {
	first := n.rows == 0
	n.rows++
	var word [npyText]byte
	for _, v := range values {
		kind, size := "<i8", 8
		switch v := v.(type) {
		case float64:
			kind = "<f8"
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
		case int:
			binary.LittleEndian.PutUint64(word[:], uint64(v))
		case uint64:
			binary.LittleEndian.PutUint64(word[:], v)
		case int32:
			binary.LittleEndian.PutUint64(word[:], uint64(v))
		case int64:
			binary.LittleEndian.PutUint64(word[:], uint64(v))
		case string:
			if len(v) > npyText {
				return fmt.Errorf("writing npy: %q has more than %d bytes", v, npyText)
			}
			kind, size = fmt.Sprintf("|S%d", npyText), npyText
			word = [npyText]byte{}
			copy(word[:], v)
		default:
			return fmt.Errorf("writing npy: %v is a %T", v, v)
		}
		if first {
			n.types = append(n.types, kind)
		}
		n.bytes.Write(word[:size])
	}
	return nil
}

// write writes the file. Of a table without rows, all columns are of numbers.
func (n *npyRows) write(columns []string, to io.Writer) error {
	var header strings.Builder
	header.WriteString("{'descr': [")
	for k, c := range columns {
		kind := "<f8"
		if n.rows > 0 {
			kind = n.types[k]
		}
		fmt.Fprintf(&header, "('%s', '%s'), ", c, kind)
	}
	fmt.Fprintf(&header, "], 'fortran_order': False, 'shape': (%d,), }", n.rows)
	const before = 12 // magic, version 2.0 and the header's length
	pad := 63 - (before+header.Len())%64
	header.WriteString(strings.Repeat(" ", pad) + "\n")
	head := binary.LittleEndian.AppendUint32([]byte("\x93NUMPY\x02\x00"), uint32(header.Len()))
	if _, err := to.Write(append(head, header.String()...)); err != nil {
		return err
	}
	_, err := n.bytes.WriteTo(to)
	return err
}
