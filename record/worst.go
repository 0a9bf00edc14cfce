// What a search for the worst pair and data came to.

package record

import (
	"path/filepath"

	"overhear/internal/files"
	"overhear/privacy"
)

// Files of a search's directory, beside audit.json.
const (
	WorstFile     = "worst.json"
	FoundFile     = "scenario.yaml"
	FoundRowsFile = "rows.csv"
)

// WorstData says how a pair and data were searched for, of which an audit measures as much as it can.
type WorstData struct {
	Format    int      `json:"format"`
	Name      string   `json:"name"`
	About     string   `json:"about"`
	Seed      uint64   `json:"seed"`
	Rounds    int      `json:"rounds"`
	Algorithm string   `json:"algorithm"`
	Command   string   `json:"command"`
	Changes   []string `json:"changes,omitempty"`
	Scenario  string   `json:"scenario"` // where the search began
	Inputs    Inputs   `json:"inputs,omitzero"`

	Unit        privacy.Unit `json:"unit"`
	Node        int          `json:"node"`
	Row         int          `json:"row"`
	Over        []string     `json:"over"`        // what was changed
	Budget      int          `json:"budget"`      // how many candidates might be tried
	Evaluations int          `json:"evaluations"` // how many were
	Failed      int          `json:"failed"`      // of them, whose runs failed
	Runs        int          `json:"runs"`        // of a world, for all of them
	Certificate Number       `json:"certificate"` // of what was found; null: none
	Delta       Number       `json:"delta"`
	Start       Number       `json:"start"` // the first score: √Σ of the squares of the greatest losses of rounds
	Found       Number       `json:"found"` // that of the last one kept, by the runs that it was chosen by
	Steps       []SearchStep `json:"steps"`
	Wall        float64      `json:"wall_seconds"`
}

// SearchStep is a candidate that was better than all before it.
type SearchStep struct {
	Evaluation int    `json:"evaluation"`
	Changed    string `json:"changed"`
	Score      Number `json:"score"`
}

// ReadWorst reads what a search in a directory came to; nil: there is none. The error says if it is not as it was
// written.
func ReadWorst(dir string) (*WorstData, error) {
	return readWhole[WorstData](filepath.Join(dir, WorstFile), false)
}

// StatedWorst is ReadWorst of a file that may have been changed and is to be verified.
func StatedWorst(dir string) (*WorstData, error) {
	return readWhole[WorstData](filepath.Join(dir, WorstFile), true)
}

// WriteWorst writes what a search came to.
func WriteWorst(dir string, w *WorstData) error {
	w.Format = Format
	return files.Write(filepath.Join(dir, WorstFile), asJSON(w))
}
