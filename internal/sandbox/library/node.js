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
	return { fs, promises: fs.promises, path, util };
})
