package eventlogtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func followsOn(t testing.TB, log eventlog.Log) {
	for i := range int64(10) {
		appendEvents(t, log, fmt.Sprintf("s%d", i%3), eventlog.At(i/3*100-1), events(100, "before/%d", i)...)
	}
	follower := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
	requireRecords(t, readAll(t, log), follower.untilCaughtUp(t))
	for i := range int64(5) {
		appendEvents(t, log, "live", eventlog.At(i*2-1), events(2, "live/%d", i)...)
		live := follower.records(t, 2)
		requireRecords(t, collect(t, log.Stream(t.Context(), "live", i*2)), live)
	}
	follower.stop(t)
}

func followsFromNothing(t testing.TB, log eventlog.Log) {
	follower := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
	require.Empty(t, follower.untilCaughtUp(t))
	appended := appendEvents(t, log, "a", eventlog.NoStream{}, event("first"))
	require.Equal(t, appended.Position, follower.record(t).Position)
	follower.stop(t)
}

func resumes(t testing.TB, log eventlog.Log) {
	for round, filter := range []eventlog.Filter{eventlog.Everything, {StreamPrefixes: []string{"rare"}}} {
		follower := follow(t.Context(), t, log, eventlog.Start, filter)
		type place struct {
			position eventlog.Position
			before   int // events delivered up to there
		}
		seen := len(follower.untilCaughtUp(t))
		places := []place{{follower.last, seen}}
		for i := range 6 {
			appendEvents(t, log, fmt.Sprintf("noise-%d-%d", round, i), eventlog.NoStream{}, events(20, "noise/%d/%d", round, i)...)
			rare := appendEvents(t, log, fmt.Sprintf("rare-%d-%d", round, i), eventlog.NoStream{}, events(2, "rare/%d/%d", round, i)...)
			for follower.lastRecord < rare.Position {
				if got := follower.next(t); got.Record != nil {
					seen++
				}
				places = append(places, place{follower.last, seen})
			}
		}
		follower.stop(t)
		want := selected(filter, readAll(t, log))
		require.Len(t, want, seen, "all was delivered")
		for i, at := range places {
			if i%7 > 2 { // some of many are enough
				continue
			}
			requireIDs(t, ids(want[at.before:]), ids(collect(t, log.All(t.Context(), at.position, filter))), "All after delivery %d, at %q", i, at.position)
			resumed := follow(t.Context(), t, log, at.position, filter)
			requireIDs(t, ids(want[at.before:]), ids(resumed.records(t, len(want)-at.before)), "a subscription after delivery %d, at %q", i, at.position)
			resumed.stop(t)
		}
	}
}

func followsSparse(t testing.TB, log eventlog.Log) {
	appendSparse(t, log)
	for _, filter := range []eventlog.Filter{
		{StreamPrefixes: []string{"rare-"}},
		{Types: []string{"Rare"}},
		{StreamPrefixes: []string{"none", "rare-1"}, Types: []string{"Rare"}},
	} {
		follower := follow(t.Context(), t, log, eventlog.Start, filter)
		requireRecords(t, selected(filter, readAll(t, log)), follower.untilCaughtUp(t))
		follower.stop(t)
	}
}

// movesCheckpoints: who follows a filter that passes nothing learns how far the log was looked at, or
// it would look at everything again after each start.
func movesCheckpoints(t testing.TB, log eventlog.Log) {
	appendSparse(t, log)
	head, err := log.Head(t.Context())
	require.NoError(t, err)
	follower := follow(t.Context(), t, log, eventlog.Start, eventlog.Filter{StreamPrefixes: []string{"none"}})
	require.Empty(t, follower.untilCaughtUp(t))
	require.GreaterOrEqual(t, follower.last, head, "the checkpoint after catching up is not before the newest event")

	// Live, a backend may give a checkpoint only now and then, but not never.
	appended := appendEvents(t, log, "live", eventlog.NoStream{}, event("live"))
	for more := int64(0); follower.last < appended.Position; more++ {
		if more < 50 {
			appendEvents(t, log, "more", eventlog.At(more*100-1), events(100, "more/%d", more)...)
			follower.poll(t)
		} else {
			follower.next(t)
		}
	}
	follower.stop(t)
}

func waitsForSlowConsumers(t testing.TB, log eventlog.Log) {
	appendEvents(t, log, "a", eventlog.NoStream{}, event("first"))
	slow := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
	caughtUp := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
	got := []eventlog.Record{slow.record(t)}
	live := caughtUp.untilCaughtUp(t)
	// More than any buffer holds, while one consumer looks at its first event and the other at its checkpoint.
	for i := range int64(20) {
		appendEvents(t, log, "b", eventlog.At(i*100-1), events(100, "slow/%d", i)...)
	}
	want := ids(readAll(t, log))
	requireIDs(t, want, ids(append(got, slow.records(t, len(want)-1)...)))
	requireIDs(t, want, ids(append(live, caughtUp.records(t, len(want)-1)...)))
	slow.stop(t)
	caughtUp.stop(t)
}

func breaksFree(t testing.TB, log eventlog.Log) {
	appendEvents(t, log, "a", eventlog.NoStream{}, events(3, "break")...)
	done := make(chan error, 1)
	go func() {
		// More often than any pool has connections: a break that kept one would stop here.
		for i := range 100 {
			_ = log.Subscribe(t.Context(), eventlog.Start, eventlog.Everything) // never begun
			n := 0
			for _, err := range log.Subscribe(t.Context(), eventlog.Start, eventlog.Everything) {
				if err != nil {
					done <- err
					return
				}
				if n++; n > i%4 { // at an event, or at the checkpoint
					break
				}
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(patience(t)):
		require.Fail(t, "subscriptions that were broken out of keep others from beginning")
	}
	require.Len(t, readAll(t, log), 3)
	appendEvents(t, log, "a", eventlog.Exact(2), event("after"))
	closeInTime(t, log)
}

// subscribersAppend: a reaction appends what follows from an event inside its loop.
func subscribersAppend(t testing.TB, log eventlog.Log) {
	const steps = 50
	ctx, cancel := context.WithTimeout(t.Context(), patience(t))
	defer cancel()
	appendEvents(t, log, "chain-0", eventlog.NoStream{}, event("chain/0"))
	n := 0
	for delivery, err := range log.Subscribe(ctx, eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		if delivery.Record == nil {
			continue
		}
		require.Equal(t, fmt.Sprintf("chain-%d", n), delivery.Record.Stream)
		require.Len(t, readStream(t, log, delivery.Record.Stream), 1)
		if n++; n == steps {
			break
		}
		appendEvents(t, log, fmt.Sprintf("chain-%d", n), eventlog.NoStream{}, event("chain/%d", n))
	}
	require.Equal(t, steps, n)
}

func endsWithContext(t testing.TB, log eventlog.Log) {
	for i := range int64(20) {
		appendEvents(t, log, "a", eventlog.At(i*100-1), events(100, "end/%d", i)...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := follow(ctx, t, log, eventlog.Start, eventlog.Filter{StreamPrefixes: []string{"none"}})
	waiting.untilCaughtUp(t)
	catchingUp := follow(ctx, t, log, eventlog.Start, eventlog.Everything)
	catchingUp.record(t)
	cancel()
	require.ErrorIs(t, waiting.end(t), context.Canceled, "while it waits")
	require.ErrorIs(t, catchingUp.end(t), context.Canceled, "while its consumer is slow")
	require.ErrorIs(t, follow(ctx, t, log, eventlog.Start, eventlog.Everything).end(t), context.Canceled, "before it begins")

	expired, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, follow(expired, t, log, eventlog.Start, eventlog.Everything).end(t), context.DeadlineExceeded)
}

func subscriptionsAreIndependent(t testing.TB, log eventlog.Log) {
	appendEvents(t, log, "a-1", eventlog.NoStream{}, events(3, "before")...)
	slow := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
	slow.record(t)
	all := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
	again := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
	some := follow(t.Context(), t, log, eventlog.Start, eventlog.Filter{StreamPrefixes: []string{"a-"}})
	for i := range int64(10) {
		appendEvents(t, log, "a-2", eventlog.At(i*10-1), events(10, "a/%d", i)...)
		appendEvents(t, log, "b-2", eventlog.At(i*10-1), events(10, "b/%d", i)...)
	}
	records := readAll(t, log)
	requireCount(t, 203, records)
	requireRecords(t, records, all.records(t, len(records)))
	requireRecords(t, selected(some.filter, records), some.records(t, 103))
	all.stop(t)
	some.stop(t)
	appendEvents(t, log, "c", eventlog.NoStream{}, event("when two have ended"))
	requireRecords(t, readAll(t, log), again.records(t, len(records)+1))
	requireRecords(t, records[1:], slow.records(t, len(records)-1))
	again.stop(t)
	slow.stop(t)
}

func followsElsewhere(t testing.TB, log eventlog.Log, second opener) {
	other := second(t, log)
	appendEvents(t, log, "a", eventlog.NoStream{}, events(3, "before")...)
	follower := follow(t.Context(), t, other, eventlog.Start, eventlog.Everything)
	require.Len(t, follower.untilCaughtUp(t), 3)
	for i := range int64(5) {
		appended := appendEvents(t, log, "b", eventlog.At(i-1), event("elsewhere/%d", i))
		require.Equal(t, appended.Position, follower.record(t).Position)
	}
	follower.stop(t)
}

func followsWriters(t testing.TB, log eventlog.Log) { followWriters(t, log, log) }

func followsWritersElsewhere(t testing.TB, log eventlog.Log, second opener) {
	followWriters(t, log, second(t, log))
}

// followWriters lets 8 writers append while readers of several kinds follow, and asserts that each
// reader has seen what the log has in the end, in the same order.
func followWriters(t testing.TB, write, read eventlog.Log) {
	const writers, appends, before = 8, 20, 6
	for i := range int64(before) { // so that there is something to catch up with when the writers begin
		appendEvents(t, write, "before", eventlog.At(i*100-1), events(100, "before/%d", i)...)
	}
	beforeWriters := readAll(t, read)
	requireCount(t, before*100, beforeWriters)
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience(t))
	defer cancel()

	some := eventlog.Filter{StreamPrefixes: []string{"w-1", "w-3", "end"}}
	readers := []*tail{
		{name: "a subscription", follow: untilEnd},
		{name: "a subscription to some", filter: some, follow: untilEnd},
		{name: "a subscription from the middle", after: beforeWriters[500].Position, follow: untilEnd},
		{name: "a subscription that begins again and again", follow: beginningAgain},
		{name: "a reader of All that waits for hints", follow: untilEndOfAll},
		{name: "a subscription that begins late", follow: untilEnd},
	}
	late := readers[len(readers)-1]
	late.begin = make(chan struct{})
	var reading, writing sync.WaitGroup
	for _, reader := range readers {
		reading.Go(func() {
			if reader.begin != nil {
				<-reader.begin
			}
			reader.err = reader.follow(ctx, reader, read)
		})
	}
	half := sync.OnceFunc(func() { close(late.begin) })
	failures := make([]error, writers)
	for writer := range writers {
		writing.Go(func() {
			defer half()
			next := int64(0)
			for i := range appends {
				if writer == 0 && i == appends/2 {
					half()
				}
				batch := events(1+i%3, "w/%d/%d", writer, i)
				appended, err := write.Append(ctx, fmt.Sprintf("w-%d", writer), eventlog.At(next-1), batch)
				if err != nil {
					failures[writer] = err
					return
				}
				next = appended.Last + 1
			}
		})
	}
	writing.Wait()
	_, err := write.Append(ctx, "end", eventlog.NoStream{}, events(1, "end"))
	reading.Wait()
	require.NoError(t, errors.Join(append(failures, err)...))
	all := readAll(t, read)
	for _, reader := range readers {
		want := selected(reader.filter, slices.DeleteFunc(slices.Clone(all), func(record eventlog.Record) bool { return record.Position <= reader.after }))
		require.NoErrorf(t, reader.err, "%s, after %d of %d events", reader.name, len(reader.seen), len(want))
		requireIDs(t, ids(want), ids(reader.seen), reader.name)
	}
}

// tail is a reader that follows the log until the event of the stream end, and what it has seen.
type tail struct {
	name   string
	after  eventlog.Position
	filter eventlog.Filter
	begin  chan struct{}
	follow func(ctx context.Context, self *tail, log eventlog.Log) error

	seen []eventlog.Record
	err  error
}

func (r *tail) see(record eventlog.Record) (end bool) {
	r.seen = append(r.seen, record)
	return record.Stream == "end"
}

func untilEnd(ctx context.Context, self *tail, log eventlog.Log) error {
	for delivery, err := range log.Subscribe(ctx, self.after, self.filter) {
		if err != nil {
			return err
		}
		if delivery.Record != nil && self.see(*delivery.Record) {
			return nil
		}
	}
	return errors.New("the subscription has ended without an error")
}

func beginningAgain(ctx context.Context, self *tail, log eventlog.Log) error {
	after := self.after
	for round := 0; ; round++ {
		n, broken := 0, false
		for delivery, err := range log.Subscribe(ctx, after, self.filter) {
			if err != nil {
				return err
			}
			after = delivery.Position
			if delivery.Record != nil && self.see(*delivery.Record) {
				return nil
			}
			if n++; n > round*7%41 {
				broken = true
				break
			}
		}
		if !broken {
			return errors.New("the subscription has ended without an error")
		}
	}
}

func untilEndOfAll(ctx context.Context, self *tail, log eventlog.Log) error {
	hint, release := log.Wake()
	defer release()
	after := self.after
	for {
		for record, err := range log.All(ctx, after, self.filter) {
			if err != nil {
				return err
			}
			after = record.Position
			if self.see(record) {
				return nil
			}
		}
		select {
		case <-hint:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
