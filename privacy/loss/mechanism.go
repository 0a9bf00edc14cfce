// Uses of data of which certificates are made.

package loss

import (
	"math"

	"overhear/internal/num"
)

// Mechanism is one use of data by which two worlds differ in one unit. A mechanism is comparable: equal ones are
// composed at once.
type Mechanism interface {
	// Pure is ε of pure differential privacy; +Inf if there is none.
	Pure() float64

	// distribution bounds the losses in either order of the worlds, on the grid of that step.
	distribution(step float64, shop *workshop) distribution

	// spread is about the standard deviation of the loss.
	spread() float64

	// coarser is a mechanism that loses at least as much, its sizes rounded up to powers of the ratio.
	coarser(ratio float64) Mechanism

	// larger is one that loses at least as much as either; false: they are of other kinds.
	larger(Mechanism) (Mechanism, bool)

	// check says what is wrong with its numbers.
	check() error
}

// Kind is a law of noise.
type Kind uint8

// Laws of noise.
const (
	Laplace  Kind = iota + 1 // density ∝ exp(−ζ‖b‖) in the Euclidean norm
	Gaussian                 // N(0, σ² I)
)

// Noise is a law of noise, and how far the data move what it is added to, in its own unit: ζ‖v‖, or ‖v‖/σ. The
// dimension of Gaussian noise is of no consequence, and 0.
type Noise struct {
	Kind      Kind
	Dimension int
	Size      float64
}

// Shift is noise that is added to a value which, given the past, differs between the worlds by a fixed vector of at
// most that size: a minimiser, or an explicit step. Its curve is exact for a vector of that size.
type Shift struct{ Noise }

// Objective is noise in a linear term of an objective whose minimiser is published. A row adds L′(u·f)u to the
// gradient, −Down ≤ L′ ≤ Up, and Size is that of a row with |L′| = ‖u‖ = 1. One row is replaced by another.
type Objective struct {
	Noise
	Down, Up float64

	// Hessian is c₁C/(B(r+κ)), how much larger a row makes the determinant of the noise's Jacobian at most, less 1.
	Hessian float64

	// Logistic says that L″ = |L′|(1 − |L′|): where a row moves the gradient most it does not change the Jacobian. It
	// counts where Down is 1 and Up is 0.
	Logistic bool
}

// Response is a randomised response of that ε, and bounds every pure ε-differentially private use (Kairouz, Oh &
// Viswanath 2015).
type Response struct{ Epsilon float64 }

// workshop has what mechanisms of a composition share.
type workshop struct {
	spheres    map[int]*sphere
	resolution float64 // points of a curve in its spread
}

func newWorkshop() *workshop { return &workshop{spheres: map[int]*sphere{}, resolution: coarse} }

// Resolutions: of a first look, and of few and many classes of uses.
const coarse, fine = 24, 192

// stride is how many steps a curve of that spread may take at once.
func (w *workshop) stride(spread, step float64) int {
	return max(1, int(min(1e6, spread/w.resolution/step)))
}

func (w *workshop) sphere(d int) *sphere {
	s, ok := w.spheres[d]
	if !ok {
		s = newSphere(d)
		w.spheres[d] = s
	}
	return s
}

// pure is ε of a shift.
func (n Noise) pure() float64 {
	if n.Kind == Gaussian && n.Size > 0 {
		return math.Inf(1)
	}
	return n.Size
}

// deviation is about the standard deviation of a shift's loss.
func (n Noise) deviation() float64 {
	if n.Kind == Gaussian {
		return n.Size
	}
	return n.Size / math.Sqrt(float64(n.Dimension))
}

// up is a number rounded up to a power of the ratio.
func up(x, ratio float64) float64 {
	if !(x > 0) {
		return x
	}
	power := math.Ceil(num.Log(x) / num.Log(ratio))
	for {
		if y := num.Exp(float64(power * num.Log(ratio))); y >= x {
			return y
		}
		power++
	}
}

func (n Noise) coarser(ratio float64) Noise {
	n.Size = up(n.Size, ratio)
	return n
}

// shift is H_{e^t}(q(·−v)‖q), t ≥ 0: exact for a fixed vector v of that size, and by symmetry both ways. For every t it
// grows with the size (docs/mathematics.md §6.1, Lemma 1).
func (n Noise) shift(t float64, shop *workshop) float64 {
	size := n.Size
	switch {
	case size == 0 || n.Kind == Laplace && t >= size:
		return 0
	case n.Kind == Gaussian: // Balle & Wang 2018, Theorem 8
		least := 0.0 // what is taken off, left out where e^t has no room
		if t < longest {
			least = float64(num.Exp(t) * num.NormalTail(t/size+float64(size/2)))
		}
		return max(0, num.NormalTail(t/size-float64(size/2))-least)
	case n.Dimension == 1:
		return -num.Expm1((t - size) / 2)
	}
	power, weight := n.gains(t, shop), num.Exp(t)
	lost := shop.sphere(n.Dimension).farther((size+t)/2, t/size, float64((size-t)*(size+t))/(2*size))
	return min(power+unsure, max(0, power-float64(weight*lost))+float64((1+weight)*unsure))
}

// gains is the probability of ln q(b)/q(b−v) > t under q, where |t| is below the size if the noise is not Gaussian.
func (n Noise) gains(t float64, shop *workshop) float64 {
	size := n.Size
	switch {
	case n.Kind == Gaussian:
		return num.NormalTail(t/size - float64(size/2))
	case n.Dimension == 1:
		return 1 - float64(num.Exp((t-size)/2)/2)
	}
	// ‖b‖ − ‖b−v‖ > τ where the direction's coordinate along v is above τ/‖v‖ + (‖v‖² − τ²)/2‖v‖‖b‖, here for −t.
	cut := float64((size-t)*(size+t)) / (2 * size)
	return 1 - shop.sphere(n.Dimension).farther((size-t)/2, -t/size, cut)
}

// unsure is what quadrature may be off by in a probability.
const unsure = 1e-14

// Pure is ε of the shift.
func (m Shift) Pure() float64 { return m.pure() }

func (m Shift) spread() float64 { return m.deviation() }

func (m Shift) coarser(ratio float64) Mechanism { return Shift{m.Noise.coarser(ratio)} }

func (m Shift) curve(shop *workshop) curve {
	at := func(t float64) float64 { return m.shift(t, shop) }
	c := curve{above: at, below: at, reach: m.pure(), spread: m.deviation()}
	if m.Dimension == 1 {
		c.spread = 0 // there are atoms: as fine as the grid
	}
	return c
}

func (m Shift) distribution(step float64, shop *workshop) distribution {
	c := m.curve(shop)
	return c.on(step, shop.stride(c.spread, step))
}

// Pure is ε of the norm of the greatest change and of the Jacobian.
func (m Objective) Pure() float64 {
	n := m.Noise
	n.Size *= 2 * max(m.Down, m.Up)
	return n.pure() + num.Log1p(m.Hessian)
}

func (m Objective) spread() float64 {
	n := m.Noise
	n.Size *= 2 * max(m.Down, m.Up)
	return max(n.deviation(), num.Log1p(m.Hessian)/4096) // a grid over the Jacobian's part has an end
}

func (m Objective) coarser(ratio float64) Mechanism {
	m.Noise = m.Noise.coarser(ratio)
	m.Hessian = up(m.Hessian, ratio)
	return m
}

// moved is H_{e^t} of a row's coming, and of its going with the Jacobian left aside: of slopes of both signs, the sum
// of both sides.
func (m Objective) moved(t float64, shop *workshop) float64 {
	sum := 0.0
	for _, slope := range [...]float64{m.Down, m.Up} {
		n := m.Noise
		n.Size *= slope
		sum += n.shift(t, shop)
	}
	return sum
}

// curve is of a row's going: P is the world with the row, Q the one without.
func (m Objective) curve(shop *workshop) curve {
	j := num.Log1p(m.Hessian)
	known := map[float64]float64{} // both curves ask for most points
	without := func(t float64) float64 {
		v, ok := known[t]
		if !ok {
			v = m.moved(t, shop)
			known[t] = v
		}
		return v
	}
	with := func(t float64) float64 {
		switch {
		case t == 0: // the total variation
			return without(0)
		case t >= j:
			return without(t - j)
		}
		return 1
	}
	if m.Logistic && m.Down == 1 && m.Up == 0 && m.Size > 0 {
		with = m.coupled(shop).above(without)
	}
	n := m.Noise
	n.Size *= max(m.Down, m.Up)
	return curve{above: with, below: without, reach: n.pure() + j, spread: n.deviation()}
}

// distribution is of a row's going and another's coming.
func (m Objective) distribution(step float64, shop *workshop) distribution {
	c := m.curve(shop)
	k := shop.stride(c.spread, step)
	return chain(c.on(step, k), c.reversed().on(step, k))
}

// Pure is ε.
func (m Response) Pure() float64 { return m.Epsilon }

func (m Response) spread() float64 { return m.Epsilon / 2 }

func (m Response) coarser(ratio float64) Mechanism { return Response{up(m.Epsilon, ratio)} }

func (m Response) distribution(step float64, _ *workshop) distribution {
	at := func(t float64) float64 { // p − e^t(1 − p), p = e^ε/(1 + e^ε)
		if t >= m.Epsilon {
			return 0
		}
		return -num.Expm1(t-m.Epsilon) / (1 + num.Exp(-m.Epsilon))
	}
	c := curve{above: at, below: at, reach: m.Epsilon, spread: m.Epsilon / 2}
	return c.on(step, 1)
}
