package maintenance

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
)

// review asks the active version about marked successes that came before it: replayed on what they were answered, it
// comes to the same or to something else.
func (m *Maintainer) review(ctx context.Context, id string) error {
	if place := m.config.Place; !place.Alone && place.Node != "" {
		turn := rehearsal.Turn{Commands: m.config.Commands, Now: place.Now, Lease: place.Lease, Actor: "system:maintainer"}
		return turn.Do(ctx, id, workflow.WorkReview, func(ctx context.Context) error { return m.reviewNow(ctx, id) })
	}
	return m.reviewNow(ctx, id)
}

func (m *Maintainer) reviewNow(ctx context.Context, id string) error {
	state, err := m.config.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	later, found := state.Script(state.Active)
	due := state.ToReview()
	if !found || len(due) == 0 {
		return nil
	}
	review := workflow.ReviewMarkedRuns{Version: later.Version}
	for _, marked := range due {
		own, found := state.Script(marked.Version)
		recorded, err := m.config.Commands.LoadRun(ctx, marked.Run)
		if commands.Lost(err) || !found {
			review.Silent = append(review.Silent, marked.Run)
			continue
		}
		if err != nil {
			return fmt.Errorf("maintenance.Maintainer: load marked run %s: %w", marked.Run, err)
		}
		checked, err := rehearsal.CheckRun(ctx, m.config.Sandbox, state.Zone, own.Code, later.Code, recorded)
		if err != nil {
			return fmt.Errorf("maintenance.Maintainer: replay marked run %s on version %s: %w", marked.Run, later.Version, err)
		}
		switch checked.Result {
		case rehearsal.CheckSame:
			review.Agreed = append(review.Agreed, marked.Run)
		case rehearsal.CheckDiffers:
			review.Differ = append(review.Differ, workflow.Reviewed{Run: marked.Run, Text: checked.At})
		default:
			review.Silent = append(review.Silent, marked.Run)
		}
	}
	_, err = m.config.Commands.ReviewMarkedRuns(ctx, id, review, commands.Meta{
		CommandID: commands.DerivedID(id, "review", later.Version.String(), due[0].Run), CorrelationID: due[0].Run, CausationID: due[0].Run, Actor: "system:maintainer",
	})
	return err
}
