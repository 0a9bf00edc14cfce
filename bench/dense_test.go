//go:build unix

// Dense linear algebra against numpy.

package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"overhear/experiment"
	"overhear/internal/num"
	"overhear/problem"
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
	a, err := experiment.New(s, "").Assemble(context.Background(), s.Seeds.First)
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
	b.ReportMetric(median(ours[:]), "our-CPU-s")
	b.ReportMetric(median(theirs[:]), "their-CPU-s")
	b.ReportMetric(median(ourBytes[:])/1e6, "our-MB")
	b.ReportMetric(median(theirBytes[:])/1e6, "their-MB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFewRows solves for nodes of two rows and 21 columns, one after the other, and gives the CPU time and the
// memory of each, besides its rows and iterate, and the ratio of CPU seconds to those of numpy for all at once: the
// medians of five alternated runs. The script knows that the rows are two, of norm 1, and the ridge is 1.
func BenchmarkFewRows(b *testing.B) {
	const nodes, d, rounds = 10000, 21, 10
	interpreter := python(b)
	stream := sim.NewStream(1, "few rows")
	var objectives [nodes]*problem.Objective
	var iterates [nodes][]float64
	cols, row := make([]int32, d), make([]float64, d)
	draw := func(x []float64) {
		for k := range x {
			x[k] = stream.Normal()
		}
	}
	for i := range objectives {
		u := problem.NewRows(d)
		for range 2 {
			draw(row)
			num.Scale(1/num.Norm(row), row)
			for k := range cols {
				cols[k] = int32(k)
			}
			u.Append(cols, row)
		}
		objectives[i] = &problem.Objective{U: u, Weight: 0.5, Loss: problem.Logistic, Ridge: 1}
		iterates[i] = make([]float64, d)
	}
	linear := make([][]float64, rounds) // drawn before time is taken, as theirs are
	for r := range linear {
		linear[r] = make([]float64, nodes*d)
		draw(linear[r])
		num.Scale(0.3, linear[r])
	}
	live := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	const repeats = 5
	var seconds, theirs, ratios [repeats]float64
	bytes, passes := 0.0, 0
	for b.Loop() {
		for k := range repeats {
			for i := range iterates {
				clear(iterates[i])
			}
			before := live()
			var solvers [nodes]*problem.Solver
			scratch := problem.NewScratch(d, 2)
			passes = 0
			begin := cpu(b)
			for _, all := range linear {
				for i, o := range objectives {
					if solvers[i] == nil {
						solvers[i] = problem.NewSolver(o, 0)
					}
					stats, err := solvers[i].Solve(scratch, iterates[i], all[i*d:(i+1)*d], 0)
					if err != nil {
						b.Fatal(err)
					}
					passes += stats.Evaluations
				}
			}
			seconds[k] = (cpu(b) - begin) / rounds
			bytes = (live() - before) / nodes
			runtime.KeepAlive(&solvers)
			out, err := exec.Command(interpreter, "dense.py", "few-rows", fmt.Sprint(nodes), fmt.Sprint(d),
				fmt.Sprint(rounds)).Output()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := fmt.Sscan(string(out), &theirs[k]); err != nil {
				b.Fatalf("%q: %v", out, err)
			}
			ratios[k] = theirs[k] / seconds[k]
		}
	}
	b.ReportMetric(median(ratios[:]), "theirs/ours")
	b.ReportMetric(median(seconds[:])/nodes*1e6, "our-µs/solve")
	b.ReportMetric(median(theirs[:])/nodes*1e6, "their-µs/solve")
	b.ReportMetric(float64(passes)/(nodes*rounds), "passes/solve")
	b.ReportMetric(bytes, "our-B/node")
	b.ReportMetric(0, "ns/op")
}
