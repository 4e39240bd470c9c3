package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/projections"
)

func newInboxCommand(a *app) *cobra.Command {
	return group("inbox", "What agents are to do, do, and wait for", newInboxListCommand(a))
}

func newInboxListCommand(a *app) *cobra.Command {
	var filter projections.InboxFilter
	var of string
	var all bool
	var kind inboxKind
	command := &cobra.Command{
		Use: "list", Short: "List the tasks of agents, the oldest first", Args: takes(0, 0),
		Long: `List the tasks of agents, the oldest first: queued for an agent, working, or waiting for you. Of one
workflow the planner goes before the maintainer; among workflows whoever waits longest goes first.`,
		RunE: func(c *cobra.Command, _ []string) error {
			filter.Open, filter.Kind = !all && filter.State == "", string(kind)
			return a.with(c.Context(), func(n *node) (err error) {
				if of != "" {
					if filter.Workflow, err = n.resolveWorkflow(c.Context(), of); err != nil {
						return err
					}
				}
				list, err := n.queries.Inbox(c.Context(), filter)
				if err != nil {
					return err
				}
				return a.show(list, func(w io.Writer) { writeInbox(w, list) })
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&of, "workflow", "", "only tasks of this workflow")
	choose(flags, &kind, "kind", "only of this kind of agent", projections.KindPlanner, projections.KindMaintainer)
	choose(flags, &filter.State, "state", "only tasks in this state", projections.InboxQueued, projections.InboxWorking, projections.InboxWaiting, projections.InboxDone)
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
	now := time.Now()
	rows := make([][]string, len(list))
	for i, one := range list {
		rows[i] = []string{string(one.State), one.Kind, one.WorkflowTitle, ago(one.Since, now), one.Title, one.Task}
	}
	table(w, []string{"STATE", "AGENT", "WORKFLOW", "SINCE", "WHAT", "TASK"}, rows)
}
