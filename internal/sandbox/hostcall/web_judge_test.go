package hostcall_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// If a script throws because of web.fetch's answer, its error keeps the class of that answer: the last one that it
// looked at, if no call after it was answered well. Mistakes of the script itself stay logic.
func TestAScriptsErrorKeepsTheClassOfTheAnswer(t *testing.T) {
	t.Parallel()
	const (
		page  = `<!DOCTYPE html><html><title>Down</title></html>`
		login = `<html><title>Sign in</title><input type="password"></html>`
	)
	html := o{"content-type": "text/html"}
	answers := map[string]o{
		"/ok":       {"status": 200, "headers": o{}, "body": `{"items":[1]}`},
		"/500":      {"status": 500, "headers": o{"retry-after": "7"}, "body": `{"error":"boom"}`},
		"/503":      {"status": 503, "headers": o{"retry-after": "Sun, 01 Mar 2026 07:01:00 GMT", "date": "Sun, 01 Mar 2026 07:00:00 GMT"}, "body": ""},
		"/429":      {"status": 429, "headers": o{}, "body": ""},
		"/401":      {"status": 401, "headers": o{}, "body": `{"error":"Your token has expired"}`},
		"/407":      {"status": 407, "headers": o{}, "body": ""},
		"/403":      {"status": 403, "headers": o{}, "body": ""},
		"/403limit": {"status": 403, "headers": o{"x-ratelimit-remaining": "0"}, "body": ""},
		"/404":      {"status": 404, "headers": html, "body": "<h1>Not Found</h1>"},
		"/422":      {"status": 422, "headers": o{}, "body": "{}"},
		"/page":     {"status": 200, "headers": html, "body": page},
		"/page.xml": {"status": 200, "headers": html, "body": page},
		"/login":    {"status": 200, "headers": html, "body": login},
		"/cut":      {"status": 200, "headers": o{}, "body": `{"items":[{"id":1,"na`},
		"/bytes":    {"status": 200, "headers": o{}, "body": "PNG\ufffd\u0000"},
		"/empty":    {"status": 200, "headers": o{}, "body": ""},
		"/cut.xml":  {"status": 200, "headers": o{"content-type": "application/xml"}, "body": `<rates><rate>1.5</ra`},
		"/down":     {"status": 200, "headers": o{"content-type": "application/json"}, "body": "upstream connect error"},
		"/text":     {"status": 200, "headers": o{}, "body": "not JSON"},
	}
	host := sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		var args []json.RawMessage
		var path string
		require.NoError(t, json.Unmarshal(call.Args, &args))
		require.NoError(t, json.Unmarshal(args[0], &path))
		result, err := json.Marshal(answers[strings.TrimPrefix(path, "https://api.test")])
		if strings.HasSuffix(path, "/null") {
			return sandbox.Reply{Result: json.RawMessage("null")}, nil
		}
		if call.Tool != "web.fetch" {
			return sandbox.Reply{}, nil
		}
		return sandbox.Reply{Result: result}, err
	})
	const parse = `JSON.parse((await web.fetch(at + 'PATH')).body).items.map(String)`
	const check = `const r = await web.fetch(at + 'PATH'); if (r.status !== 200) throw new Error('failed: ' + r.status)`
	const all = `const get = async (path) => { const r = await web.fetch(at + path); if (r.status >= 400) throw new Error(path); return JSON.parse(r.body) };
		const [a, b] = await Promise.all([get('/500'), get('/ok')]);`
	const auth, permission, network, logic = sandbox.ClassAuth, sandbox.ClassPermission, sandbox.ClassNetwork, sandbox.ClassLogic
	of := func(code, path string) string { return strings.ReplaceAll(code, "PATH", path) }
	for _, test := range []struct {
		code, name, class string
		status            int
	}{
		{of(parse, "/500"), "TypeError", network, 500},
		{of(check, "/500"), "Error", network, 500},
		{of(check, "/429"), "Error", network, 429},
		{of(check, "/401"), "Error", auth, 401},
		{of(check, "/407"), "Error", auth, 407},
		{of(check, "/403"), "Error", permission, 403},
		{of(check, "/403limit"), "Error", network, 403},
		{of(parse, "/503"), "SyntaxError", network, 503},
		{`const { status } = await web.fetch(at + '/503'); throw 'status ' + status`, "Error", network, 503},
		{`await web.fetch(at + '/503').then((r) => { if (r.status !== 200) return Promise.reject(new RangeError('x')) })`, "RangeError", network, 503},
		{all, "Error", network, 500},
		{`const r = await web.fetch(at + '/500'); if (r.status !== 200) { await kv.set('failed', true); await notify('It is down'); throw new Error('down') }`, "Error", network, 500},

		{of(parse, "/page"), "SyntaxError", network, 200},
		{of(parse, "/login"), "SyntaxError", auth, 200},
		{`const r = await web.fetch(at + '/page'); try { JSON.parse(r.body) } catch (e) { throw new Error('the API did not answer JSON') }`, "Error", network, 200},
		{`const r = await web.fetch(at + '/page'); throw new Error('unexpected: ' + r.body)`, "Error", network, 200},
		// A page may be what the script wants: then what it does not find there is its own affair.
		{`const r = await web.fetch(at + '/page'); r.body.match(/<b>(.*)<.b>/)[1]`, "TypeError", logic, 0},
		{`const { toObject } = require('kintsugi:xml'); toObject((await web.fetch(at + '/page.xml')).body).rates.rate`, "TypeError", network, 200},
		// A write is no other, where the script expected data.
		{`const r = await web.fetch(at + '/login', { method: 'POST', body: '' }); JSON.parse(r.body)`, "SyntaxError", auth, 200},
		{`const r = await web.fetch(at + '/page', { method: 'POST', body: '' }); JSON.parse(r.body)`, "SyntaxError", network, 200},
		{`const r = await fetch(at + '/cut', { method: 'POST', body: '' }); (await r.json()).id`, "SyntaxError", network, 200},
		{`const r = await fetch(at + '/text', { method: 'POST', body: '' }); (await r.json()).id`, "SyntaxError", logic, 0},
		{`const r = await web.fetch(at + '/page', { method: 'POST', body: '' }); r.body.match(/<b>(.*)<.b>/)[1]`, "TypeError", logic, 0},

		// An answer that arrived damaged may arrive whole the next time.
		{of(parse, "/cut"), "SyntaxError", network, 200},
		{of(parse, "/bytes"), "SyntaxError", network, 200},
		{of(parse, "/empty"), "SyntaxError", network, 200},
		{of(parse, "/down"), "SyntaxError", network, 200},
		{`const r = await fetch(at + '/cut'); (await r.json()).items.length`, "SyntaxError", network, 200},
		{`const { parse } = require('kintsugi:xml'); parse((await web.fetch(at + '/cut')).body)`, "SyntaxError", network, 200},
		{`(await web.getJSON(at + '/nothing')).items.length`, "TypeError", network, 200},
		{`const { parse } = require('kintsugi:xml'); parse((await web.fetch(at + '/cut.xml')).body)`, "SyntaxError", network, 200},
		{`const [a, b] = await Promise.all([web.getJSON(at + '/ok'), web.getJSON(at + '/nothing')]); a.items; b.items.length`, "TypeError", network, 200},
		{`const [a, b] = await Promise.all([web.getJSON(at + '/nothing'), web.getJSON(at + '/ok')]); b.items; a.items.length`, "TypeError", network, 200},
		{`(await web.postJSON(at + '/nothing', {}, { effect: 'read' })).items.length`, "TypeError", network, 200},
		{`(await web.postJSON(at + '/nothing', {})).items.length`, "TypeError", logic, 0},
		{`(await web.getJSON(at + '/null')).items.length`, "TypeError", logic, 0},
		{`const r = await web.getJSON(at + '/nothing'); throw new RangeError('mine')`, "RangeError", logic, 0},
		{of(parse, "/text"), "SyntaxError", logic, 0},
		{of(check, "/404"), "Error", logic, 0},
		{of(parse, "/404"), "SyntaxError", logic, 0},
		{of(check, "/422"), "Error", logic, 0},
		{`await web.fetch(at + '/500'); null.x`, "TypeError", logic, 0},
		{`(await web.fetch(at + '/500')).status; (await web.fetch(at + '/ok')).status; null.x`, "TypeError", logic, 0},
		{`(await web.fetch(at + '/500')).status; await web.getJSON(at + '/ok'); throw new RangeError('mine')`, "RangeError", logic, 0},
		{`(await web.fetch(at + '/500')).status; (await web.fetch(at + '/404')).status; null.x`, "TypeError", logic, 0},
		{`(await web.fetch(at + '/500')).status; throw new LogicError('mine')`, "LogicError", logic, 0},
		{`(await web.fetch(at + '/500')).status; throw new AuthError('mine')`, "AuthError", auth, 0},
		{`(await web.fetch(at + '/500')).status; await files.read('missing')`, "LogicError", logic, 0},
	} {
		code := "const at = 'https://api.test';\nasync function main() { " + test.code + " }"
		var first string
		for range 2 { // the same, whenever it is run again
			outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Limits: patient, Seed: "s", Code: code}, filesBeside(host))
			require.NoError(t, err)
			e := outcome.Error
			require.NotNil(t, e, code)
			require.Equal(t, []any{test.name, test.class, test.status}, []any{e.Name, e.Class, e.Status}, "%s: %s", code, e.Message)
			require.Equal(t, test.status != 0, e.Kept(), code)
			if e.Kept() {
				require.Contains(t, []string{"web.fetch", "web.getJSON", "web.postJSON"}, e.Tool)
				require.Equal(t, "api.test", e.Host)
			}
			if test.status == 500 {
				require.EqualValues(t, 7000, e.RetryAfterMS)
				require.Equal(t, `{"error":"boom"}`, e.Body)
			}
			if test.status == 503 {
				require.EqualValues(t, 60_000, e.RetryAfterMS)
			}
			if first == "" {
				first = e.Strict
			}
			require.Equal(t, first, e.Strict)
		}
	}
}

// An answer that says that something went wrong is to a script what any other is.
func TestAWatchedAnswerIsAnOrdinaryValue(t *testing.T) {
	t.Parallel()
	host := sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		return sandbox.Reply{Result: json.RawMessage(`{"status":500,"headers":{"a":"b"},"body":"x"}`)}, nil
	})
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Limits: patient, Seed: "s", Code: `async function main() {
		const r = await web.fetch('https://api.test/');
		const copy = { ...r };
		r.body = 'changed'; r.ok = false; delete r.headers;
		return [Object.keys(r), r, copy, 'status' in r];
	}`}, host)
	require.NoError(t, err)
	require.Nil(t, outcome.Error)
	require.Equal(t, `[["status","body","ok"],{"status":500,"body":"changed","ok":false},{"status":500,"headers":{"a":"b"},"body":"x"},true]`, string(outcome.Output))
}

func filesBeside(web sandbox.Host) sandbox.Host {
	return sandbox.HostFunc(func(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
		switch {
		case strings.HasPrefix(call.Tool, "web."):
			return web.Call(ctx, call)
		case call.Tool == "files.read":
			return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "there is no file missing"}}, nil
		}
		return sandbox.Reply{}, nil
	})
}
