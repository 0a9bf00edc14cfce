// Package reproduce computes papers' figures and studies of one's own, and sets what they state beside what was
// measured, a page each.
//
// It has what figures and studies share. The figures are in package overhear/reproduce/papers, a file a paper, and the
// studies in overhear/reproduce/studies, a file a study. Both register what they have; `simulate reproduce` lists and
// computes it.
//
// # A first figure
//
// A [Figure] takes a scenario that comes with the program. A [Curve] is a change to it, written as for --set:
//
//	admm := &reproduce.Curve{Label: "ADMM", Set: []string{"algorithm={kind: admm, eta: 0.3}"}}
//	gradient := &reproduce.Curve{Label: "gradient descent", Set: []string{"algorithm={kind: dgd, step: 0.5}"}}
//
// A [Chart] draws a column of metrics.csv, here against rounds:
//
//	reproduce.Chart{
//		Name: "distance", Title: "Distance to the optimum", X: "round", Y: "distance",
//		XLabel: "round", YLabel: "relative distance", LogY: true,
//	}
//
// It shows all curves, or those in its Curves. A chart without X is one against a parameter: curves of one Group make a
// line, each with its own X.
//
// # Statements
//
// [Figure.Run] runs every curve with several seeds. [Results.Of] then gives a curve's [Runs], which have the mean,
// range and first round of any column. From them the figure's function Statements makes what the paper states, an
// assessment, and the numbers that it is made from:
//
//	func(r *reproduce.Results) []reproduce.Statement {
//		a, b := r.Of(admm).Last("distance"), r.Of(gradient).Last("distance")
//		return []reproduce.Statement{reproduce.State("“ADMM converges faster”", reproduce.Assess(a < b),
//			"distance after the last round: %.2g and %.2g", a, b)}
//	}
//
// [Assess] is for a statement that is true or not, [AssessParts] for one that can be true in part. The measured numbers
// are on the page, whatever the assessment. A statement whose numbers are bounds that methods claim of themselves is
// [Statement.On] an account, and one that nothing measured could change is on construction: its verdict says so and is
// never [Holds].
//
// # Open settings
//
// A paper seldom gives every setting. The figure declares those that it leaves open in its [Grid], and what the page
// takes for each:
//
//	Grid: &reproduce.Grid{Settings: []reproduce.Setting{
//		{Name: "C", Paths: []string{"problem.C"}, Low: 100, High: 2000, Log: true, Taken: "1750"},
//		{Name: "graph", Paths: []string{"network.topology"}, Values: …, Words: …, Taken: "a ring"},
//	}}
//
// [Figure.Judge] runs the curves at the points of a Latin hypercube over these settings, by the sweep machinery, and
// calls Statements with the results of each. So a statement's text must not depend on numbers, and its assessment must
// follow from the results alone. A statement that suitable settings exist is a [StateExists]. The page has the share of
// the points at which each claim holds, the [Split] of one setting that parts them best, with the chance of one as
// clear among labels that mean nothing, and one [Claim.Verdict].
//
// A point at which a run fails is [Void] for the claims that the run has a part in. What was judged is bound to
// [Figure.Rules], a digest of the source text that grades the figure's claims: that of its package, which gives it to
// [RegisterSources], of package theory, and of the functions here that judge points. [Figure.Rejudge] judges kept runs
// by new rules.
//
// Runs are sweeps, those of a page as those of its points, in directories that are named after what decides them. So
// stopped ones go on, and equal runs, of several curves or points, are done once.
//
// # A page
//
// A picture that is not of a column, such as a fitted curve, is made by the figure's function Drawings.
//
// [Results.Write] writes a directory with the charts as SVG and PNG, their numbers in data.csv, and README.md: the
// paper's setting, what it leaves open and what was taken there, the claims, the charts, what the claims came to over
// the open settings, and every curve as a change to the scenario. [WritePapersIndex] gathers the statements of all
// pages.
//
// # A study
//
// A [Study] has one function, which gets a [Workbench]. The function calls [Workbench.Attack], [Workbench.Audit] and
// [Workbench.Measure] as often as it needs, and adds to the page with [Workbench.State], [Workbench.Draw] and
// [Workbench.Say]. Attacks and audits that it keeps make up a report beside the page, each with the command that
// repeats it. [Study.Run] and [Workbench.Write] compute and write it; [WriteStudiesIndex] gathers what all pages state.
//
// # To add one
//
// Add a scenario to scenarios/, and a figure to its paper's file in papers/, with [Register] called from init; or a
// file to studies/, with [RegisterStudy]. Then run `simulate reproduce NAME`, read the page, and commit it with
// results/. The package's examples are a figure and a study, compiled and run.
package reproduce
