// The page to look into a run is there until the command is interrupted.

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestView_ServesUntilItIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "simulate")
	if text, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	run := exec.Command(bin, "run", "../../scenarios/quickstart.yaml", "--set", "rounds.count=2", "--no-plots", "--out",
		dir)
	if text, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	view := exec.Command(bin, "view", filepath.Join(dir, "quickstart", "1"))
	out, err := view.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = view.Process.Kill() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(page), "quickstart, seed 1") {
		t.Errorf("%s is %s, %v: %.80s", line, response.Status, err, page)
	}
	if err := view.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := view.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}
