package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/projections"
)

// activated is a workflow that was switched on, and what is on now.
type activated struct {
	projections.Workflow
	SwitchedOn *egress.Account   `json:"switched_on,omitempty"`
	GoOn       []shownUnfinished `json:"go_on,omitempty"` // half-done runs that go on where they stopped
}

func newWorkflowActivateCommand(a *app) *cobra.Command {
	var allow []string
	command := &cobra.Command{
		Use: "activate WORKFLOW", Short: "Let runs start; also answers a pause, a wait and an escalation", Args: takes(1, 1),
		Long: `Let runs start; also answers a pause, a wait and an escalation. What is switched on is said: which
hosts the script spells out, what it writes, which secrets it uses, when it runs.

Hosts that an agent or a bundle wrote into the script, and that nobody named, have to be named
first, with --allow-host. Otherwise nothing is activated (exit code 5).`,
		Example: `  kintsugi workflow activate "Refund report"
  kintsugi workflow activate "Refund report" --allow-host api.example.com`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				if err := n.allowHosts(c.Context(), actor(), id, allow); err != nil {
					return err
				}
				return a.activate(c.Context(), n, id, args[0])
			})
		},
	}
	command.Flags().StringSliceVar(&allow, "allow-host", nil, "a host, or host:port, that the script may reach, also if it is private")
	return command
}

// activate switches a workflow on, after it was looked at what that means.
func (a *app) activate(ctx context.Context, n *node, id, called string) error {
	account, err := egress.AccountOf(ctx, n.commands, id)
	if err != nil {
		return err
	}
	if len(account.Unnamed) > 0 {
		writeAccount(a.err, account, n.now())
		return fault.New(fault.Forbidden, "not activated: nobody has named %s. If version %s may go there: kintsugi workflow activate %s --allow-host %s",
			strings.Join(account.Unnamed, ", "), account.Version, quoted(called), quoted(strings.Join(account.Unnamed, ",")))
	}
	before, err := n.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	result, err := n.commands.ActivateWorkflow(ctx, id, workflow.Activate{Of: account.Of}, meta())
	if err != nil {
		return err
	}
	if err := n.views.WaitFor(ctx, result.Position); err != nil {
		return err
	}
	shown, err := n.queries.Workflow(ctx, id)
	if err != nil {
		return err
	}
	again := goOnAgain(before, result.Events)
	return a.show(activated{shown, &account, again}, func(w io.Writer) {
		if len(result.Events) == 0 {
			fmt.Fprintf(w, "%s is %s already.\n", line(shown.Title), shown.Status)
		} else {
			fmt.Fprintf(w, "%s: active (status %s).\n", line(shown.Title), shown.Status)
		}
		writeGoOn(w, again)
		writeAccount(w, account, n.now())
	})
}

// goOnAgain are the half-done runs that a decision has go on.
func goOnAgain(before workflow.State, events []event.Recorded) []shownUnfinished {
	return slices.DeleteFunc(unfinishedOf(before), func(one shownUnfinished) bool {
		return !slices.ContainsFunc(events, func(e event.Recorded) bool {
			again, is := e.Event.(workflow.RetryScheduled)
			return is && again.Run == one.Run
		})
	})
}

// writeGoOn says which runs go on.
func writeGoOn(w io.Writer, runs []shownUnfinished) {
	for _, one := range runs {
		fmt.Fprintf(w, "Run %s goes on where it stopped: %s done.\n", one.Run, one.writes())
	}
}

// writeAccount says what is switched on with a version.
func writeAccount(w io.Writer, account egress.Account, now time.Time) {
	fmt.Fprintf(w, "What version %s does:\n", account.Version)
	part := func(name string, lines []string) {
		for i, text := range lines {
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(w, "  %-8s %s\n", name, line(text))
		}
	}
	hosts := make([]string, len(account.Hosts))
	for i, host := range account.Hosts {
		if hosts[i] = host.Host; !host.Named {
			hosts[i] += " (nobody has named it)"
		}
	}
	none := func(lines []string) []string {
		if len(lines) == 0 {
			return []string{"none"}
		}
		return lines
	}
	part("hosts", none(hosts))
	part("writes", none(account.Writes))
	part("secrets", none(account.Secrets))
	part("unclear", account.Unclear)
	part("runs", whenItRuns(account, now))
}

// whenItRuns is what starts a workflow, besides people.
func whenItRuns(account egress.Account, now time.Time) []string {
	var when []string
	if account.Schedule != "" {
		text := fmt.Sprintf("%s, zone %s", account.Schedule, account.Zone)
		of := workflow.State{Schedule: workflow.Schedule{Spec: account.Schedule, Zone: account.Zone}}
		if coming, err := scheduledOf(of, now, 1); err == nil && len(coming.Next) > 0 {
			text += ", next " + coming.Next[0].Format("Mon 2006-01-02 15:04:05 MST")
		}
		when = append(when, text)
	}
	for _, source := range account.On {
		when = append(when, "on outcomes of workflow "+source)
	}
	if len(when) == 0 {
		return []string{"by hand only"}
	}
	return when
}

// allowHosts adds hosts to those that a workflow may reach.
func (n *node) allowHosts(ctx context.Context, actor, id string, hosts []string) error {
	if len(hosts) == 0 {
		return nil
	}
	state, err := n.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	settings := state.Settings
	settings.AllowedHosts = changeHosts(settings.AllowedHosts, hosts, nil)
	_, err = n.commands.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: settings}, by(actor))
	return err
}
