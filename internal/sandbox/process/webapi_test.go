package process_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// fetching are the bindings of a host that has a web.
func fetching() []sandbox.Binding {
	return append(bindings(), sandbox.Binding{Name: "web.fetch", Effect: effect(sandbox.Read), Overlaps: true})
}

// service answers web.fetch as the server of testdata/webapi/expected.mjs does, each time after ms.
func service(ms int64) sandbox.Host {
	return sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		var (
			address string
			options struct {
				Method  string            `json:"method"`
				Headers map[string]string `json:"headers"`
				Body    string            `json:"body"`
				Base64  string            `json:"base64"`
			}
			args = []any{&address, &options}
		)
		if err := json.Unmarshal(call.Args, &args); err != nil {
			return sandbox.Reply{}, err
		}
		path := strings.TrimPrefix(address, "https://api.example.test")
		kind, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		status, media, body := 200, "application/json", `{"n":42,"list":[1,2,3]}`
		headers, answer := map[string]string{}, map[string]any{}
		switch kind {
		case "json":
		case "n":
			body = `{"n":` + rest + `}`
		case "status":
			media, body = "text/plain", "status "+rest
			status, _ = strconv.Atoi(rest)
		case "cookies":
			headers["set-cookie"] = "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=2; Path=/"
		case "moved":
			answer["url"] = "https://api.example.test/json"
		case "bytes":
			media, body = "image/png", "\uFFFDPNG\x00\uFFFD\x01"
			answer["base64"] = "iVBORwD/AQ=="
		case "html":
			media, body = "text/html", "<!doctype html><title>Hi</title>"
		default:
			said := map[string]any{"method": options.Method, "path": path, "type": nil, "body": options.Body + options.Base64}
			if options.Method == "" {
				said["method"] = "GET"
			}
			if named, ok := options.Headers["content-type"]; ok {
				said["type"] = named
			}
			text, err := json.Marshal(said)
			if err != nil {
				return sandbox.Reply{}, err
			}
			body = string(text)
		}
		headers["content-type"] = media
		answer["status"], answer["headers"], answer["body"] = status, headers, body
		result, err := json.Marshal(answer)
		return sandbox.Reply{Result: result, MS: ms}, err
	})
}

func fetchRun(t *testing.T, code string, host sandbox.Host) sandbox.Outcome {
	t.Helper()
	outcome, err := process.InProcess{Bindings: fetching()}.Run(t.Context(), execution("async function main(input) {\n"+code+"\n}"), host)
	require.NoError(t, err)
	return outcome
}

// Rule: the standard web API means here what it means in Node, whose values testdata/webapi/expected.mjs wrote.
func TestWebAPI(t *testing.T) {
	t.Parallel()
	for name, one := range readSnippets(t, "webapi") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one.judge(t, fetchRun(t, one.Code, service(1)))
		})
	}
}

// Rule: fetch makes the call that web.fetch makes, with nothing in it that was not asked for, at the place
// in the script where it stands.
func TestFetchIsACallOfTheHost(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"await fetch('https://a.test')":                                                                `["https://a.test"]`,
		"await fetch(new URL('https://a.test'), {})":                                                   `["https://a.test/"]`,
		"await fetch('https://a.test', { method: 'get', headers: {} })":                                `["https://a.test"]`,
		"await fetch('https://a.test', { method: 'post', effect: 'read', timeoutMs: 5 })":              `["https://a.test",{"method":"POST","effect":"read","timeoutMs":5}]`,
		"await fetch('https://a.test', { method: 'PUT', headers: { 'X-A': '1' }, body: 'b' })":         `["https://a.test",{"method":"PUT","headers":{"content-type":"text/plain;charset=UTF-8","x-a":"1"},"body":"b"}]`,
		"await fetch('https://a.test', { headers: { Authorization: `Bearer ${process.env.TOKEN}` } })": `["https://a.test",{"headers":{"authorization":"Bearer {{secret:TOKEN}}"}}]`,
	} {
		outcome := fetchRun(t, code, service(0))
		require.Nil(t, outcome.Error, code)
		require.Len(t, outcome.Calls, 1)
		call := outcome.Calls[0]
		require.Equal(t, []any{"web.fetch", want, 2, 12}, []any{call.Tool, string(call.Args), call.Line, call.Column}, code)
	}
}

// Rule: what goes wrong with fetch has the class that it has with web.fetch, wherever it is thrown on.
func TestFetchFails(t *testing.T) {
	t.Parallel()
	down := sandbox.Error{Class: sandbox.ClassNetwork, Name: "NetworkError", Message: "GET https://a.test: no answer", Host: "a.test"}
	for _, code := range []string{
		"await fetch('https://a.test')",
		"return fetch('https://a.test')",
		"await fetch('https://a.test').then((r) => r.json())",
		"try { await fetch('https://a.test') } catch (e) { throw new Error('no report', { cause: e }) }",
		"await fetch('https://a.test', { signal: AbortSignal.timeout(100) })",
	} {
		outcome := fetchRun(t, code, refusing(down))
		require.NotNil(t, outcome.Error, code)
		require.Equal(t, []any{sandbox.ClassNetwork, "a.test", 2}, []any{outcome.Error.Class, outcome.Error.Host, outcome.Error.Frames[0].Line}, code)
	}
	refused := fetchRun(t, "try { await fetch('https://a.test') } catch (e) { return 1 } finally { console.log('went on') }", refusing(sandbox.Error{Class: sandbox.ClassPermission, Message: "not public"}))
	require.Equal(t, sandbox.ClassPermission, refused.Error.Class)
	require.Empty(t, refused.Log)
}

// Rule: an answer that nobody has is looked into when the script looks into the response, not before.
func TestFetchedIsLookedIntoLate(t *testing.T) {
	t.Parallel()
	opaque := sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) { return sandbox.Reply{Opaque: true}, nil })
	require.Nil(t, fetchRun(t, "const r = await fetch('https://a.test', { method: 'POST', body: 'x' }); return [r.bodyUsed, r.type]", opaque).Error)
	for _, look := range []string{"ok", "status", "headers", "statusText", "url", "redirected"} {
		outcome := fetchRun(t, "const r = await fetch('https://a.test', { method: 'POST', body: 'x' }); return r."+look, opaque)
		require.NotNil(t, outcome.Error, look)
		require.Equal(t, sandbox.CodeUnanswerable, outcome.Error.Code, look)
	}
}

// Rule: waiting takes virtual time only, and what is waited for at once overlaps; the calls stay in the order
// in which the script made them.
func TestTimersAreVirtual(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code, want string
		moved      int64
	}{
		{"setTimeout(() => console.log('late'), 3600000); return 1", `1`, 3600000},
		{"AbortSignal.timeout(5000); return 1", `1`, 0},
		{"const c = new AbortController(); setTimeout(() => c.abort(), 50); try { await fetch('https://a.test', { signal: c.signal }) } catch (e) { return [e.name, e.class, Date.now() - " + strconv.FormatInt(clock.UnixMilli(), 10) + "] }", `["AbortError","network",50]`, 100},
		{"try { await fetch('https://a.test', { signal: AbortSignal.timeout(99) }) } catch (e) { return e.name }", `"TimeoutError"`, 100},
		{"return (await fetch('https://a.test', { signal: AbortSignal.timeout(101) })).status", `200`, 100},
		{"const log = []; setTimeout(() => log.push('timer'), 100); await sleep(200); log.push('slept'); return log", `["timer","slept"]`, 200},
		{"setTimeout; await Promise.all([1, 2, 3].map((n) => fetch('https://a.test/' + n))); return 1", `1`, 100},
		{"await Promise.all([1, 2, 3].map((n) => fetch('https://a.test/' + n))); return 1", `1`, 300},
	} {
		outcome := fetchRun(t, tt.code, service(100))
		require.Nil(t, outcome.Error, tt.code)
		require.Equal(t, []any{tt.want, tt.moved}, []any{string(outcome.Output), outcome.VirtualMS}, tt.code)
		again, err := process.InProcess{Bindings: fetching()}.Run(t.Context(), execution("async function main(input) {\n"+tt.code+"\n}"), service(100))
		require.NoError(t, err)
		require.Equal(t, outcome, again)
	}
	for code, want := range map[string]string{
		"setInterval(() => {}, 10); return 1":                                                       "clearInterval",
		"setTimeout(() => { throw new RangeError('in a timer') }, 5)":                               "in a timer",
		"setTimeout(() => {}, 5); await new Promise(() => {})":                                      "deadlock",
		"setTimeout(async () => { throw new Error('rejected') }, 5)":                                "rejected",
		"const b = Buffer.from(secret('a')); return b.toString('hex')":                              "as base64 only",
		"return crypto.createHmac('sha256', secret('a')).digest('hex')":                             "whose value a script does not have",
		"await crypto.subtle.digest('SHA-1', Buffer.from(secret('a')))":                             "whose value a script does not have",
		"await (await new Response('\\uFFFD').arrayBuffer())":                                       "not text",
		"await (await new Response('\\uFFFD').blob())":                                              "not text",
		"return new Date().toLocaleDateString('sw')":                                                "there is no locale sw",
		"return (5).toLocaleString('en', { notation: 'compact', style: 'percent' })":                "compact is there for plain numbers",
		"return new Date().toLocaleString('en', { timeZoneName: 'short', timeZone: 'Asia/Tokyo' })": "no names of time zones",
		"return (5).toLocaleString('en', { style: 'currency', currency: 'XXY' })":                   "there is no currency",
		"return new Intl.PluralRules('sw').select(1)":                                               "there is no locale sw",
		"return new Intl.ListFormat('sw').format(['a', 'b', 'c'])":                                  "there is no locale sw",
		"return new Intl.RelativeTimeFormat('en', { style: 'tiny' }).format(1, 'day')":              "out of range for style",
		"return new Intl.NumberFormat('en/../../x').format(1)":                                      "Incorrect locale",
		"return new Intl.NumberFormat('constructor').format(1)":                                     "Incorrect locale",
		"await fetch('https://a.test', { redirect: 'error' })":                                      "redirect can be follow or manual",
	} {
		outcome := fetchRun(t, code, service(0))
		require.NotNil(t, outcome.Error, code)
		require.Contains(t, outcome.Error.Message, want, code)
	}
}

// Rule: of the environment there are handles, of names that look like variables.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	require.Equal(t, `["{{secret:API_KEY}}","production",true,[],"{}","undefined","undefined","Basic {{base64:me:{{secret:PW}}}}"]`, value(t,
		`[process.env.API_KEY, process.env.NODE_ENV, 'X' in process.env, Object.keys(process.env), JSON.stringify(process.env), typeof process.env.constructor.constructor, typeof process.env.home, 'Basic ' + Buffer.from('me:' + process.env.PW).toString('base64')]`))
}

// Rule: what is written in JavaScript has no async function and no generator in it: a script that has none itself
// would find their constructors there, which compile text.
func TestPreludeHasNoWayToTheCompiler(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "webapi", "prelude", "*.js"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		code := regexp.MustCompile(`(?m)//.*$|"async"`).ReplaceAllString(string(text), "")
		require.Empty(t, regexp.MustCompile(`\basync\b.{0,20}|\bawait\b.{0,20}|function\s*\*.{0,20}|\byield\b.{0,20}|(?m)^\s*\*`).FindString(code), file)
	}
}

// Rule: a library has such functions, and a script that has it finds no constructor there.
func TestLibrariesHaveNoWayToTheCompiler(t *testing.T) {
	t.Parallel()
	require.Equal(t, `["undefined","undefined","undefined"]`, output(t, `const { pipeline, Readable } = require('stream');
const promises = require('stream/promises');
function main() { return [promises.pipeline, pipeline, Readable.prototype.map].map((f) => typeof f.constructor); }`))
}

// Rule: the json of an answer is what JSON.parse makes of its text, value or error; and as in Node, where the engine's
// JSON.parse knows no number that is too large and no half of a pair.
func TestAnswersAreReadAsJSONParseReads(t *testing.T) {
	t.Parallel()
	all := execution(`async function main() {
		const texts = ['', ' ', '{', '{"a":1,}', 'nul', '01', '1 2', '"\\x"', '"\n"', '\u00a01', 'NaN', "'a'",
			'0', '-0', '-1E-400', '0.1', '12345678901234567890', '9007199254740993', '1e21', ' [ 1 , 2 ] ', '[]', '{}', 'null', 'true', '"Grüße \u{1F600}"', '"\ud800"', '"\ufffd"',
			'{"a":1,"b":2,"a":3}', '{"2":1,"1":2}', '{"__proto__":{"x":1},"constructor":2}', '{"toJSON":1}', '"\\u0000"', '['.repeat(400) + ']'.repeat(400), '['.repeat(1200) + ']'.repeat(1200)];
		const shown = (f) => { try { const v = f(); return [Object.is(v, -0), JSON.stringify(v), v && v.x, v === null || typeof v !== 'object' || Object.getPrototypeOf(v) === (Array.isArray(v) ? Array : Object).prototype] } catch (e) { return [e.name, e.message] } };
		const differ = [];
		for (const text of texts) {
			let answered, thrown;
			try { answered = await new Response(text).json() } catch (e) { thrown = e }
			const [a, b] = [shown(() => { if (thrown) throw thrown; return answered }), shown(() => JSON.parse(text))];
			if (JSON.stringify(a) !== JSON.stringify(b)) differ.push([text.slice(0, 40), a, b]);
		}
		return differ.concat(await new Response('[1e400]').json() + await new Response('["\\ud800"]').json() === 'Infinity\ud800' ? [] : ['Node']);
	}`)
	outcome, err := process.InProcess{Bindings: fetching()}.Run(t.Context(), all, nil)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	require.Equal(t, "[]", string(outcome.Output))
}
