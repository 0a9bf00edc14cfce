// Nodes that come and go again and again, by rate, by a trace, by laws of sessions or by the time of day: when, by the
// scenario and the seed, computed anew.

package fuzz

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"overhear/sim"
)

// recurring is a fault by which nodes go down again and again.
type recurring struct {
	*sim.Fault
	number int   // of those of its kind
	nodes  []int // nil: all
	lost   bool  // they lose their memory
}

// recurs says whether a fault is of these kinds; number tells how many there have been of each.
func recurs(f *sim.Fault, number map[string]int) (r recurring, ok bool) {
	r.Fault = f
	memory := ""
	switch k := f.Kind.(type) {
	case sim.RandomCrashes:
		r.nodes, memory = k.Rate.Nodes, k.Rate.Memory
	case sim.TracedAvailability:
		r.nodes, memory = k.Trace.Nodes, k.Trace.Memory
	case sim.Churn:
		r.nodes, memory = k.Sessions.Nodes, k.Sessions.Memory
	case sim.DiurnalAvailability:
		r.nodes, memory = k.Diurnal.Nodes, k.Diurnal.Memory
	default:
		return r, false
	}
	r.lost, r.number = memory == "lost", number[f.Kind.Key()]
	number[f.Kind.Key()]++
	return r, true
}

// of says whether the fault is a node's.
func (r *recurring) of(node int) bool { return r.nodes == nil || slices.Contains(r.nodes, node) }

// stream is that of a node: it has the fault's number if that is not the first of its kind.
func (r *recurring) stream(seed uint64, node int) *sim.Stream {
	ids := []uint64{uint64(node)}
	if r.number > 0 {
		ids = append(ids, uint64(r.number))
	}
	return sim.NewStream(seed, r.Kind.Key(), ids...)
}

// drawn are a node's outages by the fault that begin before a time, in order.
func (r *recurring) drawn(n *network, node int, until sim.Time) []stretch {
	h := holds(r.Fault)
	switch k := r.Kind.(type) {
	case sim.RandomCrashes:
		return byRate(r.stream(n.fates.run, node), &k.Rate, h, until)
	case sim.TracedAvailability:
		return byTrace(k.Trace, classOf(n, k.Trace, node), h, until)
	case sim.Churn:
		return bySessions(r.stream(n.fates.run, node), k.Sessions, h, until)
	case sim.DiurnalAvailability:
		return byDay(r.stream(n.fates.run, node), k.Diurnal, h, until)
	}
	return nil
}

// clipped is what of outages is in the time of a fault; those that touch are one.
func clipped(all []stretch, h interval) (kept []stretch) {
	for _, o := range all {
		o.from, o.to = max(o.from, float64(h.from)), min(o.to, float64(h.to))
		if last := len(kept) - 1; last >= 0 && o.from == kept[last].to {
			kept[last].to, kept[last].off = o.to, max(o.off, kept[last].off)
		} else if o.from < o.to {
			kept = append(kept, o)
		}
	}
	return kept
}

// byRate are exponential times between and of outages.
func byRate(s *sim.Stream, r *sim.CrashRate, h interval, until sim.Time) (all []stretch) {
	end, off := float64(h.from), 0.0
	for {
		after := func(mean sim.Duration) float64 {
			d := max(1, math.Floor(-float64(float64(mean)*math.Log1p(-s.Float64()))))
			off += 2 + float64(1e-9*d)
			return d
		}
		from := end + after(r.Every)
		end = min(from+after(r.For), float64(h.to))
		if from >= float64(h.to) || from > float64(until)+off {
			return all
		}
		all = append(all, stretch{from, end, off})
	}
}

// classOf is a node's class in a trace. Classes are in the order of their names, that of numbers where all are.
func classOf(n *network, trace *sim.AvailabilityTrace, node int) string {
	var names []string
	numbers := true
	for name := range trace.Spans {
		names = append(names, name)
		_, err := strconv.Atoi(name)
		numbers = numbers && err == nil
	}
	slices.SortFunc(names, func(a, b string) int {
		if numbers {
			x, _ := strconv.Atoi(a)
			y, _ := strconv.Atoi(b)
			return x - y
		}
		return cmp.Compare(a, b)
	})
	p := trace.Placement
	switch {
	case p == nil:
		return names[node%len(names)]
	case p.Kind == "list" && node < len(p.Names):
		return p.Names[node]
	case p.Kind == "list": // it has joined its first neighbour
		return p.Names[n.fates.graph.Neighbours(node)[0]]
	case p.Kind == "random":
		s := sim.NewStream(n.fates.run, "classes")
		for range node {
			s.Float64()
		}
		return names[int(float64(s.Float64()*float64(len(names))))]
	}
	return p.Names[node%len(p.Names)]
}

// byTrace are the times of a class in which it is not there, or in which the trace has it where that says so.
func byTrace(trace *sim.AvailabilityTrace, class string, h interval, until sim.Time) (all []stretch) {
	stretch1 := cmp.Or(trace.Stretch, 1)
	at := func(d sim.Duration) float64 { return math.Round(float64(float64(d) * stretch1)) }
	period := at(trace.Period)
	for _, spans := range trace.Spans {
		for _, s := range spans {
			if trace.Period == 0 {
				period = max(period, at(s[1]))
			}
		}
	}
	spans := slices.SortedFunc(slices.Values(trace.Spans[class]), func(a, b [2]sim.Duration) int {
		return cmp.Compare(a[0], b[0])
	})
	begin := float64(h.from)
	for ; begin <= float64(until) && begin < float64(h.to); begin += period {
		edge := 0.0
		for _, s := range spans {
			if trace.Says == "down" {
				all = append(all, stretch{begin + at(s[0]), begin + at(s[1]), 0})
				continue
			}
			all = append(all, stretch{begin + edge, begin + at(s[0]), 0})
			edge = at(s[1])
		}
		if trace.Says != "down" {
			all = append(all, stretch{begin + edge, begin + period, 0})
		}
		if trace.End != "repeat" {
			break
		}
	}
	if trace.End == "down" {
		all = append(all, stretch{begin + period, float64(never), 0})
	}
	all = slices.DeleteFunc(all, func(o stretch) bool { return o.from >= o.to })
	return clipped(all, h)
}

// bySessions are times up and down in turn; the first is a part of one whose length is biased by itself.
func bySessions(s *sim.Stream, sessions *sim.Sessions, h interval, until sim.Time) (all []stretch) {
	factor, off := cmp.Or(sessions.Stretch, 1), 0.0
	span := func(x float64) float64 {
		const century = 100 * 365 * 24 * 3600 * 1e9
		d := max(1, math.Floor(min(math.Floor(min(x, century))*factor, century)))
		off += 3 + 2*factor + float64(1e-9*d)
		return d
	}
	mean := func(l *sim.Latency) float64 {
		switch l.Kind {
		case "exponential":
			return float64(l.Mean)
		case "uniform":
			return float64(l.Low+l.High) / 2
		case "pareto":
			return float64(l.Scale) * l.Shape / (l.Shape - 1)
		}
		return float64(l.Scale) * math.Gamma(1+1/l.Shape)
	}
	found := func(l *sim.Latency) float64 { // whose density is x·f(x)/mean
		switch l.Kind {
		case "exponential":
			return float64(l.Mean) * (s.Exponential() + s.Exponential())
		case "uniform":
			a, b := float64(l.Low), float64(l.High)
			return math.Sqrt(float64(a*a) + float64(s.Float64()*(float64(b*b)-float64(a*a))))
		case "pareto":
			return float64(l.Scale) * math.Pow(1-s.Float64(), -1/(l.Shape-1))
		}
		return float64(l.Scale) * math.Pow(s.Gamma(1+1/l.Shape), 1/l.Shape)
	}
	next := func(l *sim.Latency) float64 {
		u := float64(float64(s.Uint64()>>11) / (1 << 53))
		switch l.Kind {
		case "exponential":
			return -float64(l.Mean) * math.Log1p(-u)
		case "uniform":
			return float64(l.Low) + float64(u*float64(l.High-l.Low))
		case "pareto":
			return float64(l.Scale) * math.Pow(1-u, -1/l.Shape)
		}
		return float64(l.Scale) * math.Pow(-math.Log1p(-u), 1/l.Shape)
	}
	t, up := float64(h.from), float64(s.Float64()*(mean(sessions.Up)+mean(sessions.Down))) < mean(sessions.Up)
	law := map[bool]*sim.Latency{true: sessions.Up, false: sessions.Down}
	length := found(law[up])
	for length = float64(length * s.Float64()); t <= float64(until)+off; length = next(law[up]) {
		begin := t
		if t += span(length); !up {
			all = append(all, stretch{begin, t, off})
		}
		up = !up
	}
	return clipped(all, h)
}

// byDay are the times in which the profile is at most the node's rank of the day, which begins where the profile is
// least.
func byDay(s *sim.Stream, d *sim.Diurnal, h interval, until sim.Time) (all []stretch) {
	n, day := len(d.Profile), float64(cmp.Or(d.Day, 24*3600e9))
	trough := 0
	for k, share := range d.Profile {
		if share < d.Profile[trough] {
			trough = k
		}
	}
	hour := day / float64(n)
	dawn := float64(h.from) - math.Mod(float64(d.Begins)-math.Round(float64(hour*float64(trough)))+day, day)
	for ; dawn <= float64(until) && dawn < float64(h.to); dawn += day {
		rank := s.Float64()
		for k := range n {
			a, b := d.Profile[(trough+k)%n], d.Profile[(trough+k+1)%n]
			from, to := dawn+math.Round(float64(hour*float64(k))), dawn+math.Round(float64(hour*float64(k+1)))
			cross := from + math.Floor((to-from)*((rank-a)/(b-a)))
			switch {
			case a <= rank && b <= rank:
				all = append(all, stretch{from, to, 0})
			case a <= rank:
				all = append(all, stretch{from, cross, 2})
			case b <= rank:
				all = append(all, stretch{cross, to, 2})
			}
		}
	}
	return clipped(all, h)
}

// drawComings draws a fault of nodes that come and go otherwise than by rate, for as long as it may last.
func (w *conditions) drawComings(s *sim.Stream, span sim.Duration, graph *sim.Graph) {
	if s.IntN(3) > 0 {
		return
	}
	share := func(low, high float64) sim.Duration { return 2 + sim.Duration(s.Between(low, high)*float64(span)) }
	memory := []string{"", "kept", "lost", "lost"}[s.IntN(4)]
	for _, f := range w.faults { // of a node that may have lost its memory or not, little can be said
		if k, ok := f.Kind.(sim.Forgetting); ok {
			memory = map[bool]string{true: "lost"}[k.Forgets()]
			break
		}
	}
	nodes := []int(nil)
	if s.IntN(2) == 0 {
		nodes = s.Perm(graph.Order())[:1+s.IntN(graph.Order())]
		slices.Sort(nodes)
	}
	f := sim.Fault{Until: span}
	if s.IntN(2) == 0 {
		f.At = share(0, 0.5)
	}
	f.Until = max(span, f.At+1)
	switch s.IntN(3) {
	case 0:
		trace := &sim.AvailabilityTrace{Spans: map[string][][2]sim.Duration{}, Memory: memory, Nodes: nodes,
			Says: []string{"", "up", "down"}[s.IntN(3)], End: []string{"repeat", "repeat", "up"}[s.IntN(3)]}
		names := [][]string{{"car", "phone"}, {"2", "10", "9"}}[s.IntN(2)]
		for _, name := range names {
			at := sim.Duration(0)
			for range 1 + s.IntN(3) { // down for short, so that there is something to see
				there, gone := share(0.02, 0.1), share(0.002, 0.02)
				if trace.Says == "down" {
					there, gone = gone, there
				}
				from := at + gone*sim.Duration(s.IntN(2))
				at = from + there
				trace.Spans[name] = append(trace.Spans[name], [2]sim.Duration{from, at})
				at += gone * sim.Duration(s.IntN(2))
			}
		}
		switch s.IntN(4) {
		case 0:
			trace.Placement = &sim.Placement{Kind: "random"}
		case 1:
			trace.Placement = &sim.Placement{Kind: "turns", Names: names[1:]}
		case 2:
			trace.Placement = &sim.Placement{Kind: "list"}
			for range graph.Order() {
				trace.Placement.Names = append(trace.Placement.Names, names[s.IntN(len(names))])
			}
		}
		if s.IntN(3) == 0 {
			trace.Stretch = s.Between(0.5, 1.5)
		}
		f.Kind = sim.TracedAvailability{Trace: trace}
	case 1:
		law := func(low, high float64) *sim.Latency {
			scale := share(low, high)
			return []*sim.Latency{
				{Kind: "weibull", Scale: scale, Shape: s.Between(0.5, 2)}, {Kind: "exponential", Mean: scale},
				{Kind: "pareto", Scale: scale, Shape: s.Between(1.5, 4)},
				{Kind: "uniform", Low: scale / 2, High: 2 * scale},
			}[s.IntN(4)]
		}
		sessions := &sim.Sessions{Up: law(0.02, 0.1), Down: law(0.002, 0.02), Memory: memory, Nodes: nodes}
		if s.IntN(2) == 0 {
			sessions.Stretch = s.Between(0.5, 1.5)
		}
		f.Kind = sim.Churn{Sessions: sessions}
	default:
		d := &sim.Diurnal{Day: share(0.05, 0.5) + 100e3, Memory: memory, Nodes: nodes}
		for range 2 + s.IntN(4) {
			d.Profile = append(d.Profile, s.Between(0.6, 1))
		}
		if s.IntN(2) == 0 {
			d.Begins = sim.Duration(s.Between(0, 0.9) * float64(d.Day))
		}
		f.Kind = sim.DiurnalAvailability{Diurnal: d}
	}
	w.faults = append(w.faults, f)
}
