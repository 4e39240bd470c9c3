// Blob, File and FormData, and how they are sent. Most scripts with fetch need none of it.
(function ({ bytes, isBytes, query, toStringTag }) {
	const textOf = (part) => {
		if (part instanceof Blob) return contentOf(part);
		if (typeof part === 'object' && part !== null && (isBytes(part) || bytes().inside(part))) {
			const b = bytes();
			const text = b.decode(b.all(part), 'utf8', false);
			if (text.includes('\uFFFD')) throw new TypeError('these bytes are not UTF-8: a script sends and receives text');
			return text;
		}
		return String(part);
	};
	let contentOf;
	class Blob {
		#text;
		#type;
		constructor(parts = [], { type = '' } = {}) {
			this.#text = Array.from(parts, textOf).join('');
			this.#type = String(type).toLowerCase();
		}
		static { contentOf = (blob) => blob.#text; }
		get size() { return bytes().encode(this.#text, 'utf8').length; }
		get type() { return this.#type; }
		text() { return Promise.resolve(this.#text); }
		arrayBuffer() { return Promise.resolve(bytes().wrap(bytes().encode(this.#text, 'utf8'))); }
		slice(from, to, type) {
			const b = bytes();
			return new Blob([new b.Uint8Array(b.encode(this.#text, 'utf8')).subarray(from, to)], { type });
		}
		get [toStringTag]() { return 'Blob'; }
	}
	class File extends Blob {
		#name;
		constructor(parts, name, options) {
			super(parts, options);
			this.#name = String(name);
		}
		get name() { return this.#name; }
		get lastModified() { return Date.now(); }
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
			return 'Content-Disposition: form-data; name="' + escaped(name) + '"' + file + '\r\n\r\n' + (value instanceof Blob ? contentOf(value) : value.replace(/\r?\n|\r/g, '\r\n')) + '\r\n';
		});
		let boundary = '----formdata-kintsugi-0';
		for (let n = 1; fields.some((field) => field.includes(boundary)); n++) boundary = '----formdata-kintsugi-' + n;
		return [fields.map((field) => '--' + boundary + '\r\n' + field).join('') + '--' + boundary + '--\r\n', 'multipart/form-data; boundary=' + boundary];
	};
	// packed is a body that is no text as one, and the type that it says it has.
	const packed = (body) => {
		if (body instanceof FormData) return multipart(body);
		if (body instanceof Blob) return [contentOf(body), body.type || null];
		if (isBytes(body) || bytes().inside(body)) return [textOf(body), null];
		return [String(body), 'text/plain;charset=UTF-8'];
	};
	// read is a body of a type as a form.
	const read = (text, type) => {
		if (!/^application\/x-www-form-urlencoded/i.test(type || '')) throw new TypeError('formData: the body is no form');
		const form = new FormData();
		for (const [name, value] of new (query())(text)) form.append(name, value);
		return form;
	};

	const blobOf = (text, type) => new Blob([text], { type: type || '' });

	return { Blob, File, FormData, packed, read, blobOf };
})
