//go:build unix

// ADMM on Adult against Python.

package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"overhear/algorithms"
	"overhear/problem"
	"overhear/sim"
)

const eta = 0.5

// adult is the papers' problem, its first 40,000 rows, from $OVERHEAR_DATA or beside the repository; the census
// generator stands in where Adult is not at hand, which it returns, too.
func adult(tb testing.TB, nodes int) (p *problem.Problem, census bool) {
	tb.Helper()
	stream := sim.NewStream(1, "data")
	dir := os.Getenv("OVERHEAR_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	set, err := problem.Source{Set: "adult"}.Load(context.Background(), dir, stream)
	if err != nil {
		census = true
		tb.Logf("census stands in: %v", err)
		if set, err = (problem.Source{Set: "census"}).Load(context.Background(), "", stream); err != nil {
			tb.Fatal(err)
		}
	}
	set = problem.Scale{Columns: "max", Rows: "clip", Intercept: true}.Apply(set, nil)
	train, test, err := problem.TrainTest(set, 40000, "file", nil)
	if err != nil {
		tb.Fatal(err)
	}
	shards, err := problem.Partition{}.Split(set, train, nodes, sim.NewStream(1, "partition"))
	if err != nil {
		tb.Fatal(err)
	}
	p = &problem.Problem{D: set.X.D, Shards: shards, Test: problem.NewShard(set, test), Loss: problem.Logistic, C: 1,
		R: make([]float64, nodes)}
	for i := range p.R {
		p.R[i] = 0.22 / float64(nodes)
	}
	return p, census
}

// ring links each node with the next two.
func ring(tb testing.TB, nodes int) *sim.Graph {
	tb.Helper()
	seen := map[[2]int]bool{}
	var edges [][2]int
	for i := range nodes {
		for k := 1; k <= 2; k++ {
			e := [2]int{min(i, (i+k)%nodes), max(i, (i+k)%nodes)}
			if e[0] != e[1] && !seen[e] {
				seen[e] = true
				edges = append(edges, e)
			}
		}
	}
	g, err := sim.NewGraph(nodes, edges)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// write gives the scripts the same problem.
func write(tb testing.TB, dir string, p *problem.Problem, g *sim.Graph) {
	tb.Helper()
	all := problem.NewRows(p.D)
	var sizes []int
	for i := range p.Shards {
		u := p.Shards[i].U
		sizes = append(sizes, u.Len())
		for k := range u.Len() {
			all.Append(u.Row(k))
		}
	}
	setting, err := json.Marshal(map[string]any{"rows": all.Len(), "columns": p.D, "shards": sizes, "edges": g.Pairs(),
		"eta": eta, "ridge": p.R[0]})
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "setting.json"), setting, 0o644); err != nil {
		tb.Fatal(err)
	}
	for name, data := range map[string]any{"start": all.Start, "col": all.Col, "val": all.Val} {
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, data); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

// cpu is what this process has spent, in seconds.
func cpu(tb testing.TB) float64 {
	tb.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// losses is the average training loss in a round.
type losses struct {
	round int
	sum   float64
	nodes int
}

func (l *losses) Published(p *algorithms.Publication) {
	if p.Round == l.round {
		l.sum += p.Loss
		l.nodes++
	}
}
func (l *losses) Concluded(int, int, []float64) {}

// ours is the CPU time of a run, and the loss at its end.
func ours(tb testing.TB, p *problem.Problem, g *sim.Graph, rounds int) (seconds, loss float64) {
	tb.Helper()
	begin := cpu(tb)
	seen := &losses{round: rounds}
	protocol, err := algorithms.NewProtocol(algorithms.Config{
		Setting: algorithms.Setting{Problem: p, Graph: g, Rounds: rounds, Seed: 1},
		Method:  algorithms.ADMM{Eta: eta}, Observer: seen})
	if err != nil {
		tb.Fatal(err)
	}
	e, err := sim.New(sim.Config{Seed: 1, Graph: g, Workers: runtime.GOMAXPROCS(0), Trace: sim.TraceFingerprints,
		Link: sim.Link{Latency: sim.Latency{Kind: "lognormal", Median: 20e6, Sigma: 0.5}}})
	if err != nil {
		tb.Fatal(err)
	}
	protocol.Attach(e)
	if err := e.Run(context.Background()); err != nil {
		tb.Fatal(err)
	}
	if err := protocol.Unfinished(); err != nil {
		tb.Fatal(err)
	}
	return cpu(tb) - begin, seen.sum / float64(seen.nodes)
}

// theirs is the CPU time that a script spends between two rounds, and the loss at the later one.
func theirs(tb testing.TB, python, variant, dir string, from, to int) (seconds, loss float64) {
	tb.Helper()
	out, err := exec.Command(python, "peers.py", variant, dir, fmt.Sprint(from), fmt.Sprint(to)).Output()
	if err != nil {
		tb.Fatalf("%s: %v", variant, err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var round int
		var spent float64
		if _, err := fmt.Sscan(lines.Text(), &round, &spent, &loss); err != nil {
			tb.Fatalf("%s: %q: %v", variant, lines.Text(), err)
		}
		if round == from {
			seconds = -spent
		} else {
			seconds += spent
		}
	}
	return seconds, loss
}

// python is an interpreter that has numpy and scipy.
func python(tb testing.TB) string {
	tb.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy, scipy").Run() == nil {
			return name
		}
	}
	tb.Skip("no python3 with numpy and scipy (Debian: python3-numpy python3-scipy)")
	return ""
}

// median is that of an odd number of values.
func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

// sameLoss is how far losses of two ways to the same rounds may be apart: three times what solves to 1e-10 leave, and
// less than what solves to 1e-8 do.
const sameLoss = 2e-10

// BenchmarkPeers runs ADMM on Adult here and in Python, one after the other, three times each, and gives the ratio of
// CPU seconds a round, theirs to ours, and the seconds, each the median of the three. The first rounds, with their
// set-up, do not count. Both must end at the same loss. The scripts have one processor; -cpu 1 gives us one, too: two
// that share a core are each slower, so that their CPU seconds say more than the work.
func BenchmarkPeers(b *testing.B) {
	interpreter := python(b)
	for _, c := range []struct {
		variant         string
		nodes, from, to int
	}{
		{"batch", 100, 5, 85}, {"newton", 100, 5, 45}, {"lbfgs", 100, 5, 15}, {"lbfgs", 5, 5, 15},
		{"lbfgs-sparse", 100, 5, 15}, {"lbfgs-sparse", 5, 5, 15}, {"newton", 5, 5, 25},
		{"newton-sparse", 100, 5, 45}, {"newton-sparse", 5, 5, 45},
	} {
		b.Run(fmt.Sprintf("%s-%d", c.variant, c.nodes), func(b *testing.B) {
			p, census := adult(b, c.nodes)
			g := ring(b, c.nodes)
			dir := b.TempDir()
			write(b, dir, p, g)
			var ratios, mine, other [3]float64
			for b.Loop() {
				for k := range ratios {
					var seconds [5]float64 // a run of ours is short
					var loss float64
					for j := range seconds {
						start, _ := ours(b, p, g, c.from)
						seconds[j], loss = ours(b, p, g, c.to)
						seconds[j] -= start
					}
					spent, want := theirs(b, interpreter, c.variant, dir, c.from, c.to)
					if !(math.Abs(loss-want) <= sameLoss) {
						b.Fatalf("the loss is %v, theirs %v: they do not compute the same", loss, want)
					}
					rounds := float64(c.to - c.from)
					mine[k], other[k] = median(seconds[:])/rounds, spent/rounds
					ratios[k] = other[k] / mine[k]
				}
			}
			if census {
				b.ReportMetric(1, "census-for-adult")
			}
			b.ReportMetric(median(ratios[:]), "theirs/ours")
			b.ReportMetric(median(mine[:])*1e3, "our-ms/round")
			b.ReportMetric(median(other[:])*1e3, "their-ms/round")
		})
	}
}
