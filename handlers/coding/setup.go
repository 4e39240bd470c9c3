package coding

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

// setsUp says that an init is under way in the worktree of a job.
func (t *turn) setsUp() bool {
	return t.job.Status == plan.JobRunning && t.job.Running.Phase == plan.PhaseInit
}

// beforeRef holds what the worktree has before an init that is run again.
func (t *turn) beforeRef() string {
	return "refs/kintsugi/init/" + t.id + "/" + t.job.ID + "/" + t.job.Launch
}

// beforeInit remembers what the worktree has before an init that is run again: what a person repaired there is not init's, and what
// the init before left is. The first one finds the files of the base.
func (t *turn) beforeInit(ctx context.Context) error {
	if t.job.Last.Launch == "" {
		return nil
	}
	repo, tree, err := t.places(ctx)
	if err != nil {
		return err
	}
	before, err := tree.SnapshotWithout(ctx, t.job.Base, t.job.Setup, gitrepo.Commit{Message: t.job.ID + ": before init\n", At: t.worker.config.Now()})
	if err != nil {
		return err
	}
	_, err = repo.MakeRef(ctx, t.beforeRef(), before, "kintsugi: before init")
	return err
}

// leftByInit is what an init left in the worktree that git does not ignore; nothing if that is nothing.
func (t *turn) leftByInit(ctx context.Context, at time.Time) (commit string, changed []string, err error) {
	repo, tree, err := t.places(ctx)
	if err != nil {
		return "", nil, err
	}
	before, err := repo.Ref(ctx, t.beforeRef())
	if err != nil {
		return "", nil, err
	}
	if before == "" {
		before = t.job.Base
	}
	commit, err = tree.Snapshot(ctx, before, gitrepo.Commit{Message: t.job.ID + ": what init left\n", At: at})
	if err != nil || commit == before {
		return "", nil, err
	}
	changes, err := repo.Changes(ctx, before, commit)
	if err != nil {
		return "", nil, err
	}
	for _, change := range changes {
		changed = append(changed, change.Path)
	}
	return commit, changed, repo.Keep(ctx, "refs/kintsugi/init/"+t.id+"/"+t.job.ID+"/"+commit[:12], commit)
}

// putBack removes from the worktree what the verification of a job left there: it is no work, and would be taken for the agent's.
// It is kept by a reference.
func (t *turn) putBack(ctx context.Context, at time.Time) error {
	repo, tree, err := t.places(ctx)
	if err != nil {
		return err
	}
	held, err := tree.SnapshotWithout(ctx, t.job.Commit, t.job.Setup, gitrepo.Commit{Message: t.job.ID + ": what its verification left\n", At: at})
	if err != nil || held == t.job.Commit {
		return err
	}
	if err := t.keep(ctx, repo, held); err != nil {
		return err
	}
	return tree.PutBack(ctx, t.job.Commit, held)
}

// places are the repository and the worktree of a job.
func (t *turn) places(ctx context.Context) (*gitrepo.Repo, *gitrepo.Worktree, error) {
	repo, err := t.repo(ctx)
	if err != nil {
		return nil, nil, err
	}
	tree, err := repo.Worktree(t.job.Worktree)
	return repo, tree, err
}

// moveLocks moves aside what a program left that ended in the middle of git: all that it started has ended, so it is nobody's, and it
// would stop every later attempt.
func (t *turn) moveLocks(ctx context.Context) error {
	_, tree, err := t.places(ctx)
	if err != nil {
		return err
	}
	return tree.MoveLocks(t.job.Branch)
}

// again makes the worktree of a job again from its branch, if it is gone; one that somebody put something else in the place of stays.
func (t *turn) again(ctx context.Context) error {
	if _, err := os.Lstat(t.job.Worktree); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	repo, err := t.repo(ctx)
	if err != nil {
		return err
	}
	commit, err := repo.Branch(ctx, t.job.Branch)
	if err != nil {
		return err
	}
	tree, err := repo.AddWorktree(ctx, t.job.Worktree, t.job.Branch, cmp.Or(commit, t.job.Commit, t.job.Base))
	if err != nil {
		return err
	}
	return t.fill(ctx, repo, tree)
}
