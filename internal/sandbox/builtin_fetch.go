package sandbox

import (
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// Fetch is the call of the host that fetch makes: to journal, gate and guard there is no other.
const Fetch = "web.fetch"

var _ = declare(Builtin{
	Names: []string{"fetch", "Headers", "Request", "Response", "FormData", "Blob", "File"},
	Use:   "fetch(url, init?), Headers, Request, Response, FormData, Blob, File",
	Doc: "The standard fetch, which makes a call of web.fetch: it takes method, headers, body (text, URLSearchParams, FormData, or bytes that are UTF-8), redirect and signal, beside them effect and timeoutMs. " +
		"Without an answer it throws NetworkError, and not TypeError. There are no streams: response.body is not there.",
	Types: fetchTypes,
	make: func(r *run, name string) goja.Value {
		binding := r.bindings.find(Fetch)
		if binding == nil { // there is no web
			return nil
		}
		switch name {
		case "fetch":
			return r.functionOf(name, 2, func(call goja.FunctionCall) goja.Value {
				r.alive()
				return r.settled(func() goja.Value { return r.fetch(binding, call.Argument(0), call.Argument(1)) })
			})
		case "Headers":
			return r.sentPrelude().Get(name)
		case "Request", "Response":
			return r.constructor(name)
		}
		return r.formsPrelude().Get(name)
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
func (r *run) settled(give func() goja.Value) (promise goja.Value) {
	if ex := r.vm.Try(func() { promise = give() }); ex != nil {
		made, _, reject := r.vm.NewPromise()
		if err := reject(ex.Value()); err != nil {
			panic(err)
		}
		return r.vm.ToValue(made)
	}
	return promise
}

// body is what Request and Response have in common.
type body struct {
	got     *goja.Object // an answer, with status, headers and body, which is looked into when the script does; nil if there is none
	headers *goja.Object // nil for none, as long as nobody asked
	content goja.Value   // nil if there is none
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
func (r *run) options(init goja.Value) func(name string) goja.Value {
	if nullish(init) {
		return func(string) goja.Value { return goja.Undefined() }
	}
	object := init.ToObject(r.vm)
	var own []string
	ofNoClass := object.Prototype() == r.vm.NewObject().Prototype()
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
var knownMethod = setOf("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

// asked reads the arguments of fetch and of Request.
func (r *run) asked(input, init goja.Value) *request {
	option := r.options(init)
	content := option("body")
	asked := &request{method: r.vm.ToValue(http.MethodGet), signal: goja.Null(), effect: goja.Undefined(), timeoutMS: goja.Undefined(), redirect: "follow"}
	if from, is := known(input).(*request); is {
		*asked = *from
		if asked.used = false; !nullish(content) {
			asked.content = nil
		} else if text := from.take(r); text == nil {
			asked.content = nil
		}
	} else {
		asked.url = input.ToString()
	}
	if method := option("method"); !goja.IsUndefined(method) {
		asked.method = method.ToString()
		if upper := strings.ToUpper(asked.method.String()); knownMethod[upper] {
			asked.method = r.vm.ToValue(upper)
		}
	}
	if signal := option("signal"); !goja.IsUndefined(signal) {
		asked.signal = signal
	}
	if redirect := option("redirect"); !goja.IsUndefined(redirect) {
		if asked.redirect = redirect.String(); asked.redirect != "follow" && asked.redirect != "manual" {
			panic(r.vm.NewTypeError("fetch: redirect can be follow or manual, not %.20s", asked.redirect))
		}
	}
	if headers := option("headers"); !goja.IsUndefined(headers) {
		asked.headers = nil
		if !goja.IsNull(headers) {
			asked.headers = r.headersOf(headers)
		}
	} else if asked.headers != nil {
		asked.headers = r.headersOf(asked.headers)
	}
	if !nullish(content) {
		if method := asked.method.String(); method == http.MethodGet || method == http.MethodHead {
			panic(r.vm.NewTypeError("Request with GET/HEAD method cannot have body."))
		}
		r.pack(&asked.body, content)
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
func (r *run) fetch(binding *Binding, input, init goja.Value) goja.Value {
	asked := r.asked(input, init)
	var signal *abortSignal
	if asked.signal.ToBoolean() {
		var is bool
		if signal, is = known(asked.signal).(*abortSignal); !is {
			panic(r.vm.NewTypeError("fetch: signal has to be an AbortSignal"))
		}
		if signal.aborted {
			panic(signal.reason)
		}
	}
	answer := r.call(binding, r.arguments([]goja.Value{asked.url, asked.options(r)})).ToObject(r.vm)
	url := asked.url.String()
	answer = r.then(answer, func(got goja.Value) goja.Value {
		return r.instantiate("Response", &response{body: body{got: got.ToObject(r.vm)}, url: url})
	})
	if signal == nil {
		return answer
	}
	promise, resolve, reject := r.vm.NewPromise()
	settle := func(how func(any) error) func(goja.Value) goja.Value {
		return func(value goja.Value) goja.Value {
			if err := how(value); err != nil {
				panic(err)
			}
			return goja.Undefined()
		}
	}
	signal.listen(listener{hear: func() { settle(reject)(signal.reason) }})
	r.then(answer, settle(resolve), settle(reject))
	return r.vm.ToValue(promise)
}

// then is promise.then with Go functions.
func (r *run) then(promise *goja.Object, functions ...func(goja.Value) goja.Value) *goja.Object {
	args := make([]goja.Value, len(functions))
	for i, f := range functions {
		args[i] = r.vm.ToValue(func(call goja.FunctionCall) goja.Value { return f(call.Argument(0)) })
	}
	return r.calledOn(promise, promise.Get("then"), args...).ToObject(r.vm)
}

// options are those of the host's call: those only that say something.
func (q *request) options(r *run) goja.Value {
	var options *goja.Object
	say := func(name string, value goja.Value) {
		if options == nil {
			options = r.vm.NewObject()
		}
		define(options, name, value, visible)
	}
	if q.method.String() != http.MethodGet {
		say("method", q.method)
	}
	if q.headers != nil {
		if list := r.called(r.sentPrelude().Get("listed"), q.headers); !goja.IsNull(list) {
			say("headers", list)
		}
	}
	if q.content != nil {
		say("body", q.content)
	}
	if !goja.IsUndefined(q.effect) {
		say("effect", q.effect)
	}
	if !goja.IsUndefined(q.timeoutMS) {
		say("timeoutMs", q.timeoutMS)
	}
	if q.redirect != "follow" {
		say("redirect", r.vm.ToValue(q.redirect))
	}
	if options == nil {
		return goja.Undefined()
	}
	return options
}

func (r *run) headersOf(init goja.Value) *goja.Object {
	return r.called(r.sentPrelude().Get("headersOf"), init).ToObject(r.vm)
}

// pack makes a value the body, and has the headers say of which type it is.
func (r *run) pack(b *body, value goja.Value) {
	headers := goja.Null()
	if b.headers != nil {
		headers = b.headers
	}
	packed := r.called(r.sentPrelude().Get("packed"), value, headers).ToObject(r.vm)
	b.content = packed.Get("text")
	if headers := packed.Get("headers"); !goja.IsNull(headers) {
		b.headers = headers.ToObject(r.vm)
	}
}

// contents are the members that have to do with a body.
var contents = []member{
	ofBody("headers", func(r *run, b *body) goja.Value {
		if b.headers == nil {
			if b.got != nil {
				b.headers = r.called(r.sentPrelude().Get("answered"), b.got.Get("headers")).ToObject(r.vm)
			} else {
				b.headers = r.headersOf(goja.Undefined())
			}
		}
		return b.headers
	}),
	ofBody("bodyUsed", func(r *run, b *body) goja.Value { return r.vm.ToValue(b.used) }),
	ofBody("body", func(r *run, b *body) goja.Value {
		if b.got == nil && b.content == nil {
			return goja.Null()
		}
		panic(r.vm.NewTypeError("body: there are no streams here, use text(), json() or arrayBuffer()"))
	}),
	giving("text", func(r *run, _ *body, text goja.String) goja.Value { return plain(text) }),
	giving("json", func(r *run, _ *body, text goja.String) goja.Value { return r.parse(plain(text)) }),
	giving("arrayBuffer", func(r *run, _ *body, text goja.String) goja.Value {
		return r.called(r.bytesPrelude().Get("wrap"), r.bytesOf(text))
	}),
	giving("bytes", func(r *run, _ *body, text goja.String) goja.Value { return r.bytesOf(text) }),
	giving("blob", func(r *run, b *body, text goja.String) goja.Value {
		return r.called(r.formsPrelude().Get("blobOf"), text, r.contentType(b))
	}),
	giving("formData", func(r *run, b *body, text goja.String) goja.Value {
		return r.called(r.formsPrelude().Get("read"), text, r.contentType(b))
	}),
}

func bodyOf(r *run, this goja.Value) *body {
	switch it := known(this).(type) {
	case *request:
		return &it.body
	case *response:
		return &it.body
	}
	panic(r.vm.NewTypeError("Illegal invocation"))
}

func ofBody(name string, get func(r *run, b *body) goja.Value) member {
	return member{name: name, get: func(r *run, this goja.Value, _ []goja.Value) goja.Value { return get(r, bodyOf(r, this)) }}
}

// giving is a method that gives the body away, once, in one of its forms.
func giving(name string, form func(r *run, b *body, text goja.String) goja.Value) member {
	return member{name: name, call: func(r *run, this goja.Value, _ []goja.Value) goja.Value {
		return r.settled(func() goja.Value {
			b := bodyOf(r, this)
			text := b.take(r)
			if text == nil {
				text = r.vm.ToValue("")
			}
			return r.resolved(form(r, b, text.ToString().(goja.String)))
		})
	}}
}

// take gives the body away; nil if there is none.
func (b *body) take(r *run) goja.Value {
	if b.used {
		panic(r.vm.NewTypeError("Body is unusable: Body has already been read"))
	}
	content := b.content
	if b.got != nil {
		content = b.got.Get("body")
	}
	b.used = content != nil && !goja.IsNull(content)
	if !b.used {
		return nil
	}
	return content
}

// plain is a text without the mark at its beginning.
func plain(text goja.String) goja.String {
	if text.Length() > 0 && text.CharAt(0) == 0xFEFF {
		return text.Substring(1, text.Length())
	}
	return text
}

func (r *run) bytesOf(text goja.String) goja.Value {
	if strings.ContainsRune(text.String(), utf8.RuneError) {
		panic(r.vm.NewTypeError("the body is not text: a script gets answers as UTF-8 text, and what else there is was lost"))
	}
	bytes := r.bytesPrelude()
	return r.called(bytes.Get("encode"), text, r.vm.ToValue("utf8"), bytes.Get("Uint8Array").ToObject(r.vm).Get("prototype"))
}

// contentType is what the headers say that a body is, or null.
func (r *run) contentType(b *body) goja.Value {
	headers := b.headers
	if headers == nil && b.got != nil {
		headers = r.headersOf(b.got.Get("headers"))
	}
	if headers == nil {
		return goja.Null()
	}
	return r.called(r.sentPrelude().Get("typeOf"), headers)
}

var _ = declareClass(&class{
	name: "Request", takes: 1,
	construct: func(r *run, args []goja.Value) any { return r.asked(argument(args, 0), argument(args, 1)) },
	members: slices.Concat([]member{
		getter("url", func(_ *run, it *request) goja.Value { return it.url }),
		getter("method", func(_ *run, it *request) goja.Value { return it.method }),
		getter("signal", func(_ *run, it *request) goja.Value { return it.signal }),
		getter("redirect", func(r *run, it *request) goja.Value { return r.vm.ToValue(it.redirect) }),
		method("clone", 0, func(r *run, it *request, _ []goja.Value) goja.Value {
			made := *it
			if _ = it.take(r); it.headers != nil {
				made.headers = r.headersOf(it.headers)
			}
			it.used = false // it was not read, but shared
			return r.instantiate("Request", &made)
		}),
		tagged("Request"),
	}, contents),
})

var _ = declareClass(&class{
	name: "Response",
	construct: func(r *run, args []goja.Value) any {
		init := argument(args, 1)
		if goja.IsUndefined(init) {
			init = r.vm.NewObject()
		}
		object := init.ToObject(r.vm)
		return r.newResponse(argument(args, 0), object.Get("status"), object.Get("statusText"), object.Get("headers"))
	},
	statics: []member{{name: "json", takes: 1, call: func(r *run, _ goja.Value, args []goja.Value) goja.Value {
		text, err := r.toJSON(argument(args, 0))
		if err != nil {
			panic(err)
		}
		init := r.vm.NewObject()
		if given := argument(args, 1); !nullish(given) {
			init = given.ToObject(r.vm)
		}
		headers := r.called(r.sentPrelude().Get("typed"), r.headersOf(init.Get("headers")), r.vm.ToValue("application/json"))
		return r.instantiate("Response", r.newResponse(r.vm.ToValue(text), init.Get("status"), init.Get("statusText"), headers))
	}}},
	members: slices.Concat([]member{
		getter("status", func(_ *run, it *response) goja.Value { return it.code() }),
		getter("ok", func(r *run, it *response) goja.Value {
			code := it.code().ToFloat()
			return r.vm.ToValue(code >= 200 && code <= 299)
		}),
		getter("statusText", func(r *run, it *response) goja.Value {
			if it.got == nil {
				return it.statusText
			}
			return r.vm.ToValue(http.StatusText(int(it.code().ToInteger())))
		}),
		getter("url", func(r *run, it *response) goja.Value {
			if led, redirected := it.led(); redirected {
				return led
			}
			return r.vm.ToValue(it.url)
		}),
		getter("redirected", func(r *run, it *response) goja.Value {
			_, redirected := it.led()
			return r.vm.ToValue(redirected)
		}),
		getter("type", func(r *run, it *response) goja.Value {
			if it.got == nil {
				return r.vm.ToValue("default")
			}
			return r.vm.ToValue("basic")
		}),
		method("clone", 0, func(r *run, it *response, _ []goja.Value) goja.Value {
			if it.used {
				panic(r.vm.NewTypeError("Response.clone: Body has already been consumed."))
			}
			made := *it
			if it.headers != nil {
				made.headers = r.headersOf(it.headers)
			}
			return r.instantiate("Response", &made)
		}),
		tagged("Response"),
	}, contents),
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

// newResponse is a Response that a script makes. What is not given is nil or undefined.
func (r *run) newResponse(content, status, statusText, headers goja.Value) *response {
	given := func(value goja.Value) bool { return value != nil && !goja.IsUndefined(value) }
	it := &response{status: r.vm.ToValue(http.StatusOK), statusText: r.vm.ToValue("")}
	if given(status) {
		code := status.ToFloat()
		if !(code >= 200 && code <= 599) {
			panic(r.rangeError(`init["status"] must be in the range of 200 to 599, inclusive.`))
		}
		it.status = r.vm.ToValue(math.Trunc(code))
	}
	if given(statusText) {
		it.statusText = statusText.ToString()
	}
	if given(headers) && !goja.IsNull(headers) {
		it.headers = r.headersOf(headers)
	}
	if !nullish(content) {
		r.pack(&it.body, content)
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
func (r *run) parse(text goja.String) goja.Value {
	var parse goja.Value
	if r.mayHave("JSON") {
		parse = r.original.Get("JSON").ToObject(r.vm).Get("parse")
	}
	raw := text.String()
	if (parse == nil || codeOf(parse) == enginesParse()) && !TooDeep([]byte(raw)) && !strings.ContainsRune(raw, utf8.RuneError) { // which stands for half a pair as well
		if value, err := r.toScript([]byte(raw)); err == nil && raw != "" {
			return value
		}
	}
	if parse == nil {
		parse = r.original.Get("JSON").ToObject(r.vm).Get("parse")
	}
	return r.called(parse, text)
}

func (r *run) sentPrelude() *goja.Object {
	if made := r.made(prelude, "sent.js"); made != nil {
		return made
	}
	return r.prelude(prelude, "sent.js", map[string]*goja.Object{
		"forms": r.function("forms", func(goja.FunctionCall) goja.Value { return r.formsPrelude() }),
		"query": r.function("query", func(call goja.FunctionCall) goja.Value {
			made := r.made(prelude, "url.js") != nil
			value, is := call.Argument(0).(*goja.Object)
			if !made || !is { // there is no URLSearchParams yet
				return r.vm.ToValue(false)
			}
			class := r.made(prelude, "url.js").Get("URLSearchParams").ToObject(r.vm)
			return r.vm.ToValue(r.vm.InstanceOf(value, class))
		}),
	})
}

func (r *run) formsPrelude() *goja.Object {
	if made := r.made(prelude, "forms.js"); made != nil {
		return made
	}
	return r.prelude(prelude, "forms.js", map[string]*goja.Object{
		"bytes": r.function("bytes", func(goja.FunctionCall) goja.Value { return r.bytesPrelude() }),
		"isBytes": r.function("isBytes", func(call goja.FunctionCall) goja.Value {
			_, ok := octetsOf(call.Argument(0))
			return r.vm.ToValue(ok)
		}),
		"query": r.function("query", func(goja.FunctionCall) goja.Value {
			return r.builtin("URLSearchParams")
		}),
	})
}

const fetchTypes = `type HeadersInit = Headers | Record<string, string | number> | Iterable<[string, string]>;
type BodyInit = string | URLSearchParams | FormData | Blob | Uint8Array | ArrayBuffer;
declare class Headers implements Iterable<[string, string]> {
  constructor(init?: HeadersInit);
  get(name: string): string | null; has(name: string): boolean; set(name: string, value: string): void; append(name: string, value: string): void; delete(name: string): void;
  getSetCookie(): string[];
  forEach(visit: (value: string, name: string, all: Headers) => void): void;
  entries(): IterableIterator<[string, string]>; keys(): IterableIterator<string>; values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
interface Body {
  readonly bodyUsed: boolean;
  text(): Promise<string>; json(): Promise<any>; arrayBuffer(): Promise<ArrayBuffer>; bytes(): Promise<Uint8Array>; blob(): Promise<Blob>; formData(): Promise<FormData>;
}
interface RequestInit { method?: string; headers?: HeadersInit; body?: BodyInit | null; signal?: AbortSignal | null; redirect?: 'follow' | 'manual'; effect?: 'read' | 'write'; timeoutMs?: number }
declare class Request implements Body {
  constructor(url: string | URL | Request, init?: RequestInit);
  readonly url: string; readonly method: string; readonly headers: Headers; readonly signal: AbortSignal | null; readonly bodyUsed: boolean;
  clone(): Request;
  text(): Promise<string>; json(): Promise<any>; arrayBuffer(): Promise<ArrayBuffer>; bytes(): Promise<Uint8Array>; blob(): Promise<Blob>; formData(): Promise<FormData>;
}
declare class Response implements Body {
  constructor(body?: BodyInit | null, init?: { status?: number; statusText?: string; headers?: HeadersInit });
  static json(value: unknown, init?: { status?: number; statusText?: string; headers?: HeadersInit }): Response;
  readonly ok: boolean; readonly status: number; readonly statusText: string; readonly url: string; readonly headers: Headers; readonly redirected: boolean; readonly type: string; readonly bodyUsed: boolean;
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
