// The hash within JSON files against changes.

package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever byte of a sealed file changes, it is noticed, but for real time, which the seal leaves out.
func TestSeal_EveryByte(t *testing.T) {
	var b bytes.Buffer
	if err := asJSON(map[string]any{"a": 1, "list": []int{2, 3}, "wall_seconds": 0.25})(&b); err != nil {
		t.Fatal(err)
	}
	text := b.Bytes()
	if err := unsealed("f", text); err != nil {
		t.Fatal(err)
	}
	from := bytes.Index(text, []byte("0.25"))
	for k := range text {
		changed := bytes.Clone(text)
		changed[k] ^= 1
		if err := unsealed("f", changed); (err == nil) != (k >= from && k < from+4) {
			t.Errorf("byte %d, %q: %v", k, text[k], err)
		}
	}
	for _, cut := range [][]byte{text[:len(text)-1], text[:20], nil, append(bytes.Clone(text), ' ')} {
		if unsealed("f", cut) == nil {
			t.Errorf("%q is taken", cut)
		}
	}
}

// What stands in a directory and was changed is not read as if it had been written so.
func TestSeal_IsCheckedOnReading(t *testing.T) {
	dir := t.TempDir()
	if err := WriteAudit(dir, &Audit{Name: "held", Verdicts: []Verdict{{Verdict: "CONSISTENT"}}}); err != nil {
		t.Fatal(err)
	}
	if a, err := ReadAudit(dir); err != nil || a.Name != "held" {
		t.Fatal(a, err)
	}
	path := filepath.Join(dir, AuditFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte("CONSISTENT"), []byte("BREAKS"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadAudit(dir); err == nil || !strings.Contains(err.Error(), "damaged or was changed") {
		t.Errorf("%v", err)
	}
	if a, err := StatedAudit(dir); err != nil || a.Verdicts[0].Verdict != "BREAKS" {
		t.Errorf("%+v, %v", a, err)
	}
}
