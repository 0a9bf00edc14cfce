// Laws of noise, and where noise enters.

package model

import (
	"math"

	"overhear/internal/num"
)

// Noise is the law of a random d-vector.
type Noise struct {
	Kind Kind

	// Level is, of Laplace, the rate ζ of the density ∝ exp(−ζ‖ε‖); of Gaussian, the
	// standard deviation σ of each coordinate. Where it depends on a hidden penalty η,
	// it is Level·η^−Power; where η is public, Power is 0.
	Level float64
	Power float64
}

// Kind names a law.
type Kind uint8

// Laws of noise.
const (
	Silent   Kind = iota // there is none
	Laplace              // density ∝ exp(−ζ‖ε‖)
	Gaussian             // N(0, σ² I)
)

// Place is where noise enters a node's step.
type Place uint8

// Places of noise.
const (
	InObjective Place = iota // a linear term of the objective: the published minimiser is a function of it
	InStep                   // added to a step that is explicit: the published point is the step plus the noise
	OnOutput                 // added to the exact minimiser, and then published
)

// Over is the law of the vector divided by c > 0.
func (n Noise) Over(c float64) Noise {
	if n.Kind == Gaussian {
		n.Level /= c
	} else {
		n.Level *= c
	}
	return n
}

// LogDensity is log p(x) up to a constant that depends on the law only.
func (n Noise) LogDensity(x []float64) float64 {
	if n.Kind == Gaussian {
		return -num.Dot(x, x) / (2 * n.Level * n.Level)
	}
	return -n.Level * num.Norm(x)
}

// Size is about how long a vector of the law in d dimensions is.
func (n Noise) Size(d int) float64 {
	switch n.Kind {
	case Laplace:
		return float64(d) / n.Level
	case Gaussian:
		return n.Level * math.Sqrt(float64(d))
	}
	return 0
}
