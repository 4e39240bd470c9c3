package healer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

// staleLock is how old a lock of git has to be before it is taken for a dead program's.
const staleLock = 10 * time.Minute

// runDoctor looks at what surrounds the work. Precondition: none. Effect: locks that dead programs left are moved aside;
// all else is told. Undone by moving them back, which nobody wants: they hold nothing.
var runDoctor = spell{
	name:  session.RunDoctor,
	about: "Look at worktrees, locks, unfinished merges and branches, and move aside locks that dead programs left. Use it for failures of the environment.",
	apply: func(ctx context.Context, b *workspace) (did, error) {
		found, moved, err := b.moveLocks(func(made time.Time) bool { return b.config.Now().Sub(made) >= staleLock })
		if err != nil {
			return did{}, err
		}
		if what := b.tree.UnderWay(); what != "" {
			found = append(found, what+" is under way")
		}
		branches, err := b.repo.CheckedOut()
		if err != nil {
			return did{}, err
		}
		for branch, path := range branches {
			if _, err := os.Lstat(path); err != nil {
				found = append(found, fmt.Sprintf("the worktree of %s is gone: git worktree prune", branch))
			}
		}
		if _, branch, err := b.tree.Head(ctx); err != nil {
			found = append(found, err.Error())
		} else if branch == "" {
			found = append(found, "the worktree is on no branch: commits made there are held by nothing")
		}
		slices.Sort(found)
		if len(found) == 0 {
			found = []string{"worktrees, locks and branches are well"}
		}
		return did{changed: moved > 0, detail: strings.Join(found, "; ")}, nil
	},
}

// moveLocks moves aside the locks of git that were left, by the time at which they were made, and tells of all that there are.
func (b *workspace) moveLocks(left func(made time.Time) bool) (found []string, moved int, err error) {
	locks, err := b.tree.Locks()
	if err != nil {
		return nil, 0, err
	}
	for _, lock := range locks {
		info, err := os.Lstat(lock)
		switch {
		case err != nil:
			continue // it is gone
		case !left(info.ModTime()):
			found = append(found, fmt.Sprintf("%s is held, or was left less than %s ago", filepath.Base(lock), staleLock))
			continue
		}
		if err := gitrepo.MoveLock(lock); err != nil {
			return nil, 0, &refusal{err.Error()}
		}
		moved++
		found = append(found, filepath.Base(lock)+" was left by a program that is gone: moved aside")
	}
	return found, moved, nil
}
