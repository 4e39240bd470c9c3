package healer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

// Undo undoes a spell's effect, as the spell declared. The present state is kept first, so that the undoing can be
// taken back, too.
func (h *Healer) Undo(ctx context.Context, id string, healing, cast int, by commands.Meta) (session.SpellUndone, error) {
	undone := session.SpellUndone{Healing: healing, Cast: cast}
	release, err := h.lock(id)
	if _, busy := errors.AsType[*loop.Wait](err); busy {
		return undone, fault.New(fault.Conflict, "session %s is being healed: wait for its end", id)
	}
	if err != nil {
		return undone, err
	}
	defer release()
	state, err := h.config.Commands.LoadSession(ctx, id)
	if err != nil {
		return undone, err
	}
	applied, err := state.Undoable(healing, cast)
	if err != nil {
		return undone, err
	}
	if state.Host != h.config.Host {
		return undone, fault.New(fault.Conflict, "session %s works on %s: undo it there", id, state.Host)
	}
	undone.Spell = applied.Spell
	if applied.Undo.Kind == session.UndoBlock {
		if _, err := h.config.Commands.OnSession(ctx, id, session.Unblock{Subtask: state.Healings[healing-1].Failure.Subtask, Reason: "undone"}, by); err != nil {
			return undone, err
		}
		undone.Detail = "it may go on"
	} else if err := h.putBack(ctx, state, applied, &undone); err != nil {
		if why, is := refused(err); is {
			return undone, fault.New(fault.Conflict, "%s", why)
		}
		return undone, err
	}
	by.CommandID = commands.DerivedID(by.CommandID, "undone")
	_, err = h.config.Commands.OnSession(ctx, id, session.UndoSpell{SpellUndone: undone}, by)
	return undone, err
}

// putBack puts files, or the branch, back to where a reference has them.
func (h *Healer) putBack(ctx context.Context, state session.State, applied session.SpellApplied, undone *session.SpellUndone) error {
	repo, tree, err := h.open(ctx, state)
	if err != nil {
		return err
	}
	if what := tree.UnderWay(); what != "" {
		return &refusal{what + " is under way in the worktree: end it first"}
	}
	b := &workspace{
		Healer: h, state: state, healing: state.Healings[applied.Healing-1], repo: repo, tree: tree,
		cast: session.SpellStarted{Healing: applied.Healing, Cast: applied.Cast, Spell: applied.Spell}, undoing: true,
	}
	at, err := repo.Resolve(ctx, applied.Undo.Ref)
	if errors.Is(err, gitrepo.ErrNoRevision) {
		return &refusal{fmt.Sprintf("%s is gone: there is nothing to put back", applied.Undo.Ref)}
	}
	if err != nil {
		return err
	}
	head, branch, err := tree.Head(ctx)
	if err != nil {
		return err
	}
	if err := b.keepFiles(ctx, head, keptFiles); err != nil {
		return err
	}
	switch applied.Undo.Kind {
	case session.UndoFiles:
		if err := tree.Reset(ctx, at); err != nil {
			return err
		}
		if err := tree.Attach(ctx, branch, head); err != nil {
			return err
		}
		undone.Detail = "the files are those of " + applied.Undo.Ref + ", uncommitted"
	case session.UndoHead:
		if err := b.keep(ctx, keptHead, head); err != nil {
			return err
		}
		if err := b.moveHead(ctx, branch, head, at); err != nil {
			return err
		}
		if err := tree.Reset(ctx, at); err != nil {
			return err
		}
		undone.Detail = branchText(branch) + " is at " + at[:12] + " again"
	case session.UndoProgress:
		if err := b.oldProgress(ctx, at); err != nil {
			return err
		}
		undone.Detail = state.Policy.Progress + " is as it was"
	default:
		return &refusal{fmt.Sprintf("nobody knows how %q is undone", applied.Undo.Kind)}
	}
	undone.Kept, err = b.kept(ctx)
	return err
}

// oldProgress makes the progress file what a commit has; it goes if that has none.
func (b *workspace) oldProgress(ctx context.Context, commit string) error {
	root, err := os.OpenRoot(b.tree.Path)
	if err != nil {
		return fmt.Errorf("healer: %w", err)
	}
	defer root.Close()
	file := filepath.FromSlash(b.state.Policy.Progress)
	text, there, err := b.repo.File(ctx, commit, b.state.Policy.Progress)
	switch {
	case err != nil:
		return err
	case there:
		err = root.WriteFile(file, text, 0o644)
	default:
		err = root.Remove(file)
	}
	if err != nil && !os.IsNotExist(err) {
		return &refusal{strings.TrimSpace(err.Error())}
	}
	return nil
}
