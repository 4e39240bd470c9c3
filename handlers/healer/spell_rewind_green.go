package healer

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// rewindToGreen goes back to the last commit on which the server saw a check pass. Precondition: the policy lets a branch be
// moved, and there is such a commit before the head. Effect: branch and files are there; the old head and what was not
// committed are kept. Undone by moving the branch to the old head.
var rewindToGreen = spell{
	name:  session.RewindToGreen,
	about: "Move the branch and the files back to the last commit on which a check passed. The old head and all changes are kept. Use it when later commits broke things beyond a small fix.",
	ready: func(ctx context.Context, b *workspace) (string, error) {
		if !b.state.Policy.HardReset {
			return "the policy lets no branch be moved back (hard_reset: false)", nil
		}
		green, known := b.state.LastGreen()
		if !known {
			return "no commit of this session is known to be green", nil
		}
		head, _, err := b.tree.Head(ctx)
		if err != nil {
			return "", err
		}
		if head == green {
			return "the head is the last green commit", nil
		}
		before, err := b.repo.IsAncestor(ctx, green, head)
		if err == nil && !before {
			return fmt.Sprintf("the last green commit %s is not before the head", green[:12]), nil
		}
		return "", err
	},
	apply: func(ctx context.Context, b *workspace) (did, error) {
		green, _ := b.state.LastGreen()
		head, branch, err := b.tree.Head(ctx)
		if err != nil {
			return did{}, err
		}
		if head != green { // else an earlier life came so far
			if err := b.keepFiles(ctx, head, keptFiles); err != nil {
				return did{}, err
			}
			if err := b.keep(ctx, keptHead, head); err != nil {
				return did{}, err
			}
			if err := b.moveHead(ctx, branch, head, green); err != nil {
				return did{}, err
			}
		}
		done, err := b.rewind(ctx, green)
		if err != nil {
			return did{}, err
		}
		kept, err := b.kept(ctx)
		done.detail = fmt.Sprintf("%s is at the last green commit %s", branchText(branch), green[:12])
		done.undo = session.Undo{Kind: session.UndoHead, Ref: keptAs(kept, keptHead).Ref}
		return done, err
	},
}

// moveHead moves the worktree's branch, or its head if it is on none; files stay.
func (b *workspace) moveHead(ctx context.Context, branch, from, to string) error {
	if branch != "" {
		if err := b.repo.SetRef(ctx, "refs/heads/"+branch, to, from, "kintsugi: "+string(b.cast.Spell)); err != nil {
			return err
		}
	}
	return b.tree.Attach(ctx, branch, to)
}

func branchText(branch string) string {
	if branch == "" {
		return "the head"
	}
	return "the branch " + branch
}
