package hostcall_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

func callOf(t *testing.T, name string, args ...any) sandbox.Call {
	t.Helper()
	encoded, err := json.Marshal(args)
	require.NoError(t, err)
	return sandbox.Call{Tool: name, Args: encoded, Effect: sandbox.Write}
}

// The outcome of a write is what the other side says clearly; an unclear answer is no finding.
func TestReconcileAsksTheOtherSide(t *testing.T) {
	t.Parallel()
	var status int
	var body, location string
	var asked *http.Request
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r
		if location != "" {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	name := strings.TrimPrefix(at, "http://")
	for says, c := range map[string]struct {
		status int
		body   string
		result string // pointer
		found  hostcall.Found
		want   string
	}{
		"there":              {200, ` {"id": 7} `, "", hostcall.FoundHappened, `{"id":7}`},
		"there, in a list":   {200, `{"data":[{"id":7},{"id":8}]}`, "/data/0", hostcall.FoundHappened, `{"id":7}`},
		"a name with signs":  {200, `{"a/b~c":{"id":7}}`, "/a~1b~0c", hostcall.FoundHappened, `{"id":7}`},
		"false is something": {200, `false`, "", hostcall.FoundHappened, `false`},
		"not found":          {404, `{"error":"no"}`, "", hostcall.FoundDidNot, ""},
		"nothing":            {200, ``, "", hostcall.FoundDidNot, ""},
		"no content":         {204, ``, "", hostcall.FoundDidNot, ""},
		"null":               {200, `null`, "", hostcall.FoundDidNot, ""},
		"an empty list":      {200, ` [ ] `, "", hostcall.FoundDidNot, ""},
		"none in the list":   {200, `{"data":[]}`, "/data/0", hostcall.FoundDidNot, ""},
		"no list":            {200, `{"items":[1]}`, "/data/0", hostcall.FoundDidNot, ""},
		"not of that shape":  {200, `{"data":3}`, "/data/0", hostcall.FoundDidNot, ""},
		"refused":            {401, `{}`, "", hostcall.FoundNothing, ""},
		"broken":             {500, `{"id":7}`, "", hostcall.FoundNothing, ""},
		"busy":               {429, ``, "", hostcall.FoundNothing, ""},
		"accepted":           {202, `{"id":7}`, "", hostcall.FoundNothing, ""},
		"a page":             {200, `<html>`, "", hostcall.FoundNothing, ""},
		"too large":          {200, `"` + strings.Repeat("x", 600<<10) + `"`, "", hostcall.FoundNothing, ""},
	} {
		status, body = c.status, c.body
		host := hostOf(t, hostcall.Env{Lookups: []hostcall.LookupRule{{Host: name, Address: at + "/orders?key={key}", Result: c.result}}}, at)
		write := callOf(t, "web.postJSON", at+"/orders", o{"n": 1}, o{"headers": o{"authorization": "Bearer x", "content-type": "text/x"}})
		finding, err := host.Reconcile(t.Context(), write, "k 1")
		require.NoError(t, err, says)
		require.Equal(t, c.found, finding.Found, "%s: %s", says, finding.Detail)
		require.Equal(t, c.want, string(finding.Result), says)
		require.NotEmpty(t, finding.Detail)
		require.Equal(t, http.MethodGet, asked.Method)
		require.Equal(t, "k 1", asked.URL.Query().Get("key"))
		require.Equal(t, "Bearer x", asked.Header.Get("Authorization"), "signed in as the write was")
		require.Empty(t, asked.Header.Get("Content-Type"))
		require.Empty(t, asked.Header.Get("Idempotency-Key"))
	}
	status, body = 200, `{"id":7}`
	host := hostOf(t, hostcall.Env{Lookups: []hostcall.LookupRule{{Host: name, Address: at + "/orders?key={key}"}}}, at)
	finding, err := host.Reconcile(t.Context(), callOf(t, "web.fetch", at+"/orders", o{"method": "PUT", "body": "x"}), "k")
	require.NoError(t, err)
	require.Contains(t, string(finding.Result), `"status":200`, "what a fetch would have answered")
	require.Contains(t, string(finding.Result), `"body":"{\"id\":7}"`)
	status, location = 302, "/login"
	finding, err = host.Reconcile(t.Context(), callOf(t, "web.postJSON", at+"/orders", o{}), "k")
	require.NoError(t, err)
	require.Equal(t, hostcall.FoundNothing, finding.Found)
}

// Asking stays inside what the workflow may reach, and tells nothing to another host.
func TestReconcileStaysInside(t *testing.T) {
	t.Parallel()
	var seen http.Header
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		_, _ = w.Write([]byte(`{"id":7}`))
	})
	at := serve(t, answering(200, nil, `{}`))
	name := strings.TrimPrefix(at, "http://")
	write := callOf(t, "web.postJSON", at+"/orders", o{}, o{"headers": o{"authorization": "Bearer x"}})
	rule := []hostcall.LookupRule{{Host: name, Address: other + "/orders?key={key}"}}

	finding, err := hostOf(t, hostcall.Env{Lookups: rule}, at).Reconcile(t.Context(), write, "k")
	require.NoError(t, err)
	require.Equal(t, hostcall.FoundNothing, finding.Found)
	require.Contains(t, finding.Detail, "not a public address", "an address that the workflow may not reach")
	require.Nil(t, seen)

	finding, err = hostOf(t, hostcall.Env{Lookups: rule}, at, other).Reconcile(t.Context(), write, "k")
	require.NoError(t, err)
	require.Equal(t, hostcall.FoundHappened, finding.Found)
	require.Empty(t, seen.Get("Authorization"))

	finding, err = hostOf(t, hostcall.Env{}, at).Reconcile(t.Context(), write, "k")
	require.NoError(t, err)
	require.Equal(t, hostcall.FoundNothing, finding.Found)
}

// Before a write is sent it is known whether it can be asked about.
func TestReconcilable(t *testing.T) {
	t.Parallel()
	env := &hostcall.Env{Lookups: []hostcall.LookupRule{{Host: "api.example.test", Address: "https://api.example.test/?k={key}"}}}
	for args, want := range map[string]bool{
		`["https://API.example.test/x",{}]`: true, `["https://api.example.test:8443/x",{}]`: false, `["https://example.test/x",{}]`: false, `[7]`: false,
	} {
		require.Equal(t, want, hostcall.Reconcilable(env, sandbox.Call{Tool: "web.postJSON", Args: json.RawMessage(args)}), args)
	}
	for _, name := range []string{"kv.set", "files.write", "notify", "ask", "web.getJSON", "nothing"} {
		require.False(t, hostcall.Reconcilable(env, sandbox.Call{Tool: name, Args: json.RawMessage(`["https://api.example.test/x"]`)}), name)
	}
	require.Equal(t, 30*time.Second, hostcall.Timeout(callOf(t, "web.postJSON", "https://a.test/", o{})))
	require.Equal(t, 5*time.Second, hostcall.Timeout(callOf(t, "web.postJSON", "https://a.test/", o{}, o{"timeoutMs": 5000})))
	require.Equal(t, 5*time.Second, hostcall.Timeout(callOf(t, "web.fetch", "https://a.test/", o{"timeoutMs": 5000})))
	require.Zero(t, hostcall.Timeout(callOf(t, "kv.set", "a", 1)))
}
