// Which kernels this processor has.

package num

import "golang.org/x/sys/cpu"

// vectors says whether the kernels in assembly are used: they have the same bits as those in Go.
var (
	vectors = cpu.X86.HasAVX2
	wide    = cpu.X86.HasAVX512F // of those that have one with twice the lanes
)

//go:noescape
func dotAVX2(x, y *float64, n int) float64

//go:noescape
func axpyAVX2(a float64, x, y *float64, n int)

//go:noescape
func slopesAVX2(dst, z *float64, n int)

//go:noescape
func slopesAVX512(dst, z *float64, n int)

//go:noescape
func dot4AVX2(out *[4]float64, a, b, c, d, x *float64, n int)

//go:noescape
func axpy4AVX2(k *[4]float64, a, b, c, d, y *float64, n int)

//go:noescape
func forwardAVX2(packed, b *float64, n int)

//go:noescape
func backwardAVX2(packed, b *float64, n int)

//go:noescape
func totalAVX2(out *[8]float64, z, slope *float64, n int)

//go:noescape
func tileAVX2(out *[tileSide * tileSide]float64, a, b *float64, n int)

//go:noescape
func tileAVX512(out *[tileSide * tileSide]float64, a, b *float64, n int)

//go:noescape
func dot4AVX512(out *[4]float64, a, b, c, d, x *float64, n int)

//go:noescape
func axpy4AVX512(k *[4]float64, a, b, c, d, y *float64, n int)
