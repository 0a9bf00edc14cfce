// Without lockstep a single packet is enough for the first update of a node, if nothing but starts that are public can
// have entered it, by its optimality condition; and none is, if a neighbour's later value did enter.

package evaluation

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"overhear/adversary"
	"overhear/record"
	"overhear/sim"
)

const firstUpdates = `name: first
problem: {data: wdbc, train: 40, rho: 0.22}
network: {topology: {kind: %s, nodes: %d}, latency: %s, links: [%s], faults: [%s]}
compute: {row: %s}
rounds: {mode: asynchronous, count: 4, quorum: %s, timeout: 2s, staleness: 1}
algorithm: {kind: %s, eta: 0.05}
solver: {tolerance: 1e-12}
adversary: {knows: {victim: 1, all-but: 3}, attacks: [kkt-inversion]}
`

// All start at zero without a dual, so that the value of round 1 solves ∇(f) + (r + 2ηV) f = 0: the data's gradient is
// −(r + 2ηV) f, of edge ADMM −(r + ηV) f, and what the known samples leave of it is (C/B) L′(u·f) u of the one that is
// not known.
func TestWhyLearnt_OnePacketIsEnoughForAFirstUpdate(t *testing.T) {
	for _, c := range []struct {
		method, kind    string
		nodes           int
		latency, faults string
		row, quorum     string
	}{
		{"admm", "path", 2, "20ms", "", "40ns", "1"},
		{"admm", "path", 3, "20ms", "", "40ns", "0.5"},
		{"admm", "path", 3, "20ms", "{at: 21ms, crash: 0, until: 90ms}", "40ns", "0.5"},
		{"admm", "path", 3, "20ms", "{at: 1ms, crash: 2, until: 15ms, memory: lost}, {slow: 0, factor: 4}", "40ns",
			"0.5"},
		// However fast a packet is, a step takes 18 ms at least, and the victim's has begun before.
		{"admm", "ring", 3, "{kind: exponential, mean: 2ms}", "", "1500us", "0.5"},
		// States of links enter from round 2 on, so that no times are needed.
		{"edge-admm", "ring", 3, "{kind: exponential, mean: 20ms}", "", "40ns", "1"},
		{"edge-admm", "path", 3, "{kind: exponential, mean: 20ms}", "{at: 1ms, crash: 1, until: 50ms, memory: lost}, " +
			"{link: [0, 1], factor: 0.01}, {slow: 1, factor: 5000}", "40ns", "1"},
	} {
		r := recorded(t, fmt.Sprintf(firstUpdates, c.kind, c.nodes, c.latency, "", c.faults, c.row, c.quorum,
			c.method))
		s := why(t, r, 1, WhyOptions{})[0]
		if s.With != record.Exact || !s.Minimal || len(s.Enough) != 1 || s.Enough[0].Src != 1 ||
			s.Enough[0].Round != 1 || s.Enough[0].Without != record.Blocked {
			t.Errorf("%+v: %+v", c, s)
			continue
		}
		w, err := newNeeding(t.Context(), r, 1, WhyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		one, _ := adversary.Lookup(s.Attack)
		place := slices.IndexFunc(w.seen, func(row int) bool { return w.recording.Messages[row].ID == s.Enough[0].ID })
		f, err := w.with(one, []int{place})
		if err != nil {
			t.Fatal(err)
		}
		truth := w.truth.Samples[0]
		if off := apart(f.Estimates[0].X, truth.X); !(off <= 1e-6) || f.Estimates[0].Y != truth.Y {
			t.Errorf("%+v: the sample is off by %v", c, off)
		}
		i := slices.IndexFunc(w.recording.Iterates, func(i record.Iterate) bool { return i.Node == 1 && i.Round == 1 })
		at := w.recording.Iterates[i].Values
		degree := float64(w.public.Graph.Degree(1))
		pull := 2.0
		if c.method == "edge-admm" {
			pull = 1
		}
		left := make([]float64, len(at)) // of the gradient
		for k, x := range at {
			left[k] = -(w.public.R[1] + pull*0.05*degree) * x
		}
		others := w.known.Victims[0].Others
		share := w.public.C / float64(len(others.Y)+1)
		slope := func(s adversary.Sample) (of []float64) { // its part of the gradient
			margin := 0.0
			for k, x := range s.X {
				margin += s.Y * x * at[k]
			}
			for _, x := range s.X {
				of = append(of, -share/(1+math.Exp(margin))*s.Y*x)
			}
			return of
		}
		for n := range others.Y {
			for k, x := range slope(others.At(n)) {
				left[k] -= x
			}
		}
		if off := apart(left, slope(truth)); !(off <= 1e-6) {
			t.Errorf("%+v: what the packet leaves of the gradient is not the sample's: off by %v", c, off)
		}
	}
}

// apart is how far a vector is from another, relative to that.
func apart(x, from []float64) float64 {
	d, n := 0.0, 0.0
	for k := range from {
		d += (x[k] - from[k]) * (x[k] - from[k])
		n += from[k] * from[k]
	}
	return math.Sqrt(d / n)
}

// The victim waits for node 2, over a slow link, and by then node 0's value of round 1 has come. The victim's value
// alone tells nobody so, but who takes packets to be slower than they may be finds another sample than there is. What
// is enough has node 0's value.
func TestWhyLearnt_AFirstUpdateThatLaterValuesEntered(t *testing.T) {
	for _, c := range []struct{ latency, links, faults string }{
		{"20ms", "{between: [1, 2], latency: 300ms}", ""},
		{"200ms", "{between: [1, 2], latency: 300ms}", "{link: [0, 1], factor: 0.05}, {link: [0, 2], factor: 0.05}"},
	} {
		r := recorded(t, fmt.Sprintf(firstUpdates, "ring", 3, c.latency, c.links, c.faults, "40ns", "1", "admm"),
			"rounds.staleness=0")
		w, err := newNeeding(t.Context(), r, 1, WhyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if is, err := w.entered(1, 1); err != nil || is[0] == 0 {
			t.Fatalf("%+v: %v entered, %v", c, is, err)
		}
		one, _ := adversary.Lookup("kkt-inversion")
		var own []int // places of packets with the victim's value of round 1
		for place, row := range w.seen {
			if m := &w.recording.Messages[row]; m.Src == 1 && m.Round == 1 {
				own = append(own, place)
			}
		}
		if f, err := w.with(one, own); err != nil || f.Succeeded != record.Blocked {
			t.Errorf("%+v: with the victim's value alone it is %s: %s, %v", c, f.Succeeded, f.Conclusion, err)
		}
		wrong := *w
		public := *w.public
		public.Timing.Fastest = make([]sim.Duration, 3)
		public.Timing.Transit = slices.Repeat([]sim.Duration{1e9}, public.Graph.Links())
		wrong.public = &public
		if f, err := wrong.with(one, own); err != nil || f.Succeeded == record.Exact || len(f.Estimates) == 0 ||
			!(apart(f.Estimates[0].X, w.truth.Samples[0].X) > 1e-3) {
			t.Errorf("%+v: with times that are not so it is %s: %s, %v", c, f.Succeeded, f.Conclusion, err)
		}
		s := why(t, r, 1, WhyOptions{})[0]
		if s.With != record.Exact || !slices.ContainsFunc(s.Enough, func(p record.NeededPacket) bool {
			return p.Src == 0 && p.Round == int32(1)
		}) {
			t.Errorf("%+v: %+v", c, s)
		}
	}
}
