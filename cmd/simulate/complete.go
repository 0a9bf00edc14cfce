// What a shell completes besides commands and flags.

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"overhear/scenarios"
)

// completeChanges completes path=value of every command's flags --set and --grid.
func completeChanges(c *cobra.Command) {
	for _, sub := range c.Commands() {
		completeChanges(sub)
	}
	for _, name := range []string{"set", "grid"} {
		if c.Flags().Lookup(name) == nil {
			continue
		}
		if err := c.RegisterFlagCompletionFunc(name, changes); err != nil {
			panic(err)
		}
	}
}

// changes are those that begin with what was typed: paths first, a key's values once its
// path is there.
func changes(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, s := range scenarios.Settings() {
		path, value, _ := strings.Cut(s, "=")
		switch given, begun, valued := strings.Cut(typed, "="); {
		case valued && path == given && value != "" && strings.HasPrefix(value, begun):
			all = append(all, s)
		case !valued && strings.HasPrefix(path, given) && (len(all) == 0 || all[len(all)-1] != path+"="):
			all = append(all, path+"=")
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
