package acts

// Constant sends one vector, whatever the others do.
type Constant struct {
	Size float64 `yaml:"size" default:"100" doc:"norm of the vector, above 0; its direction is drawn by the seed"`
}

// Check reports a size that is none.
func (c Constant) Check(report func(field, problem string)) { positive(report, "size", c.Size) }

// Say sends Size times a direction that is the same to all, in all rounds.
func (c *Constant) Say(l *Liar, _ Recipient, m []float64) bool {
	for k, v := range l.Direction(len(m)) {
		m[k] = c.Size * v
	}
	return true
}

func init() {
	register(&Entry{
		Name: "constant", Title: "a constant vector, far away",
		About: `The same vector to all neighbours in all rounds: size times a direction that the seed draws. It does not
depend on what the liar hears.`,
		Strategy: func() Strategy { return new(Constant) },
	})
}
