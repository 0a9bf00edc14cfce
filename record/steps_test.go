// Steps: what is written is read back, only where messages are kept.

package record

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"overhear/sim"
)

func TestSteps(t *testing.T) {
	for _, keep := range []bool{true, false} {
		w, err := Create(directory(t, t.TempDir()), 1, Policy{Last: -1, Messages: keep}, true)
		if err != nil {
			t.Fatal(err)
		}
		var want []Step
		for k := range 5000 { // more than a batch
			s := Step{Node: int32(k % 7), Round: int32(k / 7), BeganNS: int64(k), EndedNS: int64(3 * k)}
			w.Step(int(s.Node), int(s.Round), sim.Time(s.BeganNS), sim.Time(s.EndedNS))
			if keep {
				want = append(want, s)
			}
		}
		dir, err := w.Finish(new(Info))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := r.Info.Files[stepsFile]; ok != keep {
			t.Errorf("messages kept %v: the file has a sum: %v", keep, ok)
		}
		var got []Step
		if err := r.Steps(func(s Step) error { got = append(got, s); return nil }); err != nil ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("messages kept %v: %d steps of %d, %v", keep, len(got), len(want), err)
		}
		var b bytes.Buffer
		if err := Export(r, "steps", "csv", &b); err != nil || !strings.HasPrefix(b.String(),
			"node,round,began_ns,ended_ns\n") || strings.Count(b.String(), "\n") != len(want)+1 {
			t.Errorf("messages kept %v: exported %.80q, %v", keep, b.String(), err)
		}
	}
}
