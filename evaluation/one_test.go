// One of one: what attacks say where there is one round, one sum, one message.

package evaluation

import (
	"regexp"
	"strings"
	"testing"
)

func TestAttack_SaysOneOfOne(t *testing.T) {
	const rows = "problem: {data: {set: twonorm, rows: 60, dimension: 4}, train: 40, rho: 0.3}\n"
	plural := regexp.MustCompile(`(^|[^\d.,–-])1 ((even|other|more|independent) )?` +
		`(gradient|difference|round|message|sum|value|node|report|server|candidate|row|time|angle)s\b`)
	share := regexp.MustCompile(`of \d+ `) // "1 of 1 candidates"
	for _, c := range []struct{ text, one string }{
		{rows + `rounds: {count: 1}
algorithm: {kind: admm, eta: 0.3}
adversary: {knows: {victim: 1, all-but: 2, candidates: 1}, attacks: [row-space, kkt-rounds, membership]}`,
			"1 gradient or difference of gradients spans"},
		{rows + `rounds: {count: 2}
algorithm: {kind: r-admm, eta: 0.3, gamma: 0.2}
adversary: {view: {nodes: [0]}, knows: {victim: 2, data: [1]}, attacks: [one-hop, recycling]}`, "1 even round of"},
		{rows + `rounds: {count: 2}
algorithm: {kind: admm, eta: 0.3}
adversary: {view: {nodes: [0]}, knows: {victim: 2, data: [1]}, attacks: [one-hop]}`,
			"1 sum of neighbours' values and 1 value of nodes"},
		{rows + `rounds: {count: 2}
algorithm: {kind: pdml, epsilon: 2, eta: 0.3}
adversary: {knows: {victim: 1, candidates: 1}, attacks: [gradient-differencing, label-inference]}`,
			"1 difference of gradients is"},
		{rows + `rounds: {count: 1}
algorithm: {kind: private-dgd, alpha: 50, step: 0.5}
adversary: {knows: {victim: 1, all-but: 2, attribute: label}, attacks: [attribute, property]}`, "by 1 round;"},
		{rows + `rounds: {count: 1}
algorithm: {kind: dgd, step: 0.01, decay: none}
adversary: {view: {nodes: [0]}, knows: {victim: 2}, attacks: [beyond-neighbours]}`, "1 round: "},
		{`problem:
  {data: {set: twonorm, rows: 60, dimension: 4}, train: 40, rho: 0.3, columns: [2, 2], scale: {intercept: false}}
rounds: {count: 2}
algorithm: {kind: admm-sharing, eta: 0.01}
adversary: {knows: {victim: 1, candidates: 1}, attacks: [column-space]}`, "1 message of node 1 spans"},
	} {
		graph := "{kind: ring, nodes: 4}"
		if strings.Contains(c.text, "columns") {
			graph = "{kind: star, nodes: 3}"
		}
		text := "name: one\nnetwork: {topology: " + graph + "}\n" + c.text + "\n"
		_, a := attacked(t, text)
		said := a.Threat.Knows
		for _, f := range a.Findings {
			said += "\n" + f.Attack + ": " + f.Conclusion + "\n" + strings.Join(f.Unseen, "\n")
		}
		if m := plural.FindString(share.ReplaceAllString(said, "of ")); m != "" || !strings.Contains(said, c.one) {
			t.Errorf("%q, and %q is wanted: %s", m, c.one, said)
		}
	}
}
