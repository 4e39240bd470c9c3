// Uint8Array, ArrayBuffer, Buffer, TextEncoder and TextDecoder over bytes of the host.
(function ({ make, part, view, read, write, is, copy, encode, decode, find, compare }) {
	const whole = (value, length, otherwise) => {
		if (value === undefined) return otherwise;
		const n = Math.trunc(Number(value)) || 0;
		return n < 0 ? Math.max(length + n, 0) : Math.min(n, length);
	};
	let wrap;
	let bytesOf; // of an ArrayBuffer
	let detach; // an ArrayBuffer from its bytes

	class ArrayBuffer {
		#bytes;
		constructor(length = 0) { this.#bytes = make(Number(length) || 0); }
		static {
			wrap = (bytes) => {
				const made = new ArrayBuffer(0);
				made.#bytes = bytes;
				return made;
			};
			detach = (buffer) => { buffer.#bytes = make(0); };
			bytesOf = (value) => (value instanceof ArrayBuffer ? value.#bytes : undefined);
		}
		static isView(value) { return is(value) || value instanceof DataView; }
		get byteLength() { return this.#bytes.length; }
		slice(from, to) {
			const n = this.#bytes.length;
			const shared = part(this.#bytes, whole(from, n, 0), whole(to, n, n));
			const own = make(shared.length);
			copy(own, 0, shared);
			return wrap(own);
		}
		get [Symbol.toStringTag]() { return 'ArrayBuffer'; }
	}

	const listed = (source) => {
		const list = Array.from(source);
		const made = make(list.length);
		for (let i = 0; i < list.length; i++) made[i] = list[i];
		return made;
	};
	// all are the bytes of anything that is made of such, shared where they can be.
	const all = (source) => {
		if (is(source)) return source instanceof Uint8Array ? source : part(source, 0, Infinity);
		if (source instanceof DataView) return new Uint8Array(source.buffer);
		const inside = bytesOf(source);
		return inside || listed(source);
	};
	const as = (bytes, prototype) => part(bytes, 0, bytes.length, prototype);

	class Uint8Array {
		constructor(source = 0, offset, length) {
			const prototype = new.target.prototype;
			if (typeof source !== 'object' || source === null) return make(Number(source) || 0, prototype);
			const inside = bytesOf(source);
			if (inside) {
				const from = Number(offset) || 0;
				const n = length === undefined ? inside.length - from : Number(length);
				if (from < 0 || n < 0 || from + n > inside.length) throw new RangeError('Invalid typed array length: ' + n);
				return part(inside, from, from + n, prototype);
			}
			const from = source instanceof Uint8Array ? source : listed(source);
			const made = make(from.length, prototype);
			copy(made, 0, from);
			return made;
		}
		static from(source, map, self) {
			return new this(map ? Array.from(source, map, self) : Array.from(source));
		}
		static of(...items) { return new this(items); }
		static get BYTES_PER_ELEMENT() { return 1; }
		get BYTES_PER_ELEMENT() { return 1; }
		get byteLength() { return this.length; }
		get byteOffset() { return 0; }
		get buffer() { return wrap(part(this, 0, this.length)); }
		subarray(from, to) {
			const n = this.length;
			return part(this, whole(from, n, 0), whole(to, n, n), Object.getPrototypeOf(this));
		}
		slice(from, to) { return new Uint8Array(this.subarray(from, to)); }
		set(source, offset = 0) {
			const bytes = is(source) ? source : listed(source);
			if (offset < 0 || offset + bytes.length > this.length) throw new RangeError('offset is out of bounds');
			copy(this, offset, bytes);
		}
		map(f, self) { return as(listed(Array.prototype.map.call(Array.from(this), f, self)), Object.getPrototypeOf(this)); }
		filter(f, self) { return as(listed(Array.from(this).filter(f, self)), Object.getPrototypeOf(this)); }
		sort(f) {
			const sorted = Array.from(this).sort(f || ((a, b) => a - b));
			for (let i = 0; i < sorted.length; i++) this[i] = sorted[i];
			return this;
		}
		toSorted(f) { return new Uint8Array(this).sort(f); }
		toReversed() { return new Uint8Array(this).reverse(); }
		with(index, value) {
			const made = new Uint8Array(this);
			made[index < 0 ? this.length + index : index] = value;
			return made;
		}
		toJSON() { return Object.assign({}, Array.from(this)); }
		toString() { return Array.prototype.join.call(this, ','); }
		get [Symbol.toStringTag]() { return 'Uint8Array'; }
	}
	const borrow = (prototype) => {
		for (const name of ['at', 'entries', 'every', 'find', 'findIndex', 'findLast', 'findLastIndex', 'forEach', 'includes', 'indexOf', 'join', 'keys',
			'lastIndexOf', 'copyWithin', 'reduce', 'reduceRight', 'reverse', 'some', 'values', Symbol.iterator]) {
			Object.defineProperty(prototype, name, { value: Array.prototype[name], writable: true, configurable: true });
		}
		Object.defineProperty(prototype, Symbol.isConcatSpreadable, { value: false });
	};
	borrow(Uint8Array.prototype);
	Object.defineProperty(Uint8Array.prototype, 'fill', { value: Array.prototype.fill, writable: true, configurable: true });

	const encodings = {
		utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', latin1: 'latin1', binary: 'latin1', ascii: 'ascii',
		utf16le: 'utf16le', 'utf-16le': 'utf16le', ucs2: 'utf16le', 'ucs-2': 'utf16le',
	};
	const encodingOf = (name) => {
		const known = Object.hasOwn(encodings, String(name).toLowerCase()) ? encodings[String(name).toLowerCase()] : undefined;
		if (name === undefined || name === null) return 'utf8';
		if (!known) throw new TypeError('Unknown encoding: ' + String(name).slice(0, 40));
		return known;
	};
	const encoded = (text, encoding, prototype) => {
		const known = encodingOf(encoding);
		return encode(text, known === 'ascii' ? 'latin1' : known, prototype);
	};
	// sought is what a search is for, as bytes.
	const sought = (value, encoding) => (typeof value === 'string' ? encoded(value, encoding) : typeof value === 'number' ? listed([value]) : all(value));

	// The other typed arrays, made when a script names them. What they do with their elements is what arrays do.
	const others = new Map();
	const other = (name) => {
		if (others.has(name)) return others.get(name);
		const kind = name.slice(0, -5), size = Number(/\d+/.exec(kind)[0]) / 8;
		const blank = (n, prototype) => view(make(n * size), kind, prototype);
		const filled = (list, prototype) => {
			const made = blank(list.length, prototype);
			for (let i = 0; i < list.length; i++) made[i] = number(kind, list[i]);
			return made;
		};
		const Typed = { [name]: class {
			constructor(source = 0, offset, length) {
				const prototype = new.target.prototype;
				if (typeof source !== 'object' || source === null) return blank(Number(source) || 0, prototype);
				const inside = bytesOf(source);
				if (!inside) return filled(Array.from(source), prototype);
				const from = Number(offset) || 0, to = length === undefined ? inside.length : from + Number(length) * size;
				if (from % size) throw new RangeError('start offset of ' + name + ' should be a multiple of ' + size);
				if ((to - from) % size) throw new RangeError('byte length of ' + name + ' should be a multiple of ' + size);
				if (from < 0 || to < from || to > inside.length) throw new RangeError('Invalid typed array length: ' + length);
				return view(part(inside, from, to), kind, prototype);
			}
			static from(source, map, self) { return new this(map ? Array.from(source, map, self) : Array.from(source)); }
			static of(...items) { return new this(items); }
			static get BYTES_PER_ELEMENT() { return size; }
			get BYTES_PER_ELEMENT() { return size; }
			get byteLength() { return this.length * size; }
			get byteOffset() { return 0; }
			get buffer() { return wrap(part(this, 0, Infinity)); }
			subarray(from, to) {
				const n = this.length;
				return view(part(this, whole(from, n, 0) * size, whole(to, n, n) * size), kind, Object.getPrototypeOf(this));
			}
			slice(from, to) { return new Typed(Array.from(this.subarray(from, to))); }
			set(source, offset = 0) {
				const list = Array.from(source);
				if (offset < 0 || offset + list.length > this.length) throw new RangeError('offset is out of bounds');
				for (let i = 0; i < list.length; i++) this[offset + i] = number(kind, list[i]);
			}
			fill(value, from, to) { return Array.prototype.fill.call(this, number(kind, value), from, to); }
			map(f, self) { return filled(Array.prototype.map.call(Array.from(this), (one, i) => f.call(self, one, i, this)), Typed.prototype); }
			filter(f, self) { return filled(Array.from(this).filter((one, i) => f.call(self, one, i, this)), Typed.prototype); }
			sort(f) {
				Array.from(this).sort(f || ((a, b) => (a < b ? -1 : a > b ? 1 : 0))).forEach((one, i) => { this[i] = one; });
				return this;
			}
			toSorted(f) { return this.slice().sort(f); }
			toReversed() { return this.slice().reverse(); }
			with(index, value) {
				const made = this.slice();
				made[index < 0 ? this.length + index : index] = number(kind, value);
				return made;
			}
			toJSON() { return Object.assign({}, Array.from(this)); }
			toString() { return Array.prototype.join.call(this, ','); }
			get [Symbol.toStringTag]() { return name; }
		} }[name];
		borrow(Typed.prototype);
		others.set(name, Typed);
		return Typed;
	};
	// number is a value as an element: of a BigInt no number is made, and of a number no BigInt.
	const number = (kind, value) => (kind[0] === 'B' ? BigInt.asIntN(64, value) : +value);

	class Buffer extends Uint8Array {
		static from(source, encoding, length) {
			if (typeof source === 'string') return encoded(source, encoding, Buffer.prototype);
			if (typeof source !== 'object' || source === null) {
				throw new TypeError('The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array. Received ' + (source === null ? 'null' : 'type ' + typeof source));
			}
			if (source.type === 'Buffer' && Array.isArray(source.data)) return as(listed(source.data), Buffer.prototype);
			return new Buffer(source, encoding, length);
		}
		static of(...items) { return as(listed(items), Buffer.prototype); }
		static alloc(n, fill, encoding) {
			const made = make(Number(n) || 0, Buffer.prototype);
			return fill === undefined ? made : made.fill(fill, encoding);
		}
		static allocUnsafe(n) { return Buffer.alloc(n); }
		static isBuffer(value) { return value instanceof Buffer; }
		static isEncoding(name) { return Object.hasOwn(encodings, String(name).toLowerCase()); }
		static byteLength(value, encoding) { return typeof value === 'string' ? encoded(value, encoding).length : value.byteLength; }
		static concat(list, total) {
			const made = make(total === undefined ? list.reduce((n, one) => n + one.length, 0) : Number(total) || 0, Buffer.prototype);
			let at = 0;
			for (const one of list) at += copy(made, at, all(one));
			return made;
		}
		static compare(a, b) { return compare(a, b); }
		toString(encoding, from, to) {
			const n = this.length;
			const known = encodingOf(encoding);
			return decode(part(this, whole(from, n, 0), whole(to, n, n)), known, false);
		}
		toJSON() { return { type: 'Buffer', data: Array.from(this) }; }
		toLocaleString(encoding) { return this.toString(encoding); }
		slice(from, to) { return this.subarray(from, to); }
		equals(other) { return compare(this, other) === 0; }
		compare(other) { return compare(this, other); }
		copy(to, at = 0, from, end) {
			const n = this.length;
			return copy(to, at, part(this, whole(from, n, 0), whole(end, n, n)));
		}
		write(text, ...rest) {
			const encoding = rest.find((one) => typeof one === 'string');
			const [at = 0, length = this.length] = rest.filter((one) => typeof one === 'number');
			const bytes = encoded(String(text), encoding);
			return copy(part(this, at, Math.min(at + length, this.length)), 0, bytes);
		}
		fill(value, from, to, encoding) {
			if (typeof from === 'string') [encoding, from] = [from, undefined];
			const n = this.length;
			const target = part(this, whole(from, n, 0), whole(to, n, n));
			const bytes = sought(typeof value === 'string' || typeof value === 'object' ? value : Number(value), encoding);
			if (bytes.length) for (let at = 0; at < target.length;) at += copy(target, at, bytes);
			return this;
		}
		indexOf(value, from, encoding) {
			if (typeof from === 'string') [encoding, from] = [from, undefined];
			return find(this, sought(value, encoding), whole(from, this.length, 0));
		}
		lastIndexOf(value, from, encoding) {
			let at = -1;
			const most = typeof from === 'number' ? whole(from, this.length, 0) : this.length;
			for (let next = this.indexOf(value, 0, encoding); next >= 0 && next <= most && next > at; next = this.indexOf(value, next + 1, encoding)) at = next;
			return at;
		}
		includes(value, from, encoding) { return this.indexOf(value, from, encoding) >= 0; }
		get [Symbol.toStringTag]() { return 'Uint8Array'; }
	}
	const methods = {};
	for (const [name, kind, n] of [['Int8', 'Int8', 1], ['UInt8', 'Uint8', 1], ['Int16', 'Int16', 2], ['UInt16', 'Uint16', 2], ['Int32', 'Int32', 4], ['UInt32', 'Uint32', 4],
		['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigInt64', 'BigInt64', 8], ['BigUInt64', 'BigUint64', 8]]) {
		for (const order of n === 1 ? [''] : ['LE', 'BE']) {
			methods['read' + name + order] = function (at = 0) { return read(this, at, kind, order !== 'BE'); };
			const [least, most] = name[0] === 'I' ? [-(2 ** (8 * n - 1)), 2 ** (8 * n - 1) - 1] : name[0] === 'U' ? [0, 2 ** (8 * n) - 1] : [-Infinity, Infinity];
			methods['write' + name + order] = function (value, at = 0) {
				if (value < least || value > most) throw Object.assign(new RangeError('The value of "value" is out of range. Received ' + value), { code: 'ERR_OUT_OF_RANGE' });
				return write(this, at, kind, order !== 'BE', number(kind, value));
			};
		}
	}
	for (const order of ['LE', 'BE']) {
		const place = (i, n) => (order === 'LE' ? n - 1 - i : i);
		methods['readUInt' + order] = function (at, n) {
			let value = 0;
			for (let i = 0; i < n; i++) value = value * 256 + read(this, at + place(i, n), 'Uint8', true);
			return value;
		};
		methods['readInt' + order] = function (at, n) {
			const value = methods['readUInt' + order].call(this, at, n);
			return value >= 2 ** (8 * n - 1) ? value - 2 ** (8 * n) : value;
		};
		methods['writeUInt' + order] = methods['writeInt' + order] = function (value, at, n) {
			let left = value < 0 ? value + 2 ** (8 * n) : +value;
			for (let i = n - 1; i >= 0; i--, left = Math.floor(left / 256)) write(this, at + place(i, n), 'Uint8', true, left % 256);
			return at + n;
		};
	}
	for (const n of [2, 4, 8]) {
		methods['swap' + 8 * n] = function () {
			if (this.length % n) throw new RangeError('Buffer size must be a multiple of ' + 8 * n + '-bits');
			for (let i = 0; i < this.length; i += n) this.subarray(i, i + n).reverse();
			return this;
		};
	}
	for (const name of Object.keys(methods)) {
		for (const also of [name, name.replace('UInt', 'Uint')]) Object.defineProperty(Buffer.prototype, also, { value: methods[name], writable: true, configurable: true });
	}

	class DataView {
		#bytes;
		constructor(buffer, from = 0, length) {
			const inside = bytesOf(buffer);
			if (!inside) throw new TypeError('First argument to DataView constructor must be an ArrayBuffer');
			const to = length === undefined ? inside.length : Number(from) + Number(length);
			if (!(from >= 0 && from <= to && to <= inside.length)) throw new RangeError('Start offset ' + from + ' is outside the bounds of the buffer');
			this.#bytes = part(inside, from, to);
		}
		static {
			for (const kind of ['Int8', 'Uint8', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float32', 'Float64', 'BigInt64', 'BigUint64']) {
				const methods = {
					['get' + kind](at, lowFirst) { return read(this.#bytes, at, kind, lowFirst); },
					['set' + kind](at, value, lowFirst) { write(this.#bytes, at, kind, lowFirst, number(kind, value)); },
				};
				for (const name of Object.keys(methods)) Object.defineProperty(DataView.prototype, name, { value: methods[name], writable: true, configurable: true });
			}
		}
		get buffer() { return wrap(this.#bytes); }
		get byteLength() { return this.#bytes.length; }
		get byteOffset() { return 0; }
		get [Symbol.toStringTag]() { return 'DataView'; }
	}

	class TextEncoder {
		get encoding() { return 'utf-8'; }
		encode(text = '') { return encode(String(text), 'utf8', Uint8Array.prototype); }
		encodeInto(text, into) {
			const whole = String(text), bytes = encode(whole, 'utf8');
			if (bytes.length <= into.length) return { read: whole.length, written: copy(into, 0, bytes) };
			let read = 0, written = 0;
			for (const letter of whole) { // what does not fit as a whole is left out
				const size = encode(letter, 'utf8').length;
				if (written + size > into.length) break;
				written += size;
				read += letter.length;
			}
			copy(into, 0, part(bytes, 0, written));
			return { read, written };
		}
	}
	const labels = {
		'utf-8': 'utf8', utf8: 'utf8', 'unicode-1-1-utf-8': 'utf8', 'utf-16le': 'utf16le', 'utf-16': 'utf16le', latin1: 'windows-1252', 'iso-8859-1': 'windows-1252',
		ascii: 'windows-1252', 'us-ascii': 'windows-1252', 'windows-1252': 'windows-1252', cp1252: 'windows-1252',
	};
	const names = { utf8: 'utf-8', utf16le: 'utf-16le', 'windows-1252': 'windows-1252' };
	// unfinished is how many of the last bytes may be the beginning of a character.
	const unfinished = (data, encoding) => {
		const n = data.length;
		if (encoding === 'utf16le') return n % 2 + (n > 1 && (data[n - n % 2 - 1] & 0xFC) === 0xD8 ? 2 : 0);
		for (let back = 1; encoding === 'utf8' && back <= Math.min(3, n); back++) {
			const byte = data[n - back];
			if (byte >= 0xC0) return back < (byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2) ? back : 0;
			if (byte < 0x80) break;
		}
		return 0;
	};
	class TextDecoder {
		#known;
		#fatal;
		#keep;
		#left = null; // the beginning of a character whose end is to come, with {stream: true}
		#begun = false;
		constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
			const name = String(label).trim().toLowerCase();
			if (!Object.hasOwn(labels, name)) throw new RangeError('The "' + name.slice(0, 40) + '" encoding is not supported');
			this.#known = labels[name];
			this.#fatal = Boolean(fatal);
			this.#keep = Boolean(ignoreBOM);
		}
		get encoding() { return names[this.#known]; }
		get fatal() { return this.#fatal; }
		get ignoreBOM() { return this.#keep; }
		decode(bytes, options) {
			const stream = Boolean(options && options.stream), begun = this.#begun;
			let data = bytes === undefined ? make(0) : all(bytes);
			if (this.#left) data = Buffer.concat([this.#left, data]);
			this.#left = null;
			this.#begun = stream && (begun || data.length > 0);
			if (stream) {
				const end = data.length - unfinished(data, this.#known);
				if (end < data.length) this.#left = listed(part(data, end, data.length));
				data = part(data, 0, end);
				this.#begun = begun || end > 0;
			}
			let text = decode(data, this.#known, this.#fatal);
			if (this.#known === 'utf16le' && data.length % 2) {
				if (this.#fatal) throw new TypeError('The encoded data was not valid for encoding utf-16le');
				text += '\uFFFD';
			}
			return !this.#keep && !begun && text.charCodeAt(0) === 0xFEFF ? text.slice(1) : text;
		}
	}

	return { Uint8Array, ArrayBuffer, DataView, Buffer, other, TextEncoder, TextDecoder, all, wrap, encode, decode, detach, inside: bytesOf };
})
