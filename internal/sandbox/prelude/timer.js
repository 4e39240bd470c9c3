// What setTimeout gives in Node, over change(id, what).
(function ({ change, toPrimitive }) {
	class Timeout {
		#id;
		#loose = false;
		constructor(id) { this.#id = id; }
		ref() { this.#loose = false; change(this.#id, 'ref'); return this; }
		unref() { this.#loose = true; change(this.#id, 'unref'); return this; }
		hasRef() { return !this.#loose; }
		close() { change(this.#id, 'close'); return this; }
		[toPrimitive]() { return this.#id; }
	}
	return { Timeout };
})
