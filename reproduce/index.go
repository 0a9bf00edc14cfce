// The pages that gather what the pages of figures and of studies say.

package reproduce

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overhear/internal/files"
)

// WritePapersIndex writes dir/papers.md, which gathers the statements of the figures whose pages are in dir.
func WritePapersIndex(dir string) error {
	var body strings.Builder
	counts, total := map[Assessment]int{}, 0
	for _, f := range Figures() {
		page, err := os.ReadFile(filepath.Join(dir, f.Name, "README.md"))
		if err != nil {
			continue // not computed in this directory
		}
		fmt.Fprintf(&body, "\n## [%s: %s](%s/README.md)\n\n| the paper states | measured | |\n|---|---|---|\n",
			f.Paper, f.Title, f.Name)
		for _, row := range statementRows(string(page)) {
			if row.assessment == ForComparison {
				continue
			}
			counts[row.assessment]++
			total++
			body.WriteString(row.text + "\n")
		}
	}
	head := "# What the papers state, and what was measured\n\n`simulate reproduce all` computes these pages.\n" +
		fmt.Sprintf("Of %d claims: %s.\n", total, tally(counts))
	if err := files.WriteBytes(filepath.Join(dir, "papers.md"), []byte(head+body.String())); err != nil {
		return fmt.Errorf("writing the index of papers: %w", err)
	}
	return nil
}

// WriteStudiesIndex writes dir/README.md, which gathers the statements of the studies whose pages are in dir, each
// study with its command and its first chart.
func WriteStudiesIndex(dir string) error {
	var out strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	p("# Findings\n")
	p("What the messages of private methods give away, attack by attack and claim by claim; every page is computed " +
		"by the command under its\nheading. What the papers' figures show is in [papers.md](papers.md).\n")
	for _, s := range Studies() {
		page, err := os.ReadFile(filepath.Join(dir, s.Name, "README.md"))
		if err != nil {
			continue // not computed in this directory
		}
		p("## [%s](%s/README.md)\n\n`simulate reproduce %s`\n\n| claim | measured | |\n|---|---|---|",
			s.Title, s.Name, s.Name)
		for _, row := range statementRows(string(page)) {
			p("%s", row.text)
		}
		p("")
		for line := range strings.Lines(string(page)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "![") {
				p("%s\n", strings.Replace(line, "](", "]("+s.Name+"/", 1))
				break
			}
		}
	}
	if err := files.WriteBytes(filepath.Join(dir, "README.md"), []byte(out.String())); err != nil {
		return fmt.Errorf("writing the index of studies: %w", err)
	}
	return nil
}
