// Losses, as functions of the margin z = y f·x of a class y, or of the residual z = f·x − t of a target t.

package problem

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/internal/num"
	"overhear/internal/python"
)

// Loss is a function of one number for each row, z_n = u_n·f − t_n: of the margin where rows have classes, as
// u_n is y_n x_n and t_n 0 then, and of the residual where they have targets, as u_n is x_n then. It is convex, or a
// [NonConvex].
type Loss interface {
	Total(z, slopes []float64) float64 // Σ_k L(z_k), given the slopes there
	Slopes(dst, z []float64)           // L′, elementwise
	Curvatures(dst, z []float64)       // L″, elementwise
	Bound() float64                    // c₁ ≥ L″
	Steepest() float64                 // the least upper bound of |L′|; +Inf if there is none
}

// Bounded says whether |L′| has a bound, which of the losses here all have but the quadratic ones.
func Bounded(l Loss) bool { return !math.IsInf(l.Steepest(), 1) }

// Straight says whether a part of a loss is a straight line, or may be, where its slope does not vary: a row that stays
// there adds the same to every gradient, or nothing.
func Straight(l Loss) bool {
	switch l.(type) {
	case HuberHinge, Huber, Quantile, *own:
		return true
	}
	return false
}

// Logistic is log(1 + e^−z), with c₁ = ¼.
var Logistic Loss = logistic{}

// Squared is ½(1 − z)², which for y = ±1 is ½(y − f·x)²; c₁ = 1.
var Squared Loss = squared{}

// HuberHinge is the hinge loss smoothed over a width h > 0:
// 0 for z > 1+h, (1+h−z)²/4h for |1−z| ≤ h, 1−z below; c₁ = 1/2h.
type HuberHinge struct{ Width float64 }

// LeastSquares is ½z² of the residual; c₁ = 1.
var LeastSquares Loss = leastSquares{}

// Huber is Huber's loss of the residual, of a width h > 0: ½z² for |z| ≤ h, h(|z| − h/2) beyond; c₁ = 1.
type Huber struct{ Width float64 }

// Quantile is the check loss of the residual, whose least mean is at the quantile τ = Level, 0 < τ < 1, smoothed over a
// width h > 0: −τz for z < −h, (1−τ)z for z > h, and z²/4h + (½−τ)z + h/4 between, which is the mean of the check loss
// over a step that is uniform in [−h, h] (He, Pan, Tan & Zhou 2023); c₁ = 1/2h.
type Quantile struct{ Level, Width float64 }

type logistic struct{}

func (logistic) Total(z, slopes []float64) float64 { return num.LogisticTotal(z, slopes) }

func (logistic) Slopes(dst, z []float64) { num.LogisticSlopes(dst, z) }

func (logistic) Curvatures(dst, z []float64) {
	num.LogisticSlopes(dst, z)
	for k, s := range dst {
		dst[k] = -s * (1 + s)
	}
}

func (logistic) Bound() float64 { return 0.25 }

func (logistic) Steepest() float64 { return 1 }

type squared struct{}

func (squared) Total(_, slopes []float64) float64 { return 0.5 * num.Dot(slopes, slopes) }

func (squared) Slopes(dst, z []float64) {
	for k, v := range z {
		dst[k] = v - 1
	}
}

func (squared) Curvatures(dst, z []float64) {
	for k := range z {
		dst[k] = 1
	}
}

func (squared) Bound() float64 { return 1 }

func (squared) Steepest() float64 { return math.Inf(1) }

type leastSquares struct{}

func (leastSquares) Total(_, slopes []float64) float64 { return 0.5 * num.Dot(slopes, slopes) }

func (leastSquares) Slopes(dst, z []float64) { copy(dst, z) }

func (leastSquares) Curvatures(dst, z []float64) {
	for k := range z {
		dst[k] = 1
	}
}

func (leastSquares) Bound() float64 { return 1 }

func (leastSquares) Steepest() float64 { return math.Inf(1) }

// Total is Σ_k L(z_k).
func (h HuberHinge) Total(z, _ []float64) float64 {
	sum := 0.0
	for _, v := range z {
		switch gap := 1 + h.Width - v; {
		case gap >= 2*h.Width:
			sum += 1 - v
		case gap > 0:
			sum += gap * gap / (4 * h.Width)
		}
	}
	return sum
}

// Slopes is L′.
func (h HuberHinge) Slopes(dst, z []float64) {
	for k, v := range z {
		gap := (1 + h.Width - v) / (2 * h.Width)
		dst[k] = -math.Max(0, math.Min(1, gap))
	}
}

// Curvatures is L″.
func (h HuberHinge) Curvatures(dst, z []float64) {
	for k, v := range z {
		dst[k] = 0
		if math.Abs(1-v) <= h.Width {
			dst[k] = 1 / (2 * h.Width)
		}
	}
}

// Bound is c₁.
func (h HuberHinge) Bound() float64 { return 1 / (2 * h.Width) }

// Steepest is 1.
func (h HuberHinge) Steepest() float64 { return 1 }

// Total is Σ_k L(z_k).
func (h Huber) Total(z, _ []float64) float64 {
	sum := 0.0
	for _, v := range z {
		if a := math.Abs(v); a <= h.Width {
			sum += float64(0.5 * v * v)
		} else {
			sum += float64(h.Width * (a - float64(0.5*h.Width)))
		}
	}
	return sum
}

// Slopes is L′.
func (h Huber) Slopes(dst, z []float64) {
	for k, v := range z {
		dst[k] = math.Max(-h.Width, math.Min(h.Width, v))
	}
}

// Curvatures is L″.
func (h Huber) Curvatures(dst, z []float64) {
	for k, v := range z {
		dst[k] = 0
		if math.Abs(v) <= h.Width {
			dst[k] = 1
		}
	}
}

// Bound is c₁.
func (h Huber) Bound() float64 { return 1 }

// Steepest is h.
func (h Huber) Steepest() float64 { return h.Width }

// Total is Σ_k L(z_k).
func (q Quantile) Total(z, _ []float64) float64 {
	sum := 0.0
	for _, v := range z {
		bend := math.Abs(v)
		if bend < q.Width {
			bend = float64(0.5 * (float64(v*v/q.Width) + q.Width))
		}
		sum += float64(0.5*bend) + float64((0.5-q.Level)*v)
	}
	return sum
}

// Slopes is L′.
func (q Quantile) Slopes(dst, z []float64) {
	for k, v := range z {
		dst[k] = float64(0.5*math.Max(-1, math.Min(1, v/q.Width))) + (0.5 - q.Level)
	}
}

// Curvatures is L″.
func (q Quantile) Curvatures(dst, z []float64) {
	for k, v := range z {
		dst[k] = 0
		if math.Abs(v) <= q.Width {
			dst[k] = 1 / (2 * q.Width)
		}
	}
}

// Bound is c₁.
func (q Quantile) Bound() float64 { return 1 / (2 * q.Width) }

// Steepest is the greater of τ and 1 − τ.
func (q Quantile) Steepest() float64 { return math.Max(q.Level, 1-q.Level) }

// LossSpec is a scenario's `problem.loss`: a kind, or a mapping with its
// parameters.
type LossSpec struct {
	Kind  string  `yaml:"kind" default:"logistic" enum:"logistic,huber-hinge,squared,huber,quantile,softmax,one-vs-rest,sigmoid,savage,welsch,geman-mcclure,python" doc:"the loss of a row: logistic and huber-hinge of the margin, where rows have classes; huber and quantile of the residual, where they have targets; squared of either, ½(1 − margin)² or ½ residual²; softmax and one-vs-rest where rows have one of K classes (problem.data.classes: all), with a block of the model for each; not convex, for ADMM sharing only (problem.columns): sigmoid and savage of the margin, welsch and geman-mcclure of the residual; python: a class of one's own"`
	Each  string  `yaml:"each" of:"one-vs-rest" default:"logistic" enum:"logistic,squared" doc:"the loss of the margin in each of the K problems of one-vs-rest"`
	Width float64 `yaml:"width" of:"huber-hinge,huber,quantile,welsch,geman-mcclure" default:"auto" doc:"half-width h of the smoothed corner (huber-hinge, quantile), residual from which on the loss is linear (huber), or scale of the residual beyond which the loss levels off at ½h² (welsch, geman-mcclure), in units of the scaled target; auto: 0.05 for quantile, 0.1 for huber, 0.5 for the others. A quantile is predicted where it is small against the spread of the targets"`
	Level float64 `yaml:"level" of:"quantile" default:"0.5" doc:"the quantile of the target that is predicted, between 0 and 1 (quantile)"`

	python.Class `of:"python"`
}

// UnmarshalText reads a kind.
func (l *LossSpec) UnmarshalText(text []byte) error {
	l.Kind = string(text)
	if slices.Contains(lossKinds, l.Kind) {
		return nil
	}
	last := len(lossKinds) - 1
	return fmt.Errorf("must be %s or %s, is %q", strings.Join(lossKinds[:last], ", "), lossKinds[last], text)
}

// lossKinds are the kinds, and what they are losses of.
var (
	lossKinds = []string{"logistic", "huber-hinge", "squared", "huber", "quantile", "softmax", "one-vs-rest", "sigmoid",
		"savage", "welsch", "geman-mcclure", "python"}
	ofMargin   = []string{"logistic", "huber-hinge", "sigmoid", "savage"}
	ofResidual = []string{"huber", "quantile", "welsch", "geman-mcclure"}
	withWidth  = []string{"huber-hinge", "huber", "quantile", "welsch", "geman-mcclure"}
)

// width is the width, or the kind's own. That of a quantile pulls it towards the mean, where it is not small against
// the spread of the targets, of which the largest is 1; that of huber is where outliers begin.
func (l LossSpec) width() float64 {
	switch {
	case !math.IsInf(l.Width, 1): // which stands for auto
		return l.Width
	case l.Kind == "quantile":
		return 0.05
	case l.Kind == "huber":
		return 0.1
	}
	return 0.5
}

// Convex says whether the loss is.
func (l LossSpec) Convex() bool {
	return !slices.Contains([]string{"sigmoid", "savage", "welsch", "geman-mcclure"}, l.Kind)
}

// Check reports a width that smooths nothing and a level that no quantile has.
func (l LossSpec) Check(report func(field, problem string)) {
	if slices.Contains(withWidth, l.Kind) && !(l.Width > 0) {
		report("width", fmt.Sprintf("must be positive, is %v", l.Width))
	}
	if l.Kind == "quantile" && !(l.Level > 0 && l.Level < 1) {
		report("level", fmt.Sprintf("must be between 0 and 1, is %v", l.Level))
	}
	if l.Kind == "python" {
		l.Named(report)
	}
}

// Suits is an error where the loss is not one for rows of that source: with targets, with one of two classes or with
// one of several.
func (l LossSpec) Suits(source Source) error {
	targets, joint := source.HasTargets(), l.Kind == "softmax" || l.Kind == "one-vs-rest"
	switch {
	case joint && targets:
		return fmt.Errorf("%s is a loss of classes, and these data have targets: take squared, huber or quantile",
			l.Kind)
	case joint && !source.ManyClasses():
		return fmt.Errorf("%s is for labels of which every value is a class of its own: say problem.data.classes: all",
			l.Kind)
	case !joint && source.ManyClasses():
		return fmt.Errorf("%s is a loss of one number for each row, and with problem.data.classes: all each class "+
			"has one: take softmax or one-vs-rest", l.Kind)
	}
	switch {
	case targets && slices.Contains(ofMargin, l.Kind):
		return fmt.Errorf("%s is a loss of the margin, which rows with classes have, and these data have targets: "+
			"take squared, huber or quantile", l.Kind)
	case !targets && slices.Contains(ofResidual, l.Kind):
		return fmt.Errorf("%s is a loss of the residual, which rows with targets have, and these data have classes: "+
			"take logistic, huber-hinge or squared, or say which column is a target (problem.data.target)", l.Kind)
	}
	return nil
}

// Loss returns the loss, of rows with targets or with one of so many classes; 0: of two.
func (l LossSpec) Loss(targets bool, classes int) Loss {
	switch l.Kind {
	case "softmax":
		return Softmax{}
	case "one-vs-rest":
		if l.Each == "squared" {
			return OneVsRest{Each: Squared, K: classes}
		}
		return OneVsRest{Each: Logistic, K: classes}
	case "huber-hinge":
		return HuberHinge{l.width()}
	case "huber":
		return Huber{l.width()}
	case "quantile":
		return Quantile{l.Level, l.width()}
	case "python":
		return newOwn(l.Class)
	case "sigmoid":
		return Sigmoid
	case "savage":
		return Savage
	case "welsch":
		return Welsch{l.width()}
	case "geman-mcclure":
		return GemanMcClure{l.width()}
	case "squared":
		if targets {
			return LeastSquares
		}
		return Squared
	}
	return Logistic
}
