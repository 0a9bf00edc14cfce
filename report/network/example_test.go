// A picture of a network that a scenario describes.

package network_test

import (
	"fmt"
	"strings"
	"time"

	"overhear/report/network"
	"overhear/sim"
)

func Example() {
	ring, _ := sim.Topology{Kind: "ring", Nodes: 5}.Build(nil)
	link := sim.Link{Latency: sim.Latency{Kind: "constant", Value: sim.Duration(20 * time.Millisecond)}}
	slow := sim.Latency{Kind: "exponential", Mean: sim.Duration(200 * time.Millisecond)}
	l, err := network.Declared("five", ring, link, []sim.Override{{Between: [2]int{0, 4}, Latency: &slow}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := l.Picture() // p.Save("figures", "network") writes an SVG and a PNG
	fmt.Println(p.Title)
	for sentence := range strings.SplitAfterSeq(p.About, ". ") {
		fmt.Println(strings.TrimSpace(sentence))
	}
	// Output:
	// five: its network
	// 5 nodes and 5 edges.
	// On each edge, the median latency that the scenario gives it.
	// Latencies are between 20.0 ms on edge 0–1 and 139 ms on edge 0–4.
}
