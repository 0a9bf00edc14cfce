// The page of every algorithm, theorem, figure and table of the papers, with the command that shows it and its verdict.

package reproduce

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overhear/internal/files"
)

// Item is an algorithm, a theorem, a figure or a table of a paper.
type Item struct {
	Paper string // its short name
	Name  string // in the paper
	About string // what it is or says
	Page  string // the figure or study that shows it; "": none does
	Row   string // what its claims on that page have in them; "": all claims of the page
	Why   string // no page shows it
}

// Explain says what a numbered item of the papers is and what shows it, as "ZZ16 Theorem 2"; "" if it is none.
func Explain(name string) string {
	i := slices.IndexFunc(items, func(i Item) bool { return strings.EqualFold(i.title(), name) })
	if i < 0 {
		return ""
	}
	if items[i].Page == "" {
		return fmt.Sprintf("%s: %s\nno page shows it: %s\n", items[i].title(), items[i].About, items[i].Why)
	}
	return fmt.Sprintf("%s: %s\nsimulate reproduce %s computes what it comes to; its verdict is in "+
		"results/theorems.md\n", items[i].title(), items[i].About, items[i].Page)
}

// ItemNames are the names that Explain explains.
func ItemNames() (names []string) {
	for _, i := range items {
		names = append(names, i.title())
	}
	return names
}

func (i Item) title() string { return i.Paper + " " + i.Name }

var items []Item

// RegisterItems adds items to those of [Items], which are in this order.
func RegisterItems(i ...Item) { items = append(items, i...) }

// Items are all registered items.
func Items() []Item { return items }

// notComputed stands for the verdict of an item whose page is not there, or has no such claim.
const notComputed = "not computed"

// WriteItemsIndex writes dir/theorems.md from the pages in dir.
func WriteItemsIndex(dir string) error {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("# Every algorithm, theorem, figure and table of the five papers\n")
	p("The verdict is that of the page under the item, from what was measured there; where an item has several " +
		"claims, it says\nhow many hold. `simulate reproduce all` computes this page and those it names; `simulate " +
		"explain` knows every item.")
	paper := ""
	for _, i := range Items() {
		if i.Paper != paper {
			paper = i.Paper
			p("\n## %s\n\n| item | what it is | shown by | verdict |\n|---|---|---|---|", paper)
		}
		if i.Page == "" {
			p("| %s | %s | none | %s |", i.Name, i.About, i.Why)
			continue
		}
		p("| [%s](%s/README.md) | %s | `simulate reproduce %s` | %s |", i.Name, i.Page, i.About, i.Page, i.verdict(dir))
	}
	if err := files.WriteBytes(filepath.Join(dir, "theorems.md"), []byte(b.String())); err != nil {
		return fmt.Errorf("writing the index of theorems: %w", err)
	}
	return nil
}

// verdict is what the item's page says of it.
func (i Item) verdict(dir string) string {
	page, err := os.ReadFile(filepath.Join(dir, i.Page, "README.md"))
	if err != nil {
		return notComputed
	}
	counts := map[Assessment]int{}
	found := 0
	for _, row := range statementRows(string(page)) {
		if row.assessment != ForComparison && strings.Contains(row.text, i.Row) {
			counts[row.assessment]++
			found++
		}
	}
	if found == 0 {
		return notComputed
	}
	for _, a := range assessments {
		switch n := counts[a]; {
		case n == found && n > 1:
			return fmt.Sprintf("**%s**, all %d claims", a, n)
		case n == found:
			return fmt.Sprintf("**%s**", a)
		}
	}
	return fmt.Sprintf("of %d claims: %s", found, tally(counts))
}
