// How long steps and packets take at least and at most, as far as a scenario says it to everybody.

package evaluation

import (
	"overhear/adversary/model"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// clocked adds to what is public of a run how long an update may take, and how long one and a packet do at least. Rows
// that are not spread evenly may all be one node's, or none. A hub has none.
func clocked(s *scenarios.Scenario, info *record.Info, p *model.Public) error {
	nodes, first := p.Graph.Order(), 0
	if p.Hub {
		first = 1
	}
	cost, err := s.Compute.Of(info.Seed, nodes)
	if err != nil {
		return err
	}
	few, most := 0, info.TrainRows
	if s.Problem.Partition.Kind == "even" {
		parts := nodes - first
		few, most = info.TrainRows/parts, (info.TrainRows+parts-1)/parts
	}
	fastest := make([]sim.Duration, nodes)
	for i := first; i < nodes; i++ {
		p.Timing.Slowest = max(p.Timing.Slowest, cost.Slowest(i, most))
		fastest[i] = cost.Fastest(i, few)
	}
	if s.Faults().Hastens() {
		return nil
	}
	p.Timing.Fastest = fastest
	p.Timing.Transit, err = transit(s, info.Seed, p.Graph)
	return err
}

// transit is what a packet takes at least, by link of the graph.
func transit(s *scenarios.Scenario, seed uint64, graph *sim.Graph) ([]sim.Duration, error) {
	_, sites, err := s.Network.Lay(seed)
	if err != nil {
		return nil, err
	}
	least := make([]sim.Duration, graph.Links())
	for k, phase := range s.Phases() {
		network := &phase.Network
		latency := network.On(sites).Latency
		given := map[[2]int]*sim.Latency{}
		for i := range network.Links {
			if o := &network.Links[i]; o.Latency != nil {
				given[o.Between], given[[2]int{o.Between[1], o.Between[0]}] = o.Latency, o.Latency
			}
		}
		for from := range graph.Order() {
			for _, j := range graph.Neighbours(from) {
				to, of := int(j), latency
				if own := given[[2]int{from, to}]; own != nil {
					of = *own
				}
				at := graph.Link(from, to)
				if d := of.Least(from, to); k == 0 || d < least[at] {
					least[at] = d
				}
			}
		}
	}
	return least, nil
}
