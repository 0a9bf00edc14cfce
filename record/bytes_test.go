// The same bytes whatever the processor has.

package record

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// bytesOnly has TestTables_SameBytesWithoutVectorInstructions print the digests, and nothing else.
const bytesOnly = "OVERHEAR_TEST_DIGESTS"

// requests are messages whose kinds change in runs of several lengths, which an encoding may treat in groups.
func requests() []Message {
	all := packets(20_000, 3)
	for k := range all {
		if (k/4)%2 == 1 || k%7 == 0 {
			all[k].Kind = MessageRequest
		}
		if k%1000 > 990 {
			all[k].Kind = MessageLeave
		}
	}
	return all
}

// A file's digest is in run.json, and verify compares it, on another machine too. Libraries have code for processors
// with vector instructions and other code for those without.
func TestTables_SameBytesWithoutVectorInstructions(t *testing.T) {
	var digests strings.Builder
	write := func(name string, write func(path string)) {
		path := filepath.Join(t.TempDir(), name)
		write(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&digests, "%s %x\n", name, sha256.Sum256(text))
	}
	write("messages", func(path string) { table(t, path, requests()) })
	iterates := make([]Iterate, 3000)
	steps := make([]Step, 3000)
	for k, m := range packets(len(iterates), 0) {
		values := []float64{float64(k), 1 / float64(1+k)}
		iterates[k] = Iterate{Node: m.Src, Round: m.Round, TimeNS: m.SentNS, Values: values}
		steps[k] = Step{Node: m.Src, Round: m.Round}
	}
	write("iterates", func(path string) { table(t, path, iterates) })
	write("steps", func(path string) { table(t, path, steps) })
	if os.Getenv(bytesOnly) != "" {
		fmt.Print(digests.String())
		return
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("only there it is known how to switch vector instructions off")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command(self, "-test.run", "^"+t.Name()+"$")
	other.Env = append(os.Environ(), bytesOnly+"=1", "GODEBUG=cpu.avx2=off,cpu.avx512f=off,cpu.bmi2=off")
	out, err := other.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(out), digests.String()) {
		t.Errorf("with vector instructions\n%swithout\n%s", digests.String(), out)
	}
}
