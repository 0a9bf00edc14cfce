// Figures of a report: SVG whose colours are the page's, so that they are legible
// on light and dark ground and in print.

package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
)

// panel is a figure with two axes.
type panel struct {
	Title, Desc string // the text alternative
	X, Y        ruler
	Square      bool
	Curves      []curve
}

// ruler is an axis. A range with Low = High is taken from the data.
type ruler struct {
	Label     string
	Log       bool
	Low, High float64
	Whole     bool        // integers only are labelled
	Zero      float64     // on a logarithmic axis, where 0 is drawn; 0: nowhere
	Ticks     []plot.Tick // nil: chosen
}

// look is how a curve is drawn.
type look uint8

const (
	line    look = iota
	band         // between Low and Y
	marks        // without a line
	marked       // a line with marks
	upright      // a vertical line at each X
	edge         // a cross at the upper edge at each X
)

// curve is one entry of the legend.
type curve struct {
	Label     string
	Look      look
	X, Y, Low []float64
	Ink       int // which colour; 0: the text's
	Dash      int
	Faint     bool // a line to compare with
}

// Sizes, in the unit of the figure's own coordinates; text is 13 high.
const (
	panelWidth = 440.0
	textSize   = 13.0
	inks       = 6
)

var dashArrays = []string{"", "7 4", "2 3", "9 3 2 3", "1 4", "12 4"}

// textWidth is about how wide a text is, rather too much than too little.
func textWidth(text string) float64 {
	width := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("il.,:;|'!()[] jtfr", r):
			width += 0.36
		case strings.ContainsRune("mwMW@%—<>=+−≥≤", r):
			width += 0.9
		case r >= 'A' && r <= 'Z':
			width += 0.7
		case strings.ContainsRune("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", r):
			width += 0.46
		default:
			width += 0.63
		}
	}
	return width * textSize
}

// shorten cuts a text to a width.
func shorten(text string, width float64) string {
	if textWidth(text) <= width {
		return text
	}
	for utf8.RuneCountInString(text) > 1 && textWidth(text+"…") > width {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return strings.TrimRight(text, " ") + "…"
}

// canvas collects SVG.
type canvas struct{ strings.Builder }

func (c *canvas) put(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

func (c *canvas) label(x, y float64, anchor, text, class string) {
	c.put(`<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`, x, y, anchor, class, html.EscapeString(text))
}

// close wraps what was drawn. The number tells the figure's names from those of
// the page's other figures.
func (c *canvas) close(number int, title, desc string, width, height float64) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg role="img" aria-labelledby="t%d d%d" viewBox="0 0 %.0f %.0f" font-size="%.0f">
<title id="t%d">%s</title>
<desc id="d%d">%s</desc>
%s</svg>`, number, number, width, height, textSize, number, html.EscapeString(title), number, html.EscapeString(desc), c.String()))
}

// fits says whether a value has a place on an axis.
func (r *ruler) fits(v float64) bool {
	return finite(v) && (!r.Log || v > 0 || v == 0 && r.Zero > 0)
}

// measure takes the range from the data where none is given.
func (r *ruler) measure(values []float64) bool {
	if r.Low != r.High {
		return true
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if r.Log && v == 0 {
			v = r.Zero
		}
		if r.fits(v) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	if low > high {
		return false
	}
	switch {
	case r.Log && high < 3*low:
		low, high = low/2, high*2
	case r.Log:
		reach := math.Pow(high/low, 0.04)
		low, high = low/reach, high*reach
	case low == high:
		low, high = low-math.Max(0.5, 0.1*math.Abs(low)), high+math.Max(0.5, 0.1*math.Abs(high))
	default:
		room := 0.04 * (high - low)
		if low < 0 || low > 0.3*high {
			low -= room
		} else {
			low = 0
		}
		high += room
	}
	r.Low, r.High = low, high
	return true
}

// at is where a value is, 0 at the low end and 1 at the high.
func (r *ruler) at(v float64) float64 {
	if r.Log {
		if v <= 0 {
			v = r.Zero
		}
		if v <= 0 {
			return -1
		}
		return math.Log(v/r.Low) / math.Log(r.High/r.Low)
	}
	return (v - r.Low) / (r.High - r.Low)
}

func (r *ruler) ticks() []plot.Tick {
	ticks := r.Ticks
	if ticks == nil {
		ticks = r.round()
	}
	var kept []plot.Tick
	for _, t := range ticks {
		if t.Value < r.Low-1e-9*math.Abs(r.Low) || t.Value > r.High*(1+1e-9) && t.Value > r.High+1e-9*math.Abs(r.High) {
			continue
		}
		if r.Log && r.Zero > 0 && t.Value < 2*r.Zero {
			continue
		}
		if t.Label != "" {
			t.Label = power(t.Label)
		}
		kept = append(kept, t)
	}
	if r.Log && r.Zero > 0 {
		kept = append([]plot.Tick{{Value: r.Zero, Label: "0"}}, kept...)
	}
	return kept
}

// round marks about five round numbers, 1, 2 or 5 times a power of ten apart; on a
// logarithmic axis powers of ten, all written so where they are many.
func (r *ruler) round() []plot.Tick {
	if r.Log {
		ticks := decades{}.Ticks(r.Low, r.High)
		for k, t := range ticks {
			if t.Label != "" && t.Value != 1 && r.High > 1e4*r.Low {
				ticks[k].Label = strconv.FormatFloat(t.Value, 'e', 0, 64)
			}
		}
		return ticks
	}
	size := (r.High - r.Low) / 5
	ten := math.Pow(10, math.Floor(math.Log10(size)))
	step := ten
	for _, m := range []float64{2, 5, 10} {
		if step < 0.6*size {
			step = m * ten
		}
	}
	if r.Whole {
		step = math.Max(1, step)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for k := math.Ceil(r.Low/step - 1e-9); k*step <= r.High+1e-9*step; k++ {
		label := strconv.FormatFloat(k*step, 'f', decimals, 64)
		if k == 0 {
			label = "0"
		} else if step < 1e-4 || step > 1e5 {
			label = strconv.FormatFloat(k*step, 'e', 1, 64)
		}
		ticks = append(ticks, plot.Tick{Value: k * step, Label: label})
	}
	return ticks
}

// entry is a place in a legend.
type entry struct {
	label string
	draw  func(c *canvas, x, y float64) // a sample, from x to x+24
}

// legend writes entries in rows and returns how high they are.
func legend(c *canvas, entries []entry, left, right, top float64) float64 {
	const sample, row = 24.0, 19.0
	x, y := left, top
	for _, e := range entries {
		label := shorten(e.label, right-left-sample-6)
		width := sample + 6 + textWidth(label)
		if x > left && x+width > right {
			x, y = left, y+row
		}
		e.draw(c, x, y+row/2)
		c.label(x+sample+6, y+row/2+4.5, "start", label, "tick")
		x += width + 14
	}
	if len(entries) == 0 {
		return 0
	}
	return y + row - top + 6
}

// mark is a shape of its own for every colour.
func mark(ink int, x, y float64) string {
	const r = 3.6
	path := ""
	switch ink % inks {
	case 1:
		return fmt.Sprintf(`<circle cx="%.1f" cy="%.1f" r="%.1f" class="mark s1"/>`, x, y, r)
	case 2:
		path = fmt.Sprintf("M%.1f %.1fh%.1fv%.1fh%.1fz", x-r, y-r, 2*r, 2*r, -2*r)
	case 3:
		path = fmt.Sprintf("M%.1f %.1fl%.1f %.1fh%.1fz", x, y-1.2*r, 1.2*r, 2.1*r, -2.4*r)
	case 4:
		path = fmt.Sprintf("M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz", x, y-1.3*r, 1.3*r, 1.3*r, -1.3*r, 1.3*r, -1.3*r, -1.3*r)
	case 5:
		path = fmt.Sprintf("M%.1f %.1fl%.1f %.1fM%.1f %.1fl%.1f %.1f", x-r, y-r, 2*r, 2*r, x-r, y+r, 2*r, -2*r)
	default:
		path = fmt.Sprintf("M%.1f %.1fh%.1fM%.1f %.1fv%.1f", x-1.2*r, y, 2.4*r, x, y-1.2*r, 2.4*r)
	}
	return fmt.Sprintf(`<path d="%s" class="mark s%d"/>`, path, ink%inks)
}

func (s *curve) stroke() string {
	text := fmt.Sprintf(`class="line s%d"`, s.Ink%inks)
	if s.Faint {
		text = fmt.Sprintf(`class="line faint s%d"`, s.Ink%inks)
	}
	if d := dashArrays[s.Dash%len(dashArrays)]; d != "" {
		text += fmt.Sprintf(` stroke-dasharray="%s"`, d)
	}
	return text
}

// svg draws a panel; "" if no curve has a point.
func (p *panel) svg(number int) template.HTML {
	var xs, ys []float64
	for _, s := range p.Curves {
		for k, x := range s.X {
			switch {
			case s.Look == upright, s.Look == edge:
				xs = append(xs, x)
			case p.X.fits(x) && p.Y.fits(s.Y[k]):
				xs, ys = append(xs, x), append(ys, s.Y[k])
				if s.Low != nil {
					ys = append(ys, s.Low[k])
				}
			}
		}
	}
	if len(ys) == 0 || !p.X.measure(xs) || !p.Y.measure(ys) {
		return ""
	}
	if slices.ContainsFunc(p.Curves, func(s curve) bool { return s.Look == edge }) { // crosses have the edge for themselves
		if p.Y.Log {
			p.Y.High *= math.Pow(p.Y.High/p.Y.Low, 0.09)
		} else {
			p.Y.High += 0.09 * (p.Y.High - p.Y.Low)
		}
	}
	c := new(canvas)
	xTicks, yTicks := p.X.ticks(), p.Y.ticks()
	widest := 0.0
	for _, t := range yTicks {
		widest = math.Max(widest, textWidth(t.Label))
	}
	left, right := 28+widest+8, panelWidth-14
	var entries []entry
	for _, s := range p.Curves {
		if s.Label != "" {
			entries = append(entries, entry{s.Label, s.sample})
		}
	}
	top := legend(c, entries, 6, panelWidth-6, 2) + 10
	height := 250.0
	if p.Square {
		height = math.Min(right-left, 340)
		right = left + height
		left, right = left+(panelWidth-14-right)/2, right+(panelWidth-14-right)/2
	}
	bottom := top + height
	px := func(v float64) float64 { return left + p.X.at(v)*(right-left) }
	py := func(v float64) float64 { return bottom - p.Y.at(v)*height }

	ends := math.Inf(-1) // of the last label
	for _, t := range xTicks {
		x := px(t.Value)
		if t.Label == "" {
			c.put(`<path d="M%.1f %.1fv3" class="axis"/>`, x, bottom)
			continue
		}
		c.put(`<path d="M%.1f %.1fV%.1f" class="grid"/><path d="M%.1f %.1fv5" class="axis"/>`, x, top, bottom, x, bottom)
		half := textWidth(t.Label) / 2
		if x-half < ends+6 || x+half > panelWidth {
			continue
		}
		ends = x + half
		c.label(x, bottom+19, "middle", t.Label, "tick")
	}
	ends = math.Inf(1)
	for _, t := range yTicks {
		y := py(t.Value)
		if t.Label == "" {
			c.put(`<path d="M%.1f %.1fh-3" class="axis"/>`, left, y)
			continue
		}
		c.put(`<path d="M%.1f %.1fH%.1f" class="grid"/><path d="M%.1f %.1fh-5" class="axis"/>`, left, y, right, left, y)
		if y > ends-textSize-2 {
			continue
		}
		ends = y
		c.label(left-8, y+4.5, "end", t.Label, "tick")
	}
	c.put(`<path d="M%.1f %.1fV%.1fH%.1f" class="axis"/>`, left, top, bottom, right)
	c.label((left+right)/2, bottom+41, "middle", shorten(p.X.Label, panelWidth), "name")
	c.put(`<text transform="translate(%.1f %.1f) rotate(-90)" text-anchor="middle" class="name">%s</text>`,
		left-widest-19, (top+bottom)/2, html.EscapeString(shorten(p.Y.Label, height+40)))

	c.put(`<clipPath id="c%d"><path d="M%.1f %.1fH%.1fV%.1fH%.1fz"/></clipPath><g clip-path="url(#c%d)">`, number, left, top-1, right+1, bottom, left, number)
	for _, s := range p.Curves {
		s.curves(c, p, px, py, top, bottom)
	}
	c.put("</g>")
	for _, s := range p.Curves {
		s.points(c, p, px, py)
	}
	return c.close(number, p.Title, p.Desc, panelWidth, bottom+50)
}

// sample draws what stands for a curve in the legend.
func (s *curve) sample(c *canvas, x, y float64) {
	switch s.Look {
	case band:
		c.put(`<path d="M%.1f %.1fh24v12h-24z" class="band s%d"/>`, x, y-6, s.Ink%inks)
	case marks:
		c.put("%s", mark(s.Ink, x+12, y))
	case edge:
		c.put("%s", cross(x+12, y))
	case marked:
		c.put(`<path d="M%.1f %.1fh24" %s/>%s`, x, y, s.stroke(), mark(s.Ink, x+12, y))
	default:
		c.put(`<path d="M%.1f %.1fh24" %s/>`, x, y, s.stroke())
	}
}

// curves draws lines and bands, which may leave the frame and are cut there.
func (s *curve) curves(c *canvas, p *panel, px, py func(float64) float64, top, bottom float64) {
	y := func(v float64) float64 { // far beyond the frame is as good as just beyond
		if p.Y.Log && v <= 0 && p.Y.Zero == 0 {
			return bottom + 20
		}
		return math.Max(top-500, math.Min(bottom+500, py(v)))
	}
	switch s.Look {
	case marks, edge:
	case upright:
		for _, x := range s.X {
			if p.X.fits(x) {
				c.put(`<path d="M%.1f %.1fV%.1f" %s/>`, px(x), top, bottom, s.stroke())
			}
		}
	case band:
		var there, back []string
		for k, x := range s.X {
			if p.X.fits(x) && finite(s.Y[k]) && finite(s.Low[k]) {
				there = append(there, fmt.Sprintf("%.1f %.1f", px(x), y(s.Y[k])))
				back = append([]string{fmt.Sprintf("%.1f %.1f", px(x), y(s.Low[k]))}, back...)
			}
		}
		if len(there) > 1 {
			c.put(`<path d="M%sz" class="band s%d"/>`, strings.Join(append(there, back...), "L"), s.Ink%inks)
		}
	default:
		path, pen := "", "M"
		for k, x := range s.X {
			if !p.X.fits(x) || !p.Y.fits(s.Y[k]) {
				pen = "M"
				continue
			}
			path += fmt.Sprintf("%s%.1f %.1f", pen, px(x), y(s.Y[k]))
			pen = "L"
		}
		if path != "" {
			c.put(`<path d="%s" %s/>`, path, s.stroke())
		}
	}
}

// cross stands for an attack that gave nothing to place on an axis.
func cross(x, y float64) string {
	return fmt.Sprintf(`<path d="M%.1f %.1fl8 8m-8 0l8 -8" class="mark s0"/>`, x-4, y-4)
}

// points draws marks, at most about 40 along a line.
func (s *curve) points(c *canvas, p *panel, px, py func(float64) float64) {
	if s.Look == edge {
		for _, x := range s.X {
			if p.X.fits(x) {
				c.put("%s", cross(px(x), py(p.Y.High)+9))
			}
		}
	}
	if s.Look != marks && s.Look != marked {
		return
	}
	step := 1
	if s.Look == marked {
		step = (len(s.X) + 39) / 40
	}
	for k, x := range s.X {
		if k%step != 0 && k != len(s.X)-1 || !p.X.fits(x) || !p.Y.fits(s.Y[k]) {
			continue
		}
		if at := p.Y.at(s.Y[k]); at >= -0.001 && at <= 1.001 && p.X.at(x) >= -0.001 && p.X.at(x) <= 1.001 {
			c.put("%s", mark(s.Ink, px(x), py(s.Y[k])))
		}
	}
}
