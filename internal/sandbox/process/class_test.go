package process_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule: of classes that are made as they are used a script finds all that other classes have, in any order.
func TestClassesAreMadeAsTheyAreUsed(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"class R extends Response { get double() { return this.status * 2 } } const r = new R('x', { status: 201 }); return [r.double, r instanceof R, r instanceof Response, await r.text(), String(r)]":                                                                                                    `[402,true,true,"x","[object Response]"]`,
		"const r = new Response('a'); r.extra = 1; Response.prototype.shout = function () { return this.extra }; return [r.shout(), 'json' in r, r.hasOwnProperty('json'), Object.keys(r), await r.text()]":                                                                                                  `[1,true,false,["extra"],"a"]`,
		"const had = new Response('1').json; const own = had === new Response('').json; Response.prototype.json = () => 'mine'; return [own, new Response('b').json(), had === Response.prototype.json]":                                                                                                     `[true,"mine",false]`,
		"const r = new Response('a'); const before = r.ok; delete Response.prototype.ok; return [before, r.ok === undefined]":                                                                                                                                                                                `[true,true]`,
		"const r = new Response('{}'); r.json; return [Object.getOwnPropertyNames(Response.prototype).length === new Set(Object.getOwnPropertyNames(Response.prototype)).size, Object.getOwnPropertyNames(AbortController.prototype)]":                                                                       `[true,["constructor","signal","abort"]]`,
		"return [Response.prototype.constructor === Response, new Response().constructor === Response, Response.name, Request.length, Object.keys(Response), Object.keys(Response.prototype), typeof Response.json]":                                                                                         `[true,true,"Response",1,[],[],"function"]`,
		"const d = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'onabort'); return [d.get.name, d.set.name, d.enumerable, d.configurable, Object.getOwnPropertyDescriptor(Response.prototype, 'json').value.name]":                                                                                 `["get onabort","set onabort",false,true,"json"]`,
		"const thrown = (f) => { try { f(); return 0 } catch (e) { return e.name } }; const get = Object.getOwnPropertyDescriptor(Response.prototype, 'ok').get; return [thrown(() => get.call({})), thrown(() => Response.prototype.ok), thrown(() => Response.call({})), thrown(() => new AbortSignal())]": `["TypeError","TypeError","TypeError","TypeError"]`,
		"const r = Object.freeze(new Response('[1]')); return [await r.json(), r.bodyUsed]":                                                                                                                                                                                                                  `[[1],true]`,
		"Object.defineProperty(Object.prototype, 'self', { get() { return this } }); const r = new Response(); return [r.self === r, r.__proto__ === Response.prototype, Object.getPrototypeOf(Response.prototype) === Object.prototype]":                                                                    `[true,true,true]`,
		"const t = setTimeout(() => {}, 5); const keys = Object.keys(t); clearTimeout(t); return [t.unref() === t, t.hasRef(), +t > 0, keys, t.constructor.name]":                                                                                                                                            `[true,false,true,[],"Timeout"]`,
		"const s = AbortSignal.abort('why'); return [s.aborted, s.reason, Object.prototype.toString.call(s), `${new AbortController()}`, Reflect.has(s, 'reason'), s.nothing === undefined]":                                                                                                                 `[true,"why","[object AbortSignal]","[object AbortController]",true,true]`,
		"const heard = []; const c = new AbortController(); c.signal.onabort = () => heard.push(1); c.signal.onabort = null; c.signal.onabort = (e) => heard.push(e.target === c.signal); c.signal.addEventListener('abort', { handleEvent: () => heard.push(3) }); c.abort(); return heard":                 `[true,3]`,
		"try { await fetch('https://a.test', { signal: {} }) } catch (e) { return [e.name, e.message] }":                                                                                                                                                                                                     `["TypeError","fetch: signal has to be an AbortSignal"]`,
	} {
		outcome := fetchRun(t, code, service(0))
		require.Nil(t, outcome.Error, "%s: %+v", code, outcome.Error)
		require.Equal(t, want, string(outcome.Output), code)
	}
}

// Rule: the tracer of repairs, and whoever else has a JSON.parse of its own, hears of what json() reads.
func TestOwnParseHearsOfAnswers(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"const old = JSON.parse; JSON.parse = (text) => [old(text), 'mine']; return new Response('1').json()",
		"const old = JSON.parse; globalThis['JS' + 'ON'].parse = (text) => [old(text), 'mine']; return new Response('1').json()",
	} {
		outcome := fetchRun(t, code, service(0))
		require.Nil(t, outcome.Error)
		require.Equal(t, `[1,"mine"]`, string(outcome.Output), code)
	}
}
