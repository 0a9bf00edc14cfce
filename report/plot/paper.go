// Pictures for papers: PDF, and PGF for LaTeX documents.

package plot

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"overhear/internal/files"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	gonum "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgtex"
)

// Formats of picture files.
var Formats = []string{"svg", "png", "pdf", "pgf"}

func init() { // the same bytes every time
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
// document's font; title and caption are left out, as the document gives them.
func (p *Picture) PGF() []byte {
	width, height := p.canvasSize(false)
	c := vgtex.New(vg.Points(width), vg.Points(height))
	p.draw(c, false)
	var b bytes.Buffer
	c.WriteTo(&b)
	return b.Bytes()
}

// Write writes dir/name.format in each of the formats and returns the paths.
func (p *Picture) Write(dir, name string, formats []string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("writing figures: %w", err)
	}
	encode := map[string]func() []byte{"svg": p.SVG, "png": p.PNG, "pdf": p.PDF, "pgf": p.PGF}
	var paths []string
	for _, format := range formats {
		if encode[format] == nil {
			return nil, fmt.Errorf("writing figures: %q is none of %s", format, strings.Join(Formats, ", "))
		}
		path := filepath.Join(dir, name+"."+format)
		if err := files.WriteBytes(path, encode[format]()); err != nil {
			return nil, fmt.Errorf("writing figures: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// tex are the signs that mean something to TeX.
var tex = strings.NewReplacer(`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `%`, `\%`, `$`, `\$`, `#`, `\#`,
	`&`, `\&`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, `−`, `$-$`, `×`, `$\times$`)

// forTeX is a line of text with its exponents raised.
func forTeX(txt string) string {
	var b strings.Builder
	raised := ""
	end := func() {
		if raised != "" {
			b.WriteString(`\textsuperscript{` + tex.Replace(lower.Replace(raised)) + `}`)
			raised = ""
		}
	}
	for _, r := range txt {
		if strings.ContainsRune(exponents, r) {
			raised += string(r)
			continue
		}
		end()
		b.WriteString(tex.Replace(string(r)))
	}
	end()
	return b.String()
}

// is looks for a kind of canvas through those that are parts of others.
func is[T vg.Canvas](c vg.Canvas) bool {
	switch c := c.(type) {
	case T:
		return true
	case *draw.Canvas:
		return is[T](c.Canvas)
	case draw.Canvas:
		return is[T](c.Canvas)
	}
	return false
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
