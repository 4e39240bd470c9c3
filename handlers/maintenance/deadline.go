package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// Deadline is the reaction that decides about fixes whose people did not in time, where settings say so.
type Deadline struct{ commands *commands.Commands }

// NewDeadline panics without its dependency.
func NewDeadline(c *commands.Commands) *Deadline {
	if c == nil {
		panic("maintenance: NewDeadline without a dependency")
	}
	return &Deadline{commands: c}
}

// Name implements [loop.Reaction].
func (d *Deadline) Name() string { return "deadline" }

// Due implements [loop.Reaction].
func (d *Deadline) Due(id string, state workflow.State) []loop.Work {
	at, due := state.DecisionDue()
	if !due {
		return nil
	}
	held := state.Maintenance.Held
	// The same command on every node that comes to it: it is decided once. Settings may move the time, so it is part of which one it is.
	meta := commands.Meta{CommandID: commands.DerivedID(held.Proposal, "deadline", at.Format(time.RFC3339Nano)), CausationID: held.Proposal, Actor: "system:deadline"}
	return []loop.Work{{Key: "deadline", At: at, Do: func(ctx context.Context) error {
		if _, err := d.commands.DecideOverdue(ctx, id, workflow.DecideOverdue{}, meta); err != nil {
			return fmt.Errorf("maintenance.Deadline: %w", err)
		}
		return nil
	}}}
}
