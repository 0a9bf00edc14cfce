//go:build unix

// Dense linear algebra against numpy.

package bench

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"overhear/experiment"
	"overhear/internal/num"
	"overhear/scenarios"
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
		out, err := exec.Command(interpreter, "dense.py", "products", fmt.Sprint(rows), fmt.Sprint(columns)).Output()
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

// setUpOnly has the test binary set up a scenario's run, print CPU seconds and largest memory, and end.
const setUpOnly = "OVERHEAR_BENCH_SET_UP"

func TestMain(m *testing.M) {
	if path := os.Getenv(setUpOnly); path != "" {
		if err := setUp(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func setUp(path string) error {
	s, err := scenarios.Load(path)
	if err != nil {
		return err
	}
	a, err := experiment.New(s, "").Assemble(s.Seeds.First)
	if err != nil {
		return err
	}
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return err
	}
	unit := int64(1024)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	fmt.Println(float64(u.Utime.Nano()+u.Stime.Nano())/1e9, int64(u.Maxrss)*unit)
	runtime.KeepAlive(a)
	return nil
}

// BenchmarkSetUp sets up a run over 6,000 × 5,000 dense numbers at three parties, each time in a process of its own,
// and gives its CPU seconds and largest memory, the median of three, beside those of a script with numpy. Ours also
// finds the rank of each party's columns, and has 1,000 rows more, for the test.
func BenchmarkSetUp(b *testing.B) {
	interpreter := python(b)
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	measure := func(c *exec.Cmd) (seconds, bytes float64) {
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := fmt.Sscan(string(out), &seconds, &bytes); err != nil {
			b.Fatalf("%q: %v", out, err)
		}
		return seconds, bytes
	}
	var ours, ourBytes, theirs, theirBytes [3]float64
	for b.Loop() {
		for k := range ours {
			c := exec.Command(self)
			c.Env = append(os.Environ(), setUpOnly+"="+"../scenarios/sh19-fig2.yaml")
			ours[k], ourBytes[k] = measure(c)
			theirs[k], theirBytes[k] = measure(exec.Command(interpreter, "dense.py", "set-up", "6000", "2000", "2000",
				"1000"))
		}
	}
	b.ReportMetric(median(ours), "our-CPU-s")
	b.ReportMetric(median(theirs), "their-CPU-s")
	b.ReportMetric(median(ourBytes)/1e6, "our-MB")
	b.ReportMetric(median(theirBytes)/1e6, "their-MB")
	b.ReportMetric(0, "ns/op")
}
