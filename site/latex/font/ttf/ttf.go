// Package ttf has the fonts that gonum's texts hand over.
package ttf

import (
	"golang.org/x/image/font/sfnt"

	"codeberg.org/go-latex/latex/drawtex"
)

// Fonts are those of a text.
type Fonts struct{ Default, Rm, It, Bf, BfIt *sfnt.Font }

// Backend measures nothing.
type Backend struct{}

// NewFrom returns it.
func NewFrom(*drawtex.Canvas, *Fonts) *Backend { return new(Backend) }
