// Blob, File and FormData, and how they are sent. Most scripts with fetch need none of it.
(function ({ bytes, isBytes, query, stream, toStringTag }) {
	// A body, and a part of one, is a text if it is UTF-8, and else bytes.
	const sent = (data) => {
		const b = bytes(), all = b.all(data), text = b.decode(all, 'utf8', false);
		return text.includes('\uFFFD') ? new b.Uint8Array(all) : text;
	};
	const contentIn = (part) => {
		if (part instanceof Blob) return contentOf(part);
		return typeof part === 'object' && part !== null && (isBytes(part) || bytes().inside(part)) ? sent(part) : String(part);
	};
	const joined = (parts) => {
		if (parts.every((part) => typeof part === 'string')) return parts.join('');
		const b = bytes(), list = parts.map((part) => (typeof part === 'string' ? b.encode(part, 'utf8') : part));
		const made = new b.Uint8Array(list.reduce((n, one) => n + one.length, 0));
		let at = 0;
		for (const one of list) { made.set(one, at); at += one.length; }
		return sent(made);
	};
	let contentOf;
	class Blob {
		#content;
		#type;
		constructor(parts = [], { type = '' } = {}) {
			this.#content = joined(Array.from(parts, contentIn));
			this.#type = String(type).toLowerCase();
		}
		static { contentOf = (blob) => blob.#content; }
		#bytes() { const b = bytes(); return new b.Uint8Array(typeof this.#content === 'string' ? b.encode(this.#content, 'utf8') : this.#content); }
		get size() { return this.#bytes().length; }
		get type() { return this.#type; }
		text() { return Promise.resolve(typeof this.#content === 'string' ? this.#content : bytes().decode(this.#content, 'utf8', false)); }
		arrayBuffer() { return Promise.resolve(bytes().wrap(this.#bytes())); }
		bytes() { return Promise.resolve(this.#bytes()); }
		stream() { return stream(this.#bytes()); }
		slice(from, to, type) { return new Blob([this.#bytes().subarray(from, to)], { type }); }
		get [toStringTag]() { return 'Blob'; }
	}
	class File extends Blob {
		#name;
		#modified;
		constructor(parts, name, options = {}) {
			super(parts, options);
			this.#name = String(name);
			this.#modified = options.lastModified === undefined ? Date.now() : Number(options.lastModified);
		}
		get name() { return this.#name; }
		get lastModified() { return this.#modified; }
		get [toStringTag]() { return 'File'; }
	}

	class FormData {
		#list = [];
		#entry(name, value, filename) {
			if (!(value instanceof Blob)) return [String(name), String(value)];
			if (value instanceof File && filename === undefined) return [String(name), value];
			return [String(name), new File([value], filename === undefined ? 'blob' : filename, { type: value.type })];
		}
		append(name, value, filename) { this.#list.push(this.#entry(name, value, filename)); }
		set(name, value, filename) {
			const at = this.#list.findIndex((pair) => pair[0] === String(name));
			this.delete(name);
			this.#list.splice(at < 0 ? this.#list.length : at, 0, this.#entry(name, value, filename));
		}
		get(name) {
			const pair = this.#list.find((pair) => pair[0] === String(name));
			return pair ? pair[1] : null;
		}
		getAll(name) { return this.#list.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]); }
		has(name) { return this.#list.some((pair) => pair[0] === String(name)); }
		delete(name) { this.#list = this.#list.filter((pair) => pair[0] !== String(name)); }
		forEach(visit, self) { for (const pair of this.#list) visit.call(self, pair[1], pair[0], this); }
		entries() { return this.#list.map((pair) => pair.slice())[Symbol.iterator](); }
		keys() { return this.#list.map((pair) => pair[0])[Symbol.iterator](); }
		values() { return this.#list.map((pair) => pair[1])[Symbol.iterator](); }
		[Symbol.iterator]() { return this.entries(); }
		get [toStringTag]() { return 'FormData'; }
	}
	const escaped = (name) => name.replace(/\r?\n|\r/g, '%0D%0A').replace(/"/g, '%22');
	// multipart is a form as a body. Its boundary is the same each time, and in none of the fields.
	const multipart = (form) => {
		const fields = Array.from(form, ([name, value]) => {
			const file = value instanceof Blob ? '; filename="' + escaped(value.name) + '"\r\nContent-Type: ' + (value.type || 'application/octet-stream') : '';
			const head = 'Content-Disposition: form-data; name="' + escaped(name) + '"' + file + '\r\n\r\n';
			return [head, value instanceof Blob ? contentOf(value) : value.replace(/\r?\n|\r/g, '\r\n'), '\r\n'];
		});
		const within = (part) => (typeof part === 'string' ? part : bytes().decode(part, 'latin1', false)).includes(boundary);
		let boundary = '----formdata-kintsugi-0';
		for (let n = 1; fields.some((field) => field.some(within)); n++) boundary = '----formdata-kintsugi-' + n;
		return [joined([...fields.flatMap((field) => ['--' + boundary + '\r\n', ...field]), '--' + boundary + '--\r\n']), 'multipart/form-data; boundary=' + boundary];
	};
	// packed is a body that is no text as one, and the type that it says it has.
	const packed = (body) => {
		if (body instanceof FormData) return multipart(body);
		if (body instanceof Blob) return [contentOf(body), body.type || null];
		if (isBytes(body) || bytes().inside(body)) return [sent(body), null];
		return [String(body), 'text/plain;charset=UTF-8'];
	};
	// read is a body of a type as a form.
	const read = (text, type) => {
		if (!/^application\/x-www-form-urlencoded/i.test(type || '')) throw new TypeError('formData: the body is no form');
		const form = new FormData();
		for (const [name, value] of new (query())(text)) form.append(name, value);
		return form;
	};

	const blobOf = (content, type) => new Blob([content], { type: type || '' });

	return { Blob, File, FormData, packed, read, blobOf };
})
