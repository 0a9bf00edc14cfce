// What is said of the measured network's findings counts verdicts that differ, and names them.

package studies

import (
	"strings"
	"testing"

	"overhear/reproduce"
)

func TestCompared_NamesWhatDiffers(t *testing.T) {
	there := []reproduce.Statement{
		reproduce.State("a", reproduce.Assess(true), "1"), reproduce.State("b", reproduce.Assess(false), "2"),
		reproduce.State("c", reproduce.AssessParts(false, true), "3"),
	}
	here := []reproduce.Statement{
		reproduce.State("a", reproduce.Assess(true), "4"), reproduce.State("b", reproduce.Assess(true), "5"),
		reproduce.State("c", reproduce.AssessParts(false, true), "6"),
	}
	alike, other, err := compared(there, here)
	if err != nil || alike != 2 || len(other) != 1 ||
		!strings.Contains(other[0], "“b”: holds, there it does not hold") {
		t.Errorf("%d alike, not %q: %v", alike, other, err)
	}
	if _, _, err := compared(there, here[:2]); err == nil {
		t.Error("a statement is missing")
	}
	here[1].Text = "another"
	if _, _, err := compared(there, here); err == nil || !strings.Contains(err.Error(), "another") {
		t.Errorf("other words: %v", err)
	}
}

// Every study that is judged over the regions is there, and its changes are of a scenario that can be read.
func TestTransplants_AreOfStudies(t *testing.T) {
	for _, p := range transplants {
		if _, ok := reproduce.FindStudy(p.page); !ok || p.where == "" || p.changes == nil {
			t.Errorf("%s, %q: no such study, or nothing is changed", p.page, p.where)
		}
	}
}
