// What charts draw: every line where its points are, in its own colour, on axes whose labels do not meet.

package plot

import (
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// slope is a line from (0, 1) to (10, 11).
func slope(label string, look Look) Line {
	return Line{Label: label, Look: look, X: []float64{0, 5, 10}, Y: []float64{1, 6, 11}}
}

// paths are the elements of an SVG that are drawn in a colour.
func paths(svg string, c color.Color) []string {
	var all []string
	for _, p := range regexp.MustCompile(`<path [^>]*>`).FindAllString(svg, -1) {
		if strings.Contains(p, css(c)) {
			all = append(all, p)
		}
	}
	return all
}

func TestChart_LinesHaveTheirOwnColour(t *testing.T) {
	c := Chart{Title: "three", X: Linear("x"), Y: Linear("y"), Lines: []Line{
		slope("one", Plain), slope("two", Marked), slope("", Plain), slope("other", Reference), slope("three", Scatter),
	}}
	svg := string(c.Picture().SVG())
	for _, want := range []struct {
		name   string
		colour color.RGBA
		paths  int
	}{
		{"two: line, three marks, its legend's two, and the line that continues it", palette[1].light, 1 + 3 + 2 + 1},
		{"three: marks only", palette[2].light, 3 + 1},
		{"a colour of no line", palette[3].light, 0},
	} {
		if got := paths(svg, want.colour); len(got) != want.paths {
			t.Errorf("%s: %d paths, not %d", want.name, len(got), want.paths)
		}
	}
	for _, label := range []string{">one<", ">two<", ">other<", ">three<", ">x<", ">y<"} {
		if !strings.Contains(svg, label) {
			t.Errorf("nothing says %s", label)
		}
	}
}

// A point without a place on its axis is left out, and its neighbours are joined.
func TestChart_LeavesOutWhatHasNoPlace(t *testing.T) {
	l := Line{Label: "l", Look: Plain, X: []float64{1, 2, 3, 4}, Y: []float64{1, 0, math.NaN(), 100}}
	c := Chart{X: Linear("x"), Y: Log("y"), Lines: []Line{l}}
	drawn := paths(string(c.Picture().SVG()), palette[0].light)
	if len(drawn) != 2 || strings.Count(drawn[1], "L") != 1 || strings.Contains(drawn[1], "NaN") {
		t.Errorf("%q", drawn)
	}
	c.Lines[0].Y = []float64{-1, 0, math.NaN(), math.Inf(1)}
	if c.Picture() != nil {
		t.Error("a picture of a line without points")
	}
	if err := c.Save(t.TempDir(), "nothing"); err == nil {
		t.Error("no error")
	}
}

// A range that leaves the axes ends at their ends, a range of no line is not read.
func TestChart_BandsEndAtTheAxes(t *testing.T) {
	l := slope("l", Plain)
	l.Low, l.High = []float64{0, 0, 0}, []float64{1e9, 1e9, 1e9}
	c := Chart{X: Linear("x"), Y: Axis{Label: "y", Log: true, Low: 0.1, High: 100}, Lines: []Line{l}}
	p := c.Picture()
	places := regexp.MustCompile(`[ML](-?[0-9.]+),(-?[0-9.]+)`)
	bands := 0
	for _, path := range paths(string(p.SVG()), translucent(palette[0].light)) {
		bands++
		for _, at := range places.FindAllStringSubmatch(path, -1) {
			y, err := strconv.ParseFloat(at[2], 64)
			if err != nil || !(y >= margin) || !(y <= p.Height+margin) {
				t.Errorf("a band reaches %s of 0 to %.0f", at[2], p.Height)
			}
		}
	}
	if bands != 2 {
		t.Errorf("%d bands, with the legend's", bands)
	}
}

func TestAxis_RangeAndPlace(t *testing.T) {
	for _, c := range []struct {
		name      string
		axis      Axis
		values    []float64
		low, high float64
	}{
		{"from zero", Linear(""), []float64{1, 10}, 0, 10.36},
		{"far from zero", Linear(""), []float64{8, 10}, 7.92, 10.08},
		{"one value", Linear(""), []float64{3}, 2.5, 3.5},
		{"given", Axis{Low: 1, High: 2}, []float64{0, 10}, 1, 2},
		{"narrow logarithmic", Log(""), []float64{1, 2, -5, math.Inf(1)}, 0.5, 4},
		{"zero on a logarithmic axis", Axis{Log: true, Zero: 0.1}, []float64{0, 1e3}, 0.1 / math.Pow(1e4, 0.04),
			1e3 * math.Pow(1e4, 0.04)},
	} {
		if !c.axis.measure(c.values) || math.Abs(c.axis.Low/c.low-1) > 1e-9 && c.axis.Low != c.low ||
			!(math.Abs(c.axis.High/c.high-1) <= 1e-9) {
			t.Errorf("%s: from %v to %v", c.name, c.axis.Low, c.axis.High)
		}
	}
	if none := Log(""); none.measure([]float64{0, -1, math.NaN()}) {
		t.Error("a range of nothing")
	}
}

// Labels are round, and do not meet.
func TestAxis_Ticks(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		want string
	}{
		{Axis{Low: 0, High: 1}, "0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{Low: -0.3, High: 3.3, Whole: true}, "0 1 2 3"},
		{Axis{Low: 0, High: 4e6}, "0 10⁶ 2.0×10⁶ 3.0×10⁶ 4.0×10⁶"},
		{Axis{Low: 1e-9, High: 1, Log: true}, "10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 1"},
		{Axis{Low: 0.01, High: 20, Log: true, Zero: 0.01}, "0 0.1 1 10"},
	} {
		var labels []string
		for _, tick := range c.axis.ticks(false) {
			if tick.label != "" {
				labels = append(labels, tick.label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %v to %v: %s, not %s", c.axis.Low, c.axis.High, got, c.want)
		}
	}
	crowded := Axis{Low: 0.00010, High: 0.00011}
	end, before := math.Inf(-1), ""
	for _, tick := range crowded.ticks(false) {
		if tick.label == "" {
			continue
		}
		if tick.label == before {
			t.Errorf("two values have the label %s", before)
		}
		before = tick.label
		half := Width(tick.label, TextSize) / 2
		if at := crowded.at(tick.value) * acrossRoom; !(at-half >= end) {
			t.Errorf("%s meets the label before it", tick.label)
		} else {
			end = at + half
		}
	}
}

// An element of a page takes its colours from the page, has a text alternative and names of its own.
func TestPicture_Element(t *testing.T) {
	one := slope("one", Plain)
	one.Low, one.High = one.X, one.Y
	c := Chart{Title: "a < b", X: Linear("x"), Y: Linear("y"), Lines: []Line{one, slope("two", Marked)}}
	element := string(c.Picture().Element(7))
	for _, want := range []string{
		`aria-labelledby="t7 d7"`, `<title id="t7">a &lt; b</title>`, `<desc id="d7">y against x: one; two</desc>`,
		"stroke:var(--text)", "stroke:var(--line1)", "fill:var(--text);fill-opacity", "stroke:var(--grid)",
		`role="img"`,
	} {
		if !strings.Contains(element, want) {
			t.Errorf("the element lacks %s", want)
		}
	}
	for _, ink := range theme() {
		if strings.Contains(element, css(ink.light)) || strings.Contains(element, css(translucent(ink.light))) {
			t.Errorf("the element has %s as it is on light ground", ink.name)
		}
		if !strings.Contains(CSS(), "--"+ink.name+": "+css(ink.dark)) {
			t.Errorf("%s has no colour on dark ground", ink.name)
		}
	}
	if file := string(c.Picture().SVG()); strings.Contains(file, "var(--") || !strings.Contains(file, `xmlns="http`) {
		t.Error("a file has the variables of a page, or is no SVG")
	}
}

// A viewer shows a tip where the shape is.
func TestSheet_Tips(t *testing.T) {
	p := &Picture{Title: "t", Width: 100, Height: 50, Paint: func(s *Sheet) {
		s.DiscTip(20, 30, 5, "a <node>")
		s.LineTip(0, 0, 100, 50, 6, "an edge")
	}}
	if got := string(p.Element(1)); !strings.Contains(got,
		`<circle cx="20.0" cy="30.0" r="5.0"><title>a &lt;node&gt;`) ||
		!strings.Contains(got, `<path d="M0.0 0.0L100.0 50.0" stroke-width="6.0"><title>an edge`) {
		t.Error(got)
	}
	_, _, head := p.head()
	want := `cx="30.0" cy="` + strconv.FormatFloat(30+margin+head, 'f', 1, 64)
	if got := string(p.SVG()); !strings.Contains(got, want) {
		t.Errorf("no %s in %s", want, got)
	}
}

// Exponents are smaller than the digits they come from; a text that is too long is cut, or broken, to its width.
func TestText(t *testing.T) {
	if !(Width("10⁻⁶", 10) < Width("10−6", 10)) || !(Width("10⁻⁶", 10) > Width("10", 10)) {
		t.Error("exponents are not raised")
	}
	parts := runs("ε < 10⁻⁵ allows", face(10, false))
	if len(parts) != 3 || parts[1].text != "−5" || !parts[1].raised || !(parts[1].font.Size < parts[0].font.Size) {
		t.Errorf("%+v", parts)
	}
	if got := shorten("a long label of a line", 10, 60); !(Width(got, 10) <= 60) || !strings.HasSuffix(got, "…") ||
		len(got) < 8 {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]string{"columns scaled to 1": "columns\nscaled to 1", "as is": "as is",
		"rows clipped to a norm of 1": "rows clipped\nto a norm…", "$x + y$ of a row": "$x + y$ of a row"} {
		if got := fold(name, 10, 60, 2); got != want {
			t.Errorf("%q is folded to %q, want %q", name, got, want)
		}
	}
	lines := wrap("some words that take more than one line", 10, 80)
	for _, l := range lines {
		if !(Width(l, 10) <= 80) {
			t.Errorf("%q is too wide", l)
		}
	}
	if len(lines) < 2 || strings.Join(lines, " ") != "some words that take more than one line" {
		t.Errorf("%q", lines)
	}
}

// Save says what it could not write.
func TestPicture_SaveFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (Chart{X: Linear("x"), Y: Linear("y"), Lines: []Line{slope("l", Plain)}}).Save(file, "name"); err == nil {
		t.Error("no error")
	}
}

func TestAxis_Edge(t *testing.T) {
	linear, log := Axis{Low: -2, High: 3}, Axis{Low: 0.1, High: 10, Log: true}
	zero := Axis{Low: 0.1, High: 10, Log: true, Zero: 0.2}
	for _, c := range []struct {
		axis    Axis
		v, want float64
	}{
		{linear, -5, -2}, {linear, -1, -1}, {linear, 0, 0}, {linear, 9, 3}, {linear, math.Inf(1), 3},
		{linear, math.Inf(-1), -2}, {log, 0, 0.1}, {log, -1, 0.1}, {log, 0.05, 0.1}, {log, 1, 1}, {log, 20, 10},
		{log, math.Inf(1), 10}, {zero, 0, 0.2},
	} {
		if got := c.axis.edge(c.v); got != c.want {
			t.Errorf("%v ends at %v on %+v, not %v", c.v, got, c.axis, c.want)
		}
	}
}

// Of labels that meet, 0 and every second or fifth from it are left.
func TestThin_KeepsZero(t *testing.T) {
	a := Axis{Low: -3, High: 5}
	var labels []string
	for _, tick := range thin(a.steps(), 2) {
		if tick.label != "" {
			labels = append(labels, tick.label)
		}
	}
	if got := strings.Join(labels, " "); got != "-2 0 2 4" {
		t.Errorf("%s of %v", got, a.steps())
	}
}

// A few decades have marks at the multiples of their powers, many have not.
func TestDecades_Multiples(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		ticks     int
	}{{1, 1000, 3*9 + 1}, {1e-4, 1e4, 9}, {2, 400, 8 + 9 + 4}} {
		if got := len(decades(c.low, c.high)); got != c.ticks {
			t.Errorf("from %v to %v: %d marks, not %d", c.low, c.high, got, c.ticks)
		}
	}
}
