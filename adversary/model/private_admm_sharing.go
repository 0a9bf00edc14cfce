package model

import (
	"math"

	"overhear/internal/num"
)

// privateSharing is SH19 Algorithm 1 with its noise (10), or with noise in all
// directions.
type privateSharing struct {
	sharing
	Epsilon float64 `yaml:"epsilon"`
	Delta   float64 `yaml:"delta"`
	Slack   float64 `yaml:"slack"`
	Bound   float64 `yaml:"bound"`
	Level   float64 `yaml:"sigma"`
	Noise   string  `yaml:"noise"`
}

// Noisy says whether the noise is on.
func (m *privateSharing) Noisy() bool { return m.Cover() != Nowhere }

// Cover is where the scenario puts the noise.
func (m *privateSharing) Cover() Cover {
	switch m.Noise {
	case "off":
		return Nowhere
	case "ambient":
		return Ambient
	}
	return Range
}

// Sigma is σ = √(2 ln(1.25/δ)) 𝒞/ε with 𝒞 = (3/(d_m ρ))(λc₁ + (1+Mρ)b₁), SH19 Lemma 1 and
// Theorem 1, c₁ = 1 for the quadratic regulariser; or as given.
func (m *privateSharing) Sigma(p *Public, party int) float64 {
	if m.Level > 0 {
		return m.Level
	}
	d, parties := float64(p.Widths[party]), float64(len(p.Widths))
	sensitivity := 3 / (d * m.Eta) * (p.Ridge + float64((1+float64(parties*m.Eta))*m.Bound))
	return math.Sqrt(2*num.Log(1.25/m.Delta)) * sensitivity / m.Epsilon
}

func init() {
	register(&Entry{Name: "private-admm-sharing", Model: func() Method { return new(privateSharing) }})
}
