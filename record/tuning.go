// What the runs of a sweep lose together.

package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"overhear/privacy"
)

// TuningFile is what tuning loses, in a sweep's directory.
const TuningFile = "tuning.json"

// Tuning is what the runs of a sweep lose.
type Tuning struct {
	Runs      int         `json:"runs"`      // of one data set
	Failed    int         `json:"failed"`    // that cannot be made, and send nothing
	Units     []Protected `json:"units"`     // rows before labels
	Selection *Selection  `json:"selection"` // null: none was asked for
}

// Protected is what the runs of a sweep lose of one unit of protection.
type Protected struct {
	Unit   privacy.Unit `json:"unit"`
	One    Lost         `json:"one"`    // by the run that loses most
	All    Lost         `json:"all"`    // by all runs together
	Best   *Lost        `json:"best"`   // by publishing the best run alone; null: there is no selection
	Covers string       `json:"covers"` // what certificates cover, and what not; empty: all that anybody sees
	Given  []Taken      `json:"given"`  // what a run takes from the rows without noise; null: nothing
}

// Lost is what is lost at most.
type Lost struct {
	Claim       Figure `json:"claim"`       // what the method claims, composed
	Certificate Figure `json:"certificate"` // what the law of the noise proves, composed
}

// Figure is an ε and its δ, or why there is none.
type Figure struct {
	Epsilon Number `json:"epsilon"` // null: there is none
	Delta   Number `json:"delta"`
	Reason  string `json:"reason"` // why; empty: there is one
}

func (f Figure) String() string {
	switch {
	case f.Reason != "":
		return "none: " + f.Reason
	case f.Delta > 0:
		return fmt.Sprintf("%.6g at δ = %.6g", float64(f.Epsilon), float64(f.Delta))
	}
	return fmt.Sprintf("%.6g", float64(f.Epsilon))
}

// Selection is a choice by random stopping: of a geometric number of runs, each of a point of the grid that is drawn
// anew, the one whose metric is least is published, and nothing else.
type Selection struct {
	Metric string  `json:"metric"`
	Mean   float64 `json:"mean"`  // of the number of runs
	Runs   int     `json:"runs"`  // that were drawn
	Run    int     `json:"run"`   // the best; −1: none has finished
	Value  Number  `json:"value"` // of the metric
}

// ReadTuning reads what tuning loses from a sweep's directory; nil: nobody asked for that.
func ReadTuning(dir string) (*Tuning, error) {
	path := filepath.Join(dir, TuningFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what tuning loses: %w", err)
	}
	t := new(Tuning)
	if err := json.Unmarshal(text, t); err != nil {
		return nil, fmt.Errorf("reading %s: %w; the command of the sweep writes it anew", path, err)
	}
	return t, nil
}
