package esdbapi_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	api "github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
)

// next tells what a subscription of the official client gets: an event by its stream and revision, or a word.
func next(subscription *esdb.Subscription) (string, error) {
	got := subscription.Recv()
	switch {
	case got.EventAppeared != nil:
		event := got.EventAppeared.OriginalEvent()
		return fmt.Sprintf("%s/%d", event.StreamID, event.EventNumber), nil
	case got.CheckPointReached != nil:
		if got.CheckPointReached.Commit != got.CheckPointReached.Prepare {
			return "", fmt.Errorf("the checkpoint %v has two numbers", *got.CheckPointReached)
		}
		return fmt.Sprint("checkpoint ", got.CheckPointReached.Commit), nil
	case got.CaughtUp != nil:
		return "caught up", nil
	}
	return "", got.SubscriptionDropped.Error
}

func requireNext(t testing.TB, subscription *esdb.Subscription, want ...string) {
	t.Helper()
	for _, want := range want {
		got, err := next(subscription)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// A subscription sends what is there after its start, says that it caught up, once, and sends what comes.
func TestClientSubscribesToStream(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(3, "a")...)
	live := map[*esdb.Subscription][]string{}
	for name, c := range map[string]struct {
		stream string
		from   esdb.StreamPosition
		there  []string
		comes  []string
	}{
		"from the start":             {"a", esdb.Start{}, []string{"a/0", "a/1", "a/2"}, []string{"a/3", "a/4"}},
		"after an event":             {"a", esdb.Revision(1), []string{"a/2"}, []string{"a/3", "a/4"}},
		"from the end":               {"a", esdb.End{}, nil, []string{"a/3", "a/4"}},
		"a stream that is to come":   {"b", esdb.Start{}, nil, []string{"b/0", "b/1"}},
		"after an event that is not": {"b", esdb.Revision(0), nil, []string{"b/1"}},
	} {
		subscription, err := client.SubscribeToStream(t.Context(), c.stream, esdb.SubscribeToStreamOptions{From: c.from})
		require.NoError(t, err, name)
		t.Cleanup(func() { _ = subscription.Close() })
		requireNext(t, subscription, append(c.there, "caught up")...)
		live[subscription] = c.comes
	}
	appendTo(t, log, "a", eventlog.Exact(2), events(1, "a3")...)
	appendTo(t, log, "b", eventlog.NoStream{}, events(2, "b")...)
	appendTo(t, log, "a", eventlog.Exact(3), events(1, "a4")...)
	for subscription, want := range live {
		requireNext(t, subscription, want...)
	}
}

func TestClientSubscribesToAll(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(2, "a")...)
	appendTo(t, log, "b", eventlog.NoStream{}, events(1, "b")...)
	var live []*esdb.Subscription
	for _, c := range []struct {
		from  esdb.AllPosition
		there []string
	}{
		{esdb.Start{}, []string{"a/0", "a/1", "b/0"}},
		{esdb.Position{Commit: 2, Prepare: 2}, []string{"b/0"}},
		{esdb.End{}, nil},
		{esdb.Position{Commit: math.MaxUint64, Prepare: math.MaxUint64}, nil},
	} {
		subscription, err := client.SubscribeToAll(t.Context(), esdb.SubscribeToAllOptions{From: c.from})
		require.NoError(t, err)
		t.Cleanup(func() { _ = subscription.Close() })
		requireNext(t, subscription, append(c.there, "caught up")...)
		live = append(live, subscription)
	}
	appendTo(t, log, "c", eventlog.NoStream{}, events(2, "c")...)
	appendTo(t, log, "c", eventlog.Exact(1), events(1, "c2")...)
	for _, subscription := range live {
		requireNext(t, subscription, "c/0", "c/1", "c/2")
	}
}

// A filtered subscription has a checkpoint each so many events that were looked at, and one before it is live; none
// is ahead of an event that has not been sent.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	for i := range 4 {
		appendTo(t, log, "no", eventlog.At(int64(3*i)-1), events(3, "no/%d", i)...)
		appendTo(t, log, "yes", eventlog.At(int64(i)-1), events(1, "yes/%d", i)...)
	}
	subscription, err := client.SubscribeToAll(t.Context(), esdb.SubscribeToAllOptions{
		From: esdb.Start{}, Filter: &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"y", "z"}}, MaxSearchWindow: 2, CheckpointInterval: 3,
	})
	require.NoError(t, err)
	defer subscription.Close()
	requireNext(t, subscription, "yes/0", "checkpoint 6", "yes/1", "yes/2", "checkpoint 12", "yes/3", "checkpoint 16", "caught up")
	// Live, they go on counting.
	appendTo(t, log, "no", eventlog.Exact(11), events(5, "no/more")...)
	appendTo(t, log, "zeta", eventlog.NoStream{}, events(1, "zeta")...)
	requireNext(t, subscription, "zeta/0", "checkpoint 22")
	appendTo(t, log, "no", eventlog.Exact(16), events(7, "no/most")...)
	requireNext(t, subscription, "checkpoint 28")
}

// A log without an event that passes still gets a checkpoint, so that nobody has to look at all of it again.
func TestCheckpointWithoutEvents(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	filter := &esdb.SubscriptionFilter{Type: esdb.EventFilterType, Regex: "^Nothing$"}
	empty, err := client.SubscribeToAll(t.Context(), esdb.SubscribeToAllOptions{From: esdb.Start{}, Filter: filter})
	require.NoError(t, err)
	defer empty.Close()
	requireNext(t, empty, "caught up")
	appendTo(t, log, "a", eventlog.NoStream{}, events(40, "a")...)
	requireNext(t, empty, "checkpoint 32")
	later, err := client.SubscribeToAll(t.Context(), esdb.SubscribeToAllOptions{From: esdb.Start{}, Filter: filter})
	require.NoError(t, err)
	defer later.Close()
	requireNext(t, later, "checkpoint 32", "checkpoint 40", "caught up")
}

// A client that resumes from the last event or checkpoint that it got has each event once, in order, wherever it
// stopped and also while events are appended.
func TestResume(t *testing.T) {
	t.Parallel()
	const appends = 400
	log, client := open(t)
	var writer sync.WaitGroup
	defer writer.Wait()
	writer.Go(func() {
		for i := range appends {
			stream := []string{"yes-1", "yes-2", "no"}[i%3]
			_, err := log.Append(context.Background(), stream, eventlog.At(int64(i/3)-1), events(1, "%d", i))
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	random := rand.New(rand.NewPCG(1, 2))
	from, got, stops := esdb.AllPosition(esdb.Start{}), map[string]uint64{}, 0
	last := esdb.Position{}
	for last.Commit < appends {
		subscription, err := client.SubscribeToAll(t.Context(), esdb.SubscribeToAllOptions{
			From: from, Filter: &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Regex: "^yes-"}, MaxSearchWindow: 1 + random.IntN(7),
		})
		require.NoError(t, err)
		for range 1 + random.IntN(30) {
			told := subscription.Recv()
			require.Nil(t, told.SubscriptionDropped)
			at := last
			if event := told.EventAppeared; event != nil {
				at = event.OriginalEvent().Position
				require.Greater(t, at.Commit, last.Commit, "an event came twice")
				require.Equal(t, got[event.OriginalEvent().StreamID], event.OriginalEvent().EventNumber, "an event is missing")
				got[event.OriginalEvent().StreamID]++
			} else if told.CheckPointReached != nil {
				at = *told.CheckPointReached
				require.GreaterOrEqual(t, at.Commit, last.Commit, "a checkpoint went back")
			}
			last = at
			if last.Commit == appends {
				break
			}
		}
		require.NoError(t, subscription.Close())
		from = last
		stops++
	}
	require.Equal(t, map[string]uint64{"yes-1": 134, "yes-2": 133}, got)
	require.Greater(t, stops, 10)
}

// Hundreds of subscriptions at once, of one connection, get everything.
func TestManySubscriptions(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	var readers sync.WaitGroup
	for i := range 300 {
		subscribed := make(chan struct{})
		readers.Go(func() {
			defer close(subscribed)
			options := esdb.SubscribeToAllOptions{From: esdb.Start{}}
			want := []string{"a/0", "a/1", "b/0", "a/2"}
			if i%2 == 0 {
				options.Filter = &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"a"}}
				want = []string{"a/0", "a/1", "a/2"}
			}
			subscription, err := client.SubscribeToAll(t.Context(), options)
			if err != nil {
				t.Error(err)
				return
			}
			subscribed <- struct{}{}
			var got []string
			for len(got) < len(want) {
				word, err := next(subscription)
				if err != nil {
					t.Error(err)
					return
				}
				if strings.Contains(word, "/") {
					got = append(got, word)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("subscription %d got %v, want %v", i, got, want)
			}
			_ = subscription.Close()
		})
		<-subscribed
	}
	appendTo(t, log, "a", eventlog.NoStream{}, events(2, "a")...)
	appendTo(t, log, "b", eventlog.NoStream{}, events(1, "b")...)
	appendTo(t, log, "a", eventlog.Exact(1), events(1, "a2")...)
	readers.Wait()
}

func subscribeAll(filter *api.ReadReq_Options_FilterOptions) *api.ReadReq {
	request := &api.ReadReq{Options: &api.ReadReq_Options{
		StreamOption: &api.ReadReq_Options_All{All: &api.ReadReq_Options_AllOptions{AllOption: &api.ReadReq_Options_AllOptions_Start{Start: &shared.Empty{}}}},
		CountOption:  &api.ReadReq_Options_Subscription{Subscription: &api.ReadReq_Options_SubscriptionOptions{}},
		UuidOption:   &api.ReadReq_Options_UUIDOption{Content: &api.ReadReq_Options_UUIDOption_String_{String_: &shared.Empty{}}},
	}}
	if filter != nil {
		request.Options.FilterOption = &api.ReadReq_Options_Filter{Filter: filter}
	}
	return request
}

// The first message of a subscription is its confirmation, also before there is anything to send.
func TestConfirmation(t *testing.T) {
	t.Parallel()
	l := serve(t, esdbapi.Config{Log: newLog(t)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, err := wire(t, l).Read(ctx, subscribeAll(nil))
	require.NoError(t, err)
	first, err := read.Recv()
	require.NoError(t, err)
	require.NotEmpty(t, first.GetConfirmation().GetSubscriptionId())
	second, err := read.Recv()
	require.NoError(t, err)
	require.NotNil(t, second.GetCaughtUp())
}
