// The commands that pages name, and the names that explain knows.

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overhear/reproduce"
	"overhear/scenarios"
)

// valid says what is wrong with a command line of a page: its command, a flag, a name, a scenario or a change of one.
func valid(line string) error {
	var words []string
	for _, w := range regexp.MustCompile(`'([^']*)'|[^ ]+`).FindAllString(line, -1) {
		words = append(words, strings.Trim(w, "'"))
	}
	c, rest, err := newRoot().Find(words[1:])
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	names := c.Flags().Args()
	if err := c.ValidateArgs(names); err != nil {
		return err
	}
	for _, name := range names {
		switch c.Name() {
		case "reproduce":
			if !slices.Contains(reproducible(), name) {
				return fmt.Errorf("there is no page %q", name)
			}
		default:
			sets, err := c.Flags().GetStringArray("set")
			if err != nil {
				return err
			}
			if _, err := scenarios.Load(filepath.Join("../..", name), sets...); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestPages_CommandsAreValid(t *testing.T) {
	for page, least := range map[string]int{"theorems.md": 40, "networks/theorems/README.md": 25} {
		text, err := os.ReadFile(filepath.Join("../../results", page))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for line := range strings.Lines(string(text)) {
			for _, m := range regexp.MustCompile("`(simulate [^`]+)`").FindAllStringSubmatch(line, -1) {
				if !strings.HasPrefix(line, "|") {
					continue
				}
				if count++; valid(m[1]) != nil {
					t.Errorf("%s: %s: %v", page, m[1], valid(m[1]))
				}
			}
		}
		if count < least {
			t.Errorf("%s: only %d commands were found", page, count)
		}
	}
	for _, wrong := range []string{"simulate reproduce networks/theorem", "simulate rn scenarios/wdbc-ring.yaml",
		"simulate run scenarios/wdbc-ring.yaml --sett a=1", "simulate run scenarios/wdbc.yaml",
		"simulate run scenarios/wdbc-ring.yaml --set 'algorithm={kind: admm, theta: 1}'"} {
		if valid(wrong) == nil {
			t.Errorf("%s passes", wrong)
		}
	}
}

// Every numbered item of the papers is explained, and so are words of the papers and keys of run.json.
func TestExplain_KnowsEveryItem(t *testing.T) {
	names := append(reproduce.ItemNames(), "zz16 theorem 2", "log_loss", "excess-risk", "utility")
	if len(names) < 60 {
		t.Errorf("only %d items", len(names))
	}
	for _, name := range names {
		root := newRoot()
		var out strings.Builder
		root.SetOut(&out)
		root.SetErr(&out)
		root.SetArgs([]string{"explain", name})
		if err := root.ExecuteContext(context.Background()); err != nil || out.Len() < 40 {
			t.Errorf("explain %q: %v %q", name, err, out.String())
		}
	}
}
