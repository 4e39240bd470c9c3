package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// patience is how long a request waits for views to have what it is to show.
const patience = 10 * time.Second

// The headers by which a reader sees what a writer did, by which asking twice is asking once, and by which nobody
// overwrites what they have not seen.
const (
	headerPosition = "Kintsugi-Position"
	headerWaitFor  = "Kintsugi-Wait-For"
	headerKey      = "Idempotency-Key"
	headerIfMatch  = "If-Match"
	headerTrace    = "traceparent"
)

// mergePatch is how a body says which members of a document change (RFC 7396).
const mergePatch = "application/merge-patch+json"

// traceContext is a traceparent of version 00 (W3C Trace Context, section 3.2).
var traceContext = lazyregexp.New(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// maxKey bounds an idempotency key, in bytes.
const maxKey = 255

// op is one operation: METHOD /path, the name of it for clients, what it does, and what a caller needs.
type op struct {
	method, path string
	id, summary  string
	about        string
	tag          string
	scope        installation.Scope
	owners       installation.Scope        // that a token of one owner needs instead; empty for the same
	maxBody      int64                     // in bytes; zero for 1 MiB
	status       int                       // of success; zero for 200
	executes     bool                      // scripts, which are bounded by themselves: how long that takes on this machine ends nothing
	answers      map[string]*huma.Response // of success, by status, where there are several
	waits        time.Duration             // how long it may wait for something, beside the time that all have
}

// call is one request under way.
type call struct {
	app.Caller
	operation string
	path      string
	key       string // of idempotency, empty for none
	request   string // a digest of all that the request says, if it has a key
	trace     string // the caller's W3C trace context, empty for none
	location  string // where what was made is
	expected  *int64 // the revision that the caller has seen
	position  eventlog.Position
	revision  *int64
	steps     int
}

// meta is of the next command that the request comes to.
func (c *call) meta() commands.Meta {
	meta := commands.Meta{CommandID: c.newID("command"), Actor: c.Actor(), Holder: c.Holder, Expected: c.expected, Traceparent: c.trace}
	if c.key != "" {
		meta.Keyed, meta.CausationID = true, "request:"+c.request
	}
	c.expected = nil // the caller has seen what was before the first command
	return meta
}

// newID is a new id; asking again with the same idempotency key has the same one.
func (c *call) newID(of string) string {
	if c.key == "" {
		return app.NewID()
	}
	c.steps++
	return commands.DerivedID("http", c.Token.ID, c.operation, c.path, c.key, of, strconv.Itoa(c.steps))
}

// did notes how far readers have to have read to see what was done.
func (c *call) did(result commands.Result) {
	c.position = result.Position
	if n := len(result.Events); n > 0 {
		c.revision = &result.Events[n-1].Revision
	}
}

// answer is what an operation answers with.
type answer[O any] struct {
	Position string `header:"Kintsugi-Position" doc:"Send it back as Kintsugi-Wait-For, and you read what you wrote"`
	ETag     string `header:"ETag" doc:"The revision of the stream, for If-Match"`
	Location string `header:"Location" doc:"Where that which was made is"`
	Body     O
}

// Page is a part of a list.
type Page[T any] struct {
	Items []T    `json:"items" nullable:"false"`
	Next  string `json:"next,omitempty" doc:"Give it as after, to have the next page; there is none if it is missing"`
}

// page cuts a list of which one more than asked was looked for.
func page[T any](items []T, limit int, id func(T) string) Page[T] {
	if items == nil {
		items = []T{}
	}
	if len(items) <= limit {
		return Page[T]{Items: items}
	}
	items = items[:limit]
	return Page[T]{Items: items, Next: id(items[limit-1])}
}

// placed refuses a place that no page can have given, once the list has nothing behind it.
func placed[T, O any](ctx context.Context, list []T, after string, find func(context.Context, string) (O, error)) error {
	if after == "" || len(list) > 0 {
		return nil
	}
	_, err := find(ctx, after)
	if fault.KindOf(err) == fault.NotFound {
		return fault.New(fault.Invalid, "%q is no place in this list: take the next of the page before", after)
	}
	return err
}

// Paging is what every list takes.
type Paging struct {
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"The most items to have"`
	After string `query:"after" maxLength:"200" doc:"The next of the page before"`
}

// given is the body of a request that may have none.
func given[T any](body *T) (value T) {
	if body != nil {
		value = *body
	}
	return value
}

// query registers an operation that changes nothing.
func query[I, O any](s *Server, o op, fn func(context.Context, *I) (O, error)) {
	o.method = http.MethodGet
	register(s, o, []*huma.Param{headerParam(headerWaitFor, "Answer when what was written at this position is seen, or say what lags")},
		func(ctx context.Context, in *I) (*answer[O], error) {
			body, err := fn(ctx, in)
			return done(ctx, s, body, err)
		})
}

// command registers an operation that changes something. The response is the command's result.
func command[I, O any](s *Server, o op, fn func(context.Context, *call, *I) (O, error)) {
	params := []*huma.Param{
		headerParam(headerKey, "Asking again with the same key does nothing more, and has the same answer"),
		headerParam(headerIfMatch, "The ETag of what you have seen: if it has changed since, this is refused with 412"),
	}
	register(s, o, params, func(ctx context.Context, in *I) (*answer[O], error) {
		body, err := fn(ctx, callOf(ctx), in)
		return done(ctx, s, body, err)
	})
}

func done[O any](ctx context.Context, s *Server, body O, err error) (*answer[O], error) {
	if err != nil {
		return nil, err
	}
	c := callOf(ctx)
	if c.position == "" {
		c.position = s.node.Views.Position() // the answer is from views that have it
	}
	out := &answer[O]{Position: string(c.position), Location: c.location, Body: body}
	if c.revision != nil {
		out.ETag = `"` + strconv.FormatInt(*c.revision, 10) + `"`
	}
	return out, nil
}

func pathParam(name, doc string) *huma.Param {
	return &huma.Param{Name: name, In: "path", Required: true, Description: doc, Schema: &huma.Schema{Type: "string"}}
}

func headerParam(name, doc string) *huma.Param {
	return &huma.Param{Name: name, In: "header", Description: doc, Schema: &huma.Schema{Type: "string"}}
}

// description says beside what the operation does whom it is for.
func (o op) description() string {
	who := "It needs a token."
	switch {
	case o.owners != "":
		who = "It needs the scope " + string(o.scope) + "; of a token for the workflows of one owner " + string(o.owners) + ", and it sees what is this owner's only."
	case o.scope != "":
		who = "It needs the scope " + string(o.scope) + "."
	}
	return strings.TrimSpace(o.about + " " + who)
}

// register adds an operation to the description and to the server. Everything that all operations need is here.
func register[I, O any](s *Server, o op, params []*huma.Param, fn func(context.Context, *I) (*O, error)) {
	responses := refusalsOf(o.method)
	maps.Copy(responses, o.answers)
	described := huma.Operation{
		OperationID: o.id, Method: o.method, Path: Base + o.path, Summary: o.summary, Description: o.description(), Tags: []string{o.tag},
		Parameters: params, MaxBodyBytes: o.maxBody, DefaultStatus: o.status, Security: signedIn, Extensions: inExtension(o.scope),
		Responses: responses,
		Middlewares: huma.Middlewares{func(ctx huma.Context, next func(huma.Context)) {
			r, w := humago.Unwrap(ctx)
			limited, cancel := s.limited(ctx.Context(), w, o)
			defer cancel()
			c, err := s.begin(r.WithContext(limited), o)
			if err == nil && c.key != "" {
				c.request, err = s.digest(w, r, cmp.Or(o.maxBody, 1<<20))
			}
			if err != nil {
				s.fail(w, r, o.id, err)
				return
			}
			next(huma.WithContext(ctx, context.WithValue(packages.For(limited, c.Owner), callKey{}, c)))
		}},
	}
	huma.Register(s.api, described, func(ctx context.Context, in *I) (*O, error) {
		out, err := fn(ctx, in)
		if err != nil {
			return nil, s.problemOf(ctx, o.id, err)
		}
		return out, nil
	})
}

// limited is how long an operation may take.
func (s *Server) limited(ctx context.Context, w http.ResponseWriter, o op) (context.Context, context.CancelFunc) {
	if o.waits > 0 {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime + o.waits))
	}
	if !o.executes {
		return context.WithTimeout(ctx, patience*3+o.waits)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // if it has none, the answer is late
	return context.WithCancel(ctx)
}

// signedIn says how a caller is let in.
var signedIn = []map[string][]string{{"token": {}}, {"session": {}}}

// inExtension is the scope that an operation needs, for programs. OpenAPI has a place for it in the security only of OAuth: elsewhere 3.0
// forbids it, and linters of 3.1 do.
func inExtension(scope installation.Scope) map[string]any {
	if scope == "" {
		return nil
	}
	return map[string]any{"x-scope": scope}
}

// describe adds an operation to the description whose answer is a stream, and which is served by itself.
func (s *Server) describe(operation *huma.Operation, scope installation.Scope) {
	operation.Security, operation.Extensions = signedIn, inExtension(scope)
	maps.Copy(operation.Responses, refusalsOf(operation.Method))
	s.api.OpenAPI().AddOperation(operation)
}

// begin lets the caller in, reads what is for all operations, and waits until what they wrote is seen.
func (s *Server) begin(r *http.Request, o op) (*call, error) {
	caller, err := s.enter(r, "")
	if err != nil {
		return nil, err
	}
	needs := o.scope
	if caller.Owner != "" {
		needs = cmp.Or(o.owners, o.scope)
	}
	if err := allowed(caller, needs); err != nil {
		return nil, err
	}
	c := &call{Caller: caller, operation: o.id, path: r.URL.Path, key: r.Header.Get(headerKey)}
	if trace := r.Header.Get(headerTrace); traceContext.MatchString(trace) {
		c.trace = trace // another one is dropped, as its standard says
	}
	if len(c.key) > maxKey {
		return nil, fault.New(fault.Invalid, "%s is over %d bytes", headerKey, maxKey)
	}
	if c.expected, err = ifMatch(r.Header.Get(headerIfMatch)); err != nil {
		return nil, err
	}
	if position := r.Header.Get(headerWaitFor); position != "" {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		at, err := s.position(ctx, position)
		if err != nil {
			return nil, err
		}
		if err := s.node.Views.WaitFor(ctx, at); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// digest is of all that a request with a key says. Its body is read, and is there to be read again.
func (s *Server) digest(w http.ResponseWriter, r *http.Request, most int64) (string, error) {
	body, err := s.received(w, r, most)
	if err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	sum := sha256.New()
	sum.Write([]byte(r.Method + " " + r.URL.RequestURI() + "\n"))
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// ifMatch reads the revision that a caller has seen.
func ifMatch(text string) (*int64, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "W/")
	if text == "" || text == "*" {
		return nil, nil
	}
	revision, err := strconv.ParseInt(strings.Trim(text, `"`), 10, 64)
	if err != nil || revision < -1 {
		return nil, fault.New(fault.Invalid, "%s %s is no ETag that this server gave: it is a number in quotes", headerIfMatch, text)
	}
	return &revision, nil
}

// fail answers with what is wrong where no operation was reached.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, operation string, err error) {
	err = s.problemOf(r.Context(), operation, err)
	if with, is := errors.AsType[huma.HeadersError](err); is {
		for name, values := range with.GetHeaders() {
			w.Header()[name] = values
		}
	}
	p, _ := errors.AsType[*Problem](err) // it is one
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="kintsugi"`)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = writeJSON(w, p) // there is nobody else to tell
}

// see waits until views have what a command did.
func (s *Server) see(ctx context.Context, c *call, result commands.Result) error {
	c.did(result)
	if result.Position == "" {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.node.Views.WaitFor(wait, result.Position); err != nil {
		return fmt.Errorf("it is done, and not seen yet: %w", err)
	}
	return nil
}
