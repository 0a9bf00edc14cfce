// The laws of times at random: of a packet's delay, of a session, of an update. Each is checked, drawn, summed up and
// described in one place.

package sim

import (
	"fmt"
	"math"

	"overhear/internal/num"
)

// constantLaw is the same delay for every packet.
type constantLaw struct{}

func (constantLaw) check(l *Latency, report func(field, problem string)) {
	if l.Value < 0 {
		report("value", fmt.Sprintf("must not be negative, is %v", l.Value))
	}
}

func (constantLaw) draw(l *Latency, _ uint64) Duration { return l.Value }
func (constantLaw) median(l *Latency) float64          { return float64(l.Value) }
func (constantLaw) mean(l *Latency) float64            { return float64(l.Value) }
func (constantLaw) bounds(l *Latency) (least, most float64) {
	return float64(l.Value), float64(l.Value)
}

func (constantLaw) words(*Latency) string { return "constant" }

func (constantLaw) inspected(l *Latency, _ *Stream) float64 { return float64(l.Value) }

func (constantLaw) random(s *Stream) Latency {
	return Latency{Kind: "constant", Value: Duration(s.Between(0, 50e6))}
}

// uniformLaw is between two delays.
type uniformLaw struct{}

func (uniformLaw) check(l *Latency, report func(field, problem string)) {
	if l.Low < 0 || l.High < l.Low {
		const what = "must be at least low, which must not be negative; they are %v and %v"
		report("high", fmt.Sprintf(what, l.High, l.Low))
	}
}

func (uniformLaw) draw(l *Latency, w uint64) Duration {
	return l.Low + nanoseconds(float64(l.High-l.Low)*unit(w))
}

func (uniformLaw) median(l *Latency) float64 { return float64(l.Low + (l.High-l.Low)/2) }
func (uniformLaw) mean(l *Latency) float64   { return 0.5 * (float64(l.Low) + float64(l.High)) }

// inspected has the distribution function (x² − low²)/(high² − low²).
func (uniformLaw) inspected(l *Latency, s *Stream) float64 {
	low, high := float64(l.Low), float64(l.High)
	return math.Sqrt(float64(low*low) + float64(s.Float64()*float64((high-low)*(high+low))))
}

func (uniformLaw) bounds(l *Latency) (least, most float64) {
	return float64(l.Low), float64(l.High)
}

func (uniformLaw) words(l *Latency) string {
	return fmt.Sprintf("uniform from %v to %v", l.Low, l.High)
}

func (uniformLaw) random(s *Stream) Latency {
	low := Duration(s.Between(0, 25e6))
	return Latency{Kind: "uniform", Low: low, High: low + Duration(s.Between(0, 50e6))}
}

// exponentialLaw has no memory.
type exponentialLaw struct{}

func (exponentialLaw) check(l *Latency, report func(field, problem string)) {
	l.positive(report, "mean", l.Mean)
}

func (exponentialLaw) draw(l *Latency, w uint64) Duration {
	return nanoseconds(float64(l.Mean) * exponential(w))
}

func (exponentialLaw) median(l *Latency) float64 { return float64(l.Mean) * math.Ln2 }
func (exponentialLaw) mean(l *Latency) float64   { return float64(l.Mean) }

// inspected is the sum of two such times.
func (exponentialLaw) inspected(l *Latency, s *Stream) float64 {
	return float64(l.Mean) * (s.Exponential() + s.Exponential())
}

func (exponentialLaw) bounds(*Latency) (least, most float64) {
	return 0, math.Inf(1)
}

func (exponentialLaw) words(l *Latency) string { return fmt.Sprintf("exponential, mean %v", l.Mean) }

func (exponentialLaw) random(s *Stream) Latency {
	return Latency{Kind: "exponential", Mean: Duration(s.Between(1e5, 50e6))}
}

// lognormalLaw has a logarithm that is normal.
type lognormalLaw struct{}

func (lognormalLaw) check(l *Latency, report func(field, problem string)) {
	l.positive(report, "median", l.Median)
	if !(l.Sigma >= 0) || math.IsInf(l.Sigma, 0) {
		report("sigma", fmt.Sprintf("must not be negative, is %v", l.Sigma))
	}
}

func (lognormalLaw) draw(l *Latency, w uint64) Duration {
	return nanoseconds(float64(l.Median) * num.Exp2(float64(l.Sigma*math.Log2E)*normal(w)))
}

func (lognormalLaw) median(l *Latency) float64 { return float64(l.Median) }

func (lognormalLaw) mean(l *Latency) float64 {
	return float64(l.Median) * num.Exp(0.5*float64(l.Sigma*l.Sigma))
}

// inspected is log-normal with a median of exp(sigma²) times the law's.
func (lognormalLaw) inspected(l *Latency, s *Stream) float64 {
	return float64(l.Median) * num.Exp(float64(l.Sigma*l.Sigma)+float64(l.Sigma*s.Normal()))
}

func (lognormalLaw) bounds(*Latency) (least, most float64) {
	return 0, math.Inf(1)
}

func (lognormalLaw) words(l *Latency) string {
	return fmt.Sprintf("lognormal, median %v, sigma %v", l.Median, l.Sigma)
}

func (lognormalLaw) random(s *Stream) Latency {
	return Latency{Kind: "lognormal", Median: Duration(s.Between(1e5, 50e6)), Sigma: s.Between(0, 2)}
}

// paretoLaw has a tail that is a power.
type paretoLaw struct{}

func (paretoLaw) check(l *Latency, report func(field, problem string)) {
	l.positive(report, "scale", l.Scale)
	if !(l.Shape > 0) {
		report("shape", fmt.Sprintf("must be positive, is %v", l.Shape))
	}
}

func (paretoLaw) draw(l *Latency, w uint64) Duration {
	return nanoseconds(float64(l.Scale) * num.Exp(exponential(w)/l.Shape))
}

func (paretoLaw) median(l *Latency) float64 { return float64(l.Scale) * num.Exp(math.Ln2/l.Shape) }

func (paretoLaw) mean(l *Latency) float64 {
	if l.Shape <= 1 {
		return math.Inf(1)
	}
	return float64(l.Scale) * l.Shape / (l.Shape - 1)
}

// inspected is Pareto with a shape less by one.
func (paretoLaw) inspected(l *Latency, s *Stream) float64 {
	return float64(l.Scale) * num.Exp(s.Exponential()/(l.Shape-1))
}

func (paretoLaw) bounds(l *Latency) (least, most float64) {
	return float64(l.Scale), math.Inf(1)
}

func (paretoLaw) words(l *Latency) string {
	return fmt.Sprintf("Pareto from %v, shape %v", l.Scale, l.Shape)
}

func (paretoLaw) random(s *Stream) Latency {
	return Latency{Kind: "pareto", Scale: Duration(s.Between(1e5, 25e6)), Shape: s.Between(1, 4)}
}

// weibullLaw is a power of an exponential time: with a shape below 1 its tail is heavier, and what has lasted long will
// last longer.
type weibullLaw struct{}

func (weibullLaw) check(l *Latency, report func(field, problem string)) {
	l.positive(report, "scale", l.Scale)
	if !(l.Shape >= 0.1 && l.Shape <= 100) {
		report("shape", fmt.Sprintf("must be from 0.1 to 100 for kind weibull, is %v", l.Shape))
	}
}

func (weibullLaw) draw(l *Latency, w uint64) Duration {
	return nanoseconds(float64(l.Scale) * root(exponential(w), l.Shape))
}

// root is x^(1/shape) of x ≥ 0.
func root(x, shape float64) float64 {
	if x == 0 {
		return 0
	}
	return num.Exp(num.Log(x) / shape)
}

func (weibullLaw) median(l *Latency) float64 { return float64(l.Scale) * root(math.Ln2, l.Shape) }
func (weibullLaw) mean(l *Latency) float64 {
	return float64(l.Scale) * num.Exp(num.LogGamma(1+1/l.Shape))
}

// inspected is that power of a time whose law is Gamma(1 + 1/shape).
func (weibullLaw) inspected(l *Latency, s *Stream) float64 {
	return float64(l.Scale) * root(s.Gamma(1+1/l.Shape), l.Shape)
}

func (weibullLaw) bounds(*Latency) (least, most float64) {
	return 0, math.Inf(1)
}

func (weibullLaw) words(l *Latency) string {
	return fmt.Sprintf("Weibull, scale %v, shape %v", l.Scale, l.Shape)
}

func (weibullLaw) random(s *Stream) Latency {
	return Latency{Kind: "weibull", Scale: Duration(s.Between(1e5, 50e6)), Shape: s.Between(0.3, 3)}
}
