// Package bench compares the simulator with scripts that a user would write instead:
//
//	go test ./bench -bench . -benchtime 1x
//
// Its benchmarks run both sides in turn on the same data and print ratios of CPU seconds. They need Debian's
// python3-numpy and python3-scipy and are skipped where these are absent.
package bench
