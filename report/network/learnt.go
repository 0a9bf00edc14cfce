// What nodes learn about each other: over the network of one victim, as a matrix, and against distance.

package network

import (
	"fmt"
	"image/color"
	"math"

	"overhear/internal/plural"
	"overhear/record"
	"overhear/report/plot"
)

// shares are those of a share of what one who sees everything learns.
var shares = []struct {
	from       float64
	label      string
	fill, text color.Color
}{
	{0.9, "0.9 of μ and more", color.RGBA{165, 15, 21, 255}, light},
	{0.5, "0.5 to 0.9", color.RGBA{239, 90, 60, 255}, dark},
	{0.2, "0.2 to 0.5", color.RGBA{252, 165, 111, 255}, dark},
	{0.05, "0.05 to 0.2", color.RGBA{254, 227, 184, 255}, dark},
	{math.Inf(-1), "below 0.05", color.RGBA{185, 215, 234, 255}, dark},
}

func shareOf(share float64) int {
	for k, s := range shares {
		if share >= s.from {
			return k
		}
	}
	return len(shares) - 1
}

func shareEntries() (all []plot.Entry) {
	for k := range shares {
		all = append(all, plot.Entry{Label: shares[k].label, Sample: func(s *plot.Sheet, x, y float64) {
			s.Box(x+4, y-5, 16, 10, shares[k].fill, plot.Pen{Color: plot.Frame, Width: 0.5})
		}})
	}
	return all
}

// mostDrawn is how many nodes a network is drawn of.
const mostDrawn = 300

// Learnt draws a network, nodes coloured by what each learns about a label of the victim; nil of more nodes than can be
// drawn.
func Learnt(m *record.Map, p *record.Pairs) *plot.Picture {
	if m.Nodes > mostDrawn {
		return nil
	}
	const width, tallest, margin = 440.0, 340.0, 22.0
	at := layout(m.Nodes, m.Edges)
	height := fit(at, width-2*margin, tallest-2*margin)
	radius := math.Max(3, math.Min(11, 0.38*nearest(at)[0]))
	entries := shareEntries()
	top := plot.LegendHeight(entries, 0, width) + margin
	for k := range at {
		at[k].x, at[k].y = at[k].x+margin, at[k].y+top
	}
	v := m.Victim
	return &plot.Picture{
		Title: fmt.Sprintf("%s: what each node learns about a label of node %d", m.Name, v),
		Caption: fmt.Sprintf("as a share of the μ = %s of one who sees everything; exact, %s",
			plot.Number(float64(m.All[v])), plural.Of(m.Rounds, "round")),
		About: fmt.Sprintf("A network of %s and %s, nodes coloured by what each learns about a label of node %d",
			plural.Of(m.Nodes, "node"), plural.Of(len(m.Edges), "edge"), v),
		Width: width, Height: top + height + margin,
		Paint: func(s *plot.Sheet) {
			s.Legend(entries, 0, width, 0)
			for _, e := range m.Edges {
				s.Line(at[e[0]].x, at[e[0]].y, at[e[1]].x, at[e[1]].y, plot.Pen{Color: plot.Frame, Width: 0.7})
			}
			for k, q := range at {
				l, words := plain, fmt.Sprintf("node %d, whose label it is", k)
				if k != v {
					share := p.Mu[k][v] / float64(m.All[v])
					c := shares[shareOf(share)]
					l = look{c.fill, c.text, outline}
					words = fmt.Sprintf("node %d: μ = %s, %s of all, at distance %d", k, plot.Number(p.Mu[k][v]),
						plot.Number(share), p.Distance[k][v])
				}
				node(s, q.x, q.y, radius, l, false)
				if k == v {
					ring(s, q.x, q.y, radius*1.25+3)
				}
				number(s, q, k, radius, l, width, k == v)
				s.DiscTip(q.x, q.y, radius, words)
			}
		},
	}
}

// cells is how many a side of a matrix has at most; of more nodes a cell has the greatest of several.
const cells = 100

// Matrix draws what each node learns about each other.
func Matrix(m *record.Map, p *record.Pairs) *plot.Picture {
	const width, side, left = 440.0, 330.0, 50.0
	each := (m.Nodes + cells - 1) / cells
	n := (m.Nodes + each - 1) / each
	most := make([][]float64, n)
	for a := range most {
		most[a] = make([]float64, n)
		for b := range most[a] {
			most[a][b] = math.NaN()
		}
	}
	for j := range p.Mu {
		for i, mu := range p.Mu[j] {
			if i != j {
				to := &most[j/each][i/each]
				*to = math.Max(mu/float64(m.All[i]), map[bool]float64{true: math.Inf(-1), false: *to}[math.IsNaN(*to)])
			}
		}
	}
	entries := shareEntries()
	top := plot.LegendHeight(entries, 0, width) + 10
	caption := "as a share of the μ of one who sees everything"
	if each > 1 {
		caption += fmt.Sprintf("; each cell is the greatest of %d × %d pairs", each, each)
	}
	return &plot.Picture{
		Title:   m.Name + ": what each node learns about a label of each other",
		Caption: caption,
		About:   fmt.Sprintf("A matrix of %d × %d shares, by observer and victim", m.Nodes, m.Nodes),
		Width:   width, Height: top + side + 34,
		Paint: func(s *plot.Sheet) {
			s.Legend(entries, 0, width, 0)
			one := side / float64(n)
			for a := range most {
				for b, share := range most[a] {
					var fill color.Color = plot.Grid
					if !math.IsNaN(share) {
						fill = shares[shareOf(share)].fill
					}
					s.Box(left+float64(b)*one, top+float64(a)*one, one, one, fill, plot.Pen{})
				}
			}
			s.Box(left, top, side, side, nil, plot.Pen{Color: plot.Frame, Width: 0.7})
			for _, k := range []int{0, m.Nodes - 1} {
				at := (float64(k/each) + 0.5) * one
				s.Write(left-6, top+at+0.36*plot.TextSize, plot.End, fmt.Sprint(k), plot.TextSize, plot.Text)
				s.Write(left+at, top+side+14, plot.Middle, fmt.Sprint(k), plot.TextSize, plot.Text)
			}
			s.Write(left+side/2, top+side+28, plot.Middle, "victim", plot.TextSize, plot.Text)
			s.Write(left-6, top+side/2, plot.End, "observer", plot.TextSize, plot.Text)
		},
	}
}

// ByDistance charts what is learnt against the distance between observer and victim.
func ByDistance(m *record.Map) *plot.Picture {
	var at, mean, least, most, messages []float64
	all := 0.0
	for _, d := range m.ByDistance {
		at, mean = append(at, float64(d.Distance)), append(mean, float64(d.Mean))
		least, most = append(least, float64(d.Least)), append(most, float64(d.Most))
		messages = append(messages, float64(d.Messages))
	}
	for _, mu := range m.All {
		all += float64(mu) / float64(m.Nodes)
	}
	return plot.Chart{
		Title: m.Name + ": what a node learns about a label, by distance",
		X:     plot.Axis{Label: "distance between observer and victim, hops", Whole: true}, Y: plot.Log("μ"),
		Lines: []plot.Line{
			{Label: "observer, mean and range", X: at, Y: mean, Low: least, High: most},
			{Label: "each message by itself, summed, mean", X: at, Y: messages},
			{Label: "one who sees everything, mean", Look: plot.Reference, X: []float64{at[0], at[len(at)-1]},
				Y: []float64{all, all}},
		},
	}.Picture()
}
