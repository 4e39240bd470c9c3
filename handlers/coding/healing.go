package coding

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// Healer heals jobs that failed, each in a session of its own.
type Healer interface {
	// Heal calls the Healer, once for a key, and says what it came to; nil while it is at work.
	Heal(ctx context.Context, call Call) (*plan.HealingEnded, error)
	// Stop ends what is at work for a session.
	Stop(ctx context.Context, session, reason string) error
	// Unblock lets a subtask of a session go on.
	Unblock(ctx context.Context, session, subtask string) error
}

// Call is what the Healer is called for.
type Call struct {
	plan.Failure
	Plan       string
	Worktree   string
	Trajectory string // what the agent told of what it did; empty for nothing
	Key        string
}

// healingLooked is how often it is seen whether a healing has ended.
const healingLooked = 200 * time.Millisecond

// heal calls the Healer, and sees its end.
func (t *turn) heal(ctx context.Context) error {
	ended := &plan.HealingEnded{Job: t.job.ID, Session: t.job.Healing.Session, Outcome: session.Skipped, Reason: "this server has no Healer"}
	if t.worker.config.Healer != nil {
		if t.job.From == plan.JobMerging {
			if err := t.putMerge(ctx); err != nil {
				return err
			}
		}
		call := Call{
			Failure: t.state.Failure(t.job), Plan: t.id, Worktree: t.job.Worktree,
			Key: commands.DerivedID(t.id, t.job.ID, "heal", strconv.Itoa(t.job.Healings)),
		}
		if _, err := os.Stat(t.trajectory()); err == nil && call.Agent {
			call.Trajectory = t.trajectory()
		}
		var err error
		ended, err = t.worker.config.Healer.Heal(ctx, call)
		switch {
		case fault.KindOf(err) == fault.Conflict, err == nil && ended == nil: // somebody else has the session healed, or it is at work
			return &loop.Wait{Until: t.worker.config.Now().Add(healingLooked)}
		case fault.KindOf(err) == fault.Invalid: // it will be so again
			return t.stopHealing(ctx, err.Error())
		case err != nil:
			return err
		}
	}
	return t.command(ctx, plan.EndHealing(*ended), "healed")
}

// stopHealing ends a healing before its end.
func (t *turn) stopHealing(ctx context.Context, reason string) error {
	if t.worker.config.Healer != nil {
		if err := t.worker.config.Healer.Stop(ctx, t.job.Healing.Session, reason); err != nil {
			return err
		}
	}
	return t.command(ctx, plan.EndHealing{Job: t.job.ID, Session: t.job.Healing.Session, Outcome: session.Unresolved, Reason: reason}, "stopped")
}
