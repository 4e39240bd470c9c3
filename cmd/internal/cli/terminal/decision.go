package terminal

import (
	"fmt"
	"io"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/projections"
)

// WriteDecision shows what happened, and the commands that a person may give.
func WriteDecision(d app.Decision, w io.Writer, indent string) {
	if d.Said != "" {
		fmt.Fprintf(w, "%sThe host says: %s\n", indent, plain.Line(d.Said))
	}
	if len(d.Changed) > 0 {
		fmt.Fprintf(w, "%sWhat changed since the runs that succeeded:\n", indent)
		WriteChanged(w, d.Changed, indent)
	}
	if d.Run != "" {
		fmt.Fprintf(w, "%s%-10s kintsugi run show %s\n", indent, "look", d.Run)
	}
	if d.Repair != "" {
		fmt.Fprintf(w, "%s%-10s kintsugi fix thread %s\n", indent, "tried", d.Repair)
	}
	for _, one := range d.Actions {
		fmt.Fprintf(w, "%s%-10s kintsugi %s\n", indent, one.Action, one.Command)
	}
}

// WriteChanged lists what a failed run was given that is not as it was.
func WriteChanged(w io.Writer, changed []gate.Changed, indent string) {
	for _, one := range changed {
		fmt.Fprintf(w, "%s  · %s\n", indent, plain.Wrapped(one.String(), indent+"    ", 92))
	}
}

// WriteCandidate shows the best that a maintainer had when it gave up.
func WriteCandidate(w io.Writer, of string, best *projections.Candidate) {
	if best == nil {
		return
	}
	fmt.Fprintf(w, "    The best candidate was %s: %s (%s)\n", best.Verdict, plain.Line(best.Comment), plain.Line(best.Fixer))
	for _, why := range best.Why {
		fmt.Fprintf(w, "      %s\n", plain.Wrapped(why, "      ", 96))
	}
	if best.Exempt != "" {
		fmt.Fprintf(w, "    If that recorded run was wrong: %s\n", ExemptCommand(best.Exempt, of))
	}
}

// ExemptCommand is the command that leaves a recorded run out.
func ExemptCommand(run, of string) string {
	return fmt.Sprintf("kintsugi run exempt %s --workflow %s --reason \"why it was wrong\"", run, of)
}
