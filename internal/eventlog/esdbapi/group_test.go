package esdbapi_test

import (
	"fmt"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/persistent"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
)

// settings of a group that says where it is with each event that is acknowledged.
func settings(change ...func(*esdb.PersistentSubscriptionSettings)) *esdb.PersistentSubscriptionSettings {
	s := esdb.SubscriptionSettingsDefault()
	s.CheckpointAfter, s.CheckpointLowerBound, s.CheckpointUpperBound = 0, 1, 1
	for _, c := range change {
		c(&s)
	}
	return &s
}

func createGroup(t testing.TB, client *esdb.Client, stream string, change ...func(*esdb.PersistentSubscriptionSettings)) {
	t.Helper()
	require.NoError(t, client.CreatePersistentSubscription(t.Context(), stream, "g", esdb.PersistentStreamSubscriptionOptions{
		Settings: settings(change...), StartFrom: esdb.Start{},
	}))
}

func join(t testing.TB, client *esdb.Client, stream string, size uint32) *esdb.PersistentSubscription {
	t.Helper()
	reader, err := client.SubscribeToPersistentSubscription(t.Context(), stream, "g", esdb.SubscribeToPersistentSubscriptionOptions{BufferSize: size})
	require.NoError(t, err)
	t.Cleanup(func() { _ = reader.Close() })
	return reader
}

// receive gives the next event, and how often it was tried before.
func receive(t testing.TB, reader *esdb.PersistentSubscription) (*esdb.ResolvedEvent, int) {
	t.Helper()
	got := reader.Recv()
	require.Nil(t, got.SubscriptionDropped, "%+v", got.SubscriptionDropped)
	return got.EventAppeared.Event, got.EventAppeared.RetryCount
}

// take receives so many events, acknowledges each, and gives their revisions.
func take(t testing.TB, reader *esdb.PersistentSubscription, n int) []uint64 {
	t.Helper()
	var numbers []uint64
	for range n {
		event, _ := receive(t, reader)
		numbers = append(numbers, event.OriginalEvent().EventNumber)
		require.NoError(t, reader.Ack(event))
	}
	return numbers
}

// info asks until it is as wanted: what a consumer says of an event has no answer.
func info(t testing.TB, client *esdb.Client, stream string, wanted func(*esdb.PersistentSubscriptionInfo) bool) *esdb.PersistentSubscriptionInfo {
	t.Helper()
	for {
		found, err := client.GetPersistentSubscriptionInfo(t.Context(), stream, "g", esdb.GetPersistentSubscriptionOptions{})
		require.NoError(t, err)
		if wanted(found) {
			return found
		}
	}
}

func takenUpTo(revision uint64) func(*esdb.PersistentSubscriptionInfo) bool {
	return func(i *esdb.PersistentSubscriptionInfo) bool {
		return i.Stats.LastCheckpointedEventRevision != nil && *i.Stats.LastCheckpointedEventRevision == revision
	}
}

// Rule: a group goes on after a restart behind what was acknowledged, and what was not acknowledged comes again.
func TestGroupsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(6, "a")...)
	first := serve(t, esdbapi.Config{Log: log})
	client := connect(t, first, "")
	createGroup(t, client, "a", func(s *esdb.PersistentSubscriptionSettings) {
		s.CheckpointLowerBound, s.CheckpointUpperBound = 100, 1000
	})
	reader := join(t, client, "a", 10)
	require.Equal(t, []uint64{0, 1, 2}, take(t, reader, 3))
	info(t, client, "a", func(i *esdb.PersistentSubscriptionInfo) bool { return i.Stats.OutstandingMessagesCount == 3 }) // all three were heard
	first.stop()
	require.Error(t, dropped(reader))

	client = connect(t, serve(t, esdbapi.Config{Log: log}), "")
	reader = join(t, client, "a", 10)
	require.Equal(t, []uint64{3, 4, 5}, take(t, reader, 3))
	appendTo(t, log, "a", eventlog.Exact(5), events(1, "later")...)
	require.Equal(t, []uint64{6}, take(t, reader, 1))
}

// dropped waits until a consumer gets nothing more, and says why.
func dropped(reader *esdb.PersistentSubscription) error {
	for {
		if got := reader.Recv(); got.SubscriptionDropped != nil {
			return got.SubscriptionDropped.Error
		}
	}
}

// Rule: of a server that is killed, what was acknowledged behind the last place it told comes again, and nothing is left out; one that still
// delivers for the group notices that another does, and ends.
func TestGroupsAfterAKill(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(5, "a")...)
	one := connect(t, serve(t, esdbapi.Config{Log: log}), "") // which says nothing more, as if it were killed
	createGroup(t, one, "a", func(s *esdb.PersistentSubscriptionSettings) { s.CheckpointLowerBound, s.CheckpointUpperBound = 2, 2 })
	old := join(t, one, "a", 10)
	require.Equal(t, []uint64{0, 1, 2}, take(t, old, 3))
	info(t, one, "a", takenUpTo(1))

	other := connect(t, serve(t, esdbapi.Config{Log: log}), "")
	reader := join(t, other, "a", 10)
	require.Equal(t, []uint64{2, 3, 4}, take(t, reader, 3))
	info(t, other, "a", takenUpTo(3))

	late, _ := receive(t, old) // 3, which the other server delivered, too
	require.NoError(t, old.Ack(late))
	require.ErrorContains(t, dropped(old), "another server delivers")
}

// Rule: an event that a consumer refuses comes again, with how often it was tried, or is skipped or parked, as the consumer says; after the
// group's limit it is parked. Parked events come again when somebody asks for them, and stay parked until they were acknowledged.
func TestGroupsRetryAndPark(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(4, "a")...)
	l := serve(t, esdbapi.Config{Log: log})
	client := connect(t, l, "")
	createGroup(t, client, "a", func(s *esdb.PersistentSubscriptionSettings) { s.MaxRetryCount = 2 })
	reader := join(t, client, "a", 1) // one at a time
	parked := func(n int64) func(*esdb.PersistentSubscriptionInfo) bool {
		return func(i *esdb.PersistentSubscriptionInfo) bool { return i.Stats.ParkedMessagesCount == n }
	}
	for retries := range 3 {
		event, was := receive(t, reader)
		require.Equal(t, uint64(0), event.OriginalEvent().EventNumber)
		require.Equal(t, retries, was)
		require.NoError(t, reader.Nack("not now", esdb.NackActionRetry, event))
	}
	event, _ := receive(t, reader)
	require.Equal(t, uint64(1), event.OriginalEvent().EventNumber)
	require.NoError(t, reader.Nack("never", esdb.NackActionPark, event))
	event, _ = receive(t, reader)
	require.Equal(t, uint64(2), event.OriginalEvent().EventNumber)
	require.NoError(t, reader.Nack("not mine", esdb.NackActionSkip, event))
	require.Equal(t, []uint64{3}, take(t, reader, 1))
	info(t, client, "a", takenUpTo(3))
	info(t, client, "a", parked(2))

	replay := func(client *esdb.Client, most int) {
		require.NoError(t, client.ReplayParkedMessages(t.Context(), "a", "g", esdb.ReplayParkedMessagesOptions{StopAt: most}))
	}
	replay(client, 1)
	require.Equal(t, []uint64{0}, take(t, reader, 1))
	info(t, client, "a", parked(1))
	replay(client, 0)
	event, _ = receive(t, reader)
	require.Equal(t, uint64(1), event.OriginalEvent().EventNumber)
	require.NoError(t, reader.Nack("still not", esdb.NackActionPark, event))

	l.stop()
	require.Error(t, dropped(reader))
	client = connect(t, serve(t, esdbapi.Config{Log: log}), "")
	info(t, client, "a", parked(1))
	reader = join(t, client, "a", 1)
	replay(client, 0)
	require.Equal(t, []uint64{1}, take(t, reader, 1))
	info(t, client, "a", parked(0))
}

// Rule: an event of which a consumer says nothing in time goes to whoever has room.
func TestGroupsTakeEventsBack(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(2, "a")...)
	client := connect(t, serve(t, esdbapi.Config{Log: log}), "")
	createGroup(t, client, "a", func(s *esdb.PersistentSubscriptionSettings) { s.MessageTimeout, s.MaxRetryCount = 1, 1_000_000 })
	reader := join(t, client, "a", 1)
	_, retries := receive(t, reader)
	require.Zero(t, retries)
	for { // each of them comes again and again
		if _, retries = receive(t, reader); retries > 2 {
			break
		}
	}
}

// Rule: the consumers of a group share its events, in no more than each has room for; those of one that leaves go to the others.
func TestGroupsShare(t *testing.T) {
	t.Parallel()
	for _, strategy := range []esdb.ConsumerStrategy{esdb.ConsumerStrategyRoundRobin, esdb.ConsumerStrategyDispatchToSingle, esdb.ConsumerStrategyPinned} {
		t.Run(string(strategy), func(t *testing.T) {
			t.Parallel()
			log := newLog(t)
			l := serve(t, esdbapi.Config{Log: log})
			client := connect(t, l, "")
			source := "$ce-a"
			createGroup(t, client, source, func(s *esdb.PersistentSubscriptionSettings) {
				s.ConsumerStrategyName, s.ResolveLinkTos, s.MaxSubscriberCount = strategy, true, 2
			})
			one, two := join(t, client, source, 3), join(t, connect(t, l, ""), source, 3)
			_, err := client.SubscribeToPersistentSubscription(t.Context(), source, "g", esdb.SubscribeToPersistentSubscriptionOptions{})
			require.ErrorContains(t, err, "Maximum subscriptions reached")
			const streams = 20
			for i := range streams {
				appendTo(t, log, fmt.Sprint("a-", i), eventlog.NoStream{}, events(1, "a%d", i)...)
			}
			info(t, client, source, func(i *esdb.PersistentSubscriptionInfo) bool {
				return len(i.Connections) == 2 && i.Connections[0].InFlightMessages == 3 && i.Connections[1].InFlightMessages == 3
			})
			got := map[string]bool{}
			for range 2 {
				event, _ := receive(t, two)
				got[event.Event.StreamID] = true
				require.NoError(t, two.Ack(event))
			}
			require.NoError(t, two.Close())
			for len(got) < streams {
				event, _ := receive(t, one)
				require.Equal(t, source, event.Link.StreamID)
				got[event.Event.StreamID] = true
				require.NoError(t, one.Ack(event))
			}
			info(t, client, source, takenUpTo(streams-1))
		})
	}
}

// Rule: a group of the whole log has what its filter lets through, from where it was to begin, and nothing of what groups write.
func TestGroupsOfAll(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a-1", eventlog.NoStream{}, events(2, "a")...)
	client := connect(t, serve(t, esdbapi.Config{Log: log}), "")
	create := func(name string, from esdb.AllPosition, filter *esdb.SubscriptionFilter) {
		require.NoError(t, client.CreatePersistentSubscriptionToAll(t.Context(), name, esdb.PersistentAllSubscriptionOptions{Settings: settings(), StartFrom: from, Filter: filter}))
	}
	create("everything", esdb.Start{}, nil)
	create("new", esdb.End{}, nil)
	create("some", esdb.Start{}, &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"b-"}})
	appended := appendTo(t, log, "b-1", eventlog.NoStream{}, events(1, "b")...)
	create("at", position(t, appended.Position), nil)
	appendTo(t, log, "b-1", eventlog.Exact(0), events(1, "c")...)
	for name, want := range map[string][]string{
		"everything": {"a-1/0", "a-1/1", "b-1/0", "b-1/1"}, "new": {"b-1/0", "b-1/1"}, "some": {"b-1/0", "b-1/1"}, "at": {"b-1/0", "b-1/1"},
	} {
		reader, err := client.SubscribeToPersistentSubscriptionToAll(t.Context(), name, esdb.SubscribeToPersistentSubscriptionOptions{})
		require.NoError(t, err)
		var got []string
		for range want {
			event, _ := receive(t, reader)
			got = append(got, fmt.Sprint(event.Event.StreamID, "/", event.Event.EventNumber))
			require.NoError(t, reader.Ack(event))
		}
		require.Equal(t, want, got, name)
		require.NoError(t, reader.Close())
	}
	list, err := client.ListPersistentSubscriptionsToAll(t.Context(), esdb.ListPersistentSubscriptionsOptions{})
	require.NoError(t, err)
	require.Len(t, list, 4)
	require.Equal(t, "$all", list[0].EventSource)
}

// Rule: a group is made once, changed without losing its place, found in lists, and deleted; made again, it begins anew.
func TestLifeOfAGroup(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(5, "a")...)
	client := connect(t, serve(t, esdbapi.Config{Log: log}), "")
	missing := func(err error) { require.Equal(t, esdb.ErrorCodeResourceNotFound, code(t, err)) }
	_, err := client.SubscribeToPersistentSubscription(t.Context(), "a", "g", esdb.SubscribeToPersistentSubscriptionOptions{})
	missing(err)
	missing(client.DeletePersistentSubscription(t.Context(), "a", "g", esdb.DeletePersistentSubscriptionOptions{}))
	missing(client.UpdatePersistentSubscription(t.Context(), "a", "g", esdb.PersistentStreamSubscriptionOptions{Settings: settings()}))

	require.NoError(t, client.CreatePersistentSubscription(t.Context(), "a", "g", esdb.PersistentStreamSubscriptionOptions{Settings: settings(), StartFrom: esdb.Revision(2)}))
	err = client.CreatePersistentSubscription(t.Context(), "a", "g", esdb.PersistentStreamSubscriptionOptions{Settings: settings()})
	require.Equal(t, esdb.ErrorCodeResourceAlreadyExists, code(t, err))
	reader := join(t, client, "a", 10)
	require.Equal(t, []uint64{2}, take(t, reader, 1))
	info(t, client, "a", takenUpTo(2))
	changed := settings(func(s *esdb.PersistentSubscriptionSettings) { s.MaxRetryCount = 77 })
	require.NoError(t, client.UpdatePersistentSubscription(t.Context(), "a", "g", esdb.PersistentStreamSubscriptionOptions{Settings: changed}))
	require.ErrorContains(t, dropped(reader), "it was changed")
	require.Equal(t, []uint64{3}, take(t, join(t, client, "a", 10), 1))
	found := info(t, client, "a", takenUpTo(3))
	require.Equal(t, int32(77), found.Settings.MaxRetryCount)
	require.Equal(t, esdb.Revision(2), found.Settings.StartFrom)

	list, err := client.ListAllPersistentSubscriptions(t.Context(), esdb.ListPersistentSubscriptionsOptions{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, []string{"a", "g"}, []string{list[0].EventSource, list[0].GroupName})
	_, err = client.ListPersistentSubscriptionsForStream(t.Context(), "b", esdb.ListPersistentSubscriptionsOptions{})
	missing(err)

	require.NoError(t, client.DeletePersistentSubscription(t.Context(), "a", "g", esdb.DeletePersistentSubscriptionOptions{}))
	list, err = client.ListAllPersistentSubscriptions(t.Context(), esdb.ListPersistentSubscriptionsOptions{})
	require.NoError(t, err)
	require.Empty(t, list)
	createGroup(t, client, "a")
	require.Equal(t, []uint64{0}, take(t, join(t, client, "a", 10), 1))
}

// Rule: a group that could not be is refused with what is wrong.
func TestGroupsThatCannotBe(t *testing.T) {
	t.Parallel()
	l := serve(t, esdbapi.Config{Log: newLog(t)})
	client := connect(t, l, "")
	for want, change := range map[string]func(*esdb.PersistentSubscriptionSettings){
		"max_retry_count is -1":      func(s *esdb.PersistentSubscriptionSettings) { s.MaxRetryCount = -1 },
		"max_checkpoint_count is -5": func(s *esdb.PersistentSubscriptionSettings) { s.CheckpointUpperBound = -5 },
	} {
		err := client.CreatePersistentSubscription(t.Context(), "a", "g", esdb.PersistentStreamSubscriptionOptions{Settings: settings(change)})
		require.ErrorContains(t, err, want)
	}
	_, err := persistent.NewPersistentSubscriptionsClient(dial(t, l)).Create(t.Context(), &persistent.CreateReq{Options: &persistent.CreateReq_Options{
		StreamOption: &persistent.CreateReq_Options_All{All: &persistent.CreateReq_AllOptions{}}, GroupName: "g",
		Settings: &persistent.CreateReq_Settings{ConsumerStrategy: "PinnedByCorrelation"},
	}})
	require.ErrorContains(t, err, `strategy "PinnedByCorrelation" is not there`)
	for _, name := range []string{"with space", string(make([]byte, 200))} {
		require.ErrorContains(t, client.CreatePersistentSubscription(t.Context(), "a", name, esdb.PersistentStreamSubscriptionOptions{Settings: settings()}), "no group can have the name")
	}
	createGroup(t, client, "a")
	_, err = client.SubscribeToPersistentSubscription(t.Context(), "a", "g", esdb.SubscribeToPersistentSubscriptionOptions{BufferSize: 1_000_000})
	require.ErrorContains(t, err, "1 to 5000")
}
