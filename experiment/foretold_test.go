// That the first refusal for want of memory names as much as is enough for the whole run, and not much more: who allows
// what is said must not be refused again.

package experiment

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overhear/internal/memory"
	"overhear/scenarios"
)

// table writes a CSV file of so many rows of numbers, of which a share is zero, and a class.
func table(t *testing.T, rows, columns int, zeros float64, words bool) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for k := range columns {
		fmt.Fprintf(&b, "x%d,", k)
	}
	b.WriteString("class\n")
	for range rows {
		for k := range columns {
			switch {
			case words && k%3 == 0:
				fmt.Fprintf(&b, "%c,", 'a'+r.IntN(8))
			case r.Float64() < zeros:
				b.WriteString("0,")
			default:
				fmt.Fprintf(&b, "%.4f,", r.NormFloat64())
			}
		}
		fmt.Fprintf(&b, "%d\n", r.IntN(2))
	}
	return file(t, "table.csv", b.String())
}

// sparse writes a LIBSVM file.
func sparse(t *testing.T, rows, columns, entries int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for range rows {
		fmt.Fprintf(&b, "%+d", 2*r.IntN(2)-1)
		for k := range entries {
			fmt.Fprintf(&b, " %d:%.3f", 1+k*columns/entries+r.IntN(columns/entries), r.NormFloat64())
		}
		b.WriteString("\n")
	}
	return file(t, "rows.libsvm", b.String())
}

// packed packs a file.
func packed(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err = z.Write(text)
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return file(t, "packed.csv.gz", b.String())
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// lastSize is the last size that a text tells.
func lastSize(t *testing.T, text string) int64 {
	t.Helper()
	all := regexp.MustCompile(`would take about ([0-9.e+]+ (?:[kMGTPE]B|bytes))`).FindAllStringSubmatch(text, -1)
	if all == nil {
		t.Fatalf("no size in: %s", text)
	}
	bytes, err := memory.Parse(strings.TrimSuffix(all[len(all)-1][1], " bytes"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func TestAssemble_SaysAtOnceWhatIsEnough(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	method := func(kind string) string { return "algorithm: {kind: " + kind + ", eta: 0.1}\n" }
	admm := method("admm")
	problem := func(data string) string { return "problem: {data: " + data + "}\n" }
	csv := func(path, more string) string { return problem("{csv: " + path + "}" + more) }
	network := func(kind string, n, rounds int) string {
		return fmt.Sprintf("network: {topology: {kind: %s, nodes: %d}}\nrounds: {count: %d}\n", kind, n, rounds)
	}
	nodes := func(n int) string { return network("ring", n, 5) }
	for name, text := range map[string]string{
		"a table":     csv(table(t, 20_000, 30, 0, false), ", train: 0.8") + nodes(10) + admm,
		"with zeros":  csv(table(t, 4000, 200, 0.9, false), "") + nodes(10) + admm,
		"with words":  csv(table(t, 20_000, 30, 0.5, true), "") + nodes(10) + admm,
		"packed":      csv(packed(t, table(t, 20_000, 30, 0, false)), "") + nodes(10) + admm,
		"wide":        csv(table(t, 300, 2000, 0, false), ", train: 0.5") + nodes(4) + admm,
		"sparse":      problem("{libsvm: "+sparse(t, 20_000, 2000, 20)+"}") + nodes(10) + admm,
		"wdbc":        problem("wdbc") + nodes(10) + admm,
		"many rounds": problem("wdbc") + network("ring", 10, 100_000) + admm,
		"Adult":       problem("adult, train: 0.8") + nodes(50) + admm,
		"a9a":         problem("a9a") + nodes(5) + admm,
		"generated":   problem("{set: twonorm, rows: 20000, dimension: 100}") + nodes(20) + admm,
		"rare":        problem("{set: census, rows: 30000}") + nodes(20) + admm,
		"many nodes":  problem("{set: twonorm, rows: 20000}") + nodes(10_000) + admm,
		"edge states": problem("{set: twonorm, rows: 20000}") + nodes(5000) + method("edge-admm"),
		"an account":  problem("wdbc") + network("ring", 10, 20_000) + method("dvp"),
		"full graph":  problem("{set: twonorm, rows: 4000}") + network("complete", 1500, 3) + admm,
		"split columns": problem("{set: wide, rows: 100}, columns: [2000, 3000], scale: {intercept: false}, rho: 1") +
			network("star", 3, 5) + method("admm-sharing"),
	} {
		t.Run(name, func(t *testing.T) {
			s, err := scenarios.Parse("x.yaml", []byte("name: x\n"+text))
			if err != nil {
				t.Fatal(err)
			}
			assemble := func(limit int64) (*Experiment, *Assembly, error) {
				before := memory.SetLimit(limit)
				defer memory.SetLimit(before)
				e := New(s, filepath.Join("..", "..", "shared", "data"))
				a, err := e.Assemble(t.Context(), 1)
				return e, a, err
			}
			e, a, err := assemble(1 << 40)
			if err != nil {
				t.Skip(err)
			}
			exact, _ := e.need(a)
			exact = memory.Resident(exact)
			told := map[int64]bool{}
			for _, part := range []float64{0, 0.03, 0.1, 0.6, 0.8, 0.9, 0.97} {
				_, _, err := assemble(int64(part*exact) + 1)
				if refused := new(memory.Refused); !errors.As(err, &refused) {
					t.Fatalf("with %.2f of what it takes: %v", part, err)
				}
				enough := lastSize(t, err.Error())
				if told[enough] {
					continue
				}
				told[enough] = true
				t.Logf("%.2f: %v: %.3g of what it takes", part, err, float64(enough)/exact)
				if !(float64(enough) <= 1.5*exact) {
					t.Errorf("with %.2f of what it takes %.2f times as much is said to be enough", part,
						float64(enough)/exact)
				}
				if _, _, err := assemble(enough); err != nil {
					t.Errorf("with as much as was said: %v", err)
				}
			}
		})
	}
}
