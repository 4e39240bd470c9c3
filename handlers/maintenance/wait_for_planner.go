package maintenance

import (
	"context"

	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// waitForPlanner makes room for the planner of the workflow, rule 8: a maintainer that has begun waits before its
// next step. An answer of a model that is under way is waited for, and heard later. A task that was left does not
// wait: its fixes are recorded as stale.
func (j *job) waitForPlanner(ctx context.Context) error {
	state, err := j.config.Commands.LoadWorkflow(ctx, j.id)
	if err != nil {
		return err
	}
	if m := state.Maintenance; m != nil && m.Task == j.open.Task && state.PlannerRunning() {
		return &loop.Wait{}
	}
	return nil
}

// allowed says whether the maintainer may go on: whether repairs go on at all, and whether the
// planner lets it. It is asked before each call to a model and before each candidate.
func (j *job) allowed(ctx context.Context) error {
	if err := j.Maintainer.allowed(ctx, j.id); err != nil {
		return err
	}
	return j.waitForPlanner(ctx)
}

// allowed asks the allowance, if there is one.
func (m *Maintainer) allowed(ctx context.Context, workflow string) error {
	if m.config.Allowance == nil {
		return nil
	}
	return m.config.Allowance.Repairs(ctx, workflow)
}
