// The design of privacy parameters: ZZ16 §5.

package theory

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Accuracy is what ZZ16 fits to losses measured at several α:
//
//	L_acc(α) = c₄ e^(−c₅α) + c₆,      c₄, c₅, c₆ ≥ 0
//
// in units of the loss; c₅ is in units of 1/α.
type Accuracy struct {
	C4, C5, C6 float64
	Miss       float64 // largest distance from a measured loss
	Explained  float64 // share of the variance of the losses; NaN if they are all equal
}

// At is L_acc(α).
func (a Accuracy) At(alpha float64) float64 { return float64(a.C4*math.Exp(-a.C5*alpha)) + a.C6 }

// String is the formula.
func (a Accuracy) String() string { return fmt.Sprintf("%.4g·e^(−%.4gα) + %.4g", a.C4, a.C5, a.C6) }

// LeastAlphas is how many α a fit needs: one more than it has constants.
const LeastAlphas = 4

// FitAccuracy fits L_acc by least squares. For a given c₅ it is a linear regression, with c₄ and c₆ at zero where they
// would be below; c₅ is searched between rates at which the curve is straight over all α and has fallen before the
// second.
func FitAccuracy(alpha, loss []float64) (Accuracy, error) {
	if len(alpha) != len(loss) {
		return Accuracy{}, fmt.Errorf("there are %d losses for %d values of α", len(loss), len(alpha))
	}
	for i, a := range alpha {
		if !(a > 0) || math.IsInf(a, 1) || math.IsNaN(loss[i]) || math.IsInf(loss[i], 0) {
			return Accuracy{}, fmt.Errorf("α must be positive and losses finite; at α = %v the loss is %v", a, loss[i])
		}
	}
	sorted := slices.Sorted(slices.Values(alpha))
	distinct := len(slices.Compact(slices.Clone(sorted)))
	if distinct < LeastAlphas {
		return Accuracy{}, fmt.Errorf("a curve with three constants needs at least %d values of α, there are %d",
			LeastAlphas, distinct)
	}
	squares := func(x float64) float64 { return regress(alpha, loss, math.Exp(x)).squares }
	const points, straight, fallen = 600, 0.01, 40
	low, high := math.Log(straight/sorted[len(sorted)-1]), math.Log(fallen/sorted[0])
	width := (high - low) / points
	best := low
	for k := range points + 1 {
		if x := low + float64(float64(k)*width); squares(x) < squares(best) {
			best = x
		}
	}
	if x, least := lowest(best-width, best+width, squares); least < squares(best) {
		best = x
	}
	r := regress(alpha, loss, math.Exp(best))
	fit := Accuracy{C4: r.slope, C5: math.Exp(best), C6: r.level, Explained: math.NaN()}
	mean, variance := 0.0, 0.0
	for _, l := range loss {
		mean += l / float64(len(loss))
	}
	for i, l := range loss {
		variance += float64((l - mean) * (l - mean))
		fit.Miss = max(fit.Miss, math.Abs(l-fit.At(alpha[i])))
	}
	if variance > 0 {
		fit.Explained = 1 - r.squares/variance
	}
	return fit, nil
}

// regression is a line through losses over e^(−c₅α), with no constant below zero.
type regression struct{ slope, level, squares float64 }

func regress(alpha, loss []float64, rate float64) regression {
	n, sx, sy := float64(len(alpha)), 0.0, 0.0
	for i, a := range alpha {
		sx += math.Exp(-rate * a)
		sy += loss[i]
	}
	var sxx, sxy, square, product float64
	for i, a := range alpha {
		x := math.Exp(-rate * a)
		sxx += float64((x - sx/n) * (x - sx/n))
		sxy += float64((x - sx/n) * (loss[i] - sy/n))
		square += float64(x * x)
		product += float64(x * loss[i])
	}
	r := regression{slope: sxy / sxx}
	r.level = (sy - float64(r.slope*sx)) / n
	switch {
	case !(r.slope > 0):
		r.slope, r.level = 0, sy/n
	case r.level < 0:
		r.slope, r.level = product/square, 0
	}
	for i, a := range alpha {
		d := float64(r.slope*math.Exp(-rate*a)) + r.level - loss[i]
		r.squares += float64(d * d)
	}
	return r
}

// Utility is what privacy is worth at a loss of α a round, U(α), in units of the loss: it falls as α grows. (ZZ16
// Assumption 6 says that it rises; what follows it there, and its formula, say that it falls.)
type Utility struct {
	Form    string    // of UtilityForms
	Weights []float64 // as many as the form has
}

// UtilityForm is a family of utilities.
type UtilityForm struct {
	Name    string
	Formula string // in the weights a, b, …
	Weights int

	at    func(w []float64, alpha float64) float64
	check func(w []float64) string
}

// UtilityForms are the families: that of ZZ16 §5, and simpler ones.
var UtilityForms = []UtilityForm{
	{"zz16", "a ln(b/(cα + dα²))", 4,
		func(w []float64, x float64) float64 { return w[0] * math.Log(w[1]/(float64(w[2]*x)+float64(w[3]*x*x))) },
		func(w []float64) string {
			if !(w[0] > 0 && w[1] > 0 && w[2] >= 0 && w[3] >= 0 && w[2]+w[3] > 0) {
				return "a and b must be positive, c and d at least 0 and not both 0"
			}
			return ""
		}},
	{"log", "−a ln α", 1, func(w []float64, x float64) float64 { return -w[0] * math.Log(x) }, positive},
	{"linear", "−aα", 1, func(w []float64, x float64) float64 { return -w[0] * x }, positive},
	{"power", "−aα^b", 2, func(w []float64, x float64) float64 { return -w[0] * math.Pow(x, w[1]) }, positive},
}

func positive(w []float64) string {
	for _, v := range w {
		if !(v > 0) {
			return "its weights must be positive"
		}
	}
	return ""
}

// ParseUtility reads FORM=WEIGHT,WEIGHT….
func ParseUtility(text string) (Utility, error) {
	name, weights, _ := strings.Cut(text, "=")
	var forms []string
	for _, f := range UtilityForms {
		forms = append(forms, f.Name+", "+f.Formula)
		if f.Name != name {
			continue
		}
		if weights == "" {
			return Utility{}, fmt.Errorf("%s, %s, needs its weights, such as %s=%s", name, f.Formula, name,
				strings.Join(slices.Repeat([]string{"1"}, f.Weights), ","))
		}
		u := Utility{Form: name}
		for _, w := range strings.Split(weights, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(w), 64)
			if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
				return Utility{}, fmt.Errorf("%q in %s is no number", w, text)
			}
			u.Weights = append(u.Weights, v)
		}
		if len(u.Weights) != f.Weights {
			return Utility{}, fmt.Errorf("%s, %s, has %d weights, and %s has %d", name, f.Formula, f.Weights, text,
				len(u.Weights))
		}
		if why := f.check(u.Weights); why != "" {
			return Utility{}, fmt.Errorf("%s, %s: %s", text, f.Formula, why)
		}
		return u, nil
	}
	return Utility{}, fmt.Errorf("there is no form %q; there are: %s", name, strings.Join(forms, "; "))
}

// form is the family; nil of no utility.
func (u Utility) form() *UtilityForm {
	for k := range UtilityForms {
		if UtilityForms[k].Name == u.Form {
			return &UtilityForms[k]
		}
	}
	return nil
}

// At is U(α).
func (u Utility) At(alpha float64) float64 { return u.form().at(u.Weights, alpha) }

// String is the formula with its weights.
func (u Utility) String() string {
	var b strings.Builder
	for _, r := range u.form().Formula {
		if k := int(r - 'a'); r >= 'a' && k < len(u.Weights) {
			fmt.Fprintf(&b, "%g", u.Weights[k])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Choice is the α that is worth most.
type Choice struct {
	Alpha float64
	Net   float64 // U(α) − L_acc(α)
	Edge  int     // −1: it is the least α that was allowed, 1: the greatest, 0: between
}

// Choose maximises U(α) − L_acc(α) over least ≤ α ≤ most. U − L_acc may have several maxima, so that a grid is searched
// first, of steps of less than a hundredth of α where the range is below five decades.
func Choose(l Accuracy, u Utility, least, most float64) (Choice, error) {
	if !(least > 0 && most > least) || math.IsInf(most, 1) {
		return Choice{}, fmt.Errorf("α must be between positive numbers, the first below the second, not %v and %v",
			least, most)
	}
	if u.form() == nil {
		return Choice{}, errors.New("there is no utility to weigh the loss against")
	}
	cost := func(x float64) float64 { return l.At(math.Exp(x)) - u.At(math.Exp(x)) }
	const points = 2000
	low, high := math.Log(least), math.Log(most)
	width := (high - low) / points
	at := 0
	for k := range points + 1 {
		if cost(low+float64(float64(k)*width)) < cost(low+float64(float64(at)*width)) {
			at = k
		}
	}
	switch at {
	case 0:
		return Choice{least, u.At(least) - l.At(least), -1}, nil
	case points:
		return Choice{most, u.At(most) - l.At(most), 1}, nil
	}
	x, net := lowest(low+float64(float64(at-1)*width), low+float64(float64(at+1)*width), cost)
	return Choice{math.Exp(x), -net, 0}, nil
}
