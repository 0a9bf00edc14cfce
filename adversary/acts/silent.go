package acts

import (
	"fmt"

	"overhear/sim"
)

// Silence sends nothing, asked or not.
type Silence struct {
	At   sim.Duration `yaml:"at" doc:"when silence begins, in virtual time; 0s: at once"`
	Till sim.Duration `yaml:"till" doc:"when it is over; 0s: never"`
}

// Check reports times that leave no silence.
func (p Silence) Check(report func(field, problem string)) {
	if p.At < 0 {
		report("at", fmt.Sprintf("must not be negative, is %v", p.At))
	}
	if p.Till != 0 && p.Till <= p.At {
		report("till", fmt.Sprintf("must be after at, %v, or 0s, is %v", p.At, p.Till))
	}
}

// Silent says whether a time is one of silence, in the rounds of the entry.
func (p *Silence) Silent(at sim.Time) bool {
	return at >= sim.Time(p.At) && (p.Till == 0 || at < sim.Time(p.Till))
}

// Say sends nothing then.
func (p *Silence) Say(_ *Liar, to Recipient, _ []float64) bool { return !p.Silent(to.At) }

func init() {
	register(&Entry{
		Name: "silent", Title: "no values, in chosen rounds or at chosen times",
		About: `In the rounds that the entry names, as far as they fall between at and till, it sends no value, asked
or not; what it should have sent in a round of silence is never sent. It goes on with its rounds, and asks others.
Synchronous nodes wait for it until rounds.deadline and need rounds.missing: last.`,
		Strategy: func() Strategy { return new(Silence) },
	})
}
