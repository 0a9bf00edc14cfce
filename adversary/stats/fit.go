// Whether the noise that a run added is what its method declares: tests of noise
// vectors recovered from messages against their law.

package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/record"
)

// Chance is how often a statistical check of an audit fails for a right method, at most.
const Chance = 1e-6

// Power is the probability with which a check finds the deviation that its Finds says.
const Power = 0.99

// missed is −ln of the probability of not finding it, and late the quantile of the normal law there.
var missed, late = -num.Log(1 - Power), num.NormalQuantile(Power)

// Fit collects recovered noise vectors, of one length d and one kind of law, of
// many runs and rounds, and tests them. What is tested follows from the laws'
// spherical symmetry: the size of the noise,
//
//	Norm:  ζ‖ε‖ ~ Gamma(d, 1)
//	model.Gaussian: ‖ε‖²/(2σ²) ~ Gamma(d/2, 1)
//
// and its direction u = ε/‖ε‖, uniform on the sphere whatever the size is, are
// independent of each other and between nodes, rounds and runs. Levels may differ from
// draw to draw. It keeps about d²/2 numbers, d for every node and every round, and
// three for every draw; the zero value is empty.
//
// Runs have seeds of their own: two worlds that are run with the same seeds need
// a Fit each.
type Fit struct {
	d    int
	kind model.Kind
	bad  int // draws with NaN or an infinity

	sizes []size
	total float64 // Σ of what is Gamma
	shape float64 // and the sum's shape

	directions int
	sum        []float64   // Σ u
	outer      [][]float64 // Σ u uᵀ: row k from column k on
	axes       *axes

	ofNode  map[int]*drawn    // the latest of each node
	ofUse   map[[2]int]*drawn // the latest of each node and round
	ofRound map[int]*drawn    // the latest of each round
	ofRun   map[uint64][2]int // node and round by the digits of the coordinates drawn in the run at hand
	met     float64           // how many pairs of coordinates were compared so
	last    int               // that run
	seen    map[uint64]int    // the run of each direction, or size in one dimension, that was drawn
	again   float64           // how many draws are expected to be taken for another run's
	rounds  neighbours        // successive rounds of a node in a run
	runs    neighbours        // the same round of a node in runs that were added one after the other
	nodes   neighbours        // the same round of a run at nodes that were added one after the other
}

// size is where a draw's size is in its declared law.
type size struct {
	below float64 // its probability integral transform
	score float64 // the normal quantile of that
	ratio float64 // of what is Gamma to its mean
}

// drawn is a draw to compare the next with.
type drawn struct {
	run, node, round int
	size             float64   // ζ‖ε‖ or ‖ε‖/σ
	score            float64   // as of its size
	unit             []float64 // d-vector
}

// neighbours sums up comparisons of draws that should be independent.
type neighbours struct {
	pairs int
	cos   float64 // Σ u·v
	same  int     // pairs that are multiples of each other

	sizes   float64 // Σ of the products of their scores
	squares float64 // Σ of the squares of the earlier score
}

// Add takes in the noise that was recovered from a round of a node in a run. Runs are added one
// after the other, and rounds of a node in order; which come next to each other is all that matters of
// their numbers. Noise whose law is Silent is not looked at. It panics if the
// length or the kind of law changes, or if the level is not positive and finite.
func (f *Fit) Add(run, node, round int, noise []float64, law model.Noise) {
	if law.Kind == model.Silent {
		return
	}
	if !(law.Level > 0) || math.IsInf(law.Level, 1) {
		panic(fmt.Sprintf("adversary: noise of level %v in round %d", law.Level, round))
	}
	if f.d == 0 {
		f.d, f.kind = len(noise), law.Kind
		f.sum, f.outer, f.axes = make([]float64, f.d), make([][]float64, f.d), newAxes(f.d)
		for k := range f.outer {
			f.outer[k] = make([]float64, f.d-k)
		}
		f.ofNode, f.ofUse, f.ofRound = map[int]*drawn{}, map[[2]int]*drawn{}, map[int]*drawn{}
	}
	if len(noise) != f.d || len(noise) == 0 || law.Kind != f.kind {
		panic(fmt.Sprintf("adversary: noise of length %d and kind %d after %d and %d", len(noise), law.Kind, f.d,
			f.kind))
	}
	norm := num.Norm(noise)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		f.bad++
		return
	}

	scaled, gamma, shape := norm*law.Level, norm*law.Level, float64(f.d)
	if law.Kind == model.Gaussian {
		scaled = norm / law.Level
		gamma, shape = scaled*scaled/2, shape/2
	}
	below, above := num.GammaShares(shape, gamma)
	score := num.NormalQuantile(max(below, 1e-300))
	if above < 0.5 {
		score = -num.NormalQuantile(max(above, 1e-300))
	}
	f.sizes = append(f.sizes, size{below, score, gamma / shape})
	f.total += gamma
	f.shape += shape
	if norm == 0 {
		delete(f.ofNode, node) // it has no direction
		delete(f.ofUse, [2]int{node, round})
		delete(f.ofRound, round)
		return
	}

	unit := slices.Clone(noise)
	num.Scale(1/norm, unit)
	f.directions++
	num.Axpy(1, unit, f.sum)
	for k, u := range unit {
		num.Axpy(u, unit[k:], f.outer[k])
	}
	f.axes.add(unit, above <= 0.5)
	now := &drawn{run, node, round, scaled, score, unit}
	use := [2]int{node, round}
	if last := f.ofNode[node]; last != nil && last.run == run && last.round < round {
		f.rounds.compare(last, now)
	}
	if last := f.ofUse[use]; last != nil && last.run != run {
		f.runs.compare(last, now)
	}
	if last := f.ofRound[round]; last != nil && last.run == run && last.node != node {
		f.nodes.compare(last, now)
	}
	f.reuse(run, node, round, noise, law)
	f.recall(run, now)
	f.ofNode[node], f.ofUse[use], f.ofRound[round] = now, now, now
}

// digits is how many bits of a coordinate's mantissa are compared: levels differ, and what they are taken out by leaves
// some roundings.
const digits = 42

// reuse counts a draw that has a coordinate, up to its sign and its level, of one that any node drew in another round
// of the run, however long before. What is next to it is compared above.
func (f *Fit) reuse(run, node, round int, noise []float64, law model.Noise) {
	if f.ofRun == nil || f.last != run {
		f.ofRun, f.last = map[uint64][2]int{}, run
	}
	unit := law.Level
	if law.Kind == model.Gaussian {
		unit = 1 / law.Level
	}
	again, next := false, false
	f.met += float64(float64(len(noise)) * float64(len(f.ofRun)))
	for _, v := range noise {
		if v == 0 {
			continue
		}
		bits := (math.Float64bits(math.Abs(v*unit)) + 1<<(51-digits)) >> (52 - digits) // to the nearest
		use, ok := f.ofRun[bits]
		before := f.ofNode[node]
		next = next || ok && before != nil && before.run == run && use == [2]int{node, before.round}
		again = again || ok && use[1] != round
		f.ofRun[bits] = [2]int{node, round}
	}
	if again && !next {
		f.rounds.same++
	}
}

// recall counts a draw that was another run's, up to its sign and its level, however many came between; that of the run
// before, in the same place, is compared above.
func (f *Fit) recall(run int, now *drawn) {
	key, chance := placeOf(now)
	if f.seen == nil {
		f.seen = map[uint64]int{}
	}
	f.again += float64(chance * float64(len(f.seen)))
	before := f.ofUse[[2]int{now.node, now.round}]
	if of, ok := f.seen[key]; ok && of != run && !(before != nil && before.run == of) {
		f.runs.same++
	}
	f.seen[key] = run
}

// placeOf is the cell of a draw, and the probability with which two share one, at most. Cells are much wider than what
// rounding and solvers leave. Of a direction, up to its sign, it takes up to three coordinates, in units of 1/√d, which
// have a density of at most 1 as long as two others are left, and in two dimensions the angle as |u₁|/(|u₀| + |u₁|), on
// the side that the signs say; and in three dimensions or fewer the size, whose logarithm has such a density, too.
func placeOf(d *drawn) (key uint64, chance float64) {
	const few, many = 28, 20 // bits of each number
	cell := func(x float64, bits int) uint64 { return uint64(int64(math.Floor(math.Ldexp(x, bits)))) }
	u := d.unit
	wide := math.Copysign(math.Sqrt(float64(len(u))), u[0])
	if n := min(len(u)-2, 3); n > 1 {
		for k := range n {
			key = key<<many ^ cell(wide*u[k], many)
		}
		return key, math.Ldexp(1, -many*n)
	}
	key, chance = cell(num.Log(d.size), few), math.Ldexp(1, -few)
	switch len(u) {
	case 1:
		return key, chance
	case 2:
		return key<<few ^ cell(math.Copysign(u[1]/(math.Abs(u[0])+math.Abs(u[1])), u[0]*u[1]), few), chance * chance
	}
	return key<<few ^ cell(wide*u[0], few), chance * chance
}

// alike is how close the directions of draws are that count as multiples of each
// other; in one dimension, where directions are but signs, their sizes.
const alike = 1e-7

func (n *neighbours) compare(a, b *drawn) {
	cos := num.Dot(a.unit, b.unit)
	n.pairs++
	n.cos += cos
	n.sizes += float64(a.score * b.score)
	n.squares += float64(a.score * a.score)
	apart := 0.0
	if len(a.unit) == 1 {
		apart = math.Abs(a.size-b.size) / max(a.size, b.size)
	} else {
		way := math.Copysign(1, cos)
		for k, u := range a.unit {
			d := u - float64(way*b.unit[k])
			apart += float64(d * d)
		}
		apart = math.Sqrt(apart)
	}
	if apart <= alike {
		n.same++
	}
}

// Checks are the results. For noise of the declared law each fails with
// probability at most 10⁻⁶; the bounds of size and spread are at 5.5 standard
// deviations. Those for which there is nothing to look at are left out.
func (f *Fit) Checks() []record.Check {
	var all []record.Check
	add := func(kind record.CheckKind, measured, bound, finds float64, detail string, args ...any) {
		all = append(all, record.Check{
			Kind: kind, Measured: record.Number(measured), Bound: record.Number(bound), Finds: record.Number(finds),
			Holds: measured <= bound, Detail: fmt.Sprintf(detail, args...),
		})
	}
	if f.bad > 0 {
		add(record.NoiseFinite, float64(f.bad), 0, Seldom(f.bad+len(f.sizes), 0),
			"%d vectors of noise are not finite", f.bad)
	}
	if n := len(f.sizes); n > 0 {
		f.checkSizes(float64(n), add)
	}
	if f.directions > 0 {
		f.checkDirections(float64(f.directions), add)
		f.axes.check(add)
	}
	f.rounds.check(f.d, f.met*0x1p-42, record.RoundsIndependent, record.RoundsDrawnAnew, add)
	f.runs.check(f.d, f.again, record.RunsIndependent, record.RunsDrawnAnew, add)
	f.nodes.check(f.d, 0, record.NodesIndependent, record.NodesDrawnAnew, add)
	f.checkPairsOfSizes(add)
	return all
}

type adder func(kind record.CheckKind, measured, bound, finds float64, detail string, args ...any)

// Seldom is how often what happens more than allowed times in n trials, each time by itself, has to happen to do so
// with the probability Power; NaN: never.
func Seldom(n, allowed int) float64 {
	if allowed >= n {
		return math.NaN()
	}
	return leastShare(allowed+1, n, Power)
}

// checkPairsOfSizes tests that sizes next to each other have nothing to do with each other. With s the normal scores of
// what was added and s′ those of what was added before it, exp(λΣs s′ − λ²Σs′²/2) is a supermartingale for every λ, so
// that Σs s′ exceeds λΣs′²/2 + x/λ with probability at most e^−x.
func (f *Fit) checkPairsOfSizes(add adder) {
	x := num.Log(6 / Chance) // three kinds of pairs, and both signs
	worst, measured, bound, finds, which := math.Inf(-1), 0.0, 0.0, 0.0, ""
	for _, p := range []struct {
		*neighbours
		what string
	}{{&f.rounds, "rounds"}, {&f.runs, "runs"}, {&f.nodes, "nodes"}} {
		if p.pairs == 0 {
			continue
		}
		n := float64(p.pairs)
		lambda := math.Sqrt(2 * x / n)
		m, b := math.Abs(p.sizes)/n, (float64(float64(lambda*p.squares)/2)+float64(x/lambda))/n
		if m/b > worst {
			worst, measured, bound, which = m/b, m, b, fmt.Sprintf("between successive %s is %+.3f", p.what, p.sizes/n)
		}
		finds = max(finds, b+late/math.Sqrt(n))
	}
	if which != "" {
		add(record.SizesIndependent, measured, bound, finds, "the correlation %s", which)
	}
}

// checkSizes tests the least of the sizes, their mean, their spread, and their
// whole law.
//
// Least: that one of n probability integral transforms is below α/n has
// probability at most α. Noise that was left out is recovered as rounding errors,
// so that only sizes next to nothing are looked for.
// Mean: Σ ζ‖ε‖, or Σ ‖ε‖²/(2σ²), is itself Gamma, its shape the sum of the
// shapes. Spread: with s the normal quantiles of the probability integral
// transforms, Σ (s − s̄)² is χ² with n − 1 degrees of freedom, twice a Gamma of
// half that shape. Law: the Kolmogorov–Smirnov distance D of the transforms from
// the uniform law, for which P(D > t) ≤ 2e^{−2nt²} (Massart 1990).
func (f *Fit) checkSizes(n float64, add adder) {
	ratio := f.total / f.shape
	if f.kind == model.Gaussian {
		ratio = math.Sqrt(ratio)
	}
	missing := 0
	for _, s := range f.sizes {
		if s.below <= Chance/n && s.ratio < 1e-6 {
			missing++
		}
	}
	add(record.NoisePresent, float64(missing), 0, Seldom(len(f.sizes), 0),
		"%d of %.0f vectors of noise are next to nothing", missing, n)
	finds := gammaFactor(f.shape) - 1
	if f.kind == model.Gaussian {
		finds = math.Sqrt(1+finds) - 1
	}
	add(record.NoiseSize, math.Abs(gammaScore(f.total, f.shape)), sizeBound, finds,
		"the noise is %.2f of the declared size", ratio)

	if n > 1 {
		mean, squares := 0.0, 0.0
		for _, s := range f.sizes {
			mean += s.score / n
		}
		for _, s := range f.sizes {
			squares += float64((s.score - mean) * (s.score - mean))
		}
		add(record.NoiseSpread, math.Abs(gammaScore(squares/2, (n-1)/2)), sizeBound,
			math.Sqrt(gammaFactor((n-1)/2))-1, "about its mean, the size varies %.2f times as much as declared",
			math.Sqrt(squares/(n-1)))
	}

	slices.SortFunc(f.sizes, func(a, b size) int { return cmp.Compare(a.below, b.below) })
	distance, declared, found := 0.0, 0.0, 0.0
	for k, s := range f.sizes {
		for _, share := range []float64{float64(k) / n, float64(k+1) / n} {
			if d := math.Abs(share - s.below); d > distance {
				distance, declared, found = d, s.below, share
			}
		}
	}
	bound := math.Sqrt(num.Log(2/Chance) / (2 * n))
	add(record.NoiseLaw, distance, bound, above(1, bound+math.Sqrt(missed/(2*n))),
		"where %.0f %% of the sizes should be below, %.0f %% are", 100*declared, 100*found)
}

// above is what a check finds, NaN if it is more than there can be.
func above(most, finds float64) float64 {
	if finds > most {
		return math.NaN()
	}
	return finds
}

// sizeBound is in standard deviations.
const sizeBound = 5.5

// gammaFactor is the factor by which a Gamma law of that shape has to be greater for gammaScore to exceed sizeBound
// with the probability Power.
func gammaFactor(shape float64) float64 {
	root := 1 + (sizeBound+late)/(3*math.Sqrt(shape))
	return float64(root * root * root)
}

// checkDirections tests that directions are uniform: their mean and their second
// moments, which a common bias, unequal or dependent coordinates, or a fixed
// direction change.
//
// Mean: u has E e^{⟨v,u⟩} ≤ e^{‖v‖²/(2d)}, so that P(‖ū‖² > (1 + 2√(x/d) +
// 2x/d)/n) ≤ e^{−x} (Hsu, Kakade & Zhang 2012). Second moments: Z =
// ‖Σ (uuᵀ − I/d)‖_F, n vectors of length b = √(1 − 1/d) with variance w = b²/m in
// every direction of the m = d(d+1)/2 − 1 dimensions of symmetric matrices without
// a trace; hence E Z ≤ b√n and P(Z > EZ + √(2x(nw + 2b EZ)) + bx/3) ≤ e^{−x}
// (Bousquet 2002; Boucheron, Lugosi & Massart 2013, Theorem 12.5).
func (f *Fit) checkDirections(n float64, add adder) {
	d, x := float64(f.d), -num.Log(Chance)
	most, where := 0.0, 0
	for k, s := range f.sum {
		if math.Abs(s) > most {
			most, where = math.Abs(s), k
		}
	}
	mean := func(x float64) float64 { return math.Sqrt((1 + float64(2*math.Sqrt(x/d)) + 2*x/d) / n) }
	add(record.NoiseDirection, num.Norm(f.sum)/n, mean(x), above(1, mean(x)+mean(missed)),
		"the mean of its unit vectors has length %.3f (%+.3f in coordinate %d), where it would be near 0",
		num.Norm(f.sum)/n, f.sum[where]/n, where)
	if f.d == 1 {
		return
	}

	square := 0.0
	for _, row := range f.outer {
		for j, v := range row {
			e := v / n
			if j == 0 {
				square += float64((e - 1/d) * (e - 1/d))
			} else {
				square += float64(2 * e * e) // below the diagonal, too
			}
		}
	}
	b2 := 1 - 1/d
	w, ez := b2/(float64(d*(d+1)/2)-1), math.Sqrt(b2*n)
	moments := func(x float64) float64 {
		return ez + math.Sqrt(2*x*(float64(n*w)+float64(2*math.Sqrt(b2)*ez))) + float64(math.Sqrt(b2)*x)/3
	}
	bound := moments(x)
	measured := math.Sqrt(square)
	detail := "no direction is more likely than another"
	if measured > bound/n {
		detail = fmt.Sprintf("%.0f %% of its squared length lies along one direction, where it would be %.0f %%",
			100*f.largest(n), 100/d)
	}
	add(record.NoiseCoordinates, measured, bound/n, above(math.Sqrt(b2), (bound+moments(missed))/n), "%s", detail)
	f.checkRank(n, add)
}

// checkRank tests that no direction has much less than its share of the noise: with λ the least eigenvalue of
// (d/n) Σ uuᵀ, which is 1 in the mean, 1 − λ is small. That λ is below a bound for uniform directions has probability
// Chance at most, of two bounds half of it each.
//
// Many draws: P(λ ≤ 1−ε) ≤ d (e^{−ε}/(1−ε)^{1−ε})^{n/d} (Tropp 2012, Theorem 1.1, as ‖uuᵀ‖ = 1). Few: with lengths r of
// their own, r² ~ χ²_d, directions make an n × d matrix of normal numbers. It has a least singular value of at most
// max r times theirs, and of at least 1/√d of the least distance of a column to the span of the others, whose square is
// χ² with n−d+1 degrees of freedom.
func (f *Fit) checkRank(n float64, add adder) {
	d, half := float64(f.d), Chance/2
	if n < d {
		add(record.NoiseRank, 0, 1, math.NaN(), "there are fewer vectors of noise than directions")
		return
	}
	least := bisected(func(keep float64) bool { // keep = 1 − ε
		exponent := keep - 1
		if keep > 0 {
			exponent -= float64(keep * num.Log(keep))
		}
		return num.Log(d)+float64(n/d*exponent) <= num.Log(half)
	})
	radius := bisected(func(y float64) bool {
		_, above := num.GammaShares(d/2, float64((d+float64(200*(1+math.Sqrt(d))*(1-y)))/2))
		return float64(n*above) <= half/2
	})
	radius = d + float64(200*(1+math.Sqrt(d))*(1-radius)) // of r², above its quantile
	near := bisected(func(y float64) bool {
		below, _ := num.GammaShares((n-d+1)/2, float64(y*(n-d+1))/2)
		return float64(d*below) <= half/2
	}) * (n - d + 1)
	if few := near / (n * radius); few > least {
		least = few
	}
	const rounding = 1e-9 // of an eigenvalue
	if !(least > rounding) {
		least = 0
	}
	lambda := float64(d / n * f.smallest())
	finds := math.NaN()
	if least > 0 {
		finds = 1 - least/(1+float64(late*math.Sqrt(2/n)))
	}
	add(record.NoiseRank, 1-lambda, 1-least, finds, "the direction with least noise has %.3g of its share", lambda)
}

// bisected is the greatest number from 0 to 1 up to which something holds, to rounding; 0 if it does not at all.
func bisected(holds func(float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if mid := float64((low + high) / 2); holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// smallest is the least eigenvalue of Σ uuᵀ, by inverse iteration: from above, and by no more than neighbouring
// eigenvalues are apart.
func (f *Fit) smallest() float64 {
	packed := make([]float64, 0, num.Packed(f.d))
	const shift = 1e-12 // that there is a factor
	for i := range f.d {
		for j := range i {
			packed = append(packed, f.outer[j][i-j])
		}
		packed = append(packed, f.outer[i][0]+float64(shift*float64(f.directions)))
	}
	var factor num.Cholesky
	if factor.Factor(packed, f.d) != nil {
		return 0
	}
	v := make([]float64, f.d)
	for k := range v { // no eigenvector: any will do
		v[k] = math.Mod(math.Sqrt2*float64((k+2)*(k+3)), 1) + 0.1
	}
	const steps = 200
	value := 0.0
	for range steps {
		num.Scale(1/num.Norm(v), v)
		before := value
		if value = f.along(v); math.Abs(value-before) <= 1e-9*value {
			break
		}
		factor.Solve(v)
	}
	return value
}

// along is Σ ⟨u, v⟩² of the directions u.
func (f *Fit) along(v []float64) float64 {
	sum := 0.0
	for k, row := range f.outer {
		sum += float64(v[k] * (2*num.Dot(row, v[k:]) - float64(row[0]*v[k])))
	}
	return sum
}

// largest is the largest eigenvalue of the mean of u uᵀ, which has no negative ones: its
// largest singular value.
func (f *Fit) largest(n float64) float64 {
	columns := make([][]float64, f.d)
	for k := range columns {
		columns[k] = make([]float64, f.d)
	}
	for k, row := range f.outer {
		for j, v := range row {
			columns[k][k+j], columns[k+j][k] = v/n, v/n
		}
	}
	svd, err := num.Decompose(columns)
	if err != nil {
		return math.NaN()
	}
	return svd.Values[0]
}

// check tests that draws next to each other have nothing to do with each other.
// Given one, the cosine to the next has E e^{λ cos} ≤ e^{λ²/(2d)}, so that its
// mean over n pairs exceeds √(2 ln(2/α)/(dn)) with probability at most α. Its
// square is Beta(1/2, (d−1)/2), which says how often directions come as close as
// alike by chance; sizes in one dimension do with probability below alike. That k
// of n pairs do has probability at most (np)^k/k!. Coordinates of the digits of another are so by chance, too: two of
// the same digits have a probability of 2^−42 at most, as the logarithm of either has a density of at most 1.
func (p *neighbours) check(d int, met float64, independent, anew record.CheckKind, add adder) {
	if p.pairs == 0 {
		return
	}
	n := float64(p.pairs)
	mean := p.cos / n
	bound := math.Sqrt(2 * num.Log(2/Chance) / (float64(d) * n))
	add(independent, math.Abs(mean), bound, above(1, bound+math.Sqrt(2*missed/(float64(d)*n))),
		"the mean cosine between them is %+.3f", mean)

	probability := alike
	if d > 1 {
		probability = num.BetaShare(float64(d-1)/2, 0.5, alike*alike)
	}
	allowed := allowedOf(float64(n*probability) + met)
	detail := "none is used twice"
	if p.same > 0 {
		detail = fmt.Sprintf("in %.3g %% of them it is the same, or a multiple", 100*float64(p.same)/n)
	}
	add(anew, float64(p.same), float64(allowed), Seldom(p.pairs, allowed), "%s", detail)
}

// gammaScore is how many standard deviations of a normal law x is from the middle
// of a Gamma law of that shape: the cube root of x is nearly normal (Wilson &
// Hilferty 1931).
func gammaScore(x, shape float64) float64 {
	return (num.Pow(x/shape, 1.0/3) - (1 - 1/(9*shape))) * 3 * math.Sqrt(shape)
}
