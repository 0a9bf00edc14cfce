// Names beside marks: none on another, nor on a mark, with a line to the mark where it is not next to it.

package network

import (
	"cmp"
	"math"
	"slices"

	"overhear/report/plot"
)

// label is a text with its room, and the mark that it is of.
type label struct {
	words string
	size  float64
	room  box
	of    point
	far   bool // a line leads from the mark to it
}

// beside finds room within a frame for names beside marks of a radius, the most crowded first. A name that has none is
// left out.
func beside(marks []point, names []string, size, radius float64, within box) (all []label) {
	var taken []box
	for _, m := range marks {
		const clear = 1.2
		taken = append(taken, box{m.x - radius - clear, m.y - radius - clear, m.x + radius + clear,
			m.y + radius + clear})
	}
	var leaders [][2]point
	for _, k := range crowded(marks) {
		best, found := label{}, false
		cost := math.Inf(1)
		away := outward(marks, k)
		half := 0.57*plot.Width(names[k], size) + 0.5 // other fonts are wider
		for _, reach := range []float64{0, 3, 7, 12, 18, 26, 34, 44, 56, 70, 86} {
			for step := range 32 {
				sin, cos := math.Sincos(2 * math.Pi * float64(step) / 32)
				l := label{words: names[k], size: size, of: marks[k], far: reach > 7}
				l.room = touching(marks[k], radius+2+reach, half, size/2, cos, sin)
				turned := 1 - (cos*away.x + sin*away.y) // 0 outward, 2 inward
				price := reach + 9*turned + 2*math.Abs(sin)
				if price >= cost || !l.fits(taken, leaders, within, k) {
					continue
				}
				best, cost, found = l, price, true
			}
		}
		if !found {
			continue
		}
		all, taken = append(all, best), append(taken, best.room)
		if best.far {
			leaders = append(leaders, [2]point{best.of, best.end()})
		}
	}
	return all
}

// touching is a box of a size that touches a circle from outside, in a direction.
func touching(middle point, radius, half, high, cos, sin float64) box {
	x, y := middle.x+radius*cos, middle.y+radius*sin // where it is touched: by its nearest corner, or side
	at := point{x + half*cos, y + high*sin}
	if math.Abs(cos) > 0.3 {
		at.x = x + math.Copysign(half, cos)
	}
	if math.Abs(sin) > 0.9 {
		at.y = y + math.Copysign(high, sin)
	}
	return box{at.x - half, at.y - high, at.x + half, at.y + high}
}

// fits says whether nothing is in the way of a label and of its line.
func (l label) fits(taken []box, leaders [][2]point, within box, own int) bool {
	if l.room.left < within.left+2 || l.room.right > within.right-2 || l.room.top < within.top+2 ||
		l.room.bottom > within.bottom-2 || slices.ContainsFunc(taken, l.room.meets) {
		return false
	}
	for _, other := range leaders {
		if l.room.crossed(other[0], other[1]) || l.far && cross(l.of, l.end(), other[0], other[1]) {
			return false
		}
	}
	if !l.far {
		return true
	}
	for k, b := range taken {
		if k != own && b.crossed(l.of, l.end()) {
			return false
		}
	}
	return true
}

// end is where the line from the mark ends: the nearest point of the label.
func (l label) end() point {
	return point{math.Min(math.Max(l.of.x, l.room.left+4), l.room.right-4),
		math.Min(math.Max(l.of.y, l.room.top+1), l.room.bottom-1)}
}

func (l label) leader(on *plot.Sheet) {
	if e := l.end(); l.far {
		on.Line(l.of.x, l.of.y, e.x, e.y, plot.Pen{Color: plot.Text, Width: 0.5})
	}
}

func (l label) write(on *plot.Sheet) {
	on.Box(l.room.left, l.room.top, l.room.right-l.room.left, l.room.bottom-l.room.top, halo, plot.Pen{})
	on.Write((l.room.left+l.room.right)/2, l.room.bottom-0.2*l.size, plot.Middle, l.words, l.size, plot.Text)
}

// cross says whether two lines do.
func cross(a, b, c, d point) bool {
	side := func(p, q, r point) float64 { return (q.x-p.x)*(r.y-p.y) - (q.y-p.y)*(r.x-p.x) }
	return side(a, b, c)*side(a, b, d) < 0 && side(c, d, a)*side(c, d, b) < 0
}

// near is how far a mark is that crowds another.
const near = 70.0

// crowded are the marks by how many others are near, most first.
func crowded(marks []point) []int {
	counts, order := make([]int, len(marks)), make([]int, len(marks))
	for i, a := range marks {
		order[i] = i
		for j, b := range marks {
			if i != j && math.Hypot(a.x-b.x, a.y-b.y) < near {
				counts[i]++
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(counts[j], counts[i]) })
	return order
}

// outward is the direction away from what is near, of length 1; none where nothing is.
func outward(marks []point, k int) point {
	var sum point
	for j, m := range marks {
		dx, dy := marks[k].x-m.x, marks[k].y-m.y
		if d := math.Hypot(dx, dy); j != k && d < near {
			sum.x, sum.y = sum.x+dx/math.Max(d*d, 1), sum.y+dy/math.Max(d*d, 1)
		}
	}
	if d := math.Hypot(sum.x, sum.y); d > 0 {
		return point{sum.x / d, sum.y / d}
	}
	return sum
}
