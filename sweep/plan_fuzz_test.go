// A plan that is read describes points, or is said to be none.

package sweep

import (
	"bytes"
	"testing"
)

func FuzzPlan(f *testing.F) {
	p := plan(f, fuzzedSweep, Options{})
	f.Add(p.JSON())
	f.Add(bytes.Replace(p.JSON(), []byte(`"format":`), []byte(`"format":9`), 1))
	f.Add([]byte(`{"format": 1, "axes": [{"path": "a", "values": []}], "keep": "last"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePlan(b)
		if err != nil {
			return
		}
		again, err := decodePlan(p.JSON())
		if err != nil || !bytes.Equal(again.JSON(), p.JSON()) {
			t.Errorf("%s becomes %s (%v)", b, p.JSON(), err)
		}
		_, _ = ReadPlan(b)
	})
}

// Of what a shard's text may be, those are shards whose number is below their count.
func FuzzShard(f *testing.F) {
	f.Add("1/3")
	f.Add("3/1")
	f.Fuzz(func(t *testing.T, text string) { _, _ = ParseShard(text) })
}

const fuzzedSweep = `name: fuzzed
problem: {data: {set: twonorm, rows: 30, dimension: 2}, rho: 0.3}
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 2}
algorithm: {kind: admm}
sweep: {grid: ["algorithm.eta=0.1,0.2"]}
`
