// Pictures for papers: PDF, and PGF for LaTeX documents.

package plot

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
// document's font, with what is between dollar signs, and Greek letters, as mathematics.
func (p *Picture) PGF() []byte {
	width, height := p.canvasSize(true)
	c := vgtex.New(vg.Points(width), vg.Points(height))
	p.draw(c, true)
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
	`&`, `\&`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`)

// mathematics are the signs that TeX has commands for, and these.
var mathematics = map[string]string{
	"α": `\alpha`, "β": `\beta`, "γ": `\gamma`, "δ": `\delta`, "ε": `\varepsilon`, "ζ": `\zeta`, "η": `\eta`,
	"θ": `\theta`, "κ": `\kappa`, "λ": `\lambda`, "μ": `\mu`, "ν": `\nu`, "ξ": `\xi`, "π": `\pi`, "ρ": `\rho`,
	"σ": `\sigma`, "τ": `\tau`, "φ": `\varphi`, "χ": `\chi`, "ψ": `\psi`, "ω": `\omega`, "Δ": `\Delta`,
	"Σ": `\Sigma`, "Ω": `\Omega`, "∇": `\nabla`, "∞": `\infty`, "‖": `\|`, "≤": `\leq`, "≥": `\geq`,
	"−": `-`, "×": `\times`, "·": `\cdot`, "½": `\frac12`, "→": `\to`, "∈": `\in`, "√": `\surd`,
}

// signs are the commands of mathematics, the longest first, and their signs.
var signs = func() *strings.Replacer {
	names := slices.SortedFunc(maps.Keys(mathematics), func(a, b string) int {
		return cmp.Or(len(mathematics[b])-len(mathematics[a]), strings.Compare(a, b))
	})
	var pairs []string
	for _, sign := range names {
		pairs = append(pairs, mathematics[sign], sign)
	}
	return strings.NewReplacer(append(pairs, `\epsilon`, "ε", `\phi`, "φ", `\le`, "≤", `\ge`, "≥", `\mathrm`, "",
		`\text`, "", `\,`, " ", "{", "", "}", "", "_", "")...)
}()

var power = regexp.MustCompile(`\^\{?(-?[0-9]+)\}?`)

// plainMath is a text in which what stands between dollar signs is no longer TeX: η for $\eta$, 10⁻³ for $10^{-3}$.
func plainMath(txt string) string {
	parts := strings.Split(txt, "$")
	if len(parts)%2 == 0 { // one without its other
		return txt
	}
	for k := 1; k < len(parts); k += 2 {
		part := power.ReplaceAllStringFunc(parts[k], func(p string) string {
			return raise.Replace(strings.Trim(p, "^{}"))
		})
		parts[k] = signs.Replace(part)
	}
	return strings.Join(parts, "")
}

// forTeX is a line of text for TeX; what stands between dollar signs is so already.
func forTeX(txt string) string {
	parts := strings.Split(txt, "$")
	if len(parts)%2 == 0 {
		return wordsForTeX(txt)
	}
	for k := range parts {
		if k%2 == 0 {
			parts[k] = wordsForTeX(parts[k])
		} else {
			parts[k] = "$" + parts[k] + "$"
		}
	}
	return strings.Join(parts, "")
}

// wordsForTeX is a line of text with its exponents raised.
func wordsForTeX(txt string) string {
	var b strings.Builder
	raised := ""
	end := func() {
		if raised != "" {
			b.WriteString(`\textsuperscript{` + strings.ReplaceAll(lower.Replace(raised), "−", "$-$") + `}`)
			raised = ""
		}
	}
	for _, r := range txt {
		if strings.ContainsRune(exponents, r) {
			raised += string(r)
			continue
		}
		end()
		if command := mathematics[string(r)]; command != "" {
			b.WriteString("$" + command + "$")
			continue
		}
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
