// Why a run went as it did, as tables.

package report

import (
	"fmt"
	"io"
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
	return nil
}

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
	case !s.Minimal:
		fmt.Fprintf(w, " with %s, and maybe with fewer; it was carried out %s (--tries)", enough,
			plural.Of(s.Tried, "time"))
	default:
		fmt.Fprintf(w, " with %s, of which none can be left out", enough)
	}
	fmt.Fprintf(w, ": %s\n", s.Estimate)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "  packet\tround\tfrom → to\tsent at")
	if s.Minimal {
		fmt.Fprint(t, "\twithout it")
	}
	fmt.Fprintln(t)
	for k := range s.Enough {
		p := &s.Enough[k]
		fmt.Fprintf(t, "  %s\t%d\t%d → %d\t%v", p.Kind, p.Round, p.Src, p.Dst, p.Sent())
		if s.Minimal {
			fmt.Fprintf(t, "\t%s: %s", p.Without, p.Conclusion)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
