// Normal numbers decided by one word, for delays.

package sim

import (
	"math"

	"overhear/internal/num"
)

// The area under exp(−x²/2) for x ≥ 0 is covered by 256 layers of equal area: the lowest is the strip below the
// density at tailStart with the tail beyond it, each other a rectangle. These numbers make the highest end at 1.
const (
	layers    = 256
	tailStart = 3.65415288536100877
	layerArea = 0.00492867323397465535
)

// layer is a layer of the density, the lowest with the width that a rectangle of its area would have.
type layer struct {
	inside uint64  // below it the number of 53 bits times width is under the density at any height of the layer
	width  float64 // in multiples of 2^−53
	low    float64 // density at the outer end
	high   float64 // density at the inner end
}

var ziggurat = func() (all [layers]layer) {
	density := func(x float64) float64 { return num.Exp(-0.5 * float64(x*x)) }
	outer, inner := layerArea/density(tailStart), float64(tailStart)
	for i := range all {
		all[i] = layer{inside: uint64(inner / outer * (1 << 53)), width: outer * 0x1p-53, low: density(outer),
			high: density(inner)}
		outer = inner
		inner = 0
		if i < layers-2 {
			inner = math.Sqrt(-2 * num.Log(density(outer)+layerArea/outer))
		}
	}
	return all
}()

// normal has mean 0 and variance 1 (the ziggurat of Marsaglia & Tsang 2000). The layer, the sign and the number of
// 53 bits are of different bits of the word (Doornik 2005). About one word in 80 does not suffice and gives further
// ones.
func normal(w uint64) float64 {
	for next := w; ; {
		l := &ziggurat[next%layers]
		k := next >> 11
		sign := next & layers << 55 // the bit above those of the layer
		x := float64(int64(k)) * l.width
		if k < l.inside {
			return math.Float64frombits(math.Float64bits(x) | sign)
		}
		further := func() uint64 {
			w += 0x9e3779b97f4a7c15
			return mix(w)
		}
		if l == &ziggurat[0] {
			for {
				beyond := exponential(further()) / tailStart
				if 2*exponential(further()) > float64(beyond*beyond) {
					return math.Float64frombits(math.Float64bits(tailStart+beyond) | sign)
				}
			}
		}
		height := l.low + float64(unit(further())*(l.high-l.low))
		if height < num.Exp(-0.5*float64(x*x)) {
			return math.Float64frombits(math.Float64bits(x) | sign)
		}
		next = further()
	}
}
