package healer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
)

// Rule: where git lets nobody go on, the healing ends with the reason, so that people are told, and that end counts for
// nothing: once git is well again the same failure is healed.
func TestGitThatFailsEndsTheHealing(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]struct{ does, undo string }{
		"the repository": {"mv .git/HEAD .git/gone", ".git/gone"},
		"the worktree":   {"mv " + "../shop ../shop.gone", "../shop.gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.write("price.txt", "5\n")
			w.doing("cat > /dev/null; " + breaks.does)
			healing := w.heal(healer.Call{})
			require.Equal(t, session.Unresolved, healing.Ended.Outcome)
			require.True(t, healing.Ended.Stopped)
			require.Contains(t, healing.Ended.Reason, "it could not go on: gitrepo")
			require.FileExists(t, w.healer.ReportPath("s1", 1))

			back := map[string]string{"the repository": filepath.Join(w.dir, ".git", "HEAD"), "the worktree": w.dir}[name]
			require.NoError(t, os.Rename(filepath.Join(w.dir, breaks.undo), back))
			w.doing("cat > /dev/null; echo 4 > price.txt")
			again := w.heal(healer.Call{})
			require.Equal(t, session.Resolved, again.Ended.Outcome, again.Ended.Reason)
			w.events()
		})
	}
}
