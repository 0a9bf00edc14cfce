// A panic becomes an error that knows its stack.

package guard

import (
	"errors"
	"strings"
	"testing"
)

func TestFunc(t *testing.T) {
	failure := errors.New("the disk is full")
	if err := Func(func() error { return failure })(); err != failure {
		t.Error(err)
	}
	var none []int
	err := Func(func() error { _ = none[len(none)]; return nil })()
	var p *Panic
	if !errors.As(err, &p) || !strings.Contains(string(p.Stack), "guard_test.go") ||
		err.Error() != "the program has a mistake: runtime error: index out of range [0] with length 0" {
		t.Errorf("%v", err)
	}
}

// What is raised is the error itself, and no mistake in the program.
func TestRaise(t *testing.T) {
	failure := errors.New("the loss raised something")
	err := Func(func() error {
		Raise(failure)
		return nil
	})()
	if err != failure {
		t.Errorf("%v", err)
	}
}
