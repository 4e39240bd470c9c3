//// text encoder
return [Array.from(new TextEncoder().encode('Grüße €')), new TextEncoder().encode('a').byteLength, new TextEncoder().encoding];
//// text decoder
return [new TextDecoder().decode(new Uint8Array([0xEF, 0xBB, 0xBF, 104, 105])), new TextDecoder('latin1').decode(new Uint8Array([228, 246])), new TextDecoder('utf-16le').decode(new Uint8Array([97, 0, 228, 0])), new TextDecoder().encoding];
//// invalid utf-8
let fatal; try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xC3, 0x28])); } catch (e) { fatal = e.name; } return [new TextDecoder().decode(new Uint8Array([0x61, 0xC3, 0x28, 0xF0, 0x9F, 0x62, 0xFF])), fatal];
//// unknown label
try { new TextDecoder('nope'); } catch (e) { return e.name; }
//// buffer encodings
const b = Buffer.from('Grüße'); return ['utf8', 'hex', 'base64', 'base64url', 'latin1', 'ascii', 'utf16le'].map((e) => b.toString(e));
//// buffer from encodings
return [['48656c6c6f', 'hex'], ['SGVsbG8=', 'base64'], ['SGVsbG8', 'base64url'], ['Hällo', 'latin1'], ['Hi', 'utf16le']].map(([t, e]) => [...Buffer.from(t, e)]);
//// odd hex and dirty base64
return [[...Buffer.from('abc', 'hex')], [...Buffer.from('zz', 'hex')], Buffer.from('SGV s\nbG8', 'base64').toString(), Buffer.from('SGVsbG8_', 'base64').length];
//// basic auth
return 'Basic ' + Buffer.from('user:pass').toString('base64');
//// buffer json
return [JSON.stringify(Buffer.from('hi')), JSON.stringify(new Uint8Array([1, 2])), JSON.stringify({ b: Buffer.from([1]) })];
//// buffer kin
const b = Buffer.from('hello'); return [Buffer.isBuffer(b), Buffer.isBuffer(new Uint8Array(1)), b instanceof Uint8Array, Array.isArray(b), typeof b, b.constructor.name, Object.prototype.toString.call(b)];
//// concat and slice
const b = Buffer.concat([Buffer.from('ab'), Buffer.from('cd'), new Uint8Array([33])]); return [b.toString(), b.slice(1, 3).toString(), b.subarray(-2).toString(), b.length, Buffer.concat([b], 2).toString()];
//// shared memory
const b = Buffer.from('abc'); b.slice(0, 1)[0] = 122; const u = new Uint8Array([1, 2, 3]); u.slice(0, 1)[0] = 9; return [b.toString(), [...u]];
//// buffer compare and find
const b = Buffer.from('abcabc'); return [b.equals(Buffer.from('abcabc')), Buffer.compare(Buffer.from('a'), Buffer.from('b')), b.indexOf('ca'), b.indexOf('z'), b.includes('bca'), b.indexOf('b', 2), b.indexOf(97, 1)];
//// buffer alloc and fill
const b = Buffer.alloc(5, 'ab'); const c = Buffer.alloc(3); c.fill(7, 1); return [b.toString(), [...c], [...Buffer.alloc(2)]];
//// buffer numbers
const b = Buffer.alloc(8); b.writeUInt32BE(0xDEADBEEF, 0); b.writeInt16LE(-2, 4); b.writeUInt8(255, 6); return [b.toString('hex'), b.readUInt32BE(0), b.readUInt32LE(0), b.readInt16LE(4), b.readInt8(6), b.readUint8(6)];
//// buffer byteLength
return [Buffer.byteLength('Grüße'), Buffer.byteLength('abcd', 'hex'), Buffer.from('€').length];
//// buffer write and copy
const b = Buffer.alloc(6); const n = b.write('hi', 1); Buffer.from('xyz').copy(b, 3, 1); return [n, b.toString('latin1')];
//// out of range
try { Buffer.alloc(2).readUInt32BE(0); } catch (e) { return e.name; }
//// typed array basics
const u = new Uint8Array(3); u[0] = 300; u[1] = -1; u[9] = 5; return [[...u], u.length, u[9] === undefined, 2 in u, 3 in u];
//// typed array methods
const u = Uint8Array.from([3, 1, 2]); return [[...u.map((x) => x * 100)], [...u.filter((x) => x > 1)], u.reduce((a, b) => a + b, 0), u.join('-'), u.indexOf(2), u.at(-1), [...u.toSorted()], [...u.sort()], u.includes(9), u.find((x) => x < 3), String(u)];
//// typed array set and of
const u = new Uint8Array(4); u.set([1, 2], 1); return [[...u], [...Uint8Array.of(5, 6)], Object.keys(u), [...u.entries()][1]];
//// array buffer
const a = new ArrayBuffer(4); const u = new Uint8Array(a, 1, 2); u[0] = 7; return [a.byteLength, [...new Uint8Array(a)], [...new Uint8Array(a.slice(1, 3))], ArrayBuffer.isView(u), u.byteLength];
//// spread and concat
return [[].concat(new Uint8Array([1, 2])).length, [...Buffer.from('ab')], Math.max(...new Uint8Array([1, 9, 3])), Array.from(Buffer.from('a'), (x) => x + 1)];
//// hex of bytes
return Array.from(new Uint8Array([1, 171])).map((b) => b.toString(16).padStart(2, '0')).join('');
//// sha-256
const d = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc')); return [d.byteLength, Buffer.from(d).toString('hex')];
//// digests
const out = []; for (const name of ['SHA-1', 'SHA-384', { name: 'sha-512' }]) out.push(Buffer.from(await crypto.subtle.digest(name, Buffer.from('x'))).toString('base64')); return out;
//// hmac
const key = await crypto.subtle.importKey('raw', new TextEncoder().encode('key'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']); const data = new TextEncoder().encode('payload'); const s = await crypto.subtle.sign('HMAC', key, data); return [Buffer.from(s).toString('hex'), await crypto.subtle.verify('HMAC', key, s, data), await crypto.subtle.verify('HMAC', key, s, data.slice(1)), key.type, key.algorithm];
//// key for signing only
const key = await crypto.subtle.importKey('raw', new Uint8Array(8), { name: 'HMAC', hash: { name: 'SHA-1' } }, false, ['verify']); try { await crypto.subtle.sign('HMAC', key, new Uint8Array(1)); } catch (e) { return e.name; }
//// unknown algorithm
try { await crypto.subtle.digest('MD5', new Uint8Array(1)); } catch (e) { return e.name; }
//// random values
const u = crypto.getRandomValues(new Uint8Array(16)); return [u.length, u.some((x) => x > 0), /^[0-9a-f-]{36}$/.test(crypto.randomUUID())];
//// the other typed arrays
const f = new Float64Array([1.5, 2.5, NaN]); const i = new Int32Array(3); i[0] = 2 ** 31; i[1] = -1.9; i[7] = 1; const s = f.subarray(1); s[0] = 9; return [f.reduce((a, b) => a + (b || 0)), [...i], [...Uint16Array.from([65536, 1, '7'])], [...new Uint8ClampedArray([300, -5, 1.5, 2.5])], [...new Int8Array([200])], [...new Float32Array([0.1, 16777217])], f[1], i.length, i.byteLength, Float64Array.BYTES_PER_ELEMENT, [...i.map((x) => x * 2)], [...new Uint32Array([5, -1, 3]).sort()], String(new Int16Array(2)), JSON.stringify(new Int16Array([1, 2])), Object.prototype.toString.call(f), i instanceof Int32Array, ArrayBuffer.isView(f), new Int16Array(new Float64Array([1.9, 40000])).join(), [...new Uint32Array([3, 1]).with(0, 2 ** 32 + 5)], Array.isArray(f), f.at(-1), [...new Int32Array(2).fill(7.9)], [...new Uint16Array([1, 2, 3]).filter((x) => x > 1)], new Int32Array([1, 2, 3]).indexOf(2), i.constructor.name];
//// typed arrays of one buffer
const b = new ArrayBuffer(16); const u = new Uint8Array(b); const w = new Uint32Array(b, 4, 2); w[0] = 0x01020304; w[1] = 2 ** 32 - 1; new Float64Array(b)[0]; const out = [[...u], w.length, w.byteLength, w.buffer.byteLength >= 8]; for (const bad of [() => new Uint16Array(b, 1), () => new Uint32Array(new ArrayBuffer(6)), () => new Uint16Array(b, 20)]) try { bad(); out.push('none'); } catch (e) { out.push(e.name); } return out;
//// big integers in bytes
const n = new BigInt64Array([1n, -1n]); n[1] = 2n ** 64n + 5n; const u = new BigUint64Array(1); u[0] = -1n; const out = [[...n].map(String), String(u[0]), n.length]; for (const bad of [() => n.set([1]), () => { n[0] = 1; }, () => new Int32Array([1n])]) try { bad(); out.push('none'); } catch (e) { out.push(e.name); } return out;
//// DataView
const b = new ArrayBuffer(24); const v = new DataView(b, 4); v.setUint16(0, 258); v.setInt32(2, -2, true); v.setFloat32(8, 1.5); v.setBigUint64(12, 2n ** 63n, true); const out = [[...new Uint8Array(b)], v.getUint16(0), v.getUint16(0, true), v.getInt32(2, true), v.getFloat32(8), String(v.getBigUint64(12, true)), v.byteLength, Object.prototype.toString.call(v), ArrayBuffer.isView(v)]; for (const bad of [() => v.getUint8(20), () => v.setInt16(19, 1), () => new DataView(b, 25), () => new DataView([])]) try { bad(); out.push('none'); } catch (e) { out.push(e.name); } return out;
//// more numbers of a buffer
const b = Buffer.alloc(24); b.writeDoubleBE(1.5, 0); b.writeBigUInt64LE(123456789012345n, 8); b.writeIntBE(-3, 16, 3); b.writeFloatLE(0.5, 20); const out = [b.toString('hex'), b.readDoubleBE(0), String(b.readBigUInt64LE(8)), b.readUIntBE(0, 3), b.readIntBE(16, 3), b.readUIntLE(8, 6), b.readFloatLE(20), Buffer.from('0102030405060708', 'hex').swap16().toString('hex'), Buffer.from('0102030405060708', 'hex').swap64().toString('hex'), Buffer.from('abcabc').lastIndexOf('bc'), Buffer.from('abcabc').lastIndexOf('a', 2), Buffer.from('x').lastIndexOf('y')]; for (const bad of [() => b.writeUInt8(300), () => b.writeInt16LE(40000), () => b.readDoubleLE(20), () => b.writeUInt16BE(1, 23)]) try { bad(); out.push('none'); } catch (e) { out.push(e.name); } return out;
//// bytes of other typed arrays
const f = new Float32Array([1, 2]); return [Buffer.from(f.buffer).toString('hex'), [...Buffer.from(f)], [...new Uint8Array(f)], Buffer.from(await crypto.subtle.digest('SHA-1', f)).toString('hex'), crypto.getRandomValues(new Uint32Array(4)).length, new TextDecoder().decode(new Uint16Array([0x6968]))];
//// weak references and performance
const o = { a: 1 }; const w = new WeakRef(o); let e; try { new WeakRef(1); } catch (x) { e = x.name; } const t = performance.now(); await new Promise((r) => setTimeout(r, 5)); return [w.deref() === o, w.deref().a, e, typeof t, performance.now() - t > 3, performance.timeOrigin > 0, 'a😀'.isWellFormed?.(), 'x\ud800'.toWellFormed?.() === 'x\ufffd'];
//// text in pieces
const bytes = new TextEncoder().encode('5 € für ein 𝒳'); const d = new TextDecoder(); let text = ''; for (const one of bytes) text += d.decode(new Uint8Array([one]), { stream: true }); text += d.decode(); const u = new TextDecoder('utf-16le'); const wide = u.decode(new Uint8Array([0x61, 0, 0x3d]), { stream: true }) + u.decode(new Uint8Array([0xd8, 0x33, 0xdc]), { stream: true }) + u.decode(new Uint8Array([0x62, 0])); return [text, wide.length, d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }) + d.decode(), d.decode(new Uint8Array([0xe2, 0x82])), new TextDecoder().decode()];
//// the mark at the beginning of text in pieces
const d = new TextDecoder(); return [d.decode(new Uint8Array([0xef, 0xbb]), { stream: true }), d.decode(new Uint8Array([0xbf, 0x61]), { stream: true }), d.decode(new Uint8Array([0xef, 0xbb, 0xbf]), { stream: true }).length, d.decode()];
//// fatal text in pieces
const d = new TextDecoder('utf-8', { fatal: true }); const one = d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }); let name; try { d.decode(); } catch (e) { name = e.name; } return [one, name];
//// encode into
const into = new Uint8Array(4); return [new TextEncoder().encodeInto('abc', new Uint8Array(2)), new TextEncoder().encodeInto('a€b', into), [...into], new TextEncoder().encodeInto('😀x', new Uint8Array(3)), new TextEncoder().encodeInto('😀x', new Uint8Array(5))];
//// clones of bytes
const of = new Uint8Array([1, 2, 300]); const same = of.buffer; const made = structuredClone({ of, wide: new Float64Array([1.5]), raw: new Uint8Array([7, 8]).buffer, view: new DataView(new Uint8Array([9, 10]).buffer), buffer: Buffer.from('hi') }); of[0] = 9; return [made.of instanceof Uint8Array, [...made.of], made.wide instanceof Float64Array, [...made.wide], made.raw.byteLength, [...new Uint8Array(made.raw)], made.view.getUint8(1), made.buffer instanceof Uint8Array, [...made.buffer], same.byteLength];
//// clones of wrapped values
return [structuredClone(new Boolean(true)) instanceof Boolean, structuredClone([Object(5)])[0] instanceof Number, structuredClone(new String('x')).length, structuredClone({ n: 5n }).n === 5n, (() => { try { structuredClone(new WeakMap()); } catch (e) { return e.name; } })()];
