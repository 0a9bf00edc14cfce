// How the round protocol fails: with an account of who waited for whom.

package algorithms

import (
	"errors"
	"math"
	"strings"
	"testing"

	"overhear/sim"
)

func TestSynchronous_StallIsExplained(t *testing.T) {
	f := newFixture(3, 4, 2, [][2]int{{0, 1}, {1, 2}})
	lost := func(c *sim.Config) { c.Link.Loss = 1 }

	_, err := f.tryRun(ADMM{Eta: 0.5}, 5, lost, func(s *Config) { s.Retry = 0 })
	if err == nil || !strings.Contains(err.Error(), "node 1 waits for round 0 of node 0, 2") {
		t.Errorf("without retries: %v", err)
	}
	_, err = f.tryRun(ADMM{Eta: 0.5}, 5, lost, func(s *Config) { s.Deadline = 1e9 })
	if err == nil || !strings.Contains(err.Error(), "no progress for 1s") {
		t.Errorf("with retries and a deadline: %v", err)
	}
}

// failing is a method that breaks in a given round of node 1.
type failing struct {
	ADMM
	round int
	inf   bool // break by an infinite iterate rather than by an error
}

var errBroken = errors.New("broken on purpose")

func (m failing) Update(n *Node, t int) error {
	if n.ID == 1 && t == m.round {
		if !m.inf {
			return errBroken
		}
		n.F[0] = math.Inf(1)
		return nil
	}
	return m.ADMM.Update(n, t)
}

func TestSynchronous_FailureNamesNodeAndRound(t *testing.T) {
	f := newFixture(3, 4, 2, [][2]int{{0, 1}, {1, 2}})
	_, err := f.tryRun(failing{ADMM: ADMM{Eta: 0.5}, round: 3}, 5, nil, nil)
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "node 1, round 3") {
		t.Errorf("a failing update: %v", err)
	}
	_, err = f.tryRun(failing{ADMM: ADMM{Eta: 0.5}, round: 4, inf: true}, 5, nil, nil)
	if err == nil ||
		!strings.Contains(err.Error(), "node 1, round 4: the run diverges: the iterate's component 0 is +Inf") {
		t.Errorf("an infinite iterate: %v", err)
	}
}
