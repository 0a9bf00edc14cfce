// Keyed random streams: every random choice of a run has a name.

package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"

	"overhear/internal/num"
)

// Stream is a stream of random numbers that is determined by a seed, a purpose
// and identifiers (node, round, …): a PCG whose state is SHA-256 of them. Two
// purposes never share draws, so changing how one thing is drawn leaves all
// others as they were.
type Stream struct{ pcg rand.PCG }

// NewStream returns the stream of that name. It is so short that a stream which its caller keeps to itself takes no
// memory.
func NewStream(seed uint64, purpose string, ids ...uint64) *Stream {
	s := new(Stream)
	s.start(seed, purpose, ids)
	return s
}

// start is where the stream of a name begins.
func (s *Stream) start(seed uint64, purpose string, ids []uint64) {
	key := make([]byte, 0, 64)
	key = binary.LittleEndian.AppendUint64(key, seed)
	key = binary.LittleEndian.AppendUint64(key, uint64(len(purpose)))
	key = append(key, purpose...)
	for _, id := range ids {
		key = binary.LittleEndian.AppendUint64(key, id)
	}
	h := sha256.Sum256(key)
	s.pcg.Seed(binary.LittleEndian.Uint64(h[:]), binary.LittleEndian.Uint64(h[8:]))
}

// Uint64 returns 64 random bits.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Float64 is uniform on the multiples of 2^−53 in [0, 1).
func (s *Stream) Float64() float64 { return unit(s.Uint64()) }

// Between is uniform on [low, high), but for rounding.
func (s *Stream) Between(low, high float64) float64 { return low + float64((high-low)*s.Float64()) }

// unit maps 64 random bits to [0, 1).
func unit(u uint64) float64 { return float64(float64(u>>11) * 0x1p-53) }

// IntN is uniform on 0..n−1, without bias (Lemire's method).
func (s *Stream) IntN(n int) int {
	if n <= 0 {
		panic("sim: IntN of a count that is not positive")
	}
	m := uint64(n)
	hi, lo := bits.Mul64(s.Uint64(), m)
	if lo < m {
		for bound := -m % m; lo < bound; {
			hi, lo = bits.Mul64(s.Uint64(), m)
		}
	}
	return int(hi)
}

// Normal has mean 0 and variance 1 (Marsaglia's polar method).
func (s *Stream) Normal() float64 {
	for {
		x := float64(2*s.Float64()) - 1
		y := float64(2*s.Float64()) - 1
		r := float64(x*x) + float64(y*y)
		if r < 1 && r > 0 {
			return x * math.Sqrt(-2*num.Log(r)/r)
		}
	}
}

// Exponential has mean 1.
func (s *Stream) Exponential() float64 { return exponential(s.Uint64()) }

// exponential inverts the distribution function at a uniform in (0, 1].
func exponential(u uint64) float64 { return -num.Log(1 - unit(u)) }

// Gamma has the given shape > 0 and scale 1 (Marsaglia & Tsang 2000).
func (s *Stream) Gamma(shape float64) float64 {
	boost := 1.0
	if shape < 1 { // Γ(a) = Γ(a+1)·U^(1/a)
		boost = num.Exp(-s.Exponential() / shape)
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.Normal()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = float64(v * v * v)
		if u := 1 - s.Float64(); num.Log(u) < float64(0.5*x*x)+float64(d*((1-v)+num.Log(v))) {
			return boost * d * v
		}
	}
}

// Shuffle permutes n things by swaps (Fisher-Yates).
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, s.IntN(i+1))
	}
}

// Perm is a random permutation of 0..n−1.
func (s *Stream) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	s.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}
