// Package workflow has the commands on workflows.
package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/projections"
)

// NewCommand is 'kintsugi workflow'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("workflow", "Create, run and look after workflows",
		newCreateCommand(cli), newListCommand(cli), newDraftsCommand(cli), newShowCommand(cli), newTimelineCommand(cli), newRunCommand(cli), newEditCommand(cli),
		newSettingsCommand(cli), newScheduleCommand(cli), newTriggerCommand(cli), newSendCommand(cli), newRetryCommand(cli), newHookCommand(cli), newDryRunCommand(cli), newWhatIfCommand(cli), newExportCommand(cli), newKeysCommand(cli), newFilesCommand(cli), newImportCommand(cli),
		withReason(cli, "pause WORKFLOW", "Stop new runs", "paused", func(ctx context.Context, n *app.Node, id, reason string) (commands.Result, error) {
			return n.Commands.PauseWorkflow(ctx, id, workflow.Pause{Reason: reason}, cli.Meta())
		}),
		newActivateCommand(cli),
		withReason(cli, "archive WORKFLOW", "Retire a workflow; everything is kept", "archived", func(ctx context.Context, n *app.Node, id, reason string) (commands.Result, error) {
			return n.Commands.ArchiveWorkflow(ctx, id, workflow.Archive{Reason: reason}, cli.Meta())
		}),
		workflowChange(cli, (*app.Resolver).ArchivedWorkflow, "restore WORKFLOW", "Take a workflow out of the archive, paused, or as the draft that it was", "restored", func(ctx context.Context, n *app.Node, id string) (commands.Result, error) {
			return n.Workflows.Restore(ctx, id, n.Owner, cli.Meta())
		}),
		newDeleteCommand(cli),
	)
}

// withReason is a [workflowChange] that can be given a reason.
func withReason(cli *terminal.CLI, use, short, done string, change func(ctx context.Context, n *app.Node, id, reason string) (commands.Result, error)) *cobra.Command {
	var reason string
	command := workflowChange(cli, (*app.Resolver).Workflow, use, short, done, func(ctx context.Context, n *app.Node, id string) (commands.Result, error) {
		return change(ctx, n, id, reason)
	})
	command.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return command
}

// workflowChange is a command that changes where a workflow stands.
func workflowChange(cli *terminal.CLI, resolve func(*app.Resolver, context.Context, string) (string, error), use, short, done string, change func(ctx context.Context, n *app.Node, id string) (commands.Result, error)) *cobra.Command {
	return &cobra.Command{Use: use, Annotations: terminal.RemoteOwned(installation.Edit), Short: short, Args: terminal.Takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			id, err := resolve(n.Resolve, c.Context(), args[0])
			if err != nil {
				return err
			}
			result, err := change(c.Context(), n, id)
			if err != nil {
				return err
			}
			return showChanged(c.Context(), cli, n, id, result, func(w io.Writer, shown projections.Workflow) {
				if len(result.Events) == 0 {
					fmt.Fprintf(w, "%s is %s already.\n", plain.Line(shown.Title), shown.Status)
					return
				}
				fmt.Fprintf(w, "%s: %s (status %s).\n", plain.Line(shown.Title), done, shown.Status)
			})
		})
	}}
}

// showChanged shows a workflow as it is after a change.
func showChanged(ctx context.Context, cli *terminal.CLI, n *app.Node, id string, result commands.Result, text func(io.Writer, projections.Workflow)) error {
	if err := n.Views.WaitFor(ctx, result.Position); err != nil {
		return err
	}
	shown, err := n.Queries.Workflow(ctx, id)
	if err != nil {
		return err
	}
	return cli.Show(shown, func(w io.Writer) { text(w, shown) })
}

func newCreateCommand(cli *terminal.CLI) *cobra.Command {
	var create workflow.Create
	var scriptFile, input string
	var settings workflow.Settings
	var draft bool
	command := &cobra.Command{
		Use: "create TITLE", Annotations: terminal.RemoteOwned(installation.Edit, terminal.Reads("script", "@input")),
		Short: "Create a workflow, with its first script if you have one",
		Example: `  kintsugi workflow create "Refund report" --intent "List yesterday's refunds" --script refunds.js
  kintsugi workflow create "Local shop" --script shop.js --allow-host 127.0.0.1:8080`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			create.Title = args[0]
			create.Owner = cli.OwnerOfNew()
			if err := app.CheckZone(create.Zone); err != nil {
				return err
			}
			if settings.Input, err = cli.ReadInput("--input", input); err != nil {
				return err
			}
			code := ""
			if scriptFile != "" {
				if code, err = cli.ReadScript(c.Context(), scriptFile); err != nil {
					return err
				}
			}
			n, err := cli.Open(c.Context())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, n.Close()) }()
			return createWorkflow(c.Context(), cli, n, create, code, settings, draft)
		},
	}
	flags := command.Flags()
	flags.StringVar(&create.Intent, "intent", "", "what the workflow is for, in your words; a repair is judged by it")
	flags.StringVar(&create.Zone, "zone", "", "IANA time zone of the script's local times (default UTC)")
	flags.StringVar(&create.ID, "id", "", "an id of your choice (default a new UUID); a title that another workflow has needs one")
	flags.StringVar(&scriptFile, "script", "", "file with the first script; - for standard input")
	flags.StringVar(&input, "input", "", "the input of a run that is given none: JSON, @FILE, or - for standard input (default {})")
	flags.StringSliceVar(&settings.AllowedHosts, "allow-host", nil, "a private host, or host:port, that the script may reach")
	flags.BoolVar(&draft, "draft", false, "do not activate it yet")
	return command
}

func createWorkflow(ctx context.Context, cli *terminal.CLI, n *app.Node, create workflow.Create, code string, settings workflow.Settings, draft bool) error {
	if create.ID == "" { // an id of one's own tells two of a title apart
		if err := n.Workflows.CheckTitle(ctx, "", create.Title, n.Owner); err != nil {
			return fmt.Errorf("%w, or give the new one an --id if you want two of this title", err)
		}
		create.ID = app.NewID()
	}
	shown, err := n.Workflows.Create(ctx, cli.Meta, create, app.FirstScript{ID: app.NewID(), Code: code, Draft: draft}, settings)
	if err != nil {
		return err
	}
	created := shown.Workflow
	return cli.Show(shown, func(w io.Writer) {
		fmt.Fprintf(w, "Created %s (%s), status %s.\n", plain.Line(created.Title), created.ID, created.Status)
		if shown.SwitchedOn != nil {
			terminal.WriteAccount(w, *shown.SwitchedOn, n.Now())
		}
		switch {
		case code == "":
			fmt.Fprintf(w, "Next: kintsugi script save %s --file SCRIPT\n", created.ID)
		case created.Status == workflow.StatusDraft:
			fmt.Fprintf(w, "Next: kintsugi workflow activate %s\n", created.ID)
		default:
			fmt.Fprintf(w, "Next: kintsugi workflow run %s\n", created.ID)
		}
	})
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	var filter projections.WorkflowFilter
	var labels []string
	command := &cobra.Command{Use: "list", Annotations: terminal.RemoteOwned(installation.Read), Short: "List workflows", Args: terminal.Takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			filter.Owner = n.Owner
			chosen, err := workflow.ParseLabels(labels)
			if err != nil {
				return err
			}
			filter.Labels = chosen.Texts()
			list, err := n.Queries.Workflows(c.Context(), filter)
			if err != nil {
				return err
			}
			return cli.Show(list, func(w io.Writer) {
				if len(list) == 0 && filter.Status == "" && !filter.Archived && len(labels) == 0 {
					fmt.Fprintln(w, "No workflows. Make one with 'kintsugi workflow create'.")
					return
				}
				now := terminal.Local(w, time.Now())
				rows := make([][]string, len(list))
				for i, one := range list {
					last := "-"
					if one.LastOutcome != "" {
						last = one.LastOutcome + " " + plain.Ago(one.LastEnded, now)
					}
					rows[i] = []string{one.ID, one.Title, string(one.Status), agentText(one.Agent), plain.Dash(one.Version), last, fmt.Sprint(one.Fixes)}
				}
				terminal.Table(w, []string{"ID", "TITLE", "STATUS", "NOW", "VERSION", "LAST RUN", "FIXES"}, rows)
			})
		})
	}}
	terminal.Choose(command.Flags(), &filter.Status, "status", "only those in this status", workflow.StatusDraft, workflow.StatusActive,
		workflow.StatusMaintenance, workflow.StatusHeld, workflow.StatusWaiting, workflow.StatusEscalated, workflow.StatusPaused, workflow.StatusArchived)
	command.Flags().BoolVar(&filter.Archived, "archived", false, "also archived ones")
	command.Flags().StringArrayVar(&labels, "label", nil, "only those with this label, like team=billing; several choose those that have all")
	return command
}

// agentText is what is under way, in words.
func agentText(status projections.AgentStatus) string {
	return strings.ReplaceAll(string(status), "_", " ")
}

// nextTry says when the other side is asked again.
func nextTry(w io.Writer, one projections.Workflow) string {
	if one.Agent != projections.AgentRetrying {
		return ""
	}
	next := slices.MinFunc(one.Retrying, func(a, b projections.RetryingRun) int { return a.At.Compare(b.At) })
	return fmt.Sprintf(", next at %s (run %s)", terminal.Local(w, next.At).Format(time.DateTime), next.Run)
}

func newShowCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{Use: "show WORKFLOW", Annotations: terminal.RemoteOwned(installation.Read), Short: "Show a workflow: what it is for, where it stands, what happened last", Args: terminal.Takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			id, err := n.Resolve.Workflow(c.Context(), args[0])
			if err != nil {
				return err
			}
			one, err := n.Workflows.Get(c.Context(), id)
			if err != nil {
				return err
			}
			shown := struct {
				app.WorkflowView
				Account *egress.Account `json:"account,omitempty"` // of a draft with a script: what it lacks to be switched on
			}{WorkflowView: one}
			if one.Status == workflow.StatusDraft && one.Version != "" {
				account, err := n.Workflows.AccountOf(c.Context(), id)
				if err != nil {
					return err
				}
				shown.Account = &account
			}
			return cli.Show(shown, func(w io.Writer) {
				writeWorkflow(w, one.Workflow, one.Repairs, one.Notifications)
				if shown.Account != nil {
					fmt.Fprintln(w)
					terminal.WriteAccount(w, *shown.Account, n.Now())
				}
				terminal.WriteUnfinished(w, one.Unfinished)
				if one.Unreadable != "" {
					fmt.Fprintf(w, "\nIt stands still, and this is how it was before. Its history cannot be read: %s\n", plain.Wrapped(one.Unreadable, "  ", 96))
				}
				if one.Stopped != "" {
					fmt.Fprintf(w, "\nIts repair waits: %s\n", plain.Wrapped(one.Stopped, "  ", 96))
				}
				writeInputs(w, one.ID, one.Queued, one.Triggers)
			})
		})
	}}
}

func writeWorkflow(w io.Writer, one projections.Workflow, threads []projections.Thread, open []projections.Notification) {
	now := terminal.Local(w, time.Now())
	fmt.Fprintf(w, "%s\n  %s\n\n", plain.Line(one.Title), one.ID)
	if one.Intent != "" {
		fmt.Fprintf(w, "Intent    %s\n", plain.Wrapped(one.Intent, "          ", 80))
	}
	fmt.Fprintf(w, "Status    %s\nNow       %s\nVersion   %s\nSchedule  %s\nAuto-fix  %s\nRuns      %d succeeded, %d failed, %d under way\n",
		one.Status, agentText(one.Agent)+nextTry(w, one), plain.Dash(one.Version), plain.Dash(one.Schedule), one.AutoFix, one.Succeeded, one.Failed, one.Running)
	if one.LastOutcome != "" {
		fmt.Fprintf(w, "Last run  %s %s (%s)\n", one.LastOutcome, plain.Ago(one.LastEnded, now), one.LastRun)
	}
	if one.HeldFix != "" {
		fmt.Fprintf(w, "\nA fix waits for you: kintsugi fix show %s\n", one.HeldFix)
	}
	if len(threads) > 0 {
		fmt.Fprintln(w)
		writeRepairs(w, threads, now)
	}
	if len(open) > 0 {
		fmt.Fprintln(w)
		rows := make([][]string, 0, terminal.MostShown)
		for _, one := range open[:min(len(open), terminal.MostShown)] {
			rows = append(rows, []string{string(one.Type), plain.Ago(one.At, now), one.Title})
		}
		terminal.Table(w, []string{"NOTIFICATION", "WHEN", "WHAT"}, rows)
		for _, told := range open[:min(len(open), terminal.MostShown)] {
			terminal.WriteCandidate(w, one.ID, told.Candidate)
		}
		more(w, len(open), "notification list --workflow "+one.ID)
	}
}

func writeRepairs(w io.Writer, threads []projections.Thread, now time.Time) {
	rows := make([][]string, 0, terminal.MostShown)
	for _, t := range threads[:min(len(threads), terminal.MostShown)] {
		change := plain.Dash(t.Base)
		if t.Version != "" {
			change += " → " + t.Version
		}
		what := t.Comment
		if what == "" {
			what = plain.FirstLine(t.Explanation)
		}
		rows = append(rows, []string{change, plain.Dash(t.Outcome), plain.Ago(t.Opened, now), what})
	}
	terminal.Table(w, []string{"REPAIR", "OUTCOME", "WHEN", "WHAT"}, rows)
	fmt.Fprintf(w, "How the newest was worked on: kintsugi fix thread %s\n", threads[0].Task)
	more(w, len(threads), "fix list")
}

func more(w io.Writer, all int, command string) {
	if all > terminal.MostShown {
		fmt.Fprintf(w, "and %d more: kintsugi %s\n", all-terminal.MostShown, command)
	}
}

// changeLabels are labels with those that are set, and without those that are set to nothing.
func changeLabels(labels workflow.Labels, texts []string) (workflow.Labels, error) {
	changes, err := workflow.ParseLabels(texts)
	if err != nil || len(changes) == 0 {
		return labels, err
	}
	changed := maps.Clone(labels)
	for key, value := range changes {
		if changed == nil {
			changed = workflow.Labels{}
		}
		if changed[key] = value; value == "" {
			delete(changed, key)
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	return changed, nil
}

func newSettingsCommand(cli *terminal.CLI) *cobra.Command {
	var change workflow.Settings
	var allow, disallow, idempotent, atomic, reconcile, labels []string
	var limits map[string]string
	var input string
	var within, outageAfter, debounce time.Duration
	command := &cobra.Command{
		Use: "settings WORKFLOW", Annotations: terminal.RemoteOwned(installation.Edit, terminal.Reads("@input")), Short: "Show or change a workflow's settings", Args: terminal.Takes(1, 1),
		Long: `Show or change a workflow's settings.

--reconcile HOST=ADDRESS says how to find out what became of a write to HOST that was never
answered: with a GET to ADDRESS, which has {key} in the place of the write's Idempotency-Key. 200
with JSON says that it happened and answered that; 404, or an empty answer or list, that it did not;
anything else says nothing. After a # stands where in the answer the write's own is, as a JSON
pointer. The GET is signed in as the write was and reaches what the workflow may. It is tried 3
times; then you are asked.`,
		Example: `  kintsugi workflow settings "Refund report" --auto-fix proven --allow-host 10.0.0.5:8443
  kintsugi workflow settings Orders --reconcile 'a.test=https://a.test/orders?key={key}#/data/0'`,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case change.Budget < 1:
				return fault.New(fault.Invalid, "--budget %d: give at least 1, or use --auto-fix off for no fixes at all", change.Budget)
			case change.MaxActive < 1:
				return fault.New(fault.Invalid, "--max-active %d: give at least 1, or pause the workflow", change.MaxActive)
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				state, err := n.Commands.LoadWorkflow(c.Context(), id)
				if err != nil {
					return err
				}
				settings, asked := state.Settings, c.Flags().Changed
				if asked("auto-fix") {
					settings.AutoFix = change.AutoFix
				}
				if asked("budget") {
					settings.Budget = change.Budget
				}
				if asked("max-active") {
					settings.MaxActive = change.MaxActive
				}
				if asked("fixers") {
					settings.Fixers = change.Fixers
				}
				if err := changeLimits(&settings, limits); err != nil {
					return err
				}
				if asked("idempotent-host") {
					settings.IdempotentHosts = app.ChangeHosts(nil, idempotent, []string{""})
				}
				if asked("atomic-host") {
					settings.AtomicHosts = app.ChangeHosts(nil, atomic, []string{""})
				}
				if asked("concurrency-key") {
					settings.ConcurrencyKey = change.ConcurrencyKey
				}
				if asked("priority-key") {
					settings.PriorityKey = change.PriorityKey
				}
				if asked("debounce") {
					settings.DebounceMS = debounce.Milliseconds()
				}
				if asked("locale") {
					settings.Locale = change.Locale
				}
				if asked("input") {
					if settings.Input, err = cli.ReadInput("--input", input); err != nil {
						return err
					}
				}
				if asked("unfinished") {
					settings.Unfinished = change.Unfinished
				}
				if asked("guard") {
					if settings.Guard = change.Guard; settings.Guard == guardDefault {
						settings.Guard = ""
					}
				}
				if asked("decide-within") {
					settings.DecideWithinMS = within.Milliseconds()
				}
				if asked("outage-after") {
					settings.OutageAfterMS = outageAfter.Milliseconds()
				}
				if asked("on-deadline") {
					settings.OnDeadline = change.OnDeadline
				}
				if asked("on-hold") {
					settings.OnHold = change.OnHold
				}
				if asked("on-escalation") {
					settings.OnEscalation = change.OnEscalation
				}
				if err := changeReconcile(&settings, reconcile); err != nil {
					return err
				}
				if settings.Labels, err = changeLabels(settings.Labels, labels); err != nil {
					return err
				}
				settings.AllowedHosts = app.ChangeHosts(settings.AllowedHosts, allow, disallow)
				var changed app.ChangedSettings
				if !reflect.DeepEqual(settings, state.Settings) {
					if changed, err = n.Workflows.ChangeSettings(c.Context(), id, settings, cli.Meta()); err != nil {
						return err
					}
				}
				shown := settings.WithDefaults()
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "auto-fix       %s\nbudget         %d fixes\nrepairs        %d an hour\nactive runs    %d\none at a time  %s\npriority       %s\ndebounce       %s\nfixers         %s\nallowed hosts  %s\nidempotent     %s\natomic         %s\nlimits         %s\nlocale         %s\ninput          %s\nunfinished     %s\nguard          %s\ndecide within  %s\noutage after   %s\non escalation  %s\nlabels         %s\n",
						shown.AutoFix, shown.Budget, shown.RepairsPerHr, shown.MaxActive, plain.Dash(plain.Line(shown.ConcurrencyKey)), plain.Dash(plain.Line(shown.PriorityKey)), time.Duration(shown.DebounceMS)*time.Millisecond, strings.Join(shown.Fixers, ", "), plain.Dash(strings.Join(shown.AllowedHosts, ", ")), plain.Dash(strings.Join(shown.IdempotentHosts, ", ")), plain.Dash(strings.Join(shown.AtomicHosts, ", ")), plain.Dash(limitsText(shown)), plain.Dash(shown.Locale), plain.Short(string(shown.DefaultInput()), 200), shown.Unfinished, cmp.Or(shown.Guard, guardDefault), deadlineText(shown), time.Duration(shown.OutageAfterMS)*time.Millisecond, cmp.Or(shown.OnEscalation, workflow.OnHoldBlock), plain.Dash(plain.Line(strings.Join(shown.Labels.Texts(), ", "))))
					fmt.Fprint(w, reconcileText(shown))
					terminal.WriteReleased(w, changed.Activated, changed.GoOn)
				})
			})
		},
	}
	flags := command.Flags()
	terminal.Choose(flags, &change.AutoFix, "auto-fix", "how far fixes go without you", workflow.ModeAuto, workflow.ModeProven, workflow.ModePropose, workflow.ModeOff)
	flags.IntVar(&change.Budget, "budget", workflow.DefaultBudget, "fixes in a row before the workflow is handed to you")
	flags.StringSliceVar(&change.Fixers, "fixers", nil, "who proposes fixes, in this order: templates, model, command, person")
	flags.StringVar(&change.ConcurrencyKey, "concurrency-key", "", "where the input says what a run is about, like customer.id: of runs about the same, one is under way at a time; '' for no such place")
	flags.StringVar(&change.PriorityKey, "priority-key", "", "where the input has a number that says how urgent it is, like order.priority: greater ones come first; '' for no such place")
	flags.DurationVar(&debounce, "debounce", 0, "how long an input waits for a newer one about the same, which takes its place; 0 to run each")
	flags.StringVar(&change.Locale, "locale", "", "what agents write for you in, like de-DE; '' for the language of the intent")
	flags.IntVar(&change.MaxActive, "max-active", workflow.DefaultMaxActive, "how many runs may go on at once")
	flags.StringVar(&input, "input", "", "the input of a run that is given none: JSON, @FILE, or - for standard input; '' for {}")
	flags.StringSliceVar(&allow, "allow-host", nil, "a private host, or host:port, that the script may reach")
	flags.StringSliceVar(&disallow, "disallow-host", nil, "take a host off the list")
	flags.StringToStringVar(&limits, "limit", nil, "limits of one run, like wall=30s,memory=64MiB; 0 for the default ("+strings.Join(limitNames, ", ")+")")
	flags.StringSliceVar(&idempotent, "idempotent-host", nil, "all hosts that tell a repeated write by its Idempotency-Key; '' for none")
	flags.StringSliceVar(&atomic, "atomic-host", nil, "all hosts that did nothing of a write that they answer with 500; '' for none")
	flags.StringArrayVar(&labels, "label", nil, "KEY=VALUE: what the workflow and its runs are found by; KEY= takes it away")
	flags.StringArrayVar(&reconcile, "reconcile", nil, "HOST=ADDRESS: where to ask what became of a write that was never answered; HOST= for nowhere")
	terminal.Choose(flags, &change.Unfinished, "unfinished", "what becomes of a half-done run after another version was saved", workflow.UnfinishedAsk, workflow.UnfinishedContinue, workflow.UnfinishedLeave)
	terminal.Choose(flags, &change.Guard, "guard", "what is done with a run that looks wrong and does not fail: by default it is stopped, or marked if only what it writes shows it", guardDefault, workflow.GuardOff, workflow.GuardNotice, workflow.GuardStop)
	flags.DurationVar(&within, "decide-within", 0, "for how long a fix may wait for you, like 48h; 0 for ever")
	flags.DurationVar(&outageAfter, "outage-after", workflow.DefaultOutageAfter, "how long the other side may not answer before you are told, like 6h")
	terminal.Choose(flags, &change.OnDeadline, "on-deadline", "what is done with it then: accept_if_proven declines, too, unless nothing but your word is missing", workflow.DeadlineDecline, workflow.DeadlineAcceptIfProven)
	terminal.Choose(flags, &change.OnHold, "on-hold", "what runs do while a fix waits for you; by default those of webhooks and other workflows continue", workflow.OnHoldBlock, workflow.OnHoldContinue)
	terminal.Choose(flags, &change.OnEscalation, "on-escalation", "what runs do while the workflow is handed to you: by default none starts until it works again", workflow.OnHoldBlock, workflow.OnHoldContinue)
	return command
}

func deadlineText(s workflow.Settings) string {
	if s.DecideWithinMS == 0 {
		return "-"
	}
	return fmt.Sprintf("%s, then %s", time.Duration(s.DecideWithinMS)*time.Millisecond, strings.ReplaceAll(s.OnDeadline, "_", " "))
}

// guardDefault is how the setting that is left out is written.
const guardDefault = "default"

func newRunCommand(cli *terminal.CLI) *cobra.Command {
	var input string
	var detach, repair bool
	var wait time.Duration
	var labels []string
	command := &cobra.Command{
		Use: "run WORKFLOW", Annotations: terminal.RemoteOwned(installation.Run, terminal.Reads("@input")), Short: "Run a workflow now and wait for what becomes of it",
		Long: `Run a workflow now and wait for what becomes of it, repairs included. What happens is told
on standard error, the result on standard output.

A server on the same data directory ('kintsugi dev') executes the run; without one this
command does it itself, and first goes on with what was interrupted before. What is to be
tried again later needs the server.

Exit codes: 0 the run, or the run that continued it on a fix, succeeded; 10 it failed;
11 it failed and the workflow was handed to you.`,
		Example: `  kintsugi workflow run "Refund report" --input '{"day":"2026-03-01"}'
  kintsugi workflow run "Refund report" --input @input.json`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			value, err := cli.ReadInput("--input", input)
			if err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				own, err := workflow.ParseLabels(labels)
				if err != nil {
					return err
				}
				admit := workflow.AdmitRun{Run: app.NewID(), Trigger: workflow.TriggerManual, Repair: repair, Input: value, Labels: own}
				if detach {
					return admitRun(c.Context(), cli, n, id, admit)
				}
				if c.Flags().Changed("wait") {
					return runWithin(c.Context(), cli, n, id, admit, wait)
				}
				return cli.RunAdmitted(c.Context(), n, id, admit)
			})
		},
	}
	command.Flags().StringVar(&input, "input", "", "the script's input: JSON, @FILE, or - for standard input (default that of the settings, or {})")
	command.Flags().BoolVar(&repair, "repair", false, "if it fails, have the workflow mended of that, as for a run that starts by itself")
	command.Flags().StringArrayVar(&labels, "label", nil, "a label of this run, like order=4711, beside those of the workflow")
	command.Flags().BoolVar(&detach, "detach", false, "only admit the run; the server executes it")
	command.Flags().DurationVar(&wait, "wait", 0, "wait at most so long, up to 1m; the server goes on with the run")
	command.MarkFlagsMutuallyExclusive("detach", "wait")
	return command
}
