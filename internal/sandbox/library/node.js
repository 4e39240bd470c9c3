// Modules of Node over the host's calls, and over what is there without them.
(function ({ host, globals, zlib: packed, inspecting, streams }) {
	const soon = (f) => (...args) => {
		try { return Promise.resolve(f(...args)); } catch (e) { return Promise.reject(e); }
	};
	const textOf = (data) => (typeof data === 'string' ? data : globals().Buffer.from(data).toString('utf8'));
	const place = (path) => String(path).replace(/^(\.\/)+/, '').replace(/\/+/g, '/');
	const missing = (e, what, path) => {
		if (e && e.name === 'LogicError' && !/denied/.test(e.message)) {
			const made = new Error('ENOENT: no such file or directory, ' + what + " '" + path + "'");
			made.code = 'ENOENT';
			return made;
		}
		return e;
	};
	const readFileSync = (path, options) => {
		const encoding = typeof options === 'string' ? options : options && options.encoding;
		let text;
		try { text = host['files.read'](place(path)); } catch (e) { throw missing(e, 'open', path); }
		return encoding ? text : globals().Buffer.from(text, 'utf8');
	};
	const statSync = (path) => {
		let got;
		try { got = host['files.stat'](place(path)); } catch (e) { throw missing(e, 'stat', path); }
		const at = new Date(got.modified);
		return { size: got.size, mtime: at, mtimeMs: at.getTime(), isFile() { return true; }, isDirectory() { return false; } };
	};
	const calls = {
		readFile: readFileSync,
		writeFile(path, data) { host['files.write'](place(path), textOf(data)); },
		appendFile(path, data) { host['files.append'](place(path), textOf(data)); },
		readdir(path) { return host['files.list'](place(path) === '.' ? undefined : place(path)).map((name) => name.replace(/\/$/, '')); },
		unlink(path) { host['files.remove'](place(path)); },
		rm(path, options) {
			const clear = (dir) => {
				for (const name of host['files.list'](dir)) {
					if (name.endsWith('/')) clear(dir + '/' + name.slice(0, -1));
					else host['files.remove'](dir + '/' + name);
				}
			};
			if (options && options.recursive) {
				let folder = true;
				try { host['files.list'](place(path)); } catch (e) { folder = false; }
				if (folder) { clear(place(path)); return; }
			}
			host['files.remove'](place(path));
		},
		mkdir() {}, // folders are made as they are needed
		stat: statSync,
		access(path) { statSync(path); },
	};
	const fs = { existsSync(path) { try { statSync(path); return true; } catch (e) { return false; } }, promises: {} };
	for (const name of Object.keys(calls)) {
		fs[name + 'Sync'] = calls[name];
		fs.promises[name] = soon(calls[name]);
		fs[name] = (...args) => {
			const done = args.pop();
			soon(calls[name])(...args).then((value) => done(null, value), done);
		};
	}

	const normal = (path) => {
		const absolute = path.startsWith('/');
		const parts = [];
		for (const part of path.split('/')) {
			if (part === '' || part === '.') continue;
			if (part === '..' && parts.length && parts[parts.length - 1] !== '..') parts.pop();
			else if (part !== '..' || !absolute) parts.push(part);
		}
		return (absolute ? '/' : '') + parts.join('/') || (absolute ? '/' : '.');
	};
	const basename = (path, ext = '') => {
		const name = path.replace(/\/+$/, '').replace(/^.*\//, '');
		return ext && name !== ext && name.endsWith(ext) ? name.slice(0, -ext.length) : name;
	};
	const extname = (path) => {
		const found = /[^.](\.[^.]*)$/.exec(basename(path));
		return found ? found[1] : '';
	};
	const path = {
		sep: '/', delimiter: ':', basename, extname, normalize: normal,
		dirname(path) { const at = path.replace(/\/+$/, '').lastIndexOf('/'); return at < 0 ? '.' : at === 0 ? '/' : path.slice(0, at); },
		join(...parts) { return normal(parts.filter((part) => part !== '').join('/')); },
		// Files lie in the workflow's own folder, which is where a script is.
		resolve(...parts) { return normal(parts.filter((part) => part !== '' && part !== '/').join('/')); },
		isAbsolute(path) { return path.startsWith('/'); },
		parse(path) { const base = basename(path), ext = extname(path); return { root: path.startsWith('/') ? '/' : '', dir: path.slice(0, -base.length).replace(/\/$/, ''), base, ext, name: ext ? base.slice(0, -ext.length) : base }; },
	};
	// The way from one path to another, both within the workflow's folder.
	path.relative = (from, to) => {
		const a = normal(String(from)).split('/').filter((part) => part !== '' && part !== '.'), b = normal(String(to)).split('/').filter((part) => part !== '' && part !== '.');
		let same = 0;
		while (same < a.length && same < b.length && a[same] === b[same]) same++;
		return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/');
	};
	path.format = ({ dir, root = '', base, name = '', ext = '' }) => {
		const file = base || name + (ext && !ext.startsWith('.') ? '.' : '') + ext, folder = dir || root;
		return !folder ? file : folder === root ? folder + file : folder + '/' + file;
	};
	path.posix = path;

	// What is equal to what, as util.isDeepStrictEqual and assert have it.
	const same = (a, b, strict, seen = []) => {
		if (strict ? Object.is(a, b) : a == b || (a !== a && b !== b)) return true;
		if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
		if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || Array.isArray(a) !== Array.isArray(b)) return false;
		if (seen.some(([x, y]) => x === a && y === b)) return true;
		seen = [...seen, [a, b]];
		if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
		if (a instanceof RegExp && b instanceof RegExp) return String(a) === String(b) && a.lastIndex === b.lastIndex;
		if (a instanceof Error && (a.name !== b.name || a.message !== b.message)) return false;
		if (a instanceof Number || a instanceof String || a instanceof Boolean) return Object.is(a.valueOf(), b.valueOf());
		if (a instanceof Map) {
			if (!(b instanceof Map) || a.size !== b.size) return false;
			return [...a].every(([key, value]) => (b.has(key) ? same(value, b.get(key), strict, seen) : [...b].some(([k, v]) => same(key, k, strict, seen) && same(value, v, strict, seen))));
		}
		if (a instanceof Set) return b instanceof Set && a.size === b.size && [...a].every((one) => b.has(one) || [...b].some((other) => same(one, other, strict, seen)));
		const keys = Object.keys(a);
		return keys.length === Object.keys(b).length && (!Array.isArray(a) || a.length === b.length) && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key], strict, seen));
	};
	class AssertionError extends Error {
		constructor({ message, actual, expected, operator, generated = false }) {
			super(message);
			this.name = 'AssertionError';
			this.code = 'ERR_ASSERTION';
			Object.assign(this, { actual, expected, operator, generatedMessage: generated });
		}
	}
	const shown = (value) => (typeof value === 'string' ? "'" + value + "'" : typeof value === 'object' && value !== null ? JSON.stringify(value) : typeof value === 'bigint' ? value + 'n' : String(value));
	const failing = (message, otherwise, more) => {
		if (message instanceof Error) throw message;
		throw new AssertionError({ message: message === undefined ? otherwise : String(message), ...more });
	};
	const assert = (value, message) => { if (!value) failing(message, 'The expression evaluated to a falsy value', { actual: value, expected: true, operator: '==' }); };
	// brief is Node's text about values that are short.
	const brief = {
		'==': (a, b) => a + ' == ' + b, '!=': (a, b) => a + ' != ' + b,
		strictEqual: (a, b, plain) => plain && a !== b && a.length + b.length <= 12 && 'Expected values to be strictly equal:\n\n' + a + ' !== ' + b + '\n',
		notStrictEqual: (a, b, plain) => plain && 'Expected "actual" to be strictly unequal to: ' + b,
	};
	const comparing = (operator, is, says) => (actual, expected, message) => {
		const short = brief[operator];
		if (short && !is(actual, expected) && message === undefined) {
			const text = short(inspecting().inspect(actual), inspecting().inspect(expected), (typeof actual !== 'object' || actual === null) && (typeof expected !== 'object' || expected === null));
			if (text) throw new AssertionError({ message: text, actual, expected, operator, generated: true });
		}
		if (!is(actual, expected)) failing(message, says + '\n\n' + shown(actual) + ' ' + operator + ' ' + shown(expected), { actual, expected, operator });
	};
	const fits = (e, expected) => {
		if (expected === undefined || typeof expected === 'string') return true;
		if (expected instanceof RegExp) return expected.test(String(e));
		if (typeof expected === 'function') return (expected.prototype !== undefined && e instanceof expected) || (!Error.prototype.isPrototypeOf(expected.prototype || {}) && expected !== Error && expected(e) === true);
		return Object.keys(expected).every((key) => (expected[key] instanceof RegExp && typeof e[key] === 'string' ? expected[key].test(e[key]) : same(e[key], expected[key], true)));
	};
	Object.assign(assert, {
		AssertionError, ok: assert,
		equal: comparing('==', (a, b) => a == b || (a !== a && b !== b), 'Expected values to be loosely equal:'), notEqual: comparing('!=', (a, b) => a != b, 'Expected values to be loosely unequal:'),
		strictEqual: comparing('strictEqual', Object.is, 'Expected values to be strictly equal:'), notStrictEqual: comparing('notStrictEqual', (a, b) => !Object.is(a, b), 'Expected values to be strictly unequal:'),
		deepEqual: comparing('deepEqual', (a, b) => same(a, b, false), 'Expected values to be loosely deep-equal:'), deepStrictEqual: comparing('deepStrictEqual', (a, b) => same(a, b, true), 'Expected values to be strictly deep-equal:'),
		notDeepEqual: comparing('notDeepEqual', (a, b) => !same(a, b, false), 'Expected values not to be loosely deep-equal:'), notDeepStrictEqual: comparing('notDeepStrictEqual', (a, b) => !same(a, b, true), 'Expected values not to be strictly deep-equal:'),
		match: comparing('match', (text, pattern) => pattern.test(text), 'The input did not match the regular expression'), doesNotMatch: comparing('doesNotMatch', (text, pattern) => !pattern.test(text), 'The input was expected to not match the regular expression'),
		fail(message) { failing(message, 'Failed', { operator: 'fail' }); },
		ifError(e) { if (e !== null && e !== undefined) throw e; },
		throws(f, expected, message) {
			try { f(); } catch (thrown) { if (fits(thrown, expected)) return; failing(message, 'The error is another one than was expected: ' + thrown, { actual: thrown, expected, operator: 'throws' }); }
			failing(message === undefined && typeof expected === 'string' ? expected : message, 'Missing expected exception.', { operator: 'throws' });
		},
		doesNotThrow(f) { f(); },
		rejects(f, expected, message) {
			return Promise.resolve().then(() => (typeof f === 'function' ? f() : f)).then(() => failing(message, 'Missing expected rejection.', { operator: 'rejects' }), (e) => { if (!fits(e, expected)) failing(message, 'The error is another one than was expected: ' + e, { actual: e, expected, operator: 'rejects' }); });
		},
		doesNotReject(f) { return Promise.resolve().then(() => (typeof f === 'function' ? f() : f)).then(() => {}); },
	});
	assert.strict = Object.assign((value, message) => assert(value, message), assert, { equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual });
	assert.strict.strict = assert.strict;

	// Events: listeners in the order in which they came, called at once.
	const lists = new WeakMap();
	const listOf = (emitter) => {
		if (!lists.has(emitter)) lists.set(emitter, new Map());
		return lists.get(emitter);
	};
	const onceOf = (emitter, name, f) => {
		const wrapped = (...given) => { emitter.off(name, wrapped); return f.apply(emitter, given); };
		wrapped.listener = f;
		return wrapped;
	};
	// A function, as Node's is: there are libraries that inherit by calling it.
	function EventEmitter() {}
	Object.assign(EventEmitter.prototype, {
		on(name, f) {
			if (typeof f !== 'function') throw new TypeError('The "listener" argument must be of type function. Received ' + (f === null ? 'null' : typeof f));
			if (listOf(this).has('newListener')) this.emit('newListener', name, f.listener || f);
			listOf(this).set(name, [...(listOf(this).get(name) || []), f]);
			return this;
		},
		prependListener(name, f) { listOf(this).set(name, [f, ...(listOf(this).get(name) || [])]); return this; },
		once(name, f) { return this.on(name, onceOf(this, name, f)); },
		prependOnceListener(name, f) { return this.prependListener(name, onceOf(this, name, f)); },
		off(name, f) {
			const list = listOf(this).get(name) || [], at = list.findLastIndex((one) => one === f || one.listener === f);
			if (at < 0) return this;
			if (list.length === 1) listOf(this).delete(name); else listOf(this).set(name, list.filter((_, i) => i !== at));
			if (listOf(this).has('removeListener')) this.emit('removeListener', name, f);
			return this;
		},
		removeAllListeners(name) { if (name === undefined) listOf(this).clear(); else listOf(this).delete(name); return this; },
		emit(name, ...given) {
			const list = listOf(this).get(name);
			if (!list) {
				if (name !== 'error') return false;
				if (given[0] instanceof Error) throw given[0];
				const e = new Error('Unhandled error. (' + shown(given[0]) + ')');
				e.code = 'ERR_UNHANDLED_ERROR';
				e.context = given[0];
				throw e;
			}
			for (const f of list) f.apply(this, given);
			return true;
		},
		listeners(name) { return (listOf(this).get(name) || []).map((f) => f.listener || f); },
		rawListeners(name) { return [...(listOf(this).get(name) || [])]; },
		listenerCount(name) { return (listOf(this).get(name) || []).length; },
		eventNames() { return [...listOf(this).keys()]; },
		setMaxListeners(n) { this._maxListeners = n; return this; },
		getMaxListeners() { return this._maxListeners === undefined ? EventEmitter.defaultMaxListeners : this._maxListeners; },
	});
	// Each is one function, as in Node: a class may write one of the two over with what calls the other.
	EventEmitter.prototype.addListener = EventEmitter.prototype.on;
	EventEmitter.prototype.removeListener = EventEmitter.prototype.off;
	const aborted = (signal) => { const e = new Error('The operation was aborted'); e.name = 'AbortError'; e.code = 'ABORT_ERR'; e.cause = signal.reason; return e; };
	const events = EventEmitter;
	Object.assign(events, {
		EventEmitter, defaultMaxListeners: 10,
		once(emitter, name, { signal } = {}) {
			return new Promise((resolve, reject) => {
				const failed = (e) => { emitter.off(name, done); reject(e); };
				const done = (...given) => { emitter.off('error', failed); resolve(given); };
				if (signal && signal.aborted) { reject(aborted(signal)); return; }
				if (signal) signal.addEventListener('abort', () => { emitter.off(name, done); reject(aborted(signal)); });
				if (typeof emitter.addEventListener === 'function') { emitter.addEventListener(name, (event) => resolve([event]), { once: true }); return; }
				emitter.once(name, done);
				if (name !== 'error') emitter.once('error', failed);
			});
		},
	});

	// on is what each event gave, from now on, as for await takes it.
	events.on = (emitter, name, { signal } = {}) => {
		const came = [], waiting = [];
		let ended, failed;
		if (signal && signal.aborted) throw aborted(signal);
		const hear = (...given) => { const next = waiting.shift(); if (next) next.resolve({ value: given, done: false }); else came.push(given); };
		const fail = (e) => { const next = waiting.shift(); if (next) next.reject(e); else failed = { e }; stop(); };
		const stop = () => {
			ended = true;
			emitter.off(name, hear);
			emitter.off('error', fail);
			for (const next of waiting.splice(0)) next.resolve({ value: undefined, done: true });
			return Promise.resolve({ value: undefined, done: true });
		};
		emitter.on(name, hear);
		if (name !== 'error') emitter.on('error', fail);
		if (signal) signal.addEventListener('abort', () => fail(aborted(signal)));
		return {
			next() {
				if (came.length) return Promise.resolve({ value: came.shift(), done: false });
				if (failed) { const { e } = failed; failed = undefined; return Promise.reject(e); }
				if (ended) return stop();
				return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
			},
			return: stop,
			throw(e) { fail(e); return stop(); },
			[Symbol.asyncIterator || Symbol.for('Symbol.asyncIterator')]() { return this; },
		};
	};

	const escaped = (text) => encodeURIComponent(text).replace(/%(27|28|29|2A|21)/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
	const unescaped = (text) => { try { return decodeURIComponent(text); } catch (e) { return unescape(text); } };
	const querystring = {
		escape: escaped, unescape: unescaped,
		stringify(values, sep = '&', eq = '=') {
			const text = (value) => (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean' || (typeof value === 'number' && isFinite(value)) ? escaped(String(value)) : '');
			if (typeof values !== 'object' || values === null) return '';
			return Object.keys(values).flatMap((key) => (Array.isArray(values[key]) ? values[key] : [values[key]]).map((value) => text(key) + eq + text(value))).join(sep);
		},
		parse(text, sep = '&', eq = '=') {
			const made = Object.create(null);
			if (typeof text !== 'string' || text === '') return made;
			for (const part of text.split(sep)) {
				if (part === '') continue;
				const at = part.indexOf(eq), plain = (one) => unescaped(one.replace(/\+/g, ' '));
				const key = plain(at < 0 ? part : part.slice(0, at)), value = at < 0 ? '' : plain(part.slice(at + eq.length));
				made[key] = key in made ? [].concat(made[key], value) : value;
			}
			return made;
		},
	};
	querystring.encode = querystring.stringify;
	querystring.decode = querystring.parse;

	const url = () => {
		const { URL, URLSearchParams } = globals();
		const invalid = (code, message) => { const e = new TypeError(message); e.code = code; return e; };
		return {
			URL, URLSearchParams,
			fileURLToPath(given) {
				const made = new URL(given);
				if (made.protocol !== 'file:') throw invalid('ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
				return decodeURIComponent(made.pathname);
			},
			pathToFileURL(path) { return new URL('file://' + (path.startsWith('/') ? '' : '/') + encodeURI(path).replace(/[?#]/g, encodeURIComponent)); },
			format(given) {
				if (typeof given === 'string' || given instanceof URL) return String(given);
				const { protocol = '', slashes, auth, host, hostname = '', port, pathname = '', search, query, hash = '' } = given;
				const at = host || hostname + (port ? ':' + port : ''), asked = search || (query && typeof query === 'object' ? '?' + querystring.stringify(query) : query ? '?' + query : '');
				const scheme = protocol && !protocol.endsWith(':') ? protocol + ':' : protocol;
				return scheme + (slashes || at ? '//' : '') + (auth ? auth + '@' : '') + at + (at && pathname && !pathname.startsWith('/') ? '/' : '') + pathname + (asked && !asked.startsWith('?') ? '?' : '') + asked + (hash && !hash.startsWith('#') ? '#' : '') + hash;
			},
			domainToASCII(name) { try { return new URL('http://' + name).hostname; } catch (e) { return ''; } },
			domainToUnicode(name) { return name; },
			urlToHttpOptions(link) { return { protocol: link.protocol, hostname: link.hostname.replace(/^\[|\]$/g, ''), hash: link.hash, search: link.search, pathname: link.pathname, path: link.pathname + link.search, href: link.href, ...(link.port !== '' && { port: Number(link.port) }), ...((link.username || link.password) && { auth: decodeURIComponent(link.username) + ':' + decodeURIComponent(link.password) }) }; },
			resolve(from, to) { return new URL(to, new URL(from, 'resolve://')).href.replace(/^resolve:\/\//, ''); },
			parse(text, query) {
				const base = /^[a-z][a-z0-9+.-]*:/i.test(text) ? new URL(text) : new URL(text, 'none://none');
				const known = base.protocol !== 'none:', search = base.search || null, pathname = base.pathname || null;
				return {
					protocol: known ? base.protocol : null, slashes: known ? text.includes('//') : null, auth: base.username ? decodeURIComponent(base.username) + (base.password ? ':' + decodeURIComponent(base.password) : '') : null,
					host: known ? base.host : null, port: base.port || null, hostname: known ? base.hostname : null, hash: base.hash || null, search, query: query ? querystring.parse((search || '').slice(1)) : search && search.slice(1),
					pathname, path: (pathname || '') + (search || '') || null, href: known ? base.href : text,
				};
			},
		};
	};

	const os = {
		EOL: '\n', platform() { return 'linux'; }, type() { return 'Linux'; }, arch() { return 'x64'; }, release() { return '6.0.0'; }, hostname() { return 'localhost'; }, homedir() { return '.'; }, tmpdir() { return 'tmp'; },
		cpus() { return [{ model: 'cpu', speed: 1000, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }]; }, totalmem() { return 2 ** 28; }, freemem() { return 2 ** 27; }, uptime() { return globals().process.uptime(); },
		loadavg() { return [0, 0, 0]; }, networkInterfaces() { return {}; }, userInfo() { return { username: 'script', uid: 1, gid: 1, shell: null, homedir: '.' }; }, endianness() { return 'LE'; },
	};

	// Waiting, on the run's clock.
	const timers = () => {
		const { setTimeout, setImmediate } = globals();
		const ended = (signal) => aborted(signal);
		return {
			setTimeout(ms, value, { signal } = {}) {
				return new Promise((resolve, reject) => {
					if (signal && signal.aborted) { reject(ended(signal)); return; }
					const timer = setTimeout(() => resolve(value), ms);
					if (signal) signal.addEventListener('abort', () => { globals().clearTimeout(timer); reject(ended(signal)); });
				});
			},
			setImmediate(value) { return new Promise((resolve) => setImmediate(() => resolve(value))); },
			setInterval(ms, value) { return { [Symbol.iterator]() { return { next() { return { done: false, value: new Promise((resolve) => setTimeout(() => resolve(value), ms)) }; }, return() { return { done: true }; } }; } }; },
			scheduler: { wait(ms) { return new Promise((resolve) => setTimeout(resolve, ms)); }, yield() { return new Promise((resolve) => setImmediate(resolve)); } },
		};
	};

	const zlib = {
		constants: Object.freeze({
			Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4, Z_BLOCK: 5, Z_OK: 0, Z_STREAM_END: 1, Z_NEED_DICT: 2, Z_ERRNO: -1, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3,
			Z_MEM_ERROR: -4, Z_BUF_ERROR: -5, Z_VERSION_ERROR: -6, Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1, Z_FILTERED: 1, Z_HUFFMAN_ONLY: 2, Z_RLE: 3,
			Z_FIXED: 4, Z_DEFAULT_STRATEGY: 0,
		}),
	};
	for (const how of ['gzip', 'gunzip', 'deflate', 'inflate', 'deflateRaw', 'inflateRaw', 'unzip']) {
		zlib[how + 'Sync'] = (data) => {
			const { Buffer } = globals();
			const made = packed(typeof data === 'string' ? Buffer.from(data, 'utf8') : Buffer.from(data), how);
			if (made === null) { const e = new Error('incorrect header check'); e.code = 'Z_DATA_ERROR'; e.errno = -3; throw e; }
			return Buffer.from(made);
		};
		const create = 'create' + how[0].toUpperCase() + how.slice(1);
		zlib[create] = () => streams().packing[create]();
		zlib[how] = (data, ...rest) => { const done = rest.pop(); soon(zlib[how + 'Sync'])(data).then((value) => done(null, value), done); };
	}

	const promisified = Symbol.for('nodejs.util.promisify.custom');
	const util = {
		isDeepStrictEqual(a, b) { return same(a, b, true); },
		format(...given) { return inspecting().format(...given); },
		callbackify(f) { return (...given) => { const done = given.pop(); f(...given).then((value) => done(null, value), (e) => done(e)); }; },
		deprecate(f) { return f; },
		inherits(made, from) { Object.setPrototypeOf(made.prototype, from.prototype); Object.setPrototypeOf(made, from); made.super_ = from; },
		stripVTControlCharacters(text) { return text.replace(/[\u001b\u009b][[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g, ''); },
		types: {
			isDate(value) { return value instanceof Date; }, isRegExp(value) { return value instanceof RegExp; }, isPromise(value) { return value instanceof Promise; }, isMap(value) { return value instanceof Map; }, isSet(value) { return value instanceof Set; },
			isNativeError(value) { return value instanceof Error; }, isAsyncFunction(value) { return Object.prototype.toString.call(value) === '[object AsyncFunction]'; },
		},
		parseArgs({ options = {}, args = [], allowPositionals = false, strict = true } = {}) {
			const values = Object.create(null), positionals = [];
			const list = [...args];
			const fail = (message) => { const e = new TypeError(message); e.code = 'ERR_PARSE_ARGS_UNKNOWN_OPTION'; throw e; };
			while (list.length) {
				const word = list.shift();
				if (word === '--') { positionals.push(...list.splice(0)); break; }
				const [, long, text] = /^--([^=]+)(?:=(.*))?$/s.exec(word) || [];
				const name = long || (/^-\w$/.test(word) && Object.keys(options).find((one) => options[one].short === word[1]));
				if (!name) { if (word.startsWith('-') && word !== '-' && strict) fail("Unknown option '" + word + "'"); positionals.push(word); continue; }
				const option = options[name];
				if (!option && strict) fail("Unknown option '" + word + "'");
				const value = option && option.type === 'string' ? (text === undefined ? list.shift() : text) : true;
				if (option && option.multiple) (values[name] = values[name] || []).push(value); else values[name] = value;
			}
			if (positionals.length && !allowPositionals && strict) fail("Unexpected argument '" + positionals[0] + "'");
			for (const name of Object.keys(options)) if (!(name in values) && options[name].default !== undefined) values[name] = options[name].default;
			return { values, positionals };
		},
		promisify(f) {
			if (typeof f !== 'function') throw Object.assign(new TypeError('The "original" argument must be of type function. Received ' + (f === null ? 'null' : typeof f)), { code: 'ERR_INVALID_ARG_TYPE' });
			if (f[promisified]) return f[promisified];
			const waits = { setTimeout: timers().setTimeout, setImmediate: timers().setImmediate };
			for (const name of Object.keys(waits)) if (f.name === name && /\[native code\]/.test((() => {}).toString.call(f))) return waits[name];
			return function (...args) { return new Promise((resolve, reject) => f.call(this, ...args, (e, value) => (e ? reject(e) : resolve(value)))); };
		},
		styleText(style, text) { return text; },
		toUSVString(text) { return String(text).replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?:[^\uD800-\uDBFF]|^)[\uDC00-\uDFFF]/g, (one) => one.slice(0, -1) + '\uFFFD'); },
		debuglog() { return Object.assign(() => {}, { enabled: false }); },
	};

	util.promisify.custom = promisified;
	for (const name of ['TextEncoder', 'TextDecoder']) Object.defineProperty(util, name, { enumerable: true, configurable: true, get() { return globals()[name]; } });
	Object.defineProperty(util, 'inspect', { enumerable: true, configurable: true, get() { return inspecting().inspect; } });

	// What a request says, of Node's http and https: an address, options, or an address and options that have none.
	const requestTo = (scheme, given) => {
		const then = typeof given[given.length - 1] === 'function' ? given.pop() : null;
		const spelled = typeof given[0] === 'string' || (given[0] && typeof given[0].href === 'string');
		const said = { __proto__: null, ...(spelled ? given[1] : given[0]) };
		let to;
		if (spelled) {
			for (const name of ['hostname', 'host', 'port', 'path', 'protocol']) {
				if (said[name] !== undefined) throw new TypeError(scheme + '.request: give the address as a text, or as ' + name + ' and the like, and not both');
			}
			to = String(given[0]);
		} else {
			to = (said.protocol || scheme + ':') + '//' + (said.hostname || said.host || 'localhost') + (said.port ? ':' + said.port : '') + (said.path || '/');
		}
		if (said.auth !== undefined) throw new TypeError(scheme + ".request: auth is not there, use headers: { authorization: 'Basic ' + btoa(…) }");
		const headers = { __proto__: null, ...said.headers };
		const how = upper[String(said.method || 'GET')] || String(said.method || 'GET');
		const heard = (self) => {
			const list = { __proto__: null };
			self.on = self.once = self.addListener = (name, f) => { (list[name] = list[name] || []).push(f); return self; };
			self.removeListener = self.off = (name, f) => { list[name] = (list[name] || []).filter((one) => one !== f); return self; };
			self.emit = (name, ...values) => { for (const f of list[name] || []) f.apply(self, values); return (list[name] || []).length > 0; };
			return self;
		};
		const pieces = [];
		let ended = false;
		const request = heard({
			setHeader(name, value) { headers[name] = value; return request; },
			getHeader(name) { return headers[name]; },
			write(data) { pieces.push(data); return true; },
			setTimeout() { return request; }, setNoDelay() {}, setSocketKeepAlive() {}, flushHeaders() {},
			end(data) {
				if (ended) return request;
				ended = true;
				if (data !== undefined && data !== null && typeof data !== 'function') pieces.push(data);
				const options = { __proto__: null };
				if (how !== 'GET') options.method = how;
				for (const name of Object.keys(headers)) {
					if (!/^content-length$/i.test(name)) (options.headers = options.headers || {})[name] = String(headers[name]);
				}
				if (pieces.every((one) => typeof one === 'string')) {
					if (pieces.join('') !== '') options.body = pieces.join('');
				} else {
					const { Buffer } = globals(), bytes = Buffer.concat(pieces.map((one) => Buffer.from(one))), text = bytes.toString('utf8');
					if (text.includes('\uFFFD')) options.base64 = bytes.toString('base64'); else if (text !== '') options.body = text;
				}
				let got, failed;
				try { got = Object.keys(options).length ? host['web.fetch'](to, options) : host['web.fetch'](to); } catch (e) { failed = e; }
				Promise.resolve().then(() => {
					if (failed) {
						if (!request.emit('error', failed)) throw failed;
						return;
					}
					let encoding = null;
					const chunk = () => (encoding ? got.body : (got.base64 === undefined ? globals().Buffer.from(got.body, 'utf8') : globals().Buffer.from(got.base64, 'base64')));
					const response = heard({
						statusCode: got.status, headers: got.headers, complete: true,
						setEncoding(name) { encoding = name; return response; },
						resume() { return response; },
						[Symbol.iterator]() { return [chunk()][Symbol.iterator](); }, // for await takes it, too
					});
					if (then) then(response);
					request.emit('response', response);
					return Promise.resolve().then(() => {
						if (got.body !== '') response.emit('data', chunk());
						response.emit('end');
						response.emit('close');
						request.emit('close');
					});
				});
				return request;
			},
			destroy() { ended = true; return request; }, abort() { ended = true; },
		});
		return request;
	};
	const upper = { __proto__: null, get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE', head: 'HEAD' };
	const web = (scheme) => ({
		request: (...given) => requestTo(scheme, given),
		get: (...given) => { const made = requestTo(scheme, given); made.end(); return made; },
		Agent: class Agent {},
	});
	const lazy = (name, make) => {
		let made;
		return { get [name]() { return made || (made = make()); } };
	};
	return Object.defineProperties({ fs, promises: fs.promises, path, util, assert, strict: assert.strict, events, querystring, os, zlib, module: { createRequire: () => globals().require }, http: web('http'), https: web('https') }, {
		...Object.getOwnPropertyDescriptors(lazy('url', url)), ...Object.getOwnPropertyDescriptors(lazy('timers', timers)),
		...Object.getOwnPropertyDescriptors(lazy('performance', () => ({ performance: globals().performance }))),
	});
})
