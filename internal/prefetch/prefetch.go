// Package prefetch asks the processor for memory that will be read soon, without waiting for it. It changes nothing of
// what is computed. Where there is no such instruction at hand, it does nothing.
package prefetch

import "unsafe"

// most is how many bytes are asked for at once: a processor keeps some ten requests under way.
const most = 1024

// Of asks for what p points to.
func Of[T any](p *T) {
	if p != nil {
		lines(unsafe.Pointer(p), min(unsafe.Sizeof(*p), most))
	}
}

// List asks for the first entries of a list.
func List[T any](s []T) {
	if len(s) > 0 {
		lines(unsafe.Pointer(unsafe.SliceData(s)), min(uintptr(len(s))*unsafe.Sizeof(s[0]), most))
	}
}
