// What code of n8n finds: the steps of a workflow one after the other, each with the items of those before it.
(function ({ host, dates, globals }) {
	const wrapped = (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) && 'json' in value ? value : { json: value });
	const itemsOf = (value) => (Array.isArray(value) ? value.map(wrapped) : value === undefined || value === null ? [] : [wrapped(value)]);
	const helpers = {
		httpRequest(given) {
			try {
				// What the script's text says, and not what every object may have come to have.
				const { url, baseURL = '', method = 'GET', headers = {}, qs, body, json, returnFullResponse, ignoreHttpStatusErrors } = { __proto__: null, ...given };
				let to = baseURL + url;
				if (qs) to += (to.includes('?') ? '&' : '?') + Object.keys(qs).map((name) => encodeURIComponent(name) + '=' + encodeURIComponent(qs[name])).join('&');
				const options = {};
				const sent = { ...headers };
				if (method.toUpperCase() !== 'GET') options.method = method.toUpperCase();
				if (body !== undefined && body !== null) {
					const plain = typeof body === 'object';
					options.body = plain ? JSON.stringify(body) : String(body);
					if (plain && !Object.keys(sent).some((name) => name.toLowerCase() === 'content-type')) sent['content-type'] = 'application/json';
				}
				if (Object.keys(sent).length) options.headers = sent;
				const got = Object.keys(options).length ? host['web.fetch'](to, options) : host['web.fetch'](to);
				if (got.status >= 400 && !ignoreHttpStatusErrors) throw new Error('Request failed with status code ' + got.status);
				const isJSON = json || /\bjson\b/.test(got.headers['content-type'] || '');
				const data = isJSON && got.body !== '' ? JSON.parse(got.body) : got.body;
				return Promise.resolve(returnFullResponse ? { statusCode: got.status, headers: got.headers, body: data } : data);
			} catch (e) {
				return Promise.reject(e);
			}
		},
	};
	helpers.request = (options) => helpers.httpRequest({ ...options, url: options.url || options.uri });

	function begin(input, title = '') {
		const done = { trigger: itemsOf(input) };
		let last = done.trigger;
		let kept = null;
		const nodeOf = (name) => {
			const items = done[name];
			if (!items) throw new Error("there is no node '" + name + "' before this one");
			return { all: () => items, first: () => items[0], last: () => items[items.length - 1], item: items[0], json: (items[0] || { json: {} }).json, itemMatching: (i) => items[i] };
		};
		const context = (items, index) => {
			const { DateTime, Duration, Interval } = dates();
			const item = items[index] || { json: {} };
			return {
				$input: { all: () => items, first: () => items[0], last: () => items[items.length - 1], item, params: {} },
				$json: item.json, $item: item, $itemIndex: index, $runIndex: 0, items, item,
				$: nodeOf, $node: new Proxy({}, { get: (_, name) => (typeof name === 'string' ? nodeOf(name) : undefined) }), $items: (name) => (name === undefined ? items : nodeOf(name).all()),
				$now: DateTime.now(), $today: DateTime.now().startOf('day'), DateTime, Duration, Interval,
				$workflow: { id: '', name: title, active: true }, $execution: { id: '', mode: 'trigger' }, $env: globals().process.env, $vars: {}, $prevNode: { name: '' },
				$getWorkflowStaticData() {
					if (kept === null) kept = host['kv.get']('static') || {};
					return kept;
				},
				getWorkflowStaticData() { return this.$getWorkflowStaticData(); },
				$helpers: helpers,
			};
		};
		const from = (names) => (names.length ? names.flatMap((name) => done[name] || []) : done.trigger);
		const finish = (name, items) => {
			last = done[name] = items;
			if (kept !== null) host['kv.set']('static', kept);
			return items;
		};
		const settled = (value, then) => Promise.resolve(value).then(then);
		return {
			// code is a Code node: f is its code, run once, or once for each item.
			code(name, before, each, f) {
				const items = from(before);
				const self = { helpers, getWorkflowStaticData() { return context(items, 0).$getWorkflowStaticData(); } };
				if (!each) return settled(f.call(self, context(items, 0)), (value) => finish(name, itemsOf(value)));
				return items.reduce((soFar, _, i) => soFar.then((list) => settled(f.call(self, context(items, i)), (value) => list.concat(itemsOf(value)))), Promise.resolve([])).then((list) => finish(name, list));
			},
			// request is an HTTP Request node, once for each item.
			request(name, before, options) {
				const items = from(before);
				return items.reduce((soFar, _, i) => soFar.then((list) => helpers.httpRequest(options(context(items, i))).then((data) => list.concat(itemsOf(data)))), Promise.resolve([])).then((list) => finish(name, list));
			},
			// set is a Set node: it adds to each item, or makes a new one.
			set(name, before, values, keep) {
				const items = from(before);
				return Promise.resolve(finish(name, items.map((item, i) => ({ json: { ...(keep ? item.json : {}), ...values(context(items, i)) } }))));
			},
			pass(name, before) { return Promise.resolve(finish(name, from(before))); },
			result() { return last.map((item) => item.json); },
		};
	}
	return { begin };
})
