package api

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// sessionCookie holds what somebody shows who signed in on the page.
const sessionCookie = "kintsugi_session"

// How often somebody may show what is not known here.
const (
	mostFailed   = 10
	failedWindow = time.Minute
	// mostAddresses bounds what is remembered of those who tried; beyond it all wait together.
	mostAddresses = 10_000
)

// shown is what a request shows to be let in: a token in its header, else the session of its browser.
func shown(r *http.Request) string {
	if kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(kind, "bearer") {
		return strings.TrimSpace(token)
	}
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		return cookie.Value
	}
	return ""
}

// enter lets a caller in who may do what a scope allows; an empty scope asks only who it is.
func (s *Server) enter(r *http.Request, scope installation.Scope) (app.Caller, error) {
	text := shown(r)
	if text == "" {
		return app.Caller{}, problem(http.StatusUnauthorized, "show a token: 'Authorization: Bearer …', or sign in on the page. Make one with 'kintsugi token create'")
	}
	caller, err := s.node.Tokens.Caller(r.Context(), text)
	if err != nil {
		if fault.KindOf(err) != fault.Forbidden {
			return app.Caller{}, err
		}
		if wait := s.failed.add(address(r)); wait > 0 {
			return app.Caller{}, tooMany(wait)
		}
		return app.Caller{}, problem(http.StatusUnauthorized, "%s", err)
	}
	return caller, allowed(caller, scope)
}

// allowed refuses who may not do what a scope allows.
func allowed(caller app.Caller, scope installation.Scope) error {
	if scope != "" && !caller.Allows(scope) {
		return problem(http.StatusForbidden, "your token does not allow this: it needs the scope %s", scope)
	}
	return nil
}

func tooMany(wait time.Duration) error {
	return huma.ErrorWithHeaders(problem(http.StatusTooManyRequests, "too many tokens that are not known here: wait %s", wait.Round(time.Second)),
		http.Header{"Retry-After": {strconv.Itoa(int(wait.Seconds()) + 1)}})
}

func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// attempts counts who showed what is not known, so that guessing is slow and fills no log.
type attempts struct {
	now func() time.Time
	mu  sync.Mutex
	by  map[string]attempt
}

type attempt struct {
	count int
	until time.Time
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{now: now, by: map[string]attempt{}}
}

// add counts one more, and says how long to wait if that is too many.
func (a *attempts) add(address string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if _, known := a.by[address]; !known && len(a.by) >= mostAddresses {
		for one, of := range a.by {
			if !now.Before(of.until) {
				delete(a.by, one)
			}
		}
		if len(a.by) >= mostAddresses {
			address = ""
		}
	}
	one := a.by[address]
	if !now.Before(one.until) {
		one = attempt{until: now.Add(failedWindow)}
	}
	one.count++
	a.by[address] = one
	if one.count > mostFailed {
		return one.until.Sub(now)
	}
	return 0
}

type callKey struct{}

// callOf is the request that is carried out in a context.
func callOf(ctx context.Context) *call {
	return ctx.Value(callKey{}).(*call)
}
