package notification

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/projections"
)

// NewInboxCommand is 'kintsugi inbox'.
func NewInboxCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("inbox", "What agents are to do, do, and wait for", newInboxListCommand(cli))
}

func newInboxListCommand(cli *terminal.CLI) *cobra.Command {
	var filter projections.InboxFilter
	var of string
	var all bool
	var kind inboxKind
	command := &cobra.Command{
		Use: "list", Annotations: terminal.RemoteOwned(installation.Read), Short: "List the tasks of agents, the oldest first", Args: terminal.Takes(0, 0),
		Long: `List the tasks of agents, the oldest first: queued for an agent, working, or waiting for you. Of one
workflow the planner goes before the maintainer; among workflows whoever waits longest goes first.`,
		RunE: func(c *cobra.Command, _ []string) error {
			filter.Open, filter.Kind = !all && filter.State == "", string(kind)
			return cli.With(c.Context(), func(n *app.Node) (err error) {
				if of != "" {
					if filter.Workflow, err = n.Resolve.Workflow(c.Context(), of); err != nil {
						return err
					}
				}
				filter.Owner = n.Owner
				list, err := n.Queries.Inbox(c.Context(), filter)
				if err != nil {
					return err
				}
				return cli.Show(list, func(w io.Writer) { writeInbox(w, list) })
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&of, "workflow", "", "only tasks of this workflow")
	terminal.Choose(flags, &kind, "kind", "only of this kind of agent", projections.KindPlanner, projections.KindMaintainer)
	terminal.Choose(flags, &filter.State, "state", "only tasks in this state", projections.InboxQueued, projections.InboxWorking, projections.InboxWaiting, projections.InboxDone)
	flags.BoolVar(&all, "all", false, "also what is done")
	return command
}

// inboxKind is a kind of agent as a flag.
type inboxKind string

func writeInbox(w io.Writer, list []projections.InboxItem) {
	if len(list) == 0 {
		fmt.Fprintln(w, "No agent has anything to do.")
		return
	}
	now := terminal.Local(w, time.Now())
	rows := make([][]string, len(list))
	for i, one := range list {
		rows[i] = []string{string(one.State), one.Kind, one.WorkflowTitle, plain.Ago(one.Since, now), one.Title, one.Task}
	}
	terminal.Table(w, []string{"STATE", "AGENT", "WORKFLOW", "SINCE", "WHAT", "TASK"}, rows)
}
