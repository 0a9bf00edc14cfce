// That a damaged length of a record is seen before room is made for it.

package checkpoint

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

func TestNext_MakesNoRoomForADamagedLength(t *testing.T) {
	for _, n := range []uint32{maxValues + 1, 1 << 31, 1<<32 - 1} {
		text := append(binary.LittleEndian.AppendUint32(nil, n), make([]byte, 100)...)
		if _, _, err := next(bufio.NewReader(bytes.NewReader(text))); !errors.Is(err, errDamaged) {
			t.Errorf("a record of %d values: %v", n, err)
		}
	}
}
