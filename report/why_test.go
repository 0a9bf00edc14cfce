// What is said of why a run went as it did.

package report

import (
	"fmt"
	"strings"
	"testing"

	"overhear/record"
)

// Faults are cleared of having kept a run away only by a run without them that had rounds enough to show where it goes.
func TestWhyTable_ClearsFaultsOnlyWhereItCan(t *testing.T) {
	const cleared, untold = "these do not explain it", "with so few rounds it cannot be told whether these keep it away"
	for _, c := range []struct {
		without record.Ending
		says    []string
	}{
		{record.Ending{State: record.AtRest, Distance: 0.3}, []string{cleared}},
		{record.Ending{State: record.MovingAway, Distance: 0.3}, []string{cleared}},
		{record.Ending{State: record.Diverging, Distance: 7}, []string{cleared}},
		{record.Ending{Ended: "node 4 is down"}, []string{cleared, "ended early: node 4 is down"}},
		{record.Ending{State: record.Unknown, Distance: 0.9}, []string{untold}},
		{record.Ending{State: record.Moving, Distance: 0.5}, []string{untold, "more of them (rounds.count)"}},
		{record.Ending{State: record.Moving, Distance: 0.5, More: 31},
			[]string{untold, "it needs at least 31 rounds more"}},
	} {
		var b strings.Builder
		y := &record.Why{Name: "w", Astray: &record.Astray{Faults: 2, Without: c.without,
			End: record.Ending{State: record.Moving, Distance: 0.6}}}
		if err := WhyTable(&b, y); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.says {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%+v: %q is not in %q", c.without, want, b.String())
			}
		}
		for _, other := range []string{cleared, untold} {
			if other != c.says[0] && strings.Contains(b.String(), other) {
				t.Errorf("%+v: %q", c.without, b.String())
			}
		}
	}
}

// A table of very many packets ends where nobody reads on, and says where all of them are.
func TestWhyTable_EndsWhereNobodyReadsOn(t *testing.T) {
	for _, c := range []struct{ packets, rows int }{{3, 3}, {mostPackets, mostPackets}, {mostPackets + 1, mostPackets},
		{1067, mostPackets}} {
		s := record.Sufficient{Attack: "a", Outcome: record.Partial, With: record.Partial, Seen: 2000}
		for k := range c.packets {
			s.Enough = append(s.Enough, record.NeededPacket{ID: uint64(k), Kind: record.MessageValue, Round: int32(k),
				Src: 1, Dst: 2})
		}
		var b strings.Builder
		if err := WhyTable(&b, &record.Why{Attacks: []record.Sufficient{s}}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "1 → 2"); n != c.rows {
			t.Errorf("%d rows of %d packets", n, c.packets)
		}
		more := fmt.Sprintf("and %d more; --json has all", c.packets-mostPackets)
		if strings.Contains(b.String(), more) != (c.packets > mostPackets) {
			t.Errorf("of %d packets: %q", c.packets, b.String())
		}
	}
}
