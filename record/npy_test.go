// Tests that tables for numpy are what its format says.

package record

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// TestNpy reads an array of records back as numpy's format says: a header of 64 bytes' multiple, then the records.
func TestNpy(t *testing.T) {
	var n npyRows
	for _, row := range [][]any{{int32(-3), "value", math.NaN()}, {int32(7), "leave", 0.1}} {
		if err := n.add(row); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := n.write([]string{"node", "kind", "loss"}, &b); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	size := int(binary.LittleEndian.Uint32(data[8:]))
	header := string(data[12 : 12+size])
	if string(data[:8]) != "\x93NUMPY\x02\x00" || (12+size)%64 != 0 || !strings.HasSuffix(header, " \n") {
		t.Errorf("the file begins %q", data[:12+size])
	}
	for _, want := range []string{"('node', '<i8')", "('kind', '|S16')", "('loss', '<f8')", "'shape': (2,)"} {
		if !strings.Contains(header, want) {
			t.Errorf("the header %q has no %s", header, want)
		}
	}
	second := data[12+size+32:]
	if len(second) != 32 || int64(binary.LittleEndian.Uint64(second)) != 7 ||
		string(bytes.TrimRight(second[8:24], "\x00")) != "leave" ||
		math.Float64frombits(binary.LittleEndian.Uint64(second[24:])) != 0.1 {
		t.Errorf("the second record is %x", second)
	}
	if err := n.add([]any{int32(1), strings.Repeat("x", npyText+1), 0.0}); err == nil {
		t.Error("a text that would be cut is written")
	}
}
