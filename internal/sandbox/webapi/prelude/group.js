// Object.groupBy and Map.groupBy.
(function () {
	function groups(items, keyOf) {
		if (typeof keyOf !== 'function') throw new TypeError('groupBy: the second argument must be a function');
		const found = new Map();
		let index = 0;
		for (const item of items) {
			const key = keyOf(item, index++);
			const group = found.get(key);
			if (group) group.push(item); else found.set(key, [item]);
		}
		return found;
	}
	const { groupMap, groupObject } = {
		groupMap(items, keyOf) { return groups(items, keyOf); },
		groupObject(items, keyOf) {
			const made = Object.create(null);
			const name = (item, index) => {
				const key = keyOf(item, index);
				return typeof key === 'symbol' ? key : String(key);
			};
			groups(items, name).forEach((group, key) => { made[key] = group; });
			return made;
		},
	};
	Object.defineProperty(groupMap, 'name', { value: 'groupBy' });
	Object.defineProperty(groupObject, 'name', { value: 'groupBy' });
	return { groupMap, groupObject };
})
