// The network of attacked runs: nodes coloured by how near an attack came to their data.

package network

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"overhear/internal/plural"
	"overhear/record"
	"overhear/report/plot"
)

// Leak is what leaked of a node.
type Leak struct {
	Error   float64 // relative error of the best reconstruction; NaN: there is none
	Attack  string  // which found it
	Victim  bool    // the node was attacked
	Blocked bool    // the observer lacked what an attack needs
}

func (l Leak) known() bool { return finite(l.Error) }

// classes are those of a node's colour, by the error of its best reconstruction: from dark red to light blue, which
// differ in lightness too.
var classes = []struct {
	below      float64
	label      string
	fill, text color.Color
}{
	{1e-6, "exact (error < 10⁻⁶)", color.RGBA{165, 15, 21, 255}, light},
	{0.1, "error < 0.1", color.RGBA{239, 90, 60, 255}, dark},
	{0.5, "< 0.5", color.RGBA{252, 165, 111, 255}, dark},
	{1, "< 1", color.RGBA{254, 227, 184, 255}, dark},
	{math.Inf(1), "≥ 1, no better than zero", color.RGBA{185, 215, 234, 255}, dark},
}

// The text on the colours of classes, which are the same on light and on dark ground.
var light, dark = color.RGBA{253, 246, 240, 255}, color.RGBA{20, 23, 26, 255}

func classOf(err float64) int {
	for k, c := range classes {
		if err < c.below {
			return k
		}
	}
	return len(classes) - 1
}

// look is how a node is drawn.
type look struct {
	fill, text color.Color
	outline    plot.Pen
}

var outline = plot.Pen{Color: plot.Text, Width: 1.1}

var (
	plain   = look{plot.Ground, plot.Text, outline}
	blank   = look{plot.Grid, plot.Text, outline}
	blocked = look{plot.Ground, plot.Text, plot.Pen{Color: plot.Text, Width: 1.1, Dashes: []float64{3, 2}}}
)

func (l Leak) look() look {
	switch {
	case l.known():
		c := classes[classOf(l.Error)]
		return look{c.fill, c.text, outline}
	case l.Blocked:
		return blocked
	case l.Victim:
		return blank
	}
	return plain
}

// node draws a disc, or a square if it is watched.
func node(s *plot.Sheet, x, y, r float64, l look, watched bool) {
	if watched {
		s.Box(x-r, y-r, 2*r, 2*r, l.fill, l.outline)
	} else {
		s.Disc(x, y, r, l.fill, l.outline)
	}
}

func ring(s *plot.Sheet, x, y, r float64) {
	s.Disc(x, y, r, nil, plot.Pen{Color: plot.Accent, Width: 2.2})
}

// Leaks draws a network with what leaked of each node, which text sums up; nil if it has no nodes.
func Leaks(title, text string, n *record.Placement, nodes []Leak) *plot.Picture {
	if n.Nodes == 0 {
		return nil
	}
	const width, tallest, margin = 440.0, 340.0, 22.0
	at := layout(n.Nodes, n.Edges)
	height := fit(at, width-2*margin, tallest-2*margin)
	radius := math.Max(3, math.Min(11, 0.38*nearest(at)[0]))
	victims := 0
	for _, l := range nodes {
		if l.Victim {
			victims++
		}
	}
	rings := victims <= 3
	entries := legend(nodes, len(n.Watched) > 0, rings)
	top := plot.LegendHeight(entries, 0, width) + margin
	for k := range at {
		at[k].x, at[k].y = at[k].x+margin, at[k].y+top
	}
	return &plot.Picture{
		Title: title, Width: width, Height: top + height + margin,
		About: fmt.Sprintf("The network of %s and %s, nodes coloured by the error of the best "+
			"reconstruction "+
			"of their sample. %s", plural.Of(n.Nodes, "node"), plural.Of(len(n.Edges), "edge"), text),
		Paint: func(s *plot.Sheet) {
			s.Legend(entries, 0, width, 0)
			for _, e := range n.Edges {
				pen := plot.Pen{Color: plot.Frame, Width: 0.7}
				if slices.Contains(n.Watched, e[0]) || slices.Contains(n.Watched, e[1]) {
					pen = plot.Pen{Color: plot.Text, Width: 1.4}
				}
				s.Line(at[e[0]].x, at[e[0]].y, at[e[1]].x, at[e[1]].y, pen)
			}
			for k, p := range at {
				watched := slices.Contains(n.Watched, k)
				look := nodes[k].look()
				node(s, p.x, p.y, radius, look, watched)
				if rings && nodes[k].Victim {
					ring(s, p.x, p.y, radius*1.25+3)
				}
				number(s, p, k, radius, look, width, rings && nodes[k].Victim || watched && len(n.Watched) <= 6)
				s.DiscTip(p.x, p.y, radius, tip(k, nodes[k], watched))
			}
		},
	}
}

// number writes a node's number on it, or beside it where it is too small and singled out.
func number(s *plot.Sheet, p point, k int, radius float64, l look, width float64, singled bool) {
	words := fmt.Sprint(k)
	if radius >= 7 {
		size := math.Min(10.5, radius*1.05)
		s.Write(p.x, p.y+0.36*size, plot.Middle, words, size, l.text)
		return
	}
	if !singled {
		return
	}
	long := plot.Width(words, plot.TextSize)
	left := p.x + radius + 6
	if p.x > width-50 {
		left = p.x - radius - 6 - long
	}
	s.Box(left-1, p.y-0.5*plot.TextSize, long+2, plot.TextSize, plot.Ground, plot.Pen{})
	s.Write(left, p.y+0.36*plot.TextSize, plot.Start, words, plot.TextSize, plot.Text)
}

// tip is what a viewer says of a node.
func tip(k int, l Leak, watched bool) string {
	words := fmt.Sprintf("node %d", k)
	if l.known() {
		words += fmt.Sprintf(": error %s by %s", plot.Number(l.Error), l.Attack)
	} else if l.Blocked {
		words += ": attack blocked"
	}
	if watched {
		words += ", watched"
	}
	return words
}

// legend explains the looks that are there.
func legend(nodes []Leak, watched, rings bool) []plot.Entry {
	sample := func(l look, square, ringed bool) func(*plot.Sheet, float64, float64) {
		return func(s *plot.Sheet, x, y float64) {
			node(s, x+12, y, 5, l, square)
			if ringed {
				ring(s, x+12, y, 7)
			}
		}
	}
	any := func(is func(Leak) bool) bool { return slices.ContainsFunc(nodes, is) }
	var all []plot.Entry
	for k, c := range classes {
		if any(func(l Leak) bool { return l.known() && classOf(l.Error) == k }) {
			all = append(all, plot.Entry{Label: c.label, Sample: sample(look{c.fill, c.text, outline}, false, false)})
		}
	}
	if any(func(l Leak) bool { return !l.known() && l.Blocked }) {
		all = append(all, plot.Entry{Label: "attack blocked", Sample: sample(blocked, false, false)})
	}
	if any(func(l Leak) bool { return !l.known() && !l.Blocked && l.Victim }) {
		all = append(all, plot.Entry{Label: "attacked, error not known", Sample: sample(blank, false, false)})
	}
	if any(func(l Leak) bool { return !l.known() && !l.Blocked && !l.Victim }) {
		all = append(all, plot.Entry{Label: "not attacked", Sample: sample(plain, false, false)})
	}
	if watched {
		all = append(all, plot.Entry{Label: "watched by the observer", Sample: sample(plain, true, false)})
	}
	if rings {
		all = append(all, plot.Entry{Label: "victim", Sample: sample(plain, false, true)})
	}
	return all
}
