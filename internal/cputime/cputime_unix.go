//go:build unix

// Package cputime says what the process has used of its processors, for benchmarks on a machine that has other work.
package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now is the time that the process has spent on all processors so far.
func Now() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // only a bad address fails
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
