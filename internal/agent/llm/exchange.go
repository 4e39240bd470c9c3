package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// failure is an [Error] with what the client itself makes of it.
type failure struct {
	Error
	final   bool          // do not try again, whatever the kind
	asked   bool          // the provider said how long to wait
	after   time.Duration // if it was asked
	problem problem       // as the provider told it
	// lost says that the request went out and the end of its answer was never heard: it may be paid.
	lost     bool
	timedOut bool
}

func fail(kind Kind, format string, args ...any) *failure {
	return &failure{Error: Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}}
}

// exchange is one request and what came back, as it came: the SDK keeps too little of it to tell
// the ways apart in which providers fail.
type exchange struct {
	heard    func(Delta) // of an answer that comes in pieces
	alive    func()      // anything came
	wrote    atomic.Bool // the request went out, as the connection says, in its own time
	answered bool
	status   int
	header   http.Header
	body     []byte
	broken   error // the body could not be read to its end
	tooLong  bool
}

// keep is middleware of the SDK: it reads the body, to a bound, before anything else does. An answer
// that comes in pieces is put together first.
func (x *exchange) keep(request *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	trace := &httptrace.ClientTrace{WroteRequest: func(wrote httptrace.WroteRequestInfo) { x.wrote.Store(wrote.Err == nil) }}
	response, err := next(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	if err != nil {
		return nil, err
	}
	x.answered, x.status, x.header = true, response.StatusCode, response.Header
	x.alive()
	bytesLeft := &bounded{reader: response.Body, left: mostRead, read: x.alive}
	if media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); media == "text/event-stream" {
		bytesLeft.left = mostStreamed
		x.body, x.broken = assemble(bytesLeft, x.heard)
	} else {
		x.body, x.broken = io.ReadAll(bytesLeft)
	}
	_ = response.Body.Close() // nothing more is read
	if errors.Is(x.broken, errTooLong) || errors.Is(x.broken, bufio.ErrTooLong) || len(x.body) > mostRead {
		x.tooLong, x.body = true, nil
	}
	if isObject(x.body) {
		response.Header = response.Header.Clone()
		response.Header.Set("Content-Type", "application/json") // some servers say text/plain
	}
	response.Body = io.NopCloser(bytes.NewReader(x.body))
	return response, nil
}

var errTooLong = errors.New("the answer is too long")

// bounded reads up to a bound, and tells whenever something came.
type bounded struct {
	reader io.Reader
	left   int
	read   func()
}

func (b *bounded) Read(into []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLong
	}
	n, err := b.reader.Read(into)
	b.left -= n
	if n > 0 {
		b.read()
	}
	return n, err
}

func isObject(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
}

// failure says what went wrong, nil if there is an answer to be read. err is the SDK's.
func (x *exchange) failure(ctx context.Context, err error, timeout time.Duration) *failure {
	if (err != nil || x.broken != nil) && !x.tooLong {
		if out := x.timedOut(ctx, timeout); out != nil {
			return out
		}
	}
	if !x.answered {
		return fail(Unavailable, "%s", unreached(err))
	}
	if x.tooLong {
		return x.fail(Malformed, "the answer is larger than %d bytes", mostRead)
	}
	if x.broken != nil {
		f := x.fail(Unavailable, "the connection broke in the middle of the answer: %s", x.broken)
		f.lost = x.status == http.StatusOK
		return f
	}
	if x.status >= 300 && x.status < 400 {
		return x.fail(Refused, "the address redirects to another one, which is not followed: configure the base URL it leads to")
	}
	told, any := readProblem(x.body)
	if x.status != http.StatusOK || any {
		return x.told(told)
	}
	if !isObject(x.body) {
		return x.fail(Malformed, "no JSON object came back, but %q: is the base URL that of an API?", x.sample())
	}
	if err != nil {
		return x.fail(Malformed, "the answer is no chat completion: it begins %q", x.sample())
	}
	return nil
}

// Why a request was given up.
var (
	errSilent  = errors.New("nothing came")
	errEndless = errors.New("it did not end")
)

// timedOut is the failure of a provider that took too long, nil if it did not.
func (x *exchange) timedOut(ctx context.Context, timeout time.Duration) *failure {
	var f *failure
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errEndless):
		f = x.fail(Unavailable, "the answer did not end within %s", mostSilences*timeout)
	case !errors.Is(cause, errSilent):
		return nil
	case x.answered:
		f = x.fail(Unavailable, "nothing more came of the answer for %s", timeout)
	default:
		f = x.fail(Unavailable, "no answer within %s", timeout)
	}
	f.timedOut, f.lost = true, x.wrote.Load()
	return f
}

func (x *exchange) fail(kind Kind, format string, args ...any) *failure {
	f := fail(kind, format, args...)
	f.Status = x.status
	return f
}

// sample is the beginning of what came back.
func (x *exchange) sample() string { return string(x.body[:min(len(x.body), 80)]) }

// unreached is why no answer came, without the address: that is configured, and may hold more than is shown.
func unreached(err error) string {
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	if err == nil {
		return "no answer"
	}
	return err.Error()
}

// told is the failure of which the provider told something.
func (x *exchange) told(p problem) *failure {
	status := x.status
	if status == http.StatusOK {
		status = p.status() // the error of a provider behind a router
	}
	f := x.fail(kindOf(status, p), "%s", p.Message)
	f.Code, f.problem = p.code(), p
	if f.Detail == "" && len(x.body) > 0 {
		f.Detail = x.sample()
	}
	f.final = x.header.Get("X-Should-Retry") == "false"
	f.after, f.asked = retryAfter(x.header)
	return f
}

// kindOf sorts what providers say. Codes and set phrases decide before the status, which is often
// another one; the rest of a message may be about anything.
func kindOf(status int, p problem) Kind {
	code := strings.ToLower(p.code() + " " + p.Type + " " + p.Status)
	words := strings.ToLower(p.Message)
	switch {
	case contains(code, "insufficient_quota", "billing", "insufficient_balance"), status == http.StatusPaymentRequired,
		contains(words, "exceeded your current quota", "insufficient credit", "insufficient balance", "credit balance is too low"):
		return Quota
	case contains(code, "invalid_api_key", "authentication", "permission", "model_not_found"), contains(words, "api key not valid", "incorrect api key"),
		status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return Refused
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly,
		status >= 500, contains(code, "overloaded", "rate_limit", "server_error"):
		return Unavailable
	case status >= 400, contains(code, "invalid_request", "context_length"):
		return Invalid
	}
	return Unavailable // an error without a word about why
}

func contains(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// problem is what a provider says of an error, in any of the shapes that are about.
type problem struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`
	Param   string          `json:"param"`
	Code    json.RawMessage `json:"code"` // text, or a number that is an HTTP status
	Status  string          `json:"status"`
}

// code is the code as text, or the type, which serves as one.
func (p problem) code() string {
	var text string
	if json.Unmarshal(p.Code, &text) == nil && text != "" {
		return text
	}
	if p.Type != "" {
		return p.Type
	}
	if text := string(p.Code); text != "" && text != "null" && text != `""` {
		return text
	}
	return ""
}

// status is the HTTP status that the code is, 0 if it is none.
func (p problem) status() int {
	status, err := strconv.Atoi(strings.Trim(string(p.Code), `"`))
	if err != nil || status < 300 || status > 599 {
		return 0
	}
	return status
}

// readProblem finds the error in a body: {"error": {…}}, {"error": "…"}, [{"error": …}], or an
// object that is itself one, as {"object": "error", "message": …} and {"detail": …} are.
func readProblem(body []byte) (problem, bool) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var envelope struct {
		Error   json.RawMessage `json:"error"`
		Object  string          `json:"object"`
		Detail  json.RawMessage `json:"detail"`
		Choices json.RawMessage `json:"choices"`
	}
	if json.Unmarshal(body, &envelope) != nil {
		return problem{}, false
	}
	switch raw := envelope.Error; string(raw) {
	case "", "null", `""`, "{}", "[]", "false": // none
	default:
		return readOne(raw), true
	}
	if len(envelope.Choices) > 0 {
		return problem{}, false
	}
	var told problem
	_ = json.Unmarshal(body, &told) // members of other types are left out
	if told.Message == "" && len(envelope.Detail) > 0 {
		told.Message = plain(envelope.Detail)
	}
	return told, envelope.Object == "error" || told.Message != ""
}

func readOne(raw json.RawMessage) problem {
	var told problem
	if json.Unmarshal(raw, &told) != nil && told.Message == "" {
		told.Message = plain(raw)
	}
	return told
}

// plain is a JSON text without its quotes, and anything else as it stands.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// retryAfter is how long the provider asks to wait, in seconds or until a time of its own clock. An unreadable value
// counts as none.
func retryAfter(header http.Header) (time.Duration, bool) {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		n, err := strconv.ParseFloat(header.Get(unit.name), 64)
		if err != nil && !math.IsInf(n, 1) || math.IsNaN(n) || n < 0 {
			continue
		}
		return time.Duration(min(n, float64(time.Hour/unit.of)) * float64(unit.of)), true
	}
	until, err := http.ParseTime(header.Get("Retry-After"))
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(header.Get("Date"))
	return max(until.Sub(now), 0), err == nil
}
