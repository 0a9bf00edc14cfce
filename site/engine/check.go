// What is wrong with a scenario, and where.

package engine

import (
	"errors"

	"overhear/scenarios"
)

// file stands for the editor's text in messages.
const file = "scenario"

type checked struct {
	Mistakes []mistake `json:"mistakes"`
}

// mistake is one thing that is wrong; what is of no place has line 1.
type mistake struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Key     string `json:"key"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

func check(text string) checked {
	answer := checked{Mistakes: []mistake{}}
	_, err := scenarios.Parse(file, []byte(text))
	var all scenarios.Mistakes
	switch {
	case err == nil:
	case errors.As(err, &all):
		for _, m := range all {
			_, line, column := m.File()
			answer.Mistakes = append(answer.Mistakes, mistake{max(line, 1), max(column, 1), m.Key(), m.Text,
				m.Remedy()})
		}
	default:
		answer.Mistakes = append(answer.Mistakes, mistake{Line: 1, Column: 1, Message: err.Error()})
	}
	return answer
}
