// Headers, and what else a request or answer needs that says more than its address.
(function ({ toStringTag, query, forms }) {
	const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
	const nameOf = (name) => {
		if (!token.test(String(name))) throw new TypeError('Headers: "' + String(name).slice(0, 40) + '" is not the name of a header');
		return String(name).toLowerCase();
	};
	const valueOf = (value) => {
		const text = String(value).replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, '');
		if (/[\0\r\n]/.test(text)) throw new TypeError('Headers: the value has a line break in it');
		return text;
	};

	class Headers {
		#list = new Map();
		constructor(init) {
			if (init === undefined || init === null) return;
			if (typeof init !== 'object') throw new TypeError('Headers: an object or a list of pairs is needed');
			if (init[Symbol.iterator]) {
				for (const [name, value] of init) this.append(name, value);
			} else {
				for (const name of Object.keys(init)) this.append(name, init[name]);
			}
		}
		get(name) {
			const values = this.#list.get(nameOf(name));
			return values ? values.join(', ') : null;
		}
		has(name) { return this.#list.has(nameOf(name)); }
		set(name, value) { this.#list.set(nameOf(name), [valueOf(value)]); }
		append(name, value) {
			const values = this.#list.get(nameOf(name));
			if (values) values.push(valueOf(value)); else this.set(name, value);
		}
		delete(name) { this.#list.delete(nameOf(name)); }
		getSetCookie() { return (this.#list.get('set-cookie') || []).slice(); }
		forEach(visit, self) {
			for (const [name, value] of this) visit.call(self, value, name, this);
		}
		entries() {
			const names = Array.from(this.#list.keys()).sort();
			return names.flatMap((name) => (name === 'set-cookie' ? this.getSetCookie() : [this.get(name)]).map((value) => [name, value]))[Symbol.iterator]();
		}
		keys() { return Array.from(this, (pair) => pair[0])[Symbol.iterator](); }
		values() { return Array.from(this, (pair) => pair[1])[Symbol.iterator](); }
		[Symbol.iterator]() { return this.entries(); }
		get [toStringTag]() { return 'Headers'; }
	}

	const headersOf = (init) => new Headers(init);
	// answered are those of an answer of the host, which joins what came several times. A cookie has an expiry with a comma.
	const answered = (list) => {
		const made = headersOf(list), cookies = made.get('set-cookie');
		if (cookies !== null) {
			made.delete('set-cookie');
			for (const one of cookies.split(/, (?=[^;,=\s]+=)/)) made.append('set-cookie', one);
		}
		return made;
	};
	// typed are headers, null for none, that say which type the body has.
	const typed = (headers, type) => {
		if (type === null || (headers !== null && headers.has('content-type'))) return headers;
		headers = headers === null ? new Headers() : headers;
		headers.set('content-type', type);
		return headers;
	};
	const packedBody = (body) => {
		if (typeof body !== 'object') return [String(body), 'text/plain;charset=UTF-8'];
		if (query(body)) return [String(body), 'application/x-www-form-urlencoded;charset=UTF-8'];
		return forms().packed(body);
	};
	// packed is a body as a text, and the headers that say its type.
	const packed = (body, headers) => {
		const [text, type] = packedBody(body);
		return { text, headers: typed(headers, type) };
	};
	const typeOf = (headers) => headers.get('content-type');
	// listed are headers as an object, null if there are none.
	const listed = (headers) => {
		const list = Array.from(headers);
		return list.length ? Object.fromEntries(list) : null;
	};

	return { Headers, headersOf, answered, packed, typed, typeOf, listed };
})
