package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// At is the worktree that a directory is in: the main one, or one that the repository knows.
func (r *Repo) At(dir string) (*Worktree, error) {
	top, err := filepath.EvalSymlinks(dir)
	if err == nil {
		top, err = filepath.Abs(top)
	}
	if err != nil {
		return nil, fmt.Errorf("gitrepo: %w (%w)", ErrWorktree, err)
	}
	for ; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		if top == filepath.Dir(top) {
			return nil, fmt.Errorf("gitrepo: %s is in no worktree: %w", dir, ErrWorktree)
		}
	}
	if top == r.Top {
		return &Worktree{Path: top, repo: r, gitDir: r.common}, nil
	}
	return r.Worktree(top)
}

// Staged is what was put into the worktree's own index, as a commit after head: head itself if that is no more than the
// head has, or if the index is in the middle of a merge, whose sides are commits anyway.
func (w *Worktree) Staged(ctx context.Context, head string, as Commit) (string, error) {
	tree, err := w.repo.output(ctx, w.on("", "write-tree"))
	if exitCode(err) > 0 {
		return head, nil
	}
	if err != nil {
		return "", err
	}
	of, err := w.repo.Tree(ctx, head)
	if err != nil || of == tree {
		return head, err
	}
	return w.repo.commitTree(ctx, tree, as, head)
}

// Locks are the lock files of git that are there: of this worktree, and of what all worktrees share.
func (w *Worktree) Locks() ([]string, error) {
	var locks []string
	for _, dir := range []string{w.gitDir, w.repo.common} {
		found, err := filepath.Glob(filepath.Join(dir, "*.lock"))
		if err != nil {
			return nil, fmt.Errorf("gitrepo: %w", err)
		}
		locks = append(locks, found...)
		if w.gitDir == w.repo.common {
			break
		}
	}
	err := filepath.WalkDir(filepath.Join(w.repo.common, "refs"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			locks = append(locks, path)
		}
		if errors.Is(err, fs.ErrNotExist) { // it was let go of meanwhile
			return nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("gitrepo: %w", err)
	}
	return locks, nil
}

// UnderWay names what git was in the middle of, nothing if it was not: a merge, a rebase …
func (w *Worktree) UnderWay() string {
	for file, what := range map[string]string{"MERGE_HEAD": "a merge", "rebase-merge": "a rebase", "rebase-apply": "a rebase", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert", "BISECT_LOG": "a bisection"} {
		if _, err := os.Lstat(filepath.Join(w.gitDir, file)); err == nil {
			return what
		}
	}
	return ""
}
