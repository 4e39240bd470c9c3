package eventlogtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// follower takes the deliveries of a subscription one by one, when a test asks for them, and
// holds each against what is promised of every delivery.
type follower struct {
	filter     eventlog.Filter
	last       eventlog.Position
	lastRecord eventlog.Position
	delivered  chan yielded
	quit       func()        // ends the loop, whether it waits for an event or for the test
	done       chan struct{} // closed when the loop has ended
}

type yielded struct {
	eventlog.Delivery
	err error
}

// follow subscribes with a context. When the test ends, so does the subscription.
func follow(ctx context.Context, t testing.TB, log eventlog.Log, after eventlog.Position, filter eventlog.Filter) *follower {
	quitting, quit := context.WithCancel(t.Context())
	ctx, cancel := context.WithCancel(ctx)
	f := &follower{
		filter: filter, last: after, lastRecord: after,
		delivered: make(chan yielded), done: make(chan struct{}),
		quit: func() { quit(); cancel() },
	}
	deliveries := log.Subscribe(ctx, after, filter)
	go func() {
		defer close(f.done)
		for delivery, err := range deliveries {
			select {
			case f.delivered <- yielded{delivery, err}:
			case <-quitting.Done():
				return
			}
		}
	}()
	return f
}

// next waits for a delivery.
func (f *follower) next(t testing.TB) eventlog.Delivery {
	t.Helper()
	select {
	case got := <-f.delivered:
		require.NoError(t, got.err)
		require.NoError(t, f.check(got.Delivery))
		return got.Delivery
	case <-f.done:
		require.Fail(t, "the subscription has ended")
	case <-time.After(patience(t)):
		require.Failf(t, "nothing is delivered", "after position %q", f.last)
	}
	return eventlog.Delivery{}
}

// poll takes a delivery if there is one.
func (f *follower) poll(t testing.TB) {
	t.Helper()
	select {
	case got := <-f.delivered:
		require.NoError(t, got.err)
		require.NoError(t, f.check(got.Delivery))
	default:
	}
}

// check holds a delivery against those before.
func (f *follower) check(got eventlog.Delivery) error {
	last := f.last
	f.last = got.Position
	if got.Record == nil {
		if got.Position < last {
			return fmt.Errorf("a checkpoint at %q comes after position %q", got.Position, last)
		}
		return nil
	}
	lastRecord := f.lastRecord
	f.lastRecord = got.Position
	switch {
	case got.CaughtUp:
		return fmt.Errorf("an event, at %q, says that the subscription has caught up", got.Position)
	case got.Record.Position != got.Position:
		return fmt.Errorf("the event at %q is delivered with position %q", got.Record.Position, got.Position)
	case got.Position <= lastRecord:
		return fmt.Errorf("the event at %q comes after the one at %q", got.Position, lastRecord)
	case got.Position <= last:
		return fmt.Errorf("the event at %q comes after the checkpoint at %q", got.Position, last)
	case !selects(f.filter, *got.Record):
		return fmt.Errorf("an event of stream %s with type %s does not pass %q", got.Record.Stream, got.Record.Type, f.filter)
	}
	return nil
}

// record waits for an event and passes over checkpoints.
func (f *follower) record(t testing.TB) eventlog.Record {
	t.Helper()
	for {
		if got := f.next(t); got.Record != nil {
			return *got.Record
		}
	}
}

// records waits for n events.
func (f *follower) records(t testing.TB, n int) []eventlog.Record {
	t.Helper()
	all := make([]eventlog.Record, n)
	for i := range all {
		all[i] = f.record(t)
	}
	return all
}

// untilCaughtUp gives the events before the checkpoint that says that the subscription has caught up.
func (f *follower) untilCaughtUp(t testing.TB) []eventlog.Record {
	t.Helper()
	var all []eventlog.Record
	for {
		got := f.next(t)
		if got.CaughtUp {
			return all
		}
		if got.Record != nil {
			all = append(all, *got.Record)
		}
	}
}

// end waits for the error that ends the subscription, passing over what is delivered before.
func (f *follower) end(t testing.TB) error {
	t.Helper()
	timeout := time.After(patience(t))
	for {
		select {
		case got := <-f.delivered:
			if got.err == nil {
				continue
			}
			select {
			case <-f.done:
			case <-f.delivered:
				require.Failf(t, "the subscription goes on after its error", "%v", got.err)
			case <-timeout:
				require.Failf(t, "the subscription does not end after its error", "%v", got.err)
			}
			return got.err
		case <-f.done:
			require.Fail(t, "the subscription has ended without an error")
		case <-timeout:
			require.Fail(t, "the subscription does not end")
		}
	}
}

// stop ends the subscription.
func (f *follower) stop(t testing.TB) {
	t.Helper()
	f.quit()
	select {
	case <-f.done:
	case <-time.After(patience(t)):
		require.Fail(t, "the subscription does not end with its context")
	}
}
