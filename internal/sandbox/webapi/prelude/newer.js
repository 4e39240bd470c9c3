// What newer editions of the language have on its classes: ES2024 and 2025.
(function () {
	const set = (self) => { if (!(self instanceof Set)) throw new TypeError('a Set is needed'); return self; };
	// other is anything with size, has and keys: a Set or a Map.
	const keysOf = (other) => { const list = []; const keys = other.keys(); for (let one = keys.next(); !one.done; one = keys.next()) list.push(one.value); return list; };
	const like = (other) => {
		if (typeof other !== 'object' || other === null || !(Number(other.size) >= 0) || typeof other.has !== 'function' || typeof other.keys !== 'function') throw new TypeError('a Set is needed, or what has size, has and keys as one');
		return other;
	};
	const sets = {
		union(other) { const made = new Set(set(this)); for (const one of keysOf(like(other))) made.add(one); return made; },
		intersection(other) { set(this); like(other); const made = new Set(); if (this.size <= other.size) { for (const one of this) if (other.has(one)) made.add(one); } else { for (const one of keysOf(other)) if (this.has(one)) made.add(one); } return made; },
		difference(other) { set(this); like(other); const made = new Set(); for (const one of this) if (!other.has(one)) made.add(one); return made; },
		symmetricDifference(other) { const made = new Set(set(this)); for (const one of keysOf(like(other))) if (this.has(one)) made.delete(one); else made.add(one); return made; },
		isSubsetOf(other) { set(this); like(other); if (this.size > other.size) return false; for (const one of this) if (!other.has(one)) return false; return true; },
		isSupersetOf(other) { set(this); like(other); if (this.size < other.size) return false; return keysOf(other).every((one) => this.has(one)); },
		isDisjointFrom(other) { set(this); like(other); for (const one of this) if (other.has(one)) return false; return true; },
	};
	const texts = {
		isWellFormed() { return texts.toWellFormed.call(this) === String(this); },
		toWellFormed() {
			const text = String(this);
			let made = '';
			for (let i = 0; i < text.length; i++) {
				const code = text.charCodeAt(i), next = text.charCodeAt(i + 1);
				if (code >= 0xD800 && code <= 0xDBFF && next >= 0xDC00 && next <= 0xDFFF) made += text[i] + text[++i];
				else made += code >= 0xD800 && code <= 0xDFFF ? '\uFFFD' : text[i];
			}
			return made;
		},
	};
	const promises = {
		withResolvers() { let resolve, reject; const promise = new this((yes, no) => { resolve = yes; reject = no; }); return { promise, resolve, reject }; },
		try(f, ...given) { return new this((resolve) => resolve(f(...given))); },
	};
	const arrays = {
		fromAsync(from, map) {
			const made = [];
			const step = (value, then) => (map === undefined ? Promise.resolve(value) : Promise.resolve(value).then((one) => map(one, made.length))).then((one) => { made.push(one); return then(); });
			const asked = from[Symbol.asyncIterator || Symbol.for('Symbol.asyncIterator')] || from[Symbol.iterator];
			if (asked === undefined) {
				const next = () => (made.length < Number(from.length) ? step(from[made.length], next) : made);
				return Promise.resolve().then(next);
			}
			const iterator = asked.call(from);
			const next = () => Promise.resolve(iterator.next()).then((one) => (one.done ? made : step(one.value, next)));
			return Promise.resolve().then(next);
		},
	};
	return { sets, texts, promises, arrays };
})
