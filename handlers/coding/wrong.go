package coding

import (
	"context"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

// wrong says what no pattern can let pass: work in a submodule that nobody else can have, and files that a filter of the repository
// was to change. The work is kept in the repository itself, as the worktree's copy of the submodule goes with the worktree.
func (t *turn) wrong(ctx context.Context, repo *gitrepo.Repo, tree *gitrepo.Worktree, of *plan.CheckJob) error {
	unfiltered, err := tree.Unfiltered(ctx, of.Since, of.Commit)
	if err != nil {
		return err
	}
	for i, change := range of.Changes {
		of.Changes[i].Wrong = unfiltered[change.Path]
	}
	as := gitrepo.Commit{Message: t.job.ID + ": what was in no commit of the submodule\n", At: t.worker.config.Now()}
	modules, err := tree.Submodules(ctx, of.Commit, as)
	if err != nil {
		return err
	}
	for _, module := range modules {
		at := slices.IndexFunc(of.Changes, func(one plan.Change) bool { return one.Path == module.Path })
		if at >= 0 && of.Changes[at].Submodule {
			there, err := repo.Elsewhere(ctx, module)
			if err != nil {
				return err
			}
			if !there {
				ref, err := t.take(ctx, repo, module, module.Commit, as)
				if err != nil {
					return err
				}
				of.Changes[at].Wrong = fmt.Sprintf("its commit %.12s is on no remote of the submodule, so nobody else can check it out: it is kept in %s; push it, then let it pass", module.Commit, ref)
			}
		}
		if module.Work == "" {
			continue
		}
		if at < 0 {
			at, of.Changes = len(of.Changes), append(of.Changes, plan.Change{Path: module.Path, Kind: gitrepo.Modified, Repository: true, Submodule: true, Same: t.job.Accepted == of.Commit})
		}
		ref, err := t.take(ctx, repo, module, module.Work, as)
		if err != nil {
			return err
		}
		of.Changes[at].Wrong = "files in the submodule are changed and in no commit of it: they are kept in " + ref
	}
	return nil
}

func (t *turn) take(ctx context.Context, repo *gitrepo.Repo, module gitrepo.Submodule, commit string, as gitrepo.Commit) (ref string, err error) {
	ref = "refs/kintsugi/kept/" + t.id + "/" + t.job.ID + "/" + commit[:12]
	return ref, repo.Take(ctx, module, commit, ref, as)
}
