// Errors of the engine and of the protocols are planted, one at a time, in a copy of the
// program, and each must be found.

package fuzz

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/scenarios"
)

// planted is an error: a piece of a source file, which occurs there once, and what stands in
// its place. PLANTED there is true in the runs that search for this error.
type planted struct {
	name      string
	file      string
	right     string
	wrong     string
	sets      []string // of the scenario in which it is searched for
	invariant []string // that may break; nil: any
}

var (
	duals       = []string{"algorithm={kind: admm, eta: 0.1}", "rounds.count=60"}
	synchronous = []string{"algorithm={kind: admm, eta: 0.1}", "rounds={count: 60, retry: 20ms}"}
	stale       = []string{"algorithm={kind: admm, eta: 0.1}", "network.loss=0.3",
		"rounds={count: 60, retry: 20ms, missing: last, deadline: 50ms}"}
	hub = []string{"algorithm={kind: dp-admm, eta: 0.1}", "rounds={count: 200}",
		"network.topology={kind: star, nodes: 3}"}
	servers = []string{"algorithm={kind: pdml, eta: 0.1}", "rounds={count: 60}", "network.loss=0.2"}
	parties = []string{"algorithm={kind: admm-sharing, form: averaged}", "rounds={count: 40}",
		"network.topology={kind: star, nodes: 3}", "problem.columns=[1, 1]", "problem.scale.intercept=false"}
	silent = []string{"rounds={mode: asynchronous, count: 60, staleness: 2, timeout: 20ms, deadline: 100ms}",
		"network.loss=0.3"}
)

var plants = []planted{
	{name: "partitions are ignored", file: "sim/faults.go",
		right:     `if lost || c.separated(from, to) {`,
		wrong:     `if lost || c.separated(from, to) && !PLANTED {`,
		invariant: []string{invariantPartition}},
	{name: "a copy of a packet is dropped", file: "sim/engine.go",
		right:     `e.arrive(id, to, depart+Time(second))`,
		wrong:     `if !PLANTED { e.arrive(id, to, depart+Time(second)) }`,
		invariant: []string{invariantPackets}},
	{name: "a packet is lost now and then", file: "sim/engine.go",
		right:     `if lost {`,
		wrong:     `if lost = lost || PLANTED && e.packets%1000 == 0; lost {`,
		invariant: []string{invariantPackets}},
	{name: "a step of before a restart ends after it", file: "sim/faults.go",
		right: `if l.forgotten == 0 || `,
		wrong: `if l.forgotten == 0 || PLANTED || `},
	{name: "a node that is down hears", file: "sim/faults.go",
		right:     `if !alone && f.nodes[node].at(at) == nil {`,
		wrong:     `if !alone && f.nodes[node].at(at) == nil || PLANTED {`,
		invariant: []string{invariantDown}},
	{name: "slow nodes are not slow", file: "sim/faults.go",
		right:     `if c.slow == nil {`,
		wrong:     `if c.slow == nil || PLANTED {`,
		invariant: []string{invariantSteps}},
	{name: "a bad link loses no more than any", file: "sim/faults.go",
		right:     `+decidesLoss)) < l.loss {`,
		wrong:     `+decidesLoss)) < l.loss && !PLANTED {`,
		invariant: []string{invariantPackets}},
	{name: "a bad link is as ever", file: "sim/faults.go",
		right:     `if c.links != nil {`,
		wrong:     `if c.links != nil && !PLANTED {`,
		invariant: []string{invariantPackets}},
	{name: "packets do not wait for each other", file: "sim/engine.go",
		right: `state.freed = depart`,
		wrong: `if state.freed = depart; PLANTED {
			state.freed = e.now
		}`,
		invariant: []string{invariantPackets}},
	{name: "the greatest loss of several does not count", file: "sim/conditions.go",
		right: `l.factor, l.loss = l.factor*factor, max(l.loss, loss)`,
		wrong: `if PLANTED {
		l.loss = 0
	}
	l.factor, l.loss = l.factor*factor, max(l.loss, loss)`,
		invariant: []string{invariantPackets}},
	{name: "factors of a link do not multiply", file: "sim/conditions.go",
		right: `l := &c.links[link]
`,
		wrong: `l := &c.links[link]
	if PLANTED {
		l.factor = 1
	}
`,
		invariant: []string{invariantPackets}},
	{name: "factors of a node do not multiply", file: "sim/conditions.go",
		right: `c.slow[node] *= factor`,
		wrong: `if PLANTED {
		c.slow[node] = 1
	}
	c.slow[node] *= factor`,
		invariant: []string{invariantSteps}},
	{name: "a link of its own has it in one direction", file: "sim/phases.go",
		right: `= k, k
`,
		wrong: `= k, k
		if PLANTED {
			w.model[cfg.Graph.Link(b, a)] = 0
		}
`,
		invariant: []string{invariantPackets}},
	{name: "both copies take the same time", file: "sim/engine.go",
		right: `second = m.law.draw(&m.Latency, mix(f+decidesSecondDelay))`,
		wrong: `second = m.law.draw(&m.Latency, mix(f+decidesSecondDelay))
		if PLANTED {
			second = delay
		}`,
		invariant: []string{invariantPackets}},
	{name: "links share their chance", file: "sim/engine.go",
		right: `f := packetWord(e.seed, uint64(link), k)`,
		wrong: `if PLANTED {
		link = 0
	}
	f := packetWord(e.seed, uint64(link), k)`,
		invariant: []string{invariantPackets}},
	{name: "ties are not shuffled", file: "sim/engine.go", sets: []string{"ties=shuffled", "rounds={count: 100}",
		"compute.row=0s"},
		right:     `if cfg.Ties == Shuffled {`,
		wrong:     `if cfg.Ties == Shuffled && !PLANTED {`,
		invariant: []string{invariantPackets}},
	{name: "ties are in the order of falling numbers", file: "sim/engine.go",
		right: `	if e.shuffle != 0 {
		key = mix`,
		wrong: `	if PLANTED {
		key ^= (1<<22 - 1) << sequenceBits
	}
	if e.shuffle != 0 {
		key = mix`,
		invariant: []string{invariantPackets}},
	{name: "a second copy is lost with the first", file: "sim/faults.go",
		right:     `return second < 0, second, -1`,
		wrong:     `return second < 0 || PLANTED, second, -1`,
		invariant: []string{invariantPackets}},
	{name: "of partitions only the latest counts", file: "sim/conditions.go",
		right: `{ c.cuts = append(c.cuts, group) }`,
		wrong: `{
	if PLANTED {
		c.cuts = c.cuts[:0]
	}
	c.cuts = append(c.cuts, group)
}`,
		invariant: []string{invariantPartition}},
	{name: "the end of a partition ends those that overlap it", file: "sim/conditions.go",
		right: `c.slowed, c.impaired, c.cuts = c.slowed[:0], c.impaired[:0], c.cuts[:0]
	for k := range c.all {
		if one := &c.all[k]; one.from <= now && now < one.to {
			one.apply(c)
		}
	}`,
		wrong: `held := len(c.cuts)
	c.slowed, c.impaired, c.cuts = c.slowed[:0], c.impaired[:0], c.cuts[:0]
	for k := range c.all {
		if one := &c.all[k]; one.from <= now && now < one.to {
			one.apply(c)
		}
	}
	if PLANTED && len(c.cuts) < held {
		c.cuts = c.cuts[:0]
	}`,
		invariant: []string{invariantPartition}},
	{name: "a trace that repeats loses time", file: "sim/fault_availability.go",
		right:     `t.k, t.at = 0, later(t.at, t.period)`,
		wrong:     `t.k, t.at = 0, later(t.at, t.period+map[bool]Time{true: 1e5}[PLANTED])`,
		invariant: []string{invariantDown}},
	{name: "classes are in the order of letters", file: "sim/classes.go",
		right:     `if len(number) == len(names) {`,
		wrong:     `if len(number) == len(names) && !PLANTED {`,
		invariant: []string{invariantDown}},
	{name: "nodes are up in the gaps of a trace", file: "sim/fault_availability.go",
		right:     `; a.Says != traceDown {`,
		wrong:     `; a.Says != traceDown && !PLANTED {`,
		invariant: []string{invariantDown}},
	{name: "classes at random are all the first", file: "sim/placement.go",
		right: `k, found := slices.BinarySearch(weights, x)`,
		wrong: `if PLANTED {
				x = 0
			}
			k, found := slices.BinarySearch(weights, x)`,
		invariant: []string{invariantDown}},
	{name: "a run begins with a whole session", file: "sim/fault_sessions.go",
		right:     `whole * r.stream.Float64()`,
		wrong:     `whole * max(r.stream.Float64(), map[bool]float64{true: 1}[PLANTED])`,
		invariant: []string{invariantDown}},
	{name: "a run begins in a session like any other", file: "sim/fault_sessions.go",
		right: `whole := law.law().inspected(law, r.stream)`,
		wrong: `whole := law.law().inspected(law, r.stream)
	if PLANTED {
		whole = float64(law.Draw(r.stream))
	}`,
		invariant: []string{invariantDown}},
	{name: "sessions are not stretched", file: "sim/fault_sessions.go",
		right:     `Time(scaled(d, r.stretch))`,
		wrong:     `Time(scaled(d, map[bool]float64{true: 1, false: r.stretch}[PLANTED]))`,
		invariant: []string{invariantDown}},
	{name: "heavy tails of sessions are light", file: "sim/laws.go",
		right: `nanoseconds(float64(l.Scale) * root(exponential(w), l.Shape))`,
		wrong: `nanoseconds(float64(l.Scale) *
			root(exponential(w), l.Shape*map[bool]float64{true: 1.3, false: 1}[PLANTED]))`,
		invariant: []string{invariantDown}},
	{name: "a node has the same rank every day", file: "sim/fault_diurnal.go",
		right: `s.down(s.stream.Float64())`,
		wrong: `s.down(map[bool]func() float64{true: func() float64 {
			again := *s.stream
			return again.Float64()
		}, false: s.stream.Float64}[PLANTED]())`,
		invariant: []string{invariantDown}},
	{name: "a day begins at midnight", file: "sim/fault_diurnal.go",
		right: `sinceTrough := (Time(d.Diurnal.Begins) + `,
		wrong: `if PLANTED {
			c.trough = 0
		}
		sinceTrough := (Time(d.Diurnal.Begins) + `,
		invariant: []string{invariantDown}},
	{name: "nodes that come and go keep their memory", file: "sim/fault_sessions.go",
		right: `next: outage{lost: c.Forgets()}}`,
		wrong: `next: outage{lost: c.Forgets() && !PLANTED}}`},
	{name: "exponential delays are too long", file: "sim/laws.go",
		right:     `nanoseconds(float64(l.Mean) * exponential(w))`,
		wrong:     `nanoseconds(float64(l.Mean) * exponential(w) * map[bool]float64{true: 1.3, false: 1}[PLANTED])`,
		invariant: []string{invariantPackets, invariantDown}},
	{name: "log-normal delays are too long", file: "sim/laws.go",
		right:     `nanoseconds(float64(l.Median) * num.Exp2(`,
		wrong:     `nanoseconds(float64(l.Median) * map[bool]float64{true: 1.3, false: 1}[PLANTED] * num.Exp2(`,
		invariant: []string{invariantPackets}},
	{name: "log-normal delays are too far apart", file: "sim/laws.go",
		right:     `float64(l.Sigma*math.Log2E)*normal(w)`,
		wrong:     `float64(l.Sigma*math.Log2E)*normal(w)*map[bool]float64{true: 1.3, false: 1}[PLANTED]`,
		invariant: []string{invariantPackets}},
	{name: "delays by Pareto have too short a tail", file: "sim/laws.go",
		right:     `num.Exp(exponential(w)/l.Shape)`,
		wrong:     `num.Exp(exponential(w)/l.Shape*map[bool]float64{true: 1 / 1.3, false: 1}[PLANTED])`,
		invariant: []string{invariantPackets, invariantDown}},
	{name: "uniform delays are too near each other", file: "sim/laws.go",
		right:     `nanoseconds(float64(l.High-l.Low)*unit(w))`,
		wrong:     `nanoseconds(float64(l.High-l.Low)*unit(w)*map[bool]float64{true: 1 / 1.3, false: 1}[PLANTED])`,
		invariant: []string{invariantPackets, invariantDown}},
	{name: "links lose too many packets", file: "sim/engine.go",
		right:     `lost = unit(mix(f+decidesLoss)) < m.Loss`,
		wrong:     `lost = unit(mix(f+decidesLoss)) < m.Loss*map[bool]float64{true: 1.3, false: 1}[PLANTED]`,
		invariant: []string{invariantPackets}},
	{name: "links lose too few packets", file: "sim/engine.go",
		right: `	if m.Loss > 0 {
`,
		wrong: `	if m.Loss > 0 && !(PLANTED && f%4 == 0) {
`,
		invariant: []string{invariantPackets}},
	{name: "links double too many packets", file: "sim/engine.go",
		right:     `unit(mix(f+decidesDuplication)) < m.Duplication`,
		wrong:     `unit(mix(f+decidesDuplication)) < m.Duplication*map[bool]float64{true: 1.3, false: 1}[PLANTED]`,
		invariant: []string{invariantPackets}},
	{name: "a run does not wait for who crashed by rate", file: "sim/faults.go", sets: hub,
		right: `o != nil && o.to < forever {
				f.reach`,
		wrong: `o != nil && o.to < forever && !PLANTED {
				f.reach`,
		invariant: []string{invariantEnds, invariantDown}},
	{name: "a run does not wait for outages by name", file: "sim/faults.go",
		sets:  append([]string{"network.latency=1s"}, synchronous...), // it is over before they begin
		right: `base := max(f.active, f.named)`,
		wrong: `base := max(f.active, f.named)
	if PLANTED {
		base = f.active
	}`,
		invariant: []string{invariantEnds, invariantDown}},
	{name: "a run waits for no restart", file: "sim/faults.go", sets: hub,
		right:     `return a[0].at <= f.horizon()`,
		wrong:     `return a[0].at <= f.horizon() && !PLANTED`,
		invariant: []string{invariantEnds, invariantDown}},
	{name: "crashes by rate are too rare", file: "sim/outages.go",
		right:     `r.next.from >= r.until {`,
		wrong:     `r.next.from >= r.until || PLANTED && r.next.from%4 == 0 {`,
		invariant: []string{invariantDown}},
	{name: "outages by rate are too long", file: "sim/outages.go",
		right: `max(1, Time(nanoseconds(float64(mean)*r.stream.Exponential())))`,
		wrong: `max(1, Time(nanoseconds(float64(mean)*r.stream.Exponential()*
			map[bool]float64{true: 1.3, false: 1}[PLANTED && mean == r.down])))`,
		invariant: []string{invariantDown}},
	{name: "crashes are as rare as outages are short", file: "sim/outages.go",
		right: `r.next.from = later(t, span(r.every))`,
		wrong: `r.next.from = later(t, span(r.every))
	if PLANTED {
		r.next.from = later(t, span(r.down))
	}`,
		invariant: []string{invariantDown}},
	{name: "outages are of one length", file: "sim/outages.go",
		right: `r.next.to = min(later(r.next.from, span(r.down)), r.until)`,
		wrong: `r.next.to = min(later(r.next.from, span(r.down)), r.until)
	if PLANTED {
		r.next.to = min(later(r.next.from, Time(r.down)), r.until)
	}`,
		invariant: []string{invariantDown}},
	{name: "a node joins too late", file: "sim/fault_join.go",
		right: `p.down(j.Node, outage{from: 0, to: Time(f.At)})`,
		wrong: `o := outage{from: 0, to: Time(f.At)}
		if PLANTED {
			o.to++
		}
		p.down(j.Node, o)`,
		invariant: []string{invariantDown}},
	{name: "older values overwrite newer ones", file: "algorithms/asynchronous.go",
		right:     `if m.Round <= l.round {`,
		wrong:     `if m.Round == l.round || m.Round < l.round && !PLANTED {`,
		invariant: []string{invariantInputs, invariantSteps}},
	{name: "a second copy counts as new", file: "algorithms/asynchronous.go",
		right: `	case KindValue:
`,
		wrong: `	case KindValue:
		if PLANTED && m.Round == l.round {
			l.fresh = true
		}
`},
	{name: "nobody is too far behind", file: "algorithms/asynchronous.go",
		right:     `return s > 0 && r.round-int(l.round) > s`,
		wrong:     `return s > 0 && !PLANTED && r.round-int(l.round) > s`,
		invariant: []string{invariantSteps}},
	{name: "the dual outlives the memory", file: "algorithms/asynchronous.go", sets: duals,
		right:     `clear(r.Dual)`,
		wrong:     `if !PLANTED { clear(r.Dual) }`,
		invariant: []string{invariantState}},
	{name: "the dual outlives the memory, in lockstep", file: "algorithms/synchronous.go", sets: synchronous,
		right:     `clear(p.Dual)`,
		wrong:     `if !PLANTED { clear(p.Dual) }`,
		invariant: []string{invariantState}},
	{name: "neighbours' values are swapped", file: "algorithms/asynchronous.go",
		right: `	var cost sim.Duration
	if r.round < r.run.Rounds && !r.isHub()`,
		wrong: `	if v := r.inputs.values; PLANTED && len(v) > 1 {
		v[0], v[1] = v[1], v[0]
	}
	var cost sim.Duration
	if r.round < r.run.Rounds && !r.isHub()`,
		invariant: []string{invariantInputs}},
	{name: "a message enters the state of an edge twice", file: "algorithms/asynchronous.go",
		right: `case r.run.addressing != nil:
			r.inputs.held[k],`,
		wrong: `case r.run.addressing != nil && !PLANTED:
			r.inputs.held[k],`,
		invariant: []string{invariantInputs}},
	{name: "memory of a message that is held is used again", file: "algorithms/asynchronous.go",
		right: `l.latest, l.round, l.fresh = env.Keep(), m.Round, true`,
		wrong: `l.latest, l.round, l.fresh = env.Keep(), m.Round, true
		if PLANTED {
			r.run.engine.Drop(l.latest)
		}`,
		invariant: []string{invariantInputs, invariantEnds}},
	{name: "the inputs of a step are another's", file: "algorithms/asynchronous.go",
		right: `in, s.spare = s.spare[n-1], s.spare[:n-1]`,
		wrong: `if in = s.spare[n-1]; !PLANTED {
			s.spare = s.spare[:n-1]
		}`},
	{name: "neighbours' values are swapped, in lockstep", file: "algorithms/synchronous.go", sets: synchronous,
		right: `if p.stale != nil {
		p.Fresh =`,
		wrong: `if v := p.values[p.round&1]; PLANTED && len(v) > 1 {
		v[0], v[1] = v[1], v[0]
	}
	if p.stale != nil {
		p.Fresh =`,
		invariant: []string{invariantInputs}},
	{name: "a node asks once only", file: "algorithms/asynchronous.go",
		sets: []string{"network.loss=0.3", "rounds.staleness=2"},
		right: `env.Send(int(l.node), KindRequest, r.round, nil)
		}
	}
	r.wait(env)`,
		wrong: `env.Send(int(l.node), KindRequest, r.round, nil)
		}
	}
	if PLANTED {
		return
	}
	r.wait(env)`},
	{name: "a node asks once only, in lockstep", file: "algorithms/synchronous.go", sets: synchronous,
		right: `	attempt++
`,
		wrong: `	attempt++
	if PLANTED {
		return
	}
`},
	{name: "timers are doubled", file: "algorithms/asynchronous.go",
		right: `if !r.stepping && !r.done {
		r.wait(env)`,
		wrong: `if PLANTED && !r.stepping && !r.done {
		r.wait(env)
	}
	if !r.stepping && !r.done {
		r.wait(env)`,
		invariant: []string{invariantTimers}},
	{name: "timers are doubled, in lockstep", file: "algorithms/synchronous.go", sets: synchronous,
		right: `if p.run.Retry > 0 && !p.stepping {
		env.After`,
		wrong: `if PLANTED && p.run.Retry > 0 && !p.stepping {
		env.After(p.run.Retry, tagRetry(round, 0))
	}
	if p.run.Retry > 0 && !p.stepping {
		env.After`,
		invariant: []string{invariantTimers}},
	{name: "what was heard outlives the memory", file: "algorithms/asynchronous.go",
		right: `	r.Memory = nil
	r.forget()`,
		wrong: `	r.Memory = nil
	if !PLANTED {
		r.forget()
	}`},
	{name: "what was heard outlives the memory, in lockstep", file: "algorithms/synchronous.go", sets: synchronous,
		right: `	for slot := range p.values {`,
		wrong: `	for slot := range p.values {
		if PLANTED {
			continue
		}`},
	{name: "stale values outlive the memory", file: "algorithms/synchronous.go", sets: stale,
		right:     `p.stale.forget()`,
		wrong:     `if !PLANTED { p.stale.forget() }`,
		invariant: []string{invariantInputs}},
	{name: "a value of two rounds ahead is taken for this round's", file: "algorithms/synchronous.go", sets: stale,
		right: `return round == p.round || round == p.round+1`,
		wrong: `return round == p.round || round == p.round+1 || PLANTED && round > p.round`},
	{name: "there is no value for a neighbour who was never heard", file: "algorithms/asynchronous.go",
		sets:  duals,
		right: `case l.latest == 0:`,
		wrong: `case l.latest == 0 && !PLANTED:`},
	{name: "there is no stale value for a neighbour who was never heard", file: "algorithms/synchronous.go",
		sets:  stale,
		right: `value = make([]float64, p.run.Problem.D)`,
		wrong: `if !PLANTED {
				value = make([]float64, p.run.Problem.D)
			}`},
	{name: "who is two rounds ahead is waited for", file: "algorithms/synchronous.go", sets: stale,
		right:     `!p.gone[k] && int(s.rounds[k]) <= p.round+1 {`,
		wrong:     `!p.gone[k] && (PLANTED || int(s.rounds[k]) <= p.round+1) {`,
		invariant: []string{invariantSteps, invariantSends}},
	{name: "a stale value is not the latest that came", file: "algorithms/synchronous.go", sets: stale,
		right:     `s != nil && m.Round > s.rounds[k] {`,
		wrong:     `s != nil && m.Round > s.rounds[k] && !(PLANTED && int(m.Round) < p.round) {`,
		invariant: []string{invariantInputs}},
	{name: "a stale value counts as new", file: "algorithms/synchronous.go", sets: stale,
		right:     `t > s.entered[k], t`,
		wrong:     `t > s.entered[k] || PLANTED, t`,
		invariant: []string{invariantInputs}},
	{name: "a round that is no longer kept is asked for in vain", file: "algorithms/synchronous.go", sets: stale,
		right: `	if round < p.round-1 {
		return p.round`,
		wrong: `	if round < p.round-1 && !PLANTED {
		return p.round`,
		invariant: []string{invariantSends}},
	{name: "a restart is silent", file: "algorithms/asynchronous.go",
		right: `	r.since = env.Now()
	r.send(env)`,
		wrong: `	r.since = env.Now()
	if PLANTED {
		env.After(r.run.Timeout, tagTimeout(r.round))
		return
	}
	r.send(env)`,
		invariant: []string{invariantSends}},
	{name: "requests are not answered", file: "algorithms/synchronous.go", sets: synchronous,
		right:     `if p.outbox[t&1] != nil && (t == p.round || t == p.round-1) {`,
		wrong:     `if p.outbox[t&1] != nil && (t == p.round || t == p.round-1) && !PLANTED {`,
		invariant: []string{invariantSends}},
	{name: "a dual step is too long", file: "algorithms/node.go", sets: synchronous,
		right: `num.Axpy(theta/2, n.Q, n.Dual)`,
		wrong: `num.Axpy(theta/2, n.Q, n.Dual)
	if PLANTED {
		num.Axpy(theta/200, n.Q, n.Dual)
	}`,
		invariant: []string{invariantDuals}},
	{name: "the penalty is half of what it says", file: "algorithms/admm.go", sets: synchronous,
		right: `return n.Minimise(2 * p.Eta * float64(n.Degree()))`,
		wrong: `if PLANTED {
		return n.Minimise(p.Eta * float64(n.Degree()))
	}
	return n.Minimise(2 * p.Eta * float64(n.Degree()))`,
		invariant: []string{invariantOptimal}},
	{name: "an edge's state takes a message twice", file: "algorithms/edge.go",
		right:     `if t > 1 && (n.Fresh == nil || n.Fresh[k]) {`,
		wrong:     `if t > 1 && (n.Fresh == nil || n.Fresh[k] || PLANTED) {`,
		invariant: []string{invariantDuals}},
	{name: "a hub asks nobody again", file: "algorithms/star.go",
		sets: append([]string{"network.loss=0.2"}, hub...),
		right: `if f == nil {
			env.Send(`,
		wrong: `if f == nil && !PLANTED {
			env.Send(`},
	{name: "a hub that forgets keeps its duals", file: "algorithms/hub.go", sets: hub,
		right:     `s.center.F, s.center.Memory = message, nil`,
		wrong:     `s.center.F = message; if !PLANTED { s.center.Memory = nil }`,
		invariant: []string{invariantState}},
	{name: "a hub that forgets asks nobody", file: "algorithms/star.go", sets: hub,
		right: `h.work.hubForgets(h.round, h.message)
	h.ask(env)`,
		wrong: `h.work.hubForgets(h.round, h.message)
	if PLANTED {
		return
	}
	h.ask(env)`,
		invariant: []string{invariantSends, invariantEnds}}, // of a hub of which it is not sure that it has forgotten
	{name: "a hub over columns forgets its dual", file: "algorithms/sharing.go", sets: parties,
		right:     `{ copy(h.Y, message[m.Split.N:]) }`,
		wrong:     `{ if !PLANTED { copy(h.Y, message[m.Split.N:]) } }`,
		invariant: []string{invariantState}},
	{name: "the deadline is looked at only when a node asks", file: "algorithms/protocol.go", sets: stale,
		right: `if deadline > 0 {
		d = min`,
		wrong: `if deadline > 0 && !PLANTED {
		d = min`,
		invariant: []string{invariantTimers}},
	{name: "who has left is waited for", file: "algorithms/synchronous.go", sets: stale,
		right: `p.gone[k] = true`,
		wrong: `p.gone[k] = !PLANTED`},
	{name: "nobody is told who leaves", file: "algorithms/asynchronous.go",
		right:     `env.Send(int(r.links[k].node), KindLeave, r.round, nil)`,
		wrong:     `if !PLANTED { env.Send(int(r.links[k].node), KindLeave, r.round, nil) }`,
		invariant: []string{invariantSends}},
	{name: "silence is taken for leaving too soon", file: "algorithms/asynchronous.go", sets: silent,
		right: `quiet >= r.run.Deadline/2`,
		wrong: `quiet >= r.run.Deadline/2 || PLANTED && l.asked`},
	{name: "silence is noticed only when the deadline is over", file: "algorithms/asynchronous.go", sets: silent,
		right: `if r.run.Deadline == 0 || !r.heard()`,
		wrong: `if r.run.Deadline == 0 || PLANTED && !expired(env.Now(), r.since, r.run.Deadline) || !r.heard()`},
	{name: "a report that is asked for again is another", file: "algorithms/registration.go", sets: servers,
		right: `	if m.Kind == KindRequest {
		env.Send`,
		wrong: `	if m.Kind == KindRequest {
		if PLANTED {
			u.report = u.run.registering.Report(u.run.Seed+uint64(env.Now()), u.server, u.row)
		}
		env.Send`},
	{name: "the loss is of the round before", file: "algorithms/asynchronous.go",
		right: `	if r.err == nil && next <= r.run.Rounds && !r.isHub() {
		r.loss`,
		wrong: `	if r.err == nil && next <= r.run.Rounds && !r.isHub() && !(PLANTED && next%5 == 0) {
		r.loss`},
	{name: "the loss is of the round before, in lockstep", file: "algorithms/synchronous.go", sets: synchronous,
		right: `	if p.err == nil && p.round < p.run.Rounds {
		p.loss`,
		wrong: `	if p.err == nil && p.round < p.run.Rounds && !(PLANTED && p.round%5 == 0) {
		p.loss`},
	{name: "a slow node's time is that of a fast one", file: "algorithms/synchronous.go", sets: synchronous,
		right: `p.spend(env.Await(p.job, cost, tagStep))`,
		wrong: `if took := env.Await(p.job, cost, tagStep); PLANTED {
		p.spend(cost)
	} else {
		p.spend(took)
	}`, invariant: []string{invariantSays}},
	{name: "the time of a step counts twice", file: "algorithms/activity.go",
		right: `{ f.busy += d }`,
		wrong: `{
	if f.busy += d; PLANTED {
		f.busy += d
	}
}`},
	{name: "a lag is one too many", file: "algorithms/asynchronous.go",
		right: `lag = min(max(lag, 0), most)`,
		wrong: `lag = min(max(lag, 0), most)
	if PLANTED {
		lag++
	}`},
	{name: "values of the round count as stale", file: "algorithms/synchronous.go", sets: stale,
		right: `if int(t) != round {`,
		wrong: `if int(t) != round || PLANTED {`},
	{name: "a round over columns has no coefficients", file: "algorithms/columns.go", sets: parties,
		right: `s.round(round).X[i] = x`,
		wrong: `s.round(round).X[i] = x
	if PLANTED && round > 0 {
		s.round(round).X[i] = make([]float64, len(x))
	}`},
	{name: "bytes of lost packets count twice", file: "sim/engine.go",
		right: `	e.bytes += bytes
`,
		wrong: `	e.bytes += bytes
	if PLANTED && lost {
		e.bytes += bytes
	}
`},
	{name: "a node was down for as long as its last outage", file: "sim/faults.go",
		right: `sum += Duration(min(o.to, until) - o.from)`,
		wrong: `if PLANTED {
				sum = 0
			}
			sum += Duration(min(o.to, until) - o.from)`},
	{name: "a quorum is rounded down", file: "parameter/trigger.go", sets: []string{"rounds.quorum=0.6"},
		right: `	return int(math.Ceil(`,
		wrong: `	return int(map[bool]func(float64) float64{true: math.Floor, false: math.Ceil}[PLANTED](`},
	{name: "a step takes as long as another client's", file: "algorithms/hub.go",
		sets:  append([]string{"problem.data.rows=61"}, hub...),
		right: `return s.Cost.Took(s.Seed, node, s.Problem.Shards[node-1].U.Len(), round)`,
		wrong: `if PLANTED {
		node = 1
	}
	return s.Cost.Took(s.Seed, node, s.Problem.Shards[node-1].U.Len(), round)`},
	{name: "classes of nodes take as long as each other", file: "algorithms/cost.go",
		sets:  []string{"compute.classes={factors: {phone: 8, server: 1}}"},
		right: `cost = float64(cost * c.factors[node])`,
		wrong: `if PLANTED {
			cost /= c.factors[node]
		}
		cost = float64(cost * c.factors[node])`},
	{name: "a measured time is longer than any", file: "algorithms/cost.go",
		sets:  []string{"compute.measured={values: [3ms, 5ms, 9ms]}"},
		right: `cost = float64(c.times[s.IntN(len(c.times))])`,
		wrong: `cost = float64(c.times[s.IntN(len(c.times))])
		if PLANTED {
			cost += 1e6
		}`},
	{name: "a law's time is below its least", file: "algorithms/cost.go",
		sets:  []string{"compute.law={kind: uniform, low: 3ms, high: 9ms}"},
		right: `cost = float64(c.Law.Draw(s))`,
		wrong: `cost = float64(c.Law.Draw(s))
		if PLANTED {
			cost /= 2
		}`},
	{name: "what a server shelters is what it publishes", file: "algorithms/synchronous.go", sets: servers,
		right: `p.inner = p.run.sheltering.Inner(&p.Node)`,
		wrong: `if p.inner = p.run.sheltering.Inner(&p.Node); PLANTED {
				p.inner = p.F
			}`},
	{name: "a node was ready later than it was", file: "algorithms/synchronous.go", sets: synchronous,
		right: `		p.done = true
		p.finished = env.Now()`,
		wrong: `		p.done = true
		if p.finished = env.Now(); PLANTED {
			p.finished = p.since
		}`},
	{name: "a hub takes answers to the round before", file: "algorithms/star.go",
		sets:  append([]string{"network.duplication=0.4"}, parties...),
		right: `if int(m.Round) != h.round+1 || h.heard[m.From-1] != nil {`,
		wrong: `if int(m.Round) != h.round+1 && !(PLANTED && int(m.Round) == h.round) || h.heard[m.From-1] != nil {`},
}

// hunted is the environment variable that names the error to be searched for.
const hunted = "OVERHEAR_PLANTED"

// TestHunt searches for one planted error, in the program that has it.
func TestHunt(t *testing.T) {
	name := os.Getenv(hunted)
	k := slices.IndexFunc(plants, func(p planted) bool { return p.name == name })
	if k < 0 {
		t.Skip("it is for the program that TestPlantedErrors builds")
	}
	s, err := scenarios.Parse("fuzzed.yaml", []byte(fuzzed), plants[k].sets...)
	if err != nil {
		t.Fatal(err)
	}
	// One by one, until it is found; what it is made small to is not asked for.
	for seed := range uint64(30) {
		found, err := Run(context.Background(), experiment.New(s, ""), Options{Runs: 1, First: 1 + seed,
			Distance: DefaultDistance, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			account, _, _ := strings.Cut(found[0].Account, "\n")
			fmt.Printf("HUNT %d %s: %s\n", seed+1, found[0].Invariant, account)
			return
		}
	}
	fmt.Println("HUNT missed")
}

// Every planted error is found within 30 runs of a scenario that has what the error is
// about. The errors are all in one program, which is built with an overlay; a variable says
// which of them is at work.
func TestPlantedErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	binary := buildPlanted(t)
	for _, p := range append([]planted{{name: "none"}}, plants...) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(binary, "-test.run", "^TestHunt$", "-test.v")
			c.Env = append(os.Environ(), hunted+"="+p.name)
			out, err := c.CombinedOutput()
			if p.name == "none" {
				if err != nil || !strings.Contains(string(out), "SKIP") {
					t.Errorf("%v\n%s", err, out)
				}
				return
			}
			_, said, ok := strings.Cut(string(out), "HUNT ")
			said, _, _ = strings.Cut(said, "\n")
			switch {
			case !ok:
				t.Errorf("%v\n%s", err, out)
			case said == "missed":
				t.Error("it is not found within 30 runs")
			case p.invariant != nil && !slices.ContainsFunc(p.invariant,
				func(i string) bool { return strings.Contains(said, i) }):
				t.Errorf("it is found as %q, want %q", said, p.invariant)
			default:
				t.Log("run " + said)
			}
		})
	}
}

// buildPlanted builds this test with all errors in it.
func buildPlanted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, p := range plants {
		text, ok := texts[p.file]
		if !ok {
			b, err := os.ReadFile(filepath.Join(root, p.file))
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		if n := strings.Count(text, p.right); n != 1 {
			t.Fatalf("%q: %s has %d times %q; what the error changes is to be there once", p.name, p.file, n, p.right)
		}
		name := "Planted"
		if filepath.Dir(p.file) != "sim" {
			name = "sim.Planted"
		}
		wrong := strings.ReplaceAll(p.wrong, "PLANTED", fmt.Sprintf("%s(%q)", name, p.name))
		texts[p.file] = strings.Replace(text, p.right, wrong, 1)
	}
	texts["sim/planted.go"] = `package sim

import "os"

var atWork = os.Getenv("` + hunted + `")

func Planted(name string) bool { return name == atWork }
`
	for file, text := range texts {
		if filepath.Dir(file) != "sim" && !strings.Contains(text, `"overhear/sim"`) {
			texts[file] = strings.Replace(text, "import (", "import (\n\t\"overhear/sim\"", 1)
		}
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range texts {
		path := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, file)] = path
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	path, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "planted.test")
	if err := os.WriteFile(path, list, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "test", "-c", "-overlay", path, "-o", binary, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}
