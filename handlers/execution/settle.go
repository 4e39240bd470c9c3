package execution

import (
	"context"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// settle closes the run on the workflow's stream. A failure that would lead to
// maintenance is rehearsed first: what works again needs no repair.
func (a *attempt) settle(ctx context.Context) error {
	if cancelled := a.run.Cancelled; cancelled != nil { // whoever cancelled it came no further
		_, err := a.config.Commands.CancelRun(ctx, a.id, workflow.CancelRun{Run: a.info.Run, Reason: cancelled.Reason}, a.meta("settle"))
		if fault.KindOf(err) == fault.Conflict { // they came further
			err = nil
		}
		return err
	}
	settle := workflow.SettleRun{
		Run: a.info.Run, Failure: a.run.Failure, Writes: a.run.Writes(),
		Task: commands.DerivedID(a.info.Run, "task"), Thread: commands.DerivedID(a.info.Run, "thread"), Item: commands.DerivedID(a.info.Run, "item"),
	}
	if s := a.run.Suspicion; s != nil {
		settle.Write = s.Write
		for _, one := range s.Suspects {
			settle.Suspects = append(settle.Suspects, workflow.Suspect(one))
		}
	}
	if a.run.Failure != nil {
		if err := a.explain(ctx, &settle); err != nil {
			return err
		}
	}
	if a.journal == nil {
		_, err := a.config.Commands.SettleRun(ctx, a.id, settle, a.meta("settle"))
		return err
	}
	if err := a.config.Commands.SettleRunOf(ctx, a.journal, a.id, settle, a.meta("settle")); err != nil {
		return err
	}
	if a.remember {
		a.locals.keep(a.id, a.workflow, a.local)
	}
	return nil
}

// explain finds what there is to say of a failure before it is settled.
func (a *attempt) explain(ctx context.Context, settle *workflow.SettleRun) error {
	failed := *a.run.Failure
	settle.Evidence = evidenceLine(failed)
	if a.journal != nil { // what follows may take long
		if err := a.journal.Flush(ctx); err != nil {
			return err
		}
	}
	w, err := a.config.Commands.LoadWorkflow(ctx, a.id)
	if err != nil {
		return err
	}
	if settle.Refused, err = a.refused(ctx, w); err != nil {
		return err
	}
	if !workflow.NeedsRehearsal(w, a.info.Run, failed) {
		return nil
	}
	settle.Rehearsed = workflow.RehearsedReproduced
	if failedAtWrite(a.run) {
		return nil
	}
	works, err := a.worksNow(ctx, a.id, w, a.info.Version, a.run)
	if works {
		settle.Rehearsed = workflow.RehearsedWorks
	}
	return err
}

// refused says what of a failed run's input the types of main do not take. Types that refuse the input of a success, too, say nothing.
func (a *attempt) refused(ctx context.Context, w workflow.State) (string, error) {
	if a.run.Failure.Class != failure.Logic || a.info.Origin != workflow.TriggerWebhook {
		return "", nil
	}
	refused := a.config.Commands.Refuses(w, a.info.Version, a.run.Input)
	if refused == "" {
		return "", nil
	}
	successes, err := a.config.Recordings.Successes(ctx, a.id, a.info.Version.Major)
	if err != nil || len(successes) == 0 {
		return refused, err
	}
	last, err := a.config.Commands.LoadRun(ctx, successes[0])
	if err != nil || a.config.Commands.Refuses(w, a.info.Version, last.Input) != "" {
		return "", err
	}
	return refused, nil
}

// failedAtWrite says that a write was refused, and the run with it: a rehearsal sends no
// writes, so it cannot tell whether this one would pass now.
func failedAtWrite(s run.State) bool {
	return s.Failure.RefusedWrite() || slices.ContainsFunc(s.Calls, func(call *run.Call) bool {
		return call.Effect == run.EffectWrite && call.Error != nil && call.Error.Message == s.Failure.Message
	})
}

// evidenceLine says in one line why a failure has its class.
func evidenceLine(f failure.Failure) string {
	from := "thrown by the script"
	switch {
	case f.Code != "":
		from = f.Code
	case f.Status != 0:
		from = fmt.Sprintf("%s answered %d", f.Tool, f.Status)
	case f.Tool != "":
		from = "raised by " + f.Tool
	}
	return fmt.Sprintf("%s: %s (%s)", f.Name, f.Message, from)
}
