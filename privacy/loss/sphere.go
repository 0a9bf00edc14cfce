// The law of a vector of density ∝ exp(−‖b‖) in R^d: its length is Gamma(d), its direction uniform.

package loss

import (
	"math"

	"overhear/internal/num"
)

// sphere has what is needed of the law in d dimensions.
type sphere struct {
	d         int
	constant  float64 // of the density of a coordinate of the direction
	width     float64 // of the table
	table     [][3]float64
	steps     []float64 // of the recursion from n dimensions to n + 2
	low, high float64   // the length is outside with a probability below 2·10⁻¹⁶
	scale     float64   // makes the density of the length integrate to 1
	radii     []node    // of the whole range of the length
}

// node is a point of a quadrature and its weight.
type node struct{ at, weight float64 }

const (
	tabulated = 24   // dimensions from which on a table serves
	cells     = 1024 // of the table: its error is below 10⁻¹⁵
	deviation = 14   // where the table ends, in units of 1/√d: the tail there is below 10⁻⁴⁰
)

// gaussNodes are those of Gauss-Legendre quadrature on [−1, 1].
var gaussNodes = legendre(64)

func newSphere(d int) *sphere {
	s := &sphere{d: d, constant: gammaRatio(d) / math.Sqrt(math.Pi)}
	s.low, s.high = gammaRange(float64(d), 1e-16)
	s.scale = 1
	if d > 1 { // of d = 1 the law of a coordinate is ±1, and everything has a closed form
		total := 0.0
		s.radii = s.lengths(s.low)
		for _, r := range s.radii {
			total += r.weight
		}
		s.scale = 1 / total
		for k := range s.radii {
			s.radii[k].weight *= s.scale
		}
	}
	if d < tabulated {
		for n := range d { // half the surface's constant over n
			s.steps = append(s.steps, gammaRatio(n+2)/(math.Sqrt(math.Pi)*max(1, float64(n))))
		}
		return s
	}
	s.width = min(1, deviation/math.Sqrt(float64(d)))
	step := s.width / cells
	s.table = make([][3]float64, cells+1)
	tail := 0.5
	five := legendre(5)
	for k := range s.table {
		x := float64(float64(k) * step)
		f := s.density(x)
		slope := 0.0
		if f > 0 {
			slope = -float64(d-3) * x / (1 - float64(x*x)) * f
		}
		s.table[k] = [3]float64{tail, -f * step, -slope * step * step}
		for _, n := range five { // of the next cell
			tail -= float64(n.weight * step / 2 * s.density(x+float64(step*(1+n.at)/2)))
		}
		tail = max(0, tail)
	}
	return s
}

// density is that of a coordinate of the direction, C(1−x²)^((d−3)/2).
func (s *sphere) density(x float64) float64 {
	y := 1 - float64(x*x)
	if !(y > 0) {
		return 0
	}
	return s.constant * num.Exp(float64(s.d-3)/2*num.Log1p(-float64(x*x)))
}

// beyond is the probability that a coordinate of the direction is above x.
func (s *sphere) beyond(x float64) float64 {
	switch {
	case x >= 1:
		return 0
	case x <= -1:
		return 1
	case s.d == 1:
		return 0.5
	case x < 0:
		return 1 - s.beyond(-x)
	case s.d < tabulated:
		return s.summed(x)
	case x >= s.width:
		return 0
	}
	at := float64(x / s.width * cells)
	k := int(at)
	return max(0, hermite(&s.table[k], &s.table[k+1], at-float64(k)))
}

// summed is beyond by the recursion of the integrals of powers of the sine from 0 to the angle, x ≥ 0: from d − 2 on to
// d each adds x(1−x²)^((d−1)/2 − 1) and a constant's share.
func (s *sphere) summed(x float64) float64 {
	square := float64((1 - x) * (1 + x))
	tail, n := (1-x)/2, 3 // of d = 3
	term := float64(square * x)
	if s.d%2 == 0 {
		at := float64(math.Sqrt(1-x) * cells)
		k := min(cells-1, int(at))
		tail, n = max(0, hermite(&angles[k], &angles[k+1], at-float64(k))), 2
		term = float64(math.Sqrt(square) * x)
	}
	for ; n < s.d; n += 2 {
		tail -= float64(s.steps[n] * term)
		term *= square
	}
	return max(0, tail)
}

// angles has the share of the half turn that is between a direction and another whose cosine is 1 − u², for u from 0 to
// 1 in steps of 1/cells, with slopes and curvatures.
var angles = func() (all [cells + 1][3]float64) {
	for k := range all {
		u := float64(k) / cells
		rest := 2 - float64(u*u)
		root := math.Sqrt(rest)
		all[k] = [3]float64{float64(num.BetaShare(0.5, 0.5, float64(u*u*rest)) / 2), 2 / (math.Pi * root) / cells,
			u / (math.Pi / 2 * rest * root) / cells / cells}
	}
	return all
}()

// hermite interpolates values, slopes and curvatures at the ends of a unit cell, to the fifth degree.
func hermite(a, b *[3]float64, x float64) float64 {
	rise := b[0] - a[0]
	c2 := float64(a[2] / 2)
	u, v, w := rise-a[1]-c2, b[1]-a[1]-a[2], b[2]-a[2]
	c3 := float64(10*u) - float64(4*v) + float64(w/2)
	c4 := -float64(15*u) + float64(7*v) - w
	c5 := float64(6*u) - float64(3*v) + float64(w/2)
	sum := c5
	for _, c := range [...]float64{c4, c3, c2, a[1], a[0]} {
		sum = c + float64(sum*x)
	}
	return sum
}

// farther is the probability that the length r is above a bound and a coordinate of the direction above a + b/r, which
// is 1 at the bound: the coordinate's law over points of the length.
func (s *sphere) farther(bound, a, b float64) (sum float64) {
	if bound <= s.low || s.d >= tabulated {
		for _, r := range s.lengthsFrom(bound) {
			sum += float64(r.weight * s.beyond(a+b/r.at))
		}
		return sum
	}
	s.near(bound, func(r node) bool {
		share := s.beyond(a + b/r.at)
		sum += float64(r.weight * share)
		// Nearer to the bound both factors are less, but for the share's error: what follows is lost in rounding.
		return !(r.at < float64(s.d-1) && float64(r.weight*(share+4*tabled)) < float64(sum*0x1p-55))
	})
	return sum
}

// tabled is more than the error of a share.
const tabled = 1e-15

// lengths are points of the length from a lower bound on, with the law's density as weights. Near the bound the
// integrands behave like a power of the root of the distance, hence the square.
func (s *sphere) lengths(from float64) []node {
	if !(from < s.high) {
		return nil
	}
	if s.d < tabulated {
		all := make([]node, 0, 384)
		s.near(from, func(r node) bool {
			all = append(all, r)
			return true
		})
		return all
	}
	width := math.Sqrt(s.high - from)
	all := make([]node, len(gaussNodes))
	for k, n := range gaussNodes {
		y := float64(width * (0.5 + float64(0.5*n.at)))
		r := from + float64(y*y)
		all[k] = node{r, s.scale * n.weight * width * y * s.lengthDensity(r)}
	}
	return all
}

// near gives the points of lengths in few dimensions, the nearest to the bound last, until it is told to stop. There
// integrands vary over distances of any size: the trapezoidal rule for the logarithm of the distance converges
// geometrically.
func (s *sphere) near(from float64, point func(node) bool) {
	if !(from < s.high) {
		return
	}
	for _, share := range shares {
		away := float64((s.high - from) * share)
		r := from + away
		weight := s.scale * shareStep * away * s.lengthDensity(r)
		if !point(node{r, weight}) || weight < 1e-18*s.scale && r < float64(s.d) {
			return
		}
	}
}

// shares are those of a distance whose logarithms are a step of the trapezoidal rule apart.
var shares = func() (all [100 / shareStep]float64) {
	for k := range all {
		all[k] = num.Exp(-float64(float64(k) * shareStep))
	}
	return all
}()

const shareStep = 0.125

// lengthDensity is that of the length, relative to the greatest, so that its logarithm keeps its digits.
func (s *sphere) lengthDensity(r float64) float64 {
	mode := float64(s.d - 1)
	if mode == 0 {
		return num.Exp(-r)
	}
	z := (r - mode) / mode
	return num.Exp(float64(mode * (num.Log1p(z) - z)))
}

// lengthsFrom are those of lengths, of the whole range if the bound is below it.
func (s *sphere) lengthsFrom(bound float64) []node {
	if bound <= s.low {
		return s.radii
	}
	return s.lengths(bound)
}

// gammaRatio is Γ(n/2)/Γ((n−1)/2), by its recursion, n ≥ 1; 0 of n = 1.
func gammaRatio(n int) float64 {
	ratio, k := 0.0, 1
	switch {
	case n <= 1:
		return 0
	case n%2 == 0:
		ratio, k = 1/math.Sqrt(math.Pi), 2
	default:
		ratio, k = math.Sqrt(math.Pi)/2, 3
	}
	for ; k < n; k += 2 {
		ratio *= float64(k) / float64(k-1)
	}
	return ratio
}

// gammaRange is an interval outside of which a Gamma variable is with at most that probability on each side.
func gammaRange(shape, probability float64) (low, high float64) {
	low = gammaBelow(shape, probability)
	above := func(x float64) float64 { _, p := num.GammaShares(shape, x); return p }
	lo, hi := shape, shape+1
	for above(hi) > probability {
		lo, hi = hi, float64(2*hi)
	}
	for range 40 {
		mid := lo + float64((hi-lo)/2)
		if above(mid) > probability {
			lo = mid
		} else {
			hi = mid
		}
	}
	return low, hi
}

// gammaBelow is an x below which a Gamma variable is with at most that probability.
func gammaBelow(shape, probability float64) float64 {
	lo, hi := 0.0, shape
	for range 60 {
		mid := lo + float64((hi-lo)/2)
		if below, _ := num.GammaShares(shape, mid); below > probability {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

// legendre are the nodes of Gauss-Legendre quadrature on [−1, 1], by Newton's steps from the roots' approximation.
func legendre(n int) []node {
	all := make([]node, n)
	for k := range all {
		x, _ := turn(float64(4*k+3) / float64(8*n+4)) // cos of that share of a full turn
		slope := 0.0
		for range 12 {
			before, now := 1.0, x
			for j := 2; j <= n; j++ {
				before, now = now, (float64(float64(2*j-1)*x*now)-float64(float64(j-1)*before))/float64(j)
			}
			slope = float64(n) * (float64(x*now) - before) / (float64(x*x) - 1)
			x -= now / slope
		}
		all[k] = node{x, 2 / ((1 - float64(x*x)) * slope * slope)}
	}
	return all
}
