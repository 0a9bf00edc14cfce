// A report of one attacked run.

package attack_test

import (
	"fmt"
	"strings"

	"overhear/record"
	"overhear/report/attack"
)

func Example() {
	found := record.Finding{
		Attack: "kkt-inversion", Title: "Optimality condition, solved", Victim: 1, Succeeded: record.Exact,
		Conclusion: "The sample was found to rounding.",
	}
	for rounds, error := range []record.Number{0.5, 0.01, 1e-9} {
		found.Estimates = append(found.Estimates, record.Estimate{
			Rounds: rounds + 1, Score: &record.Score{Relative: error},
		})
	}
	e := attack.Evaluation{Title: "Attacks on three hospitals", Attacks: []*record.Attacks{{
		Name: "hospitals", Algorithm: "dvp", Findings: []record.Finding{found},
		Placement: record.Placement{Nodes: 3, Edges: [][2]int{{0, 1}, {1, 2}}},
	}}}
	var page, text strings.Builder
	if err := e.HTML(&page); err != nil { // e.Write("report.html") writes all three forms
		fmt.Println(err)
	}
	if err := e.Markdown(&text); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Count(page.String(), "<svg"), "figures")
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "- **1**") {
			fmt.Print(line)
		}
	}
	// Output:
	// 2 figures
	// # Attacks on three hospitals
	// - **1** attack found the hidden thing exactly
	// ## What the attacks found
	// ## Reconstructed samples
	// ### Reconstruction error against rounds
	// ### Best estimate of each attack
	// ## Where it leaked
	// ### The network, by what leaked
	// ## How to read this
	// ## What was attacked, by whom, and from what
	// ### Attacks on hospitals
}
