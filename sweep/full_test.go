// A sweep on a full disk.

package sweep

import (
	"context"
	"os"
	"testing"
)

// A full disk is told once, with what is kept and what goes on, and it does.
func TestMake_OnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("the system has no file that is always full")
	}
	p := plan(t, smallScenario, Options{Grid: []string{"algorithm.eta=0.1,0.2"}, Seeds: 3})
	path := t.TempDir()
	d := open(t, path, p)
	settings := Settings{Dispatcher: Local{Workers: 2}, Only: []int{0, 1}}
	if _, err := Make(context.Background(), d, settings); err != nil {
		t.Fatal(err)
	}
	d.Journal.file.Close()
	d.Journal.file, settings.Only = full, nil
	made, err := Make(context.Background(), d, settings)
	const want = "the disk is full: write /dev/full: no space left on device; 2 of 6 runs are finished and kept: " +
		"make room, and the same command goes on from there"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	d.Close()
	d = open(t, path, p)
	if made, err = Make(context.Background(), d, settings); err != nil || made.Before != 2 || made.Done != 4 {
		t.Errorf("with room again %+v; %v", made, err)
	}
}
