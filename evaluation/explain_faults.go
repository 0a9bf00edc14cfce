// What entered updates of nodes that are down or slow for a time, in rounds that are not in lockstep.

package evaluation

import (
	"overhear/adversary"
	"overhear/sim"
)

// interrupted says when faults keep a node from going on by its rule alone; nil: no node has any.
func (x *explainer) interrupted() (*adversary.Interruptions, error) {
	plan := x.e.Network.Faults
	if plan == nil || !x.public.Timing.Barrier {
		return nil, nil
	}
	end := sim.Time(1)
	for i := range x.packets {
		end = max(end, x.packets[i].sent+1, x.packets[i].received+1)
	}
	outages, err := plan.Course().Outages(x.seed, x.graph, x.assembly[x.world].Sites, end)
	if err != nil {
		return nil, err
	}
	began := x.began
	return &adversary.Interruptions{
		Began: func(node, round int) (int64, bool) {
			at, ok := began[[2]int{node, round}]
			return int64(at), ok
		},
		In: func(node int, from, until int64) bool {
			for _, o := range outages[node] {
				if int64(o.From) <= until && int64(o.To) >= from {
					return true
				}
			}
			for i := range plan {
				f := &plan[i]
				slow, ok := f.Kind.(sim.SlowNode)
				if ok && slow.Node == node && int64(f.At) <= until && (f.Until == 0 || int64(f.Until) >= from) {
					return true
				}
			}
			return false
		},
	}, nil
}
