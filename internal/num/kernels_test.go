// The kernels in assembly against those in Go: the same bits.

package num

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// awkward are numbers of all sizes, with zeros of both signs, infinities and NaN among them.
func awkward(g *rand.Rand, n int, finite bool) []float64 {
	x := make([]float64, n)
	special := []float64{0, math.Copysign(0, -1), 5e-324, -1e-310, 1e308, 700, -700, 709.5, -745.2, 0.5, -0.5,
		math.Inf(1), math.Inf(-1), math.NaN()}
	if finite {
		special = special[:4]
	}
	for k := range x {
		if x[k] = g.NormFloat64() * math.Exp(g.NormFloat64()*3); g.IntN(8) == 0 {
			x[k] = special[g.IntN(len(special))]
		}
	}
	return x
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func TestKernels_HaveTheBitsOfTheirReference(t *testing.T) {
	if !vectors {
		t.Skip("this processor has no AVX2")
	}
	g := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		for range 30 {
			finite := g.IntN(4) > 0
			x, y := awkward(g, n+1, finite)[1:], awkward(g, n, finite)
			if got, want := Dot(x, y), dot(x, y); !same(got, want) {
				t.Fatalf("Dot of %d: %v and %v", n, got, want)
			}
			a := g.NormFloat64()
			p, q := append([]float64{7}, y...), append([]float64{7}, y...)
			p, q = append(p, 9), append(q, 9)
			Axpy(a, x, p[1:n+1])
			axpy(a, x, q[1:n+1])
			u, v := make([]float64, n), make([]float64, n)
			LogisticSlopes(u, x)
			logisticSlopes(v, x)
			if m := n &^ 3; m > 0 { // where there are eight lanes, they took most of the others
				narrow := make([]float64, m)
				slopesAVX2(&narrow[0], &x[0], m)
				for k := range narrow {
					if !same(narrow[k], v[k]) {
						t.Fatalf("slopesAVX2 of %v: %v and %v", x[k], narrow[k], v[k])
					}
				}
			}
			rows := [4][]float64{awkward(g, n, finite), awkward(g, n+2, finite), awkward(g, n+1, finite), y}
			var out [4]float64
			for _, kernel := range fourKernels() {
				if n > 0 {
					kernel.dot(&out, &rows[0][0], &rows[1][0], &rows[2][0], &rows[3][0], &x[0], n)
				}
				for k, got := range out {
					if want := dot(rows[k][:n], x); !same(got, want) {
						t.Fatalf("row %d of %s dots of %d: %v and %v", k, kernel.name, n, got, want)
					}
				}
				if n > 0 {
					kernel.axpy(&out, &rows[0][0], &rows[1][0], &rows[2][0], &rows[3][0], &p[1], n)
				}
				for k, r := range rows {
					axpy(out[k], r[:n], q[1:n+1])
				}
			}
			for _, kernel := range tileKernels() {
				one, two := awkward(g, n*tileSide, finite), awkward(g, n*tileSide, finite)
				var got, want [tileSide * tileSide]float64
				if n > 0 {
					kernel(&got, &one[0], &two[0], n)
				}
				tile(&want, one, two)
				for k := range got {
					if !same(got[k], want[k]) {
						t.Fatalf("product %d of a tile of %d: %v and %v", k, n, got[k], want[k])
					}
				}
			}
			c := Cholesky{packed: awkward(g, Packed(n), finite)}
			got, want := slices.Clone(x[:n&^3]), slices.Clone(x[:n&^3])
			c.forward(got)
			c.forwardRows(want)
			c.backward(got)
			c.backwardRows(want)
			for k := range got {
				if !same(got[k], want[k]) {
					t.Fatalf("number %d of %d, solved with a factor: %v and %v", k, n, got[k], want[k])
				}
			}
			var s, r [8]float64
			s, r = [8]float64{4: 1, 5: 1, 6: 1, 7: 1}, [8]float64{4: 1, 5: 1, 6: 1, 7: 1}
			if m := n &^ 3; m > 0 {
				totalAVX2(&s, &x[0], &v[0], m)
				fourTotals(&r, x[:m], v[:m])
			}
			for k := range s {
				if !same(s[k], r[k]) {
					t.Fatalf("chain %d of the total of %d: %v and %v", k, n, s[k], r[k])
				}
			}
			for k := range p {
				if !same(p[k], q[k]) {
					t.Fatalf("Axpy and of four rows, of %d, entry %d: %v and %v", n, k, p[k], q[k])
				}
			}
			for k := range u {
				if !same(u[k], v[k]) {
					t.Fatalf("LogisticSlopes of %v: %v and %v", x[k], u[k], v[k])
				}
			}
		}
	}
}

// fourKernels are those of four rows that this processor has.
func fourKernels() (all []fourKernel) {
	all = append(all, fourKernel{"AVX2", dot4AVX2, axpy4AVX2})
	if wide {
		all = append(all, fourKernel{"AVX-512", dot4AVX512, axpy4AVX512})
	}
	return all
}

type fourKernel struct {
	name      string
	dot, axpy func(k *[4]float64, a, b, c, d, x *float64, n int)
}

// tileKernels are those that this processor has.
func tileKernels() (all []func(out *[tileSide * tileSide]float64, a, b *float64, n int)) {
	all = append(all, tileAVX2)
	if wide {
		all = append(all, tileAVX512)
	}
	return all
}

func BenchmarkKernels(b *testing.B) {
	g := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 105), make([]float64, 105)
	for k := range x {
		x[k], y[k] = g.NormFloat64(), g.NormFloat64()
	}
	sink := 0.0
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"Dot", func() { sink += Dot(x, y) }}, {"dot", func() { sink += dot(x, y) }},
		{"Axpy", func() { Axpy(1e-9, x, y) }}, {"axpy", func() { axpy(1e-9, x, y) }},
		{"LogisticSlopes", func() { LogisticSlopes(y, x) }}, {"logisticSlopes", func() { logisticSlopes(y, x) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.run()
			}
		})
	}
}
