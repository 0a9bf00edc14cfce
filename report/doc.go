// Package report writes what runs, attacks and audits found as tables for a terminal, with a phrase on each line for
// whoever sees it for the first time.
//
// # Overview
//
// [Table] is about one run and [SeedTable] about the same run with several seeds; [AttackTable] is about the attacks
// on a run and [AuditTable] about an audit. What is not defined for a run has no line.
//
//	err := report.Table(os.Stdout, run)
//
// What is drawn, and what is a page, is made by the packages below this one:
//
//   - overhear/report/plot draws charts;
//   - overhear/report/network draws networks;
//   - overhear/report/attack writes the attack-evaluation report.
package report
