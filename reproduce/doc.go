// Package reproduce computes the papers' figures and tables anew and says, claim
// by claim, what a paper states and what was measured.
//
// A [Figure] is a scenario that comes with the program, the changes to it that
// are its curves, the charts to draw, and a function that measures its claims.
// Each paper's figures are in one file.
package reproduce
