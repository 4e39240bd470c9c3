package webapi

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/nlnwa/whatwg-url/url"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"URL", "URLSearchParams"},
	Use:   "URL, URLSearchParams",
	Doc:   "As in browsers.",
	Types: `declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Record<string, unknown> | Iterable<[string, unknown]>);
  readonly size: number;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: unknown): boolean;
  set(name: string, value: unknown): void;
  append(name: string, value: unknown): void;
  delete(name: string, value?: unknown): void;
  sort(): void;
  forEach(visit: (value: string, name: string, all: URLSearchParams) => void, self?: unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}
declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string; protocol: string; username: string; password: string; host: string; hostname: string;
  port: string; pathname: string; search: string; hash: string;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}`,
	Make: func(r *engine.Run, name string) goja.Value {
		return r.Prelude(prelude, "url.js", map[string]*goja.Object{
			"parseURL": r.Function("parseURL", func(call goja.FunctionCall) goja.Value { return parseURL(r, call) }), "changeURL": r.Function("changeURL", func(call goja.FunctionCall) goja.Value { return changeURL(r, call) }),
			"encodeForm": textFunction(r, "encodeForm", encodeForm), "decodeForm": textFunction(r, "decodeForm", decodeForm),
		}).Get(name)
	},
})

var _ = engine.Declare(engine.Builtin{
	Names: []string{"structuredClone"},
	Use:   "structuredClone(value)",
	Doc:   "As in browsers.",
	Types: "declare function structuredClone<T>(value: T, options?: { transfer?: ArrayBuffer[] }): T;",
	Make: func(r *engine.Run, name string) goja.Value {
		return r.Prelude(prelude, "clone.js", map[string]*goja.Object{
			"bytes": r.Function("bytes", func(goja.FunctionCall) goja.Value {
				if made := r.Made(prelude, "bytes.js"); made != nil {
					return made
				}
				return goja.Undefined()
			}),
			"events": r.Function("events", func(goja.FunctionCall) goja.Value { return eventsPrelude(r) }),
		}).Get(name)
	},
})

func textFunction(r *engine.Run, name string, f func(string) string) *goja.Object {
	return r.Function(name, func(call goja.FunctionCall) goja.Value {
		return r.VM.ToValue(f(call.Argument(0).String()))
	})
}

// parseURL is parseURL(text, base): a URL taken apart, as the WHATWG URL standard has it.
func parseURL(r *engine.Run, call goja.FunctionCall) goja.Value {
	given := call.Argument(0).String()
	var (
		u   *url.Url
		err error
	)
	if base := call.Argument(1); goja.IsUndefined(base) {
		u, err = url.Parse(given)
	} else {
		u, err = url.ParseRef(base.String(), given)
	}
	if err != nil {
		why := ""
		if goja.IsUndefined(call.Argument(1)) && !urlScheme.MatchString(given) {
			why = " has no scheme"
		}
		failed := r.VM.NewTypeError("invalid URL: %q%s", engine.Cut(given, 100), why)
		engine.Define(failed, "code", r.VM.ToValue("ERR_INVALID_URL"), engine.Visible)
		engine.Define(failed, "input", call.Argument(0), engine.Visible)
		panic(failed)
	}
	return partsOf(r, u)
}

var urlScheme = lazyregexp.New(`^\s*[A-Za-z][A-Za-z0-9+.-]*:`)

// changeURL is changeURL(href, part, value).
func changeURL(r *engine.Run, call goja.FunctionCall) goja.Value {
	u, err := url.Parse(call.Argument(0).String())
	if err != nil {
		panic(r.VM.NewTypeError("%s", err.Error()))
	}
	set := map[string]func(string){
		"protocol": u.SetProtocol, "username": u.SetUsername, "password": u.SetPassword, "host": u.SetHost, "hostname": u.SetHostname,
		"port": u.SetPort, "pathname": u.SetPathname, "search": u.SetSearch, "hash": u.SetHash,
	}
	set[call.Argument(1).String()](call.Argument(2).String())
	return partsOf(r, u)
}

func partsOf(r *engine.Run, u *url.Url) goja.Value {
	parts := r.VM.NewObject()
	for _, part := range []struct{ name, text string }{
		{"href", u.Href(false)}, {"protocol", u.Protocol()}, {"username", u.Username()}, {"password", u.Password()}, {"host", u.Host()},
		{"hostname", u.Hostname()}, {"port", u.Port()}, {"pathname", u.Pathname()}, {"search", u.Search()}, {"hash", u.Hash()},
	} {
		engine.Define(parts, part.name, r.VM.ToValue(part.text), engine.Visible)
	}
	return parts
}

// encodeForm and decodeForm are application/x-www-form-urlencoded, as query parameters are.
func encodeForm(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			b.WriteByte('+')
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("*-._", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func decodeForm(s string) string {
	return strings.ToValidUTF8(percentDecode(strings.ReplaceAll(s, "+", " ")), "\uFFFD")
}

// percentDecode leaves a percent sign that starts nothing as it is.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}
