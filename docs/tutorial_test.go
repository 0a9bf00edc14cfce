// The tutorial as a reader follows it: every command is run in order, and what it
// prints is what the page shows.

package docs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced block of a page.
type block struct {
	language string
	word     string // after the language: a file to write, or "repository"
	line     int    // of the first line of its text
	text     []string
}

// blocks are the fenced blocks of a page.
func blocks(page string) []block {
	var all []block
	inside := false
	for n, line := range strings.Split(page, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !inside:
			language, word, _ := strings.Cut(info, " ")
			all = append(all, block{language: language, word: word, line: n + 2})
			inside = true
		case fence:
			inside = false
		case inside:
			last := &all[len(all)-1]
			last.text = append(last.text, line)
		}
	}
	return all
}

// step is a command and what it prints, standard error after standard output.
type step struct {
	line    int
	command string
	output  []string
	code    int
}

// at says where a command is.
func (s step) at(page string) string { return fmt.Sprintf("%s:%d: %s", page, s.line, s.command) }

var exitCode = regexp.MustCompile(`^\[exit code (\d)\]$`)

// steps are the commands of a block, each on a line after "$ ".
func (b block) steps() []step {
	var all []step
	for n, line := range b.text {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, step{line: b.line + n, command: command})
			continue
		}
		s := &all[len(all)-1]
		if m := exitCode.FindStringSubmatch(line); m != nil {
			_, _ = fmt.Sscan(m[1], &s.code)
			continue
		}
		s.output = append(s.output, line)
	}
	return all
}

// shows says whether a line of a page is that of an output: with … for any text,
// and any number of spaces for some.
func shows(page, output string) bool {
	parts := strings.Split(strings.Join(strings.Fields(page), " "), "…")
	for k, p := range parts {
		parts[k] = regexp.QuoteMeta(p)
	}
	pattern := regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
	return pattern.MatchString(strings.Join(strings.Fields(output), " "))
}

// differs says in which line an output is not what a page shows; 0: in none. A line
// that is … stands for any number of lines.
func differs(page, output []string) int {
	k := 0
	for n, line := range page {
		if line == "…" {
			for n+1 < len(page) && k < len(output) && !shows(page[n+1], output[k]) {
				k++
			}
			if n+1 == len(page) {
				k = len(output)
			}
			continue
		}
		if k == len(output) || !shows(line, output[k]) {
			return k + 1
		}
		k++
	}
	if k < len(output) {
		return k + 1
	}
	return 0
}

// follow runs a page's commands in a directory of their own, which has the shipped
// scenarios.
func follow(t *testing.T, page string) {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	shipped, err := filepath.Abs("../scenarios")
	if err == nil {
		err = os.Symlink(shipped, filepath.Join(dir, "scenarios"))
	}
	if err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{bin, filepath.Dir(program), os.Getenv("PATH")}, string(os.PathListSeparator))
	environment := append(os.Environ(), "GOBIN="+bin, "PATH="+path, "LC_ALL=C")
	done := 0
	for _, b := range blocks(read(t, page)) {
		if b.language != "console" {
			if b.word != "" {
				text := []byte(strings.Join(b.text, "\n") + "\n")
				if err := os.WriteFile(filepath.Join(dir, b.word), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		for _, s := range b.steps() {
			command := strings.ReplaceAll(s.command, "go run ./cmd/simulate", "simulate") // which is built
			c := exec.Command("sh", "-c", command)
			c.Dir, c.Env = dir, environment
			if b.word == "repository" {
				c.Dir = ".."
			}
			var errs strings.Builder
			c.Stderr = &errs
			out, err := c.Output()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			var lines []string
			if all := strings.TrimRight(string(out)+errs.String(), "\n"); all != "" {
				lines = strings.Split(all, "\n")
			}
			if code := c.ProcessState.ExitCode(); code != s.code {
				t.Fatalf("%s: exit code %d, not %d\n%s", s.at(page), code, s.code, strings.Join(lines, "\n"))
			}
			if n := differs(s.output, lines); n > 0 {
				t.Errorf("%s: the page does not show line %d of\n%s", s.at(page), n, strings.Join(lines, "\n"))
			}
			done++
		}
	}
	if done < 3 {
		t.Errorf("%s has %d commands", page, done)
	}
}

func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("runs two audits")
	}
	follow(t, "tutorial.md")
}

// The README's commands print what it shows.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("runs an audit")
	}
	follow(t, "../README.md")
	if words := len(strings.Fields(read(t, "../README.md"))); words > 1200 {
		t.Errorf("the README has %d words; a newcomer has time for 1200", words)
	}
}

// The comparison sees what differs.
func TestOutputsAreCompared(t *testing.T) {
	out := []string{"loss   0.5  mean", "files  a/b  0.12 s", "end"}
	for _, c := range []struct {
		page string
		at   int
	}{
		{"loss 0.5 mean\nfiles a/b … s\nend", 0},
		{"loss 0.5 mean\n…\nend", 0},
		{"…", 0},
		{"loss 0.6 mean\n…", 1},
		{"loss 0.5 mean\nfiles a/b … ms\nend", 2},
		{"loss 0.5 mean\nfiles a/b … s", 3},
		{"…\nother", 4},
		{"loss 0.5 mean\nfiles a/b … s\nend\nmore", 4},
	} {
		if got := differs(strings.Split(c.page, "\n"), out); got != c.at {
			t.Errorf("%q differs at line %d, want %d", c.page, got, c.at)
		}
	}
}
