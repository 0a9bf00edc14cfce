// What of an objective has kinks: the ℓ1 norm, norms of parties' blocks, and closed convex sets.

package problem

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/internal/num"
)

// Region is a closed convex set: all d-vectors, a box or a ball around zero. The zero Region is all.
type Region struct {
	Kind         string  // "" or "all"; "box", "ball"
	Lower, Upper float64 // of each component, of a box
	Radius       float64 // of a ball
}

// All says whether the set constrains nothing.
func (s Region) All() bool { return s.Kind == "" || s.Kind == "all" }

// Bounded says whether the set has no vectors beyond some norm.
func (s Region) Bounded() bool {
	return s.Kind == "ball" || s.Kind == "box" && !math.IsInf(s.Lower, -1) && !math.IsInf(s.Upper, 1)
}

func (s Region) String() string {
	switch s.Kind {
	case "box":
		return fmt.Sprintf("the box of components from %v to %v", s.Lower, s.Upper)
	case "ball":
		return fmt.Sprintf("the ball of radius %v", s.Radius)
	}
	return "all vectors"
}

// RegionSpec is a scenario's `problem.set`.
type RegionSpec struct {
	Kind   string   `yaml:"kind" default:"all" enum:"all,box,ball" doc:"all: no constraint; box: every component between two bounds; ball: norm at most a radius. Over split columns each party's coefficients are in a set of their own"`
	Lower  *float64 `yaml:"lower" of:"box" doc:"least value of a component; default: none"`
	Upper  *float64 `yaml:"upper" of:"box" doc:"greatest value of a component; default: none"`
	Radius float64  `yaml:"radius" of:"ball" default:"1" doc:"radius of the ball around zero"`
}

// UnmarshalText reads a kind.
func (s *RegionSpec) UnmarshalText(text []byte) error {
	switch s.Kind = string(text); s.Kind {
	case "all", "box", "ball":
		return nil
	}
	return fmt.Errorf("must be all, box or ball, is %q", text)
}

// Check reports sets that are empty, a point, all vectors under another name, or out of range.
func (s RegionSpec) Check(report func(field, problem string)) {
	const most = 1e100 // squares of what is beyond leave the range of numbers
	r := s.Region()
	switch {
	case r.Kind == "box" && s.Lower == nil && s.Upper == nil:
		report("lower", "or upper must be given: a box without bounds is no constraint (kind: all)")
	case r.Kind == "box" && !(r.Lower < r.Upper):
		report("lower", fmt.Sprintf("must be less than upper, %v, is %v", r.Upper, r.Lower))
	case r.Kind == "box" && (r.Lower > most || r.Upper < -most):
		report("lower", fmt.Sprintf("and upper leave no component between %v and %v", -most, most))
	case r.Kind == "ball" && !(r.Radius >= 1/most && r.Radius <= most):
		report("radius", fmt.Sprintf("must be positive, from %v to %v, is %v", 1/most, most, r.Radius))
	}
}

// Region returns the set.
func (s RegionSpec) Region() Region {
	switch s.Kind {
	case "box":
		r := Region{Kind: s.Kind, Lower: math.Inf(-1), Upper: math.Inf(1)}
		if s.Lower != nil {
			r.Lower = *s.Lower
		}
		if s.Upper != nil {
			r.Upper = *s.Upper
		}
		return r
	case "ball":
		return Region{Kind: s.Kind, Radius: s.Radius}
	}
	return Region{}
}

// NonSmooth is the part h of an objective that has kinks: over consecutive blocks x_m of a
// d-vector
//
//	h(x) = Σ_m (l ‖x_m‖₁ + g ‖x_m‖ + ι(x_m)),    ι zero in the set and infinite elsewhere
//
// Over split rows there is one block. A nil *NonSmooth is zero. A box does not go with g > 0.
type NonSmooth struct {
	L1    float64 // l ≥ 0
	Group float64 // g ≥ 0
	Set   Region
}

// NewNonSmooth is nil where nothing has a kink.
func NewNonSmooth(l1, group float64, set Region) *NonSmooth {
	if l1 == 0 && group == 0 && set.All() {
		return nil
	}
	return &NonSmooth{l1, group, set}
}

// Keys are those of a scenario that are given of h, at least one, such as "problem.l1 and problem.set".
func (h *NonSmooth) Keys() string {
	var keys []string
	for _, k := range []struct {
		key   string
		given bool
	}{{"problem.l1", h.L1 > 0}, {"problem.group", h.Group > 0}, {"problem.set", !h.Set.All()}} {
		if k.given {
			keys = append(keys, k.key)
		}
	}
	return strings.Join(keys, " and ")
}

// Value is h without ι, of one block: noise may put what is published outside the set.
func (h *NonSmooth) Value(x []float64) float64 {
	if h == nil {
		return 0
	}
	sum := 0.0
	if h.L1 > 0 {
		for _, v := range x {
			sum += math.Abs(v)
		}
		sum *= h.L1
	}
	if h.Group > 0 {
		sum += float64(h.Group * num.Norm(x))
	}
	return sum
}

// Prox replaces a block x by argmin_u s h(u) + ½‖u − x‖²: every component is drawn to zero by
// s l, the block by s g, and what is left is projected on the set. (In this order the steps are
// exact: Yu, On Decomposing the Proximal Map, NIPS 2013.)
func (h *NonSmooth) Prox(s float64, x []float64) {
	if t := float64(s * h.L1); t > 0 {
		for k, v := range x {
			x[k] = soft(v, t)
		}
	}
	if t := s * h.Group; t > 0 {
		if norm := num.Norm(x); norm <= t {
			clear(x)
		} else {
			num.Scale(1-t/norm, x)
		}
	}
	h.project(x)
}

// soft is v, drawn to zero by t.
func soft(v, t float64) float64 {
	switch {
	case v > t:
		return v - t
	case v < -t:
		return v + t
	}
	return 0
}

// project replaces a block by the nearest of the set.
func (h *NonSmooth) project(x []float64) {
	switch h.Set.Kind {
	case "box":
		for k, v := range x {
			x[k] = math.Max(h.Set.Lower, math.Min(h.Set.Upper, v))
		}
	case "ball":
		if norm := num.Norm(x); norm > h.Set.Radius {
			num.Scale(h.Set.Radius/norm, x)
		}
	}
}

// outside is the distance of a block to the set.
func (h *NonSmooth) outside(x []float64) float64 {
	near := append([]float64(nil), x...)
	h.project(near)
	num.Axpy(-1, x, near)
	return num.Norm(near)
}

// onSphere is the share of the radius from which a vector counts as on the boundary of a ball:
// scaling to the radius ends within rounding of it.
const onSphere = 1 - 1e-14

// OnBoundary says whether a point of the set is on its boundary.
func (s Region) OnBoundary(x []float64) bool {
	switch s.Kind {
	case "box":
		return slices.ContainsFunc(x, func(v float64) bool { return v <= s.Lower || v >= s.Upper })
	case "ball":
		return num.Norm(x) >= onSphere*s.Radius
	}
	return false
}

// limits are the bounds of the subdifferential of h, without g, at a component.
func (h *NonSmooth) limits(v float64) (low, high float64) {
	switch {
	case v > 0:
		low, high = h.L1, h.L1
	case v < 0:
		low, high = -h.L1, -h.L1
	default:
		low, high = -h.L1, h.L1
	}
	if h.Set.Kind == "box" {
		if v <= h.Set.Lower {
			low = math.Inf(-1)
		}
		if v >= h.Set.Upper {
			high = math.Inf(1)
		}
	}
	return low, high
}

// Smooth says whether h has one gradient at a block x, and is then affine or curved, not
// kinked, around it. Where it is so, grad, if not nil, gets that gradient.
func (h *NonSmooth) Smooth(x, grad []float64) bool {
	norm := num.Norm(x)
	if h.Group > 0 && norm == 0 || h.Set.Kind == "ball" && norm >= onSphere*h.Set.Radius {
		return false
	}
	for k, v := range x {
		low, high := h.limits(v)
		if low != high {
			return false
		}
		if grad != nil {
			grad[k] = low
			if h.Group > 0 {
				grad[k] += float64(h.Group * v / norm)
			}
		}
	}
	return true
}

// face is the part of a block's space in which h is smooth around a point: components that are
// free, and perpendicular to the point if that is on the sphere.
type face struct {
	zero     bool    // the block is zero, and its norm has weight: nothing is free
	sphere   bool    // the ball's boundary holds the point
	pressure float64 // the multiplier of that: c ≥ 0 of the normal c x
	bend     float64 // g/‖x‖, the curvature of the block's norm
	square   float64 // ‖x‖²
}

// least replaces the gradient g of a smooth function by the least element of the sum's
// subdifferential at a block x, and says in which face x is, and which components are free there.
// The element is zero where x is a minimiser.
func (h *NonSmooth) least(x, g []float64, free []bool) face {
	f := face{square: num.Dot(x, x)}
	norm := math.Sqrt(f.square)
	along := 0.0 // (g + the gradient of h)·x
	for k, v := range x {
		low, high := h.limits(v)
		free[k] = low == high
		if h.Group > 0 && norm > 0 {
			g[k] += float64(h.Group * v / norm)
		}
		g[k] += math.Max(low, math.Min(high, -g[k]))
		along += float64(g[k] * v)
	}
	switch {
	case h.Group > 0 && norm == 0:
		f.zero = true
		clear(free)
		if rest := num.Norm(g); rest <= h.Group {
			clear(g)
		} else {
			num.Scale(1-h.Group/rest, g)
		}
		return f
	case h.Group > 0:
		f.bend = h.Group / norm
	}
	if h.Set.Kind == "ball" && norm >= onSphere*h.Set.Radius && along < 0 {
		f.sphere, f.pressure = true, -along/f.square
		for k, v := range x {
			if free[k] {
				g[k] += float64(f.pressure * v)
			}
		}
	}
	return f
}

// tangent removes from d what leads out of the face at a block x.
func (f *face) tangent(x, d []float64, free []bool) {
	for k := range d {
		if !free[k] {
			d[k] = 0
		}
	}
	if f.sphere {
		num.Axpy(-num.Dot(x, d)/f.square, x, d)
	}
}

// curve adds to out the curvature of h, and of the boundary, along d.
func (f *face) curve(x, d, out []float64) {
	if f.bend > 0 {
		num.Axpy(f.bend, d, out)
		num.Axpy(-f.bend*num.Dot(x, d)/f.square, x, out)
	}
	if f.sphere {
		num.Axpy(f.pressure, d, out)
	}
}

// retract brings a block z, which came from a point y of the face along one of its directions,
// to where the face goes on: a component that has changed its sign, and had a kink at zero to
// pass, stops there, and what is outside the set is projected.
func (h *NonSmooth) retract(f *face, y, z []float64) {
	if h.L1 > 0 {
		for k, v := range y {
			if v > 0 && z[k] < 0 || v < 0 && z[k] > 0 {
				z[k] = 0
			}
		}
	}
	if f.sphere {
		if norm := num.Norm(z); norm > 0 {
			num.Scale(h.Set.Radius/norm, z)
		}
		return
	}
	h.project(z)
}
