//// for await over a body
const r = await fetch('https://api.example.test/json'); let text = ''; const decoder = new TextDecoder(); for await (const piece of r.body) text += decoder.decode(piece, { stream: true }); text += decoder.decode(); return [JSON.parse(text).n, r.bodyUsed, r.body.locked];
//// reader of a body
const r = await fetch('https://api.example.test/bytes'); const reader = r.body.getReader(); const pieces = []; for (;;) { const { done, value } = await reader.read(); if (done) break; pieces.push(value); } return [Buffer.concat(pieces).toString('hex'), r.headers.get('content-type'), r.body.locked, r.bodyUsed];
//// bytes of an answer
const r = await fetch('https://api.example.test/bytes'); const c = r.clone(); return [[...new Uint8Array(await r.arrayBuffer())], await c.text()];
//// blob of an answer
const b = await (await fetch('https://api.example.test/bytes')).blob(); return [b.size, b.type, [...new Uint8Array(await b.arrayBuffer())], [...new Uint8Array(await b.slice(1, 4).arrayBuffer())]];
//// bytes that are sent
return (await fetch('https://api.example.test/echo', { method: 'PUT', body: new Uint8Array([255, 0, 1]) })).json();
//// a file that is sent
const form = new FormData(); form.append('f', new Blob([new Uint8Array([137, 80, 255])], { type: 'image/png' }), 'a.png'); const got = await (await fetch('https://api.example.test/echo', { method: 'POST', body: form })).json(); const bytes = Buffer.from(got.body, 'base64'); return [bytes.includes(Buffer.from([137, 80, 255])), bytes.includes('filename="a.png"'), bytes.includes('Content-Type: image/png')];
//// a body that was read is no stream any more
const r = await fetch('https://api.example.test/json'); await r.text(); try { for await (const piece of r.body) return 'read'; return 'nothing'; } catch (e) { return e.name; }
//// a body is read once, by a stream too
const r = await fetch('https://api.example.test/json'); await r.body.getReader().read(); try { await r.text(); } catch (e) { return e.name; }
//// streams into one another
const source = new ReadableStream({ start(c) { for (const w of ['alpha', 'beta']) c.enqueue(w); c.close(); } });
let out = ''; await source.pipeThrough(new TransformStream({ transform(piece, c) { c.enqueue(piece.toUpperCase()); }, flush(c) { c.enqueue('!'); } })).pipeTo(new WritableStream({ write(piece) { out += piece + ';'; } }));
return out;
//// text of a stream
const r = await fetch('https://api.example.test/json'); let n = ''; for await (const text of r.body.pipeThrough(new TextDecoderStream())) n += text; return JSON.parse(n).list;
//// a stream as a body
const made = new Response(new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode('a€')); c.enqueue(new TextEncoder().encode('b')); c.close(); } })); const twice = made.clone(); return [await made.text(), await twice.text(), made.bodyUsed];
//// two ends of a body
const [a, b] = new Response('tee').body.tee(); return [await new Response(a).text(), await new Response(b).text()];
//// encoded in pieces
const s = new ReadableStream({ start(c) { c.enqueue('\ud83d'); c.enqueue('\ude00x'); c.close(); } }).pipeThrough(new TextEncoderStream()); let all = []; for await (const one of s) all.push(...one); return all;
//// a stream that fails
const s = new ReadableStream({ pull(c) { c.error(new RangeError('gone')); } }); try { await s.getReader().read(); } catch (e) { return [e.name, e.message]; }
//// pulled as it is read
let n = 0; const s = new ReadableStream({ pull(c) { c.enqueue(n++); if (n > 5) c.close(); } }, { highWaterMark: 0 }); const seen = []; for await (const one of s) { seen.push(one); if (one === 2) break; } return [seen, n];
//// a body that is none
const r = new Response(null); return [r.body, await r.text()];
//// events
const seen = []; const t = new EventTarget(); const f = (e) => seen.push([e.type, e.target === t, e.currentTarget === t, e.detail ?? null]);
t.addEventListener('a', f); t.addEventListener('a', f); t.addEventListener('a', { handleEvent(e) { seen.push('object'); e.stopImmediatePropagation(); } }); t.addEventListener('a', () => seen.push('never')); t.addEventListener('b', f, { once: true });
t.dispatchEvent(new Event('a')); t.dispatchEvent(new CustomEvent('b', { detail: { n: 1 } })); t.dispatchEvent(new CustomEvent('b')); t.removeEventListener('a', f); t.dispatchEvent(new Event('a'));
const c = new Event('c', { cancelable: true }); t.addEventListener('c', (e) => e.preventDefault()); return [seen, t.dispatchEvent(c), c.defaultPrevented, c.target === t, c.currentTarget, String(c), String(t)];
//// events of a class, and a signal
class Queue extends EventTarget { #n = 0; add() { this.dispatchEvent(new CustomEvent('add', { detail: ++this.#n })); return this; } } const seen = []; const stop = new AbortController(); const q = new Queue(); q.addEventListener('add', ({ detail }) => seen.push(detail), { signal: stop.signal }); q.add().add(); stop.abort(); q.add(); return seen;
//// an event that is none
try { new EventTarget().dispatchEvent({ type: 'x' }); } catch (e) { return e.name; }
//// exceptions of the DOM
const e = new DOMException('gone', 'AbortError'); let clone; try { structuredClone({ f() {} }); } catch (x) { clone = [x.name, x.code, x instanceof DOMException]; } const c = new AbortController(); c.abort(); return [e.name, e.code, e.message, e instanceof Error, DOMException.ABORT_ERR, clone, c.signal.reason instanceof DOMException, new Error('x') instanceof DOMException];
//// cloned by moving
const b = new ArrayBuffer(8); const moved = structuredClone(b, { transfer: [b] }); return [b.byteLength, moved.byteLength];
//// copied within
return [[...new Uint8Array([1, 2, 3, 4]).copyWithin(0, 2)], [...new Int16Array([1, 2, 3]).copyWithin(1, 0)]];
//// a registry of what is collected
const r = new FinalizationRegistry(() => {}); r.register({}, 1); return r.unregister({});
//// an interval that ends itself
await new Promise((done) => { let n = 0; const t = setInterval(() => { if (++n === 3) { clearInterval(t); done(); } }, 5); }); return 'over';
