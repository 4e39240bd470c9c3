// Package usage has the commands on what was used and what it cost, and on what owners may spend.
package usage

import (
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// NewCommand is 'kintsugi usage'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("usage", "What was used and what it cost; what owners may spend on agents",
		newListCommand(cli), newBalanceCommand(cli), newLimitCommand(cli), newTopUpCommand(cli), newPayCommand(cli), newCheckCommand(cli), newKeyCommand(cli))
}

// ownerOf is the owner that is named, or the one for whom the command is given.
func ownerOf(cli *terminal.CLI, args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return cli.OwnerOfNew()
}
