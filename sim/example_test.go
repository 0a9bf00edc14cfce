// The engine without any learning.

package sim_test

import (
	"context"
	"fmt"

	"overhear/sim"
)

// averager keeps a number and moves it towards every number it hears: gossip
// averaging with pairwise halves.
type averager struct {
	value float64
	beats int
}

const beat = sim.Duration(10e6) // 10 ms

func (a *averager) Start(env *sim.Env) { env.After(beat, 0) }

// Wake sends the number to a random neighbour, sixty times.
func (a *averager) Wake(env *sim.Env, _ uint64) {
	to := env.Neighbours()
	pick := env.Stream("partner", uint64(a.beats)).IntN(len(to))
	env.Send(int(to[pick]), 0, a.beats, []float64{a.value})
	if a.beats++; a.beats < 60 {
		env.After(beat, 0)
	}
}

func (a *averager) Receive(_ *sim.Env, m *sim.Message) {
	a.value += (m.Payload[0] - a.value) / 2
}

func ExampleEngine() {
	graph, _ := sim.Topology{Kind: "ring", Nodes: 8}.Build(nil)
	engine, _ := sim.New(sim.Config{Graph: graph, Link: sim.Link{Latency: sim.Latency{Kind: "exponential", Mean: 5e6}}})
	nodes := make([]averager, 8)
	for i := range nodes {
		nodes[i].value = float64(i)
		engine.Attach(i, &nodes[i])
	}
	if err := engine.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	low, high := nodes[0].value, nodes[0].value
	for _, n := range nodes {
		low, high = min(low, n.value), max(high, n.value)
	}
	fmt.Printf("%d messages; the numbers went from 0…7 to within %.3f of each other\n", engine.Messages(), high-low)
	// Output: 480 messages; the numbers went from 0…7 to within 0.005 of each other
}
