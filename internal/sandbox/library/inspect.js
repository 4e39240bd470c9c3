// Node's util.inspect and util.format: what a value looks like, with Node's rules for lines and their length.
(function ({ globals }) {
	const custom = Symbol.for('nodejs.util.inspect.custom');
	const standard = { depth: 2, breakLength: 80, compact: 3, maxArrayLength: 100, maxStringLength: 10000, sorted: false, getters: false, showHidden: false, customInspect: true, numericSeparator: false };
	const escapes = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };
	const quoted = (text) => {
		const quote = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes('`') && !text.includes('${') ? '`' : "'";
		let made = '';
		for (const unit of text.split('')) {
			const code = unit.charCodeAt(0);
			if (unit === quote) made += '\\' + unit;
			else if (escapes[unit]) made += escapes[unit];
			else if (code < 0x20 || (code > 0x7e && code < 0xa0)) made += '\\x' + (code < 16 ? '0' : '') + code.toString(16).toUpperCase();
			else made += unit;
		}
		return quote + made + quote;
	};
	const numberText = (n) => (Object.is(n, -0) ? '-0' : String(n));
	const named = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
	const primitive = (value, ctx) => {
		if (typeof value === 'string') {
			let rest = '';
			if (value.length > ctx.maxStringLength) {
				const left = value.length - ctx.maxStringLength;
				value = value.slice(0, ctx.maxStringLength);
				rest = '... ' + left + ' more character' + (left > 1 ? 's' : '');
			}
			if (ctx.compact !== true && value.length > 16 && value.length > ctx.breakLength - ctx.indent - 4 && value.includes('\n')) {
				return value.split(/(?<=\n)/).map(quoted).join(' +\n' + ' '.repeat(ctx.indent + 2)) + rest;
			}
			return quoted(value) + rest;
		}
		if (typeof value === 'number') return numberText(value);
		if (typeof value === 'bigint') return value + 'n';
		if (typeof value === 'symbol') return value.toString();
		return String(value);
	};
	// The name of the class whose instance a value is; null for what has no prototype. Functions have no constructor here.
	const classOf = (value) => {
		for (let at = value; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
			const found = Object.getOwnPropertyDescriptor(at, 'constructor');
			if (found && typeof found.value === 'function' && found.value.name !== '' && value instanceof found.value) return found.value.name;
		}
		return null;
	};
	const prefix = (name, tag, otherwise, size = '') => {
		const begins = name === null ? '[' + otherwise + size + ': null prototype] ' : name + size + ' ';
		return tag !== '' && name !== tag ? begins + '[' + tag + '] ' : begins;
	};
	const functionBase = (value, name, tag) => {
		const text = (() => {}).toString.call(value);
		if (text.startsWith('class') && text.endsWith('}')) {
			let base = 'class ' + (Object.hasOwn(value, 'name') && value.name ? value.name : '(anonymous)');
			if (name !== 'Function' && name !== 'Object' && name !== null) base += ' [' + name + ']';
			const above = Object.getPrototypeOf(value);
			if (above && above.name) base += ' extends ' + above.name;
			return '[' + base + ']';
		}
		const kind = { 'async function': 'AsyncFunction', 'async': 'AsyncFunction', 'function*': 'GeneratorFunction', 'async function*': 'AsyncGeneratorFunction' };
		const called = Object.prototype.toString.call(value).slice(8, -1);
		const type = called === 'Function' && /^async\b/.test(text) && !/^async\s*\(?[^)]*\)?\s*\{/.test(text) ? kind.async : called;
		let base = '[' + type;
		base += value.name === '' ? ' (anonymous)' : ': ' + value.name;
		base += ']';
		if (name === null) base += ' [null prototype]';
		return base;
	};
	const keysOf = (value, ctx) => {
		const keys = ctx.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
		const symbols = Object.getOwnPropertySymbols(value).filter((key) => ctx.showHidden || Object.prototype.propertyIsEnumerable.call(value, key));
		return [...keys, ...symbols];
	};
	const property = (value, key, ctx, depth, listed) => {
		const found = Object.getOwnPropertyDescriptor(value, key) || { value: value[key], enumerable: true };
		let text;
		if ('value' in found) {
			const more = ctx.compact !== true || listed ? 2 : 3;
			ctx.indent += more;
			text = formatted(ctx, found.value, depth);
			if (more === 3 && ctx.breakLength < text.length) text = '\n' + ' '.repeat(ctx.indent) + text;
			ctx.indent -= more;
		} else if (found.get) {
			text = '[Getter' + (found.set ? '/Setter' : '') + ']';
		} else {
			text = found.set ? '[Setter]' : 'undefined';
		}
		if (listed) return text;
		const label = typeof key === 'symbol' ? '[' + key.toString() + ']' : key === '__proto__' ? "['__proto__']" : !found.enumerable ? '[' + key + ']' : named.test(key) ? key : quoted(key);
		return label + ':' + (text.startsWith('\n') ? '' : ' ') + text;
	};
	const more = (n) => '... ' + n + ' more item' + (n > 1 ? 's' : '');
	const arrayEntries = (value, ctx, depth) => {
		const most = Math.min(Math.max(0, ctx.maxArrayLength), value.length), made = [];
		let i = 0;
		for (; i < value.length && made.length < most; i++) {
			if (i in value) { made.push(property(value, String(i), ctx, depth, true)); continue; }
			let gap = 0;
			while (i + gap < value.length && !(i + gap in value)) gap++;
			made.push('<' + gap + ' empty item' + (gap > 1 ? 's' : '') + '>');
			i += gap - 1;
		}
		if (i < value.length) made.push(more(value.length - i));
		return made;
	};
	// group puts the entries of a long array into columns.
	const group = (ctx, output, value) => {
		let total = 0, longest = 0, i = 0, entries = output.length;
		if (ctx.maxArrayLength < value.length) entries--; // the one that says how many more there are
		const lengths = new Array(entries);
		for (; i < entries; i++) {
			lengths[i] = width(output[i]);
			total += lengths[i] + 2;
			if (longest < lengths[i]) longest = lengths[i];
		}
		const actual = longest + 2;
		if (actual * 3 + ctx.indent < ctx.breakLength && (total / actual > 5 || longest <= 6)) {
			const biased = biasedWidth(actual, total, output.length);
			const columns = Math.min(Math.round(Math.sqrt(2.5 * biased * entries) / biased), Math.floor((ctx.breakLength - ctx.indent) / actual), ctx.compact * 4, 15);
			if (columns <= 1) return output;
			const made = [], widths = [];
			for (let c = 0; c < columns; c++) {
				let most = 0;
				for (let j = c; j < output.length; j += columns) if (lengths[j] > most) most = lengths[j];
				widths.push(most + 2);
			}
			const numbers = output.every((_, at) => typeof value[at] === 'number' || typeof value[at] === 'bigint');
			for (let at = 0; at < entries; at += columns) {
				const end = Math.min(at + columns, entries);
				let line = '', j = at;
				for (; j < end - 1; j++) line += numbers ? (output[j] + ', ').padStart(widths[j - at]) : (output[j] + ', ').padEnd(widths[j - at]);
				line += numbers ? output[j].padStart(widths[j - at] - 2) : output[j];
				made.push(line);
			}
			if (ctx.maxArrayLength < value.length) made.push(output[entries]);
			return made;
		}
		return output;
	};
	const biasedWidth = (actual, total, entries) => Math.max(actual - 3 - Math.sqrt(actual - total / entries), 1);
	const width = (text) => {
		let n = 0;
		for (const letter of text) {
			const code = letter.codePointAt(0);
			n += code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) || (code >= 0x1f300 && code <= 0x1f64f) || (code >= 0x20000 && code <= 0x3fffd)) ? 2 : 1;
		}
		return n;
	};
	const fits = (ctx, output, start, base) => {
		let total = output.length + start;
		if (total + output.length > ctx.breakLength) return false;
		for (const one of output) {
			total += one.length;
			if (total > ctx.breakLength) return false;
		}
		return base === '' || !base.includes('\n');
	};
	const joined = (ctx, output, base, braces, listed, depth, value) => {
		const before = base ? base + ' ' : '', line = '\n' + ' '.repeat(ctx.indent);
		if (ctx.compact !== true) {
			if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
				const entries = output.length;
				if (listed && entries > 6) output = group(ctx, output, value);
				if (ctx.current - depth < ctx.compact && entries === output.length) {
					const start = output.length + ctx.indent + braces[0].length + base.length + 10;
					if (fits(ctx, output, start, base)) {
						const text = output.join(', ');
						if (!text.includes('\n')) return before + braces[0] + ' ' + text + ' ' + braces[1];
					}
				}
			}
			return before + braces[0] + line + '  ' + output.join(',' + line + '  ') + line + braces[1];
		}
		if (fits(ctx, output, 0, base)) return braces[0] + (base ? ' ' + base : '') + ' ' + output.join(', ') + ' ' + braces[1];
		const begins = base === '' && braces[0].length === 1 ? ' ' : (base ? ' ' + base : '') + line + '  ';
		return braces[0] + begins + output.join(',' + line + '  ') + ' ' + braces[1];
	};
	const errorBase = (e, keys) => {
		const text = typeof e.stack === 'string' && e.stack ? e.stack : Error.prototype.toString.call(e);
		for (const name of ['name', 'message', 'stack']) {
			const at = keys.indexOf(name);
			if (at >= 0 && (typeof e[name] !== 'string' || text.includes(e[name]))) keys.splice(at, 1);
		}
		if ('cause' in e && !keys.includes('cause') && Object.hasOwn(e, 'cause')) keys.push('cause');
		if (Array.isArray(e.errors) && !keys.includes('errors') && Object.hasOwn(e, 'errors')) keys.push('errors');
		return /\n\s+at /.test(text) ? text : '[' + text + ']';
	};
	const formatted = (ctx, value, depth) => {
		if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return primitive(value, ctx);
		if (ctx.customInspect && typeof value[custom] === 'function' && value[custom] !== inspect) {
			const left = ctx.depth === null ? null : ctx.depth - depth;
			const made = value[custom](left, { ...ctx.options, depth: left, stylize: (text) => String(text) }, inspect);
			if (made !== value) return typeof made === 'object' && made !== null ? formatted(ctx, made, depth) : String(made).replaceAll('\n', '\n' + ' '.repeat(ctx.indent));
		}
		if (ctx.seen.includes(value)) {
			if (!ctx.circular.has(value)) ctx.circular.set(value, ctx.circular.size + 1);
			return '[Circular *' + ctx.circular.get(value) + ']';
		}
		return raw(ctx, value, depth);
	};
	const raw = (ctx, value, depth) => {
		const name = classOf(value);
		let tag = value[Symbol.toStringTag];
		if (typeof tag !== 'string' || tag === '' || tag === name) tag = '';
		const { Buffer } = globals();
		let keys = keysOf(value, ctx), base = '', braces = ['{', '}'], listed = false;
		const octets = Array.isArray(value) ? false : ArrayBuffer.isView(value) && typeof value.length === 'number';
		if (ctx.showHidden && (octets || typeof value === 'function' || value instanceof Error)) throw new TypeError('util.inspect: showHidden, which %o has, is not there for functions, errors and typed arrays');
		if (Array.isArray(value) || octets) {
			const isIndex = (key) => typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key);
			keys = keys.filter((key) => !isIndex(key));
			if (octets && Buffer.isBuffer(value)) return '<Buffer' + Array.from(value.subarray(0, 50), (byte) => ' ' + byte.toString(16).padStart(2, '0')).join('') + (value.length > 50 ? ' ... ' + (value.length - 50) + ' more byte' + (value.length > 51 ? 's' : '') : '') + '>';
			const begins = name !== 'Array' || tag !== '' || octets ? prefix(name, octets ? '' : tag, 'Array', '(' + value.length + ')') : '';
			braces = [begins + '[', ']'];
			if (value.length === 0 && keys.length === 0) return braces[0] + ']';
			listed = true;
		} else if (value instanceof Set || value instanceof Map) {
			const map = value instanceof Map;
			braces = [prefix(name, tag === (map ? 'Map' : 'Set') ? '' : tag, map ? 'Map' : 'Set', '(' + value.size + ')') + '{', '}'];
			if (value.size === 0 && keys.length === 0) return braces[0] + '}';
		} else if (typeof value === 'function') {
			base = functionBase(value, name, tag);
			if (keys.length === 0) return base;
		} else if (value instanceof RegExp) {
			base = RegExp.prototype.toString.call(value);
			if (keys.length === 0 || (ctx.depth !== null && depth > ctx.depth)) return base;
		} else if (value instanceof Date) {
			base = isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
			if (keys.length === 0) return base;
		} else if (value instanceof Error) {
			base = errorBase(value, keys);
			if (keys.length === 0) return base;
		} else if (value instanceof Promise) {
			throw new TypeError('util.inspect: what became of a promise cannot be seen here, await it first');
		} else if (value instanceof WeakMap || value instanceof WeakSet) {
			return prefix(name, '', 'Weak') + (ctx.compact === false ? '{\n  <items unknown>\n}' : '{ <items unknown> }');
		} else if (value instanceof Number || value instanceof String || value instanceof Boolean) {
			const kind = value instanceof Number ? 'Number' : value instanceof String ? 'String' : 'Boolean';
			if (kind === 'String') keys = keys.filter((key) => !/^\d+$/.test(String(key)));
			base = '[' + kind + (name !== kind ? ' (' + name + ')' : '') + ': ' + primitive(value.valueOf(), { ...ctx, compact: true }) + ']';
			if (keys.length === 0) return base;
		} else {
			braces[0] = name === 'Object' && tag === '' ? '{' : prefix(name, tag, 'Object') + '{';
			if (keys.length === 0) return braces[0] + '}';
		}
		if (ctx.depth !== null && depth > ctx.depth) {
			const short = prefix(name, tag, Array.isArray(value) ? 'Array' : 'Object').slice(0, -1);
			return Array.isArray(value) && name === 'Array' ? '[Array]' : '[' + short + ']';
		}
		depth++;
		ctx.seen.push(value);
		ctx.current = depth;
		const list = entriesOf(value, ctx, depth, listed);
		for (const key of keys) list.push(property(value, key, ctx, depth, false));
		ctx.seen.pop();
		if (ctx.circular.has(value)) {
			const mark = '<ref *' + ctx.circular.get(value) + '>';
			if (ctx.compact !== true) base = base === '' ? mark : mark + ' ' + base;
			else braces[0] = mark + ' ' + braces[0];
		}
		if (ctx.sorted) {
			const by = ctx.sorted === true ? undefined : ctx.sorted;
			if (listed) list.splice(list.length - keys.length, keys.length, ...list.slice(list.length - keys.length).sort(by)); else list.sort(by);
		}
		return joined(ctx, list, base, braces, listed, depth, value);
	};
	// entriesOf are what a collection holds.
	const entriesOf = (value, ctx, depth, listed) => {
		if (listed) return arrayEntries(value, ctx, depth);
		if (!(value instanceof Map) && !(value instanceof Set)) return [];
		const map = value instanceof Map, made = [];
		ctx.indent += 2;
		for (const one of value) {
			if (made.length >= ctx.maxArrayLength) break;
			made.push(map ? formatted(ctx, one[0], depth) + ' => ' + formatted(ctx, one[1], depth) : formatted(ctx, one, depth));
		}
		ctx.indent -= 2;
		if (value.size > ctx.maxArrayLength) made.push(more(value.size - ctx.maxArrayLength));
		return made;
	};
	function inspect(value, options, ...old) {
		const ctx = { ...standard, seen: [], circular: new Map(), indent: 0, current: 0, options: {} };
		if (typeof options === 'boolean') options = { showHidden: options, depth: old[0] === undefined ? 2 : old[0] };
		if (typeof options === 'object' && options !== null) {
			if (options.colors) throw new TypeError('util.inspect: there are no colors here');
			if (options.getters || options.showProxy || options.numericSeparator) throw new TypeError('util.inspect: getters, showProxy and numericSeparator are not there');
			ctx.options = options;
			for (const key of Object.keys(standard)) if (options[key] !== undefined) ctx[key] = options[key];
		}
		if (ctx.depth === Infinity) ctx.depth = null;
		if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
		if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
		return formatted(ctx, value, 0);
	}
	inspect.custom = custom;
	inspect.defaultOptions = standard;

	// Whether a value has a text of its own that %s shows.
	const ownText = (value) => {
		if (typeof value.toString !== 'function') return false;
		if (Object.hasOwn(value, 'toString')) return true;
		let at = value;
		do { at = Object.getPrototypeOf(at); } while (at !== null && !Object.hasOwn(at, 'toString'));
		const made = at && Object.getOwnPropertyDescriptor(at, 'constructor');
		return Boolean(made && typeof made.value === 'function' && !['Object', 'Array', 'Error', 'Map', 'Set', 'Function', 'RegExp', 'Date'].includes(made.value.name));
	};
	const numeric = (value, how) => (typeof value === 'symbol' ? 'NaN' : numberText(how(value)));
	const filled = {
		s(value) {
			if (typeof value === 'number') return numberText(value);
			if (typeof value === 'bigint') return value + 'n';
			if (typeof value !== 'object' || value === null || ownText(value)) return String(value);
			return inspect(value, { depth: 0, compact: 3 });
		},
		d(value) { return typeof value === 'bigint' ? value + 'n' : typeof value === 'object' ? numeric(value, Number) : numeric(value, Number); },
		i(value) { return typeof value === 'bigint' ? value + 'n' : numeric(value, (one) => parseInt(one)); },
		f(value) { return numeric(value, parseFloat); },
		j(value) { try { return String(JSON.stringify(value)); } catch (e) { if (/circular/i.test(e.message)) return '[Circular]'; throw e; } },
		O(value) { return inspect(value); },
		o(value) { return inspect(value, { showHidden: true, depth: 4 }); },
		c() { return ''; },
	};
	function format(...given) {
		let made = '', from = 0;
		if (typeof given[0] === 'string') {
			if (given.length === 1) return given[0];
			from = 1;
			made = given[0].replace(/%([sdifjOoc%])/g, (found, directive) => {
				if (directive === '%') return '%';
				return from < given.length ? filled[directive](given[from++]) : found;
			});
		}
		const rest = given.slice(from).map((value) => (typeof value === 'string' ? value : inspect(value)));
		return typeof given[0] === 'string' ? [made, ...rest].join(' ') : rest.join(' ');
	}
	return { inspect, format };
})
