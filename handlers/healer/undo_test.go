package healer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
)

// number is the number of a spell's last cast.
func number(healing session.Healing, spell session.Spell) int {
	for i := len(healing.Casts); i > 0; i-- {
		if healing.Casts[i-1].Spell == spell {
			return i
		}
	}
	return 0
}

// Rule: each spell is undone as it declares, once, and what was there is kept.
func TestUndo(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write("price.txt", "5\n")
	w.write("new.txt", "new work\n")
	w.doing("cat > /dev/null; echo 6 > price.txt")
	healing := w.heal(healer.Call{})
	require.Equal(t, session.Contained, healing.Ended.Outcome)
	require.NoFileExists(t, w.dir+"/new.txt")
	undo := func(spell session.Spell) (session.SpellUndone, error) {
		return w.healer.Undo(t.Context(), "s1", 1, number(healing, spell), person())
	}
	_, err := undo(session.UpdateProgress)
	require.NoError(t, err)
	require.NoFileExists(t, w.dir+"/progress.md")
	w.write("later.txt", "later\n")
	undone, err := undo(session.RewindUncommitted)
	require.NoError(t, err)
	require.Equal(t, "6\n", w.read("price.txt"))
	require.Equal(t, "new work\n", w.read("new.txt"))
	require.Equal(t, w.base, w.git("rev-parse", "HEAD"))
	require.Equal(t, "later", w.git("show", undone.Kept[0].Ref+":later.txt"))
	_, err = undo(session.RetryMinimal)
	require.NoError(t, err)
	require.Equal(t, "5\n", w.read("price.txt"), "as it was before the agent")
	_, err = undo(session.MarkBlocked)
	require.NoError(t, err)
	require.Empty(t, w.state().Blocked)
	_, err = undo(session.MarkBlocked)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	_, err = w.healer.Undo(t.Context(), "s1", 1, 99, person())
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	w.events()
}

// Rule: a branch that was moved back to a green commit goes forward again.
func TestUndoOfAMove(t *testing.T) {
	t.Parallel()
	w := setup(t, func(p *session.Policy) { p.Mode, p.HardReset = session.Aggressive, true })
	w.write("price.txt", "4\n")
	w.git("commit", "-qam", "good")
	state, err := w.healer.Open(t.Context(), healer.Opening{ID: "s1", Dir: w.dir, Policy: w.policy}, person())
	require.NoError(t, err)
	_, err = w.healer.Look(t.Context(), state, tests, person())
	require.NoError(t, err)
	w.write("price.txt", "5\n")
	w.git("commit", "-qam", "bad")
	bad := w.git("rev-parse", "HEAD")
	healing := w.heal(healer.Call{})
	require.NotEqual(t, bad, w.git("rev-parse", "HEAD"))
	_, err = w.healer.Undo(t.Context(), "s1", 1, number(healing, session.RewindToGreen), person())
	require.NoError(t, err)
	require.Equal(t, bad, w.git("rev-parse", "main"))
	require.Equal(t, "5\n", w.read("price.txt"))
}
