// Modules of Node that stand on its streams: stream, stream/promises, readline and the streams of zlib.
(function ({ globals, node, ofWeb, zlib }) {
	const { StringDecoder, promises, ...streams } = node();
	// As in Node the module is the class that all of them have in common.
	const { Stream } = streams;
	for (const name of Object.keys(streams)) if (!Object.hasOwn(Stream, name)) Object.defineProperty(Stream, name, { value: streams[name], writable: true, enumerable: true, configurable: true });
	Object.defineProperty(Stream, 'promises', { value: promises, enumerable: true, configurable: true });
	const { Readable, Transform } = streams;
	const asyncIterator = Symbol.asyncIterator;

	// A stream of the web as one of Node's, and back.
	Readable.fromWeb = (stream, options) => {
		const reader = stream.getReader();
		return new Readable({
			...options,
			read() { reader.read().then(({ done, value }) => { this.push(done ? null : value); }, (e) => this.destroy(e)); },
			destroy(e, done) { reader.cancel(e).then(() => done(e), done); },
		});
	};
	Readable.toWeb = (stream) => ofWeb().ReadableStream.from(stream);

	// A transform that keeps what comes, and makes something of all of it at its end.
	const whole = (make) => {
		const pieces = [];
		return new Transform({
			transform(piece, encoding, done) { pieces.push(piece); done(); },
			flush(done) { try { done(null, make(globals().Buffer.concat(pieces))); } catch (e) { done(e); } },
		});
	};
	const packing = {};
	for (const how of ['gzip', 'gunzip', 'deflate', 'inflate', 'deflateRaw', 'inflateRaw', 'unzip']) {
		packing['create' + how[0].toUpperCase() + how.slice(1)] = () => whole((data) => zlib()[how + 'Sync'](data));
	}

	class Interface extends node().Stream {
		#lines = [];
		#rest = '';
		#waiting = null;
		#heard = false;
		#over = false;
		constructor({ input }) {
			super();
			if (!input || typeof input.on !== 'function' || input.isTTY !== undefined) throw new TypeError('readline: there is no terminal here: give createInterface a stream to read as input');
			this.input = input;
			const decoder = new StringDecoder('utf8');
			const take = (text, last) => {
				const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
				this.#rest = lines.pop();
				if (last && this.#rest !== '') lines.push(this.#rest.replace(/\r$/, ''));
				for (const line of lines) this.#line(line);
			};
			input.on('data', (piece) => take(typeof piece === 'string' ? piece : decoder.write(piece), false));
			input.on('end', () => { take(decoder.end(), true); this.close(); });
			input.on('error', (e) => { this.#waiting = e; this.emit('error', e); });
		}
		#line(line) { if (!this.emit('line', line) || this.#heard) this.#lines.push(line); }
		close() { if (this.#over) return; this.#over = true; this.emit('close'); }
		pause() { this.input.pause(); return this; }
		resume() { this.input.resume(); return this; }
		setPrompt() {} prompt() {}
		question() { throw new TypeError('readline: nobody is at a terminal here: use ask(question)'); }
		[asyncIterator]() {
			this.#heard = true;
			const next = () => {
				if (this.#lines.length) return Promise.resolve({ done: false, value: this.#lines.shift() });
				if (this.#over) return Promise.resolve({ done: true, value: undefined });
				return new Promise((resolve, reject) => {
					const done = () => { this.off('line', done); this.off('close', done); this.off('error', reject); resolve(); };
					this.on('line', done); this.on('close', done); this.on('error', reject);
				}).then(() => Promise.resolve()).then(next);
			};
			return { next, return: () => { this.close(); return Promise.resolve({ done: true, value: undefined }); }, [asyncIterator]() { return this; } };
		}
	}
	const readline = { Interface, createInterface: (input, output) => new Interface(typeof input.on === 'function' ? { input, output } : input), clearLine() { return true; }, cursorTo() { return true; }, clearScreenDown() { return true; }, moveCursor() { return true; } };
	readline.promises = { Interface, createInterface: readline.createInterface };

	const consumers = {
		buffer: (stream) => pieces(stream).then((list) => globals().Buffer.concat(list.map((one) => globals().Buffer.from(one)))),
		text: (stream) => consumers.buffer(stream).then((bytes) => bytes.toString('utf8')),
		json: (stream) => consumers.text(stream).then(JSON.parse),
		arrayBuffer: (stream) => consumers.buffer(stream).then((bytes) => bytes.buffer),
	};
	const pieces = (stream) => {
		const list = [], iterator = stream[asyncIterator || Symbol.for('Symbol.asyncIterator')]();
		const next = () => iterator.next().then(({ done, value }) => { if (done) return list; list.push(value); return next(); });
		return next();
	};
	return { stream: Stream, promises, decoder: { StringDecoder }, readline, readlinePromises: readline.promises, packing, consumers };
})
