package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// WriteRetry says when a failed run is tried again, and what else can become of it.
func WriteRetry(w io.Writer, retry workflow.Retry) {
	fmt.Fprintf(w, "Run %s is tried again at %s, if 'kintsugi dev' runs then. 'kintsugi run continue %[1]s' tries now, 'kintsugi run leave %[1]s' gives it up.\n",
		retry.Run, Local(w, retry.At).Format(time.DateTime))
}

// WriteUnfinished says what can become of the runs that wait for a decision.
func WriteUnfinished(w io.Writer, runs []app.Unfinished) {
	for _, one := range runs {
		if !one.Asked {
			continue
		}
		fmt.Fprintf(w, "\nRun %s is half done, after %s on version %s: kintsugi run continue, restart or leave %s\n", one.Run, one.WritesText(), one.Version, one.Run)
	}
}

// runCommand is how this command signs the server lock.
const runCommand = "kintsugi workflow run"

// RunAdmitted admits a run and stays with it until it has come to its end.
func (cli *CLI) RunAdmitted(ctx context.Context, n *app.Node, id string, admit workflow.AdmitRun) error {
	return cli.Attend(ctx, n, id, admit.Run, true, func() (commands.Result, error) {
		return n.Commands.AdmitRun(ctx, id, admit, cli.Meta())
	})
}

// Attend has a run begin, or go on, and stays with it until it has come to its end. One that begins needs
// what was interrupted out of its way.
func (cli *CLI) Attend(ctx context.Context, n *app.Node, id, run string, begins bool, begin func() (commands.Result, error)) (err error) {
	if err := cli.UseModel(n); err != nil {
		return err
	}
	if !cli.Elsewhere() {
		n.Program = cli.Fixer.Argv()
	}
	lock, err := app.LockServer(n.Dir, runCommand)
	held, served := errors.AsType[*app.HeldError](err)
	switch {
	case served && held.Holder.Command == runCommand:
		fmt.Fprintf(cli.Err, "Another '%s' is at work here (process %d): this one goes on when that has ended.\n", runCommand, held.Holder.PID)
	case err != nil && !served:
		return err
	}
	if !served {
		defer func() { err = errors.Join(err, lock.Release()) }()
		if begins {
			if err := cli.goOn(ctx, n, id); err != nil {
				return err
			}
		}
	}
	begun, err := begin()
	if err != nil {
		return err
	}
	stop := cli.narrate(ctx, n, id, begun.Position)
	if served {
		err = n.Follow(ctx, runCommand, id, run, func(full bool) {
			if full {
				fmt.Fprintln(cli.Err, "The server cannot write: the disk is full. Nothing that was acknowledged is lost, and the run goes on once there is room.")
			} else {
				fmt.Fprintln(cli.Err, "The server can write again, and goes on.")
			}
		})
	} else {
		err = n.SettleAmongOthers(ctx, id, run)
	}
	stop()
	if ctx.Err() != nil {
		return &ExitError{Code: ExitInterrupted, Cause: fmt.Errorf(
			"interrupted: run %s is kept in its journal; a server goes on with it, or the next 'kintsugi dev' or 'kintsugi workflow run'", run)}
	}
	if err != nil {
		return err
	}
	return cli.showResult(ctx, n, id, run)
}

// RunWithin admits a run, and stays with it for some time at most: then the server goes on with it, and ended is false.
func (cli *CLI) RunWithin(ctx context.Context, n *app.Node, id string, admit workflow.AdmitRun, within time.Duration) (ended bool, err error) {
	lock, err := app.LockServer(n.Dir, runCommand)
	if held, is := errors.AsType[*app.HeldError](err); !is || held.Holder.Command == runCommand {
		if err == nil {
			err = lock.Release()
		}
		return false, cmp.Or(err, fault.New(fault.Conflict, "no server runs here that would go on with the run: start one with 'kintsugi dev', or leave --wait out"))
	}
	begun, err := n.Commands.AdmitRun(ctx, id, admit, cli.Meta())
	if err != nil {
		return false, err
	}
	stop := cli.narrate(ctx, n, id, begun.Position)
	waiting, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err = n.Follow(waiting, runCommand, id, admit.Run, func(bool) {})
	stop()
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, cli.showResult(ctx, n, id, admit.Run)
}

// showResult shows what became of a run.
func (cli *CLI) showResult(ctx context.Context, n *app.Node, id, run string) error {
	result, err := n.Runs.Result(ctx, id, run)
	if err != nil {
		return err
	}
	if err := cli.Show(result, func(w io.Writer) { writeResult(w, id, result) }); err != nil {
		return err
	}
	switch {
	case result.Final.Status == projections.RunSucceeded:
		return nil
	case result.NeedsPerson():
		return &ExitError{Code: ExitEscalated}
	}
	return &ExitError{Code: ExitRunFailed}
}

// goOn finishes what an interrupted process left: as long as that is open, no new run may start.
func (cli *CLI) goOn(ctx context.Context, n *app.Node, id string) error {
	state, err := n.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	if len(state.Admitted) == 0 && state.Continuation == nil && !state.MaintainerWanted() && !app.RetryDue(state, n.Now()) {
		return nil
	}
	fmt.Fprintln(cli.Err, "Going on with what was interrupted, first.")
	head, err := n.Log.Head(ctx)
	if err != nil {
		return err
	}
	stop := cli.narrate(ctx, n, id, head)
	err = n.Settle(ctx, id)
	stop()
	if ctx.Err() != nil {
		return &ExitError{Code: ExitInterrupted, Cause: errors.New("interrupted while going on with an earlier run: the new one was not started")}
	}
	if err != nil {
		return err
	}
	if state, err = n.Commands.LoadWorkflow(ctx, id); err != nil {
		return err
	}
	still, err := n.Runs.StandsStill(ctx, state, "")
	if err == nil && still != "" && len(state.Admitted) >= state.Settings.WithDefaults().MaxActive {
		err = fault.New(fault.Conflict, "run %s waits for you, and stands still until then: kintsugi notification list", still)
	}
	return err
}

func writeResult(w io.Writer, id string, result app.RunResult) {
	final := result.Final
	if final.Status == projections.RunSucceeded {
		fmt.Fprintf(w, "Run %s succeeded on version %s.\n", final.ID, final.Version)
		if len(final.Output) > 0 {
			fmt.Fprintln(w, plain.Clean(string(final.Output)))
		}
		return
	}
	fmt.Fprintf(w, "Run %s %s", final.ID, final.Status)
	if f := final.Failure; f != nil {
		fmt.Fprintf(w, " (%s): %s", f.Class, plain.Indented(f.String(), "  "))
	}
	fmt.Fprintln(w)
	if result.Explanation != "" {
		fmt.Fprintf(w, "  %s\n", plain.Wrapped(result.Explanation, "  ", 98))
		WriteCandidate(w, id, result.Candidate)
	}
	WriteDecision(result.Decision, w, "  ")
	switch {
	case !final.DelayedSince.IsZero():
		fmt.Fprintf(w, "It waits for this machine: %s. Nothing of it is lost: it is tried again after %s, by a server or the next 'kintsugi workflow run'.\n",
			plain.Line(final.DelayedBy), Local(w, final.NextTry).Format(time.TimeOnly))
	case final.Status == projections.RunAsking:
		fmt.Fprintln(w, "It asks you something, and goes on with your answer. See: kintsugi notification list")
	case final.Status == projections.RunInDoubt:
		fmt.Fprintln(w, "It stands still: a write went out and was not answered, so it may have happened. See: kintsugi effect list")
	case result.HeldFix != "":
		fmt.Fprintf(w, "A fix waits for you: kintsugi fix show %s\n", result.HeldFix)
	case result.Asked:
		fmt.Fprintln(w, "The maintainer asks you something, and goes on with your answer. See: kintsugi notification list")
	case result.Stopped != "":
		fmt.Fprintf(w, "Its repair waits: %s\n", plain.Wrapped(result.Stopped, "  ", 98))
	case result.Repairable:
		fmt.Fprintf(w, "It is this run's failure, and changes nothing of the workflow. To have the script mended of it: kintsugi run repair %s\n", final.ID)
	case !result.RetryAt.IsZero():
		WriteRetry(w, workflow.Retry{Run: final.ID, At: result.RetryAt})
	}
	WriteUnfinished(w, result.Unfinished)
	fmt.Fprintf(w, "The workflow is %s now. See: kintsugi workflow show %s\n", result.Status, id)
}
