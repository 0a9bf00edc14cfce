//go:build !linux

package memory

import "math"

// largePages does nothing where the program has no say in the size of pages.
func largePages(int) {}

// addresses says that the process may take any number of them.
func addresses() uint64 { return math.MaxUint64 }
