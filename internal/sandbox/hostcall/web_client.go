package hostcall

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/secret/redact"
)

// client sends the requests of one run.
type client struct {
	env   *Env
	guard guard
	// Only a GET or HEAD that is a read goes over a connection that was used before: there
	// net/http may send a request twice, and an error would not tell whether a write went out.
	kept, fresh *http.Transport

	mu      sync.Mutex // guards what is of all calls so far
	fetched int64      // bytes of bodies
	waited  time.Duration
	secrets redact.Redactor // that were sent: another answer may repeat one too
}

func newClient(env *Env) *client {
	c := &client{env: env, guard: newGuard(env.AllowedHosts)}
	c.guard.reach, c.guard.closed = env.Reach, env.Closed
	c.kept, c.fresh = c.transport(), c.transport()
	c.fresh.DisableKeepAlives = true
	return c
}

// transport speaks HTTP/1.1 only: few calls are made at a time, and there is less to go wrong.
// It uses no proxy: the address that is dialled must be the one that is checked.
func (c *client) transport() *http.Transport {
	return &http.Transport{
		DialContext:            c.dial,
		DialTLSContext:         c.dialTLS,
		MaxResponseHeaderBytes: maxHeaderBytes,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConnsPerHost:    sandbox.ReadsAtOnce,
	}
}

// callKey is the context key of the call's own context. A transport goes on dialling when
// its request has ended; here a dial ends with the call it was for.
type callKey struct{}

func (c *client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := whileCalled(ctx)
	defer cancel()
	return c.dialChecked(ctx, network, address)
}

func (c *client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := whileCalled(ctx)
	defer cancel()
	plain, err := c.dialChecked(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(address)
	conn := tls.Client(plain, &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		RootCAs:    c.env.RootCAs,
		ServerName: strings.TrimSuffix(host, "."),
	})
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, err
	}
	return conn, nil
}

func (c *client) dialChecked(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{
		Resolver: c.env.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return c.guard.checkDial(host, port, address)
		},
	}
	return dialer.DialContext(ctx, network, address)
}

// whileCalled is ctx until the call it belongs to ends.
func whileCalled(ctx context.Context) (context.Context, context.CancelFunc) {
	call, ok := ctx.Value(callKey{}).(context.Context)
	if !ok {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(call, cancel)
	return ctx, func() { stop(); cancel() }
}

func (c *client) close() {
	c.kept.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}

// send makes the request and follows its redirects. The error is for the script; a Go
// error says that ctx ended, or that the host itself is in trouble. No secret that was sent
// is in any of them: no value gets into the script, the journal or the log.
func (c *client) send(ctx context.Context, r *request) (*answer, *sandbox.Error, error) {
	c.mu.Lock()
	waited := c.waited
	c.mu.Unlock()
	if waited >= maxWaiting {
		return nil, fail(sandbox.ClassLimit, CodeLimitFetch, "%s: the run has waited for the web for more than %v", r.where(), maxWaiting), nil
	}
	a, fault, err := c.exchange(ctx, r)
	if a != nil {
		c.redactAnswer(a)
	}
	if fault != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		fault.Message, fault.Host = c.secrets.Text(fault.Message), c.secrets.Text(fault.Host)
	}
	return a, fault, err
}

// since is how long a call took, in milliseconds, and counts it.
func (c *client) since(started time.Time) int64 {
	took := max(0, c.env.Clock().Sub(started))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waited += took
	return took.Milliseconds()
}

func (c *client) exchange(ctx context.Context, r *request) (*answer, *sandbox.Error, error) {
	u, err := parseURL(r.url)
	if err != nil {
		return nil, fail(sandbox.ClassLogic, "", "%s: %v", r.where(), err), nil
	}
	h := &hop{client: c, request: r, url: u, method: r.method, header: r.header, body: r.body}
	if fault := h.prepare(); fault != nil {
		return nil, fault, nil
	}
	limited, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	for redirects := 0; ; redirects++ {
		if fault := c.check(h); fault != nil {
			return nil, fault, nil
		}
		response, err := h.roundTrip(limited)
		if err != nil {
			return c.failed(ctx, limited, h, err)
		}
		if redirects > 0 {
			r.hosts = append(r.hosts, strings.ToLower(h.url.Host))
		}
		var next *url.URL
		if !r.stays {
			next, err = redirectTarget(h.url, response)
		}
		if next == nil && err == nil {
			a, err := c.read(h, response)
			if err != nil {
				return c.failed(ctx, limited, h, err)
			}
			if redirects > 0 {
				a.url = h.url.String()
			}
			return a, nil, nil
		}
		// Closing without reading the body may cost the connection, which a redirect is not worth keeping.
		_ = response.Body.Close()
		switch {
		case err != nil:
			return nil, h.fault(sandbox.ClassLogic, "", "redirect to a wrong address: %v", err), nil
		case redirects == maxRedirects && h.login:
			return nil, h.fault(sandbox.ClassAuth, CodeLoginPage, "more than %d redirects, by way of a login page", maxRedirects), nil
		case redirects == maxRedirects:
			return nil, h.fault(sandbox.ClassLogic, "", "more than %d redirects", maxRedirects), nil
		}
		h.follow(next, response.StatusCode)
	}
}

// check asks the guard about where the hop leads.
func (c *client) check(h *hop) *sandbox.Error {
	wrong, refused := c.guard.checkURL(h.url)
	switch {
	case refused != nil:
		return h.named(refused.fault(h.request.where()))
	case wrong != "":
		return h.fault(sandbox.ClassLogic, "", "%s", wrong)
	}
	return nil
}

// read reads the answer, as much as is wanted of it.
func (c *client) read(h *hop, response *http.Response) (*answer, error) {
	defer func() { _ = response.Body.Close() }()
	a := &answer{status: response.StatusCode, header: response.Header, login: h.login}
	if !a.ok() && h.request.briefErrors {
		// The status says enough: an explanation that breaks off is as good as it gets.
		a.body, _ = io.ReadAll(io.LimitReader(response.Body, maxReasonBytes))
		return a, nil
	}
	most, left := c.env.BodyBytes, c.env.FetchBytes-c.count(0)
	body, err := io.ReadAll(io.LimitReader(response.Body, min(most, left)+1))
	fetched := c.count(int64(len(body)))
	switch {
	case err != nil:
		return nil, err
	case int64(len(body)) > most:
		return nil, errBodyTooLong
	case fetched > c.env.FetchBytes:
		return nil, errFetchedTooMuch
	}
	a.body = body
	return a, nil
}

// count adds bytes of a body to those of the run, and gives them all.
func (c *client) count(body int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fetched += body
	return c.fetched
}

func (c *client) redactAnswer(a *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.secrets.Empty() {
		return
	}
	a.body, a.url = []byte(c.secrets.Text(string(a.body))), c.secrets.Text(a.url)
	for _, values := range a.header {
		for i := range values {
			values[i] = c.secrets.Text(values[i])
		}
	}
}
