// Losses, as functions of the margin z = y f·x.

package problem

import (
	"fmt"
	"math"

	"overhear/internal/num"
)

// Loss is a convex function of the margin.
type Loss interface {
	Total(z, slopes []float64) float64 // Σ_k L(z_k), given the slopes there
	Slopes(dst, z []float64)           // L′, elementwise
	Curvatures(dst, z []float64)       // L″ ≥ 0, elementwise
	Bound() float64                    // c₁ ≥ L″
}

// Logistic is log(1 + e^−z), with c₁ = ¼.
var Logistic Loss = logistic{}

// Squared is ½(1 − z)², which for y = ±1 is ½(y − f·x)²; c₁ = 1.
var Squared Loss = squared{}

// HuberHinge is the hinge loss smoothed over a width h > 0:
// 0 for z > 1+h, (1+h−z)²/4h for |1−z| ≤ h, 1−z below; c₁ = 1/2h.
type HuberHinge struct{ Width float64 }

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

// LossSpec is a scenario's `problem.loss`: a kind, or a mapping with its
// parameter.
type LossSpec struct {
	Kind  string  `yaml:"kind" default:"logistic" enum:"logistic,huber-hinge,squared" doc:"loss as a function of the margin"`
	Width float64 `yaml:"width" of:"huber-hinge" default:"0.5" doc:"half-width h of the smoothed corner (huber-hinge)"`
}

// UnmarshalText reads a kind.
func (l *LossSpec) UnmarshalText(text []byte) error {
	l.Kind = string(text)
	switch l.Kind {
	case "logistic", "huber-hinge", "squared":
		return nil
	}
	return fmt.Errorf("must be logistic, huber-hinge or squared, is %q", text)
}

// Check reports a width that smooths nothing.
func (l LossSpec) Check(report func(field, problem string)) {
	if l.Kind == "huber-hinge" && !(l.Width > 0) {
		report("width", fmt.Sprintf("must be positive, is %v", l.Width))
	}
}

// Loss returns the loss.
func (l LossSpec) Loss() Loss {
	switch l.Kind {
	case "huber-hinge":
		return HuberHinge{l.Width}
	case "squared":
		return Squared
	}
	return Logistic
}
