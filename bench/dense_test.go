//go:build unix

// Dense linear algebra against numpy.

package bench

import (
	"fmt"
	"math"
	"os/exec"
	"testing"

	"overhear/internal/num"
	"overhear/sim"
)

// BenchmarkDense forms DᵀD of a dense matrix and factors it, here and with numpy on one processor, and gives flops a
// second of CPU and the ratios of CPU seconds, theirs to ours, of the least of three.
func BenchmarkDense(b *testing.B) {
	const rows, columns = 6000, 2000
	interpreter := python(b)
	stream := sim.NewStream(1, "dense")
	data := make([]float64, rows*columns)
	for k := range data {
		data[k] = stream.Normal()
	}
	gram, factor := math.Inf(1), math.Inf(1)
	var theirGram, theirFactor float64
	for b.Loop() {
		for range 3 {
			begin := cpu(b)
			g := num.NewGram(columns)
			for i := range rows {
				g.Add(nil, data[i*columns:(i+1)*columns])
			}
			packed := g.Packed()
			gram = min(gram, cpu(b)-begin)
			for k := range columns {
				packed[num.Packed(k)+k]++
			}
			begin = cpu(b)
			var c num.Cholesky
			if err := c.Factor(packed, columns); err != nil {
				b.Fatal(err)
			}
			factor = min(factor, cpu(b)-begin)
		}
		out, err := exec.Command(interpreter, "dense.py", fmt.Sprint(rows), fmt.Sprint(columns)).Output()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := fmt.Sscan(string(out), &theirGram, &theirFactor); err != nil {
			b.Fatalf("%q: %v", out, err)
		}
	}
	const n = float64(columns)
	for _, c := range []struct {
		name                 string
		flops, ours, numpies float64
	}{{"gram", rows * n * n, gram, theirGram}, {"cholesky", n * n * n / 3, factor, theirFactor}} {
		b.ReportMetric(c.flops/c.ours/1e9, c.name+"-GFLOP/s")
		b.ReportMetric(c.flops/c.numpies/1e9, "numpy-"+c.name+"-GFLOP/s")
		b.ReportMetric(c.numpies/c.ours, c.name+"-theirs/ours")
	}
	b.ReportMetric(0, "ns/op")
}
