// Runs that would not end are refused.

package experiment

import (
	"strings"
	"testing"

	"overhear/scenarios"
)

// A scenario in which nodes crash or ask so often that a run would not end is refused before
// it begins, and what is to be longer is named; one that is only busy is not.
func TestAssemble_RefusesRunsWithoutEnd(t *testing.T) {
	const text = `name: busy
problem: {data: {set: twonorm, rows: 60, dimension: 2}, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}, latency: 5ms}
rounds: {count: 20}
algorithm: {kind: admm, eta: 0.1}
`
	const lossy = "network.loss=0.5"
	for _, c := range []struct {
		sets []string
		says string // "": it is run
	}{
		{[]string{"network.faults=[{crashes: {every: 1ns, for: 1ns}}]"},
			"faults[0].crashes: all nodes crash after 1ns on average, for 1ns on average, memory kept, from 0s on: " +
				"about 1e+07 outages in each round, which takes 5.0006ms or longer"},
		{[]string{"network.faults=[{slow: 1, factor: 2}, {crashes: {every: 1ns, for: 1us, nodes: [2]}}]"},
			"faults[1].crashes: node 2 crashes after 1ns on average"},
		{[]string{"network.faults=[{crashes: {every: 1ns, for: 1ns}, until: 1us}]"}, ""},
		{[]string{"network.faults=[{crashes: {every: 10us, for: 1us}}]"}, ""},
		{[]string{"network.faults=[{crashes: {every: 1ms, for: 1ms}}]", "rounds.count=100000"}, ""},
		{[]string{"rounds.retry=1ns"}, ""}, // nothing is lost: nobody asks
		{[]string{"rounds.retry=1ns", lossy}, "rounds.retry: 1ns: about 5e+06 requests in each round"},
		{[]string{"rounds.retry=1us", lossy}, ""},
		{[]string{"rounds.retry=2ns", "rounds.deadline=1ms", "rounds.count=3", lossy}, ""},
		{[]string{"rounds={mode: asynchronous, count: 20, timeout: 1ns, staleness: 1}"}, "rounds.timeout: 1ns"},
		{[]string{"rounds={mode: asynchronous, count: 20, timeout: 1ns}"}, ""}, // nobody waits
		{[]string{"rounds={mode: asynchronous, count: 20, timeout: 0s, quorum: 1, retry: 1ns}", lossy},
			"rounds.retry: 1ns"},
	} {
		s, err := scenarios.Parse("busy.yaml", []byte(text), c.sets...)
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(s, "").Assemble(t.Context(), 1)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v: %v, want %q", c.sets, err, c.says)
		}
	}
}
