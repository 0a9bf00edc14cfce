//go:build linux && cgo

package memory

// perThread is how many bytes of addresses a thread of C's library reserves: its stack, and a heap of its own.
const perThread = 8<<20 + 64<<20
