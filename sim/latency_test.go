// Facts about the laws of latency: what each says of itself is what it draws.

package sim

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Half of a law's draws are below its median, and its words say which it is.
func TestLatency_MedianAndWords(t *testing.T) {
	const n = 40000
	for want, l := range map[string]Latency{
		"constant":                            {Value: 7 * ms},
		"uniform from 2ms to 8ms":             {Kind: "uniform", Low: 2 * ms, High: 8 * ms},
		"exponential, mean 5ms":               {Kind: "exponential", Mean: 5 * ms},
		"lognormal, median 9ms, sigma 2":      {Kind: "lognormal", Median: 9 * ms, Sigma: 2},
		"Pareto from 3ms, shape 0.5":          {Kind: "pareto", Scale: 3 * ms, Shape: 0.5},
		"Weibull, scale 3ms, shape 0.5":       {Kind: "weibull", Scale: 3 * ms, Shape: 0.5},
		"uniform from 1\u00b5s to 1.000003ms": {Kind: "uniform", Low: 1e3, High: ms + 3},
	} {
		if got := l.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		median := Duration(math.Round(1e9 * l.MedianSeconds()))
		below, equal := 0, 0
		for k := range uint64(n) {
			switch d := l.law().draw(&l, mix(packetWord(9, 4, k)+decidesDelay)); {
			case d < median:
				below++
			case d == median:
				equal++
			}
		}
		if l.Kind == "" && equal == n {
			continue
		}
		if sd := math.Sqrt(n) / 2; !(math.Abs(float64(below)-n/2) <= 4*sd) {
			t.Errorf("%s: %d of %d draws are below the median, %v", want, below, n, median)
		}
	}
	// In closed form: half an interval, ln 2 of a mean, 2^(1/shape) of a scale.
	for _, c := range []struct {
		l    Latency
		want float64 // s
	}{
		{Latency{Value: 7 * ms}, 0.007},
		{Latency{Kind: "uniform", Low: 2 * ms, High: 8 * ms}, 0.005},
		{Latency{Kind: "exponential", Mean: 5 * ms}, 0.005 * math.Ln2},
		{Latency{Kind: "lognormal", Median: 9 * ms, Sigma: 2}, 0.009},
		{Latency{Kind: "pareto", Scale: 3 * ms, Shape: 0.5}, 0.012},
		{Latency{Kind: "weibull", Scale: 3 * ms, Shape: 0.5}, 0.003 * math.Ln2 * math.Ln2},
	} {
		if got := c.l.MedianSeconds(); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%s: median %v s, want %v", c.l.Words(), got, c.want)
		}
	}
}

// The language offers the laws that there are and the matrix, with a parameter at least each.
func TestLatency_LanguageHasEveryLaw(t *testing.T) {
	var names []string
	for _, l := range laws {
		names = append(names, l.name)
	}
	names = append(names, matrix)
	typ := reflect.TypeFor[Latency]()
	kind, _ := typ.FieldByName("Kind")
	if enum := kind.Tag.Get("enum"); enum != strings.Join(names, ",") {
		t.Errorf("the language offers %s, there are %v", enum, names)
	}
	with := map[string]bool{}
	for i := range typ.NumField() {
		for of := range strings.SplitSeq(typ.Field(i).Tag.Get("of"), ",") {
			if of != "" && !slices.Contains(names, of) {
				t.Errorf("%s is a parameter of %s, which is no kind", typ.Field(i).Name, of)
			}
			with[of] = true
		}
	}
	for _, name := range names {
		if !with[name] {
			t.Errorf("%s has no parameter", name)
		}
	}
}

func TestLatency_Check(t *testing.T) {
	for _, c := range []struct {
		want string
		l    Latency
	}{
		{"value must not be negative, is -1ns", Latency{Value: -1}},
		{
			"high must be at least low, which must not be negative; they are 1ns and 2ns",
			Latency{Kind: "uniform", Low: 2, High: 1},
		},
		{
			"high must be at least low, which must not be negative; they are 2ns and -1ns",
			Latency{Kind: "uniform", Low: -1, High: 2},
		},
		{"mean must be a positive duration for kind exponential, is 0s", Latency{Kind: "exponential"}},
		{"median must be a positive duration for kind lognormal, is -5ns", Latency{Kind: "lognormal", Median: -5}},
		{"sigma must not be negative, is -1", Latency{Kind: "lognormal", Median: 1, Sigma: -1}},
		{"sigma must not be negative, is +Inf", Latency{Kind: "lognormal", Median: 1, Sigma: math.Inf(1)}},
		{"scale must be a positive duration for kind pareto, is 0s", Latency{Kind: "pareto", Shape: 1}},
		{"shape must be positive, is 0", Latency{Kind: "pareto", Scale: 1}},
		{"shape must be from 0.1 to 100 for kind weibull, is 0.01", Latency{Kind: "weibull", Scale: 1, Shape: 0.01}},
		{`kind must be constant, uniform, exponential, lognormal, pareto, weibull or matrix, is "gamma"`,
			Latency{Kind: "gamma"}},
		{"", Latency{Kind: "uniform", Low: 2, High: 2}},
		{"", Latency{Kind: "lognormal", Median: 1}},
	} {
		got := ""
		c.l.Check(func(field, problem string) { got += field + " " + problem })
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.l, got, c.want)
		}
	}
}

// A drawn latency is valid and moderate, and every law is drawn.
func TestRandomLatency(t *testing.T) {
	drawn := map[string]int{}
	for k := range uint64(300) {
		l := RandomLatency(NewStream(k, "test"))
		if k < 30 {
			l = RandomWeibull(NewStream(k, "test"))
		}
		l.Check(func(field, problem string) { t.Errorf("%+v: %s %s", l, field, problem) })
		if m := l.MedianSeconds(); !(m >= 0 && m <= 0.06) {
			t.Errorf("%s has a median of %v s", l.Words(), m)
		}
		drawn[l.Kind]++
	}
	for _, l := range laws {
		if drawn[l.name] < 20 {
			t.Errorf("%s is drawn %d times of 300: %s", l.name, drawn[l.name], fmt.Sprint(drawn))
		}
	}
}
