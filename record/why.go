// Why an attack succeeded: packets that were enough for it, none of which it can do without.

package record

import "overhear/sim"

// Sufficient is what of the packets that were seen is enough for an attack on a victim.
type Sufficient struct {
	Attack     string         `json:"attack"`
	Title      string         `json:"title"`
	Victim     int            `json:"victim"`
	Seen       int            `json:"seen"`       // packets that the adversary saw
	Outcome    Outcome        `json:"outcome"`    // with all of these
	Conclusion string         `json:"conclusion"` // with all of these
	Enough     []NeededPacket `json:"enough"`     // in order of arrival; null: the attack did not succeed
	Minimal    bool           `json:"minimal"`    // it was shown that none of these can go
	With       Outcome        `json:"with"`       // with these alone; empty: the attack did not succeed
	Estimate   string         `json:"estimate"`   // what they say, in a sentence
	Tried      int            `json:"tried"`      // how often the attack was carried out
}

// NeededPacket is a packet, and what became of the attack without it.
type NeededPacket struct {
	ID         uint64      `json:"id"`
	Kind       MessageKind `json:"kind"`
	Round      int32       `json:"round"`
	Src        int32       `json:"src"`
	Dst        int32       `json:"dst"`
	SentNS     int64       `json:"sent_ns"`
	Without    Outcome     `json:"without"`    // of the attack without it; empty: it was not tried
	Conclusion string      `json:"conclusion"` // of the attack without it
}

// Sent is when it was sent.
func (p *NeededPacket) Sent() sim.Time { return sim.Time(p.SentNS) }

// Why is what `simulate why` tells of a run.
type Why struct {
	Name      string       `json:"name"`
	Seed      uint64       `json:"seed"`
	Algorithm string       `json:"algorithm"`
	Digest    string       `json:"digest"`
	Attacks   []Sufficient `json:"attacks,omitempty"` // why an adversary learnt what it did of a victim
}
