// Package drawtex has the types that gonum's texts draw by, and nothing to draw.
package drawtex

import "golang.org/x/image/font/sfnt"

// Canvas has no marks.
type Canvas struct{}

// New returns a canvas.
func New() *Canvas { return new(Canvas) }

// Ops are no marks.
func (c *Canvas) Ops() []Op { return nil }

// Op is a mark.
type Op any

// GlyphOp is a letter.
type GlyphOp struct {
	X, Y  float64
	Glyph Glyph
}

// RectOp is a rectangle.
type RectOp struct{ X1, Y1, X2, Y2 float64 }

// Glyph is a letter's shape.
type Glyph struct {
	Font   *sfnt.Font
	Size   float64
	Symbol string
	Num    sfnt.GlyphIndex
	Offset float64
}
