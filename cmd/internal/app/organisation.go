package app

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// OrganisationOptions say which provider of OpenID Connect vouches for people, and what its groups may do.
type OrganisationOptions struct {
	Issuer       string
	ClientID     string
	ClientSecret string // empty for a client that has none
	Grants       []Grant
	GroupsClaim  string // empty for [DefaultGroupsClaim]
	PersonClaim  string // empty for [DefaultPersonClaim]
	// Redirect is where the provider sends people back to: an address of this server.
	Redirect string
	Tokens   *Tokens
	Now      func() time.Time
	Logger   *slog.Logger
}

// The claims that say a person's groups, and how the history names them.
const (
	DefaultGroupsClaim = "groups"
	DefaultPersonClaim = "email"
)

const (
	// OrganisationSession is how long somebody stays signed in. Groups are looked at when they sign in, so it is a working day.
	OrganisationSession = 12 * time.Hour
	// clockSkew is how far the clocks of a provider and of this machine may be apart.
	clockSkew = 5 * time.Minute
	// providerTime is how long a provider may take for an answer, and providerAnswer is the longest that is read.
	providerTime   = 10 * time.Second
	providerAnswer = 1 << 20
	// providerPause is how long one that did not answer is not asked again.
	providerPause = 5 * time.Second
)

// Grant is what the people of a group may do.
type Grant struct {
	Group  string
	Scopes []installation.Scope
	Owner  string // only in this owner's workflows; empty for all
}

// ParseGrants reads GROUP=SCOPE,SCOPE[@OWNER], several with semicolons between them. The last = counts: a group may be a
// distinguished name.
func ParseGrants(texts []string) (grants []Grant, err error) {
	for one := range strings.SplitSeq(strings.Join(texts, ";"), ";") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		at := strings.LastIndex(one, "=")
		if at <= 0 {
			return nil, fault.New(fault.Invalid, "--oidc-grant %q: write GROUP=SCOPE,SCOPE, with @OWNER behind it for one owner's workflows only", one)
		}
		scopes, owner, limited := strings.Cut(one[at+1:], "@")
		grant := Grant{Group: strings.TrimSpace(one[:at]), Owner: strings.TrimSpace(owner)}
		if limited && grant.Owner == "" {
			return nil, fault.New(fault.Invalid, "--oidc-grant %q: name the owner behind the @, or leave it out for all workflows", one)
		}
		for scope := range strings.SplitSeq(scopes, ",") {
			named := installation.Scope(strings.TrimSpace(scope))
			switch {
			case !slices.Contains(installation.Scopes(), named):
				return nil, fault.New(fault.Invalid, "--oidc-grant %q: %q is no scope: there are %s", one, named, installation.ScopesText())
			case grant.Owner != "" && (named == installation.Admin || named == installation.Metrics):
				return nil, fault.New(fault.Invalid, "--oidc-grant %q: %s is for the whole installation, not for the workflows of %s", one, named, grant.Owner)
			}
			grant.Scopes = append(grant.Scopes, named)
		}
		grants = append(grants, grant)
	}
	return grants, nil
}

// Organisation lets people in for whom their organisation's provider vouches.
type Organisation struct {
	options OrganisationOptions
	client  *http.Client

	mu      sync.Mutex
	found   *foundProvider
	failed  error // why it was not found
	failure time.Time
}

// A ProviderError says that the provider cannot be asked, or not now.
type ProviderError struct{ cause error }

func (e *ProviderError) Error() string { return e.cause.Error() }

// Unwrap is what it comes of.
func (e *ProviderError) Unwrap() error { return e.cause }

func providerFault(format string, args ...any) error {
	return &ProviderError{fmt.Errorf(format, args...)}
}

// foundProvider is what a provider says of itself.
type foundProvider struct {
	provider *oidc.Provider
	config   oauth2.Config
	says     providerMetadata
}

type providerMetadata struct {
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Keys          string   `json:"jwks_uri"`
	UserInfo      string   `json:"userinfo_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
	SaysIssuer    bool     `json:"authorization_response_iss_parameter_supported"`
}

// NewOrganisation makes one. The provider is asked when somebody signs in: a server starts without it.
func NewOrganisation(options OrganisationOptions) (*Organisation, error) {
	switch {
	case options.ClientID == "":
		return nil, fault.New(fault.Invalid, "--oidc-issuer needs --oidc-client-id: the provider gave it to you when you registered Kintsugi there")
	case len(options.Grants) == 0:
		return nil, fault.New(fault.Invalid, "--oidc-issuer needs --oidc-grant GROUP=SCOPE,SCOPE: without it nobody could do anything")
	}
	if err := confidential(options.Issuer); err != nil {
		return nil, fault.New(fault.Invalid, "--oidc-issuer: %w", err)
	}
	options.GroupsClaim = cmp.Or(options.GroupsClaim, DefaultGroupsClaim)
	options.PersonClaim = cmp.Or(options.PersonClaim, DefaultPersonClaim)
	return &Organisation{options: options, client: &http.Client{
		Timeout: providerTime, Transport: shortAnswers{http.DefaultTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it sends on to another address, which is not followed")
		},
	}}, nil
}

// confidential refuses an address on which others could listen: it is HTTPS, or on this machine.
func confidential(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%q is no address like https://login.example.com", text)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%q is not https://, and not on this machine: others could listen and sign in as anybody", text)
}

// shortAnswers bounds what is read of an answer.
type shortAnswers struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (s shortAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, providerAnswer), answer.Body}
	}
	return answer, err
}

// Name is how people know the provider.
func (o *Organisation) Name() string {
	u, err := url.Parse(o.options.Issuer)
	if err != nil {
		return o.options.Issuer
	}
	return u.Host
}

// Redirect is where the provider sends people back to.
func (o *Organisation) Redirect() string { return o.options.Redirect }

// Check asks the provider what it says of itself, unless that is known.
func (o *Organisation) Check(ctx context.Context) error {
	_, err := o.find(ctx)
	return err
}

func (o *Organisation) find(ctx context.Context) (*foundProvider, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.found != nil {
		return o.found, nil
	}
	// While the provider does not answer, many who sign in do not wait for it one after the other.
	if now := o.options.Now(); o.failed == nil || now.Sub(o.failure) >= providerPause {
		o.found, o.failed = o.ask(context.WithoutCancel(ctx))
		o.failure = o.options.Now()
	}
	return o.found, o.failed
}

// ask has the provider say what it is.
func (o *Organisation) ask(ctx context.Context) (*foundProvider, error) {
	// Keys are fetched with the client of this context, long after it.
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, o.client), o.options.Issuer)
	if err != nil {
		if other, is := errors.AsType[*oidc.IssuerMismatchError](err); is {
			return nil, providerFault("the provider at %s says that it is %s: set --oidc-issuer to exactly that, if it is the right one", o.options.Issuer, plainText(other.Discovered))
		}
		return nil, providerFault("the provider %s cannot be asked: %s. Sign in with a token meanwhile", o.options.Issuer, plainText(err.Error()))
	}
	found := &foundProvider{provider: provider}
	if err := provider.Claims(&found.says); err != nil {
		return nil, providerFault("the provider %s says nothing usable of itself: %w", o.options.Issuer, err)
	}
	for _, at := range []string{found.says.Authorization, found.says.Token, found.says.Keys, cmp.Or(found.says.UserInfo, o.options.Issuer)} {
		// An address of the provider may have a query.
		address, _, _ := strings.Cut(at, "?")
		if err := confidential(address); err != nil {
			return nil, providerFault("the provider %s names an address that is not safe: %w", o.options.Issuer, err)
		}
	}
	found.config = oauth2.Config{
		ClientID: o.options.ClientID, ClientSecret: o.options.ClientSecret, Endpoint: provider.Endpoint(), RedirectURL: o.options.Redirect,
		Scopes: []string{oidc.ScopeOpenID},
	}
	for _, scope := range []string{"profile", "email", "groups"} {
		if slices.Contains(found.says.Scopes, scope) || len(found.says.Scopes) == 0 && scope != "groups" {
			found.config.Scopes = append(found.config.Scopes, scope)
		}
	}
	found.config.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if o.options.ClientSecret == "" || len(found.says.TokenAuth) > 0 && !slices.Contains(found.says.TokenAuth, "client_secret_basic") {
		found.config.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return found, nil
}

// A SignIn is one under way. The browser keeps it, and nobody else: an answer of the provider counts in this browser only.
type SignIn struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	To       string `json:"to"` // the page that is shown afterwards
}

// Begin begins to sign somebody in; the address is where the browser has to go.
func (o *Organisation) Begin(ctx context.Context, to string) (signIn SignIn, address string, err error) {
	found, err := o.find(ctx)
	if err != nil {
		return SignIn{}, "", err
	}
	signIn = SignIn{State: randomToken(""), Nonce: randomToken(""), Verifier: oauth2.GenerateVerifier(), To: to}
	return signIn, found.config.AuthCodeURL(signIn.State, oidc.Nonce(signIn.Nonce), oauth2.S256ChallengeOption(signIn.Verifier)), nil
}

// claims are what counts of what a provider says about somebody.
type claims struct {
	Party         string          `json:"azp"`
	EmailVerified json.RawMessage `json:"email_verified"`
	all           map[string]json.RawMessage
}

// Finish lets in whom the provider sends back with an answer, or says why not.
func (o *Organisation) Finish(ctx context.Context, signIn SignIn, answer url.Values) (Token, error) {
	if state := answer.Get("state"); signIn.State == "" || subtle.ConstantTimeCompare([]byte(state), []byte(signIn.State)) != 1 {
		return Token{}, fault.New(fault.Forbidden, "this answer belongs to no sign-in that was begun in this browser, or to an older one: sign in again")
	}
	found, err := o.find(ctx)
	if err != nil {
		return Token{}, err
	}
	// An answer of another provider is mixed up with this one's (RFC 9207).
	if issuer := answer.Get("iss"); (issuer != "" || found.says.SaysIssuer) && issuer != o.options.Issuer {
		return Token{}, fault.New(fault.Forbidden, "this answer is of the provider %q, not of %s: sign in again", plainText(issuer), o.options.Issuer)
	}
	if refusal := answer.Get("error"); refusal != "" {
		return Token{}, fault.New(fault.Forbidden, "the provider did not sign you in: %s", plainText(strings.TrimSpace(refusal+" "+answer.Get("error_description"))))
	}
	if answer.Get("code") == "" {
		return Token{}, fault.New(fault.Invalid, "the provider sent no code: sign in again")
	}
	about, account, err := o.exchange(ctx, found, signIn, answer.Get("code"))
	if err != nil {
		return Token{}, err
	}
	person, err := o.person(about)
	if err != nil {
		return Token{}, err
	}
	scopes, owner, err := o.granted(about, person)
	if err != nil {
		return Token{}, err
	}
	return o.options.Tokens.Create(ctx, By("person:"+person), installation.CreateToken{
		Person: person, Scopes: scopes, Owner: owner, Account: account,
		Expires: o.options.Now().Add(OrganisationSession).UTC().Truncate(time.Second),
	})
}

// exchange has the provider say who it is that comes with a code.
func (o *Organisation) exchange(ctx context.Context, found *foundProvider, signIn SignIn, code string) (claims, installation.Account, error) {
	var none installation.Account
	ctx = oidc.ClientContext(ctx, o.client)
	token, err := found.config.Exchange(ctx, code, oauth2.VerifierOption(signIn.Verifier))
	if err != nil {
		if refused, is := errors.AsType[*oauth2.RetrieveError](err); is && refused.ErrorCode != "" {
			// Its description may have the secret's beginning, so only the operator reads it.
			o.options.Logger.Warn("the provider refuses to say who signed in", "error", refused.ErrorCode, "description", plainText(refused.ErrorDescription))
			return claims{}, none, fault.New(fault.Forbidden, "the provider refuses to say who you are (%s): sign in again. If it stays so, whoever runs the server looks at --oidc-client-id and its secret", plainText(refused.ErrorCode))
		}
		o.options.Logger.Warn("the provider does not say who signed in", "error", plainText(err.Error()))
		return claims{}, none, providerFault("the provider %s does not answer who you are: sign in again, or with a token", o.options.Issuer)
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := found.provider.Verifier(&oidc.Config{ClientID: o.options.ClientID, Now: o.options.Now}).Verify(ctx, raw)
	if err != nil {
		if expired, is := errors.AsType[*oidc.TokenExpiredError](err); is {
			return claims{}, none, o.clocks("it ended at "+expired.Expiry.UTC().Format(time.RFC3339), err)
		}
		o.options.Logger.Warn("what the provider says of somebody does not hold", "error", plainText(err.Error()))
		return claims{}, none, fault.New(fault.Forbidden, "what the provider says of you does not hold: its log and the server's say more (%s)", plainText(err.Error()))
	}
	var about claims
	if err := errors.Join(verified.Claims(&about), verified.Claims(&about.all)); err != nil {
		return claims{}, none, fault.New(fault.Forbidden, "what the provider says of you cannot be read: %s", plainText(err.Error()))
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(signIn.Nonce)) != 1:
		return claims{}, none, fault.New(fault.Forbidden, "the provider's answer was made for another sign-in: sign in again")
	case about.Party != "" && about.Party != o.options.ClientID, about.Party == "" && len(verified.Audience) > 1:
		return claims{}, none, fault.New(fault.Forbidden, "the provider's answer was made for another program than %s", o.options.ClientID)
	case verified.Subject == "":
		return claims{}, none, fault.New(fault.Forbidden, "the provider does not say whose account it is (sub)")
	case verified.IssuedAt.After(o.options.Now().Add(clockSkew)):
		return claims{}, none, o.clocks("it was made at "+verified.IssuedAt.UTC().Format(time.RFC3339), errors.New("iat"))
	}
	if err := o.askMore(ctx, found, token, verified.Subject, &about); err != nil {
		return claims{}, none, err
	}
	return about, installation.Account{Issuer: o.options.Issuer, Subject: verified.Subject}, nil
}

func (o *Organisation) clocks(is string, cause error) error {
	o.options.Logger.Warn("the clocks of the provider and of this machine differ, or an old answer came", "error", cause)
	return fault.New(fault.Forbidden, "the provider's word counts no more, or not yet: %s, and here it is %s. Whoever runs the server sets the clocks of both", is, o.options.Now().UTC().Format(time.RFC3339))
}

// askMore asks the provider for what its first word leaves out: many say groups and address there only.
func (o *Organisation) askMore(ctx context.Context, found *foundProvider, token *oauth2.Token, subject string, about *claims) error {
	_, groups := about.all[o.options.GroupsClaim]
	_, person := about.all[o.options.PersonClaim]
	if groups && person || found.says.UserInfo == "" {
		return nil
	}
	info, err := found.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return providerFault("the provider %s does not say your name and groups: sign in again, or with a token: %s", o.options.Issuer, plainText(err.Error()))
	}
	if info.Subject != subject {
		return fault.New(fault.Forbidden, "the provider speaks of two people: sign in again")
	}
	more := claims{}
	if err := errors.Join(info.Claims(&more), info.Claims(&more.all)); err != nil {
		return fault.New(fault.Forbidden, "what the provider says of you cannot be read: %s", plainText(err.Error()))
	}
	for name, value := range more.all {
		if _, said := about.all[name]; !said {
			about.all[name] = value
		}
	}
	if !person {
		about.EmailVerified = more.EmailVerified // it is about the address beside it
	}
	return nil
}

// person is how the history names somebody.
func (o *Organisation) person(about claims) (string, error) {
	var name string
	if err := json.Unmarshal(about.all[o.options.PersonClaim], &name); err != nil || strings.TrimSpace(name) == "" {
		return "", fault.New(fault.Forbidden, "the provider does not say your %s: whoever runs the server has it sent, or names another claim with --oidc-person-claim", o.options.PersonClaim)
	}
	// Everybody may write somebody else's address into an account; the provider says whether it was tried.
	if verified := strings.Trim(string(about.EmailVerified), `"`); o.options.PersonClaim == "email" && verified != "true" {
		return "", fault.New(fault.Forbidden, "the provider does not say that %s is yours (email_verified): have it confirmed there, or whoever runs the server names another claim with --oidc-person-claim", plainText(name))
	}
	name = strings.TrimSpace(name)
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", fault.New(fault.Forbidden, "the provider says a name with characters that cannot be seen: %q", name)
	}
	return name, nil
}

// granted is what somebody's groups allow. Scopes for one owner are never added to those for another, or for all: the first grant that
// names one of the groups says which owner counts.
func (o *Organisation) granted(about claims, person string) (scopes []installation.Scope, owner string, err error) {
	said, there := about.all[o.options.GroupsClaim]
	var groups []string
	if err := json.Unmarshal(said, &groups); err != nil {
		var one string
		if json.Unmarshal(said, &one) == nil {
			groups = []string{one}
		}
	}
	if !there || groups == nil {
		return nil, "", fault.New(fault.Forbidden, "you are %s, and the provider does not say your groups (%s): whoever runs the server has it sent, or names another claim with --oidc-groups-claim", person, o.options.GroupsClaim)
	}
	first := slices.IndexFunc(o.options.Grants, func(g Grant) bool { return slices.Contains(groups, g.Group) })
	if first < 0 {
		o.options.Logger.Warn("somebody signed in whose groups may do nothing here: --oidc-grant says what groups may do", "person", person, "groups", len(groups))
		return nil, "", fault.New(fault.Forbidden, "you are %s, and none of your groups may do anything here: ask whoever runs the server", person)
	}
	owner = o.options.Grants[first].Owner
	for _, grant := range o.options.Grants {
		if grant.Owner == owner && slices.Contains(groups, grant.Group) {
			scopes = append(scopes, grant.Scopes...)
		}
	}
	return scopes, owner, nil
}

// plainText is what others said, short and without characters that do more than be seen.
func plainText(text string) string {
	return plain.Line(failure.Cut(text, 300))
}
