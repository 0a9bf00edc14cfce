// The network of a run, drawn with what leaked from each node.

package report

import (
	"fmt"
	"html"
	"math"
	"slices"

	"overhear/record"
)

// point is a place in the plane.
type point struct{ x, y float64 }

// neighbours lists each node's.
func neighbours(n *record.Network) [][]int {
	all := make([][]int, n.Nodes)
	for _, e := range n.Edges {
		if e[0] != e[1] && !slices.Contains(all[e[0]], e[1]) {
			all[e[0]], all[e[1]] = append(all[e[0]], e[1]), append(all[e[1]], e[0])
		}
	}
	return all
}

// distances are the hops from a node; what cannot be reached is far.
func distances(links [][]int, from int) []int {
	hops := make([]int, len(links))
	for k := range hops {
		hops[k] = -1
	}
	hops[from] = 0
	queue := []int{from}
	farthest := 0
	for len(queue) > 0 {
		k := queue[0]
		queue = queue[1:]
		farthest = hops[k]
		for _, j := range links[k] {
			if hops[j] < 0 {
				hops[j] = hops[k] + 1
				queue = append(queue, j)
			}
		}
	}
	for k := range hops {
		if hops[k] < 0 {
			hops[k] = farthest + 2
		}
	}
	return hops
}

// layout places nodes: on a circle where few or a ring, a star's leaves around
// its hub, and otherwise so that distances are about the hops. It depends on the
// graph alone.
func layout(n *record.Network) []point {
	links := neighbours(n)
	hub, ring := -1, true
	for k, l := range links {
		ring = ring && len(l) == 2
		if len(l) == n.Nodes-1 {
			hub = k
		}
	}
	star := hub >= 0 && n.Nodes > 3
	for k, l := range links {
		star = star && (k == hub || len(l) == 1)
	}
	if ring { // in order around it; several rings are no circle
		order := []int{0}
		for at, last := 0, -1; len(order) <= n.Nodes; {
			next := links[at][0]
			if next == last {
				next = links[at][1]
			}
			if next == 0 {
				break
			}
			order, last, at = append(order, next), at, next
		}
		if len(order) == n.Nodes {
			return circle(order, -1, n.Nodes)
		}
	}
	var order []int
	for k := range links {
		if !star || k != hub {
			order = append(order, k)
		}
	}
	switch {
	case star:
		return circle(order, hub, n.Nodes)
	case n.Nodes <= 12:
		return circle(order, -1, n.Nodes)
	}
	return stress(links)
}

// circle places nodes in order, clockwise from the top.
func circle(order []int, hub, nodes int) []point {
	at := make([]point, nodes)
	for k, node := range order {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(len(order)))
		at[node] = point{sin, -cos}
	}
	if hub >= 0 {
		at[hub] = point{}
	}
	return at
}

// stress minimises Σ (|p_i − p_j| − d_ij)²/d_ij², d in hops, by majorisation:
// each node moves to where the others would have it, in turn, from a start given
// by the hops to four far nodes.
func stress(links [][]int) []point {
	n := len(links)
	d := make([][]int, n)
	for k := range d {
		d[k] = distances(links, k)
	}
	farthest := func(score func(k int) int) int {
		chosen := 0
		for k := range n {
			if score(k) > score(chosen) {
				chosen = k
			}
		}
		return chosen
	}
	a := farthest(func(k int) int { return d[0][k] })
	b := farthest(func(k int) int { return d[a][k] })
	c := farthest(func(k int) int { return min(d[a][k], d[b][k]) })
	e := farthest(func(k int) int { return 2*d[c][k] - abs(d[a][k]-d[b][k]) })
	at := make([]point, n)
	for k := range at { // the spiral tells apart nodes with the same hops
		sin, cos := math.Sincos(2.39996 * float64(k))
		r := 0.4 * math.Sqrt(float64(k)/float64(n))
		at[k] = point{float64(d[a][k]-d[b][k])/2 + r*cos, float64(d[c][k]-d[e][k])/2 + r*sin}
	}
	for range 250 {
		for i := range at {
			var x, y, weight float64
			for j := range at {
				if j == i {
					continue
				}
				hops := float64(d[i][j])
				dx, dy := at[i].x-at[j].x, at[i].y-at[j].y
				away := math.Max(1e-6, math.Sqrt(dx*dx+dy*dy))
				w := 1 / (hops * hops)
				x += w * (at[j].x + hops*dx/away)
				y += w * (at[j].y + hops*dy/away)
				weight += w
			}
			at[i] = point{x / weight, y / weight}
		}
	}
	return levelled(at)
}

func abs(k int) int { return max(k, -k) }

// levelled turns points so that they spread furthest from left to right.
func levelled(at []point) []point {
	var mx, my, xx, xy, yy float64
	for _, p := range at {
		mx, my = mx+p.x/float64(len(at)), my+p.y/float64(len(at))
	}
	for _, p := range at {
		xx, xy, yy = xx+(p.x-mx)*(p.x-mx), xy+(p.x-mx)*(p.y-my), yy+(p.y-my)*(p.y-my)
	}
	sin, cos := math.Sincos(-math.Atan2(2*xy, xx-yy) / 2)
	for k, p := range at {
		at[k] = point{cos*(p.x-mx) - sin*(p.y-my), sin*(p.x-mx) + cos*(p.y-my)}
	}
	return at
}

// leaks are the classes of a node's colour, by the error of its best
// reconstruction.
var leaks = []struct {
	below float64
	label string
}{
	{1e-6, "exact (error < 10⁻⁶)"}, {0.1, "error < 0.1"}, {0.5, "< 0.5"}, {1, "< 1"}, {math.Inf(1), "≥ 1, no better than zero"},
}

func leakOf(err float64) int {
	return slices.IndexFunc(leaks, func(l struct {
		below float64
		label string
	}) bool {
		return err < l.below
	})
}

// leaked is what a network's drawing shows of a node.
type leaked struct {
	error   float64 // NaN: no estimate
	blocked bool
	attack  string
	victim  bool
}

// network draws a graph: by node, what leaked. Alone, it may be wide.
func (a *album) network(title string, n *record.Network, nodes []leaked, alone bool, text string, numbers *table) *drawing {
	if n.Nodes == 0 {
		return nil
	}
	const width, tallest, margin = 520.0, 400.0, 26.0
	at := layout(n)
	var low, high point
	for k, p := range at {
		if k == 0 {
			low, high = p, p
		}
		low = point{math.Min(low.x, p.x), math.Min(low.y, p.y)}
		high = point{math.Max(high.x, p.x), math.Max(high.y, p.y)}
	}
	scale := math.Min((width-2*margin)/math.Max(high.x-low.x, 1e-9), (tallest-2*margin)/math.Max(high.y-low.y, 1e-9))
	if n.Nodes == 1 {
		scale = 1
	}
	height := scale*(high.y-low.y) + 2*margin
	closest := math.Inf(1)
	for k := range at {
		at[k] = point{width/2 + scale*(at[k].x-(low.x+high.x)/2), height/2 + scale*(at[k].y-(low.y+high.y)/2)}
		for j := range k {
			closest = math.Min(closest, math.Hypot(at[k].x-at[j].x, at[k].y-at[j].y))
		}
	}
	radius := math.Max(3.5, math.Min(13, 0.38*closest))

	watched := map[int]bool{}
	for _, k := range n.Watched {
		watched[k] = true
	}
	class := func(k int) string {
		switch {
		case !finite(nodes[k].error) && nodes[k].blocked:
			return "blocked"
		case !finite(nodes[k].error) && nodes[k].victim:
			return "blank"
		case !finite(nodes[k].error):
			return "plain"
		}
		return fmt.Sprintf("leak%d", leakOf(nodes[k].error))
	}
	shape := func(c *canvas, x, y, r float64, class string, square bool, tip string) {
		inside := ""
		if tip != "" {
			inside = "<title>" + html.EscapeString(tip) + "</title>"
		}
		if square {
			c.put(`<path d="M%.1f %.1fh%.1fv%.1fh%.1fz" class="node %s">%s</path>`, x-r, y-r, 2*r, 2*r, -2*r, class, inside)
		} else {
			c.put(`<circle cx="%.1f" cy="%.1f" r="%.1f" class="node %s">%s</circle>`, x, y, r, class, inside)
		}
	}

	c := new(canvas)
	used := map[string]bool{}
	for k := range at {
		used[class(k)] = true
	}
	var entries []entry
	sample := func(class string, square, ring bool) func(*canvas, float64, float64) {
		return func(c *canvas, x, y float64) {
			shape(c, x+12, y, 6, class, square, "")
			if ring {
				c.put(`<circle cx="%.1f" cy="%.1f" r="8.5" class="ring"/>`, x+12, y)
			}
		}
	}
	for k, l := range leaks {
		if name := fmt.Sprintf("leak%d", k); used[name] {
			entries = append(entries, entry{l.label, sample(name, false, false)})
		}
	}
	if used["blocked"] {
		entries = append(entries, entry{"attack blocked", sample("blocked", false, false)})
	}
	if used["blank"] {
		entries = append(entries, entry{"attacked, error not known", sample("blank", false, false)})
	}
	if used["plain"] {
		entries = append(entries, entry{"not attacked", sample("plain", false, false)})
	}
	if len(n.Watched) > 0 {
		entries = append(entries, entry{"watched by the observer", sample("plain", true, false)})
	}
	victims := 0
	for _, l := range nodes {
		if l.victim {
			victims++
		}
	}
	rings := victims <= 3
	if rings {
		entries = append(entries, entry{"victim", sample("plain", false, true)})
	}
	top := legend(c, entries, 6, width-6, 2)

	for _, e := range n.Edges {
		from, to := at[e[0]], at[e[1]]
		kind := "edge"
		if watched[e[0]] || watched[e[1]] {
			kind = "edge seen"
		}
		c.put(`<path d="M%.1f %.1fL%.1f %.1f" class="%s"/>`, from.x, top+from.y, to.x, top+to.y, kind)
	}
	for k, p := range at {
		tip := fmt.Sprintf("node %d", k)
		if finite(nodes[k].error) {
			tip += fmt.Sprintf(": error %s by %s", figures(nodes[k].error), nodes[k].attack)
		} else if nodes[k].blocked {
			tip += ": attack blocked"
		}
		if watched[k] {
			tip += ", watched"
		}
		shape(c, p.x, top+p.y, radius, class(k), watched[k], tip)
		ring := rings && nodes[k].victim
		if ring {
			c.put(`<circle cx="%.1f" cy="%.1f" r="%.1f" class="ring"/>`, p.x, top+p.y, radius*1.25+4)
		}
		switch {
		case radius >= 8.5:
			c.put(`<text x="%.1f" y="%.1f" text-anchor="middle" font-size="%.1f" class="number %s">%d</text>`, p.x, top+p.y+0.36*radius, math.Min(12, radius*1.05), class(k), k)
		case ring || watched[k] && len(n.Watched) <= 6:
			// Beside the node, on the side of the middle's far end.
			side, anchor := radius+7.0, "start"
			if p.x > width-60 {
				side, anchor = -side, "end"
			}
			c.label(p.x+side, top+p.y+4.5, anchor, fmt.Sprint(k), "beside")
		}
	}
	desc := fmt.Sprintf("The network of %d nodes and %d edges, nodes coloured by the error of the best reconstruction of their sample. %s", n.Nodes, len(n.Edges), text)
	svg := c.close(a.n+1, title, desc, width, top+height)
	a.n++
	return &drawing{Title: title, Text: text, SVG: svg, Numbers: numbers, Wide: alone}
}
