// A loss in Python has the bits of the engine's own where its numbers are the same, and what it says of itself is held
// to it.

package external_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/record"
)

// The engine's huber-hinge, operation by operation.
const hinge = `class Hinge:
    steepest = 1

    def __init__(self, width):
        self.width, self.bound = width, 1 / (2 * width)

    def value(self, z):
        gap = 1 + self.width - z
        return np.where(gap >= 2 * self.width, 1 - z, np.where(gap > 0, gap * gap / (4 * self.width), 0))

    def slope(self, z):
        return -np.maximum(0, np.minimum(1, (1 + self.width - z) / (2 * self.width)))

    def curvature(self, z):
        return np.where(abs(1 - z) <= self.width, 1 / (2 * self.width), 0)
`

// lost is what run.json would say of a run with a loss that is a class.
func lost(t *testing.T, class, parameters string, workers int, sets ...string) (*record.Info, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "loss.py")
	if err := os.WriteFile(file, []byte("import numpy as np\n\n"+class), 0o644); err != nil {
		t.Fatal(err)
	}
	loss := "problem.loss={kind: python, file: " + file + ", parameters: '" + parameters + "', interpreter: " +
		interpreter(t) + "}"
	return told(t, admm, "{kind: admm, eta: 0.2}", workers, append([]string{loss}, sets...)...)
}

func TestLoss_HasTheBitsOfTheEnginesOwn(t *testing.T) {
	for _, width := range []string{"0.5", "0.25"} {
		want, err := measured(t, "", "{kind: admm, eta: 0.2}", 1, "problem.loss={kind: huber-hinge, width: "+width+"}")
		if err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers <= 2; workers++ {
			if got, err := lost(t, hinge, "width="+width, workers); err != nil || got.Digest != want {
				t.Errorf("width %s, %d workers: digest of %+v, not %s: %v", width, workers, got, want, err)
			}
		}
	}
}

// A class that does not compute L″ ends where one does: the objective at the optimum is the same to the solver's
// tolerance, and less where residuals count less.
func TestLoss_NeedsNoCurvature(t *testing.T) {
	class := example("logcosh.py")
	at := func(class, width string) float64 {
		info, err := lost(t, class, "width="+width, 2, "problem.data={set: linear, rows: 90, dimension: 4}")
		if err != nil {
			t.Fatal(err)
		}
		if !(info.Residual.Max < 1e-9) {
			t.Errorf("a solve leaves %v", info.Residual)
		}
		return float64(info.Reference.Objective)
	}
	with, without := at(class, "0.1"), at(class[:strings.Index(class, "    def curvature")], "0.1")
	if !(math.Abs(with-without) <= 1e-9*with) || !(at(class, "1") < with) {
		t.Errorf("the objective at the optimum is %v with L″ and %v without", with, without)
	}
}

// A claim is not established by a class's word.
func TestLoss_EstablishesNothing(t *testing.T) {
	for loss, want := range map[string]bool{"logistic": true, "": false} {
		sets := []string{"algorithm={kind: dvp, eta: 0.2, alpha: 1}"}
		info, err := lost(t, hinge, "width=0.5", 1, sets...)
		if loss != "" {
			info, err = told(t, "", "{kind: dvp, eta: 0.2, alpha: 1}", 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Privacy.Condition == record.ConditionHolds; got != want ||
			!want && !strings.Contains(info.Privacy.Condition, "a class in Python (problem.loss)") {
			t.Errorf("%q: %q", loss, info.Privacy.Condition)
		}
	}
}

func TestLoss_IsHeldToWhatItSays(t *testing.T) {
	class := example("logcosh.py")
	for was, c := range map[string]struct{ is, says string }{
		"2 * sigmoid(2 * z":  {"2.2 * sigmoid(2 * z", "steepest = 1"},
		"/ self.width) - 1":  {"/ self.width) - 0.9", "loss.slope is"},
		"self.bound = 1 /":   {"self.bound = 0.5 /", "bound = 0.5"},
		"steepest = 1 ":      {"steepest = 0.5 ", "at most steepest = 0.5"},
		"(1 - s * s)":        {"-(1 - s * s)", "has to be from 0 to bound"},
		"self.width * (a +":  {"2 * self.width * (a +", "slope is not the derivative of value"},
		"s = self.slope(z)":  {"raise KeyError('here')", `loss.py", line`},
		"a = abs(z":          {"a = np.array([1.0])  #", "a number for each"},
		"def value":          {"def worth", "has no value"},
		"def slope":          {"def hill", "0 classes with slope"},
		"log1p(exp(-2 * a))": {"z * z", "slope is not the derivative of value"},
	} {
		if !strings.Contains(class, was) {
			t.Fatalf("the example has no %q", was)
		}
		if _, err := lost(t, strings.Replace(class, was, c.is, 1), "width=1", 2); err == nil ||
			!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "problem.loss") {
			t.Errorf("%s for %s: %v", c.is, was, err)
		}
	}
	if _, err := lost(t, class, "width=1, height=2", 1); err == nil || !strings.Contains(err.Error(), "'height'") {
		t.Errorf("an argument that there is not: %v", err)
	}
	if _, err := lost(t, class, "", 1, "problem.loss.file=nowhere.py"); err == nil ||
		!strings.Contains(err.Error(), "nowhere.py") {
		t.Errorf("a file that is not there: %v", err)
	}
}
