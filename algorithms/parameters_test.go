// What methods say of parameters that are wrong.

package algorithms

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"overhear/parameter"
	"overhear/sim"
)

// What is wrong with a method's parameters is said under their keys.
func TestSchedule_IsReportedUnderItsKey(t *testing.T) {
	var keys []string
	DVP{ADMM: ADMM{Eta: 1}, Alpha: parameter.Constant(0)}.Check(func(field,
		problem string) {
		keys = append(keys, field+" "+problem)
	})
	if len(keys) != 1 || keys[0] != "alpha must be positive, is 0 (alpha.initial)" {
		t.Errorf("dvp reports %q", keys)
	}
}

// Every schedule of every method, so that none is forgotten where a method is made.
func TestSchedule_ForAnotherNumberOfNodesIsRefused(t *testing.T) {
	f := uneven() // six nodes
	seen := 0
	for _, e := range Entries() {
		if e.Over == Columns {
			continue
		}
		s := Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 3}
		var each func(v reflect.Value, visit func(key string, s *parameter.Schedule))
		each = func(v reflect.Value, visit func(key string, s *parameter.Schedule)) {
			for k := range v.NumField() {
				key := v.Type().Field(k).Tag.Get("yaml")
				if s, ok := v.Field(k).Addr().Interface().(*parameter.Schedule); ok {
					visit(key, s)
				} else if v.Field(k).Kind() == reflect.Struct && key == "" {
					each(v.Field(k), visit)
				}
			}
		}
		p := filled(t, e)
		each(reflect.ValueOf(p).Elem(), func(key string, schedule *parameter.Schedule) {
			seen++
			was := *schedule
			*schedule = laws(1, 1, 1, 1, 1)
			_, err := e.New(p, s)
			if err == nil || !strings.Contains(err.Error(), key) ||
				!strings.Contains(err.Error(), "is given for 5 nodes; there are 6") {
				t.Errorf("%s, %s: %v", e.Name, key, err)
			}
			*schedule = laws(1, 1, 1, 1, 1, 1)
			if _, err := e.New(p, s); err != nil {
				t.Errorf("%s, %s: %v", e.Name, key, err)
			}
			*schedule = was
		})
	}
	if seen < 12 {
		t.Errorf("only %d schedules", seen)
	}
}

// Every parameter is reported exactly where it leaves its range, under its own key.
func TestCheck_RangesEndWhereTheyShould(t *testing.T) {
	type checker interface {
		Check(report func(field, problem string))
	}
	// Each case changes one number of a sound option struct.
	for _, c := range []struct {
		key       string
		with      func(v float64) checker
		good, bad []float64
	}{
		{"row", func(v float64) checker { return Cost{Row: sim.Duration(v)} }, []float64{0, 1}, []float64{-1}},
		{"jitter", func(v float64) checker { return Cost{Jitter: v} }, []float64{0, 1}, []float64{-0.01, 1.01}},
		{"speeds", func(v float64) checker { return Cost{Speeds: []float64{1, v}} }, []float64{0.1}, []float64{0, -1}},
		{"speed-spread", func(v float64) checker { return Cost{Spread: v} }, []float64{0, 10}, []float64{-0.01, 10.01}},
		{"speed-spread", func(v float64) checker { return Cost{Spread: v, Speeds: []float64{1}} },
			[]float64{0}, []float64{0.1}},
		{"normal", func(v float64) checker { return Init{v} }, []float64{0, 1}, []float64{-0.1}},
		{"eta", func(v float64) checker { return ADMM{v} }, []float64{0.1}, []float64{0, -1}},
		{"eta", func(v float64) checker { return Sharing{Eta: v} }, []float64{0.1}, []float64{0, -1}},
		{"gamma", func(v float64) checker { return Recycling{v} }, []float64{0, 1}, []float64{-0.1}},
		{"relaxation", func(v float64) checker { return EdgeADMM{1, v} }, []float64{0.1, 0.9}, []float64{0, 1}},
		{"step", func(v float64) checker { return DPADMM{1, v, 1, 0.1, NoiseSwitch{}} },
			[]float64{0.1}, []float64{0, -1}},
		{"epsilon", func(v float64) checker { return DPADMM{1, 1, v, 0.1, NoiseSwitch{}} },
			[]float64{0.1}, []float64{0, -1}},
		{"delta", func(v float64) checker { return DPADMM{1, 1, 1, v, NoiseSwitch{}} },
			[]float64{0.1, 0.9}, []float64{0, 1}},
		{"step", func(v float64) checker { return FDML{Step: v, Batch: 1} }, []float64{0.1}, []float64{0, -1}},
		{"batch", func(v float64) checker { return FDML{Step: 1, Batch: int(v)} }, []float64{1, 2}, []float64{0, -1}},
		{"sigma", func(v float64) checker { return FDML{Step: 1, Batch: 1, Sigma: v} }, []float64{0, 1}, []float64{-1}},
		{"epsilon", func(v float64) checker { return soundPDML(func(p *PDML) { p.Epsilon = parameter.One(v) }) },
			[]float64{0.1}, []float64{0, -1}},
		{"bound", func(v float64) checker { return soundPDML(func(p *PDML) { p.Bound = v }) },
			[]float64{0, 1}, []float64{-1}},
		{"decay", func(v float64) checker { return soundPDML(func(p *PDML) { p.Decay = v }) },
			[]float64{0.1, 1}, []float64{0, 1.01}},
		{"radius", func(v float64) checker { return soundPDML(func(p *PDML) { p.Radius = v }) },
			[]float64{0, 1}, []float64{-1}},
		{"epsilon", func(v float64) checker { return soundSharing(func(p *PrivateSharing) { p.Epsilon = v }) },
			[]float64{0.1}, []float64{0, -1}},
		{"delta", func(v float64) checker { return soundSharing(func(p *PrivateSharing) { p.Delta = v }) },
			[]float64{0.1, 0.9}, []float64{0, 1}},
		{"slack", func(v float64) checker { return soundSharing(func(p *PrivateSharing) { p.Slack = v }) },
			[]float64{0.1, 0.9}, []float64{0, 1}},
		{"bound", func(v float64) checker { return soundSharing(func(p *PrivateSharing) { p.Bound = v }) },
			[]float64{0.1}, []float64{0, -1}},
		{"sigma", func(v float64) checker { return soundSharing(func(p *PrivateSharing) { p.Sigma = v }) },
			[]float64{0, 1}, []float64{-1}},
	} {
		reported := func(v float64) (keys []string) {
			c.with(v).Check(func(field, _ string) { keys = append(keys, field) })
			return keys
		}
		for _, v := range c.good {
			if keys := reported(v); keys != nil {
				t.Errorf("%T, %s: %v is reported under %q", c.with(v), c.key, v, keys)
			}
		}
		for _, v := range append(c.bad, math.NaN()) {
			if whole := c.key == "row" || c.key == "batch"; whole && math.IsNaN(v) {
				continue
			}
			if keys := reported(v); len(keys) != 1 || keys[0] != c.key {
				t.Errorf("%T, %s: %v is reported under %q", c.with(v), c.key, v, keys)
			}
		}
	}
}

func soundPDML(set func(*PDML)) PDML {
	p := PDML{ADMM: ADMM{1}, Epsilon: parameter.One(1), Deviation: parameter.Constant(1), Decay: 1}
	set(&p)
	return p
}

func soundSharing(set func(*PrivateSharing)) PrivateSharing {
	p := PrivateSharing{Sharing: Sharing{Eta: 1}, Epsilon: 1, Delta: 0.1, Slack: 0.1, Bound: 1}
	set(&p)
	return p
}

// The longest that an update may take is the cost with the jitter at its end.
func TestCost_SlowestBoundsEveryDraw(t *testing.T) {
	c, err := Cost{Row: 1000, Jitter: 0.25, Speeds: []float64{1, 4}}.Of(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	for node, want := range []sim.Duration{10000, 2500} {
		if got := c.Slowest(node, 8); got != want {
			t.Errorf("node %d takes %v at most, want %v", node, got, want)
		}
		most := sim.Duration(0)
		s := sim.NewStream(1, "compute", uint64(node))
		for range 1000 {
			most = max(most, c.of(node, 8, s))
		}
		if most > want || most < want*99/100 {
			t.Errorf("of 1000 updates node %d's longest took %v, and none may take more than %v", node, most, want)
		}
	}
	if got := (&Cost{Row: 1000}).Slowest(3, 8); got != 8000 {
		t.Errorf("without speeds and jitter 8 rows take %v", got)
	}
}
