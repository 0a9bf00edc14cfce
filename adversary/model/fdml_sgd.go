package model

// fdml is the SGD of FDML (Hu et al. 2019) over split columns. Parties send margins of
// mini-batches, which no attack here uses.
type fdml struct {
	Step  float64 `yaml:"step" secret:"penalty"`
	Decay string  `yaml:"decay"`
	Batch int     `yaml:"batch"`
	Sigma float64 `yaml:"sigma"`
	Loss  string  `yaml:"loss"`
}

// Noisy says whether margins carry noise.
func (m *fdml) Noisy() bool { return m.Sigma > 0 }

func init() { register(&Entry{Name: "fdml-sgd", Model: func() Method { return new(fdml) }}) }
