// The charts that papers' figures have in common.

package papers

import "overhear/reproduce"

// byRound is a chart of a column against rounds; no curves are all.
func byRound(name, title, column, label string, curves ...*reproduce.Curve) reproduce.Chart {
	return reproduce.Chart{Name: name, Title: title, X: "round", Y: column, XLabel: "round", YLabel: label,
		Curves: curves}
}

// byOddRound is a chart against the rounds in which recycled ADMM touches the data.
func byOddRound(name, title, column, label string, curves ...*reproduce.Curve) reproduce.Chart {
	c := byRound(name, title, column, label, curves...)
	c.XLabel, c.Rounds = "round (odd ones)", func(t int) bool { return t%2 == 1 }
	return c
}

// byParameter is a chart of a column in the last round against the curves' parameter; no curves are all.
func byParameter(name, title, column, parameter, label string, curves ...*reproduce.Curve) reproduce.Chart {
	return reproduce.Chart{Name: name, Title: title, Y: column, XLabel: parameter, YLabel: label, Curves: curves}
}

// logX is a chart with a logarithmic parameter.
func logX(c reproduce.Chart) reproduce.Chart {
	c.LogX = true
	return c
}

// logY is a chart with a logarithmic column.
func logY(c reproduce.Chart) reproduce.Chart {
	c.LogY = true
	return c
}

// inRounds is a chart against a parameter in other rounds than the last, a line each.
func inRounds(c reproduce.Chart, rounds ...int) reproduce.Chart {
	c.Points = rounds
	return c
}
