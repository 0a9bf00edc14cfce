// Secant pairs: what steps have shown of the curvature.

package problem

import "overhear/internal/num"

// pair is a step and the change of the gradient along it, with 1/(s·y).
type pair struct {
	s, y    []float64
	inverse float64
}

// pairs are the last steps, oldest first.
type pairs []pair

// remember keeps a step of the given length along direction, over which the gradient changed from before to after, and
// forgets the oldest beyond memoryPairs. The memory of a pair that was dropped is used again.
func (m *pairs) remember(length float64, direction, before, after []float64) {
	n := len(*m)
	var p pair
	switch {
	case n == memoryPairs:
		p = (*m)[0]
		n = copy(*m, (*m)[1:])
	case n < cap(*m):
		p = (*m)[:n+1][n]
	}
	if d := len(direction); len(p.s) != d {
		both := make([]float64, 2*d)
		p.s, p.y = both[:d:d], both[d:]
	}
	step, change, before, after := p.s[:len(direction)], p.y[:len(direction)], before[:len(direction)],
		after[:len(direction)]
	for k, x := range direction {
		step[k] = length * x
		change[k] = after[k] - before[k]
	}
	sy := num.Dot(p.s, p.y)
	p.inverse = 1 / sy
	*m = append((*m)[:n], p)
	if !(sy > 0) {
		*m = (*m)[:n]
	}
}

// direction replaces a gradient in step by the quasi-Newton step −H g, where H is center with the pairs' secant
// equations put in by the BFGS formula (Nocedal 1980). center multiplies by a positive definite matrix in place.
func (m pairs) direction(step []float64, center func([]float64)) {
	num.Scale(-1, step)
	var alpha [memoryPairs]float64
	for k := len(m) - 1; k >= 0; k-- {
		p := &m[k]
		alpha[k] = p.inverse * num.Dot(p.s, step)
		num.Axpy(-alpha[k], p.y, step)
	}
	center(step)
	for k := range m {
		p := &m[k]
		num.Axpy(alpha[k]-float64(p.inverse*num.Dot(p.y, step)), p.s, step)
	}
}

// memoryPairs is how many pairs L-BFGS keeps.
const memoryPairs = 12

// initial is the inverse Hessian that L-BFGS starts from, a number.
func (m pairs) initial(ridge float64) float64 {
	if len(m) == 0 {
		return 1 / (ridge + 1)
	}
	p := &m[len(m)-1]
	return 1 / (p.inverse * num.Dot(p.y, p.y))
}
