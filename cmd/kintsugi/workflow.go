package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newWorkflowCommand(a *app) *cobra.Command {
	return group("workflow", "Create, run and look after workflows",
		newWorkflowCreateCommand(a), newWorkflowListCommand(a), newWorkflowShowCommand(a), newWorkflowRunCommand(a), newWorkflowEditCommand(a),
		newWorkflowSettingsCommand(a), newWorkflowScheduleCommand(a), newWorkflowTriggerCommand(a), newWorkflowSendCommand(a), newWorkflowDryRunCommand(a), newWorkflowWhatIfCommand(a), newWorkflowExportCommand(a), newWorkflowKeysCommand(a), newWorkflowFilesCommand(a), newWorkflowImportCommand(a),
		withReason(a, "pause WORKFLOW", "Stop new runs", "paused", func(ctx context.Context, n *node, id, reason string) (commands.Result, error) {
			return n.commands.PauseWorkflow(ctx, id, workflow.Pause{Reason: reason}, meta())
		}),
		newWorkflowActivateCommand(a),
		withReason(a, "archive WORKFLOW", "Retire a workflow; everything is kept", "archived", func(ctx context.Context, n *node, id, reason string) (commands.Result, error) {
			return n.commands.ArchiveWorkflow(ctx, id, workflow.Archive{Reason: reason}, meta())
		}),
		workflowChange(a, "restore WORKFLOW", "Take a workflow out of the archive, paused", "restored", func(ctx context.Context, n *node, id string) (commands.Result, error) {
			return n.commands.RestoreWorkflow(ctx, id, workflow.Restore{}, meta())
		}),
	)
}

// withReason is a [workflowChange] that can be given a reason.
func withReason(a *app, use, short, done string, change func(ctx context.Context, n *node, id, reason string) (commands.Result, error)) *cobra.Command {
	var reason string
	command := workflowChange(a, use, short, done, func(ctx context.Context, n *node, id string) (commands.Result, error) {
		return change(ctx, n, id, reason)
	})
	command.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return command
}

// workflowChange is a command that changes where a workflow stands.
func workflowChange(a *app, use, short, done string, change func(ctx context.Context, n *node, id string) (commands.Result, error)) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return a.with(c.Context(), func(n *node) error {
			id, err := n.resolveWorkflow(c.Context(), args[0])
			if err != nil {
				return err
			}
			result, err := change(c.Context(), n, id)
			if err != nil {
				return err
			}
			if err := n.views.WaitFor(c.Context(), result.Position); err != nil {
				return err
			}
			shown, err := n.queries.Workflow(c.Context(), id)
			if err != nil {
				return err
			}
			return a.show(shown, func(w io.Writer) {
				if len(result.Events) == 0 {
					fmt.Fprintf(w, "%s is %s already.\n", line(shown.Title), shown.Status)
					return
				}
				fmt.Fprintf(w, "%s: %s (status %s).\n", line(shown.Title), done, shown.Status)
			})
		})
	}}
}

func newWorkflowCreateCommand(a *app) *cobra.Command {
	var create workflow.Create
	var scriptFile, input string
	var settings workflow.Settings
	var draft bool
	command := &cobra.Command{
		Use:   "create TITLE",
		Short: "Create a workflow, with its first script if you have one",
		Example: `  kintsugi workflow create "Refund report" --intent "List yesterday's refunds" --script refunds.js
  kintsugi workflow create "Local shop" --script shop.js --allow-host 127.0.0.1:8080`,
		Args: takes(1, 1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			create.Title = args[0]
			create.Owner = strings.TrimPrefix(meta().Actor, "person:")
			if err := checkZone(create.Zone); err != nil {
				return err
			}
			if settings.Input, err = a.readInput("--input", input); err != nil {
				return err
			}
			code := ""
			if scriptFile != "" {
				if code, err = a.readScript(c.Context(), scriptFile); err != nil {
					return err
				}
			}
			n, err := a.open(c.Context())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, n.Close()) }()
			return a.createWorkflow(c.Context(), n, create, code, settings, draft)
		},
	}
	flags := command.Flags()
	flags.StringVar(&create.Intent, "intent", "", "what the workflow is for, in your words; a repair is judged by it")
	flags.StringVar(&create.Zone, "zone", "", "IANA time zone of the script's local times (default UTC)")
	flags.StringVar(&create.ID, "id", "", "an id of your choice (default a new UUID)")
	flags.StringVar(&scriptFile, "script", "", "file with the first script; - for standard input")
	flags.StringVar(&input, "input", "", "the input of a run that is given none: JSON, @FILE, or - for standard input (default {})")
	flags.StringSliceVar(&settings.AllowedHosts, "allow-host", nil, "a private host, or host:port, that the script may reach")
	flags.BoolVar(&draft, "draft", false, "do not activate it yet")
	return command
}

func (a *app) createWorkflow(ctx context.Context, n *node, create workflow.Create, code string, settings workflow.Settings, draft bool) error {
	if create.ID == "" {
		create.ID = newID()
	}
	result, err := n.commands.CreateWorkflow(ctx, create, meta())
	if err != nil {
		return err
	}
	if len(settings.AllowedHosts)+len(settings.Input) > 0 {
		if result, err = n.commands.ChangeSettings(ctx, create.ID, workflow.ChangeSettings{Settings: settings}, meta()); err != nil {
			return err
		}
	}
	if code != "" {
		if result, err = n.commands.SaveScript(ctx, create.ID, workflow.SaveScript{
			ScriptID: newID(), Code: code, Comment: "first version", Origin: workflow.OriginPerson,
		}, meta()); err != nil {
			return err
		}
		if !draft {
			if result, err = n.commands.ActivateWorkflow(ctx, create.ID, workflow.Activate{}, meta()); err != nil {
				return err
			}
		}
	}
	if err := n.views.WaitFor(ctx, result.Position); err != nil {
		return err
	}
	created, err := n.queries.Workflow(ctx, create.ID)
	if err != nil {
		return err
	}
	shown := activated{Workflow: created}
	if created.Status == workflow.StatusActive {
		account, err := egress.AccountOf(ctx, n.commands, create.ID)
		if err != nil {
			return err
		}
		shown.SwitchedOn = &account
	}
	return a.show(shown, func(w io.Writer) {
		fmt.Fprintf(w, "Created %s (%s), status %s.\n", line(created.Title), created.ID, created.Status)
		if shown.SwitchedOn != nil {
			writeAccount(w, *shown.SwitchedOn, n.now())
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

// checkZone refuses what is not a time zone before it is stored.
func checkZone(name string) error {
	_, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return fault.New(fault.Invalid, "--zone %q is not a time zone: use a name like Europe/Berlin", name)
	}
	return nil
}

// readFile reads a file that the person named; - is standard input.
func (a *app) readFile(path string) (string, error) {
	var content []byte
	var err error
	if path == "-" {
		content, err = io.ReadAll(a.in)
	} else {
		content, err = os.ReadFile(path)
	}
	if err != nil {
		return "", fault.New(fault.Invalid, "cannot read %s: %w", path, err)
	}
	return string(content), nil
}

func newWorkflowListCommand(a *app) *cobra.Command {
	var filter projections.WorkflowFilter
	command := &cobra.Command{Use: "list", Short: "List workflows", Args: takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		return a.with(c.Context(), func(n *node) error {
			list, err := n.queries.Workflows(c.Context(), filter)
			if err != nil {
				return err
			}
			return a.show(list, func(w io.Writer) {
				if len(list) == 0 && filter == (projections.WorkflowFilter{}) {
					fmt.Fprintln(w, "No workflows. Make one with 'kintsugi workflow create'.")
					return
				}
				now := time.Now()
				rows := make([][]string, len(list))
				for i, one := range list {
					last := "-"
					if one.LastOutcome != "" {
						last = one.LastOutcome + " " + ago(one.LastEnded, now)
					}
					rows[i] = []string{one.ID, one.Title, string(one.Status), dash(one.Version), last, fmt.Sprint(one.Fixes)}
				}
				table(w, []string{"ID", "TITLE", "STATUS", "VERSION", "LAST RUN", "FIXES"}, rows)
			})
		})
	}}
	choose(command.Flags(), &filter.Status, "status", "only those in this status", workflow.StatusDraft, workflow.StatusActive,
		workflow.StatusMaintenance, workflow.StatusHeld, workflow.StatusWaiting, workflow.StatusEscalated, workflow.StatusPaused, workflow.StatusArchived)
	command.Flags().BoolVar(&filter.Archived, "archived", false, "also archived ones")
	return command
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func newWorkflowShowCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "show WORKFLOW", Short: "Show a workflow: what it is for, where it stands, what happened last", Args: takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return a.with(c.Context(), func(n *node) error {
			id, err := n.resolveWorkflow(c.Context(), args[0])
			if err != nil {
				return err
			}
			one, err := n.queries.Workflow(c.Context(), id)
			if err != nil {
				return err
			}
			threads, err := n.queries.Threads(c.Context(), id, projections.KindMaintainer)
			if err != nil {
				return err
			}
			open, err := n.queries.Notifications(c.Context(), projections.NotificationFilter{Workflow: id, Open: true, Operator: true})
			if err != nil {
				return err
			}
			queued, err := n.queries.QueuedInputs(c.Context(), id)
			if err != nil {
				return err
			}
			triggers, err := n.queries.EventTriggers(c.Context(), id)
			if err != nil {
				return err
			}
			type shown struct {
				projections.Workflow
				Queued        []projections.QueuedInput  `json:"queued"`   // inputs that wait
				Triggers      []projections.EventTrigger `json:"triggers"` // what starts it, and what it starts
				Repairs       []projections.Thread       `json:"repairs"`
				Notifications []projections.Notification `json:"notifications"`
				// Stopped is why its repair waits, if it cannot go on now.
				Stopped string `json:"repairs_stopped,omitempty"`
				// Unfinished are runs that failed half done, and that nothing has gone on with.
				Unfinished []shownUnfinished `json:"unfinished"`
				// Unreadable is why its stream cannot be read, if it cannot.
				Unreadable string `json:"unreadable,omitempty"`
			}
			repair := ""
			if one.Status == workflow.StatusMaintenance && len(threads) > 0 {
				repair = threads[0].ID
			}
			stopped, err := n.repairWaits(c.Context(), repair)
			if err != nil {
				return err
			}
			unreadable := ""
			state, err := n.commands.LoadWorkflow(c.Context(), id)
			if err != nil {
				unreadable = err.Error()
			}
			unfinished := unfinishedOf(state)
			return a.show(shown{one, queued, triggers, threads, open, stopped, unfinished, unreadable}, func(w io.Writer) {
				writeWorkflow(w, one, threads, open)
				writeUnfinished(w, unfinished)
				if unreadable != "" {
					fmt.Fprintf(w, "\nIt stands still, and this is how it was before. Its history cannot be read: %s\n", wrapped(unreadable, "  ", 96))
				}
				if stopped != "" {
					fmt.Fprintf(w, "\nIts repair waits: %s\n", wrapped(stopped, "  ", 96))
				}
				writeInputs(w, one.ID, queued, triggers)
			})
		})
	}}
}

// mostShown bounds what an overview shows of a list that may be long.
const mostShown = 5

func writeWorkflow(w io.Writer, one projections.Workflow, threads []projections.Thread, open []projections.Notification) {
	now := time.Now()
	fmt.Fprintf(w, "%s\n  %s\n\n", line(one.Title), one.ID)
	if one.Intent != "" {
		fmt.Fprintf(w, "Intent    %s\n", wrapped(one.Intent, "          ", 80))
	}
	fmt.Fprintf(w, "Status    %s\nVersion   %s\nSchedule  %s\nAuto-fix  %s\nRuns      %d succeeded, %d failed, %d under way\n",
		one.Status, dash(one.Version), dash(one.Schedule), one.AutoFix, one.Succeeded, one.Failed, one.Running)
	if one.LastOutcome != "" {
		fmt.Fprintf(w, "Last run  %s %s (%s)\n", one.LastOutcome, ago(one.LastEnded, now), one.LastRun)
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
		rows := make([][]string, 0, mostShown)
		for _, one := range open[:min(len(open), mostShown)] {
			rows = append(rows, []string{string(one.Type), ago(one.At, now), one.Title})
		}
		table(w, []string{"NOTIFICATION", "WHEN", "WHAT"}, rows)
		for _, told := range open[:min(len(open), mostShown)] {
			writeCandidate(w, one.ID, told.Candidate)
		}
		more(w, len(open), "notification list --workflow "+one.ID)
	}
}

func writeRepairs(w io.Writer, threads []projections.Thread, now time.Time) {
	rows := make([][]string, 0, mostShown)
	for _, t := range threads[:min(len(threads), mostShown)] {
		change := dash(t.Base)
		if t.Version != "" {
			change += " → " + t.Version
		}
		what := t.Comment
		if what == "" {
			what = firstLine(t.Explanation)
		}
		rows = append(rows, []string{change, dash(t.Outcome), ago(t.Opened, now), what})
	}
	table(w, []string{"REPAIR", "OUTCOME", "WHEN", "WHAT"}, rows)
	more(w, len(threads), "fix list")
}

func more(w io.Writer, all int, command string) {
	if all > mostShown {
		fmt.Fprintf(w, "and %d more: kintsugi %s\n", all-mostShown, command)
	}
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

func newWorkflowSettingsCommand(a *app) *cobra.Command {
	var change workflow.Settings
	var allow, disallow, idempotent, atomic, reconcile []string
	var limits map[string]string
	var input string
	command := &cobra.Command{
		Use: "settings WORKFLOW", Short: "Show or change a workflow's settings", Args: takes(1, 1),
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
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				state, err := n.commands.LoadWorkflow(c.Context(), id)
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
					settings.IdempotentHosts = changeHosts(nil, idempotent, []string{""})
				}
				if asked("atomic-host") {
					settings.AtomicHosts = changeHosts(nil, atomic, []string{""})
				}
				if asked("locale") {
					settings.Locale = change.Locale
				}
				if asked("input") {
					if settings.Input, err = a.readInput("--input", input); err != nil {
						return err
					}
				}
				if asked("unfinished") {
					settings.Unfinished = change.Unfinished
				}
				if asked("on-hold") {
					settings.OnHold = change.OnHold
				}
				if err := changeReconcile(&settings, reconcile); err != nil {
					return err
				}
				settings.AllowedHosts = changeHosts(settings.AllowedHosts, allow, disallow)
				if !reflect.DeepEqual(settings, state.Settings) {
					if _, err := n.commands.ChangeSettings(c.Context(), id, workflow.ChangeSettings{Settings: settings}, meta()); err != nil {
						return err
					}
				}
				shown := settings.WithDefaults()
				return a.show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "auto-fix       %s\nbudget         %d fixes\nrepairs        %d an hour\nactive runs    %d\nfixers         %s\nallowed hosts  %s\nidempotent     %s\natomic         %s\nlimits         %s\nlocale         %s\ninput          %s\nunfinished     %s\n",
						shown.AutoFix, shown.Budget, shown.RepairsPerHr, shown.MaxActive, strings.Join(shown.Fixers, ", "), dash(strings.Join(shown.AllowedHosts, ", ")), dash(strings.Join(shown.IdempotentHosts, ", ")), dash(strings.Join(shown.AtomicHosts, ", ")), dash(limitsText(shown)), dash(shown.Locale), short(string(shown.DefaultInput()), 200), shown.Unfinished)
					fmt.Fprint(w, reconcileText(shown))
				})
			})
		},
	}
	flags := command.Flags()
	choose(flags, &change.AutoFix, "auto-fix", "how far fixes go without you", workflow.ModeAuto, workflow.ModeProven, workflow.ModePropose, workflow.ModeOff)
	flags.IntVar(&change.Budget, "budget", workflow.DefaultBudget, "fixes in a row before the workflow is handed to you")
	flags.StringSliceVar(&change.Fixers, "fixers", nil, "who proposes fixes, in this order: templates, model, command, person")
	flags.StringVar(&change.Locale, "locale", "", "what agents write for you in, like de-DE; '' for the language of the intent")
	flags.IntVar(&change.MaxActive, "max-active", workflow.DefaultMaxActive, "how many runs may go on at once")
	flags.StringVar(&input, "input", "", "the input of a run that is given none: JSON, @FILE, or - for standard input; '' for {}")
	flags.StringSliceVar(&allow, "allow-host", nil, "a private host, or host:port, that the script may reach")
	flags.StringSliceVar(&disallow, "disallow-host", nil, "take a host off the list")
	flags.StringToStringVar(&limits, "limit", nil, "limits of one run, like wall=30s,memory=64MiB; 0 for the default ("+strings.Join(limitNames, ", ")+")")
	flags.StringSliceVar(&idempotent, "idempotent-host", nil, "all hosts that tell a repeated write by its Idempotency-Key; '' for none")
	flags.StringSliceVar(&atomic, "atomic-host", nil, "all hosts that did nothing of a write that they answer with 500; '' for none")
	flags.StringArrayVar(&reconcile, "reconcile", nil, "HOST=ADDRESS: where to ask what became of a write that was never answered; HOST= for nowhere")
	choose(flags, &change.Unfinished, "unfinished", "what becomes of a half-done run after another version was saved", workflow.UnfinishedAsk, workflow.UnfinishedContinue, workflow.UnfinishedLeave)
	choose(flags, &change.OnHold, "on-hold", "what runs do while a fix waits for you; by default those of webhooks and other workflows continue", workflow.OnHoldBlock, workflow.OnHoldContinue)
	return command
}

func changeHosts(hosts, add, remove []string) []string {
	var changed []string
	seen := map[string]bool{}
	for _, host := range remove {
		seen[host] = true
	}
	for _, host := range append(append([]string{}, hosts...), add...) {
		if !seen[host] {
			seen[host] = true
			changed = append(changed, host)
		}
	}
	return changed
}

func newWorkflowRunCommand(a *app) *cobra.Command {
	var input string
	var detach bool
	command := &cobra.Command{
		Use: "run WORKFLOW", Short: "Run a workflow now and wait for what becomes of it",
		Long: `Run a workflow now and wait for what becomes of it, repairs included. What happens is told
on standard error, the result on standard output.

A server on the same data directory ('kintsugi dev') executes the run; without one this
command does it itself, and first goes on with what was interrupted before. What is to be
tried again later needs the server.

Exit codes: 0 the run, or the run that continued it on a fix, succeeded; 10 it failed;
11 it failed and the workflow was handed to you.`,
		Example: `  kintsugi workflow run "Refund report" --input '{"day":"2026-03-01"}'
  kintsugi workflow run "Refund report" --input @input.json`,
		Args: takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			value, err := a.readInput("--input", input)
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				if detach {
					return a.admitRun(c.Context(), n, id, value)
				}
				return a.runWorkflow(c.Context(), n, id, value)
			})
		},
	}
	command.Flags().StringVar(&input, "input", "", "the script's input: JSON, @FILE, or - for standard input (default that of the settings, or {})")
	command.Flags().BoolVar(&detach, "detach", false, "only admit the run; the server executes it")
	return command
}

// readInput reads JSON from a flag: the text itself, @FILE, or - for standard input.
func (a *app) readInput(flag, value string) (json.RawMessage, error) {
	text, name := value, flag
	var err error
	if path, isFile := strings.CutPrefix(value, "@"); isFile {
		text, err = a.readFile(path)
		name = path
	} else if value == "-" {
		text, err = a.readFile("-")
		name = "standard input"
	}
	if err != nil || strings.TrimSpace(text) == "" {
		return nil, err
	}
	if !json.Valid([]byte(text)) {
		return nil, fault.New(fault.Invalid, "%s is not JSON: %s", name, whereNotJSON(text))
	}
	return json.RawMessage(text), nil
}

// whereNotJSON says where a text ceases to be JSON, as people count.
func whereNotJSON(text string) string {
	var value any
	syntax, is := errors.AsType[*json.SyntaxError](json.Unmarshal([]byte(text), &value))
	if !is || syntax.Offset >= int64(len(text)) && strings.Contains(syntax.Error(), "unexpected end") {
		return "it ends too early, after " + strconv.Quote(text[max(0, len(text)-20):])
	}
	before := text[:max(syntax.Offset-1, 0)]
	row, column := strings.Count(before, "\n")+1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])+1
	found, _ := utf8.DecodeRuneInString(text[len(before):])
	return fmt.Sprintf("line %d, character %d: %q cannot stand there", row, column, found)
}
