// A property of a node's data as a whole: how many of its rows are of class +1.

package adversary

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:  "property",
		Title: "share of rows of class +1",
		Equation: "∇(f(t)) = p m₊(t) + (1 − p) m₋(t) + sampling/√B + noise: p̂ = " +
			"Σ_t a_t [w_t·(∇(t) − m₋(t))/w_t·Δ(t)], Δ = m₊ − m₋",
		About: `A node's gradient is the mean of what its rows add, and rows of the two classes add different things.
What they add on average, m₊ and m₋ at the points of the run, the observer learns from rows that it knows of other nodes
(adversary.knows.data), and takes the victim's to be alike. Of each round it takes the direction w in which classes
differ most beside what rows of one class, and noise, vary (Fisher's), learnt on every other known row. Rounds are
weighed by the inverse of their covariance on half of the rest, and the other half says how uncertain the estimate is.
The prior, the share among the known rows with the spread that B draws have, or nodes if that is more, is weighed in. An
estimate that is not at least twice as exact as the prior does not count. Fact "share of rows of class +1".`,
		Needs: "one round or more that tells a gradient of the victim; all data of other nodes; with noise, how many " +
			"samples the victim has (adversary.knows.size)",
		Run: property,
	})
}

// strangers are the known rows of other nodes, and how many of each node's are of class +1.
func (k *Knowledge) strangers() (rows *Samples, shares []float64) {
	rows = new(Samples)
	for _, node := range slices.Sorted(maps.Keys(k.Data)) {
		if node == k.Victim {
			continue
		}
		positive := 0
		for n, y := range k.Data[node].Y {
			rows.Add(k.Data[node].At(n))
			positive += bit(y > 0)
		}
		shares = append(shares, float64(positive)/float64(max(1, len(k.Data[node].Y))))
	}
	return rows, shares
}

// PositiveShare is the share of class +1 among the known rows of other nodes, what is said of the victim's without a
// message; false: none are known.
func (k *Knowledge) PositiveShare() (share float64, ok bool) {
	rows, _ := k.strangers()
	positive := 0
	for _, y := range rows.Y {
		positive += bit(y > 0)
	}
	return float64(positive) / float64(len(rows.Y)), len(rows.Y) > 0
}

// shown is what one round shows of the share.
type shown struct {
	estimate float64
	noise    float64   // variance of the estimate from noise
	stray    []float64 // of the rows that judge: by how much they are off their class, in units of the share
}

// learn is what a round shows of the share, by known rows.
func learn(v *View, g *model.Gradient, known *Samples, size int) (*shown, bool) {
	p := v.Public
	d := p.D
	z, slopes := make([]float64, len(known.Y)), make([]float64, len(known.Y))
	for n := range z {
		z[n] = known.U.Dot(n, g.At)
	}
	p.Loss.Slopes(slopes, z)
	added := make([][]float64, len(known.Y)) // by row: to the mean
	var means [2][2][]float64                // by half and class
	var counts [2][2]float64
	for h := range means {
		for c := range means[h] {
			means[h][c] = make([]float64, d)
		}
	}
	seen := [2]int{}
	half := make([]int, len(known.Y))
	for n := range added {
		added[n] = make([]float64, d)
		cols, values := known.U.Row(n)
		for at, col := range cols {
			added[n][col] = p.C * slopes[n] * values[at]
		}
		c := bit(known.Y[n] > 0)
		half[n] = seen[c] % 2
		seen[c]++
		num.Axpy(1, added[n], means[half[n]][c])
		counts[half[n]][c]++
	}
	for h := range means {
		for c := range means[h] {
			if counts[h][c] < 2 {
				return nil, false
			}
			num.Scale(1/counts[h][c], means[h][c])
		}
	}
	noise := num.Power(g.Noise.Size(d), 2) / float64(d)
	if g.Place == model.OnOutput && g.Noise.Kind != model.Silent { // the gradient is that at the minimiser before it
		noise *= num.Power(1+p.C*p.Loss.Bound()/g.Ridge, 2)
	}
	within, trace := make([]float64, num.Packed(d)), 0.0
	learnt := counts[0][0] + counts[0][1]
	for n := range added {
		if half[n] != 0 {
			continue
		}
		x := slices.Clone(added[n])
		num.Axpy(-1, means[0][bit(known.Y[n] > 0)], x)
		trace += num.Dot(x, x) / learnt
		for i := range d {
			if x[i] != 0 {
				num.Axpy(x[i]/(learnt*float64(size)), x[:i+1], within[num.Packed(i):num.Packed(i)+i+1])
			}
		}
	}
	// What few rows leave open of directions is filled in, and a little more.
	fill := float64(trace / float64(d) / float64(size) * max(1e-9, float64(d)/learnt/10))
	for i := range d {
		within[num.Packed(i)+i] += float64(noise) + fill
	}
	var factor num.Cholesky
	if factor.Factor(within, d) != nil {
		return nil, false
	}
	w := slices.Clone(means[0][1])
	num.Axpy(-1, means[0][0], w)
	factor.Solve(w)
	apart := num.Dot(w, means[1][1]) - num.Dot(w, means[1][0])
	if !(apart > 0) {
		return nil, false
	}
	out := &shown{estimate: (num.Dot(w, g.Value) - num.Dot(w, means[1][0])) / apart}
	out.noise = noise * num.Dot(w, w) / (apart * apart)
	for n := range added {
		if half[n] == 1 {
			out.stray = append(out.stray, (num.Dot(w, added[n])-num.Dot(w, means[1][bit(known.Y[n] > 0)]))/apart)
		}
	}
	return out, true
}

func property(v *View, f *record.Finding) error {
	k, p := v.Knows, v.Public
	known, shares := k.strangers()
	before, ok := k.PositiveShare()
	switch {
	case !ok:
		return blocked("no rows of other nodes are known, from which to learn what classes add to a gradient " +
			"(adversary.knows.data)")
	case debias(p) != 0:
		return blocked("the labels that enter are the reported ones, and the loss has a linear term beside them")
	case p.Method.Noisy() && k.Size == 0:
		return blocked("how much noise there is goes by the number of the victim's samples, which is not known " +
			"(adversary.knows.size)")
	}
	size := k.Size
	if size == 0 { // as many as other nodes have
		size = max(1, len(known.Y)/len(shares))
	}
	gradients, unseen := v.Gradients(k.Victim, k.Size)
	f.Unseen = append(f.Unseen, unseen...)
	var rounds []*shown
	last := 0
	for i := range gradients {
		g := &gradients[i]
		if g.Offset > 0 || g.Nuisance != nil {
			continue
		}
		if s, ok := learn(v, g, known, size); ok {
			rounds, last = append(rounds, s), g.Round
		}
	}
	if len(rounds) == 0 {
		return untold(unseen, "no round tells a gradient of the victim, or the known rows do not tell classes apart")
	}
	estimate, variance, err := combine(rounds, size)
	if err != nil {
		return err
	}
	spread := before * (1 - before) / float64(size)
	if between := varianceOf(shares); len(shares) > 1 && between > spread {
		spread = between
	}
	f.Conclusion = fmt.Sprintf("%s %.3g ± %.2g; the %d known rows of other nodes say %.3g ± %.2g",
		plural.With(len(rounds), "round", "says", "say"), estimate, math.Sqrt(variance), len(known.Y), before,
		math.Sqrt(spread))
	if !(variance <= spread/4) {
		f.Succeeded = record.Failed
		f.Conclusion += ": the messages add too little to count"
		return nil
	}
	share := (float64(estimate*spread) + float64(before*variance)) / (spread + variance)
	f.Facts = append(f.Facts, record.Fact{Kind: record.PositiveShare, Node: k.Victim, Round: last,
		Values: []float64{min(1, max(0, share))}, Relative: notKnown})
	return nil
}

// combine weighs rounds by the inverse of their covariance: noise is of each round its own, and what the victim's rows
// are off their classes is the same rows' in all. Every other judge decides the weights, and the rest how uncertain the
// estimate is: of many rounds a few judges leave weights with which they themselves are hardly off at all.
func combine(rounds []*shown, size int) (estimate, variance float64, err error) {
	n := len(rounds)
	halves := [2][][]float64{make([][]float64, n), make([][]float64, n)} // strays, by round
	for i, x := range rounds {
		for k, stray := range x.stray {
			halves[k%2][i] = append(halves[k%2][i], stray)
		}
	}
	judges := float64(len(rounds[0].stray))
	enters := 1/float64(size) + 1/judges // of the variance of one row's: the victim's rows, and what classes add
	a, trace := make([]float64, num.Packed(n)), 0.0
	decide := float64(len(halves[0][0]))
	for i, x := range rounds {
		for j := range i + 1 {
			c := float64(num.Dot(halves[0][i], halves[0][j]) / decide * enters)
			if i == j {
				c += x.noise
				trace += c
			}
			a[num.Packed(i)+j] = c
		}
	}
	for i := range n { // what few judges leave open is filled in, and rounding
		a[num.Packed(i)+i] += float64(trace/float64(n)*max(1e-9, float64(n)/(float64(n)+decide)/10)) + 1e-24
	}
	var factor num.Cholesky
	if err := factor.Factor(a, n); err != nil {
		return 0, 0, fmt.Errorf("the covariance of rounds: %w", err)
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1
	}
	factor.Solve(weights)
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	say := make([]float64, len(halves[1][0]))
	for i, w := range weights {
		w /= sum
		estimate += float64(w * rounds[i].estimate)
		variance += float64(w * w * rounds[i].noise)
		num.Axpy(w, halves[1][i], say)
	}
	// A variance of so few has the tails of Student's t, whose own variance stands for them.
	few := float64(len(say))
	return estimate, variance + float64(num.Dot(say, say)/max(1, few-2)*enters), nil
}

// varianceOf is that of numbers about their mean.
func varianceOf(all []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range all {
		mean += x / float64(len(all))
	}
	for _, x := range all {
		sum += float64((x - mean) * (x - mean))
	}
	return sum / max(1, float64(len(all)-1))
}
