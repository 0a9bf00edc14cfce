// What pictures are drawn on: a canvas with its origin in the upper left corner.

package plot

import (
	"image/color"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sheet is what a picture is drawn on. Places and sizes are in points, from the upper left corner to the right and
// down.
type Sheet struct {
	canvas draw.Canvas
	height vg.Length // of the picture with its head and margins
	tips   []tip
}

// Anchor says which part of a text stands at its place.
type Anchor = text.XAlignment

// The anchors of a text.
const (
	Start  Anchor = text.XLeft
	Middle Anchor = text.XCenter
	End    Anchor = text.XRight
)

// Pen is how lines and outlines are drawn; width 0 draws none.
type Pen struct {
	Color  color.Color
	Width  float64
	Dashes []float64
}

func (p Pen) style() draw.LineStyle {
	style := draw.LineStyle{Color: p.Color, Width: vg.Points(p.Width)}
	for _, d := range p.Dashes {
		style.Dashes = append(style.Dashes, vg.Points(d))
	}
	return style
}

func (s *Sheet) at(x, y float64) vg.Point {
	return vg.Point{X: s.canvas.Min.X + vg.Points(x), Y: s.canvas.Max.Y - vg.Points(y)}
}

// Line draws a straight line.
func (s *Sheet) Line(x0, y0, x1, y1 float64, pen Pen) {
	s.canvas.StrokeLines(pen.style(), []vg.Point{s.at(x0, y0), s.at(x1, y1)})
}

// Disc fills a circle and draws its outline. No fill leaves its inside as it is.
func (s *Sheet) Disc(x, y, r float64, fill color.Color, outline Pen) {
	var path vg.Path
	centre := s.at(x, y)
	path.Move(centre.Add(vg.Point{X: vg.Points(r)}))
	path.Arc(centre, vg.Points(r), 0, 6.283185307179586)
	path.Close()
	s.shape(path, fill, outline)
}

// Box fills a rectangle, given by its upper left corner, and draws its outline. No fill leaves its inside as it is.
func (s *Sheet) Box(x, y, width, height float64, fill color.Color, outline Pen) {
	s.shape(vg.Rectangle{Min: s.at(x, y+height), Max: s.at(x+width, y)}.Path(), fill, outline)
}

// Area fills what rings of points enclose, of which one inside another that runs the other way round is a hole, and
// draws their outlines.
func (s *Sheet) Area(rings [][][2]float64, fill color.Color, outline Pen) {
	var path vg.Path
	for _, ring := range rings {
		for k, p := range ring {
			if at := s.at(p[0], p[1]); k == 0 {
				path.Move(at)
			} else {
				path.Line(at)
			}
		}
		path.Close()
	}
	s.shape(path, fill, outline)
}

func (s *Sheet) shape(path vg.Path, fill color.Color, outline Pen) {
	if fill != nil {
		s.canvas.SetColor(fill)
		s.canvas.Fill(path)
	}
	s.canvas.SetLineStyle(outline.style())
	s.canvas.Stroke(path)
}

// Write writes a line of text; y is its base line.
func (s *Sheet) Write(x, y float64, anchor Anchor, words string, size float64, ink color.Color) {
	s.write(x, y, anchor, words, size, ink, false)
}

func (s *Sheet) write(x, y float64, anchor Anchor, words string, size float64, ink color.Color, bold bool) {
	style := text.Style{Color: ink, Font: face(size, bold), XAlign: anchor, YAlign: text.YBottom, Handler: hand}
	at := s.at(x, y)
	_, ascent, _ := hand.Box(words, style.Font)
	s.canvas.FillText(style, at.Add(vg.Point{Y: ascent - style.Font.Size}), words)
}

// Entry is an entry of a legend: a label, and a sample to draw from x to x+24 around y.
type Entry struct {
	Label  string
	Sample func(s *Sheet, x, y float64)
}

const sample = 24.0 // how wide a sample is

// Legend writes entries in rows between left and right, and returns how high they are. Labels that are too long are
// cut.
func (s *Sheet) Legend(entries []Entry, left, right, top float64) float64 {
	rows := placed(entries, left, right)
	for _, e := range rows {
		y := top + e.y
		e.Sample(s, e.x, y)
		s.Write(e.x+sample+6, y+0.36*TextSize, Start, e.label, TextSize, Text)
	}
	return LegendHeight(entries, left, right)
}

const (
	legendRow = 16.0
	wider     = 1.14 // how much wider text is in a viewer with another font
	bolder    = 1.22 // how much wider a title is there
)

// place is where an entry stands, y from the top of the legend.
type place struct {
	Entry
	label string
	x, y  float64
}

func placed(entries []Entry, left, right float64) []place {
	var all []place
	x, y := left, legendRow/2
	for _, e := range entries {
		label := shorten(e.Label, TextSize, (right-left-sample-6)/wider)
		width := sample + 6 + wider*Width(label, TextSize)
		if x > left && x+width > right {
			x, y = left, y+legendRow
		}
		all = append(all, place{e, label, x, y})
		x += width + 10
	}
	return all
}

// LegendHeight is how high a legend is.
func LegendHeight(entries []Entry, left, right float64) float64 {
	all := placed(entries, left, right)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1].y + legendRow/2 + 6
}

// tip is a text that appears over a part of a picture.
type tip struct {
	text         string
	from, to     vg.Point // from the upper left corner of the picture
	radius, wide float64  // of a disc, or of a line
}

// DiscTip has a viewer of the SVG show a text over a disc.
func (s *Sheet) DiscTip(x, y, r float64, words string) {
	at := s.fromTop(x, y)
	s.tips = append(s.tips, tip{text: words, from: at, to: at, radius: r})
}

// LineTip has a viewer of the SVG show a text over a line of a width.
func (s *Sheet) LineTip(x0, y0, x1, y1, width float64, words string) {
	s.tips = append(s.tips, tip{text: words, from: s.fromTop(x0, y0), to: s.fromTop(x1, y1), wide: width})
}

// fromTop is a place in the picture with its margins.
func (s *Sheet) fromTop(x, y float64) vg.Point {
	at := s.at(x, y)
	return vg.Point{X: at.X, Y: s.height - at.Y}
}
