// What may stand at a place in a scenario.

package engine

type completion struct {
	From        int          `json:"from"` // the column from which a suggestion takes the place of what is there
	Suggestions []suggestion `json:"suggestions"`
}

type suggestion struct {
	Text  string `json:"text"`
	About string `json:"about"`
}

func complete(text string, line, column int) completion {
	return completion{From: column, Suggestions: []suggestion{}}
}
