package hostcall_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// o is an options object.
type o = map[string]any

// serve starts a real server and returns its address.
func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	return server.URL
}

// listen starts a server below HTTP: it reads the head of a request and then does as it likes.
func listen(t *testing.T, handle func(conn *net.TCPConn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.Copy(io.Discard, request.Body)
					handle(conn.(*net.TCPConn))
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait()
	})
	return "http://" + listener.Addr().String()
}

// hostOf makes a host that may reach the given addresses, and closes it with the test.
func hostOf(t *testing.T, env hostcall.Env, addresses ...string) *hostcall.Host {
	t.Helper()
	env.State = &hostcall.Memory{}
	for _, address := range addresses {
		u, err := url.Parse(address)
		require.NoError(t, err)
		env.AllowedHosts = append(env.AllowedHosts, u.Host)
	}
	host := hostcall.NewHost(&env)
	t.Cleanup(host.Close)
	return host
}

// get makes a call that must not be the host's own trouble.
func get(t *testing.T, host *hostcall.Host, name string, args ...any) sandbox.Reply {
	t.Helper()
	reply, err := host.Call(t.Context(), call(name, args...))
	require.NoError(t, err)
	return reply
}

func fault(t *testing.T, host *hostcall.Host, name string, args ...any) *sandbox.Error {
	t.Helper()
	reply := get(t, host, name, args...)
	require.NotNil(t, reply.Error, "%s answered %s", name, reply.Result)
	require.Equal(t, name, reply.Error.Tool)
	return reply.Error
}

// answering serves one answer.
func answering(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// web.fetch gives the script whatever answer there is, and does not judge it.
func TestFetchAnswers(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		w.Header().Set("Content-Type", "text/plain")
		w.Header()["Date"] = nil
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "\ufeffé<&>\xff\"")
	})
	host := hostOf(t, hostcall.Env{}, address)

	reply := get(t, host, "web.fetch", address+"/a b/ü?q=ä b&x=%20%zz'\"#part")
	require.Nil(t, reply.Error)
	require.JSONEq(t, `{"status":418,"headers":{"x-two":"a, b","content-type":"text/plain","content-length":"10"},"body":"\ufeffé<&>\ufffd\"","base64":"77u/w6k8Jj7/Ig=="}`, string(reply.Result))
	require.Contains(t, string(reply.Result), `<&>`, "no HTML escapes")
	require.Equal(t, "/a%20b/%C3%BC?q=%C3%A4%20b&x=%20%zz%27%22", got.RequestURI)
	require.Equal(t, "kintsugi", got.UserAgent())
	require.Equal(t, "*/*", got.Header.Get("Accept"))
	require.Empty(t, got.Header.Get("Content-Type"))

	get(t, host, "web.fetch", address, o{"method": "post", "body": "é", "headers": o{"x-a": "1", "X-A": "2", "x-number": 1.50, "user-agent": "me", "accept-encoding": "br"}})
	require.Equal(t, "POST", got.Method)
	require.Equal(t, "é", body)
	require.Equal(t, "text/plain;charset=UTF-8", got.Header.Get("Content-Type"))
	require.Equal(t, []string{"1"}, got.Header.Values("X-A"), "the last by name, every time")
	require.Equal(t, "1.5", got.Header.Get("X-Number"))
	require.Equal(t, "me", got.UserAgent())
	require.Equal(t, "gzip", got.Header.Get("Accept-Encoding"), "compression is the host's")

	get(t, host, "web.fetch", address, o{"method": "PUT", "base64": "/wAB"})
	require.Equal(t, "\xff\x00\x01", body)
	require.Contains(t, fault(t, host, "web.fetch", address, o{"method": "PUT", "base64": "?"}).Message, "base64")
	require.Contains(t, fault(t, host, "web.fetch", address, o{"method": "PUT", "base64": "/wAB", "body": "x"}).Message, "not both")
	require.Contains(t, fault(t, host, "web.fetch", address, o{"method": "PUT", "base64": "e3tzZWNyZXQ6S319"}).Message, "secret", "a handle is none of bytes either")

	reply = get(t, host, "web.fetch", address, o{"method": "HEAD"})
	require.Contains(t, string(reply.Result), `"body":""`)
	require.Contains(t, fault(t, host, "web.fetch", address, o{"body": "x"}).Message, ": a GET has no body")
}

// The JSON calls parse a success, send what a JSON API wants, and take an empty one for null.
func TestJSONCalls(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body string
	answer := `{ "b" : 1, "a" : [ 1.50, "<é>" ] }`
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
		w.Header().Set("Content-Type", "text/html") // what sloppy APIs say of JSON
		if r.URL.Path == "/none" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, _ = io.WriteString(w, answer)
	})
	host := hostOf(t, hostcall.Env{}, address)

	require.Equal(t, `{"b":1,"a":[1.50,"<é>"]}`, string(get(t, host, "web.getJSON", address).Result), "order and numbers as they came")
	require.Equal(t, "application/json", got.Header.Get("Accept"))
	get(t, host, "web.getJSON", address, o{"headers": o{"accept": "application/vnd.github+json"}})
	require.Equal(t, "application/vnd.github+json", got.Header.Get("Accept"))

	get(t, host, "web.postJSON", address, json.RawMessage(`{"z": 1, "a": "<"}`))
	require.Equal(t, []string{"POST", `{"z":1,"a":"<"}`, "application/json"}, []string{got.Method, body, got.Header.Get("Content-Type")})
	get(t, host, "web.postJSON", address, nil, o{"method": "DELETE"})
	require.Equal(t, []string{"DELETE", "", ""}, []string{got.Method, body, got.Header.Get("Content-Type")})
	get(t, host, "web.postJSON", address)
	require.Equal(t, []string{"POST", "", "0"}, []string{got.Method, body, got.Header.Get("Content-Length")})

	for _, empty := range []string{"/none", "/blank"} {
		answer = " \n"
		for _, name := range []string{"web.getJSON", "web.postJSON"} {
			reply := get(t, host, name, address+empty)
			require.Nil(t, reply.Error)
			want := "null"
			if empty == "/blank" && name == "web.getJSON" {
				want = "" // a script would read null of it, too, but null was not answered
			}
			require.Equal(t, want, string(reply.Result))
		}
	}
	answer = "\"\xff\""
	require.Equal(t, "\"\ufffd\"", string(get(t, host, "web.getJSON", address).Result))
}

// The class of an answer, from real answers over HTTP: status first, structured reasons
// refine it, and a web page is never the script's fault.
func TestAnswersAreClassified(t *testing.T) {
	t.Parallel()
	const (
		auth, permission, network, logic = sandbox.ClassAuth, sandbox.ClassPermission, sandbox.ClassNetwork, sandbox.ClassLogic
		google                           = `{"error":{"code":403,"message":"m","errors":[{"domain":"usageLimits","reason":%q}]}}`
	)
	type header = map[string]string
	html := header{"Content-Type": "text/html; charset=utf-8"}
	tests := []struct {
		status int
		header header
		body   string
		class  string
		code   string
	}{
		{401, nil, ``, auth, ""},
		{401, header{"Retry-After": "5"}, `{"error":{"code":"rate_limited"}}`, auth, ""},
		{407, nil, ``, auth, ""},
		{402, nil, ``, permission, hostcall.CodeQuota},
		{403, nil, ``, permission, ""},
		{403, nil, `{"message":"Resource not accessible by integration"}`, permission, ""},
		{403, nil, `{"message":"Rate limit"}`, permission, ""},
		{403, nil, fmt.Sprintf(google, "rateLimitExceeded"), network, hostcall.CodeRateLimited},
		{403, nil, fmt.Sprintf(google, "userRateLimitExceeded"), network, hostcall.CodeRateLimited},
		{403, nil, fmt.Sprintf(google, "authError"), auth, ""},
		{403, nil, fmt.Sprintf(google, "dailyLimitExceeded"), permission, hostcall.CodeQuota},
		{403, nil, fmt.Sprintf(google, "insufficientPermissions"), permission, ""},
		{403, nil, `{"error":{"status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ACCESS_TOKEN_EXPIRED"}]}}`, auth, ""},
		{403, nil, `{"error":{"status":"PERMISSION_DENIED","details":[{"reason":"ACCESS_TOKEN_SCOPE_INSUFFICIENT"}]}}`, permission, ""},
		{403, header{"X-RateLimit-Remaining": "0"}, `{"message":"API rate limit exceeded for user ID 1."}`, network, hostcall.CodeRateLimited},
		{403, header{"X-RateLimit-Remaining": "12"}, `{"message":"Must have admin rights"}`, permission, ""},
		{403, header{"Retry-After": "60"}, ``, network, hostcall.CodeRateLimited},
		{403, nil, `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes"}`, network, hostcall.CodeRateLimited},
		{403, header{"WWW-Authenticate": `Bearer realm="x", error="invalid_token"`}, ``, auth, ""},
		{403, header{"WWW-Authenticate": `Bearer error="insufficient_scope"`}, ``, permission, ""},
		{403, nil, `<?xml version="1.0"?><Error><Code>ExpiredToken</Code></Error>`, auth, ""},
		{403, html, `<html><title>Just a moment...</title></html>`, permission, ""},
		{403, html, `<form><INPUT class=x type='password'></form>`, auth, hostcall.CodeLoginPage},
		{400, nil, `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`, auth, ""},
		{400, nil, `{"__type":"com.amazonaws.x#ThrottlingException","message":"Rate exceeded"}`, network, hostcall.CodeRateLimited},
		{400, nil, `{"error":{"type":"invalid_request_error","message":"No such charge"}}`, logic, ""},
		{400, nil, `{"errors":[{"data":{"a":{"b":{"c":{"reason":"authError"}}}}}]}`, logic, ""},
		{404, nil, `{"message":"Not Found"}`, logic, ""},
		{404, html, `<h1>Not Found</h1>`, logic, ""},
		{404, nil, `{"reason":"authError"}`, logic, ""},
		{405, nil, ``, logic, ""}, {406, nil, ``, logic, ""}, {409, nil, ``, logic, ""}, {410, nil, ``, logic, ""},
		{412, nil, ``, logic, ""}, {413, nil, ``, logic, ""}, {415, nil, ``, logic, ""}, {422, nil, ``, logic, ""},
		{304, nil, ``, logic, ""},
		{408, nil, ``, network, ""}, {425, nil, ``, network, ""}, {500, nil, ``, network, ""},
		{502, html, `<title>Sign in</title>`, network, ""}, {503, nil, ``, network, ""}, {504, nil, ``, network, ""}, {599, nil, ``, network, ""},
		{429, nil, ``, network, hostcall.CodeRateLimited},
		{429, nil, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, permission, hostcall.CodeQuota},
		{429, nil, `{"error":{"code":"rate_limit_exceeded"}}`, network, hostcall.CodeRateLimited},
		{451, nil, ``, permission, ""},
		{507, nil, ``, permission, hostcall.CodeQuota},

		{200, html, `<!doctype html><title>Log in | Acme</title>`, auth, hostcall.CodeLoginPage},
		{200, html, `<html><form action=/x><input name="pw" type="password"></form>`, auth, hostcall.CodeLoginPage},
		{200, html, `<html><form><input type=hidden name="SAMLRequest" value=x></form>`, auth, hostcall.CodeLoginPage},
		{200, html, `<html><title>Down for maintenance</title>`, network, hostcall.CodeNotData},
		{200, header{"Content-Type": "application/json"}, " \n<!DOCTYPE HTML><p>Blogin' in", network, hostcall.CodeNotData},
		{200, header{"Content-Type": "application/xhtml+xml"}, `<p>`, network, hostcall.CodeNotData},
		{200, nil, `id,amount`, logic, ""},
		{200, nil, `{"a":1`, network, hostcall.CodeTorn},
		{200, nil, "\ufeff{}", logic, ""},
		{200, header{"Content-Type": "application/xml"}, `<rss/>`, logic, ""},
		{206, nil, `{`, network, hostcall.CodeTorn},
	}
	current := 0
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answering(tests[current].status, tests[current].header, tests[current].body)(w, r)
	})
	host := hostOf(t, hostcall.Env{}, address)
	for i, test := range tests {
		current = i
		for name, method := range map[string]string{"web.getJSON": "GET", "web.postJSON": "POST"} {
			args := []any{address + "/v1/x?y=1"}
			if name == "web.postJSON" { // of a write see TestAnAnswerThatDoesNotSayWhetherAWriteHappened
				args = append(args, nil, o{"effect": "read"})
			}
			e := fault(t, host, name, args...)
			why := fmt.Sprintf("%s: %d %s %v: %s", name, test.status, test.body, test.header, e.Message)
			require.Equal(t, test.class, e.Class, why)
			require.Equal(t, test.code, e.Code, why)
			require.Equal(t, map[string]string{auth: "AuthError", permission: "PermissionError", network: "NetworkError", logic: "LogicError"}[test.class], e.Name)
			require.Equal(t, test.status, e.Status, why)
			require.Equal(t, "127.0.0.1", e.Host)
			if test.status != 304 {
				require.Equal(t, test.body, e.Body, why)
			}
			if test.status >= 300 {
				require.Equal(t, fmt.Sprintf("%s %s/v1/x?y=1: status %d", method, address, test.status), e.Message)
			} else {
				require.NotContains(t, e.Message, "status")
			}
		}
		reply := get(t, host, "web.fetch", address)
		require.Nil(t, reply.Error, "fetch judges no answer")
	}
}

// When to come back is read from what the services really say.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	type header = map[string]string
	tests := []struct {
		status int
		header header
		want   time.Duration
	}{
		{503, header{"Retry-After": "120"}, 2 * time.Minute},
		{429, header{"Retry-After": "0.5"}, 500 * time.Millisecond},
		{429, header{"Retry-After": "Mon, 02 Mar 2026 07:01:30 GMT"}, 90 * time.Second},
		{429, header{"Retry-After": "Mon, 02 Mar 2026 06:00:00 GMT"}, 0},
		{403, header{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1772434860"}, time.Minute},
		{403, header{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"}, 0},
		{503, header{"Retry-After": "-5"}, 0},
		{503, header{"Retry-After": "NaN"}, 0},
		{503, header{"Retry-After": "soon"}, 0},
		{503, header{"Retry-After": "1e300"}, 7 * 24 * time.Hour},
		{404, header{"Retry-After": "120"}, 0},
		{500, nil, 0},
	}
	current := 0
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answering(tests[current].status, tests[current].header, "")(w, r)
	})
	host := hostOf(t, hostcall.Env{Clock: func() time.Time { return now }}, address)
	for i, test := range tests {
		current = i
		require.Equal(t, test.want.Milliseconds(), fault(t, host, "web.getJSON", address).RetryAfterMS, "%v", test.header)
	}
}

// The evidence is the beginning of the answer, cut between letters.
func TestErrorBodyIsTheFirst4KiB(t *testing.T) {
	t.Parallel()
	address := serve(t, answering(422, nil, "x"+strings.Repeat("é", 100_000)))
	e := fault(t, hostOf(t, hostcall.Env{BodyBytes: 1000}, address), "web.getJSON", address)
	require.Equal(t, "x"+strings.Repeat("é", 2047), e.Body)
	require.Equal(t, sandbox.ClassLogic, e.Class, "a long explanation is no limit error")
}

// A run does not keep its place for days because a host is slow.
func TestARunWaitsOnlySoLong(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		now.Add(int64(25 * time.Minute))
		_, _ = io.WriteString(w, "1")
	})
	host := hostOf(t, hostcall.Env{Clock: func() time.Time { return time.Unix(0, now.Load()) }}, address)
	for range 3 {
		require.Nil(t, get(t, host, "web.getJSON", address).Error)
	}
	e := fault(t, host, "web.getJSON", address)
	require.Equal(t, []string{sandbox.ClassLimit, hostcall.CodeLimitFetch}, []string{e.Class, e.Code})
}

// JSON that is nested too deep to be recorded is the script's limit, not the host's trouble.
func TestJSONIsOnlySoDeep(t *testing.T) {
	t.Parallel()
	depth := sandbox.MaxNesting
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("[", depth)+strings.Repeat("]", depth))
	})
	host := hostOf(t, hostcall.Env{}, address)
	require.Nil(t, get(t, host, "web.getJSON", address).Error)
	depth++
	e := fault(t, host, "web.getJSON", address)
	require.Equal(t, []string{sandbox.ClassLimit, sandbox.LimitResult}, []string{e.Class, e.Code})
}

// Trouble on the way, made for real on sockets, and whose it is. For a write the same
// trouble leaves open whether it happened, once it was sent.
func TestNetworkTroubleIsClassified(t *testing.T) {
	t.Parallel()
	const network = sandbox.ClassNetwork
	silent := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) } // until the other side gives up

	untrusted := httptest.NewTLSServer(answering(200, nil, "{}"))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(untrusted.Close)

	tests := []struct {
		name    string
		address string
		class   string
		code    string
		text    string
		sent    bool
	}{
		// Nobody listens there: a port that was given back may be another test's by now.
		{"refused", "http://127.0.0.1:1", network, "", "connection refused", false},
		{"reset", listen(t, func(c *net.TCPConn) { _ = c.SetLinger(0) }), network, "", "connection reset by peer", true},
		{"closed", listen(t, func(*net.TCPConn) {}), network, "", "the connection was closed without an answer", true},
		{"garbage", listen(t, func(c *net.TCPConn) { _, _ = io.WriteString(c, "SSH-2.0-x\r\n\r\n") }), network, "", "malformed HTTP", true},
		{"silence", listen(t, func(c *net.TCPConn) { silent(c) }), network, hostcall.CodeTimeout, "no answer within 500 ms", true},
		{"silence after the head", listen(t, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")
			silent(c)
		}), network, hostcall.CodeTimeout, "no answer within 500 ms", true},
		{"short body", listen(t, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")
		}), network, "", "the answer was cut off", true},
		{"short chunks", listen(t, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n5\r\n{")
		}), network, "", "the answer was cut off", true},
		{"short gzip", listen(t, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n\x1f\x8b\x08\x00")
		}), network, "", "the answer was cut off", true},
		{"endless head", listen(t, func(c *net.TCPConn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 400<<10))
		}), sandbox.ClassLimit, sandbox.LimitResult, "the headers of the answer are larger than 262144 bytes", false},
		{"untrusted certificate", untrusted.URL, network, hostcall.CodeTLS, "certificate signed by unknown authority", false},
		{"http on an https port", strings.Replace(serve(t, answering(200, nil, "{}")), "http:", "https:", 1),
			network, hostcall.CodeTLS, "the server does not speak https on port ", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{"web.getJSON", "web.fetch", "web.postJSON", "web.fetch as a write"} {
				host := hostOf(t, hostcall.Env{Logger: nil}, test.address)
				args := []any{test.address + "/x"}
				write := name == "web.postJSON" || name == "web.fetch as a write"
				limit := o{"timeoutMs": 60_000}
				if test.code == hostcall.CodeTimeout {
					limit["timeoutMs"] = 500
				}
				if name == "web.fetch as a write" {
					name, limit["method"] = "web.fetch", "PUT"
				}
				if name == "web.postJSON" {
					args = append(args, o{"a": 1})
				}
				e := fault(t, host, name, append(args, limit)...)
				require.Equal(t, test.class, e.Class, e.Message)
				require.Contains(t, e.Message, test.text)
				require.NotContains(t, e.Message, "->", "the same trouble reads the same every time")
				require.Equal(t, "127.0.0.1", e.Host)
				code := test.code
				if write && test.sent {
					code = hostcall.CodeIndeterminate
					require.Contains(t, e.Message, "it may have happened")
				}
				require.Equal(t, code, e.Code, e.Message)
			}
		})
	}
}

// A declared read that fails is no write in doubt.
func TestDeclaredReadIsNeverIndeterminate(t *testing.T) {
	t.Parallel()
	address := listen(t, func(*net.TCPConn) {})
	e := fault(t, hostOf(t, hostcall.Env{}, address), "web.postJSON", address, o{"query": "x"}, o{"effect": "read"})
	require.Equal(t, sandbox.ClassNetwork, e.Class)
	require.Empty(t, e.Code)
}

// A host that there is none of may be there again later.
func TestUnknownHosts(t *testing.T) {
	t.Parallel()
	resolver := resolve(t, func(name string, _ int) []string {
		if name == "broken.example." {
			return []string{"SERVFAIL"}
		}
		return nil
	})
	env := hostcall.Env{Resolver: resolver, KnownHosts: func(host string) bool { return host == "seen.example" }}
	for _, test := range []struct{ url, allowed, class, code, text string }{
		{"http://typo.example/", "", sandbox.ClassNetwork, hostcall.CodeUnknownHost, "there is no host typo.example"},
		{"http://seen.example/", "", sandbox.ClassNetwork, hostcall.CodeUnknownHost, "there is no host seen.example"},
		{"http://named.example/", "named.example:8080", sandbox.ClassNetwork, hostcall.CodeUnknownHost, "there is no host named.example"},
		{"http://broken.example/", "", sandbox.ClassNetwork, "", "the host broken.example could not be looked up"},
	} {
		env.AllowedHosts = []string{test.allowed}
		e := fault(t, hostOf(t, env), "web.getJSON", test.url)
		require.Equal(t, test.class, e.Class, e.Message)
		require.Equal(t, test.code, e.Code)
		require.Equal(t, "GET "+test.url+": "+test.text, e.Message)
	}
}

// A malformed address is the script's fault, and a password in it is not repeated.
func TestWrongURLs(t *testing.T) {
	t.Parallel()
	host := hostOf(t, hostcall.Env{})
	for given, want := range map[string]string{
		"example.com/x":                      "GET example.com/x: not an absolute http or https URL",
		"/relative":                          "GET /relative: not an absolute http or https URL",
		"ftp://u:secret@example.com/":        "GET ftp://example.com/: not an absolute http or https URL",
		"http:example.com":                   "GET http:example.com: not an absolute http or https URL",
		"javascript:alert(1)":                "GET javascript:alert(1): not an absolute http or https URL",
		"http:///path":                       "GET http:///path: no host in the URL",
		"http://u:secret@exa mple.com/":      "GET http://exa mple.com/: invalid character \" \" in host name",
		"http://u:secret@[::1/":              "GET http://[::1/: missing ']' in host",
		"http://u:se@cret@example.com:x/":    `GET http://example.com:x/: invalid port ":x" after host`,
		"http://example.com/\r\nX-Evil: 1":   "GET http://example.com/\r\nX-Evil: 1: net/url: invalid control character in URL",
		"http://example.com/%zz":             `GET http://example.com/%zz: invalid URL escape "%zz"`,
		"http://good.example\\@evil.example": `GET http://good.example\@evil.example: net/url: invalid userinfo`,
	} {
		e := fault(t, host, "web.getJSON", given)
		require.Equal(t, sandbox.ClassLogic, e.Class, given)
		require.Equal(t, want, e.Message)
		require.NotContains(t, e.Message, "secret")
	}
	long := fault(t, host, "web.getJSON", "/"+strings.Repeat("é", 3000))
	require.Less(t, len(long.Message), 2100)
}

// A user and password in the URL are sent as such, and shown nowhere.
func TestUserinfo(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		answering(404, nil, user+"/"+password+"/"+r.RequestURI)(w, r)
	})
	withPassword := strings.Replace(address, "http://", "http://me:pa%40ss@", 1)
	e := fault(t, hostOf(t, hostcall.Env{}, address), "web.getJSON", withPassword+"/x")
	require.Equal(t, "me/pa@ss//x", e.Body)
	require.Equal(t, "GET "+address+"/x: status 404", e.Message)
}

// Nothing in a header can become another header or another request.
func TestHeadersAreChecked(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	address := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	host := hostOf(t, hostcall.Env{}, address)
	for name, value := range map[string]string{
		"X-A": "1\r\nX-Evil: 1", "X-B": "1\nX-Evil: 1", "X-C": "\x00", "X-D": "a\x7f", "X-E\r\nX-Evil": "1", "X F": "1", "X:G": "1", "": "1", "Xé": "1",
		"Host": "evil.example", "hOST": "evil.example", "Content-Length": "0", "Transfer-Encoding": "chunked", "connection": "keep-alive",
		"Keep-Alive": "1", "TE": "trailers", "Trailer": "X", "Upgrade": "websocket", "Expect": "100-continue", "Proxy-Authorization": "x", "Proxy-Connection": "x",
	} {
		for _, tool := range []string{"web.fetch", "web.getJSON", "web.postJSON"} {
			args := []any{address, o{"headers": o{name: value}}}
			if tool == "web.postJSON" {
				args = []any{address, 1, o{"headers": o{name: value}}}
			}
			require.Equal(t, sandbox.ClassLogic, fault(t, host, tool, args...).Class, "%q: %q", name, value)
		}
	}
	require.Zero(t, requests.Load())
}

// An answer cannot fill the host's memory, however small it was packed.
func TestBodiesAreCapped(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var out io.Writer = w
		if r.URL.Path == "/bomb" {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			defer func() { _ = packed.Close() }()
			out = packed
		}
		for written := 0; written < 1<<20 || r.URL.Path != "/fits"; written += 1 << 16 { // else without end
			if _, err := out.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	host := hostOf(t, hostcall.Env{BodyBytes: 1 << 20}, address)
	for _, path := range []string{"/bomb", "/long"} {
		for _, name := range []string{"web.fetch", "web.getJSON", "web.postJSON"} {
			e := fault(t, host, name, address+path)
			require.Equal(t, sandbox.ClassLimit, e.Class)
			require.Equal(t, sandbox.LimitResult, e.Code)
			require.Contains(t, e.Message, "the answer is larger than 1048576 bytes")
		}
	}
	require.Nil(t, get(t, host, "web.fetch", address+"/fits").Error)
}

// A person or a shutdown that ends the run is nobody's error.
func TestCancelledCallIsNoAnswer(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	address := listen(t, func(c *net.TCPConn) {
		close(arrived)
		_, _ = io.Copy(io.Discard, c)
	})
	host := hostOf(t, hostcall.Env{}, address)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	reply, err := host.Call(ctx, call("web.postJSON", address, 1))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, sandbox.Reply{}, reply)
}

// The time a call took moves the script's clock.
func TestCallsTakeTime(t *testing.T) {
	t.Parallel()
	address := serve(t, answering(200, nil, "{}"))
	now := time.Unix(0, 0)
	host := hostOf(t, hostcall.Env{Clock: func() time.Time { now = now.Add(70 * time.Millisecond); return now }}, address)
	require.EqualValues(t, 70, get(t, host, "web.getJSON", address).MS)
	require.EqualValues(t, 70, get(t, host, "web.fetch", address).MS)
}

// A write carries the key by which the other side can tell a repeat; a read does not, and
// a key that the script chose stands.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	var got []string
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Method+r.Header.Get("Idempotency-Key"))
	})
	host := hostOf(t, hostcall.Env{Key: func(c sandbox.Call) string { return fmt.Sprintf("run-%d", c.Seq) }}, address)
	get(t, host, "web.postJSON", address, 1)
	get(t, host, "web.fetch", address, o{"method": "DELETE"})
	get(t, host, "web.postJSON", address, 1, o{"headers": o{"idempotency-key": "mine"}})
	get(t, host, "web.postJSON", address, 1, o{"effect": "read"})
	get(t, host, "web.getJSON", address)
	require.Equal(t, []string{"POSTrun-1", "DELETErun-1", "POSTmine", "POST", "GET"}, got)
}

// A write goes out once. net/http repeats a request on a connection that turns out dead,
// and one with an idempotency key above all.
func TestWritesAreSentOnce(t *testing.T) {
	t.Parallel()
	var writes atomic.Int32
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/dies" {
			writes.Add(1)
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "{}")
	})
	host := hostOf(t, hostcall.Env{Key: func(sandbox.Call) string { return "key" }}, address)
	for i, write := range []sandbox.Call{
		call("web.postJSON", address+"/dies", 1), call("web.fetch", address+"/dies", o{"method": "DELETE"}),
		call("web.fetch", address+"/dies", o{"method": "PUT", "body": "x"}), call("web.fetch", address+"/dies", o{"effect": "write"}),
	} {
		// Both leave a connection behind that could be used.
		get(t, host, "web.getJSON", address)
		get(t, host, "web.postJSON", address, 1)
		reply, err := host.Call(t.Context(), write)
		require.NoError(t, err)
		require.Equal(t, hostcall.CodeIndeterminate, reply.Error.Code)
		require.EqualValues(t, i+1, writes.Load())
	}
}

// Reads of one run share a connection; two runs never do.
func TestConnectionsAreARunsOwn(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(w, "%q", r.RemoteAddr) })
	first, second := hostOf(t, hostcall.Env{}, address), hostOf(t, hostcall.Env{}, address)
	from := func(host *hostcall.Host, name string) string { return string(get(t, host, name, address).Result) }
	one := from(first, "web.getJSON")
	require.Equal(t, one, from(first, "web.getJSON"))
	require.NotEqual(t, one, from(second, "web.getJSON"))
	require.NotEqual(t, one, from(first, "web.postJSON"))
}

// TLS is checked as it should be: a trusted name passes, another name or an expired
// certificate does not.
func TestTLS(t *testing.T) {
	t.Parallel()
	start := func(notAfter time.Time) (string, *x509.CertPool) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1), NotBefore: notAfter.Add(-time.Hour), NotAfter: notAfter,
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
		require.NoError(t, err)
		server := httptest.NewUnstartedServer(answering(200, nil, `"ok"`))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
		server.StartTLS()
		t.Cleanup(server.Close)
		pool := x509.NewCertPool()
		certificate, err := x509.ParseCertificate(der)
		require.NoError(t, err)
		pool.AddCert(certificate)
		return server.URL, pool
	}
	good, pool := start(time.Now().Add(time.Hour))
	require.Equal(t, `"ok"`, string(get(t, hostOf(t, hostcall.Env{RootCAs: pool}, good), "web.getJSON", good).Result))

	other := strings.Replace(good, "127.0.0.1", "localhost", 1)
	e := fault(t, hostOf(t, hostcall.Env{RootCAs: pool}, other), "web.getJSON", other)
	require.Equal(t, []string{sandbox.ClassNetwork, hostcall.CodeTLS}, []string{e.Class, e.Code}, "a person named the host, so it is not misspelt")
	require.Contains(t, e.Message, "localhost")

	expired, pool := start(time.Now().Add(-time.Hour))
	e = fault(t, hostOf(t, hostcall.Env{RootCAs: pool}, expired), "web.getJSON", expired)
	require.Equal(t, []string{sandbox.ClassNetwork, hostcall.CodeTLS}, []string{e.Class, e.Code})
	require.Contains(t, e.Message, "expired")
}

// Nothing goes on after a call that was given up: the connection it was making is closed,
// even in the middle of a TLS handshake.
func TestDialEndsWithItsCall(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	}()
	address := "https://" + listener.Addr().String()
	e := fault(t, hostOf(t, hostcall.Env{}, address), "web.getJSON", address, o{"timeoutMs": 300})
	require.Equal(t, hostcall.CodeTimeout, e.Code)
	waitFor(t, closed)
}

// The connections that a run kept are closed with it.
func TestCloseClosesConnections(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	server := httptest.NewUnstartedServer(answering(200, nil, "{}"))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	host := hostOf(t, hostcall.Env{}, server.URL)
	get(t, host, "web.getJSON", server.URL)
	select {
	case <-closed:
		require.Fail(t, "the connection was not kept")
	default:
	}
	host.Close()
	waitFor(t, closed)
}

func waitFor(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		require.Fail(t, "it never happened")
	}
}
