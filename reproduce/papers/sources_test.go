// Every figure's rules are found in the source text.

package papers

import (
	"testing"

	"overhear/reproduce"
)

func TestSources_HaveTheRulesOfEveryFigure(t *testing.T) {
	seen := map[string]string{}
	for _, f := range reproduce.Figures() {
		rules, err := f.Rules()
		if err != nil || len(rules) != 64 {
			t.Errorf("%s: rules %q, %v", f.Name, rules, err)
		}
		if other := seen[rules]; other != "" {
			t.Errorf("%s and %s have the same rules", f.Name, other)
		}
		seen[rules] = f.Name
	}
}
