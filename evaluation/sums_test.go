// Sums of neighbours' values that attacks are scored by, by cases.

package evaluation

import (
	"testing"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/experiment"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// A neighbour that lost its memory sends its start again as the value of its round: which copy entered an update is not
// told, so that no sum is scored by it. Of other rounds, and of neighbours that do not send it, it is.
func TestFact_LeavesSumsAsideThatAStartMayHaveEntered(t *testing.T) {
	g, err := sim.NewGraph(3, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	a := new(experiment.Assembly)
	a.Graph, a.Problem = g, &problem.Problem{D: 1}
	rec := &adversary.Recording{}
	for node := range int32(3) {
		for round := range int32(4) {
			rec.Iterates = append(rec.Iterates, record.Iterate{Node: node, Round: round,
				Values: []float64{float64(10*node + round)}})
		}
	}
	for name, c := range map[string]struct {
		restart adversary.Restart
		rounds  []int
		want    float64 // 0: it is not told
	}{
		"nobody restarts":                 {adversary.Restart{Node: 0, Round: 2, Resends: true}, []int{2, 2}, 12 + 22},
		"the start was sent of the round": {adversary.Restart{Node: 2, Round: 2, Resends: true}, []int{2, 2}, 0},
		"of another round":                {adversary.Restart{Node: 2, Round: 1, Resends: true}, []int{2, 2}, 12 + 22},
		"of a round that one took late":   {adversary.Restart{Node: 1, Round: 1, Resends: true}, []int{1, 2}, 0},
		"it sent no start":                {adversary.Restart{Node: 2, Round: 2}, []int{2, 2}, 12 + 22},
		"nothing had come of one":         {adversary.Restart{Node: 2, Round: 2}, []int{2, model.Start}, 12},
	} {
		rec.Restarts = []adversary.Restart{c.restart}
		sum, ok := fact(a, rec, nil, nil, func(int, int) ([]int, error) { return c.rounds, nil })(
			&record.Fact{Kind: record.NeighbourSum, Node: 0, Round: 2})
		if ok != (c.want > 0) || ok && sum[0] != c.want {
			t.Errorf("%s: %v, %v, want %v", name, sum, ok, c.want)
		}
	}
}
