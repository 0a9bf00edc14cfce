// Finished pictures: as an SVG file, or as an element of a page.

package plot

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Picture is a drawing. It has the same bytes every time. Title and Caption stand above it in a file, but not in an
// element of a page, where the page gives them.
type Picture struct {
	Title, Caption string
	About          string         // what is to be seen, for who cannot see it
	Width, Height  float64        // of what Paint draws, in points
	Paint          func(s *Sheet) // draws the picture
}

const margin = 10.0 // around a picture in a file

// head is the title and the caption of a picture in lines.
func (p *Picture) head() (title, caption []string, height float64) {
	title = wrap(p.Title, TitleSize, p.Width/bolder)
	height = float64(len(title)) * (TitleSize + 4)
	if len(title) > 0 {
		height += 5
	}
	caption = wrap(p.Caption, TextSize, p.Width/wider)
	if len(caption) > 0 {
		height += float64(len(caption))*(TextSize+4) + 6
	}
	return title, caption, height
}

// draw paints a picture on a canvas, which is as large as the picture, its head and margins, and has its ground.
func (p *Picture) draw(c vg.CanvasSizer, headed bool) []tip {
	s := &Sheet{canvas: draw.New(c)}
	s.height = s.canvas.Max.Y
	if !headed {
		p.Paint(s)
		return s.tips
	}
	s.canvas = draw.Crop(s.canvas, margin, -margin, margin, -margin)
	title, caption, height := p.head()
	for k, line := range title {
		s.write(0, TitleSize+float64(k)*(TitleSize+4), Start, line, TitleSize, Text, true)
	}
	for k, line := range caption {
		s.Write(0, height-6-float64(len(caption)-1-k)*(TextSize+4), Start, line, TextSize, Text)
	}
	s.canvas = draw.Crop(s.canvas, 0, 0, 0, -vg.Points(height))
	p.Paint(s)
	return s.tips
}

func (p *Picture) canvasSize(headed bool) (width, height float64) {
	if !headed {
		return p.Width, p.Height
	}
	_, _, head := p.head()
	return p.Width + 2*margin, p.Height + head + 2*margin
}

// svg is the picture in an element with a title and a description; number tells its names from those of others on
// a page.
func (p *Picture) svg(headed bool, number int, attributes string) string {
	width, height := p.canvasSize(headed)
	c := vgsvg.New(vg.Points(width), vg.Points(height))
	if headed {
		ground := draw.New(c)
		ground.SetColor(Ground)
		ground.Fill(ground.Rectangle.Path())
	}
	tips := p.draw(c, headed)
	var b bytes.Buffer
	c.WriteTo(&b) // a buffer takes everything
	_, inside, _ := strings.Cut(b.String(), "<svg ")
	_, inside, _ = strings.Cut(inside, ">\n")
	inside = families.Replace(strings.TrimSuffix(inside, "</svg>\n"))
	if !headed {
		inside = variables().Replace(inside)
	}
	return fmt.Sprintf(`<svg%s role="img" aria-labelledby="t%d d%d" viewBox="0 0 %.5g %.5g">
<title id="t%d">%s</title>
<desc id="d%d">%s</desc>
%s%s</svg>
`, attributes, number, number, width, height, number, html.EscapeString(plainMath(p.Title)), number,
		html.EscapeString(plainMath(p.About)),
		inside, overlay(tips))
}

// overlay is what shows texts over parts of a picture.
func overlay(tips []tip) string {
	if len(tips) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintln(&b, `<g fill="none" stroke="none" pointer-events="all">`)
	for _, t := range tips {
		words := html.EscapeString(t.text)
		if t.radius > 0 {
			fmt.Fprintf(&b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>%s</title></circle>\n",
				t.from.X, t.from.Y, t.radius, words)
			continue
		}
		fmt.Fprintf(&b, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke-width=\"%.1f\"><title>%s</title></path>\n",
			t.from.X, t.from.Y, t.to.X, t.to.Y, t.wide, words)
	}
	fmt.Fprintln(&b, "</g>")
	return b.String()
}

// SVG is the picture as a file that stands alone, on white ground.
func (p *Picture) SVG() []byte {
	width, height := p.canvasSize(true)
	return []byte(p.svg(true, 1, fmt.Sprintf(` xmlns="http://www.w3.org/2000/svg" width="%.5gpt" height="%.5gpt"`,
		width, height)))
}

// Element is the picture as a part of a page that has the variables of [CSS]. Its number is one that no other
// picture of the page has.
func (p *Picture) Element(number int) string { return p.svg(false, number, "") }

// File is an element of a page as a file that stands alone, on light and on dark ground.
func File(element string) []byte {
	head, inside, _ := strings.Cut(element, ">")
	return []byte(strings.Replace(head, "<svg", `<svg xmlns="http://www.w3.org/2000/svg"`, 1) + "><style>" + CSS() +
		"</style>" + inside)
}
