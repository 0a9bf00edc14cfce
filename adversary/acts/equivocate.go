package acts

// Equivocate tells every neighbour something else.
type Equivocate struct {
	Size float64 `yaml:"size" default:"10" doc:"how far from the honest value each neighbour's is, above 0"`
}

// Check reports a size that is none.
func (p Equivocate) Check(report func(field, problem string)) { positive(report, "size", p.Size) }

// Say adds Size times a direction that is the neighbour's own.
func (p *Equivocate) Say(l *Liar, to Recipient, m []float64) bool {
	for k, v := range l.Direction(len(m), uint64(to.Node)) {
		m[k] += float64(p.Size * v)
	}
	return true
}

func init() {
	register(&Entry{
		Name: "equivocate", Title: "another value to each neighbour",
		About: `The honest value plus size times a direction that the seed draws for each neighbour, the same in all
rounds: neighbours that trust what they hear are told to agree with different points.`,
		Strategy: func() Strategy { return new(Equivocate) },
	})
}
