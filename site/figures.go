// Pages of figures: with what the command computes, and what a reader may change.

package site

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"overhear/site/engine"
)

// figurePage is where a figure is.
func figurePage(name string) string { return "figures/" + name + ".html" }

// figure is what the page of a figure shows.
type figure struct {
	engine.Description
	Controls []control
	Usual    *engine.Computed // by the command, with the usual values
	Finding  string           // page of the paper's own data or of the study; "": there is none
}

// control is what a reader changes a parameter by.
type control struct {
	engine.Parameter
	Positions []engine.Value // of a slider or of a choice
	Usual     int            // the position of the usual value
}

// controls are those of parameters.
func controls(parameters []engine.Parameter) (all []control) {
	for _, p := range parameters {
		c := control{Parameter: p, Positions: p.Values}
		usual := fmt.Sprint(p.Default)
		if v, ok := p.Default.(float64); ok {
			usual = written(v)
			for _, at := range positions(p, v) {
				c.Positions = append(c.Positions, engine.Value{Value: written(at), Label: written(at)})
			}
		}
		c.Usual = slices.IndexFunc(c.Positions, func(v engine.Value) bool { return v.Value == usual })
		all = append(all, c)
	}
	return all
}

// positions are the values that a slider stops at: of a linear scale by its steps, of a logarithmic one about twenty a
// decade, of two digits; the ends and the usual value among them.
func positions(p engine.Parameter, usual float64) []float64 {
	all := []float64{p.Min, p.Max, usual}
	add := func(v float64) {
		if v > p.Min && v < p.Max {
			all = append(all, v)
		}
	}
	if p.Scale == "log" {
		for k := range int(20*math.Log10(p.Max/p.Min)) + 1 {
			add(rounded(p.Min*math.Pow(10, float64(k)/20), 2))
		}
	} else {
		for k := range int((p.Max-p.Min)/p.Step) + 1 {
			add(rounded(p.Min+float64(k)*p.Step, 12))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// rounded is a number of so many digits.
func rounded(v float64, digits int) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil { // it was written by us
		panic(fmt.Sprintf("site: %v", err))
	}
	return v
}

// written is a number as scenarios have it.
func written(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// figures computes all figures with their usual values.
func figures(ctx context.Context, all []*document, c *course) (made []*figure, err error) {
	descriptions := engine.Descriptions()
	for k, d := range descriptions {
		c.at(computing, float64(k)/float64(len(descriptions)))
		usual, err := engine.Compute(ctx, d.Name, nil, func(float64, string) {})
		if err != nil {
			return nil, err
		}
		f := &figure{Description: d, Controls: controls(d.Parameters), Usual: usual}
		for _, text := range all {
			if computed(text.text) == figurePage(d.Name) {
				f.Finding = text.path
			}
		}
		made = append(made, f)
	}
	c.at(computing, 1)
	return made, nil
}

// Path is where the page is.
func (f *figure) Path() string { return figurePage(f.Name) }

// Script is what the page's script has of the figure.
func (f *figure) Script() any {
	return map[string]any{"name": f.Name, "controls": f.Controls, "digest": f.Usual.Digest,
		"drawn":      f.Usual.Drawn,
		"statements": f.Usual.Statements, "runs": f.Usual.Runs, "command": f.Command}
}

// drawing is a chart in a file.
type drawing struct {
	Path, Title string
	svg         string // an element of a page; "": nothing is drawn
}

// Drawings are the charts with the usual values.
func (f *figure) Drawings() (all []drawing) {
	for _, c := range f.Usual.Charts {
		if c.SVG != "" {
			all = append(all, drawing{"figures/" + f.Name + "/" + c.Name + ".svg", c.Title, c.SVG})
		}
	}
	return all
}

// page is the figure's page.
func (f *figure) page() *page {
	return &page{Path: f.Path(), Title: f.Title, About: f.About, Room: figureRoom, Body: f,
		Scripts: []string{"engine.js", "show.js", "figure.js"}}
}

// Verdicts counts the verdicts of a figure with its usual values, in words.
func (f *figure) Verdicts() string {
	count := map[string]int{}
	var order []string
	for _, s := range f.Usual.Statements {
		if count[s.Verdict] == 0 {
			order = append(order, s.Verdict)
		}
		count[s.Verdict]++
	}
	text := ""
	for k, v := range order {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%d × %s", count[v], v)
	}
	return text
}

// Last is the last position of a slider.
func (c control) Last() int { return len(c.Positions) - 1 }
