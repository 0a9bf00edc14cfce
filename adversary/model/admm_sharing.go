package model

// sharing is ADMM sharing, SH19 Algorithm 1 without its noise, and the averaged form
// of Boyd et al. 2011 §7.3.
type sharing struct {
	Eta  float64 `yaml:"eta" secret:"penalty"`
	Form string  `yaml:"form"`
	Loss string  `yaml:"loss"` // weight of a row: mean or sum
}

// Penalty is ρ.
func (m *sharing) Penalty() float64 { return m.Eta }

// Share is 1 in the paper's form, and the number of parties in the averaged one.
func (m *sharing) Share(p *Public) float64 {
	if m.Form == "averaged" {
		return float64(len(p.Widths))
	}
	return 1
}

// exactSharing adds no noise.
type exactSharing struct {
	sharing
	Exact
}

func (m *exactSharing) Cover() Cover               { return Nowhere }
func (m *exactSharing) Sigma(*Public, int) float64 { return 0 }

func init() {
	register(&Entry{Name: "admm-sharing", Model: func() Method { return new(exactSharing) }})
}
