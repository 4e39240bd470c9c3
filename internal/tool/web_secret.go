package tool

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// handle is what secret(name) gives a script in place of the value.
var handle = regexp.MustCompile(`\{\{secret:([^{}]*)\}\}`)

// putSecrets puts values in the place of handles in headers and in values of the query. A
// handle anywhere else, or of a secret that is not bound to the host, is a permission error.
func (h *hop) putSecrets() *sandbox.Error {
	elsewhere := *h.url
	elsewhere.RawQuery = ""
	if hasHandle(elsewhere.String()) || hasHandle(elsewhere.Path) || handle.Match(h.body) {
		return h.misplaced()
	}
	for name, values := range h.header {
		for i, value := range values {
			expanded, fault := h.expand(value)
			if fault != nil {
				return fault
			}
			if expanded == value {
				continue
			}
			if !validHeaderValue(expanded) {
				return h.fault(sandbox.ClassPermission, CodeSecretUnbound, "the secret in the header %s has a control character in it", name)
			}
			values[i], h.bound[name] = expanded, true
		}
	}
	if !hasHandle(h.url.RawQuery) {
		return nil
	}
	pairs := strings.Split(h.url.RawQuery, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if hasHandle(name) {
			return h.misplaced()
		}
		plain, err := url.QueryUnescape(value)
		if err != nil || !handle.MatchString(plain) {
			continue
		}
		expanded, fault := h.expand(plain)
		if fault != nil {
			return fault
		}
		pairs[i] = name + "=" + url.QueryEscape(expanded)
	}
	h.url.RawQuery = strings.Join(pairs, "&")
	return nil
}

func (h *hop) misplaced() *sandbox.Error {
	return h.fault(sandbox.ClassPermission, CodeSecretUnbound, "a secret may stand in values of headers and of the query only")
}

// hasHandle says that there is a handle in text, plainly or percent-encoded.
func hasHandle(text string) bool {
	if handle.MatchString(text) {
		return true
	}
	plain, err := url.QueryUnescape(text)
	return err == nil && handle.MatchString(plain)
}

func (h *hop) expand(text string) (string, *sandbox.Error) {
	var fault *sandbox.Error
	host := h.url.Host
	expanded := handle.ReplaceAllStringFunc(text, func(found string) string {
		name := handle.FindStringSubmatch(found)[1]
		if h.client.env.Secrets != nil {
			value, ok, err := h.client.env.Secrets(name, host)
			if err != nil {
				fault = h.fault(sandbox.ClassInternal, CodeSecretUnread, "the secret %q cannot be read now: the server's log says why", name)
				return found
			}
			if ok {
				h.client.secrets.add(value, found)
				return value
			}
		}
		fault = h.fault(sandbox.ClassPermission, CodeSecretUnbound, "no secret %q is bound to %s", name, host)
		return found
	})
	return expanded, fault
}
