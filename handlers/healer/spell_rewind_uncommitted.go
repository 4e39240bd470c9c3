package healer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// rewindUncommitted makes the tree what the head has. Precondition: something differs. Effect: tracked files are those of
// the head; untracked ones go only if the policy says so; ignored ones and the progress file stay. Undone by putting
// back the files of the reference that keeps them.
var rewindUncommitted = spell{
	name:  session.RewindUncommitted,
	about: "Take all uncommitted changes out of the tree. They are kept under a reference. Use it when what lies about is in the way.",
	ready: func(ctx context.Context, b *workspace) (string, error) {
		head, _, err := b.tree.Head(ctx)
		if err != nil {
			return "", err
		}
		files, err := b.dirty(ctx, head)
		if err == nil && len(files) == 0 {
			return "nothing differs from the head", nil
		}
		return "", err
	},
	apply: func(ctx context.Context, b *workspace) (did, error) {
		head, _, err := b.tree.Head(ctx)
		if err != nil {
			return did{}, err
		}
		return b.rewind(ctx, head)
	},
}

// rewind makes the files those of a commit, and keeps what they were.
func (b *workspace) rewind(ctx context.Context, commit string) (did, error) {
	root, err := os.OpenRoot(b.tree.Path)
	if err != nil {
		return did{}, fmt.Errorf("healer: %w", err)
	}
	defer root.Close()
	progress, err := root.ReadFile(b.state.Policy.Progress)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		progress = nil // a directory, or a link that leads outside: it is files like all others
	}
	if err := b.keepFiles(ctx, commit, keptFiles); err != nil {
		return did{}, err
	}
	if err := b.tree.Reset(ctx, commit); err != nil {
		return did{}, err
	}
	left := "what git does not know stays (clean: false)"
	if b.state.Policy.Clean {
		left = "what git did not know is gone from the tree"
		if err := b.clean(ctx, commit); err != nil {
			return did{}, err
		}
	}
	if progress != nil {
		if err := root.WriteFile(b.state.Policy.Progress, progress, 0o644); err != nil {
			return did{}, &refusal{"the progress file could not be put back: " + err.Error()}
		}
	}
	kept, err := b.kept(ctx)
	if err != nil {
		return did{}, err
	}
	files := keptAs(kept, keptFiles)
	return did{
		changed: true, detail: fmt.Sprintf("the files are those of %s; %s", commit[:12], left),
		undo: session.Undo{Kind: session.UndoFiles, Ref: files.Ref},
	}, nil
}
