// Every word of the tables is explained somewhere.

package report

import (
	"os"
	"regexp"
	"testing"

	"overhear/metrics"
)

// ofScenarios are words that are keys of a scenario, or parts of one, which explains them.
var ofScenarios = []string{"network", "data", "rounds", "changes", "rho", "victim", "knows"}

func TestWords_AllOfTheTables(t *testing.T) {
	explained := map[string]bool{"": true}
	for _, w := range ofScenarios {
		explained[w] = true
	}
	count := 0
	for _, file := range []string{"runs.go", "verdicts.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`line\("([^"]+)"|Fprint[lf]*\(t, "([a-z ]+)\\t`).FindAllStringSubmatch(
			string(text), -1) {
			word := m[1] + m[2]
			count++
			if _, metric := metrics.Lookup(word); !metric && !explained[word] && Explain(word) == "" {
				t.Errorf("%s is explained nowhere", word)
			}
		}
	}
	if Explain(boundTitle) == "" {
		t.Errorf("%s is explained nowhere", boundTitle)
	}
	for _, word := range []string{"tuning", "private-selection", "--account"} {
		if Explain(word) == "" {
			t.Errorf("%s is explained nowhere", word)
		}
	}
	if count < 15 {
		t.Errorf("only %d words were found", count)
	}
	for from, to := range alias {
		if words[to] == "" {
			t.Errorf("%s is to be seen under %s, which is not there", from, to)
		}
	}
	if Explain("nonsense") != "" {
		t.Error("nonsense is explained")
	}
}
