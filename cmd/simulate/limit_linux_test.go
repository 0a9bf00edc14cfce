// Limits of the process that the system sets.

package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A process with too few addresses for its threads is refused in words, which say what is enough, and that is.
func TestMain_RefusesTooFewAddresses(t *testing.T) {
	const most = "OVERHEAR_TEST_ADDRESSES"
	if kibibytes := os.Getenv(most); kibibytes != "" {
		limit := unix.Rlimit{}
		if kibibytes == "few" {
			text, err := os.ReadFile("/proc/self/statm")
			if err != nil {
				t.Fatal(err)
			}
			fmt.Sscan(string(text), &limit.Cur)
			limit.Cur = limit.Cur*uint64(os.Getpagesize()) + 1e8
		} else {
			fmt.Sscan(kibibytes, &limit.Cur)
			limit.Cur *= 1024
		}
		limit.Max = limit.Cur
		if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
			t.Fatal(err)
		}
		os.Exit(Main([]string{"list", "data"}))
	}
	limited := func(to string) (string, error) {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), most+"="+to)
		text, err := c.CombinedOutput()
		return string(text), err
	}
	text, err := limited("few")
	if failed, ok := err.(*exec.ExitError); !ok || failed.ExitCode() != exitUsage || strings.Count(text, "\n") != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	said := regexp.MustCompile(`too few for its \d+ threads and the smallest run; with ulimit -v (\d+) it has enough`)
	enough := said.FindStringSubmatch(text)
	if enough == nil {
		t.Fatal(text)
	}
	if text, err := limited(enough[1]); err != nil || !strings.Contains(text, "wdbc") {
		t.Errorf("with ulimit -v %s: %v: %s", enough[1], err, text)
	}
}
