//go:build unix

// Memory and time of networks from ten thousand nodes to a million.

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"

	"overhear/internal/cputime"
	"overhear/internal/memory"
)

// Environment of BenchmarkScale.
const (
	million = "OVERHEAR_MILLION" // not empty: a million nodes, too, which takes minutes and gigabytes
	before  = "OVERHEAR_BEFORE"  // path of another build of simulate, which runs in turn with this one
)

// cost is what a run took.
type cost struct {
	memory   float64 // the most that was resident, bytes
	seconds  float64 // of processors
	kernel   float64 // of them, in which the system gave it memory, for the most part
	messages float64
}

// command runs scenarios/scale.yaml with so many nodes by a build of the program.
func command(tb testing.TB, program string, nodes int) cost {
	tb.Helper()
	c := exec.Command(program, "run", filepath.Join("..", "scenarios", "scale.yaml"), "--json", "--no-plots",
		"--checkpoint", "0", "--out", tb.TempDir(), "--set", fmt.Sprintf("network.topology.nodes=%d", nodes),
		"--set", fmt.Sprintf("problem.data.rows=%d", 2*nodes))
	var told bytes.Buffer
	c.Stderr = &told
	out, err := c.Output()
	if err != nil {
		tb.Fatalf("%d nodes: %v\n%s", nodes, err, told.Bytes())
	}
	var runs []struct{ Final struct{ Messages float64 } }
	if err := json.Unmarshal(out, &runs); err != nil || len(runs) != 1 || !(runs[0].Final.Messages > 0) {
		tb.Fatalf("%d nodes: %v\n%s", nodes, err, out)
	}
	unit := 1024.0 // of Maxrss, but for
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	used := c.ProcessState.SysUsage().(*syscall.Rusage)
	kernel := c.ProcessState.SystemTime().Seconds()
	return cost{unit * float64(used.Maxrss), c.ProcessState.UserTime().Seconds() + kernel, kernel,
		runs[0].Final.Messages}
}

// place is the CPU time, in ns, of reading a place of so many bytes in random order, where the next are known, so that
// the processor asks for many at once: what it costs, at least, to go to one that is in no cache.
func place(size float64) float64 {
	const reads = 20_000_000
	memory.Prepare(size) // in large pages, as that of runs
	all := make([]uint64, int(size)/8)
	for i := 0; i < len(all); i += 512 { // every small page is touched
		all[i] = 1
	}
	random, sum := rand.NewPCG(1, 2), uint64(0)
	begin := cputime.Now()
	for range reads {
		high, _ := bits.Mul64(random.Uint64(), uint64(len(all)))
		sum += all[high]
	}
	took := cputime.Now() - begin
	if sum > reads { // so that the sum is needed
		panic(sum)
	}
	runtime.KeepAlive(all)
	return float64(took.Nanoseconds()) / reads
}

// BenchmarkScale runs asynchronous edge ADMM with two rows a node, set-up and writing included, and gives the greatest
// resident memory for each node, the CPU time for each message, how much of it is the system's, and how much it has
// grown since ten thousand nodes; beside it, how much longer the machine takes for a random place of as much memory.
func BenchmarkScale(b *testing.B) {
	program := filepath.Join(b.TempDir(), "simulate")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/simulate").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	sizes := []int{10_000, 100_000}
	if os.Getenv(million) != "" {
		sizes = append(sizes, 1_000_000)
	}
	first, near := 0.0, 0.0
	for _, nodes := range sizes {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			var now, then cost
			add := func(to *cost, c cost) {
				to.memory = max(to.memory, c.memory)
				to.seconds, to.kernel, to.messages = to.seconds+c.seconds, to.kernel+c.kernel, to.messages+c.messages
			}
			for b.Loop() {
				add(&now, command(b, program, nodes))
				if old := os.Getenv(before); old != "" {
					add(&then, command(b, old, nodes))
				}
			}
			each := 1e6 * now.seconds / now.messages
			far := place(now.memory)
			debug.FreeOSMemory()
			if first == 0 {
				first, near = each, far
			}
			b.ReportMetric(now.memory/float64(nodes), "bytes/node")
			b.ReportMetric(each, "CPU-µs/message")
			b.ReportMetric(1e6*now.kernel/now.messages, "kernel-µs/message")
			b.ReportMetric(each/first, "growth")
			b.ReportMetric(far, "ns/place")
			b.ReportMetric(far/near, "growth-of-places")
			if then.messages > 0 {
				b.ReportMetric(then.memory/now.memory, "memory-before/now")
				b.ReportMetric(1e6*then.seconds/then.messages/each, "CPU-before/now")
			}
		})
	}
}
