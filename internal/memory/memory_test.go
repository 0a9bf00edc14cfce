// What is refused, what is read, and how sizes are written.

package memory

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func limited(t *testing.T, bytes int64) {
	before := SetLimit(bytes)
	t.Cleanup(func() { SetLimit(before) })
}

func TestLimit_IsTheMachines(t *testing.T) {
	if l := Limit(); l < 1e8 || l == math.MaxInt64 {
		t.Errorf("the limit is %d bytes", l)
	}
}

func TestCheck(t *testing.T) {
	limited(t, 8e9)
	if err := Check("a table", 8e9); err != nil {
		t.Error(err)
	}
	for _, bytes := range []float64{8.01e9, math.Inf(1)} {
		err := Check("a table", bytes)
		want := "a table would take about " + Text(bytes) + " of memory; the limit is 8 GB"
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Error(err)
		}
	}
	if err := Check("a table", math.NaN()); err == nil {
		t.Error("an estimate that is not a number passes")
	}
}

// What a refusal says is enough, though it is rounded.
func TestCheck_SaysWhatIsEnough(t *testing.T) {
	limited(t, 1)
	for _, bytes := range []float64{7.3, 999.2, 1e3, 80_300_001, 80_349_000, 8.01e9, 9.999e9, 1.004e12, 999.6e6} {
		text := Check("a table", bytes).Error()
		said, _, _ := strings.Cut(strings.TrimPrefix(text, "a table would take about "), " of memory")
		enough, err := Parse(strings.TrimSuffix(said, " bytes"))
		if err != nil || !(float64(enough) >= bytes) || !(float64(enough) <= 1.01*bytes+1) {
			t.Errorf("of %.0f bytes: %s: %d, %v", bytes, text, enough, err)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{"8GB": 8e9, "500 mb": 5e8, "1.5TB": 1.5e12, "1000": 1000, " 2kB ": 2000} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "GB", "-1GB", "0", "1e30", "NaN", "8 apples", "Inf"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func TestFiles(t *testing.T) {
	limited(t, 8e5)
	path := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(path, make([]byte, 200_001), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		path: "would take about 801 kB", os.DevNull: "is a device", ".": "is a directory",
	} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := CheckFile(f, Rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := ReadAll("x", bytes.NewReader(make([]byte, 100_000)), 0); err != nil || len(text) != 100_000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := ReadAll("x", bytes.NewReader(make([]byte, 100_001)), 0); err == nil ||
		!strings.Contains(err.Error(), "x goes on after 100 kB of text, and as rows more "+
			"may take more memory than the limit, 800 kB, what") {
		t.Error(err)
	}
	// A size that was checked is read whatever it is, into no more room than that; and a file may have grown since.
	if text, err := ReadAll("x", bytes.NewReader(make([]byte, 300_000)), 300_000); err != nil || len(text) != 300_000 ||
		cap(text) > 310_000 {
		t.Errorf("%d bytes in room for %d, %v", len(text), cap(text), err)
	}
	if _, err := ReadAll("x", bytes.NewReader(make([]byte, 300_001)), 300_000); err == nil {
		t.Error("a file that has grown is read")
	}
}
