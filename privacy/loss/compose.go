// Composition of uses, and what can be read from it.

package loss

import (
	"math"
	"slices"
	"sort"

	"overhear/internal/num"
)

// Total is what uses of data lose together: whoever sees all of it, however each use depends on what was published
// before, tells two worlds apart no better than it says, in either order of the worlds.
type Total struct {
	step  float64
	first int // loss of the first atom, in steps
	power []float64
	alarm []float64 // probabilities of a loss of at least that of atom k, under P, and under Q times e^loss
	slack float64
	pure  float64
	exact *curve // of a single shift, which needs no grid

	others []*Total // of other nodes: what is read is the worst of all, as their curves may cross
}

const (
	size    = 1 << 16 // of the transform
	classes = 64      // most transforms; beyond it sizes are rounded up until uses are equal
)

// Compose composes uses; none loses nothing. It panics of a use whose numbers are no law.
func Compose(uses []Mechanism) *Total {
	for _, m := range uses {
		if err := m.check(); err != nil {
			panic("loss: " + err.Error())
		}
	}
	return compose(uses, size)
}

func compose(uses []Mechanism, size int) *Total {
	t := &Total{}
	kinds, counts := tally(uses)
	for k, m := range kinds {
		t.pure += float64(float64(counts[k]) * m.Pure())
	}
	kinds, counts = merged(kinds, counts)
	if len(kinds) == 0 {
		t.step, t.power, t.alarm = 1, []float64{1}, []float64{1} // the loss is 0
		return t
	}
	shop := newWorkshop()
	if m, ok := kinds[0].(Shift); ok && len(kinds) == 1 && counts[0] == 1 {
		c := m.curve(shop)
		t.exact = &c
	}
	low, high, lambda, ok := window(kinds, counts, shop)
	if !ok {
		t.slack = 1
		return t
	}
	t.step = (high - low) / float64(size-4)
	if whole := math.Floor(kinds[0].Pure() / t.step); len(kinds) == 1 && whole >= 1 && !math.IsInf(whole, 1) {
		t.step = kinds[0].Pure() / whole // where there is an atom, if there is
	}
	shop.resolution = max(1.5*coarse, fine/float64(len(kinds)))
	t.first = int(math.Floor(low/t.step)) - 1
	t.convolve(kinds, counts, shop, size, lambda)
	return t
}

// tally counts equal uses, in the order in which they first come. Those that lose nothing are left out, and Gaussian
// shifts are one, of the root of the sum of squares.
func tally(uses []Mechanism) (kinds []Mechanism, counts []int) {
	where := map[Mechanism]int{}
	squares := 0.0
	for _, m := range uses {
		if !(m.Pure() > 0) {
			continue
		}
		if s, ok := m.(Shift); ok && s.Kind == Gaussian {
			squares += float64(s.Size * s.Size)
			continue
		}
		k, ok := where[m]
		if !ok {
			k = len(kinds)
			where[m] = k
			kinds, counts = append(kinds, m), append(counts, 0)
		}
		counts[k]++
	}
	if squares > 0 {
		all := Shift{Noise{Kind: Gaussian, Size: math.Sqrt(squares)}}
		kinds, counts = append(kinds, all), append(counts, 1)
	}
	return kinds, counts
}

// merged are at most that many classes, of uses that lose no less.
func merged(kinds []Mechanism, counts []int) ([]Mechanism, []int) {
	for ratio := 1.001; len(kinds) > classes; ratio *= ratio {
		var all []Mechanism
		for k, m := range kinds {
			all = append(all, slices.Repeat([]Mechanism{m.coarser(ratio)}, counts[k])...)
		}
		kinds, counts = tally(all)
	}
	return kinds, counts
}

// beyond is what the window may leave out on each side, e^−beyond, and a part of the slack.
const beyond = 32

// window is an interval that holds the sum of the losses but for e^−beyond on each side, by Chernoff's bound, and the
// exponent that bounds the upper side; false if losses without end are too likely for any of it to matter.
func window(kinds []Mechanism, counts []int, shop *workshop) (low, high, lambda float64, ok bool) {
	pilots := make([]distribution, len(kinds))
	var mean, variance, infinite float64
	for k, m := range kinds {
		pilots[k] = m.distribution(m.spread()/coarse, shop)
		a, b := pilots[k].moments()
		mean += float64(float64(counts[k]) * a)
		variance += float64(float64(counts[k]) * b)
		infinite += float64(float64(counts[k]) * pilots[k].infinite)
	}
	if !(infinite < 0.5) {
		return 0, 0, 0, false
	}
	deviation := max(math.Sqrt(variance), 1e-4*(1+math.Abs(mean)))
	low, high = math.Inf(-1), math.Inf(1)
	for e := -8; e <= 8; e++ {
		l := math.Sqrt(2*beyond) / deviation * num.Exp2(float64(e)/4)
		var up, down float64
		for k := range pilots {
			up += float64(float64(counts[k]) * pilots[k].cumulant(l))
			down += float64(float64(counts[k]) * pilots[k].cumulant(-l))
		}
		if h := (up + beyond) / l; h < high {
			high, lambda = h, l
		}
		low = max(low, -(down+beyond)/l)
	}
	margin := float64((high - low) / 64)
	return low - margin, high + margin, lambda, true
}

// convolve fills the total from the classes' distributions.
func (t *Total) convolve(kinds []Mechanism, counts []int, shop *workshop, n int, lambda float64) {
	f := newFourier(n)
	sumRe, sumIm := make([]float64, n), make([]float64, n)
	re, im := make([]float64, n), make([]float64, n)
	for k := range sumRe {
		sumRe[k] = 1
	}
	var cut, infinite, rounding float64
	steps := math.Log2E * num.Log(float64(n))
	for k, m := range kinds {
		d := m.distribution(t.step, shop)
		times64 := float64(counts[k])
		infinite += float64(times64 * d.infinite)
		cut += float64(times64 * d.cumulant(lambda))
		clear(re)
		clear(im)
		squares := 0.0
		for i, p := range d.mass {
			at := (d.first + i) % n
			if at < 0 {
				at += n
			}
			re[at] += p
			squares += float64(p * p)
		}
		f.forward(re, im)
		for i := range re {
			a, b := power(re[i], im[i], counts[k])
			sumRe[i], sumIm[i] = times(sumRe[i], sumIm[i], a, b)
		}
		rounding += float64((times64 + 1) * math.Sqrt(squares))
	}
	f.backward(sumRe, sumIm)
	last := float64(float64(t.first+n-1) * t.step)
	// Above the window, at most this; what is below it comes in again from above, where it counts for more than it
	// should. The transforms' rounding is 10·log₂n units in the last place of the root of the sum of squares (Higham
	// 2002, Theorem 24.2), and as much for each factor of a power; by Cauchy and Schwarz √n times that bounds the
	// sum of all.
	t.slack = infinite + num.Exp(cut-float64(lambda*last)) +
		float64(rounding*math.Sqrt(float64(n))*10*steps*0x1p-53)
	t.power, t.alarm = make([]float64, n), make([]float64, n)
	var power, alarm float64
	fall := num.Exp(-t.step)
	for k := n - 1; k >= 0; k-- {
		at := (t.first + k) % n
		if at < 0 {
			at += n
		}
		p := max(0, sumRe[at])
		power += p
		alarm = p + float64(alarm*fall)
		t.power[k], t.alarm[k] = power, alarm
	}
}

// worst is the greatest of a number of all nodes.
func (t *Total) worst(of func(*Total) float64) float64 {
	most := of(t)
	for _, o := range t.others {
		most = max(most, of(o))
	}
	return most
}

// Slack is the part of every δ that is there for what the computation leaves out: losses beyond the grid, and rounding.
func (t *Total) Slack() float64 { return t.worst(func(t *Total) float64 { return t.slack }) }

// Pure is ε of basic composition; +Inf if a use has none.
func (t *Total) Pure() float64 { return t.worst(func(t *Total) float64 { return t.pure }) }

// at is the loss of an atom.
func (t *Total) at(k int) float64 { return float64(float64(t.first+k) * t.step) }

// Delta is a δ for which all uses together are (ε, δ)-differentially private, for any ε.
func (t *Total) Delta(epsilon float64) float64 {
	return t.worst(func(t *Total) float64 { return t.delta(epsilon) })
}

func (t *Total) delta(epsilon float64) float64 {
	least := max(0, -num.Expm1(epsilon)) // of the test that always alarms
	if epsilon >= t.pure {
		return least
	}
	if t.exact != nil {
		if epsilon >= 0 {
			return t.exact.above(epsilon)
		}
		return least + float64(num.Exp(epsilon)*t.exact.below(-epsilon))
	}
	k := max(0, int(math.Ceil(min(1e9, epsilon/t.step)))-t.first)
	delta := t.slack
	if k < len(t.power) {
		delta += t.power[k] - float64(num.Exp(epsilon-t.at(k))*t.alarm[k])
	}
	if !(delta < 1) {
		return 1
	}
	return max(least, delta)
}

// Epsilon is the least ε ≥ 0 at which Delta is at most δ, to a relative 10⁻¹⁴ from above; +Inf if there is none.
func (t *Total) Epsilon(delta float64) float64 { return invert(t.Delta, delta, t.Pure()) }

// invert is the least ε ≥ 0 at which a curve is at most δ. From pure on it is 0.
func invert(of func(float64) float64, delta, pure float64) float64 {
	if of(0) <= delta {
		return 0
	}
	lo, hi := 0.0, 1.0
	for !(of(hi) <= delta) {
		if lo, hi = hi, float64(2*hi); hi >= pure || math.IsInf(hi, 1) {
			if hi = pure; math.IsInf(hi, 1) {
				return hi
			}
			break
		}
	}
	for hi-lo > 1e-14*hi {
		mid := lo + float64((hi-lo)/2)
		if of(mid) <= delta {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// Missed is the least share of missed alarms that a test may have whose share of false alarms is that: the trade-off
// curve of Dong, Roth & Su (2022).
func (t *Total) Missed(alarms float64) float64 {
	return -t.worst(func(t *Total) float64 { return -t.missed(alarms) })
}

func (t *Total) missed(alarms float64) float64 {
	// A test alarms of losses from atom k on, and of part of those of the atom before.
	under := func(k int) float64 { return t.alarm[k] * num.Exp(-t.at(k)) }
	k := sort.Search(len(t.alarm), func(k int) bool { return under(k) <= alarms })
	power, alarm := 0.0, 0.0
	if k < len(t.alarm) {
		power, alarm = t.power[k], under(k)
	}
	if k > 0 { // what is left of the false alarms is of the atom before
		power += float64((alarms - alarm) * num.Exp(t.at(k-1)))
	}
	return max(0, 1-max(alarms, power+t.slack))
}
