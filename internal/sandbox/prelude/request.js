// Request. Most scripts with fetch make none.
(function ({ fetch, sent, toStringTag }) {
	const { asked, content, requests } = fetch;
	const { headersOf, noStream, used } = sent;
	let take;
	const taken = (request) => take(request) || '';
	class Request {
		#says;
		#used = false;
		constructor(input, init) { this.#says = asked(input, init); }
		static {
			take = (request) => {
				if (request.#used) throw used();
				request.#used = request.#says.body !== null;
				return request.#says.body;
			};
			requests((input) => (input instanceof Request ? { ...input.#says, take: () => take(input) } : null));
		}
		get url() { return this.#says.url; }
		get method() { return this.#says.method; }
		get headers() {
			if (this.#says.headers === null) this.#says.headers = headersOf();
			return this.#says.headers;
		}
		get signal() { return this.#says.signal; }
		get redirect() { return 'follow'; }
		get bodyUsed() { return this.#used; }
		get body() { return this.#says.body === null ? null : noStream(); }
		clone() {
			if (this.#used) throw used();
			const made = new Request(this);
			this.#used = false; // it was not read, but shared
			return made;
		}
		get [toStringTag]() { return 'Request'; }
		text() { return content(this, taken, 'text'); }
		json() { return content(this, taken, 'json'); }
		arrayBuffer() { return content(this, taken, 'buffer'); }
		bytes() { return content(this, taken, 'bytes'); }
		blob() { return content(this, taken, 'blob'); }
		formData() { return content(this, taken, 'form'); }
	}
	return { Request };
})
