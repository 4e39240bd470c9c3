// What code of n8n finds: the steps of a workflow one after the other, each with the items of those before it.
(function ({ host, dates, html, markdown, globals, sleep }) {
	const wrapped = (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) && 'json' in value ? value : { json: value });
	const itemsOf = (value) => (Array.isArray(value) ? value.map(wrapped) : value === undefined || value === null ? [] : [wrapped(value)]);
	const helpers = {
		httpRequest(given) {
			try {
				// What the script's text says, and not what every object may have come to have.
				const { url, baseURL = '', method = 'GET', headers = {}, qs, body, json, text, returnFullResponse, ignoreHttpStatusErrors } = { __proto__: null, ...given };
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
				const isJSON = !text && (json || /\bjson\b/.test(got.headers['content-type'] || ''));
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
	// deepMerge puts what b has into what a has, as lodash does.
	const plain = (value) => typeof value === 'object' && value !== null && !(value instanceof Date);
	const deepMerge = (a, b) => {
		const made = Array.isArray(a) ? [...a] : { ...a };
		for (const key of Object.keys(b)) {
			if (key === '__proto__') continue;
			if (plain(b[key]) && plain(made[key])) made[key] = deepMerge(made[key], b[key]);
			else if (b[key] !== undefined || !(key in made)) made[key] = b[key];
		}
		return made;
	};
	const stepsOf = (path) => String(path).replace(/\[["']?([^\]"']+)["']?\]/g, '.$1').split('.').filter((step) => step !== '');
	const at = (value, path, dots = true) => {
		if (!dots || plain(value) && Object.prototype.hasOwnProperty.call(value, path)) return value === null || value === undefined ? undefined : value[path];
		return stepsOf(path).reduce((of, step) => (of === null || of === undefined ? undefined : of[step]), value);
	};
	const put = (value, path, what, dots = true) => {
		const steps = dots ? stepsOf(path) : [path];
		if (steps.some((step) => step === '__proto__' || step === 'constructor' || step === 'prototype')) throw new TypeError('a field cannot be called ' + path);
		const last = steps.pop();
		let of = value;
		for (const step of steps) of = of[step] = plain(of[step]) ? (Array.isArray(of[step]) ? [...of[step]] : { ...of[step] }) : {};
		of[last] = what;
		return value;
	};
	const cut = (value, path, dots = true) => {
		const steps = dots ? stepsOf(path) : [path], last = steps.pop();
		const of = steps.reduce((one, step) => (plain(one) ? one[step] : undefined), value);
		if (plain(of)) delete of[last];
		return value;
	};
	const same = (a, b) => {
		if (!plain(a) || !plain(b)) return a === b || a !== a && b !== b || a instanceof Date && b instanceof Date && a.getTime() === b.getTime();
		const keys = Object.keys(a);
		return Array.isArray(a) === Array.isArray(b) && keys.length === Object.keys(b).length && keys.every((key) => key in b && same(a[key], b[key]));
	};
	const lower = (value) => (typeof value === 'string' ? value.toLowerCase() : value);
	const pattern = (text) => {
		const parts = /^\/(.*?)\/([gimusy]*)$/.exec(String(text === undefined || text === null ? '' : text));
		return parts ? new RegExp(parts[1], parts[2]) : new RegExp(String(text));
	};
	const isNothing = (value) => value === undefined || value === null;
	const textOf = (value) => String(value || '');

	// The comparisons of IF, Switch and Filter nodes, of their first versions and of those of today.
	const early = {
		isEmpty: (a) => isNothing(a) || a === '', isNotEmpty: (a) => !(isNothing(a) || a === ''), equal: (a, b) => a === b, notEqual: (a, b) => a !== b,
		larger: (a, b) => (a || 0) > (b || 0), largerEqual: (a, b) => (a || 0) >= (b || 0), smaller: (a, b) => (a || 0) < (b || 0), smallerEqual: (a, b) => (a || 0) <= (b || 0),
		contains: (a, b) => textOf(a).includes(textOf(b)), notContains: (a, b) => !textOf(a).includes(textOf(b)),
		startsWith: (a, b) => textOf(a).startsWith(textOf(b)), notStartsWith: (a, b) => !textOf(a).startsWith(textOf(b)), endsWith: (a, b) => textOf(a).endsWith(textOf(b)), notEndsWith: (a, b) => !textOf(a).endsWith(textOf(b)),
		regex: (a, b) => pattern(b).test(textOf(a)), notRegex: (a, b) => !pattern(b).test(textOf(a)),
		after: (a, b) => timeOf(a) > timeOf(b), before: (a, b) => timeOf(a) < timeOf(b),
	};
	const timeOf = (value) => {
		const { DateTime } = dates();
		const time = value instanceof Date || value instanceof DateTime ? Number(value) : typeof value === 'number' ? value : Number(DateTime.fromISO(String(value)));
		if (time !== time) throw new Error("'" + String(value) + "' is no date");
		return time;
	};
	const kindOf = (value) => (Array.isArray(value) ? 'array' : value instanceof Date || value instanceof dates().DateTime ? 'dateTime' : typeof value);
	const wrong = (value, kind) => new Error('Wrong type: ' + (plain(value) ? JSON.stringify(value) : "'" + String(value) + "'") + ' is a ' + kindOf(value) + ' but was expecting a ' + kind);
	// typed is a value as a comparison of a kind takes it.
	const typed = (value, kind, strict) => {
		if (isNothing(value)) return value;
		if (kind === 'dateTime') return timeOf(value);
		if (kindOf(value) === kind || kind === 'any') return value;
		if (strict) throw wrong(value, kind);
		switch (kind) {
			case 'string': return plain(value) ? JSON.stringify(value) : String(value);
			case 'number': if (value === '' || Number(value) !== Number(value) || plain(value)) throw wrong(value, kind); return Number(value);
			case 'boolean': {
				const text = String(value).toLowerCase();
				if (text === 'true' || text === '1') return true;
				if (text === 'false' || text === '0') return false;
				throw wrong(value, kind);
			}
			case 'array': case 'object': {
				let parsed;
				try { parsed = JSON.parse(value); } catch { throw wrong(value, kind); }
				if (kindOf(parsed) !== kind) throw wrong(value, kind);
				return parsed;
			}
		}
		throw wrong(value, kind);
	};
	const holdsOne = ([kind, operation, left, right], { strict, ignoreCase }) => {
		if (operation === 'exists') return !isNothing(left);
		if (operation === 'notExists') return isNothing(left);
		const empties = operation === 'empty' || operation === 'notEmpty';
		let a = typed(left, kind, strict), b = right;
		if (!empties && operation !== 'true' && operation !== 'false') {
			const of = operation.startsWith('length') ? 'number' : kind === 'array' ? 'any' : operation === 'regex' || operation === 'notRegex' ? 'string' : kind;
			b = typed(right, of, strict);
		}
		if (ignoreCase && operation !== 'regex' && operation !== 'notRegex') { a = lower(a); b = lower(b); }
		const not = (is) => !is;
		switch (kind) {
			case 'string': {
				a = isNothing(a) ? '' : a;
				if (operation === 'empty') return a.length === 0;
				if (operation === 'notEmpty') return a.length > 0;
				b = isNothing(b) ? '' : b;
				switch (operation) {
					case 'equals': return a === b;
					case 'notEquals': return a !== b;
					case 'contains': return a.includes(b);
					case 'notContains': return not(a.includes(b));
					case 'startsWith': return a.startsWith(b);
					case 'notStartsWith': return not(a.startsWith(b));
					case 'endsWith': return a.endsWith(b);
					case 'notEndsWith': return not(a.endsWith(b));
					case 'regex': return pattern(b).test(a);
					case 'notRegex': return not(pattern(b).test(a));
				}
				break;
			}
			case 'number': case 'dateTime':
				switch (operation) {
					case 'empty': return isNothing(a);
					case 'notEmpty': return !isNothing(a);
					case 'equals': return a === b;
					case 'notEquals': return a !== b;
					case 'gt': return a > b;
					case 'lt': return a < b;
					case 'gte': return a >= b;
					case 'lte': return a <= b;
				}
				if (isNothing(a) || isNothing(b)) return false;
				switch (operation) {
					case 'after': return a > b;
					case 'before': return a < b;
					case 'afterOrEquals': return a >= b;
					case 'beforeOrEquals': return a <= b;
				}
				break;
			case 'boolean':
				switch (operation) {
					case 'empty': return isNothing(a);
					case 'notEmpty': return !isNothing(a);
					case 'true': return Boolean(a);
					case 'false': return !a;
					case 'equals': return a === b;
					case 'notEquals': return a !== b;
				}
				break;
			case 'array': {
				a = isNothing(a) ? [] : a;
				const has = () => a.some((one) => (ignoreCase ? lower(one) : one) === b);
				switch (operation) {
					case 'empty': return a.length === 0;
					case 'notEmpty': return a.length !== 0;
					case 'contains': return has();
					case 'notContains': return !has();
					case 'lengthEquals': return a.length === b;
					case 'lengthNotEquals': return a.length !== b;
					case 'lengthGt': return a.length > b;
					case 'lengthLt': return a.length < b;
					case 'lengthGte': return a.length >= b;
					case 'lengthLte': return a.length <= b;
				}
				break;
			}
			case 'object':
				if (operation === 'empty') return isNothing(a) || Object.keys(a).length === 0;
				if (operation === 'notEmpty') return !isNothing(a) && Object.keys(a).length !== 0;
		}
		throw new Error('there is no comparison ' + kind + ' ' + operation);
	};
	// is says whether conditions hold: [kind, operation, left, right], combined by and or or. how has early of the first versions.
	const is = (combined, list, how = {}) => {
		const one = (condition) => (how.early ? early[condition[1]](condition[2], condition[3]) : holdsOne(condition, how));
		return combined === 'or' ? list.some(one) : list.every(one);
	};

	// What nodes on lists make of their items: of all of them at once, with what the node says for the first one. link(made, of) says
	// which item another one was made of.
	const lists = {
		limit: (items, { max = 1, keep }) => (keep === 'lastItems' ? items.slice(-max) : items.slice(0, max)),
		sort: (items, { by, dots }) => [...items].sort((a, b) => {
			for (const [field, descends] of by) {
				const x = lower(at(a.json, field, dots)), y = lower(at(b.json, field, dots));
				if (same(x, y)) continue;
				return (x < y ? -1 : 1) * (descends ? -1 : 1);
			}
			return 0;
		}),
		unique: (items, { fields, dots }) => {
			const seen = [];
			return items.filter((item) => {
				const of = fields ? fields.map((field) => at(item.json, field, dots)) : item.json;
				if (seen.some((one) => same(one, of))) return false;
				seen.push(of);
				return true;
			});
		},
		splitOut: (items, { fields, include, keep = [], to = [], dots }, link) => items.flatMap((item) => {
			const columns = fields.map((field) => {
				const value = at(item.json, field, dots);
				return value === undefined ? [] : Array.isArray(value) ? value : plain(value) ? Object.values(value) : [value];
			});
			const rows = Math.max(0, ...columns.map((column) => column.length));
			return Array.from({ length: rows }, (_, row) => {
				let json = {};
				if (include === 'all') json = fields.reduce((left, field) => cut(left, field, dots), deepMerge({}, item.json));
				if (include === 'selected') for (const field of keep) put(json, field, at(item.json, field, dots), dots);
				fields.forEach((field, i) => {
					const value = columns[i][row];
					if (value === undefined) return;
					if (include === 'none' && fields.length === 1 && !to[i] && plain(value) && !Array.isArray(value)) json = value;
					else json[to[i] || field] = value;
				});
				return link({ json }, item);
			});
		}),
		aggregate: (items, { fields, all, to, keep, except, mergeLists, keepMissing, dots }, link) => {
			const made = {};
			if (all) {
				const of = items.map(({ json }) => {
					if (!keep && !except) return json;
					return Object.keys(json).filter((key) => (keep ? keep.includes(key) : !except.includes(key))).reduce((part, key) => ({ ...part, [key]: json[key] }), {});
				}).filter((json) => Object.keys(json).length > 0);
				put(made, to, of);
			} else {
				for (const [field, name] of fields) {
					const values = [];
					for (const { json } of items) {
						const value = at(json, field, dots);
						if (value === undefined || value === null) { if (keepMissing) values.push(null); } else if (mergeLists && Array.isArray(value)) values.push(...value);
						else values.push(value);
					}
					put(made, name || stepsOf(field).pop(), values, dots);
				}
			}
			return [link({ json: made }, ...items)];
		},
	};

	// What nodes make of one item.
	const units = { seconds: 1000, minutes: 60000, hours: 3600000, days: 86400000 };
	const singles = {
		wait: (item, { amount, unit, until }) => {
			const ms = until === undefined ? Number(amount) * units[unit] : Math.max(0, timeOf(until) - Date.now());
			if (ms !== ms) throw new Error('the time to wait is no number');
			sleep(ms);
			return item;
		},
		stop: (_, { message }) => { throw new Error(plain(message) ? JSON.stringify(message) : String(message)); },
		markdown: (item, { text, to }) => ({ json: put({ ...item.json }, to, markdown().render(String(text))) }),
		template: (_, { text }) => ({ json: { html: text } }),
		extract: (item, { from, values, trim }) => {
			const source = at(item.json, from), found = (Array.isArray(source) ? source : [source]).map((text) => {
				if (typeof text !== 'string') throw new Error('the field ' + from + ' has no text of HTML');
				const document = html().parse(text), json = {};
				for (const { key, selector, gives, attribute, list } of values) {
					const of = (element) => {
						const value = gives === 'text' ? element.textContent : gives === 'html' ? element.innerHTML : element.getAttribute(gives === 'value' ? 'value' : attribute);
						return typeof value === 'string' && trim ? value.trim() : value === null ? undefined : value;
					};
					const elements = document.querySelectorAll(selector);
					json[key] = list ? elements.map(of) : elements.length ? of(elements[0]) : gives === 'text' ? '' : gives === 'html' ? null : undefined;
				}
				return { json };
			});
			return found;
		},
		date: (item, { does, date, part, format, amount, unit, to, include, zone }) => {
			const { DateTime } = dates();
			let at = does === 'now' ? DateTime.now() : date instanceof DateTime ? date : date instanceof Date ? DateTime.fromJSDate(date) : typeof date === 'number' ? DateTime.fromMillis(date) : DateTime.fromISO(String(date));
			if (!at.isValid) at = DateTime.fromSQL(String(date));
			if (!at.isValid) throw new Error("'" + String(date) + "' is no date");
			if (zone) at = at.setZone(zone);
			let made;
			if (does === 'format') made = at.toFormat(format);
			else if (does === 'add') made = at.plus({ [unit]: Number(amount) }).toISO();
			else if (does === 'part') made = at[part === 'week' ? 'weekNumber' : part];
			else made = (part === 'day' ? at.startOf('day') : at).toISO();
			return { json: put(include ? { ...item.json } : {}, to, made) };
		},
	};

	// workflow is a whole workflow: its nodes are told one after the other, each with where its items come from, and run as n8n runs them:
	// what a node gives goes on at once, the way of the node that was told first before the others; a node with several ways in waits for
	// all of them, and for no more when nothing else is left. Of pinned nodes that reach outside the items are given, and the items
	// of the others are compared with them.
	function workflow(input, title = '', pinned = null) {
		const nodes = [], byName = { __proto__: null };
		const runs = { __proto__: null }; // by nodes, the ways out of each run
		const members = new Map(); // by nodes, all items that they gave
		const origins = new WeakMap(); // of items, those that they were made of
		let last = [], answer, kept = null, failed;
		const proofs = [];
		const staticData = () => {
			if (kept === null) kept = host['kv.get']('static') || {};
			return kept;
		};
		const link = (made, ...of) => { if (!of.includes(made)) origins.set(made, of); return made; };
		const told = (message) => Object.assign(new Error(message), { told: true });
		const runOf = (name, index) => {
			const list = runs[name];
			if (!byName[name]) throw told("there is no node '" + name + "'");
			if (!list) throw told("Node '" + name + "' hasn't been executed");
			return index === undefined ? list[list.length - 1] : list[index] || [];
		};
		const pairedOf = (item, name) => {
			runOf(name);
			for (let level = [item], seen = new Set(); level.length;) {
				const found = level.find((one) => members.get(name).has(one));
				if (found) return found;
				level.forEach((one) => seen.add(one));
				level = [...new Set(level.flatMap((one) => origins.get(one) || []))].filter((one) => !seen.has(one));
			}
			throw told("Paired item data for item from node '" + name + "' is unavailable");
		};
		const nodeOf = (name, item, index) => ({
			all: (way = 0, run) => runOf(name, run)[way] || [], first: (way = 0, run) => (runOf(name, run)[way] || [])[0],
			last: (way = 0, run) => (runOf(name, run)[way] || []).slice(-1)[0], itemMatching: () => pairedOf(item, name),
			get item() { return pairedOf(item, name); }, get isExecuted() { return name in runs; },
			get json() { const one = (runOf(name)[0] || [])[index]; if (!one) throw told("there is no item " + index + " of node '" + name + "'"); return one.json; },
			get context() { return (byName[name] || {}).context || {}; },
		});
		// get is what an expression gives: what it does not find is undefined.
		const get = (f) => {
			try {
				return f();
			} catch (e) {
				if (!(e instanceof TypeError)) throw e;
				return undefined;
			}
		};
		// as is the value of a field as its type takes it; if that fails it stays, or is an error.
		const as = (kind, value, loose) => {
			if (isNothing(value)) return null;
			try {
				return typed(value, kind, false);
			} catch (e) {
				if (loose) return value;
				throw e;
			}
		};
		const parsed = (value) => (typeof value === 'string' ? JSON.parse(value) : value);
		// choose are the ways of the rules that hold: of the first one, or of all; outputs are the ways of rules that have not their number.
		const choose = (rules, all, otherwise, outputs) => {
			const found = [];
			for (let i = 0; i < rules.length && (all || found.length === 0); i++) if (rules[i]()) found.push(outputs ? outputs[i] : i);
			return found.length ? found : otherwise;
		};
		const context = (node, items, index) => {
			const { DateTime, Duration, Interval } = dates();
			const item = items[index] || { json: {} };
			const of = (name) => nodeOf(name, item, index);
			return {
				$input: { all: () => items, first: () => items[0], last: () => items[items.length - 1], item }, $json: item.json, $item: item, $itemIndex: index, $runIndex: (runs[node.name] || []).length, items, item,
				$: of, $node: new Proxy({}, { get: (_, name) => (typeof name === 'string' ? of(name) : undefined) }), $items: (name, way = 0, run) => (name === undefined ? items : runOf(name, run)[way] || []),
				$now: DateTime.now(), $today: DateTime.now().startOf('day'), DateTime, Duration, Interval,
				$workflow: { id: '', name: title, active: true }, $execution: { id: '', mode: 'trigger' }, $env: globals().process.env, $vars: {}, $prevNode: { name: node.prev || '' },
				$getWorkflowStaticData: staticData, getWorkflowStaticData: staticData, $helpers: helpers, get, is, as, parsed, choose,
				$if: (yes, a, b) => (yes ? a : b), $ifEmpty: (value, other) => (isNothing(value) || value === '' || plain(value) && Object.keys(value).length === 0 ? other : value), $min: Math.min, $max: Math.max,
			};
		};
		const tried = (f, { tries = 1, wait = 0 } = {}) => Promise.resolve().then(f).catch((e) => {
			if (tries <= 1) throw e;
			sleep(wait);
			return tried(f, { tries: tries - 1, wait });
		});
		const messageOf = (e) => (e && e.message !== undefined ? e.message : String(e));
		// oneByOne does something for each item, and gives the ways out: what was made, and what failed if the node has a way out for that.
		const oneByOne = (node, items, f) => {
			const good = [], bad = [];
			return items.reduce((soFar, item, i) => soFar.then(() => tried(() => f(context(node, items, i), item, i), node.how)).then(
				(made) => { for (const one of Array.isArray(made) ? made : [made]) if (one !== undefined && one !== null) good.push(link(wrapped(one), item)); },
				(e) => {
					if (node.how.errors) bad.push(link({ json: { ...item.json, error: messageOf(e) } }, item));
					else if (node.how.goOn) good.push(link({ json: { error: messageOf(e) } }, item));
					else throw e;
				}), Promise.resolve()).then(() => [good, bad]);
		};
		// atOnce does something for all items.
		const atOnce = (node, items, f) => tried(() => f(context(node, items, 0)), node.how).then((made) => [made], (e) => {
			if (node.how.errors) return [[], items.map((item) => link({ json: { ...item.json, error: messageOf(e) } }, item))];
			if (node.how.goOn) return [[{ json: { error: messageOf(e) } }]];
			throw e;
		});
		const add = (name, before, run, how = {}, more = {}) => {
			if (byName[name]) throw told("there are two nodes '" + name + "'");
			byName[name] = { name, from: before.map((one) => (Array.isArray(one) ? [one[0], one[1] || 0, one[2] || 0] : [one, 0, 0])), run, how, at: nodes.length, ...more };
			nodes.push(byName[name]);
		};
		const isPinned = (node) => pinned !== null && node.name in pinned;
		const itemsPinned = (name) => itemsOf(pinned[name]);
		// execute gives the ways out of a node.
		const execute = (node, inputs) => {
			const given = inputs.map((items) => (node.how.once ? (items || []).slice(0, 1) : items || []));
			if (isPinned(node) && (node.outside || node.trigger)) return Promise.resolve([itemsPinned(node.name)]);
			return Promise.resolve(node.run(node, given[0] || [], given)).then((ways) => {
				if (isPinned(node)) {
					const made = JSON.parse(JSON.stringify(ways.find((way) => way.length) || [])).map(({ json }) => json);
					proofs.push({ node: node.name, made, pinned: itemsPinned(node.name).map(({ json }) => json) });
					return [itemsPinned(node.name).map((item, i) => (ways[0] && ways[0].length === made.length && origins.has(ways[0][i]) ? link(item, ...origins.get(ways[0][i])) : item)), ...ways.slice(1)];
				}
				if (node.how.always && ways.every((way) => way.length === 0)) ways[0] = [{ json: {} }];
				return ways;
			});
		};
		const note = (node, ways) => {
			(runs[node.name] = runs[node.name] || []).push(ways);
			if (!members.has(node.name)) members.set(node.name, new Set());
			for (const way of ways) for (const item of way) members.get(node.name).add(item);
			last = ways.find((way) => way && way.length) || [];
			if (kept !== null) host['kv.set']('static', kept);
		};
		const run = () => {
			const triggers = nodes.filter((node) => node.trigger);
			const scheduled = plain(input) && 'slot' in input;
			const first = triggers.length ? [triggers.find((node) => node.schedule === scheduled) || triggers[0]] : nodes.filter((node) => node.from.length === 0);
			let tasks = first.map((node) => ({ node, inputs: [itemsOf(input)] })), waiting = [];
			const waysIn = (node) => 1 + Math.max(0, ...node.from.map(([, , way]) => way));
			const step = () => {
				let task = tasks.shift();
				if (!task && waiting.length) {
					task = waiting.shift();
					if (task.node.needs && task.inputs.some((items, way) => items === undefined && task.node.needs.includes(way))) return step();
				}
				if (!task) return undefined;
				const { node, inputs } = task;
				node.prev = task.prev;
				return execute(node, inputs).catch((e) => {
					if (pinned === null) throw e;
					failed = { node: node.name, message: messageOf(e) };
					return [];
				}).then((ways) => {
					note(node, ways);
					const next = [];
					for (const to of nodes) {
						for (const [from, out, way] of to.from) {
							const items = from === node.name ? ways[out] : undefined;
							if (!items || items.length === 0) continue;
							const many = waysIn(to);
							if (many === 1) {
								next.push({ node: to, inputs: [items], prev: node.name });
								continue;
							}
							let set = waiting.find((one) => one.node === to && one.inputs[way] === undefined);
							if (!set) waiting.push(set = { node: to, inputs: Array.from({ length: many }), prev: node.name });
							set.inputs[way] = items;
							const ready = Array.from({ length: many }, (_, i) => i).every((i) => set.inputs[i] !== undefined || !to.from.some(([, , other]) => other === i));
							if (ready) {
								waiting = waiting.filter((one) => one !== set);
								next.push(set);
							}
						}
					}
					tasks = [...next, ...tasks];
					return step();
				});
			};
			return Promise.resolve(step()).then(() => (pinned !== null ? { proofs, ran: Object.keys(runs), failed } : answer !== undefined ? answer.value : last.map((item) => item.json)));
		};
		const byItem = (f) => (node, items) => oneByOne(node, items, f);
		return {
			// trigger is what begins a run, one of a schedule if it is scheduled. What was sent to a webhook is the run's input, and the body of its item.
			trigger(name, { webhook, schedule } = {}) {
				add(name, [], (_, items) => [webhook ? items.map((item) => (plain(item.json) && 'body' in item.json && 'headers' in item.json ? item : { json: { headers: {}, params: {}, query: {}, body: item.json } })) : items], {}, { trigger: true, schedule: Boolean(schedule) });
			},
			code(name, before, each, f, how) {
				const self = { helpers, getWorkflowStaticData: staticData };
				add(name, before, (node, items) => {
					if (each === 'item') return oneByOne(node, items, (given, item) => Promise.resolve(f.call(self, { ...given, item: item.json })).then((value) => ({ json: value })));
					if (each) return oneByOne(node, items, (given) => Promise.resolve(f.call(self, given)).then(itemsOf));
					return atOnce(node, items, (given) => Promise.resolve(f.call(self, given)).then((value) => {
						const made = itemsOf(value);
						made.forEach((one, i) => {
							const of = one.pairedItem === undefined || one.pairedItem === null ? undefined : typeof one.pairedItem === 'object' ? one.pairedItem.item : one.pairedItem;
							if (items.includes(one)) return;
							if (of !== undefined) { if (items[of]) link(one, items[of]); } else if (made.length === items.length) link(one, items[i]);
							else if (items.length === 1) link(one, items[0]);
						});
						return made;
					}));
				}, how);
			},
			// request is an HTTP Request node, once for each item. Of its options said is a member that says whether it went well, take one that
			// has the items, answered what the answer of a model is called, flat one whose members are those of the item, and text what a text is called.
			request(name, before, options, how) {
				add(name, before, byItem((given) => {
					const asked = options(given), { text = 'data', said, take, flat, answered } = { __proto__: null, ...asked };
					return Promise.resolve(helpers.httpRequest(asked)).then((answer) => {
						if (said && !(answer && answer[said])) throw new Error('Request failed: ' + ((answer && answer.error) || 'its answer has no ' + said));
						if (answered) return [{ json: { [answered]: String(answer.choices[0].message.content).trim() } }];
						if (take) return itemsOf(answer[take]);
						if (flat) { const { [flat]: inner, ...rest } = answer; return itemsOf({ ...rest, ...inner }); }
						return plain(answer) ? (Array.isArray(answer) ? answer.map((one) => ({ json: plain(one) ? one : { [text]: one } })) : [{ json: answer }]) : [{ json: { [text]: answer } }];
					});
				}), how, { outside: true });
			},
			set(name, before, values, keep, how) {
				add(name, before, byItem((given, item) => {
					const set = values(given);
					let json = {};
					if (keep === true) json = { ...item.json };
					else if (Array.isArray(keep)) for (const field of keep) { const value = at(item.json, field); if (value !== undefined) put(json, field, value); }
					else if (keep) { json = deepMerge({}, item.json); for (const field of keep.except) cut(json, field); }
					if (!Array.isArray(set)) return { json: { ...json, ...set } };
					for (const [path, value, dots] of set) if (value !== undefined) put(json, path, value, dots !== false);
					return { json };
				}), how);
			},
			pass(name, before, how) { add(name, before, (_, items) => [items], how); },
			mail(name, before, options, how) {
				add(name, before, byItem((given) => {
					const { to, subject, text } = options(given);
					return Promise.resolve(host.notify(String(subject), 'To: ' + to.join(', ') + '\n\n' + String(text))).then(() => ({ json: {} }));
				}), how, { outside: true });
			},
			if(name, before, test, how) { add(name, before, (node, items) => atOnceRouted(node, items, (given) => (test(given) ? [0] : [1]), 2), how); },
			filter(name, before, test, how) { add(name, before, (node, items) => atOnceRouted(node, items, (given) => (test(given) ? [0] : []), 1), how); },
			switch(name, before, route, count, how) { add(name, before, (node, items) => atOnceRouted(node, items, route, count), how); },
			list(name, before, kind, options, how) { add(name, before, (node, items) => atOnce(node, items, (given) => lists[kind](items, options(given), link)), how); },
			each(name, before, kind, options, how) { add(name, before, byItem((given, item) => singles[kind](item, options(given))), how); },
			// loop is a Loop node: size items at a time leave it by its way out, and all that came back by the other one at the end.
			loop(name, before, options, { out, done }, how) {
				add(name, before, (node, items) => {
					const { size, reset } = options(context(node, items, 0)), state = node.state;
					if (!state || reset) node.state = { left: [...items], back: [] };
					else state.back.push(...items);
					const batch = node.state.left.splice(0, Math.max(1, Number(size) || 1)), ways = [];
					node.context = { noItemsLeft: node.state.left.length === 0, currentRunIndex: (runs[name] || []).length, done: batch.length === 0 };
					ways[out] = batch;
					if (done !== undefined) ways[done] = batch.length ? [] : node.state.back;
					return Array.from(ways, (way) => way || []);
				}, how);
			},
			merge(name, before, how, settings) {
				add(name, before, (node, _, inputs) => {
					const [first = [], second = [], ...more] = inputs, all = [first, second, ...more];
					const both = (a, b) => link({ json: deepMerge(a.json, b.json) }, a, b);
					if (how === 'append') return [all.flat()];
					if (how === 'position' || how === 'unpaired') {
						const count = how === 'unpaired' ? Math.max(...all.map((items) => items.length)) : Math.min(...all.map((items) => items.length));
						return [Array.from({ length: count }, (__, i) => all.map((items) => items[i]).filter((item) => item !== undefined).reduce(both))];
					}
					if (how === 'all') return [all.slice(1).reduce((list, items) => list.flatMap((one) => items.map((other) => both(one, other))), first)];
					if (typeof how === 'number') return [all[how] || []];
					const { fields, join, output, prefer, many, dots } = how;
					const matches = (a, b) => fields.every(([x, y]) => { const value = at(a.json, x, dots); return value !== undefined && same(value, at(b.json, y, dots)); });
					const used = new Set(), merged = [], matched1 = [], only1 = [];
					for (const one of first) {
						let found = second.filter((other) => matches(one, other));
						if (!many) found = found.slice(0, 1);
						found.forEach((other) => used.add(other));
						if (found.length === 0) { only1.push(one); continue; }
						matched1.push(one);
						for (const other of found) merged.push(prefer === 1 ? link({ json: deepMerge(other.json, one.json) }, one, other) : both(one, other));
					}
					const only2 = second.filter((other) => !used.has(other));
					switch (join) {
						case 'keepMatches': return [output === 1 ? matched1 : output === 2 ? [...used] : merged];
						case 'keepNonMatches': return [output === 2 ? only2 : only1];
						case 'enrichInput1': return [[...merged, ...only1]];
						case 'enrichInput2': return [[...merged, ...only2]];
					}
					return [[...merged, ...only1, ...only2]];
				}, settings, typeof how === 'number' ? { needs: [0, 1] } : {});
			},
			respond(name, before, value, how) {
				add(name, before, (node, items) => {
					const made = value(context(node, items, 0));
					if (answer === undefined) answer = { value: made === undefined ? null : made };
					return [items];
				}, how);
			},
			run,
		};
		// atOnceRouted sends each item on the ways out that route says.
		function atOnceRouted(node, items, route, count) {
			const ways = Array.from({ length: count }, () => []);
			return tried(() => {
				ways.forEach((way) => { way.length = 0; });
				items.forEach((item, i) => {
					let found;
					try {
						found = route(context(node, items, i));
					} catch (e) {
						if (!node.how.goOn) throw e;
						found = [1]; // an item of which it cannot be told does not go the first way
					}
					for (const way of found) if (ways[way]) ways[way].push(item);
				});
				return ways;
			}, node.how);
		}
	}
	return { begin, workflow };
})
