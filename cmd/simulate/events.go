// What a command tells while it works, as lines of JSON: for programs that drive it.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"

	"overhear/scenarios"
)

// event is a line of standard error with --events. One of its fields is there.
type event struct {
	Progress *progressEvent `json:"progress,omitempty"`
	Written  string         `json:"written,omitempty"` // the directory in which results are
	Error    *errorEvent    `json:"error,omitempty"`
}

type progressEvent struct {
	Name  string `json:"name"`
	Done  int    `json:"done"`
	Total int    `json:"total"`           // −1: not known
	Doing string `json:"doing,omitempty"` // besides what is counted
}

type errorEvent struct {
	Text     string         `json:"text"`
	Code     int            `json:"code"`     // the exit code
	Mistakes []mistakeEvent `json:"mistakes"` // of the scenario
}

type mistakeEvent struct {
	File   string `json:"file"` // empty: it is of --set
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Key    string `json:"key"`
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
}

// events says whether progress, directories and errors are told as lines of JSON; it is the flag --events.
var events bool

var telling sync.Mutex

// tell writes an event, if they are asked for.
func tell(e event) {
	if !events {
		return
	}
	line, _ := json.Marshal(e) // of texts and numbers: it always encodes
	telling.Lock()
	defer telling.Unlock()
	_, _ = fmt.Fprintf(os.Stderr, "%s\n", line) // whoever does not listen is no reason to stop
}

// noBar says whether there is no terminal to draw a bar on, or it is told instead.
func noBar() bool { return events || !term.IsTerminal(int(os.Stderr.Fd())) }

// failure writes the error that ends the command.
func failure(err error, code int) {
	if !events {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	e := errorEvent{Text: err.Error(), Code: code, Mistakes: []mistakeEvent{}}
	var all scenarios.Mistakes
	if errors.As(err, &all) {
		for _, m := range all {
			file, line, column := m.File()
			e.Mistakes = append(e.Mistakes, mistakeEvent{file, line, column, m.Key(), m.Text, m.Remedy()})
		}
	}
	tell(event{Error: &e})
}
