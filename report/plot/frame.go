// The frame of a chart: where the axes stand, with their ticks and labels, and what room that leaves.

package plot

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// tick is a mark on an axis; one without a label is a minor one, and half as long.
type tick struct {
	value float64
	label string
}

func (t tick) minor() bool { return t.label == "" }

// Lengths of a frame, in points.
const (
	tickLength = 5
	rule       = 0.8 // width of axes and ticks
	labelGap   = 3   // between the labels of the upright axis and its ticks
)

// frame is two axes with their ticks.
type frame struct {
	x, y           *Axis
	across, up     []tick
	xStyle, yStyle text.Style // of the labels
}

func (c *Chart) frame() *frame {
	style := text.Style{Color: Text, Font: face(TextSize, false), Handler: hand}
	f := &frame{x: &c.X, y: &c.Y, across: c.X.ticks(false), up: c.Y.ticks(true), xStyle: style, yStyle: style}
	f.xStyle.XAlign, f.xStyle.YAlign = text.XCenter, text.YTop
	f.yStyle.XAlign, f.yStyle.YAlign = text.XRight, text.YCenter
	return f
}

// largest is the greatest width and the greatest height of the labels.
func largest(style text.Style, ticks []tick) (width, height vg.Length) {
	for _, t := range ticks {
		if !t.minor() {
			size := style.Rectangle(t.label).Size()
			width, height = max(width, size.X), max(height, size.Y)
		}
	}
	return width, height
}

// below is the height of what is under the data.
func (f *frame) below() vg.Length {
	h := vg.Length(0)
	if len(f.across) > 0 {
		_, labels := largest(f.xStyle, f.across)
		h = tickLength + labels
	}
	return h + rule/2.
}

// beside is the width of what is left of the data.
func (f *frame) beside() vg.Length {
	w := vg.Length(0)
	if len(f.up) > 0 {
		labels, _ := largest(f.yStyle, f.up)
		if w = labels; labels > 0 {
			w += labelGap
		}
		w += tickLength
	}
	return w + rule/2.
}

// box is the place of a label on its axis, and what it takes around that.
type box struct {
	at        float64
	low, size vg.Length
}

// inset is where an axis ends so that no label reaches over the end of its canvas: the one that reaches furthest ends
// with it.
func inset(low, high vg.Length, labels []box) vg.Length {
	most, last := high, box{at: 1}
	for _, b := range labels {
		if end := low + vg.Length(b.at)*(high-low) + b.low + b.size; b.size > 0 && end > most && b.at <= 1 {
			most, last = end, b
		}
	}
	return low + (high-last.low-last.size-low)/vg.Length(last.at)
}

// narrow takes from a canvas what the labels of the lower axis reach over its right end.
func (f *frame) narrow(on draw.Canvas) draw.Canvas {
	var labels []box
	for _, t := range f.across {
		if !t.minor() {
			r := f.xStyle.Rectangle(t.label)
			labels = append(labels, box{f.x.at(t.value), r.Min.X, r.Size().X})
		}
	}
	on.Max.X = inset(on.Min.X, on.Max.X, labels)
	return on
}

// lower takes from a canvas what the labels of the upright axis reach over its upper end.
func (f *frame) lower(on draw.Canvas) draw.Canvas {
	extents := f.yStyle.FontExtents()
	var labels []box
	for _, t := range f.up {
		if !t.minor() {
			r := f.yStyle.Rectangle(t.label)
			labels = append(labels, box{f.y.at(t.value), r.Min.Y + extents.Height - extents.Ascent, r.Size().Y})
		}
	}
	on.Max.Y = inset(on.Min.Y, on.Max.Y, labels)
	return on
}

// data is the part of a canvas that the axes leave for the data.
func (f *frame) data(on draw.Canvas) draw.Canvas {
	return f.lower(f.narrow(draw.Crop(on, f.beside(), 0, f.below(), 0)))
}

// draw draws the axes along the lower and the left edge of a canvas.
func (f *frame) draw(on draw.Canvas) {
	f.drawAcross(f.narrow(draw.Crop(on, f.beside(), 0, 0, 0)))
	f.drawUp(f.lower(draw.Crop(on, 0, 0, f.below(), 0)))
}

var framePen = draw.LineStyle{Color: Frame, Width: rule}

func (f *frame) drawAcross(on draw.Canvas) {
	_, y := largest(f.xStyle, f.across)
	y += on.Min.Y
	descent := f.xStyle.FontExtents().Descent
	for _, t := range f.across {
		if x := on.X(f.x.at(t.value)); on.ContainsX(x) && !t.minor() {
			on.FillText(f.xStyle, vg.Point{X: x, Y: y + descent}, t.label)
		}
	}
	if len(f.across) == 0 {
		y += rule / 2.
	}
	for _, t := range f.across {
		if x := on.X(f.x.at(t.value)); on.ContainsX(x) {
			on.StrokeLine2(framePen, x, y+t.from(), x, y+tickLength)
		}
	}
	if len(f.across) > 0 {
		y += tickLength
	}
	on.StrokeLine2(framePen, on.Min.X, y, on.Max.X, y)
}

func (f *frame) drawUp(on draw.Canvas) {
	x, _ := largest(f.yStyle, f.up)
	x += on.Min.X
	descent := f.yStyle.FontExtents().Descent
	labelled := false
	for _, t := range f.up {
		if y := on.Y(f.y.at(t.value)); on.ContainsY(y) && !t.minor() {
			on.FillText(f.yStyle, vg.Point{X: x, Y: y + descent}, t.label)
			labelled = true
		}
	}
	if labelled {
		x += f.yStyle.Width(" ")
	}
	for _, t := range f.up {
		if y := on.Y(f.y.at(t.value)); on.ContainsY(y) {
			on.StrokeLine2(framePen, x+t.from(), y, x+tickLength, y)
		}
	}
	if len(f.up) > 0 {
		x += tickLength
	}
	on.StrokeLine2(framePen, x, on.Min.Y, x, on.Max.Y)
}

// from is where a tick begins, towards its label.
func (t tick) from() vg.Length {
	if t.minor() {
		return tickLength / 2.
	}
	return 0
}
