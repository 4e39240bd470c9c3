package maintenance

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Rechecker judges a fix again that waits for a person, on what is so now: the settings, the
// exempted runs, and what was recorded since.
type Rechecker struct {
	Commands   *commands.Commands
	Sandbox    sandbox.Runner
	Recordings egress.Recordings
	Secrets    egress.Secrets
	Outside    egress.Outside
	Logger     *slog.Logger
}

// Recheck hands in what the gate finds now. The fix stays held: the person decides. Its errors
// are a refusal if the fix is not the one that is held, or trouble.
func (r *Rechecker) Recheck(ctx context.Context, id, proposal string, meta commands.Meta) (commands.Result, error) {
	state, err := r.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return commands.Result{}, err
	}
	p, known := state.Proposal(proposal)
	if m := state.Maintenance; !known || m == nil || m.Held == nil || m.Held.Proposal != proposal {
		// Refused with what is held now, before anything is replayed.
		return r.Commands.RecheckFix(ctx, id, workflow.RecheckFix{Proposal: proposal}, meta)
	}
	base, found := state.Script(p.Base)
	if !found {
		return commands.Result{}, fmt.Errorf("maintenance.Rechecker: version %s of workflow %s is not in its history", p.Base, id)
	}
	j := &job{
		Maintainer: &Maintainer{config: MaintainerConfig{
			Commands: r.Commands, Sandbox: r.Sandbox, Recordings: r.Recordings, Secrets: r.Secrets, Outside: r.Outside, Logger: r.Logger,
		}},
		id: id, state: state, open: *state.Maintenance, base: base,
	}
	if j.failed, err = r.Commands.LoadRun(ctx, p.Run); err != nil {
		return commands.Result{}, err
	}
	if j.subject, err = j.loadSubject(ctx, state, base, j.failed); err != nil {
		return commands.Result{}, err
	}
	gate, err := replay.Open(ctx, r.Sandbox, j.subject, replay.Options{})
	if err != nil {
		return commands.Result{}, fmt.Errorf("maintenance.Rechecker: fix %s: %w", proposal, err)
	}
	judged, err := gate.Judge(ctx, p.Code)
	if err != nil {
		return commands.Result{}, fmt.Errorf("maintenance.Rechecker: fix %s: %w", proposal, err)
	}
	verification := VerificationOf(judged)
	verification.Exempted = j.subject.Exempted
	if judged.Verdict == replay.Unverifiable && judged.Rehearsable {
		if verification.Rehearsal, err = j.rehearse(ctx, p.Code); err != nil {
			return commands.Result{}, err
		}
	}
	return r.Commands.RecheckFix(ctx, id, workflow.RecheckFix{Proposal: proposal, Verification: verification}, meta)
}
