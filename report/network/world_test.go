// Maps of the world: marks where their sites are, names that are on nothing else, land where there is some.

package network

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/sim"
)

func regions(t *testing.T) *World {
	t.Helper()
	set, _ := sim.FindSiteSet("aws")
	sites, err := set.Load()
	if err != nil {
		t.Fatal(err)
	}
	w := &World{Title: "a map", Values: "seconds", Number: func(v float64) string { return fmt.Sprintf("%.3g s", v) }}
	for k, name := range sites.Names {
		latitude, longitude, _ := sites.Position(k)
		w.Spots = append(w.Spots, Spot{latitude, longitude, name, math.Exp(float64(k) / 9), k == 16})
		w.Links = append(w.Links, [2]int{k, (k + 7) % len(sites.Names)})
	}
	w.Spots[3].Value = math.NaN()
	return w
}

func TestWorld_ShowsEverySite(t *testing.T) {
	w := regions(t)
	svg := string(w.Picture().SVG())
	if svg != string(w.Picture().SVG()) {
		t.Error("the picture is another the second time")
	}
	shapes(t, []byte(svg))
	for _, s := range w.Spots {
		if strings.Count(svg, ">"+s.Name+"<") < 1 {
			t.Errorf("%s has no label", s.Name)
		}
	}
	for _, want := range []string{"af-south-1: 1 s", "eu-central-1: 5.92 s, where the observer is",
		"<title>ap-northeast-1</title>", "a map of the world with 33 sites"} {
		if !strings.Contains(strings.ToLower(svg), strings.ToLower(want)) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	if strings.Contains(svg, "NaN") {
		t.Error("a place is no number")
	}
	if (&World{}).Picture() != nil {
		t.Error("a map of nothing")
	}
}

// crowding are the labels that are on another, on a mark or outside.
func crowding(labels []label, marks []point, within box) (bad []string) {
	for i, l := range labels {
		for _, m := range labels[:i] {
			if l.room.meets(m.room) {
				bad = append(bad, l.words+" on "+m.words)
			}
		}
		for k, m := range marks {
			if l.room.meets(box{m.x - spotRadius, m.y - spotRadius, m.x + spotRadius, m.y + spotRadius}) {
				bad = append(bad, fmt.Sprintf("%s on mark %d", l.words, k))
			}
		}
		if l.room.left < within.left || l.room.right > within.right || l.room.top < within.top ||
			l.room.bottom > within.bottom {
			bad = append(bad, l.words+" outside")
		}
	}
	return bad
}

func TestBeside_NamesAreOnNothingElse(t *testing.T) {
	w := regions(t)
	f := around(w.Spots)
	var marks []point
	var names []string
	for _, s := range w.Spots {
		marks, names = append(marks, f.at(position{s.Latitude, s.Longitude})), append(names, s.Name)
	}
	within := box{0, 0, worldWidth, f.height()}
	labels := beside(marks, names, worldLabel, spotRadius, within)
	if len(labels) != len(names) {
		t.Errorf("%d of %d have names", len(labels), len(names))
	}
	if bad := crowding(labels, marks, within); bad != nil {
		t.Error(bad)
	}
	// What places each name to the right of its mark is seen.
	for k := range labels {
		half := (labels[k].room.right - labels[k].room.left) / 2
		labels[k].room = touching(labels[k].of, spotRadius+2, half, worldLabel/2, 1, 0)
	}
	if bad := crowding(labels, marks, within); len(bad) < 5 {
		t.Errorf("of names to the right of their marks only %q are on another", bad)
	}
}

// Cities are on land, oceans and the Caspian Sea are not, by the winding of the rings around them.
func TestLand_IsWhereItIs(t *testing.T) {
	winding := func(p position) int {
		n := 0
		for _, ring := range land() {
			for k, b := range ring {
				a := ring[(k+len(ring)-1)%len(ring)]
				side := (b.longitude-a.longitude)*(p.latitude-a.latitude) -
					(p.longitude-a.longitude)*(b.latitude-a.latitude)
				switch {
				case a.latitude <= p.latitude && b.latitude > p.latitude && side > 0:
					n++
				case a.latitude > p.latitude && b.latitude <= p.latitude && side < 0:
					n--
				}
			}
		}
		return n
	}
	for _, c := range []struct {
		name string
		at   position
		land bool
	}{
		{"Frankfurt", position{50.1, 8.7}, true}, {"Columbus", position{40, -83}, true},
		{"Hyderabad", position{17.4, 78.5}, true}, {"Alice Springs", position{-23.7, 133.9}, true},
		{"Queretaro", position{20.6, -100.4}, true}, {"Chukotka", position{66.5, -175}, true},
		{"the Atlantic", position{30, -40}, false}, {"the Pacific", position{0, -150}, false},
		{"the Bering Sea", position{58, -178}, false}, {"the Caspian Sea", position{42, 50.5}, false},
		{"the Gulf of Mexico", position{25, -90}, false}, {"the Arctic Ocean", position{67, -2}, false},
	} {
		if got := winding(c.at) != 0; got != c.land {
			t.Errorf("%s is on land: %v", c.name, got)
		}
	}
	for _, ring := range land() {
		for k := 1; k < len(ring); k++ {
			if !(math.Abs(ring[k].longitude-ring[k-1].longitude) <= 90) {
				t.Fatalf("an outline crosses the map from %v to %v", ring[k-1], ring[k])
			}
		}
	}
}

// A link is the short way around the world, within the frame.
func TestFrame_LinesGoTheShortWay(t *testing.T) {
	f := frame{-120, 160, -60, 60, 10}
	for _, c := range []struct {
		name string
		a, b Spot
		want int
	}{
		{"across the Atlantic", Spot{Longitude: -80}, Spot{Longitude: 10}, 1},
		{"across the Pacific", Spot{Latitude: 40, Longitude: -110}, Spot{Latitude: 30, Longitude: 140}, 2},
		{"back", Spot{Latitude: 30, Longitude: 140}, Spot{Latitude: 40, Longitude: -110}, 2},
	} {
		lines := f.lines(c.a, c.b)
		long := 0.0
		for _, l := range lines {
			long += math.Hypot(l[0].x-l[1].x, l[0].y-l[1].y)
			for _, p := range l {
				const near = 1e-9
				if !(p.x >= -near && p.x <= worldWidth+near && p.y >= f.top-near && p.y <= f.top+f.height()+near) {
					t.Errorf("%s: %v is outside", c.name, p)
				}
			}
		}
		if len(lines) != c.want || long > worldWidth/2 {
			t.Errorf("%s: %v", c.name, lines)
		}
	}
}
