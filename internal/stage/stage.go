// Package stage tells what long work is doing, to whoever shows it, and lets it be interrupted.
package stage

import (
	"context"

	"overhear/internal/guard"
)

// Teller is told what work is doing, and how much of it is done, of how much; of 0: that is not known. It is told
// nothing, "", where what comes next tells of itself. It is called from several goroutines.
type Teller func(doing string, done, of int64)

type key struct{}

// With has work under the context tell what it does, or with nil not.
func With(ctx context.Context, tell Teller) context.Context {
	return context.WithValue(ctx, key{}, tell)
}

// At tells what is being done. It returns why the work is to stop, nil if it is to go on.
func At(ctx context.Context, doing string, done, of int64) error {
	if tell, _ := ctx.Value(key{}).(Teller); tell != nil {
		tell(doing, done, of)
	}
	return context.Cause(ctx)
}

// Do is what f makes, where f does not look at the context, or not often. If the work is to stop it returns at once
// with the reason, while f goes on: so that f must write to nothing that its caller may still read, its variables
// neither; what it makes is what it returns. A panic of f is an error.
func Do[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type made struct {
		what T
		err  error
	}
	var none made
	if ctx.Err() != nil {
		return none.what, context.Cause(ctx)
	}
	done := make(chan made, 1)
	go func() {
		var m made
		m.err = guard.Func(func() (err error) {
			m.what, err = f()
			return err
		})()
		done <- m
	}()
	select {
	case m := <-done:
		return m.what, m.err
	case <-ctx.Done():
		return none.what, context.Cause(ctx)
	}
}
