package loss

import (
	"math"
	"testing"
)

// steepest is the most of ag + ln(1 + 4ja(1−a)) over a grid of a.
func steepest(g, j float64) float64 {
	const n = 200
	most := 0.0
	for k := range n + 1 {
		a := float64(k) / n
		most = max(most, a*g+math.Log1p(4*j*a*(1-a)))
	}
	return most
}

func TestCoupled_MostIsTheMaximum(t *testing.T) {
	for _, j := range []float64{1e-300, 1e-9, 0.01, 0.3, 2, 1e6, 1e200} {
		c := coupled{j: j}
		for _, x := range []float64{-5, -4, -3.9, -1, -0.01, 0, 0.01, 1, 2.5, 3.9, 4, 5} {
			g := min(50, max(-50, x*j))
			u, a := c.most(g)
			if want := steepest(g, j); !(u >= want*(1-1e-12) && u <= want+1e-3*min(1, 4*j)) {
				t.Errorf("j = %v, g = %v: %v, want %v", j, g, u, want)
			}
			if at := a*g + math.Log1p(4*j*a*(1-a)); !(a >= 0 && a <= 1 && math.Abs(at-u) <= 1e-12*max(u, j/1e6)) {
				t.Errorf("j = %v, g = %v: %v at a = %v, which has %v", j, g, u, a, at)
			}
		}
	}
}

// The divergence is E (1 − e^{t−U(g)})₊, summed here over the noise itself: over length and angle in space, where a
// coordinate of the direction is uniform, over a line, and over the one component of Gaussian noise that counts.
func TestCoupled_IsTheExpectation(t *testing.T) {
	type atom struct{ g, weight float64 }
	const size = 0.7
	laws := map[string][]atom{}
	const n = 400
	for i := range n {
		r := 25 * (float64(i) + 0.5) / n
		for k := range n {
			x := -1 + 2*(float64(k)+0.5)/n
			laws["space"] = append(laws["space"],
				atom{math.Sqrt(r*r-2*r*x*size+size*size) - r, r * r * math.Exp(-r) / 2 * 25 / n / n})
		}
	}
	for i := range 40000 {
		b := -20 + 40*(float64(i)+0.5)/40000
		laws["line"] = append(laws["line"], atom{math.Abs(b-size) - math.Abs(b), math.Exp(-math.Abs(b)) / 2 / 1000})
		b /= 2
		laws["Gaussian"] = append(laws["Gaussian"],
			atom{size*b + size*size/2, math.Exp(-b*b/2) / math.Sqrt(2*math.Pi) / 2000})
	}
	shop := newWorkshop()
	shop.resolution = fine
	for name, noise := range map[string]Noise{"space": laplace(3, size), "line": laplace(1, size),
		"Gaussian": gaussian(size)} {
		for _, j := range []float64{0.02, 0.15, 0.6} {
			m := logisticRow(noise, j)
			above := m.coupled(shop).above(func(t float64) float64 { return noise.shift(t, shop) })
			thresholds := []float64{0.01, 0.3, 1, 2, 3, 3.99, 4.01}
			sums := make([]float64, len(thresholds))
			for _, p := range laws[name] {
				u := max(0, p.g)
				if math.Abs(p.g) < 4*j {
					u = steepest(p.g, j)
				}
				for k, x := range thresholds {
					sums[k] += p.weight * max(0, 1-math.Exp(x*j-u))
				}
			}
			for k, x := range thresholds {
				want := sums[k]
				if got := above(x * j); !(got > want*(1-1e-4)-1e-5 && got < want*(1+2e-3)+1e-5) {
					t.Errorf("%s, j = %v, t = %v: %v, want %v", name, j, x*j, got, want)
				}
			}
		}
	}
}

// Between its points the divergence is the chord's, which is above it.
func TestCoupled_IsContinuous(t *testing.T) {
	shop := newWorkshop()
	noise := laplace(5, 0.4)
	c := logisticRow(noise, 0.1).coupled(shop)
	at := c.above(func(t float64) float64 { return noise.shift(t, shop) })
	for k, level := range c.levels {
		for _, apart := range []float64{-1e-9, 1e-9} {
			if v := at(level + apart); !(math.Abs(v-c.values[k]) <= 1e-8) {
				t.Errorf("point %d: %v beside it, %v there", k, v, c.values[k])
			}
		}
		if k > 0 {
			x, y := c.levels[k-1], level
			chord := (c.values[k-1]*(math.Exp(y)-math.Exp((x+y)/2)) + c.values[k]*(math.Exp((x+y)/2)-math.Exp(x))) /
				(math.Exp(y) - math.Exp(x))
			if v := at((x + y) / 2); !(v >= chord && v <= chord+1e-12) {
				t.Errorf("between %d and %d: %v, the chord has %v", k-1, k, v, chord)
			}
		}
	}
}

// A Jacobian costs less where its slope is known: in 31 dimensions and 20 rounds.
func TestCoupled_LiesBetweenTheShiftAndTheJacobianApart(t *testing.T) {
	last := 0.0
	for _, c := range []struct{ j, epsilon float64 }{
		{0, 1.3955}, {0.003, 1.3956}, {0.01, 1.3998}, {0.03, 1.4700}, {0.0922, 1.8060}, {0.2, 2.2822}, {2, 6.2398},
	} {
		at := func(logistic bool) float64 {
			m := Objective{Noise: laplace(31, 0.227), Down: 1, Hessian: c.j, Logistic: logistic}
			return Compose(repeat(m, 20)).Epsilon(1e-5)
		}
		together, apart := at(true), at(false)
		within(t, "together", together, c.epsilon, 2e-4)
		if !(together > last && together <= apart) {
			t.Errorf("j = %v: %v with its slope, %v apart, %v of a smaller one", c.j, together, apart, last)
		}
		last = together
	}
}
