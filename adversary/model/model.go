// What a model is, which there are, and how one is made for a run.

package model

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"overhear/parameter"
)

// Method is what is public of a method: a pointer to a struct of its parameters,
// each with the yaml key that a scenario gives it. A field that a node may keep to
// itself is tagged `secret:"penalty"` or `secret:"dual-step"`.
type Method interface {
	// Noisy says whether the method perturbs what it publishes.
	Noisy() bool
}

// Merging is a Method around a hub, node 0, which has no data: what it sends follows from its clients' messages.
type Merging interface {
	Method

	// Merge returns a function for rounds 1, 2, …, to be called in order: what the hub must send, and how large the
	// numbers are from which it is computed, to which rounding is relative.
	Merge(p *Public, o Observed) func(t int) (message []float64, size float64, err error)
}

// Entry registers a model.
type Entry struct {
	Name  string        // the method's, as in a scenario
	Model func() Method // returns fresh parameters
	Keeps []Secret      // what each node keeps to itself in the method's paper
}

// Secret is a parameter that each node may keep to itself.
type Secret string

// Secrets.
const (
	Penalty  Secret = "penalty"   // η, or the step size of gradient descent
	DualStep Secret = "dual-step" // θ, where it is not the penalty itself
)

var registry = map[string]*Entry{}

// register adds a model; each method's file calls it once from init.
func register(e *Entry) { registry[e.Name] = e }

// Register adds the model of a method that is defined elsewhere, as in a test. It
// panics if the method has one.
func Register(e *Entry) {
	if _, ok := registry[e.Name]; ok {
		panic(fmt.Sprintf("model: method %s has a model", e.Name))
	}
	register(e)
}

// Lookup finds the model of a method.
func Lookup(name string) (*Entry, bool) {
	e, ok := registry[name]
	return e, ok
}

// Public is what an observer knows of a run without overhearing anything. It never
// changes.
type Public struct {
	Run
	Name   string // of the method
	Method Method
	Hidden []string // keys of the parameters that each node keeps to itself
}

// New is what is public of a run of a method. The parameters are a struct, or a
// pointer to one, whose yaml keys are those of the model: the method's own. It is an
// error if a key of either is missing from the other.
func New(name string, params any, run Run) (*Public, error) {
	e, ok := Lookup(name)
	if !ok {
		return nil, &NoModel{&Public{Run: run, Name: name, Method: new(opaque)}}
	}
	m := e.Model()
	if err := fill(m, params); err != nil {
		return nil, fmt.Errorf("the model of method %s: %w", name, err)
	}
	return &Public{Run: run, Name: name, Method: m}, nil
}

// opaque is a method of whose steps nothing is known.
type opaque struct{}

// Noisy is true: what it publishes may be perturbed.
func (*opaque) Noisy() bool { return true }

// NoModel is the error of a method that has no model.
type NoModel struct{ Opaque *Public } // what is public all the same

func (n *NoModel) Error() string {
	return fmt.Sprintf("no model says what the messages of method %s tell; it would be a file in adversary/model",
		n.Opaque.Name)
}

// Parameters are the method's by key, of the types that they have in a scenario; NaN, or a schedule of it, is hidden.
func (p *Public) Parameters() map[string]any {
	all := map[string]any{}
	for _, f := range fields(reflect.ValueOf(p.Method).Elem()) {
		all[f.key] = f.value.Interface()
	}
	return all
}

// Without is what is public when each node keeps parameters to itself.
func (p *Public) Without(secrets ...Secret) *Public {
	q := *p
	own := reflect.ValueOf(p.Method).Elem()
	m := reflect.New(own.Type())
	m.Elem().Set(own)
	q.Method, q.Hidden = m.Interface().(Method), slices.Clone(p.Hidden)
	for _, f := range fields(m.Elem()) {
		if f.secret == "" || !slices.Contains(secrets, f.secret) || slices.Contains(q.Hidden, f.key) {
			continue
		}
		switch v := f.value.Addr().Interface().(type) {
		case *float64:
			*v = math.NaN()
		case *parameter.Schedule:
			*v = parameter.Constant(math.NaN())
		}
		q.Hidden = append(q.Hidden, f.key)
	}
	return &q
}

// field is a parameter of a method.
type field struct {
	key    string
	secret Secret
	value  reflect.Value
}

// fields are the parameters in a struct, those of embedded structs included.
func fields(v reflect.Value) (all []field) {
	for k := range v.NumField() {
		t := v.Type().Field(k)
		key := t.Tag.Get("yaml")
		switch {
		case key != "":
			all = append(all, field{key, Secret(t.Tag.Get("secret")), v.Field(k)})
		case t.Anonymous && t.Type.Kind() == reflect.Struct:
			all = append(all, fields(v.Field(k))...)
		}
	}
	return all
}

// fill copies parameters into a model, by key.
func fill(m Method, params any) error {
	own := fields(reflect.Indirect(reflect.ValueOf(params)))
	from := map[string]reflect.Value{}
	for _, f := range own {
		from[f.key] = f.value
	}
	for _, f := range fields(reflect.ValueOf(m).Elem()) {
		v, ok := from[f.key]
		if !ok {
			return fmt.Errorf("it has a parameter %s that the method has not", f.key)
		}
		if v.Type() != f.value.Type() {
			return fmt.Errorf("its parameter %s is a %v, the method's is a %v", f.key, f.value.Type(), v.Type())
		}
		f.value.Set(v)
		delete(from, f.key)
	}
	for _, f := range own {
		if _, left := from[f.key]; left {
			return fmt.Errorf("it lacks the method's parameter %s", f.key)
		}
	}
	return nil
}

// Exact is embedded in the model of a method that adds no noise.
type Exact struct{}

// Noisy is false.
func (Exact) Noisy() bool { return false }

// Switch is embedded in the model of a method whose noise can be switched off.
type Switch struct {
	Noise string `yaml:"noise"`
}

// Noisy says whether the noise is on.
func (s Switch) Noisy() bool { return s.Noise != "off" }
