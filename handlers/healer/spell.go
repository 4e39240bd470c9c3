package healer

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// spell is one thing that the Healer can do. It bears being applied again after a crash, keeps what it takes away, and
// says how it is undone.
type spell struct {
	name session.Spell
	// about tells a model what it does, and when it helps.
	about string
	// ready says why its precondition does not hold, nothing if it does. It is not asked again after a crash.
	ready func(ctx context.Context, b *workspace) (why string, err error)
	// apply says what it did. A [refusal] says that it could not.
	apply func(ctx context.Context, b *workspace) (did, error)
}

// did is what a spell did.
type did struct {
	changed  bool
	detail   string
	undo     session.Undo
	followup string
	failed   bool // the agent that it launched did not end well
	// back says that what was done was taken back.
	back bool
}

// allSpells are all that there are, by name.
func allSpells() map[session.Spell]spell {
	all := map[session.Spell]spell{}
	for _, one := range []spell{rewindUncommitted, rewindToGreen, markBlocked, retryMinimal, retryResume, fixTypecheck, updateProgress, runDoctor} {
		all[one.name] = one
	}
	return all
}

// perform applies the spell that was started.
func (b *workspace) perform(ctx context.Context, again bool) (session.SpellApplied, error) {
	applied := session.SpellApplied{Healing: b.cast.Healing, Cast: b.cast.Cast, Spell: b.cast.Spell, Undo: session.Undo{Kind: session.UndoNothing}}
	one := b.spells[b.cast.Spell]
	if !again && one.ready != nil {
		why, err := one.ready(ctx, b)
		if no, is := refused(err); is {
			why, err = no, nil
		}
		if err != nil {
			return applied, err
		}
		if why != "" {
			applied.Detail = why
			return applied, nil
		}
	}
	done, err := one.apply(ctx, b)
	if no, is := refused(err); is {
		done, err = did{detail: no, back: true}, nil
	}
	if err != nil {
		return applied, err
	}
	applied.Applied, applied.Changed, applied.Detail, applied.Followup, applied.Failed = !done.back, done.changed, done.detail, done.followup, done.failed
	if done.undo.Kind != "" {
		applied.Undo = done.undo
	}
	applied.Kept, err = b.kept(ctx)
	return applied, err
}
