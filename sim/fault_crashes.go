// A fault: crashes at random times.

package sim

import (
	"fmt"
	"slices"
)

func init() { registerFault(7, RandomCrashes{}) }

// RandomCrashes are crashes by rate while the fault holds.
type RandomCrashes struct {
	Rate CrashRate `yaml:"crashes" doc:"crashes by rate"`
}

// Leaves says whether a node leaves for good.
func (p FaultPlan) Leaves() bool {
	return slices.ContainsFunc(p, func(f Fault) bool { _, ok := f.Kind.(Leave); return ok })
}

// CrashRate says how often nodes crash, independently of each other and of all
// else in a run: a node that is up crashes after an exponential time, and is up
// again after another. The engine draws them up to the latest arrival of a packet.
type CrashRate struct {
	Every  Duration `yaml:"every" doc:"mean time a node is up before it crashes"`
	For    Duration `yaml:"for" doc:"mean time it is down"`
	Memory string   `yaml:"memory" enum:"kept,lost" doc:"what becomes of what the node was about to do: kept (if not given) or lost"`
	Nodes  []int    `yaml:"nodes" doc:"nodes that crash; all if not given"`
}

// Check reports times that are not positive and nodes named twice.
func (c CrashRate) Check(report func(field, problem string)) {
	if c.Every <= 0 {
		const what = "must be a positive duration, the mean time between crashes of a node, is %v"
		report("every", fmt.Sprintf(what, c.Every))
	}
	if c.For <= 0 {
		report("for", fmt.Sprintf("must be a positive duration, the mean time a node is down, is %v", c.For))
	}
	checkMemory(report, c.Memory)
	checkThose(report, c.Nodes)
}

// Changes is how often a node crashes in a nanosecond, on average, and which nodes do; nil: all.
func (c RandomCrashes) Changes() (float64, []int) {
	return 1 / (float64(c.Rate.Every) + float64(c.Rate.For)), c.Rate.Nodes
}

// Forgets says whether a node loses its memory.
func (c RandomCrashes) Forgets() bool { return c.Rate.Memory == memoryLost }

// Key is the kind's name in a scenario.
func (RandomCrashes) Key() string { return "crashes" }

func (c RandomCrashes) names() []int { return c.Rate.Nodes }

func (c RandomCrashes) check(f *Fault, report func(field, problem string)) {
	f.checkSpan(report)
	c.Rate.Check(func(field, problem string) { report("crashes."+field, problem) })
}

func (c RandomCrashes) enter(f *Fault, p *planner) {
	for _, i := range p.those("crashes.nodes", c.Rate.Nodes) {
		r := &rate{stream: p.stream(c, i), every: c.Rate.Every, down: c.Rate.For, until: f.end(),
			next: outage{lost: c.Rate.Memory == memoryLost}}
		r.draw(Time(f.At))
		p.downBy(i, r)
	}
}

func (c RandomCrashes) words(f *Fault) string {
	r := c.Rate
	verb := "crash"
	if len(r.Nodes) == 1 {
		verb = "crashes"
	}
	return fmt.Sprintf("%s %s after %v on average, for %v on average, %s, %s",
		thoseNames(r.Nodes), verb, r.Every, r.For, memoryWords(r.Memory), f.when())
}

func (RandomCrashes) random(s *Stream, f *Fault, _ *Graph, span Duration, _ FaultPlan) bool {
	f.Kind = RandomCrashes{CrashRate{
		Every:  1 + Duration(s.Between(0.05, 1)*float64(span)),
		For:    1 + Duration(s.Between(0.01, 0.1)*float64(span)),
		Memory: randomMemory(s),
	}}
	return true
}
