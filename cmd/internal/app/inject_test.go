package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/launch"
	"github.com/kintsugi-run/kintsugi/internal/panics"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/tool"
	"github.com/kintsugi-run/kintsugi/projections"
)

func TestMain(m *testing.M) {
	if launch.IsSupervisor() {
		launch.SupervisorMain()
	}
	if sandbox.IsWorker() {
		sandbox.WorkerMain(tool.Bindings())
		return
	}
	os.Exit(m.Run())
}

// loose is what everything here fails with.
const loose = "a screw is loose"

// The ways in which a part of Kintsugi can fail.
var faults = map[string]func() error{
	"panics": func() error { panic(loose) },
	"fails":  func() error { return errors.New(loose) },
}

// opened is a node of its own, on a machine that has nothing but it.
func opened(t *testing.T) *Node {
	t.Helper()
	dir := t.TempDir()
	address, err := ParseStore("", dir)
	require.NoError(t, err)
	n, err := Open(t.Context(), dir, address, ViewsPlace{}, CommandPatience, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Close()) })
	return n
}

// inbox is what waits for a person or for the operator, from views that are new.
func inbox(t *testing.T, n *Node) []projections.Notification {
	t.Helper()
	require.NoError(t, n.Views.CatchUp(t.Context()))
	all, err := n.Queries.Notifications(t.Context(), projections.NotificationFilter{Open: true, Operator: true})
	require.NoError(t, err)
	return all
}

// tells says that a person reads of the fault, with its text and with what can be done.
func tells(t *testing.T, n *Node) {
	t.Helper()
	all := inbox(t, n)
	found := slices.IndexFunc(all, func(one projections.Notification) bool { return strings.Contains(one.Text, loose) })
	require.GreaterOrEqual(t, found, 0, "Nothing needs you: %+v", all)
	require.True(t, strings.Contains(all[found].Text, "kintsugi ") || len(all[found].Actions) > 0, "there is nothing to do about it: %s", all[found].Text)
}

// The parts of a server fail each by itself. What it can be without is done again, and people are told that it goes well.
func TestAPartOfTheServerThatFailsIsTold(t *testing.T) {
	t.Parallel()
	beside := Part{Name: "something beside", Run: func(context.Context) error { return nil }}
	of := func(n *Node) []Part {
		s := Server{Node: n, Logger: n.Logger, Beside: []Part{beside}}
		pool := NewPool(n.Logger)
		t.Cleanup(func() { require.NoError(t, pool.Close()) })
		return s.parts(n.Loop(pool, n.NewFixers(pool), ""))
	}
	for i, one := range of(opened(t)) {
		for name, fail := range faults {
			t.Run(one.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				n := opened(t)
				part := of(n)[i]
				part.again = min(part.again, 1)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				works, ended := make(chan struct{}), make(chan error, 1)
				part.Run = func(ctx context.Context) error {
					select {
					case <-works:
						<-ctx.Done()
						return nil
					default:
						return fail()
					}
				}
				go func() { ended <- panics.Guard(func() error { return n.attend(ctx, part) }) }()
				if part.again == 0 {
					require.ErrorContains(t, <-ended, loose, "the server ends with it")
					tells(t, n)
					return
				}
				require.Eventually(t, func() bool { return len(inbox(t, n)) > 0 }, patience, time.Millisecond)
				tells(t, n)
				close(works)
				n.upkeep.after(ctx, part.Name, nil, false)
				require.Empty(t, inbox(t, n))
				stop()
				require.NoError(t, <-ended)
			})
		}
	}
}

// patience is how long a test waits for something that takes a moment.
const patience = 3 * time.Minute

// brittle is a projection that fails at an event.
type brittle struct {
	readmodel.Projection
	at   string
	fail func() error
}

func (b brittle) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	if record.Type == b.at {
		return b.fail()
	}
	return b.Projection.Apply(tx, record)
}

// reading is a brittle projection that reads for all.
type reading struct {
	brittle
	readmodel.Decoder
}

// telling is one that tells of what is set aside.
type telling struct {
	brittle
	readmodel.Teller
}

// Whichever projection fails at an event, a person reads of it, and all else that there is.
func TestAProjectionThatFailsIsTold(t *testing.T) {
	t.Parallel()
	n := opened(t)
	for _, title := range []string{"One", "Other"} {
		_, err := n.Commands.CreateWorkflow(t.Context(), workflow.Create{ID: NewID(), Title: title, Zone: "UTC"}, By("person:ann"))
		require.NoError(t, err)
	}
	for i, one := range n.ViewsConfig.Projections {
		for name, fail := range faults {
			t.Run(one.Name()+" "+name, func(t *testing.T) {
				t.Parallel()
				broken := brittle{one, workflow.TypeWorkflowCreated, fail}
				config := n.ViewsConfig
				config.Dir, config.Projections = filepath.Join(t.TempDir(), "views"), slices.Clone(config.Projections)
				config.Projections[i] = broken
				if decoder, is := one.(readmodel.Decoder); is {
					config.Projections[i] = reading{broken, decoder}
				}
				if teller, is := one.(readmodel.Teller); is {
					config.Projections[i] = telling{broken, teller}
				}
				views, err := readmodel.Open(t.Context(), config)
				require.NoError(t, err)
				defer func() { require.NoError(t, views.Close()) }()
				other := *n
				other.Views, other.Queries = views, projections.NewQueries(views)
				tells(t, &other)
				require.Len(t, inbox(t, &other), 2, "each workflow that cannot be read is told of")
			})
		}
	}
}
