package hostcall

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// redirectTarget is where an answer sends the request on to, nil if it does not.
func redirectTarget(from *url.URL, response *http.Response) (*url.URL, error) {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	location := response.Header.Get("Location")
	if location == "" {
		return nil, nil
	}
	ref, err := url.Parse(location)
	if err != nil {
		return nil, errors.New("the Location header is not a URL")
	}
	to := from.ResolveReference(ref)
	to.Fragment, to.RawFragment = "", ""
	to.RawQuery = escapeQuery(to.RawQuery)
	return to, nil
}

// loginPath is where sites send those who are not signed in.
var loginPath = lazyregexp.New(`(?i)(?:^|/)(?:log[-_]?in|log[-_]?on|sign[-_]?in|sso|saml2?|adfs|authenticate|oauth2?/authorize|sessions?/new)(?:[/.]|$)`)

// credential is in the names of headers that say who the script is.
var credential = lazyregexp.New(`(?i)auth|cookie|token|secret|session|passw|credential|key|sign`)

// follow turns the hop into the next one, as browsers do: 303, and 301 or 302 after a
// POST, go on as GET without the body; others repeat the request. Nothing that says who the
// script is goes to another host.
func (h *hop) follow(to *url.URL, status int) {
	asGet := status == http.StatusSeeOther && h.method != http.MethodGet && h.method != http.MethodHead ||
		(status == http.StatusMovedPermanently || status == http.StatusFound) && h.method == http.MethodPost
	h.header = h.header.Clone()
	if asGet {
		h.method, h.body = http.MethodGet, nil
		for _, name := range []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type", "Idempotency-Key"} {
			h.header.Del(name)
		}
	} else {
		// It was not taken, so whether it happened is up to the next server alone.
		h.sent.Store(false)
	}
	if !sameHost(h.url, to) {
		for name := range h.header {
			if h.bound[name] || name != "Idempotency-Key" && credential.MatchString(name) {
				h.header.Del(name)
			}
		}
	}
	h.login = h.login || loginPath.MatchString(to.Path)
	h.url = to
}

// sameHost says that credentials for one address may go to the other: the same host and
// port, and the step from http to https of a host.
func sameHost(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return PortOf(from) == PortOf(to)
	}
	return from.Scheme == "http" && PortOf(from) == "80" && PortOf(to) == "443"
}
