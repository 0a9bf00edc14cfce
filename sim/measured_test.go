// Lists of measured times and factors of classes: what is read, and what is refused.

package sim

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// written is the path of a file with a text.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMeasured_Reads(t *testing.T) {
	for text, want := range map[string][]Duration{
		"0.02\n0.005\n0.02\n":           {5e6, 20e6, 20e6},
		"step_s\n1.5\n":                 {1.5e9},
		"\xef\xbb\xbfseconds\r\n2\r\n0": {0, 2e9},
	} {
		m := Measured{File: written(t, "times.csv", text)}
		if got, err := m.Read(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	m := Measured{Values: []Duration{3, 1, 2}}
	if got, err := m.Read(); err != nil || !reflect.DeepEqual(got, []Duration{1, 2, 3}) || m.Values[0] != 3 {
		t.Errorf("%v, %v", got, err)
	}
	m = Measured{File: written(t, "times.csv", "time (ms)\n1.5\n"), Unit: 1e6}
	if got, err := m.Read(); err != nil || !reflect.DeepEqual(got, []Duration{1.5e6}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestMeasured_Mistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "times.csv: the file is empty",
		"0.02\n-1\n":           "times.csv:2:1: the time must be from 0 to a century in units of 1s, is -1",
		"0.02\nlong\n":         "times.csv:2:1: the time must be a number, is \"long\"",
		"0.02\n0.1,0.2\n":      "times.csv:2:1: the time must be a number, is \"0.1,0.2\": write 1.5",
		"time (ms)\n1\n":       "says milliseconds, and unit, what 1 is in the file, is 1s: say unit: 1ms",
		"0.02\n1e30\n":         "times.csv:2:1: the time must be from 0 to a century",
		"time_s\n":             "there are no lines below",
		"0.02\nNaN\n":          "times.csv:2:1: the time must be a number",
		"1\n" + "2024-01-01\n": "times.csv:2:1: the time must be a number, is \"2024-01-01\": dates",
	} {
		m := Measured{File: written(t, "times.csv", text)}
		if got, err := m.Read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}

func TestFactors_OfNodes(t *testing.T) {
	file := written(t, "speed.csv", "class,factor\nserver,0.5\nphone,8\n")
	for _, f := range []Factors{{File: file}, {Factors: map[string]float64{"phone": 8, "server": 0.5}}} {
		got, err := f.Of(1, 5)
		if err != nil || !reflect.DeepEqual(got, []float64{8, 0.5, 8, 0.5, 8}) {
			t.Errorf("%v, %v", got, err)
		}
		f.Placement = &Placement{Kind: "shares", Shares: map[string]float64{"phone": 1, "server": 3}}
		if got, err = f.Of(1, 4); err != nil || !reflect.DeepEqual(got, []float64{8, 0.5, 0.5, 0.5}) {
			t.Errorf("%v, %v", got, err)
		}
	}
	// A node is of the same class here as in a trace with the same classes.
	random := &Placement{Kind: "random"}
	f := Factors{File: file, Placement: random}
	got, err := f.Of(7, 50)
	class, err2 := random.classify([]string{"phone", "server"}, 50, 7)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for i, k := range class {
		if got[i] != []float64{8, 0.5}[k] {
			t.Fatalf("node %d has the factor %v and the class %d", i, got[i], k)
		}
	}
}

func TestFactors_Mistakes(t *testing.T) {
	for text, want := range map[string]string{
		"phone,8\nphone,9\n":     "speed.csv:2:1: phone is given twice, first on line 1",
		"phone,0\n":              "speed.csv:1:7: the factor must be positive, is 0",
		"phone,-1\n":             "the factor must be positive, is -1",
		"phone,1e300\n":          "the factor must be at most 1e+12, is 1e300",
		"class,factor\n,2\n":     "a class has no name",
		"phone,8,1\n":            "has 3 fields; a line is class,factor",
		"phone,\n":               "the factor is missing",
		"class,factor\nphone,x ": "speed.csv:2:7: the factor must be a number, is \"x\"",
	} {
		f := Factors{File: written(t, "speed.csv", text)}
		if got, err := f.Of(1, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
	f := Factors{Factors: map[string]float64{"phone": 8}, Placement: &Placement{Kind: "list",
		Names: []string{"phone", "phone"}}}
	if _, err := f.Of(1, 3); err == nil || !strings.Contains(err.Error(), "names a class for 2 nodes; there are 3") {
		t.Errorf("%v", err)
	}
}
