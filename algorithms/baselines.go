// The two ends between which every distributed method lies: all data in one
// place, and no exchange at all.

package algorithms

import "fmt"

// none has no parameters, except where columns are split.
type none struct {
	Loss string `yaml:"loss" default:"mean" enum:"mean,sum" doc:"weight of a row's loss where columns are split: 1/N or 1"`
}

// WeightOfRow is c, the key "loss".
func (p none) WeightOfRow() string { return p.Loss }

// fixed gives every node a point that does not depend on the others' messages,
// in round 1; later rounds change nothing.
type fixed struct {
	point []float64 // nil: the minimiser of the node's own objective
}

// Isolated says that nodes send nothing.
func (m *fixed) Isolated() {}

// Idle says that there is one round of work.
func (m *fixed) Idle(t int) bool { return t > 1 }

// Update goes to the point.
func (m *fixed) Update(n *Node, t int) error {
	switch {
	case t > 1:
		return nil
	case m.point != nil:
		copy(n.F, m.point)
		return nil
	}
	clear(n.Q)
	return n.Minimise(0)
}

// Dual has nothing to do.
func (m *fixed) Dual(*Node, int) {}

func init() {
	register(&Entry{
		Name: "centralised", Title: "training on all rows in one place", Over: Either, Silent: true,
		Paper: "the reference of every paper; docs/mathematics.md §1",
		About: `f = argmin Σ_i O_i(f), the centralised optimum, at every node from round 1; nothing is sent.
It has no privacy at all: whoever computes it has everybody's rows.`,
		Params: func() any { return new(none) },
		New: func(_ any, s Setting) (Method, error) {
			if s.Split != nil {
				o, err := s.Split.Centralised()
				if err != nil {
					return nil, fmt.Errorf("the centralised optimum: %w", err)
				}
				return &given{o.X}, nil
			}
			o, err := s.Problem.Centralised()
			if err != nil {
				return nil, fmt.Errorf("the centralised optimum: %w", err)
			}
			return &fixed{o.F}, nil
		},
	})
	register(&Entry{
		Name: "local", Title: "every node on its own", Over: Either, Silent: true,
		Paper: "the reference of every paper; docs/mathematics.md §1",
		About: `f_i = argmin O_i(f) at every node from round 1; nothing is sent, so nothing leaks and nothing is shared.
Where columns are split, the first party alone, with the labels; the others have no say.`,
		Params: func() any { return new(none) },
		New: func(_ any, s Setting) (Method, error) {
			if s.Split == nil {
				for i := range s.Problem.Shards {
					if err := s.Problem.SingleAt(i); err != nil {
						return nil, fmt.Errorf("node %d has no single optimum of its own: %w", i, err)
					}
				}
				return &fixed{}, nil
			}
			o, err := s.Split.LocalOnly()
			if err != nil {
				return nil, fmt.Errorf("the first party's own optimum: %w", err)
			}
			return &given{o.X}, nil
		},
	})
}
