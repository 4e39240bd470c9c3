// Node's process, of what a script asks of it: its time is the run's, its streams are the run's log.
(function ({ console, exit, moved, next }) {
	const stream = (write) => ({
		write(text) { write(String(text).replace(/\n$/, '')); return true; },
		end(text) { if (text !== undefined) this.write(text); },
		on() { return this; }, once() { return this; }, isTTY: false, columns: 80,
	});
	const hrtime = (since) => {
		const ms = moved(), at = [Math.floor(ms / 1000), (ms % 1000) * 1e6];
		if (!since) return at;
		const past = (at[0] - since[0]) * 1e9 + at[1] - since[1];
		return [Math.floor(past / 1e9), past % 1e9];
	};
	hrtime.bigint = () => BigInt(moved()) * 1000000n;
	const on = (name) => {
		if (name === 'exit' || name === 'beforeExit') throw new TypeError("process.on('" + name + "') is not there: do it at the end of the script");
		return process;
	};
	const process = {
		nextTick(f, ...args) { next(args.length ? () => f(...args) : f); },
		exit, exitCode: undefined,
		argv: ['/usr/local/bin/node', '/script.js'], argv0: 'node', execArgv: [], execPath: '/usr/local/bin/node', pid: 1, ppid: 0, title: 'node', platform: 'linux', arch: 'x64',
		version: 'v20.20.2', versions: { node: '20.20.2' }, release: { name: 'node' },
		stdout: stream((text) => console.log('%s', text)), stderr: stream((text) => console.error('%s', text)),
		cwd() { return '.'; }, uptime() { return moved() / 1000; }, hrtime,
		memoryUsage() { return { rss: 5e7, heapTotal: 2e7, heapUsed: 1e7, external: 1e6, arrayBuffers: 1e4 }; },
		on, once: on, addListener: on, off() { return process; }, removeListener() { return process; }, removeAllListeners() { return process; }, listenerCount() { return 0; },
		emitWarning(text) { console.warn('%s', text); },
	};
	return { process };
})
