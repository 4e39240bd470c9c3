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

// Current is the branch that the main worktree is on, or its commit if it is on none; HEAD is no name here, where it would be the view's.
func (r *Repo) Current() (string, error) {
	text, err := os.ReadFile(filepath.Join(r.common, "HEAD"))
	if err != nil {
		return "", fmt.Errorf("gitrepo: %w", err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/"), nil
}

// Files are the paths of the files of a commit, in order.
func (r *Repo) Files(ctx context.Context, commit string) ([]string, error) {
	list, err := r.onView(ctx, "ls-tree", "-r", "-z", "--name-only", commit)
	return strings.FieldsFunc(list, func(c rune) bool { return c == 0 }), err
}

// Absent counts the objects of a commit's files that the repository does not have: a partial clone has them fetched when they are
// needed, which is not done here.
func (r *Repo) Absent(ctx context.Context, commit string) (count int, err error) {
	list, err := r.onView(ctx, "rev-list", "--objects", "--no-walk", "--missing=print", commit)
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "?") {
			count++
		}
	}
	return count, err
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

// MoveLocks moves the lock files aside of this worktree alone and of its branch. All that worked there has to have ended.
func (w *Worktree) MoveLocks(branch string) error {
	locks, err := filepath.Glob(filepath.Join(w.gitDir, "*.lock"))
	if err != nil {
		return fmt.Errorf("gitrepo: %w", err)
	}
	for _, lock := range append(locks, filepath.Join(w.repo.common, "refs", "heads", branch+".lock")) {
		if err := MoveLock(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// MoveLock moves a lock file aside: to a name that begins with a dot and is neither a lock nor a reference.
func MoveLock(lock string) error {
	info, err := os.Lstat(lock)
	if err == nil {
		err = os.Rename(lock, filepath.Join(filepath.Dir(lock), fmt.Sprintf(".%s.%d.left", filepath.Base(lock), info.ModTime().UnixNano())))
	}
	if err != nil {
		return fmt.Errorf("gitrepo: %w", err)
	}
	return nil
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
