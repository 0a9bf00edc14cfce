// Numbers modulo a prime, in which spans are decided without rounding.

package adversary

import (
	"math"
	"math/bits"
)

// plus is a + b.
func plus(a, b uint64) uint64 {
	if a += b; a >= prime {
		a -= prime
	}
	return a
}

// minus is −a.
func minus(a uint64) uint64 {
	if a == 0 {
		return 0
	}
	return prime - a
}

// times is a·b: 2⁶¹ is 1.
func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return plus(high<<3|low>>61, low&prime%prime)
}

// inverse is a⁻¹ of a that is not zero: a to the power of the prime less two.
func inverse(a uint64) uint64 {
	x := uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			x = times(x, a)
		}
		a = times(a, a)
	}
	return x
}

// residue is a finite number, which is a whole one times a power of two, exactly.
func residue(x float64) uint64 {
	if x == 0 {
		return 0
	}
	m, e := math.Frexp(math.Abs(x))
	whole := uint64(math.Ldexp(m, 53)) % prime
	r := times(whole, 1<<(((e-53)%61+61)%61))
	if x < 0 {
		return minus(r)
	}
	return r
}

// echelon is the span of rows modulo the prime: each row begins, with 1, in another column.
type echelon struct{ rows map[int][]uint64 }

// left is what is left of a row when multiples of others are taken from it, nil if nothing is, and where it begins.
func (e *echelon) left(row []uint64) ([]uint64, int) {
	row = append([]uint64(nil), row...)
	first := -1
	for c := range row {
		if row[c] == 0 {
			continue
		}
		if r, ok := e.rows[c]; ok {
			factor := minus(row[c])
			for k := c; k < len(row); k++ {
				row[k] = plus(row[k], times(factor, r[k]))
			}
		} else if first < 0 {
			first = c
		}
	}
	if first < 0 {
		return nil, first
	}
	return row, first
}

// add puts a row into the span.
func (e *echelon) add(row []uint64) {
	row, first := e.left(row)
	if row == nil {
		return
	}
	factor := inverse(row[first])
	for k := range row {
		row[k] = times(factor, row[k])
	}
	if e.rows == nil {
		e.rows = map[int][]uint64{}
	}
	e.rows[first] = row
}

// has says whether the unit vector of a column, of so many, is in the span.
func (e *echelon) has(column, of int) bool {
	unit := make([]uint64, of)
	unit[column] = 1
	rest, _ := e.left(unit)
	return rest == nil
}
