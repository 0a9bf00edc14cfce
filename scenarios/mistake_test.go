// Tests of the parts that a mistake is told in.

package scenarios

import (
	"errors"
	"testing"
)

// TestMistakeInParts reads the parts of mistakes in a file and of --set.
func TestMistakeInParts(t *testing.T) {
	_, err := Parse("a:b.yaml", []byte("name: q\nproblem: {datas: wdbc}\nrounds: {count: x}\nalgorithms: {}\n"))
	var all Mistakes
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	type part struct {
		key    string
		line   int
		remedy string
	}
	found := map[string]part{}
	for _, m := range all {
		file, line, column := m.File()
		if file != "a:b.yaml" || column < 1 {
			t.Errorf("%q is at %q:%d:%d", m.Text, file, line, column)
		}
		found[m.Key()] = part{m.Key(), line, m.Remedy()}
	}
	for _, want := range []part{
		{"problem.datas", 2, `did you mean "data"?`},
		{"rounds.count", 3, ""},
		{"algorithms", 4, `did you mean "algorithm"?`},
	} {
		if found[want.key] != want {
			t.Errorf("of %s there is %+v, want %+v, in %v", want.key, found[want.key], want, err)
		}
	}
	_, err = LoadShipped("quickstart.yaml", "algorithm.eta=-1")
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	if file, line, column := all[0].File(); file != "" || line != 0 || column != 0 {
		t.Errorf("--set is at %q:%d:%d", file, line, column)
	}
	if all[0].Key() != "algorithm.eta" || all[0].Remedy() != "auto has it computed" {
		t.Errorf("%q of --set is of key %q, remedy %q", all[0].Text, all[0].Key(), all[0].Remedy())
	}
}
