package hostcall_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Redirects change the request as browsers change it.
func TestRedirectMethods(t *testing.T) {
	t.Parallel()
	status := 0
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			http.Redirect(w, r, "to?x=1#part", status)
			return
		}
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%q", []string{r.Method, r.RequestURI, string(body), r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key")})
	})
	host := hostOf(t, hostcall.Env{
		Key: func(sandbox.Call) string { return "key" },
	}, address)
	for _, test := range []struct {
		status int
		method string
		want   string
	}{
		{301, "POST", `["GET" "/to?x=1" "" "" ""]`},
		{302, "POST", `["GET" "/to?x=1" "" "" ""]`},
		{303, "POST", `["GET" "/to?x=1" "" "" ""]`},
		{303, "PUT", `["GET" "/to?x=1" "" "" ""]`},
		{301, "PUT", `["PUT" "/to?x=1" "body" "text/plain;charset=UTF-8" "key"]`},
		{307, "POST", `["POST" "/to?x=1" "body" "text/plain;charset=UTF-8" "key"]`},
		{308, "PATCH", `["PATCH" "/to?x=1" "body" "text/plain;charset=UTF-8" "key"]`},
	} {
		status = test.status
		reply := get(t, host, "web.fetch", address+"/from", o{"method": test.method, "body": "body"})
		require.Nil(t, reply.Error)
		require.Contains(t, string(reply.Result), strings.ReplaceAll(test.want, `"`, `\"`), "%d %s", test.status, test.method)
		require.Equal(t, []string{strings.TrimPrefix(address, "http://")}, reply.Hosts, "where it led to is told")
	}
	status = http.StatusFound
	followed := string(get(t, host, "web.fetch", address+"/from").Result)
	require.Contains(t, followed, "GET")
	require.Contains(t, followed, `"url":"`+address+`/to?x=1"`)
	stayed := string(get(t, host, "web.fetch", address+"/from", o{"redirect": "manual"}).Result)
	require.Contains(t, stayed, `"status":302`)
	require.Contains(t, stayed, `"location":"/to?x=1#part"`)
	require.NotContains(t, stayed, `"url"`)
	head := get(t, host, "web.fetch", address+"/from", o{"method": "HEAD"})
	require.Contains(t, string(head.Result), `"status":200`)
}

// Five redirects are followed. More are the script's fault, or its credentials' if it is
// sent to sign in again and again. Where a redirect cannot lead is the script's fault too.
func TestRedirectLimits(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		n := 0
		switch _, _ = fmt.Sscanf(r.URL.Path, "/n/%d", &n); {
		case n > 0:
			http.Redirect(w, r, fmt.Sprintf("/n/%d", n-1), http.StatusFound)
		case r.URL.Path == "/login":
			http.Redirect(w, r, "/app", http.StatusFound)
		case r.URL.Path == "/app":
			http.Redirect(w, r, "/login?next=app", http.StatusFound)
		case r.URL.Path == "/nowhere":
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/wrong":
			w.Header().Set("Location", "http://[::1")
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/v1/orders":
			http.Redirect(w, r, "/users/sign_in", http.StatusFound)
		case r.URL.Path == "/users/sign_in":
			_, _ = io.WriteString(w, "<html><p>Welcome back")
		default:
			_, _ = io.WriteString(w, `"there"`)
		}
	})
	host := hostOf(t, hostcall.Env{}, address)
	require.Equal(t, `"there"`, string(get(t, host, "web.getJSON", address+"/n/5").Result))
	require.EqualValues(t, 6, requests.Load())
	for path, want := range map[string][]string{
		"/n/6":       {sandbox.ClassLogic, "", "more than 5 redirects"},
		"/app":       {sandbox.ClassAuth, hostcall.CodeLoginPage, "more than 5 redirects, by way of a login page"},
		"/nowhere":   {sandbox.ClassLogic, "", "status 302"},
		"/file":      {sandbox.ClassLogic, "", "not an http or https URL"},
		"/wrong":     {sandbox.ClassLogic, "", "redirect to a wrong address: the Location header is not a URL"},
		"/v1/orders": {sandbox.ClassAuth, hostcall.CodeLoginPage, "a login page instead of JSON"},
	} {
		e := fault(t, host, "web.getJSON", address+path)
		require.Equal(t, want, []string{e.Class, e.Code, strings.TrimPrefix(e.Message, "GET "+address+path+": ")}, path)
	}
	require.Contains(t, string(get(t, host, "web.fetch", address+"/nowhere").Result), `"status":302`)
	require.Nil(t, get(t, host, "web.getJSON", address+"/login-not").Error)
}

// Credentials are for the host that the script named, not for the target of a redirect.
func TestCredentialsStayWithTheirHost(t *testing.T) {
	t.Parallel()
	names := []string{"Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "Private-Token", "X-Version", "Accept", "Idempotency-Key"}
	show := func(w http.ResponseWriter, r *http.Request) {
		seen := []string{}
		for _, name := range names {
			if r.Header.Get(name) != "" {
				seen = append(seen, name)
			}
		}
		_, _ = fmt.Fprintf(w, "%q", strings.Join(seen, " "))
	}
	var elsewhere, here string
	elsewhere = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			http.Redirect(w, r, here+"/show", http.StatusTemporaryRedirect)
			return
		}
		show(w, r)
	})
	here = serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/show", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, strings.Replace(elsewhere, "http://", "http://me:you@", 1)+"/show", http.StatusTemporaryRedirect)
		case "/there-and-back":
			http.Redirect(w, r, elsewhere+"/back", http.StatusTemporaryRedirect)
		default:
			show(w, r)
		}
	})
	host := hostOf(t, hostcall.Env{Key: func(sandbox.Call) string { return "key" }}, here, elsewhere)
	headers := o{}
	for _, name := range names[:7] {
		headers[name] = "x"
	}
	all := fmt.Sprintf("%q", strings.Join(names, " "))
	for path, want := range map[string]string{
		"/same":           all,
		"/away":           `"X-Version Accept Idempotency-Key"`,
		"/there-and-back": `"X-Version Accept Idempotency-Key"`,
	} {
		reply := get(t, host, "web.postJSON", here+path, 1, o{"headers": headers})
		require.Nil(t, reply.Error)
		require.Equal(t, want, string(reply.Result), path)
	}
}

// After a 303 the write has happened: an error on the way to its result leaves that open.
// After a 307 it has not: an address that refuses is an ordinary error.
func TestRedirectedWriteInDoubt(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	status := http.StatusSeeOther
	address := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, gone.URL, status) })
	host := hostOf(t, hostcall.Env{}, address, gone.URL)
	e := fault(t, host, "web.postJSON", address, 1)
	require.Equal(t, []string{sandbox.ClassNetwork, hostcall.CodeIndeterminate}, []string{e.Class, e.Code})
	status = http.StatusTemporaryRedirect
	e = fault(t, host, "web.postJSON", address, 1)
	require.Equal(t, []string{sandbox.ClassNetwork, ""}, []string{e.Class, e.Code})
}

// Neither a URL, nor a redirect, nor a name that leads inside gets a script inside. The
// server on loopback must never see a request.
func TestNothingPrivateIsReached(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	inside := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	port := inside[strings.LastIndexByte(inside, ':'):]
	target := ""
	door := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", target)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	resolver := resolve(t, func(name string, before int) []string {
		switch name {
		case "localhost.":
			return []string{"127.0.0.1"}
		case "metadata.example.":
			return []string{"169.254.169.254"}
		case "rebind.example.":
			// Another answer every time it is asked.
			return [][]string{{"10.0.0.7"}, {"127.0.0.1"}, {"192.168.0.1", "127.0.0.1"}}[before%3]
		}
		return nil
	})
	host := hostOf(t, hostcall.Env{Resolver: resolver}, door)

	tests := map[string]string{
		inside:                            "127.0.0.1 is not a public address",
		"http://localhost" + port:         "port " + port[1:] + " of localhost is not one of the web's",
		"http://localhost/":               "localhost leads to ",
		"https://localhost./":             "which is not a public address",
		"http://metadata.example/latest/": "metadata.example leads to 169.254.169.254, which is not a public address (169.254.0.0/16, link local and cloud metadata, RFC 3927)",
		"http://rebind.example/":          "rebind.example leads to ",
		"http://2130706433/":              "2130706433 is an address in disguise",
		"http://127.0.0.１/":               "127.0.0.1 is not a public address",
		"http://[::ffff:127.0.0.1]/":      "::ffff:127.0.0.1 is not a public address",
		"http://[fe80::1%25lo]/":          "fe80::1%lo is not a public address (an address with a zone)",
	}
	for address, want := range tests {
		for _, name := range []string{"web.fetch", "web.getJSON", "web.postJSON"} {
			e := fault(t, host, name, address)
			require.Equal(t, []string{sandbox.ClassPermission, "PermissionError", hostcall.CodeAddressRefused}, []string{e.Class, e.Name, e.Code}, address)
			require.Contains(t, e.Message, want)
			require.NotEmpty(t, e.Host)

			target = address
			e = fault(t, host, name, door+"/redirect")
			require.Equal(t, hostcall.CodeAddressRefused, e.Code, address)
			require.Contains(t, e.Message, want)
			require.Contains(t, e.Message, door+"/redirect", "the message names the URL that the script wrote")
		}
	}
	for range 6 {
		require.Equal(t, hostcall.CodeAddressRefused, fault(t, host, "web.fetch", "http://rebind.example/").Code)
	}
	require.Zero(t, requests.Load())
}

// A person who names a host opens just that one.
func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	address := serve(t, answering(200, nil, `"in"`))
	port := address[strings.LastIndexByte(address, ':'):]
	resolver := resolve(t, func(string, int) []string { return []string{"127.0.0.1"} })
	for allowed, open := range map[string]bool{
		"intranet.example" + port:  true,
		"intranet.example":         true,
		"INTRANET.example." + port: true,
		"intranet.example:1":       false,
		"example" + port:           false,
		"127.0.0.1" + port:         false,
		"":                         false,
	} {
		host := hostOf(t, hostcall.Env{AllowedHosts: []string{allowed}, Resolver: resolver})
		reply := get(t, host, "web.getJSON", "http://intranet.example"+port)
		require.Equal(t, open, reply.Error == nil, "%q: %v", allowed, reply.Error)
	}
}

// The address that is checked is the address that is dialled: no proxy of the environment
// comes between.
func TestNoProxy(t *testing.T) {
	var proxied atomic.Int32
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { proxied.Add(1) })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy)
	}
	address := serve(t, answering(200, nil, `"direct"`))
	byName := strings.Replace(address, "127.0.0.1", "api.example", 1)
	resolver := resolve(t, func(string, int) []string { return []string{"127.0.0.1"} })
	reply := get(t, hostOf(t, hostcall.Env{Resolver: resolver}, byName), "web.getJSON", byName)
	require.Equal(t, `"direct"`, string(reply.Result))
	require.Zero(t, proxied.Load())
}
