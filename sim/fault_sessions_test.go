// Facts of renewal theory about nodes that come and go: a run that begins in the midst of it finds it as any time does.

package sim

import (
	"math"
	"strings"
	"testing"
)

// sessionsOf are the outages of n nodes before a time.
func sessionsOf(t *testing.T, n int, until Time, plan ...Fault) [][]Outage {
	t.Helper()
	outages, err := FaultPlan(plan).Course().Outages(3, empty(t, n), nil, until)
	if err != nil {
		t.Fatal(err)
	}
	return outages
}

// empty is a graph without edges.
func empty(t *testing.T, n int) *Graph {
	t.Helper()
	g, err := NewGraph(n, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// isDown says whether one of a node's outages is at a time.
func isDown(outages []Outage, at Time) bool {
	for _, o := range outages {
		if o.From <= at && at < o.To {
			return true
		}
	}
	return false
}

// Up by Weibull's law with a heavy tail and down by Pareto's, or the other way round.
func TestChurn_IsStationary(t *testing.T) {
	const n = 4000
	for _, c := range []struct{ up, down int }{{4, 3}, {3, 4}, {1, 2}, {2, 0}} {
		up, down := textbook[c.up], textbook[c.down]
		f := Fault{At: ms, Kind: Churn{&Sessions{Up: &up.law, Down: &down.law, Memory: memoryLost}}}
		const end = 60e6
		all := sessionsOf(t, n, end, f)
		share := up.mean / (up.mean + down.mean)
		for _, at := range []Time{1e6, 2e6, 7e6, 30e6, 59e6} {
			count := 0.0
			for _, o := range all {
				if !isDown(o, at) {
					count++
				}
			}
			if off := math.Abs(count/n-share) / math.Sqrt(share*(1-share)/n); !(off < 4.5) {
				t.Errorf("%v: at %v %v of the nodes are up, want %.3f", f, at, count/n, share)
			}
		}
		var rests, lengths []float64 // up to the first outage, and of the outage after it
		changes := 0.0
		for _, o := range all {
			for _, one := range o {
				if one.From > 1e6 {
					changes++
				}
				if !one.Lost {
					t.Fatal("an outage keeps the memory")
				}
			}
			if len(o) > 0 && o[0].From > 1e6 {
				rests = append(rests, float64(o[0].From-1e6))
			} else if len(o) == 0 {
				rests = append(rests, 1e18) // beyond the end
			}
		}
		// Of a stationary renewal process as many begin in a time as it has mean cycles.
		if want := n * (end - 1e6) / (up.mean + down.mean); !(math.Abs(changes-want) <= 0.03*want) {
			t.Errorf("%v: %v outages begin, want %.0f", f, changes, want)
		}
		// What is left of a session is longer than x with the probability ∫ₓ^∞ (1 − F(u)) du / mean.
		left := func(x float64) float64 {
			if x >= end-1e6 {
				return 1
			}
			const steps = 2000
			sum := 0.0
			for k := range steps {
				sum += 1 - max(up.cdf((float64(k)+0.5)/steps*x), 0)
			}
			return sum * x / steps / up.mean
		}
		bound := most(len(rests)) + 0.005 // and the rule's error
		if far := censored(rests, left, end-1e6); !(far <= bound) {
			t.Errorf("%v: what is left of a session is %.4f from its law, at most %.4f is likely", f, far, bound)
		}
		for _, o := range sessionsOf(t, n, 1e12, Fault{Until: 1e9, Kind: f.Kind}) {
			if len(o) > 1 { // whole, and apart from what the beginning found
				lengths = append(lengths, float64(o[1].To-o[1].From))
			}
		}
		if far := kolmogorov(lengths, down.cdf); !(far <= most(len(lengths))) {
			t.Errorf("%v: outages are %.4f from their law", f, far)
		}
	}
}

// censored is the greatest difference of a sample from a distribution function below a bound.
func censored(sample []float64, cdf func(float64) float64, bound float64) (far float64) {
	const steps = 100
	for k := range steps {
		x, count := bound*float64(k)/steps, 0.0
		for _, s := range sample {
			if s <= x {
				count++
			}
		}
		far = max(far, math.Abs(count/float64(len(sample))-cdf(x)))
	}
	return far
}

// Nodes and faults are independent, times can be stretched, and it is over when the fault is.
func TestChurn_OfNodesByThemselves(t *testing.T) {
	law := Churn{&Sessions{Up: &Latency{Kind: "constant", Value: 10 * ms},
		Down: &Latency{Kind: "constant", Value: 5 * ms}, Stretch: 2, Nodes: []int{1, 3, 4}}}
	all := sessionsOf(t, 5, 200e6, Fault{At: 20 * ms, Until: 150 * ms, Kind: law})
	if all[0] != nil || all[2] != nil {
		t.Error("nodes that the fault does not name are down")
	}
	begins := map[Time]bool{}
	for _, node := range []int{1, 3, 4} {
		for k, o := range all[node] {
			first, last := o.From == 20e6, o.To == 150e6
			if d := o.To - o.From; o.From < 20e6 || o.To > 150e6 || d > 10e6 || d < 10e6 && !first && !last {
				t.Errorf("node %d is down from %v to %v", node, o.From, o.To)
			}
			if k > 0 && o.From-all[node][k-1].To != 20e6 {
				t.Errorf("node %d is up from %v to %v", node, all[node][k-1].To, o.From)
			}
			begins[o.From%30e6] = true
		}
	}
	if len(begins) < 3 {
		t.Error("nodes go down at the same times")
	}
	twice := sessionsOf(t, 5, 200e6, Fault{At: 20 * ms, Until: 150 * ms, Kind: law}, Fault{Until: 150 * ms, Kind: law})
	if len(twice[1]) <= len(all[1]) {
		t.Error("two faults are one")
	}
}

// The means of KAD's laws are those that its fitted numbers have by the formula: scale·Γ(1 + 1/shape).
func TestSessionSets_AreTheirSource(t *testing.T) {
	set, _ := FindSessionSet("kad")
	for _, c := range []struct {
		law          Latency
		scale, shape float64
	}{{set.up, 169.5385, 0.61511}, {set.down, 413.6765, 0.47648}} {
		want := c.scale * math.Gamma(1+1/c.shape)
		if got := c.law.law().mean(&c.law) / 60e9; !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("%s has a mean of %v min, want %v", c.law.Words(), got, want)
		}
	}
	if text := set.Describe(); !strings.Contains(text, "up for 247 min, down for 908 min, so that 21.4 % are up") {
		t.Error(text)
	}
}

func TestSessions_Check(t *testing.T) {
	constant := &Latency{Kind: "constant", Value: ms}
	pareto := &Latency{Kind: "pareto", Scale: 1, Shape: 1}
	wrong, wide := &Latency{Kind: "lognormal", Median: 1, Sigma: -1}, &Latency{Kind: "lognormal", Median: ms, Sigma: 9}
	for want, s := range map[string]Sessions{
		"up must be given, and down":                    {},
		"down must be given":                            {Up: constant},
		"set must stand without up and down":            {Set: "kad", Up: constant},
		`set must be one of kad, is "KAD"`:              {Set: "KAD"},
		"up must be a law by itself":                    {Up: &Latency{Kind: "matrix", Set: "aws"}, Down: constant},
		"down must have a mean: a shape above 1":        {Up: constant, Down: pareto},
		"down must have a mean from 1ns to a century":   {Up: constant, Down: &Latency{}},
		"up.sigma must not be negative":                 {Up: wrong, Down: constant},
		"up must have a mean from 1ns to a century, ha": {Up: wide, Down: constant},
		"stretch must be positive":                      {Set: "kad", Stretch: math.Inf(1)},
		"memory must be kept or lost":                   {Set: "kad", Memory: "x"},
		"nodes must not name node 1 twice":              {Set: "kad", Nodes: []int{1, 1}},
	} {
		var got []string
		s.Check(func(field, problem string) { got = append(got, field+" "+problem) })
		if len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
