// Writes <locale>.json: what CLDR says of dates and numbers, as Node's ICU gives it; make cldr. A pattern is found by
// formatting known moments: {w0} is a list of weekdays, {m0} one of months, {d} {dd} {M} {MM} {y} {yy} {h} {hh} {i} {ii}
// {s} {ss} are numbers (i are minutes), {p} is the half of the day, {z} the zone, {D} and {T} date and time.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const locales = ['en-US', 'en-GB', 'en-CA', 'en-AU', 'en-IN', 'de', 'de-AT', 'de-CH', 'fr', 'fr-CA', 'fr-CH', 'es', 'es-MX', 'it', 'pt-BR', 'pt-PT', 'nl', 'sv', 'da', 'nb', 'fi', 'pl', 'cs', 'hu',
	'ro', 'tr', 'ru', 'uk', 'el', 'ja', 'zh-CN', 'zh-TW', 'ko'];
const currencies = ['EUR', 'USD', 'GBP', 'JPY', 'CNY', 'CHF', 'CAD', 'AUD', 'NZD', 'INR', 'BRL', 'MXN', 'KRW', 'RUB', 'UAH', 'PLN', 'CZK', 'HUF', 'RON', 'SEK', 'NOK', 'DKK', 'TRY', 'ZAR', 'ILS', 'AED', 'SGD', 'HKD', 'TWD', 'THB', 'IDR', 'VND', 'BTC'];
const utc = (...at) => new Date(Date.UTC(...at));
const probe = utc(2026, 2, 1, 9, 5, 7); // a Sunday

for (const locale of locales) {
	const names = { w: [], m: [] };
	const index = (list, of) => {
		const key = JSON.stringify(of);
		let at = list.findIndex((one) => JSON.stringify(one) === key);
		if (at < 0) at = list.push(of) - 1;
		return at;
	};
	const part = (options, date, type) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).formatToParts(date).find((p) => p.type === type)?.value;
	const template = (options) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).formatToParts(probe).map(({ type, value }) => {
		const digits = (letter) => (value.length === 2 ? `{${letter}${letter}}` : `{${letter}}`);
		switch (type) {
			case 'literal': return value;
			case 'weekday': return `{w${index(names.w, [0, 1, 2, 3, 4, 5, 6].map((n) => part(options, utc(2026, 2, 1 + n, 9), type)))}}`;
			case 'month': return /^\d+$/.test(value) ? digits('M') : `{m${index(names.m, [...Array(12).keys()].map((n) => part(options, utc(2026, n, 1, 9), type)))}}`;
			case 'year': return digits('y');
			case 'day': return digits('d');
			case 'hour': return digits('h');
			case 'minute': return digits('i');
			case 'second': return digits('s');
			case 'dayPeriod': return '{p}';
			case 'timeZoneName': return '{z}';
		}
		throw new Error(locale + ': ' + type + ' ' + JSON.stringify(options));
	}).join('');
	const one = (...pairs) => Object.fromEntries(pairs.filter(([, value]) => value !== ''));
	const full = { n: 'numeric', 2: '2-digit', s: 'short', l: 'long', '': '' };
	const cycle = (options) => {
		const midnight = part(options, utc(2026, 2, 1, 0, 5), 'hour');
		const evening = part(options, utc(2026, 2, 1, 21, 5), 'hour');
		return { 24: 'h24', 12: 'h12' }[midnight] ?? (Number(evening) === 21 ? 'h23' : 'h11');
	};

	const dates = {}, glue = [], times = {}, styles = {};
	const between = (d, t) => {
		const f = (options) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(probe);
		const both = f({ ...d, ...t }), date = f(d), time = f(t);
		const made = both.replace(date, '{D}').replace(time, '{T}');
		if (!made.includes('{D}') || !made.includes('{T}')) throw new Error(`${locale}: ${both} is not ${date} and ${time}`);
		return made;
	};
	for (const w of ['', 's', 'l']) for (const y of ['', 'n', '2']) for (const m of ['', 'n', '2', 's', 'l']) for (const d of ['', 'n', '2']) {
		const options = one(['weekday', full[w]], ['year', full[y]], ['month', full[m]], ['day', full[d]]);
		if (!Object.keys(options).length) continue;
		let joined = '';
		try { joined = between(options, { hour: 'numeric', minute: 'numeric' }); } catch (e) { /* the date is written otherwise beside a time: refused */ }
		dates[[w, y, m, d].join('.')] = [template(options), joined && index(glue, joined)];
	}
	for (const h of ['', 'n', '2']) for (const i of [false, true]) for (const s of [false, true]) for (const c of ['d', 't', 'f', 'h12', 'h23']) {
		if (!h && c !== 'd' || h && !i && s || !h && !i && !s) continue;
		const options = { ...one(['hour', full[h]]), ...(i && { minute: 'numeric' }), ...(s && { second: 'numeric' }), ...(h && { t: { hour12: true }, f: { hour12: false }, h12: { hourCycle: 'h12' }, h23: { hourCycle: 'h23' } }[c]) };
		times[[h, i ? 'i' : '', s ? 's' : '', c].join('.')] = [template(options), h ? cycle(options) : ''];
	}
	for (const d of ['', 'full', 'long', 'medium', 'short']) for (const t of ['', 'full', 'long', 'medium', 'short']) {
		const dateStyle = d && { dateStyle: d }, timeStyle = t && { timeStyle: t };
		if (d && !t) styles[d + '.'] = [template(dateStyle)];
		if (t && !d) styles['.' + t] = [template(timeStyle), cycle(timeStyle)];
		if (d && t) styles[d + '.' + t] = [between(dateStyle, timeStyle)];
	}
	const zone = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', hour: 'numeric', timeZoneName: 'short' }).formatToParts(probe);
	const half = (n) => part({ hour: 'numeric', hour12: true }, utc(2026, 2, 1, n), 'dayPeriod');

	const number = (value, options) => new Intl.NumberFormat(locale, options).format(value);
	const parts = new Intl.NumberFormat(locale).formatToParts(-1234567890.5);
	const has = (type) => parts.find((p) => p.type === type)?.value ?? '';
	const money = {};
	for (const currency of currencies) {
		money[currency] = [new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions().maximumFractionDigits];
		for (const currencyDisplay of ['symbol', 'narrowSymbol', 'code']) for (const sign of [1, -1]) {
			money[currency].push(number(sign * 5, { style: 'currency', currency, currencyDisplay, maximumFractionDigits: 0 }).replace('5', '{n}'));
		}
	}
	// Numbers of each plural category, by the categories.
	const rules = new Intl.PluralRules(locale), samples = {};
	for (const n of [1, 2, 3, 5, 0, 20, 100, 1.5, 1e6]) samples[rules.select(n)] ??= n;
	const numeric = new Set(['integer', 'group', 'decimal', 'fraction']);
	// pattern is what stands around a number.
	const pattern = (list) => list.map((p) => (numeric.has(p.type) ? '{0}' : p.value)).join('').replace(/(\{0\})+/, '{0}');
	const relative = {};
	for (const style of ['long', 'short', 'narrow']) {
		relative[style] = {};
		for (const unit of ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']) {
			const plain = new Intl.RelativeTimeFormat(locale, { style }), auto = new Intl.RelativeTimeFormat(locale, { style, numeric: 'auto' });
			const by = (sign) => Object.fromEntries(Object.entries(samples).map(([category, n]) => [category, pattern(plain.formatToParts(n === 0 && sign < 0 ? -0 : sign * n, unit))]));
			const words = {};
			for (const n of [-2, -1, 0, 1, 2]) {
				const parts = auto.formatToParts(n, unit);
				if (parts.length === 1 && parts[0].type === 'literal') words[n] = parts[0].value;
			}
			relative[style][unit] = [by(-1), by(1), words];
		}
	}
	const lists = {};
	for (const type of ['conjunction', 'disjunction', 'unit']) for (const style of ['long', 'short', 'narrow']) {
		const f = new Intl.ListFormat(locale, { type, style });
		const literals = (n) => f.formatToParts(['a', 'b', 'c', 'd'].slice(0, n)).filter((p) => p.type === 'literal').map((p) => p.value);
		lists[type + '.' + style] = [literals(2)[0], ...literals(4)];
	}
	const compact = {};
	for (const compactDisplay of ['short', 'long']) {
		const f = new Intl.NumberFormat(locale, { notation: 'compact', compactDisplay });
		compact[compactDisplay] = [];
		for (let power = 3; power <= 17; power++) {
			const digits = Math.max(1, f.formatToParts(10 ** power).filter((p) => p.type === 'integer').map((p) => p.value).join('').length);
			const by = {};
			for (const n of digits === 1 ? [1, 2, 3, 5, 1.5] : [1, 1.01, 1.02, 1.05, 2.1, 2.2, 2.5].map((n) => n * 10 ** (digits - 1))) {
				const around = pattern(f.formatToParts(n * 10 ** (power - digits + 1)));
				by[around.includes('{0}') ? rules.select(n) : '=1'] ??= around; // a thousand may be a word by itself
			}
			compact[compactDisplay].push([power - digits + 1, by]);
		}
	}
	writeFileSync(join(here, locale + '.json'), JSON.stringify({
		cldr: process.versions.cldr, weekdays: names.w, months: names.m, halves: [half(9), half(21)], dates, glue, times, styles,
		decimal: has('decimal'), group: has('group'), minus: has('minusSign'), groups: parts.filter((p) => p.type === 'integer').map((p) => p.value.length),
		least: number(1234) === number(1234, { useGrouping: false }) ? 2 : 1,
		percent: [number(0.05, { style: 'percent' }).replace('5', '{n}'), number(-0.05, { style: 'percent' }).replace('5', '{n}')], money, relative, lists, compact,
	}) + '\n');
}
