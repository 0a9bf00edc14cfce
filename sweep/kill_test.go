// The real program, killed at random points: nothing finished is lost or
// computed twice, and the tables are those of a sweep that was left alone.

package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// slowScenario takes some milliseconds a run, some of which fail.
const slowScenario = `
name: slow
problem: {data: wdbc, train: 0.8, rho: 0.02}
network: {topology: {kind: watts-strogatz, nodes: 10, nearest: 4, rewire: 0.2}}
rounds: {count: 60}
algorithm: {kind: admm, eta: 0.003}
sweep:
  grid: ["algorithm.eta=0.001,0.003,0.01", "network.topology.nodes=10,1000"]
  seeds: 40
`

// built is the program, built when the first test asks.
var built = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(scratch, "simulate")
	if text, err := exec.Command("go", "build", "-o", bin, "../cmd/simulate").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, text)
	}
	return bin, nil
})

var scratch string // a directory that outlives a test

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "sweep"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

func buildCommand(t *testing.T) string {
	t.Helper()
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// history reads a journal's records: the runs that are stored, and how often a
// run was begun after it was stored.
func history(t *testing.T, dir string, runs int) (stored []bool, again int) {
	t.Helper()
	stored = make([]bool, runs)
	b, err := os.ReadFile(filepath.Join(dir, journalFile))
	if errors.Is(err, os.ErrNotExist) {
		return stored, 0
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = scan(bytes.NewReader(b), int64(len(b)), func(e entry) error {
		switch {
		case e.kind == resultRecord && stored[e.index]:
			t.Errorf("run %d is stored twice", e.index)
		case e.kind == resultRecord:
			stored[e.index] = true
		case e.kind == beginRecord && stored[e.index]:
			again++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return stored, again
}

func TestKilledAtRandomPoints(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and kills it many times")
	}
	bin := buildCommand(t)
	file := write(t, slowScenario)
	p, err := NewPlan(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := makeAll(t, p, Settings{Dispatcher: Local{Workers: 2}})
	out := t.TempDir()
	dir := filepath.Join(out, "slow", "sweep")
	random := rand.New(rand.NewPCG(1, 2))
	kills, before := 0, make([]bool, p.Len())
	for {
		c := exec.Command(bin, "sweep", file, "--out", out, "--workers", "2")
		var text bytes.Buffer
		c.Stdout, c.Stderr = &text, &text
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		killed := false
		select {
		case <-ended:
		case <-time.After(time.Duration(random.IntN(300)) * time.Millisecond):
			if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			<-ended
			killed = c.ProcessState.ExitCode() < 0
		}
		stored, again := history(t, dir, p.Len())
		if again > 0 {
			t.Fatalf("after %d kills: runs that were stored were begun again %d times", kills, again)
		}
		for index := range before {
			if before[index] && !stored[index] {
				t.Fatalf("after %d kills: run %d was lost", kills, index)
			}
		}
		before = stored
		if !killed {
			if c.ProcessState.ExitCode() != 1 || !strings.Contains(text.String(), "120 of 240 runs failed") {
				t.Fatalf("it ended with %d:\n%s", c.ProcessState.ExitCode(), text.String())
			}
			break
		}
		if kills++; kills > 1000 {
			t.Fatal("it never ends")
		}
	}
	if kills < 5 {
		t.Errorf("only %d kills: the sweep is too short for this test", kills)
	}
	t.Logf("%d kills", kills)
	sameTables(t, want, dir)
}

// An interrupt stops it at once, with words and exit code 1.
func TestInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	out := t.TempDir()
	c := exec.Command(buildCommand(t), "sweep", write(t, slowScenario), "--out", out, "--seeds", "5000")
	var text bytes.Buffer
	c.Stderr = &text
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if info, err := os.Stat(filepath.Join(out, "slow", "sweep", journalFile)); err == nil && info.Size() > 10_000 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // the exit code says how
	if c.ProcessState.ExitCode() != 1 || !strings.Contains(text.String(), "the same command goes on from there") {
		t.Errorf("it ended with %d:\n%s", c.ProcessState.ExitCode(), text.String())
	}
	if _, again := history(t, filepath.Join(out, "slow", "sweep"), 6*5000); again > 0 {
		t.Error("runs were computed twice")
	}
}
