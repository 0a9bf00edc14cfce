// Telling what a scenario's data are and how they are prepared, before any run.

package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"

	"overhear/problem"
	"overhear/scenarios"
)

// OfFile is a scenario on a user's data file, to be inspected; sets are as for scenarios.Load. The kind of file is one
// of csv, parquet, arrow, libsvm and raetsch.
func OfFile(kind, path string, sets ...string) (*scenarios.Scenario, error) {
	of := func(loss string) (*scenarios.Scenario, error) {
		text := fmt.Sprintf("name: data\nproblem: {data: {%s: %q}, loss: %s}\n"+
			"network: {topology: {kind: ring, nodes: 3}}\nalgorithm: {kind: admm}\n", kind, path, loss)
		return scenarios.Parse(path, []byte(text), sets...)
	}
	// The squared loss suits two classes and targets, softmax several classes; what sets say of the data decides.
	s, err := of("squared")
	var mistakes, fewer scenarios.Mistakes
	if errors.As(err, &mistakes) {
		if other, err := of("softmax"); err == nil || errors.As(err, &fewer) && len(fewer) < len(mistakes) {
			return other, err
		}
	}
	return s, err
}

// Inspect tells what the data of the scenario are, and what preparing them for its first seed does. Of a file that
// makes no data set it tells what was found; the error, a SetupError, says why. Of many columns it shows all if asked.
func (e *Experiment) Inspect(ctx context.Context, w io.Writer, all bool) error {
	spec := &e.Problem
	if b, ok := problem.FindSet(spec.Data.Set); ok {
		if err := b.Describe(w, e.dataDir); err != nil {
			return SetupError{err}
		}
	} else {
		set, reading, err := spec.Data.Read(ctx)
		if err != nil && reading != nil {
			if err := reading.Write(w, all); err != nil {
				return err
			}
		}
		e.set, e.err, e.loaded = set, err, true
		if err == nil && spec.Repeated == "drop" {
			e.set = e.set.Distinct()
		}
		if err == nil && !spec.Scale.OfTraining(spec.Data) {
			e.set = spec.Scale.Apply(e.set, nil)
			spec.Scale.Parties(e.set, spec.Columns)
		}
	}
	set, train, test, err := e.prepared(ctx, e.Seeds.First)
	if err != nil {
		return SetupError{err}
	}
	if set.Reading != nil {
		if err := set.Reading.Write(w, all); err != nil {
			return err
		}
	} else {
		var fit []int
		if spec.Scale.OfTraining(spec.Data) {
			fit = train
		}
		_, said := spec.Scale.Says(set, fit)
		fmt.Fprintf(w, "scaling: %s\n", said)
	}
	_, err = fmt.Fprintf(w, "seed %d: %s, %s\nprivacy: %s\nas a key: %s\n", e.Seeds.First,
		problem.Counted(len(train), "training row"), problem.Counted(len(test), "test row"),
		problem.Uncovered(spec.Data.HasTargets()),
		scenarios.Assign("problem.data", spec.Data))
	return err
}
