// Figures: loss and distance to the optimum against rounds and virtual time.

package report

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"overhear/record"
)

// Plots writes, into dir, figures of the runs of one experiment, one table a
// seed: loss and distance against rounds and against virtual time, each as SVG
// and PNG. With several seeds a line is the mean and the band goes from least to
// greatest. They are readable in black and white.
func Plots(name string, runs []*record.Table, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("writing figures: %w", err)
	}
	for _, y := range []axis{
		{"loss", "training loss", "loss L(t)", false},
		{"distance", "distance to the centralised optimum", "relative distance", true},
	} {
		for _, x := range []axis{{"round", "", "round", false}, {"time_s", "", "virtual time (s)", false}} {
			f, err := figure(name, runs, x, y)
			if err != nil {
				return fmt.Errorf("drawing %s against %s: %w", y.column, x.column, err)
			}
			if f == nil {
				continue
			}
			for _, format := range []string{"svg", "png"} {
				path := filepath.Join(dir, y.column+"-"+x.column+"."+format)
				if err := save(f, path, format); err != nil {
					return fmt.Errorf("writing figures: %w", err)
				}
			}
		}
	}
	return nil
}

// save writes a figure of 16 × 10 cm with a margin.
func save(p *plot.Plot, path, format string) error {
	const width, height, margin = 16 * vg.Centimeter, 10 * vg.Centimeter, 3 * vg.Millimeter
	var c vg.CanvasWriterTo
	if format == "png" {
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(180))}
	} else {
		c = vgsvg.New(width, height)
	}
	p.Draw(draw.Crop(draw.New(c), margin, -2*margin, margin, -margin))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = c.WriteTo(f)
	return errors.Join(err, f.Close())
}

// axis is a column of metrics.csv and how it is drawn.
type axis struct {
	column, about string
	title         string
	log           bool
}

// series is a column over rounds: mean, least and greatest over the runs.
func series(runs []*record.Table, column string) (mean, low, high []float64) {
	for t := range runs[0].Rows {
		n, sum, least, greatest := 0.0, 0.0, math.Inf(1), math.Inf(-1)
		for _, r := range runs {
			values := r.Column(column)
			if t >= len(values) || math.IsNaN(values[t]) {
				continue
			}
			n++
			sum += values[t]
			least, greatest = math.Min(least, values[t]), math.Max(greatest, values[t])
		}
		mean, low, high = append(mean, sum/n), append(low, least), append(high, greatest)
	}
	return mean, low, high
}

// figure draws one column against another; nil if there is nothing to draw.
func figure(name string, runs []*record.Table, x, y axis) (*plot.Plot, error) {
	at, _, _ := series(runs, x.column)
	mean, low, high := series(runs, y.column)
	var line, above, below plotter.XYs
	for t := range mean {
		if math.IsNaN(mean[t]) || math.IsInf(mean[t], 0) || (y.log && !(low[t] > 0)) {
			continue
		}
		line = append(line, plotter.XY{X: at[t], Y: mean[t]})
		above = append(above, plotter.XY{X: at[t], Y: high[t]})
		below = append(below, plotter.XY{X: at[t], Y: low[t]})
	}
	if len(line) < 2 {
		return nil, nil
	}
	title := name + ": " + y.about
	if len(runs) > 1 {
		title += fmt.Sprintf(", mean and range of %d seeds", len(runs))
	}
	p := frame(title, x.title, y.title)
	if y.log {
		p.Y.Scale = plot.LogScale{}
		p.Y.Tick.Marker = decades{}
	}
	if len(runs) > 1 {
		for k := len(below) - 1; k >= 0; k-- {
			above = append(above, below[k])
		}
		band, err := plotter.NewPolygon(above)
		if err != nil {
			return nil, err
		}
		band.Color, band.LineStyle.Width = color.Gray{200}, 0
		p.Add(band)
	}
	l, err := plotter.NewLine(line)
	if err != nil {
		return nil, err
	}
	l.Width = vg.Points(1.4)
	p.Add(l)
	// Open circles at about a dozen places tell the line from the grid in print.
	step := (len(line) + 11) / 12
	var marks plotter.XYs
	for k := 0; k < len(line); k += step {
		marks = append(marks, line[k])
	}
	m, err := plotter.NewScatter(marks)
	if err != nil {
		return nil, err
	}
	m.GlyphStyle = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(2.4), Shape: draw.RingGlyph{}}
	p.Add(m)
	return p, nil
}

// frame is an empty plot with axes and a grid.
func frame(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = 2 * vg.Millimeter
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.Padding = 1.5 * vg.Millimeter
		a.Padding = 2 * vg.Millimeter
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{225}, color.Gray{225}
	p.Add(grid)
	return p
}

// decades marks powers of ten, at most about eight of them labelled 1e-3, and
// their small multiples where there are few; less than two decades are labelled
// 1, 2, 5, 10, …, or like a linear axis if that leaves fewer than two labels.
type decades struct{}

func (decades) Ticks(low, high float64) []plot.Tick {
	if high < 100*low {
		return oneTwoFive(low, high)
	}
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	step := max(1, (last-first+7)/8)
	var ticks []plot.Tick
	mark := func(v float64, label string) {
		if v >= low && v <= high {
			ticks = append(ticks, plot.Tick{Value: v, Label: label})
		}
	}
	for e := first; e <= last; e++ {
		v := math.Pow10(e)
		label := ""
		if (last-e)%step == 0 {
			label = strconv.FormatFloat(v, 'g', 6, 64)
		}
		mark(v, label)
		for k := 2; k < 10 && last-first <= 4; k++ {
			mark(float64(k)*v, "")
		}
	}
	return ticks
}

// oneTwoFive marks one digit times powers of ten, with labels at 1, 2 and 5.
func oneTwoFive(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	labels := 0
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for digit := 1; digit < 10; digit++ {
			v := float64(digit) * math.Pow10(e)
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			label := ""
			if digit == 1 || digit == 2 || digit == 5 {
				label = strconv.FormatFloat(v, 'g', 6, 64)
				labels++
			}
			ticks = append(ticks, plot.Tick{Value: v, Label: label})
		}
	}
	if labels < 2 {
		return plot.DefaultTicks{}.Ticks(low, high)
	}
	return ticks
}
