// How many addresses the process may have.

package memory

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// addresses are how many bytes of addresses the process may have (math.MaxUint64: any number of them), and how many of
// them it will have spent when all its threads have begun.
func addresses() (most, spent uint64) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return math.MaxUint64, 0
	}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil { // the first number is of pages
		first, _, _ := bytes.Cut(text, []byte(" "))
		pages, _ := strconv.ParseUint(string(first), 10, 64)
		spent = pages * uint64(os.Getpagesize())
	}
	begun, _ := runtime.ThreadCreateProfile(nil)
	return limit.Cur, spent + uint64(max(0, threads()-begun))*perThread
}

// threads are how many the program comes to: those that compute, and those of the runtime and of files.
func threads() int { return runtime.GOMAXPROCS(0) + 6 }

// Suffices is an error if the process may have so few addresses that not all its threads would begin, or that it could
// not hold the smallest run: the runtime would end it with a trace.
func Suffices() error { return suffices(addresses()) }

// suffices is Suffices for so many addresses, of which so many will be spent. Where there are few, the runtime leaves
// out some of what it reserves, but not with more, so that what is enough counts all of it.
func suffices(most, spent uint64) error {
	const (
		reserved = 1.36e9 // by the runtime, without the program's threads
		smallest = idle * own
		unit     = 1024 // of ulimit -v
		round    = 10_000
	)
	if most == math.MaxUint64 || float64(most) >= float64(spent)+smallest {
		return nil
	}
	enough := max(float64(spent), reserved+float64(threads()*perThread)) + smallest
	kibibytes := math.Ceil(enough/unit/round) * round
	return fmt.Errorf("the process may have %s of addresses (ulimit -v %d), too few for its %d threads and the "+
		"smallest run; with ulimit -v %.0f it has enough", Text(float64(most)), most/unit, threads(), kibibytes)
}
