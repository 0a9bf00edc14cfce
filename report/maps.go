// Maps of what nodes learn about each other, for a terminal.

package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"overhear/internal/plural"
	"overhear/record"
)

// MapTable writes what a map says by distance.
func MapTable(w io.Writer, m *record.Map, dir string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s: map of %s, %s, %s\n", m.Name, m.Algorithm, plural.Of(m.Nodes, "node"),
		plural.Of(m.Rounds, "round"))
	fmt.Fprintf(t, "learnt\tone label of a node's row %d, flipped, by another node, which hears its neighbours, knows "+
		"what it drew and all data but the label; exact: its best test is that of N(0, 1) against N(μ, 1)\n", m.Row)
	if err := t.Flush(); err != nil {
		return err
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "distance\tpairs\tμ, mean\tleast\tmost\tε (%s), most\tshare of all\teach message by itself\t"+
		"pairs above it\n", Delta(m.Delta))
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
