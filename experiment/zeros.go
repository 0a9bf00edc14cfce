// Which components an ℓ1 norm or a group lasso has made zero.

package experiment

import "overhear/record"

// zeros counts them at the end and at the optimum.
func (o *outcome) zeros() *record.Zeros {
	best := [][]float64{o.optimum.Point}
	models, z := o.held.Last, &record.Zeros{}
	if o.Split != nil {
		models, best = o.x, nil
		z.Parties, z.AtOptimum = []int{}, []int{}
		if point := o.optimum.Point; point != nil {
			for _, b := range o.Split.Blocks {
				best, point = append(best, point[:b.D]), point[b.D:]
			}
		}
	}
	count := func(models [][]float64) (zeros, of []int) {
		zeros, of = []int{}, []int{}
		for _, f := range models {
			n := 0
			for _, v := range f {
				if v == 0 {
					n++
				}
			}
			zeros, of = append(zeros, n), append(of, len(f))
		}
		return zeros, of
	}
	z.Components, z.Of = count(models)
	if o.optimum.Point != nil {
		z.Optimum, _ = count(best)
	}
	if o.Split != nil {
		for m, b := range o.Split.Blocks {
			if m < len(z.Components) && z.Components[m] == b.D {
				z.Parties = append(z.Parties, m+1)
			}
			if z.Optimum != nil && z.Optimum[m] == b.D {
				z.AtOptimum = append(z.AtOptimum, m+1)
			}
		}
	}
	return z
}
