// Whatever is in the files of a run, they are read or are said to be damaged.

package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/internal/files"
)

// damagedIs says that an error names the file.
func damagedIs(t *testing.T, err error, name string) {
	t.Helper()
	if err != nil && !strings.Contains(err.Error(), name) {
		t.Errorf("the error does not name %s: %v", name, err)
	}
}

func FuzzTables(f *testing.F) {
	dir := f.TempDir()
	run := write(f, dir, 1, everything)
	for _, name := range []string{"iterates.parquet", "messages.parquet"} {
		b, err := os.ReadFile(filepath.Join(run.Dir, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &Run{Dir: t.TempDir(), Info: &Info{Files: map[string]string{reportsFile: ""}}}
		for _, name := range []string{"iterates.parquet", "messages.parquet", reportsFile} {
			if err := os.WriteFile(filepath.Join(r.Dir, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		damagedIs(t, r.Iterates(func(Iterate) error { return nil }), "iterates.parquet")
		damagedIs(t, r.Messages(func(Message) error { return nil }), "messages.parquet")
		damagedIs(t, r.Reports(func(Iterate) error { return nil }), reportsFile)
	})
}

// Findings that are read are written and read again as they were.
func FuzzFindings(f *testing.F) {
	f.Add([]byte(`{"format": 1, "results": [{"attack": "x", "error": null}]}`))
	f.Add([]byte(`{"format": 1, "verdicts": []}`))
	f.Add([]byte(`null`))
	f.Add([]byte(`{"threats":[{}],"findings":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		for _, name := range []string{AttacksFile, AuditFile} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		attacks, err := ReadAttacks(dir)
		damagedIs(t, err, AttacksFile)
		write := func() error { // as WriteAttacks does when it has found the run that was attacked
			attacks.Format = Format
			return files.Write(filepath.Join(dir, AttacksFile), asJSON(attacks))
		}
		again(t, attacks, err, write, func() (any, error) { return ReadAttacks(dir) })
		audit, err := ReadAudit(dir)
		damagedIs(t, err, AuditFile)
		again(t, audit, err, func() error { return WriteAudit(dir, audit) }, func() (any,
			error) {
			return ReadAudit(dir)
		})
	})
}

// again writes what was read, reads it and compares.
func again(t *testing.T, v any, err error, write func() error, read func() (any, error)) {
	t.Helper()
	if err != nil {
		return
	}
	if err := write(); err != nil {
		t.Errorf("what was read cannot be written: %v", err)
		return
	}
	w, err := read()
	if err != nil {
		t.Errorf("what was written cannot be read: %v", err)
		return
	}
	first, _ := json.Marshal(v)
	if second, _ := json.Marshal(w); !bytes.Equal(first, second) {
		t.Errorf("%s becomes %s", first, second)
	}
}

func FuzzRun(f *testing.F) {
	run := write(f, f.TempDir(), 1, everything)
	info, err := os.ReadFile(filepath.Join(run.Dir, "run.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(info, []byte("round,loss\n0,0.5\n1,\n"))
	f.Add([]byte(`{"format":1,"files":{"../x":""}}`), []byte("\n"))
	f.Fuzz(func(t *testing.T, info, metrics []byte) {
		dir := t.TempDir()
		for name, b := range map[string][]byte{"run.json": info, "metrics.csv": metrics} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Open(dir)
		damagedIs(t, err, "run.json")
		if err != nil {
			r = &Run{Dir: dir, Info: new(Info)}
		}
		_ = r.CheckFiles()
		table, err := r.Metrics()
		damagedIs(t, err, "metrics.csv")
		for k := range table.columns() {
			_ = table.Column(table.Columns[k])
		}
	})
}

func (t *Table) columns() []string {
	if t == nil {
		return nil
	}
	return t.Columns
}
