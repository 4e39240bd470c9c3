package terminal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
)

// HelpWidth is how many cells of a terminal a help text fills.
const HelpWidth = 80

// usageTemplate is that of the library, with what is too long for a line going on below. Where the names
// of flags leave less than 24 of these 74 cells, what they do is written under them.
func usageTemplate(library string) string {
	return strings.NewReplacer(
		".FlagUsages", ".FlagUsagesWrapped 74",
		"{{.Short}}", "{{under .Short .NamePadding}}",
		"{{.Example}}", "{{folded .Example}}",
		"for more information about a command", "for more",
	).Replace(library)
}

func init() {
	cobra.AddTemplateFunc("under", func(text string, padding int) string {
		indent := padding + len("   ")
		return plain.Wrapped(text, strings.Repeat(" ", indent), HelpWidth-indent)
	})
	cobra.AddTemplateFunc("folded", func(examples string) string {
		var lines []string
		for one := range strings.Lines(examples) {
			lines = append(lines, folded(strings.TrimSuffix(one, "\n"), HelpWidth))
		}
		return strings.Join(lines, "\n")
	})
}

// folded is a command line that goes on in the next line where it is too long: before a flag, else
// before an argument.
func folded(command string, width int) string {
	if len([]rune(command)) <= width {
		return command
	}
	flag, argument := 0, 0
	quote := rune(0)
	start := len(command) - len(strings.TrimLeft(command, " "))
	for i, r := range command {
		switch {
		case i < start || i > width-len(" \\"):
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == 0 && strings.HasPrefix(command[i:], " --"):
			flag = i
		case quote == 0 && r == ' ':
			argument = i
		}
	}
	at := cmp.Or(flag, argument)
	if at == 0 {
		return command
	}
	return command[:at] + " \\\n" + folded("      "+command[at+1:], width)
}

// These lists say which flags of all commands a command's help shows: those of the store for all but these commands,
// those of models and fixers for these only. Other commands take the flags and do not show them.
var (
	WithoutStore = []string{"example", "selftest", "llm check", "replay", "prove", "mend", "version", "man", "context add", "context use", "context list", "context remove"}
	WithModel    = []string{
		"dev", "serve", "doctor", "plan", "chat", "selftest", "llm check", "workflow run", "autofix status", "autofix cap", "fix correct",
		"repo plan draft",
	}
	storeFlags  = []string{"data-dir", "store", "state", "views"}
	withConfig  = []string{"dev", "serve", "doctor", "config print", "config validate"}
	configFlags = []string{"config", "log-format", "log-level"}
	serverFlags = []string{"server", "server-ca"}
	allFlags    = []string{"help", "output"}
)

// FitHelp has help texts fit a terminal, and show what matters to their command.
func FitHelp(root *cobra.Command) {
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	help, usage := root.HelpFunc(), root.UsageFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		c.Long = filled(c.Long, HelpWidth)
		help(c, args)
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		root.PersistentFlags().VisitAll(func(flag *pflag.Flag) { flag.Hidden = !matters(c, flag.Name) })
		return usage(c)
	})
}

// matters says whether a flag that all commands have is of use to one.
func matters(c *cobra.Command, flag string) bool {
	if !c.HasParent() || slices.Contains(allFlags, flag) {
		return true
	}
	if c.HasSubCommands() { // its commands say what they take
		return false
	}
	if slices.Contains(serverFlags, flag) {
		return RemoteScope(c) != ""
	}
	name := strings.TrimPrefix(c.CommandPath(), "kintsugi ")
	if slices.Contains(configFlags, flag) {
		return slices.Contains(withConfig, name)
	}
	if slices.Contains(storeFlags, flag) {
		return !slices.Contains(WithoutStore, name)
	}
	return slices.Contains(WithModel, name)
}

// filled breaks the paragraphs of a text anew. Lines that are indented, and what stands one by one
// below each other as "--flag: …", stay.
func filled(text string, width int) string {
	var lines []string
	paragraph := ""
	end := func() {
		if paragraph != "" {
			lines = append(lines, plain.Wrapped(paragraph, "", width))
		}
		paragraph = ""
	}
	for one := range strings.Lines(text) {
		one = strings.TrimRight(one, "\n")
		switch {
		case one == "" || strings.HasPrefix(one, " "):
			end()
			lines = append(lines, one)
		case strings.HasPrefix(one, "--"):
			end()
			paragraph = one
		default:
			paragraph = strings.TrimPrefix(paragraph+" "+one, " ")
		}
	}
	end()
	return strings.Join(lines, "\n")
}
