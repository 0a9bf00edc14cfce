// What claims of privacy are proved of neighbours, and what lies do to it.

package algorithms

import (
	"fmt"

	"overhear/adversary/acts"
	"overhear/internal/num"
	"overhear/problem"
)

// Proofs that bound the density of what a node publishes, given all messages before, take no part of these for granted:
// one who chooses them by all that it has heard is an adaptive choice of mechanisms, which compositions allow.
var (
	standsInObjective = &Active{true, "the proof bounds the density of what a node sends given all messages before, " +
		"whatever these are: neighbours' values and the dual add the same linear term to the objective with either row"}
	standsOnOutput = &Active{true, "how far one row moves the minimiser follows from strong convexity alone, " +
		"whatever linear term neighbours' values and the dual add to the objective"}
	standsInStep = &Active{true, "one row moves a step by the same at most wherever the iterates are, as |L′| ≤ 1, " +
		"and what neighbours' values add to it is the same with either row"}
)

// Lied is what lies made honest nodes compute with.
type Lied struct {
	Scale float64 // the greatest max(1, ‖q‖) of their solves
	Heard float64 // the greatest norm of what liars sent them
}

// Add takes in that of another node or run.
func (l *Lied) Add(o Lied) { l.Scale, l.Heard = max(l.Scale, o.Scale), max(l.Heard, o.Heard) }

// Hear takes in a message, if a liar sent it to an honest node.
func (l *Lied) Hear(liars *acts.Company, from, to int, kind uint8, payload []float64) {
	if kind == KindValue && liars.Lies(from) && !liars.Lies(to) {
		l.Heard = max(l.Heard, num.Norm(payload))
	}
}

// Solved takes in the scale of a solve, if an honest node made it.
func (l *Lied) Solved(liars *acts.Company, node int, scale float64) {
	if !liars.Lies(node) {
		l.Scale = max(l.Scale, scale)
	}
}

// Moving is an [Explicit] method that says how far one row moves a node's step of a round.
type Moving interface{ Moves(i, t int) float64 }

// Amid decides whether a claim that stands where neighbours lie does so with what these sent: a solve leaves
// tolerance·max(1, ‖q‖) of a gradient, and ‖q‖ grows with what was heard, as the rounding of a step does. Both must be
// next to nothing beside what one row moves, as in [Precise].
func Amid(m Method, s Setting, tolerance float64, l Lied) error {
	const unit = 0x1p-52
	if e, ok := m.(Moving); ok {
		least, where := 0.0, 0
		for i := range s.Problem.Shards {
			for t := 1; t <= s.Rounds; t++ {
				if moves := e.Moves(i, t); moves > 0 && (least == 0 || moves < least) {
					least, where = moves, i
				}
			}
		}
		if share := unit * l.Heard / least; !(share <= mostLeft) {
			return fmt.Errorf("the proof takes steps to be exact, and rounding beside a neighbour's value of norm "+
				"%.3g comes to %.3g of what one row of node %d moves a step by, where at most %.3g is next to nothing",
				l.Heard, share, where, mostLeft)
		}
		return nil
	}
	if _, ok := m.(Explicit); ok {
		return nil
	}
	return solvedAmid(s.Problem, tolerance, l.Scale)
}

// solvedAmid is [Solved] of solves whose linear term has a norm of scale.
func solvedAmid(p *problem.Problem, tolerance, scale float64) error {
	worst, share := 0, 0.0
	for i := range p.Shards {
		if left := tolerance * scale * samples(p, i) / (2 * p.C); !(left <= share) {
			share, worst = left, i
		}
	}
	if share <= mostLeft {
		return nil
	}
	return fmt.Errorf("the proof takes steps to be exact minimisers, and what neighbours sent is so large (‖q‖ = "+
		"%.3g) that solver.tolerance = %.3g leaves of a gradient %.3g of the 2C/B that one row of node %d moves it "+
		"by, "+
		"where at most %.3g is next to nothing", scale, tolerance, share, worst, mostLeft)
}
