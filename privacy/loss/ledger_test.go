// The ledger of uses, and the certificate of the node that loses most.

package loss

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"overhear/privacy"
)

func TestLedger_WorstNode(t *testing.T) {
	var l Ledger
	for k := range 10 {
		l.Spend(4, k+1, privacy.Sample, Shift{laplace(31, 0.2)})
		l.Spend(2, k+1, privacy.Sample, Shift{laplace(31, 0.3)})
		l.Spend(7, 10-k, privacy.Sample, Shift{laplace(31, 0.1)}) // in another order
	}
	l.Spend(4, 0, privacy.Label, Response{1})
	whole, half := l.Worst(privacy.Sample, 10, 1e-5), l.Worst(privacy.Sample, 5, 1e-5)
	if want := Compose(repeat(Shift{laplace(31, 0.3)}, 10)).Epsilon(1e-5); whole.Node != 2 || whole.Epsilon != want {
		t.Errorf("node %d loses %v, want node 2 and %v", whole.Node, whole.Epsilon, want)
	}
	if want := Compose(repeat(Shift{laplace(31, 0.3)}, 5)).Epsilon(1e-5); half.Epsilon != want {
		t.Errorf("half of the rounds lose %v, want %v", half.Epsilon, want)
	}
	within(t, "a label", l.Worst(privacy.Label, 0, 0).Epsilon, 1, 0)
	if none := l.Worst(privacy.Column, 10, 1e-5); none.Epsilon != 0 {
		t.Errorf("what nobody uses loses %v", none.Epsilon)
	}
	count := 0
	l.Each(func(int, int, privacy.Unit, Mechanism) { count++ })
	if count != 31 || len(l.Units()) != 2 || l.Err() != nil {
		t.Errorf("%d uses of %v, %v", count, l.Units(), l.Err())
	}
}

// Of many nodes with noise of their own, groups are certified by their largest uses: never below the worst node by
// itself, and little above.
func TestLedger_ManyNodes(t *testing.T) {
	var l Ledger
	worst := 0.0
	for node := range 40 {
		var uses []Mechanism
		for k := range 6 {
			m := logisticRow(laplace(31, 0.1+0.001*float64(node)+0.01*float64((k+node)%6)), 1e-3)
			uses = append(uses, m)
			l.Spend(node, k+1, privacy.Sample, m)
		}
		if node >= 30 {
			worst = max(worst, Compose(uses).Epsilon(1e-5))
		}
	}
	got := l.Worst(privacy.Sample, 6, 1e-5).Epsilon
	if !(got >= worst*(1-1e-9) && got <= 1.05*worst) {
		t.Errorf("certified are %v, and the worst node loses %v", got, worst)
	}
}

func TestLedger_NamesWhatHasNoLaw(t *testing.T) {
	for _, m := range []Mechanism{Shift{laplace(31, math.NaN())}, Shift{laplace(0, 1)}, Shift{gaussian(math.Inf(1))},
		Shift{Noise{Size: 1}}, Objective{Noise: laplace(3, 1), Down: 1, Hessian: math.Inf(1)}, Response{-1},
		Response{math.NaN()}} {
		var l Ledger
		l.Spend(3, 5, privacy.Sample, m)
		if l.Err() == nil {
			t.Errorf("%+v has a certificate", m)
		}
	}
}

// Curves of nodes cross: what is read is the worst of all nodes at each ε, and not the curve of the node that is worst
// at one δ.
func TestWorst_IsThatOfEveryNode(t *testing.T) {
	var l Ledger
	l.Spend(0, 1, privacy.Sample, Shift{laplace(2, 5.3)})
	for round := 1; round <= 20; round++ {
		l.Spend(1, round, privacy.Sample, Shift{laplace(2, 0.4)})
	}
	worst := l.Worst(privacy.Sample, 20, 1e-5)
	alone := []*Total{Compose(repeat(Shift{laplace(2, 5.3)}, 1)), Compose(repeat(Shift{laplace(2, 0.4)}, 20))}
	within(t, "ε without δ", worst.Pure(), 8, 1e-12)
	crossed := 0
	for k := range 80 {
		e := 0.1 * float64(k)
		a, b := alone[0].Delta(e), alone[1].Delta(e)
		within(t, "δ", worst.Delta(e), max(a, b), 0)
		if a < b {
			crossed++
		}
		alarms := float64(k) / 80
		within(t, "missed alarms", worst.Missed(alarms), min(alone[0].Missed(alarms), alone[1].Missed(alarms)), 0)
	}
	if crossed == 0 || crossed == 80 {
		t.Error("the curves do not cross")
	}
}

// What is kept is bounded by its memory, whatever its number; what would be too much by itself is kept alone.
func TestStore_IsBoundedByMemory(t *testing.T) {
	s := store{most: 1000}
	many := 0
	total := func(n int) *Total { return &Total{power: make([]float64, n)} }
	for k := range 100 {
		key := fmt.Sprint(k)
		s.keep(key, total(10))
		s.keep(key, total(10)) // as another goroutine may
		if s.find(key) == nil || s.bytes > s.most || len(s.totals) > s.most/81 {
			t.Fatalf("after %d: %d totals, %d bytes", k+1, len(s.totals), s.bytes)
		}
		many = max(many, len(s.totals))
	}
	if many < 10 {
		t.Errorf("of many small totals %d are kept", many)
	}
	if s.keep("large", total(500)); s.find("large") == nil || len(s.totals) != 1 {
		t.Errorf("beside a large total there are %d", len(s.totals)-1)
	}
}

// BenchmarkWorst_DifferingNodes is the certificate of nodes and rounds that all differ.
func BenchmarkWorst_DifferingNodes(b *testing.B) {
	for _, rounds := range []int{100, 2000} {
		for _, nodes := range []int{1, 50} {
			b.Run(fmt.Sprintf("rounds=%d/nodes=%d", rounds, nodes), func(b *testing.B) {
				for b.Loop() {
					composed = store{most: composed.most}
					var l Ledger
					for node := range nodes {
						for k := range rounds {
							own := 1e-4 * float64(node*(k%2*2-1)) / float64(nodes)
							size := 0.02 + 1e-5*float64((k*7+node*13)%rounds) + own
							l.Spend(node, k+1, privacy.Sample, logisticRow(laplace(31, size), 1e-3))
						}
					}
					l.Worst(privacy.Sample, rounds, 1e-5)
				}
			})
		}
	}
}

// What bounds two uses has the larger of each of their sizes, wherever it stands.
func TestLarger_TakesEachSizeApart(t *testing.T) {
	a, b := logisticRow(laplace(3, 0.2), 0.4), logisticRow(laplace(3, 0.3), 0.1)
	want := logisticRow(laplace(3, 0.3), 0.4)
	for _, both := range [][2]Objective{{a, b}, {b, a}} {
		if m, ok := both[0].larger(both[1]); !ok || m != want {
			t.Errorf("%+v and %+v are within %+v", both[0], both[1], m)
		}
	}
	other := b
	other.Up = 1
	if _, ok := a.larger(other); ok {
		t.Error("rows of slopes of one sign and of both are one kind")
	}
}

// ε of one row's going and another's coming is 2ζ times the greatest slope of either sign, and the Jacobian's.
func TestObjective_PureTakesTheGreatestSlope(t *testing.T) {
	for _, slopes := range [][2]float64{{0.25, 0.75}, {0.75, 0.25}} {
		m := Objective{Noise: laplace(2, 0.4), Down: slopes[0], Up: slopes[1], Hessian: 0.5}
		within(t, "ε", m.Pure(), 2*0.75*0.4+math.Log(1.5), 1e-15)
	}
}

// Each of many groups is within one of the few that are gathered from them, be it the only one of its kind.
func TestGathered_CoversEveryGroup(t *testing.T) {
	const nodes = 2*exactly + 3
	for _, own := range []int{-1, 0, 9, nodes - 1} {
		var groups []group
		for node := range nodes {
			x := 0.004 * float64(node)
			uses := []Mechanism{Shift{laplace(1, 0.5+x)}, Shift{laplace(1, 0.3-2*x)}}
			if node == own {
				uses[0] = Shift{gaussian(0.6)}
			}
			g := group{node: node, uses: uses}
			g.descend()
			groups = append(groups, g)
		}
		few := gathered(groups)
		if len(few) >= nodes/2+1 {
			t.Errorf("%d: %d groups of %d", own, len(few), nodes)
		}
		for _, g := range groups {
			if !slices.ContainsFunc(few, func(o group) bool { o.descend(); return g.within(&o) }) {
				t.Errorf("%d: node %d is within none of them", own, g.node)
			}
		}
	}
}
