// What the tests of this package share: small sweeps, and the bytes of their
// tables.

package sweep

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const smallScenario = `
name: small
problem: {data: wdbc, train: 100, rho: 0.2}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: dvp, eta: 0.1, alpha: 1}
`

// write puts a scenario in a file and returns its path.
func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func plan(t testing.TB, text string, o Options) *Plan {
	t.Helper()
	p, err := NewPlan(write(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func open(t testing.TB, dir string, p *Plan) *Dir {
	t.Helper()
	d, err := OpenDir(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// tables are the bytes of a directory's tables.
func tables(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{csvFile, parquetFile, failuresFile} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(b)
	}
	return all
}

func sameTables(t testing.TB, want map[string]string, dir string) {
	t.Helper()
	for name, b := range tables(t, dir) {
		if b != want[name] {
			t.Errorf("%s in %s differs", name, dir)
		}
	}
}

// makeAll makes a sweep from beginning to end and returns its tables.
func makeAll(t testing.TB, p *Plan, s Settings) map[string]string {
	t.Helper()
	d := open(t, filepath.Join(t.TempDir(), "sweep"), p)
	if _, err := Make(context.Background(), d, s); err != nil {
		t.Fatal(err)
	}
	return tables(t, d.Path)
}

// numbers are n values of an axis.
func numbers(n int) string {
	var all []string
	for k := range n {
		all = append(all, strconv.FormatFloat(0.1+float64(k)/1000, 'g', -1, 64))
	}
	return strings.Join(all, ",")
}
