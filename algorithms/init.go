// Starting points f_i(0).

package algorithms

import (
	"fmt"

	"overhear/internal/num"
	"overhear/sim"
)

// Init is the starting point of every node, `init` in a scenario: zeros, or
// independent normal components.
type Init struct {
	Normal float64 `yaml:"normal" doc:"standard deviation σ₀ of the components of f_i(0), drawn from N(0, σ₀²); 0 starts at zero"`
}

// UnmarshalText accepts "zeros".
func (i *Init) UnmarshalText(text []byte) error {
	if string(text) != "zeros" {
		return fmt.Errorf("must be zeros or {normal: σ}, is %q", text)
	}
	*i = Init{}
	return nil
}

// Check reports a standard deviation that is not one.
func (i Init) Check(report func(field, problem string)) {
	if !(i.Normal >= 0) {
		report("normal", fmt.Sprintf("must be a standard deviation ≥ 0, is %v", i.Normal))
	}
}

// Start returns f_i(0), a d-vector, for one node.
func (i Init) Start(seed uint64, node, d int) []float64 {
	f := make([]float64, d)
	if i.Normal > 0 {
		s := sim.NewStream(seed, "init", uint64(node))
		for k := range f {
			f[k] = s.Normal()
		}
		num.Scale(i.Normal, f)
	}
	return f
}
