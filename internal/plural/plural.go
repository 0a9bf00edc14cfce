// Package plural writes counts and lists in words.
package plural

import (
	"fmt"
	"slices"
	"strings"
)

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

// List is numbers with commas: "1, 5".
func List[T int | float64](all []T) string {
	words := make([]string, len(all))
	for k, n := range all {
		words[k] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

// And is numbers in order, the last one after "and": "1, 4 and 5".
func And(all []int) string {
	text := List(slices.Sorted(slices.Values(all)))
	if last := strings.LastIndex(text, ", "); last >= 0 {
		text = text[:last] + " and " + text[last+2:]
	}
	return text
}

// Named is numbers after their noun, whose plural ends in s: "node 1", "nodes 1, 5".
func Named(noun string, all []int) string {
	if len(all) != 1 {
		noun += "s"
	}
	return noun + " " + List(all)
}
