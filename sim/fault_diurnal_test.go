// Facts about nodes that come and go by the time of day: how many are up when, and for how long in all.

package sim

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// A share of 0.4 at midnight and of 0.1 at noon: by hand.
func TestDiurnal_DownByRank(t *testing.T) {
	const h = Time(3600e9)
	c := newCourse(&Diurnal{Profile: []float64{0.4, 0.1}})
	for rank, want := range map[float64][][2]Time{ // hours since noon
		0.05: nil,
		0.1:  nil,
		0.25: {{0, 6 * h}, {18 * h, 24 * h}},
		0.4:  {{0, 24 * h}},
		0.9:  {{0, 24 * h}},
	} {
		got := c.down(rank)
		if len(got) != len(want) || len(want) > 0 && !near(got, want) {
			t.Errorf("rank %v: down in %v, want %v", rank, got, want)
		}
	}
	if c.trough != 12*h {
		t.Errorf("the share is least at %v", c.trough)
	}
	c = newCourse(&Diurnal{Profile: []float64{0.2, 0.8, 0.4, 0.8}, Day: 4000})
	if got, want := c.down(0.6), [][2]Time{{0, 666}, {1500, 2500}, {3333, 4000}}; !near(got, want) {
		t.Errorf("two valleys: %v, want %v", got, want)
	}
	c = newCourse(&Diurnal{Profile: []float64{0.5}})
	if c.down(0.3) != nil || !reflect.DeepEqual(c.down(0.7), [][2]Time{{0, 24 * h}}) {
		t.Error("a share that is the same all day")
	}
}

func near(a, b [][2]Time) bool {
	for k := range a {
		for e := range 2 {
			if d := a[k][e] - b[k][e]; len(a) != len(b) || d < -1 || d > 1 {
				return false
			}
		}
	}
	return true
}

// At every time of every day as many nodes are up as the profile says, on average, and in whole days they are down for
// as long as 1 less its integral.
func TestDiurnal_AsManyAreUpAsTheProfileSays(t *testing.T) {
	const n, day, days = 4000, 24e9, 3
	for _, profile := range [][]float64{{0.4, 0.1}, {0.2, 0.9, 0.5, 0.7, 0.3}, {0, 1}, {0.3}} {
		const at, begins = 5e9, 7e9
		f := Fault{At: at, Kind: DiurnalAvailability{&Diurnal{Profile: profile, Day: day, Begins: begins}}}
		all := sessionsOf(t, n, at+days*day, f)
		share := func(t Time) float64 {
			x := math.Mod(float64(t-at+begins)/day, 1) * float64(len(profile))
			k := int(x)
			a, b := profile[k%len(profile)], profile[(k+1)%len(profile)]
			return a + (b-a)*(x-float64(k))
		}
		for k := range 60 {
			at, count := Time(at+float64(k)/60*days*day), 0.0
			for _, o := range all {
				if !isDown(o, at) {
					count++
				}
			}
			p := share(at)
			if off := math.Abs(count/n - p); !(off <= 4.5*math.Sqrt(p*(1-p)/n)+1e-9) {
				t.Errorf("%v: %v of the nodes are up at %v, want %v", f, count/n, at, p)
			}
		}
		integral, down, spread := 0.0, 0.0, 0.0
		for k := range profile {
			integral += (profile[k] + profile[(k+1)%len(profile)]) / 2 / float64(len(profile))
		}
		for _, outages := range all {
			mine := 0.0
			for _, o := range outages {
				if o.From < at {
					t.Fatalf("%v: an outage begins at %v", f, o.From)
				}
				mine += float64(o.To-o.From) / (days * day)
			}
			down += mine / n
			spread += (mine - (1 - integral)) * (mine - (1 - integral)) / n
		}
		if off := math.Abs(down - (1 - integral)); !(off <= 4.5*math.Sqrt(spread/n)) {
			t.Errorf("%v: nodes are down for %v of the time, want %v", f, down, 1-integral)
		}
	}
}

// With one valley a day a node comes and goes at most once from noon to noon, and nodes are independent.
func TestDiurnal_NodesHaveTheirOwnDays(t *testing.T) {
	const n, day = 1000, 24e9
	f := Fault{Kind: DiurnalAvailability{&Diurnal{Profile: []float64{1, 0}, Day: day, Begins: 12e9,
		Memory: memoryLost}}}
	all := sessionsOf(t, n, 2*day, f)
	both := 0.0
	for _, o := range all {
		if len(o) != 3 || !o[1].Lost { // noon: up; down around midnight of each day, which the profile has at noon
			t.Fatalf("%v", o)
		}
		// A node is up from when the share is above its rank until it is no more: around the middle of its day.
		one, two := day-o[1].From, o[1].To-day
		if one < 0 || two < 0 {
			t.Fatalf("%v", o)
		}
		u, v := float64(one)/(day/2), float64(two)/(day/2) // the ranks of both days
		both += (u - 0.5) * (v - 0.5) * 12 / n
	}
	if !(math.Abs(both) <= 4.5/math.Sqrt(n)) {
		t.Errorf("ranks of a node on two days have a correlation of %v", both)
	}
}

// Where sites count, it is later in the east.
func TestDiurnal_LocalTime(t *testing.T) {
	const n, day = 8000, 24e9
	sites := &Sites{Names: []string{"0", "90 E", "90 W", "180"}, delay: make([]Duration, 16),
		positions: []position{{51, 0}, {0, 90}, {0, -90}, {0, 180}}}
	placed := &Placed{sites, make([]uint16, n)}
	for i := range placed.at {
		placed.at[i] = uint16(i % 4)
	}
	plan := FaultPlan{{Kind: DiurnalAvailability{&Diurnal{Profile: []float64{0.9, 0.1}, Day: day, Local: true}}}}
	all, err := plan.Course().Outages(1, empty(t, n), placed, 2*day)
	if err != nil {
		t.Fatal(err)
	}
	for hour, want := range map[Time][4]float64{0: {0.9, 0.5, 0.5, 0.1}, 3: {0.7, 0.3, 0.7, 0.3},
		30: {0.5, 0.1, 0.9, 0.5}} {
		var up [4]float64
		for i, o := range all {
			if !isDown(o, hour*1e9) {
				up[i%4] += 4.0 / n
			}
		}
		for k, p := range want {
			if !(math.Abs(up[k]-p) <= 4.5*math.Sqrt(p*(1-p)/(n/4))) {
				t.Errorf("at %d h of Greenwich %v are up on the site %s, want %v", hour, up[k], sites.Names[k], p)
			}
		}
	}
	for _, without := range []*Placed{nil, {&Sites{Names: []string{"a"}, delay: make([]Duration, 1)}, []uint16{0, 0}}} {
		if _, err := plan.Course().Outages(1, empty(t, 2), without, 1); err == nil ||
			!strings.Contains(err.Error(), "faults[0].diurnal.local needs nodes on sites whose positions are known") {
			t.Errorf("without positions: %v", err)
		}
	}
}

func TestDiurnal_Check(t *testing.T) {
	for want, d := range map[string]Diurnal{
		"profile must have 1 to 10000 shares":           {},
		"profile must have shares from 0 to 1; the one": {Profile: []float64{0.5, math.NaN()}},
		"profile must have a share of at most 0.999":    {Profile: []float64{1, 0.9995}},
		"profile must have a share of at least 0.001":   {Profile: []float64{0, 0}},
		"day must be a positive duration":               {Profile: []float64{0.5, 0.1}, Day: 1},
		"begins must be from 0s to less than a day, 1h": {Profile: []float64{0.5}, Day: 3600e9, Begins: 3600e9},
		"memory must be kept or lost":                   {Profile: []float64{0.5}, Memory: "x"},
		"nodes must not be empty":                       {Profile: []float64{0.5}, Nodes: []int{}},
	} {
		var got []string
		d.Check(func(field, problem string) { got = append(got, field+" "+problem) })
		if len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
