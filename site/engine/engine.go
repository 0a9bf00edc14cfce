// What a request asks for, and how it is answered.

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"overhear/experiment"
	"overhear/internal/guard"
	"overhear/scenarios"
)

// request is what a page asks.
type request struct {
	ID       int            `json:"id"`
	Do       string         `json:"do"`
	Scenario string         `json:"scenario"`
	Line     int            `json:"line"`
	Column   int            `json:"column"`
	Seed     uint64         `json:"seed"`
	Name     string         `json:"name"`
	Set      map[string]any `json:"set"`
}

// progress tells how far a computation is: a share from 0 to 1, and in words.
type progress func(share float64, text string)

// message is one object on its way to a page.
type message struct {
	ID       int      `json:"id"`
	Done     bool     `json:"done,omitempty"`
	Progress *float64 `json:"progress,omitempty"`
	Text     string   `json:"text,omitempty"`
	Error    *failure `json:"error,omitempty"`
}

// failure is why there is no answer.
type failure struct {
	Message  string    `json:"message"`
	Mistakes []mistake `json:"mistakes,omitempty"` // of the scenario
}

// Answer answers a request, a JSON object, with another. onMessage, which may be nil, gets messages on the way. What
// goes wrong, be it a mistake in the program, is an answer too.
func Answer(ctx context.Context, text []byte, onMessage func(message []byte)) []byte {
	var r request
	if err := json.Unmarshal(text, &r); err != nil {
		return fail(r.ID, fmt.Errorf("this is no request: %w", err))
	}
	last := -1
	tell := func(share float64, words string) {
		// A page shows no more than a hundred steps.
		if at := int(share * 100); onMessage != nil && at > last {
			last = at
			onMessage(encode(message{ID: r.ID, Progress: &share, Text: words}))
		}
	}
	var answer any
	err := guard.Func(func() (err error) {
		answer, err = do(ctx, &r, tell)
		return err
	})()
	if err != nil {
		return fail(r.ID, err)
	}
	return finish(r.ID, answer)
}

// do computes what a request asks for.
func do(ctx context.Context, r *request, tell progress) (any, error) {
	switch r.Do {
	case "check":
		return check(r.Scenario, r.Seed), nil
	case "complete":
		return complete(r.Scenario, r.Line, r.Column), nil
	case "run":
		return run(ctx, r.Scenario, r.Seed, tell)
	case "figures":
		return catalogue{Descriptions()}, nil
	case "figure":
		changes, err := texts(r.Set)
		if err != nil {
			return nil, err
		}
		return Compute(ctx, r.Name, changes, tell)
	}
	return nil, fmt.Errorf("a request asks for check, complete, run, figures or figure, not for %q", r.Do)
}

// texts are the values of changes as a scenario has them.
func texts(set map[string]any) (map[string]string, error) {
	all := map[string]string{}
	for key, value := range set {
		switch v := value.(type) {
		case string:
			all[key] = v
		case float64:
			all[key] = number(v)
		default:
			return nil, fmt.Errorf("%s must be a number or a text", key)
		}
	}
	return all, nil
}

// finish is an answer with its number.
func finish(id int, answer any) []byte {
	text := encode(answer)
	head := fmt.Appendf(nil, `{"id":%d,"done":true`, id)
	if len(text) > 2 { // an object has more than its braces
		head = append(head, ',')
	}
	return append(head, text[1:]...)
}

func fail(id int, err error) []byte {
	text := err.Error()
	if mistake := (*guard.Panic)(nil); errors.As(err, &mistake) {
		text = fmt.Sprintf("a mistake in the program: %v", mistake)
	}
	why := &failure{Message: text}
	all, refused := (scenarios.Mistakes)(nil), experiment.SetupError{}
	if errors.As(err, &all) {
		why.Mistakes = mistakes(all)
	} else if errors.As(err, &refused) { // for a reason that has no place
		why.Mistakes = mistakes(refused)
	}
	return encode(message{ID: id, Done: true, Error: why})
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	return text
}

// measured is a number as JSON has it: null where it is none.
type measured float64

// MarshalJSON writes null for what is no finite number.
func (m measured) MarshalJSON() ([]byte, error) {
	if v := float64(m); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(m))
}
