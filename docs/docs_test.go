// What the tests of the documents share: the program, built once, and a reader of
// Markdown.

package docs

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write methods.md, attacks.md and modules.md anew")

// program is the path of the program that is tested.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "overhear-docs-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "simulate")
		build := exec.Command("go", "build", "-o", program, "../cmd/simulate")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

// simulate runs the program in a directory and returns what it prints and its
// exit code.
func simulate(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	c := exec.Command(program, args...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// mustSimulate is simulate where the program must end well.
func mustSimulate(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, errs, code := simulate(t, dir, args...)
	if code != 0 {
		t.Fatalf("simulate %s: exit code %d\n%s", strings.Join(args, " "), code, errs)
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pages are the documents in Markdown.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("*.md")
	if err != nil || len(all) < 6 {
		t.Fatalf("found %d documents: %v", len(all), err)
	}
	return append(all, "../CONTRIBUTING.md", "../CHANGELOG.md", "../README.md")
}

// anchor is the fragment by which a link names a heading.
func anchor(heading string) string {
	keep := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	return strings.ReplaceAll(keep.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

func TestLinksLead(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, m[1])
				continue
			}
			if fragment == "" {
				continue
			}
			found := false
			for _, h := range heading.FindAllStringSubmatch(read(t, path), -1) {
				found = found || anchor(h[1]) == fragment
			}
			if !found {
				t.Errorf("%s: the link to %s names no heading", page, m[1])
			}
		}
	}
}

// Lines end by column 120, but for rows of tables and links to pictures, and but for
// the registries' text in methods.md and attacks.md.
func TestLinesAreShort(t *testing.T) {
	all, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(all, "../CHANGELOG.md", "../CITATION.cff") {
		fenced := false
		for n, line := range strings.Split(read(t, page), "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			free := strings.HasPrefix(line, "|") || strings.HasPrefix(line, "![")
			if page == "methods.md" || page == "attacks.md" {
				free = free || fenced
			}
			if width := utf8.RuneCountInString(line); width > 120 && !free {
				t.Errorf("%s:%d ends at column %d", page, n+1, width)
			}
		}
	}
}

// An equation's number stands at the end of its line, indented; no two equations have the same.
func TestEquationsHaveNumbersOfTheirOwn(t *testing.T) {
	number := regexp.MustCompile(`(?m)^    .*  \((\d+\.\d+)\)$`)
	seen := map[string]bool{}
	for _, m := range number.FindAllStringSubmatch(read(t, "mathematics.md"), -1) {
		if seen[m[1]] {
			t.Errorf("(%s) is two equations", m[1])
		}
		seen[m[1]] = true
	}
	if len(seen) < 50 {
		t.Errorf("%d equations were found", len(seen))
	}
}

// The reference pages are what the registries say.
func TestDocsAreGenerated(t *testing.T) {
	for _, name := range []string{"methods", "attacks"} {
		page := name + ".md"
		want := mustSimulate(t, ".", "docs", name)
		if *update {
			if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if read(t, page) != want {
			t.Errorf("%s is not what the registry says; go test ./docs -run Docs -update writes it", page)
		}
	}
}

// Every method and attack has a section.
func TestDocsHaveASectionForEach(t *testing.T) {
	for page, list := range map[string]string{"methods.md": "algorithms", "attacks.md": "attacks"} {
		text := read(t, page)
		for line := range strings.Lines(mustSimulate(t, ".", "list", list)) {
			name, _, _ := strings.Cut(line, " ")
			if !strings.Contains(text, "\n## "+name+"\n") {
				t.Errorf("%s has no section on %s", page, name)
			}
		}
	}
}

// The README counts methods and attacks as they are.
func TestReadmeCounts(t *testing.T) {
	words := map[int]string{10: "ten", 11: "eleven", 12: "twelve", 13: "thirteen", 14: "fourteen", 15: "fifteen",
		16: "sixteen", 17: "seventeen", 18: "eighteen",
		19: "nineteen", 20: "twenty", 21: "twenty-one", 22: "twenty-two", 23: "twenty-three", 24: "twenty-four"}
	text := strings.Join(strings.Fields(read(t, "../README.md")), " ")
	for list, noun := range map[string]string{"algorithms": "methods", "attacks": "attacks"} {
		n := strings.Count(mustSimulate(t, ".", "list", list), "\n")
		if want := words[n] + " " + noun; words[n] == "" || !strings.Contains(text, want) {
			t.Errorf("README.md does not say %q; there are %d", want, n)
		}
	}
}
