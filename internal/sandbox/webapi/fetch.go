package webapi

import (
	"encoding/base64"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Fetch is the call of the host that fetch makes: to journal, gate and guard there is no other.
const Fetch = "web.fetch"

var _ = engine.Declare(engine.Builtin{
	Names: []string{"fetch", "Headers", "Request", "Response", "FormData", "Blob", "File"},
	Use:   "fetch(url, init?), Headers, Request, Response, FormData, Blob, File",
	Doc: "The standard fetch, which makes a call of web.fetch: it takes method, headers, body (text, bytes, URLSearchParams, FormData, a stream), redirect and signal, beside them effect and timeoutMs. " +
		"Without an answer it throws NetworkError, and not TypeError. response.body is a stream of one piece.",
	Types: fetchTypes,
	Make: func(r *engine.Run, name string) goja.Value {
		binding := r.Bindings.Find(Fetch)
		if binding == nil { // there is no web
			return nil
		}
		switch name {
		case "fetch":
			return r.FunctionOf(name, 2, func(call goja.FunctionCall) goja.Value {
				r.Alive()
				return settled(r, func() goja.Value { return fetch(r, binding, call.Argument(0), call.Argument(1)) })
			})
		case "Headers":
			return sentPrelude(r).Get(name)
		case "Request", "Response":
			return r.Constructor(name)
		}
		return formsPrelude(r).Get(name)
	},
})

// argument is an argument of a call, undefined if there is none.
func argument(args []goja.Value, i int) goja.Value {
	if i < len(args) {
		return args[i]
	}
	return goja.Undefined()
}

// nullish says that a value is undefined or null.
func nullish(value goja.Value) bool { return goja.IsUndefined(value) || goja.IsNull(value) }

// settled is the promise that a function gives, or one rejected with what it throws.
func settled(r *engine.Run, give func() goja.Value) (promise goja.Value) {
	if ex := r.VM.Try(func() { promise = give() }); ex != nil {
		made, _, reject := r.VM.NewPromise()
		if err := reject(ex.Value()); err != nil {
			panic(err)
		}
		return r.VM.ToValue(made)
	}
	return promise
}

// body is what Request and Response have in common.
type body struct {
	got     *goja.Object // an answer, with status, headers and body, which is looked into when the script does; nil if there is none
	headers *goja.Object // nil for none, as long as nobody asked
	content goja.Value   // nil if there is none
	stream  *goja.Object // of the body, if the script asked for it or gave one; nil else
	given   bool         // the stream is the body
	used    bool
}

// request is what fetch is asked for, and what Go knows of a Request.
type request struct {
	body
	url, method, signal, effect, timeoutMS goja.Value
	redirect                               string // follow or manual
}

// response is what Go knows of a Response.
type response struct {
	body
	url                string
	status, statusText goja.Value // of one that the script made
}

// options are those that a script's text says, and not what every object may have come to have.
func options(r *engine.Run, init goja.Value) func(name string) goja.Value {
	if nullish(init) {
		return func(string) goja.Value { return goja.Undefined() }
	}
	object := init.ToObject(r.VM)
	var own []string
	ofNoClass := object.Prototype() == r.VM.NewObject().Prototype()
	if ofNoClass {
		own = object.Keys()
	}
	return func(name string) goja.Value {
		if value := object.Get(name); value != nil && (!ofNoClass || slices.Contains(own, name)) {
			return value
		}
		return goja.Undefined()
	}
}

// knownMethod are the methods that may be written small.
var knownMethod = engine.SetOf("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

// asked reads the arguments of fetch and of Request.
func asked(r *engine.Run, input, init goja.Value) *request {
	option := options(r, init)
	content := option("body")
	asked := &request{method: r.VM.ToValue(http.MethodGet), signal: goja.Null(), effect: goja.Undefined(), timeoutMS: goja.Undefined(), redirect: "follow"}
	if from, is := engine.Known(input).(*request); is {
		*asked = *from
		asked.used, asked.content = false, nil
		if asked.stream = nil; !nullish(content) {
			asked.given = false
		} else if from.given {
			from.mustBeUnused(r)
			asked.stream, from.used = from.stream, true
		} else {
			asked.content = from.take(r).written
		}
	} else {
		asked.url = input.ToString()
	}
	if method := option("method"); !goja.IsUndefined(method) {
		asked.method = method.ToString()
		if upper := strings.ToUpper(asked.method.String()); knownMethod[upper] {
			asked.method = r.VM.ToValue(upper)
		}
	}
	if signal := option("signal"); !goja.IsUndefined(signal) {
		asked.signal = signal
	}
	if redirect := option("redirect"); !goja.IsUndefined(redirect) {
		if asked.redirect = redirect.String(); asked.redirect != "follow" && asked.redirect != "manual" {
			panic(r.VM.NewTypeError("fetch: redirect can be follow or manual, not %.20s", asked.redirect))
		}
	}
	if headers := option("headers"); !goja.IsUndefined(headers) {
		asked.headers = nil
		if !goja.IsNull(headers) {
			asked.headers = headersOf(r, headers)
		}
	} else if asked.headers != nil {
		asked.headers = headersOf(r, asked.headers)
	}
	if !nullish(content) {
		if method := asked.method.String(); method == http.MethodGet || method == http.MethodHead {
			panic(r.VM.NewTypeError("Request with GET/HEAD method cannot have body."))
		}
		pack(r, &asked.body, content)
	}
	if effect := option("effect"); !goja.IsUndefined(effect) {
		asked.effect = effect
	}
	if timeout := option("timeoutMs"); !goja.IsUndefined(timeout) {
		asked.timeoutMS = timeout
	}
	return asked
}

// fetch makes the call of the host, and gives a promise of the Response.
func fetch(r *engine.Run, binding *sandbox.Binding, input, init goja.Value) goja.Value {
	asked := asked(r, input, init)
	var signal *abortSignal
	if asked.signal.ToBoolean() {
		var is bool
		if signal, is = engine.Known(asked.signal).(*abortSignal); !is {
			panic(r.VM.NewTypeError("fetch: signal has to be an AbortSignal"))
		}
		if signal.aborted {
			panic(signal.reason)
		}
	}
	url := asked.url.String()
	call := func() *goja.Object {
		return r.Call(binding, r.Arguments([]goja.Value{asked.url, asked.options(r)})).ToObject(r.VM)
	}
	var answer *goja.Object
	if asked.given {
		answer = then(r, asked.collected(r), func(bytes goja.Value) goja.Value {
			pack(r, &asked.body, bytes)
			return call()
		})
	} else {
		answer = call()
	}
	answer = then(r, answer, func(got goja.Value) goja.Value {
		return r.Instantiate("Response", &response{body: body{got: got.ToObject(r.VM)}, url: url})
	})
	if signal == nil {
		return answer
	}
	promise, resolve, reject := r.VM.NewPromise()
	settle := func(how func(any) error) func(goja.Value) goja.Value {
		return func(value goja.Value) goja.Value {
			if err := how(value); err != nil {
				panic(err)
			}
			return goja.Undefined()
		}
	}
	signal.listen(listener{hear: func() { settle(reject)(signal.reason) }})
	then(r, answer, settle(resolve), settle(reject))
	return r.VM.ToValue(promise)
}

// then is promise.then with Go functions.
func then(r *engine.Run, promise *goja.Object, functions ...func(goja.Value) goja.Value) *goja.Object {
	args := make([]goja.Value, len(functions))
	for i, f := range functions {
		args[i] = r.VM.ToValue(func(call goja.FunctionCall) goja.Value { return f(call.Argument(0)) })
	}
	return r.CalledOn(promise, promise.Get("then"), args...).ToObject(r.VM)
}

// options are those of the host's call: those only that say something.
func (q *request) options(r *engine.Run) goja.Value {
	var options *goja.Object
	say := func(name string, value goja.Value) {
		if options == nil {
			options = r.VM.NewObject()
		}
		engine.Define(options, name, value, engine.Visible)
	}
	if q.method.String() != http.MethodGet {
		say("method", q.method)
	}
	if q.headers != nil {
		if list := r.Called(sentPrelude(r).Get("listed"), q.headers); !goja.IsNull(list) {
			say("headers", list)
		}
	}
	if bytes, is := octetsOf(q.content); is {
		say("base64", r.VM.ToValue(base64.StdEncoding.EncodeToString(bytes.data)))
	} else if q.content != nil {
		say("body", q.content)
	}
	if !goja.IsUndefined(q.effect) {
		say("effect", q.effect)
	}
	if !goja.IsUndefined(q.timeoutMS) {
		say("timeoutMs", q.timeoutMS)
	}
	if q.redirect != "follow" {
		say("redirect", r.VM.ToValue(q.redirect))
	}
	if options == nil {
		return goja.Undefined()
	}
	return options
}

func headersOf(r *engine.Run, init goja.Value) *goja.Object {
	return r.Called(sentPrelude(r).Get("headersOf"), init).ToObject(r.VM)
}

// pack makes a value the body, and has the headers say of which type it is.
func pack(r *engine.Run, b *body, value goja.Value) {
	if stream, is := streamOf(r, value); is {
		b.stream, b.given = stream, true
		return
	}
	headers := goja.Null()
	if b.headers != nil {
		headers = b.headers
	}
	packed := r.Called(sentPrelude(r).Get("packed"), value, headers).ToObject(r.VM)
	b.content = packed.Get("text")
	if headers := packed.Get("headers"); !goja.IsNull(headers) {
		b.headers = headers.ToObject(r.VM)
	}
}

// ofBodies are the members that have to do with a body.
var ofBodies = []engine.Member{
	ofBody("headers", func(r *engine.Run, b *body) goja.Value {
		if b.headers == nil {
			if b.got != nil {
				b.headers = r.Called(sentPrelude(r).Get("answered"), b.got.Get("headers")).ToObject(r.VM)
			} else {
				b.headers = headersOf(r, goja.Undefined())
			}
		}
		return b.headers
	}),
	ofBody("bodyUsed", func(r *engine.Run, b *body) goja.Value { return r.VM.ToValue(b.used) }),
	ofBody("body", func(r *engine.Run, b *body) goja.Value {
		if b.stream == nil && (b.got != nil || b.content != nil) {
			b.stream = streamed(r, b)
		}
		if b.stream == nil {
			return goja.Null()
		}
		return b.stream
	}),
	giving("text", func(r *engine.Run, _ *body, c contents) goja.Value { return plain(c.text(r)) }),
	giving("json", func(r *engine.Run, _ *body, c contents) goja.Value { return parse(r, plain(c.text(r))) }),
	giving("arrayBuffer", func(r *engine.Run, _ *body, c contents) goja.Value {
		return r.Called(bytesPrelude(r).Get("wrap"), c.bytes(r))
	}),
	giving("bytes", func(r *engine.Run, _ *body, c contents) goja.Value { return c.bytes(r) }),
	giving("blob", func(r *engine.Run, b *body, c contents) goja.Value {
		return r.Called(formsPrelude(r).Get("blobOf"), c.bytes(r), contentType(r, b))
	}),
	giving("formData", func(r *engine.Run, b *body, c contents) goja.Value {
		return r.Called(formsPrelude(r).Get("read"), c.text(r), contentType(r, b))
	}),
}

// contents are what a body has: a text, and the bytes where these say more.
type contents struct {
	written goja.Value // nil if there is none
	raw     []byte
	isRaw   bool
}

func (c contents) text(r *engine.Run) goja.String {
	switch {
	case c.isRaw:
		return r.VM.ToValue(strings.ToValidUTF8(string(c.raw), "\uFFFD")).(goja.String)
	case c.written == nil:
		return r.VM.ToValue("").(goja.String)
	}
	return c.written.ToString().(goja.String)
}

func (c contents) bytes(r *engine.Run) goja.Value {
	if c.isRaw {
		return Octets(r, c.raw, bytesPrelude(r).Get("Uint8Array").ToObject(r.VM).Get("prototype"))
	}
	return bytesOf(r, c.text(r))
}

func bodyOf(r *engine.Run, this goja.Value) *body {
	switch it := engine.Known(this).(type) {
	case *request:
		return &it.body
	case *response:
		return &it.body
	}
	panic(r.VM.NewTypeError("Illegal invocation"))
}

func ofBody(name string, get func(r *engine.Run, b *body) goja.Value) engine.Member {
	return engine.Member{Name: name, Get: func(r *engine.Run, this goja.Value, _ []goja.Value) goja.Value { return get(r, bodyOf(r, this)) }}
}

// giving is a method that gives the body away, once, in one of its forms.
func giving(name string, form func(r *engine.Run, b *body, c contents) goja.Value) engine.Member {
	return engine.Member{Name: name, Call: func(r *engine.Run, this goja.Value, _ []goja.Value) goja.Value {
		return settled(r, func() goja.Value {
			b := bodyOf(r, this)
			if b.given {
				return then(r, b.collected(r), func(bytes goja.Value) goja.Value {
					return form(r, b, contents{raw: DataOf(r, bytes), isRaw: true})
				})
			}
			return r.Resolved(form(r, b, b.take(r)))
		})
	}}
}

// take gives the body away.
func (b *body) take(r *engine.Run) contents {
	b.mustBeUnused(r)
	c := contents{written: b.content}
	if bytes, is := octetsOf(b.content); is {
		c.raw, c.isRaw = bytes.data, true
	}
	if b.got != nil {
		c.written = b.got.Get("body")
		if kept := b.got.Get("base64"); kept != nil && !goja.IsUndefined(kept) {
			c.raw, c.isRaw = fromBase64(r, kept.String()), true
		}
	}
	if c.written != nil && goja.IsNull(c.written) {
		c.written = nil
	}
	b.used = c.written != nil
	return c
}

func (b *body) mustBeUnused(r *engine.Run) {
	if b.used {
		panic(r.VM.NewTypeError("Body is unusable: Body has already been read"))
	}
}

// share gives a copy of what has a body a body of its own.
func (b *body) share(r *engine.Run, with *body) {
	if b.headers != nil {
		with.headers = headersOf(r, b.headers)
	}
	if with.stream = nil; b.given {
		both := r.CalledOn(b.stream, b.stream.Get("tee")).ToObject(r.VM)
		b.stream, with.stream = both.Get("0").ToObject(r.VM), both.Get("1").ToObject(r.VM)
	}
}

// collected is a promise of all bytes of a body that is a stream.
func (b *body) collected(r *engine.Run) *goja.Object {
	b.mustBeUnused(r)
	b.used = true
	return r.Called(streamsPrelude(r).Get("collect"), b.stream).ToObject(r.VM)
}

// plain is a text without the mark at its beginning.
func plain(text goja.String) goja.String {
	if text.Length() > 0 && text.CharAt(0) == 0xFEFF {
		return text.Substring(1, text.Length())
	}
	return text
}

// mustBeText refuses a body whose bytes are more than its text has kept.
func mustBeText(r *engine.Run, text goja.String) {
	if strings.ContainsRune(text.String(), utf8.RuneError) {
		panic(r.VM.NewTypeError("the body is not text: a script gets answers as UTF-8 text, and what else there is was lost"))
	}
}

func bytesOf(r *engine.Run, text goja.String) goja.Value {
	mustBeText(r, text)
	bytes := bytesPrelude(r)
	return r.Called(bytes.Get("encode"), text, r.VM.ToValue("utf8"), bytes.Get("Uint8Array").ToObject(r.VM).Get("prototype"))
}

// contentType is what the headers say that a body is, or null.
func contentType(r *engine.Run, b *body) goja.Value {
	headers := b.headers
	if headers == nil && b.got != nil {
		headers = headersOf(r, b.got.Get("headers"))
	}
	if headers == nil {
		return goja.Null()
	}
	return r.Called(sentPrelude(r).Get("typeOf"), headers)
}

var _ = engine.DeclareClass(&engine.Class{
	Name: "Request", Takes: 1,
	Construct: func(r *engine.Run, args []goja.Value) any { return asked(r, argument(args, 0), argument(args, 1)) },
	Members: slices.Concat([]engine.Member{
		engine.Getter("url", func(_ *engine.Run, it *request) goja.Value { return it.url }),
		engine.Getter("method", func(_ *engine.Run, it *request) goja.Value { return it.method }),
		engine.Getter("signal", func(_ *engine.Run, it *request) goja.Value { return it.signal }),
		engine.Getter("redirect", func(r *engine.Run, it *request) goja.Value { return r.VM.ToValue(it.redirect) }),
		engine.Method("clone", 0, func(r *engine.Run, it *request, _ []goja.Value) goja.Value {
			it.mustBeUnused(r)
			made := *it
			it.share(r, &made.body)
			return r.Instantiate("Request", &made)
		}),
		engine.Tagged("Request"),
	}, ofBodies),
})

var _ = engine.DeclareClass(&engine.Class{
	Name: "Response",
	Construct: func(r *engine.Run, args []goja.Value) any {
		init := argument(args, 1)
		if goja.IsUndefined(init) {
			init = r.VM.NewObject()
		}
		object := init.ToObject(r.VM)
		return newResponse(r, argument(args, 0), object.Get("status"), object.Get("statusText"), object.Get("headers"))
	},
	Statics: []engine.Member{{Name: "json", Takes: 1, Call: func(r *engine.Run, _ goja.Value, args []goja.Value) goja.Value {
		text, err := r.ToJSON(argument(args, 0))
		if err != nil {
			panic(err)
		}
		init := r.VM.NewObject()
		if given := argument(args, 1); !nullish(given) {
			init = given.ToObject(r.VM)
		}
		headers := r.Called(sentPrelude(r).Get("typed"), headersOf(r, init.Get("headers")), r.VM.ToValue("application/json"))
		return r.Instantiate("Response", newResponse(r, r.VM.ToValue(text), init.Get("status"), init.Get("statusText"), headers))
	}}},
	Members: slices.Concat([]engine.Member{
		engine.Getter("status", func(_ *engine.Run, it *response) goja.Value { return it.code() }),
		engine.Getter("ok", func(r *engine.Run, it *response) goja.Value {
			code := it.code().ToFloat()
			return r.VM.ToValue(code >= 200 && code <= 299)
		}),
		engine.Getter("statusText", func(r *engine.Run, it *response) goja.Value {
			if it.got == nil {
				return it.statusText
			}
			return r.VM.ToValue(http.StatusText(int(it.code().ToInteger())))
		}),
		engine.Getter("url", func(r *engine.Run, it *response) goja.Value {
			if led, redirected := it.led(); redirected {
				return led
			}
			return r.VM.ToValue(it.url)
		}),
		engine.Getter("redirected", func(r *engine.Run, it *response) goja.Value {
			_, redirected := it.led()
			return r.VM.ToValue(redirected)
		}),
		engine.Getter("type", func(r *engine.Run, it *response) goja.Value {
			if it.got == nil {
				return r.VM.ToValue("default")
			}
			return r.VM.ToValue("basic")
		}),
		engine.Method("clone", 0, func(r *engine.Run, it *response, _ []goja.Value) goja.Value {
			if it.used {
				panic(r.VM.NewTypeError("Response.clone: Body has already been consumed."))
			}
			made := *it
			it.share(r, &made.body)
			return r.Instantiate("Response", &made)
		}),
		engine.Tagged("Response"),
	}, ofBodies),
})

func (it *response) code() goja.Value {
	if it.got == nil {
		return it.status
	}
	return it.got.Get("status")
}

// led is where redirects led to.
func (it *response) led() (goja.Value, bool) {
	if it.got == nil {
		return nil, false
	}
	to := it.got.Get("url")
	return to, to != nil && !goja.IsUndefined(to)
}

// newResponse is a Response that a script makes. A value that is not given is nil or undefined.
func newResponse(r *engine.Run, content, status, statusText, headers goja.Value) *response {
	given := func(value goja.Value) bool { return value != nil && !goja.IsUndefined(value) }
	it := &response{status: r.VM.ToValue(http.StatusOK), statusText: r.VM.ToValue("")}
	if given(status) {
		code := status.ToFloat()
		if !(code >= 200 && code <= 599) {
			panic(r.RangeError(`init["status"] must be in the range of 200 to 599, inclusive.`))
		}
		it.status = r.VM.ToValue(math.Trunc(code))
	}
	if given(statusText) {
		it.statusText = statusText.ToString()
	}
	if given(headers) && !goja.IsNull(headers) {
		it.headers = headersOf(r, headers)
	}
	if !nullish(content) {
		pack(r, &it.body, content)
	}
	return it
}

// enginesParse is the code of the engine's JSON.parse.
var enginesParse = sync.OnceValue(func() uintptr { return codeOf(goja.New().Get("JSON").(*goja.Object).Get("parse")) })

// codeOf is where the code of a function is that is written in Go: two are the same if it is.
func codeOf(function goja.Value) uintptr {
	if f, is := function.Export().(func(goja.FunctionCall) goja.Value); is {
		return reflect.ValueOf(f).Pointer()
	}
	return 0
}

// parse is JSON.parse: where the text is right, five times faster. A script may have one of its own, and so may what stands
// around it, as the tracer of repairs does, who wants to hear of all that is read.
func parse(r *engine.Run, text goja.String) goja.Value {
	var parse goja.Value
	if r.MayHave("JSON") {
		parse = r.Original.Get("JSON").ToObject(r.VM).Get("parse")
	}
	raw := text.String()
	if (parse == nil || codeOf(parse) == enginesParse()) && !sandbox.TooDeep([]byte(raw)) && !strings.ContainsRune(raw, utf8.RuneError) { // which stands for half a pair as well
		if value, err := r.ToScript([]byte(raw)); err == nil && raw != "" {
			return value
		}
	}
	if parse == nil {
		parse = r.Original.Get("JSON").ToObject(r.VM).Get("parse")
	}
	return r.Called(parse, text)
}

func sentPrelude(r *engine.Run) *goja.Object {
	if made := r.Made(prelude, "sent.js"); made != nil {
		return made
	}
	return r.Prelude(prelude, "sent.js", map[string]*goja.Object{
		"forms": r.Function("forms", func(goja.FunctionCall) goja.Value { return formsPrelude(r) }),
		"query": r.Function("query", func(call goja.FunctionCall) goja.Value {
			made := r.Made(prelude, "url.js") != nil
			value, is := call.Argument(0).(*goja.Object)
			if !made || !is { // there is no URLSearchParams yet
				return r.VM.ToValue(false)
			}
			class := r.Made(prelude, "url.js").Get("URLSearchParams").ToObject(r.VM)
			return r.VM.ToValue(r.VM.InstanceOf(value, class))
		}),
	})
}

func formsPrelude(r *engine.Run) *goja.Object {
	if made := r.Made(prelude, "forms.js"); made != nil {
		return made
	}
	return r.Prelude(prelude, "forms.js", map[string]*goja.Object{
		"bytes": r.Function("bytes", func(goja.FunctionCall) goja.Value { return bytesPrelude(r) }),
		"isBytes": r.Function("isBytes", func(call goja.FunctionCall) goja.Value {
			_, ok := octetsOf(call.Argument(0))
			return r.VM.ToValue(ok)
		}),
		"query": r.Function("query", func(goja.FunctionCall) goja.Value {
			return r.Builtin("URLSearchParams")
		}),
		"stream": r.Function("stream", func(call goja.FunctionCall) goja.Value {
			bytes := call.Argument(0)
			piece := r.Function("piece", func(goja.FunctionCall) goja.Value { return bytes })
			return r.Called(streamsPrelude(r).Get("once"), piece, r.Function("over", func(goja.FunctionCall) goja.Value { return goja.Undefined() }))
		}),
	})
}

const fetchTypes = `type HeadersInit = Headers | Record<string, string | number> | Iterable<[string, string]>;
type BodyInit = string | URLSearchParams | FormData | Blob | Uint8Array | ArrayBuffer | ReadableStream<any>;
declare class Headers implements Iterable<[string, string]> {
  constructor(init?: HeadersInit);
  get(name: string): string | null; has(name: string): boolean; set(name: string, value: string): void; append(name: string, value: string): void; delete(name: string): void;
  getSetCookie(): string[];
  forEach(visit: (value: string, name: string, all: Headers) => void): void;
  entries(): IterableIterator<[string, string]>; keys(): IterableIterator<string>; values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
interface Body {
  readonly bodyUsed: boolean; readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>; json(): Promise<any>; arrayBuffer(): Promise<ArrayBuffer>; bytes(): Promise<Uint8Array>; blob(): Promise<Blob>; formData(): Promise<FormData>;
}
interface RequestInit { method?: string; headers?: HeadersInit; body?: BodyInit | null; signal?: AbortSignal | null; redirect?: 'follow' | 'manual'; effect?: 'read' | 'write'; timeoutMs?: number }
declare class Request implements Body {
  constructor(url: string | URL | Request, init?: RequestInit);
  readonly url: string; readonly method: string; readonly headers: Headers; readonly signal: AbortSignal | null; readonly bodyUsed: boolean; readonly body: ReadableStream<Uint8Array> | null;
  clone(): Request;
  text(): Promise<string>; json(): Promise<any>; arrayBuffer(): Promise<ArrayBuffer>; bytes(): Promise<Uint8Array>; blob(): Promise<Blob>; formData(): Promise<FormData>;
}
declare class Response implements Body {
  constructor(body?: BodyInit | null, init?: { status?: number; statusText?: string; headers?: HeadersInit });
  static json(value: unknown, init?: { status?: number; statusText?: string; headers?: HeadersInit }): Response;
  readonly ok: boolean; readonly status: number; readonly statusText: string; readonly url: string; readonly headers: Headers; readonly redirected: boolean; readonly type: string; readonly bodyUsed: boolean; readonly body: ReadableStream<Uint8Array> | null;
  clone(): Response;
  text(): Promise<string>; json(): Promise<any>; arrayBuffer(): Promise<ArrayBuffer>; bytes(): Promise<Uint8Array>; blob(): Promise<Blob>; formData(): Promise<FormData>;
}
declare class FormData implements Iterable<[string, string | File]> {
  append(name: string, value: unknown, filename?: string): void; set(name: string, value: unknown, filename?: string): void;
  get(name: string): string | File | null; getAll(name: string): (string | File)[]; has(name: string): boolean; delete(name: string): void;
  forEach(visit: (value: string | File, name: string) => void): void;
  entries(): IterableIterator<[string, string | File]>; keys(): IterableIterator<string>; values(): IterableIterator<string | File>;
  [Symbol.iterator](): IterableIterator<[string, string | File]>;
}
declare class Blob {
  constructor(parts?: (string | Uint8Array | ArrayBuffer | Blob)[], options?: { type?: string });
  readonly size: number; readonly type: string;
  text(): Promise<string>; arrayBuffer(): Promise<ArrayBuffer>; slice(from?: number, to?: number, type?: string): Blob;
}
declare class File extends Blob { constructor(parts: (string | Uint8Array | ArrayBuffer | Blob)[], name: string, options?: { type?: string }); readonly name: string }
declare function fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>;`
