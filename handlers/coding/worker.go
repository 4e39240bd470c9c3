package coding

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

// SecretHost is the host that a secret has to be bound to, for coding agents to be given it.
const SecretHost = "coding-agent"

// Config is what a Worker needs.
type Config struct {
	Commands *commands.Commands
	Launcher *launch.Launcher
	// Places is the directory that has the places of this node's plans; those elsewhere are another node's, also on this machine.
	Places string
	// Secrets gives the value of a secret of a scope, if it is bound to a host.
	Secrets func(scope, name, host string) (string, bool, error)
	// Healer is called for jobs that failed; without one they are held at once.
	Healer Healer
	Now    func() time.Time
	Logger *slog.Logger
}

// Worker is the reaction that does what is due for plans whose place is on this machine.
type Worker struct {
	config Config
	repos  gitrepo.Opener
	giving sync.Mutex // of ports
}

// New panics if a dependency is missing: that is a mistake in the wiring.
func New(config Config) *Worker {
	if config.Commands == nil || config.Launcher == nil || config.Places == "" || config.Secrets == nil || config.Now == nil || config.Logger == nil {
		panic("coding: New without a dependency")
	}
	return &Worker{config: config}
}

// Plans has a loop watch the plans of a log.
func Plans(c *commands.Commands, reactions ...loop.Reaction[plan.State]) loop.Kind {
	return loop.Watch[plan.State]{Name: "plan", Prefix: plan.StreamPrefix, Load: c.PlanSince, Reactions: reactions}
}

// Name implements [loop.Reaction].
func (w *Worker) Name() string { return "coding" }

// Due implements [loop.Reaction]. A plan is worked on where its place is: another node that shares the log has none.
func (w *Worker) Due(id string, state plan.State) []loop.Work {
	due := state.Due()
	if len(due) == 0 {
		return nil
	}
	if filepath.Dir(state.Place) != w.config.Places {
		return nil
	}
	if _, err := os.Stat(state.Place); err != nil {
		return nil
	}
	work := make([]loop.Work, len(due))
	for i, one := range due {
		t := &turn{worker: w, id: id, state: state, job: one.Job}
		work[i] = loop.Work{Key: one.Job.ID, Do: func(ctx context.Context) error { return t.do(ctx, one.Need) }}
	}
	return work
}

// turn is one thing that is done for a job.
type turn struct {
	worker *Worker
	id     string
	state  plan.State
	job    plan.JobState
}

func (t *turn) do(ctx context.Context, need plan.Need) error {
	if t.job.Answered && t.worker.config.Healer != nil { // what a person answered for is not blocked any more
		if err := t.worker.config.Healer.Unblock(ctx, t.job.Healing.Session, t.job.Healing.Subtask); err != nil {
			return err
		}
	}
	err := map[plan.Need]func(context.Context) error{
		plan.NeedStart: t.start, plan.NeedStep: t.step, plan.NeedEnd: t.end, plan.NeedKill: t.kill,
		plan.NeedHeal: t.heal, plan.NeedCheck: t.check, plan.NeedMerge: t.merge, plan.NeedLand: t.land,
	}[need](ctx)
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case fault.KindOf(err) == fault.Conflict: // the plan went on: a person answered, or cancelled it
		return &loop.Wait{}
	case gitrepo.Refused(err) && need == plan.NeedHeal: // a person is asked, and the session goes on with nothing meanwhile
		return t.stopHealing(ctx, err.Error())
	case gitrepo.Refused(err): // it will be refused again, so a person is asked
		return t.command(ctx, plan.FailJob{Job: t.job.ID, Status: t.job.Status, Reason: err.Error()}, "fail")
	}
	return fmt.Errorf("coding.Worker: plan %s, job %s, %s: %w", t.id, t.job.ID, need, err)
}

// command is the same in every life that comes to it from the same state of the job.
func (t *turn) command(ctx context.Context, command plan.Command, step string) error {
	_, err := t.worker.config.Commands.OnPlan(ctx, t.id, command, commands.Meta{
		CommandID: commands.DerivedID(t.id, t.job.ID, step, strconv.Itoa(t.job.Attempt), strconv.Itoa(t.job.Launches), strconv.Itoa(t.state.Checkpoints), string(t.job.Status), strconv.Itoa(t.job.Step)),
		Actor:     "system:coding",
	})
	return err
}

func (t *turn) repo(ctx context.Context) (*gitrepo.Repo, error) {
	return t.worker.repos.Open(ctx, t.state.Definition.Repository, filepath.Join(t.state.Place, "view"))
}

// Where things of a job are.
func (t *turn) dir(names ...string) string {
	return filepath.Join(append([]string{JobDir(t.state, t.job.ID)}, names...)...)
}

// JobDir is the directory of a job of a plan: its home, and its launches.
func JobDir(state plan.State, job string) string { return filepath.Join(state.Place, "jobs", job) }

// KeptRef is a reference that holds a commit of a job that is on no branch.
func KeptRef(id, job, commit string) string {
	return "refs/kintsugi/kept/" + id + "/" + job + "/" + commit[:12]
}

func (t *turn) launchDir(name string) string { return LaunchDir(t.state, t.job.ID, name) }

// LaunchDir is the directory of a launch of a job.
func LaunchDir(state plan.State, job, name string) string {
	return filepath.Join(JobDir(state, job), "launches", name)
}

// mergeTree is the worktree in which merges are verified.
func (t *turn) mergeTree() string { return filepath.Join(t.state.Place, "merged") }

// start makes the worktree of a job. No agent was there before, so that it may be made anew.
func (t *turn) start(ctx context.Context) error {
	repo, err := t.repo(ctx)
	if err != nil {
		return err
	}
	branch := Branch(t.id, t.job.ID)
	base := t.state.Head
	if left, err := repo.Branch(ctx, branch); err != nil {
		return err
	} else if left != "" && left != base { // of an earlier try, from before another merge
		if err := repo.SetRef(ctx, "refs/heads/"+branch, base, left, "kintsugi: begin again"); err != nil {
			return err
		}
	}
	tree, err := repo.AddWorktree(ctx, filepath.Join(t.state.Place, "trees", t.job.ID), branch, base)
	if err != nil {
		return err
	}
	if err := t.fill(ctx, repo, tree); err != nil {
		return err
	}
	own, err := repo.ConfigDigests()
	if err != nil {
		return err
	}
	return t.command(ctx, plan.StartJob{Job: t.job.ID, Base: base, Branch: branch, Worktree: tree.Path, Guarded: own}, "start")
}

// Branch is the branch of a job of a plan.
func Branch(id, job string) string {
	return "kintsugi/" + id[max(0, len(id)-12):] + "/" + job
}

// check looks at what a job changed: all that its worktree holds becomes its branch, and is compared with what the
// branch has in common with the integration branch.
func (t *turn) check(ctx context.Context) error {
	repo, err := t.repo(ctx)
	if err != nil {
		return err
	}
	if held := t.job.Held; held.Kind == plan.KindJobFailed && held.Attempt == t.job.Attempt && t.job.From == plan.JobChecking { // a person was told, and has it tried again
		if err := t.again(ctx); err != nil {
			return err
		}
	}
	tree, err := repo.Worktree(t.job.Worktree)
	if err != nil {
		return err
	}
	commit, err := t.collect(ctx, repo, tree)
	if err != nil {
		return err
	}
	// The plan says where the integration branch is, and that counts, not where an agent may have put it.
	since, err := repo.MergeBase(ctx, t.state.Head, commit)
	if err != nil {
		return err
	}
	if since == "" {
		since = t.job.Base
	}
	command := plan.CheckJob{Job: t.job.ID, Commit: commit, Since: since}
	if command.Changes, err = t.changes(ctx, repo, since, commit); err != nil {
		return err
	}
	if err := t.wrong(ctx, repo, tree, &command); err != nil {
		return err
	}
	if command.Ignored, _, err = tree.Ignored(ctx, 100); err != nil {
		return err
	}
	if command.Guarded, err = repo.ConfigDigests(); err != nil {
		return err
	}
	if command.Moved, err = t.moved(ctx, repo, commit, since); err != nil {
		return err
	}
	return t.command(ctx, command, "check")
}

// collect has the branch of a job hold all that is in its worktree. Another branch is kept.
func (t *turn) collect(ctx context.Context, repo *gitrepo.Repo, tree *gitrepo.Worktree) (commit string, err error) {
	head, _, err := tree.Head(ctx)
	if errors.Is(err, gitrepo.ErrNoRevision) {
		head, err = t.job.Base, nil // the agent left its branch for one without a commit
	}
	if err != nil {
		return "", err
	}
	as := gitrepo.Commit{Message: fmt.Sprintf("%s: attempt %d\n\n%s\n", t.job.ID, t.job.Attempt, t.state.Definition.Title), At: t.worker.config.Now()}
	if commit, err = tree.SnapshotWithout(ctx, head, t.job.Setup, as); err != nil {
		return "", err
	}
	follows, err := repo.IsAncestor(ctx, t.job.Base, commit)
	if err != nil {
		return "", err
	}
	if !follows {
		if err := t.keep(ctx, repo, commit); err != nil {
			return "", err
		}
		if commit, err = repo.Reparent(ctx, commit, t.job.Base, as); err != nil {
			return "", err
		}
	}
	was, err := repo.Branch(ctx, t.job.Branch)
	if err != nil {
		return "", err
	}
	if was != "" && was != commit {
		if under, err := repo.IsAncestor(ctx, was, commit); err != nil {
			return "", err
		} else if !under {
			if err := t.keep(ctx, repo, was); err != nil {
				return "", err
			}
		}
	}
	if err := repo.SetRef(ctx, "refs/heads/"+t.job.Branch, commit, was, "kintsugi: what the agent left"); err != nil {
		return "", err
	}
	return commit, tree.Attach(ctx, t.job.Branch, commit)
}

func (t *turn) keep(ctx context.Context, repo *gitrepo.Repo, commit string) error {
	return repo.Keep(ctx, KeptRef(t.id, t.job.ID, commit), commit)
}

// changes are what differs between two commits, and what of it a person let pass as it is.
func (t *turn) changes(ctx context.Context, repo *gitrepo.Repo, from, to string) ([]plan.Change, error) {
	found, err := repo.Changes(ctx, from, to)
	if err != nil {
		return nil, err
	}
	differs := map[string]bool{}
	if t.job.Accepted != "" {
		since, err := repo.Changes(ctx, t.job.Accepted, to)
		if err != nil {
			return nil, err
		}
		for _, change := range since {
			differs[change.Path] = true
			if change.From != "" {
				differs[change.From] = true
			}
		}
	}
	changes := make([]plan.Change, len(found))
	for i, change := range found {
		changes[i] = plan.Change{
			Path: change.Path, From: change.From, Kind: change.Kind, Symlink: change.Target,
			Repository: change.NewMode == gitrepo.ModeSubmodule, Submodule: change.OldMode == gitrepo.ModeSubmodule,
			Same: t.job.Accepted != "" && !differs[change.Path] && !differs[change.From],
		}
	}
	return changes, nil
}

// moved are branches of people's that lead to what this job made: nobody else can have put them there.
func (t *turn) moved(ctx context.Context, repo *gitrepo.Repo, commit, since string) ([]plan.Moved, error) {
	var moved []plan.Moved
	for _, name := range []string{t.state.Definition.Base, t.state.Definition.Integration} {
		at, err := repo.Branch(ctx, name)
		if err != nil {
			return nil, err
		}
		if at == "" {
			continue
		}
		own, err := repo.IsAncestor(ctx, at, commit)
		if err != nil {
			return nil, err
		}
		before, err := repo.IsAncestor(ctx, at, since)
		if err != nil {
			return nil, err
		}
		if own && !before {
			was, err := t.before(ctx, repo, name, commit, since)
			if err != nil {
				return nil, err
			}
			moved = append(moved, plan.Moved{Ref: "refs/heads/" + name, Was: was})
		}
	}
	return moved, nil
}

// before is where a branch was before it led to what a job made, as its log says; for the integration branch it is where the plan left it.
func (t *turn) before(ctx context.Context, repo *gitrepo.Repo, name, commit, since string) (string, error) {
	if name == t.state.Definition.Integration {
		return t.state.Head, nil
	}
	log, err := repo.Positions(ctx, name)
	if err != nil {
		return "", err
	}
	for _, at := range log {
		own, err := repo.IsAncestor(ctx, at, commit)
		if err != nil {
			return "", err
		}
		before, err := repo.IsAncestor(ctx, at, since)
		if err != nil {
			return "", err
		}
		if !own || before {
			return at, nil
		}
	}
	return "", nil
}
