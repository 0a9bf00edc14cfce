// A solver that takes kept results and then computes goes on with the same bits.

package problem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"overhear/internal/checkpoint"
)

// calls does so many calls of a solver, of all kinds, and writes down every bit that
// they give.
func calls(t *testing.T, s *Solver, count int, scratch [2]*Scratch) []string {
	t.Helper()
	g := rand.New(rand.NewPCG(5, 5))
	d := s.objective.U.D
	f, q, out := make([]float64, d), make([]float64, d), make([]float64, d)
	var all []string
	bits := func(v ...float64) (text string) {
		for _, x := range v {
			text += fmt.Sprintf("%x ", math.Float64bits(x))
		}
		return text
	}
	for range count {
		size := math.Exp(3 * g.NormFloat64())
		if g.IntN(2) == 0 {
			size = 1e-10 // a solve of one step, which may leave the factor stale
		}
		for k := range q {
			q[k] += size * g.NormFloat64()
		}
		kappa := float64(g.IntN(2))
		w := scratch[g.IntN(2)] // another worker's
		stats, err := s.Solve(w, f, q, kappa)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bits(append([]float64{stats.Residual, stats.Scale, stats.Tolerance}, f...)...))
		if g.IntN(3) == 0 { // noise
			f[g.IntN(d)] += g.NormFloat64()
		}
		if g.IntN(2) == 0 {
			all = append(all, bits(s.DataLossAt(w, f)))
		}
		if g.IntN(3) == 0 {
			s.Gradient(w, f, out)
			all = append(all, bits(out...))
		}
	}
	return all
}

func TestSolver_GoesOnAfterKeptResults(t *testing.T) {
	for _, c := range []struct {
		d    int
		loss Loss
	}{{5, Logistic}, {5, HuberHinge{0.5}}, {maxNewton + 3, Logistic}} {
		o := randomObjective(rand.New(rand.NewPCG(1, 2)), 40, c.d, c.loss, 0.01, false)
		scratch := [2]*Scratch{NewScratch(c.d, 40), NewScratch(c.d, 40)}
		const count = 12
		want := calls(t, NewSolver(o, 0), count, scratch)
		for stop := range count {
			path := filepath.Join(t.TempDir(), "journal")
			for _, until := range []int{stop, count} {
				j, discarded, err := checkpoint.Open(path, checkpoint.Options{Every: time.Hour, Limit: 1 << 30,
					Key: func() (key [32]byte, err error) { return }})
				if err != nil || discarded != nil {
					t.Fatal(err, discarded)
				}
				s := NewSolver(o, 0)
				s.Keep(j.Track(1))
				got := calls(t, s, until, scratch)
				for k := range got {
					if got[k] != want[k] {
						t.Fatalf("%d columns, stopped after %d of %d: call %d gives %s, want %s", c.d, stop, count, k,
							got[k], want[k])
					}
				}
				if j.Misfit() != nil || until == count && stop > 0 && j.Old() == 0 {
					t.Fatalf("%d columns, stopped after %d: %v, %d results", c.d, stop, j.Misfit(), j.Old())
				}
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A solve whose one step, with the factor of another ridge, was poor leaves its factor
// stale, and the next solve renews it: also if it is the first that is computed.
func TestSolver_GoesOnWithAStaleFactor(t *testing.T) {
	const d = 4
	o := randomObjective(rand.New(rand.NewPCG(1, 2)), 40, d, Logistic, 0.01, false)
	w := NewScratch(d, 40)
	still := make([]float64, d) // the q for which 0 is the minimiser
	NewSolver(o, 0).Gradient(w, make([]float64, d), still)
	solve := func(s *Solver, kappa, push float64) []float64 {
		f, q := make([]float64, d), make([]float64, d)
		for k, g := range still {
			q[k] = -g
		}
		q[1] += push
		if _, err := s.Solve(w, f, q, kappa); err != nil {
			t.Fatal(err)
		}
		return f
	}
	steps := func(s *Solver, from, to int) (last []float64) {
		for _, c := range [][2]float64{{5, 1e-6}, {3, 2e-10}, {3, 1}}[from:to] {
			last = solve(s, c[0], c[1])
		}
		return last
	}
	whole := NewSolver(o, 0)
	if steps(whole, 0, 2); !whole.stale {
		t.Fatal("the factor is not stale")
	}
	want := steps(whole, 2, 3)
	path := filepath.Join(t.TempDir(), "journal")
	for _, until := range []int{2, 3} {
		j, _, err := checkpoint.Open(path, checkpoint.Options{Every: time.Hour, Limit: 1 << 30,
			Key: func() (key [32]byte, err error) { return }})
		if err != nil {
			t.Fatal(err)
		}
		s := NewSolver(o, 0)
		s.Keep(j.Track(1))
		if got := steps(s, 0, until); until == 3 && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
		j.Close()
	}
}
