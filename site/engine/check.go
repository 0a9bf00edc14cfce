// What is wrong with a scenario, and where.

package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"overhear/problem"
	"overhear/scenarios"
)

// file stands for the editor's text in messages.
const file = "scenario"

type checked struct {
	Mistakes []mistake `json:"mistakes"`
	Needs    []string  `json:"needs"` // files, without which a scenario that is right cannot be run
	Notes    []string  `json:"notes"` // what of a scenario that is right a page leaves to the command
}

// mistake is one thing that is wrong; what is of no place has line 1.
type mistake struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Key     string `json:"key"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

// errBlank is of an editor in which nothing stands. (A command whose file is empty is told of other ways out.)
var errBlank = errors.New("nothing is written yet: choose an example to begin with")

func parse(text string) (*scenarios.Scenario, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errBlank
	}
	return scenarios.Parse(file, []byte(text))
}

func check(text string, seed uint64) checked {
	s, err := parse(text)
	answer := checked{Mistakes: mistakes(err)}
	if err == nil {
		answer.Needs, answer.Notes = needs(s), notes(s)
	}
	if err == nil && answer.Needs == nil {
		answer.Mistakes = mistakes(s.Foresee(seed))
	}
	return answer
}

// mistakes are those of an error; one of no place is at the top.
func mistakes(err error) []mistake {
	found := []mistake{}
	var all scenarios.Mistakes
	if err != nil && !errors.As(err, &all) {
		return append(found, mistake{Line: 1, Column: 1, Message: err.Error()})
	}
	for _, m := range all {
		_, line, column := m.File()
		found = append(found, mistake{max(line, 1), max(column, 1), m.Key(), m.Text, m.Remedy()})
	}
	return found
}

// needs are the files that a run of a scenario reads, by the keys that name them.
func needs(s *scenarios.Scenario) (all []string) {
	if b, ok := problem.FindSet(s.Problem.Data.Set); ok && len(b.Files) > 0 {
		var paths []string
		for _, f := range b.Files {
			paths = append(paths, f.Path)
		}
		all = append(all, fmt.Sprintf("problem.data: %s is in %s; wdbc and the generated sets need no file", b.Name,
			strings.Join(paths, ", ")))
	}
	files := s.FilesByKey()
	for _, key := range slices.Sorted(maps.Keys(files)) {
		all = append(all, key+": "+files[key])
	}
	return all
}

// notes are what of a scenario is left out on a page: attacks.
func notes(s *scenarios.Scenario) (all []string) {
	if a := s.Adversary; a != nil && (a.Acts == nil || a.Attacks != nil) {
		all = append(all, "the adversary's attacks are not carried out on a page: simulate attack does it, and "+
			"simulate audit measures what messages say")
	}
	return all
}
