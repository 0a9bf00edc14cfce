// Runs over split columns.

package experiment

import (
	"errors"
	"fmt"

	"overhear/problem"
)

// splitColumns gives each party its columns.
func (e *Experiment) splitColumns(a *Assembly, train, test []int) error {
	if e.Privacy.Epsilon != nil {
		return errors.New("privacy.epsilon is a target for methods over split rows; over split columns give " +
			"algorithm.epsilon")
	}
	spec := &e.Problem
	var err error
	weight := "mean"
	if w, ok := e.Algorithm.Params.(interface{ WeightOfRow() string }); ok {
		weight = w.WeightOfRow()
	}
	loss := spec.Loss.Loss(spec.Data.HasTargets(), 0)
	if err := problem.Examine(loss); err != nil {
		return fmt.Errorf("building the problem: %w", err)
	}
	if a.Split, err = problem.SplitColumns(a.Set, spec.Columns, train, test, loss, weight, spec.Rho); err != nil {
		return fmt.Errorf("building the problem: problem.columns: %w", err)
	}
	a.Split.NonSmooth = spec.NonSmooth(len(spec.Columns))
	return nil
}

// First is the node of part 0 of the problem: a star's hub has none.
func (a *Assembly) First() int { return a.Graph.Order() - a.parts() }

// parts is how many nodes have data.
func (a *Assembly) parts() int {
	if a.Split != nil {
		return len(a.Split.Blocks)
	}
	return len(a.Problem.Shards)
}

// parties is how many hold columns of the same rows; 0 where rows are split.
func (a *Assembly) parties() int {
	if a.Split != nil {
		return len(a.Split.Blocks)
	}
	return 0
}

// Columns is the number of columns of the data, those of all parties together.
func (a *Assembly) Columns() int {
	if a.Split != nil {
		return a.Split.D
	}
	return a.Problem.D / a.Problem.Models()
}

// Numbers is how many numbers a model has: a block of as many as there are columns for each class that has one.
func (a *Assembly) Numbers() int {
	if a.Split != nil {
		return a.Split.D
	}
	return a.Problem.D
}

// TrainRows is the number of training rows of all nodes together.
func (a *Assembly) TrainRows() int {
	if a.Split != nil {
		return a.Split.N
	}
	return a.Problem.Rows()
}

// targets says whether rows have targets, and not classes.
func (a *Assembly) targets() bool {
	if a.Split != nil {
		return a.Split.Targets != nil
	}
	return a.Problem.HasTargets()
}

func (a *Assembly) testRows() int { return len(a.testLabels()) }

func (a *Assembly) testLabels() []float64 {
	if a.Split != nil {
		return a.Split.TestY
	}
	return a.Problem.Test.Y
}

// testClasses are the test rows' classes, where they have one of several; else nil.
func (a *Assembly) testClasses() []int32 {
	if a.Split != nil {
		return nil
	}
	return a.Problem.Test.Class
}

// single says why there is not one optimum, where there is not.
func (a *Assembly) single() error {
	if a.Split != nil {
		return a.Split.Single(a.Set.Columns)
	}
	return a.Problem.Single(a.Set.Columns)
}
