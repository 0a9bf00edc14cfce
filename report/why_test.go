// What is said of why a run went as it did.

package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overhear/record"
)

// Faults are cleared of having kept a run away only by a run without them that had rounds enough to show where it goes.
func TestWhyTable_ClearsFaultsOnlyWhereItCan(t *testing.T) {
	const cleared = "faults do not explain it"
	const untold = "with so few rounds it cannot be told whether faults keep it away"
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

// Of one fault it speaks as of one.
func TestWhyTable_OneFault(t *testing.T) {
	var b strings.Builder
	end := record.Ending{State: record.Moving, Distance: 0.6}
	if err := WhyTable(&b, &record.Why{Astray: &record.Astray{Faults: 1, Without: end, End: end}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "without its one fault either") {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	guilty := []record.Guilty{{Key: "network.faults[0]", Text: "crash 1", Back: end}}
	if err := WhyTable(&b, &record.Why{Astray: &record.Astray{Faults: 1, End: end, Guilty: guilty, Smallest: true,
		Calm: record.Ending{State: record.Converged}}}); err != nil {
		t.Fatal(err)
	}
	if said := b.String(); !strings.Contains(said, "without its one fault it reaches the optimum: ") ||
		strings.Contains(said, "these") || !strings.Contains(said, "crash 1") {
		t.Errorf("%q", said)
	}
}

// Of very many packets a table lists the first and the last, and says where all of them are. Each has its number.
func TestWhyTable_OfManyPacketsHasBothEnds(t *testing.T) {
	for _, c := range []struct{ packets, rows int }{{3, 3}, {mostPackets, mostPackets},
		{mostPackets + 1, 2 * eitherEnd}, {1067, 2 * eitherEnd}} {
		s := record.Sufficient{Attack: "a", Outcome: record.Partial, With: record.Partial, Seen: 2000}
		for k := range c.packets {
			s.Enough = append(s.Enough, record.NeededPacket{ID: uint64(7000 + k), Kind: record.MessageValue,
				Round: int32(k), Src: 1, Dst: 2})
		}
		out := whyTable(t, s)
		if n := strings.Count(out, "1 → 2"); n != c.rows {
			t.Errorf("%d rows of %d packets", n, c.packets)
		}
		for _, id := range []int{7000, 7000 + c.packets - 1} {
			if !strings.Contains(out, fmt.Sprintf("\n  %d ", id)) {
				t.Errorf("packet %d of %d is not in %q", id, c.packets, out)
			}
		}
		more := fmt.Sprintf("\n  … and %d more, sent between the first 5 and the last 5 (--json lists all)\n",
			c.packets-c.rows)
		if strings.Contains(out, more) != (c.packets > mostPackets) {
			t.Errorf("of %d packets: %q", c.packets, out)
		}
	}
}

// What becomes of an attack without a packet is told once of all of which it is the same, and these are together.
func TestWhyTable_TellsAReasonOnce(t *testing.T) {
	s := record.Sufficient{Attack: "a", Outcome: record.Exact, With: record.Exact, Seen: 10, Minimal: true}
	for k, why := range []string{"few", "few", "none", "few"} {
		s.Enough = append(s.Enough, record.NeededPacket{ID: uint64(k), Kind: record.MessageValue, Round: 1, Src: 1,
			Dst: 2, SentNS: int64(k) * 1e6, Without: record.Blocked, Conclusion: why})
	}
	want := `  packet  carries  round  from → to  sent at
  without one of these 3 it is blocked: few
  0       value    1      1 → 2      0s
  1       value    1      1 → 2      1ms
  3       value    1      1 → 2      3ms
  without this one it is blocked: none
  2       value    1      1 → 2      2ms
`
	if out := whyTable(t, s); !strings.Contains(out, want) {
		t.Errorf("%q is not in %q", want, out)
	}
}

// A beginning is told by its instant, and by what its last packets add.
func TestWhyTable_TellsABeginning(t *testing.T) {
	s := record.Sufficient{Attack: "a", Victim: 4, Outcome: record.Exact, With: record.Exact, Estimate: "e", Seen: 827,
		Conclusion: "e", Reason: "why so", Enough: make([]record.NeededPacket, 17),
		Beginning: &record.Beginning{UntilNS: 123e6, Last: 1, Without: record.Blocked, Conclusion: "too few"}}
	out := whyTable(t, s)
	for _, want := range []string{
		"a on node 4 is exact with all 17 packets that arrived up to 123ms, of the 827 that it sees: e\n",
		"\n  without the last of them it is blocked: too few\n", "\n  why so\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %q", want, out)
		}
	}
	s.Enough, s.Beginning.Last = s.Enough[:2], 2
	if out := whyTable(t, s); !strings.Contains(out, "without the last 2 of them, which arrived then, it is blocked") {
		t.Error(out)
	}
}

// Of a beginning those packets are listed that would be enough if the others had never been sent, where it was shown
// that none of them can go; else all.
func TestWhyTable_TellsWhatOfABeginningIsEnoughAlone(t *testing.T) {
	s := record.Sufficient{Attack: "a", Outcome: record.Exact, With: record.Exact, Seen: 9,
		Enough: make([]record.NeededPacket, 7), Beginning: &record.Beginning{UntilNS: 5e6, Last: 1,
			Without: record.Blocked, Conclusion: "too few"}}
	for k := range s.Enough {
		s.Enough[k] = record.NeededPacket{ID: uint64(10 + k), Kind: record.MessageValue, Src: 1, Dst: 2}
	}
	for _, c := range []struct {
		alone   int
		minimal bool
		want    string
		listed  int
	}{
		{7, false, "packet  carries", 7},
		{3, true, "\n  if the others had never been sent, 3 of these 7 packets are enough, of which none can be left " +
			"out (--json lists all):\n  packet  carries", 3},
		{1, true, "\n  if the others had never been sent, one of these 7 packets is enough, of which", 1},
		{0, true, "\n  if none of these packets had ever been sent, nothing more would be needed\n", 0},
	} {
		b := s.Beginning
		b.Minimal, b.Alone = c.minimal, slices.Clone(s.Enough[:c.alone])
		for k := range b.Alone {
			if c.minimal {
				b.Alone[k].Without, b.Alone[k].Conclusion = record.Blocked, fmt.Sprint("lack ", k)
			}
		}
		out := whyTable(t, s)
		if !strings.Contains(out, c.want) || strings.Count(out, "1 → 2") != c.listed ||
			strings.Count(out, "lack ") != c.listed*bit(c.minimal) {
			t.Errorf("%+v: %s", c, out)
		}
	}
}

// The links over which a beginning has come are named, and what becomes of the attack without each; of many it says
// how many there are.
func TestWhyTable_TellsTheLinksOfABeginning(t *testing.T) {
	s := record.Sufficient{Attack: "a", Outcome: record.Exact, With: record.Exact, Seen: 9,
		Enough: make([]record.NeededPacket, 3), Beginning: &record.Beginning{UntilNS: 5e6, Last: 1,
			Without: record.Blocked, Conclusion: "too few"}}
	for k := range 11 {
		s.Beginning.Links = append(s.Beginning.Links, record.NeededLink{Between: [2]int{k, k + 1},
			Without: record.Blocked, Conclusion: "few"})
	}
	all := s.Beginning.Links
	for _, c := range []struct {
		links []record.NeededLink
		over  string
		less  string
	}{
		{nil, "up to 5ms, of", ""},
		{all[:1], "up to 5ms over the link 0–1, of", "without what came over the link 0–1 it is blocked: few\n"},
		{all[:2], "up to 5ms over the links 0–1, 1–2, of", "without one of the links 0–1, 1–2 it is blocked: few\n"},
		{all, "up to 5ms over 11 links, of", "without one of these 11 links it is blocked: few\n"},
		{[]record.NeededLink{all[0], {Between: [2]int{4, 7}}}, "over the links 0–1, 4–7, of",
			"without what came over the link 0–1 it is blocked: few\n"}, // the other was not tried
	} {
		s.Beginning.Links = c.links
		out := whyTable(t, s)
		if !strings.Contains(out, c.over) || !strings.Contains(out, c.less) ||
			strings.Count(out, "it is blocked") != 1+bit(c.less != "") {
			t.Errorf("%v: %q, want %q and %q", c.links, out, c.over, c.less)
		}
	}
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Where packets are named, it says why the page may name others, once.
func TestWhyTable_TellsThePageApart(t *testing.T) {
	const apart = "The page of simulate view may name another packet: the one with whose arrival"
	one := record.Sufficient{Outcome: record.Exact, With: record.Exact, Minimal: true,
		Enough: make([]record.NeededPacket, 1)}
	none, failed := one, record.Sufficient{Outcome: record.Failed}
	none.Enough = []record.NeededPacket{}
	for _, c := range []struct {
		all  []record.Sufficient
		said int
	}{{[]record.Sufficient{failed, one, one}, 1}, {[]record.Sufficient{failed, none}, 0}, {nil, 0}} {
		var b strings.Builder
		if err := WhyTable(&b, &record.Why{Attacks: c.all}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), apart); n != c.said {
			t.Errorf("said %d times, not %d: %s", n, c.said, b.String())
		}
	}
}

func whyTable(t *testing.T, s record.Sufficient) string {
	t.Helper()
	var b strings.Builder
	if err := WhyTable(&b, &record.Why{Attacks: []record.Sufficient{s}}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
