package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newScriptCommand(a *app) *cobra.Command {
	return group("script", "Save, compare and restore script versions",
		newScriptSaveCommand(a), newScriptListCommand(a), newScriptShowCommand(a), newScriptDiffCommand(a), newScriptRollbackCommand(a))
}

// readScript reads a script and says where it does not parse, before anything is stored.
func (a *app) readScript(ctx context.Context, file string) (string, error) {
	code, err := a.readFile(file)
	if err != nil {
		return "", err
	}
	return code, checkScript(ctx, code, fileName(file))
}

func fileName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// checkScript names the place of a fault, and shows it. A worker looks for it: there are texts that keep
// a parser busy for ever.
func checkScript(ctx context.Context, code, file string) error {
	err := withRunner(ctx, func(runner sandbox.Runner) error { return runner.Check(ctx, code) })
	if fault, ok := errors.AsType[*sandbox.SyntaxError](err); ok {
		return scriptFault(code, file, fault)
	}
	return err
}

func scriptFault(code, file string, e *sandbox.SyntaxError) error {
	if e.Line == 0 {
		return fault.New(fault.Invalid, "%s: %s", file, e.Message)
	}
	shown := ""
	if lines := strings.Split(code, "\n"); e.Line <= len(lines) {
		source := strings.ReplaceAll(strings.TrimRight(lines[e.Line-1], "\r"), "\t", " ")
		before := utf8.RuneCountInString(source[:min(e.Column-1, len(source))])
		if before < widestSource {
			shown = fmt.Sprintf("\n%5d | %s\n      | %s^", e.Line, cutRunes(source, widestSource), strings.Repeat(" ", before))
		}
	}
	return fault.New(fault.Invalid, "%s: line %d, column %d: %s%s", file, e.Line, e.Column, e.Message, shown)
}

// widestSource is how much of a line of source fits beside its number.
const widestSource = 100

func newScriptSaveCommand(a *app) *cobra.Command {
	var file, comment, summary string
	var check bool
	command := &cobra.Command{
		Use: "save WORKFLOW", Short: "Save a new version of the script: the next major, active from now on",
		Long: `Save a new version of the script: the next major, active from now on.

--check saves nothing. It replays the recorded successes of the active major on the script and says
of each whether output and writes would be the same. A script may change behaviour; this is to see
where. Exit code 0 if every run is the same, 1 if some differ, 3 if some cannot be told, because
they would have made a call that was never recorded.`,
		Example: `  kintsugi script save "Refund report" --file refunds.js --check
  kintsugi script save "Refund report" --file refunds.js --comment "also file refunds in euro"`,
		Args: takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			code, err := a.readScript(c.Context(), file)
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				if check {
					return a.checkSave(c.Context(), n, id, code)
				}
				result, err := n.commands.SaveScript(c.Context(), id, workflow.SaveScript{
					ScriptID: newID(), Code: code, Comment: comment, Summary: summary, Origin: workflow.OriginPerson,
				}, meta())
				if err != nil {
					return err
				}
				return a.showActive(c.Context(), n, id, result.Position, "Saved")
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&file, "file", "", "the script; - for standard input")
	flags.StringVar(&comment, "comment", "", "what changed, in one line")
	flags.StringVar(&summary, "summary", "", "what the script does, for people")
	flags.BoolVar(&check, "check", false, "save nothing: say which recorded runs would change")
	_ = command.MarkFlagRequired("file") // the flag is there
	return command
}

func newScriptListCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "list WORKFLOW", Short: "List a workflow's script versions", Args: takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return a.with(c.Context(), func(n *node) error {
			id, err := n.resolveWorkflow(c.Context(), args[0])
			if err != nil {
				return err
			}
			list, err := n.queries.Scripts(c.Context(), id)
			if err != nil {
				return err
			}
			return a.show(list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintf(w, "No script yet. Save one with 'kintsugi script save %s --file FILE'.\n", id)
					return
				}
				now := time.Now()
				rows := make([][]string, len(list))
				for i, one := range list {
					rows[i] = []string{one.Version, mark(one), string(one.Origin), briefActor(one.Author), ago(one.Saved, now), one.Comment}
				}
				table(w, []string{"VERSION", "", "ORIGIN", "BY", "SAVED", "COMMENT"}, rows)
			})
		})
	}}
}

func mark(one projections.Script) string {
	switch {
	case one.Active && one.Confirmed:
		return "active, confirmed"
	case one.Active:
		return "active"
	case one.Withdrawn:
		return "withdrawn"
	case one.Confirmed:
		return "confirmed"
	}
	return ""
}

func newScriptShowCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "show WORKFLOW [VERSION]", Short: "Show a script: the active version, or the one named", Args: takes(1, 2), RunE: func(c *cobra.Command, args []string) error {
		return a.with(c.Context(), func(n *node) error {
			id, err := n.resolveWorkflow(c.Context(), args[0])
			if err != nil {
				return err
			}
			script, err := n.script(c.Context(), id, args[1:])
			if err != nil {
				return err
			}
			return a.show(script, func(w io.Writer) { fmt.Fprintln(w, strings.TrimSuffix(clean(script.Code), "\n")) })
		})
	}}
}

func (n *node) script(ctx context.Context, id string, version []string) (projections.Script, error) {
	if len(version) == 0 {
		return n.queries.ActiveScript(ctx, id)
	}
	parsed, err := workflow.ParseVersion(version[0])
	if err != nil {
		return projections.Script{}, fault.New(fault.Invalid, "%w", err)
	}
	return n.queries.Script(ctx, id, parsed)
}

func newScriptDiffCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "diff WORKFLOW [FROM] [TO]", Short: "Compare two versions: by default the active one with the one saved before it",
		Args: takes(1, 3),
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				from, to, err := n.compared(c.Context(), id, args[1:])
				if err != nil {
					return err
				}
				diff := udiff.Unified(from.Version, to.Version, from.Code, to.Code)
				shown := map[string]string{"from": from.Version, "to": to.Version, "comment": to.Comment, "diff": diff}
				return a.show(shown, func(w io.Writer) {
					if diff == "" {
						fmt.Fprintf(w, "%s and %s are the same.\n", from.Version, to.Version)
						return
					}
					fmt.Fprint(w, clean(diff))
				})
			})
		},
	}
}

// compared are the two versions that a diff is about.
func (n *node) compared(ctx context.Context, id string, versions []string) (from, to projections.Script, err error) {
	to, err = n.script(ctx, id, versions[min(1, len(versions)):])
	if err != nil {
		return from, to, err
	}
	if len(versions) > 0 {
		from, err = n.script(ctx, id, versions[:1])
		return from, to, err
	}
	list, err := n.queries.Scripts(ctx, id)
	if err != nil {
		return from, to, err
	}
	newest, err := workflow.ParseVersion(to.Version)
	if err != nil {
		return from, to, err
	}
	var best workflow.Version
	for _, one := range list {
		if v, err := workflow.ParseVersion(one.Version); err == nil && v.Compare(newest) < 0 && v.Compare(best) > 0 {
			best, from = v, one
		}
	}
	if from.Version == "" {
		return from, to, fault.New(fault.NotFound, "version %s is the first: there is nothing before it to compare with", to.Version)
	}
	from, err = n.queries.Script(ctx, id, best)
	return from, to, err
}

func newScriptRollbackCommand(a *app) *cobra.Command {
	var comment string
	command := &cobra.Command{
		Use: "rollback WORKFLOW VERSION", Short: "Save an earlier version's script again, as the next major", Args: takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			version, err := workflow.ParseVersion(args[1])
			if err != nil {
				return fault.New(fault.Invalid, "%w", err)
			}
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				result, err := n.commands.RollbackScript(c.Context(), id, workflow.Rollback{To: version, ScriptID: newID(), Comment: comment}, meta())
				if err != nil {
					return err
				}
				return a.showActive(c.Context(), n, id, result.Position, "Rolled back")
			})
		},
	}
	command.Flags().StringVar(&comment, "comment", "", "why")
	return command
}

// showActive prints the version that is active after a change.
func (a *app) showActive(ctx context.Context, n *node, id string, position eventlog.Position, done string) error {
	if err := n.views.WaitFor(ctx, position); err != nil {
		return err
	}
	script, err := n.queries.ActiveScript(ctx, id)
	if err != nil {
		return err
	}
	state, err := n.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	return a.show(script, func(w io.Writer) {
		fmt.Fprintf(w, "%s: version %s is active.\n", done, script.Version)
		writeUnfinished(w, unfinishedOf(state))
	})
}
