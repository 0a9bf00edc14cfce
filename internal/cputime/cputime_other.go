//go:build !unix

package cputime

import "time"

var start = time.Now()

// Now is the time since the process began, where no other is known.
func Now() time.Duration { return time.Since(start) }
