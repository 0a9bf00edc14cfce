// A fault: a node that is down from one given time to another.

package sim

import "fmt"

func init() { registerFault(2, Crash{}) }

// Crash is a node that is down. It starts up again at the fault's end.
type Crash struct {
	Node   int    `yaml:"crash" doc:"node that is down: it does nothing and what would arrive is lost"`
	Memory string `yaml:"memory" enum:"kept,lost" doc:"kept (if not given): timers and computations that fall due during the crash happen at its end; lost: those from before the crash never happen"`
}

// Restarter is a Node that is told when it is up again after a crash, before
// anything else happens to it. If its memory is lost, the timers it had set and
// the computations it had begun never wake it, the latter have ended, and it
// must not Await one of them. A node that was down from the start, before it
// could begin, is started instead.
type Restarter interface {
	Restart(env *Env, lost bool)
}

const (
	memoryKept = "kept"
	memoryLost = "lost"
)

// Forgets says whether the node loses its memory.
func (c Crash) Forgets() bool { return c.Memory == memoryLost }

// Key is the kind's name in a scenario.
func (Crash) Key() string { return "crash" }

func (c Crash) names() []int { return []int{c.Node} }

func (c Crash) check(f *Fault, report func(field, problem string)) {
	f.checkSpan(report)
	checkNode(report, "crash", c.Node)
	checkMemory(report, c.Memory)
}

func checkMemory(report func(field, problem string), memory string) {
	if memory != "" && memory != memoryKept && memory != memoryLost {
		report("memory", fmt.Sprintf("must be kept or lost, is %q", memory))
	}
}

func (c Crash) enter(f *Fault, p *planner) {
	if p.exists("crash", c.Node) {
		p.down(c.Node, outage{from: Time(f.At), to: f.end(), lost: c.Memory == memoryLost})
	}
}

func (c Crash) words(f *Fault) string {
	return fmt.Sprintf("node %d is down %s, %s", c.Node, f.when(), memoryWords(c.Memory))
}

func memoryWords(memory string) string {
	if memory == "" {
		memory = memoryKept
	}
	return "memory " + memory
}

func (Crash) random(s *Stream, f *Fault, g *Graph, _ Duration, _ FaultPlan) bool {
	f.Kind = Crash{Node: s.IntN(g.Order()), Memory: randomMemory(s)}
	return true
}

func randomMemory(s *Stream) string { return []string{memoryKept, memoryLost}[s.IntN(2)] }
