// The flags of every command that writes figures.

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"overhear/report/plot"
)

// figureFlags say how figures are written.
type figureFlags struct{ plot.Style }

// add adds the flags to a command; title is what --title says, where the command has one.
func (f *figureFlags) add(c *cobra.Command, title string) {
	flags := c.Flags()
	flags.StringSliceVar(&f.Formats, "format", nil, "files of a figure: "+strings.Join(plot.Formats, ", ")+
		" (default "+strings.Join(plot.Usual, ",")+"); pgf is for LaTeX")
	flags.StringToStringVar(&f.Labels, "label", nil, "what stands at an axis or a line, `words=others`; between $ it "+
		"is TeX, as in 'round=$t$'; may be repeated")
	flags.Var((*length)(&f.Width), "width", "width of a figure, such as 8cm, 80mm, 3.3in or 240pt (default 440pt)")
	flags.Var((*length)(&f.Height), "height", "height of a figure without its legend (default 240pt)")
	if title != "" {
		flags.StringVar(&f.Title, "title", "", title)
	}
}

// check reports formats that there are not.
func (f *figureFlags) check() error {
	for _, format := range f.Formats {
		if !slices.Contains(plot.Formats, format) {
			return usage("--format is of %s, not %q", strings.Join(plot.Formats, ", "), format)
		}
	}
	return nil
}

// length is a size in points.
type length float64

// units are in points, 72 an inch.
var units = map[string]float64{"pt": 1, "in": 72, "cm": 72 / 2.54, "mm": 7.2 / 2.54, "": 1}

// String is what it is set to; nothing if it is not.
func (l *length) String() string {
	if *l == 0 {
		return ""
	}
	return fmt.Sprintf("%gpt", float64(*l))
}

// Type is what help calls the value.
func (*length) Type() string { return "length" }

// Set reads a number and its unit, which may be left out for points.
func (l *length) Set(text string) error {
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz ")
	unit, known := units[strings.TrimSpace(text[len(number):])]
	v, err := strconv.ParseFloat(number, 64)
	if !known || err != nil {
		return fmt.Errorf("a length is a number with cm, mm, in or pt, such as 8cm, not %q", text)
	}
	if v *= unit; !(v >= 100 && v <= 5000) {
		return fmt.Errorf("must be between 100 and 5000 points (3.6cm and 176cm), is %.4g points", v)
	}
	*l = length(v)
	return nil
}
