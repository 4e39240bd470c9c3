package eventlog_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// plain is a log that is no [eventlog.Scanner], with what a test does at a step of Follow.
type plain struct {
	eventlog.Log
	afterHead func()
	each      func()
	wake      func() (<-chan struct{}, func())
}

func (p plain) Head(ctx context.Context) (eventlog.Position, error) {
	head, err := p.Log.Head(ctx)
	if p.afterHead != nil {
		p.afterHead()
	}
	return head, err
}

func (p plain) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range p.Log.All(ctx, after, filter) {
			if p.each != nil {
				p.each()
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

func (p plain) Wake() (<-chan struct{}, func()) {
	if p.wake != nil {
		return p.wake()
	}
	return p.Log.Wake()
}

// onBoth runs a test on a log that is a Scanner and on one that is none.
func onBoth(t *testing.T, test func(t *testing.T, log eventlog.Log)) {
	t.Helper()
	t.Run("scanner", func(t *testing.T) {
		t.Parallel()
		test(t, newLog(t))
	})
	t.Run("plain", func(t *testing.T) {
		t.Parallel()
		test(t, plain{Log: newLog(t)})
	})
}

// publish appends one event to a stream that nobody else uses, and gives its id.
func publish(t testing.TB, log eventlog.Log, eventType string) string {
	t.Helper()
	id := uuid.NewString()
	_, err := log.Append(t.Context(), "s-"+id, eventlog.NoStream{}, []eventlog.Event{{ID: id, Type: eventType, SchemaVersion: 1}})
	require.NoError(t, err)
	return id
}

// subscription takes deliveries one by one.
type subscription struct {
	t    *testing.T
	next func() (eventlog.Delivery, error, bool)
}

func follow(ctx context.Context, t *testing.T, log eventlog.Log, after eventlog.Position, filter eventlog.Filter) subscription {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // what is missed is waited for in vain
	t.Cleanup(cancel)
	next, stop := iter.Pull2(eventlog.Follow(ctx, log, after, filter))
	t.Cleanup(stop)
	return subscription{t, next}
}

func (s subscription) delivery() eventlog.Delivery {
	s.t.Helper()
	delivery, err, ok := s.next()
	require.True(s.t, ok, "the subscription ended")
	require.NoError(s.t, err)
	return delivery
}

func (s subscription) event(id string) eventlog.Position {
	s.t.Helper()
	delivery := s.delivery()
	require.NotNil(s.t, delivery.Record)
	require.Equal(s.t, id, delivery.Record.ID)
	require.Equal(s.t, delivery.Record.Position, delivery.Position)
	require.False(s.t, delivery.CaughtUp)
	return delivery.Position
}

func (s subscription) caughtUp(at eventlog.Position) {
	s.t.Helper()
	require.Equal(s.t, eventlog.Delivery{Position: at, CaughtUp: true}, s.delivery())
}

func (s subscription) ends(want error) {
	s.t.Helper()
	_, err, ok := s.next()
	require.True(s.t, ok)
	require.ErrorIs(s.t, err, want)
	_, _, ok = s.next()
	require.False(s.t, ok, "after an error comes nothing")
}

// An event that is appended after the last look, before the wait begins, is delivered.
func TestFollowBetweenLookAndWait(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, log eventlog.Log) {
		s := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
		s.caughtUp(eventlog.Start)
		for range 3 {
			s.caughtUp(s.event(publish(t, log, "A"))) // the subscription is not waiting: it is asked for the next now
		}
	})
}

// An event that is appended between the look at the head and the look at the events is delivered once.
func TestFollowBetweenHeadAndEvents(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	var ids []string
	racing := plain{Log: log, afterHead: func() { ids = append(ids, publish(t, log, "A")) }}
	s := follow(t.Context(), t, racing, eventlog.Start, eventlog.Everything)
	for i := range 5 {
		delivery := s.delivery()
		require.Len(t, ids, i+1)
		require.Equal(t, ids[i], delivery.Record.ID)
		s.caughtUp(delivery.Position)
	}
}

// Each event is delivered once and in order, while others append.
func TestFollowWhileAppending(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, log eventlog.Log) {
		const writers, each = 4, 100
		filter := eventlog.Filter{Types: []string{"odd"}}
		s := follow(t.Context(), t, log, eventlog.Start, filter)
		var group sync.WaitGroup
		for writer := range int64(writers) {
			group.Go(func() {
				for i := range int64(each) {
					event := eventlog.Event{ID: uuid.NewString(), Type: []string{"even", "odd"}[i%2], SchemaVersion: 1}
					if _, err := log.Append(t.Context(), fmt.Sprintf("w%d", writer), eventlog.At(i-1), []eventlog.Event{event}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		var delivered []string
		last := eventlog.Start
		for len(delivered) < writers*each/2 {
			delivery := s.delivery()
			require.GreaterOrEqual(t, delivery.Position, last)
			last = delivery.Position
			if delivery.Record != nil {
				delivered = append(delivered, delivery.Record.ID)
			}
		}
		group.Wait()
		var want []string
		for record, err := range log.All(t.Context(), eventlog.Start, filter) {
			require.NoError(t, err)
			want = append(want, record.ID)
		}
		require.Equal(t, want, delivered)
	})
}

// The checkpoint after the newest event moves on with what does not pass, and is not said again.
func TestFollowCheckpoints(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	hint := make(chan struct{}, 10)
	woken := plain{Log: log, wake: func() (<-chan struct{}, func()) { return hint, func() {} }}
	wanted := publish(t, log, "wanted")
	publish(t, log, "other")
	s := follow(t.Context(), t, woken, eventlog.Start, eventlog.Filter{Types: []string{"wanted"}})
	s.event(wanted)
	s.caughtUp(eventlog.PositionOf(2))
	for range 5 {
		hint <- struct{}{} // for nothing
	}
	wanted = publish(t, log, "wanted")
	hint <- struct{}{}
	require.Equal(t, eventlog.PositionOf(3), s.event(wanted))
	s.caughtUp(eventlog.PositionOf(3))
	publish(t, log, "other")
	hint <- struct{}{}
	s.caughtUp(eventlog.PositionOf(4))
}

// A subscription resumes at the position of any delivery.
func TestFollowResumes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, log eventlog.Log) {
		ids := []string{publish(t, log, "A"), publish(t, log, "A"), publish(t, log, "A")}
		for i := range ids {
			s := follow(t.Context(), t, log, eventlog.PositionOf(int64(i)), eventlog.Everything)
			for _, id := range ids[i:] {
				s.event(id)
			}
			s.caughtUp(eventlog.PositionOf(3))
		}
		ahead := follow(t.Context(), t, log, eventlog.PositionOf(7), eventlog.Everything)
		ahead.caughtUp(eventlog.PositionOf(7)) // never backward
	})
}

// The end of the context is told, before the first look, in the middle and while waiting.
func TestFollowEndsWithItsContext(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, log eventlog.Log) {
		ids := []string{publish(t, log, "A"), publish(t, log, "A")}
		for taken := range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			s := follow(ctx, t, log, eventlog.Start, eventlog.Everything)
			for i := range taken {
				if i < len(ids) {
					s.event(ids[i])
				} else {
					s.caughtUp(eventlog.PositionOf(2))
				}
			}
			if taken != 1 && taken != 2 {
				cancel()
				s.ends(context.Canceled)
				continue
			}
			// Events that were read already may still come.
			cancel()
			for {
				_, err, ok := s.next()
				require.True(t, ok)
				if err != nil {
					require.ErrorIs(t, err, context.Canceled)
					break
				}
			}
		}
	})
}

// A log that is closed ends its subscriptions, those that wait and those that come later.
func TestFollowEndsWithItsLog(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, log eventlog.Log) {
		s := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
		s.caughtUp(eventlog.Start)
		closed := make(chan error, 1)
		go func() { closed <- log.Close() }()
		s.ends(eventlog.ErrClosed)
		require.NoError(t, <-closed)
		late := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
		late.ends(eventlog.ErrClosed)
	})
}

// A position that is none is an error, not a subscription to everything.
func TestFollowRefusesPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, log eventlog.Log) {
		publish(t, log, "A")
		_, err, ok := follow(t.Context(), t, log, "7", eventlog.Everything).next()
		require.True(t, ok)
		require.ErrorContains(t, err, `"7" is not a position`)
	})
}

// The consumer sets the pace: events that it has not asked for are not read.
func TestFollowReadsWhatIsTaken(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	read := 0
	counted := plain{Log: log, each: func() { read++ }}
	s := follow(t.Context(), t, counted, eventlog.Start, eventlog.Everything)
	s.caughtUp(eventlog.Start)
	var ids []string
	for range 50 {
		ids = append(ids, publish(t, log, "A"))
	}
	for taken, id := range ids {
		require.Equal(t, taken, read)
		s.event(id)
	}
	s.caughtUp(eventlog.PositionOf(50))
}

// A subscription that is given up stops listening.
func TestFollowReleases(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	released := make(chan struct{})
	listening := plain{Log: log, wake: func() (<-chan struct{}, func()) {
		hint, release := log.Wake()
		return hint, func() {
			release()
			close(released)
		}
	}}
	for range eventlog.Follow(t.Context(), listening, eventlog.Start, eventlog.Everything) {
		break
	}
	<-released
}
