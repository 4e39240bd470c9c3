// AbortController and AbortSignal, on the script's clock.
(function ({ aborted, toStringTag }) {
	let give;
	class AbortSignal {
		#aborted = false;
		#reason = undefined;
		#listeners = null;
		onabort = null;
		static {
			give = (signal, reason) => {
				if (signal.#aborted) return;
				signal.#aborted = true;
				signal.#reason = reason === undefined ? aborted(false) : reason;
				const event = { type: 'abort', target: signal, currentTarget: signal };
				const listeners = signal.#listeners || [];
				signal.#listeners = null;
				if (typeof signal.onabort === 'function') signal.onabort(event);
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
