package acts

import (
	"fmt"

	"overhear/internal/num"
)

// Steer drives a node to where one of its samples has most to lose.
type Steer struct {
	Victim int     `yaml:"victim" doc:"the node that is driven, a neighbour of every liar of the entry"`
	Row    int     `yaml:"row" doc:"its sample that is to lose, from 0"`
	Size   float64 `yaml:"size" default:"10" doc:"how far ahead of the victim the liar stands, above 0"`
	Margin float64 `yaml:"margin" default:"5" doc:"how far along that direction the victim is driven, above 0; there it is held"`
}

// Check reports numbers out of range.
func (p Steer) Check(report func(field, problem string)) {
	positive(report, "size", p.Size)
	positive(report, "margin", p.Margin)
	if p.Victim < 0 {
		report("victim", fmt.Sprintf("must be a node, from 0, is %d", p.Victim))
	}
	if p.Row < 0 {
		report("row", fmt.Sprintf("must be a row, from 0, is %d", p.Row))
	}
}

// Aim is the sample.
func (p *Steer) Aim() (victim, row int) { return p.Victim, p.Row }

// Say sends the victim's own last value, and Size more along the direction in which the sample's loss grows, as long as
// the victim is not Margin along it.
func (p *Steer) Say(l *Liar, to Recipient, m []float64) bool {
	own := l.Heard(to.Position)
	if to.Node != p.Victim || len(own) != len(m) {
		return true // nothing was heard of it yet
	}
	copy(m, own)
	if !(num.Dot(l.Aim(), own) >= p.Margin) {
		num.Axpy(p.Size, l.Aim(), m)
	}
	return true
}

func init() {
	register(&Entry{
		Name: "steer", Title: "a victim is driven to where a sample has most to lose",
		About: `A row y·x adds L′(y x·f) y x to the gradient of its node, most where the margin y x·f is far below zero.
The liar tells the victim the victim's own last value, plus size along −y·x, as long as the victim's margin is above
−margin, and that value itself from there on. The other neighbours get honest messages. It knows the victim's sample, as
the informed adversary does; in an audit it knows both values that the sample may have and goes by their middle, as it
does not know which it is. Of a row with a target it goes to the side on which the residual of a zero model grows.`,
		Strategy: func() Strategy { return new(Steer) },
	})
}
