// structuredClone, as the HTML standard has it.
(function ({ bytes, events }) {
	function structuredClone(value, options) {
		const seen = new Map();
		const refuse = (v) => { throw new (events().DOMException)(String(v).slice(0, 60) + ' could not be cloned.', 'DataCloneError'); };
		const copy = (v) => {
			if (typeof v === 'function' || typeof v === 'symbol') refuse(v);
			if (typeof v !== 'object' || v === null) return v;
			if (seen.has(v)) return seen.get(v);
			const keep = (made) => {
				seen.set(v, made);
				return made;
			};
			if (v instanceof Date) return keep(new Date(v.getTime()));
			if (v instanceof RegExp) return keep(new RegExp(v.source, v.flags));
			if (v instanceof Map) {
				const made = keep(new Map());
				v.forEach((item, key) => made.set(copy(key), copy(item)));
				return made;
			}
			if (v instanceof Set) {
				const made = keep(new Set());
				v.forEach((item) => made.add(copy(item)));
				return made;
			}
			if (v instanceof Error) {
				const Class = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].find((one) => one.name === v.name) || Error;
				const made = keep(new Class(v.message));
				if ('cause' in v) Object.defineProperty(made, 'cause', { value: copy(v.cause), writable: true, configurable: true });
				return made;
			}
			if (v instanceof Boolean || v instanceof Number || v instanceof String || v instanceof BigInt) return keep(Object(v.valueOf()));
			if (v instanceof WeakMap || v instanceof WeakSet || v instanceof Promise) refuse(v);
			const made = bytes(); // nothing if the script has no bytes
			if (made && v instanceof made.ArrayBuffer) return keep(v.slice(0));
			if (made && made.ArrayBuffer.isView(v)) {
				const tag = v[Symbol.toStringTag], whole = v.buffer.slice(0);
				return keep(tag === 'DataView' ? new made.DataView(whole) : new (tag === 'Uint8Array' ? made.Uint8Array : made.other(tag))(whole));
			}
			return plain(v, keep, copy);
		};
		const made = copy(value);
		// What is transferred is empty from then on.
		for (const one of (options && options.transfer) || []) {
			if (!bytes() || !(one instanceof bytes().ArrayBuffer)) refuse(one);
			bytes().detach(one);
		}
		return made;
	}
	const plain = (v, keep, copy) => {
		const made = keep(Array.isArray(v) ? new Array(v.length) : {});
		for (const key of Object.keys(v)) made[key] = copy(v[key]);
		return made;
	};

	return { structuredClone };
})
