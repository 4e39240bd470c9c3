package terminal

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Group is a command that only holds others.
func Group(use, short string, children ...*cobra.Command) *cobra.Command {
	command := &cobra.Command{Use: use, Short: short, Args: NoSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	command.AddCommand(children...)
	return command
}

// NoSuchCommand refuses arguments of a command that only holds others.
func NoSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := ""
	c.SuggestionsMinimumDistance = 2
	if names := c.SuggestionsFor(args[0]); len(names) > 0 {
		near = ": did you mean " + strings.Join(names, " or ") + "?"
	}
	return fmt.Errorf("there is no command %q%s", c.CommandPath()+" "+args[0], near)
}

// Takes checks how many arguments a command is given, and says what it wants.
func Takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("%d arguments given, wanted: %s", len(args), strings.TrimSuffix(c.UseLine(), " [flags]"))
		}
		return nil
	}
}
