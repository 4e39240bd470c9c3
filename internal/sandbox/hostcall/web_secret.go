package hostcall

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/secret/redact"
)

// handle is what secret(name) gives a script in place of the value.
var handle = lazyregexp.New(`\{\{secret:([^{}]*)\}\}`)

// SecretsOf are the names of the secrets in the arguments of a call, each once.
func SecretsOf(args []byte) (names []string) {
	for _, found := range handle.FindAllSubmatch(args, -1) {
		if name := string(found[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// encoded is what btoa makes of a text with handles in it: the host encodes it, when it has the values.
var encoded = lazyregexp.New(`\{\{base64:((?:[^{}]|` + handle.String() + `)*)\}\}`)

// changedHandle is what is left of a handle that was cut, or whose case was changed.
var changedHandle = lazyregexp.New(`(?i)\{\{(?:secret|base64):|\bsecret:[a-z0-9_.-]{1,100}\}`)

// encodedHandles finds a handle that was encoded in any way that a server may repeat a secret in.
var encodedHandles = sync.OnceValue(func() *redact.Redactor {
	r := &redact.Redactor{}
	r.Add("{{secret:", "")
	return r
})

// changed says that there is a handle in a text that the host would not find, because the script
// cut or encoded it.
func changed(text string) bool {
	text = handle.ReplaceAllString(encoded.ReplaceAllString(text, ""), "")
	return changedHandle.MatchString(text) || encodedHandles().Text(text) != text
}

// putSecrets puts values in the place of handles in headers and in values of the query. A
// handle anywhere else, or of a secret that is not bound to the host, is a permission error.
func (h *hop) putSecrets() *sandbox.Error {
	elsewhere := *h.url
	elsewhere.RawQuery = ""
	if hasHandle(elsewhere.String()) || hasHandle(elsewhere.Path) || handle.Match(h.body) {
		return h.misplaced()
	}
	if changed(string(h.body)) {
		return h.changedHandle()
	}
	for name, values := range h.header {
		for i, value := range values {
			if changed(value) {
				return h.changedHandle()
			}
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
		if changed(h.url.RawQuery) {
			return h.changedHandle()
		}
		return nil
	}
	pairs := strings.Split(h.url.RawQuery, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if hasHandle(name) {
			return h.misplaced()
		}
		plain, err := url.QueryUnescape(value)
		if err == nil && changed(plain) {
			return h.changedHandle()
		}
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
	return h.fault(sandbox.ClassPermission, CodeSecretMisplaced, "a secret may stand in values of headers and of the query only")
}

// changedHandle is the script's to mend: a handle stands for its value only as it is.
func (h *hop) changedHandle() *sandbox.Error {
	return h.fault(sandbox.ClassLogic, CodeSecretChanged,
		"what secret(name) gave was cut or encoded by the script, which does not have the value: use it as it is, or through btoa, as in 'Basic ' + btoa('user:' + secret(name))")
}

// hasHandle says that there is a handle in text, plainly or percent-encoded.
func hasHandle(text string) bool {
	if handle.MatchString(text) {
		return true
	}
	plain, err := url.QueryUnescape(text)
	return err == nil && handle.MatchString(plain)
}

// expand puts values in the place of handles, and encodes what is to be encoded with them.
func (h *hop) expand(text string) (string, *sandbox.Error) {
	var fault *sandbox.Error
	text = encoded.ReplaceAllStringFunc(text, func(found string) string {
		plain, wrong := h.expandHandles(encoded.FindStringSubmatch(found)[1])
		if wrong != nil {
			fault = wrong
		}
		return base64.StdEncoding.EncodeToString([]byte(plain))
	})
	if fault != nil {
		return "", fault
	}
	return h.expandHandles(text)
}

func (h *hop) expandHandles(text string) (string, *sandbox.Error) {
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
				h.client.mu.Lock()
				defer h.client.mu.Unlock()
				h.client.secrets.Add(value, found)
				return value
			}
		}
		fault = h.fault(sandbox.ClassPermission, CodeSecretUnbound,
			"no secret %q is bound to %s. Set it, with --workflow or --all: kintsugi secret set %s --host %s", name, host, name, host)
		return found
	})
	return expanded, fault
}
