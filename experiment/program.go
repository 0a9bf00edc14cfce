// Which build of the program computes: part of what a run came from.

package experiment

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"overhear/internal/files"
)

// Program names the build of this program. A module's released version, or a clean
// revision of its repository, and the compiler's version name it on all machines
// alike. Any other build, such as one of edited files or of `go run`, is named by
// the SHA-256 of its executable.
var Program = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return programOf(info, func() (string, error) {
		path, err := os.Executable()
		if err != nil {
			return "", err
		}
		return files.Hash(path)
	})
})

// programOf names the build that info describes.
func programOf(info *debug.BuildInfo, executable func() (string, error)) string {
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	pinned := true // all that is built in besides
	for _, d := range info.Deps {
		pinned = pinned && d.Sum != "" && d.Replace == nil
	}
	switch revision := setting["vcs.revision"]; {
	case pinned && revision != "" && setting["vcs.modified"] == "false":
		return fmt.Sprintf("revision %s, %s", revision, info.GoVersion)
	case pinned && info.Main.Sum != "" && info.Main.Replace == nil:
		return fmt.Sprintf("%s %s, %s", info.Main.Version, info.Main.Sum, info.GoVersion)
	}
	sum, err := executable()
	if err != nil {
		// Nothing says that another process is the same program, so none is.
		return fmt.Sprintf("process %d, whose executable cannot be read: %v", os.Getpid(), err)
	}
	return "executable with SHA-256 " + sum
}
