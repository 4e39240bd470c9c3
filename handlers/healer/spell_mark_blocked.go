package healer

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// markBlocked stops a subtask until a person lets it go on. Precondition: none. Effect: the event itself, with what a person is
// to do. Undone by 'kintsugi healer unblock'.
var markBlocked = spell{
	name:  session.MarkBlocked,
	about: "Stop this subtask until a person has looked, with what they are to do as the note. Use it when nothing else helps.",
	apply: func(_ context.Context, b *workspace) (did, error) {
		text := b.followup()
		return did{detail: "blocked", followup: text, undo: session.Undo{Kind: session.UndoBlock}}, nil
	},
}

// followup is what a person is asked.
func (b *workspace) followup() string {
	f := b.healing.Failure
	parts := []string{fmt.Sprintf("%s (%s): %s.", cmp.Or(f.Check.Name, "the work"), f.Trigger, f.Says)}
	if b.cast.Note != "" {
		parts = append(parts, b.cast.Note)
	}
	for _, cast := range b.healing.Casts {
		if cast.Ended == nil {
			continue
		}
		for _, kept := range cast.Ended.Kept {
			parts = append(parts, fmt.Sprintf("Kept by %s: git diff HEAD %s", cast.Spell, kept.Ref))
		}
	}
	if b.state.Plan != "" {
		return strings.Join(append(parts, fmt.Sprintf("Mend it in %s, then: kintsugi repo plan retry %s %s", b.state.Worktree, b.state.Plan, b.state.Job)), "\n")
	}
	parts = append(parts, fmt.Sprintf("Mend it, then: kintsugi healer unblock %s --subtask %q", b.state.ID, f.Subtask))
	return strings.Join(parts, "\n")
}
