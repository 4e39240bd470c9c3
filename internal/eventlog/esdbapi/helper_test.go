package esdbapi_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	api "github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// newLog opens an empty log.
func newLog(t testing.TB) eventlog.Log {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), filepath.Join(t.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// listener is a server that serves, and how to end it.
type listener struct {
	address string
	stop    context.CancelFunc
	ended   chan error
}

// serve serves until the test ends, or stop is called.
func serve(t testing.TB, config esdbapi.Config) *listener {
	t.Helper()
	server, err := esdbapi.New(config)
	require.NoError(t, err)
	socket, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	l := &listener{address: socket.Addr().String(), stop: stop, ended: make(chan error, 1)}
	go func() { l.ended <- server.Serve(ctx, socket) }()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-l.ended:
			require.NoError(t, err)
		case <-time.After(time.Minute):
			t.Error("the server does not stop")
		}
	})
	return l
}

// connect gives the official client of a listener; more are further parts of its connection string.
func connect(t testing.TB, l *listener, more string) *esdb.Client {
	t.Helper()
	return connectTo(t, "esdb://"+l.address+"?tls=false"+more)
}

func connectTo(t testing.TB, connection string) *esdb.Client {
	t.Helper()
	settings, err := esdb.ParseConnectionString(connection)
	require.NoError(t, err)
	settings.Logger = esdb.NoopLogging()
	if settings.DefaultDeadline == nil {
		settings.DefaultDeadline = new(time.Minute) // ten seconds pass on a busy machine
	}
	client, err := esdb.NewClient(settings)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// open serves a new log to which everybody may append.
func open(t testing.TB) (eventlog.Log, *esdb.Client) {
	t.Helper()
	log := newLog(t)
	return log, connect(t, serve(t, esdbapi.Config{Log: log, AllowAppend: true}), "")
}

func events(n int, format string, args ...any) []eventlog.Event {
	events := make([]eventlog.Event, n)
	for i := range events {
		name := fmt.Sprintf(format, args...) + fmt.Sprint("/", i)
		events[i] = eventlog.Event{
			ID:            uuid.NewSHA1(uuid.Nil, []byte(name)).String(),
			Type:          "Tested",
			SchemaVersion: 1,
			Payload:       []byte(`{"name":"` + name + `"}`),
			Metadata:      []byte(`{"of":"` + name + `"}`),
		}
	}
	return events
}

func appendTo(t testing.TB, log eventlog.Log, stream string, expected eventlog.Expected, events ...eventlog.Event) eventlog.Appended {
	t.Helper()
	appended, err := log.Append(t.Context(), stream, expected, events)
	require.NoError(t, err)
	return appended
}

func proposed(events []eventlog.Event) []esdb.EventData {
	var proposed []esdb.EventData
	for _, event := range events {
		proposed = append(proposed, esdb.EventData{
			EventID: uuid.MustParse(event.ID), EventType: event.Type, ContentType: esdb.ContentTypeJson, Data: event.Payload, Metadata: event.Metadata,
		})
	}
	return proposed
}

// collect reads a read to its end.
func collect(t testing.TB, read *esdb.ReadStream, err error) []*esdb.RecordedEvent {
	t.Helper()
	require.NoError(t, err)
	defer read.Close()
	got := []*esdb.RecordedEvent{}
	for {
		event, err := read.Recv()
		if err != nil {
			require.ErrorContains(t, err, "EOF")
			return got
		}
		got = append(got, event.OriginalEvent())
	}
}

func code(t testing.TB, err error) esdb.ErrorCode {
	t.Helper()
	var failure *esdb.Error
	require.ErrorAs(t, err, &failure)
	return failure.Code()
}

func position(t testing.TB, p eventlog.Position) esdb.Position {
	t.Helper()
	number, err := p.Number()
	require.NoError(t, err)
	return esdb.Position{Commit: uint64(number), Prepare: uint64(number)}
}

// wire gives the protocol itself, in the words of the official client's generated code.
func wire(t testing.TB, l *listener) api.StreamsClient {
	t.Helper()
	return api.NewStreamsClient(dial(t, l))
}

func dial(t testing.TB, l *listener) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(l.address, insecureOption)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

var insecureOption = grpc.WithTransportCredentials(insecure.NewCredentials())
