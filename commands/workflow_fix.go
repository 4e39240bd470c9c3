package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ProposeFix submits a fix of the open maintainer task. Nothing is applied by it.
func (c Fixes) ProposeFix(ctx context.Context, id string, command workflow.ProposeFix, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// SuggestFix submits a fix from outside that the gate let through: it is applied, or held.
func (c Fixes) SuggestFix(ctx context.Context, id string, command workflow.SuggestFix, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// JudgeFix hands in the gate's verdict and decides what becomes of a fix: applied, held,
// different or stale.
// The script gets an id of its own if the command has none.
func (c Fixes) JudgeFix(ctx context.Context, id string, command workflow.JudgeFix, meta Meta) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	command.ScriptID = scriptID(command.ScriptID, meta)
	return c.onWorkflow(ctx, id, command, meta)
}

// AcceptFix makes a held fix the next minor version, at a person's word.
// The script gets an id of its own if the command has none.
func (c Fixes) AcceptFix(ctx context.Context, id string, command workflow.AcceptFix, meta Meta) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	command.ScriptID = scriptID(command.ScriptID, meta)
	return c.onWorkflow(ctx, id, command, meta)
}

// CorrectFix sends the maintainer back to work on a held fix, with a person's note.
func (c Fixes) CorrectFix(ctx context.Context, id string, command workflow.CorrectFix, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// DeclineFix refuses a held fix, at a person's word.
func (c Fixes) DeclineFix(ctx context.Context, id string, command workflow.DeclineFix, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// RemindOfDecision reminds the person who has to decide about a fix, once, when half of the time is over.
func (c Fixes) RemindOfDecision(ctx context.Context, id string, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, workflow.RemindOfDecision{}, meta)
}

// DecideOverdue decides about a fix that waited longer than its workflow's settings let it.
// The script gets an id of its own if the command has none.
func (c Fixes) DecideOverdue(ctx context.Context, id string, command workflow.DecideOverdue, meta Meta) (Result, error) {
	meta, err := c.complete(meta)
	if err != nil {
		return Result{}, err
	}
	command.ScriptID = scriptID(command.ScriptID, meta)
	return c.onWorkflow(ctx, id, command, meta)
}

// RecheckFix hands in a new verdict on a held fix, which stays held.
func (c Fixes) RecheckFix(ctx context.Context, id string, command workflow.RecheckFix, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// WithdrawFixes takes all unconfirmed fixes back, at a person's word.
func (c Fixes) WithdrawFixes(ctx context.Context, id string, command workflow.WithdrawFixes, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// EndMaintenance ends a maintainer task that found no fix: the workflow is escalated.
func (c Fixes) EndMaintenance(ctx context.Context, id string, command workflow.EndMaintenance, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
