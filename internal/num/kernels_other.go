//go:build !amd64

// Elsewhere the kernels are those in Go.

package num

const vectors, wide = false, false

func dotAVX2(x, y *float64, n int) float64     { panic("no AVX2") }
func axpyAVX2(a float64, x, y *float64, n int) { panic("no AVX2") }
func slopesAVX2(dst, z *float64, n int)        { panic("no AVX2") }
func slopesAVX512(dst, z *float64, n int)      { panic("no AVX-512") }

func dot4AVX2(out *[4]float64, a, b, c, d, x *float64, n int) { panic("no AVX2") }
func axpy4AVX2(k *[4]float64, a, b, c, d, y *float64, n int)  { panic("no AVX2") }
func forwardAVX2(packed, b *float64, n int)                   { panic("no AVX2") }
func backwardAVX2(packed, b *float64, n int)                  { panic("no AVX2") }
func totalAVX2(out *[8]float64, z, slope *float64, n int)     { panic("no AVX2") }

func tileAVX2(out *[tileSide * tileSide]float64, a, b *float64, n int)   { panic("no AVX2") }
func tileAVX512(out *[tileSide * tileSide]float64, a, b *float64, n int) { panic("no AVX-512") }

func dot4AVX512(out *[4]float64, a, b, c, d, x *float64, n int) { panic("no AVX-512") }
func axpy4AVX512(k *[4]float64, a, b, c, d, y *float64, n int)  { panic("no AVX-512") }
