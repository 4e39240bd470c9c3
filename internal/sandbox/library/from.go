package library

import (
	"encoding/base64"
	"slices"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/webapi"
)

// Libraries for scripts that come from elsewhere: what those find there, over the calls of the host. `kintsugi script
// import` puts their imports before such a script.
var (
	_ = engine.DeclareLibrary(engine.Library{
		Name: "apps-script",
		Calls: map[string]engine.Reach{
			"UrlFetchApp": {}, "fetch": {Tool: "web.fetch"}, "fetchAll": {Tool: "web.fetch", Own: true, Asks: "list"},
			"PropertiesService": {}, "getScriptProperties": {}, "getUserProperties": {}, "getDocumentProperties": {},
			"getProperty": {Tool: "kv.get", Own: true}, "getKeys": {Tool: "kv.list", Own: true}, "getProperties": {Tool: "kv.get", Own: true},
			"setProperty": {Tool: "kv.set", Own: true, Gives: true}, "setProperties": {Tool: "kv.set", Own: true, Gives: true},
			"deleteProperty": {Tool: "kv.delete", Own: true, Gives: true}, "deleteAllProperties": {Tool: "kv.delete", Own: true, Gives: true},
			"CacheService": {}, "getScriptCache": {}, "getUserCache": {}, "getDocumentCache": {},
			"get": {Tool: "kv.get", Own: true}, "put": {Tool: "kv.set", Own: true}, "remove": {Tool: "kv.delete", Own: true},
			"MailApp": {}, "GmailApp": {}, "sendEmail": {Tool: "notify", Own: true},
		},
		Exports: []string{"UrlFetchApp", "PropertiesService", "CacheService", "LockService", "Utilities", "Logger", "MailApp", "GmailApp", "Session", "SpreadsheetApp", "DriveApp", "DocumentApp", "CalendarApp", "FormApp", "SlidesApp", "ContactsApp", "HtmlService", "ContentService", "ScriptApp", "XmlService"},
		Doc: "Of Google Apps Script, for scripts that come from there, without await: UrlFetchApp (web.fetch), PropertiesService and CacheService (kv), MailApp and GmailApp (notify), Utilities, Logger, LockService (runs of a workflow do not overlap) and Session. " +
			"There are no documents, spreadsheets and drives.",
		Types: `export const UrlFetchApp: any; export const PropertiesService: any; export const CacheService: any; export const LockService: any; export const Utilities: any; export const Logger: any; export const MailApp: any; export const GmailApp: any; export const Session: any;`,
		Make:  func(r *engine.Run) *goja.Object { return r.Prelude(prelude, "apps-script.js", elsewhere(r)) },
	})
	_ = engine.DeclareLibrary(engine.Library{
		Name: "n8n",
		Calls: map[string]engine.Reach{
			"begin": {}, "workflow": {}, "code": {Hands: true}, "set": {Hands: true}, "list": {Hands: true}, "each": {Hands: true}, "if": {Hands: true}, "filter": {Hands: true}, "switch": {Hands: true}, "loop": {Hands: true}, "respond": {Hands: true}, "mail": {Tool: "notify", Own: true, Hands: true}, "request": {Tool: "web.fetch", Own: true, Hands: true, Asks: "options"},
			"$helpers": {}, "helpers": {}, "httpRequest": {Tool: "web.fetch", Own: true, Asks: "options"}, "$env": {},
			"$getWorkflowStaticData": {Tool: "kv.set", Own: true}, "getWorkflowStaticData": {Tool: "kv.set", Own: true},
		},
		Exports: []string{"begin", "workflow"},
		Doc:     "Of n8n, for workflows that come from there (kintsugi script import n8n): workflow(input) takes the nodes of a workflow, each with those that its items come from, and run() runs them as n8n does; their functions are handed $input, $json, items, $node and the like, with Luxon. begin(input) gives the steps that scripts of before have. The run's input is the items of the trigger.",
		Types:   `export function begin(input: unknown, title?: string): any; export function workflow(input: unknown, title?: string): any;`,
		Make:    func(r *engine.Run) *goja.Object { return r.Prelude(prelude, "n8n.js", elsewhere(r)) },
	})
	_ = engine.DeclareLibrary(engine.Library{
		Name: "windmill", Packages: []string{"windmill-client"},
		Calls: map[string]engine.Reach{
			"getVariable": {Tool: "secret", Own: true}, "setVariable": {Tool: "kv.set", Own: true}, "getResource": {Tool: "kv.get", Own: true}, "setResource": {Tool: "kv.set", Own: true},
			"getState": {Tool: "kv.get", Own: true}, "setState": {Tool: "kv.set", Own: true}, "getInternalState": {Tool: "kv.get", Own: true}, "setInternalState": {Tool: "kv.set", Own: true},
		},
		Exports: []string{"getVariable", "setVariable", "getResource", "setResource", "getState", "setState", "getInternalState", "setInternalState"},
		Doc:     "Of Windmill, for scripts that come from there: getVariable(path) is the value under variables/path of kv, else the handle of the secret of that name with dots for slashes; getResource(path) the value under resources/path; getState and setState keep a value.",
		Types: `export function getVariable(path: string): Promise<any>; export function setVariable(path: string, value: unknown): Promise<void>; export function getResource(path: string): Promise<any>; export function setResource(value: unknown, path: string): Promise<void>;
export function getState(): Promise<any>; export function setState(value: unknown): Promise<void>; export function getInternalState(): Promise<any>; export function setInternalState(value: unknown): Promise<void>;`,
		Make: func(r *engine.Run) *goja.Object { return r.Prelude(prelude, "windmill.js", elsewhere(r)) },
	})
	_ = nodeModule("fs", "fs", files, "Of Node's fs, over the calls of files: readFile, writeFile, appendFile, readdir, unlink, rm, stat and access, each also with Sync, existsSync, and promises. Paths lie in the workflow's folder, which is '.'; mkdir does nothing.",
		"readFile", "readFileSync", "writeFile", "writeFileSync", "appendFile", "appendFileSync", "readdir", "readdirSync", "unlink", "unlinkSync", "rm", "rmSync", "mkdir", "mkdirSync", "stat", "statSync", "access", "accessSync", "existsSync", "promises")
	_ = nodeModule("module", "module", nil, "createRequire of Node's module, for modules that are written with require.", "createRequire")
	_ = nodeModule("fs/promises", "promises", files, "The promises of fs.", "readFile", "writeFile", "appendFile", "readdir", "unlink", "rm", "mkdir", "stat", "access")
	_ = nodeModule("path", "path", nil, "Of Node's path: join, resolve, relative, dirname, basename, extname, normalize, isAbsolute, parse, format, sep.", "join", "resolve", "relative", "dirname", "basename", "extname", "normalize", "isAbsolute", "parse", "format", "sep", "delimiter", "posix")
	_ = nodeModule("https", "https", requests("https"), requestsDoc, "get", "request", "Agent")
	_ = nodeModule("http", "http", requests("http"), requestsDoc, "get", "request", "Agent")
	_ = nodeModule("util", "util", nil, "Of Node's util: promisify, callbackify, format and inspect (without colors and getters, and not of promises), isDeepStrictEqual, parseArgs (a script has no arguments), types, inherits, deprecate, debuglog, styleText (without colors), TextEncoder and TextDecoder.",
		"promisify", "inspect", "isDeepStrictEqual", "format", "callbackify", "deprecate", "inherits", "stripVTControlCharacters", "types", "parseArgs", "debuglog", "styleText", "toUSVString", "TextEncoder", "TextDecoder")
	_ = nodeModule("events", "events", nil, "Of Node's events: EventEmitter, once and on.", "EventEmitter", "once", "on", "defaultMaxListeners")
	_ = nodeModule("assert", "assert", nil, "Of Node's assert: ok, equal, deepEqual, throws, rejects, match and their kin; messages have other words.", asserts...)
	_ = nodeModule("assert/strict", "strict", nil, "Of Node's assert, where equal is strictEqual.", asserts...)
	_ = nodeModule("querystring", "querystring", nil, "Node's querystring.", "parse", "stringify", "escape", "unescape", "encode", "decode")
	_ = nodeModule("os", "os", nil, "Of Node's os: EOL, and of the machine what is the same on each.", "EOL", "platform", "type", "arch", "release", "hostname", "homedir", "tmpdir", "cpus", "totalmem", "freemem", "uptime", "loadavg", "networkInterfaces", "userInfo", "endianness")
	_ = nodeModule("timers/promises", "timers", nil, "Of Node's timers/promises, on the run's clock.", "setTimeout", "setImmediate", "setInterval", "scheduler")
	_ = nodeModule("perf_hooks", "performance", nil, "performance, which is there without import.", "performance")
	_ = nodeModule("url", "url", nil, "Of Node's url: URL, URLSearchParams, fileURLToPath, pathToFileURL, parse, format, resolve, domainToASCII, domainToUnicode and urlToHttpOptions.", "URL", "URLSearchParams", "fileURLToPath", "pathToFileURL", "parse", "format", "resolve", "domainToASCII", "domainToUnicode", "urlToHttpOptions")
	_ = globalModule("crypto", "crypto", nil, "randomUUID", "createHash", "createHmac", "randomBytes", "randomInt", "timingSafeEqual", "getRandomValues", "subtle", "hash", "webcrypto", "createCipheriv", "createDecipheriv", "pbkdf2", "pbkdf2Sync", "scrypt", "scryptSync", "getHashes", "getCiphers")
	_ = globalModule("buffer", "", nil, "Buffer")
	_ = globalModule("timers", "", nil, "setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate")
	_ = globalModule("process", "process", map[string]engine.Reach{"env": {}}, "env", "nextTick", "exit", "argv", "cwd", "hrtime", "uptime", "memoryUsage", "platform", "arch", "pid", "version", "versions", "stdout", "stderr", "on", "once", "emitWarning") // where the handles of secrets are
)

var asserts = []string{
	"AssertionError", "ok", "equal", "notEqual", "strictEqual", "notStrictEqual", "deepEqual", "notDeepEqual", "deepStrictEqual", "notDeepStrictEqual",
	"match", "doesNotMatch", "fail", "ifError", "throws", "doesNotThrow", "rejects", "doesNotReject", "strict",
}

// requests are the functions of http and https: a request is made when it is ended, or at once by get.
func requests(scheme string) map[string]engine.Reach {
	return map[string]engine.Reach{
		"get":     {Tool: "web.fetch", Own: true, Gives: true, Asks: scheme},
		"request": {Tool: "web.fetch", Own: true, Gives: true, Asks: scheme},
		"end":     {Tool: "web.fetch", Own: true, Asks: "before"},
	}
}

const requestsDoc = "Of Node's http and https, over web.fetch: get and request, with write, end, setHeader and on of a request, statusCode, headers, setEncoding and on of its answer, which comes in one piece of text. Redirects are followed."

// files are the functions of fs by what they call, each also with Sync.
var files = func() map[string]engine.Reach {
	calls := map[string]engine.Reach{"promises": {}, "existsSync": {Tool: "files.stat"}}
	for name, tool := range map[string]string{
		"readFile": "files.read", "writeFile": "files.write", "appendFile": "files.append", "readdir": "files.list",
		"unlink": "files.remove", "rm": "files.remove", "stat": "files.stat", "access": "files.stat",
	} {
		calls[name], calls[name+"Sync"] = engine.Reach{Tool: tool}, engine.Reach{Tool: tool}
	}
	return calls
}()

// nodeModule is a module of library/node.js.
func nodeModule(name, part string, calls map[string]engine.Reach, doc string, exports ...string) struct{} { //nolint:unparam // as bundle
	return engine.DeclareLibrary(engine.Library{
		Name: "node/" + name, Packages: []string{name, "node:" + name}, Exports: exports, Doc: doc, Types: anyOf(exports), Calls: calls,
		Make: func(r *engine.Run) *goja.Object {
			return r.Prelude(prelude, "node.js", elsewhere(r)).Get(part).ToObject(r.VM)
		},
	})
}

// globalModule is a module of Node whose names are there without import: all of a global, or some by themselves.
func globalModule(name, global string, calls map[string]engine.Reach, exports ...string) struct{} { //nolint:unparam // as bundle
	return engine.DeclareLibrary(engine.Library{
		Name: "node/" + name, Packages: []string{name, "node:" + name}, Exports: exports, Doc: "What is there without import, for who imports it.", Types: anyOf(exports), Calls: calls,
		Make: func(r *engine.Run) *goja.Object {
			if global != "" {
				return r.Standard(global).ToObject(r.VM)
			}
			made := r.VM.NewObject()
			for _, name := range exports {
				engine.Define(made, name, r.Standard(name), engine.Visible)
			}
			return made
		},
	})
}

func anyOf(names []string) string {
	text := ""
	for _, name := range slices.Sorted(slices.Values(names)) {
		text += "export const " + name + ": any; "
	}
	return text
}

func zoneName(r *engine.Run, _ goja.FunctionCall) goja.Value { return r.VM.ToValue(r.Zone.String()) }

// elsewhere is what such libraries are handed.
func elsewhere(r *engine.Run) map[string]*goja.Object {
	module := func(name string) *goja.Object {
		return r.Function(name, func(goja.FunctionCall) goja.Value { return r.LibraryNamed(name) })
	}
	globals := r.Function("globals", func(goja.FunctionCall) goja.Value {
		found := r.VM.NewObject()
		for _, name := range []string{"Buffer", "console", "crypto", "process", "URL", "URLSearchParams", "performance", "setTimeout", "clearTimeout", "setImmediate", "AbortController", "AbortSignal", "TextEncoder", "TextDecoder", "EventTarget", "require"} {
			standard := r.Function(name, func(goja.FunctionCall) goja.Value { return r.Standard(name) })
			if err := found.DefineAccessorProperty(name, standard, nil, goja.FLAG_FALSE, goja.FLAG_TRUE); err != nil {
				panic(err)
			}
		}
		engine.Define(found, "btoaText", r.Function("btoaText", func(call goja.FunctionCall) goja.Value {
			if text := call.Argument(0).String(); engine.SecretHandle.MatchString(text) {
				return webapi.Btoa(r, call)
			}
			return r.VM.ToValue(base64.StdEncoding.EncodeToString([]byte(call.Argument(0).String())))
		}), engine.Visible)
		return found
	})
	return map[string]*goja.Object{
		"host":   r.BlockingCalls(),
		"zone":   r.Function("zone", func(call goja.FunctionCall) goja.Value { return zoneName(r, call) }),
		"now":    r.Function("now", func(goja.FunctionCall) goja.Value { return r.VM.ToValue(r.Now().UnixMilli()) }),
		"secret": r.Function("secret", r.Secret),
		"sleep": r.Function("sleep", func(call goja.FunctionCall) goja.Value {
			r.Alive()
			if ms := call.Argument(0).ToFloat(); ms > 0 && ms <= engine.MaxSleep {
				r.Move(int64(ms))
			}
			return goja.Undefined()
		}),
		"inspecting": r.Function("inspecting", func(goja.FunctionCall) goja.Value {
			return r.Prelude(prelude, "inspect.js", map[string]*goja.Object{"globals": globals})
		}),
		"zlib":     r.Function("zlib", func(call goja.FunctionCall) goja.Value { return compress(r, call) }),
		"dates":    module("dates"),
		"csv":      module("csv"),
		"html":     module("html"),
		"markdown": module("markdown"),
		"globals":  globals,
		"streams":  r.Function("streams", func(goja.FunctionCall) goja.Value { return streams(r) }),
	}
}
