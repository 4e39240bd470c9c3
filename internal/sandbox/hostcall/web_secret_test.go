package hostcall_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
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
	host := hostOf(t, hostcall.Env{
		AllowedHosts: []string{"localhost"},
		Secrets: func(name, host string) (string, bool, error) {
			return value, name == "API" && strings.HasPrefix(host, "127.0.0.1:"), nil
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

// If a script encodes a secret with btoa, the host encodes its value: HTTP's Basic credentials. The journal has the
// handle, and so has an answer that repeats the value.
func TestBasicCredentialsOfASecret(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, ok := r.BasicAuth()
		if !ok || user != "ann" || password != "s3cr&t välue" {
			t.Errorf("the server got %q", r.Header.Get("Authorization"))
		}
		_, _ = fmt.Fprintf(w, "[%q]", r.Header.Get("Authorization"))
	})
	host := hostOf(t, hostcall.Env{Secrets: func(name, _ string) (string, bool, error) {
		return "s3cr&t välue", name == "API", nil
	}}, address)
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Limits: patient, Seed: "s", Code: `async function main() {
		const credentials = 'Basic ' + btoa('ann:' + secret('API'));
		console.log(credentials);
		return web.getJSON('` + address + `', { headers: { Authorization: credentials } });
	}`}, host)
	require.NoError(t, err)
	require.Nil(t, outcome.Error)
	require.NotContains(t, string(outcome.Output), base64.StdEncoding.EncodeToString([]byte("ann:s3cr&t välue")))
	require.Contains(t, string(outcome.Calls[0].Args), `"Basic {{base64:ann:{{secret:API}}}}"`)
	require.Equal(t, "Basic {{base64:ann:{{secret:API}}}}", outcome.Log[0].Text)

	unset := fault(t, host, "web.getJSON", address, o{"headers": o{"Authorization": "Basic {{base64:{{secret:OTHER}}:}}"}})
	require.Equal(t, hostcall.CodeSecretUnbound, unset.Code)
	fault(t, host, "web.postJSON", address, o{"token": "{{base64:{{secret:API}}}}"})
}

// A handle that the script changed would be sent as it is, and the service would refuse it for a reason
// that nobody finds: it is the script's to mend, and nothing is sent.
func TestChangedHandlesAreRefused(t *testing.T) {
	t.Parallel()
	address := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	host := hostOf(t, hostcall.Env{Secrets: func(string, string) (string, bool, error) { return "sesame", true, nil }}, address)
	encoded := base64.StdEncoding.EncodeToString([]byte("user:{{secret:API}}"))
	for name, args := range map[string][]any{
		"upper case":         {"web.getJSON", address, o{"headers": o{"X": "Bearer {{SECRET:API}}"}}},
		"cut at the end":     {"web.getJSON", address, o{"headers": o{"X": "{{secret:AP"}}},
		"cut at the start":   {"web.getJSON", address, o{"headers": o{"X": "secret:API}}"}}},
		"base64":             {"web.getJSON", address, o{"headers": o{"Authorization": "Basic " + encoded}}},
		"percent in header":  {"web.getJSON", address, o{"headers": o{"X": "%7B%7Bsecret%3AAPI%7D%7D"}}},
		"base64 in query":    {"web.getJSON", address + "?k=" + encoded},
		"base64 in body":     {"web.postJSON", address, o{"token": encoded}},
		"hex in body":        {"web.fetch", address, o{"method": "POST", "body": "7b7b7365637265743a4150497d7d"}},
		"base64 twice":       {"web.getJSON", address, o{"headers": o{"X": "{{base64:{{base64:{{secret:API}}}}}}"}}},
		"braces beside it":   {"web.getJSON", address, o{"headers": o{"X": "{{base64:{a}{{secret:API}}}}"}}},
		"base64 upper cased": {"web.getJSON", address, o{"headers": o{"X": "{{BASE64:{{SECRET:API}}}}"}}},
	} {
		e := fault(t, host, args[0].(string), args[1:]...)
		require.Equal(t, []string{sandbox.ClassLogic, hostcall.CodeSecretChanged}, []string{e.Class, e.Code}, "%s: %s", name, e.Message)
		require.Contains(t, e.Message, "btoa", name)
	}
}

// A secret that cannot be read is trouble of ours: no person has to give a permission, and nothing is sent.
func TestASecretThatCannotBeRead(t *testing.T) {
	t.Parallel()
	address := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	host := hostOf(t, hostcall.Env{Secrets: func(string, string) (string, bool, error) {
		return "", false, errors.New("the store at 10.1.2.3 is away")
	}}, address)
	reply := get(t, host, "web.getJSON", address, o{"headers": o{"X": "{{secret:API}}"}})
	require.Equal(t, []string{sandbox.ClassInternal, hostcall.CodeSecretUnread}, []string{reply.Error.Class, reply.Error.Code})
	require.Contains(t, reply.Error.Message, `the secret "API" cannot be read now`)
	require.NotContains(t, reply.Error.Message, "10.1.2.3")
}

// A handle anywhere else, or of a secret that is not bound to the host, ends the run before
// anything is sent.
func TestUnboundSecretsAreRefused(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	address := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	bound := hostOf(t, hostcall.Env{Secrets: func(name, _ string) (string, bool, error) {
		return map[string]string{"API": "sesame", "BAD": "a\r\nX-Evil: 1"}[name], name == "API" || name == "BAD", nil
	}}, address)
	none := hostOf(t, hostcall.Env{}, address)
	const elsewhere = "a secret may stand in values of headers and of the query only"
	for _, test := range []struct {
		host *hostcall.Host
		call sandbox.Call
		want string
	}{
		{none, call("web.getJSON", address, o{"headers": o{"X": "{{secret:API}}"}}), `no secret "API" is bound to 127.0.0.1`},
		{none, call("web.getJSON", address+"?k={{secret:API}}"), `no secret "API" is bound to 127.0.0.1`},
		{bound, call("web.getJSON", address, o{"headers": o{"X": "{{secret:API}} {{secret:OTHER}}"}}), `: kintsugi secret set OTHER --host 127.0.0.1`},
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
		code := hostcall.CodeSecretUnbound
		if test.want == elsewhere {
			code = hostcall.CodeSecretMisplaced
		}
		require.Equal(t, []string{sandbox.ClassPermission, code}, []string{reply.Error.Class, reply.Error.Code})
		require.Contains(t, reply.Error.Message, test.want)
	}
	require.Zero(t, requests.Load())
}

// A secret that was sent comes back in no form: not in a body or header, not in what an error
// says or names, and not in a later answer either.
func TestSecretsDoNotComeBack(t *testing.T) {
	t.Parallel()
	const value = "s3cret-4711-value"
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + value))
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/name":
			w.Header().Set("Location", "http://"+value+".invalid:22/")
			w.WriteHeader(http.StatusFound)
		case "/garbage":
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, "nonsense "+value+"\r\n\r\n")
			_ = conn.Close()
		default:
			w.Header().Set("X-Echo", "Basic "+basic)
			if r.URL.Path == "/gone" {
				w.WriteHeader(http.StatusGone)
			}
			_, _ = fmt.Fprintf(w, `{"basic":%q,"hex":"%x"}`, basic, value)
		}
	})
	host := hostOf(t, hostcall.Env{Secrets: func(string, string) (string, bool, error) { return value, true, nil }}, address)
	signed := o{"headers": o{"Authorization": "Bearer {{secret:API}}"}}
	for _, made := range []sandbox.Call{
		call("web.fetch", address+"/x", signed),
		call("web.getJSON", address+"/x", signed),
		call("web.getJSON", address+"/gone", signed),
		call("web.fetch", address+"/name", signed),
		call("web.fetch", address+"/garbage", signed),
		call("web.fetch", address+"/x"),
	} {
		reply, err := host.Call(t.Context(), made)
		require.NoError(t, err)
		text, err := json.Marshal(reply)
		require.NoError(t, err)
		shown := string(text)
		require.Contains(t, shown, "{{secret:API}}", "%s", made.Args)
		for _, form := range []string{value, "czNjcmV0", "MzY3JldC", "zM2NyZXQ", "733363726574"} {
			require.NotContains(t, shown, form, "%s", made.Args)
		}
	}

	reply := get(t, host, "web.fetch", strings.Replace(address, "//", "//user:%7B%7Bsecret%3AAPI%7D%7D@", 1))
	require.Equal(t, hostcall.CodeSecretMisplaced, reply.Error.Code, "in the address it would be sent as a handle")
}
