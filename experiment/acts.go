// Runs some of whose nodes lie: what becomes of claims, and of the honest nodes.

package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/adversary/acts"
	"overhear/algorithms"
	"overhear/internal/plural"
	"overhear/metrics"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// trusting is why the method's claim is not established where nodes lie; nil: it is, or nobody does.
func (e *Experiment) trusting(a *Assembly) error {
	if a.Liars == nil || e.Entry.Active == nil || e.Entry.Active.Stands {
		return nil
	}
	return fmt.Errorf("nodes lie (adversary.acts), and %v", e.Entry.Active)
}

// distrust has neither a claim nor a certificate established for a reason, if there is one.
func (a *Account) distrust(why error) {
	if why == nil {
		return
	}
	if a.lied == nil {
		a.lied = why
	}
	if a.Established == nil {
		a.Established = why
	}
}

// Amid has neither established if what liars sent in runs breaks what it is proved with.
func (e *Experiment) Amid(a *Assembly, l algorithms.Lied) {
	if a.Liars != nil && a.Account != nil {
		a.Account.distrust(algorithms.Amid(a.Method, a.Setting, e.Solver.Tolerance, l))
	}
}

// testimony is what a run with liars is judged by.
type testimony struct {
	liars *acts.Company
	lies  map[int]int64 // by node, how many values it sent that were not its own, or left out
	algorithms.Lied
}

// told takes in a packet.
func (t *testimony) told(p *sim.Packet) { t.Hear(t.liars, int(p.From), int(p.To), p.Kind, p.Payload) }

// solved takes in a step.
func (t *testimony) solved(node int, s problem.Stats) { t.Solved(t.liars, node, s.Scale) }

// acted is what run.json says of who lied; nil: all nodes were honest.
func (e *Experiment) acted(out *outcome, r *recorder) *record.Acts {
	if out.Liars == nil {
		return nil
	}
	list := e.Acts()
	a := &record.Acts{Distance: record.Number(math.NaN()), Heard: record.Number(r.witness.Heard)}
	for k := range list {
		for _, n := range list[k].Nodes {
			a.Liars = append(a.Liars, record.Liar{Node: n, Kind: list[k].Kind, How: list[k].String(),
				Lies: r.witness.lies[n]})
		}
	}
	slices.SortFunc(a.Liars, func(x, y record.Liar) int { return x.Node - y.Node })
	if e.Entry.Active != nil && out.Account != nil {
		a.Claim = e.Entry.Active.String()
	}
	honest, o, err := Honest(out.Assembly)
	if err != nil {
		return a
	}
	var latest [][]float64
	for _, i := range honest {
		if r.latest[i] != nil {
			latest = append(latest, r.latest[i])
		}
	}
	if d := metrics.Farthest(latest, o.F); d >= 0 {
		a.Distance = record.Number(d)
	}
	return a
}

// Honest are the nodes of a run that do not lie, and the optimum of their data alone.
func Honest(a *Assembly) (nodes []int, o *problem.Optimum, err error) {
	p := *a.Problem
	p.Shards, p.R = nil, nil
	for i := range a.Problem.Shards {
		if !a.Liars.Lies(i) {
			nodes = append(nodes, i)
			p.Shards, p.R = append(p.Shards, a.Problem.Shards[i]), append(p.R, a.Problem.R[i])
		}
	}
	o, err = p.Centralised()
	return nodes, o, err
}

// lied say in words what nodes that lie change.
func lied(a *record.Acts) []string {
	if a == nil {
		return nil
	}
	var who []string
	for _, l := range a.Liars {
		who = append(who, fmt.Sprintf("node %d, %s, by %s", l.Node, plural.Of(int(l.Lies), "time"), l.Kind))
	}
	text := fmt.Sprintf("nodes lie (adversary.acts): %s; the metrics are of all nodes' own iterates",
		strings.Join(who, ", "))
	if d := float64(a.Distance); !math.IsNaN(d) {
		text += fmt.Sprintf("; the distance of the worst honest node from the optimum of the honest nodes' data is "+
			"%.6g at the end", d)
	}
	return []string{text}
}
