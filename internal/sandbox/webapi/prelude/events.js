// EventTarget and what it tells, as the DOM standard has them, without a tree.
(function ({ now, toStringTag }) {
	let begin, end, isOver; // telling an event

	class Event {
		#type;
		#options;
		#target = null;
		#current = null;
		#prevented = false;
		#over = false;
		#passive = false;
		#at = now();
		constructor(type, options) {
			if (!arguments.length) throw new TypeError('The "type" argument must be specified');
			this.#type = String(type);
			this.#options = options === null || options === undefined ? {} : options;
		}
		static {
			begin = (event, target, current, passive) => { event.#target = target; event.#current = current; event.#passive = passive; };
			end = (event) => { event.#current = null; event.#over = false; };
			isOver = (event) => event.#over;
		}
		get type() { return this.#type; }
		get target() { return this.#target; }
		get srcElement() { return this.#target; }
		get currentTarget() { return this.#current; }
		get bubbles() { return Boolean(this.#options.bubbles); }
		get cancelable() { return Boolean(this.#options.cancelable); }
		get composed() { return Boolean(this.#options.composed); }
		get defaultPrevented() { return this.#prevented; }
		get returnValue() { return !this.#prevented; }
		get eventPhase() { return this.#current ? 2 : 0; }
		get isTrusted() { return false; }
		get timeStamp() { return this.#at; }
		composedPath() { return this.#current ? [this.#current] : []; }
		preventDefault() { if (this.cancelable && !this.#passive) this.#prevented = true; }
		stopPropagation() {}
		stopImmediatePropagation() { this.#over = true; }
		get [toStringTag]() { return 'Event'; }
	}
	class CustomEvent extends Event {
		#detail;
		constructor(type, options) {
			super(type, options);
			this.#detail = options && options.detail !== undefined ? options.detail : null;
		}
		get detail() { return this.#detail; }
		get [toStringTag]() { return 'CustomEvent'; }
	}

	class EventTarget {
		#listeners = new Map();
		addEventListener(type, listener, options) {
			if (listener === null || listener === undefined) return;
			if (typeof listener !== 'function' && typeof listener !== 'object') throw new TypeError('The "listener" argument must be an instance of EventListener');
			const { once = false, passive = false, capture = false, signal } = typeof options === 'object' && options !== null ? options : { capture: Boolean(options) };
			if (signal && signal.aborted) return;
			const list = this.#listeners.get(String(type)) || [];
			if (list.some((one) => one.listener === listener && one.capture === Boolean(capture))) return;
			this.#listeners.set(String(type), [...list, { listener, once, passive, capture: Boolean(capture), gone: false }]);
			if (signal) signal.addEventListener('abort', () => this.removeEventListener(type, listener, options));
		}
		removeEventListener(type, listener, options) {
			const capture = Boolean(typeof options === 'object' && options !== null ? options.capture : options);
			const list = this.#listeners.get(String(type)) || [];
			this.#listeners.set(String(type), list.filter((one) => {
				if (one.listener !== listener || one.capture !== capture) return true;
				one.gone = true;
				return false;
			}));
		}
		dispatchEvent(event) {
			if (!(event instanceof Event)) throw new TypeError('The "event" argument must be an instance of Event');
			for (const one of this.#listeners.get(event.type) || []) {
				if (one.gone) continue;
				if (one.once) this.removeEventListener(event.type, one.listener, one);
				begin(event, this, this, one.passive);
				// What a listener throws is not caught in Node either: it ends the program, behind the other listeners.
				try {
					if (typeof one.listener === 'function') one.listener.call(this, event); else one.listener.handleEvent(event);
				} catch (e) {
					Promise.reject(e);
				}
				if (isOver(event)) break;
			}
			begin(event, this, null, false);
			end(event);
			return !event.defaultPrevented;
		}
		get [toStringTag]() { return 'EventTarget'; }
	}

	const codes = { IndexSizeError: 1, NotFoundError: 8, NotSupportedError: 9, InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15, SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25 };
	class DOMException extends Error {
		constructor(message = '', name = 'Error') {
			super(message);
			const given = typeof name === 'object' && name !== null ? name : { name };
			Object.defineProperty(this, 'name', { value: String(given.name === undefined ? 'Error' : given.name), configurable: true });
			Object.defineProperty(this, 'code', { value: codes[this.name] || 0, configurable: true });
			if ('cause' in given) Object.defineProperty(this, 'cause', { value: given.cause, writable: true, configurable: true });
		}
		// The reason of an abort is an error of the host's, for its class decides what follows.
		static [Symbol.hasInstance](value) { return (typeof value === 'object' && value !== null && this.prototype.isPrototypeOf(value)) || (this === DOMException && value instanceof Error && (value.name === 'AbortError' || value.name === 'TimeoutError') && 'class' in value); }
		get [toStringTag]() { return 'DOMException'; }
	}
	for (const name of Object.keys(codes)) {
		const constant = name.replace(/Error$/, '').replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase() + '_ERR';
		Object.defineProperty(DOMException, constant, { value: codes[name], enumerable: true });
	}
	return { Event, CustomEvent, EventTarget, DOMException };
})
