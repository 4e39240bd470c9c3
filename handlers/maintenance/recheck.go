package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Rechecker judges fixes outside of the maintainer's turn: one that waits for a person again, on what is so now (the
// settings, the exempted runs, and what was recorded since), and one that somebody suggests.
type Rechecker struct {
	Commands   *commands.Commands
	Sandbox    sandbox.Runner
	Recordings egress.Recordings
	Secrets    egress.Secrets
	Outside    egress.Outside
	Now        func() time.Time
	Logger     *slog.Logger
}

// Recheck hands in what the gate finds now. The fix stays held: the person decides. Its errors
// are a refusal if the fix is not the one that is held, or trouble.
func (r *Rechecker) Recheck(ctx context.Context, id, proposal string, meta commands.Meta) (result commands.Result, err error) {
	state, err := r.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return commands.Result{}, err
	}
	p, known := state.Proposal(proposal)
	if m := state.Maintenance; !known || m == nil || m.Held == nil || m.Held.Proposal != proposal {
		// Refused with what is held now, before anything is replayed.
		return r.Commands.RecheckFix(ctx, id, workflow.RecheckFix{Proposal: proposal}, meta)
	}
	turn := rehearsal.Turn{Commands: r.Commands, Now: r.Now, Actor: meta.Actor}
	err = turn.Do(ctx, id, workflow.WorkRecheck, func(ctx context.Context) error {
		verification, _, err := r.Prove(ctx, state, *state.Maintenance, p.Code)
		if err != nil {
			return fmt.Errorf("maintenance.Rechecker: fix %s: %w", proposal, err)
		}
		result, err = r.Commands.RecheckFix(ctx, id, workflow.RecheckFix{Proposal: proposal, Verification: verification}, meta)
		return err
	})
	if _, waits := errors.AsType[*loop.Wait](err); waits {
		return result, fault.New(fault.Conflict, "fix %s is being judged anew already: look at it again in a moment", proposal)
	}
	return result, err
}

// Suggest judges a fix from outside, and submits it if it passes: it is applied, or held, as the workflow's mode has it.
// One that does not pass changes nothing; the verdict says why. The ids of the command, and what it verifies, are
// filled in here.
func (r *Rechecker) Suggest(ctx context.Context, id string, fix workflow.SuggestFix, meta commands.Meta) (workflow.Verification, commands.Result, error) {
	state, err := r.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return workflow.Verification{}, commands.Result{}, err
	}
	fix.ScriptID, fix.Task = commands.DerivedID(fix.Proposal, "script"), commands.DerivedID(fix.Proposal, "task")
	fix.Thread, fix.Item = commands.DerivedID(fix.Proposal, "thread"), commands.DerivedID(fix.Proposal, "item")
	task, _ := state.Suggestible(r.Now()) // if there is none, it is refused below
	fix.Run = task.Run
	proved := fix
	proved.Verification.Verdict = workflow.VerdictIdentical
	if _, refused := workflow.Decide(state, proved, r.Now()); refused != nil {
		// Not even a proof would help, so nothing is replayed. Only what was submitted before has an answer; the
		// verdict is one that no state accepts, for the state may be another one by now.
		fix.Verification.Verdict = workflow.VerdictDifferent
		result, err := r.Commands.SuggestFix(ctx, id, fix, meta)
		if err != nil {
			return workflow.Verification{}, commands.Result{}, refused
		}
		return workflow.Verification{}, result, nil
	}
	verification, judged, err := r.Prove(ctx, state, task, fix.Code)
	if err != nil {
		return workflow.Verification{}, commands.Result{}, fmt.Errorf("maintenance.Rechecker: suggested fix: %w", err)
	}
	if !(repair.Judged{Judgement: judged}).Passes() {
		return verification, commands.Result{}, nil
	}
	if rehearsed := verification.Rehearsal; judged.Unproved != "" && (rehearsed == nil || rehearsed.Succeeded) {
		verification.Reasons = mergeReasons(verification.Reasons, []string{judged.Unproved})
	}
	fix.Verification = verification
	result, err := r.Commands.SuggestFix(ctx, id, fix, meta)
	return verification, result, err
}

// Prove is what the gate says of code for a task, with what a rehearsal reads where it cannot tell.
func (r *Rechecker) Prove(ctx context.Context, state workflow.State, task workflow.Maintenance, code string) (v workflow.Verification, judged gate.Judgement, err error) {
	base, found := state.Script(task.Base)
	if !found {
		return v, judged, fmt.Errorf("version %s of workflow %s is not in its history", task.Base, state.ID)
	}
	j := &job{
		Maintainer: &Maintainer{config: MaintainerConfig{
			Commands: r.Commands, Sandbox: r.Sandbox, Recordings: r.Recordings, Secrets: r.Secrets, Outside: r.Outside, Place: agents.Place{Now: r.Now}, Logger: r.Logger,
		}},
		id: state.ID, state: state, open: task, base: base, once: true,
	}
	if j.failed, err = r.Commands.LoadRun(ctx, task.Run); err != nil {
		return v, judged, err
	}
	if j.subject, err = j.loadSubject(ctx, state, base, j.failed); err != nil {
		return v, judged, err
	}
	if err := j.openGate(ctx); err != nil {
		return v, judged, err
	}
	judged, rehearsed, err := j.walk.prove(ctx, code)
	if err != nil {
		return v, judged, err
	}
	v = VerificationOf(judged)
	v.Exempted = j.subject.Exempted
	if v.Rehearsal = rehearsed; rehearsed != nil { // what nobody recorded is a part of this proof
		v.Verdict = workflow.VerdictUnverifiable
	}
	return v, judged, nil
}
