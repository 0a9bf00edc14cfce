// Hashing from where files part.

package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that begins as another has the hash of all its bytes, wherever the two part, and the sum of the other stays.
func TestSum_Resume(t *testing.T) {
	content := make([]byte, 3*blockBytes+1000)
	for k := range content {
		content[k] = byte(k * 2654435761 >> 9)
	}
	hash := func(b []byte) string {
		sum := sha256.Sum256(b)
		return hex.EncodeToString(sum[:])
	}
	path := filepath.Join(t.TempDir(), "file")
	for _, size := range []int{0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 3 * blockBytes, len(content)} {
		s, err := SumOf(bytes.NewReader(content[:size]))
		if err != nil || s.Hex != hash(content[:size]) {
			t.Fatalf("%d bytes: %v, %v", size, s.Hex, err)
		}
		for _, same := range []int{0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 2*blockBytes + 7, size} {
			if same > size {
				continue
			}
			other := append(bytes.Clone(content[:same]), bytes.Repeat([]byte{7}, 2*blockBytes)...)
			if err := os.WriteFile(path, other, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Resume(path, int64(same)); err != nil || got != hash(other) {
				t.Errorf("%d of %d bytes: %s, %v", same, size, got, err)
			}
			// The bytes that are said to be the same are not hashed again.
			if same >= blockBytes {
				want := hash(other)
				other[0]++
				if err := os.WriteFile(path, other, 0o600); err != nil {
					t.Fatal(err)
				}
				if got, err := s.Resume(path, int64(same)); err != nil || got != want {
					t.Errorf("%d of %d bytes: they are read again", same, size)
				}
			}
		}
		if again, err := SumOf(bytes.NewReader(content[:size])); err != nil || len(again.states) != len(s.states) {
			t.Fatal(err)
		} else {
			for k := range again.states {
				if !bytes.Equal(again.states[k], s.states[k]) {
					t.Errorf("state %d of %d bytes has changed", k, size)
				}
			}
		}
	}
}

// A device has no end that a hash could be of: /dev/zero would be read for ever.
func TestHash_OfDevices(t *testing.T) {
	if _, err := Hash(os.DevNull); err == nil || !strings.Contains(err.Error(), os.DevNull+" is a device, not a file") {
		t.Error(err)
	}
}
