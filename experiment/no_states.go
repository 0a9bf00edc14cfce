// A build for pages keeps no states: it has no files.

//go:build page

package experiment

import (
	"errors"

	"overhear/metrics"
)

// StatesKept says how a run keeps its states.
type StatesKept struct{ Count int }

func (StatesKept) saving(string, int, func() ([32]byte, error)) *saving { return nil }

type saving struct{}

func (*saving) end(string) error { return nil }

var errStates = errors.New("this build of the program, which is for pages, keeps no states")

func (*Experiment) saves(*Assembly, *keeping) bool { return false }

func (*keeping) told(progress func(metrics.Row)) func(metrics.Row) { return progress }

func (*keeping) attend(*Experiment, *Execution, *recorder) {}

func (*keeping) resumed() bool { return false }
