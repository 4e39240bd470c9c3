package commands

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// CheckAppend says why events that another node sealed may not follow the record before them, nil for none, in one of
// our streams: their chain is broken, they cannot be read, they are none of such a stream, or they cannot happen
// there. A run's events are not compared with its earlier ones: the whole run would be read for each call.
func (c *core) CheckAppend(ctx context.Context, stream string, before *eventlog.Record, events []eventlog.Event) error {
	after := emptyTail
	if before != nil {
		_, hash, err := hashchain.Unseal(before.Metadata)
		if err != nil {
			return fmt.Errorf("revision %d cannot be continued: %w", before.Revision, err)
		}
		after.revision, after.hash = before.Revision, hash
	}
	decoded := make([]event.Event, len(events))
	for i, one := range events {
		after.revision++
		refused := func(err error) error {
			return fmt.Errorf("revision %d (%s) is refused: %w", after.revision, one.Type, err)
		}
		hash, erased, err := hashchain.Continue(after.hash, eventlog.Record{Event: one, Stream: stream, Revision: after.revision})
		if err == nil && erased {
			err = ErrErased
		}
		if err != nil {
			return refused(err)
		}
		after.hash = hash
		if decoded[i], err = c.codec.Decode(one.Type, one.SchemaVersion, one.Payload); err != nil {
			return refused(err)
		}
		if _, err := event.ReadMetadata(one.Metadata); err != nil {
			return refused(err)
		}
	}
	return c.canHappen(ctx, stream, after.revision-int64(len(events)), decoded)
}

// canHappen follows a stream by events that would come after a revision.
func (c *core) canHappen(ctx context.Context, stream string, revision int64, events []event.Event) error {
	if id, is := strings.CutPrefix(stream, workflow.StreamPrefix); is {
		return follow(ctx, c, c.workflowKind(id), stream, revision, workflow.Follow, events)
	}
	if id, is := strings.CutPrefix(stream, thread.StreamPrefix); is {
		return follow(ctx, c, threadKind(id), stream, revision, thread.Follow, events)
	}
	if strings.HasPrefix(stream, account.StreamPrefix) {
		return follow(ctx, c, accountKind(account.Owner(stream)), stream, revision, account.Follow, events)
	}
	if name, is := strings.CutPrefix(stream, subscription.StreamPrefix); is {
		return follow(ctx, c, subscriptionKind(c, name), stream, revision, subscription.Follow, events)
	}
	if id, is := strings.CutPrefix(stream, session.StreamPrefix); is {
		return follow(ctx, c, sessionKind(id), stream, revision, session.Follow, events)
	}
	if id, is := strings.CutPrefix(stream, plan.StreamPrefix); is {
		return follow(ctx, c, planKind(id), stream, revision, plan.Follow, events)
	}
	switch {
	case stream == installation.Stream:
		return follow(ctx, c, installationKind, stream, revision, installation.Follow, events)
	case !strings.HasPrefix(stream, run.StreamPrefix):
		return fmt.Errorf("this version keeps no stream of such a name")
	}
	for _, one := range events {
		if runEvents().Version(one.EventType()) == 0 {
			return event.Impossible(one, "it is no event of a run")
		}
	}
	return nil
}

// runEvents are the events of runs alone.
var runEvents = sync.OnceValue(func() *event.Registry {
	known := event.NewRegistry()
	run.Register(known)
	return known
})

// follow folds events into a stream's state if they can happen there. If they are not for the stream's end it returns
// nil: the log recognises a repeat or a conflict.
func follow[S, C any](
	ctx context.Context, c *core, kind kind[S, C], stream string, revision int64, step func(S, event.Event) (S, error), events []event.Event,
) error {
	leave, err := c.queues.enter(ctx, stream)
	if err != nil {
		return err
	}
	defer leave()
	loaded, err := load(ctx, c, kind, stream)
	if err != nil {
		return err
	}
	keep(c, kind, stream, loaded)
	if loaded.tail.revision != revision {
		return nil
	}
	now := loaded.state
	for _, one := range events {
		if now, err = step(now, one); err != nil {
			return err
		}
	}
	return nil
}
