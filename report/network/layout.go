// Where the nodes of a graph are drawn: it depends on the graph alone.

package network

import (
	"math"
	"slices"
)

// point is a place in the plane.
type point struct{ x, y float64 }

// neighbours lists each node's.
func neighbours(nodes int, edges [][2]int) [][]int {
	all := make([][]int, nodes)
	for _, e := range edges {
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
func layout(nodes int, edges [][2]int) []point {
	links := neighbours(nodes, edges)
	hub, ring := -1, true
	for k, l := range links {
		ring = ring && len(l) == 2
		if len(l) == nodes-1 {
			hub = k
		}
	}
	star := hub >= 0 && nodes > 3
	for k, l := range links {
		star = star && (k == hub || len(l) == 1)
	}
	if ring { // in order around it; several rings are no circle
		order := []int{0}
		for at, last := 0, -1; len(order) <= nodes; {
			next := links[at][0]
			if next == last {
				next = links[at][1]
			}
			if next == 0 {
				break
			}
			order, last, at = append(order, next), at, next
		}
		if len(order) == nodes {
			return circle(order, -1, nodes)
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
		return circle(order, hub, nodes)
	case nodes <= 12:
		return circle(order, -1, nodes)
	}
	return stress(links)
}

// Places are where nodes are drawn, as pairs of numbers in a square of width 2 around zero. They depend on the graph
// alone.
func Places(nodes int, edges [][2]int) [][2]float64 {
	if nodes == 0 {
		return nil
	}
	at := layout(nodes, edges)
	low, high := at[0], at[0]
	for _, p := range at {
		low = point{math.Min(low.x, p.x), math.Min(low.y, p.y)}
		high = point{math.Max(high.x, p.x), math.Max(high.y, p.y)}
	}
	half := math.Max(math.Max(high.x-low.x, high.y-low.y)/2, 1e-9)
	all := make([][2]float64, nodes)
	for k, p := range at {
		all[k] = [2]float64{(p.x - (low.x+high.x)/2) / half, (p.y - (low.y+high.y)/2) / half}
	}
	return all
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

// fit scales and moves places into a room of a width and at most a height, and returns how high they are.
func fit(at []point, width, tallest float64) (height float64) {
	low, high := at[0], at[0]
	for _, p := range at {
		low = point{math.Min(low.x, p.x), math.Min(low.y, p.y)}
		high = point{math.Max(high.x, p.x), math.Max(high.y, p.y)}
	}
	scale := math.Min(width/math.Max(high.x-low.x, 1e-9), tallest/math.Max(high.y-low.y, 1e-9))
	if len(at) == 1 {
		scale = 1
	}
	for k, p := range at {
		at[k] = point{width/2 + scale*(p.x-(low.x+high.x)/2), scale * (p.y - low.y)}
	}
	return scale * (high.y - low.y)
}

// nearest are the distances of each place to the one next to it, least first.
func nearest(at []point) []float64 {
	var all []float64
	for k, a := range at {
		closest := math.Inf(1)
		for j, b := range at {
			if j != k {
				closest = math.Min(closest, math.Hypot(a.x-b.x, a.y-b.y))
			}
		}
		all = append(all, closest)
	}
	slices.Sort(all)
	return all
}
