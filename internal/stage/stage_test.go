// What is told of work, and when it stops.

package stage

import (
	"context"
	"errors"
	"testing"

	"overhear/internal/guard"
)

func TestAt_TellsAndSaysWhyToStop(t *testing.T) {
	var told []string
	why := errors.New("enough")
	ctx, stop := context.WithCancelCause(t.Context())
	ctx = With(ctx, func(doing string, done, of int64) {
		if done == 3 && of == 9 {
			told = append(told, doing)
		}
	})
	if err := At(ctx, "reading", 3, 9); err != nil || len(told) != 1 || told[0] != "reading" {
		t.Errorf("%q told; %v", told, err)
	}
	stop(why)
	if err := At(ctx, "reading", 3, 9); !errors.Is(err, why) {
		t.Errorf("stopped: %v", err)
	}
	if err := At(t.Context(), "reading", 3, 9); err != nil {
		t.Errorf("nobody listens: %v", err)
	}
}

// What does not look at the context is not waited for.
func TestDo_LeavesWhatGoesOn(t *testing.T) {
	why := errors.New("enough")
	ctx, stop := context.WithCancelCause(t.Context())
	free := make(chan struct{})
	defer close(free)
	err := Do(ctx, func() error {
		stop(why)
		<-free
		return nil
	})
	if !errors.Is(err, why) {
		t.Errorf("stopped: %v", err)
	}
	began := false
	if err := Do(ctx, func() error { began = true; return nil }); !errors.Is(err, why) || began {
		t.Errorf("%v, and what was to be stopped began: %v", err, began)
	}
}

func TestDo_IsTheWorksError(t *testing.T) {
	bad := errors.New("bad")
	if err := Do(t.Context(), func() error { return bad }); !errors.Is(err, bad) {
		t.Error(err)
	}
	var mistake *guard.Panic
	if err := Do(t.Context(), func() error { panic("x") }); !errors.As(err, &mistake) {
		t.Errorf("a panic is %v", err)
	}
	if err := Do(t.Context(), func() error { return nil }); err != nil {
		t.Error(err)
	}
}

// What is to stop is not begun.
func TestDo_BeginsNothingThatIsStopped(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	stop(why)
	begun := make(chan struct{}, 1)
	for range 100 {
		if err := Do(ctx, func() error { begun <- struct{}{}; return nil }); !errors.Is(err, why) {
			t.Fatal(err)
		}
	}
	if len(begun) > 0 {
		t.Error("it was begun")
	}
}
