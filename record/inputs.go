// What a run came from, besides its scenario and seed.

package record

import (
	"fmt"
	"maps"
	"slices"
)

// Inputs is what a run came from, besides its scenario and seed. A run is finished
// only for who would begin with the same.
type Inputs struct {
	Program string            `json:"program"` // its build: a revision, or a hash
	Files   map[string]string `json:"files"`   // SHA-256 of data and graphs, by key of the scenario or name in a data directory
}

// Differences says in words what is not as it was. names, which may be nil, has the
// paths of files.
func (i Inputs) Differences(now Inputs, names map[string]string) []string {
	if i.Program == "" {
		return []string{"the run does not say what it came from"}
	}
	var all []string
	if i.Program != now.Program {
		all = append(all, fmt.Sprintf("the program was %s, is %s", i.Program, now.Program))
	}
	keys := maps.Clone(i.Files)
	if keys == nil {
		keys = map[string]string{}
	}
	maps.Copy(keys, now.Files)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		was, is := i.Files[key], now.Files[key]
		what := key
		if name := names[key]; name != "" {
			what += " (" + name + ")"
		}
		switch {
		case was == is:
		case was == "":
			all = append(all, what+" was not there")
		case is == "":
			all = append(all, what+" is gone")
		default:
			all = append(all, fmt.Sprintf("%s has changed (SHA-256 %.12s… then, %.12s… now)", what, was, is))
		}
	}
	return all
}
