package sandbox

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// fetchTool is the call of the host that fetch makes: to journal, gate and guard there is no other.
const fetchTool = "web.fetch"

var _ = declare(Builtin{
	Names: []string{"fetch", "Headers", "Request", "Response", "FormData", "Blob", "File"},
	Use:   "fetch(url, init?), Headers, Request, Response, FormData, Blob, File",
	Doc: "The standard fetch, which makes a call of web.fetch: it takes method, headers, body (text, URLSearchParams, FormData, or bytes that are UTF-8) and signal, beside them effect and timeoutMs. " +
		"Without an answer it throws NetworkError, and not TypeError. There are no streams: response.body is not there.",
	Types: fetchTypes,
	make: func(r *run, name string) goja.Value {
		core := r.fetchPrelude()
		if core == nil {
			return nil
		}
		switch name {
		case "FormData", "Blob", "File":
			return r.formsPrelude().Get(name)
		case "Headers":
			return r.sentPrelude().Get(name)
		case "Request":
			return r.prelude("request.js", map[string]*goja.Object{"fetch": core, "sent": r.sentPrelude()}).Get(name)
		}
		return core.Get(name)
	},
})

var _ = declare(Builtin{
	Names: []string{"AbortController", "AbortSignal"},
	Use:   "AbortController, AbortSignal",
	Doc:   "As in browsers, for fetch, on the script's clock. What was aborted throws a NetworkError whose name is AbortError or TimeoutError; the request is not cut, and the run ends when it is over.",
	Types: `declare class AbortSignal {
  static timeout(ms: number): AbortSignal;
  static abort(reason?: unknown): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean; readonly reason: unknown;
  onabort: ((event: { type: 'abort'; target: AbortSignal }) => unknown) | null;
  throwIfAborted(): void;
  addEventListener(type: 'abort', f: (event: { type: 'abort'; target: AbortSignal }) => unknown, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', f: (event: { type: 'abort'; target: AbortSignal }) => unknown): void;
}
declare class AbortController { readonly signal: AbortSignal; abort(reason?: unknown): void }`,
	make: func(r *run, name string) goja.Value { return r.abortPrelude().Get(name) },
})

func (r *run) abortPrelude() *goja.Object {
	return r.prelude("abort.js", map[string]*goja.Object{
		// aborted(late) is the reason of an abort: a trouble that may pass, for mostly it is a time-out. With f and ms f is
		// called when that has passed; the run does not go on for it.
		"aborted": r.function("aborted", func(call goja.FunctionCall) goja.Value {
			if len(call.Arguments) > 1 {
				r.startTimer(call.Argument(1), call.Argument(2)).loose = true
				return goja.Undefined()
			}
			failure := Error{Class: ClassNetwork, Name: "AbortError", Message: "This operation was aborted", Tool: fetchTool}
			if call.Argument(0).ToBoolean() {
				failure = Error{Class: ClassNetwork, Name: "TimeoutError", Code: "timeout", Message: "The operation was aborted due to timeout", Tool: fetchTool}
			}
			last := r.lastFailure
			object := r.newError(failure)
			r.lastFailure = last // nothing has failed yet
			return object
		}),
	})
}

// fetchPrelude is nil where there is no web.
func (r *run) fetchPrelude() *goja.Object {
	r.alive()
	if made := r.written["fetch.js"]; made != nil {
		return made
	}
	var send *goja.Object
	space, _, _ := strings.Cut(fetchTool, ".")
	for _, binding := range r.bindings.spaces[space] {
		if binding.Name == fetchTool {
			send = r.tool(binding)
		}
	}
	if send == nil {
		return nil
	}
	return r.prelude("fetch.js", map[string]*goja.Object{
		"send": send,
		// piece(name, of) is what a script with fetch may need besides.
		"piece": r.function("piece", func(call goja.FunctionCall) goja.Value {
			switch call.Argument(0).String() {
			case "bytes":
				return r.bytesPrelude()
			case "forms":
				return r.formsPrelude()
			case "status":
				return r.vm.ToValue(http.StatusText(int(call.Argument(1).ToInteger())))
			case "json":
				return r.parse(call.Argument(1))
			}
			return r.sentPrelude()
		}),
	})
}

// ownParse is how a script has a JSON.parse of its own, as the tracer of repairs does, who wants to hear of all that is read.
const ownParse = "JSON.parse = "

// parse is JSON.parse: where the text is right, five times faster.
func (r *run) parse(text goja.Value) goja.Value {
	if raw := text.String(); !strings.Contains(r.execution.Code, ownParse) && !TooDeep([]byte(raw)) && !strings.ContainsRune(raw, utf8.RuneError) { // which stands for half a pair as well
		if value, err := r.toScript([]byte(raw)); err == nil && raw != "" {
			return value
		}
	}
	parse, ok := goja.AssertFunction(r.original.Get("JSON").ToObject(r.vm).Get("parse"))
	if !ok {
		panic(r.vm.NewTypeError("JSON.parse is not a function"))
	}
	value, err := parse(goja.Undefined(), text)
	if err != nil {
		panic(err)
	}
	return value
}

func (r *run) sentPrelude() *goja.Object {
	if made := r.written["sent.js"]; made != nil {
		return made
	}
	return r.prelude("sent.js", map[string]*goja.Object{
		"forms": r.function("forms", func(goja.FunctionCall) goja.Value { return r.formsPrelude() }),
		"query": r.function("query", func(call goja.FunctionCall) goja.Value {
			_, made := r.written["url.js"]
			value, is := call.Argument(0).(*goja.Object)
			if !made || !is { // there is no URLSearchParams yet
				return r.vm.ToValue(false)
			}
			class := r.written["url.js"].Get("URLSearchParams").ToObject(r.vm)
			return r.vm.ToValue(r.vm.InstanceOf(value, class))
		}),
	})
}

func (r *run) formsPrelude() *goja.Object {
	if made := r.written["forms.js"]; made != nil {
		return made
	}
	return r.prelude("forms.js", map[string]*goja.Object{
		"bytes": r.function("bytes", func(goja.FunctionCall) goja.Value { return r.bytesPrelude() }),
		"isBytes": r.function("isBytes", func(call goja.FunctionCall) goja.Value {
			_, ok := octetsOf(call.Argument(0))
			return r.vm.ToValue(ok)
		}),
		"query": r.function("query", func(goja.FunctionCall) goja.Value {
			return builtinByName["URLSearchParams"].make(r, "URLSearchParams")
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
interface RequestInit { method?: string; headers?: HeadersInit; body?: BodyInit | null; signal?: AbortSignal | null; redirect?: 'follow'; effect?: 'read' | 'write'; timeoutMs?: number }
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
