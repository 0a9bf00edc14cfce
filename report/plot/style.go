// The look of every drawing of the house: its colours on light and on dark ground, fonts, sizes, dashes and marks.

package plot

import (
	"fmt"
	"image/color"
	"strings"

	"golang.org/x/image/font"
	gonum "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overhear/report/plot/fonts"
)

// Sizes of text, in points.
const (
	TextSize  = 11.0
	TitleSize = 12.0
)

// themed is a colour of the palette. On a page it is the CSS variable of its name, which is another colour on dark
// ground.
type themed struct {
	name        string
	light, dark color.RGBA
}

// The colours of what is no line.
var (
	textInk   = themed{"text", hex(0x1a1d21), hex(0xe7e9ec)}
	groundInk = themed{"ground", hex(0xffffff), hex(0x14171a)}
	frameInk  = themed{"frame", hex(0x70777f), hex(0x8b939c)}
	gridInk   = themed{"grid", hex(0xe3e6ea), hex(0x2b3036)}
)

// palette are the colours of lines, the first that of the text. Each has a contrast of 3 to its ground, and a viewer
// without one kind of cones tells every two apart; the tests measure both.
var palette = []themed{
	textInk,
	{"line1", hex(0x00559c), hex(0x80abfb)}, // blue
	{"line2", hex(0xa62f03), hex(0xc85b0a)}, // vermilion
	{"line3", hex(0x189c64), hex(0x4cf39e)}, // green
	{"line4", hex(0x823161), hex(0xd37eae)}, // purple
	{"line5", hex(0x7e92cb), hex(0x3961b0)}, // light blue
	{"line6", hex(0xc6840e), hex(0xf1d22a)}, // amber
	{"line7", hex(0x9e8a9c), hex(0x8a7a61)}, // grey
}

// MostLines is how many lines of one chart can be told apart.
const MostLines = 8

// dashes and glyphs tell the lines apart in black and white.
var dashes = [MostLines][]vg.Length{
	nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {1, 2}, {10, 4}, {4, 1}, {6, 2, 1, 2, 1, 2},
}

var glyphs = [MostLines]draw.GlyphDrawer{
	draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.CircleGlyph{},
	draw.BoxGlyph{}, draw.PyramidGlyph{},
}

// Colours of the palette for drawings that are no charts.
var (
	Text   = textInk.light   // text and outlines
	Ground = groundInk.light // what is drawn on
	Frame  = frameInk.light  // axes, and what stands back
	Grid   = gridInk.light   // the faintest lines, and neutral areas
	Accent = palette[1].light
)

func hex(rgb uint32) color.RGBA {
	return color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xff}
}

func theme() []themed { return append([]themed{groundInk, frameInk, gridInk}, palette...) }

// CSS declares the palette's colours as variables: --text, --ground, --frame, --grid and --line1 to --line7, for a
// page on light and on dark ground. A page that holds elements of pictures needs it.
func CSS() string {
	var light, dark strings.Builder
	for _, t := range theme() {
		fmt.Fprintf(&light, " --%s: %s;", t.name, css(t.light))
		fmt.Fprintf(&dark, " --%s: %s;", t.name, css(t.dark))
	}
	return ":root {" + light.String() + " }\n@media screen and (prefers-color-scheme: dark) { :root {" + dark.String() +
		" } }\n"
}

// css is a colour as vgsvg writes it: without its opacity, and rounded down after that is divided out.
func css(c color.Color) string {
	r, g, b, a := c.RGBA()
	part := func(v uint32) int { return int(float64(v) * (255 / float64(a))) }
	return fmt.Sprintf("#%02X%02X%02X", part(r), part(g), part(b))
}

// variables puts the variables of CSS for the palette's colours in an SVG.
func variables() *strings.Replacer {
	var pairs []string
	for _, t := range theme() {
		for _, c := range []color.Color{t.light, translucent(t.light)} {
			pairs = append(pairs, ":"+css(c), ":var(--"+t.name+")")
		}
	}
	return strings.NewReplacer(pairs...)
}

// translucent is the colour of a line's range.
func translucent(c color.RGBA) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, 0x30} }

// face is the house's font, of a size in points.
func face(size float64, bold bool) gonum.Font {
	f := gonum.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		f.Weight = font.WeightBold
	}
	return f
}

// families names fonts of the same widths after the house's, for viewers that do not have it.
var families = strings.NewReplacer("font-family:Liberation Sans;", family, "font-family:"+fonts.Name+";", family)

const family = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"
