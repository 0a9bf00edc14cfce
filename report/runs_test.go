// Tables say what is in the runs.

package report

import (
	"math"
	"strings"
	"testing"

	"overhear/record"
)

func TestSeedTable_MeanLeastGreatest(t *testing.T) {
	var runs []*record.Run
	for _, loss := range []float64{0.25, 0.5, 0.75} {
		i := &record.Info{Name: "three"}
		i.Final.Loss = record.Number(loss)
		i.Final.TestError = record.Number(math.NaN())
		runs = append(runs, &record.Run{Info: i})
	}
	var b strings.Builder
	if err := SeedTable(&b, runs, "somewhere"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if got := strings.Fields(lines[1]); strings.Join(got, " ") != "training loss 0.5 0.25 0.75" {
		t.Errorf("%q", got)
	}
	if strings.Contains(b.String(), "test error") {
		t.Errorf("a line for what was not measured:\n%s", b.String())
	}
}
