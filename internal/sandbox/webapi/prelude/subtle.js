// crypto.subtle for digests and HMAC, and Node's createHash and createHmac, over digest(name, bytes) and
// hmac(name, key, bytes). Nothing of it waits, and none is an async function.
(function ({ digest, hmac, random, bytes }) {
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
	}
	function getRandomValues(into) {
		if (into.length > 65536) throw failed('QuotaExceededError', 'The requested length exceeds 65,536 bytes');
		for (let i = 0; i < into.length; i++) into[i] = random();
		return into;
	}
	return {
		subtle,
		createHash(name) { return new Hash((data) => digest(String(name), data, Buffer.prototype)); },
		createHmac(name, key) {
			const raw = bytesOf(key);
			return new Hash((data) => hmac(String(name), raw, data, Buffer.prototype));
		},
		timingSafeEqual(a, b) {
			if (a.length !== b.length) throw new RangeError('Input buffers must have the same byte length');
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
