package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/apply"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/autofix"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/bundle"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/config"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/context"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/demo"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/doctor"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/effect"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/egress"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/example"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/fix"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/guide"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/healer"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/history"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/llm"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/man"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/mcp"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/notification"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/planner"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/projection"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/repo"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/run"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/script"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/secret"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/selftest"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/serve"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/store"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/subscription"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/token"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/usage"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/verify"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/view"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/workflow"
)

func newRootCommand(cli *terminal.CLI) *cobra.Command {
	root := &cobra.Command{
		Use:   "kintsugi",
		Short: "Run scripts that language models wrote, and mend them when they break",
		Long: `Kintsugi runs JavaScript automations in a sandbox, classifies each failure, and mends
logic errors with fixes that are proved against every recorded run. Everything that
happens is an event; nothing is overwritten.

Start with:  kintsugi demo

Exit codes: 0 done, 1 failed, 2 wrong usage or unreadable input, 3 not found, 4 not
possible now, 5 forbidden, 6 the server is not reached, 10 the run failed, 11 it failed and
needs you, 20 the history was changed, 130 interrupted. The commands replay, prove and mend have their own.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              terminal.NoSuchCommand,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return cli.Begin(c) },
	}
	cli.Declare(root.PersistentFlags())
	root.AddCommand(
		demo.NewCommand(cli), guide.NewCommand(cli), guide.NewEditCommand(cli), example.NewCommand(cli), selftest.NewCommand(cli), doctor.NewCommand(cli), serve.NewDevCommand(cli), serve.NewServeCommand(cli),
		workflow.NewCommand(cli), script.NewCommand(cli), apply.NewCommand(cli), planner.NewPlanCommand(cli), planner.NewChatCommand(cli), notification.NewInboxCommand(cli), run.NewCommand(cli), fix.NewCommand(cli), autofix.NewCommand(cli), egress.NewCommand(cli), usage.NewCommand(cli), notification.NewCommand(cli), subscription.NewCommand(cli), repo.NewCommand(cli),
		healer.NewCommand(cli), effect.NewCommand(cli), secret.NewCommand(cli), token.NewCommand(cli), context.NewCommand(cli), llm.NewCommand(cli),
		history.NewCommand(cli), view.NewCommand(cli), verify.NewCommand(cli), bundle.NewExportCommand(cli), bundle.NewImportCommand(cli), store.NewCommand(cli), projection.NewCommand(cli),
		bundle.NewReplayCommand(cli), bundle.NewProveCommand(cli), bundle.NewMendCommand(cli), config.NewCommand(cli), mcp.NewCommand(cli), man.NewCommand(cli), newVersionCommand(cli),
	)
	root.Version = versionText()
	root.SetVersionTemplate("kintsugi {{.Version}}\n")
	inGroups(root)
	otherNames(root)
	wordsOfOthers(root)
	terminal.FitHelp(root)
	cli.Complete(root)
	return root
}

// groups are the commands by what people want.
var groups = []struct {
	title    string
	commands []string
}{
	{"Begin", []string{"demo", "new", "example", "dev", "doctor", "selftest"}},
	{"Automations", []string{"workflow", "script", "edit", "apply", "run", "plan", "chat", "secret"}},
	{"Repairs, and whatever needs you", []string{"notification", "inbox", "fix", "autofix", "effect", "usage"}},
	{"History and proof", []string{"history", "view", "verify", "export", "import", "replay", "prove", "mend"}},
	{"Coding agents", []string{"repo", "healer", "mcp"}},
	{"The installation", []string{"serve", "store", "projection", "subscription", "token", "egress", "context", "config", "llm", "man", "version"}},
}

// inGroups has the help list commands by group.
func inGroups(root *cobra.Command) {
	for _, group := range groups {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, command := range root.Commands() {
			if slices.Contains(group.commands, command.Name()) {
				command.GroupID = group.title
			}
		}
	}
	rest := groups[len(groups)-1].title
	root.SetHelpCommandGroupID(rest)
	root.SetCompletionCommandGroupID(rest)
}

// otherNames are words of other programs: the first do the same, the others are answered with the command
// that is meant.
func otherNames(root *cobra.Command) {
	aliases := map[string][]string{"list": {"ls"}, "settings": {"set"}}
	meant := map[string][]string{
		"archive": {"remove", "rm"}, "pause": {"stop", "disable"}, "activate": {"enable", "resume", "start"},
		"dev": {"server", "start", "up"}, "answer": {"reply"}, "remove": {"delete", "rm"}, "show": {"get", "cat", "describe"},
	}
	for _, command := range root.Commands() {
		command.Aliases = append(command.Aliases, aliases[command.Name()]...)
		command.SuggestFor = append(command.SuggestFor, meant[command.Name()]...)
		otherNames(command)
	}
}

// wordsOfOthers are words of other programs that are no command of this noun here, and the command that is meant.
func wordsOfOthers(root *cobra.Command) {
	terminal.Meant(root, map[string]string{
		"status": "workflow list", "list": "workflow list", "ls": "workflow list", "ps": "run list --status running", "logs": "run logs RUN", "init": "dev",
		"login": "context add NAME --url URL", "create": "workflow create TITLE", "delete": "workflow delete WORKFLOW", "deploy": "apply FOLDER",
		"save": "script save WORKFLOW --file FILE", "diff": "script diff WORKFLOW", "schedule": "workflow schedule WORKFLOW", "settings": "workflow settings WORKFLOW",
	})
	for _, command := range root.Commands() {
		if command.Name() == "run" { // a title follows
			terminal.Meant(command, map[string]string{terminal.AnyWord: "workflow run"})
		}
	}
}
