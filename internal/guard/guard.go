// Package guard turns a panic into an error, so that a mistake in the program is reported in
// words wherever it happens, and its stack is kept for whoever repairs it.
package guard

import (
	"fmt"
	"runtime/debug"
)

// Panic is a mistake in the program.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("the program has a mistake: %v", p.Value) }

// raised is an error on its way through functions that return none.
type raised struct{ error }

// Raise leaves a computation that returns no error, such as a loss's in a solver, with one that is no mistake in the
// program: whoever guards it gets err.
func Raise(err error) { panic(raised{err}) }

// Recover is for a deferred call: it puts a panic, or what was raised, into *err.
func Recover(err *error) {
	switch v := recover().(type) {
	case nil:
	case raised:
		*err = v.error
	default:
		*err = &Panic{v, debug.Stack()}
	}
}

// Func is f with its panics as errors: for functions that run in goroutines of their own.
func Func(f func() error) func() error {
	return func() (err error) {
		defer Recover(&err)
		return f()
	}
}
