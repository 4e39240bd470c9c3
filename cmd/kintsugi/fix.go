package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newFixCommand(a *app) *cobra.Command {
	return group("fix", "Look at fixes, answer those that wait for you, check their proof again",
		newFixListCommand(a), newFixShowCommand(a), newFixAcceptCommand(a), newFixDeclineCommand(a), newFixVerifyCommand(a))
}

func newFixListCommand(a *app) *cobra.Command {
	var filter projections.FixFilter
	var of string
	command := &cobra.Command{Use: "list", Short: "List fixes, the newest first", Args: takes(0, 0), RunE: func(c *cobra.Command, _ []string) error {
		return a.with(c.Context(), func(n *node) (err error) {
			if of != "" {
				if filter.Workflow, err = n.resolveWorkflow(c.Context(), of); err != nil {
					return err
				}
			}
			list, err := n.queries.Fixes(c.Context(), filter)
			if err != nil {
				return err
			}
			return a.show(list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "No fixes.")
					return
				}
				now := time.Now()
				rows := make([][]string, len(list))
				for i, one := range list {
					verdict := "-"
					if one.Verification != nil {
						verdict = string(one.Verification.Verdict)
					}
					rows[i] = []string{one.Proposal, one.Base, dash(one.Version), string(one.State), verdict, ago(one.Proposed, now), short(one.Comment, 60)}
				}
				table(w, []string{"ID", "BASE", "VERSION", "STATE", "VERDICT", "PROPOSED", "COMMENT"}, rows)
			})
		})
	}}
	command.Flags().StringVar(&of, "workflow", "", "only fixes of this workflow")
	choose(command.Flags(), &filter.State, "state", "only fixes in this state", projections.FixProposed, projections.FixHeld, projections.FixApplied,
		projections.FixAccepted, projections.FixConfirmed, projections.FixRegressed, projections.FixWithdrawn, projections.FixDeclined,
		projections.FixCorrected, projections.FixStale, projections.FixDifferent)
	return command
}

func newFixShowCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "show FIX", Short: "Show a fix: the change, the verdict, why it waits", Args: takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return a.with(c.Context(), func(n *node) error {
			id, err := n.resolveFix(c.Context(), args[0])
			if err != nil {
				return err
			}
			fix, err := n.queries.Fix(c.Context(), id)
			if err != nil {
				return err
			}
			base, err := n.script(c.Context(), fix.Workflow, []string{fix.Base})
			if err != nil {
				return err
			}
			type shown struct {
				projections.Fix
				Diff string `json:"diff"`
			}
			diff := udiff.Unified(fix.Base, "fix", base.Code, fix.Code)
			return a.show(shown{fix, diff}, func(w io.Writer) { writeFix(w, fix, base.Code, diff) })
		})
	}}
}

func writeFix(w io.Writer, fix projections.Fix, base, diff string) {
	fmt.Fprintf(w, "%s\n  fix %s of version %s, %s\n  by %s %s\n", line(fix.Comment), fix.Proposal, fix.Base, fix.State, fix.Fixer.Kind, fix.Fixer.Version)
	if fix.Why != "" {
		fmt.Fprintf(w, "  %s\n", indented(fix.Why, "  "))
	}
	fmt.Fprintf(w, "\n%s", clean(diff))
	if v := fix.Verification; v != nil {
		fmt.Fprintf(w, "\nVerdict: %s\n", wrapped(verdictLine(*v), "  ", 96))
		writeOutcome(w, v.Output, v.Writes)
		if r := v.Rehearsal; r != nil {
			became := "succeeded"
			if !r.Succeeded {
				became = "failed: " + line(r.Problem)
			}
			fmt.Fprintf(w, "Rehearsed with live reads: %s\n", became)
			writeOutcome(w, r.Output, r.Writes)
		}
		fmt.Fprintf(w, "Certificate: %s (%s)\n", v.Certificate, v.GateVersion)
	}
	for _, reason := range fix.Reasons {
		fmt.Fprintf(w, "Held: %s\n", wrapped(reason, "  ", 96))
	}
	for i, alternative := range fix.Alternatives {
		fmt.Fprintf(w, "\nAlternative %d: %s\n%s", i+1, line(alternative.Comment), clean(udiff.Unified(fix.Base, fmt.Sprintf("alternative %d", i+1), base, alternative.Code)))
		writeOutcome(w, alternative.Output, alternative.Writes)
	}
	if fix.State == projections.FixHeld {
		fmt.Fprintf(w, "\nAnswer with: kintsugi fix accept %s, or: kintsugi fix decline %s\n", fix.Proposal, fix.Proposal)
	}
}

func writeOutcome(w io.Writer, output, writes json.RawMessage) {
	if len(output) > 0 {
		fmt.Fprintf(w, "  output of the failing run  %s\n", clean(short(string(output), 400)))
	}
	if len(writes) > 0 && string(writes) != "null" {
		fmt.Fprintf(w, "  its writes                 %s\n", clean(short(string(writes), 400)))
	}
}

func newFixAcceptCommand(a *app) *cobra.Command {
	accept := workflow.AcceptFix{}
	command := &cobra.Command{
		Use: "accept FIX", Short: "Apply a fix that waits for you", Args: takes(1, 1),
		Example: `  kintsugi fix accept 3f0c… --reason "the new field is right"
  kintsugi fix accept 3f0c… --alternative 1`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.answerFix(c.Context(), args[0], "Accepted", func(n *node, fix projections.Fix) (commands.Result, error) {
				accept.Proposal, accept.ScriptID = fix.Proposal, newID()
				return n.commands.AcceptFix(c.Context(), fix.Workflow, accept, meta())
			})
		},
	}
	command.Flags().IntVar(&accept.Alternative, "alternative", 0, "take the n-th alternative instead of the fix itself")
	command.Flags().StringSliceVar(&accept.AllowHosts, "allow-host", nil, "a host that the fix needs beyond the allow-list")
	command.Flags().StringVar(&accept.Reason, "reason", "", "why, for the history")
	return command
}

func newFixDeclineCommand(a *app) *cobra.Command {
	var reason string
	command := &cobra.Command{
		Use: "decline FIX", Short: "Refuse a fix that waits for you; the workflow is handed to you", Args: takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.answerFix(c.Context(), args[0], "Declined", func(n *node, fix projections.Fix) (commands.Result, error) {
				return n.commands.DeclineFix(c.Context(), fix.Workflow, workflow.DeclineFix{Proposal: fix.Proposal, Reason: reason}, meta())
			})
		},
	}
	command.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return command
}

func (a *app) answerFix(ctx context.Context, reference, done string, answer func(*node, projections.Fix) (commands.Result, error)) error {
	return a.with(ctx, func(n *node) error {
		id, err := n.resolveFix(ctx, reference)
		if err != nil {
			return err
		}
		fix, err := n.queries.Fix(ctx, id)
		if err != nil {
			return err
		}
		result, err := answer(n, fix)
		if err != nil {
			return err
		}
		if err := n.views.WaitFor(ctx, result.Position); err != nil {
			return err
		}
		if fix, err = n.queries.Fix(ctx, id); err != nil {
			return err
		}
		shown, err := n.queries.Workflow(ctx, fix.Workflow)
		if err != nil {
			return err
		}
		return a.show(fix, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %s. Version %s is active, status %s.\n", done, strings.TrimSuffix(line(fix.Comment), "."), shown.Version, shown.Status)
			switch shown.Status {
			case workflow.StatusActive:
				fmt.Fprintln(w, "The failed run goes on with it: at once if a server runs, else with 'kintsugi dev'.")
			case workflow.StatusEscalated:
				fmt.Fprintf(w, "Next: kintsugi script save %s --file SCRIPT, or: kintsugi workflow activate %s\n", fix.Workflow, fix.Workflow)
			}
		})
	})
}
