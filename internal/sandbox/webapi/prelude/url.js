// URL and URLSearchParams, as the WHATWG URL standard has them.
(function ({ parseURL, changeURL, encodeForm, decodeForm }) {
	function changed(link, list) {
		if (link) link(list.length ? '?' + print(list) : '');
	}
	function print(list) {
		return list.map((pair) => encodeForm(pair[0]) + '=' + encodeForm(pair[1])).join('&');
	}
	function read(query) {
		return String(query).replace(/^\?/, '').split('&').filter((part) => part !== '').map((part) => {
			const at = part.indexOf('=');
			return at < 0 ? [decodeForm(part), ''] : [decodeForm(part.slice(0, at)), decodeForm(part.slice(at + 1))];
		});
	}
	let connect;

	class URLSearchParams {
		#list = [];
		#link = null; // called with the new query when this belongs to a URL
		constructor(init) {
			if (init === undefined || init === null) return;
			if (typeof init !== 'object') {
				this.#list = read(init);
			} else if (init[Symbol.iterator]) {
				for (const [name, value] of init) this.#list.push([String(name), String(value)]);
			} else {
				for (const name of Object.keys(init)) this.#list.push([name, String(init[name])]);
			}
		}
		static {
			connect = (query, link) => {
				const params = new URLSearchParams(query);
				params.#link = link;
				return { params, reread: (query) => { params.#list = read(query); } };
			};
		}
		get size() { return this.#list.length; }
		get(name) {
			const pair = this.#list.find((pair) => pair[0] === String(name));
			return pair ? pair[1] : null;
		}
		getAll(name) { return this.#list.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]); }
		has(name, value) {
			return this.#list.some((pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value)));
		}
		set(name, value) {
			const first = this.#list.find((pair) => pair[0] === String(name));
			if (first) {
				first[1] = String(value);
				this.#list = this.#list.filter((pair) => pair === first || pair[0] !== String(name));
			} else {
				this.#list.push([String(name), String(value)]);
			}
			changed(this.#link, this.#list);
		}
		append(name, value) {
			this.#list.push([String(name), String(value)]);
			changed(this.#link, this.#list);
		}
		delete(name, value) {
			this.#list = this.#list.filter((pair) => pair[0] !== String(name) || (value !== undefined && pair[1] !== String(value)));
			changed(this.#link, this.#list);
		}
		sort() {
			this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
			changed(this.#link, this.#list);
		}
		forEach(visit, self) {
			for (const pair of this.#list) visit.call(self, pair[1], pair[0], this);
		}
		entries() { return this.#list.map((pair) => pair.slice())[Symbol.iterator](); }
		keys() { return this.#list.map((pair) => pair[0])[Symbol.iterator](); }
		values() { return this.#list.map((pair) => pair[1])[Symbol.iterator](); }
		[Symbol.iterator]() { return this.entries(); }
		toString() { return print(this.#list); }
	}

	class URL {
		#parts;
		#search = null;
		constructor(url, base) {
			this.#parts = parseURL(String(url), base === undefined ? undefined : String(base));
		}
		static canParse(url, base) {
			try { return !!new URL(url, base); } catch (e) { return false; }
		}
		static parse(url, base) {
			try { return new URL(url, base); } catch (e) { return null; }
		}
		// As in browsers, a value that would make the URL invalid changes nothing.
		#change(part, value) {
			this.#parts = changeURL(this.#parts.href, part, String(value));
			if (this.#search) this.#search.reread(this.#parts.search);
		}
		get href() { return this.#parts.href; }
		set href(value) {
			this.#parts = parseURL(String(value));
			if (this.#search) this.#search.reread(this.#parts.search);
		}
		get origin() {
			const p = this.#parts;
			return ['http:', 'https:', 'ws:', 'wss:', 'ftp:'].includes(p.protocol) ? p.protocol + '//' + p.host : 'null';
		}
		get searchParams() {
			if (!this.#search) {
				this.#search = connect(this.#parts.search, (search) => { this.#parts = changeURL(this.#parts.href, 'search', search); });
			}
			return this.#search.params;
		}
		toString() { return this.href; }
		toJSON() { return this.href; }
		static {
			for (const part of ['protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) {
				Object.defineProperty(URL.prototype, part, {
					get() { return this.#parts[part]; }, set(value) { this.#change(part, value); }, enumerable: true, configurable: true,
				});
			}
		}
	}

	return { URL, URLSearchParams };
})
