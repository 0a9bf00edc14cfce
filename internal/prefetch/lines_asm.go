//go:build amd64 || arm64

package prefetch

import "unsafe"

// lines asks for all cache lines of so many bytes, at least one.
//
//go:noescape
func lines(p unsafe.Pointer, bytes uintptr)
