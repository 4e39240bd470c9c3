package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// meddler has something happen in place of the first append, or before or after it.
type meddler struct {
	eventlog.Log
	meddle func(write func() error) error
}

func (m *meddler) Append(ctx context.Context, stream string, at eventlog.Expected, events []eventlog.Event) (appended eventlog.Appended, err error) {
	write := func() (err error) { appended, err = m.Log.Append(ctx, stream, at, events); return err }
	if meddle := m.meddle; meddle != nil {
		m.meddle = nil
		return appended, meddle(write)
	}
	return appended, write()
}

// Rule: of plans that two nodes begin on one branch at once, the one that the log has first goes on and the other is cancelled;
// and a start that fails leaves neither a branch nor a place, unless the plan was begun all the same.
func TestPlansThatAreBegunAtOnce(t *testing.T) {
	t.Parallel()
	broken := errors.New("the log is gone")
	for name, c := range map[string]struct {
		meddle func(other func() error, write func() error) error
		kind   fault.Kind
		branch bool
		status []string // of the plans, in the order of the log
	}{
		"another node is before it": {func(other, write func() error) error { return errors.Join(other(), write()) }, fault.Conflict, true, []string{"running", "cancelled"}},
		"another node is after it":  {func(other, write func() error) error { return errors.Join(write(), other()) }, "", true, []string{"running"}},
		"it fails":                  {func(_, _ func() error) error { return broken }, fault.Internal, false, nil},
		"it fails after another":    {func(other, _ func() error) error { return errors.Join(other(), broken) }, fault.Internal, true, []string{"running"}},
		"it was begun all the same": {func(_, write func() error) error { return errors.Join(write(), broken) }, fault.Internal, true, []string{"running"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			git := func(args ...string) string {
				out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=P", "-c", "user.email=p@example.com"}, args...)...).CombinedOutput()
				require.NoError(t, err, "%s", out)
				return strings.TrimSpace(string(out))
			}
			git("init", "-q", "-b", "main")
			git("commit", "-qm", "first", "--allow-empty")
			one := t.TempDir()
			address, err := ParseStore("", one)
			require.NoError(t, err)
			node := func(dir string) *Node {
				n, err := Open(t.Context(), dir, address, ViewsPlace{dir: dir}, CommandPatience, slog.New(slog.DiscardHandler))
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, n.Close()) })
				return n
			}
			n, other := node(one), node(t.TempDir())
			definition := plan.Definition{Title: "t", Repository: dir, Base: "main", Integration: "agents", Jobs: []plan.Job{{ID: "one", Task: "x", Agent: plan.Program{"true"}, Touch: []string{"a"}}}}
			begins := func() error {
				_, err := other.Plans.Start(t.Context(), "person:bob", definition)
				if fault.KindOf(err) == fault.Conflict { // it sees the first
					return nil
				}
				return err
			}
			log := &meddler{Log: n.Log.Log}
			log.meddle = func(write func() error) error { return c.meddle(begins, write) }
			n.Plans.Commands = commands.New(commands.Config{Log: log, Codec: n.Codec, Now: n.Now, NewID: NewID, CheckScript: func(string) error { return nil }})
			_, err = n.Plans.Start(t.Context(), "person:ann", definition)
			if c.kind == "" {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
				require.Equal(t, c.kind, fault.KindOf(err), "%v", err)
			}
			require.Equal(t, c.branch, git("branch", "--list", "agents") != "")
			require.NoError(t, n.Views.CatchUp(t.Context()))
			all, err := n.Queries.RepoPlans(t.Context(), projections.RepoPlanFilter{})
			require.NoError(t, err)
			var status []string
			for _, one := range all {
				status = append([]string{one.Status}, status...)
			}
			require.Equal(t, c.status, status)
			mine, err := os.ReadDir(filepath.Join(one, "plans"))
			require.NoError(t, err)
			begun := c.kind != fault.Internal || name == "it was begun all the same"
			require.Len(t, mine, map[bool]int{true: 2, false: 1}[begun], "the lock, and the place of a plan that was begun")
		})
	}
}
