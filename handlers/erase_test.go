package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/erasure"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/script/inputschema"
)

var errDead = errors.New("the process was killed")

// erasing is what a deletion reaches, in a life that ends before or after one of its steps: from then on it reaches nothing.
type erasing struct {
	eventlog.Log
	kill  kill
	never bool // it is not killed
	steps int
	told  []string // what was dropped beside the log
}

func (l *erasing) step(do func() error) error {
	at := l.steps
	l.steps++
	switch {
	case l.never || at < l.kill.at:
		return do()
	case at == l.kill.at && l.kill.after:
		return errors.Join(do(), errDead)
	}
	return errDead
}

func (l *erasing) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (made eventlog.Appended, err error) {
	err = l.step(func() (err error) {
		made, err = l.Log.Append(ctx, stream, expected, events)
		return err
	})
	return made, err
}

// Erase implements [eventlog.Eraser], a part in each step.
func (l *erasing) Erase(ctx context.Context, parts []eventlog.Part) (erased int64, err error) {
	for _, part := range parts {
		err := l.step(func() error {
			n, err := l.Log.(eventlog.Eraser).Erase(ctx, []eventlog.Part{part})
			erased += n
			return err
		})
		if err != nil {
			return erased, err
		}
	}
	return erased, nil
}

// Forget implements [eventlog.Eraser].
func (l *erasing) Forget() { l.Log.(eventlog.Eraser).Forget() }

// DropSecrets implements [erasure.Beside].
func (l *erasing) DropSecrets(context.Context, string) error {
	return l.step(func() error { l.told = append(l.told, "secrets"); return nil })
}

// DropDeliveries implements [erasure.Beside].
func (l *erasing) DropDeliveries(context.Context, string) error {
	return l.step(func() error { l.told = append(l.told, "deliveries"); return nil })
}

// DropFiles implements [erasure.Beside].
func (l *erasing) DropFiles(string) error {
	return l.step(func() error { l.told = append(l.told, "files"); return nil })
}

// eraser is that of a life of its own.
func (n *node) eraser(of *erasing) *erasure.Eraser {
	of.Log = n.log
	return erasure.NewEraser(n.fresh(of), of)
}

// fresh are commands on a log that remember nothing of it.
func (n *node) fresh(log eventlog.Log) *commands.Commands {
	return commands.New(commands.Config{Log: log, Codec: n.codec, Now: n.clock.now, NewID: uuid.NewString, CheckScript: process.Check, CheckInput: inputschema.Fits})
}

// deleted is a workflow that was deleted for good, with runs and a conversation, and its streams.
func (n *node) deleted() (id string, streams []string) {
	n.t.Helper()
	id = n.create(orders, workflow.Settings{AutoFix: workflow.ModePropose})
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	n.runs(id, `{"day":"2026-03-09"}`)
	state := n.state(id)
	require.Equal(n.t, workflow.StatusHeld, state.Status)
	streams = []string{thread.Stream(state.Maintenance.Thread)}
	for one, err := range n.commands.History(n.t.Context(), []string{workflow.Stream(id)}) {
		require.NoError(n.t, err)
		if admitted, is := one.Event.(workflow.RunAdmitted); is {
			streams = append(streams, run.Stream(admitted.Run))
		}
	}
	_, err := n.commands.ArchiveWorkflow(n.t.Context(), id, workflow.Archive{}, person())
	require.NoError(n.t, err)
	for left := range n.state(id).Unfinished {
		_, err := n.commands.LeaveRun(n.t.Context(), id, workflow.LeaveRun{Run: left}, person())
		require.NoError(n.t, err)
	}
	_, err = n.commands.DeleteWorkflow(n.t.Context(), id, nil, person())
	require.NoError(n.t, err)
	return id, append(streams, workflow.Stream(id))
}

// gone holds that nothing is left of it but that it was there, under chains that verify.
func (n *node) gone(id string, streams []string) {
	n.t.Helper()
	ends := 0
	for _, stream := range streams {
		for record, err := range n.log.Stream(n.t.Context(), stream, 0) {
			require.NoError(n.t, err)
			switch record.Type {
			case workflow.TypeWorkflowDeleted:
			case workflow.TypeWorkflowErased:
				ends++
			default:
				require.True(n.t, eventlog.IsErased(record.Payload), "%s of %s", record.Type, stream)
			}
		}
	}
	require.Equal(n.t, 1, ends)
	require.NoError(n.t, n.commands.VerifyChains(n.t.Context(), streams))
	state, err := n.fresh(n.log).LoadWorkflow(n.t.Context(), id)
	require.NoError(n.t, err)
	require.True(n.t, state.Erased)
}

// A deletion that is killed before or after any of its steps is brought to its end by the next life.
func TestRule24ADeletionIsFinishedWhereverItIsKilled(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	kills := 0
	for _, after := range []bool{false, true} {
		for at, died := 0, true; died; at++ {
			id, streams := n.deleted()
			first := &erasing{kill: kill{at: at, after: after}}
			_, err := n.eraser(first).Erase(t.Context(), id)
			if died = err != nil; died {
				require.ErrorIs(t, err, errDead)
				kills++
				next := &erasing{never: true}
				_, err = n.eraser(next).Erase(t.Context(), id)
				require.NoError(t, err)
				require.Equal(t, []string{"secrets", "deliveries", "files"}, next.told, "whatever the first one came to")
			}
			n.gone(id, streams)
			n.outside.answer("/orders", 200, oldOrders(1))
		}
	}
	require.GreaterOrEqual(t, kills, 20)
}

// Two nodes may be at one deletion: it ends once, and neither fails.
func TestRule24TwoNodesEraseOneWorkflow(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(w *world) []*node{
		"one file":   func(w *world) []*node { return []*node{w.open(nil), w.open(nil)} },
		"PostgreSQL": func(w *world) []*node { return w.nodes(2) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := open(newWorld(t))
			if name == "one file" {
				defer nodes[0].close()
				defer nodes[1].close()
			}
			for range 3 {
				id, streams := nodes[0].deleted()
				var all sync.WaitGroup
				failed := make([]error, len(nodes))
				for i, n := range nodes {
					all.Go(func() { _, failed[i] = n.eraser(&erasing{never: true}).Erase(context.Background(), id) })
				}
				all.Wait()
				require.NoError(t, errors.Join(failed...), fmt.Sprint(failed))
				nodes[1].gone(id, streams)
				nodes[0].outside.answer("/orders", 200, oldOrders(1))
			}
		})
	}
}
