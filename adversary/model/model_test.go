// Models against the methods that they are of: the same parameters, the same privacy,
// and nothing left of what is hidden.

package model_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/parameter"
	"overhear/problem"
	"overhear/sim"
)

// pair is a run of two linked nodes of one column and one row each, or of a hub and
// one client.
func pair(t *testing.T) (*problem.Problem, *sim.Graph) {
	t.Helper()
	g, err := sim.NewGraph(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	p := &problem.Problem{D: 1, Loss: problem.Logistic, C: 1, R: []float64{0.1, 0.1}}
	for range 2 {
		u := problem.NewRows(1)
		u.Append([]int32{0}, []float64{1})
		p.Shards = append(p.Shards, problem.Shard{U: u, Y: []float64{1}})
	}
	return p, g
}

// positive gives every parameter of a method a value that it accepts.
func positive(params any) any {
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		for k := range v.NumField() {
			switch f := v.Field(k); x := f.Addr().Interface().(type) {
			case *parameter.Schedule:
				*x = parameter.Constant(0.5)
			case *float64:
				*x = 0.5
			case *int:
				*x = 1
			default:
				if f.Kind() == reflect.Struct {
					fill(f)
				}
			}
		}
	}
	fill(reflect.ValueOf(params).Elem())
	return params
}

// A method without a model runs, and no attack or audit can judge it.
func TestEveryMethodHasAModel(t *testing.T) {
	p, g := pair(t)
	private := 0
	for _, e := range algorithms.Entries() {
		params := positive(e.Params())
		public, err := model.New(e.Name, params, model.Run{Graph: g, D: 1, R: p.R})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if e.Over == algorithms.Columns {
			continue
		}
		own := *p
		if e.Star {
			own.Shards, own.R = own.Shards[1:], own.R[1:]
		}
		m, err := e.New(params, algorithms.Setting{Problem: &own, Graph: g, Rounds: 2})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := m.(algorithms.Private); ok {
			private++
		}
		if _, ok := m.(algorithms.Private); ok != public.Method.Noisy() {
			t.Errorf("%s: private is %v, its model says noisy is %v", e.Name, ok, public.Method.Noisy())
		}
	}
	if private < 8 {
		t.Errorf("%d private methods", private)
	}
}

// Parameters are those of the method, or the model is refused.
func TestNew_RefusesOtherParameters(t *testing.T) {
	type admm struct {
		Eta float64 `yaml:"eta"`
	}
	for name, c := range map[string]struct {
		method string
		params any
		want   string
	}{
		"no model": {"gossip", admm{}, "no model says what the messages of method gossip tell"},
		"one more": {"admm", struct {
			admm
			Alpha float64 `yaml:"alpha"`
		}{}, "lacks the method's parameter alpha"},
		"one less": {"r-admm", admm{}, "a parameter gamma that the method has not"},
		"another type": {"admm", struct {
			Eta int `yaml:"eta"`
		}{}, "parameter eta is a float64, the method's is a int"},
	} {
		if _, err := model.New(c.method, c.params, model.Run{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// What a node keeps to itself cannot be read, and what is public of the run with
// everything stays as it was.
func TestPublic_WithoutSecrets(t *testing.T) {
	_, g := pair(t)
	run := model.Run{Graph: g, D: 1, R: []float64{1, 1}}
	for _, c := range []struct {
		method     string
		secrets    []model.Secret
		eta, theta bool
		keys       []string
	}{
		{"admm", []model.Secret{model.Penalty}, true, true, []string{"eta"}},
		{"admm", []model.Secret{model.DualStep}, false, false, nil},
		{"m-admm", []model.Secret{model.Penalty}, true, false, []string{"eta"}},
		{"m-admm", []model.Secret{model.DualStep}, false, true, []string{"theta"}},
		{"m-admm", []model.Secret{model.Penalty, model.DualStep}, true, true, []string{"eta", "theta"}},
		{"private-mr-admm", []model.Secret{model.Penalty}, true, true, []string{"eta"}},
		{"dgd", []model.Secret{model.Penalty}, false, false, []string{"step"}},
		{"dp-admm", []model.Secret{model.Penalty}, false, false, []string{"eta", "step"}},
	} {
		e, _ := algorithms.Lookup(c.method)
		p, err := model.New(c.method, positive(e.Params()), run)
		if err != nil {
			t.Fatal(err)
		}
		q := p.Without(c.secrets...)
		if eta, theta := q.Hides(); eta != c.eta || theta != c.theta || !slices.Equal(q.Hidden, c.keys) {
			t.Errorf("%s without %v: hides %v, %v, %v", c.method, c.secrets, eta, theta, q.Hidden)
		}
		if eta, theta := p.Hides(); eta || theta || p.Hidden != nil {
			t.Errorf("%s: what was public has changed", c.method)
		}
		if again := q.Without(c.secrets...); !slices.Equal(again.Hidden, c.keys) {
			t.Errorf("%s: hidden twice, %v", c.method, again.Hidden)
		}
	}
}

// A hidden penalty leaves nothing in a step that follows from it but NaN, and the
// laws of noise that do not need it.
func TestStep_WithHiddenPenalty(t *testing.T) {
	_, g := pair(t)
	run := model.Run{Graph: g, D: 1, C: 1, Loss: problem.Logistic, R: []float64{1, 1}}
	step := func(method string, params any) model.Step {
		p, err := model.New(method, params, run)
		if err != nil {
			t.Fatal(err)
		}
		p = p.Without(model.Penalty)
		return p.Method.(model.NodeDual).Step(p, 0, 1, 10)
	}
	alpha := parameter.Constant(3)
	pp := step("penalty-perturbation", algorithms.PenaltyPerturbation{
		MADMM: algorithms.MADMM{Eta: parameter.Constant(0.7), Theta: parameter.Constant(0.5)}, Alpha: alpha,
	})
	if !math.IsNaN(pp.Eta) || pp.Theta != 0.5 || pp.Noise != (model.Noise{Kind: model.Laplace, Level: 1.5, Power: 1}) {
		t.Errorf("penalty perturbation: %+v", pp)
	}
	normal := step("penalty-perturbation", algorithms.PenaltyPerturbation{
		MADMM: algorithms.MADMM{Eta: parameter.Constant(0.7), Theta: parameter.Constant(0.5)}, Alpha: alpha,
		Law: "gaussian",
	}) // a standard deviation of 2ηV/α
	if normal.Noise != (model.Noise{Kind: model.Gaussian, Level: 1 / 1.5, Power: -1}) {
		t.Errorf("penalty perturbation with Gaussian noise: %+v", normal)
	}
	dvp := step("dvp", algorithms.DVP{ADMM: algorithms.ADMM{Eta: 0.7}, Alpha: alpha, Calibration: "proof"})
	if !math.IsNaN(dvp.Eta) || !math.IsNaN(dvp.Ridge) || dvp.Noise.Level != 15 {
		t.Errorf("dual variable perturbation: %+v", dvp)
	}
}
