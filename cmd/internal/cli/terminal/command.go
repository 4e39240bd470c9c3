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
	if names, other := c.SuggestionsFor(args[0]), meant(c, args); other != "" && (len(names) == 0 || !c.HasParent()) {
		near = ": did you mean '" + other + "'?"
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

// meantAnnotation begins the annotations of a command that say, for a word of other programs, which command of ours is meant.
const meantAnnotation = "meant "

// AnyWord is in the place of all words that are no commands.
const AnyWord = "*"

// Meant says which commands are meant by words of other programs that a command does not have. Where a command ends in a word in
// capitals, the arguments that were given take its place.
func Meant(c *cobra.Command, words map[string]string) {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	for word, command := range words {
		c.Annotations[meantAnnotation+word] = command
	}
}

// meant is the command that is meant by arguments of a command that has no such one; empty for none.
func meant(c *cobra.Command, args []string) string {
	command, is := c.Annotations[meantAnnotation+args[0]]
	if given := args[1:]; !is {
		if command, is = c.Annotations[meantAnnotation+AnyWord]; !is {
			return ""
		}
		return c.Root().Name() + " " + command + " " + quotedAll(args)
	} else if words := strings.Fields(command); len(given) > 0 && words[len(words)-1] == strings.ToUpper(words[len(words)-1]) {
		command = strings.Join(words[:len(words)-1], " ") + " " + quotedAll(given)
	}
	return c.Root().Name() + " " + command
}

func quotedAll(args []string) string {
	quoted := make([]string, len(args))
	for i, one := range args {
		quoted[i] = plain.Quoted(one)
	}
	return strings.Join(quoted, " ")
}
