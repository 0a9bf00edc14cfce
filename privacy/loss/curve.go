// Curves of hockey-stick divergences, and the distributions that bound them on a grid.

package loss

import (
	"math"

	"overhear/internal/num"
)

// curve bounds what tells a pair of laws (P, Q) apart: above(t) is at least H_{e^t}(P‖Q) = sup P(E) − e^t Q(E), and
// below(t) at least H_{e^t}(Q‖P), for t ≥ 0. Both need not be convex, or fall: the true divergences do.
type curve struct {
	above, below func(t float64) float64
	reach        float64 // both are zero from there on; +Inf: nowhere
	spread       float64 // about the standard deviation of the loss: the grid is finer than that
}

// reversed is the curve of (Q, P).
func (c curve) reversed() curve {
	c.above, c.below = c.below, c.above
	return c
}

// distribution is a privacy-loss distribution: the loss ln dP/dQ is (first+k)·step with probability mass[k] under P,
// and infinite with the rest.
type distribution struct {
	step     float64
	first    int
	mass     []float64
	infinite float64
}

const (
	// allowance is what rounding may hide of a curve and of its slopes: it joins the infinite loss of every use.
	allowance = 1e-12

	// negligible is where a curve without end is cut: what is left there joins the infinite loss, too.
	negligible = 1e-16

	longest = 600 // losses beyond it count as infinite
)

// on is the distribution that a curve gives on the multiples of stride·step: that of the least convex curve through
// points above it (Doroshenko, Ghazi, Kamath, Kumar & Manurangsi, Connect the Dots, PoPETs 2022).
func (c curve) on(step float64, stride int) distribution {
	return c.joined(step, stride, allowance)
}

func (c curve) joined(step float64, stride int, allowed float64) distribution {
	wide := float64(stride) * step
	side := func(at func(float64) float64) (values []float64) {
		for k := 0; ; k++ {
			t := float64(float64(k) * wide)
			v := 0.0
			if t < c.reach {
				v = min(1, max(0, at(t)))
			}
			values = append(values, v)
			if v <= negligible || t > longest {
				return values
			}
		}
	}
	up, down := side(c.above), side(c.below)
	up[0] = min(up[0], down[0]) // both are the total variation
	d := distribution{step: step, infinite: up[len(up)-1] + allowed}
	n := len(down) - 1
	// Point k of the whole curve has e^((k−n)·wide) and, up to (1 − e^t)₊, the value of gap.
	ratio, gap := make([]float64, n+len(up)), make([]float64, n+len(up))
	for k := range ratio {
		ratio[k] = num.Exp(float64(float64(k-n) * wide))
		if k >= n {
			gap[k] = up[k-n]
		} else {
			gap[k] = float64(ratio[k] * down[n-k])
		}
	}
	slope := func(i, j int) float64 {
		run := ratio[j] - ratio[i]
		switch {
		case i >= n:
			return (gap[j] - gap[i]) / run
		case j <= n:
			return (gap[j]-gap[i])/run - 1
		}
		return (gap[j] - gap[i] - (1 - ratio[i])) / run
	}
	var hull []int // the lower convex hull
	for k := range ratio {
		for len(hull) > 1 && !(slope(hull[len(hull)-2], hull[len(hull)-1]) < slope(hull[len(hull)-1], k)) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, k)
	}
	fall := func(i int) float64 { // the slope from the value 1 at e^t = 0
		if i <= n {
			return gap[i]/ratio[i] - 1
		}
		return (gap[i] - 1) / ratio[i]
	}
	for len(hull) > 1 && !(fall(hull[0]) < slope(hull[0], hull[1])) {
		hull = hull[1:]
	}
	d.first = -n * stride
	d.mass = make([]float64, (len(ratio)-1)*stride+1)
	left := fall(hull[0])
	for k, i := range hull {
		right := 0.0
		if k+1 < len(hull) {
			right = slope(i, hull[k+1])
		}
		d.mass[i*stride] = max(0, float64(ratio[i]*(right-left)))
		left = right
	}
	return d
}

// chain bounds (P, R) by (P, M) and (M, R): of a test of P against R the power at M is at most what (P, M) allows, and
// at R at most what (M, R) allows of that. Of distributions this couples the losses of both by their quantiles under M
// (docs/mathematics.md §6.1, Lemma 3). Both are on the same grid, so that sums of losses are on it, too.
func chain(x, y distribution) distribution {
	out := distribution{step: x.step, first: x.first + y.first, mass: make([]float64, len(x.mass)+len(y.mass)-1),
		infinite: x.infinite}
	i, j := len(x.mass), len(y.mass)
	var fromX, ofX, ofY float64 // what is left of the atoms under M, and e^loss of x's
	infinite := true
	ofY = y.infinite
	for {
		for !(ofX > 0) && i > 0 {
			i--
			fromX = num.Exp(float64(float64(x.first+i) * x.step))
			ofX = x.mass[i] / fromX
		}
		for !(ofY > 0) && j > 0 {
			j--
			ofY, infinite = y.mass[j], false
		}
		if !(ofX > 0) {
			return out
		}
		if !(ofY > 0) { // rounding has left some of M
			out.infinite += float64(ofX * fromX)
			ofX = 0
			continue
		}
		both := min(ofX, ofY)
		if infinite {
			out.infinite += float64(both * fromX)
		} else {
			out.mass[i+j] += float64(both * fromX)
		}
		ofX -= both
		ofY -= both
	}
}

// cumulant is ln E e^(λL) of the finite losses under P; −Inf if there are none.
func (d *distribution) cumulant(lambda float64) float64 {
	top := math.Inf(-1)
	for k, m := range d.mass {
		if m > 0 {
			top = max(top, lambda*float64(d.first+k)*d.step)
		}
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for k, m := range d.mass {
		if m > 0 {
			sum += float64(m * num.Exp(float64(lambda*float64(d.first+k)*d.step)-top))
		}
	}
	return top + num.Log(sum)
}

// moments are the mean and the variance of the finite losses under P.
func (d *distribution) moments() (mean, variance float64) {
	var total, first, second float64
	for k, m := range d.mass {
		t := float64(float64(d.first+k) * d.step)
		total += m
		first += float64(m * t)
		second += float64(m * t * t)
	}
	if !(total > 0) {
		return 0, 0
	}
	mean = first / total
	return mean, max(0, second/total-float64(mean*mean))
}
