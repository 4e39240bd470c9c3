package healer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

// workspace is where a spell works: a worktree, and a healing as it stood when the spell was started.
type workspace struct {
	*Healer
	state   session.State
	healing session.Healing
	cast    session.SpellStarted
	repo    *gitrepo.Repo
	tree    *gitrepo.Worktree
	undoing bool // it is undone, which keeps under names of its own
}

// maxOutput is what a check or an agent may write, in bytes.
const maxOutput = 32 << 20

// environment is all that checks and agents get.
func environment() []string {
	env := []string{"LANG=C.UTF-8"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// place is the directory of a session's launches and reports.
func (h *Healer) place(id string) string { return filepath.Join(h.config.Dir, "sessions", id) }

func (h *Healer) open(ctx context.Context, state session.State) (*gitrepo.Repo, *gitrepo.Worktree, error) {
	repo, err := h.repos.Open(ctx, state.Repository, filepath.Join(h.place(state.ID), "view"))
	if err != nil {
		return nil, nil, err
	}
	tree, err := repo.At(state.Worktree)
	return repo, tree, err
}

// launched runs a program to its end; the same name again goes on with the same launch, in this life or a later one.
func (h *Healer) launched(ctx context.Context, state session.State, name string, argv []string, stdin string, agent bool) (ended launch.Ended, tail string, err error) {
	dir := filepath.Join(h.place(state.ID), name)
	spec := launch.Spec{
		Argv: argv, Dir: state.Worktree, Env: environment(), Stdin: stdin,
		Timeout: time.Duration(state.Policy.TimeoutSeconds) * time.Second, MaxOutput: maxOutput,
	}
	if state.Plan != "" && h.config.Equip != nil {
		err := h.config.Equip(ctx, state.Plan, state.Job, agent, &spec)
		if fault.KindOf(err) == fault.NotFound {
			return ended, "", &refusal{err.Error()}
		}
		if err != nil {
			return ended, "", err
		}
	}
	if err := h.config.Launcher.Start(ctx, dir, spec); err != nil {
		return ended, "", err
	}
	if ended, err = h.config.Launcher.Wait(ctx, dir); err != nil {
		return ended, "", err
	}
	tail, err = launch.Tail(dir, maxTail)
	return ended, strings.ToValidUTF8(tail, "�"), err
}

// maxTail is how much of an output's end is kept in events.
const maxTail = 8 << 10

// The kinds of reference that a spell makes.
const (
	keptFiles   = "files"   // all that was in the tree
	keptRest    = "rest"    // what was left there after the files of the head were put back
	keptStaged  = "staged"  // what was in the index
	keptHead    = "head"    // where the branch was
	keptBase    = "base"    // where it was before an agent
	keptBefore  = "before"  // the files before an agent
	keptRefused = "refused" // what an agent made that it was not to make
)

// refs begin the names of the references of this spell.
func (b *workspace) refs() string {
	if b.undoing {
		return fmt.Sprintf("refs/kintsugi/heal/%s/%d-%d-undone-", b.state.ID, b.cast.Healing, b.cast.Cast)
	}
	return fmt.Sprintf("refs/kintsugi/heal/%s/%d-%d-", b.state.ID, b.cast.Healing, b.cast.Cast)
}

func (b *workspace) as() gitrepo.Commit {
	return gitrepo.Commit{Message: fmt.Sprintf("Kept by %s, healing %d of session %s\n", b.cast.Spell, b.cast.Healing, b.state.ID), At: b.config.Now()}
}

// keep has a reference hold a commit. Its name has the commit in it, so that what is kept again after a crash stands
// beside what was kept before it.
func (b *workspace) keep(ctx context.Context, kind, commit string) error {
	return b.repo.Keep(ctx, b.refs()+kind+"-"+commit[:12], commit)
}

// kept is all that this spell keeps, made in this life or an earlier one.
func (b *workspace) kept(ctx context.Context) ([]session.Kept, error) {
	refs, err := b.repo.Refs(ctx, strings.TrimSuffix(b.refs()[:strings.LastIndexByte(b.refs(), '/')], "/"))
	var kept []session.Kept
	for ref, commit := range refs {
		if strings.HasPrefix(ref, b.refs()) {
			kept = append(kept, session.Kept{Ref: ref, Commit: commit})
		}
	}
	slices.SortFunc(kept, func(one, other session.Kept) int { return strings.Compare(one.Ref, other.Ref) })
	return kept, err
}

// keptAs is the first reference of a kind, nothing if there is none.
func keptAs(kept []session.Kept, kind string) session.Kept {
	for _, one := range kept {
		if strings.Contains(one.Ref[strings.LastIndexByte(one.Ref, '/'):], "-"+kind+"-") {
			return one
		}
	}
	return session.Kept{}
}

// keepFiles keeps everything in the tree and in its index that is not in head. It refuses where a repository is inside: git keeps
// only its name.
func (b *workspace) keepFiles(ctx context.Context, head, kind string) error {
	snapshot, err := b.tree.Snapshot(ctx, head, b.as())
	if err != nil {
		return err
	}
	staged, err := b.tree.Staged(ctx, head, b.as())
	if err != nil {
		return err
	}
	if staged != head && staged != snapshot {
		if err := b.keep(ctx, keptStaged, staged); err != nil {
			return err
		}
	}
	if snapshot == head {
		return nil
	}
	changes, err := b.repo.Changes(ctx, head, snapshot)
	if err != nil {
		return err
	}
	for _, change := range changes {
		if change.NewMode == gitrepo.ModeSubmodule {
			return &refusal{fmt.Sprintf("%s is a repository of its own: git would not keep what is in it, so a person has to look", change.Path)}
		}
	}
	return b.keep(ctx, kind, snapshot)
}

// refusal is why a spell could not be applied: its precondition does not hold, or git said no.
type refusal struct{ why string }

// Error implements error.
func (r *refusal) Error() string { return r.why }

// refused is the reason if an error is one that a healing goes on after.
func refused(err error) (string, bool) {
	if no, is := errors.AsType[*refusal](err); is {
		return no.why, true
	}
	if git, is := errors.AsType[*gitrepo.Error](err); is {
		return git.Error(), true
	}
	if moved, is := errors.AsType[*gitrepo.MovedError](err); is {
		return moved.Error(), true
	}
	return "", false
}

// dirty are the files that differ from head, the progress file left out.
func (b *workspace) dirty(ctx context.Context, head string) ([]string, error) {
	snapshot, err := b.tree.Snapshot(ctx, head, b.as())
	if err != nil || snapshot == head {
		return nil, err
	}
	changes, err := b.repo.Changes(ctx, head, snapshot)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, change := range changes {
		if change.Path != b.state.Policy.Progress || change.From != "" {
			files = append(files, change.Path)
		}
	}
	return files, nil
}

// clean removes what git does not know, after keeping it: files that an agent's own list of ignored files had hidden
// are met here for the first time.
func (b *workspace) clean(ctx context.Context, head string) error {
	if err := b.keepFiles(ctx, head, keptRest); err != nil {
		return err
	}
	return b.tree.Clean(ctx)
}
