// Package plural writes counts in words.
package plural

import "fmt"

// With is a count with its noun, as Of has it, and the verb of one or of many: "1 round gives", "2 rounds give".
func With(n int, noun, one, many string) string {
	if n == 1 {
		return Of(n, noun) + " " + one
	}
	return Of(n, noun) + " " + many
}

// Of is a count with its noun, whose plural ends in s: "1 user", "2 users".
func Of(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
