// Package view makes a page to look into recorded runs: the network at work, packet by packet, and what an adversary
// has worked out by then.
//
// [Build] reads a run's directory and makes a [Run] of it: the network with a place for every node, packets, steps
// and published values in order of time, the faults of the scenario as they took effect, which values entered which
// updates, and the run's adversary. A [Document] has one run, or two with the first event that differs.
// [Document.Carry] carries the adversaries' attacks out at growing times, and [Document.Write] writes one HTML file
// that loads nothing, with a Content-Security-Policy under which no script runs but its own. A [Server] offers the
// same page on this machine alone, also while its attacks are carried out.
//
// What the page shows is in its document: the page computes colours and places, and no number of a run.
package view
