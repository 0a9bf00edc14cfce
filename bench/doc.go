// Package bench compares the simulator with scripts that a user would write instead, and large runs with small ones:
//
//	go test ./bench -run - -bench . -benchtime 1x
//
// Its benchmarks run both sides in turn and print ratios of CPU seconds. Those of scripts, on the same data, need
// Debian's python3-numpy and python3-scipy and are skipped where these are absent.
package bench
