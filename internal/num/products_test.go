// Gram matrices against their definition, bit by bit.

package num

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// randomGram is the Gram matrix of m random rows of n columns.
func randomGram(g *rand.Rand, n, m int) []float64 {
	gram, row := NewGram(n), make([]float64, n)
	for range m {
		for k := range row {
			row[k] = g.NormFloat64()
		}
		gram.Add(nil, row)
	}
	return gram.Packed()
}

// Each entry is summed over productLength rows at a time, in order, on any number of processors.
func TestGram(t *testing.T) {
	g := rand.New(rand.NewPCG(9, 10))
	for _, d := range []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50, 71} {
		for _, n := range []int{0, 1, 2, 7, 127, 128, 129, 300} {
			rows := make([][]float64, n)
			for i := range rows {
				rows[i] = make([]float64, d)
				for k := range rows[i] {
					if g.IntN(4) > 0 {
						rows[i][k] = g.NormFloat64()
					}
				}
			}
			want := make([]float64, Packed(d))
			for from := 0; from < n; from += productLength {
				for i := range d {
					for j := range i + 1 {
						sum := 0.0
						for _, r := range rows[from:min(from+productLength, n)] {
							sum += float64(r[i] * r[j])
						}
						want[Packed(i)+j] += sum
					}
				}
			}
			for _, processors := range []int{1, 3} {
				before := runtime.GOMAXPROCS(processors)
				dense, mixed := NewGram(d), NewGram(d)
				for i, r := range rows {
					dense.Add(nil, r)
					if i%3 > 0 {
						mixed.Add(nil, r)
						continue
					}
					var cols []int32
					var vals []float64
					for k, v := range r {
						if v != 0 {
							cols, vals = append(cols, int32(k)), append(vals, v)
						}
					}
					mixed.Add(cols, vals)
				}
				a, b := dense.Packed(), mixed.Packed()
				runtime.GOMAXPROCS(before)
				for k, v := range want {
					if math.Float64bits(v) != math.Float64bits(a[k]) || math.Float64bits(v) != math.Float64bits(b[k]) {
						t.Fatalf("%d rows of %d: entry %d is %v, of sparse rows %v, want %v", n, d, k, a[k], b[k], v)
					}
				}
			}
		}
	}
}

// The factor is that of the plain algorithm by blocks of columns, on any number of processors.
func TestCholesky_HasTheBitsOfThePlainOne(t *testing.T) {
	g := rand.New(rand.NewPCG(13, 14))
	for _, n := range []int{0, 1, 2, 3, 4, 5, 31, 64, 127, 128, 129, 161, 258, 301} {
		a := randomGram(g, n, n+10)
		want := append([]float64(nil), a...)
		for from := 0; from < n; from += choleskyBlock {
			to := min(from+choleskyBlock, n)
			for i := from; i < n; i++ {
				ri := want[Packed(i) : Packed(i)+i+1]
				for j := from; j < min(i, to); j++ {
					rj := want[Packed(j) : Packed(j)+j+1]
					ri[j] = (ri[j] - dot(rj[from:j], ri[from:j])) * rj[j]
				}
				if i < to {
					ri[i] = 1 / math.Sqrt(ri[i]-dot(ri[from:i], ri[from:i]))
				}
				for j := to; j <= i; j++ {
					sum := 0.0
					for k := from; k < to; k++ {
						sum += float64(ri[k] * want[Packed(j)+k])
					}
					ri[j] -= sum
				}
			}
		}
		for _, processors := range []int{1, 3} {
			before := runtime.GOMAXPROCS(processors)
			got := append([]float64(nil), a...)
			var c Cholesky
			err := c.Factor(got, n)
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range want {
				if math.Float64bits(v) != math.Float64bits(got[k]) {
					t.Fatalf("order %d: entry %d is %v, want %v", n, k, got[k], v)
				}
			}
		}
	}
}
