package commands

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// PlanSince is a plan with everything up to a revision of its stream or more.
func (c Plans) PlanSince(ctx context.Context, id string, revision int64) (plan.State, error) {
	loaded, _, err := since(ctx, c.core, planKind(id), plan.Stream(id), revision)
	return loaded, err
}

// LoadPlan is a plan as it is now; one without a status if there is none.
func (c Plans) LoadPlan(ctx context.Context, id string) (plan.State, error) {
	loaded, _, err := state(ctx, c.core, planKind(id), plan.Stream(id))
	return loaded, err
}

// OnPlan carries out a command on a plan's stream.
func (c Plans) OnPlan(ctx context.Context, id string, command plan.Command, meta Meta) (Result, error) {
	if err := c.wordsOf(ctx, command, meta); err != nil {
		return Result{}, err
	}
	return execute(ctx, c.core, planKind(id), plan.Stream(id), command, meta)
}

func planKind(id string) kind[plan.State, plan.Command] {
	return kind[plan.State, plan.Command]{
		kept:    true,
		evolve:  untimed(plan.Evolve),
		subject: func(plan.State, plan.Command) string { return plan.Subject(id) },
		decide:  plan.Decide,
	}
}

// PlanEnd is the newest revision of a plan's stream, -1 if there is none, and its position.
func (c Plans) PlanEnd(ctx context.Context, id string) (int64, eventlog.Position, error) {
	return endOf(ctx, c.core, planKind(id), plan.Stream(id))
}
