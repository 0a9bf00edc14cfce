// How the user wants figures: one declaration for every command that writes some.

package plot

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"overhear/internal/files"
)

// Style is how figures are to be written, beyond what the program chooses; the zero value leaves all to it.
type Style struct {
	Formats []string          `json:"formats,omitempty"` // of Formats; nil: svg and png
	Title   string            `json:"title,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"` // what stands at axes and lines, by what would
	Width   float64           `json:"width,omitempty"`  // in points; 0: as usual
	Height  float64           `json:"height,omitempty"` // without the legend
}

// Usual are the formats of figures.
var Usual = []string{"svg", "png"}

// IsZero says whether all is left to the program.
func (s Style) IsZero() bool { return reflect.DeepEqual(s, Style{}) }

// Files are the formats to write.
func (s Style) Files() []string {
	if s.Formats == nil {
		return Usual
	}
	return s.Formats
}

// With is the style with these formats, too.
func (s Style) With(formats ...string) Style {
	all := slices.Clone(s.Files())
	for _, f := range formats {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	s.Formats = all
	return s
}

// Words is what stands at an axis or a line, and the name of its column; "": it has none.
type Words struct{ Column, Text string }

// Named is the style with its labels by the words of figures, which may be called by their column. It is an error if
// the figures have no such words.
func (s Style) Named(all []Words) (Style, error) {
	labels := map[string]string{}
	var unknown error
	for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
		known := false
		for _, w := range all {
			if label == w.Text || label == w.Column && w.Column != "" {
				labels[w.Text], known = s.Labels[label], true
			}
		}
		if known {
			continue
		}
		var there []string
		for _, w := range all {
			text := strconv.Quote(w.Text)
			if w.Column != "" && w.Column != w.Text {
				text += " (" + w.Column + ")"
			}
			if !slices.Contains(there, text) {
				there = append(there, text)
			}
		}
		unknown = errors.Join(unknown, fmt.Errorf("no figure has the words %q; they have %s", label,
			strings.Join(there, ", ")))
	}
	if s.Labels != nil {
		s.Labels = labels
	}
	return s, unknown
}

// Words are those of a chart, with the columns of its axes.
func (c *Chart) Words(x, y string) []Words {
	all := []Words{{x, c.X.Label}, {y, c.Y.Label}}
	for _, l := range c.Lines {
		if l.Label != "" {
			all = append(all, Words{"", l.Label})
		}
	}
	return all
}

// Of is a chart in the style; its title stays, as a command may write several.
func (s Style) Of(c Chart) Chart {
	named := func(label string) string { return cmp.Or(s.Labels[label], label) }
	c.X.Label, c.Y.Label = named(c.X.Label), named(c.Y.Label)
	c.Lines = slices.Clone(c.Lines)
	for k := range c.Lines {
		c.Lines[k].Label = named(c.Lines[k].Label)
	}
	c.Width, c.Height = cmp.Or(s.Width, c.Width), cmp.Or(s.Height, c.Height)
	return c
}

// Save writes a chart in the style as dir/name.format and returns the paths.
func (s Style) Save(c Chart, dir, name string) ([]string, error) {
	return s.save(files.Write, c, dir, name)
}

func (s Style) save(to put, c Chart, dir, name string) ([]string, error) {
	p := s.Of(c).Picture()
	if p == nil {
		return nil, fmt.Errorf("drawing %s: no line has a point", name)
	}
	return p.write(to, dir, name, s.Files())
}
