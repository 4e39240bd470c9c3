package api

import (
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
)

// guard is around everything: names by which nobody reaches it, other sites' pages, and what a browser may do with an
// answer. It comes before any operation, and before anybody is let in.
func (s *Server) guard(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, http.StatusForbidden, "a page of another origin may not ask for this")
	}))
	inner := crossOrigin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Before the next request the server reads what was left of this one, and of a refused one that is all of it.
		defer func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(leftTime)) }()
		defer s.survive(w, r)
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		if s.config.Secure {
			header.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !s.knows(r.Host) {
			refuse(w, r, http.StatusMisdirectedRequest, "this server is not reached by the name %q: allow it with --host", hostOnly(r.Host))
			return
		}
		if strings.HasPrefix(r.URL.Path, Base) {
			header.Set("Cache-Control", "no-store")
		}
		inner.ServeHTTP(w, r)
		s.node.Fares(r.Context(), answering(r), nil)
	})
}

// survive keeps the server up when an operation panics: its operator is told, its caller that it failed.
func (s *Server) survive(w http.ResponseWriter, r *http.Request) {
	fault := recover()
	if fault == nil {
		return
	}
	if fault == http.ErrAbortHandler { //nolint:errorlint // it is panicked with as it is
		panic(fault)
	}
	s.node.Fares(r.Context(), answering(r), &panics.Error{Cause: fault, Stack: debug.Stack()})
	refuse(w, r, http.StatusInternalServerError, "the server failed at it: its log says how")
}

// answering is what a request has the server do, as people are told of it.
func answering(r *http.Request) string { return "answering " + r.Pattern }

// knows says that a name is one by which the server may be reached. A page that makes its own name point to this
// machine (DNS rebinding) asks by a name that is not.
func (s *Server) knows(host string) bool {
	name := hostOnly(host)
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return true
	}
	return name == "localhost" || slices.ContainsFunc(s.config.Hosts, func(one string) bool { return strings.EqualFold(one, name) })
}

func hostOnly(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}
