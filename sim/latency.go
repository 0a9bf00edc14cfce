// The laws of a packet's delay: each is checked, drawn, summed up and described
// in one place.

package sim

import (
	"fmt"
	"math"
	"strings"

	"overhear/internal/num"
)

// Latency is the distribution of a link's delay: a law with its parameters, or
// a matrix of what was measured between sites. Written as a bare duration it is
// constant.
type Latency struct {
	Kind   string   `yaml:"kind" default:"constant" enum:"constant,uniform,exponential,lognormal,pareto,matrix" doc:"distribution of the delay; matrix: what was measured between the sites on which the nodes are"`
	Value  Duration `yaml:"value" of:"constant" doc:"the delay (constant)"`
	Low    Duration `yaml:"low" of:"uniform" doc:"least delay (uniform)"`
	High   Duration `yaml:"high" of:"uniform" doc:"greatest delay (uniform)"`
	Mean   Duration `yaml:"mean" of:"exponential" doc:"mean delay (exponential)"`
	Median Duration `yaml:"median" of:"lognormal" doc:"median delay (lognormal)"`
	Sigma  float64  `yaml:"sigma" of:"lognormal" doc:"standard deviation of the delay's logarithm (lognormal)"`
	Scale  Duration `yaml:"scale" of:"pareto" doc:"least delay (pareto)"`
	Shape  float64  `yaml:"shape" of:"pareto" doc:"tail exponent, P(delay > x) = (scale/x)^shape (pareto)"`

	Set         string     `yaml:"set" of:"matrix" doc:"a measured network that comes with the program: aws, 33 regions; explain aws says where it is from (matrix)"`
	File        string     `yaml:"file" of:"matrix" doc:"CSV of milliseconds: a square matrix from row to column, with the sites' names in the first line and column or without, or lines from,to,ms (matrix)"`
	Times       string     `yaml:"times" of:"matrix" enum:"round-trip,one-way" doc:"what the milliseconds are; half of a round trip is one way; default: round trips (matrix)"`
	Missing     []string   `yaml:"missing" of:"matrix" doc:"texts of the file that stand for a pair that was not measured; its other direction counts (matrix)"`
	Without     []string   `yaml:"without" of:"matrix" doc:"sites of the file that are left out (matrix)"`
	Coordinates string     `yaml:"coordinates" of:"matrix" doc:"CSV of a file's sites with their latitudes and longitudes in degrees, for graphs that are geographic (matrix)"`
	Placement   *Placement `yaml:"placement" of:"matrix" doc:"on which site each node is; default: the sites take turns (matrix)"`
	Jitter      *Latency   `yaml:"jitter" of:"matrix" doc:"law of what every packet takes besides; default none (matrix)"`

	placed *Placed // of a matrix, once its nodes are placed
}

// law is a kind of latency. It reads its own parameters of a Latency.
type law interface {
	check(l *Latency, report func(field, problem string)) // reports impossible parameters
	draw(l *Latency, w uint64) Duration                   // one delay, decided by a packet's word
	median(l *Latency) float64                            // ns
	words(l *Latency) string                              // without the value of a constant
	random(s *Stream) Latency                             // with a median of at most 50 ms
}

// laws are the kinds of latency, in the order of texts.
var laws = []struct {
	name string
	law
}{
	{"constant", constantLaw{}}, {"uniform", uniformLaw{}}, {"exponential", exponentialLaw{}},
	{"lognormal", lognormalLaw{}}, {"pareto", paretoLaw{}},
}

// law finds the law of a latency's kind; nil if there is none such.
func (l *Latency) law() law {
	if l.Kind == "" {
		return constantLaw{}
	}
	for _, known := range laws {
		if known.name == l.Kind {
			return known.law
		}
	}
	return nil
}

// UnmarshalText reads a constant delay.
func (l *Latency) UnmarshalText(text []byte) error {
	*l = Latency{Kind: "constant"}
	return l.Value.UnmarshalText(text)
}

// Check reports parameters that are missing or impossible.
func (l Latency) Check(report func(field, problem string)) {
	if l.Kind == matrix {
		l.checkMatrix(report)
		return
	}
	if law := l.law(); law != nil {
		law.check(&l, report)
		return
	}
	var names []string
	for _, known := range laws {
		names = append(names, known.name)
	}
	names = append(names, matrix)
	last := len(names) - 1
	report("kind", fmt.Sprintf("must be %s or %s, is %q", strings.Join(names[:last], ", "), names[last], l.Kind))
}

// MedianSeconds is the median of a latency that Check accepts, in seconds. It
// sums a law up where the mean may be infinite.
func (l Latency) MedianSeconds() float64 {
	sites, law := l.split()
	return 1e-9 * (sites.median() + law.law().median(&law))
}

// Words describes the law of a latency that Check accepts, without the value of
// a constant one.
func (l Latency) Words() string {
	if l.Kind == matrix {
		return l.matrixWords()
	}
	return l.law().words(&l)
}

// RandomLatency draws a law and its parameters.
func RandomLatency(s *Stream) Latency { return laws[s.IntN(len(laws))].random(s) }

// positive reports a duration that is not.
func (l *Latency) positive(report func(field, problem string), field string, d Duration) {
	if d <= 0 {
		report(field, fmt.Sprintf("must be a positive duration for kind %s, is %v", l.Kind, d))
	}
}

// constantLaw is the same delay for every packet.
type constantLaw struct{}

func (constantLaw) check(l *Latency, report func(field, problem string)) {
	if l.Value < 0 {
		report("value", fmt.Sprintf("must not be negative, is %v", l.Value))
	}
}

func (constantLaw) draw(l *Latency, _ uint64) Duration { return l.Value }
func (constantLaw) median(l *Latency) float64          { return float64(l.Value) }
func (constantLaw) words(*Latency) string              { return "constant" }

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
func (exponentialLaw) words(l *Latency) string   { return fmt.Sprintf("exponential, mean %v", l.Mean) }

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
func (paretoLaw) words(l *Latency) string {
	return fmt.Sprintf("Pareto from %v, shape %v", l.Scale, l.Shape)
}

func (paretoLaw) random(s *Stream) Latency {
	return Latency{Kind: "pareto", Scale: Duration(s.Between(1e5, 25e6)), Shape: s.Between(1, 4)}
}
