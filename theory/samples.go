// Sample complexity: ZZ16 Theorems 2 and 3 and Corollary 3.1, RA19 Theorems 3 and 4.

package theory

import "math"

// Aim is what a number of samples a node is to be enough for: that with a probability the expected loss of the learnt
// classifier is at most that of a reference classifier, and Excess. Logarithms are natural.
type Aim struct {
	Reference float64 // ‖f_ref‖, of RA19; ‖f⁰‖ of ZZ16
	Excess    float64 // τ of RA19, in units of the loss; α_acc of ZZ16, in units of the loss times C
	Slack     float64 // Δ, how much of it rounds that are not enough take: below Excess
	Failure   float64 // δ
}

// gap is what of the excess is left for samples and noise; 0 if nothing.
func (a Aim) gap() float64 { return max(0, a.Excess-a.Slack) }

// RA19Theorem3 is how many samples a node needs without noise, w‖f_ref‖² ln(1/δ)/(τ−Δ)², for the loss to be within τ
// with probability 1−δ.
func (a Aim) RA19Theorem3(w float64) float64 {
	return w * a.Reference * a.Reference * math.Log(1/a.Failure) / (a.gap() * a.gap())
}

// RA19Theorem4 is how many it needs with noise of rate α in an objective whose loss has the weight C,
//
//	w CN ln(1/δ) / (NC(τ−Δ)²/2‖f_ref‖² − (1+a) Nd² ln²(d/δ)/(Cα²))
//
// for the loss to be within τ with probability 1−2δ; +Inf where the noise alone, which no number of samples makes less,
// takes more than τ−Δ. N cancels.
func (a Aim) RA19Theorem4(w, more, c, alpha float64, columns int) float64 {
	d := float64(columns)
	noise := d * math.Log(d/a.Failure) / alpha
	room := c*a.gap()*a.gap()/(2*a.Reference*a.Reference) - (1+more)*noise*noise/c
	if !(room > 0) {
		return math.Inf(1)
	}
	return w * c * math.Log(1/a.Failure) / room
}

// ZZ16Theorem2 is how many samples a node needs without noise, β (C‖f⁰‖/(α_acc−Δ))² ln(1/δ). The paper has C for C²:
// but if the loss is counted in other units, C and α_acc change by one factor, and the number of samples cannot. Δ
// stands beside α_acc in the paper's conclusion; here Excess is both together, as in RA19.
func (a Aim) ZZ16Theorem2(beta, c float64) float64 {
	return beta * c * c * a.Reference * a.Reference * math.Log(1/a.Failure) / (a.gap() * a.gap())
}

// ZZ16Theorem3 is how many it needs with noise for the privacy loss α a round and |L″| ≤ c₁, the largest of
//
//	β C‖f⁰‖ d ln(d/δ)/(α_acc α),      β Cc₁‖f⁰‖²/(α_acc α),      ZZ16Theorem2
//
// for the loss to be within α_acc with probability 1−2δ. The paper has no C in the first, which changes with the units
// of the loss then. With Slack it is Corollary 3.1.
func (a Aim) ZZ16Theorem3(beta, c, curvature, alpha float64, columns int) float64 {
	d := float64(columns)
	noise := beta * c * a.Reference * d * math.Log(d/a.Failure) / (a.gap() * alpha)
	ridge := beta * c * curvature * a.Reference * a.Reference / (a.gap() * alpha)
	return max(noise, ridge, a.ZZ16Theorem2(beta, c))
}

// The papers say that there are constants. These are proved, with the ridge τ/‖f_ref‖², of which the reference takes
// half of τ, and the bound of Sridharan, Shalev-Shwartz and Srebro (Fast Rates for Regularized Objectives, 2008,
// Theorem 1): an f has an expected objective of at most (1+a) times what it has above the least on the samples, and
// 8(1+1/a)(32 + ln(1/δ))/(ridge · B), above the least.

// ProvedConstant is w of RA19 Theorem 3 and β of ZZ16 Theorem 2: a minimiser has nothing above the least, so that a is
// as large as one likes. It is w of RA19 Theorem 4, too, with its a at 1: noise ε moves a minimiser to at most ‖ε‖²/(2
// · ridge) above the least.
func ProvedConstant(failure float64) float64 {
	l := math.Log(1 / failure)
	return 16 * (32 + l) / l
}

// ProvedDualConstant is β of ZZ16 Theorem 3. With a = 1 a quarter of α_acc is for samples, 16C²(32 + ln(1/δ))/(ridge ·
// B), and a quarter for noise, C²‖ε‖²/(ridge · B²). As β ≥ 4, the second of the three numbers makes α̂ at least α/2, so
// that ‖ε‖ ≤ d ln(d/δ)/(α̂/2) is at most 4d ln(d/δ)/α; β ≥ 8 is enough for the first.
func ProvedDualConstant(failure float64) float64 {
	l := math.Log(1 / failure)
	return 64 * (32 + l) / l
}

// Ridge is the weight of ½‖f‖² with which the theorems' proofs meet an aim.
func (a Aim) Ridge() float64 { return a.Excess / (a.Reference * a.Reference) }

// Reached is the least excess for which so many samples are enough, need being one of the theorems: it falls as the
// excess grows. It is the theorem's curve of the error against samples.
func (a Aim) Reached(samples float64, need func(Aim) float64) float64 {
	low, high := math.Log(1e-9), math.Log(1e9)
	for range 200 {
		middle := (low + high) / 2
		b := a
		if b.Excess = a.Slack + math.Exp(middle); need(b) > samples {
			low = middle
		} else {
			high = middle
		}
	}
	return a.Slack + math.Exp(high)
}
