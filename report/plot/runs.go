// The figures of a run: loss and distance to the optimum against rounds and against virtual time.

package plot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"

	"overhear/internal/files"
	"overhear/record"
)

// RunWords are what stands at the axes of the figures of runs.
func RunWords() []Words {
	var all []Words
	for _, a := range append(runX(), runY()...) {
		all = append(all, Words{a.column, a.axis.Label})
	}
	return all
}

// runAxis is a column of the metrics in the figures of runs.
type runAxis struct {
	column, about string
	axis          Axis
}

func runX() []runAxis {
	return []runAxis{{"round", "", Axis{Label: "round", Whole: true}}, {"time_s", "", Linear("virtual time (s)")}}
}

func runY() []runAxis {
	return []runAxis{
		{"loss", "training loss", Linear("loss L(t)")},
		{"distance", "distance to the centralised optimum", Log("relative distance")},
		{"stationarity", "norm of the gradient", Log("relative norm of the gradient")},
	}
}

// Named is a chart and the name of its file, without the ending.
type Named struct {
	Name  string
	Chart Chart
}

// RunCharts are the figures of the runs of one experiment, one table a seed: loss and distance against rounds and
// against virtual time. With several seeds a line is the mean, and the band goes from the least to the greatest. What
// was not measured has no figure.
func RunCharts(name string, tables []*record.Table) (all []Named) {
	for _, y := range runY() {
		for _, x := range runX() {
			c := Chart{Title: name + ": " + y.about, X: x.axis, Y: y.axis}
			if len(tables) > 1 {
				c.Title += fmt.Sprintf(", mean and range of %d seeds", len(tables))
			}
			spread := record.SpreadOf(tables, y.column)
			line := Line{X: record.SpreadOf(tables, x.column).Mean, Y: spread.Mean, Low: spread.Low, High: spread.High}
			points := 0
			for t := range line.X {
				if !c.fits(line.X[t], line.Low[t]) {
					line.Y[t] = math.NaN()
				} else if c.fits(line.X[t], line.Y[t]) {
					points++
				}
			}
			if len(tables) == 1 {
				line.Low, line.High = nil, nil
			}
			if points < 2 {
				continue
			}
			c.Lines = []Line{line}
			all = append(all, Named{y.column + "-" + x.column, c})
		}
	}
	return all
}

// Runs writes, into dir, the figures of the runs of one experiment, each as SVG and PNG; see [RunCharts].
//
// A style other than the usual is kept beside them, so that a repeat of the run can draw the same.
func Runs(name string, tables []*record.Table, dir string, style Style) error {
	return runsBy(files.Write, name, tables, dir, style)
}

// DraftRuns is Runs into a new directory that [files.Place] will put in its place, and synchronise, as a whole.
func DraftRuns(name string, tables []*record.Table, dir string, style Style) error {
	return runsBy(files.Draft, name, tables, dir, style)
}

func runsBy(to put, name string, tables []*record.Table, dir string, style Style) error {
	all := RunCharts(cmp.Or(style.Title, name), tables)
	for _, c := range all {
		if _, err := style.save(to, c.Chart, dir, c.Name); err != nil {
			return err
		}
	}
	if all == nil || style.IsZero() {
		return nil
	}
	text, err := json.MarshalIndent(style, "", "  ")
	if err != nil {
		return err
	}
	return to(filepath.Join(dir, record.StyleFile), files.Bytes(append(text, '\n')))
}
