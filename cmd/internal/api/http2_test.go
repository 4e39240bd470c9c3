package api

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// A browser has many requests in one connection where TLS is on, and so has a proxy that ends TLS itself.
func TestManyRequestsShareAConnection(t *testing.T) {
	t.Parallel()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	t.Cleanup(certified.Close)
	encrypted := &tls.Config{Certificates: certified.TLS.Certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}

	var versions http.Protocols
	versions.SetHTTP2(true)
	versions.SetUnencryptedHTTP2(true)
	trusting := certified.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	client := &http.Client{Transport: &http.Transport{Protocols: &versions, TLSClientConfig: &tls.Config{RootCAs: trusting, MinVersion: tls.VersionTLS12}}}
	t.Cleanup(client.CloseIdleConnections)
	for scheme, wrap := range map[string]func(net.Listener) net.Listener{
		"http":  func(l net.Listener) net.Listener { return l },
		"https": func(l net.Listener) net.Listener { return tls.NewListener(l, encrypted) },
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		waiting := make(chan struct{})
		server := bounded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/stream" {
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				<-waiting
			}
		}), slog.New(slog.DiscardHandler))
		go func() { _ = server.Serve(wrap(listener)) }()
		t.Cleanup(func() { _ = server.Close() })
		base := scheme + "://" + listener.Addr().String()
		ask := func(path string) *http.Response {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
			require.NoError(t, err)
			answer, err := client.Do(request)
			require.NoError(t, err, scheme)
			require.Equal(t, 2, answer.ProtoMajor, scheme)
			return answer
		}
		var streams []*http.Response
		for range 20 {
			streams = append(streams, ask("/stream"))
		}
		require.NoError(t, ask("/").Body.Close())
		close(waiting)
		for _, stream := range streams {
			_, err := io.Copy(io.Discard, stream.Body)
			require.NoError(t, err)
			require.NoError(t, stream.Body.Close())
		}
	}
}
