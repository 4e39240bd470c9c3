package esdbapi_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	serverfeatures "github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
)

// heldLog holds appends until it is released.
type heldLog struct {
	eventlog.Log
	held    chan struct{}
	release chan struct{}
}

func (l *heldLog) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	l.held <- struct{}{}
	select {
	case <-l.release:
		return l.Log.Append(ctx, stream, expected, events)
	case <-ctx.Done():
		return eventlog.Appended{}, ctx.Err()
	}
}

// When the server stops, subscriptions end as unavailable, so that clients look for another server.
func TestStopEndsSubscriptions(t *testing.T) {
	t.Parallel()
	l := serve(t, esdbapi.Config{Log: newLog(t), AllowAppend: true})
	client := connect(t, l, "")
	var open []*esdb.Subscription
	for i := range 20 {
		var subscription *esdb.Subscription
		var err error
		if i%2 == 0 {
			subscription, err = client.SubscribeToStream(t.Context(), "a", esdb.SubscribeToStreamOptions{From: esdb.Start{}})
		} else {
			subscription, err = client.SubscribeToAll(t.Context(), esdb.SubscribeToAllOptions{From: esdb.Start{}})
		}
		require.NoError(t, err)
		requireNext(t, subscription, "caught up")
		open = append(open, subscription)
	}
	call := openBatch(t, l)
	call.send("one", batchOptions("b"), events(1, "one"), true)
	require.NotNil(t, call.receive().GetSuccess())

	l.stop()
	for _, subscription := range open {
		dropped := subscription.Recv()
		for dropped.SubscriptionDropped == nil {
			dropped = subscription.Recv()
		}
		require.Equal(t, codes.Unavailable, status.Code(dropped.SubscriptionDropped.Error))
		require.ErrorContains(t, dropped.SubscriptionDropped.Error, "stopping")
	}
	_, err := call.Recv()
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.NoError(t, <-l.ended)
	l.ended <- nil
}

// An append that is under way when the server stops is finished and acknowledged.
func TestStopFinishesAppends(t *testing.T) {
	t.Parallel()
	log := &heldLog{Log: newLog(t), held: make(chan struct{}), release: make(chan struct{})}
	l := serve(t, esdbapi.Config{Log: log, AllowAppend: true})
	client := connect(t, l, "")
	appended := make(chan error, 1)
	go func() {
		_, err := client.AppendToStream(context.Background(), "a", expecting(esdb.NoStream{}), proposed(events(1, "a"))...)
		appended <- err
	}()
	<-log.held
	call := openBatch(t, l)
	call.send("one", batchOptions("b"), events(1, "b"), true)
	<-log.held
	l.stop()
	close(log.release)
	require.NoError(t, <-appended)
	require.NotNil(t, call.receive().GetSuccess())
	require.Len(t, revisions(t, log, "a"), 1)
}

// A subscriber that does not read does not hold the server up.
func TestStopWithoutReaders(t *testing.T) {
	t.Parallel()
	log := &endlessLog{Log: newLog(t)}
	l := serve(t, esdbapi.Config{Log: log})
	_, err := wire(t, l).Read(t.Context(), subscribeAll(nil))
	require.NoError(t, err)
	standstill(t, log)
	l.stop()
	require.NoError(t, <-l.ended)
	l.ended <- nil
}

// A server that is stopped before it has begun ends as well as any other.
func TestStopBeforeServe(t *testing.T) {
	t.Parallel()
	server, err := esdbapi.New(esdbapi.Config{Log: newLog(t)})
	require.NoError(t, err)
	socket, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, server.Serve(ctx, socket))
	_, err = socket.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

// The port of a listener that cannot be served is said.
func TestServeFails(t *testing.T) {
	t.Parallel()
	server, err := esdbapi.New(esdbapi.Config{Log: newLog(t)})
	require.NoError(t, err)
	socket, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, socket.Close())
	require.ErrorContains(t, server.Serve(t.Context(), socket), socket.Addr().String())
}

// A log that is closed is a server that is not ready.
func TestClosedLog(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	subscription, err := client.SubscribeToStream(t.Context(), "a", esdb.SubscribeToStreamOptions{From: esdb.Start{}})
	require.NoError(t, err)
	requireNext(t, subscription, "caught up")
	require.NoError(t, log.Close())
	require.Equal(t, codes.Unavailable, status.Code(subscription.Recv().SubscriptionDropped.Error))
	_, err = client.AppendToStream(t.Context(), "a", expecting(esdb.NoStream{}), proposed(events(1, "a"))...)
	require.Equal(t, esdb.ErrorUnavailable, code(t, err))
}

// failingLog fails in a way of its own.
type failingLog struct {
	eventlog.Log
	err   error
	panic bool
}

func (l *failingLog) Append(context.Context, string, eventlog.Expected, []eventlog.Event) (eventlog.Appended, error) {
	if l.panic {
		panic("a mistake")
	}
	return eventlog.Appended{}, l.err
}

// The log's own errors are told where the client can do something, and kept from it where they say how we are made.
func TestLogErrors(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	for name, c := range map[string]struct {
		log  *failingLog
		code codes.Code
		want string
		keep string
	}{
		"full":        {&failingLog{Log: log, err: fmt.Errorf("%w (/secret/path)", eventlog.ErrFull)}, codes.Unavailable, "no space left", "/secret"},
		"failed":      {&failingLog{Log: log, err: fmt.Errorf("%w (/secret/path)", eventlog.ErrFailed)}, codes.Unavailable, "new start", "/secret"},
		"unavailable": {&failingLog{Log: log, err: fmt.Errorf("%w: /secret/path", eventlog.ErrUnavailable)}, codes.Unavailable, "cannot be reached", "/secret"},
		"closed":      {&failingLog{Log: log, err: eventlog.ErrClosed}, codes.Unavailable, "closed", "/secret"},
		"other":       {&failingLog{Log: log, err: fmt.Errorf("/secret/path is damaged")}, codes.Internal, "its server's own log", "/secret"},
		"panic":       {&failingLog{Log: log, panic: true}, codes.Internal, "its server's own log", "mistake"},
	} {
		_, _, err := appendRaw(t, wire(t, serve(t, esdbapi.Config{Log: c.log, AllowAppend: true})), appendOptions("a"), appendMessage(message(someID, nil)))
		require.Equal(t, c.code, status.Code(err), name)
		require.ErrorContains(t, err, c.want, name)
		require.NotContains(t, err.Error(), c.keep, name)
	}
}

// endlessLog has no end: it makes an event whenever one is asked for, and counts them.
type endlessLog struct {
	eventlog.Log
	made atomic.Int64
}

func (l *endlessLog) Subscribe(ctx context.Context, _ eventlog.Position, _ eventlog.Filter) iter.Seq2[eventlog.Delivery, error] {
	return func(yield func(eventlog.Delivery, error) bool) {
		for ctx.Err() == nil {
			made := l.made.Add(1)
			record := eventlog.Record{
				Event:  eventlog.Event{ID: someID, Type: "Tested", SchemaVersion: 1, Payload: make([]byte, 1024)},
				Stream: "a", Revision: made - 1, Position: eventlog.PositionOf(made),
			}
			if !yield(eventlog.Delivery{Record: &record, Position: record.Position}, nil) {
				return
			}
		}
		yield(eventlog.Delivery{}, ctx.Err())
	}
}

// standstill waits until no more events are made for a subscriber that takes none, and says how many were.
func standstill(t testing.TB, log *endlessLog) int64 {
	t.Helper()
	last := int64(-1)
	require.Eventually(t, func() bool {
		made := log.made.Load()
		stands := made == last && made > 0
		last = made
		return stands
	}, time.Minute, 200*time.Millisecond, "the log is read on and on for a subscriber that takes nothing")
	return last
}

// A subscriber that does not read makes the server wait, not grow; when it reads, nothing is missing.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel()
	log := &endlessLog{Log: newLog(t)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, err := wire(t, serve(t, esdbapi.Config{Log: log})).Read(ctx, subscribeAll(nil))
	require.NoError(t, err)
	_, err = read.Recv()
	require.NoError(t, err)
	last := standstill(t, log)
	require.Less(t, last, int64(4096), "KiB are waiting for it")
	for want := range uint64(2 * last) {
		got, err := read.Recv()
		require.NoError(t, err)
		require.Equal(t, want, got.GetEvent().GetEvent().GetStreamRevision())
	}
}

// The server says what it does, and only that.
func TestFeatures(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]esdbapi.Config{
		"read":                    {},
		"read append batchappend": {AllowAppend: true},
	} {
		config.Log = newLog(t)
		supported, err := serverfeatures.NewServerFeaturesClient(dial(t, serve(t, config))).GetSupportedMethods(t.Context(), &shared.Empty{})
		require.NoError(t, err)
		require.Equal(t, "24.10.0", supported.GetEventStoreServerVersion())
		got := ""
		for _, method := range supported.GetMethods() {
			got += " " + strings.TrimPrefix(strings.TrimPrefix(method.GetServiceName(), "event_store.client."), "streams.streams") + method.GetMethodName()
		}
		groups := ""
		for _, method := range []string{"create", "update", "delete", "read", "getinfo", "list", "replayparked", "restartsubsystem"} {
			groups += " persistent_subscriptions.persistentsubscriptions" + method
		}
		require.Equal(t, " "+want+groups, got)
	}
}

// The cluster is one leader, at the address that the client dialled or at the one that it is told.
func TestGossip(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(1, "a")...)
	dialled := serve(t, esdbapi.Config{Log: log})
	_, port, err := net.SplitHostPort(dialled.address)
	require.NoError(t, err)
	for want, ask := range map[string]string{dialled.address: dialled.address, "localhost:" + port: "localhost:" + port} {
		conn, err := grpc.NewClient(ask, insecureOption)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		requireLeader(t, conn, want)
	}
	requireLeader(t, dial(t, serve(t, esdbapi.Config{Log: log, Advertise: "log.example:443"})), "log.example:443")

	client := connectTo(t, "esdb+discover://"+dialled.address+"?tls=false")
	read, err := client.ReadAll(t.Context(), esdb.ReadAllOptions{}, 9)
	require.Len(t, collect(t, read, err), 1)
}

func requireLeader(t testing.TB, conn *grpc.ClientConn, want string) {
	t.Helper()
	cluster, err := gossip.NewGossipClient(conn).Read(t.Context(), &shared.Empty{})
	require.NoError(t, err)
	require.Len(t, cluster.GetMembers(), 1)
	member := cluster.GetMembers()[0]
	require.Equal(t, gossip.MemberInfo_Leader, member.GetState())
	require.True(t, member.GetIsAlive())
	require.NotNil(t, member.GetInstanceId().GetStructured())
	end := member.GetHttpEndPoint()
	require.Equal(t, want, net.JoinHostPort(end.GetAddress(), strconv.Itoa(int(end.GetPort()))))
}

// Clients may compress what they send.
func TestCompressed(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "a", eventlog.NoStream{}, events(1, "a")...)
	request := subscribeAll(nil)
	read, err := wire(t, serve(t, esdbapi.Config{Log: log})).Read(t.Context(), request, grpc.UseCompressor(gzip.Name))
	require.NoError(t, err)
	for range 3 { // confirmation, event, caught up
		_, err = read.Recv()
		require.NotErrorIs(t, err, io.EOF)
		require.NoError(t, err)
	}
}
