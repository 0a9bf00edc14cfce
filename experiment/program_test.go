// A build has the same name only for the same sources.

package experiment

import (
	"errors"
	"runtime/debug"
	"strings"
	"testing"
)

func TestProgramOf(t *testing.T) {
	build := func(revision, modified string, deps ...*debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26.0", Deps: deps, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}}
	}
	released := &debug.BuildInfo{GoVersion: "go1.26.0",
		Main: debug.Module{Path: "overhear", Version: "v1.2.0", Sum: "h1:x"}}
	pinned := &debug.Module{Path: "a", Version: "v1.0.0", Sum: "h1:a"}
	local := &debug.Module{Path: "a", Version: "v1.0.0", Sum: "h1:a", Replace: &debug.Module{Path: "../a"}}
	hash := func() (string, error) { return "0123", nil }
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{build("abc", "false"), "revision abc, go1.26.0"},
		{build("abc", "false", pinned), "revision abc, go1.26.0"},
		{build("abc", "false", local), "executable with SHA-256 0123"}, // a module of this machine, which may be edited
		{build("abc", "true"), "executable with SHA-256 0123"},
		{&debug.BuildInfo{}, "executable with SHA-256 0123"}, // as go run has it
		{released, "v1.2.0 h1:x, go1.26.0"},
	} {
		if got := programOf(c.info, hash); got != c.want {
			t.Errorf("%+v is %q, want %q", c.info, got, c.want)
		}
	}
	lost := programOf(&debug.BuildInfo{}, func() (string, error) { return "", errors.New("gone") })
	if !strings.HasPrefix(lost, "process ") {
		t.Errorf("a build of which nothing is known is %q", lost)
	}
	if !strings.HasPrefix(Program(), "executable with SHA-256 ") { // a test's is stamped with no revision
		t.Errorf("this program is %q", Program())
	}
}
