// Intl.DateTimeFormat and Intl.NumberFormat over tables of CLDR (cldr/generate.mjs), and what standard classes
// have of them. What there is no table for is a RangeError that says so: nothing is formatted in another way.
(function ({ locales, table, moment }) {
	const equal = {
		en: 'en-US', 'de-DE': 'de', 'fr-FR': 'fr', 'es-ES': 'es', 'it-IT': 'it', pt: 'pt-BR', 'nl-NL': 'nl', 'sv-SE': 'sv', 'da-DK': 'da', 'nb-NO': 'nb', no: 'nb', 'no-NO': 'nb', 'fi-FI': 'fi',
		'pl-PL': 'pl', 'cs-CZ': 'cs', 'hu-HU': 'hu', 'ro-RO': 'ro', 'tr-TR': 'tr', 'ru-RU': 'ru', 'uk-UA': 'uk', 'el-GR': 'el', 'ja-JP': 'ja', zh: 'zh-CN', 'zh-Hans': 'zh-CN', 'zh-Hant': 'zh-TW', 'ko-KR': 'ko',
	};
	const canonical = (name) => {
		const [language, ...rest] = String(name).split('-');
		if (!/^[a-z]{2,3}$/i.test(language)) throw new RangeError('Incorrect locale information provided');
		return [language.toLowerCase(), ...rest.map((part) => (part.length === 4 ? part[0].toUpperCase() + part.slice(1).toLowerCase() : part.toUpperCase()))].join('-');
	};
	const tables = new Map();
	// found is the first of the wanted locales that there is.
	const found = (wanted) => {
		const list = wanted === undefined ? ['en-US'] : typeof wanted === 'string' ? [wanted] : Array.from(wanted);
		if (!list.length) list.push('en-US');
		for (const name of list.map(canonical)) {
			const known = Object.hasOwn(equal, name) ? equal[name] : name;
			if (!locales().includes(known)) continue;
			if (!tables.has(known)) tables.set(known, table(known));
			return [name, tables.get(known)];
		}
		throw new RangeError('there is no locale ' + list.join(', ').slice(0, 60) + ' here, there are ' + locales().join(', '));
	};
	const option = (options, name, values) => {
		const value = options[name];
		if (value === undefined) return '';
		if (!values.includes(String(value))) throw new RangeError('Value ' + String(value).slice(0, 40) + ' out of range for ' + name + ' here, there are ' + values.join(', '));
		return String(value);
	};
	const unknown = (options, names) => {
		for (const name of names) if (options[name] !== undefined) throw new RangeError('the option ' + name + ' is not there');
	};
	const letter = { '': '', numeric: 'n', '2-digit': '2', short: 's', long: 'l' };
	const two = (n) => String(n).padStart(2, '0');

	const eras = { long: ['Anno Domini', 'Before Christ'], short: ['AD', 'BC'], narrow: ['A', 'B'] };

	class DateTimeFormat {
		#name;
		#table;
		#zone;
		#date = null; // templates
		#time = null;
		#cycle = '';
		#glue = '{D}, {T}';
		#shown = {};
		constructor(wanted, options, required = 'any', defaults = 'date') {
			options = options === undefined ? {} : Object(options);
			[this.#name, this.#table] = found(wanted);
			const t = this.#table;
			unknown(options, ['dayPeriod', 'fractionalSecondDigits', 'calendar', 'numberingSystem']);
			const zone = options.timeZone === undefined ? 'UTC' : String(options.timeZone);
			moment(0, zone);
			this.#zone = /^(utc|gmt|etc\/(utc|gmt))$/i.test(zone) ? 'UTC' : zone;
			const styles = ['full', 'long', 'medium', 'short'];
			const dateStyle = option(options, 'dateStyle', styles);
			const timeStyle = option(options, 'timeStyle', styles);
			const width = ['numeric', '2-digit'];
			const [w, y, m, d] = [option(options, 'weekday', ['long', 'short']), option(options, 'year', width), option(options, 'month', [...width, 'long', 'short']), option(options, 'day', width)].map((value) => letter[value]);
			let [h, i, s] = [option(options, 'hour', width), option(options, 'minute', width), option(options, 'second', width)].map((value) => letter[value]);
			const named = option(options, 'timeZoneName', ['short', 'shortOffset', 'longOffset']);
			const era = option(options, 'era', ['long', 'short', 'narrow']);
			if (era && !/^en\b/.test(this.#name)) throw new RangeError('the option era is there in English only');
			const cycle = options.hour12 !== undefined ? (options.hour12 ? 't' : 'f') : option(options, 'hourCycle', ['h12', 'h23']) || 'd';
			if (dateStyle || timeStyle) {
				if (w || y || m || d || h || i || s || named) throw new TypeError("Can't set option weekday, year, month, day, hour, minute, second or timeZoneName when dateStyle or timeStyle is used");
				if (required === 'date' && timeStyle || required === 'time' && dateStyle) throw new TypeError('Invalid option : ' + (required === 'date' ? 'timeStyle' : 'dateStyle'));
				if (cycle !== 'd' && timeStyle) throw new RangeError('timeStyle with hour12 or hourCycle is not there');
				if (dateStyle) [this.#date] = t.styles[dateStyle + '.'];
				if (timeStyle) [this.#time, this.#cycle] = t.styles['.' + timeStyle];
				if (dateStyle && timeStyle) [this.#glue] = t.styles[dateStyle + '.' + timeStyle];
				if (timeStyle === 'full' && this.#zone !== 'UTC') throw new RangeError("timeStyle 'full' is there in UTC only, for there are no names of zones");
				this.#shown = { ...(dateStyle && { dateStyle }), ...(timeStyle && { timeStyle }) };
				return;
			}
			let date = [w, y, m, d];
			const noDate = !(w || y || m || d);
			const noTime = !(h || i || s);
			const bare = required === 'date' ? noDate : required === 'time' ? noTime : noDate && noTime;
			if (bare && defaults !== 'time') date = ['', 'n', 'n', 'n'];
			if (bare && defaults !== 'date') [h, i, s] = ['n', '2', '2'];
			const dateKey = date.join('.');
			if (dateKey !== '...') [this.#date] = t.dates[dateKey];
			if (era && this.#date) this.#date += ' {e}';
			if (h || i || s) {
				const timeKey = [h, i && 'i', s && 's', h ? cycle : 'd'].join('.');
				if (!t.times[timeKey]) throw new RangeError('these parts of a time are not shown together here');
				[this.#time, this.#cycle] = t.times[timeKey];
			}
			if (named) {
				// Other languages write offsets otherwise, and some put them elsewhere behind a date alone.
				if (named !== 'short' && (/^(da|fi|fr|sv)/.test(this.#name) || !this.#time && !/^(en|de)/.test(this.#name))) throw new RangeError('timeZoneName ' + named + ' is not there in ' + this.#name + ' for these parts');
				if (this.#time) this.#time += ' {z}'; else this.#date += ', {z}';
			}
			if (this.#date && this.#time) {
				if (t.dates[dateKey][1] === '') throw new RangeError('these parts of a date are not shown with a time here');
				this.#glue = t.glue[t.dates[dateKey][1]];
			}
			this.#shown = Object.fromEntries(['weekday', 'era', 'year', 'month', 'day', 'hour', 'minute', 'second', 'timeZoneName'].filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
		}
		static supportedLocalesOf(wanted) { return (typeof wanted === 'string' ? [wanted] : Array.from(wanted)).map(canonical).filter((name) => locales().includes(Object.hasOwn(equal, name) ? equal[name] : name)); }
		#parts(date) {
			const ms = date === undefined ? Date.now() : Number(date);
			if (!(Math.abs(ms) <= 8.64e15)) throw new RangeError('Invalid time value');
			const [year, month, day, weekday, hour, minute, second, offset] = moment(ms, this.#zone);
			const t = this.#table;
			const shownHour = { h23: hour, h24: hour || 24, h12: hour % 12 || 12, h11: hour % 12 }[this.#cycle];
			const numbers = { y: ['year', this.#shown.era && year < 1 ? 1 - year : year], M: ['month', month], d: ['day', day], h: ['hour', shownHour], i: ['minute', minute], s: ['second', second] };
			const part = (token) => {
				if (token[0] === 'w') return { type: 'weekday', value: t.weekdays[token.slice(1)][weekday] };
				if (token[0] === 'm') return { type: 'month', value: t.months[token.slice(1)][month - 1] };
				if (token === 'e') return { type: 'era', value: eras[this.#shown.era][year > 0 ? 0 : 1] };
				if (token === 'p') return { type: 'dayPeriod', value: t.halves[hour < 12 ? 0 : 1] };
				if (token === 'z') return { type: 'timeZoneName', value: this.#zoneName(offset) };
				const [type, value] = numbers[token[0]];
				return { type, value: token.length === 2 ? two(value % 100) : String(value) };
			};
			const fill = (template) => template.split(/[{}]/).map((text, at) => (at % 2 ? part(text) : { type: 'literal', value: text })).filter((one) => one.value !== '');
			if (!this.#time) return fill(this.#date);
			if (!this.#date) return fill(this.#time);
			return fill(this.#glue.replace('{D}', () => this.#date).replace('{T}', () => this.#time));
		}
		#zoneName(offset) {
			const how = this.#shown.timeZoneName;
			if (how === 'shortOffset' || how === 'longOffset') {
				const [sign, hours, minutes] = [offset < 0 ? '-' : '+', Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
				return 'GMT' + sign + (how === 'longOffset' ? two(hours) + ':' + two(minutes) : hours + (minutes ? ':' + two(minutes) : ''));
			}
			if (this.#zone === 'UTC') return 'UTC';
			throw new RangeError('there are no names of time zones here but UTC: leave out timeZoneName, or use timeStyle short or medium (offset ' + offset + ' minutes)');
		}
		formatToParts(date) {
			const list = [];
			for (const one of this.#parts(date)) {
				const last = list[list.length - 1];
				if (last && last.type === 'literal' && one.type === 'literal') last.value += one.value; else list.push(one);
			}
			return list;
		}
		// Like Node's, the text has plain spaces where CLDR has narrow ones that do not break.
		get format() { return (date) => this.#parts(date).map((one) => one.value).join('').replace(/\u202F/g, ' '); }
		resolvedOptions() { return { locale: this.#name, calendar: 'gregory', numberingSystem: 'latn', timeZone: this.#zone, ...this.#shown }; }
		get [Symbol.toStringTag]() { return 'Intl.DateTimeFormat'; }
	}

	// rounded is a number written out with so many digits behind the point, half away from zero as it is written.
	const rounded = (text, least, most) => {
		const [digits, exponent = '0'] = text.split('e');
		let [whole, rest = ''] = digits.split('.');
		const shift = Number(exponent);
		if (shift > 0) {
			rest = rest.padEnd(shift, '0');
			[whole, rest] = [whole + rest.slice(0, shift), rest.slice(shift)];
		} else if (shift < 0) {
			whole = whole.padStart(1 - shift, '0');
			[whole, rest] = [whole.slice(0, shift), whole.slice(shift) + rest];
		}
		if (rest.length > most) {
			const up = rest[most] >= '5';
			let n = BigInt(whole + rest.slice(0, most));
			if (up) n += 1n;
			const all = String(n).padStart(most + 1, '0');
			[whole, rest] = most ? [all.slice(0, -most), all.slice(-most)] : [all, ''];
		}
		while (rest.length > least && rest.endsWith('0')) rest = rest.slice(0, -1);
		return [whole.replace(/^0+(?=\d)/, ''), rest.padEnd(least, '0')];
	};
	const digitsIn = (options, name, from, to, otherwise) => {
		const value = options[name];
		if (value === undefined) return otherwise;
		if (!(Number(value) >= from && Number(value) <= to)) throw new RangeError(name + ' value is out of range.');
		return Math.floor(Number(value));
	};
	class NumberFormat {
		#name;
		#table;
		#shown;
		#wrap = null; // what stands around a number, for both signs
		#scale = 0;
		#compact = '';
		constructor(wanted, options) {
			options = options === undefined ? {} : Object(options);
			[this.#name, this.#table] = found(wanted);
			unknown(options, ['unit', 'numberingSystem', 'roundingIncrement', 'roundingPriority', 'trailingZeroDisplay']);
			const notation = option(options, 'notation', ['standard', 'compact']) || 'standard';
			option(options, 'signDisplay', ['auto']);
			option(options, 'currencySign', ['standard']);
			option(options, 'roundingMode', ['halfExpand']);
			const style = option(options, 'style', ['decimal', 'percent', 'currency']) || 'decimal';
			let [low, high] = [0, 3];
			this.#shown = { locale: this.#name, numberingSystem: 'latn', style };
			if (style === 'percent') {
				[low, high] = [0, 0];
				this.#wrap = this.#table.percent;
				this.#scale = 2;
			}
			if (style === 'currency') {
				if (options.currency === undefined) throw new TypeError('Currency code is required with currency style.');
				const currency = String(options.currency).toUpperCase();
				const money = Object.hasOwn(this.#table.money, currency) ? this.#table.money[currency] : undefined;
				if (!money) throw new RangeError('there is no currency ' + currency.slice(0, 10) + ' here, there are ' + Object.keys(this.#table.money).join(', '));
				const display = option(options, 'currencyDisplay', ['symbol', 'narrowSymbol', 'code']) || 'symbol';
				const at = { symbol: 1, narrowSymbol: 3, code: 5 }[display];
				this.#wrap = [money[at], money[at + 1]];
				low = high = money[0];
				Object.assign(this.#shown, { currency, currencyDisplay: display, currencySign: 'standard' });
			}
			const whole = digitsIn(options, 'minimumIntegerDigits', 1, 21, 1);
			const least = digitsIn(options, 'minimumFractionDigits', 0, 100, undefined);
			const most = digitsIn(options, 'maximumFractionDigits', 0, 100, undefined);
			if (least !== undefined && most !== undefined && least > most) throw new RangeError('maximumFractionDigits value is out of range.');
			const minimum = least !== undefined ? least : Math.min(low, most === undefined ? low : most);
			const maximum = most !== undefined ? most : Math.max(high, minimum);
			if (notation === 'compact') {
				if (style !== 'decimal' || least !== undefined || most !== undefined || whole !== 1 || options.minimumSignificantDigits !== undefined || options.maximumSignificantDigits !== undefined) throw new RangeError('notation compact is there for plain numbers, without digits, percent and currency');
				this.#compact = option(options, 'compactDisplay', ['short', 'long']) || 'short';
			}
			Object.assign(this.#shown, { minimumIntegerDigits: whole });
			const significant = options.minimumSignificantDigits !== undefined || options.maximumSignificantDigits !== undefined;
			if (significant) {
				const minimumSignificantDigits = digitsIn(options, 'minimumSignificantDigits', 1, 21, 1);
				Object.assign(this.#shown, { minimumSignificantDigits, maximumSignificantDigits: digitsIn(options, 'maximumSignificantDigits', minimumSignificantDigits, 21, 21) });
			} else {
				Object.assign(this.#shown, { minimumFractionDigits: minimum, maximumFractionDigits: maximum });
			}
			const grouping = options.useGrouping;
			this.#shown.useGrouping = grouping === undefined || grouping === true || grouping === 'true' ? (grouping === undefined ? 'auto' : 'always') : grouping === false || grouping === 'false' ? false : option(options, 'useGrouping', ['auto', 'always', 'min2']);
		}
		#grouped(whole) {
			const { group, groups, least } = this.#table;
			const how = this.#compact && this.#shown.useGrouping === 'auto' ? 'min2' : this.#shown.useGrouping;
			const needed = how === 'always' ? 1 : how === 'min2' ? 2 : least;
			const [last, next] = [groups[groups.length - 1], groups[groups.length - 2]];
			if (how === false || whole.length < last + needed) return whole;
			const list = [whole.slice(-last)];
			for (let rest = whole.slice(0, -last); rest; rest = rest.slice(0, -next)) list.unshift(rest.slice(-next));
			return list.join(group);
		}
		// #shortened is a number in the compact notation, and what stands around it.
		#shortened(number) {
			const t = this.#table, absolute = number < 0 ? -Number(number) : Number(number);
			const two = (shift) => {
				const written = absolute.toString().split('e'), value = written[0] + 'e' + (Number(written[1] || 0) - shift);
				const [whole, rest] = rounded(value, 0, 400), size = whole !== '0' ? whole.length : rest === '' ? 1 : -/^0*/.exec(rest)[0].length;
				return rounded(value, 0, Math.max(0, 2 - size));
			};
			// Rounding may make a power of ten more of it, which has another word.
			let power = Math.min(17, rounded(absolute.toString(), 0, 400)[0].length - 1);
			const word = () => (power < 3 ? [0, null] : t.compact[this.#compact][power - 3]);
			let digits = two(word()[0]);
			if (power < 17 && digits[0].length > power - word()[0] + 1) {
				power++;
				digits = two(word()[0]);
			}
			const by = word()[1], around = by ? digits.join('') === '1' && by['=1'] || by[pluralOf(this.#name, digits)] || by.other || by.one : '{0}';
			return [this.#grouped(digits[0]) + (digits[1] ? t.decimal + digits[1] : ''), around];
		}
		#text(value) {
			const t = this.#table;
			const number = typeof value === 'bigint' ? value : Number(value);
			const negative = number < 0 || Object.is(number, -0);
			let text;
			if (number !== number) text = 'NaN';
			else if (number === Infinity || number === -Infinity) text = '∞';
			else if (this.#compact) {
				const [digits, around] = this.#shortened(number);
				return (negative ? t.minus : '') + around.replace('{0}', () => digits);
			}
			else {
				let written = String(number).replace(/^-/, '');
				if (this.#scale) {
					const [digits, exponent = '0'] = written.split('e');
					written = digits + 'e' + (Number(exponent) + this.#scale);
				}
				const s = this.#shown;
				let [least, most] = [s.minimumFractionDigits, s.maximumFractionDigits];
				if (least === undefined) {
					const [whole, rest] = rounded(written, 0, 400);
					const size = whole !== '0' ? whole.length : rest === '' ? 1 : -/^0*/.exec(rest)[0].length;
					[least, most] = [Math.max(0, s.minimumSignificantDigits - size), s.maximumSignificantDigits - size];
					if (most < 0) {
						const cut = whole.length + most;
						const up = whole[cut] >= '5' ? 1n : 0n;
						written = String(BigInt(whole.slice(0, cut) || '0') + up) + '0'.repeat(-most);
						[least, most] = [0, 0];
					}
				}
				const [whole, rest] = rounded(written, least, most);
				text = this.#grouped(whole.padStart(s.minimumIntegerDigits, '0')) + (rest ? t.decimal + rest : '');
			}
			const minus = negative && number === number;
			if (!this.#wrap) return (minus ? t.minus : '') + text;
			return this.#wrap[minus ? 1 : 0].replace('{n}', () => text);
		}
		get format() { return (value) => this.#text(value); }
		formatToParts(value) {
			if (this.#compact) throw new RangeError('formatToParts is not there for notation compact');
			const t = this.#table, text = this.#text(value);
			const wrap = this.#wrap ? this.#wrap[0] === this.#wrap[1] || text.startsWith(this.#wrap[1].split('{n}')[0]) && text.includes(t.minus) ? this.#wrap[1] : this.#wrap[0] : text.startsWith(t.minus) ? t.minus + '{n}' : '{n}';
			const [before, after] = wrap.split('{n}');
			const parts = [];
			const around = (of) => {
				for (const [one] of of.matchAll(/[\s\u00A0\u202F]+|[^\s\u00A0\u202F]+/g)) {
					const signed = one.includes(t.minus) ? one.split(t.minus) : null;
					const named = (value) => { if (value) parts.push({ type: /^\s/.test(value) ? 'literal' : this.#scale ? 'percentSign' : 'currency', value }); };
					if (!signed) { named(one); continue; }
					named(signed[0]);
					parts.push({ type: 'minusSign', value: t.minus });
					named(signed[1]);
				}
			};
			around(before);
			const [whole, rest] = text.slice(before.length, text.length - after.length).split(t.decimal);
			if (whole === 'NaN') parts.push({ type: 'nan', value: whole });
			else if (whole === '∞') parts.push({ type: 'infinity', value: whole });
			else whole.split(t.group).forEach((value, i) => parts.push(...(i ? [{ type: 'group', value: t.group }] : []), { type: 'integer', value }));
			if (rest !== undefined) parts.push({ type: 'decimal', value: t.decimal }, { type: 'fraction', value: rest });
			around(after);
			return parts;
		}
		resolvedOptions() { return { ...this.#shown, notation: this.#compact ? 'compact' : 'standard', ...(this.#compact && { compactDisplay: this.#compact }), signDisplay: 'auto', roundingMode: 'halfExpand' }; }
		get [Symbol.toStringTag]() { return 'Intl.NumberFormat'; }
	}

	// The plural categories of CLDR: of a number as it is written, [whole, rest].
	const millions = (i, v) => i !== 0 && i % 1e6 === 0 && v === 0;
	const slavic = (i, one) => (one ? 'one' : i % 10 >= 2 && i % 10 <= 4 && !(i % 100 >= 12 && i % 100 <= 14) ? 'few' : 'many');
	const cardinals = {
		one: (n, i, v) => i === 1 && v === 0 ? 'one' : 'other', equal: (n) => n === 1 ? 'one' : 'other', none: () => 'other',
		it: (n, i, v) => i === 1 && v === 0 ? 'one' : millions(i, v) ? 'many' : 'other', es: (n, i, v) => n === 1 ? 'one' : millions(i, v) ? 'many' : 'other', fr: (n, i, v) => i === 0 || i === 1 ? 'one' : millions(i, v) ? 'many' : 'other',
		da: (n, i, v, t) => n === 1 || t !== 0 && (i === 0 || i === 1) ? 'one' : 'other', cs: (n, i, v) => v !== 0 ? 'many' : i === 1 ? 'one' : i >= 2 && i <= 4 ? 'few' : 'other',
		pl: (n, i, v) => v !== 0 ? 'other' : slavic(i, i === 1), ru: (n, i, v) => v !== 0 ? 'other' : slavic(i, i % 10 === 1 && i % 100 !== 11),
		ro: (n, i, v) => i === 1 && v === 0 ? 'one' : v !== 0 || n === 0 || n !== 1 && n % 100 >= 1 && n % 100 <= 19 ? 'few' : 'other',
	};
	const cardinalOf = { en: 'one', de: 'one', nl: 'one', sv: 'one', fi: 'one', nb: 'equal', no: 'equal', hu: 'equal', tr: 'equal', el: 'equal', ja: 'none', zh: 'none', ko: 'none', pt: 'fr', 'pt-PT': 'it', uk: 'ru' };
	const not = (n, ...list) => !list.includes(n);
	const ordinals = {
		en: (n) => (not(n % 100, 11, 12, 13) && { 1: 'one', 2: 'two', 3: 'few' }[n % 10]) || 'other', sv: (n) => (n % 10 === 1 || n % 10 === 2) && not(n % 100, 11, 12) ? 'one' : 'other', fr: (n) => n === 1 ? 'one' : 'other', ro: (n) => n === 1 ? 'one' : 'other',
		hu: (n) => n === 1 || n === 5 ? 'one' : 'other', it: (n) => not(n, 8, 11, 80, 800) ? 'other' : 'many', uk: (n) => n % 10 === 3 && n % 100 !== 13 ? 'few' : 'other',
	};
	const languageOf = (name) => (name === 'pt-PT' ? name : name.split('-')[0]);
	const pluralOf = (name, [whole, rest]) => {
		const language = languageOf(name);
		return cardinals[cardinalOf[language] || language](Number(whole + '.' + (rest || '0')), Number(whole), rest.length, Number(rest.replace(/0+$/, '') || 0));
	};
	class PluralRules {
		#name;
		#type;
		constructor(wanted, options = {}) {
			[this.#name] = found(wanted);
			this.#type = option(options, 'type', ['cardinal', 'ordinal']) || 'cardinal';
			unknown(options, ['minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits', 'minimumSignificantDigits', 'maximumSignificantDigits']);
		}
		select(value) {
			const n = Math.abs(Number(value));
			if (!Number.isFinite(n)) return 'other';
			const written = rounded(String(n), 0, 3);
			if (this.#type === 'cardinal') return pluralOf(this.#name, written);
			const rule = ordinals[languageOf(this.#name)];
			return rule && written[1] === '' ? rule(Number(written[0])) : 'other';
		}
		resolvedOptions() {
			const made = new Set([0, 1, 2, 3, 5, 8, 11, 20, 100, 1.5, 1e6].map((n) => this.select(n)));
			return { locale: this.#name, type: this.#type, pluralCategories: ['few', 'many', 'one', 'two', 'other'].filter((name) => made.has(name)) };
		}
		get [Symbol.toStringTag]() { return 'Intl.PluralRules'; }
	}
	class ListFormat {
		#name;
		#type;
		#style;
		#table;
		constructor(wanted, options = {}) {
			[this.#name, this.#table] = found(wanted);
			this.#type = option(options, 'type', ['conjunction', 'disjunction', 'unit']) || 'conjunction';
			this.#style = option(options, 'style', ['long', 'short', 'narrow']) || 'long';
		}
		formatToParts(list) {
			const texts = Array.from(list), parts = [];
			for (const one of texts) if (typeof one !== 'string') throw new TypeError('Iterable yielded ' + String(one).slice(0, 40) + ' which is not a string');
			const [pair, start, middle, end] = this.#table.lists[this.#type + '.' + this.#style];
			texts.forEach((value, i) => {
				let between = texts.length === 2 ? pair : i === texts.length - 1 ? end : i === 1 ? start : middle;
				// In Spanish y and o are e and u before their own sounds.
				if (between === ' y ' && languageOf(this.#name) === 'es' && /^(i|hi($|[^ae]))/i.test(value)) between = ' e ';
				if (between === ' o ' && languageOf(this.#name) === 'es' && /^(o|ho|8|11($| ))/i.test(value)) between = ' u ';
				if (i) parts.push({ type: 'literal', value: between });
				parts.push({ type: 'element', value });
			});
			return parts;
		}
		format(list) { return this.formatToParts(list).map((part) => part.value).join(''); }
		resolvedOptions() { return { locale: this.#name, type: this.#type, style: this.#style }; }
		get [Symbol.toStringTag]() { return 'Intl.ListFormat'; }
	}
	class RelativeTimeFormat {
		#name;
		#numeric;
		#style;
		#table;
		constructor(wanted, options = {}) {
			[this.#name, this.#table] = found(wanted);
			this.#numeric = option(options, 'numeric', ['always', 'auto']) || 'always';
			this.#style = option(options, 'style', ['long', 'short', 'narrow']) || 'long';
			unknown(options, ['numberingSystem']);
		}
		formatToParts(value, unit) {
			const n = Number(value), one = String(unit).replace(/s$/, '');
			const [past, future, words] = (Object.hasOwn(this.#table.relative[this.#style], one) && this.#table.relative[this.#style][one]) || [];
			if (!past) throw new RangeError('Invalid unit argument for format() \'' + String(unit).slice(0, 40) + '\'');
			if (!Number.isFinite(n)) throw new RangeError('Invalid time value');
			if (this.#numeric === 'auto' && Object.hasOwn(words, String(n))) return [{ type: 'literal', value: words[n] }];
			const number = new NumberFormat(this.#name).formatToParts(Math.abs(n)).map((part) => ({ ...part, unit: one }));
			const by = n < 0 || Object.is(n, -0) ? past : future, around = by[pluralOf(this.#name, rounded(String(Math.abs(n)), 0, 3))] || by.other;
			const [before, after] = around.split('{0}');
			return [...(before && [{ type: 'literal', value: before }]), ...(around.includes('{0}') ? number : []), ...(after ? [{ type: 'literal', value: after }] : [])];
		}
		format(value, unit) { return this.formatToParts(value, unit).map((part) => part.value).join(''); }
		resolvedOptions() { return { locale: this.#name, style: this.#style, numeric: this.#numeric, numberingSystem: 'latn' }; }
		get [Symbol.toStringTag]() { return 'Intl.RelativeTimeFormat'; }
	}
	for (const Class of [PluralRules, ListFormat, RelativeTimeFormat]) Class.supportedLocalesOf = DateTimeFormat.supportedLocalesOf;

	// callable are constructors that may be called without new, as these may.
	const callable = (name, Class) => {
		const made = { [name]: function (wanted, options) { return new Class(wanted, options); } }[name];
		Object.defineProperty(made, 'prototype', { value: Class.prototype });
		Object.defineProperty(Class.prototype, 'constructor', { value: made, writable: true, configurable: true });
		made.supportedLocalesOf = DateTimeFormat.supportedLocalesOf;
		return made;
	};
	const Intl = { DateTimeFormat: callable('DateTimeFormat', DateTimeFormat), NumberFormat: callable('NumberFormat', NumberFormat), PluralRules, ListFormat, RelativeTimeFormat, getCanonicalLocales(list) { return (typeof list === 'string' ? [list] : Array.from(list || [])).map(canonical); } };
	Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl' });
	const onDate = (required, defaults) => function (wanted, options) {
		if (Number.isNaN(Date.prototype.getTime.call(this))) return 'Invalid Date';
		return new DateTimeFormat(wanted, options, required, defaults).format(this);
	};
	const onNumber = function (wanted, options) { return new NumberFormat(wanted, options).format(this.valueOf()); };
	return {
		Intl,
		date: { toLocaleDateString: onDate('date', 'date'), toLocaleTimeString: onDate('time', 'time'), toLocaleString: onDate('any', 'all') },
		number: { toLocaleString: onNumber },
	};
})
