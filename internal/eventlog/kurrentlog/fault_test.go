package kurrentlog_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
)

// changing gives every event on with a change, and leaves the other messages alone.
func changing(change func(*streams.ReadResp_ReadEvent)) func(*fake) {
	return func(f *fake) {
		f.sends = func(message *streams.ReadResp) []*streams.ReadResp {
			if message.GetEvent() == nil {
				return []*streams.ReadResp{message}
			}
			message = proto.CloneOf(message)
			change(message.GetEvent())
			return []*streams.ReadResp{message}
		}
	}
}

func appendSome(t testing.TB, log eventlog.Log, stream string, n int) []eventlog.Event {
	t.Helper()
	var all []eventlog.Event
	for i := range n {
		event := newEvent(fmt.Sprint(i))
		_, err := log.Append(t.Context(), stream, eventlog.At(int64(i)-1), []eventlog.Event{event})
		require.NoError(t, err)
		all = append(all, event)
	}
	return all
}

// untilCaughtUp subscribes and gives what is delivered before the subscription is live, or its error.
func untilCaughtUp(ctx context.Context, log eventlog.Log, after eventlog.Position, filter eventlog.Filter) (all []eventlog.Event, err error) {
	for delivery, err := range log.Subscribe(ctx, after, filter) {
		switch {
		case err != nil:
			return all, err
		case delivery.CaughtUp:
			return all, nil
		case delivery.Record != nil:
			all = append(all, delivery.Record.Event)
		}
	}
	return all, nil
}

func allOf(ctx context.Context, log eventlog.Log, filter eventlog.Filter) (all []eventlog.Event, err error) {
	for record, err := range log.All(ctx, eventlog.Start, filter) {
		if err != nil {
			return all, err
		}
		all = append(all, record.Event)
	}
	return all, nil
}

// requireReadable asserts that every way to read gives these events of a stream.
func requireReadable(t testing.TB, log eventlog.Log, stream string, want []eventlog.Event) {
	t.Helper()
	require.Equal(t, want, contents(t, log, stream))
	all, err := allOf(t.Context(), log, eventlog.Everything)
	require.NoError(t, err)
	require.Equal(t, want, all)
	followed, err := untilCaughtUp(t.Context(), log, eventlog.Start, eventlog.Everything)
	require.NoError(t, err)
	require.Equal(t, want, followed)
	n := len(want)
	for record, err := range log.StreamBackward(t.Context(), stream, eventlog.Newest) {
		require.NoError(t, err)
		n--
		require.Equal(t, want[n], record.Event)
	}
	require.Zero(t, n)
}

// A server may say things that are not known here, anywhere.
func TestUnknownMessages(t *testing.T) {
	t.Parallel()
	f := startFake(t, newDatabase(), func(f *fake) {
		f.sends = func(message *streams.ReadResp) []*streams.ReadResp {
			if message.GetConfirmation() != nil {
				return []*streams.ReadResp{message}
			}
			unknown := &streams.ReadResp{}
			unknown.ProtoReflect().SetUnknown([]byte{0xfa, 0x01, 0x02, 0x08, 0x01}) // field 31
			return []*streams.ReadResp{
				unknown,
				{Content: &streams.ReadResp_FellBehind_{FellBehind: &streams.ReadResp_FellBehind{}}},
				{Content: &streams.ReadResp_FirstStreamPosition{FirstStreamPosition: 3}},
				{Content: &streams.ReadResp_Event{Event: &streams.ReadResp_ReadEvent{Link: &stored{}}}}, // the event is gone
				message,
				{Content: &streams.ReadResp_LastStreamPosition{LastStreamPosition: 9}},
			}
		}
	})
	log := open(t, f.connection(""), kurrentlog.Options{})
	requireReadable(t, log, "run", appendSome(t, log, "run", 5))
}

// A server that has lost count of what it has told a subscription tells some of it again.
func TestToldAgain(t *testing.T) {
	t.Parallel()
	db := newDatabase()
	events := appendSome(t, open(t, startFake(t, db).connection(""), kurrentlog.Options{}), "run", 5)
	var before []*streams.ReadResp
	log := open(t, startFake(t, db, func(f *fake) {
		f.sends = func(message *streams.ReadResp) []*streams.ReadResp {
			if message.GetEvent() == nil && message.GetCheckpoint() == nil {
				return []*streams.ReadResp{message}
			}
			before = append(before, message)
			return before
		}
	}).connection(""), kurrentlog.Options{})
	before = nil // what the log has read to begin with
	last := eventlog.Start
	var followed []eventlog.Event
	for delivery, err := range log.Subscribe(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		if delivery.CaughtUp {
			break
		}
		require.Greater(t, delivery.Position, last)
		last = delivery.Position
		if delivery.Record != nil {
			followed = append(followed, delivery.Record.Event)
		}
	}
	require.Equal(t, events, followed)
}

// An event whose time cannot be read is an event.
func TestGarbageTimes(t *testing.T) {
	t.Parallel()
	for _, created := range []string{"", "yesterday", "1e9", "99999999999999999999"} {
		f := startFake(t, newDatabase(), changing(func(e *streams.ReadResp_ReadEvent) { e.GetEvent().Metadata["created"] = created }))
		log := open(t, f.connection(""), kurrentlog.Options{})
		requireReadable(t, log, "run", appendSome(t, log, "run", 3))
		for record, err := range log.Stream(t.Context(), "run", 0) {
			require.NoError(t, err)
			require.Zero(t, record.RecordedAt)
		}
	}
}

// Servers before version 24 do not say when a subscription is live, and some do not say which version they are.
func TestOldServers(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"21.10.11", "5", "", "v23", "unknown", "24.10.0", "25.1.0-rc.1", "24"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			f := startFake(t, newDatabase(), func(f *fake) { f.version = version })
			if version == "v23" || version == "unknown" { // and yet they do
				f.sends = func(message *streams.ReadResp) []*streams.ReadResp {
					if message.GetCheckpoint() != nil {
						return []*streams.ReadResp{message, {Content: &streams.ReadResp_CaughtUp_{CaughtUp: &streams.ReadResp_CaughtUp{}}}}
					}
					return []*streams.ReadResp{message}
				}
			}
			log := open(t, f.connection(""), kurrentlog.Options{})
			none, err := untilCaughtUp(t.Context(), log, eventlog.Start, eventlog.Everything)
			require.NoError(t, err)
			require.Empty(t, none)
			requireReadable(t, log, "run", appendSome(t, log, "run", 5))
			none, err = untilCaughtUp(t.Context(), log, eventlog.Start, eventlog.Filter{StreamPrefixes: []string{"none"}})
			require.NoError(t, err)
			require.Empty(t, none)
		})
	}
}

// Old servers do not tell positions inside an event when a stream is read: beside it will do, but without any, a
// record would be one from which nobody could go on.
func TestNoPositions(t *testing.T) {
	t.Parallel()
	beside := true
	f := startFake(t, newDatabase(), changing(func(e *streams.ReadResp_ReadEvent) {
		e.Event.CommitPosition, e.Event.PreparePosition = math.MaxUint64, math.MaxUint64
		if !beside {
			e.Position = &streams.ReadResp_ReadEvent_NoPosition{NoPosition: &shared.Empty{}}
		}
	}))
	log := open(t, f.connection(""), kurrentlog.Options{})
	requireReadable(t, log, "run", appendSome(t, log, "run", 3))
	beside = false
	for _, err := range log.Stream(t.Context(), "run", 0) {
		require.ErrorContains(t, err, "does not tell the positions")
	}
}

// The events of an old client's transaction have one position: reading stops before them, since it could lose one.
// Readers of other streams are not disturbed.
func TestTransactions(t *testing.T) {
	t.Parallel()
	db := newDatabase()
	log := open(t, startFake(t, db, changing(func(e *streams.ReadResp_ReadEvent) {
		if nameOf(e.Event) == "old" {
			e.Event.PreparePosition -= 7
		}
	})).connection(""), kurrentlog.Options{})
	before := appendSome(t, log, "run", 3)
	db.mu.Lock()
	db.systemEvent("old", "Transacted")
	db.systemEvent("old", "Transacted")
	db.mu.Unlock()
	after := newEvent("after")
	_, err := log.Append(t.Context(), "run", eventlog.Exact(2), []eventlog.Event{after})
	require.NoError(t, err)

	all, err := allOf(t.Context(), log, eventlog.Everything)
	require.ErrorContains(t, err, "explicit transaction")
	require.Equal(t, before, all)
	followed, err := untilCaughtUp(t.Context(), log, eventlog.Start, eventlog.Everything)
	require.ErrorContains(t, err, "explicit transaction")
	require.Equal(t, before, followed)

	ours := eventlog.Filter{StreamPrefixes: []string{"run"}}
	all, err = allOf(t.Context(), log, ours)
	require.NoError(t, err)
	require.Equal(t, append(before, after), all)
	followed, err = untilCaughtUp(t.Context(), log, eventlog.Start, ours)
	require.NoError(t, err)
	require.Equal(t, append(before, after), followed)
}

// A follower says who leads, and is left for it.
func TestFollowsTheLeader(t *testing.T) {
	t.Parallel()
	db := newDatabase()
	first, second := startFake(t, db), startFake(t, db)
	first.leader.Store(second)
	for name, connection := range map[string]string{
		"single":   first.connection(""),
		"several":  fmt.Sprintf("esdb://%s,%s?tls=false", first.address, "127.0.0.1:1"),
		"discover": fmt.Sprintf("esdb+discover://%s?tls=false", first.address),
	} {
		t.Run(name, func(t *testing.T) {
			log := open(t, connection, kurrentlog.Options{})
			event := newEvent(name)
			_, err := log.Append(t.Context(), name, eventlog.NoStream{}, []eventlog.Event{event})
			require.NoError(t, err)
			require.Equal(t, []eventlog.Event{event}, contents(t, log, name))
		})
	}
}

// When another node comes to lead, appends, reads and subscriptions go on there.
func TestLeaderChanges(t *testing.T) {
	t.Parallel()
	db := newDatabase()
	nodes := []*fake{startFake(t, db), startFake(t, db)}
	nodes[1].leader.Store(nodes[0])
	for name, connection := range map[string]string{
		"single":  nodes[0].connection(""),
		"several": fmt.Sprintf("esdb://%s,%s?tls=false", nodes[0].address, nodes[1].address),
	} {
		log := open(t, connection, kurrentlog.Options{})
		followed := make(chan eventlog.Event)
		go func() {
			defer close(followed)
			for delivery, err := range log.Subscribe(t.Context(), eventlog.Start, eventlog.Filter{StreamPrefixes: []string{name}}) {
				if err != nil {
					return
				}
				if delivery.Record != nil {
					followed <- delivery.Record.Event
				}
			}
		}()
		for i := range 20 {
			leading, following := nodes[i%2], nodes[(i+1)%2]
			leading.leader.Store(nil)
			following.leader.Store(leading)
			event := newEvent(fmt.Sprint(i))
			appended, err := log.Append(t.Context(), name, eventlog.At(int64(i)-1), []eventlog.Event{event})
			require.NoError(t, err)
			require.False(t, appended.Repeated)
			require.Equal(t, event, <-followed)
		}
		require.NoError(t, log.Close())
		for range followed {
			require.Fail(t, "an event came twice")
		}
	}
}

// When the leader has died, the others are asked who leads now.
func TestLeaderDies(t *testing.T) {
	t.Parallel()
	db := newDatabase()
	first, second := startFake(t, db), startFake(t, db)
	second.leader.Store(first)
	log := open(t, fmt.Sprintf("esdb://%s,%s?tls=false", first.address, second.address), kurrentlog.Options{})
	appendSome(t, log, "run", 1)
	followed := make(chan eventlog.Record)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(followed)
		for delivery, err := range log.Subscribe(ctx, eventlog.Start, eventlog.Everything) {
			if err == nil && delivery.Record != nil {
				followed <- *delivery.Record
			}
		}
	}()
	require.Equal(t, int64(0), (<-followed).Revision)
	second.leader.Store(nil)
	first.stop()
	_, err := log.Append(t.Context(), "run", eventlog.Exact(0), []eventlog.Event{newEvent("1")})
	require.NoError(t, err)
	require.Equal(t, int64(1), (<-followed).Revision)
	cancel()
	_, more := <-followed
	require.False(t, more)
}

// Reading the log ends, even if it grows faster than it is read.
func TestAllEnds(t *testing.T) {
	t.Parallel()
	log := open(t, startFake(t, newDatabase()).connection(""), kurrentlog.Options{})
	const before, more = 100, 10
	appendSome(t, log, "run", before)
	seen, last := 0, int64(before-1)
	for _, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		seen++
		require.Less(t, seen, 20*before)
		batch := make([]eventlog.Event, more)
		for i := range batch {
			batch[i] = newEvent("more")
		}
		appended, err := log.Append(t.Context(), "run", eventlog.Exact(last), batch)
		require.NoError(t, err)
		last = appended.Last
	}
	require.GreaterOrEqual(t, seen, before)
}

// A server takes a number of calls over one connection at a time. Subscriptions do not use them up.
func TestManySubscriptions(t *testing.T) {
	t.Parallel()
	log := open(t, startFake(t, newDatabase()).connection(""), kurrentlog.Options{})
	const subscriptions = 2*fakeCalls + 50
	live := make(chan struct{})
	seen := make(chan string, subscriptions)
	for range subscriptions {
		go func() {
			for delivery, err := range log.Subscribe(t.Context(), eventlog.Start, eventlog.Everything) {
				if err != nil {
					return
				}
				if delivery.CaughtUp {
					live <- struct{}{}
				}
				if delivery.Record != nil {
					seen <- delivery.Record.ID
				}
			}
		}()
	}
	for range subscriptions {
		<-live
	}
	event := newEvent("1")
	_, err := log.Append(t.Context(), "run", eventlog.NoStream{}, []eventlog.Event{event})
	require.NoError(t, err)
	for range subscriptions {
		require.Equal(t, event.ID, <-seen)
	}
}

// After the server was gone for a while a waiting reader gets a hint: an event may have come unseen.
func TestWakeAfterRestart(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	log := open(t, s.connection(""), kurrentlog.Options{})
	hint, release := log.Wake()
	defer release()
	s.end()
	for drained := false; !drained; {
		select {
		case <-hint:
		case <-time.After(50 * time.Millisecond):
			drained = true
		}
	}
	s.start(t)
	<-hint
}
