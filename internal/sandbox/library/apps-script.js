// The services of Apps Script, over the host's calls, which are waited for.
(function ({ host, zone, now, sleep, dates, csv, globals }) {
	const nothing = (value) => value === undefined || value === null;
	class HTTPResponse {
		#got;
		constructor(got) { this.#got = got; }
		getResponseCode() { return this.#got.status; }
		getContentText() { return this.#got.body; }
		getHeaders() { return { ...this.#got.headers }; }
		getAllHeaders() { return { ...this.#got.headers }; }
		toString() { return this.#got.body; }
	}
	const form = (payload) => Object.keys(payload).map((name) => encodeURIComponent(name) + '=' + encodeURIComponent(payload[name])).join('&');
	const upper = { __proto__: null, get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' };
	const fetch = (url, given) => {
		// What the script's text says, and not what else an object may come to have.
		const params = { __proto__: null, ...given };
		const options = { __proto__: null };
		if (params.effect !== undefined) options.effect = params.effect;
		const headers = { ...params.headers };
		const named = String(params.method || 'GET');
		const method = upper[named] || named;
		if (method !== 'GET') options.method = method;
		if (!nothing(params.payload)) {
			const text = typeof params.payload === 'object';
			options.body = text ? form(params.payload) : String(params.payload);
			headers['content-type'] = params.contentType || 'application/x-www-form-urlencoded';
		} else if (params.contentType) {
			headers['content-type'] = params.contentType;
		}
		if (Object.keys(headers).length) options.headers = headers;
		const got = Object.keys(options).length ? host['web.fetch'](String(url), options) : host['web.fetch'](String(url));
		if (!params.muteHttpExceptions && got.status >= 400) {
			throw new Error('Request failed for ' + String(url).replace(/^(https?:\/\/[^/?#]*).*/, '$1') + ' returned code ' + got.status + '. Truncated server response: ' + got.body.slice(0, 200));
		}
		return new HTTPResponse(got);
	};
	const UrlFetchApp = {
		fetch,
		fetchAll(list) { return list.map((one) => (typeof one === 'string' ? fetch(one) : fetch(one.url, one))); },
	};

	const properties = (space) => {
		const prefix = 'properties/' + space + '/';
		const store = {
			getProperty(name) {
				const value = host['kv.get'](prefix + name);
				return nothing(value) ? null : String(value);
			},
			setProperty(name, value) {
				host['kv.set'](prefix + name, String(value));
				return store;
			},
			deleteProperty(name) {
				host['kv.delete'](prefix + name);
				return store;
			},
			getKeys() { return host['kv.list'](prefix).map((key) => key.slice(prefix.length)); },
			getProperties() { return Object.fromEntries(store.getKeys().map((name) => [name, store.getProperty(name)])); },
			setProperties(values) {
				for (const name of Object.keys(values)) store.setProperty(name, values[name]);
				return store;
			},
			deleteAllProperties() {
				for (const name of store.getKeys()) store.deleteProperty(name);
				return store;
			},
		};
		return store;
	};
	const PropertiesService = {
		getScriptProperties() { return properties('script'); },
		getUserProperties() { return properties('user'); },
		getDocumentProperties() { return properties('document'); },
	};
	const cache = {
		get(name) {
			const kept = host['kv.get']('cache/' + name);
			return nothing(kept) || kept.until <= now() ? null : kept.value;
		},
		put(name, value, seconds = 600) { host['kv.set']('cache/' + name, { value: String(value), until: now() + seconds * 1000 }); },
		remove(name) { host['kv.delete']('cache/' + name); },
	};
	const CacheService = { getScriptCache() { return cache; }, getUserCache() { return cache; }, getDocumentCache() { return cache; } };
	const lock = { tryLock() { return true; }, waitLock() {}, hasLock() { return true; }, releaseLock() {} };
	const LockService = { getScriptLock() { return lock; }, getUserLock() { return lock; }, getDocumentLock() { return lock; } };

	// The letters of Java's SimpleDateFormat that Luxon writes otherwise.
	const letters = { EEEE: 'cccc', EEE: 'ccc', EE: 'ccc', E: 'ccc', u: 'c', D: 'o', Z: 'ZZZ', z: 'ZZZZ', XXX: 'ZZ', X: 'ZZZ', YYYY: 'kkkk', aa: 'a' };
	const signed = (bytes) => Array.from(bytes, (byte) => (byte > 127 ? byte - 256 : byte));
	const bytesOf = (value) => {
		const { Buffer } = globals();
		return typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.from(Array.from(value, (byte) => byte & 255));
	};
	const DigestAlgorithm = { MD5: 'md5', SHA_1: 'sha1', SHA_256: 'sha256', SHA_384: 'sha384', SHA_512: 'sha512' };
	const encode = (value) => (typeof value === 'string' ? globals().btoaText(value) : bytesOf(value).toString('base64'));
	const Utilities = {
		DigestAlgorithm, MacAlgorithm: { HMAC_MD5: 'md5', HMAC_SHA_1: 'sha1', HMAC_SHA_256: 'sha256', HMAC_SHA_384: 'sha384', HMAC_SHA_512: 'sha512' }, Charset: { UTF_8: 'utf8', US_ASCII: 'ascii' },
		sleep(ms) { sleep(ms); },
		getUuid() { return globals().crypto.randomUUID(); },
		formatDate(date, timeZone, format) {
			const as = format.replace(/'[^']*'|([a-zA-Z])\1*/g, (part) => (Object.hasOwn(letters, part) ? letters[part] : part));
			return dates().DateTime.fromMillis(Number(date), { zone: timeZone === 'GMT' ? 'UTC' : timeZone }).toFormat(as);
		},
		formatString(format, ...values) { return String(format).replace(/%(?:\.(\d+))?([sdf])/g, (_, digits, kind) => { const v = values.shift(); return kind === 's' ? String(v) : kind === 'd' ? String(Math.trunc(v)) : Number(v).toFixed(digits === undefined ? 6 : digits); }); },
		base64Encode(value) { return encode(value); },
		base64EncodeWebSafe(value) { return encode(value).replace(/\+/g, '-').replace(/\//g, '_'); },
		base64Decode(text) { return signed(globals().Buffer.from(text, 'base64')); },
		base64DecodeWebSafe(text) { return signed(globals().Buffer.from(text, 'base64')); },
		computeDigest(algorithm, value) { return signed(globals().crypto.createHash(algorithm).update(bytesOf(value)).digest()); },
		computeHmacSignature(algorithm, value, key) { return signed(globals().crypto.createHmac(algorithm, bytesOf(key)).update(bytesOf(value)).digest()); },
		computeHmacSha256Signature(value, key) { return Utilities.computeHmacSignature('sha256', value, key); },
		parseCsv(text, delimiter = ',') { return csv().parse(text, { delimiter, relaxed: true }); },
		jsonParse: JSON.parse, jsonStringify: JSON.stringify,
		newBlob(data, type, name) { return { getDataAsString() { return typeof data === 'string' ? data : bytesOf(data).toString('utf8'); }, getBytes() { return signed(bytesOf(data)); }, getContentType() { return type; }, getName() { return name; } }; },
	};

	const Logger = { log(...values) { globals().console.log(...values); return Logger; }, clear() {}, getLog() { return ''; } };
	const sendEmail = (to, subject, body) => {
		const mail = typeof to === 'object' ? to : { to, subject, body };
		host.notify(String(mail.subject), 'To: ' + mail.to + '\n\n' + String(nothing(mail.body) ? mail.htmlBody || '' : mail.body));
	};
	const MailApp = { sendEmail, getRemainingDailyQuota() { return 100; } };
	const GmailApp = { sendEmail };
	const user = { getEmail() { return ''; } };
	const Session = { getScriptTimeZone() { return zone(); }, getActiveUser() { return user; }, getEffectiveUser() { return user; } };
	// What is not there says so when it is reached, and not before.
	const absent = {};
	for (const name of ['SpreadsheetApp', 'DriveApp', 'DocumentApp', 'CalendarApp', 'FormApp', 'SlidesApp', 'ContactsApp', 'HtmlService', 'ContentService', 'ScriptApp', 'XmlService']) {
		absent[name] = new Proxy({}, { get(_, property) { throw new Error(name + '.' + String(property) + ' is not there: of Apps Script there are no documents, drives and pages'); } });
	}
	return { ...absent, UrlFetchApp, PropertiesService, CacheService, LockService, Utilities, Logger, MailApp, GmailApp, Session };
})
