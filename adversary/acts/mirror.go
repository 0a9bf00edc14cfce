package acts

import "fmt"

// Mirror sends the reflection of what it should.
type Mirror struct {
	About  string  `yaml:"about" default:"mean" enum:"mean,zero" doc:"point of reflection: the mean of the last values that it has heard, or zero, which is the negative of what it should send"`
	Factor float64 `yaml:"factor" default:"1" doc:"how far on the other side, above 0: 1 is as far as the honest value is on its own"`
}

// Check reports a factor that is none.
func (p Mirror) Check(report func(field, problem string)) {
	positive(report, "factor", p.Factor)
	if p.About != "mean" && p.About != "zero" {
		report("about", fmt.Sprintf("must be mean or zero, is %q", p.About))
	}
}

// Say sends c − F(v − c), with v the honest value, F the Factor and c the point of reflection.
func (p *Mirror) Say(l *Liar, _ Recipient, m []float64) bool {
	c := make([]float64, len(m))
	if p.About == "mean" {
		l.Mean(c)
	}
	for k, v := range m {
		m[k] = c[k] - float64(p.Factor*(v-c[k]))
	}
	return true
}

func init() {
	register(&Entry{
		Name: "mirror", Title: "the reflection of the honest value",
		About: `c − factor·(v − c), with v the value that it should send and c the mean of the last values that it has
heard of its neighbours, or zero: who would pull the others towards it pushes them away.`,
		Strategy: func() Strategy { return new(Mirror) },
	})
}
