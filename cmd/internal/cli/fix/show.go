package fix

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newShowCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "show FIX", Annotations: terminal.RemoteOwned(installation.Read), Short: "Show a fix: the change, the verdict, why it waits, what accepting it allows", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Fix(c.Context(), args[0])
				if err != nil {
					return err
				}
				shown, err := n.Fixes.Get(c.Context(), id)
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) { writeFix(w, shown) })
			})
		},
	}
}

// writeAssumed tells which answers of writes stood in.
func writeAssumed(w io.Writer, assumed []string) {
	for _, one := range assumed {
		fmt.Fprintf(w, "  %s\n", plain.Wrapped(one, "    ", 96))
	}
}

func writeFix(w io.Writer, fix app.FixView) {
	fmt.Fprintf(w, "%s\n  fix %s of version %s of %s, %s\n", plain.Line(fix.Comment), fix.Proposal, fix.Base, plain.Line(fix.WorkflowTitle), fix.State)
	if fix.Budget > 0 {
		fmt.Fprintf(w, "  attempt %d of %d, for run %s\n", fix.Attempt, fix.Budget, fix.Run)
	}
	fmt.Fprintf(w, "  %s\n", madeBy(fix.Fixer))
	if v := fix.Verification; v != nil {
		fmt.Fprintf(w, "  judged by %s, certificate %s\n", plain.Dash(v.GateVersion), plain.Dash(v.Certificate))
	}
	if fix.Why != "" {
		fmt.Fprintf(w, "  %s\n", plain.Indented(fix.Why, "  "))
	}
	fmt.Fprintf(w, "\n%s", plain.Clean(fix.Diff))
	if v := fix.Verification; v != nil {
		fmt.Fprintf(w, "\nVerdict: %s\n", plain.Wrapped(projections.VerdictLine(*v), "  ", 96))
		writeOutcome(w, v.Output, v.Writes)
		writeAssumed(w, v.Assumed)
		if r := v.Rehearsal; r != nil {
			became := "succeeded"
			if !r.Succeeded {
				became = "failed: " + plain.Line(r.Problem)
			}
			fmt.Fprintf(w, "Rehearsed with live reads, no write was sent: %s\n", became)
			writeOutcome(w, r.Output, r.Writes)
			writeAssumed(w, append(r.Assumed, r.Invented...))
		}
	}
	for _, reason := range fix.Reasons {
		fmt.Fprintf(w, "Held: %s\n", plain.Wrapped(reason, "  ", 96))
	}
	if fix.Verification != nil {
		writeWidening(w, "Accepting it allows", fix.Verification.Widens)
	}
	for i, alternative := range fix.Alternatives {
		fmt.Fprintf(w, "\nAlternative %d: %s\n%s", i+1, plain.Line(alternative.Comment),
			plain.Clean(udiff.Unified(fix.Base, fmt.Sprintf("alternative %d", i+1), fix.BaseCode, alternative.Code)))
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

func writeAnswers(w io.Writer, fix app.FixView) {
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
	if fixer.Kind == workflow.FixerSuggested {
		return "suggested by " + plain.Line(fixer.Version)
	}
	text := "made by " + plain.Line(fixer.Kind+" "+fixer.Version)
	if fixer.Detail != "" {
		text += " (" + plain.Line(fixer.Detail) + ")"
	}
	return text
}

func writeWidening(w io.Writer, what string, widens *workflow.Widening) {
	for _, allowed := range projections.WideningText(widens) {
		fmt.Fprintf(w, "%s: %s\n", what, plain.Line(allowed))
	}
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
func writeExempt(w io.Writer, fix app.FixView) {
	if len(fix.Exempt) == 0 || (fix.State != projections.FixHeld && fix.State != projections.FixDifferent) {
		return
	}
	fmt.Fprint(w, "\nIf a recorded run that it is measured by was wrong, leave it out, and recheck:\n")
	for _, run := range fix.Exempt[:min(len(fix.Exempt), terminal.MostShown)] {
		fmt.Fprintf(w, "  %s\n", terminal.ExemptCommand(run, fix.Workflow))
	}
}

func writeOutcome(w io.Writer, output, writes json.RawMessage) {
	if len(output) > 0 {
		fmt.Fprintf(w, "  output of the failing run  %s\n", plain.Clean(plain.Short(string(output), 400)))
	}
	if len(writes) == 0 || strings.TrimSpace(string(writes)) == "null" {
		return
	}
	var list []struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	if json.Unmarshal(writes, &list) != nil {
		fmt.Fprintf(w, "  its writes                 %s\n", plain.Clean(plain.Short(string(writes), 400)))
		return
	}
	for i, one := range list {
		fmt.Fprintf(w, "  write %-3d                  %s %s\n", i+1, one.Tool, plain.Clean(plain.Short(string(one.Args), 300)))
	}
}
