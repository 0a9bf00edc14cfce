// What went over the wire: every packet of a run with what it carried, as the engine saw it, and beside it what nodes
// report of themselves.

package evaluation

import (
	"fmt"
	"math"
	"slices"

	"overhear/algorithms"
	"overhear/record"
	"overhear/sim"
)

// packet is a packet on one link.
type packet struct {
	id             uint64
	from, to       int
	kind           uint8
	round          int
	sent, received sim.Time // of the first copy; received < 0: it was lost
	copies         int      // that were received
	bytes          int64
	payload        int // which of the distinct payloads
}

// String names a packet.
func (p *packet) String() string {
	return fmt.Sprintf("%s of round %d that node %d sends node %d at %v (packet %d)", algorithms.Kinds[p.kind], p.round,
		p.from, p.to, p.sent, p.id)
}

// wire records a run.
type wire struct {
	packets  []packet
	payloads [][]float64 // distinct
	known    map[uint64][]int

	published []record.Iterate // what nodes say that they publish
	reports   map[int][]float64
	reached   algorithms.Reached // of a run over split columns

	stated []*algorithms.Statement // what nodes that lie say that they tell
	scales map[int]float64         // by node, the greatest max(1, ‖q‖) of its solves
}

func newWire() *wire {
	return &wire{known: map[uint64][]int{}, reports: map[int][]float64{}, scales: map[int]float64{}}
}

// sent records a packet. Copies of one follow each other.
func (c *wire) sent(p *sim.Packet) {
	if n := len(c.packets); n > 0 && c.packets[n-1].id == p.ID {
		last := &c.packets[n-1]
		last.copies += arrivals(p)
		if last.received < 0 || p.Received >= 0 && p.Received < last.received {
			last.received = p.Received
		}
		return
	}
	c.packets = append(c.packets, packet{id: p.ID, from: int(p.From), to: int(p.To), kind: p.Kind, round: int(p.Round),
		sent: p.Sent, received: p.Received, copies: arrivals(p), bytes: p.Bytes, payload: c.keep(p.Payload)})
}

// arrivals is 1 of a copy that was received.
func arrivals(p *sim.Packet) int {
	if p.Received < 0 {
		return 0
	}
	return 1
}

// messages are the packets as a record has them.
func (c *wire) messages() []record.Message {
	all := make([]record.Message, len(c.packets))
	for i := range c.packets {
		p := &c.packets[i]
		all[i] = record.Message{ID: p.id, Src: int32(p.from), Dst: int32(p.to), Round: int32(p.round),
			Kind: algorithms.Kinds[p.kind], Bytes: p.bytes, SentNS: int64(p.sent), ReceivedNS: int64(p.received)}
	}
	return all
}

// keep is the number of a payload, of which a copy is kept if it is not there yet.
func (c *wire) keep(payload []float64) int {
	if n := len(c.payloads); n > 0 && sameBits(c.payloads[n-1], payload) {
		return n - 1 // that of a broadcast
	}
	h := uint64(14695981039346656037) // FNV-1a, of numbers instead of bytes
	for _, v := range payload {
		h = (h ^ math.Float64bits(v)) * 1099511628211
	}
	for _, k := range c.known[h] {
		if sameBits(c.payloads[k], payload) {
			return k
		}
	}
	k := len(c.payloads)
	c.payloads = append(c.payloads, slices.Clone(payload))
	c.known[h] = append(c.known[h], k)
	return k
}

// sameBits says whether vectors are the same, NaN and the sign of zero included.
func sameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[k]) {
			return false
		}
	}
	return true
}

// Published keeps what a node reports of itself.
func (c *wire) Published(p *algorithms.Publication) {
	c.published = append(c.published, record.Iterate{Node: int32(p.Node), Round: int32(p.Round), TimeNS: int64(p.At),
		Values: p.Values})
	c.scales[p.Node] = max(c.scales[p.Node], p.Stats.Scale)
}

// Stated keeps what a node that lies says that it tells.
func (c *wire) Stated(s *algorithms.Statement) { c.stated = append(c.stated, s) }

// Concluded has nothing to keep: duals are not published.
func (c *wire) Concluded(int, int, []float64) {}

// Reported keeps what a user says that it reported.
func (c *wire) Reported(user int, _ sim.Time, report []float64) { c.reports[user] = report }

// Ended keeps where the run went.
func (c *wire) Ended(r *algorithms.ColumnRound) error {
	c.reached = r.Reached
	return nil
}
