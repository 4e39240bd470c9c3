//// weekday in a zone
const d = new Date('2026-03-01T07:05:09Z'); return [d.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'America/New_York' }), d.toLocaleDateString('de-DE', { weekday: 'long', timeZone: 'Asia/Tokyo' })];
//// defaults
const d = new Date('2026-03-01T07:05:09Z'); return ['en-US', 'en-GB', 'de-DE', 'fr-FR', 'es-ES', 'it', 'pt-BR', 'nl', 'sv-SE', 'ja-JP', 'zh-CN', 'ko-KR', 'ru', 'pl', 'tr', 'cs', 'fi', 'da', 'hu', 'uk', 'el', 'ro', 'en-CA', 'en-IN', 'de-CH', 'fr-CA', 'zh-TW', 'nb', 'pt-PT', 'es-MX'].map((l) => [d.toLocaleDateString(l), d.toLocaleTimeString(l), d.toLocaleString(l)]);
//// long dates
const d = new Date('2026-11-09T21:05:09Z'); return ['en-US', 'en-GB', 'de', 'fr', 'es', 'it', 'pt-BR', 'nl', 'sv', 'ja', 'zh-CN', 'ko', 'ru', 'pl', 'tr', 'cs', 'fi', 'hu', 'uk', 'el'].map((l) => d.toLocaleDateString(l, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }));
//// month names alone and in dates
return ['en', 'de', 'ru', 'pl', 'cs', 'fi', 'el', 'uk'].map((l) => [0, 4, 10].map((m) => [new Date(Date.UTC(2026, m, 5)).toLocaleString(l, { month: 'long', timeZone: 'UTC' }), new Date(Date.UTC(2026, m, 5)).toLocaleString(l, { month: 'short', day: '2-digit', timeZone: 'UTC' })]));
//// styles
const d = new Date('2026-12-31T23:59:59Z'); return ['en-US', 'en-GB', 'de', 'fr', 'ja', 'pt-BR'].map((l) => ['full', 'long', 'medium', 'short'].map((s) => [new Intl.DateTimeFormat(l, { dateStyle: s }).format(d), new Intl.DateTimeFormat(l, { dateStyle: s, timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(d)]));
//// clocks
const list = [0, 9, 12, 21].map((h) => new Date(Date.UTC(2026, 0, 1, h, 5))); return ['en-US', 'de', 'en-GB', 'ja'].map((l) => list.map((d) => [{ hour: 'numeric' }, { hour: '2-digit', minute: '2-digit' }, { hour: 'numeric', minute: '2-digit', hour12: true }, { hour: '2-digit', minute: '2-digit', hour12: false }, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }].map((o) => d.toLocaleTimeString(l, { timeZone: 'UTC', ...o }))));
//// parts
const parts = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }).formatToParts(new Date('2026-07-04T08:09:10Z')); return Object.fromEntries(parts.filter((p) => p.type !== 'literal').map((p) => [p.type, p.value]));
//// date of a zone as ISO
return new Date('2026-03-01T03:00:00Z').toLocaleDateString('en-CA', { timeZone: 'America/New_York' });
//// time stamp
return new Date('2026-03-01T07:05:00Z').toLocaleString('en-US', { month: 'short', day: 'numeric', year: 'numeric', hour: 'numeric', minute: '2-digit', timeZone: 'Europe/Berlin' });
//// resolved zone
const o = Intl.DateTimeFormat('en-US', { timeZone: 'Europe/Berlin' }).resolvedOptions(); return [o.locale, o.timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone];
//// invalid dates
let thrown; try { new Intl.DateTimeFormat('en').format(new Date(NaN)); } catch (e) { thrown = e.name; } return [new Date(NaN).toLocaleString(), thrown];
//// unknown zone
try { new Date(0).toLocaleString('en-US', { timeZone: 'Mars/Olympus' }); } catch (e) { return e.name; }
//// numbers
return ['en-US', 'de-DE', 'fr-FR', 'es-ES', 'pt-PT', 'pl', 'en-IN', 'de-CH', 'sv', 'ja', 'ru', 'it'].map((l) => [1234567.891, 1234.5, -0.5, 0, 999, 12345].map((n) => n.toLocaleString(l)));
//// money
return ['en-US', 'de-DE', 'fr-FR', 'ja-JP', 'pt-BR', 'en-GB', 'nl', 'de-CH', 'en-IN', 'pl', 'sv'].map((l) => [['EUR', 1234.5], ['USD', -99.999], ['JPY', 1234.5], ['GBP', 0.005], ['INR', 1234567], ['CHF', 12]].map(([currency, n]) => n.toLocaleString(l, { style: 'currency', currency })));
//// money shown as code
return ['en-US', 'de'].map((l) => new Intl.NumberFormat(l, { style: 'currency', currency: 'EUR', currencyDisplay: 'code', minimumFractionDigits: 0, maximumFractionDigits: 0 }).format(1234.5));
//// percent
return ['en-US', 'de', 'fr', 'tr'].map((l) => [0.256, 1.005, -0.07].map((n) => [n.toLocaleString(l, { style: 'percent' }), n.toLocaleString(l, { style: 'percent', minimumFractionDigits: 1 })]));
//// fraction digits
return [[1.005, 2], [2.5, 0], [1e21, 2], [1e-7, 8], [0.1 + 0.2, 20], [123.456, 1], [1.45, 1], [8.345, 2]].map(([n, most]) => n.toLocaleString('en-US', { maximumFractionDigits: most }));
//// minimum digits
return [5, 1234.5].map((n) => [n.toLocaleString('en-US', { minimumFractionDigits: 2 }), n.toLocaleString('en-US', { minimumIntegerDigits: 2, useGrouping: false }), n.toLocaleString('en-US', { maximumSignificantDigits: 2 }), n.toLocaleString('en-US', { minimumSignificantDigits: 3 })]);
//// significant digits
return [123456, 0.00123456, 99.99, 1, 0].map((n) => new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 }).format(n));
//// not finite, and big
return [NaN.toLocaleString('en-US'), (-Infinity).toLocaleString('de'), 12345678901234567890n.toLocaleString('en-US'), (-0).toLocaleString('en-US')];
//// as a callback
return [1000, 2000.5].map(new Intl.NumberFormat('de-DE').format);
//// in an array
return [[1234.5, new Date(0)].map((x) => x.toLocaleString('en-US', { timeZone: 'UTC' })), 'x'.toLocaleUpperCase()];
//// parts of a number
return [['de', {}], ['en-US', { style: 'currency', currency: 'USD' }], ['de', { style: 'currency', currency: 'EUR' }], ['fr', { style: 'percent', maximumFractionDigits: 1 }], ['ja', { style: 'currency', currency: 'JPY' }], ['sv', { minimumFractionDigits: 2 }], ['de-CH', { style: 'currency', currency: 'CHF' }], ['en-IN', {}], ['en', { style: 'currency', currency: 'EUR', currencyDisplay: 'code' }]].map(([l, o]) => [1234567.891, -0.5, 0].map((n) => new Intl.NumberFormat(l, o).formatToParts(n).map((p) => p.type + '=' + p.value)).concat(o.currencyDisplay ? [] : [new Intl.NumberFormat(l, o).formatToParts(NaN).map((p) => p.type), new Intl.NumberFormat(l, o).formatToParts(-Infinity).map((p) => p.type)]));
//// offsets of zones
const at = new Date('2026-07-01T12:34:00Z'); return ['en-US', 'de', 'en-GB', 'pl', 'ja'].flatMap((l) => ['America/Los_Angeles', 'Asia/Kolkata', 'UTC', 'Europe/Berlin'].map((timeZone) => [new Intl.DateTimeFormat(l, { timeZone, hour: '2-digit', minute: '2-digit', timeZoneName: 'shortOffset' }).format(at), new Intl.DateTimeFormat(l, { timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', timeZoneName: 'longOffset' }).formatToParts(at).find((p) => p.type === 'timeZoneName').value])).concat([[new Intl.DateTimeFormat('en-US', { timeZone: 'Asia/Tokyo', timeZoneName: 'longOffset' }).format(at)]]);
//// plurals
const o = new Intl.PluralRules('en-US', { type: 'ordinal' }), c = new Intl.PluralRules('en'); return [[0, 1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 101, 111, 1.5, -1, NaN].map((n) => [o.select(n), c.select(n)]), o.resolvedOptions().pluralCategories, c.resolvedOptions().pluralCategories, String(c)];
//// lists
return ['conjunction', 'disjunction', 'unit'].map((type) => ['long', 'short', 'narrow'].map((style) => [[], ['A'], ['A', 'B'], ['A', 'B', 'C'], ['A', 'B', 'C', 'D']].map((list) => new Intl.ListFormat('en', { type, style }).format(list)))).concat([new Intl.ListFormat().formatToParts(new Set(['x', 'y']))]);
//// relative times
const all = []; for (const numeric of ['always', 'auto']) for (const unit of ['second', 'minute', 'hours', 'day', 'weeks', 'month', 'quarter', 'year']) for (const n of [-1, 0, -0, 1, 2, -3, 1.5, -0.5, 1000, '4']) all.push(new Intl.RelativeTimeFormat('en', { numeric }).format(n, unit)); return [all, new Intl.RelativeTimeFormat('en').formatToParts(-1234.5, 'day'), new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).formatToParts(1, 'day')];
//// what is not a unit
try { new Intl.RelativeTimeFormat('en').format(1, 'eon'); } catch (e) { return e.name; }
//// plural rules of all languages
const made = {};
for (const name of ['en-US', 'en-GB', 'de', 'de-CH', 'fr', 'fr-CA', 'es', 'es-MX', 'it', 'pt-BR', 'pt-PT', 'nl', 'sv', 'da', 'nb', 'fi', 'pl', 'cs', 'hu', 'ro', 'tr', 'ru', 'uk', 'el', 'ja', 'zh-CN', 'zh-TW', 'ko']) {
	const cardinal = new Intl.PluralRules(name), ordinal = new Intl.PluralRules(name, { type: 'ordinal' }), by = {};
	for (const n of [0, 0.5, 1, 1.5, 1.0004, 2, 3, 4, 5, 8, 10, 11, 12, 13, 14, 20, 21, 22, 25, 80, 100, 101, 102, 111, 112, 113, 121, 800, 1000, 1e6, 2e6, 1000001, -1]) (by[cardinal.select(n) + ' ' + ordinal.select(n)] = by[cardinal.select(n) + ' ' + ordinal.select(n)] || []).push(n);
	made[name] = by;
}
return made;
//// lists in all languages
return ['en-US', 'en-GB', 'de', 'fr', 'es', 'es-MX', 'it', 'pt-BR', 'nl', 'sv', 'pl', 'cs', 'hu', 'ru', 'el', 'ja', 'zh-CN', 'ko'].map((name) => ['conjunction', 'disjunction', 'unit'].map((type) => ['long', 'short', 'narrow'].map((style) => [2, 3, 4].map((n) => new Intl.ListFormat(name, { type, style }).format(['a', 'i', 'o', 'hielo'].slice(0, n))))));
//// relative times in all languages
return ['en-US', 'en-AU', 'de', 'fr', 'es', 'it', 'pt-BR', 'pt-PT', 'nl', 'sv', 'da', 'pl', 'cs', 'hu', 'ro', 'ru', 'uk', 'el', 'ja', 'zh-TW', 'ko', 'tr', 'fi', 'nb'].map((name) => ['long', 'short', 'narrow'].map((style) => {
	const always = new Intl.RelativeTimeFormat(name, { style }), auto = new Intl.RelativeTimeFormat(name, { style, numeric: 'auto' });
	return ['second', 'minute', 'hour', 'days', 'week', 'month', 'quarter', 'year'].map((unit) => [-1234, -5, -2, -1, -0, 0, 1, 1.5, 2, 21, 22, 100].map((n) => always.format(n, unit) + '|' + auto.format(n, unit)).join(';'));
}));
//// compact numbers in all languages
return ['en-US', 'en-GB', 'en-IN', 'de', 'de-CH', 'fr', 'es', 'es-MX', 'it', 'pt-BR', 'pt-PT', 'nl', 'sv', 'da', 'nb', 'fi', 'pl', 'cs', 'hu', 'ro', 'tr', 'ru', 'uk', 'el', 'ja', 'zh-CN', 'zh-TW', 'ko'].map((name) => ['short', 'long'].map((compactDisplay) => {
	const f = new Intl.NumberFormat(name, { notation: 'compact', compactDisplay });
	return [0, 0.1234, 0.0056, 1, 1.25, 9.96, 99.5, 123.4, 999, 999.5, 1000, 1234, 1550, 2000, 5000, 9950, 9999, 12345, 21000, 99999, 123456, 999499, 999999, 1e6, 1.5e6, 2e6, 5.4e6, 21e6, 123456789, 1e9, 2.5e9, 1e11, 3.1e12, 1e15, 12345678901234567, -1234, -5e6, Infinity].map((n) => f.format(n)).join('|');
}));
