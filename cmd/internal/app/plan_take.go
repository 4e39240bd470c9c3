package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

// Add adds the jobs of a definition to a plan that the plan does not have yet. Those that it has may not differ.
func (p *Plans) Add(ctx context.Context, actor, id string, definition plan.Definition) (added []string, err error) {
	state, err := p.Commands.LoadPlan(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, job := range definition.Jobs {
		if there, is := state.Definition.Job(job.ID); !is {
			added = append(added, job.ID)
		} else if !reflect.DeepEqual(there, job) {
			return nil, fault.New(fault.Invalid, "job %q is in the plan already, and the file has it otherwise: jobs are added, not changed. Give what is to be done an id of its own", job.ID)
		}
	}
	if len(added) == 0 {
		return nil, fault.New(fault.Invalid, "the plan has all jobs of the file already: write the new ones beside them")
	}
	for _, name := range added {
		job, _ := definition.Job(name)
		if _, err := p.Commands.OnPlan(ctx, id, plan.Add{Job: job}, By(actor)); err != nil {
			return nil, err
		}
	}
	return added, nil
}

// FollowUp is one more job after another, with that one's agent, environment, secrets, checks and limits.
type FollowUp struct {
	After string // the job
	ID    string
	Task  string
	Touch []string
}

// FollowUp adds a job after one that the plan has. It names no program, so that nobody who may answer for jobs has another one run.
func (p *Plans) FollowUp(ctx context.Context, meta commands.Meta, id string, of FollowUp) (commands.Result, error) {
	state, err := p.Commands.LoadPlan(ctx, id)
	if err != nil {
		return commands.Result{}, err
	}
	job, there := state.Definition.Job(of.After)
	if !there {
		return commands.Result{}, fault.New(fault.NotFound, "plan %s has no job %q", id, of.After)
	}
	job.ID, job.Task, job.Touch, job.MayCreate, job.Needs, job.Subtasks = of.ID, of.Task, of.Touch, nil, []string{of.After}, nil
	return p.Commands.OnPlan(ctx, id, plan.Add{Job: job}, meta)
}

// Taken is what came of taking the work of a plan into a branch.
type Taken struct {
	Plan   string `json:"plan"`
	Into   string `json:"into"`
	Commit string `json:"commit"` // where the branch is now
	// Forward says that the branch is where the plan's verification passed; else it has commits of its own, and the merge was not verified.
	Forward bool `json:"forward"`
	Already bool `json:"already"` // the branch had all of it
}

// Take merges what a plan has on its integration branch into a branch, the plan's base if none is named. Where the branch is checked
// out, the person's own git does it.
func (p *Plans) Take(ctx context.Context, meta commands.Meta, id, into string) (Taken, error) {
	state, repo, err := p.opened(ctx, id)
	if err != nil {
		return Taken{}, err
	}
	if into == "" {
		into = strings.TrimPrefix(state.Definition.Base, "refs/heads/")
	}
	taken := Taken{Plan: id, Into: into}
	at, err := repo.Branch(ctx, into)
	if err != nil {
		return taken, err
	}
	if at == "" {
		return taken, fault.New(fault.Invalid, "%s has no branch %q: name one with --into", repo.Top, into)
	}
	if into == state.Definition.Integration {
		return taken, fault.New(fault.Invalid, "%q is the plan's own branch: name another with --into", into)
	}
	if taken.Already, err = repo.IsAncestor(ctx, state.Head, at); err != nil {
		return taken, err
	}
	if taken.Forward, err = repo.IsAncestor(ctx, at, state.Head); err != nil {
		return taken, err
	}
	if !taken.Already {
		if err := p.merge(ctx, repo, state, into, at, taken.Forward); err != nil {
			return taken, err
		}
	}
	if taken.Commit, err = repo.Branch(ctx, into); err != nil {
		return taken, err
	}
	meta.CommandID = commands.DerivedID(id, "take", into, state.Head) // one that was not recorded before a crash is recorded now
	_, err = p.Commands.OnPlan(ctx, id, plan.Take{Into: into, Commit: taken.Commit, Taken: state.Head}, meta)
	return taken, err
}

// merge moves a branch to a merge with what a plan has done.
func (p *Plans) merge(ctx context.Context, repo *gitrepo.Repo, state plan.State, into, at string, forward bool) error {
	message := fmt.Sprintf("Merge plan %q\n\n%s, %d jobs\n", state.Definition.Title, state.ID, len(state.Definition.Jobs))
	to := state.Head
	if !forward {
		merged, conflicts, err := repo.Merge(ctx, at, state.Head, gitrepo.Commit{Message: message, At: p.Now()})
		if err != nil {
			return err
		}
		if len(conflicts) > 0 {
			return fault.New(fault.Conflict, "branch %s has moved on, and both sides changed %s: merge it yourself with 'git merge %s', and resolve the conflicts. Nothing was changed",
				into, strings.Join(conflicts, ", "), state.Definition.Integration)
		}
		to = merged
	}
	on, err := repo.CheckedOut()
	if err != nil {
		return err
	}
	path, checkedOut := on[into]
	if !checkedOut {
		return repo.SetRef(ctx, "refs/heads/"+into, to, at, "kintsugi: take plan "+state.ID)
	}
	// The files have to follow, and a merge in a person's checkout is theirs: with their name, hooks and signature.
	how := "--no-ff" // whatever the person's git does otherwise: the answer says which it was
	if forward {
		how = "--ff-only"
	}
	program := exec.CommandContext(ctx, "git", "-C", path, "merge", how, "--no-edit", "-m", message, state.Head)
	if said, err := program.CombinedOutput(); err != nil {
		return fault.New(fault.Conflict, "git merge in %s: %s", path, strings.TrimSpace(string(said)))
	}
	return nil
}

// opened is a plan with its repository.
func (p *Plans) opened(ctx context.Context, id string) (plan.State, *gitrepo.Repo, error) {
	state, err := p.Commands.LoadPlan(ctx, id)
	if err != nil {
		return state, nil, err
	}
	if state.Status == plan.StatusNone {
		return state, nil, fault.New(fault.NotFound, "there is no plan %q: see 'kintsugi repo plan list'", id)
	}
	repo, err := gitrepo.Open(ctx, state.Definition.Repository, filepath.Join(state.Place, "view"))
	if err != nil {
		return state, nil, fault.New(fault.Invalid, "%w", err)
	}
	return state, repo, nil
}

// BaseMoved is how many commits the base of a plan has that its integration branch does not.
func (p *Plans) BaseMoved(ctx context.Context, id string) (int, error) {
	state, repo, err := p.opened(ctx, id)
	if err != nil {
		return 0, err
	}
	base, err := repo.Branch(ctx, strings.TrimPrefix(state.Definition.Base, "refs/heads/"))
	if err != nil || base == "" {
		return 0, err
	}
	return repo.Ahead(ctx, base, state.Head)
}

// Cleaned is what was removed of a plan that is over, and what was not.
type Cleaned struct {
	Plan      string   `json:"plan"`
	Worktrees []string `json:"worktrees"`
	Branches  []string `json:"branches"`       // removed: all that is on them is merged
	Kept      []string `json:"kept,omitempty"` // branches and references with what is on no other
}

// Clean removes the worktrees of a plan that is over, and the branches that are merged. Files that are in no commit yet are kept under
// refs/kintsugi/kept before.
func (p *Plans) Clean(ctx context.Context, id string) (Cleaned, error) {
	state, repo, err := p.opened(ctx, id)
	if err != nil {
		return Cleaned{}, err
	}
	cleaned := Cleaned{Plan: id, Worktrees: []string{}, Branches: []string{}}
	if state.Status == plan.StatusRunning {
		return cleaned, fault.New(fault.Conflict, "plan %s is not over: cancel it, or wait for its end", id)
	}
	if len(state.Due()) > 0 {
		return cleaned, fault.New(fault.Conflict, "something of plan %s still runs: the server is ending it, try again in a moment", id)
	}
	for _, of := range state.Definition.Jobs {
		job := state.Jobs[of.ID]
		if job.Worktree == "" {
			continue
		}
		if err := p.cleanJob(ctx, repo, state, job, &cleaned); err != nil {
			return cleaned, err
		}
	}
	if err := repo.RemoveWorktree(filepath.Join(state.Place, "merged")); err != nil {
		return cleaned, err
	}
	for _, prefix := range []string{"refs/kintsugi/merges/", "refs/kintsugi/init/"} {
		refs, err := repo.Refs(ctx, prefix+id+"/")
		if err != nil {
			return cleaned, err
		}
		for ref, at := range refs {
			if err := repo.DropRef(ctx, ref, at); err != nil {
				return cleaned, err
			}
		}
	}
	return cleaned, nil
}

func (p *Plans) cleanJob(ctx context.Context, repo *gitrepo.Repo, state plan.State, job plan.JobState, cleaned *Cleaned) error {
	tree, err := repo.Worktree(job.Worktree)
	if err == nil {
		if job.Status != plan.JobMergedIn {
			if err := p.keepLeft(ctx, repo, tree, state, job, cleaned); err != nil {
				return err
			}
		}
		cleaned.Worktrees = append(cleaned.Worktrees, job.Worktree)
		err = repo.RemoveWorktree(job.Worktree)
	}
	if err != nil && !errors.Is(err, gitrepo.ErrWorktree) {
		return err
	}
	if err := os.RemoveAll(filepath.Join(coding.JobDir(state, job.ID), "home")); err != nil {
		return err
	}
	at, err := repo.Branch(ctx, job.Branch)
	if err != nil || at == "" {
		return err
	}
	if merged, err := repo.IsAncestor(ctx, at, state.Head); err != nil {
		return err
	} else if !merged {
		cleaned.Kept = append(cleaned.Kept, job.Branch)
		return nil
	}
	cleaned.Branches = append(cleaned.Branches, job.Branch)
	return repo.DropRef(ctx, "refs/heads/"+job.Branch, at)
}

// keepLeft keeps what the worktree of a job holds that is on no branch.
func (p *Plans) keepLeft(ctx context.Context, repo *gitrepo.Repo, tree *gitrepo.Worktree, state plan.State, job plan.JobState, cleaned *Cleaned) error {
	head, _, err := tree.Head(ctx)
	if errors.Is(err, gitrepo.ErrNoRevision) {
		head, err = job.Base, nil
	}
	if err != nil {
		return err
	}
	held, err := tree.SnapshotWithout(ctx, head, job.Setup, gitrepo.Commit{Message: job.ID + ": what its worktree held when it was removed\n", At: p.Now()})
	if err != nil {
		return err
	}
	at, err := repo.Branch(ctx, job.Branch)
	if err != nil || held == at || held == job.Base {
		return err
	}
	ref := coding.KeptRef(state.ID, job.ID, held)
	if err := repo.Keep(ctx, ref, held); err != nil {
		return err
	}
	cleaned.Kept = append(cleaned.Kept, ref)
	return nil
}
