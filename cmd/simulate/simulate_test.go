// The command as its users meet it: scripts in testdata, each a session.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"overhear/algorithms"
	"overhear/internal/files"
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
		// simulate-flawed has a method whose nodes record the iterate with noise and send it without.
		"simulate-flawed": func() {
			entry, _ := algorithms.Lookup("pvp")
			right := entry.New
			entry.New = func(params any, s algorithms.Setting) (algorithms.Method, error) {
				m, err := right(params, s)
				if err != nil {
					return nil, err
				}
				clean := *params.(*algorithms.PVP)
				clean.Noise = "off"
				exact, err := right(&clean, s)
				return &flawed{m.(privateRow), exact.(algorithms.RowMethod)}, err
			}
			os.Exit(Main(os.Args[1:]))
		},
	})
}

// privateRow is a method over split rows that claims privacy.
type privateRow interface {
	algorithms.RowMethod
	algorithms.Private
}

// flawed sends what another method makes of the same step.
type flawed struct {
	privateRow
	exact algorithms.RowMethod
}

func (m *flawed) Update(n *algorithms.Node, t int) error {
	clear(n.Sum)
	for _, f := range n.Heard {
		for k, v := range f {
			n.Sum[k] += v
		}
	}
	before := slices.Clone(n.F)
	if err := m.exact.Update(n, t); err != nil {
		return err
	}
	n.Memory = slices.Clone(n.F)
	copy(n.F, before)
	return m.privateRow.Update(n, t)
}

func (m *flawed) Message(n *algorithms.Node, _ int, v []float64) {
	if n.Memory == nil {
		copy(v, n.F)
		return
	}
	copy(v, n.Memory)
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
			// rebuilt ARGUMENT …: the command, of another build: its file has a byte more. It may fail.
			"rebuilt": func(ts *testscript.TestScript, _ bool, args []string) {
				self, err := exec.LookPath("simulate")
				ts.Check(err)
				other := ts.MkAbs(filepath.Join("rebuilt", filepath.Base(self)))
				ts.Check(os.MkdirAll(filepath.Dir(other), 0o755))
				if _, err := os.Stat(other); err != nil {
					// Another process writes it. What this one has open for writing, a command that another script
					// starts at that moment has, too, and then it cannot be executed ("text file busy").
					ts.Check(ts.Exec("sh", "-c", `cp "$0" "$1" && printf '\0' >>"$1"`, self, other))
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
		t.Run(stop.String(), func(t *testing.T) {
			// Who runs the tests may have it ignored, as nohup does, which the program would inherit: what is taken
			// here is at its default there.
			taken := make(chan os.Signal, 1)
			signal.Notify(taken, stop)
			defer signal.Stop(taken)
			interrupt(t, bin, stop)
		})
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
		if e.Name()[0] == '.' && !strings.HasSuffix(e.Name(), ".partial.checkpoint") || e.Name() == files.LockFile {
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

// What cannot be interrupted, as the picture of a large graph, ends with the second interrupt.
func TestInterrupt_TheSecondEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and stops it")
	}
	bin := filepath.Join(t.TempDir(), "simulate")
	if text, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	taken := make(chan os.Signal, 1) // as in TestInterrupt
	signal.Notify(taken, os.Interrupt)
	defer signal.Stop(taken)
	file := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(file, []byte("name: large\nproblem: {data: {set: twonorm, rows: 160000}, rho: 0.1}\n"+
		"network: {topology: {kind: erdos-renyi, nodes: 80000, probability: 0.001}}\nalgorithm: {kind: admm}\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(bin, "draw", file, "--out", filepath.Join(t.TempDir(), "large.svg"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		time.Sleep(time.Second)
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatalf("it ended before the second: %v", err)
		}
	}
	_ = c.Wait()
	if s := c.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGINT {
		t.Errorf("ended with %v", c.ProcessState)
	}
}

func TestInterrupted_IsInAUsersWords(t *testing.T) {
	other, signalled := errors.New("disk full"), errors.New("interrupt signal received")
	for err, want := range map[error]string{
		context.Canceled: "stopped",
		fmt.Errorf("attacking node 3: %w", context.Canceled): "attacking node 3: stopped",
		other:                                 "disk full",
		fmt.Errorf("own.yaml: %w", signalled): "own.yaml: stopped",
	} {
		if got := interrupted(err, signalled).Error(); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

// A grid of open settings ends at once when it is stopped, in the middle of a long run too, and goes on from the runs
// that it had finished.
func TestInterrupt_OfReproduce(t *testing.T) {
	if testing.Short() {
		t.Skip("stops processes")
	}
	bin := filepath.Join(t.TempDir(), "simulate")
	if text, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := t.TempDir()
	kept := func(text []byte) int {
		var n int
		if _, err := fmt.Sscanf(string(text), "stopped; %d of", &n); err != nil || !strings.Contains(string(text),
			"runs of sh19-fig2 are finished and kept, and the same command goes on from there") {
			t.Fatalf("says %q", text)
		}
		return n
	}
	before := 0
	for k, stop := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} { // a run of it takes seconds
		var said bytes.Buffer
		c := exec.Command(bin, "reproduce", "--settings", "sh19-fig2", "--out", out)
		c.Stderr = &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		journals := filepath.Join(out, "runs", "settings", "sh19-fig2", "*", "journal")
		for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Second / 20) {
			size := int64(0)
			all, _ := filepath.Glob(journals)
			for _, path := range all {
				if i, err := os.Stat(path); err == nil {
					size += i.Size()
				}
			}
			if k == 0 && size > 1<<13 || k == 1 && size > 0 { // a run's rounds are in it
				break
			}
		}
		if k == 1 {
			time.Sleep(2 * time.Second) // it reads the journal and begins a run
		}
		if err := c.Process.Signal(stop); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		err := c.Wait()
		if took := time.Since(start); err == nil || c.ProcessState.ExitCode() != exitFailed || took > 5*time.Second {
			t.Fatalf("%s: ended after %v with %v", stop, took, err)
		}
		n := kept(said.Bytes())
		if n < max(1, before) {
			t.Errorf("%s: %d runs are kept, before %d", stop, n, before)
		}
		before = n
	}
}

// A run of one seed that is killed, twice, and whose checkpoint then has rubbish at its
// end goes on and has the same files as one that was not.
func TestKill(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "simulate")
	if text, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	command := func(out string) *exec.Cmd {
		return exec.Command(bin, "run", filepath.Join("..", "..", "scenarios", "quickstart.yaml"), "--out", out,
			"--no-plots", "--set", "rounds.count=4000", "--set", "record.messages=none", "--checkpoint", "10ms")
	}
	out := t.TempDir()
	checkpoint := filepath.Join(out, "quickstart", ".1.partial.checkpoint")
	for _, size := range []int64{1 << 20, 3 << 20} {
		c := command(out)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		grown := false
		for range 3000 {
			if info, err := os.Stat(checkpoint); err == nil && info.Size() >= size {
				grown = true
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if c.Wait() == nil || !grown {
			t.Fatalf("the run had ended before it was killed, or kept no %d bytes: %v", size, grown)
		}
	}
	f, err := os.OpenFile(checkpoint, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, 777)); err != nil {
		t.Fatal(err)
	}
	f.Close()
	text, err := command(out).CombinedOutput()
	if err != nil || !strings.Contains(string(text), "seed 1 goes on from its checkpoint") {
		t.Fatalf("%v\n%s", err, text)
	}
	whole := t.TempDir()
	if text, err := command(whole).CombinedOutput(); err != nil || strings.Contains(string(text), "checkpoint") {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, name := range []string{"run.json", "metrics.csv", "nodes.csv", "iterates.parquet", "trace.bin"} {
		var both [2]string
		for k, dir := range []string{out, whole} {
			b, err := os.ReadFile(filepath.Join(dir, "quickstart", "1", name))
			if err != nil {
				t.Fatal(err)
			}
			both[k] = regexp.MustCompile(`"wall_seconds": .*`).ReplaceAllString(string(b), "")
		}
		if both[0] != both[1] {
			t.Errorf("%s is another than that of a run that was not killed", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(out, "quickstart", ".*")); left != nil {
		t.Errorf("%v are left", left)
	}
}

// A stop is heard while it is looked for seeds that are finished.
func TestRun_StopsBeforeTheFirstSeed(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	root := newRoot()
	root.SetArgs([]string{"run", filepath.Join("..", "..", "scenarios", "quickstart.yaml"), "--out", t.TempDir(),
		"--seeds", "1000000"})
	err := root.ExecuteContext(ctx)
	const want = "stopped before seed 1 was looked at: nothing was computed"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want: %s", err, want)
	}
}

// What a stop leaves is said as it is: a run that has computed nothing yet has no checkpoint.
func TestStopText(t *testing.T) {
	kept := func(seeds ...uint64) func(uint64) int64 {
		return func(seed uint64) int64 {
			if slices.Contains(seeds, seed) {
				return 20_000
			}
			return 0
		}
	}
	little := func(uint64) int64 { return 884 }
	const next = "; the same command goes on from there"
	for _, c := range []struct {
		finished, of int
		under        []uint64
		kept         func(uint64) int64
		want         string
	}{
		{0, 1, []uint64{1}, kept(), "; nothing is kept of seed 1; the same command begins anew"},
		{0, 1, []uint64{1}, kept(1), "; what seed 1 has computed is kept" + next},
		{2, 9, []uint64{3, 4}, kept(3, 4), "; what seeds 3 and 4 have computed is kept" + next},
		{0, 9, []uint64{3, 4, 5, 6}, kept(3, 4, 5), "; what seeds 3, 4 and 5 have computed is kept; nothing is " +
			"kept of seed 6" + next},
		{2, 9, nil, kept(), next},
		{0, 1, []uint64{1}, little, "; of seed 1 little is kept, as most is as soon computed again; the same command " +
			"begins anew"},
	} {
		want := fmt.Sprintf("stopped; %d of %d seeds are finished and kept%s", c.finished, c.of, c.want)
		if got := stopText(c.finished, c.of, c.under, c.kept); got != want {
			t.Errorf("%s\nwant: %s", got, want)
		}
	}
}
