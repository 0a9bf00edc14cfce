// Samplers of noise vectors, on the digest path.

package privacy

import (
	"fmt"
	"math"

	"overhear/internal/num"
	"overhear/sim"
)

// Laplace fills out, of any length d, with a draw of density ∝ exp(−rate‖x‖₂):
// a uniform direction times a norm that is Gamma of shape d and that rate
// (Chaudhuri, Monteleoni & Sarwate 2011, §3.2). The rate is in units of 1/x and
// positive; +Inf gives zeros and draws nothing. The mean norm is d/rate.
func Laplace(s *sim.Stream, rate float64, out []float64) {
	if !(rate > 0) {
		panic(fmt.Sprintf("privacy: Laplace noise of rate %v", rate))
	}
	if len(out) == 0 || math.IsInf(rate, 1) {
		clear(out)
		return
	}
	norm, length := Unscaled(s, out)
	stretch(out, norm, length/rate)
}

// Unscaled draws what Laplace makes its noise of, whatever its rate is: a vector, the norm that it has and the one that
// it is to have at rate 1. Noise of a rate is the vector times (length/rate)/norm.
func Unscaled(s *sim.Stream, out []float64) (norm, length float64) {
	norm = direction(s, out)
	return norm, s.Gamma(float64(len(out)))
}

// Gaussian fills out, of any length, with independent draws from N(0, sigma²).
// Sigma is a standard deviation in units of x; 0 gives zeros and draws nothing.
func Gaussian(s *sim.Stream, sigma float64, out []float64) {
	if !(sigma >= 0) || math.IsInf(sigma, 1) {
		panic(fmt.Sprintf("privacy: Gaussian noise of standard deviation %v", sigma))
	}
	if sigma == 0 {
		clear(out)
		return
	}
	for k := range out {
		out[k] = float64(sigma * s.Normal())
	}
}

// Ball fills out, of any length d, with a draw that is uniform in the Euclidean
// ball of that radius: a uniform direction times radius·U^(1/d). Up to rounding
// the norm is at most the radius; 0 gives zeros and draws nothing.
func Ball(s *sim.Stream, radius float64, out []float64) {
	if !(radius >= 0) || math.IsInf(radius, 1) {
		panic(fmt.Sprintf("privacy: a ball of radius %v", radius))
	}
	if len(out) == 0 || radius == 0 {
		clear(out)
		return
	}
	norm := direction(s, out)
	root := num.Exp(-s.Exponential() / float64(len(out))) // U = e^−E, E exponential
	stretch(out, norm, radius*root)
}

// Cube fills out, of any length, with independent draws that are uniform between
// −half and half: a draw that is uniform in the ball of the maximum norm; 0 gives
// zeros and draws nothing.
func Cube(s *sim.Stream, half float64, out []float64) {
	if !(half >= 0) || math.IsInf(half, 1) {
		panic(fmt.Sprintf("privacy: a cube of half width %v", half))
	}
	if half == 0 {
		clear(out)
		return
	}
	for k := range out {
		out[k] = s.Between(-half, half)
	}
}

// direction fills out with standard normals, whose direction is uniform, and
// returns their norm, which is positive.
func direction(s *sim.Stream, out []float64) float64 {
	for {
		for k := range out {
			out[k] = s.Normal()
		}
		if norm := num.Norm(out); norm > 0 {
			return norm
		}
	}
}

// stretch scales x from one norm to another. The conversion keeps a caller's
// addition from being fused with the product.
func stretch(x []float64, from, to float64) {
	factor := to / from
	for k := range x {
		x[k] = float64(x[k] * factor)
	}
}
