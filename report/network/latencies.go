// The network of a run or of a scenario, drawn with its latencies and losses.

package network

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"overhear/internal/plural"
	"overhear/record"
	"overhear/report/plot"
	"overhear/sim"
)

// MostNodes is how many a network's picture shows legibly.
const MostNodes = 300

// mostLabels is on how many edges there is room to write.
const mostLabels = 40

// Latencies is a graph with a latency and a loss by edge.
type Latencies struct {
	Title, Text string
	Nodes       int
	Edges       []Edge
}

// Edge is an edge of a picture; both directions are one.
type Edge struct {
	Between [2]int
	Latency float64 // ms; NaN: no packet arrived
	Loss    float64 // share of packets; NaN: none was sent
	Note    string  // further, in words
}

// Declared is a graph with what a scenario says of its links.
func Declared(name string, g *sim.Graph, link sim.Link, overrides []sim.Override) (*Latencies, error) {
	p := &Latencies{Title: name + ": its network", Nodes: g.Order()}
	p.Text = fmt.Sprintf("%s and %s. On each edge, the median latency that the scenario gives it.",
		plural.Of(g.Order(), "node"), plural.Of(g.Size(), "edge"))
	at := map[[2]int]int{}
	for k, pair := range g.Pairs() {
		at[pair] = k
		p.Edges = append(p.Edges, declared(pair, link))
	}
	for _, o := range overrides {
		k, ok := at[[2]int{min(o.Between[0], o.Between[1]), max(o.Between[0], o.Between[1])}]
		if !ok {
			return nil, fmt.Errorf("network.links has an exception for %d-%d, which is no edge", o.Between[0],
				o.Between[1])
		}
		e := &p.Edges[k] // the last of several is in force, as in a run
		*e = declared(e.Between, link)
		if o.Latency != nil {
			e.Latency, e.Note = 1e3*o.Latency.MedianSeconds(), o.Latency.Words()
		}
		if o.Loss != nil {
			e.Loss = *o.Loss
		}
	}
	return p, nil
}

// declared is an edge as a scenario has it; where directions differ, with the mean of both.
func declared(pair [2]int, link sim.Link) Edge {
	there, law := link.Latency.Between(pair[0], pair[1])
	back, _ := link.Latency.Between(pair[1], pair[0])
	return Edge{pair, 5e2*(there+back).Seconds() + 1e3*law.MedianSeconds(), link.Loss, link.Latency.Words()}
}

// Measured is the graph of a run with what became of its packets.
func Measured(r *record.Run, g *sim.Graph) (*Latencies, error) {
	p := &Latencies{Title: fmt.Sprintf("%s, seed %d: its network", r.Info.Name, r.Info.Seed), Nodes: g.Order()}
	type tally struct{ sent, arrived, lost, delay float64 }
	by := map[[2]int]*tally{}
	for _, pair := range g.Pairs() {
		by[pair] = new(tally)
	}
	users, total := 0, 0
	err := r.Messages(func(m record.Message) error {
		t := by[[2]int{int(min(m.Src, m.Dst)), int(max(m.Src, m.Dst))}]
		if t == nil { // a user who registers, who is no node
			users++
			return nil
		}
		total++
		t.sent++
		if m.ReceivedNS < 0 {
			t.lost++
		} else {
			t.arrived++
			t.delay += 1e-6 * float64(m.ReceivedNS-m.SentNS)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, pair := range g.Pairs() {
		t := by[pair]
		packets := plural.Of(int(t.sent), "packet")
		p.Edges = append(p.Edges, Edge{pair, t.delay / t.arrived, t.lost / t.sent, packets})
	}
	p.Text = fmt.Sprintf("%s and %s. On each edge, the mean latency of the packets that arrived, in both directions; "+
		"there were %s.", plural.Of(g.Order(), "node"), plural.Of(g.Size(), "edge"),
		plural.Of(total, "packet"))
	if users > 0 {
		p.Text += fmt.Sprintf(" The users who register and their %s are left out.", plural.Of(users, "packet"))
	}
	return p, nil
}

// shades are those of latencies, from the least to the greatest: ever darker, so that they are told apart without
// colour too.
var shades = [][3]float64{{236, 164, 40}, {219, 98, 32}, {163, 34, 46}, {62, 8, 40}}

func shade(t float64) color.RGBA {
	at := min(max(t, 0), 1) * float64(len(shades)-1)
	k := min(int(at), len(shades)-2)
	c := [3]uint8{}
	for i := range c {
		c[i] = uint8(shades[k][i] + (at-float64(k))*(shades[k+1][i]-shades[k][i]) + 0.5)
	}
	return color.RGBA{c[0], c[1], c[2], 255}
}

// scale gives values their place between the least and the greatest, in logarithms where they are far apart. It
// spans a factor of two at least, so that small differences look small.
type scale struct {
	low, high float64
	log, one  bool // one: there is a single value
}

func (l *Latencies) scale() (s scale, ok bool) {
	var values []float64
	for _, e := range l.Edges {
		values = append(values, e.Latency)
	}
	return scaleOf(values)
}

// scaleOf is that of the values which are numbers; false: none is.
func scaleOf(values []float64) (s scale, ok bool) {
	s.low, s.high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
		}
	}
	if s.low > s.high {
		return s, false
	}
	if s.one = s.high-s.low <= 1e-9*s.high; !s.one && s.high < 2*s.low {
		middle := math.Sqrt(s.low * s.high)
		s.low, s.high = middle/math.Sqrt2, middle*math.Sqrt2
	}
	s.log = s.low > 0 && s.high > 10*s.low
	return s, true
}

func (s scale) at(v float64) float64 {
	switch {
	case s.one:
		return 0.5
	case s.log:
		return math.Log(v/s.low) / math.Log(s.high/s.low)
	}
	return (v - s.low) / (s.high - s.low)
}

func (s scale) value(t float64) float64 {
	if s.log {
		return s.low * math.Pow(s.high/s.low, t)
	}
	return s.low + t*(s.high-s.low)
}

// millis is a latency with three digits.
func millis(ms float64) string {
	switch {
	case ms >= 1e5:
		return fmt.Sprintf("%.3g s", ms/1000)
	case ms >= 100:
		return fmt.Sprintf("%.0f ms", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms >= 1:
		return fmt.Sprintf("%.2f ms", ms)
	}
	return fmt.Sprintf("%.3g ms", ms)
}

// share is a share in percent.
func share(v float64) string {
	if v >= 0.0995 {
		return fmt.Sprintf("%.0f %%", 100*v)
	}
	return fmt.Sprintf("%.2g %%", 100*v)
}

// box is the room of a label.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

// crossed says whether a line from a to b passes through the box, as its points do at steps of two points.
func (b box) crossed(from, to point) bool {
	steps := math.Ceil(math.Hypot(to.x-from.x, to.y-from.y) / 2)
	for k := 0.0; k <= steps; k++ {
		x, y := from.x+k/steps*(to.x-from.x), from.y+k/steps*(to.y-from.y)
		if x > b.left && x < b.right && y > b.top && y < b.bottom {
			return true
		}
	}
	return false
}

// pen is that of an edge.
func (s scale) pen(e Edge, thin float64) plot.Pen {
	if !finite(e.Latency) {
		return plot.Pen{Color: plot.Frame, Width: 1.1, Dashes: []float64{1, 4}}
	}
	t := s.at(e.Latency)
	pen := plot.Pen{Color: shade(t), Width: thin * (1.4 + 2.2*t)}
	if e.Loss > 0 {
		pen.Dashes = []float64{6, 3.5}
	}
	return pen
}

// tip is what a viewer says of an edge.
func (e Edge) tip() string {
	words := fmt.Sprintf("%d–%d: no packet arrived", e.Between[0], e.Between[1])
	if finite(e.Latency) {
		words = fmt.Sprintf("%d–%d: %s", e.Between[0], e.Between[1], millis(e.Latency))
	}
	if e.Loss > 0 {
		words += ", " + share(e.Loss) + " lost"
	}
	return words + ", " + e.Note
}

// Picture draws the network, the slow edges on top, with a label on each edge that has something to say if the edges
// are few.
func (l *Latencies) Picture() *plot.Picture {
	const gap = 16.0
	width := 640 * math.Sqrt(math.Max(1, float64(l.Nodes)/60))
	edges := make([][2]int, len(l.Edges))
	for k, e := range l.Edges {
		edges[k] = e.Between
	}
	at := layout(l.Nodes, edges)
	height := fit(at, width-2*gap, 0.78*width-2*gap)
	all := nearest(at) // a few nodes that touch are better than all of them tiny
	radius := math.Max(4.5, math.Min(13, 0.46*all[len(all)/20]))
	scale, known := l.scale()
	key := l.key(scale, known)
	top := key.height + gap + radius
	for k := range at {
		at[k].x, at[k].y = at[k].x+gap, at[k].y+top
	}
	about := l.Text
	if known && !scale.one {
		about += fmt.Sprintf(" Latencies are between %s.", l.extremes())
	}
	thin := 1.0
	if len(l.Edges) > 200 {
		thin = 0.6
	}
	order := slices.Clone(l.Edges)
	slices.SortStableFunc(order, func(a, b Edge) int { return cmp.Compare(a.Latency, b.Latency) })
	return &plot.Picture{
		Title: l.Title, Caption: l.Text, About: about, Width: width, Height: top + height + radius + gap,
		Paint: func(s *plot.Sheet) {
			key.paint(s)
			var taken []box
			for _, a := range at {
				taken = append(taken, box{a.x - radius, a.y - radius, a.x + radius, a.y + radius})
			}
			for _, e := range order {
				from, to := at[e.Between[0]], at[e.Between[1]]
				s.Line(from.x, from.y, to.x, to.y, scale.pen(e, thin))
				s.LineTip(from.x, from.y, to.x, to.y, 6, e.tip())
			}
			size := math.Min(plot.TextSize, 2.3*radius/math.Max(2, float64(len(fmt.Sprint(l.Nodes-1)))))
			for k, a := range at {
				s.Disc(a.x, a.y, radius, plot.Ground, outline)
				s.Write(a.x, a.y+0.36*size, plot.Middle, fmt.Sprint(k), size, plot.Text)
				s.DiscTip(a.x, a.y, radius, fmt.Sprintf("node %d", k))
			}
			if len(order) > mostLabels {
				return
			}
			for _, e := range order {
				others := func(b box) bool { // lines that a reader could take the label to be of
					return slices.ContainsFunc(order, func(o Edge) bool {
						return o.Between != e.Between && b.crossed(at[o.Between[0]], at[o.Between[1]])
					})
				}
				e.label(s, at[e.Between[0]], at[e.Between[1]], !scale.one, &taken, others)
			}
		},
	}
}

// extremes names the fastest and the slowest edge.
func (l *Latencies) extremes() string {
	var fast, slow *Edge
	for k := range l.Edges {
		e := &l.Edges[k]
		if !finite(e.Latency) {
			continue
		}
		if fast == nil || e.Latency < fast.Latency {
			fast = e
		}
		if slow == nil || e.Latency > slow.Latency {
			slow = e
		}
	}
	return fmt.Sprintf("%s on edge %d–%d and %s on edge %d–%d", millis(fast.Latency), fast.Between[0], fast.Between[1],
		millis(slow.Latency), slow.Between[0], slow.Between[1])
}

// label writes an edge's loss, and its latency if the latencies differ, beside its middle, or nearer one of its ends
// where something is in the way: another label, or, as long as there is a better place, the line of another edge.
// It is nowhere if everything is.
func (e Edge) label(s *plot.Sheet, from, to point, latencies bool, taken *[]box, others func(box) bool) {
	const size, apart = 9.5, 4
	var lines []string
	switch {
	case !finite(e.Latency) && e.Loss > 0:
		lines = append(lines, "none arrived")
	case finite(e.Latency) && latencies:
		lines = append(lines, millis(e.Latency))
	}
	if e.Loss > 0 {
		lines = append(lines, share(e.Loss)+" lost")
	}
	if len(lines) == 0 {
		return
	}
	half, high := 0.0, float64(len(lines))*(size+1)/2
	for _, l := range lines {
		half = math.Max(half, 0.57*plot.Width(l, size)) // other fonts are wider
	}
	places := []float64{0.5, 0.46, 0.54, 0.42, 0.58, 0.38, 0.62, 0.34, 0.66, 0.3, 0.7, 0.26, 0.74, 0.22, 0.78}
	for k, t := range append(places, places...) {
		x, y := from.x+t*(to.x-from.x), from.y+t*(to.y-from.y)
		room := box{x - half, y - high, x + half, y + high}
		wide := box{room.left - apart, room.top - apart, room.right + apart, room.bottom + apart}
		if slices.ContainsFunc(*taken, wide.meets) || k < len(places) && others(room) {
			continue
		}
		*taken = append(*taken, room)
		s.Box(x-half, y-high, 2*half, 2*high, color.NRGBA{255, 255, 255, 225}, plot.Pen{})
		for k, l := range lines {
			s.Write(x, y-high+0.86*size+float64(k)*(size+1), plot.Middle, l, size, plot.Text)
		}
		return
	}
}

// key explains colours and dashes.
type key struct {
	height float64
	paint  func(s *plot.Sheet)
}

func (l *Latencies) key(s scale, known bool) key {
	const long, steps, y = 200.0, 44, 8.0
	right, line := 0.0, y // the samples beside the scale, or below one another
	var height float64
	var parts []func(*plot.Sheet)
	put := func(part func(*plot.Sheet)) { parts = append(parts, part) }
	sample := func(pen plot.Pen, words string) {
		x, at := right, line
		put(func(on *plot.Sheet) {
			on.Line(x, at, x+28, at, pen)
			on.Write(x+36, at+4, plot.Start, words, plot.TextSize, plot.Text)
		})
		line += 18
	}
	switch {
	case known && s.one:
		sample(plot.Pen{Color: shade(0.5), Width: 2.5}, millis(s.low)+" on every edge")
	case known:
		put(func(on *plot.Sheet) {
			for k := range steps { // wedges, as the slow edges are wider
				t, x := (float64(k)+0.5)/steps, long*float64(k)/steps
				on.Line(x, y, x+long/steps+0.3, y, plot.Pen{Color: shade(t), Width: 3 * (1.4 + 2.2*t)})
			}
			on.Write(0, y+20, plot.Start, millis(s.low), plot.TextSize, plot.Text)
			on.Write(long/2, y+20, plot.Middle, millis(s.value(0.5)), plot.TextSize, plot.Text)
			on.Write(long, y+20, plot.End, millis(s.high), plot.TextSize, plot.Text)
		})
		height, right = 32, long+36
	}
	if slices.ContainsFunc(l.Edges, func(e Edge) bool { return e.Loss > 0 && finite(e.Latency) }) {
		sample(plot.Pen{Color: shade(0.67), Width: 2.2, Dashes: []float64{6, 3.5}}, "loses packets")
	}
	if slices.ContainsFunc(l.Edges, func(e Edge) bool { return !finite(e.Latency) }) {
		sample(s.pen(Edge{Latency: math.NaN()}, 1), "no packet arrived")
	}
	return key{math.Max(height, line-y), func(on *plot.Sheet) {
		for _, part := range parts {
			part(on)
		}
	}}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
