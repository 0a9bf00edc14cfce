package acts

import "fmt"

// Replay sends what is over.
type Replay struct {
	Back int    `yaml:"back" default:"5" doc:"how many rounds, at least 1"`
	Of   string `yaml:"of" default:"own" enum:"own,heard" doc:"own: what it should have sent that neighbour then; heard: what it had heard of that neighbour of that round"`
}

// Check reports a number of rounds that is none.
func (p Replay) Check(report func(field, problem string)) {
	const most = 1000 // that many messages are kept
	if p.Back < 1 || p.Back > most {
		report("back", fmt.Sprintf("must be from 1 to %d, is %d", most, p.Back))
	}
	if p.Of != "own" && p.Of != "heard" {
		report("of", fmt.Sprintf("must be own or heard, is %q", p.Of))
	}
}

// Remember is Back.
func (p *Replay) Remember() int { return p.Back }

// Say sends the message of Back rounds before; in the first rounds, and where nothing had come, that of the round.
func (p *Replay) Say(l *Liar, to Recipient, m []float64) bool {
	if old := l.Before(to.Position, to.Round-p.Back, p.Of == "heard"); len(old) == len(m) {
		copy(m, old)
	}
	return true
}

func init() {
	register(&Entry{
		Name: "replay", Title: "what was sent, or heard, some rounds ago",
		About: `In round t the message that it should have sent in round t − back; with of: heard each neighbour is told
that neighbour's own value of that round. Before there is one it is honest.`,
		Strategy: func() Strategy { return new(Replay) },
	})
}
