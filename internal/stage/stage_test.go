// What is told of work, and when it stops.

package stage

import (
	"context"
	"errors"
	"testing"
	"time"

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
	made, err := Do(ctx, func() (int, error) {
		stop(why)
		<-free
		return 1, nil
	})
	if !errors.Is(err, why) || made != 0 {
		t.Errorf("stopped: %d, %v", made, err)
	}
	began := false
	if _, err := Do(ctx, func() (int, error) { began = true; return 1, nil }); !errors.Is(err, why) || began {
		t.Errorf("%v, and what was to be stopped began: %v", err, began)
	}
}

func TestDo_IsTheWorksError(t *testing.T) {
	bad := errors.New("bad")
	if _, err := Do(t.Context(), func() (int, error) { return 1, bad }); !errors.Is(err, bad) {
		t.Error(err)
	}
	var mistake *guard.Panic
	if _, err := Do(t.Context(), func() (int, error) { panic("x") }); !errors.As(err, &mistake) {
		t.Errorf("a panic is %v", err)
	}
	if made, err := Do(t.Context(), func() (int, error) { return 1, nil }); err != nil || made != 1 {
		t.Error(made, err)
	}
}

// What is to stop is not begun.
func TestDo_BeginsNothingThatIsStopped(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	stop(why)
	begun := make(chan struct{}, 1)
	for range 100 {
		if _, err := Do(ctx, func() (int, error) { begun <- struct{}{}; return 1, nil }); !errors.Is(err, why) {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond) // what was begun comes to it
	if len(begun) > 0 {
		t.Error("it was begun")
	}
}
