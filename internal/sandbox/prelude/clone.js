// structuredClone, as the HTML standard has it.
(function () {
	function structuredClone(value) {
		const seen = new Map();
		const copy = (v) => {
			if (typeof v === 'function' || typeof v === 'symbol') {
				const e = new Error(String(v).slice(0, 60) + ' could not be cloned');
				e.name = 'DataCloneError';
				throw e;
			}
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
			const made = keep(Array.isArray(v) ? new Array(v.length) : {});
			for (const key of Object.keys(v)) made[key] = copy(v[key]);
			return made;
		};
		return copy(value);
	}

	return { structuredClone };
})
