// Package papers has the figures and tables of the papers, a file a paper.
//
// # A file
//
// A file registers its paper's figures in init. A figure is made by a function of its own, zz16Fig2 in zz16.go for
// instance, in this order: its curves, in variables; a reproduce.Figure with the paper's setting (Stated), what it
// leaves open (Chosen), the curves and the charts; and the function Statements, which reads the runs of the variables'
// curves. A curve is named by its variable and never by its label, so that a misspelt curve does not compile.
//
// # Curves and charts
//
// Curves that differ in a parameter are in a slice in the parameter's order, with the parameter in X. Charts are made
// by byRound, byOddRound and byParameter in charts.go, with logX, logY and inRounds around them:
//
//	logY(byRound("loss", "training loss", "loss", "loss L(t)", private...))
//
// # Statements
//
// A statement quotes the paper where it can. Its assessment follows from numbers that are beside it on the page; the
// limit, “within 5 %” for instance, is in the text as well. No assessment is a constant: a test alters the results and
// asks that every statement can hold and can fail. What is said of two curves is of all rounds and seeds, by
// [reproduce.Runs.Against], or of the last fifth of the rounds, by End.
//
// # Open settings
//
// What the paper leaves open and a claim may depend on is in the figure's Grid, with what the page takes.
//
// # To add a figure
//
// Write a scenario scenarios/PAPER-figN.yaml whose about names the paper and the figure, a function in the paper's
// file, and its name into the file's init. The tests check that every curve's scenario loads, that charts show curves
// of the figure, and that nothing is left unsaid.
package papers
