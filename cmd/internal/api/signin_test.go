package api_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// provider is one of OpenID Connect that says what a test wants, also what no honest one would. web/e2e signs in at a real one.
type provider struct {
	t   *testing.T
	url string
	key jose.SigningKey

	mu     sync.Mutex
	claims map[string]any // over those of an honest answer; nil takes one away
	info   map[string]any // what it says when it is asked for more
	signer *jose.SigningKey
	says   map[string]any // of itself, over what is right
	codes  map[string]url.Values
	down   bool
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	secret, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	p := &provider{t: t, key: jose.SigningKey{Algorithm: jose.RS256, Key: secret}, codes: map[string]url.Values{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims, p.info, p.signer, p.says, p.down = nil, nil, nil, nil, false
	change()
}

// ServeHTTP implements [http.Handler].
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		http.Error(w, "down for repairs", http.StatusServiceUnavailable)
		return
	}
	answer := map[string]any{}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer = map[string]any{
			"issuer": p.url, "authorization_endpoint": p.url + "/authorize", "token_endpoint": p.url + "/token", "jwks_uri": p.url + "/keys",
			"userinfo_endpoint": p.url + "/me", "id_token_signing_alg_values_supported": []string{"RS256"}, "authorization_response_iss_parameter_supported": true,
			"scopes_supported": []string{"openid", "email", "groups"},
		}
		maps.Copy(answer, p.says)
	case "/authorize":
		code := fmt.Sprint("code", len(p.codes))
		p.codes[code] = r.URL.Query()
		back, err := url.Parse(r.URL.Query().Get("redirect_uri"))
		if err != nil {
			p.t.Error(err)
		}
		back.RawQuery = url.Values{"code": {code}, "state": {r.URL.Query().Get("state")}, "iss": {p.url}}.Encode()
		http.Redirect(w, r, back.String(), http.StatusFound)
		return
	case "/keys":
		answer["keys"] = []jose.JSONWebKey{{Key: p.key.Key.(*rsa.PrivateKey).Public(), Algorithm: "RS256", Use: "sig"}}
	case "/token":
		asked, known := p.codes[r.FormValue("code")]
		delete(p.codes, r.FormValue("code"))
		id, secret, _ := r.BasicAuth()
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if !known || id != "kintsugi" || secret != "hush" || asked.Get("code_challenge_method") != "S256" || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			answer["error"] = "invalid_grant"
			break
		}
		now := time.Now()
		claims := map[string]any{
			"iss": p.url, "aud": "kintsugi", "sub": "1f", "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "nonce": asked.Get("nonce"),
			"email": "ann@example.com", "email_verified": true, "groups": []string{"staff"},
		}
		for name, value := range p.claims {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}
		key := p.key
		if p.signer != nil {
			key = *p.signer
		}
		answer["access_token"], answer["token_type"], answer["id_token"] = "access", "Bearer", sign(p.t, key, claims)
	case "/me":
		answer["sub"] = "1f"
		maps.Copy(answer, p.info)
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		p.t.Error(err)
	}
}

func sign(t *testing.T, key jose.SigningKey, claims map[string]any) string {
	text, err := json.Marshal(claims)
	if err != nil {
		t.Error(err)
	}
	if key.Key == nil { // nobody's
		return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(text) + "."
	}
	signer, err := jose.NewSigner(key, nil)
	if err != nil {
		t.Error(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		t.Error(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		t.Error(err)
	}
	return compact
}

// organised is a server whose people sign in at a provider.
type organised struct {
	*server
	provider *provider
	web      *httptest.Server
	grants   []string
	mu       sync.Mutex
	clock    time.Duration // how far the server's clock is ahead
	handler  http.Handler
}

func serveOrganisation(t *testing.T, grants ...string) *organised {
	t.Helper()
	o := &organised{server: serve(t), provider: newProvider(t), grants: grants}
	o.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		handler := o.handler
		o.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(o.web.Close)
	o.restart()
	return o
}

// restart forgets who tried too often, and what the provider said of itself.
func (o *organised) restart() {
	o.t.Helper()
	grants, err := app.ParseGrants(o.grants)
	require.NoError(o.t, err)
	logger := slog.New(slog.DiscardHandler)
	organisation, err := app.NewOrganisation(app.OrganisationOptions{
		Issuer: o.provider.url, ClientID: "kintsugi", ClientSecret: "hush", Grants: grants, Redirect: o.web.URL + api.CallbackPath,
		Tokens: o.node.Tokens, Logger: logger, Now: func() time.Time {
			o.mu.Lock()
			defer o.mu.Unlock()
			return time.Now().Add(o.clock)
		},
	})
	require.NoError(o.t, err)
	handler := api.New(api.Config{Organisation: organisation, Node: o.node, Logger: logger, Version: "test"})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.handler = handler
}

func (o *organised) setClock(ahead time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clock = ahead
}

// browser is one that follows where it is sent, to the page that is named.
func (o *organised) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	require.NoError(o.t, err)
	return &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(r.URL.Path, api.SignInPath) && !strings.HasPrefix(r.URL.String(), o.provider.url) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

func (o *organised) get(browser *http.Client, address string) (status int, to, body string) {
	o.t.Helper()
	answer, err := browser.Get(address)
	require.NoError(o.t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(o.t, err)
	require.NoError(o.t, answer.Body.Close())
	return answer.StatusCode, answer.Header.Get("Location"), string(text)
}

// who says whom the server takes the browser for.
func (o *organised) who(browser *http.Client) (status int, who api.Who) {
	o.t.Helper()
	status, _, body := o.get(browser, o.web.URL+api.Base+"/session")
	if status == http.StatusOK {
		require.NoError(o.t, json.Unmarshal([]byte(body), &who))
	}
	return status, who
}

// Somebody for whom the organisation's provider vouches is let in as far as their groups go, and every event has their name.
func TestAnOrganisationsAccountLetsIn(t *testing.T) {
	t.Parallel()
	o := serveOrganisation(t, "admins=admin;staff=read,edit", "ops=run", "cn=bob's,ou=x=read,run@bob", "ops=decide@bob")
	browser := o.browser()
	status, to, _ := o.get(browser, o.web.URL+"/signin?to=/runs%3Fstatus=failed")
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, "/runs?status=failed", to)
	_, who := o.who(browser)
	require.Equal(t, "ann@example.com", who.Person)
	require.Equal(t, []installation.Scope{installation.Edit, installation.Read}, who.Scopes)
	require.WithinDuration(t, time.Now().Add(app.OrganisationSession), who.Expires, time.Minute)

	request, err := http.NewRequest(http.MethodPost, o.web.URL+api.Base+"/workflows", strings.NewReader(`{"title": "Orders"}`))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	answer, err := browser.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	var actors []string
	for record, err := range o.node.Log.All(t.Context(), "", eventlog.Everything) {
		require.NoError(t, err)
		for _, secret := range []string{"hush", "access", "code0"} {
			require.NotContains(t, string(record.Payload), secret)
		}
		if record.Type == "WorkflowCreated" || strings.Contains(string(record.Payload), `"account":{"issuer":"`+o.provider.url+`","subject":"1f"}`) {
			var meta event.Metadata
			require.NoError(t, json.Unmarshal(record.Metadata, &meta))
			actors = append(actors, meta.Actor)
		}
	}
	require.Equal(t, []string{"person:ann@example.com", "person:ann@example.com"}, actors)

	for _, one := range []struct {
		says   string
		groups any
		scopes []installation.Scope
		owner  string
	}{
		{"the scopes of all groups", []string{"ops", "staff"}, []installation.Scope{installation.Edit, installation.Read, installation.Run}, ""},
		{"of one owner's workflows only", []string{"cn=bob's,ou=x"}, []installation.Scope{installation.Read, installation.Run}, "bob"},
		{"a grant for all comes first, and takes nothing of one owner's along", []string{"cn=bob's,ou=x", "staff"}, []installation.Scope{installation.Edit, installation.Read}, ""},
		{"a group that is said as one text", "staff", []installation.Scope{installation.Edit, installation.Read}, ""},
	} {
		o.provider.set(func() { o.provider.claims = map[string]any{"groups": one.groups} })
		browser := o.browser()
		_, _, body := o.get(browser, o.web.URL+"/signin")
		_, who := o.who(browser)
		require.Equal(t, one.scopes, who.Scopes, "%s: %s", one.says, body)
		require.Equal(t, one.owner, who.Owner, one.says)
	}
	// Groups and address that are said only when asked for more.
	o.provider.set(func() {
		o.provider.claims = map[string]any{"groups": nil, "email": nil, "email_verified": nil}
		o.provider.info = map[string]any{"groups": []string{"admins"}, "email": "eve@example.com", "email_verified": true}
	})
	browser = o.browser()
	_, _, body := o.get(browser, o.web.URL+"/signin")
	_, who = o.who(browser)
	require.Equal(t, "eve@example.com", who.Person, body)
	require.Equal(t, installation.Scopes(), who.Scopes)
}

// Nobody is let in for whom the provider does not vouch now, in this sign-in, in this browser; and they are told why.
func TestSignInsThatAreRefused(t *testing.T) {
	t.Parallel()
	o := serveOrganisation(t, "staff=read")
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	for _, one := range []struct {
		what   string
		set    func(*provider)
		clock  time.Duration
		status int
		says   string
	}{
		{"no group", func(p *provider) { p.claims = map[string]any{"groups": []string{"guests"}} }, 0, 403, "none of your groups may do anything here"},
		{"no groups", func(p *provider) { p.claims = map[string]any{"groups": nil} }, 0, 403, "does not say your groups (groups)"},
		{"groups that are none", func(p *provider) { p.claims = map[string]any{"groups": map[string]bool{"staff": true}} }, 0, 403, "does not say your groups"},
		{"an address that was not tried", func(p *provider) { p.claims = map[string]any{"email_verified": false} }, 0, 403, "email_verified"},
		{"an address of which nothing is said", func(p *provider) { p.claims = map[string]any{"email_verified": nil} }, 0, 403, "email_verified"},
		{"no name", func(p *provider) { p.claims = map[string]any{"email": nil} }, 0, 403, "does not say your email"},
		{"a name that cannot be seen", func(p *provider) { p.claims = map[string]any{"email": "ann\u202e@example.com"} }, 0, 403, "cannot be seen"},
		{"another issuer", func(p *provider) { p.claims = map[string]any{"iss": "https://evil.example"} }, 0, 403, "does not hold"},
		{"another program", func(p *provider) { p.claims = map[string]any{"aud": "other"} }, 0, 403, "does not hold"},
		{"another party", func(p *provider) { p.claims = map[string]any{"aud": []string{"kintsugi", "other"}, "azp": "other"} }, 0, 403, "made for another program"},
		{"two programs", func(p *provider) { p.claims = map[string]any{"aud": []string{"kintsugi", "other"}} }, 0, 403, "made for another program"},
		{"another nonce", func(p *provider) { p.claims = map[string]any{"nonce": "old"} }, 0, 403, "another sign-in"},
		{"no nonce", func(p *provider) { p.claims = map[string]any{"nonce": nil} }, 0, 403, "another sign-in"},
		{"no subject", func(p *provider) { p.claims = map[string]any{"sub": ""} }, 0, 403, "whose account it is"},
		{"two subjects", func(p *provider) {
			p.claims, p.info = map[string]any{"groups": nil}, map[string]any{"sub": "2a", "groups": []string{"staff"}}
		}, 0, 403, "two people"},
		{"another key", func(p *provider) { p.signer = &jose.SigningKey{Algorithm: jose.RS256, Key: other} }, 0, 403, "does not hold"},
		{"no key", func(p *provider) { p.signer = &jose.SigningKey{} }, 0, 403, "does not hold"},
		{"a shared key", func(p *provider) {
			p.signer = &jose.SigningKey{Algorithm: jose.HS256, Key: []byte(strings.Repeat("k", 32))}
		}, 0, 403, "does not hold"},
		{"a clock ahead", func(*provider) {}, time.Hour, 403, "sets the clocks of both"},
		{"a clock behind", func(*provider) {}, -time.Hour, 403, "sets the clocks of both"},
		{"down", func(p *provider) { p.down = true }, 0, 503, "sign in again, or with a token"},
	} {
		browser := o.browser()
		o.provider.set(func() {})
		back := o.begin(browser, "")
		o.provider.set(func() { one.set(o.provider) })
		o.setClock(one.clock)
		status, to, body := o.get(browser, back)
		require.Equal(t, one.status, status, "%s: %s %s", one.what, to, body)
		require.Contains(t, body, one.says, one.what)
		require.NotContains(t, body, "hush", one.what)
		status, _ = o.who(browser)
		require.Equal(t, http.StatusUnauthorized, status, one.what)
		o.setClock(0)
		o.restart()
	}
}

// begin is a browser's sign-in up to where the provider sends it back.
func (o *organised) begin(browser *http.Client, query string) (back string) {
	o.t.Helper()
	follow := browser.CheckRedirect
	browser.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if r.URL.Path == api.CallbackPath {
			return http.ErrUseLastResponse
		}
		return nil
	}
	status, back, body := o.get(browser, o.web.URL+api.SignInPath+query)
	require.Equal(o.t, http.StatusFound, status, body)
	browser.CheckRedirect = follow
	return back
}

// The provider's answer counts once, and in the browser that began the sign-in.
func TestASignInIsOfOneBrowser(t *testing.T) {
	t.Parallel()
	o := serveOrganisation(t, "staff=read")
	ann, eve := o.browser(), o.browser()
	for what, back := range map[string]string{
		"a browser that began none":         o.begin(eve, ""),
		"no state":                          o.web.URL + api.CallbackPath + "?code=code0&iss=" + url.QueryEscape(o.provider.url),
		"an empty state, and an empty code": o.web.URL + api.CallbackPath + "?code=&state=",
	} {
		status, _, body := o.get(ann, back)
		require.Equal(t, http.StatusForbidden, status, what)
		require.Contains(t, body, "no sign-in that was begun in this browser", what)
	}
	o.restart()
	change := func(back, name, value string) string {
		u, err := url.Parse(back)
		require.NoError(t, err)
		query := u.Query()
		query.Set(name, value)
		u.RawQuery = query.Encode()
		return u.String()
	}
	for name, value := range map[string]string{"state": "other", "iss": "https://evil.example", "code": "guessed", "error": "<script>alert(1)</script>"} {
		status, _, body := o.get(ann, change(o.begin(ann, ""), name, value))
		require.Equal(t, http.StatusForbidden, status, "%s: %s", name, body)
		require.NotContains(t, body, "<script>", name)
		status, _ = o.who(ann)
		require.Equal(t, http.StatusUnauthorized, status, name)
	}
	// An answer that says nothing of its provider, where the provider said that it would.
	status, _, body := o.get(ann, change(o.begin(ann, ""), "iss", ""))
	require.Equal(t, http.StatusForbidden, status, body)

	back := o.begin(ann, "")
	status, to, _ := o.get(ann, back)
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, "/", to)
	status, _, _ = o.get(ann, back)
	require.Equal(t, http.StatusForbidden, status, "once")

	// The browser's cookie can be read by no script, and goes to no other site.
	request := httptest.NewRequest(http.MethodGet, o.web.URL+api.SignInPath, nil)
	answer := httptest.NewRecorder()
	o.handler.ServeHTTP(answer, request)
	require.Contains(t, answer.Header().Get("Set-Cookie"), "HttpOnly; SameSite=Lax")
	require.NotContains(t, answer.Header().Get("Location"), "hush")
	// By another name of the server the browser is sent to the one that the provider knows, and nowhere else.
	request.Host = "127.0.0.1:1"
	answer = httptest.NewRecorder()
	o.handler.ServeHTTP(answer, request)
	require.Equal(t, o.web.URL+api.SignInPath+"?to=%2F", answer.Header().Get("Location"))
	require.Empty(t, answer.Header().Get("Set-Cookie"))
	// Guessing is slowed down.
	tried := 0
	for range 30 {
		if status, _, _ := o.get(eve, o.web.URL+api.CallbackPath+"?code=x&state=y"); status == http.StatusTooManyRequests {
			break
		}
		tried++
	}
	require.Less(t, tried, 11)
}

// Somebody who has signed in is sent to a page of this server, whatever the address of the sign-in says.
func TestASignInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	o := serveOrganisation(t, "staff=read")
	for to, want := range map[string]string{
		"/fixes/1?x=y": "/fixes/1?x=y", "": "/", "https://evil.example": "/", "//evil.example": "/", "/\\evil.example": "/", "\\\\evil.example": "/", "/\t/evil.example": "/",
		"javascript:alert(1)": "/", "runs": "/", "/%5cevil.example": "/%5cevil.example", "/%2fevil.example": "/", "/signin": "/", " //evil.example": "/", "///evil.example": "/",
		"/a\r\nSet-Cookie: x=y": "/", "http:/evil.example": "/", "/runs#token=x": "/runs#token=x", "/@evil.example": "/@evil.example", "/" + strings.Repeat("a", 1000): "/",
	} {
		_, got, body := o.get(o.browser(), o.web.URL+api.SignInPath+"?"+url.Values{"to": {to}}.Encode())
		require.Equal(t, want, got, "%q: %s", to, body)
	}
}

// A server serves without its provider: whoever signs in is told, and let in as soon as it answers.
func TestAProviderThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	o := serveOrganisation(t, "staff=read")
	ahead := time.Duration(0)
	for _, one := range []struct {
		set  func(*provider)
		says string
	}{
		{func(p *provider) { p.down = true }, "cannot be asked: 503 Service Unavailable: down for repairs"},
		{func(p *provider) { p.says = map[string]any{"issuer": "https://other.example"} }, "says that it is https://other.example: set --oidc-issuer to exactly that"},
		{func(p *provider) { p.says = map[string]any{"token_endpoint": "http://evil.example/token"} }, "not safe"},
	} {
		o.provider.set(func() { one.set(o.provider) })
		status, _, body := o.get(o.browser(), o.web.URL+api.SignInPath)
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Contains(t, body, one.says)
		ahead += 5 * time.Second // it is not asked again at once
		o.setClock(ahead)
	}
	o.setClock(ahead + 5*time.Second)
	o.provider.set(func() {})
	browser := o.browser()
	_, _, body := o.get(browser, o.web.URL+api.SignInPath)
	status, _ := o.who(browser)
	require.Equal(t, http.StatusOK, status, body)

	for issuer, says := range map[string]string{
		"http://login.example.com": "others could listen", "login.example.com": "no address", "https://a:b@login.example.com": "no address", "ftp://127.0.0.1": "others could listen",
	} {
		_, err := app.NewOrganisation(app.OrganisationOptions{Issuer: issuer, ClientID: "kintsugi", Grants: []app.Grant{{}}})
		require.ErrorContains(t, err, says, issuer)
	}
	for text, says := range map[string]string{
		"staff": "write GROUP=", "=read": "write GROUP=", "staff=": `"" is no scope`, "staff=read,all": `"all" is no scope`, "staff=read@": "name the owner", "staff=admin@bob": "whole installation",
	} {
		_, err := app.ParseGrants([]string{text})
		require.ErrorContains(t, err, says, text)
	}
}

// Everybody sees and ends the sessions that are theirs, an admin those of all; an ended one lets nobody in.
func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	o := serveOrganisation(t, "staff=read", "admins=admin")
	in := func(email, group string) (*http.Client, app.Token) {
		o.provider.set(func() {
			o.provider.claims = map[string]any{"email": email, "sub": email, "groups": []string{group}}
		})
		browser := o.browser()
		_, _, body := o.get(browser, o.web.URL+api.SignInPath)
		list := o.sessions(browser)
		for _, one := range list {
			if one.This {
				return browser, one
			}
		}
		t.Fatalf("%s has no session: %s", email, body)
		return nil, app.Token{}
	}
	ann, annSession := in("ann@example.com", "staff")
	bob, bobSession := in("bob@example.com", "staff")
	root, _ := in("root@example.com", "admins")
	require.Equal(t, &installation.Account{Issuer: o.provider.url, Subject: "ann@example.com"}, annSession.Account)
	require.Len(t, o.sessions(ann), 1)
	require.Len(t, o.sessions(root), 3)
	agent := o.token(installation.CreateToken{Person: "ann@example.com", Scopes: []installation.Scope{installation.Read}, Holder: installation.HeldByAgent})
	require.Equal(t, http.StatusForbidden, o.ask(agent.Token, http.MethodGet, api.Base+"/sessions", nil).status)
	require.Equal(t, http.StatusNotFound, o.end(ann, bobSession.ID))
	require.Equal(t, http.StatusOK, o.end(root, bobSession.ID))
	status, _ := o.who(bob)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, http.StatusNotFound, o.end(root, agent.ID), "it is no session")
	again, _ := in("ann@example.com", "staff")
	require.Len(t, o.sessions(again), 2)
	require.Equal(t, http.StatusOK, o.end(again, annSession.ID))
	status, _ = o.who(ann)
	require.Equal(t, http.StatusUnauthorized, status)
	request, err := http.NewRequest(http.MethodDelete, o.web.URL+api.Base+"/session", nil)
	require.NoError(t, err)
	answer, err := again.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusNoContent, answer.StatusCode)
	require.Len(t, o.sessions(root), 1)
}

func (o *organised) sessions(browser *http.Client) (list []app.Token) {
	o.t.Helper()
	_, _, body := o.get(browser, o.web.URL+api.Base+"/sessions")
	var page api.Page[app.Token]
	require.NoError(o.t, json.Unmarshal([]byte(body), &page))
	return page.Items
}

func (o *organised) end(browser *http.Client, id string) (status int) {
	o.t.Helper()
	request, err := http.NewRequest(http.MethodDelete, o.web.URL+api.Base+"/sessions/"+id, nil)
	require.NoError(o.t, err)
	answer, err := browser.Do(request)
	require.NoError(o.t, err)
	require.NoError(o.t, answer.Body.Close())
	return answer.StatusCode
}
