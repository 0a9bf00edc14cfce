// Losses that are classes in Python.

package problem

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"overhear/internal/guard"
	"overhear/internal/python"
)

// own is a loss that is a class in Python. Functions of it that fail leave the computation by guard.Raise.
type own struct {
	class *python.Class
	key   string

	once sync.Once
	says says
	err  error
}

// says is what a class says of itself.
type says struct {
	Bound     float64  `json:"bound"`
	Steepest  *float64 `json:"steepest"`  // nil: |L′| has no bound that is known
	Curvature bool     `json:"curvature"` // it computes L″
}

// What is asked of a class.
const (
	askValue byte = iota
	askSlope
	askCurvature
)

// newOwn is the loss of a class, whose file is read when the loss is first computed.
func newOwn(c python.Class) *own {
	o := &own{class: &c}
	if o.key, o.err = c.Key(); o.err != nil {
		o.err = fmt.Errorf("problem.loss.file: %w", o.err)
	}
	return o
}

// IsOwn says whether a loss is a class in Python, of which nobody has proved what it says of itself.
func IsOwn(l Loss) bool {
	_, is := l.(*own)
	return is
}

// Examine is an error where a loss is a class in Python that is not what it says of itself.
func Examine(l Loss) error {
	o, is := l.(*own)
	if !is {
		return nil
	}
	o.once.Do(func() {
		if o.err == nil {
			o.err = o.examine()
		}
	})
	return o.err
}

func (o *own) ready() { must(Examine(o)) }

func must(err error) {
	if err != nil {
		guard.Raise(err)
	}
}

// wrong is an error of what the class says.
func (o *own) wrong(format string, args ...any) error {
	return fmt.Errorf("problem.loss: %s.%s", o.class.Title(), fmt.Sprintf(format, args...))
}

// Total is Σ_k L(z_k).
func (o *own) Total(z, _ []float64) float64 {
	o.ready()
	values, sum := make([]float64, len(z)), 0.0
	must(o.ask(askValue, values, z))
	for _, v := range values {
		sum += v
	}
	return sum
}

// Slopes is L′.
func (o *own) Slopes(dst, z []float64) {
	o.ready()
	must(o.slopes(dst, z))
}

// Curvatures is L″, by differences of L′ where the class does not compute it: it says how fast a solve goes, and not
// where it ends.
func (o *own) Curvatures(dst, z []float64) {
	o.ready()
	must(o.curvatures(dst, z))
}

// Bound is c₁, by the class's word.
func (o *own) Bound() float64 {
	o.ready()
	return o.says.Bound
}

// Steepest is by the class's word, too.
func (o *own) Steepest() float64 {
	o.ready()
	if o.says.Steepest == nil {
		return math.Inf(1)
	}
	return *o.says.Steepest
}

// rounding is how far numbers may be beyond what they may be.
const rounding = 1e-9

// ask has the class compute; dst may be z.
func (o *own) ask(what byte, dst, z []float64) error {
	if len(z) == 0 {
		return nil
	}
	c, _, err := python.Shared(o.class, "problem.loss", o.key, "loss")
	if err != nil {
		return err
	}
	defer c.Return()
	body, err := c.Call(nil, []byte{what}, python.Put(nil, z))
	if err == nil {
		err = python.Take(body, dst)
	}
	if err != nil {
		return fmt.Errorf("problem.loss: %w", err)
	}
	return nil
}

func (o *own) slopes(dst, z []float64) error {
	at := append([]float64(nil), z...)
	if err := o.ask(askSlope, dst, z); err != nil {
		return err
	}
	most := math.Inf(1)
	if o.says.Steepest != nil {
		most = *o.says.Steepest * (1 + rounding)
	}
	for k, s := range dst {
		if !(math.Abs(s) <= most) || math.IsInf(s, 0) {
			return o.wrong("slope is %v at %v, and has to be a number of at most steepest = %v", s, at[k],
				most)
		}
	}
	return nil
}

func (o *own) curvatures(dst, z []float64) error {
	if !o.says.Curvature {
		return o.differences(dst, z)
	}
	at := append([]float64(nil), z...)
	if err := o.ask(askCurvature, dst, z); err != nil {
		return err
	}
	for k, c := range dst {
		if !(c >= 0 && c <= o.says.Bound*(1+rounding)) {
			return o.wrong("curvature is %v at %v, and has to be from 0 to bound = %v", c, at[k], o.says.Bound)
		}
	}
	return nil
}

// differences are of L′, over a short way.
func (o *own) differences(dst, z []float64) error {
	const way = 1.0 / (1 << 16)
	n := len(z)
	both := make([]float64, 2*n)
	for k, v := range z {
		both[k], both[n+k] = v-way, v+way
	}
	if err := o.slopes(both, both); err != nil {
		return err
	}
	for k := range dst {
		dst[k] = math.Max(0, math.Min(o.says.Bound, (both[n+k]-both[k])/(2*way)))
	}
	return nil
}

// examine reads what the class says of itself, and holds value and slope to it on a grid: a convex function lies above
// its tangents, and its slope rises by at most c₁ times the way.
func (o *own) examine() error {
	c, text, err := python.Shared(o.class, "problem.loss", o.key, "loss")
	if err != nil {
		return err
	}
	c.Return()
	if err := json.Unmarshal(text, &o.says); err != nil {
		return fmt.Errorf("problem.loss: what the class says: %w", err)
	}
	if !(o.says.Bound > 0) || math.IsInf(o.says.Bound, 0) {
		return o.wrong("bound is %v; it is c₁ ≥ L″, a positive number", o.says.Bound)
	}
	const points, reach = 801, 10.0
	z, values, slopes := make([]float64, points), make([]float64, points), make([]float64, points)
	for k := range z {
		z[k] = reach * (2*float64(k)/(points-1) - 1)
	}
	bends := make([]float64, points)
	if err := cmp.Or(o.ask(askValue, values, z), o.slopes(slopes, z), o.curvatures(bends, z)); err != nil {
		return err
	}
	for k, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return o.wrong("value is %v at %v", v, z[k])
		}
		if k == 0 {
			continue
		}
		way, rise := z[k]-z[k-1], v-values[k-1]
		near := float64(rounding * (1 + math.Abs(v) + math.Abs(values[k-1])))
		if low, high := float64(way*slopes[k-1]), float64(way*slopes[k]); !(rise >= low-near && rise <= high+near) {
			return o.wrong("value rises by %.6g from %.6g to %.6g, and by its slopes there, %.6g and %.6g, a convex "+
				"loss rises by %.6g to %.6g: slope is not the derivative of value, or the loss is not convex", rise,
				z[k-1], z[k], slopes[k-1], slopes[k], low, high)
		}
		if most := float64(o.says.Bound * way); !(slopes[k]-slopes[k-1] <= most+near) {
			return o.wrong("slope rises from %.6g to %.6g between %.6g and %.6g, and with bound = %v by at most %.6g",
				slopes[k-1], slopes[k], z[k-1], z[k], o.says.Bound, most)
		}
	}
	return nil
}
