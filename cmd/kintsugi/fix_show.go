package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// shownFix is a fix with what it takes to decide about it.
type shownFix struct {
	projections.Fix
	WorkflowTitle string `json:"workflow_title"`
	Diff          string `json:"diff"`
	// Exempt are the recorded successes that are in its way: if one of them was wrong, exempting it
	// lets the gate leave it out.
	Exempt []string `json:"exempt"`
	// Held is the fix of the workflow that waits now, if that is another one.
	Held string `json:"held,omitempty"`

	base string
}

func newFixShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show FIX", Short: "Show a fix: the change, the verdict, why it waits, what accepting it allows", Args: takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveFix(c.Context(), args[0])
				if err != nil {
					return err
				}
				shown, err := n.showFix(c.Context(), id)
				if err != nil {
					return err
				}
				return a.show(shown, func(w io.Writer) { writeFix(w, shown) })
			})
		},
	}
}

func (n *node) showFix(ctx context.Context, id string) (shownFix, error) {
	fix, err := n.queries.Fix(ctx, id)
	if err != nil {
		return shownFix{}, err
	}
	base, err := n.script(ctx, fix.Workflow, []string{fix.Base})
	if err != nil {
		return shownFix{}, err
	}
	of, err := n.queries.Workflow(ctx, fix.Workflow)
	if err != nil {
		return shownFix{}, err
	}
	shown := shownFix{
		Fix: fix, WorkflowTitle: of.Title, Diff: udiff.Unified(fix.Base, "fix", base.Code, fix.Code), Exempt: []string{}, base: base.Code,
	}
	if of.HeldFix != id {
		shown.Held = of.HeldFix
	}
	if v := fix.Verification; v != nil {
		for _, one := range append([]string{v.Diverges}, v.Unverified...) {
			run, err := n.queries.Run(ctx, one)
			if err == nil && run.Status == projections.RunSucceeded && run.Exempted == "" {
				shown.Exempt = append(shown.Exempt, one)
			}
		}
	}
	return shown, nil
}

func writeFix(w io.Writer, fix shownFix) {
	fmt.Fprintf(w, "%s\n  fix %s of version %s of %s, %s\n", line(fix.Comment), fix.Proposal, fix.Base, line(fix.WorkflowTitle), fix.State)
	if fix.Budget > 0 {
		fmt.Fprintf(w, "  attempt %d of %d, for run %s\n", fix.Attempt, fix.Budget, fix.Run)
	}
	fmt.Fprintf(w, "  made by %s\n", madeBy(fix.Fixer))
	if v := fix.Verification; v != nil {
		fmt.Fprintf(w, "  judged by %s, certificate %s\n", dash(v.GateVersion), dash(v.Certificate))
	}
	if fix.Why != "" {
		fmt.Fprintf(w, "  %s\n", indented(fix.Why, "  "))
	}
	fmt.Fprintf(w, "\n%s", clean(fix.Diff))
	if v := fix.Verification; v != nil {
		fmt.Fprintf(w, "\nVerdict: %s\n", wrapped(verdictLine(*v), "  ", 96))
		writeOutcome(w, v.Output, v.Writes)
		if r := v.Rehearsal; r != nil {
			became := "succeeded"
			if !r.Succeeded {
				became = "failed: " + line(r.Problem)
			}
			fmt.Fprintf(w, "Rehearsed with live reads, no write was sent: %s\n", became)
			writeOutcome(w, r.Output, r.Writes)
		}
	}
	for _, reason := range fix.Reasons {
		fmt.Fprintf(w, "Held: %s\n", wrapped(reason, "  ", 96))
	}
	if fix.Verification != nil {
		writeWidening(w, "Accepting it allows", fix.Verification.Widens)
	}
	for i, alternative := range fix.Alternatives {
		fmt.Fprintf(w, "\nAlternative %d: %s\n%s", i+1, line(alternative.Comment),
			clean(udiff.Unified(fix.Fix.Base, fmt.Sprintf("alternative %d", i+1), fix.base, alternative.Code)))
		writeOutcome(w, alternative.Output, alternative.Writes)
		writeWidening(w, "Accepting it allows", alternative.Widens)
	}
	writeAccepted(w, fix.Accepted)
	writeExempt(w, fix)
	switch {
	case fix.State == projections.FixHeld:
		fmt.Fprint(w, "\nAnswer with one of:\n")
		writeAnswers(w, fix)
	case fix.Held != "":
		fmt.Fprintf(w, "\nAnother fix of this workflow waits for you now: kintsugi fix show %s\n", fix.Held)
	}
}

func writeAnswers(w io.Writer, fix shownFix) {
	fmt.Fprintf(w, "  kintsugi fix accept %s\n", fix.Proposal)
	if len(fix.Alternatives) > 0 {
		fmt.Fprintf(w, "  kintsugi fix accept %s --alternative 1\n", fix.Proposal)
	}
	fmt.Fprintf(w, "  kintsugi fix correct %s --note \"what to do instead\"\n", fix.Proposal)
	fmt.Fprintf(w, "  kintsugi fix recheck %s     # after you changed something\n", fix.Proposal)
	fmt.Fprintf(w, "  kintsugi fix decline %s\n", fix.Proposal)
}

// madeBy is who made a fix, precisely enough to tell it from another make.
func madeBy(fixer workflow.Fixer) string {
	text := line(fixer.Kind + " " + fixer.Version)
	if fixer.Detail != "" {
		text += " (" + line(fixer.Detail) + ")"
	}
	return text
}

func writeWidening(w io.Writer, what string, widens *workflow.Widening) {
	for _, allowed := range wideningText(widens) {
		fmt.Fprintf(w, "%s: %s\n", what, line(allowed))
	}
}

func wideningText(widens *workflow.Widening) []string {
	if widens == nil {
		return nil
	}
	var text []string
	for _, host := range widens.Hosts {
		text = append(text, "reading from "+host)
	}
	for _, place := range widens.Writes {
		text = append(text, "writing by "+place)
	}
	for _, use := range widens.Secrets {
		text = append(text, fmt.Sprintf("sending the secret %s to %s", use.Name, use.Host))
	}
	return text
}

func writeAccepted(w io.Writer, accepted *workflow.FixAccepted) {
	if accepted == nil {
		return
	}
	if accepted.Alternative > 0 {
		fmt.Fprintf(w, "Accepted: alternative %d\n", accepted.Alternative)
	}
	writeWidening(w, "Allowed by that", &workflow.Widening{Hosts: accepted.AllowHosts, Secrets: accepted.BindSecrets})
}

// writeExempt offers to leave out recorded runs that a fix is in conflict with.
func writeExempt(w io.Writer, fix shownFix) {
	if len(fix.Exempt) == 0 || (fix.State != projections.FixHeld && fix.State != projections.FixDifferent) {
		return
	}
	fmt.Fprint(w, "\nIf a recorded run that it is measured by was wrong, leave it out, and recheck:\n")
	for _, run := range fix.Exempt[:min(len(fix.Exempt), mostShown)] {
		fmt.Fprintf(w, "  %s\n", exemptCommand(run, fix.Workflow))
	}
}

func exemptCommand(run, of string) string {
	return fmt.Sprintf("kintsugi run exempt %s --workflow %s --reason \"why it was wrong\"", run, of)
}

func writeOutcome(w io.Writer, output, writes json.RawMessage) {
	if len(output) > 0 {
		fmt.Fprintf(w, "  output of the failing run  %s\n", clean(short(string(output), 400)))
	}
	if len(writes) == 0 || strings.TrimSpace(string(writes)) == "null" {
		return
	}
	var list []struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	if json.Unmarshal(writes, &list) != nil {
		fmt.Fprintf(w, "  its writes                 %s\n", clean(short(string(writes), 400)))
		return
	}
	for i, one := range list {
		fmt.Fprintf(w, "  write %-3d                  %s %s\n", i+1, one.Tool, clean(short(string(one.Args), 300)))
	}
}
