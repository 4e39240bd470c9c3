package tool_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/tool"
)

// A script holds a handle. Its value goes into headers and the query for the host it is
// bound to, and comes back as the handle wherever an answer repeats it.
func TestSecretsAreBoundToTheirHost(t *testing.T) {
	t.Parallel()
	const value = "s3cr&t value"
	var other, here string
	other = serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "[%q]", r.Header.Get("X-Plain-Looking"))
	})
	here = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, strings.Replace(other, "127.0.0.1", "localhost", 1), http.StatusFound)
			return
		}
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		_, _ = fmt.Fprintf(w, "[%q,%q]", r.Header.Get("Authorization"), r.URL.Query().Get("key"))
		if got := r.Header.Get("Authorization"); got != "Bearer "+value && got != "" {
			t.Errorf("the server got %q", got)
		}
	})
	host := hostOf(t, tool.Env{
		AllowedHosts: []string{"localhost"},
		Secrets: func(name, host string) (string, bool) {
			return value, name == "API" && strings.HasPrefix(host, "127.0.0.1:")
		},
	}, here, other)
	bearer := o{"headers": o{"authorization": "Bearer {{secret:API}}"}}

	reply := get(t, host, "web.getJSON", here+"/x?key={{secret:API}}&n=1", bearer)
	require.Nil(t, reply.Error)
	require.Equal(t, `["Bearer {{secret:API}}","{{secret:API}}"]`, string(reply.Result))
	reply = get(t, host, "web.fetch", here+"/x?key=%7B%7Bsecret%3AAPI%7D%7D", bearer)
	require.Contains(t, string(reply.Result), `"x-echo":"Bearer {{secret:API}}"`)
	require.NotContains(t, string(reply.Result), value)

	reply = get(t, host, "web.getJSON", here+"/away", o{"headers": o{"X-Plain-Looking": "{{secret:API}}"}})
	require.Nil(t, reply.Error)
	require.Equal(t, `[""]`, string(reply.Result), "nothing that held a secret goes to another host")
}

// A handle anywhere else, or of a secret that is not bound to the host, ends the run before
// anything is sent.
func TestUnboundSecretsAreRefused(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	address := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	bound := hostOf(t, tool.Env{Secrets: func(name, _ string) (string, bool) {
		return map[string]string{"API": "value", "BAD": "a\r\nX-Evil: 1"}[name], name == "API" || name == "BAD"
	}}, address)
	none := hostOf(t, tool.Env{}, address)
	const elsewhere = "a secret may stand in values of headers and of the query only"
	for _, test := range []struct {
		host *tool.Host
		call sandbox.Call
		want string
	}{
		{none, call("web.getJSON", address, o{"headers": o{"X": "{{secret:API}}"}}), `no secret "API" is bound to 127.0.0.1`},
		{none, call("web.getJSON", address+"?k={{secret:API}}"), `no secret "API" is bound to 127.0.0.1`},
		{bound, call("web.getJSON", address, o{"headers": o{"X": "{{secret:API}} {{secret:OTHER}}"}}), `no secret "OTHER" is bound to 127.0.0.1`},
		{bound, call("web.getJSON", address+"/{{secret:API}}"), elsewhere},
		{bound, call("web.getJSON", address+"/%7B%7Bsecret:API%7D%7D"), elsewhere},
		{bound, call("web.getJSON", address+"?{{secret:API}}=1"), elsewhere},
		{bound, call("web.postJSON", address, o{"token": "{{secret:API}}"}), elsewhere},
		{bound, call("web.fetch", address, o{"method": "POST", "body": "k={{secret:API}}"}), elsewhere},
		{bound, call("web.getJSON", address, o{"headers": o{"X": "{{secret:BAD}}"}}), "has a control character in it"},
	} {
		reply, err := test.host.Call(t.Context(), test.call)
		require.NoError(t, err)
		require.NotNil(t, reply.Error, "%s", test.call.Args)
		require.Equal(t, []string{sandbox.ClassPermission, tool.CodeSecretUnbound}, []string{reply.Error.Class, reply.Error.Code})
		require.Contains(t, reply.Error.Message, test.want)
	}
	require.Zero(t, requests.Load())
}
