package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// Where people sign in with their organisation's account, and where its provider sends them back to.
const (
	SignInPath   = "/signin"
	CallbackPath = SignInPath + "/callback"
)

const (
	// signInCookie keeps a sign-in under way in the browser that began it.
	signInCookie = "kintsugi_signin"
	// signInTime is how long somebody may take to sign in at the provider.
	signInTime = 10 * time.Minute
	// mostTo bounds the page that is shown afterwards.
	mostTo = 1000
)

// Ways are the ways in. A token is always one.
type Ways struct {
	Organisation *OrganisationWay `json:"organisation,omitempty"` // missing, if only tokens let people in
}

// OrganisationWay is the way in with an organisation's account.
type OrganisationWay struct {
	Name string `json:"name" doc:"How people know the provider"`
	Path string `json:"path" doc:"Where a browser goes to sign in"`
}

func (s *Server) signingIn() {
	operation := &huma.Operation{
		OperationID: "getWaysIn", Method: http.MethodGet, Path: Base + "/ways-in", Summary: "The ways in, for those who are not let in yet", Tags: []string{"session"},
		Description: "It asks for no token: the page shows them before anybody is signed in.",
		Responses: map[string]*huma.Response{"200": {Description: "Beside tokens", Content: map[string]*huma.MediaType{"application/json": {
			Schema: s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Ways](), true, "Ways"),
		}}}},
	}
	s.describe(operation, "")
	operation.Security = []map[string][]string{} // nobody has to be known
	s.mux.HandleFunc("GET "+operation.Path, s.waysIn)
	if s.config.Organisation == nil {
		return
	}
	s.mux.HandleFunc("GET "+SignInPath, s.beginSignIn)
	s.mux.HandleFunc("GET "+CallbackPath, s.finishSignIn)
}

// waysIn is asked by those who are not let in yet.
func (s *Server) waysIn(w http.ResponseWriter, _ *http.Request) {
	var ways Ways
	if o := s.config.Organisation; o != nil {
		ways.Organisation = &OrganisationWay{Name: o.Name(), Path: SignInPath}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = writeJSON(w, ways) // there is nobody else to tell
}

// beginSignIn sends a browser to the provider. Its cookie alone has what it must show when it comes back.
func (s *Server) beginSignIn(w http.ResponseWriter, r *http.Request) {
	back, err := url.Parse(s.config.Organisation.Redirect())
	if err != nil {
		s.writeNotSignedIn(w, r, err)
		return
	}
	if !strings.EqualFold(back.Host, r.Host) { // the provider sends it to that name, where a cookie of this one does not go
		here := url.URL{Scheme: back.Scheme, Host: back.Host, Path: SignInPath, RawQuery: url.Values{"to": {within(r.URL.Query().Get("to"))}}.Encode()}
		http.Redirect(w, r, here.String(), http.StatusSeeOther)
		return
	}
	signIn, address, err := s.config.Organisation.Begin(r.Context(), within(r.URL.Query().Get("to")))
	if err != nil {
		s.writeNotSignedIn(w, r, err)
		return
	}
	kept, err := json.Marshal(signIn)
	if err != nil {
		s.writeNotSignedIn(w, r, err)
		return
	}
	s.keepSignIn(w, base64.RawURLEncoding.EncodeToString(kept), s.node.Now().Add(signInTime))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// within is a page of this server that is asked for; the first one, if it is none: nobody is sent elsewhere.
func within(to string) string {
	u, err := url.Parse(to)
	if err != nil || len(to) > mostTo || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") ||
		strings.ContainsAny(to, "\\") || strings.ContainsFunc(to, func(r rune) bool { return r <= ' ' || r == 0x7f }) || strings.HasPrefix(u.Path, SignInPath) || strings.HasPrefix(u.Path, "//") {
		return "/"
	}
	return to
}

// finishSignIn begins a session for whom the provider sends back.
func (s *Server) finishSignIn(w http.ResponseWriter, r *http.Request) {
	signIn := s.signInOf(r)
	s.keepSignIn(w, "", time.Unix(1, 0)) // it counts once
	w.Header().Set("Cache-Control", "no-store")
	token, err := s.config.Organisation.Finish(r.Context(), signIn, r.URL.Query())
	if err != nil {
		if wait := s.failed.add(address(r)); wait > 0 {
			err = tooMany(wait)
		}
		s.writeNotSignedIn(w, r, err)
		return
	}
	s.setCookie(w, token.Token, token.Expires, s.secure())
	http.Redirect(w, r, within(signIn.To), http.StatusSeeOther)
}

// signInOf is the sign-in that a browser began; without a state, if it began none.
func (s *Server) signInOf(r *http.Request) (signIn app.SignIn) {
	cookie, err := r.Cookie(s.signInCookie())
	if err != nil {
		return app.SignIn{}
	}
	text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || json.Unmarshal(text, &signIn) != nil {
		return app.SignIn{}
	}
	return signIn
}

// signInCookie has a name that no other host of the domain can set, where there is TLS.
func (s *Server) signInCookie() string {
	if s.secure() {
		return "__Host-" + signInCookie
	}
	return signInCookie
}

// keepSignIn keeps a sign-in in the browser. The cookie comes along when the provider, another site, sends the browser back: hence Lax.
func (s *Server) keepSignIn(w http.ResponseWriter, value string, expires time.Time) {
	http.SetCookie(w, &http.Cookie{
		Name: s.signInCookie(), Value: value, Path: "/", Expires: expires,
		HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode,
	})
}

// secure says that people reach the server by TLS.
func (s *Server) secure() bool {
	return s.config.Secure || s.config.Organisation != nil && strings.HasPrefix(s.config.Organisation.Redirect(), "https://")
}

// writeNotSignedIn says to a person why they are not let in.
func (s *Server) writeNotSignedIn(w http.ResponseWriter, r *http.Request, err error) {
	page := decidePage{Heading: "You are not signed in", Style: decideStyle, Back: "/"}
	var status int
	if down, is := errors.AsType[*app.ProviderError](err); is {
		status, page.Problem = http.StatusServiceUnavailable, plain.Clean(down.Error())
		s.logger.Warn("nobody can sign in with an organisation's account", "error", down)
	} else {
		err = s.problemOf(r.Context(), "signIn", err)
		p, _ := errors.AsType[*Problem](err) // it is one
		status, page.Problem = p.Status, plain.Clean(p.Detail)
	}
	out := &bytes.Buffer{}
	if err := decideTemplate.Execute(out, page); err != nil {
		panic(err) // only by a fault of the template
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", decidePolicy)
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // there is nobody else to tell
}

// signedIn lists and ends sessions: everybody their own, an admin everybody's.
func (s *Server) signedIn() {
	query(s, op{path: "/sessions", id: "listSessions", summary: "Browsers in which you are signed in; for an admin, everybody is", tag: "session"},
		func(ctx context.Context, _ *struct{}) (Page[app.Token], error) {
			sessions, err := s.node.Tokens.Sessions(ctx, callOf(ctx).Caller)
			return Page[app.Token]{Items: sessions}, err
		})
	command(s, op{method: http.MethodDelete, path: "/sessions/{session}", id: "endSession", summary: "End a session: of yours, or for an admin of anybody's", tag: "session"},
		func(ctx context.Context, c *call, in *struct {
			Session string `path:"session" maxLength:"200"`
		}) (app.Token, error) {
			sessions, err := s.node.Tokens.Sessions(ctx, c.Caller)
			if err != nil {
				return app.Token{}, err
			}
			for _, one := range sessions {
				if one.ID != in.Session {
					continue
				}
				result, err := s.node.Commands.RevokeToken(ctx, installation.RevokeToken{ID: one.ID, Reason: "the session was ended"}, c.meta())
				c.did(result)
				one.Standing = installation.Revoked
				return one, err
			}
			return app.Token{}, fault.New(fault.NotFound, "you have no session %q: GET %s/sessions lists them", in.Session, Base)
		})
}
