// A spy has the traits of the method that it stands before, of every registered one.

package fuzz

import (
	"reflect"
	"slices"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
)

func traitsOf(m algorithms.Method) map[string]bool {
	all := map[string]bool{}
	_, all["RowMethod"] = m.(algorithms.RowMethod)
	_, all["ColumnMethod"] = m.(algorithms.ColumnMethod)
	_, all["Central"] = m.(algorithms.Central)
	_, all["Idler"] = m.(algorithms.Idler)
	_, all["Isolated"] = m.(algorithms.Isolated)
	_, all["Addressing"] = m.(algorithms.Addressing)
	_, all["Sheltering"] = m.(algorithms.Sheltering)
	_, all["Registering"] = m.(algorithms.Registering)
	_, all["Recovering"] = m.(algorithms.Recovering)
	return all
}

func TestSpy_HasTheMethodsTraits(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(400) {
		s, err := Wild(seed)
		if err != nil {
			t.Fatal(err)
		}
		a, err := experiment.New(s, "").Assemble(t.Context(), seed)
		if err != nil {
			continue // a graph in pieces
		}
		seen[s.Algorithm.Kind] = true
		m, err := (&spy{}).on(a.Method)
		if err != nil {
			t.Errorf("%s: %v", s.Algorithm.Kind, err)
		} else if got, want := traitsOf(m), traitsOf(a.Method); !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %v, its spy %v", s.Algorithm.Kind, want, got)
		}
	}
	if all := slices.DeleteFunc(algorithms.Entries(), elsewhere); len(seen) != len(all) {
		t.Errorf("only %d methods were drawn: %v", len(seen), seen)
	}
}
