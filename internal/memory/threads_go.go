//go:build linux && !cgo

package memory

// perThread is how many bytes of addresses a thread of Go's runtime reserves: what it has is from the heap.
const perThread = 0
