// Facts about streams: the same name gives the same numbers on every machine, and
// another name gives others.

package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

func TestGoldenStreams(t *testing.T) {
	for name, c := range map[string]struct {
		draw func(*Stream) float64
		want string
	}{
		"uniform":     {(*Stream).Float64, "b33a96b5e839f46f"},
		"between":     {func(s *Stream) float64 { return s.Between(-3, 7) }, "d7781b37c10464a7"},
		"integer":     {func(s *Stream) float64 { return float64(s.IntN(1000)) }, "42917b4ebccb0143"},
		"normal":      {(*Stream).Normal, "d1961decbce6089c"},
		"exponential": {(*Stream).Exponential, "b880d2cb4c8f34af"},
		"gamma 0.3":   {func(s *Stream) float64 { return s.Gamma(0.3) }, "beac1b0d27bdb019"},
		"gamma 1":     {func(s *Stream) float64 { return s.Gamma(1) }, "f01a49524fddae40"},
		"gamma 4":     {func(s *Stream) float64 { return s.Gamma(4) }, "938fd245529f05ed"},
		"permutation": {func(s *Stream) float64 { return float64(s.Perm(20)[3]) }, "a116e02d7f418b77"},
	} {
		h := sha256.New()
		for node := range uint64(4) {
			s := NewStream(9, name, node, 3)
			for range 1000 {
				binary.Write(h, binary.LittleEndian, math.Float64bits(c.draw(s)))
			}
		}
		if got := fmt.Sprintf("%.8x", h.Sum(nil)); got != c.want {
			t.Errorf("%s: digest %s, golden %s", name, got, c.want)
		}
	}
}

func TestStream_EveryPartOfTheNameCounts(t *testing.T) {
	seen := map[uint64]string{}
	for name, s := range map[string]*Stream{
		"plain":         NewStream(1, "a"),
		"seed":          NewStream(2, "a"),
		"purpose":       NewStream(1, "b"),
		"longer":        NewStream(1, "a\x00"),
		"id 0":          NewStream(1, "a", 0),
		"id 1":          NewStream(1, "a", 1),
		"ids 0, 1":      NewStream(1, "a", 0, 1),
		"ids 1, 0":      NewStream(1, "a", 1, 0),
		"id in purpose": NewStream(1, "a\x01\x00\x00\x00\x00\x00\x00\x00"),
	} {
		u := s.Uint64()
		if other, again := seen[u]; again {
			t.Errorf("%s and %s draw the same", name, other)
		}
		seen[u] = name
	}
}

// Numbers between two others cover what is between, and nothing else.
func TestStream_Between(t *testing.T) {
	s := NewStream(1, "between")
	low, high := math.Inf(1), math.Inf(-1)
	for range 2000 {
		x := s.Between(-3, 7)
		low, high = min(low, x), max(high, x)
	}
	if !(low >= -3) || !(low <= -2.9) || !(high < 7) || !(high >= 6.9) {
		t.Errorf("numbers from %v to %v, want from −3 to 7", low, high)
	}
}

func TestStream_PermIsAPermutation(t *testing.T) {
	first := map[int]int{}
	for seed := range uint64(600) {
		p := NewStream(seed, "perm").Perm(6)
		seen := map[int]bool{}
		for _, i := range p {
			seen[i] = true
		}
		if len(p) != 6 || len(seen) != 6 || !seen[0] || !seen[5] {
			t.Fatalf("%v is no permutation", p)
		}
		first[p[0]]++
	}
	for i, n := range first { // 100 ± four standard deviations
		if n < 63 || n > 137 {
			t.Errorf("%d is first in %d of 600 permutations", i, n)
		}
	}
}
