// Which version of the program this is.

package main

import (
	"fmt"
	"runtime/debug"
)

// version is the stamped one of a release; of any other build the module's, which Go
// takes from the repository's tags and revision, with the compiler's.
func version(stamped string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return stamped
	}
	return versionOf(stamped, info)
}

// unstamped is what package experiment says of a build that is no release.
const unstamped = "0.1"

func versionOf(stamped string, info *debug.BuildInfo) string {
	switch module := info.Main.Version; {
	case stamped != unstamped:
		return fmt.Sprintf("%s, %s", stamped, info.GoVersion)
	case module != "" && module != "(devel)":
		return fmt.Sprintf("%s, %s", module, info.GoVersion)
	}
	return fmt.Sprintf("%s, from sources without a known revision, %s", stamped, info.GoVersion)
}
