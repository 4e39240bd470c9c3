package commands

import (
	"cmp"
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// CreateWorkflow opens a workflow, as a draft.
func (c Workflows) CreateWorkflow(ctx context.Context, command workflow.Create, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, command.ID, command, meta)
}

// ChangeIntent records what the person wants now.
func (c Workflows) ChangeIntent(ctx context.Context, id string, command workflow.ChangeIntent, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ChangeSettings replaces all settings of the workflow.
func (c Workflows) ChangeSettings(ctx context.Context, id string, command workflow.ChangeSettings, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ChangeSchedule says when the workflow runs. An input that the script's types say main does not take is refused.
func (c Workflows) ChangeSchedule(ctx context.Context, id string, command workflow.ChangeSchedule, meta Meta) (Result, error) {
	if err := c.wordsOf(ctx, command, meta); err != nil {
		return Result{}, err
	}
	kind := c.workflowKind(id)
	decide := kind.decide
	kind.decide = func(s workflow.State, _ workflow.Command, now time.Time) ([]event.Event, error) {
		command.Due = scheduleOf(s)
		events, err := decide(s, command, now)
		if err != nil {
			return nil, err
		}
		for _, one := range events {
			s = workflow.EvolveAt(s, one, now)
		}
		if s.Schedule.Spec == "" || len(events) == 0 {
			return events, nil
		}
		return events, c.inputFits(s, s.Active, s.SlotInput(now))
	}
	return execute[workflow.State, workflow.Command](ctx, c.core, kind, workflow.Stream(id), command, meta)
}

// scheduleOf is a workflow's schedule in its zone, zero if there is none or it cannot be read: then it has no slots.
func scheduleOf(s workflow.State) schedule.Schedule {
	zone, err := time.LoadLocation(cmp.Or(s.Schedule.Zone, s.Zone))
	if err != nil || s.Schedule.Spec == "" {
		return schedule.Schedule{}
	}
	due, err := schedule.Parse(s.Schedule.Spec, zone)
	if err != nil {
		return schedule.Schedule{}
	}
	return due
}

// SkipSlot records that a schedule slot or an input did not become a run.
func (c Workflows) SkipSlot(ctx context.Context, id string, command workflow.SkipSlot, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ActivateWorkflow lets runs be admitted: also after a pause, a wait and an escalation.
func (c Workflows) ActivateWorkflow(ctx context.Context, id string, command workflow.Activate, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// PauseWorkflow stops new runs; a repair that is under way may finish.
func (c Workflows) PauseWorkflow(ctx context.Context, id string, command workflow.Pause, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// ArchiveWorkflow retires the workflow; everything is kept.
func (c Workflows) ArchiveWorkflow(ctx context.Context, id string, command workflow.Archive, meta Meta) (Result, error) {
	kind := c.workflowKind(id)
	decide := kind.decide
	kind.decide = func(s workflow.State, _ workflow.Command, now time.Time) ([]event.Event, error) {
		command.Due = scheduleOf(s)
		return decide(s, command, now)
	}
	return execute[workflow.State, workflow.Command](ctx, c.core, kind, workflow.Stream(id), command, meta)
}

// RestoreWorkflow takes a workflow out of the archive, paused. Outcomes of the workflows that it starts on do not
// count if they came while it was archived.
func (c Workflows) RestoreWorkflow(ctx context.Context, id string, command workflow.Restore, meta Meta) (Result, error) {
	state, err := c.LoadWorkflow(ctx, id)
	if err != nil {
		return Result{}, err
	}
	command.Ends = map[string]int64{}
	for source := range state.Triggers {
		if command.Ends[source], _, err = c.WorkflowEnd(ctx, source); err != nil {
			return Result{}, err
		}
	}
	return c.onWorkflow(ctx, id, command, meta)
}

// AcknowledgeNotification records that the person has seen a notification.
func (c Workflows) AcknowledgeNotification(ctx context.Context, id string, command workflow.AcknowledgeNotification, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// DelegateDecision gives what waits for a person to another one, or to a group.
func (c Workflows) DelegateDecision(ctx context.Context, id string, command workflow.DelegateDecision, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// TendDraft looks after a draft that nobody touches: it asks its owner, or archives it if they opted in.
func (c Workflows) TendDraft(ctx context.Context, id string, command workflow.TendDraft, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}

// KeepDraft records that a person goes on with a draft.
func (c Workflows) KeepDraft(ctx context.Context, id string, command workflow.KeepDraft, meta Meta) (Result, error) {
	return c.onWorkflow(ctx, id, command, meta)
}
