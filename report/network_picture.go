// The network of a run or of a scenario, drawn with its latencies: an SVG file that
// stands alone.

package report

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"overhear/record"
	"overhear/sim"
)

// MostNodes is how many a network's picture shows legibly.
const MostNodes = 300

// mostLabels is on how many edges there is room to write.
const mostLabels = 40

// NetworkPicture is a graph with a latency and a loss by edge.
type NetworkPicture struct {
	Title, Text string
	Nodes       int
	Edges       []NetworkEdge
}

// NetworkEdge is an edge of a picture; both directions are one.
type NetworkEdge struct {
	Between [2]int
	Latency float64 // ms; NaN: no packet arrived
	Loss    float64 // share of packets; NaN: none was sent
	Note    string  // further, in words
}

// DeclaredNetwork is a graph with what a scenario says of its links.
func DeclaredNetwork(name string, g *sim.Graph, link sim.Link, overrides []sim.Override) (*NetworkPicture, error) {
	p := &NetworkPicture{Title: name + ": its network", Nodes: g.Order()}
	p.Text = fmt.Sprintf("%s and %s. On each edge, the median latency that the scenario gives it.", plural(g.Order(), "node", "nodes"), plural(g.Size(), "edge", "edges"))
	at := map[[2]int]int{}
	for k, pair := range g.Pairs() {
		at[pair] = k
		p.Edges = append(p.Edges, NetworkEdge{pair, median(link.Latency), link.Loss, law(link.Latency)})
	}
	for _, o := range overrides {
		k, ok := at[[2]int{min(o.Between[0], o.Between[1]), max(o.Between[0], o.Between[1])}]
		if !ok {
			return nil, fmt.Errorf("network.links has an exception for %d-%d, which is no edge", o.Between[0], o.Between[1])
		}
		e := &p.Edges[k] // the last of several is in force, as in a run
		*e = NetworkEdge{e.Between, median(link.Latency), link.Loss, law(link.Latency)}
		if o.Latency != nil {
			e.Latency, e.Note = median(*o.Latency), law(*o.Latency)
		}
		if o.Loss != nil {
			e.Loss = *o.Loss
		}
	}
	return p, nil
}

// median is that of a latency, in ms: the mean of some laws is infinite.
func median(l sim.Latency) float64 {
	const ms = 1e-6
	switch l.Kind {
	case "uniform":
		return ms * float64(l.Low+(l.High-l.Low)/2)
	case "exponential":
		return ms * float64(l.Mean) * math.Ln2
	case "lognormal":
		return ms * float64(l.Median)
	case "pareto":
		return ms * float64(l.Scale) * math.Pow(2, 1/l.Shape)
	}
	return ms * float64(l.Value)
}

// law is a latency's distribution in words.
func law(l sim.Latency) string {
	switch l.Kind {
	case "uniform":
		return fmt.Sprintf("uniform from %v to %v", l.Low, l.High)
	case "exponential":
		return fmt.Sprintf("exponential, mean %v", l.Mean)
	case "lognormal":
		return fmt.Sprintf("lognormal, median %v, sigma %v", l.Median, l.Sigma)
	case "pareto":
		return fmt.Sprintf("Pareto from %v, shape %v", l.Scale, l.Shape)
	}
	return "constant"
}

// MeasuredNetwork is the graph of a run with what became of its packets.
func MeasuredNetwork(r *record.Run, g *sim.Graph) (*NetworkPicture, error) {
	p := &NetworkPicture{Title: fmt.Sprintf("%s, seed %d: its network", r.Info.Name, r.Info.Seed), Nodes: g.Order()}
	type tally struct{ sent, arrived, lost, delay float64 }
	by := map[[2]int]*tally{}
	for _, pair := range g.Pairs() {
		by[pair] = new(tally)
	}
	users, total := 0, 0
	err := r.Messages(func(m record.Message) error {
		t := by[[2]int{int(min(m.Src, m.Dst)), int(max(m.Src, m.Dst))}]
		if t == nil { // a user of a survey, who is no node
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
		p.Edges = append(p.Edges, NetworkEdge{pair, t.delay / t.arrived, t.lost / t.sent, plural(int(t.sent), "packet", "packets")})
	}
	p.Text = fmt.Sprintf("%s and %s. On each edge, the mean latency of the packets that arrived, in both directions; there were %s.",
		plural(g.Order(), "node", "nodes"), plural(g.Size(), "edge", "edges"), plural(total, "packet", "packets"))
	if users > 0 {
		p.Text += fmt.Sprintf(" The users of the survey and their %s are left out.", plural(users, "packet", "packets"))
	}
	return p, nil
}

// shades are those of latencies, from the least to the greatest: ever darker, so
// that they are told apart without colour too.
var shades = [][3]float64{{236, 164, 40}, {219, 98, 32}, {163, 34, 46}, {62, 8, 40}}

func shade(t float64) string {
	at := min(max(t, 0), 1) * float64(len(shades)-1)
	k := min(int(at), len(shades)-2)
	c := [3]float64{}
	for i := range c {
		c[i] = shades[k][i] + (at-float64(k))*(shades[k+1][i]-shades[k][i])
	}
	return fmt.Sprintf("#%02x%02x%02x", int(c[0]+0.5), int(c[1]+0.5), int(c[2]+0.5))
}

// scale gives latencies their place between the least and the greatest, in
// logarithms where they are far apart. It spans a factor of two at least, so that
// small differences look small.
type scale struct {
	low, high float64
	log, one  bool // one: there is a single latency
}

func (p *NetworkPicture) scale() (s scale, ok bool) {
	s.low, s.high = math.Inf(1), math.Inf(-1)
	for _, e := range p.Edges {
		if finite(e.Latency) {
			s.low, s.high = math.Min(s.low, e.Latency), math.Max(s.high, e.Latency)
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

const pictureStyle = `<style>
text{font-family:system-ui,sans-serif;fill:#1f2328}
.title{font-size:17px;font-weight:600}
.edge{fill:none;stroke-linecap:butt}
.node{fill:#fff;stroke:#1f2328;stroke-width:1.4}
</style>`

// SVG is the picture. It brings its own white ground, so that it reads on any.
func (p *NetworkPicture) SVG() []byte {
	const margin = 34.0
	width := 760 * math.Sqrt(math.Max(1, float64(p.Nodes)/60))
	at, height, radius := p.place(width-2*margin, 0.78*width-2*margin)
	scale, known := p.scale()
	c := new(canvas)

	c.label(margin, 34, "start", p.Title, "title")
	y := 54.0
	for _, line := range wrapped(p.Text, width-2*margin) {
		c.label(margin, y, "start", line, "tick")
		y += 18
	}
	y += p.key(c, margin, y, scale, known)
	top := y + margin
	for k := range at {
		at[k].x, at[k].y = at[k].x+margin, at[k].y+top
	}

	thin := 1.0
	if len(p.Edges) > 200 {
		thin = 0.6
	}
	var taken []box
	for _, a := range at {
		taken = append(taken, box{a.x - radius, a.y - radius, a.x + radius, a.y + radius})
	}
	order := slices.Clone(p.Edges) // the slow ones on top
	slices.SortStableFunc(order, func(a, b NetworkEdge) int { return cmp.Compare(a.Latency, b.Latency) })
	var labels []string
	for _, e := range order {
		from, to := at[e.Between[0]], at[e.Between[1]]
		look := `stroke="#8a9099" stroke-width="1.2" stroke-dasharray="1 4"`
		tip := fmt.Sprintf("%d–%d: no packet arrived", e.Between[0], e.Between[1])
		if finite(e.Latency) {
			look = fmt.Sprintf(`stroke="%s" stroke-width="%.2f"`, shade(scale.at(e.Latency)), thin*(1.6+2.6*scale.at(e.Latency)))
			if e.Loss > 0 {
				look += ` stroke-dasharray="7 4"`
			}
			tip = fmt.Sprintf("%d–%d: %s", e.Between[0], e.Between[1], millis(e.Latency))
		}
		if e.Loss > 0 {
			tip += ", " + share(e.Loss) + " lost"
		}
		c.put(`<path d="M%.1f %.1fL%.1f %.1f" class="edge" %s><title>%s</title></path>`, from.x, from.y, to.x, to.y, look, html.EscapeString(tip+", "+e.Note))
		if len(p.Edges) <= mostLabels && finite(e.Latency) && !scale.one || e.Loss > 0 && len(p.Edges) <= mostLabels {
			labels = append(labels, p.label(from, to, e, &taken))
		}
	}
	number := math.Min(13, 2.3*radius/math.Max(2, float64(len(fmt.Sprint(p.Nodes-1)))))
	for k, a := range at {
		c.put(`<circle cx="%.1f" cy="%.1f" r="%.1f" class="node"><title>node %d</title></circle>`, a.x, a.y, radius, k)
		c.put(`<text x="%.1f" y="%.1f" text-anchor="middle" font-size="%.1f">%d</text>`, a.x, a.y+0.36*number, number, k)
	}
	c.put("%s", strings.Join(labels, ""))
	height += top + margin

	desc := p.Text
	if known && !scale.one {
		desc += fmt.Sprintf(" Latencies are between %s.", p.extremes())
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-size="%.0f">
<title id="title">%s</title>
<desc id="desc">%s</desc>
%s
<rect width="100%%" height="100%%" fill="#fff"/>
%s</svg>
`, width, height, width, height, textSize, html.EscapeString(p.Title), html.EscapeString(desc), pictureStyle, c.String())
}

// wrapped breaks a text into lines.
func wrapped(text string, width float64) []string {
	var lines []string
	for word := range strings.FieldsSeq(text) {
		if last := len(lines) - 1; last >= 0 && textWidth(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// extremes names the fastest and the slowest edge.
func (p *NetworkPicture) extremes() string {
	var fast, slow *NetworkEdge
	for k := range p.Edges {
		e := &p.Edges[k]
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
	return fmt.Sprintf("%s on edge %d–%d and %s on edge %d–%d", millis(fast.Latency), fast.Between[0], fast.Between[1], millis(slow.Latency), slow.Between[0], slow.Between[1])
}

// place lays the nodes out in a room, and returns how high they are and how large.
func (p *NetworkPicture) place(width, tallest float64) (at []point, height, radius float64) {
	n := &record.Network{Nodes: p.Nodes}
	for _, e := range p.Edges {
		n.Edges = append(n.Edges, e.Between)
	}
	at = layout(n)
	low, high := at[0], at[0]
	for _, a := range at {
		low = point{math.Min(low.x, a.x), math.Min(low.y, a.y)}
		high = point{math.Max(high.x, a.x), math.Max(high.y, a.y)}
	}
	factor := math.Min(width/math.Max(high.x-low.x, 1e-9), tallest/math.Max(high.y-low.y, 1e-9))
	if p.Nodes == 1 {
		factor = 1
	}
	var nearest []float64
	height = factor * (high.y - low.y)
	for k, a := range at {
		at[k] = point{width/2 + factor*(a.x-(low.x+high.x)/2), factor * (a.y - low.y)}
	}
	for k, a := range at {
		closest := math.Inf(1)
		for j, b := range at {
			if j != k {
				closest = math.Min(closest, math.Hypot(a.x-b.x, a.y-b.y))
			}
		}
		nearest = append(nearest, closest)
	}
	slices.Sort(nearest) // a few nodes that touch are better than all of them tiny
	return at, height, math.Max(5, math.Min(15, 0.46*nearest[len(nearest)/20]))
}

// label writes an edge's latency beside its middle, or nearer one of its ends
// where something is in the way; nowhere if everything is.
func (p *NetworkPicture) label(from, to point, e NetworkEdge, taken *[]box) string {
	lines := []string{"none arrived"}
	if finite(e.Latency) {
		lines[0] = millis(e.Latency)
	}
	if e.Loss > 0 {
		lines = append(lines, share(e.Loss)+" lost")
	}
	const size = 11.0
	half, high := 0.0, float64(len(lines))*(size+1)/2
	for _, l := range lines {
		half = math.Max(half, textWidth(l)*size/textSize/2)
	}
	for _, t := range []float64{0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78} {
		x, y := from.x+t*(to.x-from.x), from.y+t*(to.y-from.y)
		room := box{x - half, y - high, x + half, y + high}
		if slices.ContainsFunc(*taken, room.meets) {
			continue
		}
		*taken = append(*taken, room)
		text := fmt.Sprintf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="#fff" fill-opacity="0.88"/>`+"\n", x-half, y-high, 2*half, 2*high)
		for k, l := range lines {
			text += fmt.Sprintf(`<text x="%.1f" y="%.1f" text-anchor="middle" font-size="%.0f">%s</text>`+"\n", x, y-high+0.86*size+float64(k)*(size+1), size, html.EscapeString(l))
		}
		return text
	}
	return ""
}

// key explains colours and dashes, and returns how high it is.
func (p *NetworkPicture) key(c *canvas, x, y float64, s scale, known bool) float64 {
	const long, steps = 220.0, 44
	height := 0.0
	switch {
	case known && s.one:
		c.put(`<path d="M%.1f %.1fh30" class="edge" stroke="%s" stroke-width="2.9"/>`, x, y, shade(0.5))
		c.label(x+38, y+4.5, "start", millis(s.low)+" on every edge", "tick")
		height += 22
	case known:
		for k := range steps { // wedges, as the slow edges are wider
			t := (float64(k) + 0.5) / steps
			c.put(`<path d="M%.1f %.1fh%.2f" class="edge" stroke="%s" stroke-width="%.2f"/>`, x+long*float64(k)/steps, y, long/steps+0.3, shade(t), 3*(1.6+2.6*t))
		}
		c.label(x, y+22, "start", millis(s.low), "tick")
		c.label(x+long/2, y+22, "middle", millis(s.value(0.5)), "tick")
		c.label(x+long, y+22, "end", millis(s.high), "tick")
		height += 38
	}
	right, line := x+long+40, y // beside a scale, or below a line
	if !known || s.one {
		right, line = x, y+height
	}
	sample := func(look, text string) {
		c.put(`<path d="M%.1f %.1fh30" class="edge" %s/>`, right, line, look)
		c.label(right+38, line+4.5, "start", text, "tick")
		line += 20
	}
	if slices.ContainsFunc(p.Edges, func(e NetworkEdge) bool { return e.Loss > 0 && finite(e.Latency) }) {
		sample(`stroke="#a3222e" stroke-width="2.5" stroke-dasharray="7 4"`, "loses packets")
	}
	if slices.ContainsFunc(p.Edges, func(e NetworkEdge) bool { return !finite(e.Latency) }) {
		sample(`stroke="#8a9099" stroke-width="1.2" stroke-dasharray="1 4"`, "no packet arrived")
	}
	return math.Max(height, line-y)
}
