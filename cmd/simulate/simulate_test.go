// The command as its users meet it: scripts in testdata, each a session.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"overhear/algorithms"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"simulate": func() { os.Exit(Main(os.Args[1:])) },
		// simulate-broken has a method with mistakes: at once, or in a node's update.
		"simulate-broken": func() {
			algorithms.Register(&algorithms.Entry{
				Name: "broken", Title: "has mistakes", Paper: "none", About: "Has mistakes.",
				Params: func() any { return new(brokenParameters) },
				New: func(p any, _ algorithms.Setting) (algorithms.Method, error) {
					m := p.(*brokenParameters)
					if m.Round == 0 {
						panic("broken at once")
					}
					return m, nil
				},
			})
			os.Exit(Main(os.Args[1:]))
		},
	})
}

// brokenParameters are of a method that panics in a round.
type brokenParameters struct {
	Round int `yaml:"round" doc:"in which it panics; 0: at once"`
}

func (m *brokenParameters) Update(_ *algorithms.Node, t int) error {
	var none []int
	if t == m.Round {
		none[t]++
	}
	return nil
}

func (*brokenParameters) Dual(*algorithms.Node, int) {}

func TestScripts(t *testing.T) {
	scenarios, err := filepath.Abs(filepath.Join("..", "..", "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("SCENARIOS", scenarios)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// exits CODE COMMAND …: the command ends with that exit code.
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				err := ts.Exec(args[1], args[2:]...)
				code := "0"
				if e, ok := err.(*exec.ExitError); ok {
					code = string(rune('0' + e.ExitCode()))
				} else if err != nil {
					ts.Fatalf("%v", err)
				}
				if code != args[0] {
					ts.Fatalf("exit code %s, want %s", code, args[0])
				}
			},
		},
	})
}

// An interrupt stops cleanly: finished seeds are kept, nothing half-done is
// left, and the same command goes on.
func TestInterrupt(t *testing.T) {
	out := t.TempDir()
	bin := filepath.Join(t.TempDir(), "simulate")
	if text, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	args := []string{"run", filepath.Join("..", "..", "scenarios", "quickstart.yaml"), "--out", out, "--seeds", "400",
		"--no-plots"}
	c := exec.Command(bin, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(out, "quickstart")
	for range 500 {
		if entries, _ := os.ReadDir(dir); len(entries) > 3 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitFailed {
		t.Fatalf("ended with %v, want exit code 1", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 3 || len(entries) >= 400 {
		t.Fatalf("%d entries after the interrupt", len(entries))
	}
	for _, e := range entries {
		if e.Name()[0] == '.' {
			t.Errorf("%s is left behind", e.Name())
		}
	}
	kept, err := os.Stat(filepath.Join(dir, "1", "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	args[5] = "5"
	if text, err := exec.Command(bin, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	again, err := os.Stat(filepath.Join(dir, "1", "run.json"))
	if err != nil || !again.ModTime().Equal(kept.ModTime()) {
		t.Error("a finished seed was computed again")
	}
	if _, err := os.Stat(filepath.Join(dir, "summary.csv")); err != nil {
		t.Error(err)
	}
}
