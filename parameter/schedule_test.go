// Schedules: every form against the standard library's power, and what is said of
// the ones that are wrong.

package parameter

import (
	"math"
	"strings"
	"testing"
)

// each calls f for one schedule of each form, with what it should be.
func each(f func(name string, s Schedule, want func(node, k int) float64)) {
	f("constant", Constant(2.5), func(int, int) float64 { return 2.5 })
	f("geometric", Schedule{Sequence: Sequence{Initial: 0.5, Ratio: 1.1}},
		func(_, k int) float64 { return 0.5 * math.Pow(1.1, float64(k-1)) })
	f("shrinking", Schedule{Sequence: Sequence{Initial: 5, Ratio: 0.8}},
		func(_, k int) float64 { return 5 * math.Pow(0.8, float64(k-1)) })
	f("capped", Schedule{Sequence: Sequence{Initial: 0.5, Ratio: 1.2, Max: 2}},
		func(_, k int) float64 { return math.Min(2, 0.5*math.Pow(1.2, float64(k-1))) })
	f("capped below its start", Schedule{Sequence: Sequence{Initial: 3, Ratio: 1, Max: 2}},
		func(int, int) float64 { return 2 })
	f("a list", Schedule{Sequence: Sequence{Values: []float64{1, 4, 2}}},
		func(_, k int) float64 { return []float64{1, 4, 2}[min(k, 3)-1] })
	f("by node", Schedule{Nodes: []Sequence{{Initial: 1, Ratio: 2, Max: 5}, {Values: []float64{3, 7}}}},
		func(node, k int) float64 {
			if node == 0 {
				return math.Min(5, math.Pow(2, float64(k-1)))
			}
			return []float64{3, 7}[min(k, 2)-1]
		})
}

func TestSchedule_AtAndTimes(t *testing.T) {
	each(func(name string, s Schedule, want func(node, k int) float64) {
		tripled := s.Times(3)
		for node := range 2 {
			for k := 1; k <= 40; k++ {
				if got := s.At(node, k); !(math.Abs(got-want(node, k)) <= 1e-12*got) {
					t.Errorf("%s: use %d of node %d is %v, want %v", name, k, node, got, want(node, k))
				}
				if got := tripled.At(node, k); !(math.Abs(got-3*want(node, k)) <= 1e-12*got) {
					t.Errorf("%s, tripled: use %d of node %d is %v, want %v", name, k, node, got, 3*want(node, k))
				}
			}
		}
		s.Check(func(field, problem string) { t.Errorf("%s: %s %s", name, field, problem) })
	})
}

func TestSchedule_ComplaintsNameTheField(t *testing.T) {
	for _, c := range []struct {
		name         string
		s            Schedule
		field, words string
	}{
		{"zero", Constant(0), "initial", "must be positive, is 0"},
		{"negative", Constant(-1), "initial", "must be positive, is -1"},
		{"not a number", Constant(math.NaN()), "initial", "must be positive, is NaN"},
		{"ratio 0", Schedule{Sequence: Sequence{Initial: 1}}, "ratio", "must be positive, is 0"},
		{"negative cap", Schedule{Sequence: Sequence{Initial: 1, Ratio: 1, Max: -2}}, "max",
			"must not be negative, is -2"},
		{"an empty list", Schedule{Sequence: Sequence{Values: []float64{}}}, "values", "one value or more"},
		{"a list with zero", Schedule{Sequence: Sequence{Values: []float64{1, 0}}}, "values",
			"must be positive, one is 0"},
		{"a list and a start", Schedule{Sequence: Sequence{Initial: 1, Values: []float64{1}}}, "values",
			"without initial"},
		{"nodes and a start", Schedule{Sequence: Sequence{Initial: 1}, Nodes: []Sequence{{Initial: 1, Ratio: 1}}},
			"nodes", "stand alone"},
		{"nodes and a list", Schedule{Sequence: Sequence{Values: []float64{1}},
			Nodes: []Sequence{{Initial: 1, Ratio: 1}}}, "nodes", "stand alone"},
	} {
		var said []string
		c.s.Check(func(field, problem string) { said = append(said, field+": "+problem) })
		if len(said) != 1 || !strings.HasPrefix(said[0], c.field+": ") || !strings.Contains(said[0], c.words) {
			t.Errorf("%s: %q, want one complaint of %s that says %q", c.name, said, c.field, c.words)
		}
	}
}

func TestSchedule_Text(t *testing.T) {
	var s Schedule
	if err := s.UnmarshalText([]byte("0.25")); err != nil || s.At(3, 9) != 0.25 {
		t.Errorf("0.25 is read as %v, %v", s, err)
	}
	for _, text := range []string{"", "much", "NaN", "+Inf", "1,5"} {
		if err := new(Schedule).UnmarshalText([]byte(text)); err == nil ||
			!strings.Contains(err.Error(), "must be a number") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
