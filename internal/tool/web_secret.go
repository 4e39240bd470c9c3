package tool

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// handle is what secret(name) gives a script in place of the value.
var handle = regexp.MustCompile(`\{\{secret:([^{}]*)\}\}`)

// minRedacted is how long a value must be to be looked for in answers: a shorter one is
// found everywhere by chance.
const minRedacted = 4

// putSecrets puts values in the place of handles in headers and in values of the query. A
// handle anywhere else, or of a secret that is not bound to the host, is a permission error.
func (h *hop) putSecrets() *sandbox.Error {
	elsewhere := *h.url
	elsewhere.RawQuery = ""
	if hasHandle(elsewhere.String()) || hasHandle(elsewhere.Path) || handle.Match(h.body) {
		return h.fault(sandbox.ClassPermission, CodeSecretUnbound, "a secret may stand in values of headers and of the query only")
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
			return h.fault(sandbox.ClassPermission, CodeSecretUnbound, "a secret may stand in values of headers and of the query only")
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
			if value, ok := h.client.env.Secrets(name, host); ok {
				h.secrets[value] = found
				return value
			}
		}
		fault = h.fault(sandbox.ClassPermission, CodeSecretUnbound, "no secret %q is bound to %s", name, host)
		return found
	})
	return expanded, fault
}

// redact puts the handles back where an answer repeats a secret, so that no value gets
// into the script, the journal or the log.
func (h *hop) redact(a *answer) {
	for _, value := range sortedKeys(h.secrets) {
		if len(value) < minRedacted {
			continue
		}
		found := h.secrets[value]
		a.body = bytes.ReplaceAll(a.body, []byte(value), []byte(found))
		for _, values := range a.header {
			for i := range values {
				values[i] = strings.ReplaceAll(values[i], value, found)
			}
		}
	}
}
