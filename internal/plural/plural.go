// Package plural writes counts in words.
package plural

import "fmt"

// Of is a count with its noun, whose plural ends in s: "1 user", "2 users".
func Of(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
