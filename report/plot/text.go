// Text of drawings: exponents are raised, as the font has no signs for some of them; widths are measured.

package plot

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	gonum "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const exponents = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"

var (
	raise = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶",
		"7", "⁷", "8", "⁸", "9", "⁹")
	lower = strings.NewReplacer("⁻", "−", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6",
		"⁷", "7", "⁸", "8", "⁹", "9")
)

// Typeset writes a number of strconv with a minus sign and powers of ten: −2.5 for -2.5, 1.20×10⁻⁶ for 1.20e-06 and
// 10⁻⁶ for 1e-06.
func Typeset(number string) string {
	mantissa, exponent, found := strings.Cut(number, "e")
	if !found {
		return strings.Replace(number, "-", "−", 1)
	}
	n, _ := strconv.Atoi(exponent)
	ten := "10" + raise.Replace(strconv.Itoa(n))
	switch strings.TrimRight(strings.TrimRight(mantissa, "0"), ".") {
	case "1":
		return ten
	case "-1":
		return "−" + ten
	}
	return strings.Replace(mantissa, "-", "−", 1) + "×" + ten
}

// Number writes a number with three significant digits; integers as they are, – where there is none.
func Number(v float64) string {
	switch size := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	case v == 0:
		return "0"
	case size < 1e6 && v == math.Trunc(v):
		return Typeset(strconv.FormatFloat(v, 'f', 0, 64))
	case size >= 0.9995e-3 && size < 99999.5:
		digits := strconv.FormatFloat(size, 'e', 2, 64) // rounds 0.9996 to 1.00
		exponent, _ := strconv.Atoi(digits[strings.IndexByte(digits, 'e')+1:])
		return Typeset(strconv.FormatFloat(v, 'f', max(0, 2-exponent), 64))
	}
	return Typeset(strconv.FormatFloat(v, 'e', 2, 64))
}

// typesetter draws a line of text with its exponents raised.
type typesetter struct{ text.Plain }

var hand text.Handler = typesetter{text.Plain{Fonts: cache}}

// run is a part of a text in one size.
type run struct {
	text   string
	font   gonum.Font
	raised bool
}

func runs(txt string, f gonum.Font) []run {
	var all []run
	for _, r := range plainMath(txt) {
		raised := strings.ContainsRune(exponents, r)
		if n := len(all); n > 0 && all[n-1].raised == raised {
			all[n-1].text += string(r)
			continue
		}
		all = append(all, run{string(r), f, raised})
	}
	for k := range all {
		if all[k].raised {
			all[k].text, all[k].font = lower.Replace(all[k].text), gonum.From(f, 0.72*f.Size)
		}
	}
	return all
}

// Box returns the width of a line, and how far it reaches above and below its base line.
func (t typesetter) Box(txt string, f gonum.Font) (width, height, depth vg.Length) {
	for _, r := range runs(txt, f) {
		width += t.width(r)
	}
	_, height, depth = t.Plain.Box("", f)
	return width, height, depth
}

// widths are those of runs that were measured: figures of a run have the same words, and each is measured for its place
// and for what follows it.
var widths sync.Map

// width is how wide a run is.
func (t typesetter) width(r run) vg.Length {
	if w, known := widths.Load(r); known {
		return w.(vg.Length)
	}
	face := t.Fonts.Lookup(r.font, r.font.Size)
	w := face.Width(r.text)
	widths.Store(r, w)
	return w
}

// Draw writes lines of text, one below the other.
func (t typesetter) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	if style.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(style.Rotation)
		sin, cos := math.Sincos(style.Rotation)
		at = vg.Point{X: at.X*vg.Length(cos) + at.Y*vg.Length(sin), Y: at.Y*vg.Length(cos) - at.X*vg.Length(sin)}
	}
	// Like text.Plain, whose base lines are a size apart, the first a size below the top of the ascent.
	_, height, _ := t.Box("", style.Font)
	lines := t.Lines(txt)
	if len(lines) == 0 {
		return
	}
	all := style.Height(lines[0]) + vg.Length(len(lines)-1)*style.Font.Size
	top := at.Y + vg.Length(style.YAlign)*all - height
	c.SetColor(style.Color)
	for k, line := range lines {
		width, _, _ := t.Box(line, style.Font)
		t.line(c, line, style, vg.Point{X: at.X + vg.Length(style.XAlign)*width,
			Y: top + vg.Length(len(lines)-k)*style.Font.Size})
	}
}

// line writes one from a point of its base line on.
func (t typesetter) line(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	if is[*vgsvg.Canvas](c) { // its viewer finds signs that the font lacks in another one
		c.FillString(t.Fonts.Lookup(style.Font, style.Font.Size), at, plainMath(txt))
		return
	}
	for _, way := range ways {
		if way(t, c, txt, style, at) {
			return
		}
	}
	t.pieces(txt, style, at, c.FillString)
}

// ways are those of canvases that want lines otherwise than in pieces; each says whether it wrote one.
var ways []func(t typesetter, c vg.Canvas, txt string, style text.Style, at vg.Point) bool

// pieces writes the parts of a line, exponents smaller and higher.
func (t typesetter) pieces(txt string, style text.Style, at vg.Point, fill func(gonum.Face, vg.Point, string)) {
	for _, r := range runs(txt, style.Font) {
		face := t.Fonts.Lookup(r.font, r.font.Size)
		up := vg.Length(0)
		if r.raised {
			up = 0.36 * style.Font.Size
		}
		fill(face, at.Add(vg.Point{Y: up}), r.text)
		at.X += t.width(r)
	}
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

// Width is that of a line of text of a size, both in points.
func Width(txt string, size float64) float64 {
	w, _, _ := hand.Box(txt, face(size, false))
	return w.Points()
}

// shorten cuts a text to a width.
func shorten(txt string, size, width float64) string {
	if Width(txt, size) <= width || strings.Contains(txt, "$") { // no half of a formula
		return txt
	}
	for utf8.RuneCountInString(txt) > 1 && Width(txt+"…", size) > width {
		_, n := utf8.DecodeLastRuneInString(txt)
		txt = txt[:len(txt)-n]
	}
	return strings.TrimRight(txt, " ") + "…"
}

// fold breaks a text into at most so many lines of a width; what is longer is cut.
func fold(txt string, size, width float64, most int) string {
	if strings.Contains(txt, "$") { // no half of a formula
		return txt
	}
	lines := wrap(txt, size, width)
	if len(lines) > most {
		lines = append(lines[:most-1:most-1], strings.Join(lines[most-1:], " "))
	}
	for k, line := range lines {
		lines[k] = shorten(line, size, width)
	}
	return strings.Join(lines, "\n")
}

// wrap breaks a text into lines of at most a width.
func wrap(txt string, size, width float64) []string {
	var all []string
	for word := range strings.FieldsSeq(txt) {
		if last := len(all) - 1; last >= 0 && Width(all[last]+" "+word, size) <= width {
			all[last] += " " + word
		} else {
			all = append(all, word)
		}
	}
	return all
}
