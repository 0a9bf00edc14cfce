// Charts: lines with their ranges and marks over two axes, told apart by dashes and marks as well as by colour.

package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Look is how a line is drawn.
type Look uint8

// The looks of lines.
const (
	Marked    Look = iota // a line with marks
	Plain                 // a line without
	Scatter               // marks without a line
	Upright               // a vertical line at each X; Y is not read
	Reference             // thin and grey, to compare with
	Crosses               // a cross above the others at each X, for what has no Y; Y is not read
)

// Line is one line of a chart. Its colour, dashes and marks follow from its place among the lines with a label. One
// without a label has those of the line before it, and no entry in the legend. A point that is not finite, or has no
// place on a logarithmic axis, is left out.
type Line struct {
	Label     string
	Look      Look
	X, Y      []float64
	Low, High []float64 // the range around Y, drawn as a band; nil: none

	// Place is whose colour, dashes and marks it has, from 1: charts in which other lines may be missing have the same
	// for the same; 0: by its place among the lines with a label.
	Place int
}

// Chart is lines over two axes.
type Chart struct {
	Title  string
	About  string // what is to be seen, for who cannot see it; "": the axes and lines in words
	X, Y   Axis
	Square bool
	Lines  []Line

	Width, Height float64 // in points, Height without the legend; 0: as usual
}

// Sizes of charts in points: a width that fills a column or a page of 16 cm, and the height without the legend.
const (
	chartWidth   = 440.0
	chartHeight  = 240.0
	squareHeight = 350.0
)

// Picture draws the chart; nil if no line has a point.
func (c Chart) Picture() *Picture {
	if !c.measure() {
		return nil
	}
	entries := c.entries()
	width, height := chartWidth, chartHeight
	if c.Square {
		height = squareHeight
	}
	if c.Width > 0 {
		width = c.Width
		c.X.extra = max(0, width-chartWidth)
	}
	if c.Height > 0 {
		height = c.Height
	}
	legend := LegendHeight(entries, 0, width)
	about := c.About
	if about == "" {
		about = c.words()
	}
	return &Picture{Title: c.Title, About: about, Width: width, Height: legend + height, Paint: func(s *Sheet) {
		s.Legend(entries, 0, width, 0)
		c.draw(draw.Crop(s.canvas, 0, 0, 0, -vg.Points(legend)))
	}}
}

// Save writes the chart as dir/name.svg and dir/name.png.
func (c Chart) Save(dir, name string) error {
	p := c.Picture()
	if p == nil {
		return fmt.Errorf("drawing %s: no line has a point", name)
	}
	return p.Save(dir, name)
}

// words says what the chart shows.
func (c Chart) words() string {
	var labels []string
	for _, l := range c.Lines {
		if l.Label != "" {
			labels = append(labels, l.Label)
		}
	}
	about := c.Y.Label + " against " + c.X.Label
	if len(labels) > 0 {
		about += ": " + strings.Join(labels, "; ")
	}
	return about
}

// measure finds the ranges of the axes; false if no line has a point.
func (c *Chart) measure() bool {
	var xs, ys []float64
	crosses := false
	for _, l := range c.Lines {
		for k, x := range l.X {
			switch {
			case l.Look == Upright, l.Look == Crosses:
				xs = append(xs, x)
				crosses = crosses || l.Look == Crosses
			case c.fits(x, l.Y[k]):
				xs, ys = append(xs, x), append(ys, l.Y[k])
				if l.Low != nil && c.fits(x, l.Low[k]) && c.fits(x, l.High[k]) {
					ys = append(ys, l.Low[k], l.High[k])
				}
			}
		}
	}
	if len(ys) == 0 || !c.X.measure(xs) || !c.Y.measure(ys) {
		return false
	}
	if crosses { // they have the upper edge for themselves
		if c.Y.Log {
			c.Y.High *= math.Pow(c.Y.High/c.Y.Low, 0.09)
		} else {
			c.Y.High += 0.09 * (c.Y.High - c.Y.Low)
		}
	}
	return true
}

func (c *Chart) fits(x, y float64) bool {
	_, okX := c.X.place(x)
	_, okY := c.Y.place(y)
	return okX && okY
}

// styled is a line with its place in the palette.
type styled struct {
	Line
	place int
}

func (c *Chart) styled() []styled {
	var all []styled
	next := 0
	for _, l := range c.Lines {
		if (l.Label != "" || len(all) == 0) && l.Look != Reference && l.Look != Crosses {
			next++
		}
		place := max(0, next-1)
		if l.Place > 0 {
			place = l.Place - 1
		}
		all = append(all, styled{l, place % MostLines})
	}
	return all
}

func (l *styled) ink() color.RGBA {
	switch l.Look {
	case Reference:
		return Frame
	case Crosses:
		return Text
	}
	return palette[l.place].light
}

func (l *styled) pen() draw.LineStyle {
	style := draw.LineStyle{Color: l.ink(), Width: vg.Points(1.6), Dashes: dashes[l.place]}
	if l.Look == Reference {
		style.Width, style.Dashes = vg.Points(1), []vg.Length{2, 3}
	}
	return style
}

func (l *styled) glyph() draw.GlyphStyle {
	if l.Look == Crosses {
		return draw.GlyphStyle{Color: Text, Radius: vg.Points(4), Shape: draw.CrossGlyph{}}
	}
	return draw.GlyphStyle{Color: l.ink(), Radius: vg.Points(2.8), Shape: glyphs[l.place]}
}

func (l *styled) hasLine() bool { return l.Look != Scatter && l.Look != Crosses }

func (l *styled) hasMarks() bool { return l.Look == Marked || l.Look == Scatter || l.Look == Crosses }

// entries are those of the legend.
func (c *Chart) entries() []Entry {
	var all []Entry
	for _, l := range c.styled() {
		if l.Label == "" {
			continue
		}
		all = append(all, Entry{l.Label, func(s *Sheet, x, y float64) {
			if l.Low != nil {
				s.Box(x, y-5, sample, 10, translucent(l.ink()), Pen{})
			}
			if l.hasLine() {
				s.canvas.StrokeLines(l.pen(), []vg.Point{s.at(x, y), s.at(x+sample, y)})
			}
			if l.hasMarks() {
				s.canvas.DrawGlyphNoClip(l.glyph(), s.at(x+sample/2, y))
			}
		}})
	}
	return all
}

// draw draws axes and lines.
func (c *Chart) draw(on draw.Canvas) {
	f := c.frame()
	const name, end = TextSize + 6, 8
	inside := draw.Crop(on, name, -end, name, 0)
	if c.Square {
		room := f.data(inside).Size()
		if narrower := (room.X - room.Y) / 2; narrower > 0 {
			on = draw.Crop(on, narrower, -narrower, 0, 0)
			inside = draw.Crop(on, name, -end, name, 0)
		}
	}
	data := f.data(inside)
	style := text.Style{Color: Text, Font: face(TextSize, false), XAlign: text.XCenter, YAlign: text.YBottom,
		Handler: hand}
	on.FillText(style, vg.Point{X: data.Center().X, Y: on.Min.Y + 3}, shorten(c.X.Label, TextSize, chartWidth))
	style.Rotation = math.Pi / 2
	on.FillText(style, vg.Point{X: on.Min.X + TextSize, Y: data.Center().Y},
		shorten(c.Y.Label, TextSize, data.Size().Y.Points()+2*name))
	f.draw(inside)
	c.plot(data, f)
}

// plot draws the grid and the lines where the axes have them.
func (c *Chart) plot(on draw.Canvas, f *frame) {
	x := func(v float64) vg.Length { return on.X(c.X.at(v)) }
	y := func(v float64) vg.Length { return on.Y(c.Y.at(v)) }
	pen := draw.LineStyle{Color: Grid, Width: rule}
	for _, t := range f.across {
		if !t.minor() {
			on.StrokeLine2(pen, x(t.value), on.Min.Y, x(t.value), on.Max.Y)
		}
	}
	for _, t := range f.up {
		if !t.minor() {
			on.StrokeLine2(pen, on.Min.X, y(t.value), on.Max.X, y(t.value))
		}
	}
	all := c.styled()
	for k := range all {
		c.band(on, &all[k], x, y)
	}
	for k := range all {
		c.line(on, &all[k], x, y)
	}
}

// band fills the range of a line.
func (c *Chart) band(on draw.Canvas, l *styled, x, y func(float64) vg.Length) {
	if l.Low == nil {
		return
	}
	if c.X.Names != nil { // nothing is between categories
		for k, v := range l.X {
			if c.fits(v, l.Low[k]) && c.fits(v, l.High[k]) {
				pen := draw.LineStyle{Color: l.ink(), Width: vg.Points(1.6)}
				on.StrokeLine2(pen, x(v), y(l.Low[k]), x(v), y(l.High[k]))
			}
		}
		return
	}
	var above, below []vg.Point
	for k, v := range l.X {
		at, ok := c.X.place(v)
		if !ok || math.IsNaN(l.Y[k]) || math.IsNaN(l.Low[k]) || math.IsNaN(l.High[k]) {
			continue
		}
		above = append(above, vg.Point{X: x(at), Y: y(c.Y.edge(l.High[k]))})
		below = append(below, vg.Point{X: x(at), Y: y(c.Y.edge(l.Low[k]))})
	}
	if len(above) < 2 {
		return
	}
	slices.Reverse(below)
	on.FillPolygon(translucent(l.ink()), on.ClipPolygonXY(append(above, below...)))
}

// line draws a line and its marks.
func (c *Chart) line(on draw.Canvas, l *styled, x, y func(float64) vg.Length) {
	var points []vg.Point
	for k, v := range l.X {
		at, ok := c.X.place(v)
		switch {
		case !ok:
		case l.Look == Upright:
			if on.ContainsX(x(at)) {
				on.StrokeLine2(l.pen(), x(at), on.Min.Y, x(at), on.Max.Y)
			}
		case l.Look == Crosses:
			on.DrawGlyph(l.glyph(), vg.Point{X: x(at), Y: on.Max.Y - 9})
		case c.fits(v, l.Y[k]):
			high, _ := c.Y.place(l.Y[k])
			points = append(points, vg.Point{X: x(at), Y: y(high)})
		}
	}
	if l.hasLine() {
		on.StrokeLines(l.pen(), on.ClipLinesXY(points)...)
	}
	if !l.hasMarks() {
		return
	}
	step, first := 1, 0
	if l.Look == Marked { // about nine marks a line, not at the same places on all
		step = max(1, len(points)/9)
		first = l.place * step / MostLines
	}
	for k := first; k < len(points); k += step {
		on.DrawGlyph(l.glyph(), points[k])
	}
}
