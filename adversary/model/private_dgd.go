package model

import "overhear/parameter"

// privateDGD is gradient descent whose iterates carry noise of rate αB/(2C a).
type privateDGD struct {
	dgd
	Alpha parameter.Schedule `yaml:"alpha"`
	Law   string             `yaml:"law"`
	Switch
}

// Follow has noise of rate αB/2C of the gradient, which is the iterate's times a.
func (m *privateDGD) Follow(p *Public, o Observed, node, size int) func(int) (*Gradient, error) {
	return func(t int) (*Gradient, error) {
		g, err := m.round(p, o, node, t)
		if err == nil && m.Noisy() && size > 0 {
			g.Noise = noiseOf(m.Law, m.Alpha.At(node, t)*float64(size)/(2*p.C))
		}
		return g, err
	}
}

func init() { register(&Entry{Name: "private-dgd", Model: func() Method { return new(privateDGD) }}) }
