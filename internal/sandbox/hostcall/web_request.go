package hostcall

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// ownHeaders are set by the host or belong to the connection, never to a script.
var ownHeaders = map[string]bool{
	"Connection": true, "Content-Length": true, "Expect": true, "Host": true, "Keep-Alive": true,
	"Proxy-Authenticate": true, "Proxy-Authorization": true, "Proxy-Connection": true,
	"Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

var headerName = lazyregexp.New("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// buildHeader is a script's headers, checked. Accept-Encoding is left to the host, which
// then takes the compression off again.
func buildHeader(r *request, given map[string]headerText, defaults map[string]string) *sandbox.Error {
	r.header = http.Header{"User-Agent": {"kintsugi"}}
	for name, value := range defaults {
		r.header.Set(name, value)
	}
	// In order of name: of two spellings of one header the same one wins every time.
	for _, name := range sortedKeys(given) {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !headerName.MatchString(name):
			return fail(sandbox.ClassLogic, "", "%s: %q is not the name of a header", r.where(), clip(name))
		case ownHeaders[canonical]:
			return fail(sandbox.ClassLogic, "", "%s: the header %s is the host's to set", r.where(), canonical)
		case canonical == "Accept-Encoding":
			continue
		case !validHeaderValue(string(given[name])):
			return fail(sandbox.ClassLogic, "", "%s: the value of the header %s has a line break or another control character in it",
				r.where(), canonical)
		}
		r.header.Set(name, strings.Trim(string(given[name]), " \t"))
	}
	if r.key != "" && r.header.Get("Idempotency-Key") == "" {
		r.header.Set("Idempotency-Key", r.key)
	}
	return nil
}

func validHeaderValue(value string) bool {
	return !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}

// parseURL takes what a browser would take: spaces and letters of any language in the
// query are escaped as they should have been.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		// A url.Error repeats the URL, which may have a password in it.
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err
		}
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return nil, errors.New("not an absolute http or https URL")
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// escapeQuery percent-encodes what may not stand in a query, and nothing else.
func escapeQuery(query string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(query) {
		c := query[i]
		if c > ' ' && c < 0x7f && !strings.ContainsRune("\"<>'", rune(c)) {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// withoutUserinfo is a URL as it may be shown, whether it can be parsed or not.
func withoutUserinfo(text string) string {
	start := strings.Index(text, "//")
	if start < 0 {
		return text
	}
	start += len("//")
	end := len(text)
	if i := strings.IndexAny(text[start:], "/?#\\"); i >= 0 {
		end = start + i
	}
	if at := strings.LastIndexByte(text[start:end], '@'); at >= 0 {
		return text[:start] + text[start+at+1:]
	}
	return text
}

// prepare puts in what only the host knows: a password of the URL, and secrets.
func (h *hop) prepare() *sandbox.Error {
	h.bound = map[string]bool{}
	h.header = h.header.Clone()
	if user := h.url.User; user != nil {
		if hasHandle(user.String()) {
			return h.misplaced()
		}
		if h.header.Get("Authorization") == "" {
			password, _ := user.Password()
			basic := http.Request{Header: h.header}
			basic.SetBasicAuth(user.Username(), password)
		}
		h.url.User = nil
	}
	return h.putSecrets()
}
