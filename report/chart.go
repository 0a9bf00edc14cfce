// Charts of several lines, told apart by dashes and marks as well as by colour.

package report

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Line is one line of a chart. Low and High, its range over runs, may be nil; a
// point that is not finite is left out.
type Line struct {
	Label              string
	X, Mean, Low, High []float64
}

// Chart is lines over common axes.
type Chart struct {
	Title, X, Y string
	LogX, LogY  bool
	Lines       []Line
}

// palette is Okabe & Ito's, which the colour-blind can tell apart, from dark to
// light.
var palette = []color.RGBA{
	{0, 0, 0, 255}, {0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255},
	{204, 121, 167, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}, {120, 120, 120, 255},
}

var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {1, 2}, {10, 4}, {4, 1}, {6, 2, 1, 2, 1, 2}}

var glyphs = []draw.GlyphDrawer{
	draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
}

// Draw writes a chart as dir/name.svg and dir/name.png, the same bytes every
// time.
func Draw(c Chart, dir, name string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("writing figures: %w", err)
	}
	p, err := c.plot()
	if err != nil {
		return fmt.Errorf("drawing %s: %w", name, err)
	}
	for _, format := range []string{"svg", "png"} {
		if err := save(p, filepath.Join(dir, name+"."+format), format); err != nil {
			return fmt.Errorf("writing figures: %w", err)
		}
	}
	return nil
}

func (c Chart) plot() (*plot.Plot, error) {
	p := frame(c.Title, c.X, c.Y)
	if c.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decades{}
	}
	if c.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
	}
	p.Legend.Top = true
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	p.Legend.ThumbnailWidth = 9 * vg.Millimeter
	p.Legend.Padding = vg.Points(1.5)
	drawn := 0
	for k, l := range c.Lines {
		ok, err := c.add(p, l, k)
		if err != nil {
			return nil, err
		}
		if ok {
			drawn++
		}
	}
	if drawn == 0 {
		return nil, fmt.Errorf("no line has a point")
	}
	if !c.LogX && p.X.Min > 0 && p.X.Min < 0.1*p.X.Max {
		p.X.Min = 0
	}
	// Room for the legend above the lines.
	if !c.LogY {
		p.Y.Max += float64((p.Y.Max - p.Y.Min) * 0.045 * float64(drawn+1))
	} else {
		p.Y.Max *= math.Pow(p.Y.Max/p.Y.Min, 0.045*float64(drawn+1))
	}
	return p, nil
}

// add draws the k-th line with its range; false if it has no point.
func (c Chart) add(p *plot.Plot, l Line, k int) (bool, error) {
	fits := func(x, y float64) bool {
		return !math.IsNaN(y) && !math.IsInf(y, 0) && (!c.LogY || y > 0) && (!c.LogX || x > 0)
	}
	var line, above, below plotter.XYs
	for i, x := range l.X {
		if !fits(x, l.Mean[i]) {
			continue
		}
		line = append(line, plotter.XY{X: x, Y: l.Mean[i]})
		if l.Low != nil && fits(x, l.Low[i]) && fits(x, l.High[i]) {
			above = append(above, plotter.XY{X: x, Y: l.High[i]})
			below = append(below, plotter.XY{X: x, Y: l.Low[i]})
		}
	}
	if len(line) == 0 {
		return false, nil
	}
	ink := palette[k%len(palette)]
	if len(above) > 1 {
		for i := len(below) - 1; i >= 0; i-- {
			above = append(above, below[i])
		}
		band, err := plotter.NewPolygon(above)
		if err != nil {
			return false, err
		}
		band.Color, band.LineStyle.Width = translucent(ink), 0
		p.Add(band)
	}
	curve, err := plotter.NewLine(line)
	if err != nil {
		return false, err
	}
	curve.Width, curve.Color, curve.Dashes = vg.Points(1.3), ink, dashes[k%len(dashes)]
	// About nine marks a line, not at the same places on all.
	var marks plotter.XYs
	step := max(1, len(line)/9)
	for i := (k * step / 8) % step; i < len(line); i += step {
		marks = append(marks, line[i])
	}
	points, err := plotter.NewScatter(marks)
	if err != nil {
		return false, err
	}
	points.GlyphStyle = draw.GlyphStyle{Color: ink, Radius: vg.Points(2.4), Shape: glyphs[k%len(glyphs)]}
	p.Add(curve, points)
	p.Legend.Add(l.Label, curve, points)
	return true, nil
}

// translucent is the colour of a line's range.
func translucent(c color.RGBA) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, 36} }
