// Modules of Node over the host's calls, and over what is there without them.
(function ({ host, globals }) {
	const soon = (f) => (...args) => {
		try { return Promise.resolve(f(...args)); } catch (e) { return Promise.reject(e); }
	};
	const textOf = (data) => (typeof data === 'string' ? data : globals().Buffer.from(data).toString('utf8'));
	const place = (path) => String(path).replace(/^(\.\/)+/, '').replace(/\/+/g, '/');
	const missing = (e, what, path) => {
		if (e && e.name === 'LogicError' && !/denied/.test(e.message)) {
			const made = new Error('ENOENT: no such file or directory, ' + what + " '" + path + "'");
			made.code = 'ENOENT';
			return made;
		}
		return e;
	};
	const readFileSync = (path, options) => {
		const encoding = typeof options === 'string' ? options : options && options.encoding;
		let text;
		try { text = host['files.read'](place(path)); } catch (e) { throw missing(e, 'open', path); }
		return encoding ? text : globals().Buffer.from(text, 'utf8');
	};
	const statSync = (path) => {
		let got;
		try { got = host['files.stat'](place(path)); } catch (e) { throw missing(e, 'stat', path); }
		const at = new Date(got.modified);
		return { size: got.size, mtime: at, mtimeMs: at.getTime(), isFile() { return true; }, isDirectory() { return false; } };
	};
	const calls = {
		readFile: readFileSync,
		writeFile(path, data) { host['files.write'](place(path), textOf(data)); },
		appendFile(path, data) { host['files.append'](place(path), textOf(data)); },
		readdir(path) { return host['files.list'](place(path) === '.' ? undefined : place(path)).map((name) => name.replace(/\/$/, '')); },
		unlink(path) { host['files.remove'](place(path)); },
		rm(path) { host['files.remove'](place(path)); },
		mkdir() {}, // folders are made as they are needed
		stat: statSync,
		access(path) { statSync(path); },
	};
	const fs = { existsSync(path) { try { statSync(path); return true; } catch (e) { return false; } }, promises: {} };
	for (const name of Object.keys(calls)) {
		fs[name + 'Sync'] = calls[name];
		fs.promises[name] = soon(calls[name]);
		fs[name] = (...args) => {
			const done = args.pop();
			soon(calls[name])(...args).then((value) => done(null, value), done);
		};
	}

	const normal = (path) => {
		const absolute = path.startsWith('/');
		const parts = [];
		for (const part of path.split('/')) {
			if (part === '' || part === '.') continue;
			if (part === '..' && parts.length && parts[parts.length - 1] !== '..') parts.pop();
			else if (part !== '..' || !absolute) parts.push(part);
		}
		return (absolute ? '/' : '') + parts.join('/') || (absolute ? '/' : '.');
	};
	const basename = (path, ext = '') => {
		const name = path.replace(/\/+$/, '').replace(/^.*\//, '');
		return ext && name !== ext && name.endsWith(ext) ? name.slice(0, -ext.length) : name;
	};
	const extname = (path) => {
		const found = /[^.](\.[^.]*)$/.exec(basename(path));
		return found ? found[1] : '';
	};
	const path = {
		sep: '/', delimiter: ':', basename, extname, normalize: normal,
		dirname(path) { const at = path.replace(/\/+$/, '').lastIndexOf('/'); return at < 0 ? '.' : at === 0 ? '/' : path.slice(0, at); },
		join(...parts) { return normal(parts.filter((part) => part !== '').join('/')); },
		// Files lie in the workflow's own folder, which is where a script is.
		resolve(...parts) { return normal(parts.filter((part) => part !== '' && part !== '/').join('/')); },
		isAbsolute(path) { return path.startsWith('/'); },
		parse(path) { const base = basename(path), ext = extname(path); return { root: path.startsWith('/') ? '/' : '', dir: path.slice(0, -base.length).replace(/\/$/, ''), base, ext, name: ext ? base.slice(0, -ext.length) : base }; },
	};
	const util = {
		promisify(f) { return (...args) => new Promise((resolve, reject) => f(...args, (e, value) => (e ? reject(e) : resolve(value)))); },
		inspect(value) { return typeof value === 'string' ? "'" + value + "'" : JSON.stringify(value); },
	};

	// What a request says, of Node's http and https: an address, options, or an address and options that have none.
	const requestTo = (scheme, given) => {
		const then = typeof given[given.length - 1] === 'function' ? given.pop() : null;
		const spelled = typeof given[0] === 'string' || (given[0] && typeof given[0].href === 'string');
		const said = { __proto__: null, ...(spelled ? given[1] : given[0]) };
		let to;
		if (spelled) {
			for (const name of ['hostname', 'host', 'port', 'path', 'protocol']) {
				if (said[name] !== undefined) throw new TypeError(scheme + '.request: give the address as a text, or as ' + name + ' and the like, and not both');
			}
			to = String(given[0]);
		} else {
			to = (said.protocol || scheme + ':') + '//' + (said.hostname || said.host || 'localhost') + (said.port ? ':' + said.port : '') + (said.path || '/');
		}
		if (said.auth !== undefined) throw new TypeError(scheme + ".request: auth is not there, use headers: { authorization: 'Basic ' + btoa(…) }");
		const headers = { __proto__: null, ...said.headers };
		const how = upper[String(said.method || 'GET')] || String(said.method || 'GET');
		const heard = (self) => {
			const list = { __proto__: null };
			self.on = self.once = self.addListener = (name, f) => { (list[name] = list[name] || []).push(f); return self; };
			self.removeListener = self.off = (name, f) => { list[name] = (list[name] || []).filter((one) => one !== f); return self; };
			self.emit = (name, ...values) => { for (const f of list[name] || []) f.apply(self, values); return (list[name] || []).length > 0; };
			return self;
		};
		let body = '', ended = false;
		const request = heard({
			setHeader(name, value) { headers[name] = value; return request; },
			getHeader(name) { return headers[name]; },
			write(data) { body += textOf(data); return true; },
			setTimeout() { return request; }, setNoDelay() {}, setSocketKeepAlive() {}, flushHeaders() {},
			end(data) {
				if (ended) return request;
				ended = true;
				if (data !== undefined && typeof data !== 'function') body += textOf(data);
				const options = { __proto__: null };
				if (how !== 'GET') options.method = how;
				for (const name of Object.keys(headers)) {
					if (!/^content-length$/i.test(name)) (options.headers = options.headers || {})[name] = String(headers[name]);
				}
				if (body !== '') options.body = body;
				let got, failed;
				try { got = Object.keys(options).length ? host['web.fetch'](to, options) : host['web.fetch'](to); } catch (e) { failed = e; }
				Promise.resolve().then(() => {
					if (failed) {
						if (!request.emit('error', failed)) throw failed;
						return;
					}
					let encoding = null;
					const chunk = () => (encoding ? got.body : globals().Buffer.from(got.body, 'utf8'));
					const response = heard({
						statusCode: got.status, headers: got.headers, complete: true,
						setEncoding(name) { encoding = name; return response; },
						resume() { return response; },
						[Symbol.iterator]() { return [chunk()][Symbol.iterator](); }, // for await takes it, too
					});
					if (then) then(response);
					request.emit('response', response);
					return Promise.resolve().then(() => {
						if (got.body !== '') response.emit('data', chunk());
						response.emit('end');
						response.emit('close');
						request.emit('close');
					});
				});
				return request;
			},
			destroy() { ended = true; return request; }, abort() { ended = true; },
		});
		return request;
	};
	const upper = { __proto__: null, get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE', head: 'HEAD' };
	const web = (scheme) => ({
		request: (...given) => requestTo(scheme, given),
		get: (...given) => { const made = requestTo(scheme, given); made.end(); return made; },
		Agent: class Agent {},
	});
	return { fs, promises: fs.promises, path, util, http: web('http'), https: web('https') };
})
