// Package plot draws. It is the only place of the house that does: every chart, network picture and figure of a report
// has its colours, fonts, sizes and tick marks from here.
//
// # A first chart
//
// A [Chart] is a title, two axes with names in words, and lines:
//
//	c := plot.Chart{
//		Title: "Distance to the optimum",
//		X:     plot.Linear("round"),
//		Y:     plot.Log("relative distance"),
//		Lines: []plot.Line{{Label: "ADMM", X: rounds, Y: distances}},
//	}
//	err := c.Save("figures", "distance") // figures/distance.svg and figures/distance.png
//
// The ranges of the axes are those of the data, unless [Axis] has Low and High. A line with Low and High has a band
// around it: the range over seeds, or a confidence interval. [Look] says whether a line has marks, or is none at all.
// The package's example is such a chart, compiled and run.
//
// # Colours, marks and text
//
// Lines take their colour, dashes and marks from their place in the chart; up to [MostLines] are told apart, in print
// and by the colour-blind too. The legend stands above the axes, never on the data. Write axis names and labels as they
// are read, with Unicode letters and exponents: "‖x̂ − x‖/‖x‖", "10⁻⁶". [Number] and [Typeset] write numbers so.
//
// # Files and pages
//
// A [Picture] is a finished drawing. [Picture.SVG] and [Picture.PNG] are files on white ground with the title on top.
// [Picture.Element] is for an HTML page: its colours are the variables of [CSS], so that it follows a dark theme, and
// it has a text alternative. A picture has the same bytes every time.
//
// # Other drawings
//
// What is no chart is painted on a [Sheet] with lines, discs, boxes and text. It has tips, which a viewer of the SVG
// shows over a part of the picture, and [Sheet.Legend]. Package overhear/report/network draws so.
//
// # A run's figures
//
// [Runs] draws loss and distance of recorded runs.
package plot
