// What a composition of many differing uses takes.

package loss

import (
	"fmt"
	"math"
	"testing"
	"time"

	"overhear/internal/cputime"
)

// growing are uses under penalties that grow in every round, as of varying penalties: no two are equal.
func growing(d, rounds int, ratio float64) (uses []Mechanism) {
	for k := range rounds {
		g := math.Pow(ratio, float64(k))
		uses = append(uses, logisticRow(laplace(d, 0.5/g), 0.01/g))
	}
	return uses
}

// counted counts how often a use's distribution is computed.
type counted struct{ Objective }

var distributions int

func (m counted) distribution(step float64, shop *workshop) distribution {
	distributions++
	return m.Objective.distribution(step, shop)
}

func (m counted) coarser(ratio float64) Mechanism {
	return counted{m.Objective.coarser(ratio).(Objective)}
}

// However many rounds differ, a composition computes two distributions of each of at most that many classes.
func TestCompose_ComputesFewDistributions(t *testing.T) {
	for _, rounds := range []int{1, 50, 64, 65, 1000, 5000} {
		var uses []Mechanism
		for _, m := range growing(31, rounds, math.Pow(50, 1/float64(rounds))) {
			uses = append(uses, counted{m.(Objective)})
		}
		distributions = 0
		total := Compose(uses)
		if distributions > 2*min(rounds, classes) {
			t.Errorf("%d rounds: %d distributions", rounds, distributions)
		}
		if e := total.Epsilon(1e-5); !(e > 0 && e <= total.Pure()) {
			t.Errorf("%d rounds: ε = %v of %v", rounds, e, total.Pure())
		}
	}
}

// A thousand rounds of differing noise are composed in a second, in few dimensions too, where the law of a coordinate
// has no table.
func TestCompose_DifferingRounds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	for _, d := range []int{2, 31} {
		for _, rounds := range []int{64, 1000} {
			uses := growing(d, rounds, math.Pow(20, 1/float64(rounds)))
			least := time.Hour
			for range 2 {
				begin := cputime.Now()
				Compose(uses)
				least = min(least, cputime.Now()-begin)
			}
			t.Logf("%d dimensions, %d rounds: %v", d, rounds, least)
			if least > time.Second {
				t.Errorf("%d dimensions, %d rounds: %v", d, rounds, least)
			}
		}
	}
}

func BenchmarkCompose_DifferingRounds(b *testing.B) {
	for _, d := range []int{5, 31, 105} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			uses := growing(d, 1000, 1.003)
			for b.Loop() {
				Compose(uses)
			}
		})
	}
}

// A node whose every use is within one of another's needs no composition of its own, and changes nothing; one that is
// not does.
func TestWorst_LeavesOutDominatedNodes(t *testing.T) {
	enter := func(l *Ledger, node int, scale float64, uses []Mechanism) {
		for k, m := range uses {
			o := m.(Objective)
			o.Size *= scale
			l.Spend(node, k+1, "sample", o)
		}
	}
	uses := growing(31, 20, 1.02)
	var one, many Ledger
	enter(&one, 3, 1, uses)
	for node, scale := range []float64{0.5, 0.7, 0.999, 1} {
		enter(&many, node, scale, uses)
	}
	a, b := one.Worst("sample", 20, 1e-5), many.Worst("sample", 20, 1e-5)
	if a.Epsilon != b.Epsilon || b.Node != 3 || len(b.others) != 0 {
		t.Errorf("ε %v and %v, node %d, %d others", a.Epsilon, b.Epsilon, b.Node, len(b.others))
	}
	enter(&many, 4, 0.1, uses)
	many.Spend(4, 20, "sample", Response{3})
	if c := many.Worst("sample", 20, 1e-5); c.Node != 4 || len(c.others) != 1 || !(c.Epsilon > b.Epsilon) {
		t.Errorf("ε %v of node %d, %d others", c.Epsilon, c.Node, len(c.others))
	}
}
