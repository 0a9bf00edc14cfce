// The real program in several processes, killed again and again: nothing is
// lost, nothing is stored twice, and the tables are those of one process.

package jetstream

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

// process is one that can be killed.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	mu    sync.Mutex
	text  bytes.Buffer
}

// Write takes what the process says.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func launch(t *testing.T, bin string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(bin, args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the exit code says how
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // has ended already if all went well
		<-p.ended
	})
	return p
}

// kill is kill −9. It says whether the process was still there.
func (p *process) kill(t *testing.T) bool {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	<-p.ended
	return p.cmd.ProcessState.ExitCode() < 0
}

// ends waits for a clean end.
func (p *process) ends(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(50 * time.Second):
		t.Fatalf("it does not end; it says\n%s", p.said())
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("it ended with %d:\n%s", code, p.said())
	}
}

// built is the program.
func built(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "simulate")
	if text, err := exec.Command("go", "build", "-o", bin, "../../cmd/simulate").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return bin
}

// free is an address on this machine where nobody listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// What tuning loses is that of the same sweep in one process, to the last byte, and is said.
func TestServe_SaysWhatTuningLoses(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	root, bin := t.TempDir(), built(t)
	file, address := write(t, smallScenario), free(t)
	tuned := []string{file, "--grid", "algorithm.eta=0.1,0.2", "--seeds", "2", "--account", "--out"}
	launch(t, bin, append([]string{"sweep"}, append(tuned, filepath.Join(root, "alone"))...)...).ends(t)
	serve := launch(t, bin, append([]string{"sweep", "serve", "--listen", address},
		append(tuned, filepath.Join(root, "several"))...)...)
	join := launch(t, bin, "sweep", "join", "nats://"+address, "--workers", "1")
	serve.ends(t)
	join.ends(t)
	var files [2][]byte
	for k, where := range []string{"alone", "several"} {
		var err error
		if files[k], err = os.ReadFile(filepath.Join(root, where, "small", "sweep", "tuning.json")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Errorf("alone\n%s\nof several\n%s", files[0], files[1])
	}
	if said := serve.said(); !strings.Contains(said, "of a row that is in 1 of the 4 runs, as rows") {
		t.Errorf("it says\n%s", said)
	}
}

func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and kills it many times")
	}
	const runs = 1000
	root, bin := t.TempDir(), built(t)
	file := write(t, smallScenario)
	seeds := fmt.Sprint(runs)
	launch(t, bin, "sweep", file, "--seeds", seeds, "--out", filepath.Join(root, "alone")).ends(t)

	address := free(t)
	serve := func() *process {
		return launch(t, bin, "sweep", "serve", file, "--seeds", seeds, "--out", filepath.Join(root, "several"),
			"--listen", address, "--lost-after", "1s", "--keep-streams")
	}
	join := func() *process { return launch(t, bin, "sweep", "join", "nats://"+address, "--workers", "1") }
	dir := filepath.Join(root, "several", "small", "sweep")
	coordinator, workers := serve(), []*process{join(), join()}
	before := make([]bool, runs)
	// stored counts what the coordinator has, and makes sure that it is never
	// less than before.
	stored := func() int {
		d, err := sweep.ReadDir(dir)
		if err != nil {
			return 0 // not begun yet
		}
		defer d.Close()
		n := 0
		for index := range runs {
			is := d.Journal.State(index) == sweep.Finished
			if before[index] && !is {
				t.Fatalf("run %d was lost", index)
			}
			before[index] = is
			if is {
				n++
			}
		}
		return n
	}
	kills := map[string]int{}
	deadline := time.Now().Add(45 * time.Second)
	for k := 1; k <= 9; k++ {
		for stored() < k*runs/10 {
			if time.Now().After(deadline) {
				t.Fatalf("%d of %d runs are stored after %v; the coordinator says\n%s\nthe workers\n%s%s", stored(),
					runs, kills, coordinator.said(), workers[0].said(), workers[1].said())
			}
			time.Sleep(2 * time.Millisecond)
		}
		if k%3 != 2 && coordinator.kill(t) {
			kills["coordinator"]++
		}
		if one := k / 2 % 2; k%3 != 0 && workers[one].kill(t) {
			kills["worker"]++
			workers[one] = join()
		}
		if coordinator.cmd.ProcessState != nil {
			stored()
			coordinator = serve()
		}
	}
	coordinator.ends(t)
	for _, w := range workers {
		w.ends(t)
	}
	t.Logf("killed: %v", kills)
	if kills["coordinator"] < 3 || kills["worker"] < 3 {
		t.Errorf("only %v were killed midway", kills)
	}
	if n := stored(); n != runs {
		t.Errorf("%d runs are stored", n)
	}
	sameTables(t, tables(t, filepath.Join(root, "alone", "small", "sweep")), dir)

	// Each run has one result in the stream, and the stream has never had
	// another: every write would have raised its last sequence number.
	d, err := sweep.ReadDir(dir) // the plan of that program, which is not the test's
	if err != nil {
		t.Fatal(err)
	}
	p := d.Plan
	d.Close()
	o := options(t)
	o.Dir = filepath.Join(dir, "jetstream")
	c := opened(t, p, o)
	info, err := c.results.Info(t.Context(), jetstream.WithSubjectFilter(">"))
	if err != nil {
		t.Fatal(err)
	}
	for index := range runs {
		if n := info.State.Subjects[c.names.result(index)]; n != 1 {
			t.Errorf("run %d has %d results in the stream", index, n)
		}
	}
	if s := info.State; s.Msgs != runs || s.LastSeq != runs || len(s.Subjects) != runs {
		t.Errorf("the stream has %d messages on %d subjects, and had %d writes", s.Msgs, len(s.Subjects), s.LastSeq)
	}
}
