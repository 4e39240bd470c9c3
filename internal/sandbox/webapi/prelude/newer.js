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
	// An iterator that makes its values of those of another one. step gives what the next of it is, or done.
	const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([].values()));
	const helper = (source, step, close = () => {}) => {
		let over = false;
		const end = () => { over = true; return { value: undefined, done: true }; };
		return Object.create(IteratorPrototype, {
			next: { value() {
				if (over) return end();
				try {
					const made = step();
					return made === done ? end() : { value: made.value, done: false };
				} catch (e) {
					over = true;
					throw e;
				}
			} },
			return: { value() { if (!over) { close(); if (source.of.return) source.of.return(); } return end(); } },
			[Symbol.toStringTag]: { value: 'Iterator Helper' },
		});
	};
	const done = {};
	// direct is an iterator with its next, which is looked up once.
	const direct = (of) => {
		if (typeof of !== 'object' && typeof of !== 'function' || of === null) throw new TypeError('Iterator.prototype called on non-object');
		const next = of.next;
		return { of, next() { const got = next.call(of); if (typeof got !== 'object' || got === null) throw new TypeError('Iterator result ' + String(got) + ' is not an object'); return got.done ? done : { value: got.value }; } };
	};
	const must = (f) => { if (typeof f !== 'function') throw new TypeError(String(f) + ' is not a function'); return f; };
	const closing = (source, f) => { try { return f(); } catch (e) { try { if (source.of.return) source.of.return(); } catch {} throw e; } };
	const count = (n) => {
		const number = Number(n);
		if (number !== number || Math.trunc(number) < 0) throw new RangeError(String(n) + ' must be positive');
		return Math.trunc(number);
	};
	const iterators = {
		map(f) { must(f); const source = direct(this); let at = 0; return helper(source, () => { const one = source.next(); return one === done ? done : { value: closing(source, () => f(one.value, at++)) }; }); },
		filter(f) {
			must(f);
			const source = direct(this);
			let at = 0;
			return helper(source, () => { for (;;) { const one = source.next(); if (one === done || closing(source, () => f(one.value, at++))) return one; } });
		},
		take(n) {
			let left = count(n);
			const source = direct(this);
			return helper(source, () => { if (left-- > 0) return source.next(); if (source.of.return) source.of.return(); return done; });
		},
		drop(n) {
			let left = count(n);
			const source = direct(this);
			return helper(source, () => { for (; left > 0; left--) if (source.next() === done) return done; return source.next(); });
		},
		flatMap(f) {
			must(f);
			const source = direct(this);
			let at = 0, inner = null;
			return helper(source, () => {
				for (;;) {
					if (inner === null) {
						const one = source.next();
						if (one === done) return done;
						inner = closing(source, () => {
							const made = f(one.value, at++);
							if (typeof made !== 'object' || made === null) throw new TypeError(String(made) + ' is not an object');
							return direct(made[Symbol.iterator] ? made[Symbol.iterator]() : made);
						});
					}
					const one = closing(source, () => inner.next());
					if (one !== done) return one;
					inner = null;
				}
			}, () => { if (inner !== null && inner.of.return) inner.of.return(); });
		},
		reduce(f, ...first) {
			must(f);
			const source = direct(this);
			let at = 0, made;
			if (first.length) made = first[0];
			else {
				const one = source.next();
				if (one === done) throw new TypeError('Reduce of a done iterator with no initial value');
				made = one.value;
				at = 1;
			}
			for (let one = source.next(); one !== done; one = source.next()) made = closing(source, () => f(made, one.value, at++));
			return made;
		},
		toArray() { const source = direct(this), made = []; for (let one = source.next(); one !== done; one = source.next()) made.push(one.value); return made; },
		forEach(f) { must(f); const source = direct(this); let at = 0; for (let one = source.next(); one !== done; one = source.next()) closing(source, () => f(one.value, at++)); },
		some(f) { return search(this, f, (is) => is, () => true, false); },
		every(f) { return search(this, f, (is) => !is, () => false, true); },
		find(f) { return search(this, f, (is) => is, (value) => value, undefined); },
		from(given) {
			if (typeof given !== 'object' && typeof given !== 'string' && typeof given !== 'function' || given === null) throw new TypeError(String(given) + ' is not an object');
			const made = given[Symbol.iterator] ? given[Symbol.iterator]() : given;
			if (made instanceof Object && IteratorPrototype.isPrototypeOf(made)) return made;
			const source = direct(made);
			return helper(source, () => source.next());
		},
	};
	const search = (self, f, ends, gives, otherwise) => {
		must(f);
		const source = direct(self);
		let at = 0;
		for (let one = source.next(); one !== done; one = source.next()) {
			if (ends(closing(source, () => f(one.value, at++)))) {
				if (source.of.return) source.of.return();
				return gives(one.value);
			}
		}
		return otherwise;
	};
	return { sets, texts, promises, arrays, iterators };
})
