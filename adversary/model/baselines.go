package model

// apart is the model of the two ends, centralised and local: nodes send nothing.
type apart struct {
	Loss string `yaml:"loss"`
	Exact
}

func init() {
	for _, name := range []string{"centralised", "local"} {
		register(&Entry{Name: name, Model: func() Method { return new(apart) }})
	}
}
