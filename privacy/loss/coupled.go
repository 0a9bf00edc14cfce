// What the logistic loss's slope and the Jacobian, which go together, lose.

package loss

import (
	"math"
	"sort"

	"overhear/internal/num"
)

// coupled is what a row with the logistic loss loses by its going. A row whose slope is −a shifts the noise by av,
// which loses at most a times what the whole shift does, g, and its Jacobian is at most 1 + 4ja(1−a). Whatever a is,
// the loss is at most
//
//	U(g) = max ag + ln(1 + 4ja(1−a)) over 0 ≤ a ≤ 1
//
// which is g from 4j on (docs/mathematics.md (6.6)). Its divergence E (1 − e^{t−U})₊ is the integral (6.8).
type coupled struct {
	j      float64
	levels []float64 // U at points of g, which ascend
	values []float64 // the divergence at t = U there
}

// most is U and its slope, the a of the maximum.
func (c *coupled) most(g float64) (u, a float64) {
	switch {
	case g >= 4*c.j:
		return g, 1
	case g <= -4*c.j:
		return 0, 0
	}
	share := g / c.j
	h := 2 * share * (1 + c.j) / (8 + math.Sqrt(64+float64(16*g*(g+share)))) // a − ½: 4jgh² + 8jh = g(1+j)
	return float64((0.5+h)*g) + num.Log1p(float64(c.j*(1-2*h)*(1+2*h))), 0.5 + h
}

// Panels of a deviation, but where a coarser grid does, and at least: between their ends the divergence is below its
// chord in e^t.
const (
	perDeviation = 32
	fewest       = 32
)

var four = legendre(4)

// coupled computes the divergence at points of g that have all but 10⁻³⁰ of its law between them. From the last on it
// is at most the shift's there, as U grows by no more than g.
func (m Objective) coupled(shop *workshop) *coupled {
	n := m.Noise
	c := &coupled{j: m.Hessian}
	wide, centre := n.deviation(), float64(n.Size*n.Size)/2
	if n.Kind == Laplace {
		centre /= float64(n.Dimension)
	}
	low, high := max(-4*c.j, centre-float64(14*wide)), min(4*c.j, centre+float64(14*wide))
	if n.Kind == Laplace {
		low, high = max(low, -n.Size), min(high, n.Size)
	}
	if !(low < high) {
		return c
	}
	width := high - low
	panels := int(max(fewest, math.Ceil(width/wide*min(perDeviation, shop.resolution))))
	c.levels, c.values = make([]float64, panels+1), make([]float64, panels+1)
	c.levels[panels], _ = c.most(high)
	c.values[panels] = n.shift(high, shop)
	half := 0.5 / float64(panels)
	for k := panels - 1; k >= 0; k-- {
		// The law of g may begin and end like a power of a root; in s it is smooth.
		s := float64(k) / float64(panels)
		level, _ := c.most(low + float64(width*s*s*(3-2*s)))
		sum := 0.0
		for _, point := range four {
			s := s + float64(half*(1+point.at))
			g := low + float64(width*s*s*(3-2*s))
			u, a := c.most(g)
			sum += float64(point.weight * half * width * 6 * s * (1 - s) * a * num.Exp(level-u) * n.gains(g, shop))
		}
		c.levels[k], c.values[k] = level, sum+float64(num.Exp(level-c.levels[k+1])*c.values[k+1])
	}
	return c
}

// above is the divergence for t ≥ 0, given the shift's.
func (c *coupled) above(shift func(t float64) float64) func(t float64) float64 {
	return func(t float64) float64 {
		last := len(c.levels) - 1
		switch {
		case t == 0 || t >= 4*c.j: // 0: the total variation
			return shift(t)
		case last < 0:
			return 1
		case t >= c.levels[last]:
			return c.values[last]
		case t < c.levels[0]: // U is above that but where it is not told
			return 1 - float64(num.Exp(t-c.levels[0])*(1-c.values[0])) + unsure
		}
		k := sort.Search(last, func(k int) bool { return c.levels[k+1] > t })
		share := num.Expm1(t-c.levels[k]) / num.Expm1(c.levels[k+1]-c.levels[k])
		return c.values[k] + float64(share*(c.values[k+1]-c.values[k])) + unsure
	}
}
