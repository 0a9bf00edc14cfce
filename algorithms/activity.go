// What nodes did with their time.

package algorithms

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"overhear/internal/plural"
	"overhear/sim"
)

// Activity is what the nodes of a finished run did.
type Activity struct {
	Nodes []NodeActivity // by node of the network; users who register are none

	// Lags counts, by how many rounds a neighbour's value was behind the step that
	// used it; nil where rounds are in lockstep.
	Lags []int64

	// Stale is how many values of other rounds stood in, in lockstep, for values that were
	// late.
	Stale int64

	// Silences are when nodes without lockstep went on without neighbours that they had
	// heard before and that answered no more.
	Silences []Silence
}

// Silence is when a node took a neighbour to have left.
type Silence struct {
	Node, Neighbour int
	At              sim.Time
}

// Forgets says whether a node has lost what it had come to.
func (a *Activity) Forgets() bool {
	return slices.ContainsFunc(a.Nodes, func(n NodeActivity) bool { return n.Forgot > 0 })
}

// NodeActivity is one node's.
type NodeActivity struct {
	Rounds   int          // of the last iterate it published
	Busy     sim.Duration // virtual time in which it computed
	Finished sim.Time     // when it ended its last round; 0: it did not
	Forgot   int          // crashes that lost what it had come to; before its first step it has nothing to lose
}

// effort is what a node spent so far.
type effort struct {
	busy     sim.Duration
	finished sim.Time
	steps    int32
	forgot   int32
	within   int32 // the round of the latest crash that took its memory
	vain     int32 // how many did in that round
}

func (f *effort) spend(d sim.Duration) { f.busy += d }

// vainest is how often a node may lose its memory within a round. A round's update takes as long whenever it is begun
// again, so one that takes longer than the node is ever up would be begun for ever, and the run not end.
const vainest = 10_000

// forget counts a crash that takes the memory of a node that has begun.
func (f *effort) forget(env *sim.Env) {
	if f.steps > 0 {
		f.forgot++
	}
	if f.within != f.steps {
		f.within, f.vain = f.steps, 0
	}
	if f.vain++; f.vain == vainest {
		env.Fail(fmt.Errorf("node %d has lost its memory %s since it came to round %d, and has never been up for long "+
			"enough for its neighbours' values to come and the next update to end: see compute, and what has memory: "+
			"lost in network.faults", env.Self(), plural.Of(vainest, "time"), f.steps))
	}
}

func (f *effort) activity() NodeActivity {
	return NodeActivity{int(f.steps), f.busy, f.finished, int(f.forgot)}
}

// Activity is what the nodes did.
func (s *synchronous) Activity() *Activity {
	a := &Activity{Nodes: make([]NodeActivity, len(s.peers))}
	for i := range s.peers {
		a.Nodes[i] = s.peers[i].activity()
		if s.peers[i].stale != nil {
			a.Stale += s.peers[i].stale.used
		}
	}
	return a
}

// Activity is what the nodes did.
func (s *asynchronous) Activity() *Activity {
	a := &Activity{Nodes: make([]NodeActivity, len(s.runners)), Lags: s.lags, Silences: s.silences}
	for i := range s.runners {
		a.Nodes[i] = s.runners[i].activity()
	}
	return a
}

// called is a node's number, with a word if it is gone for good.
func called(e *sim.Engine, node int32) string {
	if e != nil && e.Gone(int(node)) {
		return fmt.Sprintf("%d (gone for good)", node)
	}
	return fmt.Sprint(node)
}

// stuck says which of n nodes have not ended and are not gone for good, the first few of
// them in words; nil if there are none, and somebody has ended.
func stuck(n int, e *sim.Engine, node func(i int) (done bool, waiting string)) error {
	const shown = 5
	var words []string
	count, ended := 0, 0
	for i := range n {
		done, waiting := node(i)
		switch {
		case e != nil && e.Gone(i):
			continue
		case done:
			ended++
			continue
		}
		if count++; count <= shown {
			words = append(words, waiting)
		}
	}
	switch {
	case count == 0 && ended == 0:
		return errors.New("the run stopped: every node has left or is down for good")
	case count == 0:
		return nil
	}
	switch more := count - shown; {
	case more == 1:
		words = append(words, "and 1 more node waits")
	case more > 1:
		words = append(words, fmt.Sprintf("and %d more nodes wait", more))
	}
	return fmt.Errorf("the run stopped with %d of %d nodes unfinished: %s", count, n, strings.Join(words, "; "))
}

// Activity is what hub and clients did.
func (s *aroundHub) Activity() *Activity { return s.star.activity() }

// Activity is what hub and parties did.
func (s *overColumns) Activity() *Activity { return s.star.activity() }

func (s *star) activity() *Activity {
	a := &Activity{Nodes: []NodeActivity{s.hub.effort.activity()}}
	for i := range s.clients {
		a.Nodes = append(a.Nodes, s.clients[i].effort.activity())
	}
	return a
}
