// Families of statistics that a black-box audit learns.

package evaluation

import (
	"cmp"
	"math"
	"slices"

	"overhear/internal/num"
)

// rule is a statistic that was learnt: large where a run seems to be of world A.
type rule interface {
	scores(runs [][]float64) []float64
}

// family learns statistics from runs of both worlds; which of them is judged, other runs decide.
type family struct {
	name  string
	learn func(m [2][][]float64) []rule
}

var families = []family{
	{"linear", learnLinear},
	{"fitted Gaussians", learnGaussians},
	{"nearest neighbours", learnNeighbours},
	{"exact repeats", learnRepeats},
}

// compareCells has the latest round first, then payloads before times.
func compareCells(a, b cell) int {
	return cmp.Or(-cmp.Compare(a.round, b.round), cmp.Compare(order(a.summed), order(b.summed)),
		cmp.Compare(sign(b.number), sign(a.number)),
		cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind), cmp.Compare(a.k, b.k),
		cmp.Compare(a.number, b.number))
}

// order is 1 of what is true.
func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sign(n int32) int {
	if n < 0 {
		return -1
	}
	return 0
}

// scale takes numbers to mean 0 and deviation 1; what is missing is at the mean.
type scale struct{ mean, factor []float64 }

func scaleOf(m [2][][]float64) scale {
	d := len(m[0][0])
	s := scale{make([]float64, d), make([]float64, d)}
	for k := range d {
		n, sum := 0.0, 0.0
		each := func(add func(v float64)) {
			for w := range m {
				for _, run := range m[w] {
					if !math.IsNaN(run[k]) {
						add(run[k])
					}
				}
			}
		}
		each(func(v float64) { n, sum = n+1, sum+v })
		s.mean[k] = sum / max(1, n)
		squares := 0.0
		each(func(v float64) { squares += float64((v - s.mean[k]) * (v - s.mean[k])) })
		if squares > 0 {
			s.factor[k] = 1 / math.Sqrt(squares/n)
		}
	}
	return s
}

func (s *scale) of(run []float64) []float64 {
	x := make([]float64, len(run))
	for k, v := range run {
		if !math.IsNaN(v) {
			x[k] = (v - s.mean[k]) * s.factor[k]
		}
	}
	return x
}

// normal is a Gaussian law that was fitted, with some of the identity added to its covariance.
type normal struct {
	mean   []float64
	inside num.Cholesky
	logDet float64
}

// spread is the packed covariance of runs of the same scale around their mean.
func spread(runs [][]float64) (mean, packed []float64) {
	d := len(runs[0])
	mean, packed = make([]float64, d), make([]float64, num.Packed(d))
	for _, x := range runs {
		num.Axpy(1/float64(len(runs)), x, mean)
	}
	for _, x := range runs {
		for i := range x {
			a := (x[i] - mean[i]) / float64(len(runs))
			for j := range i + 1 {
				packed[num.Packed(i)+j] += float64(a * (x[j] - mean[j]))
			}
		}
	}
	return mean, packed
}

func (n *normal) factor(packed []float64, ridge float64) bool {
	d := len(n.mean)
	for k := range d {
		packed[num.Packed(k)+k] += ridge
	}
	if err := n.inside.Factor(packed, d); err != nil {
		return false
	}
	for k := range d {
		n.logDet -= 2 * num.Log(packed[num.Packed(k)+k])
	}
	return true
}

func (n *normal) logDensity(x []float64) float64 {
	off := slices.Clone(x)
	num.Axpy(-1, n.mean, off)
	solved := slices.Clone(off)
	n.inside.Solve(solved)
	return -(num.Dot(off, solved) + n.logDet) / 2
}

func scaled(s *scale, runs [][]float64) [][]float64 {
	all := make([][]float64, len(runs))
	for i, r := range runs {
		all[i] = s.of(r)
	}
	return all
}

// ridges are tried in turn: the least finds what is a function of other numbers but for a little, the greatest is for
// few runs of many numbers.
var ridges = []float64{1e-12, 1e-8, 1e-4, 1e-1}

// linear is Fisher's discriminant.
type linear struct {
	scale
	weights []float64
}

func learnLinear(m [2][][]float64) (all []rule) {
	s := scaleOf(m)
	var mean, packed [2][]float64
	for w := range m {
		mean[w], packed[w] = spread(scaled(&s, m[w]))
	}
	for _, ridge := range ridges {
		n := normal{mean: mean[0]}
		within := slices.Clone(packed[0])
		num.Axpy(1, packed[1], within)
		if !n.factor(within, ridge) {
			continue
		}
		r := &linear{s, slices.Clone(mean[0])}
		num.Axpy(-1, mean[1], r.weights)
		n.inside.Solve(r.weights)
		all = append(all, r)
	}
	return all
}

func (r *linear) scores(runs [][]float64) []float64 {
	all := make([]float64, len(runs))
	for i, run := range runs {
		all[i] = num.Dot(r.weights, r.of(run))
	}
	return all
}

// gaussians is the log-likelihood ratio of two fitted laws.
type gaussians struct {
	scale
	law [2]*normal
}

func learnGaussians(m [2][][]float64) (all []rule) {
	s := scaleOf(m)
	for _, ridge := range ridges {
		r := &gaussians{scale: s}
		ok := true
		for w := range m {
			mean, packed := spread(scaled(&s, m[w]))
			r.law[w] = &normal{mean: mean}
			ok = ok && r.law[w].factor(packed, ridge)
		}
		if ok {
			all = append(all, r)
		}
	}
	return all
}

func (r *gaussians) scores(runs [][]float64) []float64 {
	all := make([]float64, len(runs))
	for i, run := range runs {
		x := r.of(run)
		all[i] = r.law[0].logDensity(x) - r.law[1].logDensity(x)
	}
	return all
}

// neighbours compares the distances to the nearest runs of either world.
type neighbours struct {
	scale
	known [2][][]float64
}

func learnNeighbours(m [2][][]float64) []rule {
	const most = 300 // known runs of a world
	r := &neighbours{scale: scaleOf(m)}
	for w := range m {
		r.known[w] = scaled(&r.scale, m[w][:min(most, len(m[w]))])
	}
	return []rule{r}
}

func (r *neighbours) scores(runs [][]float64) []float64 {
	const nearest = 3
	all := make([]float64, len(runs))
	for i, run := range runs {
		x := r.of(run)
		for w := range r.known {
			var least []float64
			for _, y := range r.known[w] {
				squares := 0.0
				for k := range x {
					squares += float64((x[k] - y[k]) * (x[k] - y[k]))
				}
				least = append(least, squares)
			}
			slices.Sort(least)
			sum := 0.0
			for _, v := range least[:min(nearest, len(least))] {
				sum += v
			}
			all[i] += float64(float64(2*w-1) * num.Log(sum+1e-300))
		}
	}
	return all
}

// repeats counts numbers that have occurred in one world only, to the last bit.
type repeats struct {
	worth []map[uint64]float64 // by number and its bits
}

func learnRepeats(m [2][][]float64) []rule {
	r := &repeats{make([]map[uint64]float64, len(m[0][0]))}
	for k := range r.worth {
		var count [2]map[uint64]int
		for w := range m {
			count[w] = map[uint64]int{}
			for _, run := range m[w] {
				count[w][math.Float64bits(run[k])]++
			}
		}
		r.worth[k] = map[uint64]float64{}
		for w := range count {
			for bits, n := range count[w] {
				if n > 1 && count[1-w][bits] == 0 {
					r.worth[k][bits] = float64(1 - 2*w)
				}
			}
		}
	}
	return []rule{r}
}

func (r *repeats) scores(runs [][]float64) []float64 {
	all := make([]float64, len(runs))
	for i, run := range runs {
		for k, v := range run {
			all[i] += r.worth[k][math.Float64bits(v)]
		}
	}
	return all
}
