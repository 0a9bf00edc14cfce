// How much room a disk has, where the system says it.

//go:build linux || darwin || freebsd

package files

import (
	"math"

	"golang.org/x/sys/unix"
)

// Room is how many bytes this user may still write to the disk of a directory; infinite, where that is not known.
func Room(dir string) float64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return math.Inf(1)
	}
	return float64(s.Bavail) * float64(s.Bsize)
}
