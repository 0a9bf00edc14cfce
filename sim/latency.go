// What a packet's delay is: one of the laws, or a matrix of what was measured.

package sim

import (
	"fmt"
	"strings"
)

// Latency is the distribution of a link's delay: a law with its parameters, or
// a matrix of what was measured between sites. Written as a bare duration it is
// constant.
type Latency struct {
	Kind   string   `yaml:"kind" default:"constant" enum:"constant,uniform,exponential,lognormal,pareto,weibull,matrix" doc:"distribution of the delay; matrix: what was measured between the sites on which the nodes are"`
	Value  Duration `yaml:"value" of:"constant" doc:"the delay (constant)"`
	Low    Duration `yaml:"low" of:"uniform" doc:"least delay (uniform)"`
	High   Duration `yaml:"high" of:"uniform" doc:"greatest delay (uniform)"`
	Mean   Duration `yaml:"mean" of:"exponential" doc:"mean delay (exponential)"`
	Median Duration `yaml:"median" of:"lognormal" doc:"median delay (lognormal)"`
	Sigma  float64  `yaml:"sigma" of:"lognormal" doc:"standard deviation of the delay's logarithm (lognormal)"`
	Scale  Duration `yaml:"scale" of:"pareto,weibull" doc:"least delay (pareto); what 63 % of the delays are below (weibull)"`
	Shape  float64  `yaml:"shape" of:"pareto,weibull" doc:"tail exponent, P(delay > x) = (scale/x)^shape (pareto); P(delay > x) = exp(−(x/scale)^shape) (weibull)"`

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
	mean(l *Latency) float64                              // ns; +Inf where it has none
	bounds(l *Latency) (least, most float64)              // ns; +Inf where there is no most
	inspected(l *Latency, s *Stream) float64              // ns; length of the span that a time at random is in
	words(l *Latency) string                              // without the value of a constant
	random(s *Stream) Latency                             // with a median of at most 50 ms
}

// laws are the kinds of latency, in the order of texts.
var laws = []struct {
	name string
	law
}{
	{"constant", constantLaw{}}, {"uniform", uniformLaw{}}, {"exponential", exponentialLaw{}},
	{"lognormal", lognormalLaw{}}, {"pareto", paretoLaw{}}, {"weibull", weibullLaw{}},
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
func RandomLatency(s *Stream) Latency {
	const first = 5 // so that a seed draws the same as before there were more
	return laws[s.IntN(first)].random(s)
}

// RandomWeibull draws a Weibull law's parameters.
func RandomWeibull(s *Stream) Latency { return weibullLaw{}.random(s) }

// Draw draws a time of a law that Check accepts; a matrix is none.
func (l *Latency) Draw(s *Stream) Duration { return l.law().draw(l, s.Uint64()) }

// Bounds are the least and the greatest time, in nanoseconds, of a law that Check accepts; +Inf: there is no greatest.
func (l *Latency) Bounds() (least, most float64) { return l.law().bounds(l) }

// Law says whether the latency is a law by itself, and no matrix.
func (l *Latency) Law() bool { return l.Kind != matrix }

// positive reports a duration that is not.
func (l *Latency) positive(report func(field, problem string), field string, d Duration) {
	if d <= 0 {
		report(field, fmt.Sprintf("must be a positive duration for kind %s, is %v", l.Kind, d))
	}
}
