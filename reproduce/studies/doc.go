// Package studies has the studies of what messages give away (attacks/…) and of networks (networks/…), a file a study.
//
// # A file
//
// A file registers its study in init: name, title, the question and the setting (About), and the function that computes
// it. labels.go is a study of attacks and audits, edge.go one of networks.
//
// # Runs
//
// The function gets a reproduce.Workbench, which knows the directory of data. A call names a shipped scenario and the
// changes to it:
//
//	a, err := b.Attack(true, "row-space.yaml", "adversary.knows.victim=all")
//
// The first argument says whether what is found enters the report beside the page. Most studies keep one victim for the
// report, and draw statements from all. Audit returns verdicts on privacy claims, and Measure a run's metrics.
//
// # From findings to numbers
//
// errors.go has what studies of reconstructed samples share: the findings of an attack over runs and victims, the
// estimate from at most so many rounds, and a tally of errors and of labels that are right. point adds a tally to a
// chart's line as a median with its range.
//
// # The page
//
// State adds a statement with its assessment and the numbers behind it, Draw a chart, Say a paragraph or a table. The
// first chart stands for the study in results/README.md. A page says nothing of the machine that computed it, except in
// networks/scale, which is about machines.
//
// # To add a study
//
// Write a scenario and a file, add the name to the list in the test, run `simulate reproduce NAME` and commit the page.
// The tests check that a committed page begins with the study's title and question, and that the index has its
// statements.
package studies
