// Budgets of users: every form against what it says, the laws by their moments, and what is said of wrong ones.

package parameter

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// own are the budgets of a server's users.
func own(b Budgets, server, users int) (all []float64) {
	for k := range users {
		all = append(all, b.At(7, server, k))
	}
	return all
}

func TestBudgets_OneAndList(t *testing.T) {
	if got := own(One(0.7), 3, 4); !slices.Equal(got, []float64{0.7, 0.7, 0.7, 0.7}) {
		t.Errorf("one for all: %v", got)
	}
	if e, alike := alike(One(0.7)); e != 0.7 || !alike {
		t.Errorf("one for all: %v, %v", e, alike)
	}
	list := Budgets{Budget: Budget{List: []float64{0.4, 1, 2}}}
	if got := own(list, 5, 5); !slices.Equal(got, []float64{0.4, 1, 2, 0.4, 1}) {
		t.Errorf("a list: %v", got)
	}
	servers := Budgets{Servers: []Budget{{Value: 3}, {List: []float64{5, 4}}}}
	if got := append(own(servers, 0, 2), own(servers, 1, 2)...); !slices.Equal(got, []float64{3, 3, 5, 4}) {
		t.Errorf("by server: %v", got)
	}
	for _, b := range []Budgets{list, servers} {
		if _, alike := b.Alike(); alike {
			t.Errorf("%+v counts as one for all", b)
		}
	}
}

func alike(b Budgets) (float64, bool) { return b.Alike() }

// A uniform law on [a, b] has the mean (a+b)/2 and the variance (b−a)²/12; a discrete one has its shares.
func TestBudgets_Laws(t *testing.T) {
	const users = 40000
	uniform := own(Budgets{Budget: Budget{Uniform: []float64{0.4, 2}}}, 1, users)
	mean, squares := 0.0, 0.0
	for _, v := range uniform {
		if !(v >= 0.4) || !(v <= 2) {
			t.Fatalf("%v is out of [0.4, 2]", v)
		}
		mean += v / users
		squares += v * v / users
	}
	sigma := 1.6 / math.Sqrt(12)
	if !(math.Abs(mean-1.2) <= 4*sigma/math.Sqrt(users)) || !(math.Abs(squares-mean*mean-sigma*sigma) <= 0.01) {
		t.Errorf("mean %v, variance %v, want 1.2, %v", mean, squares-mean*mean, sigma*sigma)
	}
	for _, c := range []struct{ shares, want []float64 }{
		{nil, []float64{1.0 / 3, 1.0 / 3, 1.0 / 3}}, {[]float64{0.6, 0.3, 0.1}, []float64{0.6, 0.3, 0.1}},
	} {
		count := map[float64]float64{}
		for _, v := range own(Budgets{Budget: Budget{Values: []float64{2, 0.5, 1}, Shares: c.shares}}, 0, users) {
			count[v] += 1.0 / users
		}
		for k, v := range []float64{2, 0.5, 1} {
			if p := c.want[k]; !(math.Abs(count[v]-p) <= 4*math.Sqrt(p*(1-p)/users)) {
				t.Errorf("shares %v: %v has %v, want %v", c.shares, v, count[v], p)
			}
		}
		if len(count) != 3 {
			t.Errorf("values %v", count)
		}
	}
	b := Budgets{Budget: Budget{Uniform: []float64{0.4, 2}}}
	if b.At(7, 1, 3) == b.At(8, 1, 3) || b.At(7, 1, 3) == b.At(7, 2, 3) || b.At(7, 1, 3) == b.At(7, 1, 4) ||
		b.At(7, 1, 3) != b.At(7, 1, 3) {
		t.Error("a draw is the user's of a seed: other users and seeds have others, the same one the same")
	}
}

func TestBudgets_Complaints(t *testing.T) {
	for _, c := range []struct {
		b            Budgets
		field, words string
	}{
		{One(0), "value", "must be positive"}, {One(-1), "value", "is -1"}, {One(math.NaN()), "value", "is NaN"},
		{One(1e-13), "value", "at least 1e-12"}, {One(math.Inf(1)), "value", "is +Inf"},
		{Budgets{Budget: Budget{List: []float64{}}}, "list", "one value"},
		{Budgets{Budget: Budget{List: []float64{1, 0}}}, "list", "is 0"},
		{Budgets{Budget: Budget{Uniform: []float64{1}}}, "uniform", "[least, greatest]"},
		{Budgets{Budget: Budget{Uniform: []float64{2, 1}}}, "uniform", "is [2, 1]"},
		{Budgets{Budget: Budget{Uniform: []float64{0, 1}}}, "uniform", "is 0"},
		{Budgets{Budget: Budget{Values: []float64{1, 2}, Shares: []float64{0.5}}}, "shares", "add up to 1, are [0.5]"},
		{Budgets{Budget: Budget{Values: []float64{1, 2}, Shares: []float64{0.5, 0.4}}}, "shares", "add up to 1"},
		{Budgets{Budget: Budget{Values: []float64{1, 2}, Shares: []float64{1.5, -0.5}}}, "shares", "positive"},
		{Budgets{Budget: Budget{Value: 1, Shares: []float64{1}}}, "shares", "values, which are missing"},
		{Budgets{Budget: Budget{Value: 1, List: []float64{1}}}, "value", "must stand alone"},
		{Budgets{Budget: Budget{List: []float64{1}, Uniform: []float64{1, 2}}}, "list",
			"must stand alone, without uniform"},
		{Budgets{Servers: []Budget{}}, "servers", "for each server"},
		{Budgets{Servers: []Budget{{Value: 1}, {}}}, "servers", "of server 1: value must be positive"},
		{Budgets{Budget: Budget{Value: 1}, Servers: []Budget{{Value: 1}}}, "servers", "must stand alone"},
	} {
		var said []string
		c.b.Check(func(field, problem string) { said = append(said, field+": "+problem) })
		if len(said) != 1 || !strings.HasPrefix(said[0], c.field+": ") || !strings.Contains(said[0], c.words) {
			t.Errorf("%+v: %q, want one complaint of %s that says %q", c.b, said, c.field, c.words)
		}
	}
	for _, b := range []Budgets{One(0.4), {Budget: Budget{List: []float64{1}}},
		{Budget: Budget{Uniform: []float64{0.4, 2}}}, {Budget: Budget{Values: []float64{1, 2}}},
		{Budget: Budget{Values: []float64{1, 2}, Shares: []float64{0.25, 0.75}}}, {Servers: []Budget{{Value: 1}}}} {
		b.Check(func(field, problem string) { t.Errorf("%+v: %s %s", b, field, problem) })
	}
	b := Budgets{Servers: []Budget{{Value: 1}, {Value: 2}}}
	if err := b.Fits("epsilon", 3); err == nil || !strings.Contains(err.Error(), "for 2 servers; there are 3") {
		t.Errorf("two of three servers: %v", err)
	}
	if err := b.Fits("epsilon", 2); err != nil {
		t.Error(err)
	}
	if err := new(Budgets).UnmarshalText([]byte("much")); err == nil || !strings.Contains(err.Error(), "servers") {
		t.Errorf("much: %v", err)
	}
}
