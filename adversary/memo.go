// What searches for unknown samples led to, for attacks on many views that say the same.

package adversary

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"overhear/internal/num"
)

// Memo is what the likelihoods of attacks on one victim of a run were found to be greatest at. Most of what an
// observer may miss says nothing of the victim, so that many views lead to the same conditions: none of them is
// searched twice, unless so much was found since that it was dropped. It serves one goroutine at a time.
type Memo struct {
	Searched, Recalled int // searches that were made, and that were not, as the memo had them

	solutions map[[sha256.Size]byte]remembered
	kernels   map[[sha256.Size]byte]*num.Cholesky
	kept      []note // oldest first
	bytes     int    // of them
	most      int    // beyond that the oldest are dropped
}

// note is a key of a memo, and about how many bytes it keeps there.
type note struct {
	key   [sha256.Size]byte
	bytes int
}

// NewMemo is one of nothing.
func NewMemo() *Memo {
	const most = 256 << 20 // factors have half as many numbers as the square of the columns
	return &Memo{solutions: map[[sha256.Size]byte]remembered{}, kernels: map[[sha256.Size]byte]*num.Cholesky{},
		most: most}
}

// keep notes what has so many numbers, and drops the oldest beyond the bound. Keys of both kinds are hashes and differ.
func (m *Memo) keep(key [sha256.Size]byte, numbers int) {
	const overhead = 200 // of an entry
	n := note{key, 8*numbers + overhead}
	m.kept, m.bytes = append(m.kept, n), m.bytes+n.bytes
	for m.bytes > m.most {
		oldest := m.kept[0]
		m.kept, m.bytes = m.kept[1:], m.bytes-oldest.bytes
		delete(m.solutions, oldest.key)
		delete(m.kernels, oldest.key)
	}
}

// remembered is a solution without what follows from it.
type remembered struct {
	u      []float64
	o      map[int][]float64
	fence  float64
	signed bool
	rivals int
}

// Remember is the view of an observer that sees the same and makes use of a memo.
func (v *View) Remember(m *Memo) *View {
	w := *v
	w.memo = m
	return &w
}

// solve maximises the likelihood, unless the memo has where it is greatest.
func (s *inversion) solve(victim int, previous []float64) (*solution, error) {
	if s.memo == nil {
		return s.search(victim, previous)
	}
	key := s.key(victim, previous)
	if was, ok := s.memo.solutions[key]; ok {
		s.memo.Recalled++
		return &solution{point: s.at(was.u, was.o, was.fence), signed: was.signed, rivals: was.rivals}, nil
	}
	s.memo.Searched++
	found, err := s.search(victim, previous)
	if err == nil {
		s.memo.solutions[key] = remembered{found.u, found.o, found.fence, found.signed, found.rivals}
		s.memo.keep(key, s.d*(1+len(found.o)))
	}
	return found, err
}

// key is of all that a search goes by but for what is the same to all attacks on a victim.
func (s *inversion) key(victim int, previous []float64) [sha256.Size]byte {
	k := keyed(nil).number(float64(victim), float64(s.kind), s.share).vectors(previous)
	for t := range s.equations {
		e := &s.equations[t]
		k = k.number(float64(e.group), e.weight, e.ridge).vectors(e.at, e.target).vectors(e.hidden...)
		if f := e.free; f != nil {
			k = k.number(f.power, f.start, f.growth).vectors(f.q)
		}
	}
	return sha256.Sum256(k)
}

// keyed is what a key is the hash of: numbers to the last bit, and how many there are of what there may be several.
type keyed []byte

func (k keyed) number(all ...float64) keyed {
	k = binary.LittleEndian.AppendUint64(k, uint64(len(all)))
	for _, x := range all {
		k = binary.LittleEndian.AppendUint64(k, math.Float64bits(x))
	}
	return k
}

func (k keyed) vectors(all ...[]float64) keyed {
	k = binary.LittleEndian.AppendUint64(k, uint64(len(all)))
	for _, x := range all {
		k = k.number(x...)
	}
	return k
}
