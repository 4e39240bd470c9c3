package api

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// sessionTime is how long somebody stays signed in on the page.
const sessionTime = 30 * 24 * time.Hour

// A Who is somebody who was let in.
type Who struct {
	Person  string               `json:"person"`
	Scopes  []installation.Scope `json:"scopes" nullable:"false" enum:"read,run,edit,decide,admin,metrics"`
	Owner   string               `json:"owner,omitempty" doc:"They see the workflows of this owner only"`
	Expires time.Time            `json:"expires,omitzero"`
	Version string               `json:"version" doc:"The program's"`
}

func (s *Server) whoIs(caller app.Caller) Who {
	scopes := caller.Scopes
	if caller.Allows(installation.Admin) {
		scopes = installation.Scopes()
	}
	return Who{Person: caller.Person, Scopes: scopes, Owner: caller.Owner, Expires: caller.Expires, Version: s.config.Version}
}

// sessions are for browsers: the token is shown once, and then a cookie that no script can read.
func (s *Server) sessions() {
	query(s, op{path: "/session", id: "getSession", summary: "Who is signed in, and what they may do", tag: "session"},
		func(ctx context.Context, _ *struct{}) (Who, error) { return s.whoIs(callOf(ctx).Caller), nil })
	schemas := s.api.OpenAPI().Components.Schemas
	s.describe(&huma.Operation{
		OperationID: "signIn", Method: http.MethodPost, Path: Base + "/session", Summary: "Begin a session with the token in Authorization", Tags: []string{"session"},
		Description: "The answer sets a cookie that no script of a page can read.",
		Responses: map[string]*huma.Response{"200": {Description: "Who is signed in", Content: map[string]*huma.MediaType{"application/json": {
			Schema: schemas.Schema(reflect.TypeFor[Who](), true, "Who"),
		}}}},
	}, "")
	s.describe(&huma.Operation{
		OperationID: "signOut", Method: http.MethodDelete, Path: Base + "/session", Summary: "End the session of this browser", Description: "Its cookie is worth nothing any more. Without a session nothing happens.", Tags: []string{"session"},
		Responses: map[string]*huma.Response{"204": {Description: "It is ended"}},
	}, "")
	s.mux.HandleFunc("POST "+Base+"/session", s.signIn)
	s.mux.HandleFunc("DELETE "+Base+"/session", s.signOut)
}

// signIn begins a session with the token in the Authorization header; a session cannot begin another one.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(strings.ToLower(r.Header.Get("Authorization")), "bearer ") {
		r.Header.Set("Authorization", "Bearer ") // a cookie does not sign in
	}
	caller, err := s.enter(r, "")
	if err != nil {
		s.fail(w, r, "signIn", err)
		return
	}
	expires := s.node.Now().Add(sessionTime).UTC().Truncate(time.Second)
	if !caller.Expires.IsZero() && caller.Expires.Before(expires) {
		expires = caller.Expires
	}
	session, err := s.node.Tokens.Create(r.Context(), app.By(caller.Actor()), installation.CreateToken{
		Name: caller.Name, Person: caller.Person, Holder: caller.Holder, Scopes: caller.Scopes, Owner: caller.Owner, Expires: expires, Parent: caller.ID,
	})
	if err != nil {
		s.fail(w, r, "signIn", err)
		return
	}
	s.setCookie(w, session.Token, expires, s.config.Secure)
	who := s.whoIs(caller)
	who.Expires = expires
	w.Header().Set("Content-Type", "application/json")
	_ = writeJSON(w, who) // there is nobody else to tell
}

// signOut ends the session of the browser: what it shows lets nobody in any more.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) {
	caller, err := s.enter(r, "")
	if err == nil && caller.Session() {
		if _, err := s.node.Commands.RevokeToken(r.Context(), installation.RevokeToken{ID: caller.ID, Reason: "signed out"}, app.By(caller.Actor())); err != nil {
			s.fail(w, r, "signOut", err)
			return
		}
	}
	s.setCookie(w, "", time.Unix(1, 0), s.config.Secure)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) setCookie(w http.ResponseWriter, value string, expires time.Time, secure bool) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: value, Path: "/", Expires: expires,
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode,
	})
}
