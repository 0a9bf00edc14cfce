// Package attack writes the attack-evaluation report: what attacks on runs and audits of claims found, as one HTML page
// that loads nothing and runs no script, as Markdown and as JSON.
//
// # A first report
//
// An [Evaluation] holds any number of attacked runs and of audits, as package record reads them:
//
//	a, err := run.Attacks()
//	e := attack.Evaluation{Title: "Attacks on hospitals", Attacks: []*record.Attacks{a}}
//	files, err := e.Write("report.html") // report.html, report.md and report.json
//
// If something was varied from one attacked run to the next, [Axis] names it, and the report draws the error against
// it.
//
// # How it is made
//
// The report is a page of sections, in the order in which a reviewer asks: verdicts, outcomes, losses, how well the two
// worlds are told apart, reconstructions, the network, members, labels, checks, and what the observer could not see. A
// section that has nothing to say is left out. HTML and Markdown are two forms of one page; in Markdown, a figure is
// the table of its numbers. Figures are drawn by the packages overhear/report/plot and overhear/report/network.
//
// The same evaluation gives the same bytes.
package attack
