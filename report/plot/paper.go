// Pictures for papers: PDF, and PGF for LaTeX documents.

//go:build !page

package plot

import (
	"bytes"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	gonum "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgtex"
)

func init() {
	writers["pdf"], writers["pgf"] = (*Picture).PDF, (*Picture).PGF
	ways = append(ways, lineForTeX, lineOfOutlines)
	// The same bytes every time.
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(epoch)
	fpdf.SetDefaultModificationDate(epoch)
	fpdf.SetDefaultCatalogSort(true)
}

// PDF is the picture as a page of its size. Its letters are outlines, so that no reader lacks a sign of theirs.
func (p *Picture) PDF() []byte {
	width, height := p.canvasSize(true)
	c := vgpdf.New(vg.Points(width), vg.Points(height))
	p.draw(c, true)
	var b bytes.Buffer
	c.WriteTo(&b)
	return b.Bytes()
}

// PGF is the picture as a pgfpicture for \input in a LaTeX document with the package pgf. Its texts are set in the
// document's font, with what is between dollar signs, and Greek letters, as mathematics.
func (p *Picture) PGF() []byte {
	width, height := p.canvasSize(true)
	c := vgtex.New(vg.Points(width), vg.Points(height))
	p.draw(c, true)
	var b bytes.Buffer
	c.WriteTo(&b)
	return b.Bytes()
}

// lineForTeX writes a line as TeX reads it.
func lineForTeX(t typesetter, c vg.Canvas, txt string, style text.Style, at vg.Point) bool {
	if !is[*vgtex.Canvas](c) {
		return false
	}
	c.FillString(t.Fonts.Lookup(style.Font, style.Font.Size), at, forTeX(txt))
	return true
}

// lineOfOutlines writes a line as outlines of its letters.
func lineOfOutlines(t typesetter, c vg.Canvas, txt string, style text.Style, at vg.Point) bool {
	if !is[*vgpdf.Canvas](c) {
		return false
	}
	t.pieces(txt, style, at, func(face gonum.Face, at vg.Point, txt string) { fillOutlines(c, face, at, txt) })
	return true
}

// fillOutlines writes a text as the outlines of its letters.
func fillOutlines(c vg.Canvas, face gonum.Face, at vg.Point, txt string) {
	const unit = 1000 // of outlines, to an em
	scale := face.Font.Size / unit
	var buffer sfnt.Buffer
	for _, r := range txt {
		glyph, err := face.Face.GlyphIndex(&buffer, r)
		if err != nil {
			continue
		}
		segments, err := face.Face.LoadGlyph(&buffer, glyph, fixed.I(unit), nil)
		if err != nil {
			continue
		}
		point := func(p fixed.Point26_6) vg.Point { // which grows downwards
			return at.Add(vg.Point{X: vg.Length(p.X) / 64 * scale, Y: -vg.Length(p.Y) / 64 * scale})
		}
		var path vg.Path
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if path != nil {
					path.Close()
				}
				path.Move(point(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(point(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(point(s.Args[0]), point(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
			}
		}
		if path != nil {
			path.Close()
			c.Fill(path)
		}
		at.X += face.Width(string(r))
	}
}
