package esdbapi_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	api "github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
)

func ours(stream string) bool { return strings.HasPrefix(stream, "run-") }

// Nobody appends to a server that is not told to let them, and nobody deletes, ever.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendTo(t, log, "run-1", eventlog.NoStream{}, events(2, "run")...)
	appendTo(t, log, "foreign", eventlog.NoStream{}, events(2, "foreign")...)
	client := connect(t, serve(t, esdbapi.Config{Log: log, OwnStream: ours}), "")
	for _, stream := range []string{"run-1", "foreign", "$settings", "$$foreign", "new"} {
		// More than is on the way when it is refused: the client must have been listened to to the end, or loses the reason.
		refused := events(1000, "refused")
		for i := range refused {
			refused[i].Payload = make([]byte, 1000)
		}
		_, err := client.AppendToStream(t.Context(), stream, expecting(esdb.Any{}), proposed(refused)...)
		require.Equal(t, esdb.ErrorCodeAccessDenied, code(t, err), stream)
		_, err = client.DeleteStream(t.Context(), stream, esdb.DeleteStreamOptions{})
		require.Equal(t, esdb.ErrorCodeAccessDenied, code(t, err), stream)
		_, err = client.TombstoneStream(t.Context(), stream, esdb.TombstoneStreamOptions{})
		require.Equal(t, esdb.ErrorCodeAccessDenied, code(t, err), stream)
	}
	read, err := client.ReadAll(t.Context(), esdb.ReadAllOptions{}, 9)
	require.Len(t, collect(t, read, err), 4)
}

// With leave to append, own streams and the system's stay shut: without TLS nobody is a node, whatever it shows.
func TestAllowAppend(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	l := serve(t, esdbapi.Config{Log: log, OwnStream: ours, AllowAppend: true})
	client := connect(t, l, "")
	for _, stream := range []string{"run-1", "$settings", "$$foreign"} {
		_, err := client.AppendToStream(t.Context(), stream, expecting(esdb.NoStream{}), proposed(events(1, "refused"))...)
		require.Equal(t, esdb.ErrorCodeAccessDenied, code(t, err), stream)
	}
	_, err := client.AppendToStream(t.Context(), "foreign", expecting(esdb.Any{}), proposed(events(1, "taken"))...)
	require.NoError(t, err)
	_, err = client.DeleteStream(t.Context(), "foreign", esdb.DeleteStreamOptions{})
	require.Equal(t, esdb.ErrorCodeAccessDenied, code(t, err))

	// Some clients send a credential over plaintext: it is not looked at.
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Basic YWRtaW46Y2hhbmdlaXQ=", "requires-leader", "True")
	stream, err := wire(t, l).Append(ctx)
	require.NoError(t, err)
	require.NoError(t, stream.Send(appendOptions("other")))
	require.NoError(t, stream.Send(appendMessage(message(someID, nil))))
	response, err := stream.CloseAndRecv()
	require.NoError(t, err)
	require.NotNil(t, response.GetSuccess())
}

// Refusals carry the trailer by which clients know them.
func TestDeniedOnTheWire(t *testing.T) {
	t.Parallel()
	l := serve(t, esdbapi.Config{Log: newLog(t)})
	requireDenied := func(err error, trailer metadata.MD) {
		t.Helper()
		require.Equal(t, codes.PermissionDenied, status.Code(err), "%v", err)
		require.Equal(t, []string{"access-denied"}, trailer.Get("exception"))
	}
	_, trailer, err := appendRaw(t, wire(t, l), appendOptions("a"))
	requireDenied(err, trailer)
	trailer = nil
	_, err = wire(t, l).Delete(t.Context(), &api.DeleteReq{}, grpc.Trailer(&trailer))
	requireDenied(err, trailer)
	require.ErrorContains(t, err, "forgets nothing")
	trailer = nil
	_, err = wire(t, l).Tombstone(t.Context(), &api.TombstoneReq{}, grpc.Trailer(&trailer))
	requireDenied(err, trailer)
}

// certificate makes a certificate for 127.0.0.1, as a server's configuration and as a file that clients trust.
func certificate(t testing.TB) (*tls.Config, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, file
}

// Under TLS a node's credential opens our own streams, for exact revisions; a client's only lets one in; a wrong one
// lets nobody in.
func TestCredentials(t *testing.T) {
	t.Parallel()
	server, ca := certificate(t)
	log := newLog(t)
	appendTo(t, log, "run-1", eventlog.NoStream{}, events(1, "run")...)
	asked := serve(t, esdbapi.Config{Log: log, OwnStream: ours, NodeCredential: "node:s3cr:t", ClientCredential: "reader:pass", TLS: server})
	open := serve(t, esdbapi.Config{Log: log, OwnStream: ours, NodeCredential: "node:s3cr:t", TLS: server})
	as := func(l *listener, user string) *esdb.Client {
		return connectTo(t, "esdb://"+user+l.address+"?tlsCAFile="+url.QueryEscape(ca))
	}
	const unasked = ""
	for name, c := range map[string]struct {
		listener *listener
		user     string
		reads    bool
		appends  bool
	}{
		"a node":                         {asked, "node:s3cr%3At@", true, true},
		"a client":                       {asked, "reader:pass@", true, false},
		"somebody":                       {asked, unasked, false, false},
		"somebody else":                  {asked, "node:guess@", false, false},
		"a node where anybody may read":  {open, "node:s3cr%3At@", true, true},
		"anybody where anybody may read": {open, unasked, true, false},
		"a guess where anybody may read": {open, "reader:pass@", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings, err := esdb.ParseConnectionString("esdb://" + c.listener.address + "?tlsCAFile=" + url.QueryEscape(ca))
			require.NoError(t, err)
			require.False(t, settings.DisableTLS)
			client := as(c.listener, c.user)
			read, err := client.ReadAll(t.Context(), esdb.ReadAllOptions{}, 1)
			if err == nil {
				defer read.Close()
				_, err = read.Recv()
			}
			if !c.reads {
				require.Equal(t, esdb.ErrorCodeUnauthenticated, code(t, err))
				return
			}
			require.NoError(t, err)
			stream := "run-" + strings.ReplaceAll(name, " ", "-")
			_, err = client.AppendToStream(t.Context(), stream, expecting(esdb.NoStream{}), proposed(events(1, "%s", name))...)
			if !c.appends {
				require.Equal(t, esdb.ErrorCodeAccessDenied, code(t, err))
				return
			}
			require.NoError(t, err)
			for _, expected := range []esdb.ExpectedRevision{esdb.Any{}, esdb.StreamExists{}} {
				_, err = client.AppendToStream(t.Context(), stream, expecting(expected), proposed(events(1, "%s any", name))...)
				require.ErrorContains(t, err, "exact expected revision")
			}
			_, err = client.AppendToStream(t.Context(), "foreign", expecting(esdb.NoStream{}), proposed(events(1, "%s foreign", name))...)
			require.Equal(t, esdb.ErrorCodeAccessDenied, code(t, err), "a node's credential is for our own streams")
		})
	}
}

// Events that a node appends to our own streams are checked against the event before them; other streams are not
// checked.
func TestOwnStreamsAreChecked(t *testing.T) {
	t.Parallel()
	server, ca := certificate(t)
	log := newLog(t)
	there := events(2, "there")
	appendTo(t, log, "run-1", eventlog.NoStream{}, there...)
	l := serve(t, esdbapi.Config{
		Log: log, OwnStream: ours, AllowAppend: true, NodeCredential: "node:secret", TLS: server,
		CheckOwn: func(_ context.Context, stream string, before *eventlog.Record, events []eventlog.Event) error {
			switch {
			case before == nil || before.ID != there[1].ID || len(events) != 1:
				return errors.New("looked at in the wrong place")
			case string(events[0].Payload) == "bad":
				return errors.New("it cannot be read")
			}
			return nil
		},
	})
	client := connectTo(t, "esdb://node:secret@"+l.address+"?tlsCAFile="+url.QueryEscape(ca))
	bad, good := events(1, "bad"), events(1, "good")
	bad[0].Payload = []byte("bad")
	_, err := client.AppendToStream(t.Context(), "run-1", expecting(esdb.Revision(1)), proposed(bad)...)
	require.ErrorContains(t, err, "stream run-1: it cannot be read")
	_, err = client.AppendToStream(t.Context(), "run-1", expecting(esdb.Revision(7)), proposed(bad)...)
	require.Equal(t, esdb.ErrorCodeWrongExpectedVersion, code(t, err), "the log says where the stream is")
	_, err = client.AppendToStream(t.Context(), "foreign", expecting(esdb.NoStream{}), proposed(bad)...)
	require.NoError(t, err)
	for range 2 { // the second time it is a repeat
		_, err = client.AppendToStream(t.Context(), "run-1", expecting(esdb.Revision(1)), proposed(good)...)
		require.NoError(t, err)
	}
	require.Len(t, revisions(t, log, "run-1"), 3)
}

// An EventStoreDB keeps types that begin with $ to itself: one of them here, and the log can never be copied there.
func TestSystemTypesAreRefused(t *testing.T) {
	t.Parallel()
	log, client := open(t)
	system := proposed(events(1, "system"))
	system[0].EventType = "$metadata"
	_, err := client.AppendToStream(t.Context(), "foreign", expecting(esdb.Any{}), system...)
	require.ErrorContains(t, err, "types that begin with $")
	require.Empty(t, revisions(t, log, "foreign"))
}

// No credential is matched by showing nothing.
func TestEmptyCredential(t *testing.T) {
	t.Parallel()
	server, ca := certificate(t)
	trusted, err := credentials.NewClientTLSFromFile(ca, "")
	require.NoError(t, err)
	log := newLog(t)
	for _, config := range []esdbapi.Config{
		{Log: log, OwnStream: ours, ClientCredential: "reader", TLS: server},
		{Log: log, OwnStream: ours, NodeCredential: "node", TLS: server},
	} {
		conn, err := grpc.NewClient(serve(t, config).address, grpc.WithTransportCredentials(trusted))
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		for _, header := range []string{"", "Basic ", "Bearer ", "Bearer", "Digest node", "Basic %", "Basic Og=="} {
			stream, err := api.NewStreamsClient(conn).Append(metadata.AppendToOutgoingContext(t.Context(), "authorization", header))
			require.NoError(t, err)
			// The refusal needs no message and may come before this one: then the send says io.EOF, and the answer says why.
			if err := stream.Send(appendOptions("run-1")); err != nil {
				require.ErrorIs(t, err, io.EOF)
			}
			_, err = stream.CloseAndRecv()
			require.Equal(t, codes.Unauthenticated, status.Code(err), "%q: %v", header, err)
		}
	}
}

// A configuration that would let clients in by mistake is refused.
func TestConfig(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	for name, config := range map[string]esdbapi.Config{
		"needs a log":         {},
		"needs TLS":           {Log: log, NodeCredential: "node:secret"},
		"of nodes is blank":   {Log: log, NodeCredential: " ", TLS: secure},
		"of clients is blank": {Log: log, ClientCredential: "reader: ", TLS: secure},
		"use two":             {Log: log, NodeCredential: "same", ClientCredential: "same", TLS: secure},
		"advertise":           {Log: log, Advertise: "localhost"},
		"is not host:port":    {Log: log, Advertise: ":2113"},
	} {
		_, err := esdbapi.New(config)
		require.ErrorContains(t, err, name)
	}
}

// A listener that other machines reach is refused unless everybody has to show who they are.
func TestExposure(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	for name, config := range map[string]esdbapi.Config{
		"plaintext":      {Log: log},
		"anybody's TLS":  {Log: log, TLS: &tls.Config{MinVersion: tls.VersionTLS12}},
		"a node's alone": {Log: log, TLS: &tls.Config{MinVersion: tls.VersionTLS12}, NodeCredential: "node:secret"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := esdbapi.New(config)
			require.NoError(t, err)
			socket, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "0.0.0.0:0")
			require.NoError(t, err)
			require.ErrorContains(t, server.Serve(t.Context(), socket), "listen on 127.0.0.1")
			_, err = socket.Accept()
			require.ErrorIs(t, err, net.ErrClosed)
		})
	}
}
