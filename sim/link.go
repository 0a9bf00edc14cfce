// What a link does to a packet: latency, bandwidth, loss, duplication.

package sim

import "fmt"

// Link is how the network's links behave, `network` in a scenario. Every
// direction of an edge is a link of its own.
type Link struct {
	Latency     Latency   `yaml:"latency" doc:"delay of a packet after it has left the sender"`
	Bandwidth   Bandwidth `yaml:"bandwidth" default:"unlimited" doc:"a packet of 8·d bytes plus header occupies the link for its size divided by this"`
	Loss        float64   `yaml:"loss" doc:"probability that a packet is lost"`
	Duplication float64   `yaml:"duplication" doc:"probability that a packet arrives twice, each copy with a latency of its own"`
}

// On is the link of a network whose nodes are placed on sites; nil: they are not.
func (l Link) On(p *Placed) Link {
	l.Latency.placed = p
	return l
}

// Check reports probabilities outside of [0, 1].
func (l Link) Check(report func(field, problem string)) {
	probability(report, "loss", l.Loss)
	probability(report, "duplication", l.Duplication)
}

func probability(report func(field, problem string), field string, p float64) {
	if !(p >= 0 && p <= 1) {
		report(field, fmt.Sprintf("must be a probability between 0 and 1, is %v", p))
	}
}

// Override replaces those settings of a Link that it gives, for both directions
// of one edge.
type Override struct {
	Between     [2]int     `yaml:"between" doc:"the edge's two nodes"`
	Latency     *Latency   `yaml:"latency" doc:"delay on this edge"`
	Bandwidth   *Bandwidth `yaml:"bandwidth" doc:"bandwidth of this edge"`
	Loss        *float64   `yaml:"loss" doc:"probability of loss on this edge"`
	Duplication *float64   `yaml:"duplication" doc:"probability of duplication on this edge"`
}

// Check reports probabilities outside of [0, 1].
func (o Override) Check(report func(field, problem string)) {
	if o.Loss != nil {
		probability(report, "loss", *o.Loss)
	}
	if o.Duplication != nil {
		probability(report, "duplication", *o.Duplication)
	}
	if o.Latency != nil && o.Latency.Kind == matrix {
		report("latency", "cannot be a matrix, which is of the whole network: network.latency")
	}
}

func (o Override) apply(l Link) Link {
	if o.Latency != nil {
		l.Latency = *o.Latency
	}
	if o.Bandwidth != nil {
		l.Bandwidth = *o.Bandwidth
	}
	if o.Loss != nil {
		l.Loss = *o.Loss
	}
	if o.Duplication != nil {
		l.Duplication = *o.Duplication
	}
	return l
}

// century bounds a delay, so that heavy tails do not overflow virtual time.
const century = 100 * 365 * 24 * 3600 * 1e9

func nanoseconds(x float64) Duration {
	if x > century {
		x = century
	}
	return Duration(x)
}

// packetWord returns the 64 random bits that decide what happens to the k-th
// packet of a link. They depend on nothing else, so that neither other packets
// nor the parameters of loss and latency change them.
func packetWord(seed, link, k uint64) uint64 {
	return mix(mix(seed+0x9e3779b97f4a7c15*(link+1)) ^ (k+1)*0xd1342543de82ef95)
}

// What a packet's word decides; each takes a word of its own, mix(word + what).
const (
	decidesLoss uint64 = iota
	decidesDuplication
	decidesDelay
	decidesSecondDelay
)

// mix is a bijection of 64-bit words that scatters them (the finaliser of
// splitmix64, Steele, Lea & Flood 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
