//go:build !linux

package memory

// largePages does nothing where the program has no say in the size of pages.
func largePages(int) {}
