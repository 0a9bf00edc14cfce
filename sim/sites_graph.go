// Graphs that follow the sites on which nodes are: the nearest, those within a distance, regions with gateways.

package sim

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"overhear/internal/num"
)

// earthRadius is the mean one, in km.
const earthRadius = 6371

// position is where a site is, in degrees.
type position struct{ Latitude, Longitude float64 }

// vector is from the middle of the Earth to a position, of length 1.
func (p position) vector() [3]float64 {
	sinLat, cosLat := num.SinCosDegrees(p.Latitude)
	sinLon, cosLon := num.SinCosDegrees(p.Longitude)
	return [3]float64{float64(cosLat * cosLon), float64(cosLat * sinLon), sinLat}
}

// straight is the square of the straight line between two positions on a globe of radius 1, which grows with the
// distance over its surface.
func straight(a, b position) (sum float64) {
	u, v := a.vector(), b.vector()
	for k := range u {
		d := u[k] - v[k]
		sum += float64(d * d)
	}
	return sum
}

// kilometres is the distance over the surface that a squared straight line spans.
func kilometres(straight float64) float64 {
	low, high := 0.0, 180.0 // degrees
	for range 60 {
		if middle := (low + high) / 2; chord(middle) < straight {
			low = middle
		} else {
			high = middle
		}
	}
	return high * (math.Pi / 180) * earthRadius
}

// chord is the square of the straight line that an angle in degrees spans.
func chord(degrees float64) float64 {
	sin, _ := num.SinCosDegrees(degrees / 2)
	return 4 * float64(sin*sin)
}

// Position is a site's latitude and longitude in degrees, north and east positive; false: it is not known.
func (s *Sites) Position(site int) (latitude, longitude float64, known bool) {
	if s.positions == nil {
		return 0, 0, false
	}
	p := s.positions[site]
	return p.Latitude, p.Longitude, true
}

// locateFile reads where the sites are.
func (s *Sites) locateFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.locate(path, f)
}

// locate reads lines of a site, its latitude and its longitude; sites that there are not are skipped.
func (s *Sites) locate(name string, in io.Reader) error {
	rows, err := readTable(name, in)
	if err != nil {
		return err
	}
	known := make([]bool, s.Order())
	s.positions = make([]position, s.Order())
	for k, row := range rows {
		wrong := func(c cell, format string, args ...any) error {
			return fmt.Errorf("%s:%d:%d: %s", name, c.line, c.column, fmt.Sprintf(format, args...))
		}
		if len(row) < 3 {
			return wrong(row[0], "must be a site, its latitude and its longitude; has %d fields", len(row))
		}
		if k == 0 && !numeric(row[1].text) && !numeric(row[2].text) {
			continue // a line of names
		}
		var at [2]float64
		for i, most := range []float64{90, 180} {
			v, err := strconv.ParseFloat(row[1+i].text, 64)
			if err != nil || !(math.Abs(v) <= most) {
				what := []string{"latitude", "longitude"}[i]
				return wrong(row[1+i], "must be a %s from -%v to %v degrees, is %q", what, most, most, row[1+i].text)
			}
			at[i] = v
		}
		site := slices.Index(s.Names, row[0].text)
		switch {
		case site < 0:
			continue
		case known[site]:
			return wrong(row[0], "the site %q is given twice", row[0].text)
		}
		known[site], s.positions[site] = true, position{at[0], at[1]}
	}
	if k := slices.Index(known, false); k >= 0 {
		return fmt.Errorf("%s: the site %q has no position", name, s.Names[k])
	}
	return nil
}

// members are the nodes of each site.
func (p *Placed) members() [][]int {
	all := make([][]int, p.Order())
	for i, k := range p.at {
		all[k] = append(all[k], i)
	}
	return all
}

// apartBoth is what a packet takes there and back.
func (s *Sites) apartBoth(a, b int) Duration { return s.Delay(a, b) + s.Delay(b, a) }

// nearest joins each node with so many others that are nearest by what a packet takes there and back; the seed chooses
// among those of one site. Pieces are then joined by the shortest edges that do so.
func (p *Placed) nearest(count int, s *Stream) [][2]int {
	members, n := p.members(), p.Order()
	adjacent := newAdjacency(len(p.at))
	order := make([][]int, n) // of each site, all sites by their distance
	for a := range n {
		if members[a] == nil {
			continue
		}
		for b := range n {
			order[a] = append(order[a], b)
		}
		slices.SortStableFunc(order[a], func(b, c int) int {
			return cmp.Compare(p.apartBoth(a, b), p.apartBoth(a, c))
		})
	}
	for i, at := range p.at {
		left := count
		for _, site := range order[at] {
			others := members[site]
			if left < len(others) {
				others = s.some(others, left, i)
			}
			for _, j := range others {
				if left == 0 {
					break
				}
				if j == i {
					continue
				}
				left--
				if !adjacent.has(i, j) {
					adjacent.add(i, j)
				}
			}
			if left == 0 {
				break
			}
		}
	}
	p.join(adjacent)
	return adjacent.edges()
}

// some draws so many of a list that are not i, which may be in it.
func (s *Stream) some(list []int, count, i int) []int {
	var drawn []int
	for len(drawn) < min(count, len(list)-1) {
		if j := list[s.IntN(len(list))]; j != i && !slices.Contains(drawn, j) {
			drawn = append(drawn, j)
		}
	}
	return drawn
}

// join adds the edges that make a graph one piece: within sites first, then the shortest between sites (Kruskal).
func (p *Placed) join(adjacent adjacency) {
	piece := make([]int, len(p.at)) // union and find
	for i := range piece {
		piece[i] = i
	}
	find := func(i int) int {
		for piece[i] != i {
			piece[i] = piece[piece[i]]
			i = piece[i]
		}
		return i
	}
	unite := func(i, j int) bool {
		a, b := find(i), find(j)
		piece[max(a, b)] = min(a, b)
		return a != b
	}
	for i, row := range adjacent {
		for _, j := range row {
			unite(i, int(j))
		}
	}
	members := p.members()
	var sites []int
	for k, all := range members {
		if all != nil {
			sites = append(sites, k)
		}
		for i := 1; i < len(all); i++ {
			if unite(all[i-1], all[i]) {
				adjacent.add(all[i-1], all[i])
			}
		}
	}
	var pairs [][2]int
	for i, a := range sites {
		for _, b := range sites[:i] {
			pairs = append(pairs, [2]int{b, a})
		}
	}
	slices.SortStableFunc(pairs, func(u, v [2]int) int {
		return cmp.Compare(p.apartBoth(u[0], u[1]), p.apartBoth(v[0], v[1]))
	})
	for _, pair := range pairs {
		if i, j := members[pair[0]][0], members[pair[1]][0]; unite(i, j) {
			adjacent.add(i, j)
		}
	}
}

// near are the pairs of sites with nodes that are at most so many km apart over the surface of the Earth; each
// site is one with itself.
func (p *Placed) near(radius float64) (pairs [][2][]int) {
	members := p.members()
	most := chord(min(radius/earthRadius*(180/math.Pi), 180))
	for a, of := range members {
		for b, others := range members[:a+1] {
			if of != nil && others != nil && straight(p.positions[a], p.positions[b]) <= most {
				pairs = append(pairs, [2][]int{others, of})
			}
		}
	}
	return pairs
}

// within joins nodes whose sites are at most so many km from each other; those of one site are.
func (p *Placed) within(radius float64) [][2]int {
	var e [][2]int
	for _, pair := range p.near(radius) {
		for _, i := range pair[0] {
			for _, j := range pair[1] {
				if i < j || p.at[i] != p.at[j] {
					e = append(e, [2]int{i, j})
				}
			}
		}
	}
	return e
}

// connects is the least radius in km with which within is one piece.
func (p *Placed) connects() float64 {
	members := p.members()
	reached, all, most := map[int]bool{int(p.at[0]): true}, 0, 0.0
	for _, of := range members {
		if of != nil {
			all++
		}
	}
	for len(reached) < all { // Prim
		next, least := -1, math.Inf(1)
		for a := range members {
			for b, of := range members {
				if !reached[a] || reached[b] || of == nil {
					continue
				}
				if d := straight(p.positions[a], p.positions[b]); d < least {
					next, least = b, d
				}
			}
		}
		reached[next], most = true, max(most, least)
	}
	return kilometres(most)
}

// twoLevel joins the nodes of each region with its first so many, the gateways, and all gateways with each other.
func twoLevel(regions [][]int, gateways int) [][2]int {
	var e [][2]int
	var all []int
	for _, of := range regions {
		first := of[:min(gateways, len(of))]
		for k, i := range of {
			for _, g := range first[:min(k, len(first))] {
				if k >= len(first) { // gateways are joined below
					e = append(e, [2]int{g, i})
				}
			}
		}
		all = append(all, first...)
	}
	for k, i := range all {
		for _, j := range all[:k] {
			e = append(e, [2]int{min(i, j), max(i, j)})
		}
	}
	return e
}

// blocks are n nodes in so many blocks, in order, as even as can be.
func blocks(n, count int) [][]int {
	all := make([][]int, count)
	for i := range n {
		k := i * count / n
		all[k] = append(all[k], i)
	}
	return all
}
