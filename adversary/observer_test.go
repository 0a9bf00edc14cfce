// Observers and victims are different nodes.

package adversary

import (
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/record"
)

// Who attacks itself has no success by what it drew; what is after all nodes goes on.
func TestCarry_NoObserverIsItsOwnVictim(t *testing.T) {
	for _, a := range Attacks() {
		v := &View{Vantage: Vantage{Nodes: []int{1, 2}}, Knows: &Knowledge{Victim: 2}, Public: &model.Public{}}
		if a.Everyone {
			continue
		}
		f, err := a.Carry(v)
		if err != nil || f.Succeeded != record.Blocked ||
			!strings.Contains(f.Conclusion, "node 2 is an observer itself") {
			t.Errorf("%s: %+v, %v", a.Name, f, err)
		}
	}
}
