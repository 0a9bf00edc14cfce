// Certificates against closed forms, other accountants, draws, and the laws that they bound.

package loss

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"overhear/internal/cputime"
	"overhear/internal/num"
	"overhear/sim"
)

func repeat(m Mechanism, n int) []Mechanism { return slices.Repeat([]Mechanism{m}, n) }

func laplace(d int, size float64) Noise { return Noise{Kind: Laplace, Dimension: d, Size: size} }

func gaussian(size float64) Noise { return Noise{Kind: Gaussian, Size: size} }

// logisticRow is a row under the logistic loss.
func logisticRow(n Noise, hessian float64) Objective {
	return Objective{Noise: n, Down: 1, Hessian: hessian, Logistic: true}
}

func within(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if !(math.Abs(got-want) <= off) {
		t.Errorf("%s: %v, want %v within %v", what, got, want, off)
	}
}

// balleWang is δ(ε) of a Gaussian shift by μ standard deviations (Balle & Wang 2018, Theorem 8).
func balleWang(mu, epsilon float64) float64 {
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	return tail(epsilon/mu-mu/2) - math.Exp(epsilon)*tail(epsilon/mu+mu/2)
}

// laplaceTwice is δ(ε) of two scalar Laplace mechanisms of ε₀ each: the mean over the first's loss of
// (1 − e^((ε−ℓ−ε₀)/2))₊, whose law has the atoms ±ε₀ and between them the density e^((ℓ−ε₀)/2)/4.
func laplaceTwice(e0, epsilon float64) float64 {
	one := func(e float64) float64 {
		switch {
		case e >= e0:
			return 0
		case e <= -e0:
			return 1 - math.Exp(e)
		}
		return 1 - math.Exp((e-e0)/2)
	}
	const n = 200_000
	sum := one(epsilon-e0)/2 + math.Exp(-e0)*one(epsilon+e0)/2
	for k := range n {
		l := -e0 + 2*e0*(float64(k)+0.5)/n
		sum += math.Exp((l-e0)/2) / 4 * one(epsilon-l) * 2 * e0 / n
	}
	return sum
}

func TestCompose_EqualsClosedForms(t *testing.T) {
	for _, e0 := range []float64{0.1, 1, 3} {
		one, two := Compose(repeat(Shift{laplace(1, e0)}, 1)), Compose(repeat(Shift{laplace(1, e0)}, 2))
		for _, share := range []float64{0, 0.1, 0.35, 0.8, 0.99} {
			e := share * e0
			within(t, fmt.Sprint("Laplace ", e0, " at ", e), one.Delta(e), 1-math.Exp((e-e0)/2), 1e-12)
			within(t, fmt.Sprint("two Laplace ", e0, " at ", 2*e), two.Delta(2*e), laplaceTwice(e0, 2*e), 1e-6)
		}
	}
	for _, mu := range []float64{0.05, 0.5, 1, 4} {
		// Shifts of different sizes and a row's change that is one shift come to one Gaussian.
		uses := append(repeat(Shift{gaussian(mu * 0.6)}, 1), repeat(Shift{gaussian(mu * 0.4)}, 4)...)
		grid := Compose(append(uses, Response{1e-9})) // which is not closed, and loses nothing to speak of
		for _, e := range []float64{-1, 0, 0.1, 1, 3} {
			want := balleWang(mu, e)
			within(t, fmt.Sprint("Gaussian ", mu, " at ", e), Compose(uses).Delta(e), want, 1e-12)
			within(t, fmt.Sprint("Gaussian ", mu, " on a grid at ", e), grid.Delta(e), want, 2e-4*mu)
		}
	}
	// k of n responses are true: binomial laws.
	const n, e0 = 12, 0.7
	total := Compose(repeat(Response{e0}, n))
	p := 1 / (1 + math.Exp(-e0))
	for _, e := range []float64{-2, 0, 1, 2.5, 6} {
		want, ways := 0.0, 1.0
		for k := 0; k <= n; k++ {
			l := float64(2*k-n) * e0
			if l > e {
				want += ways * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k)) * (1 - math.Exp(e-l))
			}
			ways *= float64(n-k) / float64(k+1)
		}
		within(t, fmt.Sprint("responses at ", e), total.Delta(e), want, 1e-9)
	}
}

// The values are those of tests of Google's dp_accounting, github.com/google/differential-privacy at 0e99a6ff and
// 7b02d985, python/dp_accounting/dp_accounting/pld/privacy_loss_distribution_test.py and accountant_test.py: the
// distributions of "connect the dots" on grids of 0.3, 0.5 and 1, and least noises.
func TestDistribution_EqualsGooglesAccountant(t *testing.T) {
	for _, c := range []struct {
		name  string
		curve curve
		step  float64
		first int
		want  []float64
	}{
		{"Laplace 1, grid 0.3", Shift{laplace(1, 1)}.curve(nil), 0.3, -4, []float64{0.05667611, 0.15117006, 0.03363663,
			0.03908019, 0.04540470, 0.05275273, 0.06128993, 0.37181835, 0.18817131}},
		{"Laplace 1, grid 0.5", Shift{laplace(1, 1)}.curve(nil), 0.5, -2, []float64{0.20681318, 0.05874020, 0.07542391,
			0.09684622, 0.56217650}},
		{"Laplace 2, grid 1", Shift{laplace(1, 2)}.curve(nil), 1, -2, []float64{0.08424071, 0.05464874, 0.09010054,
			0.14855068, 0.62245933}},
		// Without the ends, at which theirs is cut sooner.
		{"Gaussian 1, grid 0.5", Shift{gaussian(1)}.curve(nil), 0.5, -2, []float64{0.064402107, 0.118516480,
			0.171573378, 0.195400642, 0.175063076}},
		{"Gaussian 1, grid 0.3", Shift{gaussian(1)}.curve(nil), 0.3, -4, []float64{0.028252535, 0.044769197,
			0.064922037, 0.086158287, 0.104639278, 0.116301523, 0.118295665, 0.110114456, 0.093801719}},
	} {
		d := c.curve.joined(c.step, 1, 0)
		for k, want := range c.want {
			within(t, fmt.Sprint(c.name, ", mass of ", c.first+k), d.mass[c.first+k-d.first], want, 2e-8)
		}
	}
	third := Compose([]Mechanism{Shift{gaussian(3)}})
	within(t, "δ of a Gaussian of σ = 1/3 at ε = 1", third.Delta(1), 0.78760074, 1e-8)
	// The least parameter of Laplace noise for (1, 10⁻⁴) is 13.6 for 20 queries and 71.0 for 500, both to 0.1.
	for n, parameter := range map[int]float64{20: 13.6, 500: 71.0} {
		most := Compose(repeat(Shift{laplace(1, 1/(parameter-0.1))}, n)).Delta(1)
		least := Compose(repeat(Shift{laplace(1, 1/(parameter+0.1))}, n)).Delta(1)
		if !(least <= 1e-4 && 1e-4 <= most) {
			t.Errorf("%d queries: δ(1) is %v to %v, and 1e-4 is not between", n, least, most)
		}
	}
}

// fixture draws the loss of a use under P.
type fixture struct {
	m    Mechanism
	draw func(s *sim.Stream) float64
}

// ofShift draws that of a fixed shift of Laplace noise: ‖b − v‖ − ‖b‖ in units of 1/ζ.
func ofShift(d int, size float64) fixture {
	return fixture{Shift{laplace(d, size)}, func(s *sim.Stream) float64 {
		r, x := s.Gamma(float64(d)), s.Normal()
		x /= math.Sqrt(x*x + 2*s.Gamma(float64(d-1)/2))
		return math.Sqrt(r*r-2*r*size*x+size*size) - r
	}}
}

func TestCompose_EqualsDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("ten million draws")
	}
	mu := 0.4
	uses := []fixture{ofShift(31, 2), {Shift{gaussian(mu)}, func(s *sim.Stream) float64 {
		return mu*mu/2 + mu*s.Normal()
	}}}
	const draws = 10_000_000
	epsilons := []float64{0, 0.5, 1, 2, 3}
	workers := runtime.GOMAXPROCS(0)
	sums, squares := make([][5]float64, workers), make([][5]float64, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			s := sim.NewStream(15, "draws", uint64(w))
			for range draws / workers {
				loss := 0.0
				for _, u := range uses {
					loss += u.draw(s)
				}
				for k, e := range epsilons {
					if loss > e {
						x := -math.Expm1(e - loss)
						sums[w][k] += x
						squares[w][k] += x * x
					}
				}
			}
		})
	}
	wait.Wait()
	var all []Mechanism
	for _, u := range uses {
		all = append(all, u.m)
	}
	total := Compose(all)
	n := float64(draws / workers * workers)
	for k, e := range epsilons {
		var mean, square float64
		for w := range workers {
			mean += sums[w][k] / n
			square += squares[w][k] / n
		}
		// Four standard errors; the grid adds at most 10⁻⁶.
		within(t, fmt.Sprint("δ of draws at ", e), total.Delta(e), mean, 4*math.Sqrt((square-mean*mean)/n)+1e-6)
	}
}

// onGrid is a mechanism whose losses, of given probabilities under P, are rounded up.
type onGrid struct {
	Response // what a mechanism needs besides
	losses   *[]weighed
	down     bool // the error: rounded down
}

type weighed struct{ loss, probability float64 }

func (m onGrid) spread() float64 { return m.Epsilon / 10 }

func (m onGrid) distribution(step float64, _ *workshop) distribution {
	n := int(m.Epsilon/step) + 2
	d := distribution{step: step, first: -n, mass: make([]float64, 2*n+1)}
	for _, l := range *m.losses {
		k := math.Ceil(l.loss / step)
		if m.down {
			k--
		}
		d.mass[int(k)+n] += l.probability
	}
	return d
}

// bounded are the losses of a bound Z(‖b‖, share) of noise in d dimensions, with ‖P_S b‖² = share·‖b‖² and k = dim S.
func bounded(d int, size float64, share func(at float64) float64, z func(r, share float64) float64) onGrid {
	const shares = 4000
	var all []weighed
	for _, r := range newSphere(d).radii {
		for k := range shares {
			all = append(all, weighed{z(r.at, share((float64(k)+0.5)/shares)), r.weight / shares})
		}
	}
	return onGrid{Response{size}, &all, false}
}

// Where a certificate stands: between what a fixed shift costs, which some pairs of rows come near, and what follows
// from less of the row's structure.
func TestCompose_OrderOfBounds(t *testing.T) {
	const d, rounds, delta = 105, 50, 1e-5
	span := bounded(d, 1, func(q float64) float64 { return 1 - math.Pow(1-q, 2.0/(d-2)) }, // Beta(1, (d−2)/2)
		func(r, share float64) float64 {
			within := r * math.Sqrt(share)
			return math.Sqrt((within+1)*(within+1)+r*r-within*within) - r
		})
	opposed := bounded(d, 1, func(q float64) float64 { return 2*q - 1 }, func(r, q float64) float64 {
		x := coordinate(d, math.Abs(q))
		if q < 0 {
			x = -x
		}
		return max(0, math.Sqrt(r*r-2*r*x+1)-r)
	})
	fixed := Compose(repeat(Shift{laplace(d, 1)}, rounds)).Epsilon(delta)
	certificate := Compose(repeat(logisticRow(laplace(d, 0.5), 0), rounds)).Epsilon(delta)
	within(t, "span", Compose(repeat(span, rounds)).Epsilon(delta), 8.13, 0.02)
	within(t, "the four vertices, opposed rows", Compose(repeat(opposed, rounds)).Epsilon(delta), 3.81, 0.02)
	within(t, "fixed shift", fixed, 2.8605, 2e-4)
	within(t, "flipped label", Compose(repeat(Shift{laplace(d, 0.5)}, rounds)).Epsilon(delta), 1.3195, 2e-4)
	within(t, "certificate", certificate, 2.8605, 1e-4)
	within(t, "flipped label, d = 31, α = 1, 20 rounds",
		Compose(repeat(Shift{laplace(31, 0.5)}, 20)).Epsilon(delta), 1.5526, 2e-4)
	if exact := 2.860505; !(certificate >= exact) { // of a grid that is twenty times as fine
		t.Errorf("the certificate %v is below the fixed shift's %v", certificate, exact)
	}
	// With its Jacobian the logistic loss's certificate moves little, another loss's more.
	logistic := Compose(repeat(logisticRow(laplace(d, 0.5), 0.01), rounds)).Epsilon(delta)
	general := Compose(repeat(Objective{Noise: laplace(d, 0.5), Down: 1, Hessian: 0.01}, rounds)).Epsilon(delta)
	if !(certificate < logistic && logistic < general && general < certificate+0.5) {
		t.Errorf("with a Jacobian of 0.01: %v of the logistic loss, %v of another, %v without", logistic, general,
			certificate)
	}
}

// coordinate is the x for which a coordinate of a direction has |x| below it with that probability.
func coordinate(d int, probability float64) float64 {
	s := spheres.sphere(d)
	lo, hi := 0.0, 1.0
	for range 50 {
		mid := (lo + hi) / 2
		if 1-2*s.beyond(mid) < probability {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

var spheres = newWorkshop()

// worlds is a round in the plane at a node whose other rows do nothing: its minimiser f has the density
// q(G(f)) det ∇G(f), G(f) = w L′(u·f)u + κf + g, and a past gives g.
type worlds struct {
	kappa, weight, zeta float64
	gauss               bool
	g                   [2]float64
	loss                func(z float64) (slope, curvature float64)
}

func logistic(z float64) (slope, curvature float64) {
	s := 1 / (1 + math.Exp(z))
	return -s, s * (1 - s)
}

// checkHinge is the quantile loss's slope between −½ and ½, with a step of width 1.
func checkHinge(z float64) (slope, curvature float64) {
	if math.Abs(z) < 1 {
		return z / 2, 0.5
	}
	return math.Copysign(0.5, z), 0
}

// density is that of f with a row u, up to a constant.
func (w *worlds) density(u, f [2]float64) float64 {
	slope, curvature := w.loss(u[0]*f[0] + u[1]*f[1])
	x := w.kappa*f[0] + w.g[0] + w.weight*slope*u[0]
	y := w.kappa*f[1] + w.g[1] + w.weight*slope*u[1]
	det := w.kappa * (w.kappa + w.weight*curvature*(u[0]*u[0]+u[1]*u[1]))
	if w.gauss {
		return det * w.zeta * w.zeta / (2 * math.Pi) * math.Exp(-w.zeta*w.zeta*(x*x+y*y)/2)
	}
	return det * w.zeta * w.zeta / (2 * math.Pi) * math.Exp(-w.zeta*math.Hypot(x, y))
}

// apart is H_{e^ε} of two rows for each ε, on a grid of f.
func (w *worlds) apart(u, v [2]float64, epsilons []float64) []float64 {
	const n = 320
	reach := (16/w.zeta + w.weight + math.Hypot(w.g[0], w.g[1])) / w.kappa
	out := make([]float64, len(epsilons))
	cell := 2 * reach / n
	for i := range n {
		for j := range n {
			f := [2]float64{-reach + cell*(float64(i)+0.5), -reach + cell*(float64(j)+0.5)}
			p, q := w.density(u, f), w.density(v, f)
			for k, e := range epsilons {
				out[k] += max(0, p-math.Exp(e)*q) * cell * cell
			}
		}
	}
	return out
}

func polar(length, degrees float64) [2]float64 {
	s, c := math.Sincos(degrees / 180 * math.Pi)
	return [2]float64{length * c, length * s}
}

// exactRound is what two rows differ by in a round that a certificate is for.
type exactRound struct {
	m        Mechanism
	epsilons []float64
	deltas   []float64
}

// exactRounds are rounds in the plane, and shifts with closed forms.
var exactRounds = sync.OnceValue(func() (all []exactRound) {
	epsilons := []float64{0, 0.2, 0.5, 0.8, 1.1}
	for _, w := range []worlds{
		{kappa: 1, weight: 1, zeta: 0.5, loss: logistic},
		{kappa: 1, weight: 1, zeta: 0.5, g: [2]float64{12, 0}, loss: logistic},
		{kappa: 0.4, weight: 1, zeta: 0.3, g: [2]float64{1, 0}, loss: logistic},
		{kappa: 0.1, weight: 1, zeta: 0.1, g: [2]float64{1, 0}, loss: logistic},
		{kappa: 0.4, weight: 0.5, zeta: 1, g: [2]float64{-3, 2}, gauss: true, loss: logistic},
		{kappa: 0.3, weight: 1, zeta: 0.5, loss: checkHinge},
		{kappa: 0.3, weight: 1, zeta: 0.5, g: [2]float64{2, 0}, loss: checkHinge},
	} {
		o := Objective{Noise: laplace(2, w.zeta*w.weight), Down: 1, Hessian: 0.25 * w.weight / w.kappa, Logistic: true}
		if w.gauss {
			o.Noise = gaussian(w.zeta * w.weight)
		}
		if slope, _ := w.loss(9); slope > 0.1 {
			o.Down, o.Up, o.Hessian, o.Logistic = 0.5, 0.5, 0.5*w.weight/w.kappa, false
		}
		for _, pair := range [][2][2]float64{
			{polar(1, 0), polar(1, 180)}, {polar(1, 180), polar(1, 0)}, {polar(1, 10), polar(1, 170)},
			{polar(1, 0), polar(1, 90)}, {polar(1, 120), polar(1, 60)}, {polar(1, 90), polar(1, 95)},
			{polar(1, 180), polar(0.3, 0)}, {polar(1, 0), {}}, {{}, polar(1, 180)},
		} {
			all = append(all, exactRound{o, epsilons, w.apart(pair[0], pair[1], epsilons)})
		}
	}
	scalar, normal := exactRound{m: Shift{laplace(1, 1)}}, exactRound{m: Shift{gaussian(0.7)}}
	for _, e := range []float64{0, 0.15, 0.55, 0.95} {
		scalar.epsilons, scalar.deltas = append(scalar.epsilons, e), append(scalar.deltas, -math.Expm1((e-1)/2))
		normal.epsilons, normal.deltas = append(normal.epsilons, e), append(normal.deltas, balleWang(0.7, e))
	}
	return append(all, scalar, normal)
})

// broken are the certificates that are below what rounds exactly differ by, and how near the best pair of rows comes
// to its certificate.
func broken(certificate func(m Mechanism) *Total) (count int, nearest float64) {
	totals := map[Mechanism]*Total{}
	for _, r := range exactRounds() {
		if totals[r.m] == nil {
			totals[r.m] = certificate(r.m)
		}
		for k, delta := range r.deltas {
			bound := totals[r.m].Delta(r.epsilons[k])
			if delta > bound*(1+2e-4)+5e-5 { // the sums over the plane are good to that
				count++
			}
			if _, row := r.m.(Objective); row && bound > 0.01 {
				nearest = max(nearest, delta/bound)
			}
		}
	}
	return count, nearest
}

func TestObjective_BoundsExactRounds(t *testing.T) {
	count, nearest := broken(func(m Mechanism) *Total { return Compose([]Mechanism{m}) })
	if count > 0 {
		t.Errorf("%d certificates of a round are below what two rows differ by", count)
	}
	t.Logf("the nearest pair comes to %.4f of its certificate", nearest)
	if !(nearest > 0.9 && nearest < 1.001) {
		t.Errorf("the nearest pair of rows comes to %v of its certificate", nearest)
	}
}

// wrong is a mechanism with an error of an accountant.
type wrong struct {
	Mechanism
	kind string
}

func (m wrong) distribution(step float64, shop *workshop) distribution {
	o, isRow := m.Mechanism.(Objective)
	s, _ := m.Mechanism.(Shift)
	switch m.kind {
	case "shift halved":
		if o.Size /= 2; isRow {
			return o.distribution(step, shop)
		}
		s.Size /= 2
		return s.distribution(step, shop)
	case "one row for two": // one goes, and none comes
		if isRow {
			c := o.curve(shop)
			return c.on(step, shop.stride(c.spread, step))
		}
	case "no Jacobian":
		if o.Hessian = 0; isRow {
			return o.distribution(step, shop)
		}
	}
	d := m.Mechanism.distribution(step, shop)
	switch m.kind {
	case "the other world's chances": // under Q for under P
		for k := range d.mass {
			d.mass[k] *= math.Exp(-float64(d.first+k) * step)
		}
	case "rounded down": // to multiples of a twentieth
		most := int(0.05/step) + 2
		out := distribution{step: step, first: d.first - most, mass: make([]float64, len(d.mass)+2*most)}
		for k, p := range d.mass {
			at := math.Floor(float64(d.first+k)*step/0.05) * 0.05
			out.mass[int(math.Round(at/step))-out.first] += p
		}
		return out
	}
	return d
}

// Each of five errors in an accountant is found by the comparison with exact rounds.
func TestMechanism_ErrorsAreFound(t *testing.T) {
	for _, kind := range []string{"shift halved", "one row for two", "no Jacobian", "the other world's chances",
		"rounded down"} {
		count, _ := broken(func(m Mechanism) *Total {
			t := compose([]Mechanism{wrong{m, kind}}, 1<<13)
			t.exact = nil
			return t
		})
		if count == 0 {
			t.Errorf("%s: no exact round breaks its certificate", kind)
		}
	}
}

// A shift's divergence grows with its size, for every ε: a bound on the size is a bound on the loss.
func TestShift_GrowsWithSize(t *testing.T) {
	shop := newWorkshop()
	for _, of := range []func(size float64) Noise{
		func(size float64) Noise { return laplace(1, size) }, func(size float64) Noise { return laplace(2, size) },
		func(size float64) Noise { return laplace(31, size) }, gaussian,
	} {
		for _, e := range []float64{0, 0.05, 0.5, 2, 6} {
			last := 0.0
			for size := 0.01; size < 12; size *= 1.07 {
				h := of(size).shift(e, shop)
				if !(h >= last-1e-14 && h <= 1) {
					t.Errorf("%+v: δ(%v) is %v, and was %v of a smaller size", of(size), e, h, last)
				}
				last = h
			}
		}
	}
}

// The probabilities of a shift's loss are those of a quadrature with ten times as many points, by half of what each is
// allowed to be off.
func TestSphere_QuadratureIsExact(t *testing.T) {
	for _, d := range []int{2, 3, 4, 7, 10, 23, 24, 31, 105, 1000, 10_000} {
		s := newSphere(d)
		for _, size := range []float64{1e-3, 0.1, 1, 5, 20} {
			for _, share := range []float64{-0.9, -0.3, 0, 0.01, 0.1, 0.5, 0.9} {
				tau := share * size
				cut := (size - tau) * (size + tau) / (2 * size)
				f := func(r float64) float64 { return s.beyond(share + cut/r) }
				got, want := 0.0, 0.0
				for _, n := range s.lengthsFrom((size + tau) / 2) {
					got += n.weight * f(n.at)
				}
				// Panels of the logarithm of the distance from where the probability begins.
				from := (size + tau) / 2
				least := max(from, s.low)
				const panels = 60
				for k := range panels {
					a := (s.high - least) * math.Exp(-float64(k+1)*0.7)
					b := (s.high - least) * math.Exp(-float64(k)*0.7)
					if k == panels-1 {
						a = 0
					}
					for _, n := range gaussNodes {
						r := least + a + (b-a)*(1+n.at)/2
						want += n.weight * (b - a) / 2 * s.scale * s.lengthDensity(r) * f(r)
					}
				}
				within(t, fmt.Sprintf("d = %d, size %v, τ = %v", d, size, tau), got, want, unsure/2)
			}
		}
		total := 0.0
		for _, n := range s.radii {
			total += n.weight
		}
		within(t, "lengths", total, 1, 1e-15*float64(len(s.radii)))
		for _, x := range []float64{0, 0.001, 0.02, 0.1, 0.33} {
			want := 0.5
			if x > 0 {
				want = (1 - num.BetaShare(0.5, float64(d-1)/2, x*x)) / 2
			}
			within(t, fmt.Sprintf("d = %d, beyond %v", d, x), s.beyond(x), want, 1e-15*max(2, float64(d)/5))
		}
	}
}

// A distribution is a law, of bounds that rise and of curves that are cut where e^t has no room, too; and what it says
// of a convex curve is nowhere below it.
func TestCurve_DistributionIsAbove(t *testing.T) {
	rough := curve{above: func(t float64) float64 { return 0.3 * (1 - t) * (1 + 0.2*math.Sin(40*t)) },
		below: func(t float64) float64 { return 0.35 * (1 - t) }, reach: 1}
	for _, c := range []struct {
		name   string
		curve  curve
		step   float64
		convex bool
	}{
		{"a row", logisticRow(laplace(4, 0.8), 0.3).curve(newWorkshop()), 0.05, false},
		{"a rough one", rough, 0.05, false},
		{"a shift", Shift{laplace(4, 0.8)}.curve(newWorkshop()), 0.05, true},
		{"a cut one", Shift{gaussian(32)}.curve(nil), 7, true},
	} {
		d := c.curve.joined(c.step, 1, 0)
		power, alarm := d.infinite, 0.0
		for k, p := range d.mass {
			power += p
			alarm += p * math.Exp(-float64(d.first+k)*c.step)
		}
		if !(math.Abs(power-1) <= 1e-9) || !(alarm <= 1+1e-9) {
			t.Errorf("%s: probabilities of %v under P and %v under Q", c.name, power, alarm)
		}
		for k := 0.0; k < 40 && c.convex; k += 0.5 {
			at, h := k*c.step, d.infinite
			for j, p := range d.mass {
				if l := float64(d.first+j) * c.step; l > at {
					h += p * (1 - math.Exp(at-l))
				}
			}
			if exact := c.curve.above(at); !(h >= exact-1e-12) {
				t.Errorf("%s: %v at %v, and the curve has %v", c.name, h, at, exact)
			}
		}
	}
}

// The trade-off curve is the dual of δ(ε): no test beats the lines 1 − δ − e^ε α, and some test meets them.
func TestTotal_TradeOffIsDual(t *testing.T) {
	for name, uses := range map[string][]Mechanism{
		"rows":      repeat(logisticRow(laplace(31, 0.5), 0.01), 20),
		"responses": repeat(Response{0.3}, 9),
	} {
		total := Compose(uses)
		for _, alarms := range []float64{1e-4, 0.01, 0.05, 0.3, 0.7} {
			best := 0.0
			for e := -4.0; e < 6; e += 0.001 {
				best = max(best, 1-total.Delta(e)-math.Exp(e)*alarms)
			}
			within(t, fmt.Sprint(name, ": missed at ", alarms), total.Missed(alarms), best, 1e-5)
		}
	}
	mu := 1.3 // Dong, Roth & Su: Φ(Φ⁻¹(1−α) − μ)
	total := Compose([]Mechanism{Shift{gaussian(mu)}})
	for _, z := range []float64{-1, 0, 1, 2} {
		alarms := math.Erfc(z/math.Sqrt2) / 2
		within(t, fmt.Sprint("missed of a Gaussian at ", alarms), total.Missed(alarms),
			math.Erfc((mu-z)/math.Sqrt2)/2, 3e-4)
	}
}

func TestTotal_EpsilonInvertsDelta(t *testing.T) {
	for _, uses := range [][]Mechanism{
		repeat(logisticRow(laplace(105, 0.5), 0.01), 50), repeat(Shift{gaussian(0.3)}, 7), repeat(Response{0.3}, 9),
		{Shift{laplace(10, 40)}, Response{50}}, {Shift{gaussian(60)}}, repeat(Shift{laplace(3000, 1e-3)}, 2),
	} {
		total := Compose(uses)
		for _, delta := range []float64{1e-9, 1e-5, 0.01, 0.4} {
			e := total.Epsilon(delta)
			inside := e > 0 && e < total.Pure()
			if !(total.Delta(e) <= delta) || inside && !(total.Delta(e-1e-6*max(1, e)) > delta*0.999) {
				t.Errorf("%+v: ε(%v) = %v, δ there %v", uses[0], delta, e, total.Delta(e))
			}
			if !(e <= total.Pure()) {
				t.Errorf("%+v: ε(%v) = %v, the sum is %v", uses[0], delta, e, total.Pure())
			}
		}
	}
	if e := Compose(nil).Epsilon(0); e != 0 {
		t.Errorf("nothing loses %v", e)
	}
}

// A thousand rounds of noise and penalties that all differ take less than a second of a processor. Sizes are then
// rounded up, which costs little.
func TestCompose_ThousandRounds(t *testing.T) {
	var uses []Mechanism
	for k := range 1000 {
		grown := math.Exp(float64(k) / 1000)
		uses = append(uses, logisticRow(laplace(105, 0.1*grown), 0.001/grown))
	}
	least := time.Hour
	var total *Total
	for range 3 {
		begin := cputime.Now()
		total = Compose(uses)
		least = min(least, cputime.Now()-begin)
	}
	t.Logf("%v; ε = %v of %v", least, total.Epsilon(1e-5), total.Pure())
	if least > time.Second {
		t.Errorf("it takes %v", least)
	}
	kinds, counts := tally(uses)
	kinds, counts = merged(kinds, counts)
	if len(kinds) > classes {
		t.Errorf("%d classes", len(kinds))
	}
	before, after := 0.0, 0.0
	for _, m := range uses {
		before += m.Pure()
	}
	for k, m := range kinds {
		after += float64(counts[k]) * m.Pure()
	}
	if !(after >= before && after < before*1.03) {
		t.Errorf("rounded up the sum is %v of %v", after, before)
	}
}

// The bits of certificates are those of every machine.
func TestGoldenCertificates(t *testing.T) {
	digest := sha256.New()
	for _, uses := range [][]Mechanism{
		repeat(logisticRow(laplace(105, 0.5), 0.01), 50),
		repeat(Objective{Noise: laplace(31, 0.4), Down: 0.5, Up: 0.5, Hessian: 0.02}, 7),
		repeat(Objective{Noise: gaussian(0.1), Down: 1, Hessian: 0.02}, 30),
		append(repeat(Shift{laplace(7, 0.7)}, 3), Shift{laplace(1, 0.3)}, Shift{gaussian(0.3)}, Response{0.5}),
	} {
		total := Compose(uses)
		for _, x := range append([]float64{total.Epsilon(1e-5), total.Delta(0.5), total.Missed(0.05), total.slack},
			total.power...) {
			binary.Write(digest, binary.LittleEndian, math.Float64bits(x))
		}
	}
	const want = "34b8c7a6bf58e3e1"
	if got := hex.EncodeToString(digest.Sum(nil)[:8]); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}

// Where noise is far greater than the Jacobian's part, the grid stays finite: choosing noise for a small target comes
// there. The whole loss is then next to the total variation.
func TestCompose_NoiseFarAboveTheJacobian(t *testing.T) {
	for _, n := range []Noise{laplace(31, 1e-6), laplace(31, 1e-9), gaussian(1e-6), gaussian(1e-9)} {
		begin := cputime.Now()
		total := Compose(repeat(logisticRow(n, 1), 12))
		if e := total.Epsilon(1e-4); !(e <= 1e-3) {
			t.Errorf("%+v: ε = %v at δ = 10⁻⁴", n, e)
		}
		if d := cputime.Now() - begin; !(d < 10*time.Second) {
			t.Errorf("%+v: %v", n, d)
		}
	}
}

// What is left out near the bound is what a sum over all points loses in rounding: both have the same bits.
func TestSphere_FartherIsTheSumOverAllPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 7))
	inside := 0
	for d := 2; d < tabulated; d++ {
		s := newSphere(d)
		for range 400 {
			size := math.Exp(6*r.Float64() - 4)
			at := size * (2*r.Float64() - 1)
			bound, a, b := (size+at)/2, at/size, (size-at)*(size+at)/(2*size)
			want := 0.0
			for _, n := range s.lengthsFrom(bound) {
				want += float64(n.weight * s.beyond(a+b/n.at))
			}
			if got := s.farther(bound, a, b); got != want {
				t.Fatalf("d = %d, a shift of %v at %v: %v, over all points %v", d, size, at, got, want)
			}
			if bound > s.low {
				inside++
			}
		}
	}
	if inside < 1000 {
		t.Errorf("only %d bounds are inside of the law", inside)
	}
}

// A shift by s deviations of Gaussian noise has P(L > ε) = Φ(s/2 − ε/s), which is δ where ε is far above 1.
func TestEpsilon_OfGreatShifts(t *testing.T) {
	const z = 4.264890793922602 // 1 − Φ(z) = 10⁻⁵
	for _, s := range []float64{1e3, 1e4, 1e6} {
		total := Compose(repeat(Shift{gaussian(s / 2)}, 4))
		if got, want := total.Epsilon(1e-5), s*s/2+s*z; !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("s = %v: ε = %v, want %v", s, got, want)
		}
	}
}
