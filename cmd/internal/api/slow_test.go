package api

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// pipes are connections whose time is that of a test.
type pipes chan net.Conn

// Accept implements [net.Listener].
func (p pipes) Accept() (net.Conn, error) {
	one, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return one, nil
}

// Close implements [net.Listener].
func (pipes) Close() error { return nil }

// Addr implements [net.Listener].
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// A client that sends or receives slowly, or never, keeps a connection for a while and not for ever; also when nobody reads what
// they send, as of a request that was refused.
func TestWhoIsSlowIsLeft(t *testing.T) {
	t.Parallel()
	const long = 10 * time.Minute
	for name, one := range map[string]struct {
		request string
		drip    string // sent again and again
		deaf    bool   // receives nothing
	}{
		"a header that never ends":  {"GET / HTTP/1.1\r\nHost: local", "x", false},
		"a body that is refused":    {"POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", "x", false},
		"a body of a foreign name":  {"POST /refused HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n", "x", false},
		"a body in parts":           {"GET /refused HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", false},
		"a body that is read":       {"POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", "x", false},
		"nothing after one request": {"GET /refused HTTP/1.1\r\nHost: localhost\r\n\r\n", "", false},
		"an answer nobody receives": {"GET /much HTTP/1.1\r\nHost: localhost\r\n\r\n", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := slowly(t)
				began := time.Now()
				require.NoError(t, client.SetDeadline(began.Add(long)))
				_, err := io.WriteString(client, one.request)
				require.NoError(t, err)
				if one.deaf {
					<-time.After(long / 2)
				}
				dripped := make(chan struct{})
				go func() {
					defer close(dripped)
					for one.drip != "" {
						if _, err := io.WriteString(client, one.drip); err != nil {
							return
						}
						<-time.After(time.Second)
					}
				}()
				received, _ := io.Copy(io.Discard, client)
				<-dripped
				require.Less(t, received, int64(1<<20))
				require.Less(t, time.Since(began), long)
			})
		})
	}
}

// slowly connects to a server, in a bubble of time.
func slowly(t *testing.T) net.Conn {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	s := &Server{logger: logger}
	mux := http.NewServeMux()
	mux.HandleFunc("/refused", func(w http.ResponseWriter, r *http.Request) { refuse(w, r, http.StatusUnauthorized, "no") })
	mux.HandleFunc("/read", func(w http.ResponseWriter, r *http.Request) { _, _ = s.received(w, r, mostHooked) })
	mux.HandleFunc("/much", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 1<<20)) })
	server := bounded(s.guard(mux), logger)
	ours, theirs := net.Pipe()
	listener := make(pipes, 1)
	listener <- theirs
	serving := make(chan struct{})
	go func() {
		_ = server.Serve(listener)
		close(serving)
	}()
	t.Cleanup(func() {
		close(listener)
		require.NoError(t, ours.Close())
		require.NoError(t, server.Close())
		<-serving
	})
	return ours
}
