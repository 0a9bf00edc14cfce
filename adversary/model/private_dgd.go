package model

import "overhear/parameter"

// privateDGD is gradient descent whose iterates carry noise of rate αB/(2C a).
type privateDGD struct {
	dgd
	Alpha parameter.Schedule `yaml:"alpha"`
	Law   string             `yaml:"law"`
	Switch
}

// Follow has the step's noise.
func (m *privateDGD) Follow(p *Public, o Observed, node, size int) func(int) (*Gradient, error) {
	return func(t int) (*Gradient, error) {
		g, err := m.round(p, o, node, t)
		if err == nil {
			g.Noise = m.StepNoise(p, node, t, size)
		}
		return g, err
	}
}

// StepNoise has the rate αB/2C, which is the iterate's times a.
func (m *privateDGD) StepNoise(p *Public, node, t, size int) Noise {
	if !m.Noisy() || size == 0 || m.Idle(t) {
		return Noise{}
	}
	return noiseOf(m.Law, m.Alpha.At(node, t)*float64(size)/(2*p.C))
}

func init() { register(&Entry{Name: "private-dgd", Model: func() Method { return new(privateDGD) }}) }
