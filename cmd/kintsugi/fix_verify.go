package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/projections"
)

// proof is what became of checking a fix's certificate again.
type proof struct {
	Fix         string `json:"fix"`
	Holds       bool   `json:"holds"`
	Verdict     string `json:"verdict"` // now
	Recorded    string `json:"recorded"`
	Certificate string `json:"certificate"` // now
	Problem     string `json:"problem,omitempty"`
}

func newFixVerifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "verify FIX", Short: "Judge a fix again on the runs it was judged on, and compare the certificates",
		Long: `Judge a fix again: the gate replays the failing run and the recorded successes that the
verdict was made of, and must come to the same certificate. Exit code 20 if it does not.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveFix(c.Context(), args[0])
				if err != nil {
					return err
				}
				found, err := n.proveAgain(c.Context(), id)
				if err != nil {
					return err
				}
				if err := a.show(found, func(w io.Writer) { writeProof(w, found) }); err != nil {
					return err
				}
				if !found.Holds {
					return &exitError{code: exitBroken}
				}
				return nil
			})
		},
	}
}

func writeProof(w io.Writer, found proof) {
	if found.Holds {
		fmt.Fprintf(w, "The proof holds: judged again, the fix is %s with the same certificate %s.\n", found.Verdict, found.Certificate)
		return
	}
	fmt.Fprintf(w, "The proof does not hold: %s\n  recorded  %s\n  now       %s (%s)\n", found.Problem, found.Recorded, found.Certificate, found.Verdict)
}

// proveAgain judges a fix on what was known when it was judged.
func (n *node) proveAgain(ctx context.Context, id string) (result proof, err error) {
	fix, err := n.queries.Fix(ctx, id)
	if err != nil {
		return proof{}, err
	}
	if fix.Verification == nil || fix.Verification.Certificate == "" {
		return proof{}, fault.New(fault.Conflict, "fix %s was never judged: there is no certificate to check", id)
	}
	subject, err := n.subjectOf(ctx, fix)
	if err != nil {
		return proof{}, err
	}
	pool := newPool(slog.New(slog.DiscardHandler))
	defer func() { err = errors.Join(err, pool.Close()) }()
	gate, err := replay.Open(ctx, pool, subject, replay.Options{})
	if err != nil {
		return proof{}, err
	}
	again, err := gate.Judge(ctx, fix.Code)
	if err != nil {
		return proof{}, err
	}
	result = proof{
		Fix: id, Holds: again.Certificate == fix.Verification.Certificate, Verdict: again.Verdict,
		Recorded: fix.Verification.Certificate, Certificate: again.Certificate,
	}
	switch {
	case result.Holds:
	case fix.Verification.GateVersion != again.GateVersion:
		result.Problem = fmt.Sprintf("it was judged by %s, this program has %s", fix.Verification.GateVersion, again.GateVersion)
	default:
		result.Problem = "the script, a recorded run or the verdict is not what it was"
	}
	return result, nil
}

// subjectOf is what the gate was given for a fix: the settings of that moment, and the runs
// that the verdict names.
func (n *node) subjectOf(ctx context.Context, fix projections.Fix) (replay.Subject, error) {
	state, err := n.stateAt(ctx, fix)
	if err != nil {
		return replay.Subject{}, err
	}
	version, err := workflow.ParseVersion(fix.Base)
	if err != nil {
		return replay.Subject{}, err
	}
	base, found := state.Script(version)
	if !found {
		return replay.Subject{}, fmt.Errorf("version %s of workflow %s is not in its history", version, fix.Workflow)
	}
	failed, err := n.commands.LoadRun(ctx, fix.Run)
	if err != nil {
		return replay.Subject{}, err
	}
	return maintenance.Subject(ctx, n.commands, state, base, failed, fix.Verification.Runs, fix.Verification.Exempted)
}

// stateAt folds the workflow up to the verdict on a fix.
func (n *node) stateAt(ctx context.Context, fix projections.Fix) (workflow.State, error) {
	var state workflow.State
	for one, err := range n.commands.History(ctx, []string{workflow.Stream(fix.Workflow)}) {
		if err != nil {
			return state, err
		}
		if verified, ok := one.Event.(workflow.FixVerified); ok && verified.Proposal == fix.Proposal {
			return state, nil
		}
		state = workflow.Evolve(state, one.Event)
	}
	return state, nil
}
