// The command as its users meet it: scripts in testdata, each a session.

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"overhear/internal/files"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"simulate": func() { os.Exit(Main(os.Args[1:])) },
	})
}

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
			// rebuilt ARGUMENT …: the command, of another build: its file has a byte more. It may fail.
			"rebuilt": func(ts *testscript.TestScript, _ bool, args []string) {
				self, err := exec.LookPath("simulate")
				ts.Check(err)
				text, err := os.ReadFile(self)
				ts.Check(err)
				other := ts.MkAbs(filepath.Join("rebuilt", filepath.Base(self)))
				ts.Check(os.MkdirAll(filepath.Dir(other), 0o755))
				if _, err := os.Stat(other); err != nil {
					ts.Check(os.WriteFile(other, append(text, 0), 0o755))
				}
				_ = ts.Exec(other, args...)
			},
			// changed FILE: a bit of the byte in its middle is another.
			"changed": func(ts *testscript.TestScript, _ bool, args []string) {
				path := ts.MkAbs(args[0])
				text, err := os.ReadFile(path)
				ts.Check(err)
				text[len(text)/2] ^= 1
				ts.Check(os.WriteFile(path, text, 0o644))
			},
		},
	})
}

// An interrupt stops cleanly, and so does a terminal that goes away: finished seeds
// are kept, nothing half-done is left, and the same command goes on. While a
// command runs, another into its directory is refused.
func TestInterrupt(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "simulate")
	if text, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, stop := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(stop.String(), func(t *testing.T) { interrupt(t, bin, stop) })
	}
}

func interrupt(t *testing.T, bin string, stop os.Signal) {
	out := t.TempDir()
	args := []string{"run", filepath.Join("..", "..", "scenarios", "quickstart.yaml"), "--out", out, "--seeds", "400",
		"--no-plots"}
	c := exec.Command(bin, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(out, "quickstart")
	for range 500 {
		if entries, _ := os.ReadDir(dir); len(entries) > 4 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	second := exec.Command(bin, args...)
	if text, _ := second.CombinedOutput(); second.ProcessState.ExitCode() != exitFailed ||
		!strings.Contains(string(text), fmt.Sprintf("%s is in use by another process (%d)", dir, c.Process.Pid)) {
		t.Errorf("a second command into the same directory: exit code %d, %s", second.ProcessState.ExitCode(), text)
	}
	if err := c.Process.Signal(stop); err != nil {
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
		if e.Name()[0] == '.' || e.Name() == files.LockFile {
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
