// Inner products of many vectors with each other.

package num

// tileSide is how many vectors a tile has on each side.
const tileSide = 8

// productLength is how many numbers of each vector are taken at a time: a strip of that length is in the innermost
// cache.
const productLength = 128

// panel is count vectors of length n, eight by eight: strip s has vectors 8s to 8s+7, number by number. What is missing
// in the last strip is zero.
type panel struct {
	count, n int
	strips   []float64
}

// reset makes room for other vectors, all zero.
func (p *panel) reset(count, n int) {
	size := (count + tileSide - 1) / tileSide * tileSide * n
	if cap(p.strips) < size {
		p.strips = make([]float64, size)
	}
	p.count, p.n, p.strips = count, n, p.strips[:size]
	clear(p.strips)
}

// put sets number k of the first vectors.
func (p *panel) put(k int, of []float64) {
	for at := k * tileSide; len(of) > 0; at += tileSide * p.n {
		of = of[copy(p.strips[at:at+tileSide], of):]
	}
}

// set sets number k of vector i.
func (p *panel) set(i, k int, v float64) {
	p.strips[(i/tileSide*p.n+k)*tileSide+i%tileSide] = v
}

// strip is the s-th.
func (p *panel) strip(s int) []float64 {
	return p.strips[s*tileSide*p.n : (s+1)*tileSide*p.n]
}

// tilesAcross is how many strips are kept in a near cache while all others pass.
const tilesAcross = 4

// addTo adds sign times the inner products of vectors i and j ≤ i to element j of row(i). Each is summed by itself, in
// the order of the numbers, and then added.
func (p *panel) addTo(sign float64, row func(i int) []float64) {
	all := (p.count + tileSide - 1) / tileSide
	for from := 0; from < all; from += tilesAcross {
		parallel(all-from, func(k int) {
			s := from + k
			var tile [tileSide * tileSide]float64
			for t := from; t < min(from+tilesAcross, s+1); t++ {
				tileOf(&tile, p.strip(s), p.strip(t))
				for i := range min(tileSide, p.count-s*tileSide) {
					to := row(s*tileSide + i)
					to = to[t*tileSide : min((t+1)*tileSide, len(to))]
					for j, v := range tile[i*tileSide:][:len(to)] {
						to[j] += float64(sign * v)
					}
				}
			}
		})
	}
}

// tileOf sets element 8i+j to the inner product of vector i of one strip and vector j of another.
func tileOf(out *[tileSide * tileSide]float64, a, b []float64) {
	b = b[:len(a)]
	switch n := len(a) / tileSide; {
	case n == 0:
		clear(out[:])
	case wide:
		tileAVX512(out, &a[0], &b[0], n)
	case vectors:
		tileAVX2(out, &a[0], &b[0], n)
	default:
		tile(out, a, b)
	}
}

func tile(out *[tileSide * tileSide]float64, a, b []float64) {
	for i := 0; i < tileSide; i += 2 {
		for j := 0; j < tileSide; j += 2 {
			var p, q, r, s float64
			for k := 0; k < len(a) && k < len(b); k += tileSide {
				u, v, x, y := a[k+i], a[k+i+1], b[k+j], b[k+j+1]
				p += float64(u * x)
				q += float64(u * y)
				r += float64(v * x)
				s += float64(v * y)
			}
			at := i*tileSide + j
			out[at], out[at+1], out[at+tileSide], out[at+tileSide+1] = p, q, r, s
		}
	}
}

// Gram is a sum of inner products: a packed lower triangle to which rows of a matrix are added, so that it is DᵀD of
// all rows D. Its methods are for one goroutine at a time.
type Gram struct {
	d      int
	packed []float64
	panel  panel
	filled int // rows in the panel
}

// NewGram is that of no rows of d columns.
func NewGram(d int) *Gram { return &Gram{d: d, packed: make([]float64, Packed(d))} }

// Add adds a row, given by its columns and values.
func (g *Gram) Add(cols []int32, vals []float64) {
	if g.filled == 0 {
		g.panel.reset(g.d, productLength)
	}
	if len(vals) == g.d {
		g.panel.put(g.filled, vals)
	} else {
		for k, c := range cols {
			g.panel.set(int(c), g.filled, vals[k])
		}
	}
	if g.filled++; g.filled == productLength {
		g.flush()
	}
}

// Packed is the triangle of all rows that were added; the Gram is not to be used afterwards.
func (g *Gram) Packed() []float64 {
	if g.filled > 0 {
		g.flush()
	}
	return g.packed
}

func (g *Gram) flush() {
	g.panel.addTo(1, func(i int) []float64 { return g.packed[Packed(i) : Packed(i)+i+1] })
	g.filled = 0
}
