// Column space, on the real ADMM sharing: noise of any strength inside the column
// space, and noise that covers all directions.

package adversary

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"

	"overhear/algorithms"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// block is a dense random matrix; the last of its columns are sums of the first
// two, if any are to be dependent.
func block(seed uint64, rows, columns, dependent int) *problem.Rows {
	r := rand.New(rand.NewPCG(seed, uint64(rows)))
	b := problem.NewRows(columns)
	cols := make([]int32, columns)
	for k := range cols {
		cols[k] = int32(k)
	}
	for range rows {
		vals := make([]float64, columns)
		for k := range vals {
			vals[k] = r.NormFloat64()
			if k >= columns-dependent {
				vals[k] = vals[0] + vals[1]
			}
		}
		b.Append(cols, vals)
	}
	return b
}

// share runs ADMM sharing over blocks of the same number of rows.
func share[P any](t *testing.T, method string, blocks []*problem.Rows, rounds int, link sim.Link,
	set func(*P)) (*Recording, *model.Public) {
	t.Helper()
	n := blocks[0].Len()
	v := &problem.Vertical{N: n, Blocks: blocks, Ridge: 0.1, Weight: 1 / float64(n), Loss: problem.Logistic}
	var edges [][2]int
	public := model.Run{Rounds: rounds, Loss: v.Loss, Hub: true, Timing: model.Timing{Lockstep: true}, Rows: n,
		Ridge: v.Ridge}
	for m, b := range blocks {
		edges = append(edges, [2]int{0, m + 1})
		v.D += b.D
		public.Widths = append(public.Widths, b.D)
	}
	for k := range n {
		v.Y = append(v.Y, float64(2*(k%2)-1))
	}
	g, err := sim.NewGraph(len(blocks)+1, edges)
	if err != nil {
		t.Fatal(err)
	}
	public.Graph = g
	entry, _ := algorithms.Lookup(method)
	params := defaults[P](t, entry)
	set(params)
	setting := algorithms.Setting{Split: v, Graph: g, Rounds: rounds, Seed: 1}
	m, err := entry.New(params, setting)
	if err != nil {
		t.Fatal(err)
	}
	rec := &Recording{Seed: 1}
	c := algorithms.Config{Setting: setting, Method: m, Observer: watcher{rec}}
	if link.Loss > 0 {
		c.Retry, c.Deadline = 10e6, 60e9
	}
	link.Latency = sim.Latency{Kind: "constant", Value: 1e6}
	protocol, err := algorithms.NewProtocol(c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.New(sim.Config{Seed: 1, Graph: g, Workers: 1, Link: link, Sent: func(p *sim.Packet) {
		rec.Messages = append(rec.Messages, record.Message{
			ID: p.ID, Src: p.From, Dst: p.To, Round: p.Round, SentNS: int64(p.Sent), ReceivedNS: int64(p.Received),
			Kind: algorithms.Kinds[p.Kind],
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	protocol.Attach(e)
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := protocol.Unfinished(); err != nil {
		t.Fatal(err)
	}
	return rec, known(t, method, params, public)
}

const splitRows = 20

// parties are blocks of two parties; of the second's columns some may depend on
// others.
func parties(dependent int) []*problem.Rows {
	return []*problem.Rows{block(1, splitRows, 3, 0), block(2, splitRows, 5, dependent)}
}

// rivals are candidates for the second party's block, which is the one of index 2.
func rivals(truth *problem.Rows) []*problem.Rows {
	cell := problem.NewRows(truth.D)       // in which one number of one row is another
	larger := problem.NewRows(truth.D + 1) // with a column more
	extra := block(11, splitRows, 1, 0)
	for n := range splitRows {
		cols, vals := truth.Row(n)
		cell.Append(cols, vals)
		_, more := extra.Row(n)
		larger.Append([]int32{0, 1, 2, 3, 4, 5}, append(slices.Clone(vals), more...))
	}
	cell.Val[2] += 0.1
	return []*problem.Rows{block(9, splitRows, 5, 0), cell, truth, larger}
}

func TestColumnSpace_TellsBlocksAtAnySigma(t *testing.T) {
	for _, sigma := range []float64{1e-3, 1, 1e3} {
		for _, dependent := range []int{0, 2} {
			name := fmt.Sprintf("σ = %v, %d dependent columns", sigma, dependent)
			blocks := parties(dependent)
			rec, pub := share(t, "private-admm-sharing", blocks, 9, sim.Link{Loss: 0.2},
				func(p *algorithms.PrivateSharing) {
					p.Eta, p.Sigma, p.Form, p.Cover = 1, sigma, "averaged", "range"
				})
			candidates := rivals(blocks[1])
			got := carry(t, "column-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 2, Blocks: candidates}))
			for _, m := range got.Members {
				if contains := m.Candidate >= 2; m.Member != (m.Candidate == 2) || contains && !(m.Score < 1e-12) ||
					!contains && !(m.Score > 1e-3) {
					t.Errorf("%s: %+v", name, m)
				}
			}
			if len(got.Members) != 4 || len(got.Unseen) != 0 || !strings.Contains(got.Conclusion,
				"whole column space") {
				t.Errorf("%s: %s, unseen %q", name, got.Conclusion, got.Unseen)
			}
			rank := 5 - dependent
			if fact := got.Facts[0]; fact.Values[0] != float64(rank) || fact.Round != rank ||
				fact.Kind != record.MessageRank {
				t.Errorf("%s: %+v, want rank %d", name, fact, rank)
			}
			for c, fact := range got.Facts[1:] {
				for k, distance := range fact.Values {
					inside := c == 2 || c == 1 && k != 2 || c == 3 && k != 5
					if inside && !(distance < 1e-9) || !inside && !(distance > 1e-3) {
						t.Errorf("%s: column %d of candidate %d is %.3g away", name, k, c, distance)
					}
				}
			}
			// One message is enough to tell the blocks.
			one := carry(t, "column-space", Observe(rec, Vantage{From: 9}, pub,
				&Knowledge{Victim: 2, Blocks: candidates}))
			for _, m := range one.Members {
				if m.Member != (m.Candidate >= 2) {
					t.Errorf("%s, one message: %+v", name, m)
				}
			}
			if len(one.Unseen) != 1 || !strings.Contains(one.Unseen[0], "8 of the 9") ||
				!strings.Contains(one.Conclusion, "spans 1 of 20 dimensions, as many as they can") {
				t.Errorf("%s, one message: %s, unseen %q", name, one.Conclusion, one.Unseen)
			}
		}
	}
}

func TestColumnSpace_WithoutNoise(t *testing.T) {
	blocks := parties(0)
	rec, pub := share(t, "admm-sharing", blocks, 8, sim.Link{}, func(p *algorithms.Sharing) {
		p.Eta, p.Form = 1,
			"averaged"
	})
	got := carry(t, "column-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1,
		Blocks: []*problem.Rows{blocks[1], blocks[0]}}))
	if got.Members[0].Member || !got.Members[1].Member || got.Facts[0].Values[0] != 3 {
		t.Errorf("%+v, %+v", got.Members, got.Facts[0])
	}
}

func TestColumnSpace_AmbientNoiseHides(t *testing.T) {
	blocks := parties(0)
	rec, pub := share(t, "private-admm-sharing", blocks, 12, sim.Link{}, func(p *algorithms.PrivateSharing) {
		p.Eta, p.Sigma, p.Form, p.Cover = 1, 1, "averaged", "ambient"
	})
	got := carry(t, "column-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 2, Blocks: rivals(blocks[1])}))
	if got.Succeeded != record.Failed || !strings.Contains(got.Conclusion, "covers all directions") ||
		got.Facts[0].Values[0] != 12 {
		t.Errorf("%s: %s, %+v", got.Succeeded, got.Conclusion, got.Facts[0])
	}
	for _, m := range got.Members {
		if m.Member || !(m.Score > 0.5) { // of 20 directions 15 are outside
			t.Errorf("%+v", m)
		}
	}
	// A block with as many columns as rows holds everything and says nothing.
	full := carry(t, "column-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 2, Blocks: []*problem.Rows{block(3,
		splitRows, splitRows, 0)}}))
	if full.Members[0].Member || !strings.Contains(full.Conclusion, "which every message fits") {
		t.Errorf("%s, %+v", full.Conclusion, full.Members)
	}
}

func TestColumnSpace_Blocked(t *testing.T) {
	blocks := parties(0)
	rec, pub := share(t, "admm-sharing", blocks, 4, sim.Link{}, func(p *algorithms.Sharing) {
		p.Eta, p.Form = 1,
			"averaged"
	})
	for _, c := range []struct {
		w      Vantage
		victim int
		says   string
	}{
		{Vantage{Links: [][2]int{{0, 1}}}, 2, "no message of node 2"},
		{Vantage{}, 0, "node 0 is no party"},
	} {
		if b := carry(t, "column-space", Observe(rec, c.w, pub, &Knowledge{Victim: c.victim,
			Blocks: blocks})); b.Succeeded != record.Blocked || !strings.Contains(b.Conclusion, c.says) {
			t.Errorf("%s: %s", b.Succeeded, b.Conclusion)
		}
	}
	f := small(t, 4, 4, ring(5))
	admm, public := run(t, f, "admm", 4, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	if b := carry(t, "column-space", Observe(admm, Vantage{}, public,
		&Knowledge{Victim: 1})); b.Succeeded != record.Blocked {
		t.Errorf("%+v", b)
	}
}
