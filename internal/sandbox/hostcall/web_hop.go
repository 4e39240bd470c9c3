package hostcall

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// hop is one request of a chain of redirects.
type hop struct {
	client  *client
	request *request
	url     *url.URL
	method  string
	header  http.Header
	body    []byte
	bound   map[string]bool // headers that carry a secret
	// login says that a redirect so far led to a page for signing in.
	login bool
	// sent says that the request may have reached a server: for a write, an error after
	// that leaves open whether it happened.
	sent atomic.Bool
	// refused is why nothing was sent over a connection that was there.
	refused error
}

// roundTrip sends the hop's request and returns the head of the answer.
func (h *hop) roundTrip(ctx context.Context) (*http.Response, error) {
	ctx = context.WithValue(ctx, callKey{}, ctx)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			if h.refused = h.maySend(ctx); h.refused != nil {
				_ = got.Conn.Close() // so that nothing can be written to it
				return
			}
			h.sent.Store(true)
		},
	})
	var body io.Reader
	if h.body != nil {
		body = strings.NewReader(string(h.body))
	}
	req, err := http.NewRequestWithContext(ctx, h.method, "", body)
	if err != nil {
		return nil, err
	}
	req.URL, req.Host, req.Header = h.url, h.url.Host, h.header
	if !h.request.write && h.method != http.MethodPost && h.request.method != http.MethodPost {
		return h.client.kept.RoundTrip(req)
	}
	return h.client.fresh.RoundTrip(req)
}

func (h *hop) maySend(ctx context.Context) error {
	if !h.request.write || h.client.env.MaySend == nil {
		return nil
	}
	return h.client.env.MaySend(ctx)
}

// fault is a typed error about this hop.
func (h *hop) fault(class, code, format string, values ...any) *sandbox.Error {
	return h.named(fail(class, code, "%s: "+format, append([]any{h.request.where()}, values...)...))
}

func (h *hop) named(fault *sandbox.Error) *sandbox.Error {
	fault.Host = h.url.Hostname()
	return fault
}
