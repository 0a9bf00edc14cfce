// Which version of the program this is.

package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"overhear/experiment"
)

// build is version, where it is asked for: to name a build may take reading its executable.
func build() string { return version(experiment.Version) }

// version is the stamped one of a release; of any other build the module's, which Go
// takes from the repository's tags and revision, with the compiler's. What these do not tell apart,
// a build of edited files or without a revision, has a hash of its executable, too.
func version(stamped string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return stamped
	}
	return versionOf(stamped, info, experiment.Program)
}

// unstamped is what package experiment says of a build that is no release.
const unstamped = "0.1"

func versionOf(stamped string, info *debug.BuildInfo, program func() string) string {
	switch module := info.Main.Version; {
	case stamped != unstamped:
		return fmt.Sprintf("%s, %s", stamped, info.GoVersion)
	case strings.HasSuffix(module, "+dirty"):
		return fmt.Sprintf("%s, %s, %s", module, program(), info.GoVersion)
	case module != "" && module != "(devel)":
		return fmt.Sprintf("%s, %s", module, info.GoVersion)
	}
	return fmt.Sprintf("%s, from sources without a known revision, %s, %s", stamped, program(), info.GoVersion)
}
