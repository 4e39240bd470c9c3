package hostcall

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// statusFault is the error for an answer that is not a success.
func (c *client) statusFault(r *request, a *answer) *sandbox.Error {
	class, code := classifyStatus(a)
	fault := fail(class, code, "%s: status %d", r.where(), a.status)
	if c.env.leavesOpen(r, a.status) {
		doubt(fault)
	}
	c.describe(fault, r, a)
	return fault
}

// leavesOpen says that a write was answered, and the answer does not say whether it happened: a gateway got no answer
// itself, or a server broke in the middle. A server that is too busy, or was not reached, has done nothing.
func (env *Env) leavesOpen(r *request, status int) bool {
	if !r.write {
		return false
	}
	switch status {
	case http.StatusInternalServerError, http.StatusInsufficientStorage: // no room for the answer, or for part of what was written
		u, err := parseURL(r.url)
		return err != nil || !slices.ContainsFunc(env.AtomicHosts, func(host string) bool { return strings.EqualFold(host, u.Host) })
	case http.StatusNotImplemented, http.StatusServiceUnavailable, http.StatusHTTPVersionNotSupported,
		http.StatusNetworkAuthenticationRequired,
		521, 523, 525, 526: // of Cloudflare: the server was not reached
		return false
	}
	return status > http.StatusInternalServerError
}

// doubt marks the error of a write that may have happened, so that it is not just repeated.
func doubt(fault *sandbox.Error) {
	fault.Class, fault.Code = sandbox.ClassNetwork, CodeIndeterminate
	fault.Message += " (it was sent, so it may have happened)"
}

// describe adds what the answer says to a fault.
func (c *client) describe(fault *sandbox.Error, r *request, a *answer) {
	describe(fault, r, a, c.env.Clock())
}

func describe(fault *sandbox.Error, r *request, a *answer, now time.Time) {
	fault.Status = a.status
	fault.Body = firstBytes(a.body, maxErrorBody)
	if u, err := parseURL(r.url); err == nil {
		fault.Host = u.Hostname()
	}
	if fault.Class == sandbox.ClassNetwork {
		fault.RetryAfterMS = retryAfter(a.header, now).Milliseconds()
	}
}

// classifyStatus says whose trouble an answer is: the status is the default, and a
// structured reason in the answer refines it.
func classifyStatus(a *answer) (class, code string) {
	switch status := a.status; {
	case status == http.StatusUnauthorized, status == http.StatusProxyAuthRequired:
		return sandbox.ClassAuth, ""
	case status == http.StatusPaymentRequired, status == http.StatusInsufficientStorage:
		return sandbox.ClassPermission, CodeQuota
	case status == http.StatusUnavailableForLegalReasons:
		return sandbox.ClassPermission, ""
	case status == http.StatusForbidden, status == http.StatusBadRequest:
		return classifyRefusal(a)
	case status == http.StatusTooManyRequests:
		if kindOfReason(a) == quotaReason {
			return sandbox.ClassPermission, CodeQuota
		}
		return sandbox.ClassNetwork, CodeRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500:
		return sandbox.ClassNetwork, ""
	case a.login:
		return sandbox.ClassAuth, CodeLoginPage
	}
	return sandbox.ClassLogic, ""
}

// classifyRefusal is for 400 and 403, which services use for nearly everything.
func classifyRefusal(a *answer) (class, code string) {
	switch kindOfReason(a) {
	case authReason:
		return sandbox.ClassAuth, ""
	case quotaReason:
		return sandbox.ClassPermission, CodeQuota
	case rateReason:
		return sandbox.ClassNetwork, CodeRateLimited
	}
	switch {
	case a.login || isHTML(a) && isLoginPage(a.body):
		return sandbox.ClassAuth, CodeLoginPage
	case a.status == http.StatusBadRequest:
		return sandbox.ClassLogic, ""
	case a.header.Get("Retry-After") != "" || noneRemaining(a.header):
		return sandbox.ClassNetwork, CodeRateLimited
	}
	return sandbox.ClassPermission, ""
}

func noneRemaining(header http.Header) bool {
	for _, name := range []string{"X-Ratelimit-Remaining", "X-Rate-Limit-Remaining", "Ratelimit-Remaining"} {
		if strings.TrimSpace(header.Get(name)) == "0" {
			return true
		}
	}
	return false
}

// reason is what kind of thing a structured reason says.
type reason int

const (
	noReason reason = iota
	rateReason
	quotaReason
	authReason
)

// reasons are the machine-readable words of well-known services, without case and punctuation: Google's errors and
// ErrorInfo, OAuth 2 (RFC 6749 and 6750), OpenAI, AWS, Microsoft Graph, Slack, Stripe. If there are several, the
// greatest counts: credentials before allowances before rates.
var reasons = map[string]reason{
	"ratelimitexceeded": rateReason, "userratelimitexceeded": rateReason, "ratelimited": rateReason, "ratelimit": rateReason,
	"ratelimiterror": rateReason, "toomanyrequests": rateReason, "requestlimitexceeded": rateReason, "slowdown": rateReason,
	"throttled": rateReason, "throttling": rateReason, "throttlingexception": rateReason, "concurrentlimitexceeded": rateReason,
	"sharingratelimitexceeded": rateReason, "activitylimitreached": rateReason,

	"insufficientquota": quotaReason, "dailylimitexceeded": quotaReason, "dailylimitexceededunreg": quotaReason,
	"quotaexceeded": quotaReason, "billinghardlimitreached": quotaReason, "billingnotactive": quotaReason,
	"billingdisabled": quotaReason, "storagequotaexceeded": quotaReason,

	"autherror": authReason, "accesstokenexpired": authReason, "invalidgrant": authReason, "invalidtoken": authReason,
	"invalidcredentials": authReason, "expiredtoken": authReason, "expiredtokenexception": authReason, "tokenexpired": authReason,
	"unauthenticated": authReason, "invalidauthenticationtoken": authReason, "expiredauthenticationtoken": authReason,
	"authenticationerror": authReason, "invalidclient": authReason, "invalidauth": authReason, "notauthed": authReason,
}

// reasonKeys are where services put them.
var reasonKeys = map[string]bool{
	"reason": true, "code": true, "type": true, "__type": true, "status": true, "error": true,
	"error_code": true, "errorcode": true, "error_type": true, "errortype": true,
}

// rateText is the prose of services that have no word for it (GitHub's limits come as 403
// with nothing but a message).
var rateText = lazyregexp.New(`(?i)rate limit (?:was |has been )?exceeded|exceeded a? ?(?:your |the )?(?:secondary )?rate limit|secondary rate limit|too many requests`)

var (
	bearerError = lazyregexp.New(`error="?([A-Za-z_]+)`)
	xmlCode     = lazyregexp.New(`<Code>([A-Za-z.]+)</Code>`)
)

// kindOfReason looks for a structured reason in an answer.
func kindOfReason(a *answer) reason {
	best := noReason
	add := func(word string) {
		if i := strings.LastIndexByte(word, '#'); i >= 0 {
			word = word[i+1:] // AWS names the service before it
		}
		best = max(best, reasons[normalise(word)])
	}
	for _, match := range bearerError.FindAllStringSubmatch(a.header.Get("Www-Authenticate"), -1) {
		add(match[1])
	}
	body := a.body[:min(len(a.body), maxReasonBytes)]
	var value any
	if json.Unmarshal(body, &value) != nil {
		for _, match := range xmlCode.FindAllSubmatch(body, 4) {
			add(string(match[1]))
		}
		return best
	}
	walkReasons(value, "", 0, func(key, text string) {
		switch {
		case reasonKeys[key]:
			add(text)
		case (key == "message" || key == "detail" || key == "error_description") && rateText.MatchString(text):
			best = max(best, rateReason)
		}
	})
	return best
}

// walkReasons visits the texts of an answer with their keys in lower case, not too deep: a
// reason is near the top, and deeper there is data.
func walkReasons(value any, key string, depth int, visit func(key, text string)) {
	if depth > 6 {
		return
	}
	switch value := value.(type) {
	case string:
		visit(key, value)
	case []any:
		for _, item := range value {
			walkReasons(item, key, depth+1, visit)
		}
	case map[string]any:
		for name, item := range value {
			walkReasons(item, strings.ToLower(name), depth+1, visit)
		}
	}
}

func normalise(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, word)
}

// isHTML says that an answer is a web page.
func isHTML(a *answer) bool {
	media := mediaOf(a)
	if media == "text/html" || media == "application/xhtml+xml" {
		return true
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(a.body, []byte("\ufeff")), " \t\r\n")
	start = bytes.ToLower(start[:min(len(start), 16)])
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}

// isTorn says that an answer did not arrive as what it is: it was cut off, or is said to be JSON and does not begin so.
func isTorn(a *answer) bool {
	if media := mediaOf(a); strings.HasSuffix(media, "/json") || strings.HasSuffix(media, "+json") {
		// A byte order mark and a fence are ways of writing, and a script can be mended for them.
		first, size := utf8.DecodeRune(bytes.TrimSpace(a.body))
		if size > 0 && !strings.ContainsRune("{[\"-0123456789tfn\ufeff`", first) {
			return true
		}
	}
	return isCut(a)
}

func mediaOf(a *answer) string {
	media, _, _ := strings.Cut(strings.ToLower(a.header.Get("Content-Type")), ";")
	return strings.TrimSpace(media)
}

// isCut says that an answer is JSON or XML that ends too early, or bytes that are no text.
func isCut(a *answer) bool {
	body, media := bytes.TrimSpace(a.body), mediaOf(a)
	if len(body) == 0 {
		return false
	}
	if !utf8.Valid(body) || bytes.ContainsAny(body, "\x00\ufffd") {
		return true
	}
	if strings.HasSuffix(media, "/xml") || strings.HasSuffix(media, "+xml") || bytes.HasPrefix(body, []byte("<?xml")) {
		return endsEarly(body)
	}
	if body[0] != '{' && body[0] != '[' {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	var value json.RawMessage
	return errors.Is(decoder.Decode(&value), io.ErrUnexpectedEOF)
}

func endsEarly(document []byte) bool {
	decoder := xml.NewDecoder(bytes.NewReader(document))
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for {
		if _, err := decoder.Token(); err != nil {
			wrong, is := errors.AsType[*xml.SyntaxError](err)
			return is && wrong.Msg == "unexpected EOF"
		}
	}
}

var (
	passwordInput = lazyregexp.New(`(?is)<input\b[^>]*\btype\s*=\s*["']?password`)
	samlForm      = lazyregexp.New(`(?is)<input\b[^>]*\bname\s*=\s*["']?SAMLRequest`)
	loginTitle    = lazyregexp.New(`(?is)<title[^>]*>[^<]*(?:\bsign[ -]?in\b|\blog[ -]?in\b|\bsingle sign-on\b|anmelde|einloggen|connexion|iniciar sesi|accedi|inloggen|ログイン|登录)`)
)

// isLoginPage says that a page asks a person to sign in.
func isLoginPage(page []byte) bool {
	page = page[:min(len(page), 256<<10)]
	return passwordInput.Match(page) || samlForm.Match(page) || loginTitle.Match(page)
}

// maxRetryAfter is the longest wait that is believed.
const maxRetryAfter = 7 * 24 * time.Hour

// retryAfter is how long the answer asks to wait, 0 if it does not say: Retry-After in
// seconds or as a date, else the time at which a rate limit that is used up starts anew.
func retryAfter(header http.Header, now time.Time) time.Duration {
	wait := time.Duration(0)
	if text := strings.TrimSpace(header.Get("Retry-After")); text != "" {
		if seconds, err := strconv.ParseFloat(text, 64); err == nil {
			wait = secondsOf(seconds)
		} else if at, err := http.ParseTime(text); err == nil {
			wait = at.Sub(now)
		}
	} else if noneRemaining(header) {
		if at, err := strconv.ParseInt(header.Get("X-Ratelimit-Reset"), 10, 64); err == nil && at > 1e9 && at < 1e11 {
			wait = time.Unix(at, 0).Sub(now)
		}
	}
	return min(max(wait, 0), maxRetryAfter)
}

// secondsOf does not overflow.
func secondsOf(seconds float64) time.Duration {
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
}

// firstBytes is the beginning of a body as text.
func firstBytes(body []byte, most int) string {
	if len(body) > most {
		body = body[:most]
		for i := 0; i < utf8.UTFMax && len(body) > 0 && !utf8.Valid(body[max(0, len(body)-utf8.UTFMax):]); i++ {
			body = body[:len(body)-1]
		}
	}
	return toText(body)
}

// toText reads bytes as UTF-8, as fetch does in browsers.
func toText(body []byte) string {
	return strings.ToValidUTF8(string(body), "\uFFFD")
}
