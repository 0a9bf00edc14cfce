// Why a run went as it did, as tables.

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"overhear/internal/plural"
	"overhear/record"
)

// WhyTable writes why a run went as it did.
func WhyTable(w io.Writer, y *record.Why) error {
	fmt.Fprintf(w, "%s, seed %d: %s\n", y.Name, y.Seed, y.Algorithm)
	for i := range y.Attacks {
		if err := sufficientTable(w, &y.Attacks[i]); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(y.Attacks, func(s record.Sufficient) bool { return len(s.Enough) > 0 }) {
		fmt.Fprintln(w, "\nThe page of simulate view may name another packet: "+
			"the one with whose arrival an attack, on all that had come by then, is exact and stays so.")
	}
	if y.Astray != nil {
		if err := astrayTable(w, y.Astray); err != nil {
			return err
		}
	}
	for _, warning := range y.Warnings {
		fmt.Fprintln(w, "warning of the run:", warning)
	}
	return nil
}

// ending is where a run ended, in words.
func ending(e record.Ending) string {
	if e.Ended != "" {
		return "ended early: " + e.Ended
	}
	return fmt.Sprintf("%s, distance %.3g", e.State, float64(e.Distance))
}

// onItsWay writes what a run lacks that has no faults, or none left, but was still moving.
func onItsWay(w io.Writer, e record.Ending) (err error) {
	if e.State != record.Moving {
		return nil
	}
	need := "more of them (rounds.count) may be all that it needs"
	if e.More > 0 {
		need = fmt.Sprintf("it needs at least %s more (rounds.count)", plural.Of(e.More, "round"))
	}
	_, err = fmt.Fprintf(w, "it is still moving when its rounds are over: %s\n", need)
	return err
}

// astrayTable writes which faults kept a run from the optimum.
func astrayTable(w io.Writer, a *record.Astray) error {
	faults := plural.Of(a.Faults, "fault")
	fmt.Fprintf(w, "the run: %s\n", ending(a.End))
	switch {
	case a.End.Reached():
		_, err := fmt.Fprintf(w, "it reached the optimum, so that there is nothing to explain; its scenario has %s\n",
			faults)
		return err
	case a.Faults == 0:
		fmt.Fprintln(w, "its scenario has no faults, so that none keeps it from the optimum")
		return onItsWay(w, a.End)
	case a.Guilty == nil:
		if a.Faults == 1 {
			faults = "one fault"
		}
		fmt.Fprintf(w, "without any fault: %s\nit does not reach the optimum without its %s either, so that ",
			ending(a.Without), faults)
		if !a.Without.Undecided() {
			_, err := fmt.Fprintln(w, "faults do not explain it")
			return err
		}
		fmt.Fprintln(w, "with so few rounds it cannot be told whether faults keep it away")
		return onItsWay(w, a.Without)
	}
	others := "smaller sets were not all tried"
	if a.Smallest {
		others = "no smaller set is enough"
	}
	if a.Faults == 1 {
		fmt.Fprintf(w, "without its one fault it reaches the optimum: %s\n", ending(a.Calm))
	} else {
		fmt.Fprintf(w, "without %d of its %s it reaches the optimum, none of these can stay, and %s: %s\n",
			len(a.Guilty), faults, others, ending(a.Calm))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  key\tfault\twith it again")
	for _, g := range a.Guilty {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", g.Key, g.Text, ending(g.Back))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "what leaves them out:")
	for _, s := range a.Sets {
		fmt.Fprintf(w, "  --set '%s'\n", s)
	}
	_, err := fmt.Fprintf(w, "after %s\n", plural.Of(a.Runs, "run"))
	return err
}

// mostPackets is how many packets a table lists of an attack; of more it lists so many at either end.
const mostPackets, eitherEnd = 40, 5

// sufficientTable writes which packets are enough for an attack.
func sufficientTable(w io.Writer, s *record.Sufficient) error {
	fmt.Fprintf(w, "\n%s on node %d is %s", s.Attack, s.Victim, s.Outcome)
	enough := fmt.Sprintf("%d of the %s that it sees", len(s.Enough), plural.Of(s.Seen, "packet"))
	switch {
	case s.Enough == nil:
		fmt.Fprintf(w, ", so that there is nothing to explain: %s\n", s.Conclusion)
		return nil
	case len(s.Enough) == 0:
		fmt.Fprintf(w, " without any packet: %s\n", s.Estimate)
		return nil
	case s.Beginning != nil:
		fmt.Fprintf(w, " with all %s that arrived up to %v%s, of the %d that it sees",
			plural.Of(len(s.Enough), "packet"), s.Beginning.Until(), over(s.Beginning.Links), s.Seen)
	case !s.Minimal:
		fmt.Fprintf(w, " with %s, and maybe with fewer; it was carried out %s (--tries)", enough,
			plural.Of(s.Tried, "time"))
	default:
		fmt.Fprintf(w, " with %s, of which none can be left out", enough)
	}
	fmt.Fprintf(w, ": %s\n", s.Estimate)
	if s.Conclusion != s.Estimate {
		fmt.Fprintf(w, "  with all that it sees: %s\n", s.Conclusion)
	}
	if b := s.Beginning; b != nil {
		last := "the last of them"
		if b.Last > 1 {
			last = fmt.Sprintf("the last %d of them, which arrived then,", b.Last)
		}
		fmt.Fprintf(w, "  without %s it is %s: %s\n", last, b.Without, b.Conclusion)
		linkTable(w, b.Links)
	}
	if s.Reason != "" {
		fmt.Fprintf(w, "  %s\n", s.Reason)
	}
	if b := s.Beginning; b != nil && b.Minimal {
		which := fmt.Sprintf("%d of these %d packets are", len(b.Alone), len(s.Enough))
		switch len(b.Alone) {
		case 0:
			_, err := fmt.Fprintln(w, "  if none of these packets had ever been sent, nothing more would be needed")
			return err
		case 1:
			which = fmt.Sprintf("one of these %s is", plural.Of(len(s.Enough), "packet"))
		}
		fmt.Fprintf(w, "  if the others had never been sent, %s enough, of which none can be left out (--json lists "+
			"all):\n", which)
		return packetTable(w, b.Alone, true)
	}
	return packetTable(w, s.Enough, s.Minimal)
}

// over names links, if they are not all; of many it says how many there are.
func over(links []record.NeededLink) string {
	var names []string
	for _, l := range links {
		names = append(names, l.String())
	}
	switch n := len(links); {
	case n == 0:
		return ""
	case n > 2*eitherEnd:
		return fmt.Sprintf(" over %d links", n)
	case n == 1:
		return " over the link " + names[0]
	}
	return " over the links " + strings.Join(names, ", ")
}

// linkTable says what becomes of an attack without each link; those without which the same does stand together.
func linkTable(w io.Writer, links []record.NeededLink) {
	var reasons []string // in order of the first of each
	groups := map[string][]string{}
	for _, l := range links {
		if l.Without == "" {
			continue
		}
		reason := fmt.Sprintf("%s: %s", l.Without, l.Conclusion)
		if groups[reason] == nil {
			reasons = append(reasons, reason)
		}
		groups[reason] = append(groups[reason], l.String())
	}
	for _, reason := range reasons {
		of := groups[reason]
		which := "what came over the link " + of[0]
		switch n := len(of); {
		case n > 2*eitherEnd:
			which = fmt.Sprintf("one of these %d links", n)
		case n > 1:
			which = "one of the links " + strings.Join(of, ", ")
		}
		fmt.Fprintf(w, "  without %s it is %s\n", which, reason)
	}
}

// packetTable lists packets, of many the first and the last. Those without which the same becomes of the attack stand
// together, below that, if all were tried.
func packetTable(w io.Writer, packets []record.NeededPacket, tried bool) error {
	listed, more := packets, 0
	if len(listed) > mostPackets {
		more = len(listed) - 2*eitherEnd
		listed = slices.Concat(listed[:eitherEnd], listed[eitherEnd+more:])
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  packet\tcarries\tround\tfrom → to\tsent at")
	var reasons []string // without each group, in order of the first of each
	groups := map[string][]int{}
	for k := range listed {
		p := &listed[k]
		fmt.Fprintf(t, "  %d\t%s\t%d\t%d → %d\t%v\n", p.ID, p.Kind, p.Round, p.Src, p.Dst, p.Sent())
		without := ""
		if tried {
			without = fmt.Sprintf("%s: %s", p.Without, p.Conclusion)
		}
		if groups[without] == nil {
			reasons = append(reasons, without)
		}
		groups[without] = append(groups[without], k)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	rows := strings.SplitAfter(b.String(), "\n")
	lines := rows[:1:1]
	for _, without := range reasons {
		switch of := groups[without]; {
		case without == "":
		case len(of) == 1:
			lines = append(lines, fmt.Sprintf("  without this one it is %s\n", without))
		default:
			lines = append(lines, fmt.Sprintf("  without one of these %d it is %s\n", len(of), without))
		}
		for _, k := range groups[without] {
			lines = append(lines, rows[1+k])
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("  … and %d more, sent between the first %d and the last %d (--json lists "+
			"all)\n", more, eitherEnd, eitherEnd))
	}
	_, err := io.WriteString(w, strings.Join(lines, ""))
	return err
}
