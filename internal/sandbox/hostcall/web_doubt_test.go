package hostcall_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// A gateway that got no answer, and a server that broke, do not say whether a write happened: that is no
// answer, for web.fetch as well. A refusal says that it did not. A read has changed nothing anyway.
func TestAnAnswerThatDoesNotSayWhetherAWriteHappened(t *testing.T) {
	t.Parallel()
	page := map[string]string{"Content-Type": "text/html"}
	for _, test := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		doubt  bool
		atomic bool // the host does nothing when it answers 500
	}{
		{"bad gateway", 502, nil, "upstream", true, false},
		{"gateway timeout", 504, page, "<html>timeout</html>", true, true},
		{"server error", 500, nil, `{"error":"boom"}`, true, false},
		{"server error of a host that does all or nothing", 500, nil, `{"error":"boom"}`, false, true},
		{"a proxy that gave up", 524, nil, "", true, false},
		{"no room", 507, nil, "", true, false},
		{"no room at a host that does all or nothing", 507, nil, "", false, true},
		{"a proxy that did not reach the server", 521, nil, "", false, false},
		{"unavailable", 503, map[string]string{"Retry-After": "7"}, "", false, false},
		{"not implemented", 501, nil, "", false, false},
		{"too many requests", 429, nil, "", false, false},
		{"timeout of the request", 408, nil, "", false, false},
		{"unauthorized", 401, nil, "", false, false},
		{"wrong", 422, nil, "{}", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, answering(test.status, test.header, test.body))
			env := hostcall.Env{}
			if test.atomic {
				at, err := url.Parse(address)
				require.NoError(t, err)
				env.AtomicHosts = []string{at.Host}
			}
			host := hostOf(t, env, address)
			post := fault(t, host, "web.postJSON", address, o{"n": 1})
			require.Equal(t, test.status, post.Status)
			require.Equal(t, test.doubt, post.Code == hostcall.CodeIndeterminate, post.Message)
			put := get(t, host, "web.fetch", address, o{"method": "PUT", "body": "1"})
			if test.doubt {
				require.Contains(t, post.Message, "it may have happened")
				require.Equal(t, sandbox.ClassNetwork, post.Class)
				require.NotNil(t, put.Error, "%s", put.Result)
				require.Equal(t, []any{sandbox.ClassNetwork, hostcall.CodeIndeterminate, test.status, test.body},
					[]any{put.Error.Class, put.Error.Code, put.Error.Status, put.Error.Body})
			} else {
				require.Nil(t, put.Error)
			}
			read := fault(t, host, "web.postJSON", address, nil, o{"effect": "read"})
			require.NotEqual(t, hostcall.CodeIndeterminate, read.Code)
			require.Nil(t, get(t, host, "web.fetch", address).Error)
		})
	}
}

// A page where the answer to a write was expected says nothing of the write; one to sign in with says
// that it was refused.
func TestAPageDoesNotSayWhetherAWriteHappened(t *testing.T) {
	t.Parallel()
	html := map[string]string{"Content-Type": "text/html"}
	address := serve(t, answering(200, html, "<html>down for maintenance</html>"))
	e := fault(t, hostOf(t, hostcall.Env{}, address), "web.postJSON", address, o{"n": 1})
	require.Equal(t, []string{sandbox.ClassNetwork, hostcall.CodeIndeterminate}, []string{e.Class, e.Code})
	address = serve(t, answering(200, html, `<html><input type="password"></html>`))
	e = fault(t, hostOf(t, hostcall.Env{}, address), "web.postJSON", address, o{"n": 1})
	require.Equal(t, []string{sandbox.ClassAuth, hostcall.CodeLoginPage}, []string{e.Class, e.Code})
}
