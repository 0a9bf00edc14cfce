// Why a run went as it did: packets that were enough for an attack, and faults that kept a run from the optimum, of
// either none that can be left out.

package record

import (
	"fmt"

	"overhear/sim"
)

// Sufficient is what of the packets that were seen is enough for an attack on a victim.
type Sufficient struct {
	Attack     string         `json:"attack"`
	Title      string         `json:"title"`
	Victim     int            `json:"victim"`
	Seen       int            `json:"seen"`             // packets that the adversary saw
	Outcome    Outcome        `json:"outcome"`          // with all of these
	Conclusion string         `json:"conclusion"`       // with all of these
	Enough     []NeededPacket `json:"enough"`           // in order of sending; null: the attack did not succeed
	Minimal    bool           `json:"minimal"`          // it was shown that none of these can go
	With       Outcome        `json:"with"`             // with these alone; empty: the attack did not succeed
	Estimate   string         `json:"estimate"`         // what they say, in a sentence
	Tried      int            `json:"tried"`            // how often the attack was carried out
	Reason     string         `json:"reason,omitempty"` // why less than all is not enough; empty: as told of each

	// Beginning says that Enough is all that arrived up to an instant over some links; nil: it is not.
	Beginning *Beginning `json:"beginning,omitempty"`
}

// Beginning is all packets that arrived over some links up to an instant, seen by one who listens to these links alone
// and knows that no others arrived over them by then.
type Beginning struct {
	UntilNS    int64        `json:"until_ns"`        // the instant
	Last       int          `json:"last"`            // how many of the packets arrived at that instant
	Without    Outcome      `json:"without"`         // of the attack with all that arrived before that instant
	Conclusion string       `json:"conclusion"`      // of the attack with these
	Links      []NeededLink `json:"links,omitempty"` // empty: all that the adversary sees

	Alone   []NeededPacket `json:"alone"`   // of the packets those that are enough, were the others never sent
	Minimal bool           `json:"minimal"` // it was shown that none of Alone can go
}

// NeededLink is a link, both ways, and what became of the attack without what arrived over it.
type NeededLink struct {
	Between    [2]int  `json:"between"`
	Without    Outcome `json:"without"`    // of the attack without it; empty: it was not tried
	Conclusion string  `json:"conclusion"` // of the attack without it
}

// String names the link's nodes.
func (l *NeededLink) String() string { return fmt.Sprintf("%d–%d", l.Between[0], l.Between[1]) }

// Until is the instant.
func (b *Beginning) Until() sim.Time { return sim.Time(b.UntilNS) }

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
	Attacks   []Sufficient `json:"attacks,omitempty"`  // why an adversary learnt what it did of a victim
	Astray    *Astray      `json:"astray,omitempty"`   // why the run did not reach the optimum
	Warnings  []string     `json:"warnings,omitempty"` // of the run, with Astray: they may be why
}

// Astray is which faults kept a run from the optimum.
type Astray struct {
	End     Ending   `json:"end"`     // of the run
	Faults  int      `json:"faults"`  // that its scenario has
	Without Ending   `json:"without"` // any of these
	Guilty  []Guilty `json:"guilty"`  // without which the run reaches the optimum; null: it does, or does not without any
	Calm    Ending   `json:"calm"`    // without the guilty ones alone
	Sets    []string `json:"sets"`    // path=value, that leave the guilty ones out
	Runs    int      `json:"runs"`    // that were made

	Smallest bool `json:"smallest"` // no smaller set of faults is enough: all were tried
}

// Guilty is a fault, and what becomes of the run when it alone of the guilty ones is put back.
type Guilty struct {
	Key  string `json:"key"`  // in the scenario
	Text string `json:"text"` // what it is, in words
	Back Ending `json:"back"`
}

// Ending is where a run ended.
type Ending struct {
	State    string `json:"state"` // of Convergence; empty: the run was not made, or ended early
	Distance Number `json:"distance"`
	Ended    string `json:"ended"` // why it ended before its last round; empty: it did not
	More     int    `json:"more"`  // rounds that it would need at least to be converged; 0: that is not known
}

// Reached says whether that is the optimum.
func (e *Ending) Reached() bool { return e.State == Converged }

// Undecided says whether more rounds may show where it goes: it was still moving, or has hardly begun.
func (e *Ending) Undecided() bool { return e.State == Moving || e.State == Unknown }

// EndingOf is where a run ended.
func EndingOf(i *Info) Ending {
	e := Ending{Distance: i.Final.Distance, Ended: i.Ended}
	if i.Final.Stationarity != nil {
		e.Distance = *i.Final.Stationarity
	}
	if i.Convergence != nil && i.Ended == "" {
		e.State, e.More = i.Convergence.State, i.Convergence.More
	}
	return e
}
