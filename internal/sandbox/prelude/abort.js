// AbortController and AbortSignal, on the script's clock.
(function ({ aborted, toStringTag }) {
	let give;
	class AbortSignal {
		#aborted = false;
		#reason = undefined;
		#listeners = null;
		#handler = null;
		static {
			give = (signal, reason) => {
				if (signal.#aborted) return;
				signal.#aborted = true;
				signal.#reason = reason === undefined ? aborted(false) : reason;
				const event = { type: 'abort', target: signal, currentTarget: signal };
				const listeners = signal.#listeners || [];
				signal.#listeners = null;
				for (const f of listeners) typeof f === 'function' ? f.call(signal, event) : f.handleEvent(event);
			};
		}
		static abort(reason) {
			const signal = new AbortSignal();
			give(signal, reason);
			return signal;
		}
		static timeout(ms) {
			const signal = new AbortSignal();
			aborted(true, () => give(signal, aborted(true)), Number(ms));
			return signal;
		}
		static any(signals) {
			const made = new AbortSignal();
			for (const signal of signals) {
				if (signal.aborted) {
					give(made, signal.reason);
					break;
				}
				signal.addEventListener('abort', () => give(made, signal.reason));
			}
			return made;
		}
		get onabort() { return this.#handler; }
		set onabort(f) { // it is called where it was first set among the listeners
			if (this.#handler === null && typeof f === 'function') this.addEventListener('abort', (event) => { if (this.#handler !== null) this.#handler.call(this, event); });
			this.#handler = typeof f === 'function' ? f : null;
		}
		get aborted() { return this.#aborted; }
		get reason() { return this.#reason; }
		throwIfAborted() { if (this.#aborted) throw this.#reason; }
		addEventListener(type, f) {
			if (type !== 'abort' || this.#aborted) return;
			if (this.#listeners === null) this.#listeners = [f];
			else if (!this.#listeners.includes(f)) this.#listeners.push(f);
		}
		removeEventListener(type, f) { if (type === 'abort' && this.#listeners !== null) this.#listeners = this.#listeners.filter((one) => one !== f); }
		get [toStringTag]() { return 'AbortSignal'; }
	}
	class AbortController {
		#signal = new AbortSignal();
		get signal() { return this.#signal; }
		abort(reason) { give(this.#signal, reason); }
		get [toStringTag]() { return 'AbortController'; }
	}
	return { AbortController, AbortSignal };
})
