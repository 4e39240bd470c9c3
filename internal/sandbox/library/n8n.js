// What code of n8n finds: the steps of a workflow one after the other, each with the items of those before it.
(function ({ host, dates, globals, sleep }) {
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
		const staticData = () => {
			if (kept === null) kept = host['kv.get']('static') || {};
			return kept;
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
				$getWorkflowStaticData: staticData, getWorkflowStaticData: staticData,
				$helpers: helpers,
			};
		};
		const from = (names) => (names.length ? names.flatMap((name) => done[name] || []) : done.trigger);
		const finish = (name, items, { always } = {}) => {
			last = done[name] = always && items.length === 0 ? [{ json: {} }] : items;
			if (kept !== null) host['kv.set']('static', kept);
			return last;
		};
		// given are the items of a node, one of them if it runs once.
		const given = (before, { once } = {}) => (once ? from(before).slice(0, 1) : from(before));
		// tried does what a node does, again if that fails, and goes on with the error if the node does.
		const tried = (f, { tries = 1, wait = 0, goOn } = {}) => Promise.resolve().then(f).catch((e) => {
			if (tries > 1) {
				sleep(wait);
				return tried(f, { tries: tries - 1, wait, goOn });
			}
			if (goOn) return { json: { error: e && e.message !== undefined ? e.message : String(e) } };
			throw e;
		});
		const oneByOne = (items, f) => items.reduce((soFar, item, i) => soFar.then((list) => Promise.resolve(f(item, i)).then((made) => list.concat(made))), Promise.resolve([]));
		return {
			// code is a Code node: f is its code, run once, or once for each item, which it is handed as it is or by its value.
			code(name, before, each, f, how) {
				const items = given(before, how);
				const self = { helpers, getWorkflowStaticData: staticData };
				if (!each) return tried(() => f.call(self, context(items, 0)), how).then((value) => finish(name, itemsOf(value), how));
				if (each === 'item') return oneByOne(items, (item, i) => tried(() => Promise.resolve(f.call(self, { ...context(items, i), item: item.json })).then((value) => ({ json: value })), how)).then((list) => finish(name, list, how));
				return oneByOne(items, (_, i) => tried(() => f.call(self, context(items, i)), how).then(itemsOf)).then((list) => finish(name, list, how));
			},
			// request is an HTTP Request node, once for each item.
			request(name, before, options, how) {
				const items = given(before, how);
				return oneByOne(items, (_, i) => tried(() => helpers.httpRequest(options(context(items, i))), how).then(itemsOf)).then((list) => finish(name, list, how));
			},
			// set is a Set node: it adds to each item, or makes a new one.
			set(name, before, values, keep, how) {
				const items = given(before, how);
				return oneByOne(items, (item, i) => tried(() => ({ json: { ...(keep ? item.json : {}), ...values(context(items, i)) } }), how)).then((list) => finish(name, list, how));
			},
			// merge is a Merge node: before are the nodes by its ways in, how is append, position, all, or the way in whose items go on.
			merge(name, before, how, settings) {
				const [first = [], second = [], ...more] = before.map((one) => (one === '' ? [] : done[one] || []));
				const both = (a, b) => ({ json: { ...a.json, ...b.json } });
				let items;
				if (how === 'append') items = [first, second, ...more].flat();
				else if (how === 'position') items = first.slice(0, Math.min(second.length, ...more.map((one) => one.length))).map((one, i) => [second, ...more].reduce((made, list) => both(made, list[i]), one));
				else if (how === 'all') items = [second, ...more].reduce((list, next) => list.flatMap((one) => next.map((other) => both(one, other))), first);
				else items = [first, second, ...more][how];
				return Promise.resolve(finish(name, items, settings));
			},
			pass(name, before, how) { return Promise.resolve(finish(name, given(before, how), how)); },
			result() { return last.map((item) => item.json); },
		};
	}
	return { begin };
})
