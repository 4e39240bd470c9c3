//// status and headers
const r = await fetch('https://api.example.test/json'); return [r.ok, r.status, r.statusText, r.headers.get('Content-Type'), r.headers.has('x-nothing'), r.bodyUsed];
//// json
const r = await fetch('https://api.example.test/json'); const data = await r.json(); return [data, r.bodyUsed];
//// body is read once
const r = await fetch('https://api.example.test/json'); await r.text(); try { await r.json(); return 'read twice'; } catch (e) { return e.name; }
//// clone
const r = await fetch('https://api.example.test/json'); const c = r.clone(); return [await c.text(), (await r.json()).n, c.bodyUsed];
//// not found
const r = await fetch('https://api.example.test/status/404'); if (!r.ok) return `HTTP ${r.status} ${r.statusText}`;
//// post json
const r = await fetch('https://api.example.test/echo', { method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json' }, body: JSON.stringify({ a: 1 }) }); return r.json();
//// lower case method
return (await fetch('https://api.example.test/echo', { method: 'post', body: 'x' })).json();
//// form
return (await fetch('https://api.example.test/echo', { method: 'POST', body: new URLSearchParams({ a: '1 2', b: 'ü' }) })).json();
//// bytes as body
return (await fetch('https://api.example.test/echo', { method: 'PUT', body: new TextEncoder().encode('Grüße') })).json();
//// request object
const q = new Request('https://api.example.test/echo', { method: 'PUT', headers: { 'X-One': '1' }, body: 'y' }); const r = await fetch(q); return [q.method, q.url, q.bodyUsed, q.headers.get('x-one'), await r.json()];
//// request changed
const q = new Request('https://api.example.test/echo', { method: 'POST', headers: { 'X-One': '1' }, body: 'y' }); const n = new Request(q, { headers: { 'X-Two': '2' } }); return [n.method, n.headers.get('x-one'), n.headers.get('x-two'), await n.text()];
//// url object
const u = new URL('https://api.example.test/echo'); u.searchParams.set('q', 'a b'); return (await fetch(u)).json();
//// body of a GET
try { await fetch('https://api.example.test/echo', { body: 'x' }); } catch (e) { return e.name; }
//// html is no json
const r = await fetch('https://api.example.test/html'); try { await r.json(); } catch (e) { return e.name; }
//// array buffer
const b = await (await fetch('https://api.example.test/json')).arrayBuffer(); return [b.byteLength, Buffer.from(b).toString('utf8'), b instanceof ArrayBuffer];
//// blob
const b = await (await fetch('https://api.example.test/json')).blob(); return [b.size, b.type, await b.text()];
//// then chain
return fetch('https://api.example.test/json').then((r) => { if (!r.ok) throw new Error('no'); return r.json(); }).then((d) => d.list.map((x) => x * 2)).catch((e) => e.message);
//// several at once
const all = await Promise.all([1, 2, 3].map((n) => fetch('https://api.example.test/n/' + n).then((r) => r.json()))); return all.map((x) => x.n);
//// all settled
const all = await Promise.allSettled(['/json', '/status/500'].map((p) => fetch('https://api.example.test' + p).then((r) => { if (!r.ok) throw new Error('HTTP ' + r.status); return r.json(); }))); return all.map((x) => x.status);
//// aborted before
const c = new AbortController(); c.abort(); try { await fetch('https://api.example.test/json', { signal: c.signal }); } catch (e) { return [e.name, c.signal.aborted, c.signal.reason === e]; }
//// time-out that is not reached
const c = new AbortController(); const t = setTimeout(() => c.abort(), 5000); try { const r = await fetch('https://api.example.test/json', { signal: c.signal }); return (await r.json()).n; } finally { clearTimeout(t); }
//// abort signals
const s = AbortSignal.abort('why'); const any = AbortSignal.any([new AbortController().signal, s]); let threw; try { any.throwIfAborted(); } catch (e) { threw = e; } return [s.aborted, s.reason, any.aborted, threw];
//// abort listener
const c = new AbortController(); const log = []; c.signal.addEventListener('abort', (e) => log.push(e.type)); c.signal.onabort = () => log.push('on'); c.abort('x'); c.abort('y'); return [log.sort(), c.signal.reason];
//// retries
let n = 0; async function again(url, tries) { for (let i = 1; ; i++) { const r = await fetch(url); if (r.ok || i === tries) return [r.status, i]; await new Promise((done) => setTimeout(done, 10 * 2 ** i)); n++; } } return [await again('https://api.example.test/status/503', 3), n];
//// headers
const h = new Headers({ B: '2', A: '1' }); h.append('a', 'x'); h.set('C', ' 3 '); h.delete('B'); return [[...h], h.get('A'), h.get('nope'), [...h.keys()], Object.fromEntries(h)];
//// headers of pairs
const h = new Headers([['set-cookie', 'a=1'], ['Set-Cookie', 'b=2'], ['X', 'y']]); const out = []; h.forEach((v, k) => out.push(k + ':' + v)); return [h.getSetCookie(), out];
//// bad header
try { new Headers({ 'a b': 'x' }); } catch (e) { return e.name; }
//// response of one's own
const r = new Response(JSON.stringify({ a: 1 }), { status: 201, headers: { 'X-A': 'b' } }); return [r.ok, r.status, r.headers.get('x-a'), r.headers.get('content-type'), await r.json()];
//// Response.json
const r = Response.json({ a: [1] }, { status: 400 }); return [r.ok, r.status, r.headers.get('content-type'), await r.text()];
//// empty response
const r = new Response(null, { status: 204 }); return [r.ok, r.status, await r.text(), r.body, r.bodyUsed];
//// form data
const f = new FormData(); f.append('a', 1); f.append('a', 'two'); f.set('b', 'x'); f.delete('c'); return [f.get('a'), f.getAll('a'), f.has('b'), f.get('zz'), [...f], [...f.keys()]];
//// form data is sent as multipart
const f = new FormData(); f.append('a', 'b'); const r = await (await fetch('https://api.example.test/echo', { method: 'POST', body: f })).json(); return [r.type.split(';')[0], r.body.split('\r\n').slice(1, 4)];
//// blob of parts
const b = new Blob(['ä', new Uint8Array([98, 99])], { type: 'Text/Plain' }); return [b.size, b.type, await b.text(), await b.slice(2, 3).text()];
//// stringified
const r = await fetch('https://api.example.test/json'); return [JSON.stringify(r), String(r), Object.prototype.toString.call(r.headers), typeof fetch, r instanceof Response];
//// cookies of an answer
const r = await fetch('https://api.example.test/cookies'); return [r.headers.getSetCookie(), r.headers.get('set-cookie'), [...r.headers].filter(([name]) => name === 'set-cookie').length, r.redirected];
//// where redirects led to
const r = await fetch('https://api.example.test/moved'); return [r.redirected, new URL(r.url).pathname, r.status, r.clone().redirected, (await r.json()).n];
