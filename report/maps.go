// Maps of what nodes learn about each other, for a terminal.

package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"overhear/internal/plural"
	"overhear/record"
)

// MapOf says what a map is of.
func MapOf(m *record.Map) string {
	what, one := "label", "flipped"
	if m.Targets {
		what, one = "target", "as it is or with its sign turned, in the units that rounds compute with"
	}
	return fmt.Sprintf("one %s of a node's row %d, %s, by another node, which hears its neighbours, knows "+
		"what it drew and all data but the %s; exact: its best test is that of N(0, 1) against N(μ, 1)", what, m.Row,
		one, what)
}

// MapHead is the head of a map's table.
func MapHead(m *record.Map) []string {
	return []string{"distance", "pairs", "μ, mean", "least", "most", "ε (" + Delta(m.Delta) + "), most", "share of all",
		"each message by itself", "pairs above it"}
}

// MapTable writes what a map says by distance.
func MapTable(w io.Writer, m *record.Map, dir string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s: map of %s, %s, %s\n", m.Name, m.Algorithm, plural.Of(m.Nodes, "node"),
		plural.Of(m.Rounds, "round"))
	fmt.Fprintf(t, "learnt\t%s\n", MapOf(m))
	fmt.Fprintf(t, "checks\t%s\n", checksOf(m.Checks))
	if err := t.Flush(); err != nil {
		return err
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(MapHead(m), "\t"))
	for _, d := range m.ByDistance {
		fmt.Fprintf(t, "%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n", d.Distance, d.Pairs, epsilon(d.Mean), epsilon(d.Least),
			epsilon(d.Most), epsilon(d.Epsilon), percent(d.Share), epsilon(d.Messages), d.Above)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	least, most := m.All[0], m.All[0]
	for _, mu := range m.All {
		least, most = min(least, mu), max(most, mu)
	}
	fmt.Fprintf(w, "one who sees everything has μ from %s to %s\n", epsilon(least), epsilon(most))
	_, err := fmt.Fprintf(w, "files: %s/%s, %s, pictures; %.2f s\n", dir, record.MapFile, record.PairsFile, m.Wall)
	return err
}
