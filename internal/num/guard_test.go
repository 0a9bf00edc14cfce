//go:build unix

// Kernels read and write nothing but what they are given.

package num

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded is room for n numbers that ends, or begins, where memory may not be touched.
func guarded(t *testing.T, n int, atEnd bool) []float64 {
	t.Helper()
	page := os.Getpagesize()
	size := (8*n + page - 1) / page * page
	memory, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	for _, guard := range [][]byte{memory[:page], memory[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	from := page
	if atEnd {
		from += size - 8*n
	}
	x := unsafe.Slice((*float64)(unsafe.Pointer(&memory[from])), n)
	for k := range x {
		x[k] = 1 / float64(k+2)
	}
	return x
}

func TestKernels_TouchNothingElse(t *testing.T) {
	for _, atEnd := range []bool{false, true} {
		for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 31, 33, 60, 105} {
			var x [6][]float64
			for k := range x {
				x[k] = guarded(t, n, atEnd)
			}
			four := (*[4]float64)(guarded(t, 4, atEnd))
			Axpy(Dot(x[0], x[1]), x[0], x[1])
			Dots(four, x[0], x[1], x[2], x[3], x[4])
			Axpys(four, x[0], x[1], x[2], x[3], x[4])
			LogisticSlopes(x[5], x[0])
			LogisticTotal(x[0], x[5])
			a, b := guarded(t, n*tileSide, atEnd), guarded(t, n*tileSide, atEnd)
			out := (*[tileSide * tileSide]float64)(guarded(t, tileSide*tileSide, atEnd))
			tileOf(out, a, b)
			// Those of AVX2 alone, which a processor with AVX-512 does not come by.
			if vectors {
				dot4AVX2(four, &x[0][0], &x[1][0], &x[2][0], &x[3][0], &x[4][0], n)
				axpy4AVX2(four, &x[0][0], &x[1][0], &x[2][0], &x[3][0], &x[4][0], n)
				tileAVX2(out, &a[0], &b[0], n)
			}
			if m := n &^ 3; vectors && m > 0 {
				eight := (*[8]float64)(guarded(t, 8, atEnd))
				y, z := guarded(t, m, atEnd), guarded(t, m, atEnd)
				slopesAVX2(&y[0], &z[0], m)
				totalAVX2(eight, &z[0], &y[0], m)
			}
			factor := Cholesky{guarded(t, Packed(n), atEnd)}
			factor.Solve(x[0])
		}
	}
}
