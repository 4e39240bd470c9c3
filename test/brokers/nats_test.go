package brokers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// natsBroker is a server in this process that keeps streams in files.
type natsBroker struct {
	dir     string
	port    int
	running *natsserver.Server
}

func newNATS(t *testing.T) broker {
	n := &natsBroker{dir: t.TempDir(), port: free(t)}
	t.Cleanup(func() { n.stop(t) })
	return n
}

func (n *natsBroker) target() (string, string) {
	return fmt.Sprintf("nats://ann@127.0.0.1:%d/fixes", n.port), "n-secret"
}

func (n *natsBroker) nowhere() string {
	return fmt.Sprintf("nats://ann@127.0.0.1:%d/elsewhere", n.port)
}

func (n *natsBroker) start(t *testing.T) {
	running, err := natsserver.NewServer(&natsserver.Options{
		Host: "127.0.0.1", Port: n.port, JetStream: true, StoreDir: n.dir, Username: "ann", Password: "n-secret", NoSigs: true, NoLog: true,
	})
	require.NoError(t, err)
	running.Start()
	require.True(t, running.ReadyForConnections(time.Minute))
	n.running = running
	over, stream := n.connect(t)
	defer over.Close()
	_, err = stream.AddStream(&nats.StreamConfig{Name: "FIXES", Subjects: []string{"fixes.>"}, Storage: nats.FileStorage})
	require.NoError(t, err)
}

func (n *natsBroker) connect(t *testing.T) (*nats.Conn, nats.JetStreamContext) {
	t.Helper()
	over, err := nats.Connect(n.running.ClientURL(), nats.UserInfo("ann", "n-secret"))
	require.NoError(t, err)
	stream, err := over.JetStream()
	require.NoError(t, err)
	return over, stream
}

func (n *natsBroker) stop(*testing.T) {
	n.running.Shutdown()
	n.running.WaitForShutdown()
}

func (n *natsBroker) all(t *testing.T) []received {
	over, stream := n.connect(t)
	defer over.Close()
	info, err := stream.StreamInfo("FIXES")
	require.NoError(t, err)
	var got []received
	for sequence := uint64(1); sequence <= info.State.LastSeq; sequence++ {
		m, err := stream.GetMsg("FIXES", sequence)
		require.NoError(t, err)
		key, err := url.PathUnescape(strings.TrimPrefix(m.Subject, "fixes."))
		require.NoError(t, err)
		if key == "_" {
			key = ""
		}
		got = append(got, received{m.Header.Get(nats.MsgIdHdr), key, m.Data})
	}
	return got
}

// A stream leaves out what has the id of what it has. If that is of another subscription, the event is not taken.
func TestTwoSubscriptionsInOneStream(t *testing.T) {
	t.Parallel()
	b := newNATS(t)
	b.start(t)
	address, secret := b.target()
	one := events(t, 1, "a")["a"][0]
	sink := open(t, address+".one", secret, true)
	require.NoError(t, send(t, sink, one))
	require.NoError(t, send(t, sink, one))
	require.ErrorContains(t, send(t, open(t, address+".two", secret, true), one), "let each have its own")
	require.Len(t, b.all(t), 1)
}

// An event that comes again after a kill, or by a replay, has been taken already: the stream says so, and the lane goes on. It is so behind
// later events of the lane, and when a reader has consumed it.
func TestWhatAStreamHasAlreadyIsTaken(t *testing.T) {
	t.Parallel()
	b := newNATS(t)
	b.start(t)
	address, secret := b.target()
	lane := events(t, 3, "a")["a"]
	sink := open(t, address, secret, true)
	for _, one := range lane {
		require.NoError(t, send(t, sink, one))
	}
	over, stream := b.(*natsBroker).connect(t)
	defer over.Close()
	require.NoError(t, stream.DeleteMsg("FIXES", 2), "as a reader of a work queue does")
	for _, one := range lane {
		require.NoError(t, send(t, open(t, address, secret, true), one))
	}
	info, err := stream.StreamInfo("FIXES")
	require.NoError(t, err)
	require.EqualValues(t, 3, info.State.LastSeq, "nothing is kept twice")
}
