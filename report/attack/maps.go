// What nodes learn about each other, by distance and as pictures.

package attack

import (
	"fmt"

	"overhear/internal/plural"
	"overhear/report"
	"overhear/report/network"
	"overhear/report/plot"
)

// mapSection has the maps.
func (e *Evaluation) mapSection(a *album) *section {
	s := &section{ID: "maps", Title: "What nodes learn about each other"}
	for _, m := range e.Maps {
		t := &table{Head: report.MapHead(m.Map)}
		for _, d := range m.ByDistance {
			t.Rows = append(t.Rows, []cell{whole(d.Distance), whole(d.Pairs), measured(d.Mean), measured(d.Least),
				measured(d.Most), measured(d.Epsilon), {Text: plot.Number(100*float64(d.Share)) + " %", Number: true},
				measured(d.Messages), whole(d.Above)})
		}
		b := block{Heading: fmt.Sprintf("%s: %s, %s, %s", m.Name, m.Algorithm, plural.Of(m.Nodes, "node"),
			plural.Of(m.Rounds, "round")), Text: "Learnt is " + report.MapOf(m.Map) + ".", Table: t}
		if p := network.Learnt(m.Map, m.Pairs); p != nil {
			numbers := &table{Head: []string{"observer", "distance", "μ", "share of all"}}
			for j := range m.Pairs.Mu {
				if j != m.Victim {
					mu := m.Pairs.Mu[j][m.Victim]
					numbers.Rows = append(numbers.Rows, []cell{whole(j), whole(m.Pairs.Distance[j][m.Victim]),
						value(mu), value(mu / float64(m.All[m.Victim]))})
				}
			}
			b.Figures = append(b.Figures, a.add(p, p.Caption, numbers.thin(figureRows)))
		}
		matrix, distance := network.Matrix(m.Map, m.Pairs), network.ByDistance(m.Map)
		b.Figures = append(b.Figures, a.add(matrix, matrix.Caption+"; map.csv has the numbers", nil),
			a.add(distance, "The table above has its numbers.", nil))
		s.add(b)
	}
	return s
}
