package brokers_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/secret/statestore"
)

// arrivals notes when events are first received, and how many deliveries there were.
type arrivals struct {
	deliveries atomic.Int64
	at         sync.Map // time by id, of the first delivery
}

func (a *arrivals) came(id string) {
	a.at.LoadOrStore(id, time.Now())
	a.deliveries.Add(1)
}

func (a *arrivals) await(b *testing.B, n int64) {
	b.Helper()
	require.Eventually(b, func() bool { return a.deliveries.Load() >= n }, 5*time.Minute, time.Millisecond)
}

// Events of 1,000 workflows by SQLite to so many subscriptions: how many deliveries a second from a log that is
// ahead, and from append to received at half of that. The receiver's time is part of it: it is in the same process.
func BenchmarkDelivery(b *testing.B) {
	for _, kind := range []string{"webhook", "nats"} {
		for _, subscriptions := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/subscriptions=%d", kind, subscriptions), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					delivery(b, kind, subscriptions)
					b.StartTimer()
				}
			})
		}
	}
}

// delivery is one round, with the timer stopped but for the deliveries.
func delivery(b *testing.B, kind string, subscriptions int) {
	log, err := sqlitelog.Open(b.Context(), filepath.Join(b.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(b, err)
	defer log.Close()
	groups, err := statestore.OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "state.db"))
	require.NoError(b, err)
	defer groups.Close()
	p := newPlace(log, groups)
	got := &arrivals{}
	var target, secret string
	if kind == "webhook" {
		hook := newHook(b)
		hook.came = got.came
		target = "webhook:" + hook.URL
	} else {
		server := benchNATS(b, subscriptions)
		over, err := nats.Connect(server.ClientURL())
		require.NoError(b, err)
		defer over.Close()
		_, err = over.Subscribe("fixes.>", func(m *nats.Msg) { got.came(m.Header.Get(nats.MsgIdHdr)) })
		require.NoError(b, err)
		target = "nats://" + server.Addr().String() + "/fixes"
		secret = "none"
	}
	keys := workflows(1000)
	fill := max(100, 6000/subscriptions)
	for i := range fill {
		_, err := p.append(b.Context(), keys[i%len(keys)])
		require.NoError(b, err)
	}
	for i := range subscriptions {
		one := target
		if kind == "nats" {
			one = fmt.Sprintf("%s.s%d", target, i)
		}
		p.subscribe(b, fmt.Sprintf("s%d", i), one, secret)
	}
	b.StartTimer()
	began, spent := time.Now(), processor(b)
	stop := p.node(b)
	got.await(b, int64(fill*subscriptions))
	spent = processor(b) - spent
	perSecond := float64(fill*subscriptions) / time.Since(began).Seconds()
	b.StopTimer()
	waits := half(b, p, got, keys, perSecond/float64(subscriptions)/2)
	require.NoError(b, stop())
	b.ReportMetric(perSecond, "deliveries/s")
	b.ReportMetric(float64(spent.Microseconds())/float64(fill*subscriptions), "cpu-µs/delivery")
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkLiveBesideReplay measures how much a replay of many events (KINTSUGI_REPLAYED, 20,000 unless it is set)
// slows live subscriptions in the same node: their deliveries in a second from a log that is ahead, alone and while
// another subscription is replayed from the start.
func BenchmarkLiveBesideReplay(b *testing.B) {
	const live, ahead = 3, 3000
	replayed := 20_000
	if text := os.Getenv("KINTSUGI_REPLAYED"); text != "" {
		var err error
		replayed, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	log, err := sqlitelog.Open(b.Context(), filepath.Join(b.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(b, err)
	defer log.Close()
	groups, err := statestore.OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "state.db"))
	require.NoError(b, err)
	defer groups.Close()
	p, keys := newPlace(log, groups), workflows(1000)
	appended := 0
	one := func() {
		_, err := p.append(b.Context(), keys[appended%len(keys)])
		require.NoError(b, err)
		appended++
	}
	for range replayed {
		one()
	}
	receiver := func() (*arrivals, string) {
		got, hook := &arrivals{}, newHook(b)
		hook.came = got.came
		return got, "webhook:" + hook.URL
	}
	told, target := receiver()
	for i := range live {
		p.subscribe(b, fmt.Sprint("live", i), target, "")
	}
	again, target := receiver()
	p.subscribe(b, "again", target, "")
	stop := p.node(b)
	told.await(b, int64(live*replayed))
	again.await(b, int64(replayed))
	// perSecond has them behind by so much, and catch up.
	perSecond := func(before func()) float64 {
		require.NoError(b, stop())
		for range ahead {
			one()
		}
		before()
		stop = p.node(b)
		began := time.Now()
		told.await(b, int64(live*appended))
		return live * ahead / time.Since(began).Seconds()
	}
	for b.Loop() {
		alone := perSecond(func() {})
		again.await(b, int64(appended))
		again.deliveries.Store(0)
		beside := perSecond(func() {
			_, err := p.commands.ReplaySubscription(b.Context(), "again", subscription.Replay{}, commands.Meta{Actor: "person:ann"})
			require.NoError(b, err)
		})
		meanwhile := again.deliveries.Load()
		again.await(b, int64(appended))
		b.ReportMetric(alone, "alone/s")
		b.ReportMetric(beside, "beside/s")
		b.ReportMetric(beside/alone, "beside/alone")
		b.ReportMetric(float64(meanwhile), "replayed")
		b.ReportMetric(0, "ns/op")
	}
	require.NoError(b, stop())
}

// processor is what this process took of it so far, receivers and all.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// half appends for a second at a pace, and returns how long each event took to be received, in order.
func half(b *testing.B, p *place, got *arrivals, keys []string, perSecond float64) []time.Duration {
	b.Helper()
	appended := map[string]time.Time{}
	pace := time.NewTicker(time.Duration(float64(time.Second) / perSecond))
	defer pace.Stop()
	for i := range max(100, int(perSecond)) {
		<-pace.C
		began := time.Now()
		id, err := p.append(context.WithoutCancel(b.Context()), keys[i%len(keys)])
		require.NoError(b, err)
		appended[id] = began
	}
	var waits []time.Duration
	for id, began := range appended {
		require.Eventually(b, func() bool { _, there := got.at.Load(id); return there }, time.Minute, time.Millisecond)
		at, _ := got.at.Load(id)
		waits = append(waits, at.(time.Time).Sub(began))
	}
	slices.SortFunc(waits, cmp.Compare)
	return waits
}

// benchNATS keeps streams in files, one for each subscription.
func benchNATS(b *testing.B, streams int) *natsserver.Server {
	b.Helper()
	server, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: b.TempDir(), NoSigs: true, NoLog: true})
	require.NoError(b, err)
	server.Start()
	require.True(b, server.ReadyForConnections(time.Minute))
	b.Cleanup(func() { server.Shutdown(); server.WaitForShutdown() })
	over, err := nats.Connect(server.ClientURL())
	require.NoError(b, err)
	defer over.Close()
	stream, err := over.JetStream()
	require.NoError(b, err)
	for i := range streams {
		_, err = stream.AddStream(&nats.StreamConfig{Name: fmt.Sprintf("S%d", i), Subjects: []string{fmt.Sprintf("fixes.s%d.>", i)}, Storage: nats.FileStorage})
		require.NoError(b, err)
	}
	return server
}

// BenchmarkNATSAlone is the rate of NATS itself, from as many senders as a subscription has, each waiting for its
// acknowledgement.
func BenchmarkNATSAlone(b *testing.B) {
	server := benchNATS(b, 1)
	over, err := nats.Connect(server.ClientURL())
	require.NoError(b, err)
	defer over.Close()
	stream, err := over.JetStream()
	require.NoError(b, err)
	body := events(b, 1, "w")["w"][0].Body
	b.SetParallelism(16) // for each of two cores
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := stream.Publish("fixes.s0.w", body); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "publishes/s")
}
