// crypto.subtle for digests and HMAC, and Node's createHash and createHmac, over digest(name, bytes) and
// hmac(name, key, bytes). Nothing of it waits, and none is an async function.
(function ({ digest, hmac, cipher, pbkdf2, scrypt, random, bytes }) {
	const { Uint8Array, Buffer, all, wrap } = bytes;
	const named = (algorithm) => {
		const name = typeof algorithm === 'string' ? algorithm : algorithm && algorithm.name;
		return String(name).toUpperCase();
	};
	const failed = (name, message) => {
		const e = new Error(message);
		e.name = name;
		return e;
	};
	const hashes = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
	const hashOf = (algorithm) => {
		const name = named(algorithm);
		if (!hashes.includes(name)) throw failed('NotSupportedError', 'Unrecognized algorithm name: ' + name.slice(0, 40));
		return name;
	};
	const soon = (make) => {
		try {
			return Promise.resolve(make());
		} catch (e) {
			return Promise.reject(e);
		}
	};
	let secretOf;
	class CryptoKey {
		#bytes;
		constructor(raw, hash, extractable, usages) {
			this.#bytes = raw;
			this.type = 'secret';
			this.extractable = extractable;
			this.algorithm = { name: 'HMAC', length: raw.length * 8, hash: { name: hash } };
			this.usages = usages;
		}
		static { secretOf = (key) => key.#bytes; }
		get [Symbol.toStringTag]() { return 'CryptoKey'; }
	}
	const onlyHMAC = (algorithm) => {
		if (named(algorithm) !== 'HMAC') throw failed('NotSupportedError', 'crypto.subtle has HMAC here, and not ' + named(algorithm).slice(0, 40));
	};
	const signed = (key, data, usage) => {
		if (!key.usages.includes(usage)) throw failed('InvalidAccessError', 'Unable to use this key to ' + usage);
		return hmac(key.algorithm.hash.name, secretOf(key), all(data), Uint8Array.prototype);
	};
	const subtle = {
		digest(algorithm, data) { return soon(() => wrap(digest(hashOf(algorithm), all(data), Uint8Array.prototype))); },
		importKey(format, data, algorithm, extractable, usages) {
			return soon(() => {
				onlyHMAC(algorithm);
				if (format !== 'raw') throw failed('NotSupportedError', 'crypto.subtle.importKey takes raw keys here, and not ' + String(format).slice(0, 40));
				return new CryptoKey(new Uint8Array(all(data)), hashOf(algorithm.hash), Boolean(extractable), Array.from(usages));
			});
		},
		exportKey(format, key) {
			return soon(() => {
				if (format !== 'raw' || !key.extractable) throw failed('InvalidAccessError', 'key is not extractable');
				return wrap(new Uint8Array(secretOf(key)));
			});
		},
		sign(algorithm, key, data) {
			return soon(() => {
				onlyHMAC(algorithm);
				return wrap(signed(key, data, 'sign'));
			});
		},
		verify(algorithm, key, signature, data) {
			return soon(() => {
				onlyHMAC(algorithm);
				return Buffer.compare(signed(key, data, 'verify'), all(signature)) === 0;
			});
		},
	};
	const bytesOf = (data, encoding) => (typeof data === 'string' ? Buffer.from(data, encoding) : all(data));
	class Hash {
		#parts = [];
		#make;
		#done = false;
		constructor(make) { this.#make = make; }
		update(data, encoding) {
			if (this.#done) throw new Error('Digest already called');
			this.#parts.push(new Uint8Array(bytesOf(data, encoding)));
			return this;
		}
		digest(encoding) {
			if (this.#done) throw new Error('Digest already called');
			this.#done = true;
			const made = this.#make(Buffer.concat(this.#parts));
			return encoding === undefined || encoding === 'buffer' ? made : made.toString(encoding);
		}
		copy() {
			if (this.#done) throw new Error('Digest already called');
			const made = new Hash(this.#make);
			made.#parts = this.#parts.slice();
			return made;
		}
	}
	const coded = (e, code) => { e.code = code; return e; };
	const faults = {
		unknown: () => coded(new Error('Unknown cipher'), 'ERR_CRYPTO_UNKNOWN_CIPHER'),
		key: () => coded(new RangeError('Invalid key length'), 'ERR_CRYPTO_INVALID_KEYLEN'),
		vector: () => coded(new TypeError('Invalid initialization vector'), 'ERR_CRYPTO_INVALID_IV'),
		length: () => coded(new Error('error:1C80006B:Provider routines::wrong final block length'), 'ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH'),
		padding: () => coded(new Error('error:1C800064:Provider routines::bad decrypt'), 'ERR_OSSL_BAD_DECRYPT'),
		tag: () => new Error('Unsupported state or unable to authenticate data'),
	};
	const right = (made) => { if (typeof made === 'string') throw faults[made](); return made; };
	const state = (what) => coded(new Error('Invalid state' + (what ? ' for operation ' + what : '')), 'ERR_CRYPTO_INVALID_STATE');
	const nothing = new Uint8Array(0);
	class Cipher {
		#step; #gcm; #encrypts; #pads = true; #aad = []; #tag = nothing; #done = false; #left = nothing; #length;
		constructor(encrypts, name, key, iv, options) {
			const known = String(name).toLowerCase();
			this.#step = right(cipher(known, encrypts, bytesOf(key), iv === null ? null : bytesOf(iv), Buffer.prototype));
			this.#gcm = known.endsWith('gcm');
			this.#encrypts = encrypts;
			this.#length = (options && options.authTagLength) || 16;
		}
		// What is given as base64 is cut where a text of it may end.
		#shown(made, to, last) {
			if (to === undefined || to === null || to === 'buffer') return made;
			let all = Buffer.concat([this.#left, made]);
			const size = to === 'base64' || to === 'base64url' ? 3 : 1;
			let end = last ? all.length : all.length - all.length % size;
			if (!last && /^utf-?8$/i.test(to)) while (end > 0 && all.length - end < 4 && incomplete(all, end)) end--;
			this.#left = all.subarray(end);
			return all.subarray(0, end).toString(to);
		}
		#turn(data, last) {
			if (this.#done) throw state(last ? '' : 'update');
			return right(this.#step(data, last, this.#pads, Buffer.concat(this.#aad), this.#tag));
		}
		update(data, from, to) { return this.#shown(this.#turn(bytesOf(data, from === null ? undefined : from), false), to, false); }
		final(to) {
			let made = this.#turn(nothing, true);
			this.#done = true;
			if (this.#gcm) { if (this.#encrypts) this.#tag = made; made = Buffer.alloc(0); }
			return this.#shown(made, to, true);
		}
		setAutoPadding(on = true) { this.#pads = Boolean(on); return this; }
		setAAD(data) { if (!this.#gcm) throw state('setAAD'); this.#aad.push(bytesOf(data)); return this; }
		getAuthTag() { if (!this.#gcm || !this.#encrypts || !this.#done) throw state('getAuthTag'); return this.#tag.subarray(0, this.#length); }
		setAuthTag(tag, encoding) { if (!this.#gcm || this.#encrypts) throw state('setAuthTag'); this.#tag = bytesOf(tag, encoding); return this; }
	}
	// incomplete says that bytes up to a place end within a letter of UTF-8.
	const incomplete = (data, end) => {
		for (let back = 1; back <= Math.min(3, end); back++) {
			const byte = data[end - back];
			if (byte >= 0xC0) return back < (byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2);
			if (byte < 0x80) return false;
		}
		return false;
	};
	const derivedByHash = (password, salt, iterations, length, name) => {
		if (!(iterations >= 1 && iterations <= 2147483647)) throw coded(new RangeError('The value of "iterations" is out of range. It must be >= 1 && <= 2147483647. Received ' + iterations), 'ERR_OUT_OF_RANGE');
		if (!/^(md5|sha-?(1|256|384|512))$/i.test(name)) throw coded(new TypeError('Invalid digest: ' + String(name).slice(0, 40)), 'ERR_CRYPTO_INVALID_DIGEST');
		return pbkdf2(String(name), bytesOf(password), bytesOf(salt), iterations, length, Buffer.prototype);
	};
	const derivedByMemory = (password, salt, length, { N, cost, r, blockSize, p, parallelization, maxmem = 32 * 1024 * 1024 } = {}) => {
		const [n, size, times] = [N || cost || 16384, r || blockSize || 8, p || parallelization || 1];
		if (n < 2 || (n & (n - 1))) throw coded(new RangeError('Invalid scrypt params'), 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS');
		if (128 * size * (times + n + 2) > maxmem) throw coded(new RangeError('Invalid scrypt params: error:030000AC:digital envelope routines::memory limit exceeded'), 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS');
		return scrypt(bytesOf(password), bytesOf(salt), n, size, times, length, Buffer.prototype);
	};
	const later = (done, make) => {
		if (typeof done !== 'function') throw coded(new TypeError('The "callback" argument must be of type function. Received ' + done), 'ERR_INVALID_ARG_TYPE');
		const made = make();
		Promise.resolve().then(() => done(null, made));
	};
	function getRandomValues(into) {
		if (into.length > 65536) throw failed('QuotaExceededError', 'The requested length exceeds 65,536 bytes');
		for (let i = 0; i < into.length; i++) into[i] = random();
		return into;
	}
	return {
		subtle,
		createCipheriv(name, key, iv, options) { return new Cipher(true, name, key, iv, options); },
		createDecipheriv(name, key, iv, options) { return new Cipher(false, name, key, iv, options); },
		pbkdf2Sync: derivedByHash,
		pbkdf2(password, salt, iterations, length, name, done) { later(done, () => derivedByHash(password, salt, iterations, length, name)); },
		scryptSync: derivedByMemory,
		scrypt(password, salt, length, ...rest) { later(rest[rest.length - 1], () => derivedByMemory(password, salt, length, rest.length > 1 ? rest[0] : {})); },
		getHashes() { return ['md5', 'sha1', 'sha256', 'sha384', 'sha512']; },
		getCiphers() { return ['128', '192', '256'].flatMap((bits) => ['cbc', 'ctr', 'ecb', 'gcm'].map((mode) => 'aes-' + bits + '-' + mode)); },
		createHash(name) { return new Hash((data) => digest(String(name), data, Buffer.prototype)); },
		createHmac(name, key) {
			const raw = bytesOf(key);
			return new Hash((data) => hmac(String(name), raw, data, Buffer.prototype));
		},
		timingSafeEqual(a, b) {
			if (a.length !== b.length) throw coded(new RangeError('Input buffers must have the same byte length'), 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH');
			return Buffer.compare(a, b) === 0;
		},
		getRandomValues,
		randomBytes(n) { return getRandomValues(Buffer.alloc(n)); },
		randomInt(from, to) {
			if (to === undefined) [from, to] = [0, from];
			let value = 0;
			for (let i = 0; i < 6; i++) value = value * 256 + random();
			return from + Math.floor(value / 2 ** 48 * (to - from));
		},
	};
})
