// When a node without lockstep goes on.

package parameter

import (
	"math"

	"overhear/sim"
)

// Trigger is when an asynchronous node starts its next update: when it has heard a
// share of its neighbours since the last one, or after a timeout, but not while a
// neighbour is too many rounds behind. A neighbour that has sent its last round
// counts as heard.
type Trigger struct {
	Quorum    float64      // share of the neighbours, 0 to 1
	Staleness int          // rounds; 0: no bound
	Timeout   sim.Duration // 0: none
}

// Heard is of how many of its neighbours a node must have heard to go on before the timeout.
func (t Trigger) Heard(neighbours int) int {
	return int(math.Ceil(float64(t.Quorum * float64(neighbours))))
}
