// When each node computed: the steps of a run, for its timeline.

package record

import (
	"errors"
	"path/filepath"

	"overhear/sim"
)

const stepsFile = "steps.parquet"

// Step is a row of steps.parquet: the computation of an iterate, from the instant
// at which its node had all it needed to that at which it published.
type Step struct {
	Node    int32 `parquet:"node,delta"`
	Round   int32 `parquet:"round,delta"` // 0 is the start, which takes no time
	BeganNS int64 `parquet:"began_ns,delta"`
	EndedNS int64 `parquet:"ended_ns,delta"`
}

// Step records the computation of an iterate, where messages are kept.
func (w *Writer) Step(node, round int, began, ended sim.Time) {
	if !w.policy.Messages {
		return
	}
	if w.steps == nil { // columns may be split, and then there are none
		var err error
		if w.steps, err = newLog[Step](filepath.Join(w.dir, stepsFile)); err != nil {
			w.err = errors.Join(w.err, err)
			w.policy.Messages = false // no sense in trying again
			return
		}
	}
	w.steps.add(Step{int32(node), int32(round), int64(began), int64(ended)})
}

// Steps calls f with every recorded step, in the order in which they ended. There
// need be none: runs over split columns have none, nor those of older versions.
func (r *Run) Steps(f func(Step) error) error {
	if _, ok := r.Info.Files[stepsFile]; !ok {
		return nil
	}
	return rows(r, stepsFile, f)
}
