// Package mtex refuses mathematics.
package mtex

import (
	"errors"

	"codeberg.org/go-latex/latex/drawtex"
	"codeberg.org/go-latex/latex/font/ttf"
	"codeberg.org/go-latex/latex/tex"
)

// Renderer draws mathematics.
type Renderer interface {
	Render(w, h, dpi float64, c *drawtex.Canvas) error
}

// Parse says that there is none.
func Parse(string, float64, float64, *ttf.Backend) (tex.Node, error) {
	return nil, errors.New("a build for pages sets no mathematics")
}
