// What went wrong in a run, and what was changed while it went.

package view

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"overhear/evaluation"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// Outage is a time in which a node is down.
type Outage struct {
	Node int    `json:"node"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
	Why  string `json:"why"`
}

// Cut is a time in which groups of nodes are cut off from each other.
type Cut struct {
	From   int64   `json:"from"`
	To     int64   `json:"to"`
	Groups [][]int `json:"groups"`
}

// Fault is an entry of the scenario's fault plan. One that never came into effect has the end of the run as both times.
type Fault struct {
	From int64  `json:"from"`
	To   int64  `json:"to"`
	Link []int  `json:"link"` // that is slow or loses packets; null: another kind, or it never was
	Slow []int  `json:"slow"` // the node that is slow; null: another kind, or it never was
	Text string `json:"text"`

	of sim.Fault // as the scenario has it
}

// Restart is when a node that had lost its memory began to send its start as its value of a round.
type Restart struct {
	Node  int   `json:"node"`
	Round int   `json:"round"`
	At    int64 `json:"at"`
}

// Change is what is different in a run from an instant on, as in a fork.
type Change struct {
	At   int64  `json:"at"`
	Text string `json:"text"`
}

// restarts tells which nodes sent their start once more.
func (b *builder) restarts() error {
	all, err := evaluation.RestartsOf(b.from)
	if err != nil {
		return fmt.Errorf("how nodes went on that had lost their memory: %w", err)
	}
	for _, r := range all {
		if r.Resends && r.Round > 0 { // round 0 is its start
			b.Restarts = append(b.Restarts, Restart{Node: r.Node, Round: r.Round, At: r.At})
		}
	}
	return nil
}

// faults tells when nodes were down and what else went wrong.
func (b *builder) faults() error {
	course := b.scenario.Faults()
	if course.Quiet() {
		return nil
	}
	end := b.last + 1
	course = slices.DeleteFunc(course, func(p sim.FaultPhase) bool { return int64(p.From) >= end })
	if b.graph != nil {
		for k := range course { // the last is the whole
			all, err := b.outages(course[:k+1], end)
			if err != nil {
				return fmt.Errorf("when nodes were down: %w", err)
			}
			b.planned, b.Outages = append(b.planned, all), all
		}
	}
	for k, p := range course {
		from, over := int64(p.From), end // of the plan
		if k+1 < len(course) {
			over = min(over, int64(course[k+1].From))
		}
		for _, f := range p.Plan {
			one := Fault{From: min(max(int64(f.At), from), end), To: over, of: f}
			if f.Until > 0 {
				one.To = min(one.To, int64(f.Until))
			}
			if one.From >= one.To && k+1 < len(course) || f.Until > 0 && int64(f.Until) <= from {
				continue // another plan holds when it would
			}
			kept := slices.IndexFunc(b.Faults, func(g Fault) bool { // of the plan before, too
				return g.To == from && reflect.DeepEqual(f, g.of)
			})
			if _, joins := f.Kind.(sim.Join); joins && int64(f.At) < from {
				continue
			}
			if one.From < end {
				b.effect(&one)
			}
			if kept >= 0 {
				b.Faults[kept].To = one.To
			} else {
				b.Faults = append(b.Faults, one)
			}
		}
	}
	for k := range b.Faults {
		f := &b.Faults[k]
		f.Text = f.of.String()
		if _, joins := f.of.Kind.(sim.Join); joins {
			continue // from 0 on it is absent
		}
		if f.From == end {
			f.Text += "; never came into effect, as the run was over before"
		}
		if f.From > int64(f.of.At) {
			f.Text += fmt.Sprintf("; added at %v", sim.Duration(f.From))
		}
		if f.To < end && (f.of.Until == 0 || f.To < int64(f.of.Until)) {
			f.Text += fmt.Sprintf("; taken away at %v", sim.Duration(f.To))
		}
	}
	return nil
}

// effect notes what a fault does to the network while it lasts.
func (b *builder) effect(f *Fault) {
	switch kind := f.of.Kind.(type) {
	case sim.Partition:
		b.Cuts = append(b.Cuts, Cut{From: f.From, To: f.To, Groups: kind.Groups})
	case sim.BadLink:
		f.Link = kind.Link[:]
	case sim.SlowNode:
		f.Slow = []int{kind.Node}
	}
}

// outages are when nodes are down by a course of plans.
func (b *builder) outages(course sim.FaultCourse, end int64) (found []Outage, err error) {
	outages, err := course.Outages(b.from.Info.Seed, b.graph, b.sites, sim.Time(end))
	for node, all := range outages {
		for _, o := range all {
			why := "down, memory kept"
			switch {
			case o.Leaves:
				why = hasLeft
			case o.From == 0 && course.Joins(node):
				why = notJoined
			case o.Lost:
				why = "down, memory lost"
			}
			found = append(found, Outage{Node: node, From: int64(o.From), To: int64(o.To), Why: why})
		}
	}
	return found, err
}

// Happenings are what a run's timeline has besides steps and packets: nodes that are down, other faults while they
// last, and changes. Without packets there is no timeline, and the error is record.ErrNotRecorded.
func Happenings(r *record.Run) (all []record.Happening, err error) {
	s, err := scenarios.Parse(filepath.Join(r.Dir, "run.json"), []byte(r.Info.Scenario))
	if err != nil {
		return nil, err
	}
	b := &builder{Run: new(Run), from: r, scenario: s}
	for _, read := range []func() error{b.packets, b.steps, b.network, b.faults, b.changes} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	add := func(from, to int64, text string) {
		if to = min(to, b.last); from <= to {
			all = append(all, record.Happening{From: from, To: to, Name: text})
		}
	}
	for _, o := range b.Outages {
		add(o.From, o.To, fmt.Sprintf("node %d: %s", o.Node, o.Why))
	}
	for _, f := range b.Faults {
		switch f.of.Kind.(type) {
		case sim.Partition, sim.BadLink, sim.SlowNode:
			add(f.From, f.To, f.Text)
		}
	}
	for _, c := range b.Changes {
		add(c.At, c.At, c.Text)
	}
	return all, nil
}

// changes tells what was set while the run went. One that came after its end had no part in it, and is a warning.
func (b *builder) changes() error {
	for _, c := range b.scenario.Changes {
		if int64(c.At) <= b.last {
			b.Changes = append(b.Changes, Change{int64(c.At), c.String()})
		}
	}
	return nil
}

// exceptions says in what links differ from the others, at the start of the run.
func (b *builder) exceptions() string {
	var all []string
	for _, o := range b.scenario.Network.Links {
		var of []string
		if o.Loss != nil {
			of = append(of, fmt.Sprintf("%.3g %% of packets are lost", 100**o.Loss))
		}
		if o.Duplication != nil {
			of = append(of, fmt.Sprintf("%.3g %% arrive twice", 100**o.Duplication))
		}
		if o.Latency != nil {
			of = append(of, "a latency of its own")
		}
		if o.Bandwidth != nil {
			of = append(of, "a bandwidth of its own")
		}
		all = append(all, fmt.Sprintf("%d–%d: %s", o.Between[0], o.Between[1], strings.Join(of, ", ")))
	}
	return strings.Join(all, "; ")
}

// share says which part of all packets something befalls, from when on; "": none at any time.
func (b *builder) share(befalls string, of func(n *scenarios.Network) float64) (text string) {
	was := 0.0
	for _, p := range b.scenario.Phases() {
		is := of(&p.Network)
		if is == was || int64(p.From) > b.last {
			continue
		}
		if was = is; p.From == 0 {
			text = fmt.Sprintf("%.3g %% of packets %s, at random", 100*is, befalls)
			continue
		}
		if text == "" {
			text = fmt.Sprintf("no packets %s at random", befalls)
		}
		text += fmt.Sprintf("; from %v on %.3g %%", sim.Duration(p.From), 100*is)
	}
	return text
}
