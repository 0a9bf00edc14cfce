// Sites on a map of the world, coloured by a number of each.

package network

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"overhear/internal/plural"
	"overhear/report/plot"
)

// World is a map with a mark for each site, coloured by its value, and lines between sites. Degrees are squares on it:
// as many points to one north as to one east.
type World struct {
	Title, Caption string
	Spots          []Spot
	Links          [][2]int // between spots, by number
	Values         string   // what the values are, with their unit
	Number         func(v float64) string
	None           string // what stands for sites without a value; "": there are none
}

// Spot is a mark on a map.
type Spot struct {
	Latitude, Longitude float64 // degrees, north and east positive
	Name                string
	Value               float64 // its colour; NaN: it has none
	Own                 bool    // it is where the observer is: a square
}

const (
	worldWidth  = 720.0
	worldLabel  = 8.5 // size of text
	spotRadius  = 4.2
	worldMargin = 9.0 // degrees around the spots
)

// frame is the part of the world that a map shows, and where it stands on the picture.
type frame struct {
	west, east, south, north float64 // degrees
	top                      float64 // points
}

// around is the frame of spots: all of them with a margin.
func around(spots []Spot) frame {
	f := frame{west: 180, east: -180, south: 90, north: -90}
	for _, s := range spots {
		f.west, f.east = math.Min(f.west, s.Longitude), math.Max(f.east, s.Longitude)
		f.south, f.north = math.Min(f.south, s.Latitude), math.Max(f.north, s.Latitude)
	}
	f.west, f.east = math.Max(-180, f.west-worldMargin), math.Min(180, f.east+worldMargin)
	f.south, f.north = math.Max(-90, f.south-worldMargin), math.Min(90, f.north+worldMargin)
	return f
}

// degree is how many points it has.
func (f frame) degree() float64 { return worldWidth / (f.east - f.west) }

func (f frame) height() float64 { return (f.north - f.south) * f.degree() }

// at is where a position is.
func (f frame) at(p position) point {
	return point{(p.longitude - f.west) * f.degree(), f.top + (f.north-p.latitude)*f.degree()}
}

// clip is the part of a line within the frame; false: there is none (Liang and Barsky 1984).
func (f frame) clip(a, b point) (from, to point, some bool) {
	first, last := 0.0, 1.0
	dx, dy := b.x-a.x, b.y-a.y
	for _, edge := range [][2]float64{{-dx, a.x}, {dx, worldWidth - a.x}, {-dy, a.y - f.top},
		{dy, f.top + f.height() - a.y}} {
		switch p, q := edge[0], edge[1]; {
		case p == 0 && q < 0:
			return a, b, false
		case p < 0:
			first = math.Max(first, q/p)
		case p > 0:
			last = math.Min(last, q/p)
		}
	}
	return point{a.x + first*dx, a.y + first*dy}, point{a.x + last*dx, a.y + last*dy}, first < last
}

// lines are those of a link, clipped: the short way around the world, which may leave the map on one side and come
// back on the other.
func (f frame) lines(a, b Spot) (all [][2]point) {
	add := func(from, to float64) {
		start, end, some := f.clip(f.at(position{a.Latitude, from}), f.at(position{b.Latitude, to}))
		if some {
			all = append(all, [2]point{start, end})
		}
	}
	switch apart := b.Longitude - a.Longitude; {
	case apart > 180:
		add(a.Longitude, b.Longitude-360)
		add(a.Longitude+360, b.Longitude)
	case apart < -180:
		add(a.Longitude, b.Longitude+360)
		add(a.Longitude-360, b.Longitude)
	default:
		add(a.Longitude, b.Longitude)
	}
	return all
}

// coast are the outlines of land within the frame, whose corners outside are moved to its edges.
func (f frame) coast() (rings [][][2]float64) {
	for _, ring := range land() {
		var inside [][2]float64
		some := false
		for _, p := range ring {
			q := position{math.Min(math.Max(p.latitude, f.south), f.north),
				math.Min(math.Max(p.longitude, f.west), f.east)}
			some = some || p == q
			at := f.at(q)
			inside = append(inside, [2]float64{at.x, at.y})
		}
		if some {
			rings = append(rings, inside)
		}
	}
	return rings
}

// The colours of a map, which stand back behind the spots.
var (
	ground   = color.RGBA{240, 241, 238, 255}
	coastal  = plot.Pen{Color: color.RGBA{190, 194, 190, 255}, Width: 0.5}
	halo     = color.NRGBA{255, 255, 255, 200}
	parallel = plot.Pen{Color: plot.Grid, Width: 0.6}
)

// Picture draws the map; nil without spots.
func (w *World) Picture() *plot.Picture {
	if len(w.Spots) == 0 {
		return nil
	}
	var values []float64
	for _, s := range w.Spots {
		values = append(values, s.Value)
	}
	scale, known := scaleOf(values)
	f := around(w.Spots)
	f.top = 44
	var places []point
	var names []string
	for _, s := range w.Spots {
		places, names = append(places, f.at(position{s.Latitude, s.Longitude})), append(names, s.Name)
	}
	return &plot.Picture{
		Title: w.Title, Caption: w.Caption, About: w.words(), Width: worldWidth, Height: f.top + f.height() + 2,
		Paint: func(on *plot.Sheet) {
			w.key(on, scale, known)
			on.Area(f.coast(), ground, coastal)
			f.graticule(on)
			for _, link := range w.Links {
				for _, l := range f.lines(w.Spots[link[0]], w.Spots[link[1]]) {
					on.Line(l[0].x, l[0].y, l[1].x, l[1].y, plot.Pen{Color: plot.Frame, Width: 0.5})
				}
			}
			labels := beside(places, names, worldLabel, spotRadius,
				box{0, f.top, worldWidth, f.top + f.height()})
			for _, l := range labels {
				l.leader(on)
			}
			for k, s := range w.Spots {
				fill := color.Color(plot.Grid)
				if finite(s.Value) && known {
					fill = shade(scale.at(s.Value))
				}
				mark(on, places[k].x, places[k].y, fill, s.Own)
				on.DiscTip(places[k].x, places[k].y, spotRadius+2, w.tip(s))
			}
			for _, l := range labels {
				l.write(on)
			}
		},
	}
}

// mark draws a disc, or a square where the observer is.
func mark(on *plot.Sheet, x, y float64, fill color.Color, own bool) {
	if own {
		const r = spotRadius
		on.Box(x-r, y-r, 2*r, 2*r, fill, plot.Pen{Color: plot.Accent, Width: 2})
		return
	}
	on.Disc(x, y, spotRadius, fill, plot.Pen{Color: plot.Text, Width: 0.9})
}

// tip is what a viewer says of a spot.
func (w *World) tip(s Spot) string {
	words := s.Name
	if finite(s.Value) {
		words += ": " + w.Number(s.Value)
	}
	if s.Own {
		words += ", where the observer is"
	}
	return words
}

// graticule draws every thirtieth meridian and parallel, and the frame.
func (f frame) graticule(on *plot.Sheet) {
	const apart = 30.0
	for v := math.Ceil(f.west/apart) * apart; v < f.east; v += apart {
		from, to := f.at(position{f.north, v}), f.at(position{f.south, v})
		on.Line(from.x, from.y, to.x, to.y, parallel)
	}
	for v := math.Ceil(f.south/apart) * apart; v < f.north; v += apart {
		from, to := f.at(position{v, f.west}), f.at(position{v, f.east})
		on.Line(from.x, from.y, to.x, to.y, parallel)
	}
	on.Box(0, f.top, worldWidth, f.height(), nil, plot.Pen{Color: plot.Frame, Width: 0.7})
}

// key explains the colours.
func (w *World) key(on *plot.Sheet, s scale, known bool) {
	const long, steps, y, high = 240.0, 60, 2.0, 10.0
	right := 0.0
	if known && !s.one {
		for k := range steps {
			t := (float64(k) + 0.5) / steps
			on.Box(long*float64(k)/steps, y, long/steps+0.3, high, shade(t), plot.Pen{})
		}
		for _, t := range []struct {
			at     float64
			anchor plot.Anchor
		}{{0, plot.Start}, {0.5, plot.Middle}, {1, plot.End}} {
			on.Write(long*t.at, y+high+13, t.anchor, w.Number(s.value(t.at)), plot.TextSize, plot.Text)
		}
		on.Write(long+12, y+high-1, plot.Start, w.Values, plot.TextSize, plot.Text)
		right = long + 12
	}
	entry := func(words string, own bool) {
		mark(on, right+6, y+high+9, plot.Grid, own)
		on.Write(right+18, y+high+13, plot.Start, words, plot.TextSize, plot.Text)
		right += 40 + 1.14*plot.Width(words, plot.TextSize) // other fonts are wider
	}
	if slices.ContainsFunc(w.Spots, func(s Spot) bool { return s.Own }) {
		entry("where the observer is", true)
	}
	if w.None != "" && slices.ContainsFunc(w.Spots, func(s Spot) bool { return !finite(s.Value) }) {
		entry(w.None, false)
	}
}

// words says what a map has, for who cannot see it.
func (w *World) words() string {
	return fmt.Sprintf("A map of the world with %s, coloured by %s", plural.Of(len(w.Spots), "site"), w.Values)
}
