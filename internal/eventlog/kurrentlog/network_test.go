package kurrentlog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
)

// between gives random numbers, for connections that live to carry so many bytes.
func between(t testing.TB, least, most int64) func() int64 {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var mu sync.Mutex
	return func() int64 {
		mu.Lock()
		defer mu.Unlock()
		return least + random.Int64N(most-least)
	}
}

// servers are both kinds of servers that there are without a real one.
func servers(t *testing.T, test func(t *testing.T, address string)) {
	t.Run("listener", func(t *testing.T) {
		t.Parallel()
		test(t, startServer(t).address)
	})
	t.Run("model", func(t *testing.T) {
		t.Parallel()
		test(t, startFake(t, newDatabase()).address)
	})
}

// appendMany lets writers append to streams of their own and asserts that each append had the one right outcome.
func appendMany(t *testing.T, log eventlog.Log, writers, appends int, between func(writer, i int)) {
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			next := int64(0)
			for i := range appends {
				between(writer, i)
				var events []eventlog.Event
				for range 1 + i%3 {
					events = append(events, newEvent(fmt.Sprintf("%d/%d", writer, next+int64(len(events)))))
				}
				appended, err := log.Append(context.Background(), fmt.Sprintf("w-%d", writer), eventlog.At(next-1), events)
				if err != nil || appended.Repeated || appended.First != next || appended.Last != next+int64(len(events))-1 {
					t.Errorf("writer %d, append %d, at %d: %+v, %v", writer, i, next, appended, err)
					return
				}
				next = appended.Last + 1
			}
		})
	}
	group.Wait()
}

// requireAppended asserts that what appendMany appended is there once.
func requireAppended(t *testing.T, log eventlog.Log, writers, appends int) {
	t.Helper()
	eventlogtest.RequireSound(t, log)
	total := 0
	for i := range appends {
		total += 1 + i%3
	}
	for writer := range writers {
		there := contents(t, log, fmt.Sprintf("w-%d", writer))
		require.Len(t, there, total)
		for i, event := range there {
			require.Equal(t, fmt.Sprintf("%d/%d", writer, i), string(event.Payload))
		}
	}
}

// The connection breaks again and again, wherever it is, most often before an answer has come: each append is done once.
func TestAppendOverBrokenConnections(t *testing.T) {
	t.Parallel()
	servers(t, func(t *testing.T, address string) {
		const writers, appends = 3, 40
		p := startProxy(t, address, between(t, 200, 6000))
		log := open(t, p.connection(""), kurrentlog.Options{})
		appendMany(t, log, writers, appends, func(int, int) {})
		require.Greater(t, p.count(), 10, "the connection did break")
		requireAppended(t, open(t, "esdb://"+address+"?tls=false", kurrentlog.Options{}), writers, appends)
	})
}

// Reads and subscriptions go on where a broken connection left them.
func TestReadOverBrokenConnections(t *testing.T) {
	t.Parallel()
	servers(t, func(t *testing.T, address string) {
		direct := open(t, "esdb://"+address+"?tls=false", kurrentlog.Options{})
		const batches, size = 8, 100
		var want []eventlog.Event
		for i := range int64(batches) {
			var batch []eventlog.Event
			for range size {
				batch = append(batch, newEvent(fmt.Sprint(i)))
			}
			_, err := direct.Append(t.Context(), "long", eventlog.At(i*size-1), batch)
			require.NoError(t, err)
			want = append(want, batch...)
		}
		// None lives to carry a whole chunk.
		log := open(t, startProxy(t, address, between(t, 1000, 40_000)).connection(""), kurrentlog.Options{})
		requireReadable(t, log, "long", want)

		// Live: while others append.
		done := make(chan struct{})
		go func() {
			defer close(done)
			appendMany(t, direct, 2, 80, func(int, int) {})
		}()
		next := map[string]int64{"long": 0}
		p := startProxy(t, address, between(t, 1000, 20_000))
		live := open(t, p.connection(""), kurrentlog.Options{})
		left := len(want) + 2*159
		for delivery, err := range live.Subscribe(t.Context(), eventlog.Start, eventlog.Everything) {
			require.NoError(t, err)
			if record := delivery.Record; record != nil {
				require.Equal(t, next[record.Stream], record.Revision, "nothing is left out, and nothing comes twice")
				next[record.Stream]++
				if left--; left == 0 {
					break
				}
			}
		}
		<-done
		require.Greater(t, p.count(), 3, "the connection did break")
	})
}

// A connection that carries nothing any more, and is not closed by anybody, is found out by its silence.
func TestStalledConnection(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := startProxy(t, s.address, nil)
	// The protocol's clients send no ping more often than each ten seconds.
	log := open(t, p.connection("&keepAliveTimeout=200&defaultDeadline=2000"), kurrentlog.Options{})
	event := newEvent("before")
	_, err := log.Append(t.Context(), "run", eventlog.NoStream{}, []eventlog.Event{event})
	require.NoError(t, err)

	stalled := false
	for delivery, err := range log.Subscribe(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		if delivery.CaughtUp && !stalled {
			stalled = true
			p.stall()
			// By now the append has a connection that is as good as dead, and so has the subscription.
			appended, err := log.Append(t.Context(), "run", eventlog.Exact(0), []eventlog.Event{newEvent("after")})
			require.NoError(t, err)
			require.False(t, appended.Repeated)
			require.Len(t, contents(t, log, "run"), 2)
		}
		if delivery.Record != nil && delivery.Record.Revision == 1 {
			break
		}
	}
}

// The server is stopped and started again, again and again: everything goes on.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	log := open(t, s.connection(""), kurrentlog.Options{})
	const writers, appends = 3, 60
	seen := make(chan eventlog.Record, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	var following sync.WaitGroup
	following.Go(func() {
		for delivery, err := range log.Subscribe(ctx, eventlog.Start, eventlog.Everything) {
			if err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			if delivery.Record != nil {
				seen <- *delivery.Record
			}
		}
	})
	appendMany(t, log, writers, appends, func(writer, i int) {
		if writer == 0 && i%10 == 5 {
			s.end()
			s.start(t)
		}
	})
	requireAppended(t, log, writers, appends)
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		require.Equal(t, record, <-seen)
	}
	cancel()
	following.Wait()
	require.Empty(t, seen)
}

// Histories of concurrent calls, through several logs and over connections that break, can be explained by calls that
// were done one after the other.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	servers(t, func(t *testing.T, address string) {
		breaking := startProxy(t, address, between(t, 1000, 100_000))
		eventlogtest.Linearizable(t, 1,
			open(t, "esdb://"+address+"?tls=false", kurrentlog.Options{}),
			open(t, breaking.connection(""), kurrentlog.Options{}),
		)
	})
}

func openForCrash(ctx context.Context, connection string) (eventlog.Log, error) {
	return kurrentlog.Open(ctx, connection, kurrentlog.Options{})
}

// Processes that append are killed while their server is stopped and started: what was acknowledged is there, and what
// was in doubt comes to one outcome.
func TestKill(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	crash.Run(t, crash.Config{
		Open:   openForCrash,
		Where:  s.connection(""),
		Cycles: 4,
		Disrupt: func(context.Context) error {
			s.end()
			s.start(t)
			return nil
		},
	})
}
