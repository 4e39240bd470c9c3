// fetch and Response. A request is one call of the host, send(url, options), whose answer has status, headers and
// body; it is looked into when the script looks into the Response, not before. What most scripts with fetch do without is
// in files of its own, piece(name). There are no async functions here: a script that has none itself must not find
// their constructor.
(function ({ send, piece, toStringTag }) {
	// content gives the body of a Request or Response away, once, in one of the forms.
	const content = (of, take, form) => {
		try {
			const text = take(of);
			if (form === 'blob') return Promise.resolve(new (piece('forms').Blob)([text], { type: of.headers.get('content-type') || '' }));
			if (form === 'form') return Promise.resolve(piece('forms').read(text, of.headers.get('content-type')));
			if (form === 'text' || form === 'json') {
				const plain = text.charCodeAt(0) === 0xFEFF ? text.slice(1) : text;
				return Promise.resolve(form === 'json' ? piece('json', plain) : plain);
			}
			if (text.includes('\uFFFD')) throw new TypeError('the body is not text: a script gets answers as UTF-8 text, and what else there is was lost');
			const bytes = piece('bytes').encode(text, 'utf8', piece('bytes').Uint8Array.prototype);
			return Promise.resolve(form === 'buffer' ? piece('bytes').wrap(bytes) : bytes);
		} catch (e) {
			return Promise.reject(e);
		}
	};

	// asked is what a request says, read from the arguments of fetch and of Request.
	let of = null; // the same of a Request, as soon as there are Requests
	const asked = (input, init) => {
		// What the script's text says, and not what every object may have come to have.
		if (init === undefined || init === null) init = { __proto__: null };
		else if (Object.getPrototypeOf(init) === Object.prototype) init = { __proto__: null, ...init };
		const from = of === null ? null : of(input);
		const request = from === null ? { url: `${input}`, method: 'GET', headers: null, body: null, signal: null, extra: {} } : from;
		if (from !== null) request.body = init.body === undefined || init.body === null ? from.take() : null;
		if (init.method !== undefined) {
			const method = String(init.method);
			request.method = /^(get|head|post|put|patch|delete|options)$/i.test(method) ? method.toUpperCase() : method;
		}
		if (init.signal !== undefined) request.signal = init.signal;
		if (init.redirect !== undefined && init.redirect !== 'follow') throw new TypeError('fetch: redirects are always followed, redirect cannot be ' + String(init.redirect).slice(0, 20));
		const named = init.headers !== undefined ? init.headers : request.headers;
		request.headers = named === undefined || named === null ? null : piece('sent').headersOf(named);
		if (init.body !== undefined && init.body !== null) {
			if (request.method === 'GET' || request.method === 'HEAD') throw new TypeError('Request with GET/HEAD method cannot have body.');
			const [text, type] = piece('sent').packed(init.body);
			request.body = text;
			request.headers = piece('sent').typed(request.headers, type);
		}
		const { effect, timeoutMs } = request.extra;
		request.extra = { effect: init.effect === undefined ? effect : init.effect, timeoutMs: init.timeoutMs === undefined ? timeoutMs : init.timeoutMs };
		return request;
	};

	const answered = {}; // as a body: the Response is of an answer, which is set behind
	let responseTo; // makes it
	let take;
	class Response {
		#got = null; // the host's answer
		#own = null; // of one that the script made: status, statusText, body
		#url = '';
		#headers = null; // null until somebody asks
		#used = false;
		constructor(body, { status = 200, statusText = '', headers } = {}) {
			if (body === answered) return;
			if (!(status >= 200 && status <= 599)) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
			const [text, type] = piece('sent').packed(body);
			this.#own = { status: Math.trunc(status), statusText: String(statusText), body: text };
			this.#headers = piece('sent').typed(headers === undefined || headers === null ? null : piece('sent').headersOf(headers), type);
		}
		static {
			responseTo = (got, url) => {
				const made = new Response(answered);
				made.#got = got;
				made.#url = url;
				return made;
			};
			take = (response) => {
				if (response.#used) throw piece('sent').used();
				const body = response.#got === null ? response.#own.body : response.#got.body;
				response.#used = body !== null;
				return body === null ? '' : body;
			};
		}
		static json(value, init = {}) {
			const headers = piece('sent').headersOf(init.headers);
			if (!headers.has('content-type')) headers.set('content-type', 'application/json');
			return new Response(JSON.stringify(value), { ...init, headers });
		}
		get status() { return this.#got === null ? this.#own.status : this.#got.status; }
		get ok() { return this.status >= 200 && this.status <= 299; }
		get statusText() { return this.#got === null ? this.#own.statusText : piece('status', this.#got.status); }
		get url() { return this.#url; }
		get redirected() { return false; }
		get type() { return this.#got === null ? 'default' : 'basic'; }
		get headers() {
			if (this.#headers === null) this.#headers = piece('sent').headersOf(this.#got === null ? undefined : this.#got.headers);
			return this.#headers;
		}
		get bodyUsed() { return this.#used; }
		get body() { return this.#got === null && this.#own.body === null ? null : piece('sent').noStream(); }
		clone() {
			if (this.#used) throw new TypeError('Response.clone: Body has already been consumed.');
			const made = new Response(answered);
			made.#got = this.#got;
			made.#own = this.#own;
			made.#url = this.#url;
			made.#headers = this.#headers === null ? null : piece('sent').headersOf(this.#headers);
			return made;
		}
		get [toStringTag]() { return 'Response'; }
		text() { return content(this, take, 'text'); }
		json() { return content(this, take, 'json'); }
		arrayBuffer() { return content(this, take, 'buffer'); }
		bytes() { return content(this, take, 'bytes'); }
		blob() { return content(this, take, 'blob'); }
		formData() { return content(this, take, 'form'); }
	}

	// optionsOf are the options of web.fetch: those only that say something.
	const optionsOf = ({ method, headers, body, extra }) => {
		const list = headers === null ? null : Array.from(headers);
		if (method === 'GET' && (list === null || !list.length) && body === null && extra.effect === undefined && extra.timeoutMs === undefined) return undefined;
		const options = {};
		if (method !== 'GET') options.method = method;
		if (list !== null && list.length) options.headers = Object.fromEntries(list);
		if (body !== null) options.body = body;
		if (extra.effect !== undefined) options.effect = extra.effect;
		if (extra.timeoutMs !== undefined) options.timeoutMs = extra.timeoutMs;
		return options;
	};
	function fetch(input, init) {
		let request;
		try {
			request = asked(input, init);
		} catch (e) {
			return Promise.reject(e);
		}
		const { url, signal } = request;
		if (signal && signal.aborted) return Promise.reject(signal.reason);
		const answer = send(url, optionsOf(request)).then((got) => responseTo(got, url));
		if (!signal) return answer;
		return new Promise((resolve, reject) => {
			signal.addEventListener('abort', () => reject(signal.reason));
			answer.then(resolve, reject);
		});
	}

	return { fetch, Response, asked, content, requests: (parts) => { of = parts; } };
})
