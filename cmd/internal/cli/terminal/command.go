package terminal

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
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
	if names, meant := c.SuggestionsFor(args[0]), elsewhere(c, args); meant != "" && (len(names) == 0 || !c.HasParent()) {
		near = ": did you mean '" + meant + "'?"
	} else if len(names) > 0 {
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

// elsewhere is the command that a word of other programs means which stands under another noun here; empty for none.
func elsewhere(c *cobra.Command, args []string) string {
	rest := " " + strings.Join(args[1:], " ")
	switch path := strings.TrimPrefix(c.CommandPath(), c.Root().Name()); {
	case path == " run": // a workflow, as its title follows
		return c.Root().Name() + " workflow run " + quotedAll(args)
	case path != "":
		return ""
	}
	meant, is := map[string]string{
		"status": "workflow list", "list": "workflow list", "ls": "workflow list", "ps": "run list --status running", "logs": "run logs RUN", "init": "dev",
		"login": "context add NAME --url URL", "create": "workflow create TITLE", "new": "workflow create TITLE", "delete": "workflow delete WORKFLOW", "deploy": "apply FOLDER",
		"save": "script save WORKFLOW --file FILE", "edit": "workflow edit WORKFLOW", "diff": "script diff WORKFLOW", "schedule": "workflow schedule WORKFLOW", "settings": "workflow settings WORKFLOW",
	}[args[0]]
	if !is {
		return ""
	}
	if words := strings.Fields(meant); rest != " " && words[len(words)-1] == strings.ToUpper(words[len(words)-1]) {
		meant = strings.Join(words[:len(words)-1], " ") + " " + quotedAll(args[1:])
	}
	return c.Root().Name() + " " + meant
}

func quotedAll(args []string) string {
	quoted := make([]string, len(args))
	for i, one := range args {
		quoted[i] = plain.Quoted(one)
	}
	return strings.Join(quoted, " ")
}
