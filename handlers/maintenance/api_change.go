package maintenance

import (
	"context"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// WhatChanged says, place by place, what a run was given that is not as it was in the newest recorded successes of its
// version and of earlier ones of its major: a person needs that to decide. Empty if it is, or nothing is known.
func WhatChanged(ctx context.Context, c *commands.Commands, recordings egress.Recordings, id, run string) ([]gate.Changed, error) {
	failed, err := c.LoadRun(ctx, run)
	if err != nil {
		return nil, err
	}
	if !failed.Started() {
		return nil, nil
	}
	version, err := workflow.ParseVersion(failed.Version)
	if err != nil {
		return nil, fmt.Errorf("maintenance.WhatChanged: run %s: %w", run, err)
	}
	state, err := c.LoadWorkflow(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("maintenance.WhatChanged: %w", err)
	}
	recorded, err := recordings.Successes(ctx, id, version.Major)
	if err != nil {
		return nil, fmt.Errorf("maintenance.WhatChanged: list recorded successes: %w", err)
	}
	var successes []gate.Run
	recorded = slices.DeleteFunc(recorded, func(run string) bool { return !state.IsEvidence(run) })
	for _, one := range recorded {
		if len(successes) == gate.MostCompared {
			break
		}
		success, err := c.LoadRun(ctx, one)
		if err != nil {
			return nil, fmt.Errorf("maintenance.WhatChanged: load recorded success %s: %w", one, err)
		}
		of, err := workflow.ParseVersion(success.Version)
		if err != nil {
			return nil, fmt.Errorf("maintenance.WhatChanged: recorded success %s: %w", one, err)
		}
		if of.Compare(version) <= 0 { // a later fix has made successes of what had changed, the continuation of this run among them
			successes = append(successes, rehearsal.RecordedRun(success))
		}
	}
	code := ""
	for _, script := range state.Versions {
		if script.Version == version {
			code = script.Code
		}
	}
	slices.Reverse(successes)
	of := rehearsal.RecordedRun(failed)
	return gate.Changes(code, &of, successes), nil
}
