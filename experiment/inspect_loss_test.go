// Data that are told without a loss that suits them.

package experiment

import (
	"strings"
	"testing"
)

// What a file has is told without a loss that suits it, and mistakes are told of the keys that were given.
func TestOfFile_NeedsNoLoss(t *testing.T) {
	for _, set := range []string{"problem.data.classes=all", "problem.data.target=y", "problem.data.label=y"} {
		if _, err := OfFile("csv", "f.csv", set); err != nil {
			t.Errorf("%s: %v", set, err)
		}
	}
	_, err := OfFile("csv", "f.csv", "problem.data.classes=all", "problem.data.colour=red")
	if err == nil || strings.Contains(err.Error(), "problem.loss") || !strings.Contains(err.Error(), "colour") {
		t.Errorf("a key that is none: %v", err)
	}
}
