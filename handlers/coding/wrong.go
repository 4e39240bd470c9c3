package coding

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

// wrong says what no pattern can let pass: work in a submodule that nobody else can have, files that a filter of the repository
// was to change, and the values of secrets. The work is kept in the repository itself, as the worktree's copy of the submodule goes with the worktree.
func (t *turn) wrong(ctx context.Context, repo *gitrepo.Repo, tree *gitrepo.Worktree, of *plan.CheckJob) error {
	unfiltered, err := tree.Unfiltered(ctx, of.Since, of.Commit)
	if err != nil {
		return err
	}
	secrets, err := t.secretsIn(ctx, repo, of)
	if err != nil {
		return err
	}
	for i, change := range of.Changes {
		of.Changes[i].Wrong = cmp.Or(secrets[change.Path], unfiltered[change.Path])
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
	ref = KeptRef(t.id, t.job.ID, commit)
	return ref, repo.Take(ctx, module, commit, ref, as)
}

// maxSearched is how much of a changed file is searched for secrets, in bytes.
const maxSearched = 8 << 20

// secretsIn says which changed files hold the value of a secret that the job or its checks were given: on a branch that is pushed it
// would be a secret no more.
func (t *turn) secretsIn(ctx context.Context, repo *gitrepo.Repo, of *plan.CheckJob) (map[string]string, error) {
	job, _ := t.state.Definition.Job(t.job.ID)
	known := map[string]func(text string) bool{}
	for _, secrets := range []map[string]string{job.Secrets, t.state.Definition.Secrets} {
		for _, handle := range secrets {
			value, there, err := t.worker.config.Secrets(plan.Subject(t.id), handle, SecretHost)
			if err != nil {
				return nil, err
			}
			if there {
				known[handle] = launch.Reveals(value)
			}
		}
	}
	found := map[string]string{}
	if len(known) == 0 {
		return found, nil
	}
	err := repo.Contents(ctx, of.Since, of.Commit, maxSearched, func(path, content string) {
		for _, handle := range slices.Sorted(maps.Keys(known)) {
			if known[handle](content) {
				found[path] = fmt.Sprintf("it holds the value of the secret %q: remove it, and replace the secret if anybody has the branch", handle)
			}
		}
	})
	return found, err
}
