// Privacy loss measured from exact log-likelihood ratios L = ln p(trace|A) −
// ln p(trace|B), sampled in world A and in world B. L may be ±Inf where a trace
// is impossible in one world.

package stats

import (
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/record"
)

// LargestLoss is the largest |L| of any run. If the ratios are exact, no method
// that is (ε, 0)-private for a smaller ε can have shown it: a lower bound on ε
// that needs no confidence. Where a mechanism attains its ε, as Laplacian noise
// does, rounding can put |L| above it by as much as L is off. It is 0 without
// runs; NaN is an error.
func LargestLoss(a, b []float64) (float64, error) {
	if err := ratios(a, b); err != nil {
		return 0, err
	}
	most := 0.0
	for _, l := range [2][]float64{a, b} {
		for _, v := range l {
			most = max(most, math.Abs(v))
		}
	}
	return most, nil
}

// ratios refuses NaN.
func ratios(a, b []float64) error {
	for w, l := range [2][]float64{a, b} {
		for k, v := range l {
			if math.IsNaN(v) {
				return fmt.Errorf("the log-likelihood ratio of run %d in world %c is not a number", k, 'A'+rune(w))
			}
		}
	}
	return nil
}

// Refutes says whether the runs refute, with that confidence, that the worlds
// are (ε, δ)-close: a method that is (ε, δ)-private is refuted with probability
// at most 1 − confidence. It is a test of E_A[(1 − e^{ε−L})₊] ≤ δ and another of
// its mirror image in world B, each at half of that (see wealth). At δ = 0 one
// run with |L| > ε refutes, by however little: a caller adds to ε what rounding
// may have done to L. The runs of a world are independent.
func Refutes(a, b []float64, epsilon, delta, confidence float64) (bool, error) {
	if err := checkClaim(a, b, epsilon, delta, confidence); err != nil {
		return false, err
	}
	if delta == 0 {
		most, err := LargestLoss(a, b)
		return most > epsilon, err
	}
	return refutes(a, epsilon, delta, 1, (1-confidence)/2) || refutes(b, epsilon, delta, -1, (1-confidence)/2), nil
}

// LowerEpsilon is the ε that was shown to be lost at δ: the supremum of the ε
// for which Refutes, 0 if there is none, +Inf if there is no end of them. The
// method's least ε at δ is at least that, with that confidence, if the ratios are
// exact.
//
// Although the runs choose ε it needs no others to test it. Let ε* be the least ε
// at which the worlds are (ε, δ)-close; it is not random. The hockey-stick divergences δ_A(ε) = E_A[(1 − e^{ε−L})₊] and
// δ_B(ε) = E_B[(1 − e^{ε+L})₊] (Balle, Barthe & Gaboardi 2018), being continuous, are at most δ there. Every summand (1
// − e^{ε∓L})₊ falls as ε rises,
// and the test refutes the more easily the larger the summands. So if any ε > ε*
// is refuted, ε* is as well, and that has probability at most 1 − confidence.
// Halving the runs would be as valid and weaker.
func LowerEpsilon(a, b []float64, delta, confidence float64) (float64, error) {
	if err := checkClaim(a, b, 0, delta, confidence); err != nil {
		return 0, err
	}
	if delta == 0 {
		return LargestLoss(a, b)
	}
	best := 0.0
	for w, l := range [2][]float64{a, b} {
		sign, alpha := 1-2*float64(w), (1-confidence)/2
		if !refutes(l, best, delta, sign, alpha) {
			continue
		}
		if refutes(l, math.Inf(1), delta, sign, alpha) {
			return math.Inf(1), nil
		}
		low, high := best, best
		for _, v := range l {
			if v *= sign; !math.IsInf(v, 1) {
				high = max(high, v) // beyond it only infinite ratios count
			}
		}
		for range 60 {
			if mid := (low + high) / 2; refutes(l, mid, delta, sign, alpha) {
				low = mid
			} else {
				high = mid
			}
		}
		best = low
	}
	return best, nil
}

// checkClaim refuses what is no claim, and runs that cannot test one.
func checkClaim(a, b []float64, epsilon, delta, confidence float64) error {
	switch {
	case len(a) == 0 || len(b) == 0:
		return fmt.Errorf("there are %d runs of world A and %d of world B: both need one", len(a), len(b))
	case !(epsilon >= 0) || !(delta >= 0 && delta < 1):
		return fmt.Errorf("no claim has ε = %v and δ = %v", epsilon, delta)
	case !(confidence > 0 && confidence < 1):
		return fmt.Errorf("a confidence of %v is not inside (0, 1)", confidence)
	}
	return ratios(a, b)
}

// excess are (1 − e^{ε − sign·L})₊, in [0, 1].
func excess(l []float64, epsilon, sign float64) []float64 {
	x := make([]float64, len(l))
	for k, v := range l {
		switch v = float64(v * sign); {
		case math.IsInf(v, 1):
			x[k] = 1
		case v > epsilon:
			x[k] = -num.Expm1(epsilon - v)
		}
	}
	return x
}

// refutes says that the mean of the excess is above δ, wrongly with probability
// at most alpha.
func refutes(l []float64, epsilon, delta, sign, alpha float64) bool {
	return wealth(excess(l, epsilon, sign), delta) >= -num.Log(alpha)
}

// wealth is evidence that x, independent draws from a law on [0, 1], have a mean
// above m > 0: the logarithm of
//
//	K(m) = (1/J) Σ_j Π_i (1 + c_j (x_i/m − 1)),  0 < c_j < 1,
//
// what players have on average who bet the share c_j of their money on every
// draw (Waudby-Smith & Ramdas 2024, with a mixture over fixed shares).
// If the mean is m or less, every factor has expectation at most 1 and, the draws
// being independent, so has K: by Markov's inequality K ≥ 1/α has probability at
// most α, exactly, whatever the law and the number of draws. K falls as m rises,
// and rises with every x_i.
//
// Bounds that do not know that the draws are mostly 0, Hoeffding's for one,
// need 1/δ² runs to say anything at δ; this one says it as soon as the sum of the
// draws exceeds what δ allows, as Clopper & Pearson's does for draws 0 and 1. For
// those the best share is (p − m)/(1 − m), p being their mean; p − m matters from
// about 1/n on. Hence shares from 0.95 down to 0.0001, evenly spaced in ln(c/(1 −
// c)).
func wealth(x []float64, m float64) float64 {
	zeros, rest := 0, make([]float64, 0, len(x))
	for _, v := range x {
		if v == 0 {
			zeros++
		} else {
			rest = append(rest, v)
		}
	}
	return wealthOf(rest, 0, zeros, m)
}

// wealthOf is wealth of some draws, and of n that are all the same.
func wealthOf(x []float64, same float64, n int, m float64) float64 {
	const players = 13
	var logs [players]float64
	for j := range logs {
		c := Logistic(float64(3 - j))
		sum := float64(float64(n) * num.Log1p(c*(same/m-1)))
		for _, v := range x {
			sum += num.Log1p(c * (v/m - 1))
		}
		logs[j] = sum
	}
	return logMean(logs[:])
}

// Deltas is δ(ε) of the two worlds as the runs show it, the greater of both orders, at 33 points from 0 to the largest
// finite |L|. The 95 % interval of each point is of the means that wealth does not refute, a quarter of the 5 % for
// each end of each order.
func Deltas(a, b []float64) ([]record.MeasuredDelta, error) {
	if err := checkClaim(a, b, 0, 0, Confidence); err != nil {
		return nil, err
	}
	end := 0.0
	for _, l := range [2][]float64{a, b} {
		for _, v := range l {
			if !math.IsInf(v, 0) {
				end = max(end, math.Abs(v))
			}
		}
	}
	if end == 0 {
		end = 1
	}
	const points = 32
	all := make([]record.MeasuredDelta, points+1)
	for k := range all {
		epsilon := float64(k) / points * end
		all[k].Epsilon = record.Number(epsilon)
		for w, l := range [2][]float64{a, b} {
			mean, low, high := interval(excess(l, epsilon, 1-2*float64(w)), (1-Confidence)/4)
			all[k].Delta = max(all[k].Delta, record.Number(mean))
			all[k].Low, all[k].High = max(all[k].Low, record.Number(low)), max(all[k].High, record.Number(high))
		}
	}
	return all, nil
}

// interval is the mean of draws in [0, 1] and the means that wealth does not refute, in either direction with
// probability alpha.
func interval(x []float64, alpha float64) (mean, low, high float64) {
	zeros, rest, mirror := 0, make([]float64, 0, len(x)), make([]float64, 0, len(x))
	for _, v := range x {
		mean += v / float64(len(x))
		if v == 0 {
			zeros++
		} else {
			rest, mirror = append(rest, v), append(mirror, 1-v)
		}
	}
	bound := -num.Log(alpha)
	// least is the least mean that is not refuted, below one that is not.
	least := func(x []float64, same float64, top float64) float64 {
		bottom := 0.0
		for range 24 {
			if mid := (bottom + top) / 2; wealthOf(x, same, zeros, mid) >= bound {
				bottom = mid
			} else {
				top = mid
			}
		}
		return bottom
	}
	if mean > 0 {
		low = least(rest, 0, mean)
	}
	high = 1
	if mean < 1 {
		high = 1 - least(mirror, 1, 1-mean)
	}
	return mean, low, high
}

// logMean is ln of the mean of e^x.
func logMean(x []float64) float64 {
	most := slices.Max(x)
	if math.IsInf(most, 0) {
		return most
	}
	sum := 0.0
	for _, v := range x {
		sum += num.Exp(v - most)
	}
	return most + num.Log(sum/float64(len(x)))
}

// Describe is how log-likelihood ratios are distributed: their mean and, for
// k = 0 … 100, the least value that k % of them do not exceed (k = 0: the least).
// Quantiles are values of the sample, so that infinite ones stay infinite; JSON
// has null for them. The mean is infinite if one value is, and NaN if both
// infinities occur. Without values there are no quantiles.
func Describe(l []float64) (record.Distribution, error) {
	if err := ratios(l, nil); err != nil {
		return record.Distribution{}, err
	}
	n := len(l)
	if n == 0 {
		return record.Distribution{Mean: record.Number(math.NaN()), Quantiles: []record.Number{}}, nil
	}
	sorted := slices.Sorted(slices.Values(l))
	sum := 0.0
	for _, v := range sorted {
		sum += v
	}
	s := record.Distribution{Mean: record.Number(sum / float64(n)), Quantiles: make([]record.Number, 101)}
	for k := range s.Quantiles {
		s.Quantiles[k] = record.Number(sorted[max(0, (k*n+99)/100-1)])
	}
	return s, nil
}

// Calibrated tests whether ratios can be what they are said to be. For exact ones
// and any bounded h, E_A[h(L)] = E_B[e^L h(L)]. With σ(L) = 1/(1 + e^{−L}), h =
// σ(−L)u(L) gives
//
//	E_A[σ(−L) u(L)] = E_B[σ(L) u(L)]
//
// in which nothing is larger than u: the score equations of the logistic model
// P(A|L) = σ(L). The test takes u = 1 and u = sign L. The first alone, u = 1, is
// blind where the worlds mirror each other, −L in world A having the law of L in
// world B, as with Gaussian and Laplacian noise: there it holds for every multiple
// of the true ratios.
//
// Measured is ln of the mean wealth of players who bet on differences Z of runs
// k of both worlds, Π_k (1 ± cZ_k), for both u and several c. Exact ratios reach
// the bound, ln 10⁶, with probability at most 10⁻⁶, whatever their law (Markov's
// inequality, as in wealth). Runs of one world without a partner in the other are
// not used; runs with the same seed in both worlds may be partners. L = −Inf in
// world A, or +Inf in world B, is impossible.
//
// Ratios near 0 in all runs, or in none, tell little of a wrong scale.
func Calibrated(a, b []float64) (record.Check, error) {
	check := record.Check{Kind: record.RatiosCalibrated, Bound: record.Number(num.Log(1e6))}
	if err := ratios(a, b); err != nil {
		return check, err
	}
	n := min(len(a), len(b))
	if n == 0 {
		return check, fmt.Errorf("there are %d runs of world A and %d of world B: both need one", len(a), len(b))
	}
	if slices.Min(a) == math.Inf(-1) || slices.Max(b) == math.Inf(1) {
		check.Measured, check.Detail = record.Number(math.Inf(1)), "a run happened that is impossible in its own world"
		return check, nil
	}
	wealths, _ := bets(a[:n], b[:n], 1)
	check.Measured = record.Number(max(0, logMean(wealths)))
	check.Holds = check.Measured <= check.Bound
	check.Finds = record.Number(miscalibrated(a[:n], b[:n], float64(check.Bound)))
	k := fitted(a, b)
	switch {
	case check.Holds && small(a) && small(b):
		check.Detail = "the ratios are too small to be tested with so many runs"
	case math.IsNaN(k):
		check.Detail = "every ratio is zero or infinite, which says nothing of their scale"
	case k >= 1e3:
		check.Detail = "the ratios name the world without error, which says nothing of their scale"
	case k <= -1e3:
		check.Detail = "the ratios name the wrong world"
	default:
		check.Detail = fmt.Sprintf("the ratios agree best with the worlds when multiplied by %.2f", k)
	}
	return check, nil
}

// small says whether so few ratios of this size tell nothing of their scale, whatever it is up to the factor that
// fitted looks for: Σl² is their information on it.
func small(l []float64) bool {
	squares := 0.0
	for _, v := range l {
		squares += float64(v * v)
	}
	return squares > 0 && squares < 1e-2
}

// bets are the logarithms of the wealth of the players of Calibrated if the ratios of runs are k times what is given,
// and what is left of them but for once in a hundred audits, by the normal law.
func bets(a, b []float64, k float64) (logs, least []float64) {
	var z [2][]float64
	for i := range a {
		x, y := Logistic(-k*a[i]), Logistic(k*b[i])
		z[0] = append(z[0], x-y)                                         // in [−1, 1]
		z[1] = append(z[1], float64(x*sign(a[i]))-float64(y*sign(b[i]))) // in [−2, 1]
	}
	for _, u := range z {
		for c := 0.48; c > 0.01; c /= 2 { // below 1/2, so that no factor is 0
			for _, c := range [2]float64{c, -c} {
				sum, squares := 0.0, 0.0
				for _, v := range u {
					g := num.Log1p(c * v)
					sum += g
					squares += float64(g * g)
				}
				logs = append(logs, sum)
				variance := max(0, squares-float64(sum*sum)/float64(len(u)))
				least = append(least, sum-float64(late*math.Sqrt(variance)))
			}
		}
	}
	return logs, least
}

// miscalibrated is the least factor above 1 by which these ratios, if they are exact, would have to be multiplied for
// Calibrated to find it with the probability Power; NaN if there is none up to 1000.
func miscalibrated(a, b []float64, bound float64) float64 {
	found := func(k float64) bool {
		_, least := bets(a, b, k)
		return logMean(least) >= bound
	}
	low, high := 0.0, num.Log(1e3)
	if !found(num.Exp(high)) {
		return math.NaN()
	}
	for range 12 {
		if mid := float64((low + high) / 2); found(num.Exp(mid)) {
			high = mid
		} else {
			low = mid
		}
	}
	return num.Exp(high)
}

// Logistic is 1/(1 + e^{−x}).
func Logistic(x float64) float64 { return 1 / (1 + num.Exp(-x)) }

// sign is −1, 0 or 1.
func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// fitted is the k in [−1000, 1000] for which P(A|L) = 1/(1 + e^{−kL}) fits best,
// 1 for exact ratios up to chance: the root of the derivative of the log
// likelihood, which falls. It is NaN where every ratio is zero or infinite.
func fitted(a, b []float64) float64 {
	tells := func(l float64) bool { return l != 0 && !math.IsInf(l, 0) }
	if !slices.ContainsFunc(a, tells) && !slices.ContainsFunc(b, tells) {
		return math.NaN()
	}
	slope := func(k float64) float64 {
		sum := 0.0
		for _, l := range a {
			if !math.IsInf(l, 0) {
				sum += float64(l * Logistic(-k*l))
			}
		}
		for _, l := range b {
			if !math.IsInf(l, 0) {
				sum -= float64(l * Logistic(k*l))
			}
		}
		return sum
	}
	low, high := -1e3, 1e3
	for range 60 {
		mid := (low + high) / 2
		// Where nothing is left of the derivative but zero, beyond e^−745, k goes on outwards.
		if s := slope(mid); s > 0 || s == 0 && mid > 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}
