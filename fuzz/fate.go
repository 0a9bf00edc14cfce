// What the seed says of each packet: whether it is lost or doubled, and when its copies are due.

package fuzz

import (
	"math"

	"overhear/experiment"
	"overhear/sim"
)

// fates computes the fate of the k-th packet of a link, which is a function of the run's seed, the link and k
// (docs/design.md, random streams with names), anew.
type fates struct {
	run   uint64 // its seed
	seed  uint64
	graph *sim.Graph     // that the engine runs
	sent  map[way]uint64 // packets so far
}

func newFates(seed uint64, g *sim.Graph) *fates {
	return &fates{run: seed, seed: sim.NewStream(seed, "packets").Uint64(), graph: g, sent: map[way]uint64{}}
}

// fate is what is drawn for a packet: numbers that are uniform in [0, 1).
type fate struct {
	loss, duplication float64 // less than the probability: it happens
	delays            [2]float64
}

// next is the fate of the next packet of a link. Each of its numbers is a word of its own.
func (f *fates) next(w way) (of fate) {
	link, k := uint64(f.graph.Link(w.from, w.to)), f.sent[w]
	f.sent[w]++
	word := scatter(scatter(f.seed+0x9e3779b97f4a7c15*(link+1)) ^ (k+1)*0xd1342543de82ef95)
	for what, to := range []*float64{&of.loss, &of.duplication, &of.delays[0], &of.delays[1]} {
		*to = float64(scatter(word+uint64(what))>>11) / (1 << 53)
	}
	return of
}

// scatter is the finaliser of splitmix64 (Steele, Lea & Flood 2014).
func scatter(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// due is between which times a delay is of a law and what sites add, by its number u and the factor of faults: as exact
// as its rounding, except for a log-normal one, whose number has no simple inverse.
func due(l *sim.Latency, apart sim.Duration, u, factor float64) (low, high float64) {
	const century = 100 * 365 * 24 * 3600 * 1e9 // no delay is longer, so that none overflows
	switch low, high = bounds(l); l.Kind {
	case "uniform":
		low += float64(u * (high - low))
		high = low
	case "exponential":
		low = -float64(float64(l.Mean) * math.Log1p(-u))
		high = low
	case "pareto":
		low = float64(float64(l.Scale) * math.Exp(-math.Log1p(-u)/l.Shape))
		high = low
	}
	// Delays are whole nanoseconds, which a factor takes up.
	within := func(delay float64) float64 {
		return min(float64((min(delay, century)+float64(apart))*factor), century)
	}
	low, high = within(low), within(high)
	return float64(low*(1-1e-9)) - factor - 1, float64(high*(1+1e-9)) + factor + 1
}

// linked is the graph that the engine runs: that of the nodes and, of a method whose users register, theirs.
func linked(a *experiment.Assembly, registers bool) (*sim.Graph, error) {
	if !registers {
		return a.Graph, nil
	}
	edges, user := a.Graph.Pairs(), a.Graph.Order()
	for i := range a.Problem.Shards {
		for range a.Problem.Shards[i].U.Len() {
			edges = append(edges, [2]int{i, user})
			user++
		}
	}
	return sim.NewGraph(user, edges)
}
