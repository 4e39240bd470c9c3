package coding

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

// merge makes the merge of a job's commit onto the integration branch, as a commit that nothing refers to, and puts its
// files where they are verified.
func (t *turn) merge(ctx context.Context) error {
	repo, err := t.repo(ctx)
	if err != nil {
		return err
	}
	if why, err := t.away(ctx, repo); err != nil {
		return err
	} else if why != "" {
		return t.command(ctx, plan.RefuseMerge{Job: t.job.ID, Reason: why}, "refuse")
	}
	command := plan.StartMerge{Job: t.job.ID, Onto: t.state.Head}
	command.Commit, command.Conflicts, err = repo.Merge(ctx, t.state.Head, t.job.Commit, gitrepo.Commit{
		Message: fmt.Sprintf("Merge %s\n\n%s, plan %s\n", t.job.ID, t.state.Definition.Title, t.id), At: t.worker.config.Now(),
	})
	if err != nil {
		return err
	}
	if len(command.Conflicts) == 0 {
		if command.Changes, err = t.changes(ctx, repo, t.state.Head, command.Commit); err != nil {
			return err
		}
		// The newest merge is kept by a reference until the branch has it.
		if err := repo.Keep(ctx, "refs/kintsugi/merges/"+t.id+"/"+t.job.ID+"/"+command.Commit[:12], command.Commit); err != nil {
			return err
		}
		if err := t.mergedFiles(ctx, repo, command.Commit); err != nil {
			return err
		}
	}
	return t.command(ctx, command, "merge")
}

// mergedFiles has the worktree in which merges are verified hold a commit. Files that git ignores there, as
// installed packages, are kept from one merge to the next.
func (t *turn) mergedFiles(ctx context.Context, repo *gitrepo.Repo, commit string) error {
	tree, err := repo.Worktree(t.mergeTree())
	if err != nil {
		if tree, err = repo.AddWorktree(ctx, t.mergeTree(), "", commit); err != nil {
			return err
		}
		return t.fill(ctx, repo, tree)
	}
	if err := tree.Reset(ctx, commit); err != nil {
		return err
	}
	if err := tree.Clean(ctx); err != nil {
		return err
	}
	return tree.Attach(ctx, "", commit)
}

// away says why the integration branch cannot be moved, nothing if it can.
func (t *turn) away(ctx context.Context, repo *gitrepo.Repo) (string, error) {
	name := t.state.Definition.Integration
	at, err := repo.Branch(ctx, name)
	if err != nil {
		return "", err
	}
	if at != t.state.Head && (at != t.job.Merge || at == "") {
		return fmt.Sprintf("branch %s was moved to %q by somebody else, and the plan left it green at %s: put it back with 'git branch -f %s %s', then retry the job",
			name, at, t.state.Head, name, t.state.Head), nil
	}
	on, err := repo.CheckedOut()
	if err != nil {
		return "", err
	}
	if path, is := on[name]; is {
		return fmt.Sprintf("branch %s is checked out in %s, whose files would not follow: check out something else there, then retry the job", name, path), nil
	}
	return "", nil
}

// land moves the integration branch to a merge that is verified.
func (t *turn) land(ctx context.Context) error {
	repo, err := t.repo(ctx)
	if err != nil {
		return err
	}
	at, err := repo.Branch(ctx, t.state.Definition.Integration)
	if err != nil {
		return err
	}
	if at == t.job.Merge { // an earlier life moved it; what somebody did with the branch since is no matter
		return t.command(ctx, plan.CompleteMerge{Job: t.job.ID, Commit: t.job.Merge}, "land")
	}
	if why, err := t.away(ctx, repo); err != nil {
		return err
	} else if why != "" {
		return t.command(ctx, plan.RefuseMerge{Job: t.job.ID, Reason: why}, "refuse")
	}
	if err := repo.SetRef(ctx, "refs/heads/"+t.state.Definition.Integration, t.job.Merge, t.state.Head, "kintsugi: merge "+t.job.ID); err != nil {
		return err
	}
	return t.command(ctx, plan.CompleteMerge{Job: t.job.ID, Commit: t.job.Merge}, "land")
}

// putMerge has the worktree of a job whose merge was red hold that merge, so that what failed can be seen to fail there, and
// mended. Once it is there it is left alone.
func (t *turn) putMerge(ctx context.Context) error {
	repo, err := t.repo(ctx)
	if err != nil {
		return err
	}
	if at, err := repo.Branch(ctx, t.job.Branch); err != nil || at != t.job.Commit {
		return err
	}
	if of, err := repo.IsAncestor(ctx, t.job.Commit, t.job.Merge); err != nil || !of {
		return err
	}
	tree, err := repo.Worktree(t.job.Worktree)
	if err != nil {
		return err
	}
	left, err := tree.SnapshotWithout(ctx, t.job.Commit, t.job.Setup, gitrepo.Commit{Message: t.job.ID + ": what was there before the merge was put there\n", At: t.worker.config.Now()})
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
