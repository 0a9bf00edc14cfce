// Hashing, from the start or from where files that begin alike part.

package files

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Hash is the SHA-256 of a file's bytes, in hexadecimal.
func Hash(path string) (string, error) { return (*Sum)(nil).Resume(path, 0) }

// Sum is a file's SHA-256, with what it was after every block, so that that of a file with the same beginning is
// computed from there.
type Sum struct {
	Hex    string
	states [][]byte // of the hash, after every whole block
}

// blockBytes is small enough for a processor's cache. A state takes 108 bytes.
const blockBytes = 1 << 18

// SumOf is the sum of what a reader gives.
func SumOf(r io.Reader) (*Sum, error) {
	s := new(Sum)
	err := s.extend(r)
	return s, err
}

// Resume is the SHA-256 of a file that has the same first bytes, so many, as that of which the sum is, in hexadecimal.
// Of those most are not read.
func (s *Sum) Resume(path string, same int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return "", err
	} else if info.Mode()&os.ModeDevice != 0 {
		return "", fmt.Errorf("%s is a device, not a file", path)
	}
	next := new(Sum)
	if s != nil {
		next.states = slices.Clip(s.states[:min(int64(len(s.states)), same/blockBytes)])
	}
	if _, err := f.Seek(int64(len(next.states))*blockBytes, io.SeekStart); err != nil {
		return "", err
	}
	err = next.extend(f)
	return next.Hex, err
}

// extend adds what a reader gives after the blocks that there are.
func (s *Sum) extend(r io.Reader) error {
	h := sha256.New()
	if n := len(s.states); n > 0 {
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.states[n-1]); err != nil {
			return err
		}
	}
	block := make([]byte, blockBytes)
	for {
		n, err := io.ReadFull(r, block)
		h.Write(block[:n])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			s.Hex = hex.EncodeToString(h.Sum(nil))
			return nil
		}
		if err != nil {
			return err
		}
		state, err := h.(encoding.BinaryAppender).AppendBinary(nil)
		if err != nil {
			return err
		}
		s.states = append(s.states, state)
	}
}
