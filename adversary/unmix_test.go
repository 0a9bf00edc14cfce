// What packets of an edge method carry, and what nobody knows who missed them.

package adversary

import (
	"math"
	"testing"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/record"
	"overhear/sim"
)

// A value of an edge method is taken for known only if it is a combination of the messages that were seen, which are
// written out as combinations of all values here; and a packet that is missed costs values.
func TestObserve_EdgeMessages(t *testing.T) {
	const rounds, nodes, eta = 6, 5, 0.3
	known := map[float64]int{} // values, by relaxation
	for _, a := range []float64{0.4, 1} {
		f := small(t, 4, 3, ring(nodes))
		rec, pub := run(t, f, "edge-admm", rounds, sim.Link{}, func(p *algorithms.EdgeADMM) {
			p.Eta, p.Relaxation = eta, a
		})
		all := 0
		for seed := range 8 {
			rec.Seed = uint64(seed)
			w := Vantage{Miss: 0.2 * float64(seed%4), From: seed / 4}
			v := Observe(rec, w, pub, nil)
			width := nodes * (rounds + 1)
			at := func(node, round int) int { return round*nodes + node }
			var seen [][]float64 // messages, as combinations of values
			z := map[[2]int][]float64{}
			for i := range nodes {
				for _, j := range pub.Graph.Neighbours(i) {
					z[[2]int{i, int(j)}] = make([]float64, width)
				}
			}
			for t := range rounds + 1 {
				message := map[[2]int][]float64{}
				for key, state := range z {
					m := make([]float64, width)
					num.Axpy(-1, state, m)
					m[at(key[0], t)] += 2 * eta
					message[key] = m
					for k := range rec.Messages {
						if p := &rec.Messages[k]; p.Kind == record.MessageValue && int(p.Src) == key[0] &&
							int(p.Dst) == key[1] && int(p.Round) == t && w.Sees(p, rec.Seed) {
							seen = append(seen, m)
						}
					}
				}
				for key := range z {
					if t > 0 {
						state := make([]float64, width)
						num.Axpy(1-a, z[key], state)
						num.Axpy(a, message[[2]int{key[1], key[0]}], state)
						z[key] = state
					}
				}
			}
			for i := range nodes {
				if pub.Zero { // which everybody knows
					e := make([]float64, width)
					e[at(i, 0)] = 1
					seen = append(seen, e)
				}
			}
			span, err := num.Decompose(seen)
			if err != nil {
				t.Fatal(err)
			}
			for node := range nodes {
				for round := range rounds + 1 {
					_, is := v.Value(node, round)
					inside := 0.0
					for c, s := range span.Values {
						if s > 1e-9*span.Values[0] {
							x := span.Left[c][at(node, round)]
							inside += float64(x * x)
						}
					}
					if is {
						all++
					}
					if is && !(math.Abs(1-inside) <= 1e-6) {
						t.Errorf("relaxation %v, miss %v, from %d: node %d in round %d is taken for known, and "+
							"no combination of what was seen gives its value (%.3g)", a, w.Miss, w.From, node, round,
							inside)
					}
					if !is && w.Miss == 0 && w.From == 0 {
						t.Errorf("nothing is missed, and node %d in round %d is not known", node, round)
					}
				}
			}
		}
		if all < 100 {
			t.Errorf("relaxation %v: %d values are known", a, all)
		}
		known[a] = all
	}
	if !(known[1] > known[0.4]) { // where each message replaces all before it, one that is missed costs the next alone
		t.Errorf("values that are known by relaxation: %v", known)
	}
}
