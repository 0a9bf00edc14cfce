// The version that a build names.

package main

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	for _, c := range []struct{ stamped, module, want string }{
		{"v1.2.0", "(devel)", "v1.2.0, go1.26"},
		{unstamped, "v0.0.0-20260101000000-abcdef+dirty", "v0.0.0-20260101000000-abcdef+dirty, executable 7, go1.26"},
		{unstamped, "v1.3.0", "v1.3.0, go1.26"},
		{unstamped, "(devel)", "0.1, from sources without a known revision, executable 7, go1.26"},
		{unstamped, "", "0.1, from sources without a known revision, executable 7, go1.26"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: c.module}}
		if got := versionOf(c.stamped, info, func() string { return "executable 7" }); got != c.want {
			t.Errorf("stamped %s, module %s: %q, want %q", c.stamped, c.module, got, c.want)
		}
	}
}
