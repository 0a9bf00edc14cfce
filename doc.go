// Package overhear is the root of a deterministic simulator of private
// distributed learning; the program is cmd/simulate. What is here are tests of
// the house's own rules.
package overhear
