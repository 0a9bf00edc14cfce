// A step that takes for ever is said in words, whatever else goes wrong.

package experiment

import (
	"context"
	"strings"
	"testing"

	"overhear/scenarios"
)

func TestRun_StepsThatTakeForEver(t *testing.T) {
	for _, faults := range []string{"[]", "[{crash: 1, at: 1ms, until: 2ms}]"} {
		s, err := scenarios.Parse("forever.yaml", []byte(forkText),
			"compute={row: 1s, classes: {factors: {a: 1e12}}}",
			"rounds={mode: asynchronous, count: 5}", "network.faults="+faults)
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(s, "").Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1})
		if err == nil || !strings.Contains(err.Error(), "virtual time overflows") {
			t.Errorf("faults %s: %v", faults, err)
		}
	}
}
