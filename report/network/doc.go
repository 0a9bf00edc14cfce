// Package network draws networks.
//
// # Latencies
//
// A picture of [Latencies] has a colour and a width for the latency of each edge, and dashes where packets are lost.
// [Declared] takes them from a scenario's links; [Measured] from the packets of a recorded run:
//
//	l, err := network.Measured(run, graph)
//	err = l.Picture().Save("figures", "network")
//
// # Leaks
//
// [Leaks] colours the nodes of attacked runs by how near an attack came to their data, and marks those that the
// observer watches.
//
// # Sites
//
// A [World] is a map with a mark for each site, coloured by a number, and names that are on nothing else. Its land is
// Natural Earth's.
//
// # Where nodes stand
//
// Places depend on the graph alone, so that pictures of one network can be compared: a ring, a star and a small graph
// are circles; of a larger one, distances on the picture are about the hops between nodes. Up to [MostNodes] are
// legible.
package network
