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
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
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
		if err := t.merged(ctx); err != nil {
			return err
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

// merged has the worktree of a job whose merge was red hold that merge, so that what failed can be seen to fail there, and
// mended. Once it is there it is left alone.
func (t *turn) merged(ctx context.Context) error {
	if t.job.From != plan.JobMerging {
		return nil
	}
	repo, err := t.repo(ctx)
	if err != nil {
		return err
	}
	if at, err := repo.Branch(ctx, t.job.Branch); err != nil || at != t.job.Commit {
		return err
	}
	tree, err := repo.Worktree(t.job.Worktree)
	if err != nil {
		return err
	}
	left, err := tree.Snapshot(ctx, t.job.Commit, gitrepo.Commit{Message: t.job.ID + ": what was there before it was healed\n", At: t.worker.config.Now()})
	if err != nil {
		return err
	}
	if left != t.job.Commit {
		if err := t.keep(ctx, repo, left); err != nil {
			return err
		}
	}
	if err := tree.Reset(ctx, t.job.Merge); err != nil {
		return err
	}
	if err := repo.SetRef(ctx, "refs/heads/"+t.job.Branch, t.job.Merge, t.job.Commit, "kintsugi: the merge that was red"); err != nil {
		return err
	}
	return tree.Attach(ctx, t.job.Branch, t.job.Merge)
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
