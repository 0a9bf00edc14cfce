// Runs of each kind, whose files must be those that formats.md describes: every
// file, column and key, neither more nor less.

package docs

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// scenarioFiles are small scenarios of every kind.
var scenarioFiles = map[string]string{
	"informed.yaml": `name: informed
about: every kind of finding
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 20}}
rounds: {count: 30}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: 1, all-but: 0, candidates: 3, data: [3]}}
`,
	"several.yaml": `name: several
problem: {data: {set: twonorm, rows: 60, dimension: 9}, train: 12, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 40}
algorithm: {kind: dgd, step: 0.5, decay: none}
adversary: {knows: {victim: 1, all-but: 0, attribute: label}, attacks: [all-rows, attribute, linkage]}
`,
	"few.yaml": `name: few
problem: {data: wdbc, train: 40, rho: 0.3}
network: {topology: {kind: complete, nodes: 5}}
rounds: {count: 9}
algorithm: {kind: dgd, step: 0.05, decay: none}
adversary: {knows: {victim: 0, all-but: 0, candidates: 5}, attacks: [row-space]}
`,
	"users.yaml": `name: users
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: pdml, eta: 0.3, epsilon: {list: [1, 2]}}
adversary: {view: {miss: 0.1}, knows: {victim: 0, candidates: 3}, audit: {runs: 20}}
`,
	"watched.yaml": `name: watched
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3, loss: squared}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: private-dgd, law: gaussian}
adversary: {view: {nodes: [2]}}
`,
	"seen.yaml": `name: seen
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: dvp, eta: 0.3}
adversary: {view: {nodes: [2]}, audit: {pilots: 2}}
`,
	"asynchronous.yaml": `name: asynchronous
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}, latency: 5ms, loss: 0.1}
rounds: {mode: asynchronous, count: 20, timeout: 50ms}
algorithm: {kind: edge-admm, eta: 0.3}
`,
	"columns.yaml": `name: columns
problem: {data: {set: twonorm, rows: 60, dimension: 6}, train: 40, rho: 0.3, columns: [3, 3], scale: {intercept: false}}
network: {topology: {kind: star, nodes: 3}}
rounds: {count: 5}
algorithm: {kind: private-admm-sharing}
adversary: {knows: {victim: 1, candidates: 3}, audit: {runs: 20, pilots: 2}}
`,
	"levelling.yaml": `name: levelling
problem: {data: {set: linear, rows: 60}, train: 40, rho: 0.3, columns: [5, 6], loss: welsch}
network: {topology: {kind: star, nodes: 3}}
rounds: {count: 20}
algorithm: {kind: admm-sharing}
`,
	"grouped.yaml": `name: grouped
problem: {data: {set: linear, rows: 60}, train: 40, rho: 0.3, columns: [5, 6], group: 0.5, loss: squared}
network: {topology: {kind: star, nodes: 3}}
rounds: {count: 20}
algorithm: {kind: admm-sharing, form: averaged}
`,
	"claimed.yaml": `name: claimed
about: a target, an audit, and a membership test that is repeated
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 30, rho: 0.3, scale: {intercept: false}}
network: {topology: {kind: ring, nodes: 3}}
rounds: {count: 5}
privacy: {epsilon: 5, by: certificate}
algorithm: {kind: dvp, eta: 0.05}
adversary:
  view: {nodes: [2]}
  knows: {victim: 0, all-but: 0, candidates: 3}
  attacks: [late-joiner, {kind: membership, runs: 20}]
  audit: {runs: 40, pilots: 5}
`,
	"own.csv": "who,age,ward,unit,ill\na,60,north,1,yes\na,50,south,1,no\nb,40,north,1,no\nc,,south,1,yes\n" +
		"d,70,south,1,yes\n",
	"own.yaml": `name: own
problem: {data: {csv: own.csv, id: who}, train: 3, rho: 0.3}
network: {topology: {kind: complete, nodes: 2}}
rounds: {count: 2}
algorithm: {kind: admm, eta: 0.1}
adversary: {knows: {all-but: 0, attribute: ward}}
`,
	"predicted.csv": "size,price\n60,200\n50,150.5\n40,120\n70,260\n55,180\n",
	"predicted.yaml": `name: predicted
problem: {data: {csv: predicted.csv, target: price}, train: 3, rho: 0.3, scale: {rows: max}, loss: quantile}
network: {topology: {kind: complete, nodes: 2}}
rounds: {count: 2}
algorithm: {kind: admm, eta: 0.1}
`,
	"own-alpha.yaml": `name: own-alpha
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: dvp, eta: 0.3}
`,
	"tuned.yaml": `name: tuned
problem: {data: wdbc, train: 100, order: file, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 2}
algorithm: {kind: dvp, alpha: 1}
`,
	"lying.yaml": `name: lying
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: dvp, eta: 0.3}
adversary: {acts: [{kind: mirror, nodes: [1]}], knows: {victim: 0, all-but: 0}}
`,
	"m-admm.yaml": `name: m-admm
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 40, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: m-admm, eta: 0.6}
`,
}

// produce makes runs of each kind in a directory, and everything made of runs.
func produce(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range scenarioFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"run", "asynchronous.yaml", "--seeds", "2", "--width", "9cm"},
		{"run", "m-admm.yaml", "--no-plots"},
		{"run", "own.yaml", "--no-plots"},
		{"run", "predicted.yaml", "--no-plots"},
		{"run", "levelling.yaml", "--no-plots"},
		{"run", "grouped.yaml", "--no-plots"},
		{"run", "lying.yaml", "--no-plots"},
		{"attack", "informed.yaml"},
		{"attack", "several.yaml"},
		{"attack", "few.yaml"},
		{"attack", "users.yaml"},
		{"attack", "columns.yaml"},
		{"attack", "out/columns/1", "--set", "adversary.knows.candidates=3"},
		{"attack", "claimed.yaml"},
		{"attack", "lying.yaml"},
		{"audit", "lying.yaml", "--runs", "20", "--set", "adversary.audit.pilots=2"},
		{"audit", "claimed.yaml", "--set", "algorithm.eta=0.06", "--set", "adversary.view={}"},
		{"audit", "claimed.yaml", "--set", "name=uneven", "--set", "adversary.view={}", "--set", "privacy={}",
			"--set", "problem.partition={kind: sizes, sizes: [16, 10, 4]}", "--set",
			"algorithm={kind: penalty-perturbation, alpha: 3, eta: 0.6, theta: 0.5}"},
		{"audit", "users.yaml", "--set", "adversary.view.miss=0"},
		{"audit", "watched.yaml"},
		{"audit", "seen.yaml", "--runs", "40"},
		{"audit", "watched.yaml", "--map", "--set", "adversary.view={}"},
		{"audit", "claimed.yaml", "--search", "9", "--runs", "40", "--set", "adversary.view={}"},
		{"audit", "claimed.yaml", "--black-box", "--runs", "40", "--set", "adversary.audit.group=2"},
		{"audit", "columns.yaml"},
		{"sweep", "m-admm.yaml", "--grid", "algorithm.eta=0.6,0.7", "--seeds", "2"},
		{"sweep", "m-admm.yaml", "--grid", "algorithm.eta=0.6,0.7", "--seeds", "2", "--shard", "0/2"},
		{"sweep", "tuned.yaml", "--grid", "algorithm.eta=0.1,0.2", "--select", "test_error"},
		{"report", "out/claimed/1", "out/claimed/audit", "out/tuned", "out/watched/map"},
		{"design", "own-alpha.yaml", "--seeds", "2"},
	} {
		if args[0] != "report" {
			args = append(args, "--out", "out")
		}
		mustSimulate(t, dir, args...)
	}
	if err := os.Remove(filepath.Join(dir, "own.csv")); err != nil { // so that attacks on its run are not scored
		t.Fatal(err)
	}
	mustSimulate(t, dir, "attack", "out/own/1", "--out", "out")
	return filepath.Join(dir, "out")
}

// grid is the key that the sweep of a table varies.
func grid(path string) string {
	if strings.Contains(path, "own-alpha") {
		return "algorithm.alpha"
	}
	return "algorithm.eta"
}

// described are the names in the first cells of a section's tables: columns or
// keys. A name that is not in backquotes is one that varies.
func described(t *testing.T, page, file string) []string {
	t.Helper()
	_, section, ok := strings.Cut(page, "\n### `"+file+"`\n")
	if !ok {
		t.Fatalf("formats.md has no section on %s", file)
	}
	if end := regexp.MustCompile(`(?m)^##`).FindStringIndex(section); end != nil {
		section = section[:end[0]]
	}
	var names []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); strings.HasPrefix(line, "| `") {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				names = append(names, m[1])
			}
		}
	}
	if len(names) == 0 {
		t.Fatalf("formats.md describes nothing of %s", file)
	}
	return names
}

// compare fails for names that are written and not described, or the reverse.
func compare(t *testing.T, file string, written, described []string) {
	t.Helper()
	for _, name := range written {
		if !slices.Contains(described, name) {
			t.Errorf("%s has %q, which formats.md does not describe", file, name)
		}
	}
	for _, name := range described {
		if !slices.Contains(written, name) {
			t.Errorf("formats.md describes %q of %s, which no run has", name, file)
		}
	}
}

// found are the files of a name below a directory.
func found(t *testing.T, dir, name string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == name {
			all = append(all, path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("found no %s: %v", name, err)
	}
	return all
}

// keys adds the paths of a JSON value's keys to a set.
func keys(v any, at string, all map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			path := k
			if at != "" {
				path = at + "." + k
			}
			all[path] = true
			keys(x, path, all)
		}
	case []any:
		for _, x := range v {
			keys(x, at+"[]", all)
		}
	}
}

// jsonKeys are the paths of the keys of all files of a name. What stands below one
// of the opaque prefixes is described elsewhere; mapped objects have names of
// their own, written *.
func jsonKeys(t *testing.T, dir, name string, mapped ...string) []string {
	t.Helper()
	raw, all := map[string]bool{}, map[string]bool{}
	for _, path := range found(t, dir, name) {
		var v any
		if err := json.Unmarshal([]byte(read(t, path)), &v); err != nil {
			t.Fatal(err)
		}
		keys(v, "", raw)
	}
	for key := range raw {
		for _, m := range mapped {
			if strings.HasPrefix(key, m+".") {
				key = m + ".*"
			}
		}
		all[key] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// below splits keys into those below a prefix, without it, and the others.
func below(all []string, prefix string) (inside, outside []string) {
	for _, key := range all {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			inside = append(inside, rest)
		} else {
			outside = append(outside, key)
		}
	}
	return inside, outside
}

func TestFormats(t *testing.T) {
	out, page := produce(t), read(t, "formats.md")
	audit, attacks := described(t, page, "audit.json"), described(t, page, "attacks.json")
	subset := func(file string, written, described []string) {
		t.Helper()
		if len(written) == 0 {
			t.Errorf("%s has nothing to compare", file)
		}
		for _, name := range written {
			if !slices.Contains(described, name) {
				t.Errorf("%s has %q, which formats.md does not describe", file, name)
			}
		}
	}

	compare(t, "run.json", jsonKeys(t, out, "run.json", "files", "inputs.files", "data.missing", "data.expanded"),
		described(t, page, "run.json"))
	// A certificate is described where a run has it, a verdict where claims have theirs.
	all := described(t, page, "run.json")
	account, _ := below(all, "privacy.")
	certificate, _ := below(all, "privacy.certificates[].")
	verdict, _ := below(audit, "verdicts[].")
	plain := func(file string, keys []string) []string {
		t.Helper()
		nested, own := below(keys, "certificate.")
		subset(file+": certificate", nested, certificate)
		nested, own = below(own, "certified.")
		subset(file+": certified", nested, verdict)
		return own
	}
	compare(t, "audit.json", plain("audit.json", jsonKeys(t, out, "audit.json", "inputs.files")), audit)
	compare(t, "design.json", jsonKeys(t, out, "design.json"), described(t, page, "design.json"))
	compare(t, "tuning.json", jsonKeys(t, out, "tuning.json"), described(t, page, "tuning.json"))
	compare(t, "plan.json", jsonKeys(t, out, "plan.json", "files"), described(t, page, "plan.json"))
	nested, own := below(jsonKeys(t, out, "attacks.json", "inputs.files"), "findings[].audit.")
	compare(t, "attacks.json", own, attacks)
	subset("attacks.json: findings[].audit", plain("attacks.json", nested), audit)
	nested, own = below(jsonKeys(t, out, "report.json"), "audits[].")
	subset("report.json: audits", plain("report.json", nested), audit)
	nested, own = below(own, "accounts[].privacy.")
	subset("report.json: accounts", nested, account)
	nested, own = below(own, "tunings[].tuning.")
	subset("report.json: tunings", nested, described(t, page, "tuning.json"))
	nested, own = below(own, "maps[].")
	nested = slices.DeleteFunc(nested, func(key string) bool { return strings.HasPrefix(key, "by_distance") })
	subset("report.json: maps", nested, append(described(t, page, "map.json` and `map.csv"), audit...))
	nested, own = below(own, "attacks[].")
	_, nested = below(nested, "findings[].audit.")
	subset("report.json: attacks", nested, attacks)
	compare(t, "report.json", append(own, "axis", "warnings"), described(t, page, "report.json")) // of some
	samples := regexp.MustCompile(`^victims\[\]\.(others\.|candidates\.|attribute\.samples\.|blocks\[\])`)
	var known []string
	for _, key := range jsonKeys(t, out, "knowledge.json", "data") {
		if !samples.MatchString(key) {
			known = append(known, key)
		}
	}
	compare(t, "knowledge.json", known, described(t, page, "knowledge.json"))

	metrics := described(t, page, "metrics.csv")
	for _, name := range []string{"metrics.csv", "nodes.csv"} {
		for _, path := range found(t, out, name) {
			compare(t, path, header(t, path), described(t, page, name))
		}
	}
	for _, path := range append(found(t, out, "summary.csv"), results(t)...) {
		columns := header(t, path)
		for k, c := range columns {
			metric := regexp.MustCompile(`_(mean|min|max)$`).ReplaceAllString(c, "")
			if metric != c && slices.Contains(metrics, metric) {
				columns[k] = strings.Replace(c, metric, "*", 1)
			}
		}
		name := filepath.Base(path)
		compare(t, path, columns, described(t, page, name))
	}
	for _, path := range found(t, out, "results.csv") {
		compare(t, path, header(t, path), append(described(t, page, "results.csv"), grid(path)))
		columnar := strings.TrimSuffix(path, "csv") + "parquet"
		compare(t, columnar, schema(t, columnar), header(t, path))
	}
	for _, path := range found(t, out, "failures.csv") {
		compare(t, path, header(t, path), append(described(t, page, "failures.csv"), grid(path)))
	}
	for _, name := range []string{"iterates.parquet", "messages.parquet", "steps.parquet", "reports.parquet",
		"lies.parquet"} {
		for _, path := range found(t, out, name) {
			compare(t, path, schema(t, path), described(t, page, name))
		}
	}
	for _, path := range found(t, out, "trace.bin") {
		checkTrace(t, path)
	}
	for _, path := range found(t, out, "journal") {
		checkJournal(t, path)
	}
	checkNames(t, out, page)
}

// checkNames compares the files' names with those that formats.md has.
func checkNames(t *testing.T, out, page string) {
	t.Helper()
	var written []string
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			written = append(written, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	file := regexp.MustCompile("`([a-z]+\\.(?:json|csv|yaml|parquet|bin|html|md)|journal|lock)`")
	for _, m := range file.FindAllStringSubmatch(page, -1) {
		names = append(names, m[1])
	}
	for _, name := range written {
		if stem := strings.TrimSuffix(strings.TrimSuffix(name, ".svg"), ".png"); stem != name {
			if !strings.Contains(page, "`"+stem+"`") {
				t.Errorf("the figure %s is not in formats.md", name)
			}
		} else if !slices.Contains(names, name) {
			t.Errorf("the file %s is not in formats.md", name)
		}
	}
	for _, name := range names {
		ofFigure := name == "data.csv" || name == "settings.json" // which only reproduce writes
		if !ofFigure && !slices.Contains(written, name) {
			t.Errorf("formats.md names the file %s, which no run has", name)
		}
	}
}

func header(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first, err := csv.NewReader(f).Read()
	if err != nil {
		t.Fatal(err)
	}
	return first
}

// results are the committed numbers of the papers' figures.
func results(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("../results/*/data.csv")
	if err != nil || len(all) < 5 {
		t.Fatalf("found %d: %v", len(all), err)
	}
	return all
}

// schema are the names of a Parquet file's columns.
func schema(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, field := range p.Schema().Fields() {
		names = append(names, field.Name())
	}
	return names
}

// checkTrace reads trace.bin as formats.md describes it.
func checkTrace(t *testing.T, path string) {
	t.Helper()
	b := []byte(read(t, path))
	if string(b[:8]) != "OVHTRC01" || binary.LittleEndian.Uint64(b[48:]) != 4096 {
		t.Fatalf("%s begins with %x", path, b[:72])
	}
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	events, c, f := number(8), number(56), number(64)
	if f != events || c != events/4096 || uint64(len(b)) != 72+32*c+4*f {
		t.Errorf("%s has %d bytes for %d events, %d checkpoints and %d fingerprints", path, len(b), events, c, f)
	}
	var info struct{ Events uint64 }
	text := read(t, filepath.Join(filepath.Dir(path), "run.json"))
	if err := json.Unmarshal([]byte(text), &info); err != nil || info.Events != events {
		t.Errorf("%s has %d events, run.json %d: %v", path, events, info.Events, err)
	}
}

// checkJournal reads a sweep's journal as formats.md describes it.
func checkJournal(t *testing.T, path string) {
	t.Helper()
	b, ok := strings.CutPrefix(read(t, path), "overhear sweep journal 1\n")
	if !ok {
		t.Fatalf("%s begins with %q", path, b[:30])
	}
	table, count := crc32.MakeTable(crc32.Castagnoli), map[byte]int{}
	for rest := []byte(b); len(rest) > 0; {
		n := binary.LittleEndian.Uint32(rest)
		if crc32.Checksum(rest[:12], table) != binary.LittleEndian.Uint32(rest[12:]) ||
			crc32.Checksum(rest[:16+n], table) != binary.LittleEndian.Uint32(rest[16+n:]) {
			t.Fatalf("%s: a record's sums are wrong", path)
		}
		if payload := rest[16 : 16+n]; rest[4] == 'R' && (payload[0] != '+' || payload[5] != '{') {
			t.Errorf("%s: a result begins with %q", path, payload[:6])
		}
		count[rest[4]]++
		rest = rest[20+n:]
	}
	if count['P'] != 1 || count['B'] != count['R'] || count['R'] < 2 {
		t.Errorf("%s has records %v", path, count)
	}
}

func TestExitCodes(t *testing.T) {
	dir, page := t.TempDir(), read(t, "formats.md")
	for name, text := range scenarioFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for code, args := range map[int][]string{
		0: {"list", "attacks"},
		1: {"run", "asynchronous.yaml", "--out", "asynchronous.yaml"},
		2: {"run", "missing.yaml"},
		3: {"audit", "claimed.yaml", "--out", "out", "--set", "privacy={}", "--set", "solver.tolerance=0.1", "--set",
			"adversary.view={}"},
	} {
		if _, errs, got := simulate(t, dir, args...); got != code {
			t.Errorf("simulate %s: exit code %d, not %d\n%s", strings.Join(args, " "), got, code, errs)
		}
		if !regexp.MustCompile(`(?m)^\| ` + string(rune('0'+code)) + ` \|`).MatchString(page) {
			t.Errorf("formats.md does not have exit code %d", code)
		}
	}
}
