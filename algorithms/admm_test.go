// What conventional ADMM must meet: facts that do not come from its own code.

package algorithms

import (
	"math"
	"testing"

	"overhear/sim"
)

// naiveADMM is ZKL18 (8)-(9) written down again, on dense rows, with a damped
// Newton method by Gaussian elimination and the standard library's exp: it
// shares no code with the package. Result: [round][node] d-vectors.
func naiveADMM(f *fixture, eta float64, rounds int) [][][]float64 {
	n, d := len(f.rows), len(f.rows[0][0])
	cur := make([][]float64, n)
	dual := make([][]float64, n)
	for i := range cur {
		cur[i], dual[i] = make([]float64, d), make([]float64, d)
	}
	sums := func(x [][]float64, i int) []float64 {
		s := make([]float64, d)
		for _, j := range f.adjacent[i] {
			for k := range s {
				s[k] += x[j][k]
			}
		}
		return s
	}
	history := [][][]float64{cur}
	for range rounds {
		next := make([][]float64, n)
		for i := range next {
			v := float64(len(f.adjacent[i]))
			s := sums(cur, i)
			q := make([]float64, d)
			for k := range q {
				q[k] = 2*dual[i][k] - eta*(v*cur[i][k]+s[k])
			}
			next[i] = naiveMinimum(f.rows[i], f.labels[i], f.c, f.r+2*eta*v, q)
		}
		for i := range next {
			v := float64(len(f.adjacent[i]))
			s := sums(next, i)
			for k := range s {
				dual[i][k] += eta / 2 * (v*next[i][k] - s[k])
			}
		}
		cur = next
		history = append(history, cur)
	}
	return history
}

// naiveMinimum minimises (c/B) Σ log(1+exp(−y f·x)) + ½ ridge ‖f‖² + q·f.
func naiveMinimum(x [][]float64, y []float64, c, ridge float64, q []float64) []float64 {
	d := len(q)
	f := make([]float64, d)
	for range 100 {
		g := make([]float64, d)
		h := make([][]float64, d)
		for k := range h {
			h[k] = make([]float64, d)
			h[k][k] = ridge
			g[k] = ridge*f[k] + q[k]
		}
		for n := range x {
			m := 0.0
			for k := range f {
				m += y[n] * f[k] * x[n][k]
			}
			p := 1 / (1 + math.Exp(m))
			for k := range f {
				g[k] -= c / float64(len(x)) * p * y[n] * x[n][k]
				for l := range f {
					h[k][l] += c / float64(len(x)) * p * (1 - p) * x[n][k] * x[n][l]
				}
			}
		}
		step := eliminate(h, g)
		worst := 0.0
		for k := range f {
			f[k] -= step[k]
			worst = math.Max(worst, math.Abs(step[k]))
		}
		if worst < 1e-14 {
			break
		}
	}
	return f
}

// eliminate solves a x = b by Gaussian elimination with partial pivoting.
func eliminate(a [][]float64, b []float64) []float64 {
	n := len(b)
	for c := range n {
		p := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		a[c], a[p], b[c], b[p] = a[p], a[c], b[p], b[c]
		for r := c + 1; r < n; r++ {
			m := a[r][c] / a[c][c]
			for k := c; k < n; k++ {
				a[r][k] -= m * a[c][k]
			}
			b[r] -= m * b[c]
		}
	}
	for c := n - 1; c >= 0; c-- {
		for k := c + 1; k < n; k++ {
			b[c] -= a[c][k] * b[k]
		}
		b[c] /= a[c][c]
	}
	return b
}

func TestZKL18_Eq8And9_IndependentImplementation(t *testing.T) {
	f := newFixture(7, 12, 5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 0}, {0, 3}, {2, 6}})
	const rounds, eta = 50, 0.4
	want := naiveADMM(f, eta, rounds)
	got := f.run(t, ADMM{Eta: eta}, rounds, nil)
	for r := range want {
		for i := range want[r] {
			if e := distance(got.values[r][i], want[r][i]); !(e <= 1e-8) {
				t.Fatalf("round %d, node %d: iterate differs by %g from the independent implementation", r, i, e)
			}
		}
	}
}

func TestZZ16_DualsSumToZero(t *testing.T) {
	f := newFixture(7, 12, 5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {0, 4}})
	got := f.run(t, ADMM{Eta: 0.7}, 100, nil)
	for r, sum := range got.dualSums {
		for k := range sum {
			if !(math.Abs(sum[k]) <= 1e-9) {
				t.Fatalf("round %d: (Σ_i λ_i)[%d] = %g", r, k, sum[k])
			}
		}
	}
}

// The minimiser of Σ_i O_i, from the naive Newton method on all rows weighted
// alike (nodes have the same number of rows).
func TestADMM_ReachesCentralisedOptimum(t *testing.T) {
	f := newFixture(6, 10, 4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}})
	var x [][]float64
	var y []float64
	for i := range f.rows {
		x = append(x, f.rows[i]...)
		y = append(y, f.labels[i]...)
	}
	n := float64(len(f.rows))
	want := naiveMinimum(x, y, f.c*n, f.r*n, make([]float64, 4))
	const rounds = 400
	got := f.run(t, ADMM{Eta: 0.1}, rounds, nil)
	for i, v := range got.values[rounds] {
		if e := distance(v, want); !(e <= 1e-7) {
			t.Errorf("node %d is %g from the centralised optimum", i, e)
		}
	}
}

// Two nodes with one row each in one dimension, squared loss: with a = C u²,
// b = C u the primal step is f ← (b − 2λ + η(f + g)) / (a + r + 2η).
func TestADMM_TwoNodesClosedForm(t *testing.T) {
	f := newFixture(2, 1, 1, [][2]int{{0, 1}})
	f.squared = true
	const rounds, eta = 30, 0.3
	got := f.run(t, ADMM{Eta: eta}, rounds, nil)
	var v, dual [2]float64
	for r := 1; r <= rounds; r++ {
		var next [2]float64
		for i := range next {
			u := f.labels[i][0] * f.rows[i][0][0]
			next[i] = (f.c*u - 2*dual[i] + eta*(v[i]+v[1-i])) / (f.c*u*u + f.r + 2*eta)
		}
		v = next
		for i := range dual {
			dual[i] += eta / 2 * (v[i] - v[1-i])
		}
		for i := range v {
			if e := math.Abs(got.values[r][i][0] - v[i]); !(e <= 1e-10) {
				t.Fatalf("round %d, node %d: %v, closed form %v", r, i, got.values[r][i][0], v[i])
			}
		}
	}
}

// A synchronous method must not see the network: the same iterates, bit for
// bit, whatever it does to messages.
func TestSynchronous_IteratesDoNotDependOnTheNetwork(t *testing.T) {
	f := newFixture(8, 9, 6, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 0}, {1, 5}})
	const rounds = 20
	want := f.run(t, ADMM{Eta: 0.5}, rounds, nil)
	networks := map[string]func(*sim.Config){
		"slow, random latency": func(c *sim.Config) {
			c.Link.Latency = sim.Latency{Kind: "exponential", Mean: 50e6}
		},
		"half of all packets lost": func(c *sim.Config) { c.Link.Loss = 0.5 },
		"duplicates and reordering": func(c *sim.Config) {
			c.Link.Latency = sim.Latency{Kind: "pareto", Scale: 1e6, Shape: 1.1}
			c.Link.Duplication = 0.5
			c.Link.Loss = 0.2
		},
		"narrow links":    func(c *sim.Config) { c.Link.Bandwidth = 1e4 },
		"shuffled ties":   func(c *sim.Config) { c.Ties = sim.Shuffled },
		"eight workers":   func(c *sim.Config) { c.Workers = 8 },
		"reference queue": func(c *sim.Config) { c.Queue = sim.Heap },
	}
	for name, change := range networks {
		t.Run(name, func(t *testing.T) {
			got := f.run(t, ADMM{Eta: 0.5}, rounds, change)
			for r := range want.values {
				for i := range want.values[r] {
					for k := range want.values[r][i] {
						if math.Float64bits(got.values[r][i][k]) != math.Float64bits(want.values[r][i][k]) {
							t.Fatalf("round %d, node %d, component %d: %v, want %v", r, i, k, got.values[r][i][k],
								want.values[r][i][k])
						}
					}
				}
			}
		})
	}
}
