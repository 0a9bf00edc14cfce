// The small experiment that tests audit, as its method is registered or with a mistake planted in it.

package evaluation

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/scenarios"
)

// planting plants a mistake in what a method does; what it claims stays right.
type planting func(m algorithms.Method, s algorithms.Setting) algorithms.Method

// flaw is one of a method over split rows.
type flaw func(m privateRow, s algorithms.Setting) algorithms.Method

// privateRow is a method over split rows that claims privacy.
type privateRow interface {
	algorithms.RowMethod
	algorithms.Private
}

// inRows is the planting of a flaw; none of none.
func inRows(f flaw) planting {
	if f == nil {
		return nil
	}
	return func(m algorithms.Method, s algorithms.Setting) algorithms.Method { return f(m.(privateRow), s) }
}

// small is an experiment of 60 rows at three nodes with the algorithm given in flow style, as it is registered or, if
// plant is not nil, with what that makes of it.
func small(t *testing.T, algorithm string, plant planting, sets ...string) *experiment.Experiment {
	t.Helper()
	switch {
	case strings.Contains(algorithm, "dp-admm"):
		sets = append([]string{"network.topology={kind: star, nodes: 4}"}, sets...)
	case strings.Contains(algorithm, "sharing"):
		sets = append([]string{"network.topology={kind: star, nodes: 3}", "problem.columns=[2, 1]",
			"problem.scale={columns: none, rows: unit, intercept: false}", "problem.rho=1"}, sets...)
	}
	s, err := scenarios.Parse("small.yaml", fmt.Appendf(nil, `name: small
problem:
  data: {set: twonorm, rows: 60, dimension: 3}
  train: 30
  scale: {columns: max, rows: clip, intercept: false}
  rho: 0.3
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 6}
algorithm: %s
adversary: {audit: {runs: 300, pilots: 10, node: 1}}
`, algorithm), sets...)
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	if plant != nil {
		entry, right := *e.Entry, e.Entry
		entry.New = func(params any, s algorithms.Setting) (algorithms.Method, error) {
			m, err := right.New(params, s)
			if err != nil {
				return nil, err
			}
			return plant(m, s), nil
		}
		e.Entry = &entry
	}
	return e
}

// varianceAsDeviation takes the variance of dp-admm's noise for its standard deviation.
func varianceAsDeviation(m privateRow, s algorithms.Setting) algorithms.Method {
	return &central{flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, k int) error {
		if err := inner.Update(n, k); err != nil {
			return err
		}
		p := s.Problem
		strength := p.R[n.ID] + 0.5 + math.Sqrt(float64(k))
		sigma := 2 * p.C / (float64(p.Shards[n.ID].U.Len()) * strength) * math.Sqrt(2*math.Log(1.25e5))
		noise := make([]float64, len(n.F))
		privacy.Gaussian(n.Stream("noise", k), sigma, noise)
		num.Axpy(sigma-1, noise, n.F)
		return nil
	}}}
}
