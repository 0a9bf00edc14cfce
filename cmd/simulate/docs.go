// The command that writes the reference pages of the documents; it is hidden,
// since only who changes a method or an attack needs it.

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"overhear/scenarios"
)

func newDocs() *cobra.Command {
	return &cobra.Command{
		Use: "docs PAGE", Short: "Print a reference page: " + strings.Join(scenarios.References, " or "),
		Args: exactly(1), ValidArgs: scenarios.References, Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			text, err := scenarios.Reference(args[0])
			if err != nil {
				return usageError{err}
			}
			_, err = fmt.Fprint(c.OutOrStdout(), text)
			return err
		},
	}
}
