// Search directions for problems too wide for a Hessian.

package problem

import "overhear/internal/num"

// pair is a step and the change of the gradient along it, with 1/(s·y).
type pair struct {
	s, y    []float64
	inverse float64
}

const memoryPairs = 12

// remember keeps the step just taken, of the given length along w.step, and the
// change of the gradient from old.
func (w *Scratch) remember(length float64, old []float64) {
	p := pair{s: make([]float64, len(old)), y: make([]float64, len(old))}
	for k := range old {
		p.s[k] = length * w.step[k]
		p.y[k] = w.total[k] - old[k]
	}
	sy := num.Dot(p.s, p.y)
	if !(sy > 0) {
		return
	}
	p.inverse = 1 / sy
	if len(w.memory) == memoryPairs {
		w.memory = append(w.memory[:0], w.memory[1:]...)
	}
	w.memory = append(w.memory, p)
}

// direction writes the L-BFGS step for the gradient w.total into w.step
// (Nocedal 1980).
func (s *Solver) direction(w *Scratch, ridge float64) {
	for k, g := range w.total {
		w.step[k] = -g
	}
	var alpha [memoryPairs]float64
	for k := len(w.memory) - 1; k >= 0; k-- {
		p := &w.memory[k]
		alpha[k] = p.inverse * num.Dot(p.s, w.step)
		num.Axpy(-alpha[k], p.y, w.step)
	}
	scale := 1 / (ridge + 1)
	if n := len(w.memory); n > 0 {
		p := &w.memory[n-1]
		scale = 1 / (p.inverse * num.Dot(p.y, p.y))
	}
	num.Scale(scale, w.step)
	for k := range w.memory {
		p := &w.memory[k]
		num.Axpy(alpha[k]-float64(p.inverse*num.Dot(p.y, w.step)), p.s, w.step)
	}
}
